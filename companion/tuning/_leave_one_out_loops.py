"""Compiled walk of an L1-SVM's solution while one of its samples goes; see leave_one_out.py.

    min 1/2 b'Kb - y'b   s.t.   sum b = 0,  low <= b <= high,   scores s = y - K b

The free set F has equal scores, the bias. With the basis B = F and the bias, the tableau T of
A = [[K, 1], [1', 0]], the bias last, holds -A_BB^-1, A_BB^-1 A_Bk and the Schur complement
A_kl - A_kB A_BB^-1 A_Bl. Hence row i of a sample that is not in F holds minus what b_F and the
distances of the other scores from the bias do while b_i rises by one, and as T_ii the squared
distance of i from the span of F. A sample joins or leaves by a pivot, of rank one.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from companion._utils.compiled import njit
from companion.solvers._loops.smo import _max, _min

CORRECT = 0
ERROR = 1
FAILED = 2
UNKNOWN = 3

# A left-out margin up to this is zero: an error.
ZERO_MARGIN = 1e-7

# A variable nearer to a bound than this share of its range lies on it.
AT_BOUND = 1e-9

# Pivots before a path is given up, and the violation of a solution.
_MOST_PIVOTS = 100
_VIOLATION = 1e-9

_FAST = {"nsz", "reassoc", "contract"}
_OPTIONS = {"error_model": "numpy", "fastmath": _FAST, "nogil": True}


class Machine(NamedTuple):
    """Gram matrix, labels, box, solution and scores."""

    K: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    beta: np.ndarray
    scores: np.ndarray


class _Walk(NamedTuple):
    """Solution, distances of the scores from the bias, the tableau of the machine, and its pivots.

    A pivot at p turns T into T - u u' / d and adds a shift to T_pp. ``count`` holds the number of
    pivots and that of basic samples.
    """

    beta: np.ndarray
    above: np.ndarray
    table: np.ndarray
    vectors: np.ndarray
    divisors: np.ndarray
    places: np.ndarray
    shifts: np.ndarray
    is_basic: np.ndarray
    count: np.ndarray


def tableau(A, basic, T):
    """Make T the tableau of A for the bias and these samples, one at least."""
    rows = A[basic]
    factor = np.linalg.cholesky(A[np.ix_(basic, basic)])
    rows[:, basic] -= np.eye(len(basic))
    half = solve_triangular(factor, rows, lower=True, check_finite=False)
    np.matmul(half.T, half, out=T)
    np.subtract(A, T, out=T)
    T[basic, basic] -= 2.0
    # The bias is last, a pivot of its own: T_nn < 0.
    u = T[-1] / np.sqrt(-T[-1, -1])
    u[-1] -= 1.0 / np.sqrt(-T[-1, -1])
    T += u[:, np.newaxis] * u
    T[-1, -1] -= 2.0


@njit(**_OPTIONS)
def _add(factor, u, v):
    """Add to v the multiple ``factor * u``."""
    for a in range(v.shape[0]):
        v[a] += factor * u[a]


@njit(**_OPTIONS)
def _row(W, p, v):
    """v = row p of the present tableau."""
    v[:] = W.table[p]
    for k in range(W.count[0]):
        _add(-W.vectors[k, p] / W.divisors[k], W.vectors[k], v)
        if W.places[k] == p:
            v[p] += W.shifts[k]


@njit(**_OPTIONS)
def _pivot(W, p, out, row):
    """Have sample p join or leave, and keep `row` that of `out`; return whether T_pp allows it."""
    k = W.count[0]
    sign = -1.0 if W.is_basic[p] else 1.0
    u = W.vectors[k]
    _row(W, p, u)
    d = u[p]
    u[p] -= sign
    W.divisors[k] = d
    W.places[k] = p
    W.shifts[k] = -2.0 * sign
    W.count[0] += 1
    W.count[1] += int(sign)
    W.is_basic[p] = not W.is_basic[p]
    _add(-u[out] / d, u, row)
    if p == out:
        row[p] -= 2.0 * sign
    return sign * d > 0.0


@njit(**_OPTIONS)
def _next_event(M, W, out, speed, times):
    """How far beta can go along -speed, which sample ends it, and whether that joins the basis.

    A basic sample meets a bound, or the score of another one the bias.
    """
    n = times.shape[0]
    beta = W.beta
    above = W.above
    is_basic = W.is_basic
    low = M.low
    high = M.high
    leaves = np.inf
    joins = np.inf
    for k in range(n):
        bound = high[k] if speed[k] < 0.0 else low[k]
        may_join = (beta[k] != bound) & (k != out) & (low[k] < high[k])
        way = beta[k] - bound if is_basic[k] else above[k]
        counts = (speed[k] != 0.0) & (is_basic[k] | may_join)
        time = _max(way / speed[k], 0.0) if counts else np.inf
        times[k] = time
        leaves = _min(leaves, time if is_basic[k] else np.inf)
        joins = _min(joins, np.inf if is_basic[k] else time)
    length = min(leaves, joins)
    for k in range(n):
        if times[k] == length and is_basic[k] == (leaves <= joins):
            return length, k, joins < leaves
    return length, -1, False


@njit(**_OPTIONS)
def bias_of(M, beta, scores, out):
    """Bias without ``out``, places of the two scores that violate optimality most, and by how much.

    These are the largest score that may rise and the least that may fall.
    """
    top = -np.inf
    bottom = np.inf
    i = -1
    j = -1
    total = 0.0
    count = 0
    for k in range(M.y.shape[0]):
        near = AT_BOUND * (M.high[k] - M.low[k])
        rises = beta[k] < M.high[k] - near
        falls = beta[k] > M.low[k] + near
        if k != out:
            if rises and falls:
                total += scores[k]
                count += 1
            if rises and scores[k] > top:
                top = scores[k]
                i = k
            if falls and scores[k] < bottom:
                bottom = scores[k]
                j = k
    bias = 0.5 * (top + bottom)
    if count > 0:
        bias = total / count
    elif i < 0 or j < 0:
        bias = bottom if j >= 0 else (top if i >= 0 else 0.0)
    return bias, i, j, top - bottom


@njit(**_OPTIONS)
def _follow(M, W, out, last, to_the_end, row):
    """Follow the solution while b_out goes to 0; return the verdict.

    ``last`` is the one basic sample where that is not free, else -1.
    """
    sense = -1.0 if W.beta[out] > 0.0 else 1.0
    n = M.y.shape[0]
    times = np.empty(n)
    _row(W, out, row)
    if W.is_basic[out]:
        if W.count[1] == 1:
            last = out
        elif not _pivot(W, out, out, row):
            return FAILED
    while W.count[0] < _MOST_PIVOTS - 3:
        if last >= 0:
            # The bias jumps to the end of its interval where one of the others can make up.
            _bias, i, j, _violation = bias_of(M, W.beta, W.above, out)
            joins = i if sense < 0.0 else j
            if joins < 0:
                return FAILED
            W.above[:] -= W.above[joins]
            if joins != last and not (
                _pivot(W, joins, out, row) and _pivot(W, last, out, row)
            ):
                return FAILED
            last = -1
        margin = 1.0 - M.y[out] * W.above[out]
        rest = abs(W.beta[out])
        if not to_the_end and margin <= 0.0:
            return ERROR
        speed = sense * row
        length, first, joins = _next_event(M, W, out, speed, times)
        is_last = length >= rest - AT_BOUND * (M.high[out] - M.low[out])
        length = rest if is_last else length
        for k in range(n):
            W.beta[k] -= length * speed[k] if W.is_basic[k] else 0.0
            W.above[k] -= 0.0 if W.is_basic[k] else length * speed[k]
        W.beta[out] = 0.0 if is_last else W.beta[out] + sense * length
        if is_last:
            return UNKNOWN
        if not joins:
            W.beta[first] = M.low[first] if speed[first] > 0.0 else M.high[first]
        if not joins and W.count[1] == 1:
            last = first
        elif not _pivot(W, first, out, row):
            return FAILED
    return FAILED


@njit(**_OPTIONS)
def leave_out(M, first, end, free, table, to_the_end, ends, verdicts, values):
    """Leave every sample from ``first`` up to ``end`` out of one machine.

    Row i of `ends` is where the walk of sample i ends: where a verdict stays unknown the solution
    without it. The basis of the tableau is `free`, or where that is empty sample 0.
    """
    n = M.y.shape[0]
    m = free.shape[0]
    row = np.empty(n + 1)
    vectors = np.empty((_MOST_PIVOTS, n + 1))
    divisors = np.empty(_MOST_PIVOTS)
    shifts = np.empty(_MOST_PIVOTS)
    places = np.empty(_MOST_PIVOTS, dtype=np.int64)
    is_basic = np.empty(n, dtype=np.bool_)
    count = np.empty(2, dtype=np.int64)
    above = np.empty(n)
    bias = bias_of(M, M.beta, M.scores, -1)[0]
    for i in range(first, end):
        value = M.y[i] - M.scores[i] + bias
        verdict = UNKNOWN
        ends[i] = M.beta
        if M.beta[i] == 0.0:
            if m == 0:
                value = M.y[i] - M.scores[i] + bias_of(M, M.beta, M.scores, i)[0]
            verdict = CORRECT if M.y[i] * value > ZERO_MARGIN else ERROR
        elif M.y[i] * value <= 0.0 and not to_the_end:
            verdict = ERROR
            value = np.nan
        else:
            above[:] = M.scores - bias
            is_basic[:] = False
            is_basic[0] = m == 0
            is_basic[free] = True
            count[0], count[1] = 0, max(m, 1)
            W = _Walk(
                ends[i],
                above,
                table,
                vectors,
                divisors,
                places,
                shifts,
                is_basic,
                count,
            )
            last = -1 if m else 0
            verdict = _follow(M, W, i, last, to_the_end, row)
            value = np.nan
        verdicts[i] = verdict
        values[i] = value


@njit(**_OPTIONS)
def _least_range_of_free(M, beta, out):
    """The least distance between the bounds of a free vector, infinite where none is free."""
    least = np.inf
    for k in range(M.y.shape[0]):
        width = M.high[k] - M.low[k]
        near = AT_BOUND * width
        is_free = M.low[k] + near < beta[k] < M.high[k] - near
        if k != out and is_free:
            least = min(least, width)
    return least


@njit(**_OPTIONS)
def decide_errors(M, rows, ends, scores, verdicts, values):
    """Verdicts by solutions without the samples `rows` and their scores, where these are exact."""
    for r, i in enumerate(rows):
        bias, _i, _j, violation = bias_of(M, ends[r], scores[r], i)
        slack = 10.0 * _VIOLATION + 1e-13 * np.abs(ends[r] * np.diag(M.K)).sum()
        off_balance = abs(ends[r].sum())
        # A walk that lost this much may call a vector free that is not.
        is_blurred = off_balance > AT_BOUND * _least_range_of_free(M, ends[r], i)
        if is_blurred or not max(violation, off_balance) <= slack:
            verdicts[i] = FAILED
        else:
            values[i] = M.y[i] - scores[r, i] + bias
            verdicts[i] = CORRECT if M.y[i] * values[i] > ZERO_MARGIN else ERROR
