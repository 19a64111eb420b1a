"""Problems of several classes; the paper's primal QP for cvxpy, its multipliers from the print."""

from itertools import permutations

import numpy as np

from companion.kernels import gram
from companion.papers.wrsvm.theory import margins
from companion.solvers import Design


def clouds(n=40, k=3, d=2, seed=0, spread=0.7):
    """Points around k directions in the plane, d - 2 columns of noise; every class is present."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    angles = 2.0 * np.pi * y / k
    X = rng.normal(size=(n, d)) * spread
    X[:, :2] += np.column_stack([np.cos(angles), np.sin(angles)])
    flipped = rng.random(n) < 0.15
    flipped[:k] = False
    y[flipped] = (y[flipped] + rng.integers(1, k, flipped.sum())) % k
    return X, y


def utilities(k, seed, share_of_zeros=0.3):
    """Non-negative, with zeros, the largest entry of a row on the diagonal."""
    rng = np.random.default_rng(seed)
    utility = rng.random((k, k)) * (rng.random((k, k)) >= share_of_zeros)
    return utility + np.diag(0.5 + rng.random(k))


def design_of(kernel, X, bias=True):
    """X itself or an RBF kernel of width 1."""
    linear = kernel == "linear"
    return (
        Design.linear(X, bias=bias)
        if linear
        else Design.kernel(gram(X, gamma=0.5), bias=bias)
    )


def by_primal(design, y, utility, C, beta, level=1.0):
    """The value of the DC subproblem by cvxpy and Clarabel."""
    import cvxpy as cp

    n = len(y)
    k = len(utility)
    w = cp.Variable((k, design.m + 1))
    xi = cp.Variable((n, k), nonneg=True)
    f = design.augmented @ w.T
    cost = 0.5 * cp.sum_squares(w[:, :-1]) + C * cp.sum(cp.multiply(utility[y], xi))
    cost += cp.sum(cp.multiply(beta.sum(axis=2) - beta.sum(axis=1), f))
    conditions = [cp.sum(w, axis=0) == 0]
    conditions += [
        xi[:, j] >= level - f[:, j] + f[:, m] for j, m in permutations(range(k), 2)
    ]
    problem = cp.Problem(cp.Minimize(cost), conditions)
    problem.solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10
    )
    return problem.value


def brackets(alpha):
    """sum_l alpha_iml - sum_j alpha_ijm, of shape (n, k)."""
    return alpha.sum(axis=2) - alpha.sum(axis=1)


def betas(f, y, U, C, s):
    """beta_ijl = C U_{y_i j} for the runner-up l of j where g_ij < s, one l only."""
    n, k = f.shape
    others = np.where(np.eye(k, dtype=bool), -np.inf, f[:, None, :])
    runner_up = others.argmax(axis=2)
    beta = np.zeros((n, k, k))
    i, j = np.nonzero((margins(f) < s) & (U[y] > 0))
    beta[i, j, runner_up[i, j]] = C * U[y[i], j]
    return beta


def objective_of(machine, y, matrix, C, s=-np.inf, form="utility"):
    """(10), or the cost form, from the machine's w and decision values."""
    sign = 1.0 if form == "utility" else -1.0
    u = sign * margins(machine.decision_function)
    loss = np.maximum(1.0 - u, 0.0) - np.maximum(s - u, 0.0)
    return 0.5 * np.sum(machine.w**2) + C * np.sum(matrix[y] * loss)
