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

A fixed point satisfies the Karush-Kuhn-Tucker conditions (8) to (13). It is stable if

    d > (s - 3) / (s - 1).

For if H is the Hessian of the objective there and M the matrix of (20), one iteration multiplies a
small deviation by d + (1 - d) (I - M^-1 H); theta'' is (s - 1) theta' / xi before xi = 1, so H <=
(s - 1) M, and the eigenvalues are above d + (1 - d) (2 - s). The bound is met in the limit of a
large C with all slacks below one. For s <= 3 any damping will do there. The paper's claim that
the proof of convergence covers any other loss does not hold.

Far from a fixed point neither the objective nor the iteration need settle, whatever s: the squared
errors bound the loss of the samples within or beyond the margin (for s <= 2), but those on its
right side have no weight, and a step may carry them back over it. With ``accelerate`` a step that
would raise the objective is halved, and the descent is monotone.

References
----------
A. Navia-Vazquez, F. Perez-Cruz, A. Artes-Rodriguez and A. R. Figueiras-Vidal, Advantages of
    unbiased support vector classifiers for data mining applications, Journal of VLSI Signal
    Processing 37 (2004). Equation numbers are of this paper.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion._loss_loops import weigh
from companion.losses import Hinge
from companion.solvers._design import Design, NormalEquations
from companion.solvers._interior import COLD, WARM, gap_of, solve_hinge
from companion.solvers._wls_problem import (
    Problem,
    WLSResult,
    checked_C,
    checked_options,
    stable_damping,
    warn,
)

__all__ = ["Design", "WLSResult", "least_squares_path", "stable_damping", "wls", "wls_path"]

# Newton steps begin when the decision values move by less than this, in units of the margin: the
# minimum that they find is the one that the iteration was about to reach.
_SETTLED = 0.02

# A weight that changed by less than this share is left as it was in an accelerated iteration.
_SMALL_CHANGE = 1e-3

# So often a step is halved that would raise the objective: a Newton step, any other.
_NEWTON_HALVINGS, _HALVINGS = 5, 50

# An orbit of period two has turned back so often by nearly the whole of its step.
_TURNS, _WHOLE = 20, 1e-3

# More iterations than this share, if they raise the objective, are no way down.
_MANY_RISES = 0.1

# Relative duality gap of the support vector machine that an iteration starts from.
_START_TOL = 1e-6

STARTS = ("least_squares", "svc")


def wls(
    design,
    y,
    C,
    *,
    loss=None,
    sample_weight=None,
    start="least_squares",
    damping="auto",
    tol=1e-6,
    max_iter=1000,
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
    loss : Hinge or Unbiased, optional
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
    max_iter : int, default=1000
        Budget of weighted least-squares problems.
    floor : float, optional
        Smaller slacks count as this much in the weight, and the loss is quadratic below. The
        default is 1e-7 for losses whose weight is unbounded at zero and 0 for the others.
    printed_weights : bool, default=False
        Use the weights as printed, 2 alpha_i / (e_i y_i): the machine of 2 C is found. With
        ``accelerate=False`` only.
    accelerate : bool, default=True
        Allow what changes the sequence but not the solution: Newton steps once the iteration has
        settled, and for the hinge an interior point from the outset. False gives the plain
        iteration of the paper.
    history : bool, default=False
        Record the iterates in ``WLSResult.log``.

    Returns
    -------
    WLSResult

    Raises
    ------
    ValueError
        For labels other than -1 and +1 or of one class only, shapes that do not match, a C,
        tolerance, floor or weight that is not positive, or a damping outside [0, 1).

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
    problem = Problem(design, y, C, sample_weight, Hinge() if loss is None else loss, floor)
    options = checked_options(problem.loss, damping, tol, max_iter, printed_weights, accelerate)
    x = _starting_point(problem, start, options)
    log = [] if history else None
    if accelerate and isinstance(problem.loss, Hinge):
        relative = COLD if isinstance(start, str) else WARM
        result = _interior(problem, x, relative, options, log)
    else:
        result = _iterate(problem, x, options, log)
    if not result.converged:
        warn(result, problem, options)
    return result


def wls_path(design, y, C_values, *, loss=None, start="svc", **settings):
    """Fit one machine for each C on one design.

    Parameters
    ----------
    design : Design
    y : ndarray of shape (n_samples,)
        Labels -1 and +1.
    C_values : sequence of float
    loss : Hinge or Unbiased, optional
        The hinge by default.
    start : {"svc", "least_squares", "previous"} or sequence of WLSResult, default="svc"
        Where the fit for each C starts: at the support vector machine of this C, at least
        squares, at the machine for the C before it in the sequence (the first at least squares),
        or at given machines, one for each C, such as the hinge's path. The hinge, which has one
        minimum, always starts at the machine before.
    **settings
        The other arguments of :func:`wls`.

    Returns
    -------
    list of WLSResult

    Raises
    ------
    ValueError
        If the start is another word or not one machine for each C, or as :func:`wls`.

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
        elif start not in (*STARTS, "previous"):
            raise ValueError(
                f"The 'start' of wls_path must be one of {[*STARTS, 'previous']} or machines, one "
                f"for each C. Got {start!r}."
            )
    elif len(start) != len(C_values):
        raise ValueError(
            f"The 'start' of wls_path must hold one machine for each of the {len(C_values)} values "
            f"of C. Got {len(start)}."
        )
    results = []
    for k, C in enumerate(C_values):
        if not isinstance(start, str):
            here = start[k]
        else:
            is_warm = results and (start == "previous" or isinstance(loss, Hinge))
            here = results[-1] if is_warm else "least_squares"
        results.append(wls(design, y, C, loss=loss, start=here, **settings))
    return results


def least_squares_path(design, y, C_values, *, sample_weight=None):
    """The least-squares machine, min 1/2 w'w + 1/2 sum_i c_i (y_i - f_i)^2, for each C.

    The cross products of the design are formed once.

    Parameters
    ----------
    design, y, C_values
        As for :func:`wls_path`.
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    list of ndarray of shape (n_columns + 1,)
        (w, b) of each machine; decision values are ``design.augmented @ x``.

    Raises
    ------
    ValueError
        As :func:`wls`.
    """
    problem = Problem(design, y, 1.0, sample_weight, Hinge(), None)
    normal, path = NormalEquations(design), []
    for C in C_values:
        path.append(_least_squares(problem, checked_C(C), normal))
    return path


def _iterate(problem, x, options, log):
    """The box of the paper."""
    now, end = _Iterate(problem, x, options), None
    while end is None:
        now.weigh()
        if log is not None:
            log.append((now.x.copy(), now.objective))
        end = now.end()
        if end is None:
            now.move()
    converged, reason = end
    alpha = problem.y * now.signed
    return problem.result(now.x, alpha, now.gap, now.n_iter, converged, reason, log)


class _Iterate:
    """A point of the iteration: x = (w, b), the decision values f, multipliers and weights."""

    def __init__(self, problem, x, options):
        self.problem, self.options = problem, options
        self.rows, self.c = problem.design.augmented, problem.c * options.factor
        self.normal = NormalEquations(problem.design)
        self.threshold = _SMALL_CHANGE if options.accelerate else 0.0
        self.x, self.f, self.n_iter = x, self.rows @ x, 0
        self.signed, self.weight, self.curvature = np.empty((3, self.f.size))
        self.gap, self.largest, self.settled = np.nan, np.inf, False
        self.before, self.turns, self.stuck = None, 0, None
        self.descended, self.rises = np.inf, 0

    def weigh(self):
        """Multipliers (21) and weights (22) at the point, and the objective."""
        problem, regulariser = self.problem, 0.5 * (self.x[:-1] @ self.x[:-1])
        total, floored = weigh(
            self.f, problem.y, self.c, *problem.loss.constants, problem.floor,
            self.signed, self.weight, self.curvature,
        )
        self.objective = regulariser + total / self.options.factor
        self.rises += regulariser + floored > self.descended * (1.0 + _WHOLE)
        self.descended = regulariser + floored
        if problem.loss.is_convex:
            self.gap, self.bounded = gap_of(
                problem.design, problem.y, self.c, self.x, self.f, problem.y * self.signed
            )

    def end(self):
        """Whether the iteration has converged and the reason to end it, or None to go on."""
        tol = self.options.tol
        if self.problem.loss.is_convex:
            if self.gap <= tol * self.bounded:
                return True, f"The relative duality gap is at most tol = {tol:g}."
        elif self.largest <= tol:
            return True, f"A step moves no decision value by more than tol = {tol:g}."
        if self.stuck is not None:
            return False, self.stuck
        if self.n_iter == self.options.max_iter:
            reason = f"The budget of {self.n_iter} iterations is spent"
            if self.rises > _MANY_RISES * self.n_iter:
                reason += f" without settling: the objective rose in {self.rises} of them"
            return False, reason + "."
        return None

    def move(self):
        """Solve (25) for the present weights and go there, or what of the way damping leaves.

        The solution is x - M^-1 g with the matrix M of (25) and the gradient g of the objective, as
        M x - g is the right-hand side of (25): an inaccurate M does not move the fixed point.
        """
        gradient, length = self.problem.gradient(self.x, self.signed), 0.0
        if self.settled and self.normal.factorise(self.curvature, self.threshold):
            d, df = self._step(gradient)
            length = self._descent(d, df, 1.0, _NEWTON_HALVINGS)
        if length == 0.0:
            if not self.normal.factorise(self.weight, self.threshold):
                self.stuck = "The weighted least-squares problem is singular in double precision."
                return
            d, df = self._step(gradient)
            length = 1.0 - self.options.damping
            if self.options.accelerate:
                length = self._descent(d, df, length, _HALVINGS)
        self.largest = float(np.abs(df).max())
        self.n_iter += 1
        if not self.largest < np.inf:
            self.stuck = "The iteration diverges: decision values are no longer finite."
        elif length == 0.0:
            self.stuck = "Rounding errors stop all progress."
        else:
            self.x, self.f = self.x + length * d, self.f + length * df
            self.settled = self.options.accelerate and self.largest <= _SETTLED
            self._look_for_an_orbit(df)

    def _step(self, gradient):
        d = self.normal.solve(-gradient)
        return d, self.rows @ d

    def _descent(self, d, df, length, halvings):
        """The length, halved until the objective does not rise; 0 if that is not enough."""
        allowed = self.descended + 1e-13 * abs(self.descended)
        for _ in range(halvings):
            if self.problem.objective(self.x + length * d, self.f + length * df) <= allowed:
                return length
            length *= 0.5
        return 0.0

    def _look_for_an_orbit(self, df):
        """Count how often in a row a step has taken back the one before it."""
        goes_back = self.before is not None and (
            np.abs(df + self.before).max() <= _WHOLE * self.largest
        )
        self.turns = self.turns + 1 if goes_back else 0
        self.before = df
        if self.turns == _TURNS:
            self.stuck = "The iteration alternates between two machines, an orbit of period two."


def _interior(problem, x, relative, options, log):
    """The hinge by an interior point."""

    def record(n_iter, x, f):
        if log is not None:
            log.append((x.copy(), problem.objective(x, f)))

    x, alpha, gap, n_iter = solve_hinge(
        problem.design, problem.y, problem.c, x, relative, options.tol, options.max_iter, record
    )
    result = problem.result(x, alpha, gap, n_iter, True, "", log)
    converged = bool(gap <= options.tol * result.objective)
    if converged:
        reason = f"The relative duality gap is at most tol = {options.tol:g}."
    elif n_iter == options.max_iter:
        reason = f"The budget of {n_iter} iterations is spent."
    else:
        reason = "Rounding errors stop all progress."
    return replace(result, converged=converged, stop_reason=reason)


def _starting_point(problem, start, options):
    """The point (w, b) that a start stands for."""
    design = problem.design
    if isinstance(start, str):
        if start == "least_squares":
            return _least_squares(problem, 1.0)
        if start == "svc":
            return _svc(problem, options)
        raise ValueError(
            f"The 'start' of wls must be one of {list(STARTS)}, a WLSResult or an array of w and "
            f"b. Got {start!r}."
        )
    x = np.append(start.w, start.intercept) if isinstance(start, WLSResult) else start
    x = np.array(x, dtype=np.float64)
    if x.shape != (design.m + 1,) or not np.isfinite(x).all():
        raise ValueError(
            f"The 'start' of wls must be {design.m + 1} finite numbers for this design, w and then "
            f"b. Got an array of shape {x.shape}."
        )
    return x


def _least_squares(problem, C, normal=None):
    normal = NormalEquations(problem.design) if normal is None else normal
    a = C * problem.weight
    if not normal.factorise(a):
        raise ValueError(
            "The least-squares problem that wls starts from overflows double precision. "
            f"The largest entry of the design is {np.abs(problem.design.augmented).max():.3g}; "
            "scale the inputs."
        )
    return normal.solve(problem.design.augmented.T @ (a * problem.y))


def _svc(problem, options):
    x = _least_squares(problem, 1.0)
    return solve_hinge(
        problem.design, problem.y, problem.c, x, COLD, _START_TOL, options.max_iter, lambda *_: None
    )[0]
