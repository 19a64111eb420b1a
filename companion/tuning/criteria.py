"""GACV, xi-alpha and what they estimate, as functions of margins, influences and decisions.

Equation numbers are those of G. Wahba, Y. Lin, Y. Lee and H. Zhang, "On the Relation Between the
GACV and Joachims' xi-alpha Method for Tuning Support Vector Machines, With Extensions to the
Non-Standard Case", TR 1039, Department of Statistics, University of Wisconsin, Madison (2001).

The report minimises 1/n sum_i L(y_i) (1 - y_i f_i)_+ + lambda ||h||^2: with C = 1 / (2 n lambda)
:class:`companion.L1SVC` with the costs L as class weights. The criteria need the margin y_i f_i of
every sample, its influence theta_i = alpha_i K_ii, about the fall of the margin when it is left
out, and its cost L(y_i): arrays of shape (..., n), with one value for each machine.
"""

import numpy as np

from companion._utils.checks import checked_positive

# Margins as near to -1 as this are at -1: the default tolerance of the machines.
_AT_MARGIN = 1e-3

__all__ = ["gacv_values", "gckl_values", "misclass_values", "xi_alpha_values"]


def gacv_values(margin, influence, cost=None):
    """GACV of machines given by their margins: (4), and (9) with costs.

    1/n sum_i L_i [(1 - m_i)_+ + theta_i + theta_i (m_i < -1)] over margins m and influences theta.
    The report sums theta over m_i <= 1; these are the support vectors (theta_i > 0), and the sum
    here is over them, as margin vectors lie at 1 within the tolerance of the solver only. So their
    twins of the other label lie at -1, and count twice only where they are further below it than
    1e-3, the default tolerance.

    Parameters
    ----------
    margin, influence : array-like of shape (..., n)
        y_i f(x_i) and alpha_i K_ii of every sample.
    cost : array-like of shape (n,) or (..., n), optional
        L(y_i), positive; 1 by default.

    Returns
    -------
    ndarray of shape (...) or float
        A proxy for GCKL, see :func:`gckl_values`.

    Raises
    ------
    ValueError
        If the shapes do not fit together, an influence is negative or a cost is not positive.

    Examples
    --------
    >>> float(gacv_values([2.0, 1.0, 0.5, -1.0, -1.5], [0.0, 0.2, 0.5, 0.5, 0.5]))
    1.44
    """
    margin, influence, cost = _checked_arrays(margin, influence, cost)
    terms = np.maximum(1.0 - margin, 0.0)
    terms += influence
    terms += np.where(margin < -1.0 - _AT_MARGIN, influence, 0.0)
    return _mean(terms, cost)


def xi_alpha_values(margin, influence, cost=None, *, rho=1.0):
    """xi-alpha estimate of machines given by their margins: (6), (7), and (11) with costs.

    1/n sum_i L_i [m_i <= rho theta_i]: training errors (m_i <= 0) and the support vectors with
    0 < m_i <= rho theta_i. That is [xi_i + rho theta_i - 1]_* with [t]_* = 1 for t >= 0.

    Parameters
    ----------
    margin, cost
        As for :func:`gacv_values`. With costs and rho = 1 this is BRXA.
    influence : array-like of shape (..., n)
        alpha_i K_ii for XA and BRXA; alpha_i K with an upper bound K on all K_ii - K_ij for XA_J.
    rho : float, default=1.0
        2 for Joachims' bound on the leave-one-out error, 1 for the approximation to it.

    Returns
    -------
    ndarray of shape (...) or float
        A proxy for MISCLASS (BRMISCLASS), see :func:`misclass_values`.

    Examples
    --------
    >>> float(xi_alpha_values([2.0, 1.0, 0.5, 0.0, -1.5], [0.0, 0.2, 0.5, 0.5, 0.5]))
    0.6
    """
    checked_positive(rho, "rho", "xi_alpha_values")
    margin, influence, cost = _checked_arrays(margin, influence, cost)
    # A training error is counted whatever its influence, for influences are not negative.
    return _mean(margin <= rho * influence, cost)


def gckl_values(decision, probability, costs=(1.0, 1.0)):
    """Expected hinge loss over new labels at the same points: GCKL, (3) and (10).

    1/n sum_i {L(1) p_i (1 - f_i)_+ + L(-1) (1 - p_i) (1 + f_i)_+}.

    Parameters
    ----------
    decision : array-like of shape (..., n)
        f(x_i).
    probability : array-like of shape (n,) or (..., n)
        p_s(x_i): probability of the label +1 at x_i where the sample comes from.
    costs : pair of float, default=(1, 1)
        (L(-1), L(1)), in the order of the classes.

    Returns
    -------
    ndarray of shape (...) or float

    Raises
    ------
    ValueError
        If the shapes do not fit, a probability is outside [0, 1] or a cost is not positive.

    Examples
    --------
    >>> float(gckl_values([1.0, 0.0], [1.0, 0.5]))
    0.5
    """
    decision, probability, (negative, positive) = _checked_targets(
        decision, probability, costs
    )
    terms = positive * probability * np.maximum(1.0 - decision, 0.0)
    terms += negative * (1.0 - probability) * np.maximum(1.0 + decision, 0.0)
    return terms.mean(axis=-1)


def misclass_values(decision, probability, costs=(1.0, 1.0)):
    """Expected error rate (cost) over new labels at the same points: MISCLASS (5), BRMISCLASS (12).

    1/n sum_i {L(1) p_i [-f_i]_* + L(-1) (1 - p_i) [f_i]_*} with [t]_* = 1 for t >= 0: a decision
    value of exactly 0 is wrong for both labels. Never above :func:`gckl_values`.

    Parameters
    ----------
    decision, probability, costs
        As for :func:`gckl_values`.

    Returns
    -------
    ndarray of shape (...) or float

    Examples
    --------
    >>> float(misclass_values([2.0, 0.0], [0.75, 0.5]))
    0.625
    """
    decision, probability, (negative, positive) = _checked_targets(
        decision, probability, costs
    )
    terms = np.where(decision <= 0.0, positive * probability, 0.0)
    terms += np.where(decision >= 0.0, negative * (1.0 - probability), 0.0)
    return terms.mean(axis=-1)


# ------------------------------------------------------------------ checks


def _mean(terms, cost):
    return (terms if cost is None else cost * terms).mean(axis=-1)


def _checked_arrays(margin, influence, cost):
    margin = np.asarray(margin, dtype=np.float64)
    influence = np.asarray(influence, dtype=np.float64)
    if margin.ndim < 1 or margin.shape[-1] < 1 or margin.shape != influence.shape:
        raise ValueError(
            "The 'margin' and 'influence' of a criterion must have the same shape (..., n) with "
            f"n >= 1. Got shapes {margin.shape} and {influence.shape}."
        )
    if np.isnan(margin).any():
        raise ValueError("The 'margin' of a criterion must be numbers. Got NaN.")
    if not (influence >= 0.0).all():
        raise ValueError("The 'influence' of a criterion must not be negative or NaN.")
    if cost is not None:
        cost = np.asarray(cost, dtype=np.float64)
        if cost.ndim < 1 or cost.shape not in (margin.shape[-1:], margin.shape):
            raise ValueError(
                "The 'cost' of a criterion must hold one number for each of the "
                f"{margin.shape[-1]} samples. Got shape {cost.shape}."
            )
        if not ((cost > 0.0) & (cost < np.inf)).all():
            raise ValueError("The 'cost' of every sample must be positive and finite.")
    return margin, influence, cost


def _checked_targets(decision, probability, costs):
    decision = np.asarray(decision, dtype=np.float64)
    probability = np.asarray(probability, dtype=np.float64)
    if (
        decision.ndim < 1
        or decision.shape[-1] < 1
        or (probability.shape not in (decision.shape[-1:], decision.shape))
    ):
        raise ValueError(
            "The 'decision' must have shape (..., n) and the 'probability' one number for each of "
            f"the n samples. Got shapes {decision.shape} and {probability.shape}."
        )
    if np.isnan(decision).any():
        raise ValueError("The 'decision' of a criterion must be numbers. Got NaN.")
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        raise ValueError("Every 'probability' must be between 0 and 1.")
    pair = np.asarray(costs, dtype=np.float64)
    if pair.shape != (2,) or not ((pair > 0.0) & (pair < np.inf)).all():
        raise ValueError(
            f"The 'costs' must be two positive finite numbers, L(-1) and L(1). Got {costs!r}."
        )
    return decision, probability, pair
