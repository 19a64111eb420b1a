"""Compiled passes over the box of a dual: its checks, what is at a bound, and the certificates.

No function of another file is called: a cached numba caller is not recompiled when one changes.
"""

import numpy as np
from numba import njit

# Where NaN may come in, comparisons keep their meaning.
_STRICT = {"cache": True, "error_model": "numpy", "nogil": True}

# Distance from a bound that is rounding, as a share of the width of the box or of the largest
# variable, whichever is less (a box may be wide because no bound is meant).
AT_BOUND = 1e-12


@njit(**_STRICT)
def prepare(y, lower, upper, ridge, low, high):
    """The box of beta from that of alpha; return whether all inputs are as they should be."""
    least, most, scale_least, scale_most = 0.0, 0.0, 0.0, 0.0
    good, roomy = True, True
    for i in range(y.shape[0]):
        positive = y[i] > 0.0
        low[i] = lower[i] if positive else -upper[i]
        high[i] = upper[i] if positive else -lower[i]
        good &= (y[i] == 1.0) | (y[i] == -1.0)
        good &= (low[i] <= high[i]) & (low[i] < np.inf) & (high[i] > -np.inf)
        good &= (ridge[i] >= 0.0) & (ridge[i] < np.inf)
        roomy &= low[i] < high[i]
        least += low[i]
        most += high[i]
        scale_least += abs(low[i])
        scale_most += abs(high[i])
    good &= (not least > 1e-12 * scale_least) & (not most < -1e-12 * scale_most)
    return good, roomy


@njit(**_STRICT)
def box(low, high):
    """Whether zero is in the box, whether it is inside for some variable, and no bound infinite."""
    holds_zero, has_zero_inside, is_finite = True, False, True
    for i in range(low.shape[0]):
        holds_zero &= (low[i] <= 0.0) & (high[i] >= 0.0)
        has_zero_inside |= (low[i] < 0.0) & (high[i] > 0.0)
        is_finite &= (low[i] > -np.inf) & (high[i] < np.inf)
    return holds_zero, has_zero_inside, is_finite


@njit(**_STRICT)
def snap(beta, low, high, most):
    """Put variables at the bound that they are off by rounding only, and by no more than `most`."""
    largest = np.abs(beta).max()
    count, excess, widest, widest_room = 0, 0.0, 0, -np.inf
    for i in range(beta.shape[0]):
        rounding = min(AT_BOUND * min(high[i] - low[i], largest), most)
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
    quadratic, ridged, linear, largest = 0.0, 0.0, 0.0, np.abs(beta).max()
    for i in range(y.shape[0]):
        s = y[i] - products[i] - ridge[i] * beta[i]
        rounding = AT_BOUND * min(high[i] - low[i], largest)
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
