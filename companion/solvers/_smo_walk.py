"""The walk of SMO over its free variables; see :mod:`companion.solvers.smo`."""

import numpy as np
from numba import njit
from scipy.linalg.lapack import dpotrf

from companion.solvers._smo_loops import STRICT, add_products

# Added to the diagonal of a Newton system, as smooth kernels have eigenvalues below rounding: this
# share of tol over the largest |beta| leaves the scores within that share of tol; but at least what
# rounding demands, relative to the largest diagonal entry.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# A walk ends at so many corners of the box, as pair updates find bounds too.
_CORNERS = 40


def walk_the_free_set(problem, free, tol):
    """Newton's step over the free variables, along the box where it would leave it; if it helps.

    The step solves (K + D)_FF d = s_F - b e, e'd = 0. At a bound it goes on without that variable.
    """
    factor, failed = dpotrf(_system(problem.dual, free, _JITTER_SHARE * tol).T, overwrite_a=True)
    if not failed:
        _walk(problem.dual, free, factor.T)


@njit(**STRICT)
def _system(dual, free, share):
    """(K + D)_FF, and a jitter."""
    m, scale, largest = free.size, 0.0, 1e-300
    for i in free:
        scale, largest = max(scale, dual.diagonal[i]), max(largest, abs(dual.beta[i]))
    jitter = min(max(share / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    system = np.empty((m, m))
    for a in range(m):
        row = dual.K[dual.slot[free[a]]]
        for c in range(m):
            system[a, c] = row[free[c]]
        system[a, a] += dual.ridge[free[a]] + jitter
    return system


@njit(**STRICT, fastmath={"reassoc", "contract"})
def _solve(factor, v):
    """Solve LL'x = v in the place of v."""
    for j in range(v.size):
        for k in range(j):
            v[j] -= factor[j, k] * v[k]
        v[j] /= factor[j, j]
    for j in range(v.size - 1, -1, -1):
        v[j] /= factor[j, j]
        for k in range(j):
            v[k] -= v[j] * factor[j, k]


@njit(**STRICT)
def _walk(dual, free, factor):
    """Move beta and scores, given the lower triangular factor of the system."""
    beta, scores = dual.beta[free], dual.scores[free]
    step = _step_in_the_box(factor, scores, dual.low[free] - beta, dual.high[free] - beta)
    change = np.zeros(dual.scores.size)
    add_products(dual.K, dual.slot, free, step, change)
    slope, curvature = 0.0, 0.0
    for a, i in enumerate(free):
        change[i] += dual.ridge[i] * step[a]
        slope += step[a] * scores[a]
        curvature += step[a] * change[i]
    if not (0.0 < slope < np.inf and abs(curvature) < np.inf):
        return
    length = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
    for a, i in enumerate(free):
        target = beta[a] + length * step[a]
        rounding = 1e-14 * (abs(beta[a]) + abs(target))
        target = dual.low[i] if target - dual.low[i] <= rounding else target
        dual.beta[i] = dual.high[i] if dual.high[i] - target <= rounding else target
    for k in range(change.size):
        dual.scores[k] -= length * change[k]


@njit(**STRICT)
def _step_in_the_box(factor, scores, fall, rise):
    """The step d, e'd = 0, to the minimiser of d'Sd / 2 - s'd, or the walk along the box to it."""
    m = scores.size
    step, target, is_free = np.zeros(m), scores - scores.mean(), np.ones(m)
    fixed = np.zeros((min(m, _CORNERS + 1), m))
    fixed[0] = 1.0
    _solve(factor, target)
    _solve(factor, fixed[0])
    target -= target.sum() / fixed[0].sum() * fixed[0]
    fixed[0] /= np.sqrt(fixed[0].sum())
    for corner in range(1, len(fixed) + 1):
        length, first = 1.0, -1
        for a in range(m):
            room = (rise[a] if target[a] > 0.0 else fall[a]) - step[a]
            if is_free[a] and target[a] != 0.0 and room / target[a] < length:
                length, first = max(room / target[a], 0.0), a
        step += length * target
        if first < 0:
            break
        step[first] = rise[first] if target[first] > 0.0 else fall[first]
        if corner == len(fixed):
            break
        # From here on this variable stays at its bound: its column of the inverse over what is
        # left says how the others give way.
        is_free[first] = 0.0
        column = np.zeros(m)
        column[first] = 1.0
        _solve(factor, column)
        for k in range(corner):
            column -= fixed[k, first] * fixed[k]
        if not column[first] > 0.0:
            break
        target *= 1.0 - length
        target -= target[first] / column[first] * column
        target *= is_free
        fixed[corner] = column / np.sqrt(column[first])
    widest = np.argmax(np.minimum(rise - step, step - fall))
    step[widest] -= step.sum()
    return step
