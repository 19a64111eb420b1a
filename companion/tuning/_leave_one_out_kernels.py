"""Compiled path following for leave-one-out; told in :mod:`companion.tuning.leave_one_out`.

All work is done in beta_i = y_i alpha_i with scores s = y - K beta, as in the solvers:

    min 1/2 b'Kb - y'b   s.t.   sum b = 0,  low <= b <= high.

The free set F (``free``, its m first entries) has equal scores, the bias. Its answers to a change
elsewhere are products with the inverse R of the bordered matrix [[0, 1'], [1, K_FF]], kept by
rank-one updates. F stays affinely independent: a point in the affine span of the others is
exchanged for one of them. What rounding in R leaves is removed by Newton steps on the scores.

Ties (equal points, points on a lattice) would make the path go in circles. The labels in the linear
term are therefore taken a little apart, by less than _APART, as in any perturbation against
degeneracy: s = y + apart - K beta. Decision values change in this order.

The whole call tree is in this file: a cached numba caller is not recompiled when a callee in
another file changes.
"""

import numpy as np
from numba import njit

_OPTIONS = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "reassoc", "contract"},
    "nogil": True,
}

CORRECT, ERROR, FAILED, UNKNOWN = 0, 1, 2, 3

_APART = 1e-8

# Squared distance from the affine span of the free points, relative to the
# largest K_jj among them, that counts as zero.
_DEPENDENT = 1e-12

# Entries of R up to this, in units of 1 / K_jj, are trusted to the digits that matter.
_WELL_CONDITIONED = 1e5

# A variable nearer to a bound than this share of its range lies on it.
_AT_BOUND = 1e-10

# Speeds below this share of the largest are rounding.
_STILL = 1e-10

# Largest violation of the optimality conditions left in a solution, beside rounding.
_VIOLATION = 1e-9

# A left-out margin up to this is zero: an error.
ZERO_MARGIN = 1e-7


@njit(**_OPTIONS)
def _remove(free, m, R, position, work):
    """Take the member at a position out of the free set; return the new size, or -1 as above."""
    last = m - 1
    if last > 0:
        p = position + 1
        pivot = R[p, p]
        if not pivot > 0.0:
            return -1
        for a in range(m + 1):
            work[a] = R[p, a]
        for a in range(m + 1):
            target, factor = R[a], work[a] / pivot
            for b in range(m + 1):
                target[b] -= factor * work[b]
        if p != m:
            for a in range(m + 1):
                R[p, a] = R[m, a]
            for a in range(m + 1):
                R[a, p] = R[a, m]
            R[p, p] = R[m, m]
    free[position] = free[last]
    return last


@njit(**_OPTIONS)
def _interval(scores, beta, low, high, out):
    """Largest score that may rise and least that may fall without sample ``out``, and where."""
    top, bottom, i, j = -np.inf, np.inf, -1, -1
    for k in range(scores.shape[0]):
        if k != out:
            if beta[k] < high[k] and scores[k] > top:
                top, i = scores[k], k
            if beta[k] > low[k] and scores[k] < bottom:
                bottom, j = scores[k], k
    return top, bottom, i, j


@njit(**_OPTIONS)
def _mean_score(scores, free, m):
    total = 0.0
    for a in range(m):
        total += scores[free[a]]
    return total / m


@njit(**_OPTIONS)
def _middle(scores, beta, low, high, free, m, out):
    """The bias: mean score of the free variables, else the middle of the interval."""
    if m > 0:
        return _mean_score(scores, free, m)
    top, bottom, i, j = _interval(scores, beta, low, high, out)
    if i < 0 or j < 0:
        return bottom if j >= 0 else (top if i >= 0 else 0.0)
    return 0.5 * (top + bottom)


@njit(**_OPTIONS)
def _move(K, scores, beta, free, m, step, length):
    """beta_F += length * step, and the scores of all with it."""
    n = scores.shape[0]
    for a in range(m):
        change = length * step[a]
        if change != 0.0:
            beta[free[a]] += change
            row = K[free[a]]
            for k in range(n):
                scores[k] -= change * row[k]


@njit(**_OPTIONS)
def _room(beta, low, high, free, m, step, sense):
    """How far beta_F can go along sense * step, and the position of the variable that ends it.

    Speeds that are rounding errors beside the largest one end nothing.
    """
    length, first, least = np.inf, -1, 0.0
    for a in range(m):
        least = max(least, abs(step[a]))
    least *= _STILL
    for a in range(m):
        c, speed = free[a], sense * step[a]
        if speed > least:
            room = (high[c] - beta[c]) / speed
        elif speed < -least:
            room = (low[c] - beta[c]) / speed
        else:
            continue
        if room < length:
            length, first = max(room, 0.0), a
    return length, first


@njit(**_OPTIONS)
def _hit(beta, low, high, c, rises):
    beta[c] = high[c] if rises else low[c]


@njit(**_OPTIONS)
def _weights(K, free, m, R, j, work):
    """How F answers when sample j moves by one; return the squared distance of j from its span.

    work[0] is the change of the bias and work[1:m+1] that of beta_F. Where R is not trustworthy, or
    the distance small, one step of iterative refinement makes them accurate, and the distance is
    computed as the quadratic form that it is.
    """
    row = K[j]
    largest = 0.0
    for a in range(m + 1):
        source = R[a]
        value = source[0]
        for b in range(m):
            value += source[b + 1] * row[free[b]]
        work[a] = -value
        largest = max(largest, source[a])
    distance = row[j] + work[0]
    for a in range(m):
        distance += work[a + 1] * row[free[a]]
    if largest * row[j] < _WELL_CONDITIONED and distance * _WELL_CONDITIONED > row[j]:
        return distance
    rest = np.empty(m + 1)
    rest[0] = -1.0
    for a in range(m):
        rest[0] -= work[a + 1]
        source = K[free[a]]
        value = row[free[a]] + work[0]
        for b in range(m):
            value += source[free[b]] * work[b + 1]
        rest[a + 1] = -value
    for a in range(m + 1):
        source = R[a]
        value = 0.0
        for b in range(m + 1):
            value += source[b] * rest[b]
        work[a] += value
    distance = row[j]
    for a in range(m):
        source = K[free[a]]
        value = 2.0 * row[free[a]]
        for b in range(m):
            value += source[free[b]] * work[b + 1]
        distance += value * work[a + 1]
    return max(distance, 0.0)


@njit(**_OPTIONS)
def _border(K, free, m, R, j, pivot, work):
    """R for the free set with j, given what ``_weights`` found."""
    for a in range(m + 1):
        target, factor = R[a], work[a] / pivot
        for b in range(m + 1):
            target[b] += factor * work[b]
        target[m + 1] = factor
        R[m + 1, a] = factor
    R[m + 1, m + 1] = 1.0 / pivot
    free[m] = j
    return m + 1


@njit(**_OPTIONS)
def _start(K, free, R, j):
    """The free set of j alone."""
    R[0, 0], R[0, 1], R[1, 0], R[1, 1] = -K[j, j], 1.0, 1.0, 0.0
    free[0] = j
    return 1


@njit(**_OPTIONS)
def _enter(K, low, high, beta, scores, free, m, R, j, work):
    """Put j into the free set; return the new size, or -1 if rounding forbids.

    If j lies in the affine span of the free points, nothing but bounds limits an exchange: j goes
    inward and the others make up until one of them, or j, arrives at a bound.
    """
    if m == 0:
        return _start(K, free, R, j)
    pivot = _weights(K, free, m, R, j, work)
    least = K[j, j]
    for a in range(m):
        least = max(least, K[free[a], free[a]])
    least *= _DEPENDENT
    if pivot > least:
        return _border(K, free, m, R, j, pivot, work)
    sense = 1.0 if beta[j] <= low[j] else -1.0
    own = high[j] - beta[j] if sense > 0.0 else beta[j] - low[j]
    step = work[1 : m + 1].copy()
    length, first = _room(beta, low, high, free, m, step, sense)
    row = K[j]
    change = sense * min(length, own)
    _move(K, scores, beta, free, m, step, change)
    for k in range(scores.shape[0]):
        scores[k] -= change * row[k]
    if own <= length:
        _hit(beta, low, high, j, sense > 0.0)
        return m
    beta[j] += change
    _hit(beta, low, high, free[first], sense * step[first] > 0.0)
    m = _remove(free, m, R, first, work)
    if m <= 0:
        return _start(K, free, R, j) if m == 0 else -1
    pivot = _weights(K, free, m, R, j, work)
    return _border(K, free, m, R, j, pivot, work) if pivot > least else -1


@njit(**_OPTIONS)
def _slack(K, beta):
    """The violation that counts as none: beyond it lies the rounding of K beta."""
    size = 0.0
    for k in range(beta.shape[0]):
        size += abs(beta[k]) * K[k, k]
    return _VIOLATION + 1e-14 * size


@njit(**_OPTIONS)
def _newton(beta, scores, free, m, R, step):
    """The step over F that makes its scores equal and the sum of beta zero; return the error."""
    total, size = 0.0, 0.0
    for k in range(beta.shape[0]):
        total += beta[k]
        size += abs(beta[k])
    error = 0.0 if abs(total) <= _AT_BOUND * size else np.inf
    centre = _mean_score(scores, free, m)
    for a in range(m):
        error = max(error, abs(scores[free[a]] - centre))
    for a in range(m):
        row = R[a + 1]
        value = -total * row[0]
        for b in range(m):
            value += row[b + 1] * (scores[free[b]] - centre)
        step[a] = value
    return error


@njit(**_OPTIONS)
def _rebuild(K, low, high, beta, scores, free, R, out, work):
    """R and F anew from beta; return the size of F, -1 for a failure."""
    m = 0
    for c in range(beta.shape[0]):
        if low[c] < beta[c] < high[c] and c != out:
            m = _enter(K, low, high, beta, scores, free, m, R, c, work)
            if m < 0:
                return -1
    return m


@njit(**_OPTIONS)
def _optimise(K, low, high, beta, scores, free, m, R, out, step, work):
    """Minimise by an active set from a beta close to the solution; return m, -1 for a failure.

    Newton steps over F, cut at the first bound; at the minimum over F the variable whose score is
    most on the wrong side of the bias joins F. Sample ``out`` stays where it is.
    """
    n = beta.shape[0]
    n_newton = 0
    for _ in range(10 * n + 100):
        slack = _slack(K, beta)
        bias = 0.0
        if m > 0:
            _newton(beta, scores, free, m, R, step)
            length, first = _room(beta, low, high, free, m, step, 1.0)
            _move(K, scores, beta, free, m, step, min(length, 1.0))
            if length <= 1.0:
                c, rises = free[first], step[first] > 0.0
                change = (high[c] if rises else low[c]) - beta[c]
                if change != 0.0:
                    row = K[c]
                    for k in range(n):
                        scores[k] -= change * row[k]
                _hit(beta, low, high, c, rises)
                m = _remove(free, m, R, first, work)
                if m < 0:
                    return -1
                continue
            bias = _mean_score(scores, free, m)
            if _newton(beta, scores, free, m, R, step) > slack:
                n_newton += 1
                if n_newton % 4 == 0:
                    m = _rebuild(K, low, high, beta, scores, free, R, out, work)
                    if m < 0:
                        return -1
                continue
        n_newton = 0
        top, bottom, i, j = _interval(scores, beta, low, high, out)
        if i < 0 or j < 0 or top - bottom <= 2.0 * slack:
            return m
        if m == 0:
            m = _enter(K, low, high, beta, scores, free, m, R, i, work)
            m = _enter(K, low, high, beta, scores, free, m, R, j, work)
        else:
            joins = i if top - bias > bias - bottom else j
            m = _enter(K, low, high, beta, scores, free, m, R, joins, work)
        if m < 0:
            return -1
    return -1


@njit(**_OPTIONS)
def _restore(K, beta, scores, free, m, R, slack, step):
    """Newton steps should the scores of F have drifted apart; return whether they are equal."""
    for _ in range(3):
        if _newton(beta, scores, free, m, R, step) <= slack:
            return True
        _move(K, scores, beta, free, m, step, 1.0)
    return _newton(beta, scores, free, m, R, step) <= slack


@njit(**_OPTIONS)
def _refit(K, linear, low, high, beta, scores, free, R, out, step, work):
    """Minimise without sample ``out`` from where its path was lost; return m, -1 for a failure."""
    n = beta.shape[0]
    beta[out] = 0.0
    total, weight = 0.0, 0.0
    for k in range(n):
        beta[k] = min(max(beta[k], low[k]), high[k])
        total += beta[k]
    for k in range(n):
        weight += beta[k] if beta[k] * total > 0.0 else 0.0
    for k in range(n):
        if beta[k] * total > 0.0:
            beta[k] -= total * beta[k] / weight
    _score(K, linear, beta, scores)
    m = _rebuild(K, low, high, beta, scores, free, R, out, work)
    if m < 0:
        return -1
    return _optimise(K, low, high, beta, scores, free, m, R, out, step, work)


@njit(**_OPTIONS)
def _score(K, linear, beta, scores):
    """scores = linear - K beta."""
    n = beta.shape[0]
    for k in range(n):
        scores[k] = linear[k]
    for c in range(n):
        if beta[c] != 0.0:
            row = K[c]
            for k in range(n):
                scores[k] -= beta[c] * row[k]


@njit(**_OPTIONS)
def _follow(K, sign, linear, low, high, beta, scores, free, m, R, out, to_the_end,
            step, work, rates, is_free):
    """Follow the solution while beta_out goes to 0; return (verdict, m, breakpoints).

    The verdict is UNKNOWN at the end of the path, where the value will tell.
    """
    n = beta.shape[0]
    sense = -1.0 if beta[out] > 0.0 else 1.0
    slack = _slack(K, beta)
    for a in range(m):
        if free[a] == out:
            m = _remove(free, m, R, a, work)
            break
    for count in range(2 * n + 50):
        if m == 0:
            # The bias jumps to the end of its interval where one of the others can make up.
            top, bottom, i, j = _interval(scores, beta, low, high, out)
            joins = i if sense < 0.0 else j
            if joins < 0:
                return FAILED, m, count
            m = _enter(K, low, high, beta, scores, free, m, R, joins, work)
        if m < 0 or not _restore(K, beta, scores, free, m, R, slack, step):
            return FAILED, m, count
        bias = _mean_score(scores, free, m)
        margin = sign * (linear - scores[out] + bias)
        if margin <= 0.0 and not to_the_end:
            return ERROR, m, count
        slope = _weights(K, free, m, R, out, work)
        bias_rate = work[0]
        for a in range(m):
            step[a] = work[a + 1]
        rest = abs(beta[out])
        length, first = _room(beta, low, high, free, m, step, sense)
        if not to_the_end and length > rest:
            # No left-out margin is less than that of a quadratic beyond zero (see the bound).
            beyond = min(length, 2.0 * rest)
            if margin - 0.5 * beyond * beyond * slope / (beyond - rest) > ZERO_MARGIN:
                return CORRECT, m, count
        # Whose score meets the bias before?
        for k in range(n):
            rates[k] = -K[out, k]
            is_free[k] = False
        for a in range(m):
            is_free[free[a]] = True
            row, factor = K[free[a]], step[a]
            for k in range(n):
                rates[k] -= factor * row[k]
        joins = -1
        for k in range(n):
            if not is_free[k] and k != out:
                closing = sense * (rates[k] - bias_rate)
                if (closing > 0.0 and beta[k] < high[k]) or (closing < 0.0 and beta[k] > low[k]):
                    meets = max((bias - scores[k]) / closing, 0.0)
                    if meets < length:
                        length, joins, first = meets, k, -1
        # A rest that is rounding would let F run empty just before the end.
        is_last = length >= rest - _AT_BOUND * (high[out] - low[out])
        if is_last:
            length = rest
        for a in range(m):
            beta[free[a]] += sense * length * step[a]
        for k in range(n):
            scores[k] += sense * length * rates[k]
        beta[out] = 0.0 if is_last else beta[out] + sense * length
        if is_last:
            return UNKNOWN, m, count
        if joins >= 0:
            m = _enter(K, low, high, beta, scores, free, m, R, joins, work)
        else:
            _hit(beta, low, high, free[first], sense * step[first] > 0.0)
            m = _remove(free, m, R, first, work)
    return FAILED, m, 2 * n + 50


@njit(**_OPTIONS)
def _leave_out(K, sign, linear, low, high, beta, scores, free, m, R, out, to_the_end,
               step, work, rates, is_free):
    """Leave out one sample with beta_out not 0; return (verdict, value, breakpoints).

    ``value`` is the left-out decision value, NaN where the sign was settled before the end.
    """
    verdict, m, count = _follow(
        K, sign, linear[out], low, high, beta, scores, free, m, R, out, to_the_end,
        step, work, rates, is_free,
    )
    if verdict == CORRECT or verdict == ERROR:
        return verdict, np.nan, count
    if verdict == UNKNOWN:
        m = _settle_on_bounds(low, high, beta, free, m, R, work)
        top, bottom, i, j = _interval(scores, beta, low, high, out)
        if m < 0 or top - bottom > 10.0 * _slack(K, beta):
            verdict = FAILED
    if verdict == FAILED:
        m = _refit(K, linear, low, high, beta, scores, free, R, out, step, work)
        if m >= 0:
            m = _settle_on_bounds(low, high, beta, free, m, R, work)
        if m < 0:
            return FAILED, np.nan, count
    value = linear[out] - scores[out] + _middle(scores, beta, low, high, free, m, out)
    return (CORRECT if sign * value > ZERO_MARGIN else ERROR), value, count


@njit(**_OPTIONS)
def _settle_on_bounds(low, high, beta, free, m, R, work):
    """Free variables that reached a bound up to rounding are put on it and leave F."""
    a = 0
    while a < m:
        c = free[a]
        near = _AT_BOUND * (high[c] - low[c])
        if beta[c] - low[c] <= near or high[c] - beta[c] <= near:
            _hit(beta, low, high, c, beta[c] - low[c] > near)
            m = _remove(free, m, R, a, work)
            if m < 0:
                return -1
        else:
            a += 1
    return m


@njit(**_OPTIONS)
def _begin(K, y, linear, upper, alpha, low, high, beta, scores, free, R, work):
    """Box, beta, scores computed afresh and the free set; return its size, -1 for a failure."""
    n = y.shape[0]
    for k in range(n):
        low[k] = 0.0 if y[k] > 0.0 else -upper[k]
        high[k] = upper[k] if y[k] > 0.0 else 0.0
        beta[k] = y[k] * min(max(alpha[k], 0.0), upper[k])
        near = _AT_BOUND * (high[k] - low[k])
        if beta[k] - low[k] <= near or high[k] - beta[k] <= near:
            _hit(beta, low, high, k, beta[k] - low[k] > near)
    _score(K, linear, beta, scores)
    return _rebuild(K, low, high, beta, scores, free, R, -1, work)


@njit(**_OPTIONS)
def leave_one_out_path(K, y, upper, alpha, to_the_end, verdicts, values, counts):
    """Leave every point out of every machine of a path: rows of ``upper`` and ``alpha``.

    verdicts, values (n_machines, n): as of ``_leave_out``. counts (n_machines, 2): followed
    points, breakpoints. A machine whose solution could not be made exact has FAILED throughout.
    """
    n = y.shape[0]
    linear = np.empty(n)
    for k in range(n):
        linear[k] = y[k] + _APART * ((0.6180339887498949 * (k + 1)) % 1.0)
    low, high, beta, scores, step, rates = np.empty((6, n))
    beta_i, scores_i = np.empty((2, n))
    work = np.empty(n + 1)
    free, free_i = np.empty((2, n), dtype=np.int64)
    is_free = np.empty(n, dtype=np.bool_)
    R, R_i = np.empty((n + 1, n + 1)), np.empty((n + 1, n + 1))
    for c in range(upper.shape[0]):
        m = _begin(K, y, linear, upper[c], alpha[c], low, high, beta, scores, free, R, work)
        if m >= 0:
            m = _optimise(K, low, high, beta, scores, free, m, R, -1, step, work)
        if m >= 0:
            m = _settle_on_bounds(low, high, beta, free, m, R, work)
        if m < 0:
            verdicts[c] = FAILED
            continue
        bias = _middle(scores, beta, low, high, free, m, -1)
        for i in range(n):
            value = linear[i] - scores[i] + bias
            if beta[i] == 0.0 and m == 0:
                value = linear[i] - scores[i] + _middle(scores, beta, low, high, free, m, i)
            if beta[i] == 0.0 or (y[i] * value <= 0.0 and not to_the_end):
                verdicts[c, i] = CORRECT if y[i] * value > ZERO_MARGIN else ERROR
                values[c, i] = value if beta[i] == 0.0 else np.nan
                continue
            beta_i[:] = beta
            scores_i[:] = scores
            for a in range(m):
                free_i[a] = free[a]
            for a in range(m + 1):
                source, target = R[a], R_i[a]
                for b in range(m + 1):
                    target[b] = source[b]
            verdict, value, count = _leave_out(
                K, y[i], linear, low, high, beta_i, scores_i, free_i, m, R_i, i, to_the_end,
                step, work, rates, is_free,
            )
            verdicts[c, i] = verdict
            values[c, i] = value
            counts[c, 0] += 1
            counts[c, 1] += count
