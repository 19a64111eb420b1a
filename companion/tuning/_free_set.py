"""Compiled algebra of the free set of an L1-SVM, and its minimisation by an active set.

    min 1/2 b'Kb - linear'b   s.t.   sum b = 0,  low <= b <= high,   scores s = linear - K b

The free set F (``free``, its m first entries) has equal scores, the bias. R is the inverse of the
bordered matrix [[0, 1'], [1, K_FF]], kept by rank-one updates; F stays affinely independent. After
a change here delete the compiled files of :mod:`companion.tuning._leave_one_out_kernels` too.
"""

import numpy as np
from numba import njit

OPTIONS = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "reassoc", "contract"},
    "nogil": True,
}

# Squared distance from the affine span of F, relative to the largest K_jj, that counts as zero.
_DEPENDENT = 1e-12

# Entries of R up to this, in units of 1 / K_jj, are trusted to the digits that matter.
WELL_CONDITIONED = 1e5

# A variable nearer to a bound than this share of its range lies on it.
AT_BOUND = 1e-10

# Speeds below this share of the largest are rounding.
_STILL = 1e-10

# Largest violation of the optimality conditions left in a solution, beside rounding.
_VIOLATION = 1e-9


@njit(**OPTIONS)
def remove(free, m, R, position, work):
    """Take the member at a position out of the free set; its new size, or -1 for a failure."""
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


@njit(**OPTIONS)
def room_along(beta, low, high, free, m, step, sense):
    """How far beta_F can go along sense * step, and the position of the variable that ends it."""
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


@njit(**OPTIONS)
def hit(beta, low, high, c, rises):
    beta[c] = high[c] if rises else low[c]


@njit(**OPTIONS)
def subtract_rows(K, free, m, step, length, target):
    """target -= length * step' K_F, four rows at a time, for `target` is read and written less."""
    n = target.shape[0]
    a = 0
    while a + 4 <= m:
        first, second, third, fourth = K[free[a]], K[free[a + 1]], K[free[a + 2]], K[free[a + 3]]
        one, two = length * step[a], length * step[a + 1]
        three, four = length * step[a + 2], length * step[a + 3]
        for k in range(n):
            target[k] -= one * first[k] + two * second[k] + three * third[k] + four * fourth[k]
        a += 4
    for b in range(a, m):
        row, factor = K[free[b]], length * step[b]
        for k in range(n):
            target[k] -= factor * row[k]


@njit(**OPTIONS)
def _move(K, scores, beta, free, m, step, length):
    """beta_F += length * step, and the scores of all with it."""
    for a in range(m):
        beta[free[a]] += length * step[a]
    subtract_rows(K, free, m, step, length, scores)


@njit(**OPTIONS)
def weights_of(K, free, m, R, j, work):
    """How F answers when sample j moves by one; return the squared distance of j from its span."""
    row = K[j]
    column = np.empty(m + 1)
    column[0] = 1.0
    for a in range(m):
        column[a + 1] = row[free[a]]
    largest, distance = 0.0, row[j]
    for a in range(m + 1):
        source = R[a]
        value = 0.0
        for b in range(m + 1):
            value += source[b] * column[b]
        work[a] = -value
        distance -= value * column[a]
        largest = max(largest, source[a])
    if largest * row[j] < WELL_CONDITIONED and distance * WELL_CONDITIONED > row[j]:
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


@njit(**OPTIONS)
def _start(K, free, R, j):
    R[0, 0], R[0, 1], R[1, 0], R[1, 1] = -K[j, j], 1.0, 1.0, 0.0
    free[0] = j
    return 1


@njit(**OPTIONS)
def _border(free, m, R, j, pivot, work):
    """R for the free set with j, given what ``weights_of`` found."""
    for a in range(m + 1):
        target, factor = R[a], work[a] / pivot
        for b in range(m + 1):
            target[b] += factor * work[b]
        target[m + 1] = factor
        R[m + 1, a] = factor
    R[m + 1, m + 1] = 1.0 / pivot
    free[m] = j
    return m + 1


@njit(**OPTIONS)
def enter(K, low, high, beta, scores, free, m, R, j, work):
    """Put j into the free set; return the new size, or -1 if rounding forbids."""
    if m == 0:
        return _start(K, free, R, j)
    pivot = weights_of(K, free, m, R, j, work)
    least = K[j, j]
    for a in range(m):
        least = max(least, K[free[a], free[a]])
    least *= _DEPENDENT
    if pivot > least:
        return _border(free, m, R, j, pivot, work)
    sense = 1.0 if beta[j] <= low[j] else -1.0
    own = high[j] - beta[j] if sense > 0.0 else beta[j] - low[j]
    step = work[1 : m + 1].copy()
    length, first = room_along(beta, low, high, free, m, step, sense)
    row = K[j]
    change = sense * min(length, own)
    _move(K, scores, beta, free, m, step, change)
    for k in range(scores.shape[0]):
        scores[k] -= change * row[k]
    if own <= length:
        hit(beta, low, high, j, sense > 0.0)
        return m
    beta[j] += change
    hit(beta, low, high, free[first], sense * step[first] > 0.0)
    m = remove(free, m, R, first, work)
    if m <= 0:
        return _start(K, free, R, j) if m == 0 else -1
    pivot = weights_of(K, free, m, R, j, work)
    return _border(free, m, R, j, pivot, work) if pivot > least else -1


@njit(**OPTIONS)
def mean_score(scores, free, m):
    total = 0.0
    for a in range(m):
        total += scores[free[a]]
    return total / m


@njit(**OPTIONS)
def interval(scores, beta, low, high, out):
    """Largest score that may rise and least that may fall without sample ``out``, and where."""
    top, bottom, i, j = -np.inf, np.inf, -1, -1
    for k in range(scores.shape[0]):
        if k != out:
            if beta[k] < high[k] and scores[k] > top:
                top, i = scores[k], k
            if beta[k] > low[k] and scores[k] < bottom:
                bottom, j = scores[k], k
    return top, bottom, i, j


@njit(**OPTIONS)
def slack_of(K, beta):
    """The violation that counts as none: beyond it lies the rounding of K beta."""
    size = 0.0
    for k in range(beta.shape[0]):
        size += abs(beta[k]) * K[k, k]
    return _VIOLATION + 1e-14 * size


@njit(**OPTIONS)
def _newton(beta, scores, free, m, R, slack, step):
    """The step over F that makes its scores equal and the sum of beta zero; return the error."""
    total, size = 0.0, 0.0
    for k in range(beta.shape[0]):
        total += beta[k]
        size += abs(beta[k])
    error = 0.0 if abs(total) <= AT_BOUND * size else np.inf
    centre = mean_score(scores, free, m)
    for a in range(m):
        error = max(error, abs(scores[free[a]] - centre))
    if error <= slack:
        for a in range(m):
            step[a] = 0.0
        return error
    for a in range(m):
        row = R[a + 1]
        value = -total * row[0]
        for b in range(m):
            value += row[b + 1] * (scores[free[b]] - centre)
        step[a] = value
    return error


@njit(**OPTIONS)
def rebuild(K, low, high, beta, scores, free, R, out, work):
    """R and F anew from beta; return the size of F, -1 for a failure."""
    m = 0
    for c in range(beta.shape[0]):
        if low[c] < beta[c] < high[c] and c != out:
            m = enter(K, low, high, beta, scores, free, m, R, c, work)
            if m < 0:
                return -1
    return m


@njit(**OPTIONS)
def score(K, linear, beta, scores):
    n = beta.shape[0]
    for k in range(n):
        scores[k] = linear[k]
    for c in range(n):
        if beta[c] != 0.0:
            row = K[c]
            for k in range(n):
                scores[k] -= beta[c] * row[k]


@njit(**OPTIONS)
def optimise(K, low, high, beta, scores, free, m, R, out, step, work):
    """Minimise by an active set from a beta close to the solution; return m, -1 for a failure."""
    n = beta.shape[0]
    n_newton = 0
    for _ in range(10 * n + 100):
        slack = slack_of(K, beta)
        bias = 0.0
        if m > 0:
            _newton(beta, scores, free, m, R, 0.0, step)
            length, first = room_along(beta, low, high, free, m, step, 1.0)
            _move(K, scores, beta, free, m, step, min(length, 1.0))
            if length <= 1.0:
                c, rises = free[first], step[first] > 0.0
                change = (high[c] if rises else low[c]) - beta[c]
                if change != 0.0:
                    row = K[c]
                    for k in range(n):
                        scores[k] -= change * row[k]
                hit(beta, low, high, c, rises)
                m = remove(free, m, R, first, work)
                if m < 0:
                    return -1
                continue
            bias = mean_score(scores, free, m)
            if _newton(beta, scores, free, m, R, slack, step) > slack:
                n_newton += 1
                if n_newton % 4 == 0:
                    m = rebuild(K, low, high, beta, scores, free, R, out, work)
                    if m < 0:
                        return -1
                continue
        n_newton = 0
        top, bottom, i, j = interval(scores, beta, low, high, out)
        if i < 0 or j < 0 or top - bottom <= 2.0 * slack:
            return m
        if m == 0:
            m = enter(K, low, high, beta, scores, free, m, R, i, work)
            m = enter(K, low, high, beta, scores, free, m, R, j, work)
        else:
            joins = i if top - bias > bias - bottom else j
            m = enter(K, low, high, beta, scores, free, m, R, joins, work)
        if m < 0:
            return -1
    return -1


@njit(**OPTIONS)
def restore(K, low, high, beta, scores, free, m, R, slack, step):
    """Newton steps should F have drifted from the path; return whether it is on it."""
    for _attempt in range(4):
        if _newton(beta, scores, free, m, R, slack, step) <= slack:
            for a in range(m):
                c = free[a]
                near = AT_BOUND * (high[c] - low[c])
                if beta[c] < low[c] - near or beta[c] > high[c] + near:
                    return False
            return True
        _move(K, scores, beta, free, m, step, 1.0)
    return False


@njit(**OPTIONS)
def refit(K, linear, low, high, beta, scores, free, R, out, step, work):
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
    score(K, linear, beta, scores)
    m = rebuild(K, low, high, beta, scores, free, R, out, work)
    if m < 0:
        return -1
    return optimise(K, low, high, beta, scores, free, m, R, out, step, work)
