"""Compiled walk of an L1-SVM's solution while one of its samples goes; see leave_one_out.py.

    min 1/2 b'Kb - y'b   s.t.   sum b = 0,  low <= b <= high,   scores s = y - K b

The free set F has equal scores, the bias. P is the inverse of [[0, 1'], [1, K_FF]]: that of the
machine, plus sign * v v' for every sample that has joined or left since. Position 0 is the bias.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

CORRECT, ERROR, FAILED, UNKNOWN = 0, 1, 2, 3

# A left-out margin up to this is zero: an error.
ZERO_MARGIN = 1e-7

# A variable nearer to a bound than this share of its range lies on it.
AT_BOUND = 1e-10

# Pieces of a path before it is given up; violation of a solution, and share of its range that a
# variable is off it by, left as rounding.
_MOST_PIECES, _VIOLATION, _OUTSIDE = 80, 1e-9, 1e-6

_FAST = {"nsz", "reassoc", "contract"}
_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": _FAST, "nogil": True}


class Machine(NamedTuple):
    """Gram matrix, labels, box, solution and scores."""

    K: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    beta: np.ndarray
    scores: np.ndarray


class _FreeSet(NamedTuple):
    """F and P: the sample at every position, -1 where it has left; ``count`` holds the positions
    in use, the changes of P, and |F|."""

    inverse: np.ndarray
    changes: np.ndarray
    signs: np.ndarray
    samples: np.ndarray
    count: np.ndarray


@njit(**_OPTIONS)
def _times(F, x, v):
    """v = P x."""
    used, base = F.count[0], F.inverse.shape[0]
    v[:used] = 0.0
    for a in range(base):
        if x[a] != 0.0:
            row = F.inverse[a]
            for b in range(base):
                v[b] += x[a] * row[b]
    for k in range(F.count[1]):
        change, share = F.changes[k], 0.0
        for a in range(used):
            share += change[a] * x[a]
        share *= F.signs[k]
        for a in range(used):
            v[a] += share * change[a]


@njit(**_OPTIONS)
def _answer(K, F, j, w):
    """How bias and F answer when b_j rises by one; return j's squared distance from their span."""
    used = F.count[0]
    column, distance = np.zeros(used), K[j, j]
    column[0] = 1.0
    for a in range(1, used):
        if F.samples[a] >= 0:
            column[a] = K[j, F.samples[a]]
    _times(F, column, w)
    for a in range(used):
        distance -= w[a] * column[a]
        w[a] = -w[a] if a == 0 or F.samples[a] >= 0 else 0.0
    return distance


@njit(**_OPTIONS)
def _change(F, v, pivot, members):
    """P += members v v' / pivot, as |F| changes by that; NaN where rounding has spoilt P."""
    k, used = F.count[1], F.count[0]
    F.changes[k] = 0.0
    F.changes[k, :used] = v[:used]
    F.signs[k] = members / pivot if pivot > 0.0 else np.nan
    F.count[1] += 1
    F.count[2] += members


@njit(**_OPTIONS)
def _join(K, F, j, v):
    """Put sample j into F."""
    distance = _answer(K, F, j, v)
    last = F.count[0]
    v[last], F.samples[last] = 1.0, j
    F.count[0] += 1
    _change(F, v, distance, 1)


@njit(**_OPTIONS)
def _leave(M, F, position, sense, v):
    """Take a member from F; the last makes room for the one that can make up as well."""
    if F.count[2] == 1:
        _bias, i, j, _violation = bias_of(M)
        _join(M.K, F, i if sense < 0.0 else j, v)
    unit = np.zeros(F.count[0])
    unit[position] = 1.0
    _times(F, unit, v)
    F.samples[position] = -1
    _change(F, v, v[position], -1)


@njit(**_OPTIONS)
def bias_of(M):
    """Bias, then where the largest score that may rise and the least that may fall are, and by how
    much they violate optimality."""
    top, bottom, i, j, total, count = -np.inf, np.inf, -1, -1, 0.0, 0
    for k in range(M.y.shape[0]):
        near = AT_BOUND * (M.high[k] - M.low[k])
        rises, falls = M.beta[k] < M.high[k] - near, M.beta[k] > M.low[k] + near
        if rises and falls:
            total += M.scores[k]
            count += 1
        if rises and M.scores[k] > top:
            top, i = M.scores[k], k
        if falls and M.scores[k] < bottom:
            bottom, j = M.scores[k], k
    bias = 0.5 * (top + bottom)
    if count > 0:
        bias = total / count
    elif i < 0 or j < 0:
        bias = bottom if j >= 0 else (top if i >= 0 else 0.0)
    return bias, i, j, top - bottom


@njit(**_OPTIONS)
def _balance(M, F, w):
    """Make scores of F equal and the sum of b zero; return the bias, or NaN, as out of the box."""
    slack = _VIOLATION + 1e-14 * np.abs(M.beta * np.diag(M.K)).sum()
    for _attempt in range(4):
        rest, error, is_inside = np.zeros(F.count[0]), 0.0, True
        rest[0], most = -M.beta.sum(), AT_BOUND * np.abs(M.beta).sum()
        members = F.samples[: F.count[0]]
        bias = M.scores[members[members >= 0]].mean()
        for a in range(1, F.count[0]):
            c = members[a]
            if c >= 0:
                rest[a], near = M.scores[c] - bias, _OUTSIDE * (M.high[c] - M.low[c])
                error = max(error, abs(rest[a]))
                is_inside &= M.low[c] - near <= M.beta[c] <= M.high[c] + near
        if is_inside and error <= slack and abs(rest[0]) <= most:
            return bias
        _times(F, rest, w)
        for a in range(1, F.count[0]):
            if members[a] >= 0:
                M.beta[members[a]] += w[a]
                M.scores[:] -= w[a] * M.K[members[a]]
    return np.nan


@njit(**_OPTIONS)
def _follow(M, F, out, to_the_end, w, v):
    """Follow the solution while b_out goes to 0; return the verdict and the changes of F."""
    K, y, low, high, beta, scores = M
    sense, n, near = -1.0 if beta[out] > 0.0 else 1.0, y.shape[0], AT_BOUND * abs(beta[out])
    for a in range(1, F.count[0]):
        if F.samples[a] == out:
            _leave(M, F, a, sense, v)
    for piece in range(_MOST_PIECES):
        bias, slope, rest = _balance(M, F, v), _answer(K, F, out, w), abs(beta[out])
        if np.isnan(bias) or not slope < np.inf:
            return FAILED, piece
        if rest == 0.0:
            return UNKNOWN, piece
        rates, waits = -K[out], np.ones(n, dtype=np.bool_)
        waits[out] = False
        # How far can F make up before a member meets a bound?
        length, first, joins = np.inf, -1, -1
        for a in range(1, F.count[0]):
            c, speed = F.samples[a], sense * w[a]
            if c >= 0:
                waits[c] = False
                row = K[c]
                for k in range(n):
                    rates[k] -= w[a] * row[k]
                room = ((high[c] if speed > 0.0 else low[c]) - beta[c]) / speed
                if room < length:
                    length, first = max(room, 0.0), a
        margin = y[out] * (y[out] - scores[out] + bias)
        if not to_the_end and margin <= 0.0:
            return ERROR, piece
        way = min(length, margin / slope)
        gain = way * (margin - 0.5 * way * slope) - rest * margin
        if not to_the_end and way > rest + near and gain > ZERO_MARGIN * (way - rest):
            return CORRECT, piece
        # Whose score meets the bias before that?
        for k in range(n):
            closing = sense * (rates[k] - w[0])
            if waits[k] and (beta[k] < high[k] if closing > 0.0 else beta[k] > low[k]):
                meets = max((bias - scores[k]) / closing, 0.0)
                if meets < length:
                    length, joins = meets, k
        # On the way out and at a bound at once, b_out is out, and the bias has not jumped.
        is_last = length >= rest - near
        length = rest if is_last else length
        for a in range(1, F.count[0]):
            if F.samples[a] >= 0:
                beta[F.samples[a]] += sense * length * w[a]
        for k in range(n):
            scores[k] += sense * length * rates[k]
        beta[out] = 0.0 if is_last else beta[out] + sense * length
        if is_last:
            continue
        if joins >= 0:
            _join(K, F, joins, v)
        else:
            c = F.samples[first]
            beta[c] = high[c] if sense * w[first] > 0.0 else low[c]
            _leave(M, F, first, sense, v)
    return FAILED, piece


@njit(**_OPTIONS)
def leave_out(whole, members, inverse, to_the_end, verdicts, values):
    """Leave every sample out of one machine; return the number of walks and of changes of F."""
    K, y, low, high, beta, scores = whole
    m, most = inverse.shape[0], 2 * _MOST_PIECES + 2
    v, w, signs = np.empty(m + most), np.empty(m + most), np.empty(most)
    samples, changes = np.empty(m + most, dtype=np.int64), np.empty((most, m + most))
    n_walks, n_changes = 0, 0
    for i in range(y.shape[0]):
        M = Machine(K, y, low, high, beta.copy(), scores.copy())
        bounds = low[i], high[i]
        low[i], high[i] = 0.0, 0.0
        verdict, values[i] = UNKNOWN, np.nan
        if beta[i] != 0.0:
            samples[0], samples[1:m] = -1, members
            F = _FreeSet(inverse, changes, signs, samples, np.array([m, 0, m - 1]))
            verdict, count = _follow(M, F, i, to_the_end, w, v)
            n_walks, n_changes = n_walks + 1, n_changes + count
        if verdict == UNKNOWN:
            bias, _i, _j, violation = bias_of(M)
            values[i] = y[i] - M.scores[i] + bias
            verdict = CORRECT if y[i] * values[i] > ZERO_MARGIN else ERROR
            if not violation <= 10.0 * _VIOLATION + 1e-13 * np.abs(M.beta * np.diag(K)).sum():
                verdict = FAILED
        verdicts[i] = verdict
        low[i], high[i] = bounds
    return n_walks, n_changes
