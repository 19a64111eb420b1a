"""What a weighted least-squares fit starts from and returns: checked inputs, options, results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion._utils.checks import checked_positive, checked_signs, checked_weights
from companion._utils.warnings import warn_not_converged

# Slacks below this are taken as this where the weight would be infinite, in units of the margin.
FLOOR = 1e-7

# Newton steps begin when the decision values move by less than this, in units of the margin: the
# minimum that they find is the one that the iteration was about to reach.
NEWTON_BELOW = 0.02

# So often a step is halved that would raise the objective: a Newton step, any other.
_NEWTON_HALVINGS = 5
_HALVINGS = 50

# An orbit of period two has turned back so often by nearly the whole of its step.
MAX_OSCILLATIONS = 20
OSCILLATION_TOLERANCE = 1e-3

# Half the square of the KKT violation bounds how far a convex objective is from its minimum; a
# machine counts as solved where that is at most this share of the objective.
_SOLVED = 1e-3

# So many small steps from a point that is not stationary are rounding, and no way out.
_MANY_SMALL_STEPS = 50

# More iterations than this share, if they raise the objective, are no way down.
MAX_SHARE_OF_RISES = 0.1


@dataclass(frozen=True)
class WLSResult:
    """A machine fitted by weighted least squares, with its certificates.

    Attributes
    ----------
    w, coef : ndarray of shape (n_columns,), ndarray of shape (n_features,) or (n_prototypes,)
        Weights in the columns of the design, whose squared norm is the regulariser, and in the
        caller's terms, ``design.coefficients(w)``.
    intercept, objective : float
        b, and 1/2 w'w + sum_i c_i theta(xi_i).
    alpha : ndarray of shape (n_samples,)
        Multipliers alpha_i >= 0 of the margins.
    kkt_violation : float
        The larger of ``||w - sum_i alpha_i y_i z_i||`` and ``|sum_i alpha_i y_i|``, conditions
        (10) and (9); the others hold by construction, (8) and (12) up to the floor of the slack.
    duality_gap : float
        Primal objective minus dual bound, for the hinge; NaN for other losses, which have none.
    n_iter : int
        Number of weighted least-squares problems solved after the start.
    converged, stop_reason : bool, str
        Whether and why (a sentence) the iteration ended. For the hinge the duality gap is then at
        most ``tol`` times the objective; for other losses the last step was at most ``tol`` and
        half the square of ``kkt_violation`` is at most 1e-3 times the objective.
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
    bound, chosen : float
        (s - 3) / (s - 1), or 0 up to s = 3: larger dampings are stable; and (s - 2) / (s - 1), or 0
        up to s = 2: no deviation changes its sign any more.

    Examples
    --------
    >>> stable_damping(4.0)
    (0.3333333333333333, 0.6666666666666666)
    """
    order = max(s, 2.0)  # smaller ones are as stable as this
    return max(0.0, (order - 3.0) / (order - 1.0)), (order - 2.0) / (order - 1.0)


class Objective:
    """Checked inputs, and the pieces of the objective (5) at a point x = (w, b)."""

    def __init__(self, design, y, C, sample_weight, loss, floor=None, factor=1.0):
        self.design = design
        self.loss = loss
        self.factor = factor
        n = design.n
        self.y = checked_signs(y, "wls", both=True)
        _require(
            self.y.shape == (n,),
            f"wls needs one label for each of the {n} samples of the design. Got an array of shape "
            f"{self.y.shape}.",
        )
        self.weight = checked_weights(sample_weight, n, "wls")
        self.c = factor * checked_positive(C, "C", "wls") * self.weight
        if floor is None:
            self.floor = FLOOR if loss.needs_floor else 0.0
        else:
            self.floor = float(floor)
        _require(
            0.0 <= self.floor < 1.0 and (self.floor > 0.0 or not loss.needs_floor),
            f"The 'floor' of wls must be in [0, 1), and above 0 for {loss}, whose weight is not "
            f"bounded at zero. Got {floor!r}.",
        )

    def at(self, x, f):
        """(5) with the loss quadratic below the floor; slacks, weights, second derivatives."""
        xi = 1.0 - self.y * f
        value, _, weight, bend = self.loss.terms(xi, self.floor)
        return 0.5 * (x[:-1] @ x[:-1]) + self.c @ value, xi, weight, bend

    def value(self, x, xi):
        """The objective itself."""
        return 0.5 * (x[:-1] @ x[:-1]) + self.c @ self.loss.value(xi) / self.factor

    def gradient(self, x, alpha):
        """Of the objective: w - sum_i alpha_i y_i z_i (10), and - sum_i alpha_i y_i (9)."""
        gradient = -((self.y * alpha) @ self.design.augmented)
        gradient[:-1] += x[:-1]
        return gradient

    def is_stationary(self, x, xi, gradient):
        """Whether the gradient is small beside the objective: a small step may then end it."""
        return 0.5 * _violation(gradient) ** 2 <= _SOLVED * self.value(x, xi)

    def result(self, x, alpha, gap, n_iter, converged, reason, log=None):
        f = self.design.augmented @ x
        objective = float(self.value(x, 1.0 - self.y * f))
        violation = _violation(self.gradient(x, alpha))
        return WLSResult(
            w=x[:-1].copy(),
            coef=self.design.coefficients(x[:-1]),
            intercept=float(x[-1]),
            objective=objective,
            alpha=alpha,
            kkt_violation=violation,
            duality_gap=float(gap),
            n_iter=n_iter,
            converged=bool(converged),
            stop_reason=reason,
            decision_function=f,
            log=log and dict(zip(("w", "objective"), map(np.array, zip(*log)))),
        )


class Course:
    """Checked options, and how an iteration goes on: steps, rises, orbits, and what ends it."""

    def __init__(self, problem, damping, tol, max_iter, accelerate):
        self.damping = damping
        if damping == "auto":
            _, self.damping = stable_damping(problem.loss.s)
        _require(
            not isinstance(self.damping, str) and 0.0 <= self.damping < 1.0,
            f"The 'damping' of wls must be 'auto' or a number in [0, 1): the share of the old "
            f"machine in the new one. Got {damping!r}.",
        )
        checked_positive(tol, "tol", "wls")
        _require(
            max_iter >= 1,
            f"The 'max_iter' of wls must be at least 1. Got {max_iter!r}.",
        )
        _require(
            problem.factor == 1.0 or not accelerate,
            "The printed weights of wls belong to the plain iteration: set accelerate=False.",
        )
        self.tol = tol
        self.max_iter = int(max_iter)
        self.accelerate = accelerate
        self.n_iter = 0
        self.rises = 0
        self.turns = 0
        self.value = np.inf
        self.largest = np.inf
        self.before = np.inf
        self.small_steps = 0
        self.stuck = None

    def trials(self, a, curvature):
        """Ways to try, by weights of (20), length and halvings: once settled, first Newton's."""
        if self.accelerate and self.largest <= NEWTON_BELOW:
            yield curvature, 1.0, _NEWTON_HALVINGS
        yield a, 1.0 - self.damping, _HALVINGS

    def end(self, value, gap, bounded, is_stationary=None):
        """Whether the iteration has converged and the reason to end it, or None to go on.

        Without a gap (NaN) a small step ends it where ``is_stationary()``. Elsewhere the weights
        of slacks near zero hold the machine back, and the steps grow again as they leave zero.
        """
        self.rises += value > self.value * (1.0 + OSCILLATION_TOLERANCE)
        self.value = value
        if gap <= self.tol * bounded:
            return True, f"The relative duality gap is at most tol = {self.tol:g}."
        if np.isnan(gap) and self.largest <= self.tol:
            if is_stationary():
                reason = (
                    f"A step moves no decision value by more than tol = {self.tol:g}."
                )
                return True, reason
            self.small_steps += 1
            if self.stuck is None and self.small_steps == _MANY_SMALL_STEPS:
                self.stuck = (
                    "Rounding errors stop all progress: the steps vanish, the violation "
                    "does not."
                )
        if self.stuck is None and self.n_iter == self.max_iter:
            self.stuck = f"The budget of {self.n_iter} iterations is spent"
            if self.rises > MAX_SHARE_OF_RISES * self.n_iter:
                self.stuck += (
                    f" without settling: the objective rose in {self.rises} of them"
                )
            self.stuck += "."
        return self.stuck and (False, self.stuck)

    def step(self, df, length):
        """Note a step by length df; return whether it may be taken."""
        if df is None:
            self.stuck = (
                "The weighted least-squares problem is singular in double precision."
            )
            return False
        self.n_iter = self.n_iter + 1
        self.largest = float(np.abs(df).max())
        goes_back = (
            not self.accelerate
            and np.abs(df + self.before).max() <= OSCILLATION_TOLERANCE * self.largest
        )
        self.turns = self.turns + 1 if goes_back else 0
        self.before = df
        if not self.largest < np.inf:
            self.stuck = "The iteration diverges: decision values are no longer finite."
        elif length == 0.0:
            self.stuck = "Rounding errors stop all progress."
        elif self.turns == MAX_OSCILLATIONS:
            self.stuck = (
                "The iteration alternates between two machines, an orbit of period two."
            )
        return length > 0.0 and self.largest < np.inf


def _violation(gradient):
    """The norm of the gradient by w, or by b if that is larger."""
    return float(max(np.linalg.norm(gradient[:-1]), abs(gradient[-1])))


def gap_of(design, y, c, x, f, alpha):
    """Duality gap and primal objective, exact for any alpha in the box.

    If there is a bias, the multipliers of one class shrink until (9) holds.
    """
    total = np.add.reduce(alpha)
    excess = y @ alpha
    up = 0.5 * (total + excess)
    down = 0.5 * (total - excess)
    least = min(up, down) if design.bias else np.inf
    for_up = min(1.0, least / max(up, 1e-300))
    for_down = min(1.0, least / max(down, 1e-300))
    signed = (0.5 * (for_up + for_down) * y + 0.5 * (for_up - for_down)) * alpha
    w = (signed @ design.augmented)[:-1]
    objective = 0.5 * (x[:-1] @ x[:-1]) + c @ np.maximum(1.0 - y * f, 0.0)
    return objective - (up * for_up + down * for_down - 0.5 * (w @ w)), objective


def _require(holds, message):
    if not holds:
        raise ValueError(message)


def warn(result, loss, damping):
    certificate = f"KKT violation is {result.kkt_violation:.3g}"
    if loss.is_convex:
        certificate += f" and the duality gap {result.duality_gap:.3g}"
    bound, chosen = stable_damping(loss.s)
    cure = "Consider increasing max_iter or tol, decreasing C, or scaling the inputs."
    if damping <= bound and bound > 0.0:
        cure = (
            f"A loss of order s = {loss.s:g} is stable only with a damping above (s - 3) / (s - 1) "
            f"= {bound:.3g}, and damping is {damping:g}. Use damping='auto' ({chosen:.3g}) or a "
            "smaller s."
        )
    elif "period two" in result.stop_reason or "settling" in result.stop_reason:
        cure = (
            "Samples on the right side of the margin have no weight and come back after each step. "
            "Use a larger damping, or accelerate=True, which halves a step that would raise it."
        )
    message = f"wls has not converged. {result.stop_reason} After {result.n_iter} iterations the "
    warn_not_converged(f"{message}{certificate}. {cure}")
