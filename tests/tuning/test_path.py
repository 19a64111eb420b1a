"""Solutions along C: their certificates, their fallback, and the settling of close samples."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from companion import L1SVC, L2SVC, LSSVC, KernelGridSearchCV, LeastOneNormSVC
from companion.kernels import gram
from companion.solvers import _state
from companion.solvers._state import State
from companion.solvers.result import certify
from companion.tuning import _evaluate, _path
from companion.tuning._path import WarmPath

MACHINES = [L1SVC(), L2SVC(), LSSVC(solver="smo"), LeastOneNormSVC()]
COSTS = np.logspace(-2, 5, 8)


def problem(n_samples=120, gamma=1.0):
    X, y = make_moons(n_samples, noise=0.35, random_state=0)
    return gram(X, gamma=gamma), np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_every_solution_of_a_path_meets_the_tolerance_when_computed_afresh(machine, weighted):
    K, y = problem()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    path = WarmPath(machine, K, y, weight, is_finite=True, certified=True)
    for C in COSTS:
        result = path.solve(C)
        lower, upper, ridge = (
            np.broadcast_to(v, len(y)) for v in machine._box(C if weight is None else C * weight)
        )
        beta = y * result.alpha
        low, high = np.where(y > 0, lower, -upper), np.where(y > 0, upper, -lower)
        assert (beta >= low).all()
        assert (beta <= high).all()
        assert abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
        fresh = certify(
            K @ beta, y, beta, low, high, np.array(ridge), n_iter=0, stop_reason="", converged=True
        )
        assert result.converged
        assert fresh.kkt_violation <= machine.tol * (1 + 1e-6)
        assert fresh.objective == pytest.approx(result.objective, rel=1e-9)
        assert fresh.intercept == pytest.approx(result.intercept, abs=1e-7)
        assert fresh.duality_gap == pytest.approx(result.duality_gap, rel=1e-5, abs=1e-7 * C)


def test_a_fit_along_the_path_whose_budget_ends_warns_as_a_single_fit_does():
    K, y = problem(gamma=5.0)
    path = WarmPath(L1SVC(max_iter=30), K, y, None, is_finite=True, certified=True)
    with pytest.warns(ConvergenceWarning, match="budget of 30 iterations"):
        assert not path.solve(1.0).converged
    with pytest.warns(ConvergenceWarning, match="budget of 30 iterations"):
        assert not path.solve(1000.0).converged


def test_a_refined_solution_meets_its_own_tolerance_and_hardly_moves():
    K, y = problem()
    path = WarmPath(L1SVC(), K, y, None, is_finite=True, certified=True)
    path.solve(1.0)
    result = path.solve(10.0)
    refined = path.refined(10.0, result, 1e-6)
    assert refined.kkt_violation <= 1e-6 < result.kkt_violation
    assert refined.objective <= result.objective
    np.testing.assert_allclose(refined.decision_function, result.decision_function, atol=5e-3)


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


def hard_problem(n_samples=220):
    """A nearly singular Gram matrix, with points that occur twice and with either label."""
    X, y = make_moons(n_samples, noise=0.35, random_state=1)
    X[:20], X[20:40] = X[40:60], X[60:80]
    return gram(X, gamma=0.01), np.where(y == 1, 1.0, -1.0)


def l1_state(K, y, C):
    low, high = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
    n = len(y)
    state = State(
        K, np.arange(n), np.zeros(n, dtype=np.int64), None, y, low, high, np.zeros(n), K.diagonal()
    )
    state.is_quick = True
    state.allow_single(K.astype(np.float32))
    state.start(np.zeros(n))
    return state


@pytest.fixture
def precisions(monkeypatch):
    """Types of the scores in all calls of the quick pair updates so far."""
    seen = []
    run = _state.run_quick_pairs

    def noted(*args):
        seen.append(args[4].dtype)
        return run(*args)

    monkeypatch.setattr(_state, "run_quick_pairs", noted)
    # The compiled solver for few samples would come first.
    monkeypatch.setattr(_state, "_SMALL_AT_END", 0)
    return seen


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 2e-4])
def test_updates_in_single_precision_end_at_the_tolerance_in_double(tol, precisions):
    K, y = hard_problem()
    path = WarmPath(L1SVC(tol=tol), K, y, None, is_finite=True, certified=True)
    for C in COSTS:
        result = path.solve(C)
        beta = y * result.alpha
        low, high = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
        fresh = certify(
            K @ beta, y, beta, low, high, np.zeros(len(y)), n_iter=0, stop_reason="", converged=True
        )
        assert result.converged
        assert fresh.kkt_violation <= tol * (1 + 1e-6)
    assert np.dtype(np.float32) in precisions


@pytest.mark.parametrize("tol", [1e-8, 2e-5])
def test_a_tolerance_beyond_single_precision_is_met_in_double(tol, precisions):
    K, y = problem()
    path = WarmPath(L1SVC(tol=tol), K, y, None, is_finite=True, certified=True)
    for C in (1.0, 10.0, 100.0):
        result = path.solve(C)
        assert result.converged and result.kkt_violation <= tol
    assert np.dtype(np.float64) in precisions


def test_where_every_end_turns_out_false_the_updates_go_over_to_double(monkeypatch, precisions):
    K, y = problem(gamma=1.0)
    state = l1_state(K, y, C=10.0)
    state.allow_single(problem(gamma=1.05)[0].astype(np.float32))
    monkeypatch.setattr(_state, "_CORRECTIONS", 1)
    assert state.update_pairs(True, 1e-3, 1_000_000) == "converged"
    scores = y - K @ state.beta
    up, down = state.beta < state.high, state.beta > state.low
    assert scores[up].max() - scores[down].min() <= 1e-3 * (1 + 1e-6)
    assert precisions[-1] == np.float64


def test_single_precision_changes_the_score_of_hardly_any_cell(monkeypatch):
    X, y = make_moons(150, noise=0.4, random_state=3)
    grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 1, 4)}

    def cells():
        search = KernelGridSearchCV(L1SVC(), grid, refit=False).fit(X, y)
        return np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)])

    single = cells()
    monkeypatch.setattr(_path, "LEAST_TOL", np.inf)
    assert np.mean(single == cells()) >= 0.98
