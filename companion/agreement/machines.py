"""The machines: losses, boxes and dual objectives, and what confines the bias."""

import numpy as np
from scipy.optimize import linprog

from companion.agreement.problems import MINIMUM_MARGIN
from companion.agreement.yardstick import Yardstick

__all__ = ["ManyClasses", "TwoClasses", "brackets", "machine_of"]


def machine_of(problem, name):
    """One of the machines that a problem is for."""
    if name not in problem.machines:
        known = ", ".join(problem.machines)
        raise ValueError(f"{problem.name!r} is a problem for {known}. Got {name!r} instead.")
    return (ManyClasses if name == MINIMUM_MARGIN else TwoClasses)(problem, name)


class TwoClasses(Yardstick):
    """Two classes: losses are max t r_i - t^2 / (2 c_i) over low_i <= t <= high_i, r_i = y_i - f_i.

    The square is there for squared losses alone, and t = beta_i = y_i alpha_i.
    """

    def __init__(self, problem, name):
        super().__init__(problem, name)
        y, n = self.y, self._n
        self.is_squared = name in ("L2", "LS")
        both = name in ("LS", "Least 1-Norm")
        most = np.full(n, np.inf) if self.is_squared else self.cost
        self.low = np.where((y < 0) | both, -most, 0.0)
        self.high = np.where((y > 0) | both, most, 0.0)
        self.ridge = 1.0 / self.cost if self.is_squared else np.zeros(n)

    @property
    def box(self):
        """Bounds of alpha."""
        return np.sort([self.y * self.low, self.y * self.high], axis=0)

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

    def dual(self, beta):
        """D of feasible multipliers."""
        return float(self.y @ beta - 0.5 * beta @ (self._K @ beta) - 0.5 * self.ridge @ beta**2)

    def interval(self, beta, excess, reach):
        """Where b is if P - D is ``excess``: what is left by all samples."""
        up, down = self._room(beta, self.high, excess), self._room(-beta, -self.low, excess)
        middle = self.y - self.ridge * beta - self._K @ beta
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


class ManyClasses(Yardstick):
    """The minimum-margin machine.

    P = 1/2 sum_m |w_m|^2 + sum_ij p_ij [1 - g_ij]_+ with p_ij = c_i U_{y_i j} and
    g_ij = min_{l != j} f_j - f_l. D = sum alpha_ijl - 1/2 sum_m |w_m|^2 with
    w_m = sum_i B_im phi(x_i) under alpha >= 0, sum_l alpha_ijl <= p_ij, sum_i B_im = 0.
    """

    def __init__(self, problem, name):
        super().__init__(problem, name)
        self.k = len(problem.utility)
        self.weight = self.cost[:, np.newaxis] * problem.utility[self.y]

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

    def dual(self, alpha):
        """D of feasible multipliers."""
        B = brackets(alpha)
        return float(alpha.sum() - 0.5 * np.sum(B * (self._K @ B)))

    def interval(self, alpha, excess, reach):
        """Where the entries of b are at this excess, which confines every margin f_j - f_l."""
        products, reach = self._K @ brackets(alpha), np.sqrt(2.0) * reach
        with np.errstate(divide="ignore"):
            slack = excess / np.maximum(self.weight - alpha.sum(axis=2), 0.0)
            beyond = excess / alpha
        middle, reach = 1.0 - products[:, :, None] + products[:, None], reach[:, None, None]
        used = (self.weight > 0.0)[:, :, None]
        low = np.where(used, middle - slack[:, :, None] - reach, -np.inf).max(axis=0)
        high = np.where(used, middle + beyond + reach, np.inf).min(axis=0)
        np.fill_diagonal(low, 0.0)
        np.fill_diagonal(high, 0.0)
        # b_j - b_m and b_m - b_j; the mean of the differences to all is b_j.
        low, high = np.maximum(low, -high.T), np.minimum(high, -low.T)
        return low.mean(axis=1), high.mean(axis=1)


def brackets(alpha):
    """B_im = sum_l alpha_iml - sum_j alpha_ijm, of shape (n, k)."""
    return alpha.sum(axis=2) - alpha.sum(axis=1)


def _balanced(alpha):
    """Multipliers with sum_i B_im = 0: as little as possible is taken from each pair, by an LP."""
    identity = np.eye(alpha.shape[1])
    pairs = np.nonzero(identity == 0.0)
    A = identity[:, pairs[0]] - identity[:, pairs[1]]
    for _ in range(2):  # the second time takes what rounding has left
        totals = alpha.sum(axis=0)
        excess, most = totals.sum(axis=1) - totals.sum(axis=0), totals[pairs]
        scale = np.abs(excess).max()
        if scale <= 1e-15 * totals.sum():
            break
        bounds = np.column_stack([np.zeros_like(most), most / scale])
        found = linprog(np.ones_like(most), A_eq=A[:-1], b_eq=excess[:-1] / scale, bounds=bounds)
        if not found.success:
            return np.zeros_like(alpha)
        keep = np.ones_like(totals)
        share = np.divide(found.x * scale, most, out=np.zeros_like(most), where=found.x > 0.0)
        keep[pairs] = np.maximum(0.0, 1.0 - share)
        alpha = alpha * keep
    return alpha
