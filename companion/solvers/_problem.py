"""The state of one SMO run: problem data in beta = y alpha, scores, and the rows of K."""

from __future__ import annotations

import numpy as np

from companion.kernels import KernelRows
from companion.solvers import _smo_kernels as kernels

_STATUS = {
    kernels.CONVERGED: "converged",
    kernels.BUDGET: "budget",
    kernels.STALLED: "stalled",
}


class Problem:
    """min 1/2 b'(K + D) b - y'b, sum b = 0, low <= b <= high, with scores s = y - (K + D) b."""

    def __init__(self, K, y, lower, upper, ridge, *, check_finite=True):
        self.rows, self.K = (K, None) if isinstance(K, KernelRows) else (None, np.asarray(K))
        shape = K.shape if self.rows is not None else self.K.shape
        self.y = _check_labels(y)
        self.n = n = self.y.size
        if shape != (n, n):
            raise ValueError(
                f"The 'K' of a solver must be a square matrix with one row a label, here "
                f"({n}, {n}). Got shape {shape} instead."
            )
        self.lower, self.upper = _vector(lower, n, "lower"), _vector(upper, n, "upper")
        self.ridge = _vector(ridge, n, "ridge")
        _check_box(self.y, self.lower, self.upper, self.ridge)
        positive = self.y > 0.0
        self.low = np.where(positive, self.lower, -self.upper)
        self.high = np.where(positive, self.upper, -self.lower)
        if self.rows is None:
            self._take_matrix(check_finite)
        else:
            self.K, self._slot, self._used = K._buffer, K._slot, K._used
            self._diagonal = K.diagonal + self.ridge
        self._state = np.zeros(3, dtype=np.int64)
        self._interval = np.zeros(2)

    def _take_matrix(self, check_finite):
        if self.K.dtype not in (np.float64, np.float32):
            self.K = self.K.astype(np.float64)
        self.K = np.ascontiguousarray(self.K)
        if check_finite and not np.isfinite(kernels.total(self.K)):
            if not np.isfinite(self.K).all():
                raise ValueError(
                    "The 'K' of a solver must be finite. Got NaN or infinity; look at the inputs "
                    "and the kernel parameters."
                )
        self._slot = np.arange(self.n)
        self._used = np.zeros(self.n, dtype=np.int64)
        self._diagonal = self.K.diagonal() + self.ridge

    @property
    def n_iter(self):
        """Pair updates so far."""
        return int(self._state[0])

    def start(self, beta):
        """Begin at a feasible beta."""
        self.beta = beta
        self.scores = np.empty(self.n)
        self.up, self.down = np.empty(self.n), np.empty(self.n)
        self.refresh_scores()

    def refresh_scores(self):
        """Compute scores, masks and the violation afresh in double precision."""
        self._products = np.zeros(self.n)
        support = np.flatnonzero(self.beta)
        self.add_products(support, self.beta[support], self._products)
        np.subtract(self.y, self._products, out=self.scores)
        self.scores -= self.ridge * self.beta
        self.up[:] = np.where(self.beta < self.high, 0.0, -np.inf)
        self.down[:] = np.where(self.beta > self.low, 0.0, np.inf)
        if self.n:
            self._interval[:] = (self.scores + self.up).max(), (self.scores + self.down).min()

    def products(self):
        """K beta, as of the last call of refresh_scores."""
        return self._products

    def add_products(self, indices, weights, out):
        """out += K[:, indices] @ weights, chunk by chunk where the row cache is small."""
        chunk = indices.size if self.rows is None else self.rows.capacity
        for start in range(0, indices.size, max(chunk, 1)):
            part = indices[start : start + chunk]
            if self.rows is not None:
                self.rows.ensure(part)
            kernels.add_products(self.K, self._slot, part, weights[start : start + chunk], out)

    def update_pairs(self, second_order, tol, budget):
        """Run pair updates; missing rows are fetched on the way. Return a word for the status."""
        while True:
            if self.rows is not None:
                self._state[1] = self.rows._clock[0]
            status = kernels.run_pairs(
                self.K, self._slot, self._used, self._diagonal, self.scores, self.beta,
                self.low, self.high, self.up, self.down, self.ridge,
                second_order, tol, budget, self._state, self._interval,
            )
            if self.rows is not None:
                self.rows._clock[0] = self._state[1]
            if status != kernels.NEEDS_ROW:
                return _STATUS[status]
            self.rows.row(self._state[2])

    def violation(self):
        """The maximal violation, at least 0."""
        return max(self._interval[0] - self._interval[1], 0.0)

    def objective(self):
        """1/2 b'(K + D) b - y'b = -1/2 b'(y + s)."""
        return float(-0.5 * self.beta @ (self.y + self.scores))


def feasible_start(problem, alpha0):
    """Return a feasible beta: y alpha0 clipped to the box and shrunk on the heavier side."""
    low, high, n = problem.low, problem.high, problem.n
    if alpha0 is None:
        beta = np.zeros(n)
    else:
        beta = problem.y * _vector(alpha0, n, "alpha0")
        if not np.isfinite(beta).all():
            raise ValueError("The 'alpha0' of a solver must be finite. Got NaN or infinity.")
    np.clip(beta, low, high, out=beta)
    if abs(beta.sum()) > 1e-12 * max(np.abs(beta).sum(), 1e-300):
        _restore_balance(beta, low, high)
    return beta


def _restore_balance(beta, low, high):
    """Move beta inside its box, in place, until it sums to zero: towards zero first."""
    for towards in (0.0, np.inf):
        excess = beta.sum()
        if excess > 0.0:
            target = np.maximum(low, np.minimum(beta, 0.0) if towards == 0.0 else -np.inf)
        else:
            target = np.minimum(high, np.maximum(beta, 0.0) if towards == 0.0 else np.inf)
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


def _check_labels(y):
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.ndim != 1 or not y.size or not (np.abs(y) == 1.0).all():
        raise ValueError(
            f"The 'y' of a solver must be a nonempty vector of labels -1 and +1. "
            f"Got shape {y.shape} with the values {np.unique(y)[:5]}."
        )
    return y


def _vector(value, n, name):
    vector = np.asarray(value, dtype=np.float64)
    if vector.ndim == 0:
        return np.full(n, float(vector))
    if vector.shape != (n,):
        raise ValueError(
            f"The '{name}' of a solver must be a number or a vector of length {n}. "
            f"Got shape {vector.shape} instead."
        )
    return np.ascontiguousarray(vector)


def _check_box(y, lower, upper, ridge):
    if not (lower <= upper).all():
        where = np.flatnonzero(~(lower <= upper))[0]
        raise ValueError(
            f"The bounds of a solver must satisfy lower <= upper. Got lower = {lower[where]} and "
            f"upper = {upper[where]} for sample {where}."
        )
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError("The 'ridge' of a solver must be finite and at least 0 for every sample.")
    if (lower == np.inf).any() or (upper == -np.inf).any():
        raise ValueError("The bounds of a solver must satisfy lower < inf and upper > -inf.")
    low, high = np.where(y > 0.0, lower, -upper), np.where(y > 0.0, upper, -lower)
    least, most = low.sum(), high.sum()
    if least > 1e-12 * np.abs(low).sum() or most < -1e-12 * np.abs(high).sum():
        raise ValueError(
            f"The box of a solver must hold a point with y'a = 0. Got bounds for which y'a lies "
            f"between {least:.6g} and {most:.6g}."
        )
