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
    for k in range(h.shape[0]):
        h[k] = e[k] * h[k] + ridge[k] * alpha[k]


@njit(**EXACT)
def normalise(alpha, y):
    """Scale both classes to the sum 1, (2.2.5); one without weight becomes its centre."""
    total = np.zeros(2)
    count = np.zeros(2)
    for k in range(y.shape[0]):
        total[int(y[k] > 0.0)] += alpha[k]
        count[int(y[k] > 0.0)] += 1.0
    for k in range(y.shape[0]):
        c = int(y[k] > 0.0)
        alpha[k] = alpha[k] / total[c] if total[c] > 0.0 else 1.0 / count[c]


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
    part = np.empty(y.shape[0], dtype=np.int64)
    n = y.shape[0]
    p = 0
    size = 0
    for attempt in range(2):
        works = works and attempt == 0
        p = 0
        size = 0
        for sign in (1.0, -1.0):
            c = int(sign > 0.0)
            room = _JOIN
            lower = n
            top = high[c] if works else np.inf
            for k in range(n):
                room += _GROWTH * (y[k] == sign and alpha[k] > 0.0)
            while works and lower > room:
                lower = 0
                for k in range(n):
                    lower += y[k] == sign and alpha[k] == 0.0 and h[k] < top
                if lower > room:
                    top = low[c] + 0.5 * (top - low[c])
            for k in range(n):
                if y[k] == sign and (alpha[k] > 0.0 or h[k] < top or h[k] == low[c]):
                    part[size] = k
                    size += 1
            p = size if sign > 0.0 else p
        if 2 * size <= n:
            break
    return part[:size], p


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


@njit(**EXACT)
def face_of(K, e, face):
    """e_i e_j K_ij over some samples."""
    A = np.empty((face.size, face.size))
    for i in range(face.size):
        row = K[face[i]]
        weight = e[face[i]]
        for j in range(face.size):
            A[i, j] = row[face[j]] * weight * e[face[j]]
    return A
