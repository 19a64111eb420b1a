"""The dual of the four machines in terms of beta = y alpha: checked inputs and rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from companion._utils.checks import check_square, checked_signs
from companion.kernels import KernelRows
from companion.solvers._loops import smo as loops

# Rounding at a bound is taken out where that changes a score by no more than this share of tol.
_SNAP_SHARE = 1e-3


class DualProblem:
    """A :class:`companion.solvers._loops.smo.Dual` and the source of its rows."""

    def __init__(self, K, y, diagonal, rows=None):
        self.y = y
        self.n = y.size
        self.rows = rows
        self.diagonal = diagonal
        self.slot = np.arange(self.n) if rows is None else rows.slot
        vectors = np.zeros((7, self.n))
        (
            total,
            self.low,
            self.high,
            self.ridge,
            self.beta,
            self.scores,
            self.products,
        ) = vectors
        self.clock = np.zeros(3, dtype=np.int64)
        self.ends = np.zeros(2)
        self.credit = 0
        self.dual = loops.Dual(
            K,
            self.slot,
            total,
            y,
            self.low,
            self.high,
            self.ridge,
            self.beta,
            self.scores,
            self.products,
            self.clock,
            self.ends,
        )

    @cached_property
    def is_ridged(self):
        """Whether every variable has a ridge."""
        return bool(self.ridge.all())

    @cached_property
    def limited(self):
        """Whether all variables, and whether any, have a finite box or a ridge."""
        limited = (self.ridge > 0.0) | np.isfinite(self.high - self.low)
        return bool(limited.all()), bool(limited.any())

    @property
    def n_iter(self):
        return int(self.clock[loops.N_ITER])

    @property
    def n_rows_again(self):
        """How many rows were computed beyond one for each sample."""
        return 0 if self.rows is None else max(self.rows.n_computed - self.n, 0)

    @property
    def violation(self):
        return max(float(self.ends[0] - self.ends[1]), 0.0)

    def begin(self, beta):
        """Start at a feasible beta."""
        self.beta[:] = beta
        self.start_afresh()
        self.refresh()

    def start_afresh(self):
        """Count iterations from zero, from where the problem stands."""
        self.clock[:] = 0
        # From zero the bounds have to be found before a Newton step pays: about n updates.
        self.credit = 0 if self.beta.any() else -self.n

    def refresh(self):
        """Compute products and scores afresh; return the violation."""
        if self.rows is None:
            return loops.refresh(self.dual, True)
        missing = np.flatnonzero((self.slot < 0) & (self.beta != 0.0))
        self.ensure(missing[: self.rows.room])
        violation = loops.refresh(self.dual, True)
        missing = missing[self.slot[missing] < 0]
        if not missing.size:
            return violation
        self._add_past_the_cache(missing, self.beta[missing], self.products)
        return loops.refresh(self.dual, False)

    def times(self, indices, weights):
        """K[:, indices] @ weights."""
        total = np.zeros(self.n)
        at_hand = self.slot[indices] >= 0
        if at_hand.all():
            loops.add_products(self.dual.K, self.slot, indices, weights, total)
        else:
            near = indices[at_hand]
            far = indices[~at_hand]
            loops.add_products(self.dual.K, self.slot, near, weights[at_hand], total)
            self._add_past_the_cache(far, weights[~at_hand], total)
        return total

    def _add_past_the_cache(self, indices, weights, total):
        done = 0
        for some, rows in self.rows.blocks(indices):
            places = np.arange(some.size)
            loops.add_products(
                rows, places, places, weights[done : done + some.size], total
            )
            done += some.size

    def free(self):
        """Indices of the variables strictly inside the box."""
        return np.flatnonzero((self.beta > self.low) & (self.beta < self.high))

    def least_curved(self, most):
        """The pair of negative curvature, or else samples with the largest variables."""
        everyone = np.arange(self.n)
        diagonal = self.dual.diagonal
        blocks = [(everyone, self.dual.K)]
        if self.rows is not None:
            blocks = self.rows.blocks(everyone)
        least = 0.0
        found = np.sort(np.argsort(-np.abs(self.beta))[:most])
        for some, rows in blocks:
            for i, row in zip(some, rows, strict=True):
                curvature = diagonal[i] + diagonal - 2.0 * row
                j = curvature.argmin()
                if curvature[j] < least:
                    least = curvature[j]
                    found = np.sort([i, j])
        return found

    def snap(self, tol):
        """Put variables at the bound that they are off by rounding only; return the violation."""
        if loops.snap(
            self.beta, self.low, self.high, self.dual.diagonal, _SNAP_SHARE * tol
        ):
            return self.refresh()
        return self.violation

    def fetch(self):
        """Cache the rows of the pair that pair updates have stopped at."""
        self.ensure(np.unique(self.clock[[loops.FIRST, loops.SECOND]]))

    def ensure(self, indices):
        """Have the rows of these samples at hand."""
        if self.rows is not None:
            self.rows.ensure(indices)

    def square(self, indices):
        """The entries of K for some samples, in memory of their own."""
        slots = self.slot[indices]
        if (slots < 0).any():
            return self.rows.square(indices)
        return loops.cut(self.dual.K, slots, indices)


def checked_problem(K, y, lower, upper, ridge, check_finite=True):
    """The problem of checked inputs, without a start; :class:`ValueError` where they are amiss."""
    is_rows = isinstance(K, KernelRows)
    K = K if is_rows else np.asarray(K)
    y = checked_signs(y, "a solver")
    n = y.size
    check_square(K, n, "a solver")
    if is_rows:
        problem = DualProblem(K.buffer, y, K.diagonal, K)
    else:
        K = np.ascontiguousarray(K, dtype=np.float64)
        if check_finite:
            refuse_nonfinite(K, "a solver")
        problem = DualProblem(K, y, K.diagonal())
    lower = checked_vector(lower, n, "lower")
    upper = checked_vector(upper, n, "upper")
    problem.ridge[:] = checked_vector(ridge, n, "ridge")
    if not loops.prepare(y, lower, upper, problem.ridge, problem.low, problem.high):
        _refuse(problem.low, problem.high, lower, upper, problem.ridge)
    np.add(problem.diagonal, problem.ridge, out=problem.dual.diagonal)
    return problem


def feasible_start(problem, alpha0):
    """Return a feasible beta: y alpha0 clipped to the box and shrunk on the heavier side."""
    low = problem.low
    high = problem.high
    n = problem.n
    beta = np.zeros(n)
    if alpha0 is not None:
        beta = problem.y * checked_vector(alpha0, n, "alpha0")
    np.clip(beta, low, high, out=beta)
    if beta.any() and abs(beta.sum()) > 1e-12 * np.abs(beta).sum():
        _restore_balance(beta, low, high)
    return beta


def _restore_balance(beta, low, high):
    """Move beta inside its box, in place, until it sums to zero: towards zero first."""
    for towards_zero in (True, False):
        excess = beta.sum()
        if excess > 0.0:
            target = np.maximum(low, np.minimum(beta, 0.0) if towards_zero else -np.inf)
        else:
            target = np.minimum(high, np.maximum(beta, 0.0) if towards_zero else np.inf)
        room = np.abs(beta - target)
        if np.isinf(room).any():
            room = np.where(np.isinf(room), abs(excess), 0.0)
        total = room.sum()
        if total <= 0.0:
            continue
        share = min(abs(excess) / total, 1.0)
        beta -= np.sign(excess) * share * room
        np.clip(beta, low, high, out=beta)
        if share < 1.0:
            break
    rest = beta.sum()
    widest = np.argmax(beta - low if rest > 0.0 else high - beta)
    beta[widest] = min(max(beta[widest] - rest, low[widest]), high[widest])


def refuse_nonfinite(K, name):
    """Refuse a matrix with NaN or infinity."""
    # A sum that is not finite may have overflowed; only then are the entries looked at one by one.
    with np.errstate(over="ignore", invalid="ignore"):
        is_suspicious = not np.isfinite(K.sum())
    if is_suspicious and not np.isfinite(K).all():
        raise ValueError(
            f"The 'K' of {name} must be finite. Got NaN or infinity; look at the inputs and the "
            "kernel parameters."
        )


def checked_vector(value, n, name):
    """A vector of length n, or a number for all."""
    vector = np.asarray(value, dtype=np.float64)
    if vector.ndim == 0:
        return np.full(n, float(vector))
    if vector.shape != (n,):
        raise ValueError(
            f"The '{name}' of a solver must be a number or a vector of length {n}. "
            f"Got shape {vector.shape} instead."
        )
    if name == "alpha0" and not np.isfinite(vector).all():
        raise ValueError(
            "The 'alpha0' of a solver must be finite. Got NaN or infinity."
        )
    return np.ascontiguousarray(vector)


def _refuse(low, high, lower, upper, ridge):
    if not (low <= high).all():
        where = np.flatnonzero(~(low <= high))[0]
        raise ValueError(
            f"The bounds of a solver must satisfy lower <= upper. Got lower = {lower[where]} and "
            f"upper = {upper[where]} for sample {where}."
        )
    if (low == np.inf).any() or (high == -np.inf).any():
        raise ValueError(
            "The bounds of a solver must satisfy lower < inf and upper > -inf."
        )
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError(
            "The 'ridge' of a solver must be finite and at least 0 for every sample."
        )
    raise ValueError(
        f"The box of a solver must hold a point with y'a = 0. Got bounds for which y'a lies "
        f"between {low.sum():.6g} and {high.sum():.6g}."
    )
