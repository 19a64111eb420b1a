"""Solutions of the iterative solver for ascending C, each started from the one before."""

import copy

import numpy as np

from companion.estimators import LSSVC
from companion.solvers._state import State
from companion.solvers.result import certify
from companion.solvers.smo import _minimise_all, _Options

# Scores are carried along a path; they are believed while a bound on their rounding errors is
# this share of the tolerance.
DRIFT_SHARE = 0.1

# With smaller tolerances no pair update could work in single precision: scores begin at 1.
LEAST_TOL = 1e-5


class WarmPath:
    """Solutions on one training block for ascending C."""

    def __init__(self, machine, K, y, bound_weight, is_finite, certified):
        self.machine = copy.copy(machine)
        self.K, self.y, self.bound_weight = K, y, bound_weight
        self.is_finite, self.certified = is_finite, certified
        self.settings = machine._smo_settings()
        self.is_plain = is_direct(machine) or not (is_finite and self.settings["accelerate"])
        n = len(y)
        self._slot, self._used = np.arange(n), np.zeros(n, dtype=np.int64)
        self._diagonal = K.diagonal().astype(np.float64)
        self._K_single = None
        if not self.is_plain and machine.tol > LEAST_TOL and self._diagonal.max() < 1e15:
            self._K_single = K.astype(np.float32, copy=False)
        self._n_updates = 0
        self._previous = None

    def solve(self, C):
        """Result for a C that is not less than the one before."""
        start, is_optimal = warm_start(self.machine, self._previous, C, self.bound_weight)
        self.machine.C = C
        if is_optimal and not self.certified:
            return self._previous
        self._previous = None
        result = self._continued(C, start, self.machine.tol)
        if result is None:
            result = self.machine._solve(
                self.K, self.y, self.bound_weight, check_finite=not self.is_finite, **start
            )
        self._previous = result
        return result

    def refined(self, C, result, tol):
        """Result for the same C and a smaller tolerance; `result` where that is not reached."""
        start = {"alpha0": result.alpha, "products0": result.decision_function - result.intercept}
        return self._continued(C, start, tol) or result

    def _continued(self, C, start, tol):
        """Result from a start, else from zero, or None where the machine's own solver is due."""
        if self.is_plain:
            return None
        y = self.y
        state = self._state(C)
        if start:
            beta = y * start["alpha0"]
            state.start(beta, y - start["products0"] - state.ridge * beta)
        else:
            state.start(np.zeros(len(y)), y)
        n_budget = self.settings["max_iter"]
        options = _Options(
            self.settings["selection"] == "second_order",
            tol,
            max(10_000_000, 100 * len(y)) if n_budget is None else n_budget,
            self.settings["shrinking"],
        )
        if state.solve_at_once(tol, options.budget):
            status = "converged"
        else:
            status = _minimise_all(state, options, None)
        self._n_updates += len(y) + state.n_iter
        drift = np.finfo(float).eps * np.abs(state.beta).sum() * self._n_updates
        if status != "converged" or drift > DRIFT_SHARE * tol:
            return None
        return certify(
            y - state.scores - state.ridge * state.beta,
            y,
            state.beta,
            state.low,
            state.high,
            state.ridge,
            n_iter=state.n_iter,
            converged=True,
            stop_reason=f"The maximal violation {state.violation():.3g} is at most tol = {tol:g}.",
        )

    def _state(self, C):
        y = self.y
        factors = 1.0 if self.bound_weight is None else self.bound_weight
        lower, upper, ridge = self.machine._box(C * factors)
        positive = y > 0.0
        low, high = np.where(positive, lower, -upper), np.where(positive, upper, -lower)
        ridge = np.full(len(y), ridge) if np.ndim(ridge) == 0 else ridge
        state = State(
            self.K, self._slot, self._used, None, y, low, high, ridge, self._diagonal + ridge
        )
        state.is_quick = bool((low < high).all())
        if self._K_single is not None:
            state.allow_single(self._K_single)
        return state


def is_direct(machine):
    return isinstance(machine, LSSVC) and machine.solver == "cholesky"


def warm_start(machine, previous, C, bound_weight=None):
    """Where to start for a larger C, from the solution for the C of `machine`."""
    if previous is None:
        return {}, False
    alpha = previous.alpha
    factors = 1.0 if bound_weight is None else bound_weight
    lower, upper, ridge = machine._box(machine.C * factors)
    new_lower, new_upper, new_ridge = machine._box(C * factors)
    has_bounds = np.any(np.isfinite(upper))
    total = alpha.sum()
    quadratic = 2.0 * (previous.objective + total) - ((ridge - new_ridge) * alpha) @ alpha
    scale = total / quadratic if quadratic > 0.0 else 1.0
    is_optimal = False
    if has_bounds:
        scale = min(max(scale, 1.0), C / machine.C)
        is_active = (alpha != 0.0) & ((alpha <= lower) | (alpha >= upper))
        is_optimal = previous.converged and not is_active.any()
    products = previous.decision_function - previous.intercept
    # Rounding may put a multiplier at its bound beyond the new one, by its last bit.
    alpha0 = np.minimum(np.maximum(scale * alpha, new_lower), new_upper)
    return {"alpha0": alpha0, "products0": scale * products}, is_optimal
