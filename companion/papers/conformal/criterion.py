"""The separability J: what the searches reach, what the exact maximiser is worth, what is printed.

All transformations are forced, one each, on the whole training part, so that the searches start
from the same machine and nothing but J decides.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from companion import conformal_factors as conformal
from companion.papers.conformal import problems
from companion.papers.conformal.experiments import CONFORMAL, Part
from companion.papers.conformal.problems import PAPER, SETS
from companion.papers.conformal.studies import LARGE
from companion.papers.summaries import counts
from companion.reproduction import Study, Unit
from companion.separability import Separability
from companion.solvers.mdm import mdm

#: By the names of the tables; the exact maximiser is Xiong's transformation with the eigenvector.
METHODS = {
    **{name: CONFORMAL[name] for name in ("MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")},
    "Xiong": CONFORMAL["Xiong"],
    "exact maximiser": ("xiong", "separability_exact"),
}
N_PARTITIONS = {"paper": 3, "quick": 1}

#: Random problems for the identities, and patterns in each.
N_RANDOM, N_PATTERNS = {"paper": 20, "quick": 5}, 40


class Counted(Separability):
    """A separability that counts how often it is evaluated."""

    evaluations = 0

    def values(self, Q):
        """As its parent's."""
        self.evaluations += len(np.atleast_2d(Q))
        return super().values(Q)

    def value_and_gradient(self, q):
        """As its parent's."""
        self.evaluations += 1
        return super().value_and_gradient(q)

    def combinations(self, basis):
        """As its parent's."""
        found = super().combinations(basis)
        evaluate = found.value_and_gradient

        def counted(coefficients):
            self.evaluations += 1
            return evaluate(coefficients)

        found.value_and_gradient = counted
        return found


def compute_searches(unit):
    """J and test errors of every search: a row a fold and method."""
    rows = []
    for fold, problem in enumerate(
        problems.folds(*(unit.params[k] for k in ("dataset", "partition")))
    ):
        part = Part(problem, validate=False)
        J = Counted(part.shared.K, part.shared.y)
        part.shared.separability = J
        plain = J.value(np.ones(J.n))
        rows.append(
            {
                "fold": fold,
                "method": "SVM",
                "J": plain,
                "evaluations": 0,
                "log10_condition": None,
                "degenerate": False,
                **counts(part.plain_decision(), problem.y_test),
            }
        )
        for name, method in METHODS.items():
            J.evaluations = 0
            result = part.transformed(*method, max_transforms=1)
            entries = len(result.history)
            log10_condition = None
            if name == "exact maximiser":
                log10_condition = round(condition_of_cores(part, problem.seed), 4)
            rows.append(
                {
                    "fold": fold,
                    "method": name,
                    "J": result.history[-1]["separability"] if entries > 1 else None,
                    # the history asks for J once for each of its machines
                    "evaluations": J.evaluations - entries,
                    "log10_condition": log10_condition,
                    "degenerate": result.is_degenerate,
                    **counts(part.decision(result), problem.y_test),
                }
            )
    return [row | {"J": row["J"] if row["J"] is None else float(f"{row['J']:.8g}")} for row in rows]


def condition_of_cores(part, seed):
    """log10 of the condition number of W in the basis of Xiong's cores, a third of the patterns.

    Parameters
    ----------
    part : Part
    seed : int
        What the cores are drawn from.

    Returns
    -------
    float
    """
    shared = part.shared
    rng = np.random.default_rng(seed)
    cores = np.sort(rng.permutation(len(shared.y))[: max(1, round(len(shared.y) / 3))])
    basis = np.column_stack(
        [np.ones(len(shared.y)), np.exp(-shared.distances[:, cores] / part.width)]
    )
    W = basis.T @ shared.separability.matrices()[1] @ basis
    values = np.abs(np.linalg.eigvalsh(0.5 * (W + W.T)))
    return float(np.log10(values.max() / max(values.min(), 1e-300)))


def compute_identities(unit):
    """Theorem 6 against explicit scatter matrices, and gradients against differences."""
    rng = unit.rng()
    X = rng.standard_normal((N_PATTERNS, 3))
    y = np.where(np.arange(N_PATTERNS) < N_PATTERNS // 4, 1.0, -1.0)
    K = np.exp(-cdist(X, X, "sqeuclidean") / 4.0)
    q = rng.uniform(0.2, 2.0, N_PATTERNS)
    explicit, space_error = explicit_separability(K, y, q)
    printed = printed_separability(K, y, q)
    J = Separability(K, y)
    return {
        "theorem_error": float(f"{abs(J.value(q) / explicit - 1):.3g}"),
        "printed_error": float(f"{abs(printed / explicit - 1):.3g}"),
        "space_error": float(f"{space_error:.3g}"),
        "gradient_error": float(f"{gradient_error(K, y, X):.3g}"),
    }


def explicit_separability(K, y, q):
    """J of the transformed kernel from scatter matrices in the empirical feature space.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    q : ndarray of shape (n,)

    Returns
    -------
    J : float
        tr(S_B) / tr(S_W) with the matrices written out, (4.6.5) to (4.6.11) with the traces.
    error : float
        Largest difference of Z Z' and the transformed K, relative; (4.6.4).
    """
    transformed = K * np.outer(q, q)
    values, vectors = eigh(transformed)
    kept = values > 1e-12 * values.max()
    Z = transformed @ vectors[:, kept] / np.sqrt(values[kept])
    mean, between, within = Z.mean(axis=0), 0.0, 0.0
    for label in (-1.0, 1.0):
        part = Z[y == label]
        centre = part.mean(axis=0)
        between += len(part) * np.trace(np.outer(centre - mean, centre - mean))
        within += np.trace((part - centre).T @ (part - centre))
    return between / within, float(np.abs(Z @ Z.T - transformed).max() / np.abs(transformed).max())


def printed_separability(K, y, q):
    """J with B = K_intra + K / N, as (4.6.14) is printed.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    q : ndarray of shape (n,)
        Factors of the transformation.

    Returns
    -------
    float
    """
    n = len(y)
    intra = np.zeros_like(K)
    for label in (-1.0, 1.0):
        own = y == label
        intra[np.ix_(own, own)] = K[np.ix_(own, own)] / own.sum()
    return (q @ (intra + K / n) @ q) / (q @ (np.diag(np.diag(K)) - intra) @ q)


def gradient_error(K, y, X, step=1e-4):
    """Largest relative error of the gradients of J for MDT and TSVT, against differences.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    X : ndarray of shape (n, n_features)
    step : float, default=1e-4

    Returns
    -------
    float
    """
    J, machine = Separability(K, y), mdm(K, y, ridge=0.1, tol=1e-8)
    f, offset = machine.decision_function, -0.5 * machine.squared_norm
    support = np.flatnonzero(machine.alpha)
    squares = cdist(X[support], X, "sqeuclidean")

    def by_margin(parameters):
        c, *jacobian = conformal.margin_displacement(f, *parameters, offset)
        return c, np.array(jacobian)

    def by_width(rates):
        terms = np.exp(-rates[:, np.newaxis] * squares)
        return terms.sum(axis=0), -squares * terms

    worst = 0.0
    for family, at in (
        (by_margin, np.array([1.0 / np.abs(f).max() ** 2, 0.6])),
        (by_width, np.linspace(0.2, 0.9, support.size)),
    ):
        c, jacobian = family(at)
        gradient = jacobian @ J.value_and_gradient(c)[1]
        numeric = np.array(
            [
                (J.value(family(at + h)[0]) - J.value(family(at - h)[0])) / (2 * h.sum())
                for h in np.diag(step * at)
            ]
        )
        worst = max(worst, np.abs(gradient - numeric).max() / np.abs(numeric).max())
    return worst


def search_units(profile):
    """One unit a data set and partition."""
    return [
        Unit(PAPER, "searches", {"dataset": name, "partition": k}, problems.digest(name))
        for name in SETS
        if profile == "paper" or name not in LARGE
        for k in range(1, N_PARTITIONS[profile] + 1)
    ]


def identity_units(profile):
    """One unit a random problem."""
    return [Unit(PAPER, "identities", {"problem": k}) for k in range(1, N_RANDOM[profile] + 1)]


SEARCHES = Study(PAPER, "searches", search_units, compute_searches)
IDENTITIES = Study(PAPER, "identities", identity_units, compute_identities)
