"""One yardstick for all solvers: what an answer is worth, computed from nothing but the answer.

An answer is a function f = <w, phi(x)> + b and multipliers, judged in double precision with a Gram
matrix of the yardstick's own: the primal objective P of the function, the dual objective D of the
multipliers after they have been made feasible (clipped to their box, then lowered on the heavier
side), P - D >= 0 up to rounding, and decision values at the sample and at new points.

The excess e = P - D bounds how far two answers may differ. With r_i = y_i - f(x_i) and w_a the
normal that feasible multipliers make, beta_i = y_i alpha_i,

    P(w, b) - D(a) = |w - w_a|^2 / 2 + sum_i [loss_i(r_i) - beta_i r_i + beta_i^2 / (2 c_i)],

the last term for squared losses alone, and no bracket is negative (Fenchel and Young). So
|w - w_a| <= sqrt(2 e), and every sample confines r_i and with it b. At x two answers differ by at
most sqrt(k(x, x)) (sqrt(2 e) + sqrt(2 e')) + what the intervals leave to b - b'.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from companion.agreement.problems import MINIMUM_MARGIN

__all__ = ["OBJECTIVE_TOL", "Answer", "Judgement", "Yardstick", "machine_of"]

#: Largest relative error of an objective that counts as agreement.
OBJECTIVE_TOL = 1e-6

#: What rounding may take from an objective, relative to it.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Answer:
    """What a solver returns: coefficients of the samples in w (of features: ``on_features``).

    ``multipliers`` are y_i alpha_i of two classes, alpha_ijl of several, or None.
    """

    coef: np.ndarray
    intercept: float | np.ndarray
    multipliers: np.ndarray | None
    n_iter: int
    converged: bool
    on_features: bool = False


@dataclass(frozen=True)
class Judgement:
    """P of the function, D of the multipliers made feasible, decision values (sample, then new)."""

    primal: float
    dual: float
    values: np.ndarray
    feasible: np.ndarray | None

    @property
    def relative_gap(self):
        return (self.primal - self.dual) / self.primal


class Yardstick:
    """Measures answers to one problem; the kinds of machines fill in their losses."""

    is_squared = False

    def __init__(self, problem, name):
        self.problem, self.name, self.y, self.cost = problem, name, problem.y, problem.cost
        self._X = np.concatenate([problem.X, problem.X_new])
        self._products, self._length = self._X @ problem.X.T, np.linalg.norm(self._X, axis=1)
        if not problem.is_linear:
            self._products = np.exp(-problem.gamma * cdist(self._X, problem.X, "sqeuclidean"))
            self._length[:] = 1.0
        self._n = len(problem.y)
        self._K, self._reach = self._products[: self._n], self._length[: self._n]

    def judge(self, answer):
        """The measure of an answer, from nothing but the answer."""
        coef = answer.coef
        if answer.on_features:
            products, squared_norm = self._X @ coef.T, np.sum(coef**2)
        else:
            products = self._products @ coef.T
            squared_norm = np.sum(coef.T * products[: self._n])
        values = products + answer.intercept
        primal = 0.5 * float(squared_norm) + self.total(values[: self._n])
        if answer.multipliers is None:
            return Judgement(primal, np.nan, values, None)
        feasible = self.feasible(answer.multipliers)
        return Judgement(primal, self.dual(feasible), values, feasible)

    def bias_interval(self, certificate, primal):
        """Where a machine of this objective has its bias, by a judgement of a good dual one."""
        excess = _excess(certificate, primal)
        return self.interval(certificate.feasible, excess, self._reach * np.sqrt(2.0 * excess))

    def bound(self, certificate, primal, other):
        """The most by which decision values of two machines differ, given their objectives."""
        reach = sum(np.sqrt(2.0 * _excess(certificate, value)) for value in (primal, other))
        low, high = self.bias_interval(certificate, primal)
        other_low, other_high = self.bias_interval(certificate, other)
        bias = np.maximum(high - other_low, other_high - low).max()
        return float(self._length.max() * reach + bias)

    def allowed(self, solver, answer, judgement):
        """Error that counts as agreement; libsvm may lose what its kernel values in float cost.

        That is a share of 2^-24 of ``|beta|' |K| |beta|`` and of the losses, if they are not
        squared.
        """
        if solver != "libsvm" or self.is_squared:
            return OBJECTIVE_TOL
        beta = np.abs(answer.multipliers)
        cost = 2.0**-24 * ((beta + self.cost) @ (np.abs(self._K) @ beta))
        return max(OBJECTIVE_TOL, float(cost) / judgement.primal)


def _excess(certificate, primal):
    return max(primal - certificate.dual, ROUNDING * abs(primal))


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
    """Multipliers with sum_i B_im = 0: of a pair (m, l) the share 1 - (u_m - u_l) is kept.

    With T_ml = sum_i alpha_iml that takes sum_l (T_ml + T_lm) (u_m - u_l) from the sum of class m.
    """
    totals = alpha.sum(axis=0)
    both, excess = totals + totals.T, totals.sum(axis=1) - totals.sum(axis=0)
    u = np.linalg.lstsq(np.diag(both.sum(axis=1)) - both, excess)[0]
    share = 1.0 - (u[:, np.newaxis] - u)
    return alpha * (share / share.max()) if share.min() >= 0.0 else 0.0 * alpha
