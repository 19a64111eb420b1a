"""LSSVC: equality constraints and squared slacks, solved directly or by SMO."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from companion.estimators._compat import StrOptions
from companion.estimators._docs import with_shared_documentation
from companion.estimators._dual import DualClassifier
from companion.estimators._kernel_classifier import KernelClassifier
from companion.kernels import gram
from companion.solvers.ls import ls

# Matrices of the size of the Gram matrix that a factorisation takes.
MATRICES = 2


@with_shared_documentation
@dataclass(eq=False, repr=False, kw_only=True)
class LSSVC(DualClassifier):
    """Least-squares support vector machine: equality constraints, squared loss.

    Parameters
    ----------
    %(C)s
    solver : {"cholesky", "smo"}, default="cholesky"
        ``"cholesky"`` solves the optimality conditions exactly by one factorisation of
        the Gram matrix; a violation above 1e-3, which only rounding can leave, is a
        :class:`~sklearn.exceptions.ConvergenceWarning`. ``"smo"`` iterates as
        the paper does, and is the choice when the Gram matrix does not fit in memory.
        `tol`, `max_iter` and `selection` concern ``"smo"`` alone.
    %(kernel)s
    %(smo)s
    %(rest)s

    Attributes
    ----------
    %(attributes)s

    See Also
    --------
    LeastOneNormSVC : Equality constraints with linear slacks.
    sklearn.kernel_ridge.KernelRidge : The same loss without the bias b.

    Notes
    -----
    With slacks xi_i of either sign and feature map Phi the primal problem is (1) of
    [1]_::

        min_{W, b, xi}  1/2 ||W||^2 + 1/2 sum_i C_i xi_i^2
        subject to      y_i (W . Phi(X_i) + b) = 1 - xi_i,

    where C_i is `C` times the weights of sample and class. The dual is (2) of [1]_ with
    the modified kernel K~_ij = k(X_i, X_j) + delta_ij / C_i::

        min_alpha   1/2 sum_ij alpha_i alpha_j y_i y_j K~_ij - sum_i alpha_i
        subject to  sum_i alpha_i y_i = 0,

    and its only optimality condition is (7) of [1]_,
    y_i (W . Phi(X_i) + b) = 1 - alpha_i / C_i: an outlier has a large slack and with it
    an unbounded influence.

    References
    ----------
    %(references)s

    Examples
    --------
    >>> from companion import LSSVC
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> machine = LSSVC(C=10, kernel="linear").fit(X, [0, 0, 1, 1])
    >>> machine.predict([[0.4], [2.7]]).tolist()
    [0, 1]
    """

    _parameter_constraints: ClassVar[dict] = {
        **DualClassifier._parameter_constraints,
        "C": KernelClassifier._parameter_constraints["C"],
        "solver": [StrOptions({"cholesky", "smo"})],
    }

    solver: str = "cholesky"

    def _box(self, C):
        return -np.inf, np.inf, 1.0 / C

    def _solve(self, K, y, bound_weight, **start):
        if self.solver == "smo":
            return super()._solve(K, y, bound_weight, **start)
        return ls(K, y, self.C, sample_weight=bound_weight)

    def _without_gram_matrix(self):
        return f"sklearn.linear_model.RidgeClassifier(alpha={1.0 / self.C:g})"

    def _training_kernel(self, X, gamma):
        if self.solver == "smo":
            return super()._training_kernel(X, gamma)
        self._require_memory(X.shape[0], MATRICES)
        megabytes = X.shape[0] ** 2 * 8e-6
        if self.kernel != "precomputed" and megabytes > self.cache_size:
            raise ValueError(
                f"{type(self).__name__} factorises the Gram matrix, which must fit in "
                f"cache_size = {self.cache_size:g} MB. Got {X.shape[0]} samples, which need "
                f'{megabytes:.0f} MB. Raise cache_size, or use LSSVC(solver="smo").'
            )
        return (
            X
            if self.kernel == "precomputed"
            else gram(X, **self._kernel_parameters(gamma))
        )
