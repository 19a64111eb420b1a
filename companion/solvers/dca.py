"""The DC algorithm for the weighted multicategory machine with the truncated hinge.

    (10)  min 1/2 sum_j |w_j|^2 + C sum_i sum_j U_{y_i j} T_s(g_ij),   sum_j f_j = 0,
          g_ij = f_j(x_i) - max_{l != j} f_l(x_i),   T_s(u) = [1 - u]_+ - [s - u]_+

The box of the paper:

0. The machine for s = -infinity, with the same C.
1. beta_ijl = C U_{y_i j} for l = argmax_{m != j} f_m(x_i), one l, where g_ij < s, else 0.
2. Minimise the convex part plus sum_ijl beta_ijl (f_j - f_l)(x_i): :mod:`.min_margin`.
3. Repeat until beta does not change; the objective falls at every step.

The paper says that the form with costs, (4), sum_i sum_j C_{y_i j} [1 + g_ij]_+, has no such
algorithm. It has: with the concave h = 1 + g_ij, [h]_+ = h + [-h]_+ is concave plus convex, and its
truncated form T_s(-g) likewise. Step 1 then takes beta_ijl = C C_{y_i j} where g_ij < -s, and step
2 has the margin -1. Step 0 is that of the utilities max(C) 1 1' - C, those of (9).

Y. Liu, Y. Wu and Q. He, Utility-based weighted multicategory robust support vector machines,
Statistics and its Interface 3 (2010). Equation numbers are of this paper.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers._dca_kernels import COLD, REPEATS, SPENT, STALLS, ZERO, descend, path
from companion.solvers._min_margin_shrinking import minimise
from companion.solvers.min_margin import (
    MarginProblem,
    MinMarginResult,
    checked_positive,
    checked_utility,
    end_of,
    ended,
)

__all__ = ["DCAResult", "MachinePath", "dca", "dca_path", "utility_from_cost"]

FORMS = ("utility", "cost")

# Weight of the proximal term of a DC step, |b - b_t|^2 / 2, for terms of mean weight one
# or more. It keeps b where truncation leaves directions without slope, and as it is zero at b_t
# it moves no fixed point.
PROXIMAL = 1e-3

_REASONS = {
    REPEATS: "The set of truncated terms repeats.",
    STALLS: "Steps lower the objective by no more than their own accuracy.",
    ZERO: "The objective, which has no negative terms, is zero.",
    SPENT: "The budget of {steps} DC steps is spent.",
}


@dataclass(frozen=True)
class DCAResult(MinMarginResult):
    """A machine with a truncated loss; a stationary point, not always the global minimum.

    ``objective`` is that of (10); ``duality_gap``, ``kkt_violation`` and ``alpha`` are of the last
    convex subproblem. ``converged`` says that a fixed point was reached and that it was solved.

    Attributes
    ----------
    n_steps, objectives : int, ndarray of shape (n_steps + 1,)
        Number of convex subproblems after the start; the objective there and after each, not
        rising.
    beta : ndarray of shape (n_samples, n_classes, n_classes)
        Linear terms of the last subproblem.
    """

    n_steps: int = 0
    objectives: np.ndarray | None = None
    beta: np.ndarray | None = None


@dataclass(frozen=True)
class MachinePath:
    """Machines for a sequence of C, as arrays.

    Attributes
    ----------
    C, objective, duality_gap : ndarray of shape (n_C,)
        The gap is that of the (last) convex problem.
    coef : ndarray of shape (n_C, n_classes, n_features) or (n_C, n_classes, n_prototypes)
    intercept : ndarray of shape (n_C, n_classes)
    n_steps, n_iter, converged : ndarray of shape (n_C,)
        DC steps (0 for convex machines), interior-point iterations, and whether they sufficed.
    """

    C: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    duality_gap: np.ndarray
    n_steps: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


def utility_from_cost(cost):
    """U = max(C) 1 1' - C: the utilities for which (9) holds.

    Parameters
    ----------
    cost : array-like of shape (k, k)
        Non-negative (else `ValueError`); rows are true classes, columns predicted ones.

    Returns
    -------
    ndarray of shape (k, k)

    Examples
    --------
    >>> utility_from_cost([[0.0, 2.0], [1.0, 0.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    cost = checked_utility(cost, "utility_from_cost", "cost")
    return cost.max() - cost


def dca(  # noqa: PLR0913
    design,
    y,
    utility,
    C,
    s,
    *,
    form="utility",
    start=None,
    sample_weight=None,
    tol=1e-8,
    max_steps=100,
    max_iter=200,
) -> DCAResult:
    """Fit the weighted robust machine by the DC algorithm.

    Parameters
    ----------
    design, y, C, sample_weight
        As for :func:`min_margin`.
    utility : ndarray of shape (k, k)
        U, or the costs for ``form="cost"``; rows are true classes, columns predicted ones.
    s : float or None
        Where the loss is truncated, at most 0; None or -inf for not at all.
    form : {"utility", "cost"}, default="utility"
        Loss U_{y_i j} T_s(g_ij), (8), or C_{y_i j} T_s(-g_ij), (4) for s = None.
    start : MinMarginResult or ndarray of shape (k, n_columns + 1), optional
        Where to start, (w, b) of each class; the convex machine of this C by default.
    tol : float, default=1e-8
        Relative duality gap to which every subproblem is solved.
    max_steps, max_iter : int, default=100 and 200
        Budgets of DC steps, and of interior-point iterations of one subproblem.

    Returns
    -------
    DCAResult

    Raises
    ------
    ValueError
        As :func:`min_margin`, and for an ``s`` above 0, an unknown form or a start of wrong shape.

    Warns
    -----
    ConvergenceWarning
        When the DC steps or the iterations of the last subproblem do not suffice.

    Examples
    --------
    The last point is on the wrong side; the convex machine gives up the second class for it:

    >>> import numpy as np
    >>> from companion.solvers import Design
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> y = np.array([0, 0, 1, 1, 2, 2, 0])
    >>> for s in (None, -0.5):
    ...     machine = dca(Design.linear(x), y, np.eye(3), C=10.0, s=s)
    ...     print(machine.decision_function.argmax(axis=1))
    [0 0 0 2 2 2 2]
    [0 0 1 1 2 2 2]
    """
    problem = MarginProblem(design, y, utility, sample_weight, "dca")
    C, constants = checked_positive(C, "C", "dca"), _constants(s, form, "dca")
    checked_positive(tol, "tol", "dca")
    p, k, size = C * problem.p, problem.k, problem.Z.shape[0]
    ridge, proximal = 0.0, PROXIMAL * min(1.0, p.mean())
    alpha, linear = np.empty((k, p.size)), np.zeros((k, problem.n))
    x, n_start, is_solved, anchor = np.zeros((k - 1, size)), 0, True, np.zeros(k - 1)
    if start is None:
        groups, weights = _convex_terms(problem, form)
        multipliers = np.empty((k, weights.size))
        *_, n_start, is_solved = minimise(
            problem.Z,
            groups,
            C * weights,
            linear,
            problem.basis,
            1.0,
            ridge,
            anchor,
            x,
            COLD,
            0.0,
            tol,
            max_iter,
            multipliers,
        )
        if form == "utility":
            alpha = multipliers
    else:
        x = _starting_point(problem, start)
    chosen, values = np.empty(p.size, dtype=np.int64), np.empty(max_steps + 2)
    is_convex_solution = start is None and form == "utility"
    steps, reason, _, is_near, n_iter = descend(
        problem.Z,
        problem.groups,
        p,
        problem.basis,
        constants,
        proximal,
        x,
        is_convex_solution,
        tol,
        max_iter,
        max_steps,
        alpha,
        linear,
        chosen,
        values,
    )
    if steps:
        anchor, ridge = x[:, -1].copy(), proximal
    fields = problem.solution(p, x, alpha, linear, constants[0], ridge, anchor, n_start + n_iter)
    is_near = is_near if steps else is_solved
    sentence, advice = _REASONS[reason].format(steps=steps), "Raise max_steps."
    if not is_near:
        sentence, advice = end_of(False, n_iter, tol, max_iter)
    fields |= {
        "objective": float(values[steps]),
        "n_steps": steps,
        "objectives": values[: steps + 1].copy(),
        "beta": problem.beta(p, chosen),
    }
    converged = bool(is_near and reason != SPENT)
    return ended(DCAResult, fields, converged, sentence, advice, "dca")


def dca_path(  # noqa: PLR0913
    design,
    y,
    utility,
    C_values,
    s,
    *,
    form="utility",
    sample_weight=None,
    tol=1e-6,
    max_steps=100,
    max_iter=200,
):
    """The convex machine and the robust one that starts there, for each C, in one compiled call.

    Parameters
    ----------
    design, y, utility, s, form, sample_weight, tol, max_steps, max_iter
        As for :func:`dca`, but with a default ``tol`` of 1e-6.
    C_values : sequence of float
        In an order in which neighbours are similar: the convex machine of one is where the
        solver starts for the next, which changes the time and, where its b is unique, not the
        solution.

    Returns
    -------
    convex, robust : MachinePath
    """
    problem = MarginProblem(design, y, utility, sample_weight, "dca_path")
    constants = _constants(s, form, "dca_path")
    C = np.array([checked_positive(value, "C_values", "dca_path") for value in C_values])
    checked_positive(tol, "tol", "dca_path")
    points = np.empty((2, C.size, problem.k - 1, problem.Z.shape[0]))
    report = np.empty((C.size, 9))
    path(
        problem.Z,
        _convex_terms(problem, form),
        (problem.groups, problem.p),
        problem.basis,
        constants,
        C,
        PROXIMAL,
        tol,
        max_iter,
        max_steps,
        *points,
        report,
    )
    convex = _machine_path(problem, C, points[0], *report[:, :4].T, np.zeros(C.size))
    robust = _machine_path(problem, C, points[1], *report[:, 4:].T)
    for name, machines in (("convex", convex), ("robust", robust)):
        if not machines.converged.all():
            missed = np.flatnonzero(~machines.converged)
            warnings.warn(
                f"dca_path did not converge for {missed.size} of {C.size} {name} machines: the "
                f"first has C = {C[missed[0]]:g}, the duality gap "
                f"{machines.duality_gap[missed[0]]:.3g} and the objective "
                f"{machines.objective[missed[0]]:.6g}. Raise max_steps ({max_steps}), max_iter "
                f"({max_iter}) or tol ({tol:g}).",
                ConvergenceWarning,
                stacklevel=2,
            )
    return convex, robust


def _machine_path(problem, C, points, objective, gap, n_iter, converged, n_steps):  # noqa: PLR0917
    _, coef, intercept = problem.coefficients(points)
    return MachinePath(
        C=C,
        coef=coef,
        intercept=np.ascontiguousarray(intercept),
        objective=objective.copy(),
        duality_gap=gap.copy(),
        n_steps=n_steps.astype(np.int64),
        n_iter=n_iter.astype(np.int64),
        converged=converged > 0.0,
    )


def _constants(s, form, name):
    """(level, cut, rise, top) of the loss [level - h]_+ + min(h + rise, top), linear below cut."""
    if form not in FORMS:
        raise ValueError(f"The 'form' of {name} must be one of {list(FORMS)}. Got {form!r}.")
    s = -np.inf if s is None else float(s)
    if not s <= 0.0:
        raise ValueError(
            f"The truncation 's' of {name} must be at most 0, where a decision turns wrong, or "
            f"None. Got {s:g}; -1 / (k - 1) is the paper's."
        )
    return (1.0, s, -s, 0.0) if form == "utility" else (-1.0, -s, 1.0, 1.0 - s)


def _convex_terms(problem, form):
    """Groups and weights, for C = 1, of the convex machine to start at."""
    if form == "utility":
        return problem.groups, problem.p
    return problem.terms_of(utility_from_cost(problem.utility))


def _starting_point(problem, start):
    if isinstance(start, MinMarginResult):
        start = np.column_stack([start.w, start.intercept])
    start = np.asarray(start, dtype=np.float64)
    shape = (problem.k, problem.Z.shape[0])
    if start.shape != shape or not np.isfinite(start).all():
        raise ValueError(
            f"The 'start' of dca must be a result on this design or finite numbers of shape {shape}"
            f", (w, b) of each class. Got shape {start.shape}."
        )
    return problem.point(start)
