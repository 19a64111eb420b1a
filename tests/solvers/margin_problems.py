"""Problems of several classes, and the paper's primal and dual QP written out for cvxpy."""

import numpy as np


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


def random_utility(k, seed, share_of_zeros=0.3):
    """Non-negative, with zeros, the largest entry of a row on the diagonal."""
    rng = np.random.default_rng(seed)
    utility = rng.random((k, k)) * (rng.random((k, k)) >= share_of_zeros)
    return utility + np.diag(0.5 + rng.random(k))


def primal_value(Z, y, utility, C, beta=None, level=1.0):
    """The value of the DC subproblem by cvxpy and Clarabel."""
    import cvxpy as cp

    n, k = len(y), len(utility)
    w, b, xi = cp.Variable((k, Z.shape[1])), cp.Variable((1, k)), cp.Variable((n, k), nonneg=True)
    f = Z @ w.T + np.ones((n, 1)) @ b
    cost = 0.5 * cp.sum_squares(w) + C * cp.sum(cp.multiply(utility[y], xi))
    if beta is not None:
        cost += cp.sum(cp.multiply(beta.sum(axis=2) - beta.sum(axis=1), f))
    conditions = [cp.sum(w, axis=0) == 0, cp.sum(b) == 0]
    conditions += [
        xi[:, j] >= level - f[:, j] + f[:, m] for j in range(k) for m in range(k) if m != j
    ]
    problem = cp.Problem(cp.Minimize(cost), conditions)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value


def dual_value(Z, y, utility, C, beta=None):
    """max sum alpha - 1/2 sum |w_m|^2 subject to (13), (14), w from (15), by cvxpy and Clarabel."""
    import cvxpy as cp

    n, k = len(y), len(utility)
    beta = np.zeros((n, k, k)) if beta is None else beta
    alpha = [cp.Variable((n, k), nonneg=True) for _ in range(k)]  # alpha[j][i, l]
    conditions = [alpha[j][:, j] == 0 for j in range(k)]
    conditions += [cp.sum(alpha[j], axis=1) <= C * utility[y, j] for j in range(k)]
    cost = sum(cp.sum(a) for a in alpha)
    for m in range(k):
        own = cp.sum(alpha[m] - beta[:, m], axis=1)
        bracket = own - sum(alpha[j][:, m] - beta[:, j, m] for j in range(k) if j != m)
        conditions.append(cp.sum(bracket) == 0)
        cost -= 0.5 * cp.sum_squares(Z.T @ bracket)
    problem = cp.Problem(cp.Maximize(cost), conditions)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value


def brackets(alpha, beta):
    """sum_l (alpha - beta)_iml - sum_j (alpha - beta)_ijm, of shape (n, k)."""
    rest = alpha if beta is None else alpha - beta
    return rest.sum(axis=2) - rest.sum(axis=1)


def margins(f):
    """g_ij = f_j - max_{l != j} f_l, of shape (n, k)."""
    k = f.shape[1]
    return np.column_stack([f[:, j] - np.delete(f, j, axis=1).max(axis=1) for j in range(k)])


def truncated_objective(machine, y, matrix, C, s=-np.inf, form="utility"):
    """(10), or the cost form, from the machine's w and decision values."""
    sign = 1.0 if form == "utility" else -1.0
    u = sign * margins(machine.decision_function)
    loss = np.maximum(1.0 - u, 0.0) - np.maximum(s - u, 0.0)
    return 0.5 * np.sum(machine.w**2) + C * np.sum(matrix[y] * loss)
