"""The Mitchell-Demyanov-Malozemov algorithm: nearest points of two convex hulls.

    min 1/2 |w|^2,   w = sum_i y_i a_i phi(x_i)
    s.t. a >= 0,  sum of a_i over the positives = 1 = sum of a_i over the negatives

with phi(x_i) . phi(x_j) = K_ij + ridge_i delta_ij: the CH-SVM, (2.2.6) with the kernel (2.2.14).
(In (2.2.13) the coordinate that stands for the slack should be y_i / sqrt(C), as it is in (2.2.8).)
The height of a sample over the plane through the origin normal to w is y_i w . phi(x_i).

The box of the solver:

0. Start in the centres of the classes, or where told.
1. In each class find the sample of least height and the highest support point. End when the least
   heights show that no two points of the hulls are much nearer than w_+ and w_- are.
2. In the class where the two differ most, move weight from a support point to the lowest sample:
   the exact minimiser along this line, clipped where the weight is spent; go to 1.

The weight is taken from the highest support point, or (second order) from the one of which the
unclipped step gains most. When a pair comes again, what has been done since is a cycle: w is
moved along the sum of these updates at once, by an exact line search that is clipped at the first
multiplier to vanish, where that gains more than pair updates of the same cost would.

A. Barbero, SVM imbalance correction by conformal kernel transformations, master thesis, UAM, 2008,
section 2.2 (equation numbers). B. F. Mitchell, V. F. Demyanov and V. N. Malozemov, SIAM Journal on
Control 12 (1974). The cycles: A. Barbero, J. Lopez and J. R. Dorronsoro, An accelerated MDM
algorithm for SVM training, ESANN 2008. The second order: Fan, Chen and Lin, JMLR 6 (2005).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers import _mdm_kernels as kernels
from companion.solvers._hull_newton import HullNewton
from companion.solvers._hulls import Hulls

__all__ = ["MDMResult", "SVMSolution", "mdm"]

# Pair updates that are remembered to find cycles.
_WINDOW = 200

# The state is computed afresh when the iteration claims an end, at most so often, and after so many
# pair updates a sample.
_MAX_REFRESHES, _LONG = 50, 500

# What |w|^2 may change by rounding, relative to the largest kernel value.
_NOISE = 1e-15

# Nanoseconds of pair updates before a Newton step is considered.
_FIRST_BURST = 1e5


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
        Number of iterations: pair updates and steps along cycles.
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
        factor = 2.0 / self.squared_norm
        return SVMSolution(
            alpha=factor * self.alpha,
            intercept=factor * self.intercept,
            objective=-factor,
            decision_function=factor * self.decision_function,
        )


def mdm(  # noqa: PLR0913
    K,
    y,
    *,
    ridge=0.0,
    alpha0=None,
    selection="second_order",
    accelerate=False,
    tol=1e-3,
    max_iter=None,
    check_finite=True,
) -> MDMResult:
    """Find the nearest points of the convex hulls of two classes.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Gram matrix without the ridge, symmetric and positive semi-definite. Samples sorted by class
        are quicker.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1, both present.
    ridge : float or ndarray of shape (n_samples,), default=0.0
        Added to the diagonal of K: 1 / C for the SVM with squared slacks. Without it the hulls must
        not overlap. None means 0.
    alpha0 : ndarray of shape (n_samples,), optional
        Where to start, as ``alpha`` of a similar problem; the centres of the classes by default.
        Negative entries are taken for 0, and each class is scaled to the sum 1.
    selection : {"second_order", "first_order"}, default="second_order"
        The support point that gives up weight: the one of largest gain, or the highest.
    accelerate : bool or "cycles", default=False
        False is the plain algorithm. "cycles" adds the steps along cycles, and True besides these
        Newton steps over the support, which count as no iteration and are made when pair updates
        have cost a share of one. The solution is the same.
    tol : float, default=1e-3
        Ends when the duality gap is at most ``tol`` times the objective, 0 < tol < 1. In the units
        of the SVM the primal value is then at most 1 / (1 - tol) times the dual one.
    max_iter : int, optional
        Budget of iterations; the default is the larger of 10^7 and 100 n_samples.
    check_finite : bool, default=True
        Look for NaN and infinity in ``K``.

    Returns
    -------
    MDMResult

    Raises
    ------
    ValueError
        For shapes that do not match, labels other than -1 and +1, a class without samples, NaN or
        infinity, or a negative ridge.

    Warns
    -----
    ConvergenceWarning
        When the budget ends first, rounding stops all progress, or the hulls touch.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-1.0, 3.0, 4.0])
    >>> result = mdm(np.outer(x, x), np.array([-1, 1, 1]))
    >>> result.alpha, result.squared_norm, result.intercept
    (array([1., 1., 0.]), 16.0, -4.0)
    """
    _check_options(selection, accelerate, tol, max_iter)
    state = Hulls(K, y, ridge, alpha0, check_finite)
    budget = max(10_000_000, 100 * state.n) if max_iter is None else int(max_iter)
    window = _WINDOW if accelerate else 0
    newton = HullNewton() if accelerate and accelerate != "cycles" else None
    status = _minimise(state, selection == "second_order", window, newton, tol, budget)
    result = _result(state, status, tol, budget)
    if not result.converged:
        _warn(result, selection, tol)
    return result


def _minimise(state, second_order, window, newton, tol, budget):  # noqa: PLR0917
    """Iterate until an end is found to be true of a state computed afresh; return what it is."""
    # gap <= tol / 2 |w|^2 where |w|^2 - m <= (1 - sqrt(1 - tol)) |w|^2; the last digits are spared.
    share = (1.0 - 1e-9) * tol / (1.0 + np.sqrt(1.0 - tol))
    pair_cost = 60.0 + state.n
    long = _LONG * state.n
    first = max(int(_FIRST_BURST / pair_cost), 30) if newton else long
    burst, refreshes = first, 0
    looked_at, norm_then = 0, state.squared_norm
    while True:
        before = state.n_iter
        status = state.run_pairs(second_order, window, share, min(budget, before + burst))
        if status == kernels.BUDGET and state.n_iter < budget:
            burst = int(1.5 * burst)
            if newton is not None and newton.is_due(state, (state.n_iter - before) * pair_cost):
                newton.step(state)
                burst = first
            if state.n_iter - looked_at >= long:
                state.refresh()
                if not norm_then - state.squared_norm > _NOISE * state.scale:
                    return kernels.STALLED
                looked_at, norm_then = state.n_iter, state.squared_norm
            continue
        state.refresh()
        if status == kernels.BUDGET or state.is_at_end(tol):
            return status
        refreshes += 1
        if refreshes > _MAX_REFRESHES:
            return kernels.STALLED
        if newton is not None:
            newton.step(state)


def _result(state, status, tol, budget):
    """The MDMResult of a refreshed state."""
    squared_norm = state.squared_norm
    objective, gap, touching = 0.5 * squared_norm, state.gap(), bool(state.is_touching())
    converged = bool(not touching and gap <= tol * objective)
    if touching:
        reason = (
            f"The convex hulls of the classes touch: |w|^2 = {squared_norm:.3g} is rounding, "
            f"for kernel values up to {state.scale:.3g}."
        )
    elif converged:
        reason = f"The duality gap {gap:.3g} is at most {tol:g} times the objective."
    elif status == kernels.BUDGET:
        reason = f"The budget of {budget} iterations is spent."
    else:
        reason = "Rounding errors stop all progress: no pair can be moved any more."
    beta, parts = state.y * state.alpha, state.alpha * state.products
    m_plus, m_minus = parts[state.positive].sum(), parts[~state.positive].sum()
    intercept = -0.5 * (m_plus + m_minus)
    return MDMResult(
        alpha=state.alpha,
        intercept=float(intercept),
        squared_norm=float(squared_norm),
        decision_function=state.products - state.ridge * beta + intercept,
        products=state.products,
        m_plus=float(m_plus),
        m_minus=float(m_minus),
        objective=float(objective),
        duality_gap=float(gap),
        kkt_violation=float(state.violation()),
        n_iter=state.n_iter,
        stop_reason=reason,
        converged=converged,
        touching=touching,
    )


def _check_options(selection, accelerate, tol, max_iter):
    if selection not in ("first_order", "second_order"):
        raise ValueError(
            f"The 'selection' parameter of mdm must be 'first_order' or 'second_order'. "
            f"Got {selection!r} instead."
        )
    if accelerate not in (False, True, "cycles"):
        raise ValueError(
            f"The 'accelerate' parameter of mdm must be False, True or 'cycles'. "
            f"Got {accelerate!r} instead."
        )
    if not 0.0 < tol < 1.0:
        raise ValueError(
            f"The 'tol' parameter of mdm is relative to the objective and must be between 0 and 1. "
            f"Got {tol!r} instead."
        )
    if max_iter is not None and max_iter < 0:
        raise ValueError(
            f"The 'max_iter' parameter of mdm must be None or at least 0. Got {max_iter!r} instead."
        )


def _warn(result, selection, tol):
    advice = "Consider increasing max_iter, tol or the ridge."
    if result.touching:
        advice = "No plane separates the classes; pass a positive ridge (1 / C)."
    elif result.duality_gap >= result.objective:
        advice = "Consider increasing max_iter or the ridge; the hulls may overlap."
    warnings.warn(
        f"mdm ({selection} selection) has not converged. {result.stop_reason} After "
        f"{result.n_iter} iterations the KKT violation is {result.kkt_violation:.3g} and the "
        f"duality gap {result.duality_gap:.3g}, that is {_share(result):.3g} of the objective "
        f"(tol = {tol:g}). {advice}",
        ConvergenceWarning,
        stacklevel=3,
    )


def _share(result):
    return result.duality_gap / result.objective if result.objective > 0.0 else 1.0
