"""Compiled loops behind :mod:`companion.losses` and the weighted least squares built on them.

A loss is its kind, the order s and kappa = k^(1/s). Loops call only functions of this file: a
cached numba caller is not recompiled when another changes.
"""

import numpy as np
from numba import njit

HINGE = 0  # the kind of companion.losses.Hinge; any other is the unbiased loss

# Not a number and infinity must keep their meaning here.
_OPTIONS = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp"},
    "nogil": True,
}


@njit(inline="always")
def _power(x, p):
    """x ** p for x >= 0; the orders that s = 2 needs without a call of pow."""
    if p == 0.0:
        return 1.0
    if p == 1.0:
        return x
    if p == 2.0:
        return x * x
    if p == 3.0:
        return x * x * x
    if p == 4.0:
        return (x * x) * (x * x)
    return x**p


@njit(inline="always")
def _value(xi, kind, s, kappa):
    """Loss at a slack xi >= 0."""
    if kind == HINGE:
        return xi
    height = _power(1.0 + kappa, s)
    if xi < 1.0:
        return _power(xi + kappa, s) / (2.0 * height)
    return 1.0 - height / (2.0 * _power(xi + kappa, s))


@njit(inline="always")
def _slope(xi, kind, s, kappa):
    """First derivative at xi >= 0, from the right at 0."""
    if kind == HINGE:
        return 1.0
    height = _power(1.0 + kappa, s)
    if xi < 1.0:
        return s * _power(xi + kappa, s - 1.0) / (2.0 * height)
    return s * height / (2.0 * _power(xi + kappa, s + 1.0))


@njit(inline="always")
def _ratio(xi, kind, s, kappa):
    """Slope over slack; without a division where kappa = 0, so that 0 is no exception."""
    if kind == HINGE:
        return 1.0 / xi
    if kappa == 0.0 and xi < 1.0:
        return 0.5 * s * _power(xi, s - 2.0)
    return _slope(xi, kind, s, kappa) / xi


@njit(inline="always")
def _second(xi, kind, s, kappa):
    """Second derivative at xi >= 0, from the right at 0 and at 1."""
    if kind == HINGE:
        return 0.0
    height = _power(1.0 + kappa, s)
    if xi < 1.0:
        if s == 1.0:
            return 0.0
        return s * (s - 1.0) * _power(xi + kappa, s - 2.0) / (2.0 * height)
    return -s * (s + 1.0) * height / (2.0 * _power(xi + kappa, s + 2.0))


@njit(**_OPTIONS)
def map_loss(xi, which, kind, s, kappa, floor, out):
    """Write value (0), slope (1), second derivative (2) or weight (3) at every slack."""
    for i in range(xi.shape[0]):
        x = xi[i]
        if not x > 0.0:  # on the right side of the margin, or not a number
            out[i] = x - x
            if which == 0:
                out[i] += _value(0.0, kind, s, kappa)
        elif which == 0:
            out[i] = _value(x, kind, s, kappa)
        elif which == 1:
            out[i] = _slope(x, kind, s, kappa)
        elif which == 2:
            out[i] = _second(x, kind, s, kappa)
        else:
            out[i] = _ratio(max(x, floor), kind, s, kappa)


@njit(**_OPTIONS)
def weigh(f, y, c, kind, s, kappa, floor, signed, weight, curvature):
    """Multipliers y_i alpha_i, weights alpha_i / xi_i and curvatures at decision values f.

    The sums returned are those of the loss and of the loss that is quadratic below the floor.
    """
    total, floored = 0.0, 0.0
    steepness, below = 0.0, 0.0
    at_zero = _value(0.0, kind, s, kappa)
    if floor > 0.0:
        steepness = _ratio(floor, kind, s, kappa)
        below = _value(floor, kind, s, kappa) - 0.5 * steepness * floor * floor
    else:
        below = at_zero
    for i in range(f.shape[0]):
        xi = 1.0 - y[i] * f[i]
        if xi <= 0.0:
            signed[i], weight[i], curvature[i] = 0.0, 0.0, 0.0
            total += c[i] * at_zero
            floored += c[i] * below
        elif xi < floor:
            weight[i] = c[i] * steepness
            curvature[i] = weight[i]
            signed[i] = y[i] * weight[i] * xi
            total += c[i] * _value(xi, kind, s, kappa)
            floored += c[i] * (below + 0.5 * steepness * xi * xi)
        else:
            a = c[i] * _ratio(xi, kind, s, kappa)
            weight[i] = a
            curvature[i] = c[i] * _second(xi, kind, s, kappa)
            signed[i] = y[i] * a * xi
            value = c[i] * _value(xi, kind, s, kappa)
            total += value
            floored += value
    return total, floored


@njit(**_OPTIONS)
def loss_sum(f, y, c, kind, s, kappa, floor):
    """The floored loss of :func:`weigh` alone."""
    total = 0.0
    steepness, below = 0.0, _value(0.0, kind, s, kappa)
    if floor > 0.0:
        steepness = _ratio(floor, kind, s, kappa)
        below = _value(floor, kind, s, kappa) - 0.5 * steepness * floor * floor
    for i in range(f.shape[0]):
        xi = 1.0 - y[i] * f[i]
        if xi >= floor and xi > 0.0:
            total += c[i] * _value(xi, kind, s, kappa)
        elif xi > 0.0:
            total += c[i] * (below + 0.5 * steepness * xi * xi)
        else:
            total += c[i] * below
    return total


@njit(**_OPTIONS)
def take_scaled(rows, chosen, scale, out):
    """Write the chosen rows of a matrix, each times its factor."""
    for k in range(chosen.shape[0]):
        i = chosen[k]
        factor = scale[k]
        for j in range(rows.shape[1]):
            out[k, j] = factor * rows[i, j]


@njit(**_OPTIONS)
def changed_weights(new, kept, threshold, chosen, change):
    """Samples whose weight moved by more than a share of it: rises first, falls from the end."""
    n = new.shape[0]
    rises, falls, nonzero = 0, 0, 0
    for i in range(n):
        a = new[i]
        nonzero += a != 0.0
        step = a - kept[i]
        if step == 0.0 or (a != 0.0 and abs(step) <= threshold * abs(a)):
            continue
        kept[i] = a
        if step > 0.0:
            chosen[rises] = i
            change[rises] = np.sqrt(step)
            rises += 1
        else:
            falls += 1
            chosen[n - falls] = i
            change[n - falls] = np.sqrt(-step)
    return rises, falls, nonzero


@njit(**_OPTIONS)
def add_outer_products(rows, weights, matrix):
    """Add sum_i weights_i z_i z_i' to the lower triangle of a small matrix."""
    n, size = rows.shape
    for k in range(size):
        for j in range(k + 1):
            total = 0.0
            for i in range(n):
                total += weights[i] * rows[i, k] * rows[i, j]
            matrix[k, j] += total
