"""The quick pair updates of accelerated second-order SMO, where they differ from the plain ones."""

import numpy as np
import pytest
from problems import MACHINES, machine, problem, two_classes

from companion.kernels import KernelRows, gram
from companion.solvers import _state, smo


@pytest.fixture
def n_calls(monkeypatch):
    """Number of calls of the quick pair updates so far, in a list of one entry."""
    calls = [0]
    run = _state.run_quick_pairs

    def counted(*args):
        calls[0] += 1
        return run(*args)

    monkeypatch.setattr(_state, "run_quick_pairs", counted)
    # The compiled solver for few samples would come first.
    monkeypatch.setattr(_state, "_SMALL_AT_END", 0)
    return calls


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [3, 63, 64, 65, 200])
@pytest.mark.parametrize("name", MACHINES)
def test_quick_and_plain_updates_reach_the_same_optimum(name, n, dtype, n_calls):
    K, y = problem(n)
    K = K.astype(dtype)
    box = machine(name, 3.0)
    quick = smo(K, y, **box, tol=1e-6)
    assert n_calls[0] > 0
    n_calls[0] = 0
    plain = smo(K, y, **box, tol=1e-6, accelerate=False)
    assert n_calls[0] == 0
    assert quick.converged and quick.kkt_violation <= 1e-6
    assert quick.objective == pytest.approx(plain.objective, rel=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("cache_size", [0.02, 1.0])
def test_rows_that_were_never_computed_are_not_read(dtype, cache_size, n_calls):
    X, y = two_classes(150)
    rows = KernelRows(X, gamma=0.4, dtype=dtype, cache_size=cache_size)
    rows.buffer.fill(np.nan)
    result = smo(rows, y, 0.0, 1.0, shrinking=False)
    expected = smo(gram(X, gamma=0.4), y, 0.0, 1.0, tol=1e-6)
    assert n_calls[0] > 0
    assert result.converged
    assert result.objective == pytest.approx(expected.objective, rel=1e-4)


def test_fixed_variables_stay_where_they_are(n_calls):
    K, y = problem(100)
    upper = np.where(np.arange(100) % 4 == 0, 0.0, 2.0)
    result = smo(K, y, 0.0, upper, tol=1e-6)
    kept = upper > 0.0
    expected = smo(K[np.ix_(kept, kept)], y[kept], 0.0, 2.0, tol=1e-6)
    assert not result.alpha[~kept].any()
    assert result.objective == pytest.approx(expected.objective, rel=1e-6)


def test_curvatures_beyond_single_precision_do_not_stop_the_updates(n_calls):
    scale = 1e45
    K, y = problem(80)
    result = smo(scale * K, y, 0.0, 3.0 / scale, tol=1e-4)
    assert n_calls[0] > 0
    assert result.converged and result.kkt_violation <= 1e-4
    expected = smo(K, y, 0.0, 3.0, tol=1e-4)
    assert scale * result.objective == pytest.approx(expected.objective, rel=1e-3)


@pytest.mark.parametrize("name", MACHINES)
def test_a_long_solution_goes_on_with_a_copy_in_single_precision(name, monkeypatch):
    X, y = two_classes(800, n_features=8)
    K = gram(X, gamma=0.1)
    precisions = set()
    run = _state.run_quick_pairs

    def noted(K, slot, used, diagonal, scores, *rest):
        precisions.add((K.dtype.name, scores.dtype.name))
        return run(K, slot, used, diagonal, scores, *rest)

    monkeypatch.setattr(_state, "run_quick_pairs", noted)
    monkeypatch.setattr(_state, "_SMALL_AT_END", 0)
    box = machine(name, 30.0)
    result = smo(K, y, **box)
    assert result.converged
    scores = y - K @ (y * result.alpha) - box.get("ridge", 0.0) * y * result.alpha
    assert result.decision_function - result.intercept == pytest.approx(
        K @ (y * result.alpha), abs=1e-9
    )
    rises = np.where(y > 0, result.alpha < box["upper"], result.alpha > box["lower"])
    falls = np.where(y > 0, result.alpha > box["lower"], result.alpha < box["upper"])
    assert scores[rises].max() - scores[falls].min() <= 1e-3 * (1.0 + 1e-6)
    assert ("float64", "float64") in precisions and ("float32", "float32") in precisions
    precisions.clear()
    smo(K, y, **box, history=True)
    smo(K, y, **box, tol=1e-9)
    assert precisions == {("float64", "float64")}
