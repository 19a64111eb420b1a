"""Compiled loops of SMO in beta_i = y_i alpha_i; see :mod:`companion.solvers.smo`.

Scores are s = y - (K + D) beta. Row i of K is ``K[slot[i]]``, missing where slot[i] < 0.
The call tree is in this file: a cached numba caller is not recompiled when another file changes.
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

# Distance from a bound that is rounding, as a share of the width of the box or of the largest
# variable, whichever is less (a box may be wide because no bound is meant).
_AT_BOUND = 1e-12


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


@njit(**_EXACT)
def update_pairs(
    K, slot, used, diagonal, scores, beta, low, high, ridge, second_order, tol, budget, counts, ends
):
    """Pair updates until the violation is at most tol, the budget is spent or a row is missing."""
    n = scores.shape[0]
    n_iter, clock = counts[0], counts[1]
    up, down = np.empty(n), np.empty(n)
    for k in range(n):
        up[k] = 0.0 if beta[k] < high[k] else -np.inf
        down[k] = 0.0 if beta[k] > low[k] else np.inf
    gains = np.empty(n)
    step, A, B = 0.0, scores, scores
    while True:
        # One pass: keep the scores current, find the maximal violating pair (8).
        top, bottom, top_block, bottom_block = -np.inf, np.inf, 0, 0
        for start in range(0, n, _BLOCK):
            stop = min(start + _BLOCK, n)
            s, u, d = scores[start:stop], up[start:stop], down[start:stop]
            a, b = A[start:stop], B[start:stop]
            block_top, block_bottom = -np.inf, np.inf
            for k in range(stop - start):
                value = s[k] - step * (a[k] - b[k])
                s[k] = value
                block_top = _max(block_top, value + u[k])
                block_bottom = _min(block_bottom, value + d[k])
            if block_top > top:
                top, top_block = block_top, start
            if block_bottom < bottom:
                bottom, bottom_block = block_bottom, start
        # The end, (10) and (11).
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
            status, counts[2] = NEEDS_ROW, i
            break
        clock += 1
        used[i] = clock
        R = K[slot[i]]
        if second_order:
            # argmax of (s_i - s_j)^2 / (Q_ii + Q_jj - 2 Q_ij) (Fan, Chen & Lin 2005).
            best, best_block, length = 0.0, 0, diagonal[i]
            for start in range(0, n, _BLOCK):
                stop = min(start + _BLOCK, n)
                s, d, g = scores[start:stop], down[start:stop], gains[start:stop]
                q, r = diagonal[start:stop], R[start:stop]
                block_best = 0.0
                for k in range(stop - start):
                    violation = _max(top - (s[k] + d[k]), 0.0)
                    gain = violation * violation / _max(length + q[k] - 2.0 * r[k], TAU)
                    g[k] = gain
                    block_best = _max(block_best, gain)
                if block_best > best:
                    best, best_block = block_best, start
            j = best_block
            while j < n - 1 and gains[j] != best:
                j += 1
        else:
            j = bottom_block
            while j < n - 1 and scores[j] + down[j] != bottom:
                j += 1
        if slot[j] < 0:
            status, counts[2] = NEEDS_ROW, j
            break
        used[j] = clock

        # The step along e_i - e_j, clipped to the box (9).
        step = (top - scores[j]) / max(diagonal[i] + diagonal[j] - 2.0 * R[j], TAU)
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
        for k in (i, j):
            up[k] = 0.0 if beta[k] < high[k] else -np.inf
            down[k] = 0.0 if beta[k] > low[k] else np.inf
        scores[i] -= step * ridge[i]
        scores[j] += step * ridge[j]
        A, B = R, K[slot[j]]
        n_iter += 1
    counts[0], counts[1] = n_iter, clock
    ends[0], ends[1] = top, bottom
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


@njit(**_OPTIONS)
def gather(K, slot, indices, out):
    """out[a, b] = K[slot[indices[a]], indices[b]]."""
    m = indices.shape[0]
    for a in range(m):
        row, target = K[slot[indices[a]]], out[a]
        for b in range(m):
            target[b] = row[indices[b]]


@njit(**_STRICT)
def prepare(y, lower, upper, ridge, low, high):
    """The box of beta from that of alpha; return whether all inputs are as they should be."""
    least, most, scale_least, scale_most = 0.0, 0.0, 0.0, 0.0
    good = True
    for i in range(y.shape[0]):
        positive = y[i] > 0.0
        low[i] = lower[i] if positive else -upper[i]
        high[i] = upper[i] if positive else -lower[i]
        good &= (y[i] == 1.0) | (y[i] == -1.0)
        good &= (low[i] <= high[i]) & (low[i] < np.inf) & (high[i] > -np.inf)
        good &= (ridge[i] >= 0.0) & (ridge[i] < np.inf)
        least += low[i]
        most += high[i]
        scale_least += abs(low[i])
        scale_most += abs(high[i])
    good &= (not least > 1e-12 * scale_least) & (not most < -1e-12 * scale_most)
    return good


@njit(**_STRICT)
def snap(beta, low, high, most):
    """Put variables at the bound that they are off by rounding only, and by no more than `most`."""
    largest = 0.0
    for i in range(beta.shape[0]):
        largest = max(largest, abs(beta[i]))
    count, excess, widest, widest_room = 0, 0.0, 0, -np.inf
    for i in range(beta.shape[0]):
        rounding = min(_AT_BOUND * min(high[i] - low[i], largest), most)
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
            widest, widest_room = i, room
    if count > 0 and abs(excess) < 1e-3 * widest_room:
        beta[widest] -= excess
    return count


@njit(**_STRICT)
def certificates(products, y, beta, low, high, ridge):
    """Intercept, objective, duality gap and violation of beta, given products = K beta."""
    top, bottom, total, count = -np.inf, np.inf, 0.0, 0
    quadratic, ridged, linear, largest = 0.0, 0.0, 0.0, 0.0
    for i in range(y.shape[0]):
        largest = max(largest, abs(beta[i]))
    for i in range(y.shape[0]):
        s = y[i] - products[i] - ridge[i] * beta[i]
        rounding = _AT_BOUND * min(high[i] - low[i], largest)
        may_rise, may_fall = high[i] - beta[i] > rounding, beta[i] - low[i] > rounding
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


@njit(**_OPTIONS)
def walk(P, w, step, rise, fall):
    """Turn the step to the minimiser over a face into a walk along the box; return its corners.

    The upper triangle of P holds that of the inverse of the face's system.
    """
    m = step.shape[0]
    w_sum = 0.0
    for a in range(m):
        w_sum += w[a]
    for a in range(m):
        row, factor = P[a], w[a] / w_sum
        for b in range(a, m):
            row[b] -= factor * w[b]
    target, column, is_free = np.empty(m), np.empty(m), np.empty(m)
    for a in range(m):
        target[a], step[a], is_free[a] = step[a], 0.0, 1.0
    for corner in range(m - 1):
        first, length = -1, 1.0
        for a in range(m):
            room = (rise[a] if target[a] > 0.0 else fall[a]) - step[a]
            if target[a] != 0.0 and room / target[a] < length:
                length, first = max(room / target[a], 0.0), a
        for a in range(m):
            step[a] += length * target[a]
            target[a] -= length * target[a]
        if first < 0 or not P[first, first] > 0.0:
            return corner
        # From here on this variable stays at its bound.
        step[first] = rise[first] if target[first] > 0.0 else fall[first]
        is_free[first] = 0.0
        for a in range(first):
            column[a] = P[a, first]
        for a in range(first, m):
            column[a] = P[first, a]
        pivot = column[first]
        share = target[first] / pivot
        for a in range(m):
            target[a] = (target[a] - share * column[a]) * is_free[a]
            if is_free[a] > 0.0:
                row, factor = P[a], column[a] / pivot
                for b in range(a, m):
                    row[b] -= factor * column[b]
    return m - 1
