"""One Gram matrix, and a machine on it for ascending C, each started from the one before."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion._utils.compiled import njit
from companion.kernels import gram, squared_distances
from companion.solvers._loops.smo import EXACT, refresh
from companion.solvers._problem import checked_problem
from companion.solvers.smo import rules_of, solve


def path_distances(machines, X):
    """Squared distances of the points if a kernel is made of them."""
    has_distances = any(machine.kernel == "rbf" for machine in machines)
    return squared_distances(X) if has_distances else None


def path_gram(machine, X, gamma, distances, out=None):
    """The Gram matrix of a path: the kernel of a machine, of these distances if it has any."""
    if machine.kernel == "precomputed":
        return X
    distances = distances if machine.kernel == "rbf" else None
    parameters = machine._kernel_parameters(float(gamma))
    return gram(X, squared_distances=distances, out=out, **parameters)


def solve_costs(machine, K, signs, factors, C):
    """Solve on one Gram matrix for every C, from the next smaller one; arrays with one row a C."""
    path = WarmPath(machine, K, signs, factors)
    results = [None] * len(C)
    for c in np.argsort(C, kind="stable"):
        results[c] = path.solve(float(C[c]))
    names = (
        "alpha",
        "intercept",
        "kkt_violation",
        "duality_gap",
        "n_iter",
        "converged",
    )
    columns = {
        name: np.array([getattr(result, name) for result in results]) for name in names
    }
    return columns | {
        "decision": np.array([result.decision_function for result in results])
    }


class WarmPath:
    """Solutions of a machine of one dual problem for ascending C."""

    def __init__(self, machine, K, y, bound_weight):
        self.K = K
        self.y = y
        self.is_suspicious = machine.kernel != "rbf"
        self.machine = machine
        self.weights = 1.0 if bound_weight is None else bound_weight
        self.rules = rules_of(len(y), **machine._smo_settings())
        self.problem = None

    def solve(self, C):
        """Result for a C that is not less than the one before."""
        if np.inf == C:
            return solve(self._problem_of(C), self.rules)
        if self.problem is None:
            self.problem = self._problem_of(1.0)
            bounds = self.problem.low, self.problem.high, self.problem.ridge
            self.box = [bound.copy() for bound in bounds]
            self.C = C
        growth = C / self.C
        self.C = C
        return self._continued(C, growth, self.rules)

    def _problem_of(self, C):
        box = self.machine._box(C * self.weights)
        return checked_problem(self.K, self.y, *box, check_finite=self.is_suspicious)

    def refined(self, C, result, tol):
        """Result for the same C and a smaller tolerance; `result` where that is not reached."""
        self.problem.beta[:] = self.y * result.alpha
        self.problem.products[:] = result.decision_function - result.intercept
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            better = self._continued(C, 1.0, self.rules._replace(tol=tol))
        return better if better.converged else result

    def _continued(self, C, growth, rules):
        problem = self.problem
        stretch(problem.dual, *self.box, problem.diagonal, C, growth)
        problem.start_afresh()
        return solve(problem, rules)


@njit(**EXACT)
def stretch(dual, low, high, ridge, diagonal, C, most):
    """Take C times a box, and in it the best multiple of beta, from 1 to `most`, with its scores.

    Where no bound is active, beta'(K + D) beta = y'beta; if D stays as well, so does beta.
    """
    beta = dual.beta
    products = dual.products
    total = 0.0
    quadratic = 0.0
    less = 0.0
    active = False
    for i in range(beta.shape[0]):
        total += dual.y[i] * beta[i]
        quadratic += beta[i] * (products[i] + dual.ridge[i] * beta[i])
        less += (dual.ridge[i] - ridge[i] / C) * beta[i] * beta[i]
        at_bound = (beta[i] <= dual.low[i]) | (beta[i] >= dual.high[i])
        active |= at_bound & (beta[i] != 0.0)
    quadratic = (quadratic if active else total) - less
    scale = min(max(total / quadratic, 1.0), most) if quadratic > 0.0 else 1.0
    for i in range(beta.shape[0]):
        dual.low[i], dual.high[i], dual.ridge[i] = C * low[i], C * high[i], ridge[i] / C
        dual.diagonal[i] = diagonal[i] + dual.ridge[i]
        # Rounding may put a multiplier at its bound beyond the new one, by its last bit.
        beta[i] = min(max(scale * beta[i], dual.low[i]), dual.high[i])
        products[i] *= scale
    refresh(dual, False)
