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

# Changes of F before a path or a proof is given up; violation of a solution, and share of its range
# that a variable is off it by, left as rounding.
_MOST_CHANGES, _MOST_FIXED, _VIOLATION, _OUTSIDE = 100, 15, 1e-9, 1e-6

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
    """F and P. ``count`` holds the positions of the machine, those in use, changes, and |F|."""

    inverse: np.ndarray
    changes: np.ndarray
    signs: np.ndarray
    samples: np.ndarray
    is_in: np.ndarray
    count: np.ndarray


@njit(**_OPTIONS)
def _change(F, v, pivot):
    """P += v v' / pivot."""
    k = F.count[2]
    F.changes[k] = 0.0
    F.changes[k, : F.count[1]] = v[: F.count[1]]
    F.signs[k] = 1.0 / pivot
    F.count[2] = k + 1


@njit(**_OPTIONS)
def _row(F, position, v):
    """A row of P."""
    base, used = F.count[0], F.count[1]
    v[:used] = 0.0
    if position < base:
        v[:base] = F.inverse[position, :base]
    for k in range(F.count[2]):
        change = F.changes[k]
        factor = F.signs[k] * change[position]
        for a in range(used):
            v[a] += factor * change[a]


@njit(**_OPTIONS)
def _times(F, x, v):
    """v = P x."""
    base, used = F.count[0], F.count[1]
    for a in range(base):
        row, value = F.inverse[a], 0.0
        for b in range(base):
            value += row[b] * x[b]
        v[a] = value
    v[base:used] = 0.0
    for k in range(F.count[2]):
        change, value = F.changes[k], 0.0
        for a in range(used):
            value += change[a] * x[a]
        value *= F.signs[k]
        for a in range(used):
            v[a] += value * change[a]


@njit(**_OPTIONS)
def _answer(K, F, j, w):
    """How bias and F answer when b_j rises by one; return j's squared distance from their span."""
    used = F.count[1]
    column = np.zeros(used)
    column[0] = 1.0
    for a in range(1, used):
        if F.is_in[a]:
            column[a] = K[j, F.samples[a]]
    _times(F, column, w)
    distance = K[j, j]
    for a in range(used):
        distance -= w[a] * column[a]
        w[a] = -w[a] if F.is_in[a] else 0.0
    return distance


@njit(**_OPTIONS)
def _leave(F, position, w, v):
    """Take a member from F, and from the answer w; return what the squared distance gains."""
    F.is_in[position] = False
    F.count[3] -= 1
    if F.count[3] == 0:
        return 0.0
    _row(F, position, v)
    pivot, share = v[position], w[position] / v[position]
    gain = share * w[position]
    for a in range(F.count[1]):
        w[a] = w[a] - share * v[a] if F.is_in[a] else 0.0
    _change(F, v, -pivot)
    return gain if pivot > 0.0 else np.inf


@njit(**_OPTIONS)
def _join(K, F, j, v):
    """Put sample j into F; return whether it is off its span."""
    if F.count[3] == 0:
        F.count[0], F.count[1], F.count[2] = 0, 2, 0
        distance, v[0], v[1] = 1.0, 1.0, 1.0
        _change(F, v, 2.0)
        v[1] = -1.0
        _change(F, v, -2.0)
        v[1] = 0.0
        _change(F, v, -1.0 / K[j, j])
    else:
        distance = _answer(K, F, j, v)
        v[F.count[1]] = 1.0
        F.count[1] += 1
        _change(F, v, distance)
    F.samples[F.count[1] - 1] = j
    F.is_in[F.count[1] - 1] = True
    F.count[3] += 1
    return distance > 0.0


@njit(**_OPTIONS)
def _room(M, F, w, moved, sense):
    """How far b_F + moved can go along sense * w, and the position that ends it."""
    length, first = np.inf, -1
    for a in range(1, F.count[1]):
        if w[a] != 0.0:
            c, speed = F.samples[a], sense * w[a]
            bound = M.high[c] if speed > 0.0 else M.low[c]
            room = (bound - M.beta[c] - moved[a]) / speed
            if room < length:
                length, first = max(room, 0.0), a
    return length, first


@njit(**_OPTIONS)
def _balance(M, F, w):
    """Make scores of F equal and the sum of b zero; return the bias, or NaN, as out of the box."""
    size, total = 0.0, 0.0
    for k in range(M.y.shape[0]):
        size += abs(M.beta[k]) * M.K[k, k]
        total += abs(M.beta[k])
    slack = _VIOLATION + 1e-14 * size
    rest = np.zeros(F.count[1])
    for _attempt in range(4):
        bias = 0.0
        for a in range(1, F.count[1]):
            bias += M.scores[F.samples[a]] if F.is_in[a] else 0.0
        bias /= F.count[3]
        error, is_inside = 0.0, True
        for a in range(1, F.count[1]):
            c = F.samples[a]
            rest[a] = M.scores[c] - bias if F.is_in[a] else 0.0
            error, near = max(error, abs(rest[a])), _OUTSIDE * (M.high[c] - M.low[c])
            is_inside &= M.low[c] - near <= M.beta[c] <= M.high[c] + near
        rest[0] = -M.beta.sum()
        if is_inside and error <= slack and abs(rest[0]) <= AT_BOUND * total:
            return bias
        _times(F, rest, w)
        for a in range(1, F.count[1]):
            if F.is_in[a]:
                c, row = F.samples[a], M.K[F.samples[a]]
                M.beta[c] += w[a]
                for k in range(M.y.shape[0]):
                    M.scores[k] -= w[a] * row[k]
    return np.nan


@njit(**_OPTIONS)
def bias_of(M, out):
    """Bias without ``out``, then where the largest score that may rise and the least that may fall
    are, and by how much they violate optimality."""
    top, bottom, i, j, total, count = -np.inf, np.inf, -1, -1, 0.0, 0
    for k in range(M.y.shape[0]):
        near = AT_BOUND * (M.high[k] - M.low[k])
        rises, falls = M.beta[k] < M.high[k] - near, M.beta[k] > M.low[k] + near
        if k != out:
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
def _proves(M, F, w, slope, margin, rest, sense, v):
    """Whether a walk with F alone proves the left-out margin positive."""
    if margin <= max(ZERO_MARGIN, 2.0 * rest * slope):
        return False
    n_changes, n_free, speed = F.count[2], F.count[3], w[: F.count[1]].copy()
    moved, was_in = np.zeros(F.count[1]), F.is_in[: F.count[1]].copy()
    gone, gained, target, proven = 0.0, 0.0, margin * rest * (1.0 + 1e-9), False
    for _fixed in range(_MOST_FIXED):
        slope = max(slope, 1e-100)
        length, first = _room(M, F, speed, moved, sense)
        is_zero = length * slope >= margin
        length = margin / slope if is_zero else length
        gained += length * (margin - 0.5 * length * slope)
        gone += length
        margin -= length * slope
        proven = gone > rest and gained > target + ZERO_MARGIN * (gone - rest)
        # The margin falls ever faster: there is no more to gain than at the present slope.
        if proven or is_zero or gained + margin * margin / (2.0 * slope) <= target:
            break
        for a in range(1, F.count[1]):
            moved[a] += length * sense * speed[a]
        slope += _leave(F, first, speed, v)
        if F.count[3] == 0 or not slope < np.inf:
            break
    F.count[2], F.count[3] = n_changes, n_free
    F.is_in[: F.count[1]] = was_in
    return proven


@njit(**_OPTIONS)
def _follow(M, F, out, to_the_end, w, v, rates):
    """Follow the solution while b_out goes to 0; return the verdict and the changes of F."""
    sense = -1.0 if M.beta[out] > 0.0 else 1.0
    w[:] = 0.0
    for a in range(1, F.count[1]):
        if F.samples[a] == out:
            _leave(F, a, w, v)
    slope = _answer(M.K, F, out, w) if F.count[3] > 0 else 0.0
    still, n = np.zeros(w.shape[0]), M.y.shape[0]
    for count in range(_MOST_CHANGES - _MOST_FIXED - 4):
        if F.count[3] == 0:
            # The bias jumps to the end of its interval where one of the others can make up.
            _bias, i, j, _violation = bias_of(M, out)
            joins = i if sense < 0.0 else j
            if joins < 0:
                return FAILED, count
            _join(M.K, F, joins, v)
            slope = _answer(M.K, F, out, w)
        bias = _balance(M, F, v)
        margin = M.y[out] * (M.y[out] - M.scores[out] + bias)
        rest = abs(M.beta[out])
        if not slope < np.inf or np.isnan(bias):
            return FAILED, count
        if not to_the_end and margin <= 0.0:
            return ERROR, count
        if not to_the_end and _proves(M, F, w, slope, margin, rest, sense, v):
            return CORRECT, count
        length, first = _room(M, F, w, still, sense)
        may_join = M.low < M.high
        may_join[out] = False
        for k in range(n):
            rates[k] = -M.K[out, k]
        for a in range(1, F.count[1]):
            if F.is_in[a]:
                may_join[F.samples[a]] = False
                row = M.K[F.samples[a]]
                for k in range(n):
                    rates[k] -= w[a] * row[k]
        # Whose score meets the bias before a member of F meets a bound?
        joins = -1
        for k in range(n):
            closing = sense * (rates[k] - w[0])
            if may_join[k] and (M.beta[k] < M.high[k] if closing > 0.0 else M.beta[k] > M.low[k]):
                meets = max((bias - M.scores[k]) / closing, 0.0)
                if meets < length:
                    length, joins = meets, k
        is_last = length >= rest - AT_BOUND * (M.high[out] - M.low[out])
        length = rest if is_last else length
        for a in range(1, F.count[1]):
            M.beta[F.samples[a]] += sense * length * w[a]
        for k in range(n):
            M.scores[k] += sense * length * rates[k]
        M.beta[out] = 0.0 if is_last else M.beta[out] + sense * length
        if is_last:
            return (FAILED if np.isnan(_balance(M, F, v)) else UNKNOWN), count
        if joins >= 0:
            slope = _answer(M.K, F, out, w) if _join(M.K, F, joins, v) else np.inf
        else:
            c = F.samples[first]
            M.beta[c] = M.high[c] if sense * w[first] > 0.0 else M.low[c]
            slope += _leave(F, first, w, v)
    return FAILED, count


@njit(**_OPTIONS)
def leave_out(whole, members, inverse, to_the_end, verdicts, values):
    """Leave every sample out of one machine; return the number of walks and of changes of F."""
    K, y, low, high, beta, scores = whole
    m, size = members.shape[0], members.shape[0] + _MOST_CHANGES + 2
    v, w, rates = np.empty(size), np.empty(size), np.empty(y.shape[0])
    changes, signs = np.empty((_MOST_CHANGES, size)), np.empty(_MOST_CHANGES)
    samples, is_in = np.full(size, -1), np.empty(size, dtype=np.bool_)
    F = _FreeSet(inverse, changes, signs, samples, is_in, np.empty(4, dtype=np.int64))
    bias = bias_of(whole, -1)[0]
    n_walks, n_changes = 0, 0
    for i in range(y.shape[0]):
        value = y[i] - scores[i] + bias
        if beta[i] == 0.0:
            if m == 0:
                value = y[i] - scores[i] + bias_of(whole, i)[0]
            verdict = UNKNOWN
        elif y[i] * value <= 0.0 and not to_the_end:
            verdict, value = ERROR, np.nan
        else:
            M = Machine(K, y, low, high, beta.copy(), scores.copy())
            F.samples[1 : m + 1] = members
            F.is_in[: m + 1] = True
            F.count[0], F.count[1], F.count[2], F.count[3] = m + 1, m + 1, 0, m
            verdict, count = _follow(M, F, i, to_the_end, w, v, rates)
            n_walks, n_changes, value = n_walks + 1, n_changes + count, np.nan
            if verdict == UNKNOWN:
                rest, _i, _j, violation = bias_of(M, i)
                value = y[i] - M.scores[i] + rest
                if violation > 10.0 * _VIOLATION + 1e-13 * np.abs(M.beta * np.diag(K)).sum():
                    verdict = FAILED
        if verdict == UNKNOWN:
            verdict = CORRECT if y[i] * value > ZERO_MARGIN else ERROR
        verdicts[i], values[i] = verdict, value
    return n_walks, n_changes
