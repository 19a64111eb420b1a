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
        of GACV and xi-alpha: a single free vector would have to take over all of alpha_i.

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
    machines = zip(alpha.reshape(-1, n), upper.reshape(-1, n), strict=True)
    spans = [_of_machine(K, own, bounds) for own, bounds in machines]
    return np.reshape(spans, alpha.shape)


def _of_machine(K, alpha, upper):
    near = _AT_BOUND * np.minimum(upper, alpha.max())
    is_support = alpha > near
    is_free = is_support & (alpha < upper - near)
    free = np.flatnonzero(is_free)
    if len(free) < 2:
        return np.where(is_support, K.diagonal(), 0.0)
    bounded = np.flatnonzero(is_support & ~is_free)
    m = len(free)
    M = np.ones((m + 1, m + 1))
    M[:m, :m] = K[np.ix_(free, free)]
    largest = K.diagonal().max() or 1.0
    M[np.arange(m), np.arange(m)] += _RIDGE * largest
    M[m, m] = 0.0
    inverse = np.linalg.inv(M)
    towards = np.ones((m + 1, len(bounded)))
    towards[:m] = K[np.ix_(free, bounded)]
    spans = np.zeros(len(alpha))
    spans[free] = 1.0 / inverse.diagonal()[:m]
    within = np.einsum("fb,fb->b", towards, inverse @ towards)
    spans[bounded] = K.diagonal()[bounded] - within
    # below zero by rounding only
    return np.maximum(spans, 0.0)
