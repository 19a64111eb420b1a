"""The duals written out as quadratic programs for Clarabel, a general interior-point solver."""

from __future__ import annotations

import numpy as np
from scipy import sparse

__all__ = ["dual_program", "solve_program", "to_classes"]

_ACCURACY = 1e-12


def dual_program(task):
    """The dual of two classes in beta = y alpha: min 1/2 b'(K + D)b - y'b, sum b = 0, box.

    Returns
    -------
    P, q, equalities, G, h
        Of min 1/2 x'Px + q'x, equalities x = 0, G x <= h.
    """
    y, n = task.problem.y, len(task.problem.y)
    low, high = (np.broadcast_to(bound, n) for bound in task.box)
    low, high = np.where(y > 0, low, -high), np.where(y > 0, high, -low)
    P = task.K + np.diag(np.broadcast_to(task.ridge, n))
    identity = sparse.identity(n, format="csr")
    bounded = [np.isfinite(high), np.isfinite(low)]
    G = sparse.vstack([identity[bounded[0]], -identity[bounded[1]]])
    return P, -y, np.ones((1, n)), G, np.concatenate([high[bounded[0]], -low[bounded[1]]])


def to_classes(task):
    """The dual (13) to (15) of the minimum-margin machine.

    Returns
    -------
    alpha : ndarray of shape (n, k, k)
    bias : ndarray of shape (k,)
    n_iter : int
    solved : bool
    """
    problem, K = task.problem, task.K
    n, k = len(problem.y), len(problem.utility)
    limits = problem.cost[:, np.newaxis] * problem.utility[problem.y]
    at = np.array([(i, j, m) for i, j in np.argwhere(limits > 0.0) for m in range(k) if m != j])
    i, j, m = at.T
    # What a multiplier adds to the bracket of a class: 1 to j, -1 to m.
    signs = (np.arange(k)[:, np.newaxis] == j) * 1.0 - (np.arange(k)[:, np.newaxis] == m)
    P = (signs.T @ signs) * K[np.ix_(i, i)]
    terms = sparse.csr_matrix((np.ones(len(at)), (i * k + j, np.arange(len(at)))), (n * k, len(at)))
    used = limits.ravel() > 0.0
    G = sparse.vstack([terms[used], -sparse.identity(len(at))])
    h = np.concatenate([limits.ravel()[used], np.zeros(len(at))])
    # The brackets of all classes together sum to zero anyhow.
    x, bias, n_iter, solved = solve_program(P, -np.ones(len(at)), signs[:-1], G, h)
    alpha = np.zeros((n, k, k))
    alpha[i, j, m] = x
    bias = np.append(bias, 0.0)
    return alpha, bias - bias.mean(), n_iter, solved


def solve_program(P, q, equalities, G, h):
    """Solve min 1/2 x'Px + q'x, equalities x = 0, G x <= h.

    Returns
    -------
    x : ndarray
    multipliers : ndarray
        Of the equalities.
    n_iter : int
    solved : bool
    """
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _ACCURACY
    n_equal = len(equalities)
    conditions = sparse.vstack([sparse.csr_matrix(equalities), G]).tocsc()
    cones = [clarabel.ZeroConeT(n_equal)]
    if len(h):
        cones.append(clarabel.NonnegativeConeT(len(h)))
    right = np.concatenate([np.zeros(n_equal), h])
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(P)), q, conditions, right, cones, settings
    ).solve()
    solved = found.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)
    return np.array(found.x), np.array(found.z)[:n_equal], found.iterations, solved
