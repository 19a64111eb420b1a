"""What a solver returns, and the certificates it is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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


def violating_interval(scores, beta, low, high):
    """Return (max of scores over I_up, min of scores over I_low); -inf and inf for empty sets."""
    up, down = scores[beta < high], scores[beta > low]
    return (
        float(up.max()) if up.size else -np.inf,
        float(down.min()) if down.size else np.inf,
    )


def choose_intercept(scores, beta, low, high):
    """Return the bias: mean score of the free variables, else the middle of the KKT interval.

    Without bounds (LS) every variable is free. Where the interval is open on one side its finite
    end is taken, and 0 where no variable can move at all.
    """
    free = scores[(beta > low) & (beta < high)]
    if free.size:
        return float(free.mean())
    ends = [end for end in violating_interval(scores, beta, low, high) if np.isfinite(end)]
    return float(np.mean(ends)) if ends else 0.0


def dual_objective(products, y, beta, ridge):
    """1/2 a'Qa - e'a in terms of beta = y alpha and products = K beta."""
    return float(0.5 * (beta @ products + beta @ (ridge * beta)) - y @ beta)


def duality_gap(products, y, beta, lower, upper, ridge, intercept):
    """Return 1/2 b'Kb + sum_i loss_i(1 - y_i f_i) + dual objective, for beta = y alpha.

    loss_i(r) = max over l_i <= t <= u_i of t r - ridge_i t^2 / 2: the hinge, squared hinge,
    squared and absolute loss for the bounds and ridges of the four machines.
    """
    r = 1.0 - y * (products + intercept)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.where(ridge > 0.0, np.clip(r / ridge, lower, upper), np.where(r > 0, upper, lower))
        loss = np.where(r == 0.0, 0.0, t * r) - 0.5 * ridge * np.where(ridge > 0.0, t, 0.0) ** 2
    return float(0.5 * beta @ products + loss.sum() + dual_objective(products, y, beta, ridge))


def certify(
    products, y, beta, lower, upper, ridge, *, n_iter, stop_reason, converged, log=None
):
    """Return the Result for beta = y alpha, given products = K beta in double precision."""
    low, high = np.where(y > 0, lower, -upper), np.where(y > 0, upper, -lower)
    scores = y - products - ridge * beta
    intercept = choose_intercept(scores, beta, low, high)
    top, bottom = violating_interval(scores, beta, low, high)
    return Result(
        alpha=y * beta + 0.0,
        intercept=intercept,
        objective=dual_objective(products, y, beta, ridge),
        duality_gap=duality_gap(products, y, beta, lower, upper, ridge, intercept),
        kkt_violation=max(top - bottom, 0.0),
        n_iter=n_iter,
        stop_reason=stop_reason,
        converged=converged,
        decision_function=products + intercept,
        log=log,
    )
