"""The compiled walk of SMO over the free variables; see :mod:`companion.solvers.smo`."""

import numpy as np
from numba import njit

from companion.solvers._cholesky import cholesky
from companion.solvers._smo_loops import EXACT, add_products

# Added to the diagonal of a Newton system, as smooth kernels have eigenvalues below rounding: this
# share of tol over the largest |beta| leaves the scores within that share of tol; but at least what
# rounding demands, relative to the largest diagonal entry.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# Kernel values below this share of the largest count for nothing, but the denormal numbers that
# they lead to take many times as long.
_LEAST_KERNEL = 1e-30

# A walk ends at so many corners of the box, and one more for so many free variables: each costs a
# solution of the Newton system, and pair updates find bounds too.
_CORNERS, _FREE_PER_CORNER = 8, 4


@njit(**EXACT)
def walk_the_free_set(dual, tol):
    """Newton's step over the free variables, along the box where it would leave it; if it helps.

    The step solves (K + D)_FF d = s_F - b e, e'd = 0. At a bound it goes on without that variable.
    """
    K, slot, low, high, beta, scores = (
        dual.K,
        dual.slot,
        dual.low,
        dual.high,
        dual.beta,
        dual.scores,
    )
    m, free = 0, np.empty(beta.shape[0], dtype=np.int64)
    scale, largest, mean = 0.0, 1e-300, 0.0
    for i in range(beta.shape[0]):
        if low[i] < beta[i] < high[i]:
            free[m] = i
            m += 1
            scale, largest = max(scale, dual.diagonal[i]), max(largest, abs(beta[i]))
            mean += scores[i]
    if m < 2 or m > K.shape[0]:
        return False
    free, system = free[:m], np.empty((m, m))
    rise, fall, w, step = np.empty(m), np.empty(m), np.ones(m), np.empty(m)
    jitter = min(max(_JITTER_SHARE * tol / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    least = _LEAST_KERNEL * scale
    for a in range(m):
        i = free[a]
        row, out = K[slot[i]], system[a]
        for b in range(m):
            value = row[free[b]]
            out[b] = value if abs(value) > least else 0.0
        out[a] += dual.ridge[i] + jitter
        rise[a], fall[a], step[a] = high[i] - beta[i], low[i] - beta[i], scores[i] - mean / m
    cholesky(system)
    for a in range(m):
        for b in range(a):
            system[a, b] = system[b, a]
    _solve(system, w)
    _solve(system, step)
    total, w_total = 0.0, 0.0
    for a in range(m):
        total += step[a]
        w_total += w[a]
    inside = True
    for a in range(m):
        step[a] -= w[a] * (total / w_total)
        inside &= fall[a] <= step[a] <= rise[a]
    if not inside:
        _walk_along_the_box(system, w, w_total, step, rise, fall)
    widest, room, total = 0, -np.inf, 0.0
    for a in range(m):
        total += step[a]
        if min(rise[a] - step[a], step[a] - fall[a]) > room:
            widest, room = a, min(rise[a] - step[a], step[a] - fall[a])
    step[widest] -= total
    return _descend(dual, free, step)


@njit(**EXACT)
def _solve(factor, x):
    """Overwrite x by the solution of U'U z = x for a factor that has U above and U' below."""
    m = x.shape[0]
    for a in range(m):
        row = factor[a]
        x[a] /= row[a]
        value = x[a]
        for b in range(a + 1, m):
            x[b] -= value * row[b]
    for a in range(m - 1, -1, -1):
        row = factor[a]
        x[a] /= row[a]
        value = x[a]
        for b in range(a):
            x[b] -= value * row[b]


@njit(**EXACT)
def _walk_along_the_box(factor, w, w_total, step, rise, fall):
    """Turn the step to the minimiser over a face into a walk along the box."""
    m = step.shape[0]
    most = min(_CORNERS + m // _FREE_PER_CORNER, m - 1)
    columns, is_free, target = np.empty((most, m)), np.ones(m), step.copy()
    step[:] = 0.0
    for corner in range(most + 1):
        first, length = -1, 1.0
        for a in range(m):
            room = (rise[a] if target[a] > 0.0 else fall[a]) - step[a]
            if target[a] != 0.0 and room / target[a] < length:
                length, first = max(room / target[a], 0.0), a
        for a in range(m):
            step[a] += length * target[a]
            target[a] -= length * target[a]
        if first < 0 or corner == most:
            return
        # From here on this variable stays at its bound: its column of the inverse over what is left
        # says how the others give way.
        step[first] = rise[first] if target[first] > 0.0 else fall[first]
        column = columns[corner]
        column[:] = 0.0
        column[first] = 1.0
        _solve(factor, column)
        share = w[first] / w_total
        for a in range(m):
            column[a] -= share * w[a]
        for other in range(corner):
            row, share = columns[other], columns[other, first]
            for a in range(m):
                column[a] -= share * row[a]
        if not column[first] > 0.0:
            return
        share, scale = target[first] / column[first], 1.0 / np.sqrt(column[first])
        is_free[first] = 0.0
        for a in range(m):
            target[a] = (target[a] - share * column[a]) * is_free[a]
            column[a] *= scale


@njit(**EXACT)
def _descend(dual, free, step):
    """Minimise along a step to a point in the box; False where that is no descent."""
    low, high, beta, scores = dual.low, dual.high, dual.beta, dual.scores
    change = np.zeros(beta.shape[0])
    add_products(dual.K, dual.slot, free, step, change)
    slope, curvature = 0.0, 0.0
    for a in range(free.shape[0]):
        i = free[a]
        change[i] += dual.ridge[i] * step[a]
        slope += step[a] * scores[i]
        curvature += step[a] * change[i]
    if not (0.0 < slope < np.inf and abs(curvature) < np.inf):
        return False
    length = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
    for a in range(free.shape[0]):
        i = free[a]
        target = beta[i] + length * step[a]
        rounding = 1e-14 * (abs(beta[i]) + abs(target))
        target = low[i] if target - low[i] <= rounding else target
        beta[i] = high[i] if high[i] - target <= rounding else target
    for k in range(beta.shape[0]):
        scores[k] -= length * change[k]
    return True
