"""Solutions of a machine on one Gram matrix for ascending C, each started from the one before."""

import dataclasses
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers._problem import checked_problem
from companion.solvers.smo import rules_of, solve


class WarmPath:
    """Solutions of a machine of one dual problem for ascending C."""

    def __init__(self, machine, K, y, bound_weight):
        self.box, self.K, self.y = machine._box, K, y
        self.factors = 1.0 if bound_weight is None else bound_weight
        self.is_bounded = bool(np.isfinite(machine._box(1.0)[1]))
        self.rules = rules_of(len(y), **machine._smo_settings())
        self.problem = self.C = self.previous = None

    def solve(self, C):
        """Result for a C that is not less than the one before."""
        new = self.box(C * self.factors)
        if self.problem is None:
            self.problem = checked_problem(self.K, self.y, *new)
            self.previous = solve(self.problem, self.rules)
        else:
            old, scaled = self.box(self.C * self.factors), self.previous
            if self.is_bounded and stays_optimal(scaled, old):
                self.previous = widened(scaled, self.y, old, new)
            else:
                scale = best_scale(scaled, old[2] - new[2])
                scale = min(max(scale, 1.0), C / self.C) if self.is_bounded else scale
                self.previous = self._continued(new, scaled, scale, self.rules)
        self.C = C
        return self.previous

    def refined(self, C, result, tol):
        """Result for the same C and a smaller tolerance; `result` where that is not reached."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rules = self.rules._replace(tol=tol)
            better = self._continued(self.box(C * self.factors), result, 1.0, rules)
        return better if better.converged else result

    def _continued(self, box, result, scale, rules):
        """Result in a box, from a multiple of another."""
        problem = self.problem
        problem.set_box(*box)
        # Rounding may put a multiplier at its bound beyond the new one, by its last bit.
        beta = np.minimum(np.maximum(scale * (self.y * result.alpha), problem.low), problem.high)
        problem.begin(beta, scale * (result.decision_function - result.intercept))
        return solve(problem, rules)


def stays_optimal(result, box):
    """Whether no bound is active, so that wider ones change nothing."""
    alpha = result.alpha
    at_bound = (alpha <= box[0]) | (alpha >= box[1])
    return result.converged and not (at_bound & (alpha != 0.0)).any()


def widened(result, y, old, new):
    """The same solution in a wider box, in which the duality gap is another."""
    excess = 1.0 - y * result.decision_function
    loss = [np.maximum(lower * excess, upper * excess).sum() for lower, upper, _ in (old, new)]
    gap = result.duality_gap + loss[1] - loss[0]
    return dataclasses.replace(result, duality_gap=float(gap), n_iter=0)


def best_scale(result, less_ridge):
    """The multiple of a solution that is best where the ridge has fallen."""
    alpha, total = result.alpha, result.alpha.sum()
    quadratic = 2.0 * (result.objective + total) - (less_ridge * alpha) @ alpha
    return total / quadratic if quadratic > 0.0 else 1.0
