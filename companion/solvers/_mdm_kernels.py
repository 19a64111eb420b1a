"""Compiled iterations of MDM; the algorithm is told in :mod:`companion.solvers.mdm`.

With products q = (K + D) (y alpha), D = diag(ridge), the height of sample i is y_i q_i: the inner
product of w and y_i x_i, which is the gradient of |w|^2 / 2 in alpha_i. The sample of least height
in its class may enter, so the one of least q among the positives and of largest q among the
negatives; a support point leaves. Two arrays of masks make the four searches plain reductions:

    ==========  ==========================  ==========================
    mask        positive                    negative
    ==========  ==========================  ==========================
    side        -inf                        +inf
    support     0, and -inf where alpha = 0  0, and +inf where alpha = 0
    ==========  ==========================  ==========================

Reductions run over blocks, of which only the one that holds the extreme value is searched for its
first index (ties go to the first index).

No function of another file is called but intrinsics: a cached numba caller is not recompiled when
a callee in another file changes.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_kernels import _max, _min

# nnan and nsz let max and min reductions vectorise. No fused multiply-adds and no reordering of
# sums: the next pair may hang on the last bit.
_EXACT = {"cache": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

# Where NaN may come in, comparisons keep their meaning.
_STRICT = {"cache": True, "error_model": "numpy", "nogil": True}

CONVERGED, BUDGET, STALLED, TOUCHING = 0, 1, 2, 3

# Relative to the largest diagonal entry: the least curvature of a pair, as identical points have
# none, and the squared distance of the hulls that is rounding.
LEAST_CURVATURE, TOUCHING_AT = 1e-12, 1e-12

# A multiplier that has been brought down to this share of itself is zero.
ROUNDING = 1e-14

# Moving along a cycle costs half as many pair updates as there are points in it. It is done where
# it gains this many times what so many updates like the present one would.
_WORTHWHILE = 1.5

# A curvature below this share of the numbers that it is the difference of is not trusted.
_CANCELLED = 1e-9

_BLOCK = 64


@njit(**_STRICT)
def set_masks(y, alpha, side, support):
    """The two masks, from the labels and the multipliers."""
    for k in range(y.shape[0]):
        side[k] = -np.inf if y[k] > 0.0 else np.inf
        support[k] = 0.0 if alpha[k] > 0.0 else side[k]


@njit(**_STRICT)
def extremes(y, alpha, products):
    """|w|^2, and of the positives, then the negatives, the least height and the support's largest.

    The two middle numbers of the four are the least heights.
    """
    squared_norm = 0.0
    least = np.full(2, np.inf)
    largest = np.full(2, -np.inf)
    for k in range(y.shape[0]):
        c = 0 if y[k] > 0.0 else 1
        height = y[k] * products[k]
        least[c] = min(least[c], height)
        if alpha[k] > 0.0:
            largest[c] = max(largest[c], height)
            squared_norm += alpha[k] * height
    return squared_norm, least, largest


@njit(**_EXACT)
def _first(products, y, alpha, wanted, value, start, of_support):
    """First k from ``start`` with products[k] = value, of one class (and its support)."""
    k, n = start, products.shape[0]
    while k < n - 1 and not (
        products[k] == value and y[k] == wanted and (alpha[k] > 0.0 or not of_support)
    ):
        k += 1
    return k


@njit(**_EXACT)
def _best_partner(row, diagonal, i, y, alpha, products, side, support, least, gains):
    """argmax over the support points j of the class of i of (height_j - height_i)^2 / curvature."""
    n = products.shape[0]
    sign, own, own_diagonal = y[i], y[i] * products[i], diagonal[i]
    best, best_start = 0.0, 0
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        block_best = 0.0
        q, d, a = products[start:stop], diagonal[start:stop], row[start:stop]
        s, u = side[start:stop], support[start:stop]
        if sign > 0.0:
            for k in range(stop - start):
                drop = _max(q[k] + _min(u[k], -s[k]) - own, 0.0)
                gain = drop * drop / _max(own_diagonal + d[k] - 2.0 * a[k], least)
                gains[start + k] = gain
                block_best = _max(block_best, gain)
        else:
            for k in range(stop - start):
                drop = _max(-(q[k] + _max(u[k], -s[k])) - own, 0.0)
                gain = drop * drop / _max(own_diagonal + d[k] - 2.0 * a[k], least)
                gains[start + k] = gain
                block_best = _max(block_best, gain)
        if block_best > best:
            best, best_start = block_best, start
    j = best_start
    while j < n - 1 and gains[j] != best:
        j += 1
    return j, best


@njit(**_EXACT)
def _try_cycle(y, alpha, products, entered, left, steps, gains, now, length, net, is_listed,
               points):
    """The step along the sum v of the last ``length`` pair updates, its gain and its points.

    The line search is exact and clipped. With F = |w|^2 / 2 the updates have gained F(a - v) - F(a)
    and the slope along v is -fall, so v'Qv = 2 (F(a - v) - F(a) - fall): no kernel value is read.
    """
    memory = entered.shape[0]
    fall, gained, count = 0.0, 0.0, 0
    for back in range(1, length + 1):
        slot = (now - back) % memory
        i, j, t = entered[slot], left[slot], steps[slot]
        fall += t * y[i] * (products[j] - products[i])
        gained += gains[slot]
        for x in (i, j):
            if not is_listed[x]:
                is_listed[x] = True
                net[x] = 0.0
                points[count] = x
                count += 1
        net[i] += t
        net[j] -= t
    room = np.inf
    for a in range(count):
        x = points[a]
        is_listed[x] = False
        if net[x] < 0.0:
            room = min(room, -alpha[x] / net[x])
    curvature = 2.0 * (gained - fall)
    if not (fall > 0.0 and curvature > _CANCELLED * gained):
        return 0.0, 0.0, count
    step = min(fall / curvature, room)
    return step, step * (fall - 0.5 * step * curvature), count


@njit(**_EXACT)
def _add_row(products, row, factor):
    """products += factor * row."""
    for k in range(products.shape[0]):
        products[k] += factor * row[k]


@njit(**_EXACT)
def run_pairs(K, diagonal, ridge, y, alpha, products, side, support, scale, second_order, window,
              share, budget, counts, level):
    """Iterate until |w|^2 - margin <= share |w|^2, the budget is spent or nothing moves.

    The margin is the least height of the positives plus that of the negatives. Given consistent
    alpha, products and masks, which are updated. ``diagonal`` holds K_ii + ridge_i and ``scale`` is
    its largest entry. So many updates as ``window`` are remembered to find cycles, none for the
    plain algorithm. counts: [0] iterations and [1] steps along cycles so far. level: [0] |w|^2
    (in, out), [1] margin (out).
    """
    n = y.shape[0]
    least = LEAST_CURVATURE * scale
    squared_norm = level[0]
    change = 0.0
    A = B = K[0]
    all_gains = np.empty(n if second_order else 0)
    memory = max(window, 1)
    entered, left = np.empty(memory, dtype=np.int64), np.empty(memory, dtype=np.int64)
    steps, gains = np.empty(memory), np.empty(memory)
    points = np.empty(2 * memory, dtype=np.int64)
    size = n if window > 0 else 0
    last_time, is_listed = np.full(size, -1), np.zeros(size, dtype=np.bool_)
    net = np.empty(size)
    now, oldest = 0, 0
    while True:
        # One pass: keep the products current, find who may enter and leave either class.
        in_plus, out_plus, in_minus, out_minus = np.inf, -np.inf, -np.inf, np.inf
        at_in_plus, at_out_plus, at_in_minus, at_out_minus = 0, 0, 0, 0
        for start in range(0, n, _BLOCK):
            stop = min(start + _BLOCK, n)
            q, a, b = products[start:stop], A[start:stop], B[start:stop]
            s, u = side[start:stop], support[start:stop]
            low, high, highest, lowest = np.inf, -np.inf, -np.inf, np.inf
            for k in range(stop - start):
                value = q[k] + change * (a[k] - b[k])
                q[k] = value
                low = _min(low, value + _max(s[k], 0.0))
                high = _max(high, value + _min(u[k], -s[k]))
                highest = _max(highest, value + _min(s[k], 0.0))
                lowest = _min(lowest, value + _max(u[k], -s[k]))
            if low < in_plus:
                in_plus, at_in_plus = low, start
            if high > out_plus:
                out_plus, at_out_plus = high, start
            if highest > in_minus:
                in_minus, at_in_minus = highest, start
            if lowest < out_minus:
                out_minus, at_out_minus = lowest, start
        margin = in_plus - in_minus
        if squared_norm - margin <= share * squared_norm and margin > 0.0:
            status = CONVERGED
            break
        if not squared_norm > TOUCHING_AT * scale:
            status = TOUCHING
            break
        if counts[0] >= budget:
            status = BUDGET
            break

        # The class of the larger violation; its lowest sample enters, a support point leaves.
        if out_plus - in_plus >= in_minus - out_minus:
            i = _first(products, y, alpha, 1.0, in_plus, at_in_plus, False)
            j = _first(products, y, alpha, 1.0, out_plus, at_out_plus, True)
        else:
            i = _first(products, y, alpha, -1.0, in_minus, at_in_minus, False)
            j = _first(products, y, alpha, -1.0, out_minus, at_out_minus, True)
        row = K[i]
        if second_order:
            better, gain = _best_partner(
                row, diagonal, i, y, alpha, products, side, support, least, all_gains
            )
            # Beyond the range of the squares the first-order partner serves.
            if 0.0 < gain < np.inf:
                j = better
        drop = y[i] * (products[j] - products[i])
        if not drop > 0.0:
            status = STALLED
            break
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * row[j], least)
        step = min(drop / curvature, alpha[j])
        gain = step * (drop - 0.5 * step * curvature)

        counts[0] += 1
        if window > 0:
            if last_time[i] >= oldest:
                length, is_found = 0, False
                while not is_found and length < min(now - oldest, memory):
                    length += 1
                    slot = (now - length) % memory
                    is_found = entered[slot] == i and left[slot] == j
                if is_found and length > 1:
                    stride, cycle_gain, count = _try_cycle(
                        y, alpha, products, entered, left, steps, gains, now, length, net,
                        is_listed, points
                    )
                    if cycle_gain > _WORTHWHILE * 0.5 * count * gain:
                        for k in range(count):
                            x = points[k]
                            moved, before = stride * net[x], alpha[x]
                            alpha[x] = before + moved
                            if alpha[x] <= ROUNDING * before:
                                moved, alpha[x] = -before, 0.0
                            support[x] = 0.0 if alpha[x] > 0.0 else side[x]
                            _add_row(products, K[x], y[x] * moved)
                            products[x] += y[x] * moved * ridge[x]
                        squared_norm -= 2.0 * cycle_gain
                        counts[1] += 1
                        change, oldest = 0.0, now
                        continue
            slot = now % memory
            entered[slot], left[slot], steps[slot], gains[slot] = i, j, step, gain
            last_time[i] = now
            now += 1

        old_i, old_j = alpha[i], alpha[j]
        alpha[i] = old_i + step
        alpha[j] = old_j - step
        if alpha[j] <= ROUNDING * old_j:
            step, alpha[j] = old_j, 0.0
            alpha[i] = old_i + old_j
        if alpha[i] == old_i and alpha[j] == old_j:
            status = STALLED
            break
        support[i] = 0.0
        support[j] = 0.0 if alpha[j] > 0.0 else side[j]
        change = y[i] * step
        products[i] += change * ridge[i]
        products[j] -= change * ridge[j]
        A, B = row, K[j]
        squared_norm -= 2.0 * gain
    level[0], level[1] = squared_norm, margin
    return status
