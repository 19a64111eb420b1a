"""What a solver returns, and the certificates it is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.solvers._box_kernels import certificates

__all__ = ["Result", "certify"]


@dataclass(frozen=True)
class Result:
    """Solution of the dual min 1/2 a'Qa - e'a, y'a = 0, l <= a <= u, with its certificates.

    Q = yy' * K + diag(ridge). All certificates are computed in double precision from K and alpha
    when the solver has ended, not taken from quantities that it updated on the way.

    Attributes
    ----------
    alpha : ndarray of shape (n_samples,)
        Dual variables.
    intercept : float
        The b of f(x) = sum_i y_i alpha_i k(x_i, x) + b.
    objective : float
        1/2 a'Qa - e'a, the minimised dual objective.
    duality_gap : float
        Primal objective minus the dual bound, >= 0 up to rounding. Infinite where a hard margin
        (infinite bound without ridge) is violated.
    kkt_violation : float
        max over I_up minus min over I_low of y_i - (K (y a))_i - ridge_i y_i a_i, at least 0, with
        I_up (I_low) the samples whose y_i alpha_i may increase (decrease).
    n_iter : int
        Number of iterations (pair updates; 0 for closed forms).
    stop_reason : str
        Why the solver ended, as a sentence.
    converged : bool
        Whether the tolerance was reached.
    decision_function : ndarray of shape (n_samples,)
        Decision values of the training samples.
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


def certify(products, y, beta, low, high, ridge, *, n_iter, stop_reason, converged, log=None):
    """Return the Result for beta = y alpha in the box low..high, given products = K beta.

    The duality gap is 1/2 b'Kb + sum_i loss_i(1 - y_i f_i) + dual objective with loss_i(r) = max
    over l_i <= t <= u_i of t r - ridge_i t^2 / 2: the hinge, squared hinge, squared and absolute
    loss for the bounds and ridges of the four machines. The intercept is the mean score of the
    free variables (without bounds, LS, all are free), else the middle of the KKT interval; where
    that is open on one side its finite end, and 0 where no variable can move at all.

    Parameters
    ----------
    products, y, beta, low, high, ridge : ndarray of shape (n_samples,)
        K beta, labels -1 and +1, the variables, their box, and the ridge D of K + D.
    n_iter, stop_reason, converged, log
        Handed on to the result.

    Returns
    -------
    Result
    """
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
