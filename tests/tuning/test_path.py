"""Solutions along C: their certificates, and the settling of close samples."""

import numpy as np
import pytest
from _cases import cases, each
from _problems import certified
from sklearn.datasets import make_moons

from companion import L1SVC, L2SVC, LSSVC, KernelGridSearchCV, LeastOneNormSVC
from companion.kernels import gram
from companion.tuning import _evaluate
from companion.tuning._path import WarmPath

MACHINES = [L1SVC(), L2SVC(), LSSVC(solver="smo"), LeastOneNormSVC()]
COSTS = np.logspace(-2, 5, 8)


def problem(n_samples=120, gamma=1.0):
    X, y = make_moons(n_samples, noise=0.35, random_state=0)
    return gram(X, gamma=gamma), np.where(y == 1, 1.0, -1.0)


def hard_problem(n_samples=220):
    """A nearly singular Gram matrix, with points that occur twice and with either label."""
    X, y = make_moons(n_samples, noise=0.35, random_state=1)
    X[:20], X[20:40] = X[40:60], X[60:80]
    return gram(X, gamma=0.01), np.where(y == 1, 1.0, -1.0)


HARDNESS = {
    "plain": (*problem(), 1e-3),
    "no bound active at the end": (*problem(gamma=50.0), 1e-6),
    "hard": (*hard_problem(), 1e-2),
}


@each(name=HARDNESS, weighted=[False, True])
@cases("machine", *MACHINES, ids=lambda machine: type(machine).__name__)
def test_every_solution_of_a_path_is_certified_when_computed_afresh(
    machine, weighted, name
):
    K, y, tol = HARDNESS[name]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    machine.set_params(tol=tol)
    path = WarmPath(machine, K, y, weight)
    for C in COSTS:
        result = path.solve(C)
        box = machine._box(C if weight is None else C * weight)
        fresh = certified(K, y, result.alpha, *box)
        assert result.converged
        assert fresh.kkt_violation <= tol * (1 + 1e-6)
        assert fresh.objective == pytest.approx(result.objective, rel=1e-9)
        assert fresh.intercept == pytest.approx(result.intercept, abs=1e-7)
        assert fresh.duality_gap == pytest.approx(
            result.duality_gap, rel=1e-5, abs=1e-7 * C
        )


def test_settling_brings_fold_accuracies_to_those_of_the_exact_solution(monkeypatch):
    X, y = make_moons(200, noise=0.4, random_state=1)
    grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 1, 5)}

    def cells(tol):
        search = KernelGridSearchCV(L1SVC(tol=tol), grid, refit=False).fit(X, y)
        return np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)])

    exact = cells(1e-8)
    settled = np.count_nonzero(cells(0.05) != exact)
    monkeypatch.setattr(_evaluate, "DOUBT", 0.0)
    assert settled < 0.5 * np.count_nonzero(cells(0.05) != exact)
