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


def sum_in_order(values):
    """The sum from first to last, as that of a loop; NumPy's own takes another order."""
    return values.cumsum()[-1] if values.size else 0.0


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
    n = indices.size
    if n == 0:
        return
    # Four at a time; what is missing to four is the last row with the weight zero.
    size = 4 * ((n + 3) // 4)
    rows = np.full(size, slot[indices[n - 1]])
    factors = np.zeros(size)
    rows[:n] = slot[indices]
    factors[:n] = weights
    for m in range(0, size, 4):
        a = K[rows[m]]
        b = K[rows[m + 1]]
        c = K[rows[m + 2]]
        d = K[rows[m + 3]]
        p, q, r, t = factors[m : m + 4]
        for x in range(out.shape[0]):
            out[x] += (p * a[x] + q * b[x]) + (r * c[x] + t * d[x])


@njit(**EXACT)
def refresh(dual, afresh):
    """Make the scores those of the products, computed afresh or not; return the violation.

    Rows that are not at hand are left out.
    """
    beta = dual.beta
    scores = dual.scores
    if afresh:
        at_hand = np.flatnonzero((beta != 0.0) & (dual.slot >= 0))
        dual.products[:] = 0.0
        add_products(dual.K, dual.slot, at_hand, beta[at_hand], dual.products)
    scores[:] = dual.y - dual.products - dual.ridge * beta
    top = np.where(beta < dual.high, scores, -np.inf).max()
    bottom = np.where(beta > dual.low, scores, np.inf).min()
    dual.ends[0] = top
    dual.ends[1] = bottom
    return max(top - bottom, 0.0)


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
    scale = dual.diagonal[free].max()
    largest = max(np.abs(dual.beta[free]).max(), 1e-300)
    jitter = max(_JITTER_SHARE * tol / largest, _LEAST_JITTER * scale)
    system.ravel()[:: free.size + 1] += dual.ridge[free] + min(jitter, 1e-3 * scale)
    if cholesky(system.T, b"U"):
        step = _step_in_the_box(dual, free, system)
        _move(dual, free, step, problem.times(free, step))


def _move(dual, free, step, change):
    """Move beta and scores by a step; `change` is K times it."""
    change[free] += dual.ridge[free] * step
    slope = sum_in_order(step * dual.scores[free])
    curvature = sum_in_order(step * change[free])
    if not (0.0 < slope < np.inf and abs(curvature) < np.inf):
        return
    length = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
    before = dual.beta[free]
    target = before + length * step
    rounding = 1e-14 * (np.abs(before) + np.abs(target))
    low = dual.low[free]
    high = dual.high[free]
    target = np.where(target - low <= rounding, low, target)
    dual.beta[free] = np.where(high - target <= rounding, high, target)
    dual.scores[:] -= length * change


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
def _step_in_the_box(dual, free, factor):
    """The step d, e'd = 0, to the minimiser of d'Sd / 2 - s'd, along the box where it leaves it.

    The system S has this lower triangular factor.
    """
    beta = dual.beta[free]
    scores = dual.scores[free]
    fall = dual.low[free] - beta
    rise = dual.high[free] - beta
    m = free.size
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
