"""Newton steps on the face of the free variables, with a walk along the box."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from companion.solvers import _smo_kernels as kernels

# Added to the diagonal of A, as smooth kernels have eigenvalues below rounding: a share of tol over
# the largest |beta|, which leaves the scores within that share of tol, but at least what the
# rounding of K demands relative to the largest diagonal entry. A model curvature that is slightly
# too large keeps every segment of the walk a descent.
_JITTER_SHARE = 0.02
_LEAST_JITTER = {8: 1e-10, 4: 2e-6}

# From so many free variables on, systems are factorised in single precision where K is, which takes
# half the time, until a system or a walk shows that it is too little.
_SINGLE_FROM = 300

# Up to this many free variables the inverse is formed, which makes fixing a variable cheap,
# unless few bounds will be met.
_INVERSE_SIZE, _SMALL = 700, 250

# Change of the number of free variables, relative, that counts as none; and the most variables
# that may make a violating pair, relative to it, where a walk over the face can end the work.
_STEADY, _WORTHWHILE = 0.02, 1.25

# From so many free variables on, and if no more than this share of them would leave the box, the
# inverse costs more than the batches.
_BATCHES_FROM, _FEW_LEAVE = 100, 0.1

_NONE = np.zeros(0, dtype=np.intp)

# Above, this share of the free variables may be fixed, in so many batches.
_FIXED_SHARE, _BATCHES = 0.15, 5


class FaceNewton:
    """Newton walks of one state, and the decision when one pays."""

    def __init__(self, n, tol):
        self.n, self.tol = n, tol
        self.since, self.total, self.patience = 0.0, 0.0, 1.0
        self.n_free, self.gave_up = 0, False
        self.is_steady = self.is_settled = False
        self.best, self.since_best, self.remaining = np.inf, 0.0, 0.0
        self.kept, self.matrix, self.factor = None, None, None
        self.is_single = True

    def is_due(self, state, spent):
        """Take note of ``spent`` nanoseconds of pair updates; return whether to walk now."""
        self.since += spent
        self.total += spent
        before, self.n_free = self.n_free, state.n_free()
        # Twice in a row: the number also stands still where it turns from rising to falling.
        was_steady, self.is_steady = self.is_steady, _is_steady(before, self.n_free)
        self.is_settled = was_steady and self.is_steady
        self.remaining = self._remaining(state.violation(), spent)
        cost = self.patience * self.cost(state)
        if self.since > max(cost, 0.1 * self.total):
            return True
        if not (self.is_settled and self.since > 0.3 * cost and self.remaining > cost):
            return False
        return bool(state.movable().sum() <= _WORTHWHILE * self.n_free)

    def walk(self, state):
        """Minimise over the face of the free variables F and move there."""
        self.since = 0.0
        free = np.flatnonzero(state.up == state.down)
        was_single = self._works_in_single(state, free)
        reached = free.size > 1 and self._walk_over(state, free)
        if was_single and not self.is_single:
            self.end()
            reached = self._walk_over(state, free)
        self.gave_up = not reached
        self.patience = 1.0 if reached else min(2.0 * self.patience, 16.0)

    def widen(self, movable):
        """Add the variables of the kept factorisation to a mask, if they are few more."""
        if self.kept is not None:
            wider = movable.copy()
            wider[self.kept] = True
            if wider.sum() <= 1.15 * movable.sum():
                return wider
        return movable

    def hand_over(self, other, translate):
        """Pass the kept factorisation to the walks of another state that has all its variables."""
        if self.kept is not None and (translate[self.kept] >= 0).all():
            other.end()
            other.kept = translate[self.kept]
            other.matrix, other.factor = self.matrix, self.factor
            self.kept, self.matrix, self.factor = None, None, None

    def end(self):
        """Give the memory up."""
        self.kept, self.matrix, self.factor = None, None, None

    def _walk_over(self, state, free):
        if self._forms_inverse(free.size):
            matrix, factor = _factorise(state, free, self.tol, np.float64)
            face, held = free, free[:0]
        elif self._still_serves(free):
            matrix, factor, face = None, self.factor, self.kept
            held = np.flatnonzero(~np.isin(face, free))
        else:
            self.end()
            dtype = np.float32 if self._works_in_single(state, free) else np.float64
            matrix, factor = _factorise(state, free, self.tol, dtype)
            self.matrix, self.factor, self.kept = matrix, factor, free
            face, held = free, free[:0]
        if factor is None:
            self.end()
            self.is_single = False
            return False
        beta, scores = state.beta[face], state.scores[face]
        room_up, room_down = state.high[face] - beta, state.low[face] - beta
        centred = scores - scores.mean()
        if matrix is not None and matrix is not self.matrix:
            moved, reached = _minimiser(factor, centred)[0], True
            n_leaving = np.count_nonzero((moved > room_up) | (moved < room_down))
            if n_leaving:
                few_leave = free.size >= _BATCHES_FROM and n_leaving <= _FEW_LEAVE * free.size
                walk = _walk_in_batches if few_leave else _walk_with_inverse
                moved, reached = walk(factor, centred, room_up, room_down)
        else:
            moved, reached = _walk_in_batches(factor, centred, room_up, room_down, held)
        if not accept(state, face, moved, room_up, room_down):
            self.is_single = False
            return False
        return reached

    def _works_in_single(self, state, free):
        if free.size < _SINGLE_FROM or self._forms_inverse(free.size):
            return False
        return self.is_single and state.K.dtype == np.float32

    def _forms_inverse(self, m):
        return m <= _INVERSE_SIZE and (m <= _SMALL or self.gave_up or not self.is_settled)

    def _still_serves(self, free):
        """Whether the kept factorisation covers all free variables and few others."""
        if self.kept is None or self.kept.size > 1.1 * free.size:
            return False
        return bool(np.isin(free, self.kept).all())

    def _remaining(self, violation, spent):
        """Time until the end, if the violation goes on falling as fast as it has."""
        self.since_best += spent
        fall = max(self.best / max(violation, 1e-300), 1.05)
        remaining = self.since_best * np.log(max(violation / self.tol, 1.0)) / np.log(fall)
        if violation < self.best:
            self.best, self.since_best = violation, 0.0
        return remaining

    def cost(self, state):
        """Nanoseconds that a walk takes, roughly."""
        m, n = self.n_free, self.n
        if self._forms_inverse(m):
            return 1.5e5 + m**3 / 12.0 + 0.3 * m * n
        if self.kept is not None and 0.9 * self.kept.size <= m <= self.kept.size:
            return 2e5 + 2.0 * m * m + 0.5 * m * n
        return 3e5 + 4.0 * m * m + m**3 / 100.0 + 0.5 * m * n


def _is_steady(before, now):
    return abs(now - before) <= _STEADY * now


def _factorise(state, free, tol, dtype):
    """Cholesky factor of A = (K + D)_FF plus jitter, and the memory it lives in."""
    A = state.block(free, dtype)
    diagonal = A.ravel()[:: free.size + 1]
    diagonal += state.ridge[free]
    scale = diagonal.max()
    largest = max(np.abs(state.beta[free]).max(), 1e-300)
    least = _LEAST_JITTER[state.K.itemsize] * scale
    diagonal += min(max(_JITTER_SHARE * tol / largest, least), 1e-3 * scale)
    # A symmetric matrix in Fortran order is its own transpose; potrf fills the lower triangle.
    potrf = lapack.spotrf if dtype == np.float32 else lapack.dpotrf
    factor, info = potrf(A.T, lower=1, overwrite_a=1, clean=0)
    return A, factor if info == 0 else None


def accept(state, face, moved, room_up, room_down):
    """Move by the displacement; return False, and leave all as it was, if that is no descent."""
    if not np.isfinite(moved).all():
        return False
    beta, scores = state.beta[face], state.scores[face]
    # Bounds that the walk has reached are met exactly; the variable with most room takes what
    # rounding has left of the sum.
    target = np.where(moved >= room_up, state.high[face], beta + moved)
    target = np.where(moved <= room_down, state.low[face], target)
    target[moved == 0.0] = beta[moved == 0.0]
    widest = np.minimum(state.high[face] - target, target - state.low[face]).argmax()
    target[widest] -= target.sum() - beta.sum()
    state.set_beta(face, target)
    gain = 0.5 * (target - beta) @ (scores + state.scores[face])
    if not gain > 0.0:
        state.set_beta(face, beta, scores)
        return False
    return True


def _walk_with_inverse(factor, scores, room_up, room_down):
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    moved = np.zeros(scores.size)
    reached = kernels.walk(inverse.T, scores, room_up, room_down, moved)
    return moved, reached


def _walk_in_batches(factor, scores, room_up, room_down, held=_NONE):
    """The walk for many free variables: those nearest to their bounds are frozen in batches."""
    m = scores.size
    target, w = _minimiser(factor, scores)
    w_sum = w.sum()
    moved, step = np.zeros(m), target
    most = held.size + int(_FIXED_SHARE * m)
    frozen = np.zeros(0, dtype=np.intp)
    columns = np.zeros((m, 0))
    fresh = held
    for _ in range(_BATCHES + 1):
        if fresh.size:
            units = np.zeros((m, fresh.size))
            units[fresh, np.arange(fresh.size)] = 1.0
            more = _solve(factor, units) - np.outer(w, w[fresh] / w_sum)
            columns = np.hstack([columns, more])
            frozen = np.concatenate([frozen, fresh])
            try:
                weights = np.linalg.solve(columns[frozen], target[frozen])
            except np.linalg.LinAlgError:
                break
            step = target - columns @ weights
            step[frozen] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(step > 0.0, room_up - moved, room_down - moved) / step
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
        fresh = np.argpartition(ratios, batch - 1)[:batch]
    return moved, False


def _minimiser(factor, scores):
    """The displacement to the minimiser over the face without its bounds, and w = A^-1 e."""
    z, w = _solve(factor, np.column_stack([scores, np.ones(scores.size)])).T
    return z - w * (z.sum() / w.sum()), w


def _solve(factor, right):
    potrs = lapack.spotrs if factor.dtype == np.float32 else lapack.dpotrs
    return potrs(factor, right, lower=1)[0].astype(np.float64, copy=False)
