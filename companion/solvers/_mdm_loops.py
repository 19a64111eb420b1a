"""Compiled loops of MDM: steps 1 and 2 of the box in :mod:`companion.solvers.mdm`.

They see a working set as the signed matrix Q_ij = e_i e_j K_ij + ridge_i delta_ij of its samples,
the p positives first, so that |w|^2 = a'Qa and the heights are h = Qa.
"""

import numpy as np
from llvmlite import ir
from numba import njit
from numba.extending import intrinsic

# nnan and nsz let max and min reductions vectorise. No fused multiply-adds and no reordering of
# sums: the next pair may hang on the last bit.
_EXACT = {"cache": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

# The least curvature of a pair, relative to the largest diagonal entry: identical points have none.
_LEAST_CURVATURE = 1e-12

# A multiplier that has been brought down to this share of itself is zero.
_ROUNDING = 1e-14

# A cycle is followed where it gains this many times what the pair updates of its cost would: a path
# that is left for less may turn out longer. A curvature below a share of its terms is not trusted.
_WORTHWHILE, _CANCELLED = 3.0, 1e-9


# What rounding may change |w|^2 by, relative to the terms that it is the sum of, and the |w|^2 that
# is nothing but rounding, relative to the largest diagonal entry.
_NOISE, TOUCHING = 1e-15, 1e-12

# Pair updates a sample after which the heights are computed afresh at the latest, and how often
# that may show no progress until rounding is to blame; a pass of n updates counts as once.
_LONG, _PATIENCE = 500, 50

# Samples of a class that may join the working set at a time: a number, and as many times its
# support. The gap within the set is brought to this share of that over all before others join.
_JOIN, _GROWTH, _SHARE = 30, 2, 0.1


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
def heights(K, e, ridge, alpha):
    """h_k = e_k sum_j K_kj e_j alpha_j + ridge_k alpha_k."""
    h = np.zeros(e.shape[0])
    for j in range(e.shape[0]):
        if alpha[j] != 0.0:
            weight, row = e[j] * alpha[j], K[j]
            for k in range(h.shape[0]):
                h[k] += weight * row[k]
    for k in range(h.shape[0]):
        h[k] = e[k] * h[k] + ridge[k] * alpha[k]
    return h


@njit(**_EXACT)
def nearest(K, e, ridge, y, alpha, scale, second_order, window, works, share, tol, budget):
    """The loop of MDM from multipliers that are changed in place: heights and iterations.

    With ``works`` the pairs are those of a working set, of all samples without.
    """
    n, n_iter, done, idle, norm = e.shape[0], 0, 0, 0, np.inf
    low, high, part = np.empty(2), np.empty(2), np.empty(n, dtype=np.int64)
    while True:
        # Step 1 over all samples, from heights computed afresh: the end, or the next working set.
        h, before, norm, size = heights(K, e, ridge, alpha), norm, 0.0, 0.0
        low[0] = low[1] = np.inf
        high[0] = high[1] = -np.inf
        for k in range(n):
            c = 0 if y[k] > 0.0 else 1
            low[c] = min(low[c], h[k])
            if alpha[k] > 0.0:
                high[c] = max(high[c], h[k])
                norm += alpha[k] * h[k]
                size += alpha[k] * np.sqrt(e[k] * e[k] * K[k, k] + ridge[k])
        margin = low[0] + low[1]
        idle = 0 if before - norm > _NOISE * size * size else idle + 1 + done // n
        if margin > 0.0 and (norm - margin) * (1.0 + margin / norm) <= tol * norm:
            return h, n_iter
        if not TOUCHING * scale < norm < np.inf or n_iter >= budget or idle > _PATIENCE:
            return h, n_iter
        p, m = _working_set(h, alpha, y, low, high, works, part)

        # Steps 1 and 2 over the working set, pair after pair.
        Q, a, own = np.empty((m, m)), np.empty(m), np.empty(m)
        for r in range(m):
            i = part[r]
            a[r], own[r], weight, row, target = alpha[i], h[i], e[i], K[i], Q[r]
            for k in range(m):
                target[k] = (weight * e[part[k]]) * row[part[k]]
            target[r] += ridge[i]
        within = share if m == n else max(share, _SHARE * (norm - margin) / norm)
        most = min(budget - n_iter, _LONG * n)
        done = pairs(Q, p, a, own, scale, second_order, window, within, most)
        n_iter += done
        # The sums of both classes are 1 but for rounding.
        low[0] = low[1] = 0.0
        for r in range(m):
            low[0 if r < p else 1] += a[r]
        for r in range(m):
            alpha[part[r]] = a[r] / low[0 if r < p else 1]


@njit(**_EXACT)
def _working_set(h, alpha, y, low, high, works, part):
    """The support and the lowest samples below its highest point, positives first: their number."""
    p, size = 0, 0
    for c in range(2):
        sign, top, room, lower = 1.0 - 2.0 * c, high[c] if works else np.inf, _JOIN, 0
        for k in range(h.shape[0]):
            room += _GROWTH * (y[k] == sign and alpha[k] > 0.0)
            lower += y[k] == sign and alpha[k] == 0.0 and h[k] < top
        while works and lower > room:
            top, lower = low[c] + 0.5 * (top - low[c]), 0
            for k in range(h.shape[0]):
                lower += y[k] == sign and alpha[k] == 0.0 and h[k] < top
        for k in range(h.shape[0]):
            if y[k] == sign and (alpha[k] > 0.0 or h[k] < top or h[k] == low[c]):
                part[size] = k
                size += 1
        if c == 0:
            p = size
    return p, size


@njit(**_EXACT)
def _move(h, support, A, B, step):
    """Add step (A - B) to the heights of a class; the least one, and the support's largest."""
    low, high = np.inf, -np.inf
    for k in range(h.shape[0]):
        value = h[k] + step * (A[k] - B[k])
        h[k] = value
        low, high = _min(low, value), _max(high, value + support[k])
    return low, high


@njit(**_EXACT)
def _gains(h, support, diagonal, row, low, length, least, gains):
    """(h_j - h_i)^2 / (Q_ii + Q_jj - 2 Q_ij) of the support points of a class, and the largest."""
    best = 0.0
    for j in range(h.shape[0]):
        rise = _max(h[j] + support[j] - low, 0.0)
        gains[j] = rise * rise / _max(length + diagonal[j] - 2.0 * row[j], least)
        best = _max(best, gains[j])
    return best


@njit(**_EXACT)
def _first(values, mask, wanted):
    """The first index of a value; ``mask`` is added to the values."""
    k = 0
    while k < values.shape[0] - 1 and values[k] + mask[k] != wanted:
        k += 1
    return k


@njit(**_EXACT)
def _cycle(a, h, entered, left, steps, gains, now, length, net):
    """The step along the sum of the last updates, its gain, and how many samples it moves."""
    last, count, fall, gained, room = entered.shape[0] - 1, 0, 0.0, 0.0, np.inf
    for k in range(net.shape[0]):
        net[k] = 0.0
    for back in range(1, length + 1):
        slot = (now - back) & last
        i, j, t = entered[slot], left[slot], steps[slot]
        fall += t * (h[j] - h[i])
        gained += gains[slot]
        net[i] += t
        net[j] -= t
    for k in range(net.shape[0]):
        count += net[k] != 0.0
        if net[k] < 0.0:
            room = min(room, -a[k] / net[k])
    curvature = 2.0 * (gained - fall)
    if not (fall > 0.0 and curvature > _CANCELLED * gained):
        return 0.0, 0.0, count
    step = min(fall / curvature, room)
    return step, step * (fall - 0.5 * step * curvature), count


@njit(**_EXACT)
def pairs(Q, p, a, h, scale, second_order, window, share, budget):
    """Pair updates until |w|^2 - m <= share |w|^2, nothing moves or the budget is spent: how many.

    The multipliers a and their heights h are changed in place; m is the sum of the least heights.
    """
    n, least, step, norm = a.shape[0], _LEAST_CURVATURE * scale, 0.0, 0.0
    diagonal, support, none, gains_of = np.empty(n), np.empty(n), np.zeros(n), np.empty(n)
    # Of the last updates: the pair, the step and the gain; of all pairs: one more than when last.
    entered, left = np.empty(window, dtype=np.int64), np.empty(window, dtype=np.int64)
    steps, gains, net = np.empty(window), np.empty(window), np.empty(n)
    size, last, now, oldest = n if window > 0 else 0, window - 1, 0, 0
    seen = np.zeros((size, size), dtype=np.int32)
    for k in range(n):
        diagonal[k], support[k] = Q[k, k], 0.0 if a[k] > 0.0 else -np.inf
        norm += a[k] * h[k]
    A = B = Q[0]
    for done in range(budget):
        # Step 1: the lowest sample and the highest support point of each class.
        low_p, high_p = _move(h[:p], support[:p], A[:p], B[:p], step)
        low_m, high_m = _move(h[p:], support[p:], A[p:], B[p:], step)
        step, margin = 0.0, low_p + low_m
        if margin > 0.0 and norm - margin <= share * norm:
            return done
        own, low, high, start = slice(p, n), low_m, high_m, p
        if high_p - low_p >= high_m - low_m:
            own, low, high, start = slice(0, p), low_p, high_p, 0

        # Step 2: the lowest enters; the highest leaves, or (second order) what gains most.
        i = start + _first(h[own], none[own], low)
        A, scores, mask, wanted = Q[i], h[own], support[own], high
        if second_order:
            best = _gains(
                scores, mask, diagonal[own], A[own], low, diagonal[i], least, gains_of[own]
            )
            if 0.0 < best < np.inf:
                scores, mask, wanted = gains_of[own], none[own], best
        j = start + _first(scores, mask, wanted)
        drop = h[j] - h[i]
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * A[j], least)
        step = min(drop / curvature, a[j])
        gain = step * (drop - 0.5 * step * curvature)
        if not drop > 0.0 or (a[i] + step == a[i] and a[j] - step == a[j]):
            return done

        # A pair that comes again: move along all that has been done since, where that gains more.
        if window > 0:
            time = seen[i, j] - 1
            if oldest <= time < now - 1 and now - time <= window:
                stride, gain_of_all, count = _cycle(
                    a, h, entered, left, steps, gains, now, now - time, net
                )
                if gain_of_all > _WORTHWHILE * 0.5 * count * gain:
                    for k in range(n):
                        if net[k] == 0.0:
                            continue
                        moved, before, row = stride * net[k], a[k], Q[k]
                        a[k] = before + moved
                        if a[k] <= _ROUNDING * before:
                            moved, a[k] = -before, 0.0
                        support[k] = 0.0 if a[k] > 0.0 else -np.inf
                        for x in range(n):
                            h[x] += moved * row[x]
                    norm -= 2.0 * gain_of_all
                    step, oldest = 0.0, now
                    continue
            slot = now & last
            entered[slot], left[slot], steps[slot], gains[slot] = i, j, step, gain
            now += 1
            seen[i, j] = now

        old = a[j]
        a[j] = old - step
        if a[j] <= _ROUNDING * old:
            step, a[j], support[j] = old, 0.0, -np.inf
        a[i] += step
        support[i] = 0.0
        B = Q[j]
        norm -= 2.0 * gain
    return budget
