"""Prototypes by frequency-sensitive competitive learning.

A sample x is presented; the prototype with the least n_j ||x - c_j||^2, n_j the number of times it
has won, wins and moves towards x. The counts keep every prototype in use.

S. C. Ahalt, A. K. Krishnamurthy, P. Chen and D. E. Melton, Competitive learning algorithms for
vector quantization, Neural Networks 3 (1990): reference [13] of Navia-Vazquez et al. (2004), which
finds the R centroids of (23) by it, without regard to the classes.
"""

from __future__ import annotations

import numbers

import numpy as np

from companion._utils.checks import checked_weights
from companion._utils.compiled import njit

__all__ = ["fscl"]

# Presentations over the number of samples, and the share of the way that the winner moves at first;
# it falls to zero linearly.
_EPOCHS = 10
_RATE = 0.1

# Presentations in one compiled call, times entries of the prototypes: some tenths of a second.
_BURST = 200_000_000


def fscl(X, n_prototypes, *, rng=None, sample_weight=None):
    """Place prototypes in a cloud of points.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_prototypes : int
        From 1 to the number of samples. With as many as samples, these are the prototypes.
    rng : numpy.random.Generator or int, optional
        Of the samples that the prototypes start at, all different if so many are, and of the order
        of presentation.
    sample_weight : ndarray of shape (n_samples,), optional
        Non-negative. Prototypes start at samples, and samples are presented, drawn at random in
        proportion to their weights; without weights, each of ten epochs presents every sample once.

    Returns
    -------
    ndarray of shape (n_prototypes, n_features)

    Raises
    ------
    ValueError
        For more prototypes than samples of positive weight, or an argument out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[0.0], [10.0]], 50, axis=0)
    >>> np.sort(fscl(X, 2, rng=0), axis=0).round(6).tolist()
    [[0.0], [10.0]]
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or not np.isfinite(X).all():
        raise ValueError(
            f"The 'X' of fscl must be a finite matrix of samples by features. Got shape {X.shape}."
        )
    weight = None
    if sample_weight is not None:
        weight = checked_weights(sample_weight, len(X), "fscl", zero=True)
        X = X[weight > 0.0]
        weight = weight[weight > 0.0]
    n = len(X)
    if not isinstance(n_prototypes, numbers.Integral) or not 1 <= n_prototypes <= n:
        raise ValueError(
            "The number of prototypes must be whole, from 1 to the number of samples of positive "
            f"weight, {n}. Got {n_prototypes!r}; lower n_prototypes, or use n_prototypes=None for "
            "all of them."
        )
    if n_prototypes == n:
        return X.copy()
    rng = np.random.default_rng(rng)
    share = None if weight is None else weight / weight.sum()
    prototypes = X[
        _starting_samples(X, n_prototypes, rng.choice(n, n, replace=False, p=share))
    ]
    if share is None:
        order = np.concatenate([rng.permutation(n) for _ in range(_EPOCHS)])
    else:
        order = rng.choice(n, size=_EPOCHS * n, p=share)
    by_feature = np.ascontiguousarray(prototypes.T)
    wins = np.ones(n_prototypes)
    burst = max(1, _BURST // by_feature.size)
    for first in range(0, order.size, burst):
        _compete(X, order, first, min(first + burst, order.size), by_feature, wins)
    return np.ascontiguousarray(by_feature.T)


def _starting_samples(X, n_prototypes, order):
    """The first indices of an order, different points before repeated ones."""
    first = np.zeros(len(order), dtype=bool)
    first[np.unique(X[order], axis=0, return_index=True)[1]] = True
    return np.concatenate([order[first], order[~first]])[:n_prototypes]


@njit(error_model="numpy", fastmath={"reassoc", "contract"}, nogil=True)
def _compete(X, order, first, end, prototypes, wins):  # noqa: PLR0917
    """Present samples in order; prototypes have shape (n_features, n_prototypes)."""
    n_features, size = prototypes.shape
    distances = np.empty(size)
    n = order.shape[0]
    for t in range(first, end):
        i = order[t]
        for j in range(size):
            distances[j] = 0.0
        for k in range(n_features):
            x = X[i, k]
            for j in range(size):
                distances[j] += (x - prototypes[k, j]) ** 2
        winner = 0
        least = wins[0] * distances[0]
        for j in range(1, size):
            d = wins[j] * distances[j]
            if d < least:
                winner = j
                least = d
        wins[winner] += 1.0
        rate = _RATE * (1.0 - t / n)
        for k in range(n_features):
            prototypes[k, winner] += rate * (X[i, k] - prototypes[k, winner])
