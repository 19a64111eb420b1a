"""Compiled loops of SMO in beta_i = y_i alpha_i; see :mod:`companion.solvers.smo`.

Scores are s = y - (K + D) beta. Row i of K is ``K[slot[i]]``, missing where slot[i] < 0.
Sums are in a fixed order, so that a process that compiles the loops gets the same bits as one that
loads them.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from companion._utils.blas import cholesky
from companion._utils.compiled import njit

# nnan and nsz let max and min reductions vectorise; infinities keep their meaning (no ninf).
# Inputs are finite, which the caller has checked. No fused multiply-adds and no reordering of sums
# here: an unclipped step makes two scores equal up to rounding, so the next pair may hang on the
# last bit, and the sequence of pairs should be the same on every processor.
EXACT = {"error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

# Where NaN may come in, comparisons keep their meaning.
STRICT = {"error_model": "numpy", "nogil": True}

TAU = 1e-12  # curvature of a pair that is not positive (identical points), as in libsvm

CONVERGED = 0
BUDGET = 1
STALLED = 2
NEEDS_ROW = 3

# What the clock of a problem keeps: the number of pair updates, and the pair whose rows are needed.
N_ITER = 0
FIRST = 1
SECOND = 2

_BLOCK = 128

# Distance from a bound that is rounding, as a share of the width of the box or of the largest
# variable, whichever is less (a box may be wide because no bound is meant).
_AT_BOUND = 1e-12


class Dual(NamedTuple):
    """min 1/2 b'(K + D) b - y'b, sum b fixed, low <= b <= high, with scores s = y - (K + D) b.

    Row i of K is ``K[slot[i]]``, missing where slot[i] < 0.
    """

    K: np.ndarray
    slot: np.ndarray
    diagonal: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ridge: np.ndarray
    beta: np.ndarray
    scores: np.ndarray
    products: np.ndarray
    clock: np.ndarray
    ends: np.ndarray


def _reduction(name):
    """LLVM's maxnum or minnum, which vectorises as a reduction where a comparison does not."""

    @intrinsic
    def call(typingctx, a, b):
        def codegen(context, builder, signature, args):
            kind = args[0].type
            function = builder.module.declare_intrinsic(
                name, [kind], ir.FunctionType(kind, [kind, kind])
            )
            return builder.call(function, args, fastmath=("nnan", "nsz"))

        return a(a, a), codegen

    return call


_max = _reduction("llvm.maxnum")
_min = _reduction("llvm.minnum")


@njit(**EXACT, inline="always")
def select(scores, up, down, step, A, B):
    """Add a step to the scores; their maximum over what may rise, minimum over what may fall."""
    n = scores.shape[0]
    top = -np.inf
    bottom = np.inf
    top_block = 0
    bottom_block = 0
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        s = scores[start:stop]
        u = up[start:stop]
        d = down[start:stop]
        a = A[start:stop]
        b = B[start:stop]
        block_top = -np.inf
        block_bottom = np.inf
        for k in range(stop - start):
            value = s[k] - step * (a[k] - b[k])
            s[k] = value
            block_top = _max(block_top, value + u[k])
            block_bottom = _min(block_bottom, value + d[k])
        if block_top > top:
            top = block_top
            top_block = start
        if block_bottom < bottom:
            bottom = block_bottom
            bottom_block = start
    return top, top_block, bottom, bottom_block


@njit(**EXACT, inline="always")
def position(scores, mask, value, start):
    """The first sample from a place on with a masked score of this value, the last if none has."""
    n = scores.shape[0]
    while start < n:
        stop = min(start + _BLOCK, n)
        s = scores[start:stop]
        m = mask[start:stop]
        first = stop - start
        # Over all of a block, as this vectorises.
        for k in range(stop - start):
            place = k if s[k] + m[k] == value else n
            first = place if place < first else first
        if first < stop - start:
            return start + first
        start = stop
    return n - 1


@njit(**EXACT, inline="always")
def partner(scores, down, gains, diagonal, R, top, length):
    """argmax of (s_i - s_j)^2 / (Q_ii + Q_jj - 2 Q_ij) (Fan, Chen & Lin 2005)."""
    n = scores.shape[0]
    best = 0.0
    best_block = 0
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        s = scores[start:stop]
        d = down[start:stop]
        g = gains[start:stop]
        q = diagonal[start:stop]
        r = R[start:stop]
        block_best = 0.0
        for k in range(stop - start):
            violation = _max(top - (s[k] + d[k]), 0.0)
            gain = violation * violation / _max(length + q[k] - 2.0 * r[k], TAU)
            g[k] = gain
            block_best = _max(block_best, gain)
        if block_best > best:
            best = block_best
            best_block = start
    return position(gains, down, best, best_block)


@njit(**EXACT, inline="always")
def clip(step, beta_i, beta_j, high_i, low_j):
    """The step that the box allows (9), and where it leads; bounds are met exactly."""
    room_up = high_i - beta_i
    room_down = beta_j - low_j
    if step >= room_up and room_up <= room_down:
        return room_up, high_i, low_j if room_up == room_down else beta_j - room_up
    if step >= room_down:
        return room_down, beta_i + room_down, low_j
    return step, beta_i + step, beta_j - step


@njit(**EXACT)
def add_products(K, slot, indices, weights, out):
    """out += sum over m of weights[m] * K[slot[indices[m]]], where that row is at hand."""
    last = indices.shape[0] - 1
    for m in range(0, last + 1, 4):
        i = min(m + 1, last)
        j = min(m + 2, last)
        k = min(m + 3, last)
        a = K[slot[indices[m]]]
        b = K[slot[indices[i]]]
        c = K[slot[indices[j]]]
        d = K[slot[indices[k]]]
        p = weights[m]
        q = weights[i] if m + 1 == i else 0.0
        r = weights[j] if m + 2 == j else 0.0
        t = weights[k] if m + 3 == k else 0.0
        for x in range(out.shape[0]):
            out[x] += (p * a[x] + q * b[x]) + (r * c[x] + t * d[x])


@njit(**EXACT)
def refresh(dual, afresh):
    """Make the scores those of the products, computed afresh or not; return the violation.

    Rows that are not at hand are left out.
    """
    beta = dual.beta
    products = dual.products
    scores = dual.scores
    n = beta.shape[0]
    if afresh:
        m = 0
        support = np.empty(n, dtype=np.int64)
        weights = np.empty(n)
        for i in range(n):
            products[i] = 0.0
            if beta[i] != 0.0 and dual.slot[i] >= 0:
                support[m] = i
                weights[m] = beta[i]
                m += 1
        add_products(dual.K, dual.slot, support[:m], weights, products)
    top = -np.inf
    bottom = np.inf
    for i in range(n):
        scores[i] = dual.y[i] - products[i] - dual.ridge[i] * beta[i]
        top = max(top, scores[i]) if beta[i] < dual.high[i] else top
        bottom = min(bottom, scores[i]) if beta[i] > dual.low[i] else bottom
    dual.ends[0] = top
    dual.ends[1] = bottom
    return max(top - bottom, 0.0)


@njit(**STRICT)
def prepare(y, lower, upper, ridge, low, high):
    """The box of beta from that of alpha; return whether all inputs are as they should be."""
    least = 0.0
    most = 0.0
    scale_least = 0.0
    scale_most = 0.0
    good = True
    for i in range(y.shape[0]):
        positive = y[i] > 0.0
        low[i] = lower[i] if positive else -upper[i]
        high[i] = upper[i] if positive else -lower[i]
        good &= (low[i] <= high[i]) & (low[i] < np.inf) & (high[i] > -np.inf)
        good &= (ridge[i] >= 0.0) & (ridge[i] < np.inf)
        least += low[i]
        most += high[i]
        scale_least += abs(low[i])
        scale_most += abs(high[i])
    good &= (not least > 1e-12 * scale_least) & (not most < -1e-12 * scale_most)
    return good


@njit(**STRICT)
def snap(beta, low, high, diagonal, most):
    """Put variables at the bound that they are off by rounding only, by `most` of the scores."""
    largest = 0.0
    scale = 0.0
    for i in range(beta.shape[0]):
        largest = max(largest, abs(beta[i]))
        scale = max(scale, diagonal[i])
    count = 0
    excess = 0.0
    widest = 0
    widest_room = -np.inf
    for i in range(beta.shape[0]):
        rounding = min(_AT_BOUND * min(high[i] - low[i], largest), most / scale)
        before = beta[i]
        if before - low[i] <= rounding:
            beta[i] = low[i]
        elif high[i] - before <= rounding:
            beta[i] = high[i]
        if beta[i] != before:
            excess += beta[i] - before
            count += 1
        room = min(high[i] - beta[i], beta[i] - low[i])
        if room > widest_room:
            widest = i
            widest_room = room
    if count > 0 and abs(excess) < 1e-3 * widest_room:
        beta[widest] -= excess
    return count


@njit(**STRICT)
def certificates(products, y, beta, low, high, ridge):
    """Intercept, objective, duality gap and violation of beta, given products = K beta."""
    top = -np.inf
    bottom = np.inf
    total = 0.0
    count = 0
    quadratic = 0.0
    ridged = 0.0
    linear = 0.0
    largest = 0.0
    for i in range(y.shape[0]):
        largest = max(largest, abs(beta[i]))
    for i in range(y.shape[0]):
        s = y[i] - products[i] - ridge[i] * beta[i]
        rounding = _AT_BOUND * min(high[i] - low[i], largest)
        may_rise = high[i] - beta[i] > rounding
        may_fall = beta[i] - low[i] > rounding
        if may_rise and may_fall:
            total += s
            count += 1
        if may_rise and s > top:
            top = s
        if may_fall and s < bottom:
            bottom = s
        quadratic += beta[i] * products[i]
        ridged += ridge[i] * beta[i] * beta[i]
        linear += y[i] * beta[i]
    if count > 0:
        intercept = total / count
    elif top > -np.inf and bottom < np.inf:
        intercept = 0.5 * (top + bottom)
    elif top > -np.inf:
        intercept = top
    elif bottom < np.inf:
        intercept = bottom
    else:
        intercept = 0.0
    # loss_i(1 - y_i f_i) = max over low <= t <= high of t r - ridge t^2 / 2 with r = y_i - f_i.
    loss = 0.0
    for i in range(y.shape[0]):
        r = y[i] - products[i] - intercept
        if ridge[i] > 0.0:
            t = min(max(r / ridge[i], low[i]), high[i])
            loss += t * r - 0.5 * ridge[i] * t * t
        elif r > 0.0:
            loss += high[i] * r if high[i] != 0.0 else 0.0
        elif r < 0.0:
            loss += low[i] * r if low[i] != 0.0 else 0.0
    objective = 0.5 * (quadratic + ridged) - linear
    violation = max(top - bottom, 0.0) if top > -np.inf and bottom < np.inf else 0.0
    return intercept, objective, 0.5 * quadratic + loss + objective, violation


# ------------------------------------------- Newton steps over the free variables

# Added to the diagonal of a Newton system, as smooth kernels have eigenvalues below rounding: this
# share of tol over the largest |beta| leaves the scores within that share of tol; but at least what
# rounding demands, relative to the largest diagonal entry.
_JITTER_SHARE = 0.02
_LEAST_JITTER = 1e-10

# A step ends where it has met so many bounds, as pair updates find bounds too.
_MAX_BOUNDS_MET = 40


def newton_step_on_free_variables(problem, free, tol):
    """Newton's step over the free variables, along the box where it would leave it; if it helps.

    The step solves (K + D)_FF d = s_F - b e, e'd = 0. At a bound it goes on without that variable.
    """
    dual = problem.dual
    system = problem.square(free)
    _regularise(system, dual, free, _JITTER_SHARE * tol)
    if not cholesky(system.T, b"U"):
        return
    step = _step(dual, free, system)
    _move(dual, free, step, problem.times(free, step))


@njit(**STRICT)
def cut(K, slots, columns):
    """K[slots][:, columns] in double precision."""
    m = slots.size
    entries = np.empty((m, m))
    for a in range(m):
        row = K[slots[a]]
        for c in range(m):
            entries[a, c] = row[columns[c]]
    return entries


@njit(**STRICT)
def _regularise(system, dual, free, share):
    """Add the ridge and a jitter to K_FF."""
    scale = 0.0
    largest = 1e-300
    for i in free:
        scale = max(scale, dual.diagonal[i])
        largest = max(largest, abs(dual.beta[i]))
    jitter = min(max(share / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    for a, i in enumerate(free):
        system[a, a] += dual.ridge[i] + jitter


@njit(**STRICT, fastmath={"reassoc", "contract"})
def _solve(factor, v):
    """Solve LL'x = v in the place of v."""
    for j in range(v.size):
        for k in range(j):
            v[j] -= factor[j, k] * v[k]
        v[j] /= factor[j, j]
    for j in range(v.size - 1, -1, -1):
        v[j] /= factor[j, j]
        for k in range(j):
            v[k] -= v[j] * factor[j, k]


@njit(**STRICT)
def _step(dual, free, factor):
    """The step over the free variables, given the lower triangular factor of the system."""
    beta = dual.beta[free]
    scores = dual.scores[free]
    return _step_in_the_box(
        factor, scores, dual.low[free] - beta, dual.high[free] - beta
    )


@njit(**STRICT)
def _move(dual, free, step, change):
    """Move beta and scores by a step; `change` is K times it."""
    beta = dual.beta[free]
    scores = dual.scores[free]
    slope = 0.0
    curvature = 0.0
    for a, i in enumerate(free):
        change[i] += dual.ridge[i] * step[a]
        slope += step[a] * scores[a]
        curvature += step[a] * change[i]
    if not (0.0 < slope < np.inf and abs(curvature) < np.inf):
        return
    length = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
    for a, i in enumerate(free):
        target = beta[a] + length * step[a]
        rounding = 1e-14 * (abs(beta[a]) + abs(target))
        target = dual.low[i] if target - dual.low[i] <= rounding else target
        dual.beta[i] = dual.high[i] if dual.high[i] - target <= rounding else target
    for k in range(change.size):
        dual.scores[k] -= length * change[k]


@njit(**STRICT)
def _step_in_the_box(factor, scores, fall, rise):
    """The step d, e'd = 0, to the minimiser of d'Sd / 2 - s'd, along the box where it leaves it."""
    m = scores.size
    step = np.zeros(m)
    target = scores - scores.mean()
    is_free = np.ones(m)
    fixed = np.zeros((min(m, _MAX_BOUNDS_MET + 1), m))
    fixed[0] = 1.0
    _solve(factor, target)
    _solve(factor, fixed[0])
    target -= target.sum() / fixed[0].sum() * fixed[0]
    fixed[0] /= np.sqrt(fixed[0].sum())
    for corner in range(1, len(fixed) + 1):
        length = 1.0
        first = -1
        for a in range(m):
            room = (rise[a] if target[a] > 0.0 else fall[a]) - step[a]
            if is_free[a] and target[a] != 0.0 and room / target[a] < length:
                length = max(room / target[a], 0.0)
                first = a
        step += length * target
        if first < 0:
            break
        step[first] = rise[first] if target[first] > 0.0 else fall[first]
        if corner == len(fixed):
            break
        # From here on this variable stays at its bound: its column of the inverse over what is
        # left says how the others give way.
        is_free[first] = 0.0
        column = np.zeros(m)
        column[first] = 1.0
        _solve(factor, column)
        for k in range(corner):
            column -= fixed[k, first] * fixed[k]
        if not column[first] > 0.0:
            break
        target *= 1.0 - length
        target -= target[first] / column[first] * column
        target *= is_free
        fixed[corner] = column / np.sqrt(column[first])
    widest = np.argmax(np.minimum(rise - step, step - fall))
    step[widest] -= step.sum()
    return step
