"""The interior point on a low-rank factor: the factor, the optimum, when it is used."""

import numpy as np
import pytest
from problems import machine, two_classes
from test_smo import assert_optimal

from companion.kernels import KernelRows, gram
from companion.solvers import _low_rank, smo


def smooth(n, seed=0, gamma=0.5):
    """Two overlapping clouds in the plane, whose Gram matrix has a rank far below n."""
    X, y = two_classes(n, seed=seed)
    return X, y, gram(X, gamma=gamma)


def calls_of(monkeypatch, name):
    """Results of a function of the module, from now on."""
    results, function = [], getattr(_low_rank, name)

    def call(*arguments):
        results.append(function(*arguments))
        return results[-1]

    monkeypatch.setattr(_low_rank, name, call)
    return results


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name, C", [("Least 1-Norm", 300.0), ("Least 1-Norm", 3e3)])
def test_solution_of_a_low_rank_problem_carries_its_certificates(monkeypatch, name, C, dtype):
    _, y, K = smooth(600, seed=3)
    steps = calls_of(monkeypatch, "interior_point")
    box = machine(name, C)
    tol = 1e-3 if dtype == np.float64 else 1e-2
    result = smo(K.astype(dtype), y, **box, tol=tol)
    assert steps and min(steps) > 0
    assert_optimal(result, K.astype(dtype), y, **box, tol=tol)


def test_interior_point_saves_most_of_the_pair_updates(monkeypatch):
    _, y, K = smooth(800, seed=1)
    box = machine("Least 1-Norm", 300.0)
    fast = smo(K, y, **box)
    monkeypatch.setattr(_low_rank.LowRank, "is_due", lambda *_: False)
    slow = smo(K, y, **box)
    assert fast.n_iter < 0.5 * slow.n_iter
    assert fast.objective == pytest.approx(slow.objective, rel=1e-5)


def test_every_sample_may_have_a_box_of_its_own(monkeypatch):
    _, y, K = smooth(500, seed=2)
    steps = calls_of(monkeypatch, "interior_point")
    costs = np.random.default_rng(0).uniform(200.0, 4000.0, size=500)
    box = {"lower": -0.5 * costs, "upper": costs, "ridge": 0.0}
    assert_optimal(smo(K, y, **box), K, y, **box, tol=1e-3)
    assert steps


def test_rows_on_demand_serve_the_factor(monkeypatch):
    X, y, K = smooth(500, seed=4)
    steps = calls_of(monkeypatch, "interior_point")
    box = machine("Least 1-Norm", 200.0)
    for megabytes in (100.0, 0.8):
        result = smo(KernelRows(X, gamma=0.5, cache_size=megabytes), y, **box)
        assert_optimal(result, K, y, **box, tol=1e-3)
    assert len(steps) >= 2


def test_a_kernel_of_full_rank_is_left_alone(monkeypatch):
    X, y = two_classes(400, n_features=15, seed=0)
    K = gram(X, gamma=0.3)
    steps = calls_of(monkeypatch, "interior_point")
    box = machine("Least 1-Norm", 1000.0)
    assert_optimal(smo(K, y, **box), K, y, **box, tol=1e-3)
    assert not steps


def test_a_point_that_is_no_descent_is_not_accepted(monkeypatch):
    _, y, K = smooth(500, seed=2)
    calls = []

    def astray(factor, linear, low, high, *rest):
        beta = rest[4]
        beta[:] = low + 0.5 * (high - low) * (1.0 + 0.9 * np.sin(np.arange(len(low))))
        rest[5][:] = rest[6][:] = 0.0
        calls.append(True)
        return 1

    monkeypatch.setattr(_low_rank, "interior_point", astray)
    box = machine("Least 1-Norm", 1000.0)
    result = smo(K, y, **box)
    assert calls
    assert_optimal(result, K, y, **box, tol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_problem_has_the_same_solution_bit_for_bit(seed):
    _, y, K = smooth(400, seed=seed)
    box = machine("Least 1-Norm", 300.0)
    first, second = smo(K, y, **box), smo(K, y, **box)
    assert first.n_iter == second.n_iter
    np.testing.assert_array_equal(first.alpha, second.alpha)
