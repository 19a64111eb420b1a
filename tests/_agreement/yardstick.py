"""One yardstick for all solvers: what an answer is worth, computed from nothing but the answer.

An answer is a function f = <w, phi(x)> + b and multipliers, judged in double precision with a Gram
matrix of the yardstick's own: the primal objective P of the function, the dual objective D of the
multipliers after they have been made feasible (clipped to their box, then lowered on the heavier
side), and decision values at the sample and at new points. No D is above any P, so that the best D
of all solvers certifies every answer.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from _agreement.problems import MINIMUM_MARGIN


@dataclass(frozen=True)
class Answer:
    """What a solver returns: coefficients of w, of the samples or, where it is linear, of features.

    ``multipliers`` are y_i alpha_i of two classes, alpha_ijl of several, or None.
    """

    coef: np.ndarray
    intercept: float | np.ndarray
    multipliers: np.ndarray | None
    converged: bool = True


class Judgement(NamedTuple):
    """P of the function, D of the multipliers made feasible, decision values (sample, then new)."""

    primal: float
    dual: float
    values: np.ndarray


class Yardstick:
    """Measures answers to one problem; the kinds of machines fill in their losses."""

    def __init__(self, problem, name):
        self.problem = problem
        self.name = name
        self.y = problem.y
        self.cost = problem.cost
        self._X = np.concatenate([problem.X, problem.X_new])
        if problem.is_linear:
            self._products = self._X @ problem.X.T
        else:
            squares = cdist(self._X, problem.X, "sqeuclidean")
            self._products = np.exp(-problem.gamma * squares)
        self._K = self._products[: len(problem.y)]

    def judge(self, answer):
        """The measure of an answer, from nothing but the answer."""
        coef = answer.coef
        n = len(self.y)
        if coef.shape[-1] != n:  # of the features
            products = self._X @ coef.T
            squared_norm = np.sum(coef**2)
        else:
            products = self._products @ coef.T
            squared_norm = np.sum(coef.T * products[:n])
        values = products + answer.intercept
        primal = 0.5 * float(squared_norm) + self.total(values[:n])
        multipliers = answer.multipliers
        dual = np.nan if multipliers is None else self.dual(self.feasible(multipliers))
        return Judgement(primal, dual, values)


def machine_of(problem, name):
    """One of the machines that a problem is for."""
    return (ManyClasses if name == MINIMUM_MARGIN else TwoClasses)(problem, name)


class TwoClasses(Yardstick):
    """Two classes: losses are max t r_i - t^2 / (2 c_i) over low_i <= t <= high_i, r_i = y_i - f_i.

    The square is there for squared losses alone, and t = beta_i = y_i alpha_i.
    """

    def __init__(self, problem, name):
        super().__init__(problem, name)
        y = self.y
        self.is_squared = name in ("L2", "LS")
        both = name in ("LS", "Least 1-Norm")
        most = np.full(len(y), np.inf) if self.is_squared else self.cost
        self.low = np.where((y < 0) | both, -most, 0.0)
        self.high = np.where((y > 0) | both, most, 0.0)
        self.ridge = 1.0 / self.cost if self.is_squared else np.zeros(len(y))

    def total(self, values):
        """Sum of the losses at decision values."""
        r = self.y - values
        counts = np.where(r > 0.0, self.high > 0.0, self.low < 0.0)
        loss = 0.5 * r**2 if self.is_squared else np.abs(r)
        return float(np.sum(self.cost * (loss * counts)))

    def feasible(self, beta):
        """Clipped to the box; those of the heavier sign are shrunk until the sum is 0."""
        beta = np.clip(beta, self.low, self.high)
        up = beta[beta > 0.0].sum()
        down = -beta[beta < 0.0].sum()
        kept = min(up, down) / np.maximum([up, down], np.finfo(float).tiny)
        return beta * np.where(beta > 0.0, *kept)

    def dual(self, beta):
        """D of feasible multipliers."""
        return float(
            self.y @ beta - 0.5 * beta @ (self._K @ beta) - 0.5 * self.ridge @ beta**2
        )


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


def brackets(alpha):
    """B_im = sum_l alpha_iml - sum_j alpha_ijm, of shape (n, k)."""
    return alpha.sum(axis=2) - alpha.sum(axis=1)


def _balanced(alpha):
    """Multipliers with sum_i B_im = 0: of a pair (m, l) the share 1 - (u_m - u_l) is kept.

    With T_ml = sum_i alpha_iml that takes sum_l (T_ml + T_lm) (u_m - u_l) from the sum of class m.
    """
    totals = alpha.sum(axis=0)
    both = totals + totals.T
    excess = totals.sum(axis=1) - totals.sum(axis=0)
    u = np.linalg.lstsq(np.diag(both.sum(axis=1)) - both, excess)[0]
    share = 1.0 - (u[:, np.newaxis] - u)
    return alpha * (share / share.max()) if share.min() >= 0.0 else 0.0 * alpha
