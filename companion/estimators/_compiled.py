"""Compiled passes over the inputs of a fit: what takes NumPy ten calls takes one here."""

import numpy as np
from numba import njit

# Not a number and infinity must keep their meaning here.
_STRICT = {"cache": True, "error_model": "numpy", "fastmath": {"reassoc"}, "nogil": True}


@njit(**_STRICT)
def all_finite(values):
    """Whether a vector holds neither NaN nor infinity: x - x is 0 for all others."""
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k] - values[k]
    return total == 0.0


@njit(**_STRICT)
def two_labels(y, signs):
    """Write -1.0 for the smaller label and +1.0 for the larger one; return both."""
    first = y[0]
    second = first
    for k in range(y.shape[0]):
        if y[k] != first:
            second = y[k]
            break
    low, high = min(first, second), max(first, second)
    others = 0
    for k in range(y.shape[0]):
        signs[k] = 1.0 if y[k] == high else -1.0
        others += (y[k] != low) & (y[k] != high)
    is_plain = (
        others == 0
        and low < high
        and low == np.rint(low)
        and high == np.rint(high)
        and high - low < np.inf
    )
    return low, high, is_plain


@njit(**_STRICT)
def extreme_scores(scores, y, alpha, low, high, width, chosen):
    """Write the samples whose scores lie within `width` of an end of the KKT interval."""
    top, bottom = -np.inf, np.inf
    for k in range(y.shape[0]):
        grows, shrinks = alpha[k] < high[k], alpha[k] > low[k]
        if (grows if y[k] > 0.0 else shrinks) and scores[k] > top:
            top = scores[k]
        if (shrinks if y[k] > 0.0 else grows) and scores[k] < bottom:
            bottom = scores[k]
    count = 0
    for k in range(y.shape[0]):
        grows, shrinks = alpha[k] < high[k], alpha[k] > low[k]
        at_top = (grows if y[k] > 0.0 else shrinks) and scores[k] >= top - width
        at_bottom = (shrinks if y[k] > 0.0 else grows) and scores[k] <= bottom + width
        if at_top or at_bottom:
            chosen[count] = k
            count += 1
    return count
