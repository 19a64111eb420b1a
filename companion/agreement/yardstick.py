"""One yardstick for all solvers: what an answer is worth, computed from nothing but the answer.

An answer is a function f = <w, phi(x)> + b and multipliers. Both are taken at face value and judged
in double precision with a Gram matrix of the yardstick's own:

* the *primal objective* P = 1/2 |w|^2 + sum_i loss_i of the function, at least the optimum;
* the *dual objective* D of the multipliers, a lower bound, after they have been made feasible:
  clipped to their box, then lowered on the heavier side until the equality holds;
* the *duality gap* P - D >= 0 up to rounding;
* *decision values* at the sample and at new points.

**How far decision values may differ.** Let a be feasible multipliers with beta_i = y_i alpha_i, and
w_a the normal they make. For every machine (w, b), with r_i = y_i - f(x_i),

    P(w, b) - D(a) = |w - w_a|^2 / 2 + sum_i [loss_i(r_i) - beta_i r_i + beta_i^2 / (2 c_i)],

the last term for squared losses alone. No bracket is negative (Fenchel and Young), so that each
term is at most the excess e = P(w, b) - D(a): |w - w_a| <= sqrt(2 e), and every sample confines
r_i, for the hinge to y_i r_i in [-e / alpha_i, e / (c_i - alpha_i)]. With
f(x_i) = <w, phi(x_i)> + b that is an interval for b, and b is in all of them. So two answers with
excesses e and e' over the best dual objective differ at x by at most

    sqrt(k(x, x)) (sqrt(2 e) + sqrt(2 e')) + what the intervals leave to b - b'.

Where no sample confines the bias from both sides, the machine has many, and the interval does not
shrink with the gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from companion.agreement._losses import ManyClasses, TwoClasses
from companion.agreement.problems import MINIMUM_MARGIN

__all__ = ["Answer", "Judgement", "Yardstick"]

#: What rounding may take from an objective, relative to it.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Answer:
    """What a solver returns, in common terms.

    Attributes
    ----------
    coef : ndarray of shape (n_terms,) or (k, n_terms)
        Coefficients of the samples in w = sum_i coef_i phi(x_i); of the features, w itself, where
        ``on_features``.
    intercept : float or ndarray of shape (k,)
    multipliers : ndarray of shape (n,) or (n, k, k), or None
        y_i alpha_i of two classes, alpha_ijl of several; None where the solver keeps none.
    n_iter : int
    converged : bool
        What the solver says itself.
    on_features : bool, default=False
    """

    coef: np.ndarray
    intercept: float | np.ndarray
    multipliers: np.ndarray | None
    n_iter: int
    converged: bool
    on_features: bool = False


@dataclass(frozen=True)
class Judgement:
    """An answer, measured.

    Attributes
    ----------
    primal, dual : float
        P of the function and D of the multipliers, NaN without multipliers.
    values : ndarray of shape (n + m,) or (n + m, k)
        Decision values at the sample, then at the new points.
    feasible : ndarray or None
        The multipliers after they have been made feasible.
    """

    primal: float
    dual: float
    values: np.ndarray
    feasible: np.ndarray | None

    @property
    def relative_gap(self):
        """(P - D) / P."""
        return (self.primal - self.dual) / self.primal


class Yardstick:
    """Measures answers to one problem and machine.

    Parameters
    ----------
    problem : companion.agreement.problems.Problem
    machine : str
        One of the problem's machines.

    Raises
    ------
    ValueError
        If the problem is not one for this machine.
    """

    def __init__(self, problem, machine):
        if machine not in problem.machines:
            raise ValueError(
                f"{problem.name!r} is a problem for {', '.join(problem.machines)}. "
                f"Got {machine!r} instead."
            )
        everywhere, self._n = np.concatenate([problem.X, problem.X_new]), len(problem.y)
        self._X = everywhere
        if problem.is_linear:
            self._K = everywhere @ problem.X.T
            self._length = np.linalg.norm(everywhere, axis=1)
        else:
            self._K = np.exp(-problem.gamma * cdist(everywhere, problem.X, "sqeuclidean"))
            self._length = np.ones(len(everywhere))
        kind = ManyClasses if machine == MINIMUM_MARGIN else TwoClasses
        self._loss = kind(problem, machine)

    def judge(self, answer):
        """Measure an answer.

        Parameters
        ----------
        answer : Answer

        Returns
        -------
        Judgement
        """
        coef = np.atleast_2d(answer.coef)
        if answer.on_features:
            products, squared_norm = self._X @ coef.T, np.sum(coef**2)
        else:
            products = self._K @ coef.T
            squared_norm = np.sum(coef.T * products[: self._n])
        if answer.coef.ndim == 1:
            products = products[:, 0]
        values = products + answer.intercept
        dual, feasible = np.nan, None
        if answer.multipliers is not None:
            feasible = self._loss.feasible(answer.multipliers)
            dual = self._loss.dual(feasible, self._K[: self._n])
        primal = 0.5 * float(squared_norm) + self._loss.total(values[: self._n])
        return Judgement(primal, dual, values, feasible)

    def bias_interval(self, certificate, primal):
        """Ends of the interval in which a machine of this objective has its bias.

        Parameters
        ----------
        certificate : Judgement
            Of a good dual objective.
        primal : float
            At least the optimum.

        Returns
        -------
        low, high : float or ndarray of shape (k,)
        """
        return self._loss.bias_interval(
            certificate.feasible,
            self._K[: self._n],
            self._length[: self._n],
            self._excess(certificate, primal),
        )

    def bound(self, certificate, primal, other):
        """The most by which decision values of two machines differ, given their objectives.

        Parameters
        ----------
        certificate : Judgement
            Of a good dual objective.
        primal, other : float
            Primal objectives of the machines.

        Returns
        -------
        float
        """
        reach = sum(np.sqrt(2.0 * self._excess(certificate, value)) for value in (primal, other))
        low, high = self.bias_interval(certificate, primal)
        other_low, other_high = self.bias_interval(certificate, other)
        bias = np.maximum(high - other_low, other_high - low).max()
        return float(self._length.max() * reach + bias)

    def cost_of_single_precision(self, beta):
        """What the duality gap may grow by if a solver rounds kernel values to single precision.

        Where a function and multipliers are optimal for the rounded values,
        ``|beta|' |K| |beta|`` of the norms and ``c_i (|K| |beta|)_i`` of the losses are wrong by a
        share of 2^-24. Not for squared losses, which have no steepest slope: 0.

        Parameters
        ----------
        beta : ndarray
            Multipliers, as they multiply the kernel.

        Returns
        -------
        float
        """
        if self._loss.is_squared:
            return 0.0
        sums = np.abs(self._K[: self._n]) @ np.abs(beta)
        return float(2.0**-24 * ((np.abs(beta) + self._loss.cost) @ sums))

    def _excess(self, certificate, primal):
        return max(primal - certificate.dual, ROUNDING * abs(primal))
