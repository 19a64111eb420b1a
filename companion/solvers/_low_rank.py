"""An interior point on a low-rank factor of K, to come close to the solution in one go.

The exact K judges where it ends, and pair updates and Newton steps finish. S. Fine and
K. Scheinberg, Efficient SVM training using low-rank kernel representations, JMLR 2 (2001).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._newton import accept

_OPTIONS = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "reassoc", "contract"},
    "nogil": True,
}

# The factor ends when no diagonal entry of K - L'L is larger than this share of tol over the mean
# half-width of the box, within these shares of the largest diagonal entry; less is rounding.
_RESIDUAL_SHARE = 0.1
_LEAST_RESIDUAL, _MOST_RESIDUAL = {8: 1e-8, 4: 2e-6}, 1e-3

# Rank that is still low: below this share of the samples and this number.
_RANK_SHARE, _MOST_RANK = 0.5, 200

# Nanoseconds of a factor are this times n rank^2; it may have this share of what has been spent.
_FACTOR_COST, _FACTOR_SHARE = 0.08, 0.2

# From so many pivots on, a mean residual that has fallen, in logarithms, by less than this share of
# what would make the rank low has shown that it is not.
_LOOK, _SLOW = 16, 0.3

# Steps of the interior point: the most; and how many it takes by and large, where zero is inside
# the box and where it is at an end (8 to 14 and 13 to 24 were seen).
_MOST_STEPS, _STEPS_INSIDE, _STEPS_AT_END = 40, 12, 22

# What is still to come must be so many times the interior point; so many Newton walks cost as much.
_FAR, _WALKS = 1.5, 4.0

_BLOCK = 32

# Share of the way to the boundary.
_INSIDE = 0.99


class LowRank:
    """The decision when an interior point on a low-rank factor pays, and the way there."""

    def __init__(self, tol):
        self.tol = tol
        self.spent, self.patience = 0.0, 1.0
        self.is_hopeless = self.is_complete = False
        self.state, self.factor, self.rank = None, None, 0

    def is_due(self, state, newton, spent):
        """Take note of ``spent`` nanoseconds; return whether to solve now."""
        self.spent += spent
        if self.is_hopeless or not state.is_quick or not self._pays(state, newton, self.rank):
            return False
        return self._extend(state) and self._pays(state, newton, self.rank)

    def solve(self, state):
        """Minimise with L'L in place of K, and move there if that lowers the objective for K."""
        self.spent, self.patience = 0.0, 4.0 * self.patience
        factor, before = self.factor[: self.rank], state.beta
        # The scores are those of K, so that what K and L'L differ by concerns the move alone.
        linear = state.scores + (factor @ before) @ factor + state.ridge * before
        beta, lower_price, upper_price = (np.empty(state.n) for _ in range(3))
        try:
            n_steps = interior_point(
                factor,
                linear,
                state.low,
                state.high,
                state.ridge,
                before.sum(),
                self.tol,
                _MOST_STEPS,
                beta,
                lower_price,
                upper_price,
            )
        except np.linalg.LinAlgError:
            return
        if n_steps < 0:
            return
        moved = _at_bounds(state, beta, lower_price, upper_price) - before
        if abs(moved.sum()) <= 1e-9 * np.abs(moved).sum():
            accept(state, np.arange(state.n), moved, state.high - before, state.low - before)

    def _pays(self, state, newton, rank):
        """Whether the interior point would pay on a factor of so many rows."""
        cost = self.patience * _cost(state, max(rank, _LOOK))
        if newton.remaining < _FAR * cost:
            return False
        return self.spent > (0.3 if _WALKS * newton.cost(state) > cost else 4.0) * cost

    def _extend(self, state):
        """Add the rows to the factor that can be afforded; return whether it is complete."""
        if state is not self.state:
            self._begin(state)
        if self.is_hopeless:
            return False
        affordable = int(np.sqrt(_FACTOR_SHARE * self.spent / (_FACTOR_COST * state.n)))
        last = min(affordable, self.factor.shape[0])
        while not self.is_complete and not self.is_hopeless and self.rank < last:
            end = last if self.rank >= _LOOK else min(last, _LOOK)
            self.rank = factorise(
                state.K,
                state.slot,
                self.residual,
                self.factor[:end],
                self.rank,
                self.least,
                self.missing,
            )
            if self.missing[0] >= 0:
                state.rows.row(int(self.missing[0]))
            self.is_complete = bool(self.missing[1])
            left = max(self.residual.mean() / self.scale, 1e-300)
            if not self.is_complete and self.rank >= _LOOK:
                wanted = np.log(self.least / self.scale) * self.rank / self.factor.shape[0]
                self.is_hopeless = np.log(left) > _SLOW * wanted
            self.is_hopeless |= self.rank == self.factor.shape[0] and not self.is_complete
        return self.is_complete and self.rank > 0

    def _begin(self, state):
        """Start the factor of a state anew."""
        self.state, self.rank, self.is_complete = state, 0, False
        self.missing = np.array([-1, 0])
        self.residual = state.diagonal - state.ridge
        self.scale = self.residual.max()
        width = float((state.high - state.low).mean())
        if not (0.0 < width < np.inf and self.scale > 0.0):
            self.is_hopeless = True
            return
        share = 2.0 * _RESIDUAL_SHARE * self.tol / (width * self.scale)
        share = min(max(share, _LEAST_RESIDUAL[state.K.itemsize]), _MOST_RESIDUAL)
        self.least = share * self.scale
        self.factor = np.empty((min(int(_RANK_SHARE * state.n), _MOST_RANK), state.n))


def _cost(state, rank):
    """Nanoseconds that the interior point takes, roughly."""
    has_zero_inside = np.count_nonzero((state.low < 0.0) & (state.high > 0.0))
    n_steps = _STEPS_INSIDE if 2 * has_zero_inside > state.n else _STEPS_AT_END
    return n_steps * (15_000.0 + state.n * (30.0 + 0.065 * rank**2))


def _at_bounds(state, beta, lower_price, upper_price):
    """Put at its bound what is closer to it, measured by the width, than its multiplier says."""
    low, high = state.low, state.high
    total = state.beta.sum()
    width = high - low
    target = np.where(lower_price * width > beta - low, low, beta)
    target = np.where(upper_price * width > high - beta, high, target)
    room = np.minimum(target - low, high - target)
    if room.any():
        target = target - (target.sum() - total) * (room / room.sum())
    return np.clip(target, low, high)


@njit(**_OPTIONS)
def factorise(K, slot, residual, factor, done, tolerance, missing):
    """Rows of a pivoted Cholesky factor of K; return how many there are after the call."""
    n = residual.shape[0]
    missing[0], missing[1] = -1, 0
    rank = done
    while rank < factor.shape[0]:
        p = 0
        for k in range(n):
            if residual[k] > residual[p]:
                p = k
        if residual[p] <= tolerance:
            missing[1] = 1
            break
        if slot[p] < 0:
            missing[0] = p
            break
        row, source = factor[rank], K[slot[p]]
        scale = 1.0 / np.sqrt(residual[p])
        for k in range(n):
            row[k] = source[k]
        for q in range(rank):
            other = factor[q]
            share = other[p]
            for k in range(n):
                row[k] -= share * other[k]
        for k in range(n):
            row[k] *= scale
            residual[k] -= row[k] * row[k]
        residual[p] = 0.0
        rank += 1
    return rank


@njit(**_OPTIONS)
def _system(scaled):
    """The Cholesky factor of I + S S' for the rows S."""
    rank = scaled.shape[0]
    system = np.empty((rank, rank))
    for first in range(0, rank, _BLOCK):
        last = min(first + _BLOCK, rank)
        system[first:last, :last] = np.dot(scaled[first:last], scaled[:last].T)
    for q in range(rank):
        system[q, q] += 1.0
        for k in range(q):
            system[k, q] = system[q, k]
    return np.linalg.cholesky(system)


@njit(**_OPTIONS)
def _solve(factor, cholesky, inverse, right, out):
    """out = (diag(1 / inverse) + L'L)^-1 right, given the Cholesky factor of I + L inverse L'."""
    n, rank = right.shape[0], factor.shape[0]
    for k in range(n):
        out[k] = inverse[k] * right[k]
    z = np.dot(factor, out)
    for j in range(rank):
        column = cholesky[:, j]
        z[j] /= column[j]
        for k in range(j + 1, rank):
            z[k] -= z[j] * column[k]
    for j in range(rank - 1, -1, -1):
        column = cholesky[:, j]
        value = z[j]
        for k in range(j + 1, rank):
            value -= column[k] * z[k]
        z[j] = value / column[j]
    back = np.dot(z, factor)
    for k in range(n):
        out[k] -= inverse[k] * back[k]


@njit(**_OPTIONS)
def interior_point(
    factor, linear, low, high, ridge, total, tol, most, beta, lower_price, upper_price
):
    """Minimise 1/2 b'(L'L + D) b - linear'b, sum b = total, low <= b <= high; return the steps."""
    n, rank = factor.shape[1], factor.shape[0]
    gradient, residual, inverse, right = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    unit, move, lower_move, upper_move = np.empty(n), np.zeros(n), np.zeros(n), np.zeros(n)
    scaled, ones = np.empty((rank, n)), np.ones(n)
    span = (high - low).sum()
    share = (total - low.sum()) / span
    for k in range(n):
        beta[k] = low[k] + share * (high[k] - low[k])
    gradient[:] = np.dot(np.dot(factor, beta), factor)
    for k in range(n):
        gradient[k] += ridge[k] * beta[k] - linear[k]
        lower_price[k] = max(gradient[k], 0.0) + 1.0
        upper_price[k] = max(-gradient[k], 0.0) + 1.0
    price = 0.0
    for step in range(most):
        mass, worst, excess = 0.0, 0.0, -total
        for k in range(n):
            down, up = beta[k] - low[k], high[k] - beta[k]
            mass += down * lower_price[k] + up * upper_price[k]
            residual[k] = price + lower_price[k] - upper_price[k] - gradient[k]
            worst = max(worst, abs(residual[k]))
            inverse[k] = 1.0 / (lower_price[k] / down + upper_price[k] / up + ridge[k])
            right[k] = np.sqrt(inverse[k])
            excess += beta[k]
        if not mass < np.inf:
            return -1
        if mass <= tol * span / n and worst <= tol:
            return step
        for q in range(rank):
            row, target = factor[q], scaled[q]
            for k in range(n):
                target[k] = row[k] * right[k]
        cholesky = _system(scaled)
        _solve(factor, cholesky, inverse, ones, unit)
        # The predictor aims at the solution, the corrector at a point on the central path and
        # with the second-order terms of the predictor.
        centre, length, price_move = 0.0, 0.0, 0.0
        for corrects in (False, True):
            for k in range(n):
                second = move[k] * lower_move[k] if corrects else 0.0
                lower = (centre - second) / (beta[k] - low[k]) - lower_price[k]
                second = -move[k] * upper_move[k] if corrects else 0.0
                upper = (centre - second) / (high[k] - beta[k]) - upper_price[k]
                right[k] = residual[k] + lower - upper
                lower_move[k], upper_move[k] = lower, upper
            _solve(factor, cholesky, inverse, right, move)
            price_move = -(excess + move.sum()) / unit.sum()
            length = 1.0 / _INSIDE if corrects else 1.0
            for k in range(n):
                down, up = beta[k] - low[k], high[k] - beta[k]
                move[k] += price_move * unit[k]
                lower_move[k] -= lower_price[k] / down * move[k]
                upper_move[k] += upper_price[k] / up * move[k]
                # 1 / length is the largest of the ratios that would leave the positive side.
                worst = max(
                    max(-move[k] / down, move[k] / up),
                    max(-lower_move[k] / lower_price[k], -upper_move[k] / upper_price[k]),
                )
                length = min(length, 1.0 / max(worst, 1e-300))
            if not corrects:
                ahead = 0.0
                for k in range(n):
                    change = length * move[k]
                    lower = lower_price[k] + length * lower_move[k]
                    upper = upper_price[k] + length * upper_move[k]
                    ahead += (beta[k] - low[k] + change) * lower
                    ahead += (high[k] - beta[k] - change) * upper
                centre = (ahead / mass) ** 3 * mass / (2.0 * n)
        length *= _INSIDE
        price += length * price_move
        for k in range(n):
            # (L'L + diag(1 / inverse)) move = right + price_move, which spares a product.
            change = right[k] + price_move - move[k] / inverse[k] + ridge[k] * move[k]
            gradient[k] += length * change
            beta[k] += length * move[k]
            lower_price[k] += length * lower_move[k]
            upper_price[k] += length * upper_move[k]
    return most
