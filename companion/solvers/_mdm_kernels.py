"""Compiled iterations of MDM; the algorithm is told in :mod:`companion.solvers.mdm`.

Products q = (K + D) (y alpha), heights y_i q_i. Masks make the searches plain reductions over
blocks: ``side`` is -inf for positives and +inf for negatives, ``support`` is 0 for support points
and -inf for others. No function of another file is called but intrinsics: a cached numba caller is
not recompiled when one changes.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_loops import _max, _min

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
# it gains this many times what so many updates like the present one would: a path that is left for
# less may turn out longer. On 5500 problems three took more iterations, by up to 4 %; with a factor
# of one and a half it was 17 on 7400.
_WORTHWHILE = 3.0

# A curvature below this share of the numbers that it is the difference of is not trusted.
_CANCELLED = 1e-9

_BLOCK = 64

_ZERO, _LEAST = np.float32(0.0), np.float32(LEAST_CURVATURE)


@njit(**_STRICT)
def set_masks(y, alpha, side, support):
    """The two masks, from the labels and the multipliers."""
    for k in range(y.shape[0]):
        side[k] = -np.inf if y[k] > 0.0 else np.inf
        support[k] = 0.0 if alpha[k] > 0.0 else -np.inf


@njit(**_STRICT)
def extremes(y, alpha, products):
    """|w|^2, and of the positives and negatives the least height and the support's largest."""
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


@njit(**_STRICT)
def _classes_of_blocks(y):
    """The label of the full blocks of one class, 0 for the others."""
    labels = np.zeros(y.shape[0] // _BLOCK)
    for block in range(labels.shape[0]):
        labels[block] = y[block * _BLOCK]
        for k in range(block * _BLOCK, (block + 1) * _BLOCK):
            if y[k] != labels[block]:
                labels[block] = 0.0
    return labels


@njit(**_EXACT)
def _first(products, y, support, wanted, height, start, of_support):
    """First k from ``start`` of a height, in one class (and its support)."""
    k, n = start, products.shape[0]
    while k < n - 1 and not (
        y[k] == wanted and wanted * products[k] == height and (support[k] == 0.0 or not of_support)
    ):
        k += 1
    return k


@njit(inline="always")
def _gain(rise, curvature):
    """Square of the height over i, if positive, over the curvature."""
    rise = _max(np.float32(rise), _ZERO)
    return rise * rise / _max(np.float32(curvature), _LEAST)


@njit(**_EXACT)
def _best_partner(row, diagonal, i, y, products, side, support, scale, labels, gains):
    """argmax over the support points j of the class of i of (height_j - height_i)^2 / curvature."""
    sign, unit = y[i], 1.0 / scale
    factor = sign * unit
    own, length = factor * products[i], diagonal[i]
    n = y.shape[0]
    full = n - n % _BLOCK
    best, best_start = _ZERO, 0
    for start in range(0, full, _BLOCK):
        label = labels[start // _BLOCK]
        block_best = _ZERO
        if label == sign:
            for k in range(_BLOCK):
                rise = factor * products[start + k] + support[start + k] - own
                curvature = unit * (length + diagonal[start + k] - 2.0 * row[start + k])
                gain = _gain(rise, curvature)
                gains[start + k] = gain
                block_best = _max(block_best, gain)
        elif label == 0.0:
            for k in range(_BLOCK):
                mask = support[start + k] - _max(sign * side[start + k], 0.0)
                rise = factor * products[start + k] + mask - own
                curvature = unit * (length + diagonal[start + k] - 2.0 * row[start + k])
                gain = _gain(rise, curvature)
                gains[start + k] = gain
                block_best = _max(block_best, gain)
        if block_best > best:
            best, best_start = block_best, start
    # Slices, with indices from zero, let the loop over the rest vectorise.
    q, u, s, d = products[full:], support[full:], side[full:], diagonal[full:]
    a, g = row[full:], gains[full:]
    block_best = _ZERO
    for k in range(n - full):
        rise = factor * q[k] + (u[k] - _max(sign * s[k], 0.0)) - own
        gain = _gain(rise, unit * (length + d[k] - 2.0 * a[k]))
        g[k] = gain
        block_best = _max(block_best, gain)
    if block_best > best:
        best, best_start = block_best, full
    j = best_start
    while j < n - 1 and gains[j] != best:
        j += 1
    return j, best


@njit(**_EXACT)
def _scan(q, a, b, side, support, change):
    """The pass of `run_pairs` over the samples after the last full block."""
    low_p, high_p, low_m, high_m = np.inf, -np.inf, np.inf, -np.inf
    for k in range(q.shape[0]):
        value = q[k] + change * (a[k] - b[k])
        q[k] = value
        s, u = side[k], support[k]
        low_p = _min(low_p, value + _max(s, 0.0))
        high_p = _max(high_p, value + _min(u, -s))
        low_m = _min(low_m, _max(-s, 0.0) - value)
        high_m = _max(high_m, _min(u, s) - value)
    return low_p, high_p, low_m, high_m


@njit(**_EXACT)
def _try_cycle(
    y, alpha, products, entered, left, steps, gains, now, length, net, is_listed, points
):
    """The step along the sum v of the last ``length`` pair updates, its gain and its points."""
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
def run_pairs(
    K,
    diagonal,
    ridge,
    y,
    alpha,
    products,
    side,
    support,
    scale,
    second_order,
    window,
    share,
    budget,
    counts,
    level,
):
    """Iterate until |w|^2 - margin <= share |w|^2, the budget is spent or nothing moves."""
    n = y.shape[0]
    full = n - n % _BLOCK
    least = LEAST_CURVATURE * scale
    squared_norm = level[0]
    change = 0.0
    A = B = K[0]
    # Of the last pair updates: the pair, when its first one entered before, the step and the gain.
    all_gains = np.empty(n if second_order else 0, dtype=np.float32)
    labels = _classes_of_blocks(y)
    rest, rest_side, rest_support = products[full:], side[full:], support[full:]
    memory = max(window, 1)
    entered, left = np.empty(memory, dtype=np.int64), np.empty(memory, dtype=np.int64)
    previous = np.empty(memory, dtype=np.int64)
    steps, gains = np.empty(memory), np.empty(memory)
    points = np.empty(2 * memory, dtype=np.int64)
    size = n if window > 0 else 0
    last_time, is_listed = np.full(size, -1), np.zeros(size, dtype=np.bool_)
    net = np.empty(size)
    now, oldest = 0, 0
    while True:
        # One pass: keep the products current, find who may enter and leave either class.
        low_plus, high_plus, low_minus, high_minus = np.inf, -np.inf, np.inf, -np.inf
        at_low_plus, at_high_plus, at_low_minus, at_high_minus = 0, 0, 0, 0
        for start in range(0, full, _BLOCK):
            label = labels[start // _BLOCK]
            low_p, high_p, low_m, high_m = np.inf, -np.inf, np.inf, -np.inf
            if label != 0.0:
                low, high = np.inf, -np.inf
                for k in range(_BLOCK):
                    value = products[start + k] + change * (A[start + k] - B[start + k])
                    products[start + k] = value
                    low = _min(low, label * value)
                    high = _max(high, label * value + support[start + k])
                if label > 0.0:
                    low_p, high_p = low, high
                else:
                    low_m, high_m = low, high
            else:
                for k in range(_BLOCK):
                    value = products[start + k] + change * (A[start + k] - B[start + k])
                    products[start + k] = value
                    s, u = side[start + k], support[start + k]
                    low_p = _min(low_p, value + _max(s, 0.0))
                    high_p = _max(high_p, value + _min(u, -s))
                    low_m = _min(low_m, _max(-s, 0.0) - value)
                    high_m = _max(high_m, _min(u, s) - value)
            if low_p < low_plus:
                low_plus, at_low_plus = low_p, start
            if high_p > high_plus:
                high_plus, at_high_plus = high_p, start
            if low_m < low_minus:
                low_minus, at_low_minus = low_m, start
            if high_m > high_minus:
                high_minus, at_high_minus = high_m, start
        low_p, high_p, low_m, high_m = _scan(
            rest, A[full:], B[full:], rest_side, rest_support, change
        )
        if low_p < low_plus:
            low_plus, at_low_plus = low_p, full
        if high_p > high_plus:
            high_plus, at_high_plus = high_p, full
        if low_m < low_minus:
            low_minus, at_low_minus = low_m, full
        if high_m > high_minus:
            high_minus, at_high_minus = high_m, full
        margin = low_plus + low_minus
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
        if high_plus - low_plus >= high_minus - low_minus:
            i = _first(products, y, support, 1.0, low_plus, at_low_plus, False)
            j = _first(products, y, support, 1.0, high_plus, at_high_plus, True)
        else:
            i = _first(products, y, support, -1.0, low_minus, at_low_minus, False)
            j = _first(products, y, support, -1.0, high_minus, at_high_minus, True)
        row = K[i]
        if second_order:
            better, gain = _best_partner(
                row, diagonal, i, y, products, side, support, scale, labels, all_gains
            )
            # Beyond the range of single precision the first-order partner serves.
            if _ZERO < gain < np.inf:
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
            time = last_time[i]
            while time >= oldest and now - time <= memory and left[time % memory] != j:
                time = previous[time % memory]
            if oldest <= time < now - 1 and now - time <= memory:
                stride, cycle_gain, count = _try_cycle(
                    y,
                    alpha,
                    products,
                    entered,
                    left,
                    steps,
                    gains,
                    now,
                    now - time,
                    net,
                    is_listed,
                    points,
                )
                if cycle_gain > _WORTHWHILE * 0.5 * count * gain:
                    for k in range(count):
                        x = points[k]
                        moved, before = stride * net[x], alpha[x]
                        alpha[x] = before + moved
                        if alpha[x] <= ROUNDING * before:
                            moved, alpha[x] = -before, 0.0
                        support[x] = 0.0 if alpha[x] > 0.0 else -np.inf
                        _add_row(products, K[x], y[x] * moved)
                        products[x] += y[x] * moved * ridge[x]
                    squared_norm -= 2.0 * cycle_gain
                    counts[1] += 1
                    change, oldest = 0.0, now
                    continue
            slot = now % memory
            entered[slot], left[slot], steps[slot], gains[slot] = i, j, step, gain
            previous[slot], last_time[i] = last_time[i], now
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
        support[j] = 0.0 if alpha[j] > 0.0 else -np.inf
        change = y[i] * step
        products[i] += change * ridge[i]
        products[j] -= change * ridge[j]
        A, B = row, K[j]
        squared_norm -= 2.0 * gain
    level[0], level[1] = squared_norm, margin
    return status
