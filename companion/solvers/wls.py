"""Iterated weighted least squares for support vector machines with any loss of the slacks.

    min 1/2 w'w + sum_i c_i theta(xi_i),   xi_i = max(0, 1 - y_i f_i),   f = Z w + b

The box of the paper, for a design Z (its section 2.1 and :class:`Design`):

0. a_i = 1.
1. Solve the weighted least-squares problem (20), (25):
   min 1/2 w'w + 1/2 sum_i a_i (y_i - f_i)^2.
2. a_i = 0 where e_i y_i = 1 - y_i f_i < 0, else alpha_i / (e_i y_i) with alpha_i = c_i theta'(xi_i):
   (21), (22). The paper prints 2 alpha_i / (e_i y_i), whose fixed point belongs to 2 C.
3. Repeat, with damping w <- d w + (1 - d) w_new, until nothing changes.

A fixed point satisfies the Karush-Kuhn-Tucker conditions (8) to (13). It is stable if

    d > (s - 3) / (s - 1).

For if H is the Hessian of the objective there and M the matrix of (20), one iteration multiplies a
small deviation by d + (1 - d) (I - M^-1 H); theta'' is (s - 1) theta' / xi before xi = 1, so H <=
(s - 1) M, and the eigenvalues are above d + (1 - d) (2 - s). The bound is met in the limit of a
large C with all slacks below one. For s <= 3 any damping will do there. The paper's claim that
the proof of convergence covers any other loss does not hold.

Far from a fixed point neither the objective nor the iteration need settle, whatever s: the squared
errors bound the loss of the samples within or beyond the margin (for s <= 2), but those on its right
side have no weight, and a step may carry them back over it. With ``accelerate`` a step that would
raise the objective is halved, and the descent is monotone.

References
----------
A. Navia-Vazquez, F. Perez-Cruz, A. Artes-Rodriguez and A. R. Figueiras-Vidal, Advantages of
    unbiased support vector classifiers for data mining applications, Journal of VLSI Signal
    Processing 37 (2004). Equation numbers are of this paper.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion._loss_loops import loss_sum, weigh
from companion.losses import Hinge
from companion.solvers._design import Design, NormalEquations
from companion.solvers._interior import COLD, WARM, gap_of, solve_hinge

__all__ = ["Design", "WLSResult", "least_squares_path", "stable_damping", "wls", "wls_path"]

# Slacks below this are taken as this where the weight would be infinite, in units of the margin.
FLOOR = 1e-7

# Newton steps begin when the decision values move by less than this, in units of the margin: the
# minimum that they find is the one that the iteration was about to reach.
_SETTLED = 0.02

# A weight that changed by less than this share is left as it was in an accelerated iteration.
_SMALL_CHANGE = 1e-3

# So often a step is halved that would raise the objective: a Newton step, any other.
_NEWTON_HALVINGS, _HALVINGS = 5, 50

# An orbit of period two has turned back so often by nearly the whole of its step.
_TURNS, _WHOLE = 20, 1e-3

# Relative duality gap of the support vector machine that an iteration starts from.
_START_TOL = 1e-6

STARTS = ("least_squares", "svc")


@dataclass(frozen=True)
class WLSResult:
    """A machine fitted by weighted least squares, with its certificates.

    Attributes
    ----------
    w : ndarray of shape (n_columns,)
        Weights in the columns of the design, whose squared norm is the regulariser.
    coef : ndarray of shape (n_features,) or (n_prototypes,)
        Coefficients in the caller's terms, ``design.coefficients(w)``.
    intercept : float
        b.
    objective : float
        1/2 w'w + sum_i c_i theta(xi_i).
    alpha : ndarray of shape (n_samples,)
        Multipliers alpha_i >= 0 of the margins.
    kkt_violation : float
        The larger of ||w - sum_i alpha_i y_i z_i|| and |sum_i alpha_i y_i|, conditions (10) and
        (9); the others hold by construction, (8) and (12) up to the floor of the slack.
    duality_gap : float
        Primal objective minus dual bound, for the hinge; NaN for other losses, which have none.
    n_iter : int
        Number of weighted least-squares problems solved after the start.
    converged : bool
    stop_reason : str
        Why the iteration ended, as a sentence.
    decision_function : ndarray of shape (n_samples,)
        Decision values of the training samples.
    log : dict of ndarray or None
        History with keys "w" (n_columns + 1 columns, b last) and "objective", where asked for.
    """

    w: np.ndarray
    coef: np.ndarray
    intercept: float
    objective: float
    alpha: np.ndarray
    kkt_violation: float
    duality_gap: float
    n_iter: int
    converged: bool
    stop_reason: str
    decision_function: np.ndarray
    log: dict | None = None


def stable_damping(s):
    """Damping from which on every fixed point of the order s is stable, and the one chosen here.

    Parameters
    ----------
    s : float
        Order of the unbiased loss.

    Returns
    -------
    bound : float
        (s - 3) / (s - 1), or 0 up to s = 3: larger dampings are stable.
    chosen : float
        (s - 2) / (s - 1), or 0 up to s = 2: no deviation changes its sign any more.

    Examples
    --------
    >>> stable_damping(4.0)
    (0.3333333333333333, 0.6666666666666666)
    """
    if s <= 1.0:
        return 0.0, 0.0
    return max(0.0, (s - 3.0) / (s - 1.0)), max(0.0, (s - 2.0) / (s - 1.0))


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
    problem = _Problem(design, y, C, sample_weight, Hinge() if loss is None else loss, floor)
    options = _checked_options(problem.loss, damping, tol, max_iter, printed_weights, accelerate)
    x = _starting_point(problem, start, options)
    log = [] if history else None
    if accelerate and isinstance(problem.loss, Hinge):
        relative = COLD if isinstance(start, str) else WARM
        result = _interior(problem, x, relative, options, log)
    else:
        result = _iterate(problem, x, options, log)
    if not result.converged:
        _warn(result, problem, options)
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
    problem = _Problem(design, y, 1.0, sample_weight, Hinge(), None)
    normal, path = NormalEquations(design), []
    for C in C_values:
        path.append(_least_squares(problem, _checked_C(C), normal))
    return path


class _Problem:
    """Checked inputs, and the pieces of the objective at a point x = (w, b)."""

    def __init__(self, design, y, C, sample_weight, loss, floor):
        self.design, self.loss = design, loss
        self.y = np.ascontiguousarray(y, dtype=np.float64)
        n = design.n
        if self.y.shape != (n,):
            raise ValueError(
                f"wls needs one label for each of the {n} samples of the design. "
                f"Got an array of shape {self.y.shape}."
            )
        if not (np.abs(self.y) == 1.0).all() or abs(self.y.sum()) == n:
            raise ValueError(
                "wls needs labels -1 and +1, at least one of each. "
                f"Got the values {np.unique(self.y)[:5].tolist()}."
            )
        self.C = _checked_C(C)
        self.weight = np.ones(n)
        if sample_weight is not None:
            self.weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
            if self.weight.shape != (n,) or not (
                (self.weight > 0.0).all() and np.isfinite(self.weight).all()
            ):
                raise ValueError(
                    f"The 'sample_weight' of wls must be {n} positive finite numbers; leave out "
                    "samples of weight zero."
                )
        self.c = self.C * self.weight
        self.floor = (FLOOR if loss.needs_floor else 0.0) if floor is None else float(floor)
        if not (0.0 <= self.floor < 1.0) or (loss.needs_floor and self.floor == 0.0):
            raise ValueError(
                f"The 'floor' of wls must be in [0, 1), and above 0 for {loss}, whose weight is "
                f"not bounded at zero. Got {floor!r}."
            )

    def objective(self, x, f):
        """Regulariser and loss at x, quadratic below the floor."""
        return 0.5 * (x[:-1] @ x[:-1]) + loss_sum(
            f, self.y, self.c, *self.loss.constants, self.floor
        )

    def gradient(self, x, signed):
        """Of the objective: w - sum_i alpha_i y_i z_i, and - sum_i alpha_i y_i."""
        gradient = -(signed @ self.design.augmented)
        gradient[:-1] += x[:-1]
        return gradient

    def result(self, x, alpha, gap, n_iter, converged, reason, log):
        f = self.design.augmented @ x
        gradient = self.gradient(x, self.y * alpha)
        return WLSResult(
            w=x[:-1].copy(),
            coef=self.design.coefficients(x[:-1]),
            intercept=float(x[-1]),
            objective=float(
                0.5 * (x[:-1] @ x[:-1]) + self.c @ self.loss.value(1.0 - self.y * f)
            ),
            alpha=alpha,
            kkt_violation=float(max(np.linalg.norm(gradient[:-1]), abs(gradient[-1]))),
            duality_gap=float(gap),
            n_iter=n_iter,
            converged=bool(converged),
            stop_reason=reason,
            decision_function=f,
            log=None if log is None else {
                "w": np.array([point for point, _ in log]),
                "objective": np.array([value for _, value in log]),
            },
        )


@dataclass(frozen=True)
class _Options:
    damping: float
    tol: float
    max_iter: int
    factor: float
    accelerate: bool


def _iterate(problem, x, options, log):
    """The box of the paper; with ``accelerate`` Newton steps once it has settled."""
    rows, y, c = problem.design.augmented, problem.y, problem.c * options.factor
    constants, floor = problem.loss.constants, problem.floor
    normal = NormalEquations(problem.design)
    threshold = _SMALL_CHANGE if options.accelerate else 0.0
    signed, weight, curvature = np.empty((3, y.size))
    f, before, turns, settled, n_iter = rows @ x, None, 0, False, 0
    while True:
        total, floored = weigh(f, y, c, *constants, floor, signed, weight, curvature)
        regulariser = 0.5 * (x[:-1] @ x[:-1])
        if log is not None:
            log.append((x.copy(), regulariser + total / options.factor))
        gap = np.nan
        if problem.loss.is_convex:
            gap, objective = gap_of(problem.design, y, c, x, f, y * signed)
            if gap <= options.tol * objective:
                reason = f"The relative duality gap is at most tol = {options.tol:g}."
                return problem.result(x, y * signed, gap, n_iter, True, reason, log)
        if n_iter == options.max_iter:
            reason = f"The budget of {n_iter} iterations is spent."
            return problem.result(x, y * signed, gap, n_iter, False, reason, log)
        gradient = problem.gradient(x, signed)
        length = 0.0
        if settled and normal.factorise(curvature, threshold):
            d = normal.solve(-gradient)
            df = rows @ d
            length = _descent(problem, x, f, d, df, 1.0, regulariser + floored, _NEWTON_HALVINGS)
        if length == 0.0:
            if not normal.factorise(weight, threshold):
                reason = "The weighted least-squares problem is singular in double precision."
                return problem.result(x, y * signed, gap, n_iter, False, reason, log)
            d = normal.solve(-gradient)
            df = rows @ d
            length = 1.0 - options.damping
            if options.accelerate:
                length = _descent(problem, x, f, d, df, length, regulariser + floored, _HALVINGS)
        n_iter += 1
        largest = float(np.abs(df).max())
        x, f = x + length * d, f + length * df
        settled = options.accelerate and largest <= _SETTLED
        if largest <= options.tol and not problem.loss.is_convex:
            f = rows @ x
            weigh(f, y, c, *constants, floor, signed, weight, curvature)
            if log is not None:
                log.append((x.copy(), 0.5 * (x[:-1] @ x[:-1]) + c @ problem.loss.value(1 - y * f)))
            reason = f"A step moves no decision value by more than tol = {options.tol:g}."
            return problem.result(x, y * signed, gap, n_iter, True, reason, log)
        if before is not None and np.abs(df + before).max() <= _WHOLE * largest:
            turns += 1
            if turns == _TURNS:
                reason = "The iteration alternates between two machines, an orbit of period two."
                return problem.result(x, y * signed, gap, n_iter, False, reason, log)
        else:
            turns = 0
        before = df


def _descent(problem, x, f, d, df, length, objective, halvings):
    """The length, halved until the objective does not rise; 0 if that is not enough."""
    allowed = objective + 1e-13 * abs(objective)
    for _ in range(halvings):
        if problem.objective(x + length * d, f + length * df) <= allowed:
            return length
        length *= 0.5
    return 0.0


def _interior(problem, x, relative, options, log):
    """The hinge by an interior point."""

    def record(n_iter, x, f):
        if log is not None:
            log.append((x.copy(), problem.objective(x, f)))

    x, alpha, gap, n_iter = solve_hinge(
        problem.design, problem.y, problem.c, x, relative, options.tol, options.max_iter, record
    )
    result = problem.result(x, alpha, gap, n_iter, True, "", log)
    converged = gap <= options.tol * result.objective
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
    normal.factorise(a)
    return normal.solve(problem.design.augmented.T @ (a * problem.y))


def _svc(problem, options):
    x = _least_squares(problem, 1.0)
    return solve_hinge(
        problem.design, problem.y, problem.c, x, COLD, _START_TOL, options.max_iter, lambda *_: None
    )[0]


def _checked_C(C):
    if not 0.0 < C < np.inf:
        raise ValueError(f"The 'C' of wls must be a positive finite number. Got {C!r}.")
    return float(C)


def _checked_options(loss, damping, tol, max_iter, printed_weights, accelerate):
    if isinstance(damping, str) and damping == "auto":
        damping = stable_damping(loss.constants[1])[1]
    elif isinstance(damping, str) or not 0.0 <= damping < 1.0:
        raise ValueError(
            f"The 'damping' of wls must be 'auto' or a number in [0, 1): the share of the old "
            f"machine in the new one. Got {damping!r}."
        )
    if not 0.0 < tol < np.inf:
        raise ValueError(f"The 'tol' of wls must be a positive finite number. Got {tol!r}.")
    if max_iter < 1:
        raise ValueError(f"The 'max_iter' of wls must be at least 1. Got {max_iter!r}.")
    if printed_weights and accelerate:
        raise ValueError(
            "The printed weights of wls belong to the plain iteration: set accelerate=False."
        )
    return _Options(float(damping), tol, int(max_iter), 2.0 if printed_weights else 1.0, accelerate)


def _warn(result, problem, options):
    certificate = f"KKT violation is {result.kkt_violation:.3g}"
    if problem.loss.is_convex:
        certificate += f" and the duality gap {result.duality_gap:.3g}"
    bound, chosen = stable_damping(problem.loss.constants[1])
    if not problem.loss.is_convex and options.damping <= bound and bound > 0.0:
        cure = (
            f"A loss of order s = {problem.loss.s:g} is stable only with a damping above "
            f"(s - 3) / (s - 1) = {bound:.3g}, and damping is {options.damping:g}. Use "
            f"damping='auto' ({chosen:.3g}) or a smaller s."
        )
    elif "period two" in result.stop_reason:
        cure = (
            "Samples on the right side of the margin have no weight and come back after each step. "
            "Use a larger damping, or accelerate=True, which halves a step that would raise the "
            "objective."
        )
    else:
        cure = "Consider increasing max_iter or tol, decreasing C, or scaling the inputs."
    warnings.warn(
        f"wls has not converged. {result.stop_reason} After {result.n_iter} iterations the "
        f"{certificate}. {cure}",
        ConvergenceWarning,
        stacklevel=3,
    )
