"""Solutions of the iterative solver for ascending C, each started from the one before."""

import copy

import numpy as np

from companion.estimators import LSSVC
from companion.solvers.smo import smo


class WarmPath:
    """Solutions on one training block for ascending C."""

    def __init__(self, machine, K, y, bound_weight, is_finite, certified):
        self.machine = copy.copy(machine)
        self.K, self.y, self.bound_weight = K, y, bound_weight
        self.is_finite, self.certified = is_finite, certified
        self.settings = machine._smo_settings()
        self.is_plain = is_direct(machine) or not (is_finite and self.settings["accelerate"])
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
        """Result from a start, or None where the machine's own solver is due (minimal)."""
        if self.is_plain:
            return None
        factors = 1.0 if self.bound_weight is None else self.bound_weight
        lower, upper, ridge = self.machine._box(C * factors)
        settings = self.settings | {"tol": tol}
        return smo(
            self.K, self.y, lower, upper, ridge=ridge, check_finite=False, **start, **settings
        )


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
