"""The losses behind the yardstick: their sums, dual objectives, and what confines the bias."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

__all__ = ["ManyClasses", "TwoClasses", "brackets"]


class TwoClasses:
    """The four machines of two classes.

    In beta_i = y_i alpha_i and r_i = y_i - f(x_i) their losses are the maximum of
    t r_i - t^2 / (2 c_i) (without the square for the hinge and the absolute loss) over
    low_i <= t <= high_i.
    """

    def __init__(self, problem, machine):
        y, cost = problem.y, problem.cost
        self.y, self.cost, self.is_squared = y, cost, machine in ("L2", "LS")
        both = machine in ("LS", "Least 1-Norm")
        most = np.full(len(y), np.inf) if self.is_squared else cost
        self.low = np.where((y < 0) | both, -most, 0.0)
        self.high = np.where((y > 0) | both, most, 0.0)
        self.ridge = 1.0 / cost if self.is_squared else np.zeros(len(y))

    def total(self, values):
        """Sum of the losses at decision values."""
        r = self.y - values
        r = np.where(r > 0.0, r * (self.high > 0.0), r * (self.low < 0.0))
        return float(np.sum(self.cost * (0.5 * r**2 if self.is_squared else np.abs(r))))

    def feasible(self, beta):
        """Clipped to the box; those of the heavier sign are shrunk until the sum is 0."""
        beta = np.clip(beta, self.low, self.high)
        up, down = beta[beta > 0.0].sum(), -beta[beta < 0.0].sum()
        if up == 0.0 or down == 0.0:
            return np.zeros_like(beta)
        return np.where(beta > 0.0, beta * min(1.0, down / up), beta * min(1.0, up / down))

    def dual(self, beta, K):
        """D of feasible multipliers."""
        return float(self.y @ beta - 0.5 * beta @ (K @ beta) - 0.5 * self.ridge @ beta**2)

    def bias_interval(self, beta, K, length, excess):
        """Where b is if P - D is ``excess``: what is left by all samples."""
        up, down = self._room(beta, self.high, excess), self._room(-beta, -self.low, excess)
        middle = self.y - self.ridge * beta - K @ beta
        reach = length * np.sqrt(2.0 * excess)
        return np.max(middle - up - reach), np.min(middle + down + reach)

    def _room(self, beta, most, excess):
        """How far r may be above beta / c (above 0 without squares) at this excess."""
        with np.errstate(divide="ignore"):
            if not self.is_squared:
                return excess / np.maximum(most - beta, 0.0)
            # Where the loss is flat (most = 0, so beta <= 0) its growth is linear beyond r = 0.
            on_curve = np.sqrt(2.0 * excess * self.ridge)
            at_end = self.ridge * np.abs(beta)
            beyond = np.maximum(excess - 0.5 * self.ridge * beta**2, 0.0) / np.abs(beta)
            return np.where((most > 0.0) | (on_curve <= at_end), on_curve, at_end + beyond)


class ManyClasses:
    """The minimum-margin machine.

    P = 1/2 sum_m |w_m|^2 + sum_ij p_ij [1 - g_ij]_+ with p_ij = c_i U_{y_i j} and
    g_ij = min_{l != j} f_j - f_l. D = sum alpha_ijl - 1/2 sum_m |w_m|^2 with
    w_m = sum_i B_im phi(x_i) under alpha >= 0, sum_l alpha_ijl <= p_ij, sum_i B_im = 0.
    """

    def __init__(self, problem, machine):
        self.k = len(problem.utility)
        self.weight = problem.cost[:, np.newaxis] * problem.utility[problem.y]

    def total(self, values):
        """Sum of the losses at decision values of shape (n, k)."""
        rest = [np.delete(values, j, axis=1).max(axis=1) for j in range(self.k)]
        margins = values - np.column_stack(rest)
        return float(np.sum(self.weight * np.maximum(1.0 - margins, 0.0)))

    def feasible(self, alpha):
        """Clipped to the box, sums scaled to their limits, then balanced."""
        alpha = np.maximum(alpha, 0.0)
        alpha[:, np.arange(self.k), np.arange(self.k)] = 0.0
        sums = alpha.sum(axis=2)
        share = np.minimum(1.0, self.weight / np.where(sums > 0.0, sums, 1.0))
        return _balanced(alpha * share[:, :, np.newaxis])

    def dual(self, alpha, K):
        """D of feasible multipliers."""
        B = brackets(alpha)
        return float(alpha.sum() - 0.5 * np.sum(B * (K @ B)))

    def bias_interval(self, alpha, K, length, excess):
        """Where the entries of b are if P - D is ``excess``.

        A term confines the margins f_j - f_l: they are at least 1 - excess / (p - sum_l alpha) and
        at most 1 + excess / alpha_l.
        """
        products = K @ brackets(alpha)
        reach = 2.0 * length * np.sqrt(excess)
        low, high = np.zeros((self.k, self.k)), np.zeros((self.k, self.k))
        with np.errstate(divide="ignore"):
            slack = excess / np.maximum(self.weight - alpha.sum(axis=2), 0.0)
            beyond = excess / alpha
        for j, m in _pairs(self.k):
            used = self.weight[:, j] > 0.0
            middle = 1.0 - products[:, j] + products[:, m]
            low[j, m] = np.max((middle - slack[:, j] - reach)[used], initial=-np.inf)
            high[j, m] = np.min((middle + beyond[:, j, m] + reach)[used], initial=np.inf)
        # b_j - b_m and b_m - b_j; the mean of the differences to all is b_j.
        low, high = np.maximum(low, -high.T), np.minimum(high, -low.T)
        return low.mean(axis=1), high.mean(axis=1)


def brackets(alpha):
    """B_im = sum_l alpha_iml - sum_j alpha_ijm, of shape (n, k)."""
    return alpha.sum(axis=2) - alpha.sum(axis=1)


def _pairs(k):
    return [(j, m) for j in range(k) for m in range(k) if m != j]


def _balanced(alpha):
    """Multipliers with sum_i B_im = 0: as little as possible is taken from each pair (j, l).

    The amounts solve a linear program of k (k - 1) variables. To take all is feasible.
    """
    pairs, totals = _pairs(alpha.shape[1]), alpha.sum(axis=0)
    for _ in range(2):  # the second time takes what rounding has left
        excess = totals.sum(axis=1) - totals.sum(axis=0)
        scale = np.abs(excess).max()
        if scale <= 1e-15 * totals.sum():
            break
        A = np.zeros((len(totals), len(pairs)))
        for column, (j, m) in enumerate(pairs):
            A[j, column], A[m, column] = 1.0, -1.0
        found = linprog(
            np.ones(len(pairs)),
            A_eq=A[:-1],
            b_eq=excess[:-1] / scale,
            bounds=[(0.0, totals[pair] / scale) for pair in pairs],
            method="highs",
        )
        if not found.success:
            return np.zeros_like(alpha)
        keep = np.ones_like(totals)
        for pair, taken in zip(pairs, found.x * scale, strict=True):
            if taken > 0.0:
                keep[pair] = max(0.0, 1.0 - taken / totals[pair])
        alpha = alpha * keep
        totals = alpha.sum(axis=0)
    return alpha
