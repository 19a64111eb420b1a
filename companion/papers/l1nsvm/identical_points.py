"""Why Titanic alone is sparse in Table 2: identical points, and an optimum that is not unique.

The multipliers of identical points can be moved among each other at the same objective. SMO from
zero raises them one at a time and leaves the rest at zero, an interior point method raises them
together: the number of support vectors is a property of the solver.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize

from companion.datasets import data_digest, distinct_patterns
from companion.kernels import gram
from companion.papers.experiment import benchmark_split
from companion.papers.l1nsvm.machines import (
    PAPER,
    SETTINGS,
    solve_as_printed,
    width_to_gamma,
)
from companion.papers.summaries import DRAWN
from companion.reproduction import seed_for, study_over

SPLITS = {"paper": 10, "quick": 2}
MACHINE = "Least 1-Norm"
#: Tighter than the paper's, so that the objectives can be compared.
TOL = 1e-6
#: Standard deviation of what is added to the inputs so that no two points are identical.
JITTER = 1e-3
#: A multiplier of an interior point is never exactly zero; this share of C counts as one.
NEGLIGIBLE = 1e-3


def compute_identical(unit):
    """Three optimal solutions of the same problem, and how many nonzeros each one has."""
    part = benchmark_split("titanic", unit.params["split"])
    X = part.X
    y = part.y
    log10_C, log10_sigma = SETTINGS["titanic"][MACHINE]
    C = 10.0**log10_C
    gamma = width_to_gamma(log10_sigma)
    K = gram(X, gamma=gamma)
    rng = np.random.default_rng(seed_for(PAPER, "jitter", unit.params["split"]))
    apart = gram(X + JITTER * rng.standard_normal(X.shape), gamma=gamma)
    problems = {
        "smo": (K, y),
        "jitter": (apart, y),
        "one_tag": (K, majority_tags(X, y)),
    }
    found = {
        name: solve_as_printed(MACHINE, *problem, C, tol=TOL)
        for name, problem in problems.items()
    }
    smo = found["smo"]
    even = share_evenly(smo.alpha, X, y)
    interior = interior_point(K, y, C)

    def difference(alpha):
        beta = y * alpha
        objective = 0.5 * beta @ (K @ beta) - alpha.sum()
        return float(f"{abs(objective - smo.objective) / abs(smo.objective):.3g}")

    return {
        "n_train": len(y),
        "smo_n_sv": np.count_nonzero(smo.alpha),
        "even_n_sv": np.count_nonzero(even),
        "even_difference": difference(even),
        "interior_n_sv": np.count_nonzero(np.abs(interior) > NEGLIGIBLE * C),
        "interior_difference": difference(interior),
        "jitter_n_sv": np.count_nonzero(found["jitter"].alpha),
        "one_tag_n_sv": np.count_nonzero(found["one_tag"].alpha),
        "converged": all(result.converged for result in found.values()),
    }


def majority_tags(X, y):
    """The labels when identical points all have the one that most of them have, + on a tie."""
    _, pattern = np.unique(X, axis=0, return_inverse=True)
    balance = np.bincount(pattern.ravel(), weights=y)
    return np.where(balance[pattern.ravel()] >= 0, 1, -1)


def share_evenly(alpha, X, y):
    """Give identical points with the same label equal multipliers, keeping their sum."""
    _, _, counts, inverse = distinct_patterns(X, y)
    return (np.bincount(inverse, weights=alpha) / counts)[inverse]


def interior_point(K, y, C):
    """Solve the dual (5) by a general interior point method, from zero."""
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


TABLE_2_IDENTICAL = study_over(
    PAPER,
    "table_2_identical",
    compute_identical,
    digest=lambda params: data_digest("titanic"),
    split=SPLITS,
    splits=(DRAWN,),
)

#: Solutions of the same problem, the first two of the same objective, and of problems like it.
WAYS = {
    "spread evenly": "even",
    "by an interior point method": "interior",
    "inputs jittered": "jitter",
    "one tag a pattern": "one_tag",
}


def add_identical_claims(out, frame):
    """How near the objectives of the other solutions are, and how many nonzeros solutions have."""
    row = "Titanic, identical points"
    for way, key in WAYS.items():
        out.add_mean(row, f"share of SVs, {way}", frame[f"{key}_n_sv"] / frame.n_train)
        if f"{key}_difference" in frame:
            difference = frame[f"{key}_difference"].max()
            out.add(row, f"objective difference, {way}", difference)
