"""The design of a weighted least-squares problem, and its normal equations."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.linalg import blas

from companion._utils.blas import (
    add_square,
    cholesky,
    cholesky_solve,
    pivoted_cholesky,
    times_inverse_transpose,
)
from companion.solvers._loops.wls import scale_rows

# A prototype whose distance in feature space from the span of the others is below this share of
# the largest norm, squared, adds nothing but rounding errors.
_INDEPENDENT = 1e-12

# A bias without weight on it would leave the equations singular.
_BIAS_RIDGE = 1e-12


class Design:
    """Features Z in which a machine is f = Z w + b with the regulariser w'w / 2.

    Use :meth:`linear` or :meth:`kernel`. A kernel expansion f = K beta + b on prototypes c_j with
    the regulariser beta' I beta / 2, (23) to (25) of the paper, becomes Z = K L^-T for the
    Cholesky factor I = L L' with pivoting; prototypes that are linear combinations of others in
    feature space, such as repeated ones, get the coefficient 0.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_columns)
    bias : bool, default=True
        Whether there is a b; without it b = 0, (26) of the paper.
    factor, pivots, n_coefficients
        The Cholesky factor of the independent prototypes, their indices, and the number of all.

    Attributes
    ----------
    augmented : ndarray of shape (n_samples, n_columns + 1)
        Z with a last column of ones (zeros without a bias).
    n, m : int
        Numbers of samples and of columns of Z.
    """

    def __init__(
        self, features, *, bias=True, factor=None, pivots=None, n_coefficients=None
    ):
        n, self.m = features.shape
        self.augmented = np.empty((n, self.m + 1))
        self.augmented[:, :-1] = features
        self.augmented[:, -1] = 1.0 if bias else 0.0
        self.bias = bias
        self._factor = factor
        self._pivots = pivots
        self.n_coefficients = self.m if n_coefficients is None else n_coefficients

    @property
    def n(self):
        """Number of samples."""
        return self.augmented.shape[0]

    @classmethod
    def linear(cls, X, *, bias=True):
        """The parametric machine f = X w + b.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        bias : bool, default=True
        """
        return cls(_checked_matrix(X, "X"), bias=bias)

    @classmethod
    def kernel(cls, K, K_prototypes=None, *, bias=True):
        """The machine f = K beta + b: semiparametric, or nonparametric on all samples.

        Parameters
        ----------
        K : ndarray of shape (n_samples, n_prototypes)
            Kernel values between samples and prototypes.
        K_prototypes : ndarray of shape (n_prototypes, n_prototypes), optional
            Gram matrix of the prototypes, symmetric and positive semi-definite; K itself if left
            out, for the machine with all samples as prototypes.
        bias : bool, default=True
        """
        K = _checked_matrix(K, "K")
        gram = (
            K if K_prototypes is None else _checked_matrix(K_prototypes, "K_prototypes")
        )
        size = K.shape[1]
        if gram.shape != (size, size):
            raise ValueError(
                f"A design on {size} prototypes needs their Gram matrix of shape {(size, size)}. "
                f"Got {gram.shape}."
            )
        largest = gram.diagonal().max()
        if not largest > 0.0:
            if gram.any():
                raise ValueError(
                    "The Gram matrix of the prototypes must be positive semi-definite. "
                    f"Got {largest:g} as the largest entry on its diagonal."
                )
            # Nothing but zeros: the bias is the whole machine.
            largest = 1.0
            gram = np.eye(size)
        factor, pivots = pivoted_cholesky(gram, _INDEPENDENT * largest)
        rank = len(pivots)
        factor = np.asfortranarray(np.tril(factor[:rank, :rank]))
        features = np.asfortranarray(K[:, pivots])
        times_inverse_transpose(features, factor)
        return cls(
            features, bias=bias, factor=factor, pivots=pivots, n_coefficients=size
        )

    def take(self, rows):
        """The design of some of the samples: the same machine on a fold.

        Parameters
        ----------
        rows : ndarray of int or bool
        """
        part = object.__new__(Design)
        part.__dict__.update(self.__dict__)
        part.augmented = np.ascontiguousarray(self.augmented[rows])
        return part

    def coefficients(self, w):
        """Coefficients in the caller's terms: w itself, or beta of all prototypes.

        Parameters
        ----------
        w : ndarray of shape (n_columns,) or (..., n_columns)
            One machine or several.
        """
        if self._factor is None:
            return w.copy()
        beta = np.zeros((*w.shape[:-1], self.n_coefficients))
        solved = blas.dtrsm(
            1.0, self._factor, w.reshape(-1, self.m).T, lower=1, trans_a=1
        )
        beta[..., self._pivots] = solved.T.reshape(w.shape)
        return beta


def normal_equations(design, a):
    """Return r -> H^-1 r for H = diag(1, ..., 1, 0) + sum_i a_i z_i z_i', the matrix of (20), (25).

    The z_i are rows of the augmented design. None where H is not positive definite.
    """
    H = np.zeros((design.m + 1, design.m + 1), order="F")
    diagonal = H.ravel(order="K")[:: design.m + 2]
    diagonal[:-1] = 1.0
    scaled = np.empty_like(design.augmented)
    is_sum = np.minimum.reduce(a) >= 0.0
    for sign in (1.0,) if is_sum else (1.0, -1.0):
        k = scale_rows(design.augmented, a, sign, scaled)
        if k:
            add_square(H, scaled[:k].T, sign)
    if diagonal[-1] == 0.0:
        diagonal[-1] = _BIAS_RIDGE
    if not math.isfinite(diagonal.sum()):
        return None
    factor = H.copy(order="F")
    is_definite = cholesky(factor)
    if not is_definite and is_sum:  # by rounding alone
        jitter = 1e-15 * diagonal.max()
        while not is_definite and jitter < 1e-3 * diagonal.max():
            diagonal += 100.0 * jitter
            jitter *= 100.0
            factor = H.copy(order="F")
            is_definite = cholesky(factor)
    return partial(cholesky_solve, factor) if is_definite else None


def _checked_matrix(matrix, name):
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(
            f"The '{name}' of a design must be a matrix with at least one row and one column. "
            f"Got shape {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise ValueError(
            f"The '{name}' of a design must be finite. Got NaN or infinity."
        )
    return matrix
