"""The duals written out as quadratic programs for Clarabel, a general interior-point solver."""

import numpy as np
from scipy import sparse

__all__ = ["dual_of_many_classes", "dual_of_two_classes"]

_ACCURACY = 1e-12


def dual_of_two_classes(machine):
    """Minimise 1/2 b'(K + D)b - y'b for b = y alpha in its box, sum b = 0."""
    n = len(machine.y)
    P = machine.problem.K + np.diag(machine.ridge)
    G = sparse.vstack([sparse.identity(n), -sparse.identity(n)], format="csr")
    h = np.concatenate([machine.high, -machine.low])
    return _solve(P, -machine.y, np.ones((1, n)), G, h)


def dual_of_many_classes(machine):
    """The dual (13) to (15) of the minimum-margin machine, alpha of shape (n, k, k)."""
    n, k = machine.weight.shape
    at = [(i, j, m) for i, j in np.argwhere(machine.weight > 0.0) for m in range(k) if m != j]
    i, j, m = np.array(at).T
    # What a multiplier adds to the bracket of a class: 1 to j, -1 to m.
    signs = np.eye(k)[:, j] - np.eye(k)[:, m]
    P = (signs.T @ signs) * machine.problem.K[np.ix_(i, i)]
    limits, row = np.unique(i * k + j, return_inverse=True)
    sums = sparse.csr_matrix((np.ones(len(at)), (row, np.arange(len(at)))))
    G = sparse.vstack([sums, -sparse.identity(len(at))], format="csr")
    h = np.concatenate([machine.weight.ravel()[limits], np.zeros(len(at))])
    # The brackets of all classes together sum to zero anyhow.
    x, bias, n_iter, solved = _solve(P, -np.ones(len(at)), signs[:-1], G, h)
    alpha, bias = np.zeros((n, k, k)), np.append(bias, 0.0)
    alpha[i, j, m] = x
    return alpha, bias - bias.mean(), n_iter, solved


def _solve(P, q, equalities, G, h):
    """Minimise 1/2 x'Px + q'x with equalities x = 0 and G x <= h, where entries of h may be inf."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _ACCURACY
    n_equal, bounded = len(equalities), np.isfinite(h)
    conditions = sparse.vstack([sparse.csr_matrix(equalities), G[bounded]]).tocsc()
    right = np.concatenate([np.zeros(n_equal), h[bounded]])
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(int(bounded.sum()))]
    P = sparse.csc_matrix(np.triu(P))
    found = clarabel.DefaultSolver(P, q, conditions, right, cones, settings).solve()
    solved = found.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)
    return np.array(found.x), np.array(found.z)[:n_equal], found.iterations, solved
