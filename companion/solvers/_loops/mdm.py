"""Compiled steps of MDM: what the two loops in :mod:`companion.solvers.mdm` call by name."""

import numpy as np

from companion._utils.compiled import njit
from companion.solvers._loops.smo import EXACT, _max, _min

# A multiplier that has been brought down to this share of itself is zero.
_ROUNDING = 1e-14

# Samples of a class that may join the working set at a time: a number, and as many times its
# support.
_JOIN = 30
_GROWTH = 2


@njit(**EXACT)
def set_heights(K, e, ridge, alpha, h):
    """h_k = e_k sum_j K_kj e_j alpha_j + ridge_k alpha_k."""
    h[:] = 0.0
    for j in range(e.shape[0]):
        if alpha[j] != 0.0:
            weight = e[j] * alpha[j]
            row = K[j]
            for k in range(h.shape[0]):
                h[k] += weight * row[k]
    h[:] = e * h + ridge * alpha


@njit(**EXACT)
def normalise(alpha, y):
    """Scale both classes to the sum 1, (2.2.5); one without weight becomes its centre."""
    for sign in (1.0, -1.0):
        members = np.flatnonzero(y == sign)
        weights = alpha[members]
        if not weights.sum() > 0.0:
            weights[:] = 1.0
        alpha[members] = weights / weights.sum()


@njit(**EXACT)
def extremes(y, alpha, h, low, high):
    """|w|^2, and of both classes the least height, the support's largest."""
    norm = 0.0
    low[:] = np.inf
    high[:] = -np.inf
    for k in range(y.shape[0]):
        c = int(y[k] > 0.0)
        low[c] = min(low[c], h[k])
        if alpha[k] > 0.0:
            high[c] = max(high[c], h[k])
            norm += alpha[k] * h[k]
    return norm


@njit(**EXACT)
def working_set(h, alpha, y, low, high, works):
    """The support and the lowest samples below its highest point, positives first: their number.

    All samples where there is no working set, or where it would have most of them.
    """
    positive = np.flatnonzero(y > 0.0)
    negative = np.flatnonzero(y < 0.0)
    everyone = np.concatenate((positive, negative))
    if not works:
        return everyone, positive.size
    is_in = np.zeros(y.size, dtype=np.bool_)
    for c, members in ((1, positive), (0, negative)):
        heights = h[members]
        is_support = alpha[members] > 0.0
        room = _JOIN + _GROWTH * is_support.sum()
        top = high[c]
        while (~is_support & (heights < top)).sum() > room:
            top = low[c] + 0.5 * (top - low[c])
        is_in[members] = is_support | (heights < top) | (heights == low[c])
    part = everyone[is_in[everyone]]
    if 2 * part.size > y.size:
        return everyone, positive.size
    return part, is_in[positive].sum()


@njit(**EXACT, inline="always")
def row_of(Q, known, K, e, part, r):
    """Row r of Q_rk = e_r e_k K_rk over some samples, made when it is first asked for."""
    if not known[r]:
        known[r] = True
        weight = e[r]
        row = K[part[r]]
        target = Q[r]
        for k in range(part.shape[0]):
            target[k] = (weight * e[k]) * row[part[k]]
    return Q[r]


@njit(**EXACT, inline="always")
def move(h, support, A, B, step):
    """Add step (A - B) to the heights of a class; the least one, and the support's largest."""
    low = np.inf
    high = -np.inf
    for k in range(h.shape[0]):
        value = h[k] + step * (A[k] - B[k])
        h[k] = value
        low = _min(low, value)
        high = _max(high, value + support[k])
    return low, high


@njit(**EXACT, inline="always")
def set_gains(h, support, lengths, row, low, length, least, gains):
    """(h_j - h_i)^2 / (Q_ii + Q_jj - 2 Q_ij) of the support points of a class, and the largest."""
    best = 0.0
    for j in range(h.shape[0]):
        rise = _max(h[j] + support[j] - low, 0.0)
        gains[j] = rise * rise / _max(length + lengths[j] - 2.0 * row[j], least)
        best = _max(best, gains[j])
    return best


@njit(**EXACT, inline="always")
def transfer(a, support, i, j, step):
    """Move weight from j to i; how much it was, as what rounding leaves of a multiplier is none."""
    old = a[j]
    a[j] = old - step
    if a[j] <= _ROUNDING * old:
        step = old
        a[j] = 0.0
        support[j] = -np.inf
    a[i] = a[i] + step
    support[i] = 0.0
    return step
