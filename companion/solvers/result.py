"""What a solver returns, and the certificates it is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.solvers._smo_loops import certificates

__all__ = ["Result", "certify"]


@dataclass(frozen=True)
class Result:
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
    log : dict of ndarray or None
        History with keys "n_iter", "objective" and "kkt_violation", where asked for.
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
    log: dict | None = None


def certify(products, y, beta, low, high, ridge, *, n_iter, stop_reason, converged, log=None):  # noqa: PLR0913, PLR0917
    """Return the Result for beta = y alpha in the box low..high, given products = K beta."""
    intercept, objective, gap, violation = certificates(products, y, beta, low, high, ridge)
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
        log=log,
    )
