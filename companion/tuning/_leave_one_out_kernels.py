"""Compiled path following for leave-one-out; told in :mod:`companion.tuning.leave_one_out`.

Labels in the linear term are taken a little apart, by less than _APART, so that ties do not make a
path go in circles: s = y + apart - K beta. Decision values change in this order.
"""

import numpy as np
from numba import njit

from companion.tuning._free_set import (
    AT_BOUND,
    OPTIONS,
    WELL_CONDITIONED,
    enter,
    hit,
    interval,
    mean_score,
    optimise,
    rebuild,
    refit,
    remove,
    restore,
    room_along,
    score,
    slack_of,
    subtract_rows,
    weights_of,
)

CORRECT, ERROR, FAILED, UNKNOWN = 0, 1, 2, 3

_APART = 1e-8

# A proof gives up after so many members of F have met bounds; share of its terms left to rounding.
_MOST_FIXED, _PROOF_SLACK = 15, 1e-9

# A left-out margin up to this is zero: an error.
ZERO_MARGIN = 1e-7


@njit(**OPTIONS)
def _snap(low, high, beta):
    """Put variables that are at a bound up to rounding on it."""
    count, total, size = 0, 0.0, 0.0
    for k in range(beta.shape[0]):
        total += beta[k]
        size += abs(beta[k])
        if low[k] < beta[k] < high[k]:
            near = AT_BOUND * (high[k] - low[k])
            if beta[k] - low[k] <= near or high[k] - beta[k] <= near:
                hit(beta, low, high, k, beta[k] - low[k] > near)
                count += 1
        elif beta[k] != low[k] and beta[k] != high[k]:
            near = AT_BOUND * (high[k] - low[k])
            if beta[k] < low[k] - near or beta[k] > high[k] + near:
                return -1
            hit(beta, low, high, k, beta[k] >= high[k])
            count += 1
    return -1 if abs(total) > 10.0 * AT_BOUND * size else count


@njit(**OPTIONS)
def _bias(scores, beta, low, high, out):
    """Mean score of the free variables, else the middle of the interval; without ``out``."""
    total, count = 0.0, 0
    for k in range(beta.shape[0]):
        if k != out and low[k] < beta[k] < high[k]:
            total += scores[k]
            count += 1
    if count > 0:
        return total / count
    top, bottom, i, j = interval(scores, beta, low, high, out)
    if i < 0 or j < 0:
        return bottom if j >= 0 else (top if i >= 0 else 0.0)
    return 0.5 * (top + bottom)


@njit(**OPTIONS)
def intercept_of(scores, beta, low, high):
    """The bias of a solution; variables at a bound up to rounding are put on it."""
    _snap(low, high, beta)
    return _bias(scores, beta, low, high, -1)


@njit(**OPTIONS)
def _is_correct(R, beta, low, high, free, m, own, step, slope, margin, rest, sense, answers):
    """Whether a walk with F alone proves the left-out margin positive."""
    if margin <= 2.0 * rest * slope:
        return False
    slope = max(slope, 1e-100)
    speed, moved, is_fixed = step[:m].copy(), np.zeros(m), np.zeros(m, dtype=np.bool_)
    fixed, n_fixed = np.empty(_MOST_FIXED + 1, dtype=np.int64), 0
    if own >= 0:
        is_fixed[own], fixed[0], n_fixed = True, own, 1
        for a in range(m):
            answers[0, a] = R[own + 1, a + 1]
    gone, gained, target = 0.0, 0.0, margin * rest * (1.0 + _PROOF_SLACK)
    while True:
        length, first = margin / slope, -1
        for a in range(m):
            if not is_fixed[a] and speed[a] != 0.0:
                c, velocity = free[a], sense * speed[a]
                way = ((high[c] if velocity > 0.0 else low[c]) - beta[c] - moved[a]) / velocity
                if way < length:
                    length, first = max(way, 0.0), a
        gained += length * (margin - 0.5 * length * slope)
        gone += length
        if gone > rest and gained > target + ZERO_MARGIN * (gone - rest):
            return True
        if first < 0 or n_fixed > _MOST_FIXED:
            return False
        margin -= length * slope
        # The margin falls ever faster: there is no more to gain than at the present slope.
        if gained + margin * margin / (2.0 * slope) <= target:
            return False
        for a in range(m):
            moved[a] += length * sense * speed[a]
        answer = answers[n_fixed]
        for a in range(m):
            answer[a] = R[first + 1, a + 1]
        for k in range(n_fixed):
            before, at = answers[k], fixed[k]
            share = before[first] / before[at]
            for a in range(m):
                answer[a] -= share * before[a]
        pivot = answer[first]
        if not pivot > 0.0:
            return False
        share = speed[first] / pivot
        slope += share * speed[first]
        for a in range(m):
            speed[a] -= share * answer[a]
        is_fixed[first], fixed[n_fixed] = True, first
        n_fixed += 1


@njit(**OPTIONS)
def _take_over(base, R, free, m, out, work):
    """Copy R, and take ``out`` from F; return the size of F, -1 for a failure."""
    for a in range(m + 1):
        source, target = base[a], R[a]
        for b in range(m + 1):
            target[b] = source[b]
    for a in range(m):
        if free[a] == out:
            return remove(free, m, R, a, work)
    return m


@njit(**OPTIONS)
def _follow(
    K,
    sign,
    linear,
    low,
    high,
    beta,
    scores,
    free,
    m,
    base,
    R,
    out,
    position,
    slack,
    to_the_end,
    step,
    work,
    rates,
    is_free,
    answers,
):
    """Follow the solution while beta_out goes to 0; return (verdict, m, breakpoints)."""
    n = beta.shape[0]
    sense = -1.0 if beta[out] > 0.0 else 1.0
    P, is_own = base, False
    if position >= 0:
        pivot = base[position + 1, position + 1]
        if m == 1 or not 0.0 < pivot * K[out, out] < WELL_CONDITIONED:
            m, P, is_own = _take_over(base, R, free, m, out, work), R, True
    for count in range(2 * n + 50):
        if m == 0:
            # The bias jumps to the end of its interval where one of the others can make up.
            P, is_own = R, True
            _top, _bottom, i, j = interval(scores, beta, low, high, out)
            joins = i if sense < 0.0 else j
            if joins < 0:
                return FAILED, m, count
            m = enter(K, low, high, beta, scores, free, m, R, joins, work)
        if m < 0 or (is_own and not restore(K, low, high, beta, scores, free, m, R, slack, step)):
            return FAILED, m, count
        bias = mean_score(scores, free, m)
        margin = sign * (linear - scores[out] + bias)
        if margin <= 0.0 and not to_the_end:
            return ERROR, m, count
        if position >= 0 and not is_own:
            # The answer of F without its member is a column of R, the slope its squared span.
            slope = 1.0 / P[position + 1, position + 1]
            for a in range(m):
                step[a] = slope * P[position + 1, a + 1]
            step[position] = 0.0
            bias_rate = slope * P[position + 1, 0]
        else:
            slope = weights_of(K, free, m, P, out, work)
            bias_rate = work[0]
            for a in range(m):
                step[a] = work[a + 1]
        rest = abs(beta[out])
        length, first = room_along(beta, low, high, free, m, step, sense)
        if (
            not to_the_end
            and margin > ZERO_MARGIN
            and _is_correct(
                P,
                beta,
                low,
                high,
                free,
                m,
                -1 if is_own else position,
                step,
                slope,
                margin,
                rest,
                sense,
                answers,
            )
        ):
            return CORRECT, m, count
        # Whose score meets the bias before?
        for k in range(n):
            rates[k] = -K[out, k]
            is_free[k] = False
        for a in range(m):
            is_free[free[a]] = True
        subtract_rows(K, free, m, step, 1.0, rates)
        joins = -1
        for k in range(n):
            if not is_free[k] and k != out:
                closing = sense * (rates[k] - bias_rate)
                if (closing > 0.0 and beta[k] < high[k]) or (closing < 0.0 and beta[k] > low[k]):
                    meets = max((bias - scores[k]) / closing, 0.0)
                    if meets < length:
                        length, joins, first = meets, k, -1
        # A rest that is rounding would let F run empty just before the end.
        is_last = length >= rest - AT_BOUND * (high[out] - low[out])
        if is_last:
            length = rest
        for a in range(m):
            beta[free[a]] += sense * length * step[a]
        for k in range(n):
            scores[k] += sense * length * rates[k]
        beta[out] = 0.0 if is_last else beta[out] + sense * length
        if is_last:
            is_exact = not is_own or restore(K, low, high, beta, scores, free, m, R, slack, step)
            return UNKNOWN if is_exact else FAILED, m, count
        leaves, rises = -1, False
        if joins < 0:
            leaves, rises = free[first], sense * step[first] > 0.0
        if not is_own:
            m, P, is_own = _take_over(base, R, free, m, out, work), R, True
            if m < 0:
                return FAILED, m, count
        if joins >= 0:
            m = enter(K, low, high, beta, scores, free, m, R, joins, work)
        else:
            hit(beta, low, high, leaves, rises)
            first = 0
            while free[first] != leaves:
                first += 1
            m = remove(free, m, R, first, work)
    return FAILED, m, 2 * n + 50


@njit(**OPTIONS)
def _leave_out(
    K,
    sign,
    linear,
    low,
    high,
    beta,
    scores,
    free,
    m,
    base,
    R,
    out,
    position,
    slack,
    to_the_end,
    step,
    work,
    rates,
    is_free,
    answers,
):
    """Leave out one sample with beta_out not 0; return (verdict, value, breakpoints)."""
    verdict, m, count = _follow(
        K,
        sign,
        linear[out],
        low,
        high,
        beta,
        scores,
        free,
        m,
        base,
        R,
        out,
        position,
        slack,
        to_the_end,
        step,
        work,
        rates,
        is_free,
        answers,
    )
    if verdict == CORRECT or verdict == ERROR:  # noqa: SIM109
        return verdict, np.nan, count
    if verdict == UNKNOWN:
        is_feasible = _snap(low, high, beta) >= 0
        top, bottom, _i, _j = interval(scores, beta, low, high, out)
        if not is_feasible or top - bottom > 10.0 * slack:
            verdict = FAILED
    if verdict == FAILED:
        m = refit(K, linear, low, high, beta, scores, free, R, out, step, work)
        if m < 0 or _snap(low, high, beta) < 0:
            return FAILED, np.nan, count
    value = linear[out] - scores[out] + _bias(scores, beta, low, high, out)
    return (CORRECT if sign * value > ZERO_MARGIN else ERROR), value, count


@njit(**OPTIONS)
def _begin(K, y, linear, upper, alpha, low, high, beta, scores, free, R, step, work):
    """The full problem solved exactly from an approximate solution; return the size of F."""
    for k in range(y.shape[0]):
        low[k] = 0.0 if y[k] > 0.0 else -upper[k]
        high[k] = upper[k] if y[k] > 0.0 else 0.0
        beta[k] = y[k] * min(max(alpha[k], 0.0), upper[k])
    _snap(low, high, beta)
    score(K, linear, beta, scores)
    m = rebuild(K, low, high, beta, scores, free, R, -1, work)
    if m >= 0:
        m = optimise(K, low, high, beta, scores, free, m, R, -1, step, work)
    if m >= 0 and _snap(low, high, beta) != 0:
        m = rebuild(K, low, high, beta, scores, free, R, -1, work)
    return m


@njit(**OPTIONS)
def leave_one_out_path(K, y, upper, alpha, to_the_end, verdicts, values, counts):
    """Leave every point out of every machine of a path: rows of ``upper`` and ``alpha``."""
    n = y.shape[0]
    linear = np.empty(n)
    for k in range(n):
        linear[k] = y[k] + _APART * ((0.6180339887498949 * (k + 1)) % 1.0)
    low, high, beta, scores, step, rates = np.empty((6, n))
    beta_i, scores_i = np.empty((2, n))
    work = np.empty(n + 1)
    free, free_i, where = np.empty((3, n), dtype=np.int64)
    is_free = np.empty(n, dtype=np.bool_)
    answers = np.empty((_MOST_FIXED + 1, n))
    R, R_i = np.empty((n + 1, n + 1)), np.empty((n + 1, n + 1))
    for c in range(upper.shape[0]):
        m = _begin(K, y, linear, upper[c], alpha[c], low, high, beta, scores, free, R, step, work)
        if m < 0:
            verdicts[c], values[c] = FAILED, np.nan
            continue
        bias = _bias(scores, beta, low, high, -1)
        slack = slack_of(K, beta)
        where[:] = -1
        for a in range(m):
            where[free[a]] = a
        for i in range(n):
            value = linear[i] - scores[i] + bias
            if beta[i] == 0.0:
                if m == 0:
                    value = linear[i] - scores[i] + _bias(scores, beta, low, high, i)
                verdicts[c, i] = CORRECT if y[i] * value > ZERO_MARGIN else ERROR
                values[c, i] = value
            elif y[i] * value <= 0.0 and not to_the_end:
                verdicts[c, i], values[c, i] = ERROR, np.nan
            else:
                beta_i[:] = beta
                scores_i[:] = scores
                free_i[:] = free
                verdicts[c, i], values[c, i], count = _leave_out(
                    K,
                    y[i],
                    linear,
                    low,
                    high,
                    beta_i,
                    scores_i,
                    free_i,
                    m,
                    R,
                    R_i,
                    i,
                    where[i],
                    slack,
                    to_the_end,
                    step,
                    work,
                    rates,
                    is_free,
                    answers,
                )
                counts[c, 0] += 1
                counts[c, 1] += count
