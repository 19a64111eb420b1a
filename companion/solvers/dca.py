"""The DC algorithm for the weighted multicategory machine with the truncated hinge.

    (10)  min 1/2 sum_j |w_j|^2 + C sum_i sum_j U_{y_i j} T_s(g_ij),   sum_j f_j = 0,
          g_ij = f_j(x_i) - max_{l != j} f_l(x_i),   T_s(u) = [1 - u]_+ - [s - u]_+

The box of the paper:

0. The machine for s = -infinity, with the same C. Where no decision has half of the utility this
   is f = 0, and the box ends here; the machine that ignores U is a start that gets away.
1. beta_ijl = C U_{y_i j} for l = argmax_{m != j} f_m(x_i), one l, where g_ij < s, else 0.
2. Minimise the convex part plus sum_ijl beta_ijl (f_j - f_l)(x_i): :mod:`.min_margin`.
3. Repeat until beta does not change; the objective falls at every step.
4. Ours: where some g_ij = s or two f_l are the largest, x sits on a kink of the concave part, which
   has more than one tangent there, and the box may end although the objective falls further on.
   So the other tangents are tried, and from one that leads down the box goes on. Where none of all
   does, x is a local minimum: near x the objective is the least of these convex problems. Of many
   kinks only those tangents are tried that truncate all of them or none.

The paper says that the form with costs, (4), sum_i sum_j C_{y_i j} [1 + g_ij]_+, has no such
algorithm. It has: with the concave h = 1 + g_ij, [h]_+ = h + [-h]_+ is concave plus convex, and its
truncated form T_s(-g) likewise. Step 1 then takes beta_ijl = C C_{y_i j} where g_ij < -s, and step
2 has the margin -1. Step 0 is that of the utilities max(C) 1 1' - C, those of (9).

Y. Liu, Y. Wu and Q. He, Utility-based weighted multicategory robust support vector machines,
Statistics and its Interface 3 (2010). Equation numbers are of this paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from companion._utils.checks import checked_positive
from companion._utils.warnings import warn_not_converged
from companion.solvers._loops import min_margin as loops
from companion.solvers._margin_terms import (
    ROUNDING,
    STALLED,
    UNSOLVED,
    Hinge,
    MarginTerms,
    checked_loss,
    checked_utility,
    ended,
)
from companion.solvers.min_margin import MinMarginResult, minimise

__all__ = ["DCAResult", "MachinePath", "dca", "dca_path", "utility_from_cost"]

#: Convex machines to start at: with the utilities, and with U = I.
STARTS = ("weighted", "unweighted")

# Weight of the proximal term of a DC step, |b - b_t|^2 / 2, for terms of mean weight one or more.
# It keeps b where truncation leaves directions without slope, and moves no fixed point.
PROXIMAL = 1e-3

# The last convex problem lies above the objective, at its own solution by little.
_SLACK = 1.1

# A margin sits on a kink if it is nearer than this times the square root of tol, as a gap is to the
# square of a distance.
_WIDTH = 5.0

# So many choices of tangents at the kinks are all tried.
_MAX_TANGENTS = 32

_REPEATS = "The set of truncated terms repeats."
_STALLS = "Steps lower the objective by no more than their own accuracy."
_ZERO = "The objective, which has no negative terms, is zero."
_MAY_BE_ON_A_KINK = {_REPEATS, _STALLS}
_LOCAL_MINIMUM = " No other tangents lead down: it is a local minimum."
_STATIONARY = (
    " None of the other tangents that were tried leads down: it is stationary."
)
_SPENT = "The budget of {steps} DC steps is spent."


@dataclass(frozen=True)
class DCAResult(MinMarginResult):
    """A machine with a truncated loss; a local minimum up to tol, not always the global one.

    Where many margins sit at the truncation, only some ways down are tried: it is stationary for
    them. ``stop_reason`` says which holds. ``objective`` is that of (10); ``duality_gap``,
    ``kkt_violation`` and ``alpha`` are of the last convex subproblem that lowered it or ended the
    box. ``converged`` says that a fixed point was reached and that it was solved.

    Attributes
    ----------
    n_steps, objectives : int, ndarray of shape (n_steps + 1,)
        Number of convex subproblems after the start, but for those that were tried in vain to leave
        a kink; the objective there and after each, not rising.
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
        Non-negative, not all equal (else `ValueError`); rows are true classes, columns predicted.

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
    start="weighted",
    sample_weight=None,
    tol=1e-8,
    max_iter=100,
    max_inner=200,
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
    start : {"weighted", "unweighted"}, MinMarginResult or ndarray, default="weighted"
        Where to start: the convex machine of this C with these utilities, or without any (U = I);
        or (w, b) of each class, of shape (k, n_columns + 1).
    tol : float, default=1e-8
        To which every subproblem is solved: its duality gap is at most this share of its value, or
        1e-14 of the total weight of the terms, which is rounding.
    max_iter, max_inner : int, default=100 and 200
        Budgets of DC steps, and of interior-point iterations of one subproblem.

    Returns
    -------
    DCAResult

    Raises
    ------
    ValueError
        As :func:`min_margin`, and for an ``s`` above 0, an unknown form, a start of wrong shape or
        a budget below 1.

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
    budgets = {"tol": tol, "max_inner": max_inner, "max_iter": max_iter}
    parts = form, start, sample_weight, budgets, "dca"
    ((convex, found),) = _descents(design, y, utility, [C], s, *parts)
    problem = found.problem
    n_steps = found.n_steps
    last = found.last
    n_iter = convex.n_iter + found.n_iter
    fields = problem.solution(last.hinge, found.x, last.alpha, n_iter, tol, last.offset)
    sentence = found.reason.format(steps=n_steps)
    advice = "Raise max_iter."
    is_solved = last.is_solved
    allowed = max(tol * found.objectives[-1], STALLED * found.total)
    has_gap = found.reason != _ZERO and fields["duality_gap"] > _SLACK * allowed
    if has_gap or not is_solved:
        is_solved = False
        sentence = "A convex problem is not solved to tol."
        advice = UNSOLVED
    fields |= {
        "objective": found.objectives[-1],
        "n_steps": n_steps,
        "objectives": np.array(found.objectives),
        "beta": problem.beta(found.p, found.chosen),
    }
    converged = is_solved and found.reason != _SPENT
    return ended(DCAResult, fields, converged, sentence, advice, "dca")


class _Convex(NamedTuple):
    """A solved convex problem: its machine, and what certifies it."""

    x: np.ndarray
    hinge: Hinge | None = None
    alpha: np.ndarray | None = None
    n_iter: int = 0
    is_solved: bool = True
    offset: float = 0.0


def _descents(  # noqa: PLR0913, PLR0917
    design, y, utility, C_values, s, form, start, sample_weight, budgets, name
):
    """For each C the convex machine to start at, and the end of the box from there."""
    problem = MarginTerms(design, y, utility, sample_weight, name)
    C_values = [checked_positive(C, "C", name) for C in C_values]
    loss = checked_loss(s, form, name)
    checked_positive(budgets["tol"], "tol", name)
    for budget in ("max_iter", "max_inner"):
        if budgets[budget] < 1:
            raise ValueError(
                f"The {budget!r} of {name} must be at least 1. Got {budgets[budget]!r}."
            )
    # Whether the start is the machine of this form and these utilities without truncation.
    is_solution = form == "utility" and isinstance(start, str) and start == "weighted"
    x = np.zeros((problem.k - 1, len(problem.Z)))
    terms = None
    if not isinstance(start, str):
        x = problem.point(start)
    elif start not in STARTS:
        raise ValueError(
            f"The 'start' of {name} must be one of {list(STARTS)}. Got {start!r}."
        )
    elif is_solution:
        terms = problem
    else:
        others = (
            utility_from_cost(utility) if start == "weighted" else np.eye(problem.k)
        )
        terms = MarginTerms(design, y, others, sample_weight, name)
    for C in C_values:
        convex = _Convex(x)
        if terms is not None:
            # Step 0: (10) with T_s = H_1, which is (7).
            hinge = terms.hinge(C)
            convex = _solved(hinge, x, budgets)
            x = convex.x
        descent = _Descent(problem, C, loss, convex, budgets)
        yield convex, descent.run(is_solution)


def _solved(hinge, x, budgets, offset=0.0):
    x, alpha, *end = minimise(hinge, x, budgets["tol"], budgets["max_inner"], offset)
    return _Convex(x, hinge, alpha, *end, offset)


class _Descent:
    """The DC steps: where they are, and the last convex problem with its multipliers."""

    def __init__(self, problem, C, loss, convex, budgets):
        self.problem = problem
        self.C = C
        self.loss = loss
        self.p = C * problem.p
        self.total = float(self.p.sum())
        self.ridge = PROXIMAL * min(1.0, float(self.p.mean()))
        self.budgets = budgets
        self.tol = budgets["tol"]
        self.max_iter = budgets["max_iter"]
        self.x = convex.x
        self.last = convex
        self.h, self.others = problem.margins(self.x)
        self.objectives = [_value(self.x, self.h, self.p, loss)]
        self.chosen = np.full(self.p.size, -1)
        self.n_iter = 0
        self.reason = _SPENT

    @property
    def n_steps(self):
        return len(self.objectives) - 1

    @property
    def _is_solved(self):
        """Whether the last step was; what a descent starts at is no step."""
        return self.last.is_solved or self.n_steps == 0

    def run(self, is_solution):
        """Steps 1 to 4 of the box; ``is_solution``: x is the machine without truncation."""
        self._go_on(is_solution)
        while (
            self.reason in _MAY_BE_ON_A_KINK and self._is_solved and self._leave_kinks()
        ):
            self._go_on(self._proximal_term_is_small())
        return self

    def _go_on(self, is_solution):
        """Steps 1 to 3."""
        cut = self.loss[1]
        has_stalled = False
        is_first = True
        while True:
            # Step 1: beta_ijl = C U_{y_i j} for l = argmax_{m != j} f_m where g_ij < s, else 0.
            chosen = np.where(self.h < cut, self.others.argmax(axis=0), -1)
            repeats = np.array_equal(chosen, self.chosen)
            self.chosen = chosen
            before = self.objectives[-1]
            # A step that was not solved is repeated: its proximal term is now centred where it
            # ended.
            is_reached = is_solution if is_first else self._proximal_term_is_small()
            if repeats and self._is_solved and is_reached:
                self.reason = _REPEATS
                return
            if not is_first and before <= ROUNDING * self.total:
                self.reason = _ZERO
                self.last = self.last._replace(is_solved=True)
                return
            if self.n_steps == self.max_iter:
                self.reason = _SPENT
                return
            is_first = False
            step = self._solve(chosen)
            self._take(step)
            # Step 3: (10) has to fall. A solution has ties, and rounding decides which l a tie
            # takes: one step in vain may be followed by a change of the set and a good one.
            value = step[0]
            is_zero = self.objectives[-1] <= ROUNDING * self.total
            stalls = not is_zero and not before - value > self._least_fall()
            if stalls and (has_stalled or not value < before):
                self.reason = _STALLS
                return
            has_stalled = stalls

    def _proximal_term_is_small(self):
        """Whether the last problem is nearly that without its proximal term."""
        pull = 0.5 * self.ridge * np.sum((self.x[:, 0] - self.last.hinge.anchor) ** 2)
        return pull <= self.tol * self.objectives[-1]

    def _least_fall(self):
        """By how much a step has to lower the objective."""
        return 0.1 * self.tol * self.objectives[-1]

    def _solve(self, chosen):
        """Step 2, the problem whose Lagrangian is (11): the value, and what :meth:`_take` keeps."""
        level, _, rise, top = self.loss
        anchor = self.x[:, 0].copy()
        hinge = self.problem.hinge(self.C, level, self.ridge, anchor, chosen)
        # What the tangents add to its value.
        truncated = self.p[chosen >= 0].sum()
        offset = truncated * rise if truncated else 0.0
        offset += (self.total - truncated) * top if truncated < self.total else 0.0
        convex = _solved(hinge, self.x, self.budgets, offset)
        self.n_iter += convex.n_iter
        margins = self.problem.margins(convex.x)
        value = _value(convex.x, margins[0], self.p, self.loss)
        return value, margins, convex

    def _take(self, step):
        value, margins, self.last = step
        self.h, self.others = margins
        if value < self.objectives[-1]:
            self.x = self.last.x
        self.objectives.append(min(value, self.objectives[-1]))

    def _leave_kinks(self):
        """Step 4: whether other tangents at the kinks that x sits on lead further down."""
        self.h, self.others = self.problem.margins(self.x)
        others, are_all = self._other_tangents()
        for chosen in others:
            if self.n_steps == self.max_iter:
                self.reason = _SPENT
                return False
            step = self._solve(chosen)
            if self.objectives[-1] - step[0] > self._least_fall():
                self.chosen = chosen
                self._take(step)
                return True
        self.reason += _LOCAL_MINIMUM if are_all else _STATIONARY
        return False

    def _other_tangents(self):
        """Other choices of l at the kinks, and whether these are all there are.

        They are if they are few; else all terms there are truncated, or none. -1 stands for no l.
        The same terms of points that are the same choose together.
        """
        cut = self.loss[1]
        width = _WIDTH * math.sqrt(self.tol)
        is_tied = self.others >= self.others.max(axis=0) - width
        possible = np.vstack([self.h >= cut - width, is_tied & (self.h <= cut + width)])
        on_kink = np.flatnonzero(possible.sum(axis=0) > 1)
        if not on_kink.size:
            return [], True
        points = self.problem.design.augmented[self.problem.sample[on_kink]]
        kinks = np.column_stack([points, self.problem.column[on_kink]])
        _, first, place = np.unique(
            kinks, axis=0, return_index=True, return_inverse=True
        )
        options = [
            np.flatnonzero(of_term) - 1 for of_term in possible[:, on_kink[first]].T
        ]
        are_all = math.prod(map(len, options)) <= _MAX_TANGENTS
        if are_all:
            choices = product(*options)
        else:
            choices = [
                [of_kink[0] for of_kink in options],
                [of_kink[-1] for of_kink in options],
            ]
        tried = {}
        for choice in choices:
            chosen = self.chosen.copy()
            chosen[on_kink] = np.array(choice)[place.ravel()]
            tried[chosen.tobytes()] = chosen
        tried.pop(self.chosen.tobytes(), None)
        return list(tried.values()), are_all


def _value(x, h, p, loss):
    """(10)."""
    level, _, rise, top = loss
    hinge = np.maximum(level - h, 0.0) + np.minimum(h + rise, top)
    return float(0.5 * np.sum(x[:, 1:] ** 2) + p @ hinge)


def dca_path(  # noqa: PLR0913
    design,
    y,
    utility,
    C_values,
    s,
    *,
    form="utility",
    start="weighted",
    sample_weight=None,
    tol=1e-6,
    max_iter=100,
    max_inner=200,
):
    """The convex machine and the robust one that starts there, for each C.

    Parameters
    ----------
    design, y, utility, s, form, sample_weight, tol, max_iter, max_inner
        As for :func:`dca`, but with a default ``tol`` of 1e-6.
    start : {"weighted", "unweighted"}, default="weighted"
        Which convex machines.
    C_values : sequence of float
        In an order in which neighbours are similar: the convex machine of one is where the
        solver starts for the next, which changes the time and, where its b is unique, not the
        solution.

    Returns
    -------
    convex, robust : MachinePath

    Raises
    ------
    ValueError
        As :func:`dca`, and if a C is not positive and finite.

    Warns
    -----
    ConvergenceWarning
        As :func:`dca`.
    """
    budgets = {"tol": tol, "max_inner": max_inner, "max_iter": max_iter}
    parts = form, start, sample_weight, budgets, "dca_path"
    rows = ([], [])
    for convex, found in _descents(design, y, utility, C_values, s, *parts):
        x = convex.x
        value, gap, *_ = loops.certificate(*convex.hinge, x, convex.alpha)
        rows[0].append((x, value, gap, 0, convex.n_iter, convex.is_solved))
        last = found.last
        if found.n_steps:
            gap = loops.certificate(*last.hinge, found.x, last.alpha)[1]
        converged = last.is_solved and found.reason != _SPENT
        rows[1].append(
            (found.x, found.objectives[-1], gap, found.n_steps, found.n_iter, converged)
        )
    C_values = np.asarray(C_values, dtype=np.float64)
    paths = []
    for name, part in zip(("convex", "robust"), rows, strict=True):
        points, *columns = map(np.array, zip(*part, strict=True))
        _, coef, intercept = found.problem.coefficients(points)
        machines = MachinePath(C_values, coef, intercept, *columns)
        paths.append(machines)
        missed = np.flatnonzero(~machines.converged)
        if missed.size:
            first = missed[0]
            warn_not_converged(
                f"dca_path did not converge for {missed.size} of {C_values.size} {name} machines: "
                f"the first has C = {C_values[first]:g}, the duality gap "
                f"{machines.duality_gap[first]:.3g} and the objective "
                f"{machines.objective[first]:.6g}. Raise max_iter ({max_iter}), max_inner "
                f"({max_inner}) or tol ({tol:g})."
            )
    return tuple(paths)
