"""Iterated weighted least squares for support vector machines with any loss of the slacks.

    min 1/2 w'w + sum_i c_i theta(xi_i),   xi_i = max(0, 1 - y_i f_i),   f = Z w + b

The box of the paper, for a design Z (its section 2.1 and :class:`Design`):

0. a_i = 1.
1. Solve the weighted least-squares problem (20), (25):
   min 1/2 w'w + 1/2 sum_i a_i (y_i - f_i)^2.
2. a_i = 0 where e_i y_i = 1 - y_i f_i < 0, else alpha_i / (e_i y_i) with the multipliers
   alpha_i = c_i theta'(xi_i): (21), (22). The paper prints 2 alpha_i / (e_i y_i), whose fixed
   point belongs to 2 C.
3. Repeat, with damping w <- d w + (1 - d) w_new, until nothing changes.

A fixed point satisfies the Karush-Kuhn-Tucker conditions (8) to (13), and is stable if
d > (s - 3) / (s - 1): with H the Hessian of the objective there and M the matrix of (20), one
iteration multiplies a small deviation by d + (1 - d) (I - M^-1 H), and H <= (s - 1) M. For s <= 3
any damping will do there. Far from a fixed point neither the objective nor the iteration need
settle, whatever s, as samples on the right side of their margin have no weight and a step may carry
them back over it. With ``accelerate`` a step that would raise the objective is halved.

A. Navia-Vazquez, F. Perez-Cruz, A. Artes-Rodriguez and A. R. Figueiras-Vidal, Advantages of
unbiased support vector classifiers for data mining applications, Journal of VLSI Signal
Processing 37 (2004). Equation numbers are of this paper.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from companion._utils.checks import checked_positive
from companion._utils.progress import report
from companion.losses import Hinge
from companion.solvers._design import Design, normal_equations
from companion.solvers._margin_terms import balanced, binary_hinge
from companion.solvers._wls_problem import (
    Course,
    Objective,
    WLSResult,
    gap_of,
    stable_damping,
    warn,
)
from companion.solvers.min_margin import minimise

__all__ = [
    "Design",
    "WLSResult",
    "least_squares_path",
    "stable_damping",
    "wls",
    "wls_path",
]

# Relative duality gap of the support vector machine that an iteration starts from.
_START_TOL = 1e-6

STARTS = ("least_squares", "svc")


def wls(  # noqa: PLR0913
    design,
    y,
    C,
    *,
    loss=None,
    sample_weight=None,
    start="least_squares",
    damping="auto",
    tol=1e-6,
    max_iter=2000,
    floor=None,
    printed_weights=False,
    accelerate=True,
    history=False,
) -> WLSResult:
    """Fit a machine by iterated weighted least squares.

    Parameters
    ----------
    design : Design
        Features or kernel expansion of the samples.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1, both present.
    C : float
        Weight of the loss.
    loss : Hinge, Unbiased or Sigmoid, optional
        From :mod:`companion.losses`; the hinge by default.
    sample_weight : ndarray of shape (n_samples,), optional
        Positive factors on C: c_i = C sample_weight_i.
    start : {"least_squares", "svc"}, WLSResult or ndarray of shape (n_columns + 1,)
        Where to start: at the solution for a_i = 1 (times the sample weight), at the support
        vector machine of the same C, or at a given machine (w, b). The hinge has one minimum,
        other losses may have several.
    damping : "auto" or float, default="auto"
        d in [0, 1); "auto" is :func:`stable_damping`.
    tol : float, default=1e-6
        For the hinge, the duality gap relative to the objective. For other losses the iteration
        ends when a full step changes no decision value by more than this.
    max_iter : int, default=2000
        Budget of weighted least-squares problems.
    floor : float, optional
        Smaller slacks count as this much in the weight, and the loss is quadratic below. The
        default is 1e-7 for losses whose weight is unbounded at zero and 0 for the others.
    printed_weights : bool, default=False
        Use the weights as printed, 2 alpha_i / (e_i y_i): the machine of 2 C is found. With
        ``accelerate=False`` only.
    accelerate : bool, default=True
        Allow what changes the sequence but not the solution: Newton steps once the iteration has
        settled, and for the hinge an interior point. False gives the plain iteration of the paper.
    history : bool, default=False
        Record the iterates in ``WLSResult.log``; the interior point has none.

    Returns
    -------
    WLSResult

    Raises
    ------
    ValueError
        For labels other than -1 and +1 or of one class only, shapes that do not match, a C,
        tolerance, budget or weight that is not positive, a damping outside [0, 1), a floor outside
        [0, 1) or of zero where the weight of the loss is unbounded, an unknown start, or printed
        weights with ``accelerate``.

    Warns
    -----
    ConvergenceWarning
        When the budget ends first or the iteration alternates between two machines.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> machine = wls(Design.linear(x), np.sign(x[:, 0]), C=10.0)
    >>> machine.coef.round(3), machine.converged
    (array([1.]), True)
    """
    loss = Hinge() if loss is None else loss
    factor = 2.0 if printed_weights else 1.0
    problem = Objective(design, y, C, sample_weight, loss, floor, factor)
    course = Course(problem, damping, tol, max_iter, accelerate)
    x = _starting_point(problem, start, course.max_iter)
    if accelerate and isinstance(loss, Hinge):
        result = _interior(problem, x, course)
    else:
        result = _iterate(problem, x, course, [] if history else None)
    if not result.converged:
        warn(result, loss, course.damping)
    return result


def _iterate(problem, x, course, log):
    """The box of the paper, from x = (w, b) on."""
    design = problem.design
    y = problem.y
    c = problem.c
    gap = np.nan
    bounded = np.nan
    f = design.augmented @ x
    here = problem.at(x, f)
    while True:
        report("iteration {}, a step of {:.2g}", course.n_iter, course.largest)
        value, xi, weight, bend = here  # xi_i = e_i y_i
        a = c * weight  # (22)
        alpha = a * np.maximum(xi, 0.0)  # (21)
        if log is not None:
            log.append((x.copy(), problem.value(x, xi)))
        if problem.loss.is_convex:
            gap, bounded = gap_of(design, y, c, x, f, alpha)
        gradient = problem.gradient(x, alpha)
        is_stationary = partial(problem.is_stationary, x, xi, gradient)
        end = course.end(value, gap, bounded, is_stationary)
        if end is not None:
            return problem.result(x, alpha, gap, course.n_iter, *end, log)
        df = None
        length = 0.0
        for weights, full, halvings in course.trials(a, c * bend):
            solve = normal_equations(design, weights)
            if solve is None:
                continue
            d = -solve(gradient)  # (20), (25) for w_new - w
            df = design.augmented @ d
            length, there = _descend(problem, course, (x, f, d, df), full, halvings)
            if length:
                break
        if course.step(df, length):
            x = x + length * d
            f = f + length * df
            here = there  # w <- d w + (1 - d) w_new


def _descend(problem, course, way, length, halvings):
    """How far to go, 0 for nowhere, and what is there: an accelerated iteration never climbs."""
    allowed = course.value + 1e-13 * abs(course.value) if course.accelerate else np.inf
    x, f, d, df = way
    for _ in range(halvings if np.isfinite(df @ df) else 0):
        there = problem.at(x + length * d, f + length * df)
        if there[0] <= allowed or not course.accelerate:
            return length, there
        length *= 0.5
    return 0.0, None


def wls_path(design, y, C_values, *, loss=None, start="svc", **settings):
    """Fit one machine for each C on one design.

    Parameters
    ----------
    design, y, loss
        As for :func:`wls`.
    C_values : sequence of float
    start : {"svc", "least_squares"} or sequence of WLSResult, default="svc"
        Where the fit for each C starts: at the support vector machine of this C, at least
        squares, or at given machines, one for each C, such as the hinge's path. The hinge, which
        has one minimum, always starts at the machine for the C before it in the sequence.
    **settings
        The other arguments of :func:`wls`.

    Returns
    -------
    list of WLSResult

    Examples
    --------
    >>> import numpy as np
    >>> from companion.losses import Unbiased
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([-1.0, -1.0, 1.0, 1.0, -1.0])
    >>> path = wls_path(Design.linear(x), y, [1.0, 10.0], loss=Unbiased(s=2))
    >>> [int(np.sum(y * machine.decision_function < 0)) for machine in path]
    [1, 1]
    """
    loss = Hinge() if loss is None else loss
    if isinstance(start, str):
        if start == "svc" and not isinstance(loss, Hinge):
            weight = settings.get("sample_weight")
            start = wls_path(design, y, C_values, tol=_START_TOL, sample_weight=weight)
        elif start not in STARTS:
            raise ValueError(
                f"The 'start' of wls_path must be one of {list(STARTS)} or machines, one for each "
                f"C. Got {start!r}."
            )
    elif len(start) != len(C_values):
        raise ValueError(
            f"The 'start' of wls_path must hold one machine for each of the {len(C_values)} values "
            f"of C. Got {len(start)}."
        )
    results = []
    for k, C in enumerate(C_values):
        here = "least_squares"
        if not isinstance(start, str):
            here = start[k]
        elif results and isinstance(loss, Hinge):
            here = results[-1]
        results.append(wls(design, y, C, loss=loss, start=here, **settings))
    return results


def least_squares_path(design, y, C_values, *, sample_weight=None):
    """The least-squares machine, min 1/2 w'w + 1/2 sum_i c_i (y_i - f_i)^2, for each C.

    Parameters
    ----------
    design, y, C_values, sample_weight
        As for :func:`wls` and :func:`wls_path`.

    Returns
    -------
    list of ndarray of shape (n_columns + 1,)
        (w, b) of each machine; decision values are ``design.augmented @ x``.
    """
    problem = Objective(design, y, 1.0, sample_weight, Hinge())
    C_values = [checked_positive(C, "C", "wls") for C in C_values]
    return [_least_squares(problem, C * problem.weight) for C in C_values]


def _interior(problem, x, course):
    """The hinge by an interior point."""
    y = problem.y
    x, alpha, course.n_iter = _hinge(problem, problem.c, x, course.tol, course.max_iter)
    f = problem.design.augmented @ x
    gap, _ = gap_of(problem.design, y, problem.c, x, f, alpha)
    value = problem.value(x, 1.0 - y * f)
    end = course.end(value, gap, value) or (False, "Rounding errors stop all progress.")
    return problem.result(x, alpha, gap, course.n_iter, *end)


def _hinge(problem, c, x, tol, max_iter):
    """The support vector machine from x on: (w, b), multipliers, iterations."""
    hinge = binary_hinge(problem.design, problem.y, c)
    # What is left of the tolerance is for moving alpha onto (9).
    tol = 0.5 * tol
    x, alpha, n_iter, _ = minimise(hinge, np.roll(x, 1)[np.newaxis], tol, max_iter)
    _, alpha = balanced(hinge, alpha)
    return np.roll(x[0], -1), alpha[1], n_iter


def _starting_point(problem, start, max_iter):
    """The point (w, b) that a start stands for."""
    design = problem.design
    if isinstance(start, str) and start not in STARTS:
        raise ValueError(
            f"The 'start' of wls must be one of {list(STARTS)}, a WLSResult or an array of w and "
            f"b. Got {start!r}."
        )
    if isinstance(start, str):
        x = _least_squares(problem, problem.weight)
        if start == "svc":
            c = problem.c / problem.factor
            x, *_ = _hinge(problem, c, x, _START_TOL, max_iter)
        return x
    x = np.append(start.w, start.intercept) if isinstance(start, WLSResult) else start
    x = np.array(x, dtype=np.float64)
    if x.shape != (design.m + 1,) or not np.isfinite(x).all():
        raise ValueError(
            f"The 'start' of wls must be {design.m + 1} finite numbers for this design, w and then "
            f"b. Got an array of shape {x.shape}."
        )
    return x


def _least_squares(problem, a):
    """Step 1 of the box."""
    solve = normal_equations(problem.design, a)
    if solve is None:
        raise ValueError(
            "The least-squares problem that wls starts from overflows double precision. "
            f"The largest entry of the design is {np.abs(problem.design.augmented).max():.3g}; "
            "scale the inputs."
        )
    return solve((a * problem.y) @ problem.design.augmented)
