"""Newton steps on the face of the free variables, with a walk along the box."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from companion._scratch import give_back
from companion.solvers import _smo_kernels as kernels

# Added to the diagonal of A, as smooth kernels have eigenvalues below rounding: a share of tol over
# the largest |beta|, which leaves the scores within that share of tol, but at least what the
# rounding of K demands relative to the largest diagonal entry. A model curvature that is slightly
# too large keeps every segment of the walk a descent.
_JITTER_SHARE = 0.02
_LEAST_JITTER = {8: 1e-10, 4: 2e-6}

# Up to this many free variables the inverse is formed, which makes fixing a variable cheap,
# unless few bounds will be met.
_INVERSE_SIZE, _SMALL = 700, 250

# Change of the number of free variables, relative, that counts as settled.
_SETTLED = 0.05

# Above, this share of the free variables may be fixed, in so many batches.
_FIXED_SHARE, _BATCHES = 0.15, 5


class NewtonTiming:
    """Decides when a walk pays: at the latest when pair updates have cost as much as one.

    Earlier, when the violation falls so slowly that they are going to, provided that the set of
    free variables has settled or is small enough for an exact walk.
    """

    def __init__(self, n, tol):
        self.n, self.tol = n, tol
        self.since, self.total, self.patience = 0.0, 0.0, 1.0
        self.n_free, self.is_settled = 0, False
        self.best, self.since_best = np.inf, 0.0

    def is_due(self, state, spent):
        """Take note of ``spent`` nanoseconds of pair updates; return whether to walk now."""
        self.since += spent
        self.total += spent
        before, self.n_free = self.n_free, state.n_free()
        self.is_settled = abs(self.n_free - before) <= _SETTLED * self.n_free
        remaining = self._remaining(state.violation(), spent)
        cost = self.patience * self._cost()
        if self.since > max(cost, 0.1 * self.total):
            return True
        return self.is_settled and self.since > 0.4 * cost and remaining > cost

    def _remaining(self, violation, spent):
        """Time until the end, if the violation goes on falling as fast as it has."""
        self.since_best += spent
        fall = max(self.best / max(violation, 1e-300), 1.05)
        remaining = self.since_best * np.log(max(violation / self.tol, 1.0)) / np.log(fall)
        if violation < self.best:
            self.best, self.since_best = violation, 0.0
        return remaining

    def has_run(self, reached):
        """Take note of a walk; one that has not got to its end asks for patience."""
        self.patience = 1.0 if reached else 2.0 * self.patience
        self.since = 0.0

    def _cost(self):
        m, n = self.n_free, self.n
        if _forms_inverse(m, self.is_settled):
            return 8e4 + m**3 / 20.0 + 0.3 * m * n
        return 5e5 + 7.0 * m * m + m**3 / 80.0 + m * n


def _forms_inverse(m, is_settled):
    return m <= _INVERSE_SIZE and not (is_settled and m > _SMALL)


def newton_walk(state, tol, is_settled=False):
    """Minimise over the face of the free variables F and move there.

    With A = (K + D)_FF and s the scores, the minimiser of the objective over the face is at the
    displacement p = P s_F, P = A^-1 - w w' / e'w, w = A^-1 e, which keeps the sum. Where a bound
    comes first the walk stops there (ratio test), fixes what has come to its bound, and goes on
    towards the minimiser over the rest, P s - P_R (P_RR)^-1 (P s)_R for the fixed R, until it is
    reached.

    Returns
    -------
    bool
        Whether the minimiser over the rest has been reached. A walk that gives up on the way has
        still lowered the objective, and one that rounding has led uphill is taken back.
    """
    free = np.flatnonzero((state.up == 0.0) & (state.down == 0.0))
    m = free.size
    if m < 2:
        return False
    beta = state.beta[free]
    room_up, room_down = state.high[free] - beta, state.low[free] - beta
    scores = state.scores[free]
    A = state.block(free)
    try:
        _add_ridge(A, state, free, tol)
        # A symmetric matrix in Fortran order is its own transpose; dpotrf fills the lower triangle.
        factor, info = lapack.dpotrf(A.T, lower=1, overwrite_a=1, clean=0)
        if info != 0:
            return False
        walk = _walk_with_inverse if _forms_inverse(m, is_settled) else _walk_in_batches
        moved, reached = walk(factor, scores - scores.mean(), room_up, room_down)
    finally:
        give_back(A)
    if not np.isfinite(moved).all():
        return False
    # Bounds that the walk has reached are met exactly; the variable with most room takes what
    # rounding has left of the sum.
    target = np.where(moved >= room_up, state.high[free], beta + moved)
    target = np.where(moved <= room_down, state.low[free], target)
    widest = np.minimum(state.high[free] - target, target - state.low[free]).argmax()
    target[widest] -= target.sum() - beta.sum()
    state.set_beta(free, target)
    gain = 0.5 * (target - beta) @ (scores + state.scores[free])
    if not gain > 0.0:
        state.set_beta(free, beta, scores)
        return False
    return reached


def _add_ridge(A, state, free, tol):
    diagonal = A.ravel()[:: free.size + 1]
    diagonal += state.ridge[free]
    scale = diagonal.max()
    largest = max(np.abs(state.beta[free]).max(), 1e-300)
    least = _LEAST_JITTER[state.K.itemsize] * scale
    diagonal += min(max(_JITTER_SHARE * tol / largest, least), 1e-3 * scale)


def _walk_with_inverse(factor, scores, room_up, room_down):
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    moved = np.zeros(scores.size)
    reached = kernels.walk(inverse.T, scores, room_up, room_down, moved)
    return moved, reached


def _walk_in_batches(factor, scores, room_up, room_down):
    """The walk for many free variables: those nearest to their bounds are frozen in batches."""

    def project(right):
        return lapack.dpotrs(factor, right, lower=1)[0]

    m = scores.size
    z, w = project(np.column_stack([scores, np.ones(m)])).T
    w_sum = w.sum()
    target = z - w * (z.sum() / w_sum)
    moved, step = np.zeros(m), target
    most = int(_FIXED_SHARE * m)
    frozen = np.zeros(0, dtype=np.intp)
    columns = np.zeros((m, 0))
    for _ in range(_BATCHES + 1):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(step > 0.0, room_up - moved, room_down - moved) / step
        ratios[frozen] = np.inf
        ratios[step == 0.0] = np.inf
        length = min(max(ratios.min(), 0.0), 1.0)
        moved += length * step
        target = target - length * step
        if length >= 1.0:
            return moved, True
        # Half of the variables that would leave the box, the nearest to their bounds first.
        n_leaving = np.count_nonzero(ratios < 1.0)
        batch = min((n_leaving + 1) // 2 + 8, n_leaving, most - frozen.size)
        if batch < 1:
            break
        nearest = np.argpartition(ratios, batch - 1)[:batch]
        units = np.zeros((m, nearest.size))
        units[nearest, np.arange(nearest.size)] = 1.0
        fresh = project(units)
        fresh -= np.outer(w, w[nearest] / w_sum)
        columns = np.hstack([columns, fresh])
        frozen = np.concatenate([frozen, nearest])
        try:
            weights = np.linalg.solve(columns[frozen], target[frozen])
        except np.linalg.LinAlgError:
            break
        step = target - columns @ weights
        step[frozen] = 0.0
    return moved, False
