"""The dual of the four machines in terms of beta = y alpha: checked inputs, scores, moves."""

from __future__ import annotations

import numpy as np

from companion.kernels import KernelRows
from companion.solvers import _smo_loops as loops

# Rounding at a bound is taken out where that changes a score by no more than this share of tol.
_SNAP_SHARE = 1e-3


class DualProblem:
    """min 1/2 b'(K + D) b - y'b, sum b fixed, low <= b <= high, with scores s = y - (K + D) b."""

    def __init__(self, K, y, low, high, ridge, diagonal, rows=None):
        self.K, self.y, self.low, self.high, self.ridge = K, y, low, high, ridge
        self.n, self.diagonal, self.rows = y.size, diagonal, rows
        self.slot = np.arange(self.n) if rows is None else rows.slot
        self.used = np.zeros(self.n, dtype=np.int64) if rows is None else rows.used
        # Pair updates, the clock of the rows, the row that is missing; the ends of the scores.
        self.counts, self.ends = np.zeros(3, dtype=np.int64), np.array([np.inf, -np.inf])

    @property
    def n_iter(self):
        return int(self.counts[0])

    @property
    def violation(self):
        return max(float(self.ends[0] - self.ends[1]), 0.0)

    def update_pairs(self, second_order, tol, budget):
        """Steps (8) to (11) until the end, a spent budget or a stall; return which it is."""
        while True:
            if self.rows is not None:
                self.counts[1] = self.rows.clock
            status = loops.update_pairs(
                self.K,
                self.slot,
                self.used,
                self.diagonal,
                self.scores,
                self.beta,
                self.low,
                self.high,
                self.ridge,
                second_order,
                tol,
                budget,
                self.counts,
                self.ends,
            )
            if self.rows is not None:
                self.rows.clock = int(self.counts[1])
            if status != loops.NEEDS_ROW:
                return status
            self._fetch(int(self.counts[2]))

    def begin(self, beta, alpha0=None, products0=None):
        """Start at beta, with K (y alpha0) where that is known and beta is y alpha0."""
        self.beta = beta
        if products0 is None or alpha0 is None or not np.array_equal(beta, self.y * alpha0):
            products0 = self._products_of(beta)
        self.products = products0
        self.scores = self.y - products0 - self.ridge * beta

    def refresh(self):
        """Compute products and scores afresh; return the violation."""
        self.begin(self.beta)
        return self._measure()

    def _measure(self):
        self.update_pairs(False, np.inf, self.n_iter)
        return self.violation

    def _products_of(self, beta):
        products = np.zeros(self.n)
        support = beta.nonzero()[0]
        self.add_products(support, beta[support], products)
        return products

    def move(self, indices, target):
        """Give beta[indices] new values and keep the scores current."""
        self.scores -= self._change_of_scores(indices, target - self.beta[indices])
        self.beta[indices] = target

    def descend(self, indices, step):
        """Minimise along a step to a point in the box; False where that is no descent."""
        fall = self._change_of_scores(indices, step)
        slope, curvature = step @ self.scores[indices], step @ fall[indices]
        if not slope > 0.0:
            return False
        length = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
        before, low, high = self.beta[indices], self.low[indices], self.high[indices]
        target = before + length * step
        rounding = 1e-14 * (np.abs(before) + np.abs(target))
        target = np.where(target - low <= rounding, low, target)
        self.beta[indices] = np.where(high - target <= rounding, high, target)
        self.scores -= length * fall
        self._measure()
        return True

    def _change_of_scores(self, indices, step):
        """(K + D) step for a step of some variables."""
        products = np.zeros(self.n)
        self.add_products(indices, step, products)
        products[indices] += self.ridge[indices] * step
        return products

    def free(self):
        """Samples whose variable is inside its bounds."""
        return np.flatnonzero((self.beta > self.low) & (self.beta < self.high))

    def movable(self, least):
        """Samples in a pair that violates by more than `least`."""
        top, bottom = self.ends
        rises = (self.beta < self.high) & (self.scores > bottom + least)
        falls = (self.beta > self.low) & (self.scores < top - least)
        return np.flatnonzero(rises | falls)

    def objective(self):
        return float(-0.5 * self.beta @ (self.y + self.scores))

    def snap(self, tol):
        """Put variables at the bound that they are off by rounding only; return the violation."""
        target = self.beta.copy()
        if loops.snap(target, self.low, self.high, _SNAP_SHARE * tol / self.diagonal.max()):
            moved = np.flatnonzero(target != self.beta)
            self.move(moved, target[moved])
            self.products = self.y - self.scores - self.ridge * self.beta
        return self._measure()

    def add_products(self, indices, weights, out):
        """out += K[:, indices] @ weights, chunk by chunk where few rows of K are at hand."""
        chunk = indices.size if self.rows is None else self.rows.capacity
        for start in range(0, indices.size, max(chunk, 1)):
            part = indices[start : start + chunk]
            if self.rows is not None:
                self.rows.ensure(part)
            loops.add_products(self.K, self.slot, part, weights[start : start + chunk], out)

    def block(self, indices):
        """The entries of K for some samples, in memory of their own."""
        if self.rows is not None and (self.slot[indices] < 0).any():
            return self.rows.block(indices)
        out = np.empty((indices.size, indices.size))
        loops.gather(self.K, self.slot, indices, out)
        return out

    def has_room_for(self, indices):
        """Whether a block of K may be held beside the rows at hand."""
        return indices.size**2 <= self.K.size

    def restricted_to(self, indices):
        """The same problem over some samples, the others held."""
        linear = self.y[indices], self.low[indices], self.high[indices], self.ridge[indices]
        part = DualProblem(self.block(indices), *linear, self.diagonal[indices])
        part.beta, part.scores = self.beta[indices], self.scores[indices]
        part.counts[0] = self.counts[0]
        return part

    def take_back(self, indices, part):
        """Accept the solution over some samples."""
        self.counts[0] = part.counts[0]
        self.move(indices, part.beta)

    def _fetch(self, i):
        """Cache the missing row i, and with it rows that are likely to be needed next."""
        rows = self.rows
        rows.row(i)
        m = min(max(4, rows.n_computed // 32), rows.capacity // 2)
        if m > 4:
            middle = self.scores.mean()
            rises = np.where(self.beta < self.high, self.scores - middle, 0.0)
            falls = np.where(self.beta > self.low, middle - self.scores, 0.0)
            pull = np.where(self.slot < 0, np.maximum(rises, falls), 0.0)
            likely = np.argpartition(pull, -m)[-m:]
            rows.ensure(np.sort(likely[self.slot[likely] < 0]))


def checked_problem(K, y, lower, upper, ridge, check_finite=True):
    """The problem of checked inputs, without a start; :class:`ValueError` where they are amiss."""
    rows = K if isinstance(K, KernelRows) else None
    K = K if rows is not None else np.asarray(K)
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.ndim != 1 or not y.size:
        raise ValueError(
            f"The 'y' of a solver must be a nonempty vector. Got shape {y.shape} instead."
        )
    n = y.size
    if K.shape != (n, n):
        raise ValueError(
            f"The 'K' of a solver must be a square matrix with one row a label, here "
            f"({n}, {n}). Got shape {K.shape} instead."
        )
    lower, upper = checked_vector(lower, n, "lower"), checked_vector(upper, n, "upper")
    ridge = checked_vector(ridge, n, "ridge")
    low, high = np.empty((2, n))
    if not loops.prepare(y, lower, upper, ridge, low, high):
        _refuse(y, low, high, lower, upper, ridge)
    if rows is None:
        K = checked_matrix(K, check_finite)
        return DualProblem(K, y, low, high, ridge, K.diagonal() + ridge)
    return DualProblem(rows.buffer, y, low, high, ridge, rows.diagonal + ridge, rows)


def feasible_start(problem, alpha0):
    """Return a feasible beta: y alpha0 clipped to the box and shrunk on the heavier side."""
    low, high, n = problem.low, problem.high, problem.n
    beta = np.zeros(n) if alpha0 is None else problem.y * checked_vector(alpha0, n, "alpha0")
    if not np.isfinite(beta).all():
        raise ValueError("The 'alpha0' of a solver must be finite. Got NaN or infinity.")
    np.clip(beta, low, high, out=beta)
    if abs(beta.sum()) > 1e-12 * np.abs(beta).sum():
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


def checked_matrix(K, check_finite):
    """K as a C-contiguous float64 matrix, looked at for NaN and infinity if asked to."""
    K = np.ascontiguousarray(K, dtype=np.float64)
    # A sum that is not finite may have overflowed; only then are the entries looked at one by one.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = check_finite and not np.isfinite(K.sum())
    if suspicious and not np.isfinite(K).all():
        raise ValueError(
            "The 'K' of a solver must be finite. Got NaN or infinity; look at the inputs and the "
            "kernel parameters."
        )
    return K


def checked_vector(value, n, name):
    vector = np.asarray(value, dtype=np.float64)
    if vector.ndim == 0:
        return np.full(n, float(vector))
    if vector.shape != (n,):
        raise ValueError(
            f"The '{name}' of a solver must be a number or a vector of length {n}. "
            f"Got shape {vector.shape} instead."
        )
    return np.ascontiguousarray(vector)


def _refuse(y, low, high, lower, upper, ridge):
    if not (np.abs(y) == 1.0).all():
        raise ValueError(
            f"The 'y' of a solver must hold labels -1 and +1 only. "
            f"Got the values {np.unique(y)[:5]}."
        )
    if not (low <= high).all():
        where = np.flatnonzero(~(low <= high))[0]
        raise ValueError(
            f"The bounds of a solver must satisfy lower <= upper. Got lower = {lower[where]} and "
            f"upper = {upper[where]} for sample {where}."
        )
    if (low == np.inf).any() or (high == -np.inf).any():
        raise ValueError("The bounds of a solver must satisfy lower < inf and upper > -inf.")
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError("The 'ridge' of a solver must be finite and at least 0 for every sample.")
    raise ValueError(
        f"The box of a solver must hold a point with y'a = 0. Got bounds for which y'a lies "
        f"between {low.sum():.6g} and {high.sum():.6g}."
    )
