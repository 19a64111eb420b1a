"""The weighted minimum-margin hinge of several classes, with linear terms: the DC subproblem.

    min  1/2 sum_m |w_m|^2 + sum_ij C U_{y_i j} xi_ij + sum_ijl beta_ijl (f_j - f_l)(x_i)
    s.t. xi_ij >= 0,  xi_ij >= 1 - (f_j - f_l)(x_i) for all l != j,  sum_m f_m = 0

Its dual, with the multipliers alpha_ijl of the margins:

    (15)  w_m = sum_i x_i [ sum_{l != m} (alpha_iml - beta_iml)
                            - sum_{j != m} (alpha_ijm - beta_ijm) ]
    (13)  sum_i [ the same bracket ] = 0,    (14)  alpha_ijl >= 0, sum_l alpha_ijl <= C U_{y_i j}
    max   sum_ijl alpha_ijl - 1/2 sum_m |w_m|^2

A term is a pair (i, j) with p = C U_{y_i j} > 0. With f = Q x z, Q an orthonormal basis of the
vectors that sum to zero, z = (1, features) and x = (b, V), the problem is

    min  1/2 |V|^2 + <L, x> + sum_terms p max_l (c_l + f_l),    c_l = 1 for l != j, c_j = 0,

with all that is linear in L. Multipliers alpha_l >= 0 of a term, that of xi_ij >= 0 for l = j, sum
to p; slacks are t_l = u - c_l - f_l >= 0, u the bound of the maximum. The box of the solver:

0. f = 0, every term near the central path t_l alpha_l = mu.
1. End when primal minus dual value is small; else the Newton system of the relaxed conditions.
   With a_l = alpha_l / t_l and A = sum_l a_l it is, once u, t and alpha are eliminated,
   H = I + sum_terms Q' (diag(a) - a a' / A) Q x z z', of (d + 1)(k - 1) equations.
2. Predictor, corrector (Mehrotra), a step that stays inside. Go to 1.

The minimiser need not be unique in b, nor the set of minimisers bounded: a Newton step has a small
proximal term in b, centred at the iterate, which keeps b where nothing moves it and moves no
solution.

Y. Liu, Y. Wu and Q. He, Utility-based weighted multicategory robust support vector machines,
Statistics and its Interface 3 (2010) (equation numbers). S. Mehrotra, On the implementation of a
primal-dual interior point method, SIAM Journal on Optimization 2 (1992).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from companion._utils.checks import checked_positive
from companion._utils.progress import report
from companion._utils.threads import interruptible
from companion.solvers._loops import min_margin as loops
from companion.solvers._margin_terms import (
    ROUNDING,
    STALLED,
    MarginTerms,
    end_of,
    ended,
)

__all__ = ["MinMarginResult", "min_margin"]

# The centring target, over all terms, does not fall below this share of what the tolerance needs
# nor of the residual of (13): otherwise mu is gone before the residual is.
_LEAST_CENTRING = 0.1

# Iterations without a better certificate that end a solution.
_MAX_ITER_WITHOUT_PROGRESS = 8

# Weight of the proximal term in b of a Newton step, over the sum of all alpha t.
_PROXIMAL_WEIGHT = 1e-6

# A Newton matrix may leave columns out while the sum of all alpha t is above this share of the
# value.
_EARLY_ABOVE = 0.02


@dataclass(frozen=True)
class MinMarginResult:
    """A machine f_m = w_m . z + b_m with sum_m f_m = 0, and its certificates.

    Attributes
    ----------
    w : ndarray of shape (n_classes, n_columns)
        Weights in the columns of the design, whose squared norm is the regulariser.
    coef : ndarray of shape (n_classes, n_features) or (n_classes, n_prototypes)
        Coefficients in the caller's terms, ``design.coefficients(w_m)``.
    intercept : ndarray of shape (n_classes,)
        b.
    objective, duality_gap : float
        Primal objective, and it minus the dual value of ``alpha``, moved to satisfy (13); that of
        the problem with a small proximal term at b where no nearby alpha satisfies (13) and has a
        gap within the tolerance.
    kkt_violation : float
        The largest entry of the differences between the two sides of (15) and of (13).
    alpha : ndarray of shape (n_samples, n_classes, n_classes)
        Multipliers alpha_ijl; zero for j = l and where U_{y_i j} = 0. They satisfy (14) exactly.
    n_iter : int
        Iterations of the interior point, of all subproblems for the DC algorithm.
    converged, stop_reason : bool, str
        Whether and why (a sentence) the solver ended.
    decision_function : ndarray of shape (n_samples, n_classes)
        f of the training samples.
    """

    w: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    objective: float
    duality_gap: float
    kkt_violation: float
    alpha: np.ndarray
    n_iter: int
    converged: bool
    stop_reason: str
    decision_function: np.ndarray


def min_margin(
    design, y, utility, C, *, beta=None, sample_weight=None, tol=1e-8, max_iter=200
) -> MinMarginResult:
    """Minimise the weighted minimum-margin hinge with linear terms.

    Parameters
    ----------
    design : Design
        Features or kernel expansion of the samples, :class:`companion.solvers.Design`.
    y : ndarray of int of shape (n_samples,)
        Classes 0, ..., k - 1: rows of ``utility``.
    utility : ndarray of shape (k, k)
        U, non-negative, not all zero; rows are true classes, columns predicted ones.
    C : float
        Weight of the loss.
    beta : ndarray of shape (n_samples, k, k), optional
        Linear terms beta_ijl, none by default: the weighted support vector machine.
    sample_weight : ndarray of shape (n_samples,), optional
        Positive factors on the loss of the samples.
    tol : float, default=1e-8
        The solver ends when the duality gap is at most this share of the objective, or 1e-14 of the
        total weight of the terms, which is rounding.
    max_iter : int, default=200
        Budget of iterations.

    Returns
    -------
    MinMarginResult

    Raises
    ------
    ValueError
        For a utility that is not square, finite, non-negative and somewhere positive, labels
        without a row in it, shapes that do not match, or a C or weight that is not positive.

    Warns
    -----
    ConvergenceWarning
        When the tolerance is not reached.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.solvers import Design
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> machine = min_margin(Design.linear(x), np.array([0, 0, 1, 1, 2, 2]), np.eye(3), C=10.0)
    >>> machine.decision_function.argmax(axis=1), machine.converged
    (array([0, 0, 1, 1, 2, 2]), True)
    """
    # (12) to (14): p = C U_{y_i j} bounds the sum of alpha_ijl over l.
    problem = MarginTerms(design, y, utility, sample_weight, "min_margin")
    C = checked_positive(C, "C", "min_margin")
    checked_positive(tol, "tol", "min_margin")
    hinge = problem.hinge(C)
    # The linear terms of (11).
    if beta is not None:
        hinge = hinge._replace(L=hinge.L + problem.linear_terms(beta))
    x, alpha, n_iter, is_solved = minimise(hinge, np.zeros_like(hinge.L), tol, max_iter)
    fields = problem.solution(hinge, x, alpha, n_iter, tol)
    end = end_of(is_solved, n_iter, tol, max_iter)
    return ended(MinMarginResult, fields, is_solved, *end)


def minimise(hinge, x, tol, max_iter, offset=0.0):
    """The box from x on; x, alpha, iterations, whether the gap is small.

    The gap is relative to the value plus ``offset``. Where a start from elsewhere leads to no
    solution, f = 0 may.
    """
    found = _minimise(hinge, x, tol, max_iter, offset)
    *_, n_iter, is_solved = found
    if is_solved or n_iter == max_iter or not x.any():
        return found
    again = _minimise(hinge, np.zeros_like(x), tol, max_iter - n_iter, offset)
    x, alpha, more, is_solved = again
    return (x, alpha, n_iter + more, True) if is_solved else found


def _minimise(hinge, x, tol, max_iter, offset):
    weight = float(hinge.p.sum())
    (k, n) = hinge.c.shape
    # Step 0: at a warm start x, alpha sums to p as (14) asks.
    value = loops.certificate(*hinge, x, np.zeros((k, n)))[0] + offset
    alpha, t = _centred(hinge, x, max(value / weight, 1e-3))
    x = x.copy()
    best = (np.inf, x, alpha)
    best_iter = 0
    stop = np.zeros(1, dtype=np.bool_)
    for n_iter in range(max_iter + 1):
        # Step 1: the gap, with the residuals of (13) and (15) priced.
        value, gap, surplus, _ = loops.certificate(*hinge, x, alpha)
        scale = max(value + offset, ROUNDING * weight / tol)
        report(
            "iteration {}, duality gap {:.2g} (to be {:.2g})", n_iter, gap, tol * scale
        )
        if gap < best[0]:
            best = gap, x.copy(), alpha.copy()
            best_iter = n_iter
        if (
            gap <= tol * scale
            or n_iter - best_iter > _MAX_ITER_WITHOUT_PROGRESS
            or n_iter == max_iter
            or not math.isfinite(gap)
        ):
            break
        # Step 2: towards (13), (15) and alpha t = 0; alpha stays within (14).
        is_early_above = _EARLY_ABOVE * scale
        least_target = _LEAST_CENTRING * max(tol * scale, surplus)
        aims = _PROXIMAL_WEIGHT, is_early_above, least_target
        parts = *hinge, x, alpha, t, *aims, stop
        interruptible(x.size**2 * k * n, loops.take_step, *parts, stop=stop)
    gap, x, alpha = best
    return x, alpha, n_iter, bool(gap <= max(tol * scale, STALLED * weight))


def _centred(hinge, x, height):
    """alpha with a common alpha t and sum p for each term, u this high above the maximum."""
    t = hinge.Q @ (x @ hinge.Z) + hinge.c
    t = t.max(axis=0) + height - t
    alpha = 1.0 / t
    return alpha * (hinge.p / alpha.sum(axis=0)), t
