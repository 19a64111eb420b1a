"""What a solver returns, and the certificates it is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from companion.solvers._loops.smo import certificates

__all__ = ["MDMResult", "Result", "SVMSolution"]


class Result(NamedTuple):
    """Solution of the dual min 1/2 a'Qa - e'a, y'a = 0, l <= a <= u, with its certificates.

    Q = yy' * K + diag(ridge). All certificates are computed in double precision from K and alpha
    when the solver has ended, not taken from quantities that it updated on the way.

    Attributes
    ----------
    alpha, decision_function : ndarray of shape (n_samples,)
        Dual variables, and decision values of the training samples.
    intercept : float
        The b of f(x) = sum_i y_i alpha_i k(x_i, x) + b.
    objective, duality_gap : float
        1/2 a'Qa - e'a, the minimised dual objective; primal objective minus the dual bound, >= 0 up
        to rounding, infinite where a hard margin (infinite bound without ridge) is violated.
    kkt_violation : float
        max over I_up minus min over I_low of y_i - (K (y a))_i - ridge_i y_i a_i, at least 0, with
        I_up (I_low) the samples whose y_i alpha_i may increase (decrease).
    n_iter : int
        Number of iterations (pair updates; 0 for closed forms).
    converged, stop_reason : bool, str
        Whether the tolerance was reached, and why the solver ended, as a sentence.
    """

    alpha: np.ndarray
    intercept: float
    objective: float
    duality_gap: float
    kkt_violation: float
    n_iter: int
    stop_reason: str
    converged: bool
    decision_function: np.ndarray


def certify(  # noqa: PLR0913, PLR0917
    products, y, beta, low, high, ridge, *, n_iter, stop_reason="", converged=False
):
    """Return the Result for beta = y alpha in the box low..high, given products = K beta."""
    intercept, objective, gap, violation = certificates(
        products, y, beta, low, high, ridge
    )
    return Result(
        alpha=y * beta + 0.0,
        intercept=intercept,
        objective=objective,
        duality_gap=gap,
        kkt_violation=violation,
        n_iter=n_iter,
        stop_reason=stop_reason,
        converged=converged,
        decision_function=products + intercept,
    )


class SVMSolution(NamedTuple):
    """The machine in the units of the SVM with squared slacks, from (2.2.7).

    Dual min 1/2 a'Qa - e'a, y'a = 0, a >= 0, Q = yy' * K + diag(ridge); with ridge = 1 / C primal
    ``min 1/2 |w|^2 + C/2 sum_i xi_i^2``.

    Attributes
    ----------
    alpha, intercept, objective : ndarray of shape (n_samples,), float, float
        ``2 a_i / |w|^2``, ``2 b / |w|^2`` and the minimised dual objective, ``-2 / |w|^2``.
    decision_function : ndarray of shape (n_samples,)
        Decision values of the training samples; those of support vectors are y_i (1 - xi_i).
    """

    alpha: np.ndarray
    intercept: float
    objective: float
    decision_function: np.ndarray


@dataclass(frozen=True)
class MDMResult:
    """Nearest points of two convex hulls, and their certificates, in the units of the hulls.

    All but ``n_iter`` is computed in double precision from K and alpha when the solver has ended.

    Attributes
    ----------
    alpha : ndarray of shape (n_samples,)
        Convex-hull multipliers; those of each class sum to 1.
    intercept : float
        The b of f(x) = sum_i y_i alpha_i k(x_i, x) + b for which f vanishes halfway between the
        nearest points, b = -(m_plus + m_minus) / 2: (2.2.2) and (5.3.5).
    squared_norm, objective : float
        ``|w|^2``, the squared distance of the nearest points, with the ridge term, and half of it.
    decision_function : ndarray of shape (n_samples,)
        f of the training samples as it is for new ones: k(x_i, x_i) counts without its ridge. With
        the ridge, w . phi(x_i) + b is ``products + intercept``.
    products : ndarray of shape (n_samples,)
        (K + diag(ridge)) (y alpha), the inner products of w with the samples.
    m_plus, m_minus : float
        ``w . w_+`` and ``w . w_-``, (5.3.3) and (5.3.4), with the ridge term: the sums of
        alpha * products over the positives and over the negatives.
    duality_gap : float
        ``objective`` minus a lower bound on its minimum, ``m^2 / (2 |w|^2)`` with m the sum of the
        least heights of the classes (0 where m < 0).
    kkt_violation : float
        The largest difference, over the classes, of the greatest height of a support point and the
        least height of a sample: the criterion of MDM, 0 at the solution.
    n_iter : int
        Number of pair updates.
    converged, stop_reason : bool, str
        Whether the tolerance was reached, and why the solver ended, as a sentence.
    touching : bool
        Whether ``|w|^2`` is nothing but rounding: no plane separates the classes.
    """

    alpha: np.ndarray
    intercept: float
    squared_norm: float
    decision_function: np.ndarray
    products: np.ndarray
    m_plus: float
    m_minus: float
    objective: float
    duality_gap: float
    kkt_violation: float
    n_iter: int
    stop_reason: str
    converged: bool
    touching: bool

    def to_svm(self) -> SVMSolution:
        """The equivalent SVM, (2.2.7), an `SVMSolution`; `ValueError` if the hulls touch."""
        if self.touching:
            raise ValueError(
                f"The convex hulls of the classes touch (|w|^2 = {self.squared_norm:.3g}), so no "
                "SVM without slacks exists. Pass a positive 'ridge' (1 / C) to mdm."
            )
        factor = 2.0 / self.squared_norm  # (2.2.7)
        return SVMSolution(
            alpha=factor * self.alpha,
            intercept=factor * self.intercept,
            objective=-factor,
            decision_function=factor * self.decision_function,
        )


def certify_hulls(alpha, heights, y, ridge, tol, n_iter, budget, scale, touching):  # noqa: PLR0913, PLR0917
    """Return the MDMResult for multipliers, given their heights; `scale` is that of the kernel."""
    plus = y > 0.0
    minus = y < 0.0
    support = alpha > 0.0
    least = [heights[members].min() for members in (plus, minus)]
    weighted = alpha * heights
    squared_norm = weighted.sum()
    margin = sum(least)
    gap = 0.5 * weighted.sum()
    if not touching and margin > 0.0:
        gap = 0.5 * (squared_norm - margin) * (1.0 + margin / squared_norm)
    converged = not touching and gap <= tol * 0.5 * squared_norm
    if touching:
        reason = (
            f"The convex hulls of the classes touch: |w|^2 = {squared_norm:.3g} is rounding, "
            f"for kernel values up to {scale:.3g}."
        )
    elif converged:
        reason = f"The duality gap {gap:.3g} is at most {tol:g} times the objective."
    elif n_iter >= budget:
        reason = f"The budget of {budget} iterations is spent."
    else:
        reason = "Rounding errors stop all progress: no pair can be moved any more."
    m_plus = weighted[plus].sum()
    m_minus = -weighted[minus].sum()  # (5.3.3), (5.3.4)
    intercept = -0.5 * (m_plus + m_minus)  # (2.2.2)
    highest = [heights[members & support].max() for members in (plus, minus)]
    return MDMResult(
        alpha=alpha,
        intercept=float(intercept),
        squared_norm=float(squared_norm),
        decision_function=y * (heights - ridge * alpha) + intercept,
        products=y * heights,
        m_plus=float(m_plus),
        m_minus=float(m_minus),
        objective=float(0.5 * squared_norm),
        duality_gap=float(gap),
        kkt_violation=float(max(*np.subtract(highest, least), 0.0)),
        n_iter=int(n_iter),
        stop_reason=reason,
        converged=bool(converged),
        touching=bool(touching),
    )
