"""Why Titanic alone is sparse in Table 2: identical points, and an optimum that is not unique.

Where points coincide the kernel matrix is singular, and the multipliers of identical points can
be moved among each other at the same objective. The number of support vectors is then a property
of the solver: SMO from zero raises them one at a time and leaves the rest at zero, an interior
point method raises them together.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize

from companion.datasets import data_digest, distinct_patterns, split_source
from companion.kernels import gram
from companion.papers.l1nsvm.machines import SETTINGS, solve, width_to_gamma
from companion.papers.l1nsvm.table_2 import PAPER, split_rows
from companion.reproduction import Study, Unit

SPLITS = {"paper": 20, "quick": 2}
MACHINE = "Least 1-Norm"
#: Tighter than the paper's, so that the objectives can be compared.
TOL = 1e-6
#: A multiplier of an interior point is never exactly zero; this share of C counts as one.
NEGLIGIBLE = 1e-3


def identical_units(profile):
    """One unit a split of Titanic."""
    return [
        Unit(
            PAPER,
            "table_2_identical",
            {"split": split, "splits": split_source("titanic")},
            data=data_digest("titanic"),
        )
        for split in range(1, SPLITS[profile] + 1)
    ]


def compute_identical(unit):
    """Three optimal solutions of the same problem, and how many nonzeros each one has."""
    X, y, _, _ = split_rows("titanic", unit.params["split"], unit.params["splits"])
    log10_C, log10_sigma = SETTINGS["titanic"][MACHINE]
    C, K = 10.0**log10_C, gram(X, gamma=width_to_gamma(log10_sigma))
    result = solve(MACHINE, K, y, C, tol=TOL, selection="first_order", accelerate=False)
    even = share_evenly(result.alpha, X, y)
    interior = interior_point(K, y, C)

    def difference(alpha):
        beta = y * alpha
        objective = 0.5 * beta @ (K @ beta) - alpha.sum()
        return float(f"{abs(objective - result.objective) / abs(result.objective):.3g}")

    return {
        "n_train": len(y),
        "n_patterns": len(distinct_patterns(X, y)[1]),
        "rank": int(np.linalg.matrix_rank(K)),
        "smo_n_sv": int(np.count_nonzero(result.alpha)),
        "even_n_sv": int(np.count_nonzero(even)),
        "even_difference": difference(even),
        "interior_n_sv": int(np.count_nonzero(np.abs(interior) > NEGLIGIBLE * C)),
        "interior_difference": difference(interior),
        "converged": result.converged,
    }


def share_evenly(alpha, X, y):
    """Give identical points with the same label equal multipliers, keeping their sum.

    Parameters
    ----------
    alpha : ndarray of shape (n,)
    X : ndarray of shape (n, n_features)
    y : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
    """
    _, _, counts, inverse = distinct_patterns(X, y)
    return (np.bincount(inverse, weights=alpha, minlength=len(counts)) / counts)[inverse]


def interior_point(K, y, C):
    """Solve the dual (5) by a general interior point method, from zero.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
    y : ndarray of shape (n_samples,)
    C : float

    Returns
    -------
    alpha : ndarray of shape (n_samples,)
    """
    found = minimize(
        lambda beta: 0.5 * beta @ K @ beta - y @ beta,
        np.zeros(len(y)),
        jac=lambda beta: K @ beta - y,
        hess=lambda beta: K,
        method="trust-constr",
        bounds=Bounds(-C, C),
        constraints=[LinearConstraint(np.ones((1, len(y))), 0, 0)],
        options={"gtol": 1e-8, "xtol": 1e-10, "barrier_tol": 1e-8, "maxiter": 3000},
    )
    return y * found.x


TABLE_2_IDENTICAL = Study(PAPER, "table_2_identical", identical_units, compute_identical)
