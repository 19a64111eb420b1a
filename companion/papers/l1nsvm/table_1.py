"""Table 1: the taxonomy of SVMs by how slacks and constraints are treated.

Each cell names a primal: inequality or equality constraints, slacks or squared slacks. The
study solves that primal as it is written, by a general method for nonlinear programs that knows
nothing of duals or kernels, and compares its hyperplane with the one of the machine that the
table (and, for the empty cell, the paper) puts there.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from companion.datasets import two_gaussians
from companion.kernels import gram
from companion.papers.l1nsvm.machines import solve
from companion.reproduction import Study, Unit, seed_for

PAPER = "l1nsvm"
N_PER_CLASS = 12
#: Closer than in Figure 1, so that every cell has slacks to treat.
MEANS = ((0.0, 0.0), (2.0, 1.0))
TOL = 1e-9
DRAWS = {"paper": 50, "quick": 10}
C_VALUES = (0.1, 1.0, 10.0)

#: (constraints, slacks) -> the machine of that cell, and the name printed in it.
CELLS = {
    ("inequality", "squared"): ("L2", "L2-SVMs"),
    ("inequality", "absolute"): ("L1", "L1-SVMs"),
    ("equality", "squared"): ("LS", "LS-SVMs"),
    ("equality", "absolute"): ("Least 1-Norm", "?"),
}


def solve_primal(X, y, C, constraints, slacks, *, one_sided=False):
    """Solve a primal of Table 1 as written, by sequential quadratic programming.

    ``min 1/2 ||w||^2 + C sum t_i`` (slacks) or ``C/2 sum xi_i^2`` (squared slacks), where

    * inequality: ``y_i (w'x_i + b) >= 1 - xi_i``, and ``xi_i >= 0`` for plain slacks;
    * equality, squared: ``xi_i = 1 - y_i (w'x_i + b)`` put into the objective, equation (1);
    * equality, plain: ``-t_i <= 1 - y_i (w'x_i + b) <= t_i``, equation (4);
    * equality with ``one_sided``: ``xi_i = 1 - y_i (w'x_i + b) >= 0``, which Section 2 warns
      of: no point may lie beyond its support hyperplane.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    C : float
    constraints : {"inequality", "equality"}
    slacks : {"absolute", "squared"}
    one_sided : bool, default=False

    Returns
    -------
    w : ndarray of shape (n_features,)
    b : float
    objective : float
    """
    n, d = X.shape
    A = y[:, None] * np.hstack([X, np.ones((n, 1))])

    def margins(z):
        return A @ z[: d + 1]

    if constraints == "equality" and slacks == "squared":
        return _minimise(
            lambda z: _half_norm(z, d) + C / 2 * ((1 - margins(z)) ** 2).sum(),
            lambda z: _head_gradient(z, d, len(z)) - C * _pad(A.T @ (1 - margins(z)), len(z)),
            np.zeros(d + 1),
            [],
            d,
        )
    I = np.eye(n)
    above = _linear(np.hstack([A, I]), np.ones(n))
    positive = _linear(np.hstack([np.zeros((n, d + 1)), I]), np.zeros(n))
    if constraints == "inequality":
        rules = [above] + ([positive] if slacks == "absolute" else [])
    elif one_sided:
        rules = [{**above, "type": "eq"}, positive]
    else:
        rules = [above, _linear(np.hstack([-A, I]), -np.ones(n))]
    power = 2 if slacks == "squared" else 1

    def objective(z):
        return _half_norm(z, d) + C / power * (z[d + 1 :] ** power).sum()

    def gradient(z):
        head = _head_gradient(z, d, len(z))
        head[d + 1 :] = C * z[d + 1 :] ** (power - 1)
        return head

    # One-sided slacks need a feasible start: w = 0, b = 0 gives every point the slack 1.
    start = np.concatenate([np.zeros(d + 1), np.ones(n)])
    return _minimise(objective, gradient, start, rules, d)


def table_units(profile):
    """One unit a draw and C."""
    return [
        Unit(PAPER, "table_1", {"draw": draw, "C": C})
        for draw in range(1, DRAWS[profile] + 1)
        for C in C_VALUES
    ]


def sample(draw):
    """Points and labels of one draw.

    Parameters
    ----------
    draw : int

    Returns
    -------
    X : ndarray of shape (24, 2)
    y : ndarray of shape (24,)
    """
    rng = np.random.default_rng(seed_for(PAPER, "table_1", draw))
    return two_gaussians(N_PER_CLASS, means=MEANS, rng=rng)


def example(draw, C):
    """One draw and the hyperplanes of the five primals on it, for a figure.

    Parameters
    ----------
    draw : int
    C : float

    Returns
    -------
    X : ndarray of shape (24, 2)
    y : ndarray of shape (24,)
    machines : dict of str to (w, b)
        The four cells, then equalities with slacks of one sign.
    """
    X, y = sample(draw)
    machines = {
        f"{machine}: {constraints}, {slacks}": solve_primal(X, y, C, constraints, slacks)[:2]
        for (constraints, slacks), (machine, _) in CELLS.items()
    }
    machines["naive: equality, slacks >= 0"] = solve_primal(
        X, y, C, "equality", "absolute", one_sided=True
    )[:2]
    return X, y, machines


def compute_cells(unit):
    """Compare the machine of each cell with the primal that the cell describes."""
    draw, C = unit.params["draw"], unit.params["C"]
    X, y = sample(draw)
    K = gram(X, kernel="linear")
    rows = []
    for (constraints, slacks), (machine, _) in CELLS.items():
        w, _, primal = solve_primal(X, y, C, constraints, slacks)
        result = solve(machine, K, y, C, tol=TOL, max_iter=10**7)
        w_dual = X.T @ (y * result.alpha)
        rows.append(
            {
                "constraints": constraints,
                "slacks": slacks,
                "machine": machine,
                # The dual is minimised, so at the optimum the primal is minus the dual.
                "objective_difference": _digits(abs(primal + result.objective) / abs(primal)),
                "w_difference": _digits(np.linalg.norm(w - w_dual) / np.linalg.norm(w)),
                "kkt_conditions": _digits(kkt_conditions(machine, y, result, C)),
                "kkt_violation": _digits(result.kkt_violation),
                "converged": result.converged,
            }
        )
        if machine == "Least 1-Norm":
            naive, _, _ = solve_primal(X, y, C, constraints, slacks, one_sided=True)
            rows[-1]["naive_w_difference"] = _digits(
                np.linalg.norm(naive - w_dual) / np.linalg.norm(w_dual)
            )
    return rows


def kkt_conditions(machine, y, result, C):
    """Largest violation of the optimality conditions (6) or (7), or of their inequality twins.

    For Least 1-Norm: ``y f = 1`` where ``|alpha| < C``, ``y f <= 1`` where ``alpha = C`` and
    ``y f >= 1`` where ``alpha = -C``. For LS: ``y f = 1 - alpha / C``. For L1 the lower bound is
    0; for L2 ``y f = 1 - alpha / C`` where ``alpha > 0`` and ``y f >= 1`` where ``alpha = 0``.

    Parameters
    ----------
    machine : str
        A name of :data:`companion.papers.l1nsvm.machines.MACHINES`.
    y : ndarray of shape (n,)
    result : Result
    C : float

    Returns
    -------
    float
    """
    margin, alpha = y * result.decision_function, result.alpha
    lower = {"Least 1-Norm": -C, "L1": 0.0, "L2": 0.0, "LS": -np.inf}[machine]
    upper = C if machine in ("Least 1-Norm", "L1") else np.inf
    shift = alpha / C if machine in ("LS", "L2") else 0.0
    residual = margin - 1 + shift
    residual = np.where(alpha >= upper, np.maximum(residual, 0), residual)
    return float(np.abs(np.where(alpha <= lower, np.minimum(residual, 0), residual)).max())


def _half_norm(z, d):
    return 0.5 * z[:d] @ z[:d]


def _head_gradient(z, d, size):
    return _pad(z[:d], size)


def _pad(values, size):
    out = np.zeros(size)
    out[: len(values)] = values
    return out


def _linear(A, b):
    return {"type": "ineq", "fun": lambda z: A @ z - b, "jac": lambda z: A}


def _minimise(objective, gradient, start, rules, d):
    found = minimize(
        objective,
        start,
        jac=gradient,
        constraints=rules,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return found.x[:d], float(found.x[d]), float(found.fun)


def _digits(value):
    """Three significant digits: enough for an error, and the records stay readable."""
    return float(f"{value:.3g}")


TABLE_1 = Study(PAPER, "table_1", table_units, compute_cells)
