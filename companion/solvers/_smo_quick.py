"""Compiled pair updates with second-order selection, where the sequence of pairs may change.

As ``run_pairs`` of :mod:`companion.solvers._smo_kernels` and in its terms, with fewer bytes and
cycles an iteration: gains are computed in single precision, from scores less the last top so that
violations keep their digits, one array holds both masks, and the loops over a block have a length
known to the compiler. Scores are kept in the precision of the array they come in; half the bytes
are then read and written, and the caller undoes the rounding.

No function of another file is called but intrinsics: a cached numba caller is not recompiled when
a callee in another file changes.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_kernels import (
    BUDGET,
    CONVERGED,
    NEEDS_ROW,
    STALLED,
    TAU,
    _max,
    _min,
)

_QUICK = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "contract"},
    "nogil": True,
}

_BLOCK = 64

_ZERO, _LEAST = np.float32(0.0), np.float32(TAU)


@njit(inline="always")
def _mask_of(beta, low, high):
    """0 for a free variable, +inf for one that cannot fall and -inf for one that cannot rise."""
    if beta <= low:
        return np.inf
    return 0.0 if beta < high else -np.inf


@njit(inline="always")
def _gain(fallen, curvature, top):
    """(s_i - s_j)^2 / curvature for a j that may fall and has s_j < s_i = top, else 0."""
    violation = _max(top - fallen, _ZERO)
    return violation * violation / _max(np.float32(curvature), _LEAST)


@njit(**_QUICK)
def run_quick_pairs(K, slot, used, diagonal, scores, beta, low, high, up, down, ridge,
                    tol, budget, state, interval):
    """Pair updates until the violation is at most tol, the budget is spent or a row is missing.

    Arguments and result as of ``run_pairs``; no variable may have low = high, and scores may be
    in single precision if K is.
    """
    n = scores.shape[0]
    real = scores.dtype.type
    zero, infinity = real(0.0), real(np.inf)
    full = n - n % _BLOCK
    n_iter = state[0]
    clock = state[1]
    change = zero
    A = B = np.zeros(n, dtype=K.dtype)  # before the first step: no row of K need be there
    mask = np.empty(n, dtype=scores.dtype)
    for k in range(n):
        mask[k] = _mask_of(beta[k], low[k], high[k])
    gains = np.empty(n, dtype=np.float32)
    # Scores less the base, +inf for a sample that may not fall.
    base = real(interval[0]) if interval[0] > -np.inf else zero
    fallen = np.empty(n, dtype=np.float32)
    # In the precision of K, so that single-precision rows need no conversion in the second pass.
    lengths = diagonal.astype(K.dtype)
    status = CONVERGED
    while True:
        # One pass: keep the gradient current, find the most violating i, test for the end.
        top, bottom = -infinity, infinity
        top_block = 0
        for start in range(0, full, _BLOCK):
            block_top = -infinity
            for k in range(_BLOCK):
                value = scores[start + k] - change * (A[start + k] - B[start + k])
                scores[start + k] = value
                block_top = _max(block_top, value + _min(mask[start + k], zero))
                falling = value + _max(mask[start + k], zero)
                bottom = _min(bottom, falling)
                fallen[start + k] = np.float32(falling - base)
            if block_top > top:
                top, top_block = block_top, start
        block_top = -infinity
        for k in range(full, n):
            value = scores[k] - change * (A[k] - B[k])
            scores[k] = value
            block_top = _max(block_top, value + _min(mask[k], zero))
            falling = value + _max(mask[k], zero)
            bottom = _min(bottom, falling)
            fallen[k] = np.float32(falling - base)
        if block_top > top:
            top, top_block = block_top, full
        if not top - bottom > tol:
            status = CONVERGED
            break
        if n_iter >= budget:
            status = BUDGET
            break
        i = top_block
        while i < n - 1 and scores[i] + _min(mask[i], zero) != top:
            i += 1
        if slot[i] < 0:
            status, state[2] = NEEDS_ROW, i
            break
        clock += 1
        used[i] = clock

        # The partner of largest gain (Fan, Chen & Lin 2005).
        best, best_block = _ZERO, 0
        R = K[slot[i]]
        length = lengths[i]
        height = np.float32(top - base)
        for start in range(0, full, _BLOCK):
            block_best = _ZERO
            for k in range(_BLOCK):
                curvature = (length + lengths[start + k]) - (R[start + k] + R[start + k])
                gain = _gain(fallen[start + k], curvature, height)
                gains[start + k] = gain
                block_best = _max(block_best, gain)
            if block_best > best:
                best, best_block = block_best, start
        block_best = _ZERO
        for k in range(full, n):
            curvature = (length + lengths[k]) - (R[k] + R[k])
            gain = _gain(fallen[k], curvature, height)
            gains[k] = gain
            block_best = _max(block_best, gain)
        if block_best > best:
            best, best_block = block_best, full
        base = top
        j = best_block
        while j < n - 1 and gains[j] != best:
            j += 1
        if not best > _ZERO or not best < np.inf or not top > scores[j]:
            # Beyond the range or the digits of single precision the most violating partner serves.
            j = 0
            while j < n - 1 and scores[j] + _max(mask[j], zero) != bottom:
                j += 1
        if slot[j] < 0:
            status, state[2] = NEEDS_ROW, j
            break
        used[j] = clock

        # The step along e_i - e_j, clipped to the box (eq. 9 of the paper for [-C, C]).
        curvature = diagonal[i] + diagonal[j] - 2.0 * R[j]
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
        mask[i] = _mask_of(beta[i], low[i], high[i])
        mask[j] = _mask_of(beta[j], low[j], high[j])
        scores[i] -= step * ridge[i]
        scores[j] += step * ridge[j]
        change = real(step)
        A, B = R, K[slot[j]]
        n_iter += 1
    for k in range(n):
        up[k] = _min(mask[k], zero)
        down[k] = _max(mask[k], zero)
    state[0] = n_iter
    state[1] = clock
    interval[0] = top
    interval[1] = bottom
    return status
