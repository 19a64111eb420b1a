"""The iteration of weighted least squares itself; it is told in :mod:`companion.solvers.wls`."""

from __future__ import annotations

import numpy as np

from companion._loss_loops import weigh
from companion.solvers._design import NormalEquations
from companion.solvers._interior import gap_of

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


def iterate(problem, x, options, log):
    """The box of the paper, from x = (w, b) on; returns the result."""
    now, end = Iterate(problem, x, options), None
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


class Iterate:
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
            self.f,
            problem.y,
            self.c,
            *problem.loss.constants,
            problem.floor,
            self.signed,
            self.weight,
            self.curvature,
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
        """Solve (25) for the present weights and go there, or what of the way damping leaves."""
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
