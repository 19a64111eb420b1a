"""Compiled pair updates of SMO in beta_i = y_i alpha_i; see :mod:`companion.solvers.smo`.

Scores are s = y - (K + D) b; ``up`` is 0 where b_i may rise and -inf elsewhere, ``down`` is 0 where
b_j may fall and +inf elsewhere, so that masked extremes are plain reductions over blocks. The call
tree is in this file: a cached numba caller is not recompiled when another file changes.
"""

import numpy as np
from llvmlite import ir
from numba import njit
from numba.extending import intrinsic

# nnan and nsz let max and min reductions vectorise; infinities keep their meaning (no ninf).
# Inputs are finite, which the caller has checked. No fused multiply-adds and no reordering of sums
# here: an unclipped step makes two scores equal up to rounding, so the next pair may hang on the
# last bit, and the sequence of pairs should be the same on every processor.
_EXACT = {"cache": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

# For sums whose last bits do not matter.
_OPTIONS = _EXACT | {"fastmath": {"nnan", "nsz", "reassoc", "contract"}}

# Where NaN may come in, comparisons keep their meaning.
_STRICT = {"cache": True, "error_model": "numpy", "nogil": True}

TAU = 1e-12  # curvature of a pair that is not positive (identical points), as in libsvm

CONVERGED, BUDGET, STALLED, NEEDS_ROW = 0, 1, 2, 3

_BLOCK = 128


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


_max, _min = _reduction("llvm.maxnum"), _reduction("llvm.minnum")


@njit(inline="always")
def _gain(score, down, curvature, top):
    """(s_i - s_j)^2 / curvature for a j that may fall and has s_j < s_i = top, else 0."""
    violation = _max(top - (score + down), 0.0)
    return violation * violation / _max(curvature, TAU)


@njit(**_EXACT)
def _best_partner(row, diagonal, diagonal_i, scores, down, top, gains):
    """argmax over j in I_low, s_j < s_i, of (s_i - s_j)^2 / (Q_ii + Q_jj - 2 Q_ij)."""
    best, best_start = 0.0, 0
    n = scores.shape[0]
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        s, d = scores[start:stop], down[start:stop]
        q, a = diagonal[start:stop], row[start:stop]
        block_best = 0.0
        for k in range(stop - start):
            gain = _gain(s[k], d[k], diagonal_i + q[k] - 2.0 * a[k], top)
            block_best = _max(block_best, gain)
        if block_best > best:
            best, best_start = block_best, start
    # The gains of the best block once more, now kept, and searched for their own maximum.
    width = min(_BLOCK, n - best_start)
    s, d = scores[best_start : best_start + width], down[best_start : best_start + width]
    q, a = diagonal[best_start : best_start + width], row[best_start : best_start + width]
    best = 0.0
    for k in range(width):
        gain = _gain(s[k], d[k], diagonal_i + q[k] - 2.0 * a[k], top)
        gains[k] = gain
        best = _max(best, gain)
    k = 0
    while k < width - 1 and gains[k] != best:
        k += 1
    return best_start + k


@njit(**_EXACT)
def run_pairs(
    K,
    slot,
    used,
    diagonal,
    scores,
    beta,
    low,
    high,
    up,
    down,
    ridge,
    second_order,
    tol,
    budget,
    state,
    interval,
):
    """Pair updates until the violation is at most tol, the budget is spent or a row is missing."""
    n = scores.shape[0]
    n_iter = state[0]
    clock = state[1]
    step, first, second = 0.0, 0, 0
    gains = np.empty(_BLOCK)
    moved = False
    status = CONVERGED
    while True:
        # One pass: keep the gradient current, find the maximal violating pair, test for the end.
        top, bottom = -np.inf, np.inf
        top_block, bottom_block = 0, 0
        A = K[slot[first]]
        B = K[slot[second]]
        for start in range(0, n, _BLOCK):
            stop = min(start + _BLOCK, n)
            s = scores[start:stop]
            u = up[start:stop]
            d = down[start:stop]
            block_top, block_bottom = -np.inf, np.inf
            if moved:
                a = A[start:stop]
                b = B[start:stop]
                for k in range(stop - start):
                    value = s[k] - step * (a[k] - b[k])
                    s[k] = value
                    block_top = _max(block_top, value + u[k])
                    block_bottom = _min(block_bottom, value + d[k])
            else:
                for k in range(stop - start):
                    block_top = _max(block_top, s[k] + u[k])
                    block_bottom = _min(block_bottom, s[k] + d[k])
            if block_top > top:
                top, top_block = block_top, start
            if block_bottom < bottom:
                bottom, bottom_block = block_bottom, start
        if not top - bottom > tol:
            status = CONVERGED
            break
        if n_iter >= budget:
            status = BUDGET
            break
        i = top_block
        while i < n - 1 and scores[i] + up[i] != top:
            i += 1
        if slot[i] < 0:
            status, state[2] = NEEDS_ROW, i
            break
        clock += 1
        used[i] = clock

        # The partner: the most violating one, or the one of largest gain (Fan, Chen & Lin 2005).
        if second_order:
            j = _best_partner(K[slot[i]], diagonal, diagonal[i], scores, down, top, gains)
        else:
            j = bottom_block
            while j < n - 1 and scores[j] + down[j] != bottom:
                j += 1
        if slot[j] < 0:
            status, state[2] = NEEDS_ROW, j
            break
        used[j] = clock

        # The step along e_i - e_j, clipped to the box (eq. 9 of the paper for [-C, C]).
        curvature = diagonal[i] + diagonal[j] - 2.0 * K[slot[i], j]
        step = (top - scores[j]) / max(curvature, TAU)
        room_up = high[i] - beta[i]
        room_down = beta[j] - low[j]
        old_i, old_j = beta[i], beta[j]
        if step >= room_up and room_up <= room_down:
            step = room_up
            beta[i] = high[i]
            beta[j] = low[j] if room_up == room_down else beta[j] - step
        elif step >= room_down:
            step = room_down
            beta[i] += step
            beta[j] = low[j]
        else:
            beta[i] += step
            beta[j] -= step
        if beta[i] == old_i and beta[j] == old_j:
            status = STALLED
            break
        up[i] = 0.0 if beta[i] < high[i] else -np.inf
        down[i] = 0.0 if beta[i] > low[i] else np.inf
        up[j] = 0.0 if beta[j] < high[j] else -np.inf
        down[j] = 0.0 if beta[j] > low[j] else np.inf
        scores[i] -= step * ridge[i]
        scores[j] += step * ridge[j]
        first, second = i, j
        moved = True
        n_iter += 1
    state[0] = n_iter
    state[1] = clock
    interval[0] = top
    interval[1] = bottom
    return status


@njit(**_OPTIONS)
def add_products(K, slot, indices, weights, out):
    """out += sum over m of weights[m] * K[slot[indices[m]]], in double precision."""
    n = out.shape[0]
    m = 0
    count = indices.shape[0]
    while m + 4 <= count:
        a, b = K[slot[indices[m]]], K[slot[indices[m + 1]]]
        c, d = K[slot[indices[m + 2]]], K[slot[indices[m + 3]]]
        p, q, r, t = weights[m], weights[m + 1], weights[m + 2], weights[m + 3]
        for k in range(n):
            out[k] += (p * a[k] + q * b[k]) + (r * c[k] + t * d[k])
        m += 4
    while m < count:
        a, p = K[slot[indices[m]]], weights[m]
        for k in range(n):
            out[k] += p * a[k]
        m += 1


@njit(cache=True, error_model="numpy", nogil=True, fastmath={"reassoc"})
def total(K):
    """Sum of all entries in double precision: not finite if an entry is not (see check_finite)."""
    value = 0.0
    for i in range(K.shape[0]):
        row = K[i]
        for k in range(K.shape[1]):
            value += row[k]
    return value


@njit(**_OPTIONS)
def gather(K, slot, indices, out):
    """out[a, b] = K[slot[indices[a]], indices[b]]."""
    m = indices.shape[0]
    for a in range(m):
        row, target = K[slot[indices[a]]], out[a]
        for b in range(m):
            target[b] = row[indices[b]]


@njit(**_OPTIONS)
def masks(scores, beta, low, high, up, down, interval):
    """Set up and down from beta and the box, and the interval from them and the scores."""
    top, bottom = -np.inf, np.inf
    for k in range(scores.shape[0]):
        up[k] = 0.0 if beta[k] < high[k] else -np.inf
        down[k] = 0.0 if beta[k] > low[k] else np.inf
        top = _max(top, scores[k] + up[k])
        bottom = _min(bottom, scores[k] + down[k])
    interval[0] = top
    interval[1] = bottom


@njit(**_OPTIONS)
def walk(inverse, scores, room_up, room_down, moved):
    """Walk to the minimiser over a face; return whether it has been reached."""
    m = scores.shape[0]
    w = np.zeros(m)
    for a in range(m):
        for b in range(a):
            inverse[a, b] = inverse[b, a]
    for a in range(m):
        row = inverse[a]
        value = 0.0
        for b in range(m):
            value += row[b]
        w[a] = value
    w_sum = w.sum()
    target = np.zeros(m)
    for a in range(m):
        row = inverse[a]
        factor = w[a] / w_sum
        value = 0.0
        for b in range(m):
            p = row[b] - factor * w[b]
            row[b] = p
            value += p * scores[b]
        target[a] = value
    order = np.arange(m)
    column = np.empty(m)
    k = m
    while k > 1:
        first, length, rising = -1, 1.0, False
        for a in range(k):
            c = order[a]
            room = room_up[c] - moved[c] if target[a] > 0.0 else room_down[c] - moved[c]
            if target[a] != 0.0 and room / target[a] < length:
                length, first, rising = max(room / target[a], 0.0), a, target[a] > 0.0
        for a in range(k):
            moved[order[a]] += length * target[a]
            target[a] -= length * target[a]
        if first < 0:
            return True
        c = order[first]
        moved[c] = room_up[c] if rising else room_down[c]
        pivot = inverse[first, first]
        if not pivot > 0.0:
            return False
        last = k - 1
        for a in range(k):
            column[a] = inverse[first, a]
        column[first] = column[last]
        if first != last:
            source, destination = inverse[last], inverse[first]
            for a in range(k):
                destination[a] = source[a]
            for a in range(k):
                inverse[a, first] = inverse[a, last]
            inverse[first, first] = inverse[last, last]
        share = target[first] / pivot
        target[first] = target[last]
        order[first] = order[last]
        k = last
        for a in range(k):
            row = inverse[a]
            factor = column[a] / pivot
            target[a] -= share * column[a]
            for b in range(k):
                row[b] -= factor * column[b]
    return False


@njit(**_STRICT)
def likely_rows(scores, up, down, slot, n_segments, out):
    """Samples without a cached row that are likely to be in the next pairs; return their number."""
    n = scores.shape[0]
    count = 0
    for segment in range(n_segments):
        first, last = segment * n // n_segments, (segment + 1) * n // n_segments
        top, bottom, i, j = -np.inf, np.inf, -1, -1
        for k in range(first, last):
            if slot[k] < 0:
                if scores[k] + up[k] > top:
                    top, i = scores[k] + up[k], k
                if scores[k] + down[k] < bottom:
                    bottom, j = scores[k] + down[k], k
        if i >= 0:
            out[count] = i
            count += 1
        if j >= 0 and j != i:
            out[count] = j
            count += 1
    return count
