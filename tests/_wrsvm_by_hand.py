"""The multipliers of Section 4 of the weighted robust SVM paper, written down from the print."""

import numpy as np

from companion.papers.wrsvm.theory import margins


def betas(f, y, U, C, s):
    """beta_ijl = C U_{y_i j} for the runner-up l of j where g_ij < s, one l only."""
    n, k = f.shape
    others = np.where(np.eye(k, dtype=bool), -np.inf, f[:, None, :])
    runner_up = others.argmax(axis=2)
    beta = np.zeros((n, k, k))
    i, j = np.nonzero((margins(f) < s) & (U[y] > 0))
    beta[i, j, runner_up[i, j]] = C * U[y[i], j]
    return beta


def brackets(alpha, beta):
    """sum_{l != m} (alpha_iml - beta_iml) - sum_{j != m} (alpha_ijm - beta_ijm), shape (n, k)."""
    difference = alpha - beta
    return difference.sum(axis=2) - difference.sum(axis=1)
