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

__all__ = ["OBJECTIVE_TOL", "Answer", "Judgement", "Yardstick"]

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
        if problem.is_linear:
            self._products = self._X @ problem.X.T
            self._length = np.linalg.norm(self._X, axis=1)
        else:
            self._products = np.exp(-problem.gamma * cdist(self._X, problem.X, "sqeuclidean"))
            self._length = np.ones(len(self._X))
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
        dual, feasible = np.nan, None
        if answer.multipliers is not None:
            feasible = self.feasible(answer.multipliers)
            dual = self.dual(feasible)
        primal = 0.5 * float(squared_norm) + self.total(values[: self._n])
        return Judgement(primal, dual, values, feasible)

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
