"""The walk of SMO over its free variables; see :mod:`companion.solvers.smo`."""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from companion.solvers import _smo_loops as loops

# Added to the diagonal of a Newton system, as smooth kernels have eigenvalues below rounding: this
# share of tol over the largest |beta| leaves the scores within that share of tol; but at least what
# rounding demands, relative to the largest diagonal entry.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# A walk ends at so many corners of the box, as each costs a solution of the Newton system and pair
# updates find bounds too.
_CORNERS = 40


def walk_the_free_set(problem, free, tol):
    """Newton's step over the free variables, along the box where it would leave it; if it helps.

    The step solves (K + D)_FF d = s_F - b e, e'd = 0. At a bound it goes on without that variable.
    """
    beta, low, high = (v[free] for v in (problem.beta, problem.low, problem.high))
    scores, ridge = problem.scores[free], problem.ridge[free]
    scale, largest = problem.dual.diagonal[free].max(), max(np.abs(beta).max(), 1e-300)
    jitter = min(max(_JITTER_SHARE * tol / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    system = problem.block(free)
    system.flat[:: free.size + 1] += ridge + jitter
    step = _step_in_the_box(system, scores - scores.mean(), low - beta, high - beta)
    if step is None:
        return
    change = np.zeros(problem.n)
    loops.add_products(problem.dual.K, problem.slot, free, step, change)
    change[free] += ridge * step
    slope, curvature = step @ scores, step @ change[free]
    if not (0.0 < slope < np.inf and abs(curvature) < np.inf):
        return
    length = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
    target = beta + length * step
    rounding = 1e-14 * (np.abs(beta) + np.abs(target))
    target = np.where(target - low <= rounding, low, target)
    problem.beta[free] = np.where(high - target <= rounding, high, target)
    problem.scores -= length * change


def _step_in_the_box(system, pull, fall, rise):
    """The step d, e'd = 0, to the minimiser of d'Sd / 2 - p'd, or the walk along the box to it."""
    m = pull.size
    factor, failed = dpotrf(system.T)
    if failed:
        return None
    target, w = dpotrs(factor, np.array([pull, np.ones(m)]).T)[0].T
    target = target - w * (target.sum() / w.sum())
    most = min(m - 1, _CORNERS)
    step, is_free, unit, fixed = np.zeros(m), np.ones(m), np.zeros(m), np.empty((most + 1, m))
    fixed[0] = w / np.sqrt(w.sum())
    up, down = rise.copy(), fall.copy()
    with np.errstate(divide="ignore"):
        for corner in range(most + 1):
            lengths = np.maximum(up / target, down / target)
            first = lengths.argmin()
            length = min(max(lengths[first], 0.0), 1.0)
            move = length * target
            step += move
            if length == 1.0 or corner == most:
                break
            up -= move
            down -= move
            # From here on this variable stays at its bound: its column of the inverse over what is
            # left says how the others give way.
            step[first] = rise[first] if target[first] > 0.0 else fall[first]
            up[first], down[first], is_free[first] = np.inf, -np.inf, 0.0
            unit[first] = 1.0
            column = dpotrs(factor, unit)[0] - fixed[: corner + 1, first] @ fixed[: corner + 1]
            unit[first] = 0.0
            if not column[first] > 0.0:
                break
            target -= move
            target -= target[first] / column[first] * column
            target *= is_free
            fixed[corner + 1] = column / np.sqrt(column[first])
    room = np.minimum(rise - step, step - fall)
    step[room.argmax()] -= step.sum()
    return step
