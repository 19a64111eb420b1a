"""The compiled solver for few samples: when it comes first, what it solves, how it gives up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import machine, problem, two_classes
from sklearn.exceptions import ConvergenceWarning

from companion.kernels import KernelRows, gram
from companion.solvers import _smo_quick, _state, smo

BOUNDED = ("L1", "Least 1-Norm")


@pytest.fixture
def statuses(monkeypatch):
    """What the compiled solver has returned so far."""
    returned = []
    run = _state.solve_small

    def noted(*args):
        returned.append(run(*args))
        return returned[-1]

    monkeypatch.setattr(_state, "solve_small", noted)
    return returned


def violation(K, y, alpha, lower, upper):
    """The maximal KKT violation, from its definition."""
    scores = y - K @ (y * alpha)
    rises = np.where(y > 0, alpha < upper, alpha > lower)
    falls = np.where(y > 0, alpha > lower, alpha < upper)
    return scores[rises].max() - scores[falls].min() if rises.any() and falls.any() else 0.0


@pytest.mark.parametrize("C", [1e-3, 0.3, 30.0, 300.0])
@pytest.mark.parametrize("n", [2, 3, 63, 64, 65, 150])
@pytest.mark.parametrize("name", BOUNDED)
def test_solutions_are_those_of_the_plain_algorithm(name, n, C, statuses):
    K, y = problem(n)
    box = machine(name, C)
    small = smo(K, y, **box, tol=1e-5)
    assert statuses == [_smo_quick.CONVERGED]
    assert small.converged
    assert violation(K, y, small.alpha, box["lower"], box["upper"]) <= 1e-5 + 1e-9
    assert abs(y @ small.alpha) <= 1e-12 * (1.0 + np.abs(small.alpha).sum())
    np.testing.assert_allclose(
        small.decision_function - small.intercept, K @ (y * small.alpha), atol=1e-9 * max(C, 1.0)
    )
    plain = smo(K, y, **box, tol=1e-5, accelerate=False)
    assert small.objective == pytest.approx(plain.objective, rel=1e-5)


@given(
    n=st.integers(2, 40),
    copies=st.integers(1, 3),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    tol=st.sampled_from([1e-1, 1e-4, 1e-7]),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=40, deadline=None)
def test_any_finite_box_and_any_ridge_are_solved(n, copies, scale, tol, seed):
    rng = np.random.default_rng(seed)
    X, y = two_classes(n, seed=seed)
    X, y = np.tile(X, (copies, 1)), np.tile(y, copies)
    K = gram(X, gamma=0.3)
    upper = scale * rng.uniform(0.1, 2.0, len(y))
    lower = -scale * rng.uniform(0.0, 1.0, len(y)) * rng.integers(0, 2)
    ridge = rng.uniform(0.0, 1.0, len(y)) * rng.integers(0, 2)
    result = smo(K, y, lower, upper, ridge=ridge, tol=tol)
    assert result.converged
    assert (lower <= result.alpha).all() and (result.alpha <= upper).all()
    assert violation(K + np.diag(ridge), y, result.alpha, lower, upper) <= tol + 1e-12 * scale * n
    assert abs(y @ result.alpha) <= 1e-11 * upper.sum()


@pytest.mark.parametrize("name", BOUNDED)
def test_a_start_leads_to_the_solution_and_the_solution_is_kept(name, statuses):
    K, y = problem(80)
    start = smo(K, y, **machine(name, 1.0)).alpha
    box = machine(name, 3.0)
    result = smo(K, y, **box, alpha0=start, tol=1e-5)
    expected = smo(K, y, **box, tol=1e-5, accelerate=False)
    assert result.objective == pytest.approx(expected.objective, rel=1e-6)
    again = smo(K, y, **box, alpha0=result.alpha, tol=1e-5)
    assert statuses == 3 * [_smo_quick.CONVERGED]
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.alpha, result.alpha)


def test_it_is_left_aside_where_it_does_not_serve(statuses, monkeypatch):
    X, y = two_classes(60)
    K = gram(X, gamma=0.4)
    rows = KernelRows(X, gamma=0.4)
    smo(K, y, 0.0, 1.0, history=True)
    smo(K, y, 0.0, 1.0, accelerate=False)
    smo(K, y, 0.0, 1.0, selection="first_order")
    smo(K.astype(np.float32), y, 0.0, 1.0)
    smo(rows, y, 0.0, 1.0)
    smo(K, y, **machine("L2", 1.0))
    with pytest.warns(ConvergenceWarning, match="budget of 0 iterations"):
        smo(K, y, 0.0, 1.0, max_iter=0)
    monkeypatch.setattr(_state, "_SMALL_INSIDE", 59)
    smo(K, y, -1.0, 1.0)
    monkeypatch.setattr(_state, "_SMALL_AT_END", 59)
    smo(K, y, 0.0, 1.0)
    assert statuses == []


@pytest.mark.parametrize("name", BOUNDED)
def test_what_it_gives_up_is_finished_by_the_others(name, statuses, monkeypatch):
    monkeypatch.setattr(_state, "_SMALL_EFFORT", 1.0)
    K, y = problem(150)
    result = smo(K, y, **machine(name, 30.0), tol=1e-5)
    assert statuses == [_smo_quick.GAVE_UP]
    assert result.converged and result.kkt_violation <= 1e-5
    assert result.n_iter > _smo_quick._FIRST_BURST
    plain = smo(K, y, **machine(name, 30.0), tol=1e-5, accelerate=False)
    assert result.objective == pytest.approx(plain.objective, rel=1e-6)


def test_the_budget_counts_pair_updates_and_is_kept(statuses):
    K, y = problem(100)
    with pytest.warns(ConvergenceWarning, match="budget of 7 iterations is spent"):
        result = smo(K, y, 0.0, 3.0, max_iter=7, tol=1e-6)
    assert statuses == [_smo_quick.BUDGET]
    assert result.n_iter == 7 and not result.converged
    expected = violation(K, y, result.alpha, 0.0, 3.0)
    assert result.kkt_violation == pytest.approx(expected)


def test_a_tolerance_below_rounding_ends_with_a_warning(statuses):
    K, y = problem(60)
    with pytest.warns(ConvergenceWarning, match="Rounding errors"):
        smo(K, y, 0.0, 1e6, tol=1e-14)
    assert statuses[0] != _smo_quick.CONVERGED


def test_curvatures_beyond_single_precision_do_not_stop_it(statuses):
    scale = 1e45
    K, y = problem(80)
    result = smo(scale * K, y, 0.0, 3.0 / scale, tol=1e-4)
    assert len(statuses) == 1
    assert result.converged and result.kkt_violation <= 1e-4
    expected = smo(K, y, 0.0, 3.0, tol=1e-4)
    assert scale * result.objective == pytest.approx(expected.objective, rel=1e-3)


@pytest.mark.parametrize("C", [1e6, 1e12])
def test_multipliers_that_are_small_beside_a_wide_box_are_kept(C, statuses):
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    result = smo(X @ X.T, np.sign(X[:, 0]), 0.0, C)
    assert statuses == [_smo_quick.CONVERGED]
    np.testing.assert_allclose(result.alpha, [0.0, 0.5, 0.5, 0.0], atol=1e-9)
