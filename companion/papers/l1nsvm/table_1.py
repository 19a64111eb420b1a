"""Table 1: the taxonomy of SVMs by how slacks and constraints are treated.

The study solves the primal of each cell as it is written, by a general method that knows nothing
of duals or kernels, and compares it with the machine that the table (the paper, for the empty cell)
puts there.
"""

import numpy as np
from scipy.optimize import minimize

from companion.datasets import two_gaussians
from companion.kernels import gram
from companion.papers.l1nsvm.machines import PAPER, solve
from companion.papers.summaries import study_over
from companion.reproduction import seed_for

N_PER_CLASS = 12
#: Closer than in Figure 1, so that every cell has slacks to treat.
MEANS = ((0.0, 0.0), (2.0, 1.0))
TOL = 1e-9
DRAWS = {"paper": 50, "quick": 10}
C_VALUES = (0.1, 1.0, 10.0)

#: (constraints, slacks) -> the machine of that cell; the last is printed as "?".
CELLS = {
    ("inequality", "squared"): "L2",
    ("inequality", "absolute"): "L1",
    ("equality", "squared"): "LS",
    ("equality", "absolute"): "Least 1-Norm",
}
#: What stands above the cells.
HEADS = {"squared": "Squared slacks", "absolute": "Slacks"}


def solve_primal(X, y, C, constraints, slacks, *, one_sided=False):
    """w, b and the objective of a primal of Table 1, by sequential quadratic programming.

    ``min 1/2 ||w||^2 + C sum t_i`` (slacks) or ``C/2 sum xi_i^2`` (squared slacks), where

    * inequality: ``y_i (w'x_i + b) >= 1 - xi_i``, and ``xi_i >= 0`` for plain slacks;
    * equality, squared: ``xi_i = 1 - y_i (w'x_i + b)`` put into the objective, equation (1);
    * equality, plain: ``-t_i <= 1 - y_i (w'x_i + b) <= t_i``, equation (4);
    * equality with ``one_sided``: ``xi_i = 1 - y_i (w'x_i + b) >= 0``, which Section 2 warns
      of: no point may lie beyond its support hyperplane.
    """
    n, d = X.shape
    A = y[:, None] * np.hstack([X, np.ones((n, 1))])
    unit = np.eye(n)
    above = _at_least_zero(np.hstack([A, unit]), np.ones(n))
    below = _at_least_zero(np.hstack([-A, unit]), -np.ones(n))
    positive = _at_least_zero(np.hstack([np.zeros((n, d + 1)), unit]), np.zeros(n))
    rules = {
        ("inequality", "squared"): [above],
        ("inequality", "absolute"): [above, positive],
        ("equality", "squared"): [],
        ("equality", "absolute"): [above, below],
    }[constraints, slacks]
    if one_sided:
        rules = [{**above, "type": "eq"}, positive]
    power = 2 if slacks == "squared" else 1

    def slack(z):  # without rules no variables of their own
        return z[d + 1 :] if rules else 1 - A @ z

    def objective(z):
        return 0.5 * z[:d] @ z[:d] + C / power * (slack(z) ** power).sum()

    def gradient(z):
        normal = np.concatenate([z[:d], np.zeros(len(z) - d)])
        if not rules:
            return normal - C * (A.T @ slack(z))
        normal[d + 1 :] = C * slack(z) ** (power - 1)
        return normal

    # One-sided slacks need a feasible start: w = 0, b = 0 gives every point the slack 1.
    start = np.concatenate([np.zeros(d + 1), np.ones(n if rules else 0)])
    settings = {"method": "SLSQP", "options": {"ftol": 1e-14, "maxiter": 2000}}
    found = minimize(objective, start, jac=gradient, constraints=rules, **settings)
    return found.x[:d], float(found.x[d]), float(found.fun)


def _at_least_zero(A, b):
    return {"type": "ineq", "fun": lambda z: A @ z - b, "jac": lambda z: A}


def sample(draw):
    """Points and labels of one draw."""
    rng = np.random.default_rng(seed_for(PAPER, "table_1", draw))
    return two_gaussians(N_PER_CLASS, means=MEANS, rng=rng)


def compute_cells(unit):
    """Compare the machine of each cell with the primal that the cell describes."""
    draw = unit.params["draw"]
    C = unit.params["C"]
    X, y = sample(draw)
    K = gram(X, kernel="linear")
    rows = []
    for (constraints, slacks), machine in CELLS.items():
        w, _, primal = solve_primal(X, y, C, constraints, slacks)
        result = solve(machine, K, y, C, tol=TOL, max_iter=10**7)
        w_dual = X.T @ (y * result.alpha)
        row = {
            "constraints": constraints,
            "slacks": slacks,
            "machine": machine,
            # The dual is minimised, so at the optimum the primal is minus the dual.
            "objective_difference": _digits(
                abs(primal + result.objective) / abs(primal)
            ),
            "w_difference": _digits(np.linalg.norm(w - w_dual) / np.linalg.norm(w)),
            "kkt_conditions": _digits(kkt_conditions(machine, y, result, C)),
            "kkt_violation": _digits(result.kkt_violation),
            "converged": result.converged,
        }
        if machine == "Least 1-Norm":
            naive, _, _ = solve_primal(X, y, C, constraints, slacks, one_sided=True)
            apart = np.linalg.norm(naive - w_dual) / np.linalg.norm(w_dual)
            row["naive_w_difference"] = _digits(apart)
        rows.append(row)
    return rows


def kkt_conditions(machine, y, result, C):
    """Largest violation of the optimality conditions (6) or (7), or of their inequality twins.

    For Least 1-Norm: ``y f = 1`` where ``|alpha| < C``, ``y f <= 1`` where ``alpha = C`` and
    ``y f >= 1`` where ``alpha = -C``. For LS: ``y f = 1 - alpha / C``. For L1 the lower bound is
    0; for L2 ``y f = 1 - alpha / C`` where ``alpha > 0`` and ``y f >= 1`` where ``alpha = 0``.
    """
    margin = y * result.decision_function
    alpha = result.alpha
    lower = {"Least 1-Norm": -C, "L1": 0.0, "L2": 0.0, "LS": -np.inf}[machine]
    upper = C if machine in ("Least 1-Norm", "L1") else np.inf
    shift = alpha / C if machine in ("LS", "L2") else 0.0
    residual = margin - 1 + shift
    residual = np.where(alpha >= upper, np.maximum(residual, 0), residual)
    return float(
        np.abs(np.where(alpha <= lower, np.minimum(residual, 0), residual)).max()
    )


def _digits(value):
    """Three significant digits: enough for an error, and the records stay readable."""
    return float(f"{value:.3g}")


TABLE_1 = study_over(PAPER, "table_1", compute_cells, draw=DRAWS, C=C_VALUES)
STUDIES = (TABLE_1,)


def _add_values(out, frame):
    """Agreement of each cell's primal with its machine."""
    for (constraints, slacks), cell in frame.groupby(["constraints", "slacks"]):
        largest = {HEADS[slacks]: cell.objective_difference.max()}
        out.add_all(
            f"{constraints.capitalize()} constraints", largest, cell.converged.all()
        )
    recovered = frame.naive_w_difference.dropna() < 1e-3
    column = "share of draws that recover the machine"
    out.add("Equality constraints, slacks >= 0", column, recovered.mean())
    conditions = {"KKT conditions (6), (7)": frame.kkt_conditions.max()}
    out.add_all("all four", conditions, frame.converged.all())


VALUES = ((_add_values, "table_1"),)
