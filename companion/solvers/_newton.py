"""Newton steps on the face of the free variables, with an exact walk along the box."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

# Relative to the largest diagonal entry. Smooth kernels have eigenvalues below rounding; a model
# curvature that is slightly too large keeps every segment of the walk a descent.
_JITTER = 1e-11


def newton_walk(problem):
    """Minimise over the face of the free variables F and move there; return whether beta moved.

    With A = (K + D)_FF and s the scores, the minimiser of the objective over the face is at the
    displacement p = P s_F, P = A^-1 - w w' / e'w, w = A^-1 e, which keeps the sum. Where a bound
    comes first the walk stops there (ratio test), fixes the variables R at their bounds, and goes
    on towards the minimiser over the rest, P s - P_R (P_RR)^-1 (P s)_R, until it is reached or as
    much work is spent on corrections as on the factorisation.
    """
    free = np.flatnonzero((problem.up == 0.0) & (problem.down == 0.0))
    m = free.size
    if m < 2:
        return False
    A = problem.block(free)
    diagonal = A.ravel()[:: m + 1]
    diagonal += problem.ridge[free]
    diagonal += _JITTER * diagonal.max()
    factor, info = lapack.dpotrf(A.T, lower=0, overwrite_a=1, clean=0)
    if info != 0:
        return False

    def inverse_times(right):
        return lapack.dpotrs(factor, right, lower=0)[0]

    scores = problem.scores[free]
    z, w = inverse_times(np.column_stack([scores - scores.mean(), np.ones(m)])).T
    w_sum = w.sum()
    target = z - w * (z.sum() / w_sum)
    room_up = problem.high[free] - problem.beta[free]
    room_down = problem.low[free] - problem.beta[free]
    moved, step = np.zeros(m), target
    is_fixed = np.zeros(m, dtype=bool)
    fixed, columns = [], np.empty((max(8, m // 12) + 1, m))
    with np.errstate(divide="ignore", invalid="ignore"):
        while True:
            ratios = np.where(step > 0.0, room_up - moved, room_down - moved) / step
            ratios[is_fixed | (step == 0.0)] = np.inf
            first = int(ratios.argmin())
            length = min(max(ratios[first], 0.0), 1.0)
            moved += length * step
            target = target - length * step
            if length >= 1.0 or len(fixed) >= columns.shape[0] - 1 or len(fixed) >= m - 2:
                break
            moved[first] = room_up[first] if step[first] > 0.0 else room_down[first]
            is_fixed[first] = True
            unit = np.zeros(m)
            unit[first] = 1.0
            k = len(fixed)
            columns[k] = inverse_times(unit) - w * (w[first] / w_sum)
            fixed.append(first)
            corner = columns[: k + 1, fixed]
            try:
                weights = np.linalg.solve(corner, target[fixed])
            except np.linalg.LinAlgError:
                break
            step = target - weights @ columns[: k + 1]
            step[is_fixed] = 0.0
    if not np.isfinite(moved).all():
        return False
    problem.move(free, moved, fixed, room_up)
    return True
