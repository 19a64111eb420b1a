"""MDM: certificates, agreement with SVM and QP solvers, acceleration, starts, edges, errors."""

import numpy as np
import pytest
from _cases import cases, each, refusals, refused, warned
from _problems import KERNELS, problem
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from companion.kernels import gram
from companion.solvers import mdm

SELECTIONS = ("first_order", "second_order")
ACCELERATIONS = (False, True)
MODES = [
    (selection, accelerate) for selection in SELECTIONS for accelerate in ACCELERATIONS
]


def solved(K, y, ridge, tol=1e-3, **options):
    """MDM's result, for which certificates and the thesis's relations hold as defined."""
    result = mdm(K, y, ridge=ridge, tol=tol, **options)
    assert_optimal(result, K, y, ridge, tol)
    return result


def assert_optimal(result, K, y, ridge, tol):
    n = len(y)
    a = result.alpha
    H = K + np.diag(np.broadcast_to(ridge, n))
    assert (a >= 0.0).all()
    assert [a[y > 0].sum(), a[y < 0].sum()] == pytest.approx([1.0, 1.0], abs=1e-14 * n)
    q = H @ (y * a)
    size = np.abs(H).max()
    assert_allclose(result.products, q, atol=1e-13 * size)
    squared_norm = (y * a) @ q
    heights = y * q
    assert result.squared_norm == pytest.approx(squared_norm, abs=1e-13 * size)
    assert result.objective == 0.5 * result.squared_norm
    m = heights[y > 0].min() + heights[y < 0].min()
    gap = 0.5 * squared_norm - 0.5 * max(m, 0.0) ** 2 / squared_norm
    assert result.duality_gap == pytest.approx(gap, rel=1e-6, abs=1e-12 * size)
    assert -1e-12 * size <= result.duality_gap <= tol * result.objective
    violations = [
        (heights[(y == c) & (a > 0)].max() - heights[y == c].min()) for c in (1, -1)
    ]
    assert result.kkt_violation == pytest.approx(max(violations), abs=1e-12 * size)
    m_plus = a[y > 0] @ q[y > 0]
    m_minus = a[y < 0] @ q[y < 0]
    ends = [result.m_plus, result.m_minus]
    assert ends == pytest.approx([m_plus, m_minus], abs=1e-13 * size)
    found = [result.m_plus - result.m_minus, result.intercept]
    wanted = [squared_norm, -0.5 * (m_plus + m_minus)]
    assert found == pytest.approx(wanted, abs=1e-13 * size)
    f = K @ (y * a) + result.intercept
    assert_allclose(result.decision_function, f, atol=1e-12 * size)
    assert result.converged
    assert not result.touching
    assert "at most" in result.stop_reason


@each(kernel=KERNELS, C=[1e-2, 1.0, 1e4])
@cases("selection, accelerate", *MODES)
def test_every_solution_carries_its_certificates(selection, accelerate, kernel, C):
    K, y = problem(n=100, seed=4, kernel=kernel)
    solved(K, y, 1.0 / C, selection=selection, accelerate=accelerate, tol=1e-4)


def reference_pairs(K, y, ridge, n_steps):
    """First-order MDM, word for word, from the centres of the classes."""
    H = K + ridge * np.eye(len(y))
    a = np.where(y > 0, 1.0 / np.sum(y > 0), 1.0 / np.sum(y < 0))
    for _ in range(n_steps):
        heights = y * (H @ (y * a))
        pairs = []
        for c in (1.0, -1.0):
            members = np.flatnonzero(y == c)
            support = np.flatnonzero((y == c) & (a > 0.0))
            pairs.append(
                (members[heights[members].argmin()], support[heights[support].argmax()])
            )
        i, j = max(pairs, key=lambda pair: heights[pair[1]] - heights[pair[0]])
        step = min(
            (heights[j] - heights[i]) / (H[i, i] + H[j, j] - 2.0 * H[i, j]), a[j]
        )
        a[i], a[j] = a[i] + step, a[j] - step
    return a


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_first_order_updates_are_those_of_the_algorithm():
    K, y = problem(n=70, seed=2)
    result = mdm(K, y, ridge=0.05, selection="first_order", tol=1e-9, max_iter=150)
    assert result.n_iter == 150
    assert_allclose(result.alpha, reference_pairs(K, y, 0.05, 150), atol=1e-12)


@cases("accelerate", *ACCELERATIONS)
def test_hulls_that_overlap_are_reported(accelerate):
    X = np.array([[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    message = "hulls of the classes touch.*raise the ridge"
    result = warned(message, mdm, X @ X.T, y, accelerate=accelerate)
    assert result.touching
    assert not result.converged
    assert result.squared_norm == pytest.approx(0.0, abs=1e-12)
    assert result.duality_gap == result.objective
    assert np.isfinite(result.decision_function).all()
    refused(r"convex hulls of the classes touch .* 'ridge' \(1 / C\)", result.to_svm)
    assert mdm(X @ X.T, y, ridge=0.1, accelerate=accelerate).converged
    overlapping = problem(n=80, kernel="linear", seed=1)
    assert warned(message, mdm, *overlapping, accelerate=accelerate).touching


@cases("accelerate", *ACCELERATIONS)
def test_a_spent_budget_is_reported_with_the_gap(accelerate):
    K, y = problem(n=80, seed=1)
    message = (
        r"mdm \(second_order selection\).*budget of 7 iterations.*duality gap.*max_iter"
    )
    result = warned(
        message, mdm, K, y, ridge=0.01, accelerate=accelerate, tol=1e-9, max_iter=7
    )
    assert result.n_iter == 7
    assert not result.converged
    assert not result.touching
    assert result.duality_gap > 1e-9 * result.objective
    warned("budget of 0 iterations", mdm, K, y, ridge=0.01, max_iter=0)


@given(
    points=st.lists(
        st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=2, max_size=9
    ),
    labels=st.lists(st.booleans(), min_size=9, max_size=9),
    ridge=st.sampled_from([0.0, 1e-6, 0.1, 10.0]),
    scale=st.sampled_from([1e-8, 1.0, 1e6]),
    kernel=st.sampled_from(["linear", "rbf", "zero"]),
    mode=st.sampled_from(MODES),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_degenerate_points(points, labels, ridge, scale, kernel, mode):
    X = scale * np.array(points, dtype=float)
    y = np.where(labels[: len(points)], 1.0, -1.0)
    y[0] = 1.0
    y[-1] = -1.0
    K = (
        np.zeros((len(y), len(y)))
        if kernel == "zero"
        else gram(X, kernel=kernel, gamma=0.5)
    )
    result = mdm(
        K, y, ridge=ridge, selection=mode[0], accelerate=mode[1], max_iter=20_000
    )
    assert np.isfinite(result.decision_function).all()
    if result.converged:
        assert_optimal(result, K, y, ridge, 1e-3)
        assert np.isfinite(result.to_svm().decision_function).all()
    else:
        # Rounding alone keeps from the end: the hulls are as good as touching.
        assert "touch" in result.stop_reason or "Rounding" in result.stop_reason
        assert result.squared_norm <= 1e-10 * (np.abs(K).max() + ridge)


@refusals(
    (
        {"K": np.eye(3)},
        r"'K' of mdm must be a square matrix .* \(4, 4\). Got shape \(3, 3\)",
    ),
    ({"K": np.full((4, 4), np.nan)}, "'K' of a solver must be finite"),
    ({"K": 1.7e308 * np.outer([1, 1, -1, -1], [1, 1, -1, -1])}, "sums of its rows"),
    (
        {"K": np.diag([1, 1, 1, np.inf]), "alpha0": [1, 0, 1, 0]},
        "'K' of a solver must be fin",
    ),
    ({"y": [1, 2, -1, -1]}, "labels -1 and [+]1"),
    ({"y": [1, 1, 1, 1]}, r"must hold both labels, -1 and \+1. Got 1 only"),
    ({"ridge": -1.0}, "'ridge' of mdm must be finite and at least 0"),
    ({"ridge": np.nan}, "'ridge' of mdm must be finite"),
    (
        {"alpha0": np.ones(3)},
        "'alpha0' of a solver must be a number or a vector of length 4",
    ),
    ({"alpha0": [np.inf, 1, 1, 1]}, "'alpha0' of a solver must be finite"),
    ({"selection": "third"}, "'first_order' or 'second_order'. Got 'third'"),
    ({"tol": 0.0}, "between 0 and 1. Got 0.0"),
    ({"tol": 1.0}, "between 0 and 1. Got 1.0"),
    ({"max_iter": -1}, "None or at least 0. Got -1"),
)
def test_bad_input_is_refused_by_name(change, message):
    arguments = {"K": np.eye(4), "y": [1, 1, -1, -1]} | change
    refused(message, mdm, arguments.pop("K"), arguments.pop("y"), **arguments)
