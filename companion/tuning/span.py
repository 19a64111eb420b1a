"""The span of support vectors: what leaving one out does while the others respond.

Leave a support vector out and let the free ones (0 < alpha < C L(y)) respond, so that none meets a
bound and nobody else joins: then its margin falls by exactly alpha_i S_i^2. S_i^2 is the squared
distance, in the space of the kernel, of the point from the affine hull of the (other) free vectors:
with M = [[K_FF, e], [e', 0]] and k = (K_Fi, 1)

    S_i^2 = K_ii - k' M^-1 k    at a bound,        S_i^2 = 1 / (M^-1)_ii    if i is free itself.

alpha_i K_ii of GACV and xi-alpha is the same with nobody responding.

V. Vapnik and O. Chapelle, Bounds on error expectation for support vector machines, Neural
Computation 12(9), 2000, 2013-2036.
"""

import numpy as np
from scipy.linalg import lapack

from companion._utils.blas import cholesky

__all__ = ["squared_spans"]

# A vector is free if it keeps more than this share of its range, or of the largest multiplier where
# that is less, from both bounds.
_AT_BOUND = 1e-9

# Added to the diagonal, relative to the largest K_ii, so that M can be inverted.
_RIDGE = 1e-10


def squared_spans(K, alpha, upper):
    """Squared spans S_i^2 of the support vectors of L1-SVMs on one Gram matrix.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix, symmetric and positive semi-definite.
    alpha : ndarray of shape (..., n)
        Multipliers of the machines.
    upper : float or array-like that broadcasts to the shape of `alpha`
        Their bounds C L(y_i), which may be infinite.

    Returns
    -------
    ndarray of the shape of `alpha`
        S_i^2, and 0 where alpha_i = 0. Where fewer than two vectors are free it is K_ii, the value
        of GACV and xi-alpha: a single free vector would have to take over all of alpha_i. So it is
        where K has a negative eigenvalue on them.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 3.0])
    >>> squared_spans(np.outer(x, x), np.array([0.5, 0.5, 1.0]), 1.0).round(3).tolist()
    [1.0, 1.0, 0.0]
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    n = alpha.shape[-1]
    if np.shape(K) != (n, n):
        raise ValueError(
            f"The 'K' of squared_spans must be the Gram matrix of the {n} samples that `alpha` "
            f"has. Got shape {np.shape(K)}."
        )
    upper = np.broadcast_to(np.asarray(upper, dtype=np.float64), alpha.shape)
    near = _AT_BOUND * np.minimum(upper, alpha.max(axis=-1, keepdims=True))
    is_support = alpha > near
    is_free = is_support & (alpha < upper - near)
    kinds = (is_support.astype(np.int8) + is_free).reshape(-1, n)
    spans = np.empty(kinds.shape)
    for k, kind in enumerate(kinds):
        # machines for neighbouring C often have the same vectors
        is_as_before = k > 0 and np.array_equal(kind, kinds[k - 1])
        spans[k] = spans[k - 1] if is_as_before else _of_machine(K, kind)
    return spans.reshape(alpha.shape)


def _of_machine(K, kinds):
    """Squared spans where a sample is no support vector (0), at a bound (1) or free (2)."""
    diagonal = K.diagonal()
    free = np.flatnonzero(kinds == 2)
    if len(free) < 2:
        return np.where(kinds > 0, diagonal, 0.0)
    bounded = np.flatnonzero(kinds == 1)
    # with K_FF = L L', columns of L^-1 [I, e, K_FB] in the place of M^-1
    factor = K[np.ix_(free, free)]
    factor.ravel()[:: len(free) + 1] += _RIDGE * (diagonal.max() or 1.0)
    if not cholesky(factor.T):
        return np.where(kinds > 0, diagonal, 0.0)
    inverse = lapack.dtrtri(np.tril(factor.T), lower=1, overwrite_c=1)[0]
    of_ones = inverse.sum(axis=1)
    total = of_ones @ of_ones
    towards = inverse @ K[np.ix_(free, bounded)]
    spans = np.zeros(len(kinds))
    shares = of_ones @ inverse
    spans[free] = 1.0 / ((inverse**2).sum(axis=0) - shares**2 / total)
    within = (towards**2).sum(axis=0) - (of_ones @ towards - 1.0) ** 2 / total
    spans[bounded] = diagonal[bounded] - within
    # below zero by rounding only
    return np.maximum(spans, 0.0)
