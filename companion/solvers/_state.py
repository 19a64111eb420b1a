"""The state of one SMO run: problem data in beta = y alpha, scores, and the rows of K."""

from __future__ import annotations

import numpy as np

from companion.solvers import _box_kernels
from companion.solvers import _smo_kernels as kernels
from companion.solvers._smo_quick import run_quick_pairs, solve_small

_STATUS = {kernels.CONVERGED: "converged", kernels.BUDGET: "budget", kernels.STALLED: "stalled"}

# Up to this many samples a shrunk problem is computed in double precision from X.
_EXACT_SAMPLES = 1500

# Pair updates keep scores in single precision where the tolerance is so many times the rounding of
# the largest, and go over to double where the end has not been reached after so many corrections.
_SINGLE_MARGIN, _CORRECTIONS = 128.0, 8

# A matrix of so many samples may be copied to single precision, where squares may overflow beyond
# such a diagonal: 1.05 to 1.09 times as fast in the mean of a set at 800 and 1200 samples, fits of
# more than 8 ms 1.09 times, single ones 0.7 to 3 times; no gain at 450. Mean relative error of the
# entries, and the share of tol that the scores may be wrong by: with more, claims of an end are
# false too often.
_LEAST_COPIED, _MOST_COPIED, _MOST_DIAGONAL = 700, 4000, 1e15
_COPY_ERROR, _COPY_SHARE = 1.7e-8, 0.1

# Up to so many samples a compiled solver comes first. Where zero is inside the box most variables
# are free, and Newton steps over many of them are better made by LAPACK alone. Measured at C = 1,
# 10, 100, it makes LeastOneNormSVC 0.9 to 1.7 times as fast at 300 samples and 0.6 to 1.4 times at
# 500; L1SVC, C = 1000 too, 0.9 to 1.9 times at 400, 0.7 to 1.5 at 800 and 0.9 to 1.25 at 1000.
_SMALL_AT_END, _SMALL_INSIDE = 800, 300

# Rounding at a bound is taken out where that changes a score by no more than this share of tol.
_SNAP_SHARE = 1e-3

# Nanoseconds a sample that it may take: about twice what the others need where it serves.
_SMALL_EFFORT = 2e4


class State:
    """min 1/2 b'(K + D) b - y'b, sum b fixed, low <= b <= high, with scores s = y - (K + D) b."""

    def __init__(self, K, slot, used, rows, linear, low, high, ridge, diagonal):
        self.n = linear.size
        self.K, self.slot, self.used, self.rows = K, slot, used, rows
        self.linear, self.low, self.high, self.ridge = linear, low, high, ridge
        self.diagonal = diagonal
        self.is_quick = False
        self.K_single, self._exact = None, None
        self.counts = np.zeros(3, dtype=np.int64)
        self.interval = np.zeros(2)

    def start(self, beta, scores=None):
        """Begin at a beta inside the box; its scores are computed unless given."""
        self.beta = beta
        self.scores, self.up, self.down = np.empty((3, self.n))
        if scores is None:
            self.refresh_scores()
        else:
            self.scores[:] = scores
            self._refresh_masks()

    def allow_single(self, K_single):
        """Let quick pair updates work in single precision, with a copy of K."""
        self.K_single = K_single

    def work_in_single(self, tol):
        """Let quick pair updates work in single precision from here on, where it serves."""
        if not self.is_quick or self.rows is not None:
            return
        largest = self.diagonal.max()
        rounding = _COPY_ERROR * largest * np.linalg.norm(self.beta)
        if self.K.dtype == np.float32:
            self.allow_single(self.K)
        elif (
            _LEAST_COPIED <= self.n <= _MOST_COPIED
            and largest < _MOST_DIAGONAL
            and rounding <= _COPY_SHARE * tol
        ):
            self.allow_single(self.K.astype(np.float32))

    def refresh_scores(self):
        self.products = np.zeros(self.n)
        support = self.beta.nonzero()[0]
        self.add_products(support, self.beta[support], self.products)
        np.subtract(self.linear, self.products, out=self.scores)
        self.scores -= self.ridge * self.beta
        self._exact = None
        self._refresh_masks()

    def snap(self, tol):
        target = self.beta.copy()
        largest = max(self.diagonal.max(), 1e-300)
        if _box_kernels.snap(target, self.low, self.high, _SNAP_SHARE * tol / largest):
            moved = np.flatnonzero(target != self.beta)
            self.set_beta(moved, target[moved])
            self.products = self.linear - self.scores - self.ridge * self.beta

    def end(self):
        """Give up the copy in single precision."""
        self.K_single = None

    def _refresh_masks(self):
        kernels.masks(
            self.scores, self.beta, self.low, self.high, self.up, self.down, self.interval
        )

    def add_products(self, indices, weights, out):
        """out += K[:, indices] @ weights, chunk by chunk where the row cache is small."""
        chunk = indices.size if self.rows is None else self.rows.capacity
        for start in range(0, indices.size, max(chunk, 1)):
            part = indices[start : start + chunk]
            if self.rows is not None:
                self.rows.ensure(part)
            kernels.add_products(self.K, self.slot, part, weights[start : start + chunk], out)

    def update_pairs(self, second_order, tol, budget):
        """Run pair updates; missing rows are fetched on the way. Return a word for the status."""
        if second_order and self.is_quick and self.K_single is not None:
            for _ in range(_CORRECTIONS):
                status = self._update_in_single(tol, budget)
                if status == "budget":
                    return status
                self.correct()
                if self.violation() <= tol:
                    return "converged"
                if status != "converged":
                    break
        while True:
            if self.rows is not None:
                self.counts[1] = self.rows.clock
            data = (
                self.K,
                self.slot,
                self.used,
                self.diagonal,
                self.scores,
                self.beta,
                self.low,
                self.high,
                self.up,
                self.down,
                self.ridge,
            )
            if second_order and self.is_quick:
                status = run_quick_pairs(*data, tol, budget, self.counts, self.interval)
            else:
                status = kernels.run_pairs(
                    *data, second_order, tol, budget, self.counts, self.interval
                )
            if self.rows is not None:
                self.rows.clock = int(self.counts[1])
            if status != kernels.NEEDS_ROW:
                return _STATUS[status]
            self._fetch(int(self.counts[2]))

    def solve_at_once(self, tol, budget):
        """Go for the solution in one compiled call, for a few samples; whether it is there."""
        if not self._is_small() or budget <= self.n_iter:
            return False
        try:
            status = solve_small(
                self.K,
                self.diagonal,
                self.linear,
                self.low,
                self.high,
                self.ridge,
                self.beta,
                self.scores,
                self.up,
                self.down,
                tol,
                budget,
                _SMALL_EFFORT * self.n,
                self.counts,
                self.interval,
            )
        except np.linalg.LinAlgError:
            status = kernels.STALLED
        self._refresh_masks()
        self.products = self.linear - self.scores - self.ridge * self.beta
        return status == kernels.CONVERGED

    def _is_small(self):
        if not (self.is_quick and self.rows is None and self.K.dtype == np.float64):
            return False
        if self.n > _SMALL_AT_END:
            return False
        _, has_zero_inside, is_finite = _box_kernels.box(self.low, self.high)
        return is_finite and (self.n <= _SMALL_INSIDE or not has_zero_inside)

    def _update_in_single(self, tol, budget):
        """Pair updates on vectors in single precision; "coarse" if that is too little."""
        rounded = self.scores.astype(np.float32)
        largest = max(-rounded.min(), rounded.max())
        if not tol > _SINGLE_MARGIN * np.finfo(np.float32).eps * largest:
            return "coarse"
        if self._exact is None:
            self._exact = self.beta.copy(), self.scores.copy()
        status = run_quick_pairs(
            self.K_single,
            self.slot,
            self.used,
            self.diagonal,
            rounded,
            self.beta,
            self.low,
            self.high,
            self.up,
            self.down,
            self.ridge,
            tol,
            budget,
            self.counts,
            self.interval,
        )
        self.scores[:] = rounded
        return _STATUS[status]

    def correct(self):
        """Take out of the scores what updates in single precision have left there."""
        if self._exact is None:
            return
        beta, scores = self._exact
        change = self.beta - beta
        products = np.zeros(self.n)
        moved = change.nonzero()[0]
        self.add_products(moved, change[moved], products)
        self.scores = scores - products - self.ridge * change
        self._exact = None
        self._refresh_masks()

    def _fetch(self, i):
        """Cache the missing row i, and with it rows that are likely to be needed next."""
        rows = self.rows
        rows.row(i)
        n_segments = min(max(4, rows.n_computed // 32), rows.capacity // 8)
        if n_segments > 0:
            likely = np.empty(2 * n_segments, dtype=np.int64)
            count = kernels.likely_rows(
                self.scores, self.up, self.down, self.slot, n_segments, likely
            )
            rows.ensure(np.sort(likely[:count]))

    @property
    def n_iter(self):
        return int(self.counts[0])

    def violation(self):
        return max(self.interval[0] - self.interval[1], 0.0)

    def n_free(self):
        return int(np.count_nonzero(self.up == self.down))

    def objective(self):
        return float(-0.5 * self.beta @ (self.linear + self.scores))

    def block(self, indices, dtype=np.float64):
        out = np.empty((indices.size, indices.size), dtype)
        if self.rows is not None and (self.slot[indices] < 0).any():
            return self.rows.block(indices, out=out)
        kernels.gather(self.K, self.slot, indices, out)
        return out

    def set_beta(self, indices, beta, scores=None):
        """Give beta[indices] new values and keep scores and masks current."""
        change = beta - self.beta[indices]
        self.beta[indices] = beta
        products = np.zeros(self.n)
        moved = change.nonzero()[0]
        self.add_products(indices[moved], change[moved], products)
        self.scores -= products
        if scores is None:
            self.scores[indices] -= self.ridge[indices] * change
        else:
            self.scores[indices] = scores
        self._refresh_masks()

    def movable(self):
        """Mask of the variables that make a violating pair with some other."""
        top, bottom = self.interval
        return (self.scores + self.up > bottom) | (self.scores + self.down < top)

    def restricted_to(self, indices):
        """The same problem over some variables, the others held, as a state of its own."""
        m = indices.size
        if self.rows is not None and m <= _EXACT_SAMPLES:
            K = self.rows.block(indices)
        else:
            K = self.block(indices, self.K.dtype)
        part = State(
            K,
            np.arange(m),
            np.zeros(m, dtype=np.int64),
            None,
            self.linear[indices],
            self.low[indices],
            self.high[indices],
            self.ridge[indices],
            self.diagonal[indices],
        )
        part.start(self.beta[indices], self.scores[indices])
        part.counts[0] = self.counts[0]
        part.is_quick = self.is_quick
        if self.K_single is self.K:
            part.allow_single(K)
        elif self.K_single is not None:
            part.allow_single(np.empty((m, m), np.float32))
            kernels.gather(self.K_single, self.slot, indices, part.K_single)
        return part

    def take_back(self, indices, part):
        """Accept the solution over some variables; the scores of all follow, the part ends."""
        self.counts[0] = part.counts[0]
        part.correct()
        self.set_beta(indices, part.beta, part.scores)
