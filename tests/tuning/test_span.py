"""Squared spans, by their definition and against exact leave-one-out."""

import numpy as np
import pytest
from _cases import cases, each, refused

from companion import L1SVC, GACVSearch
from companion.kernels import gram
from companion.solvers.smo import smo
from companion.tuning import gacv, leave_one_out, squared_spans, xi_alpha


def problem(seed=0, n=60, n_features=2, shift=0.8):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 2, 1.0, -1.0)
    return rng.normal(size=(n, n_features)) + shift * y[:, np.newaxis], y


def test_a_span_is_the_distance_from_the_affine_hull_of_the_other_free_vectors():
    X, y = problem(n_features=12, shift=0.2)
    alpha = smo(X @ X.T, y, 0.0, 0.1, tol=1e-9).alpha
    spans = squared_spans(X @ X.T, alpha, 0.1)
    free = np.flatnonzero((alpha > 1e-6) & (alpha < 0.1 - 1e-6))
    assert 3 < len(free) < np.count_nonzero(alpha)
    for i in np.flatnonzero(alpha):
        hull = X[free[free != i]]
        directions = (hull[1:] - hull[0]).T
        shift = X[i] - hull[0]
        rest = shift - directions @ np.linalg.lstsq(directions, shift)[0]
        assert spans[i] == pytest.approx(rest @ rest, rel=1e-5, abs=1e-6)
    assert (spans[alpha == 0] == 0).all()


def test_with_fewer_than_two_free_vectors_the_span_is_the_diagonal():
    K = np.diag([1.0, 2.0, 3.0, 4.0])
    bounded = squared_spans(K, np.array([1.0, 1.0, 0.0, 0.0]), 1.0)
    one_free = squared_spans(K, np.array([1.0, 0.5, 0.0, 1.0]), 1.0)
    assert bounded.tolist() == [1.0, 2.0, 0.0, 0.0]
    assert one_free.tolist() == [1.0, 2.0, 0.0, 4.0]


def test_where_the_kernel_is_indefinite_on_the_free_vectors_the_span_is_the_diagonal():
    K = np.array([[1.0, 3.0, 0.0], [3.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    spans = squared_spans(K, np.array([0.5, 0.5, 1.0]), 1.0)
    assert spans.tolist() == [1.0, 2.0, 4.0]


def test_points_that_are_all_alike_have_no_span():
    spans = squared_spans(np.zeros((4, 4)), np.array([0.5, 0.5, 0.5, 1.0]), 1.0)
    assert spans == pytest.approx(np.zeros(4), abs=1e-9)


def test_a_gram_matrix_of_other_samples_is_refused():
    message = "Gram matrix of the 3 samples"
    refused(message, squared_spans, np.eye(4), np.ones(3), 1.0)


@cases("class_weight", None, {-1: 0.5, 1: 2.0})
def test_search_and_functions_agree_and_come_near_leave_one_out(class_weight):
    X, y = problem(seed=3, n=120)
    grid = {"C": [0.5, 5.0, 50.0], "gamma": [0.3, 3.0]}
    machine = L1SVC(class_weight=class_weight, tol=1e-6)
    search = GACVSearch(machine, grid, update="span").fit(X, y)
    plain = GACVSearch(machine, grid).fit(X, y).cv_results_
    exact = GACVSearch(machine, grid, criterion="leave_one_out").fit(X, y).cv_results_
    found = search.cv_results_
    for k, params in enumerate(found["params"]):
        machine = L1SVC(class_weight=class_weight, tol=1e-6, **params).fit(X, y)
        assert gacv(machine, X, y, update="span") == pytest.approx(found["gacv"][k])
        assert xi_alpha(machine, X, y, update="span") == pytest.approx(
            found["xi_alpha"][k]
        )
        assert leave_one_out(machine, X, y) == pytest.approx(exact["leave_one_out"][k])
    away = np.abs(found["xi_alpha"] - exact["leave_one_out"]).mean()
    assert away < np.abs(plain["xi_alpha"] - exact["leave_one_out"]).mean() / 3


@each(kernel=["rbf", "precomputed"], C=[1e10, np.inf])
def test_a_bound_out_of_reach_is_as_one_that_no_multiplier_meets(kernel, C):
    X, y = problem(n=40)
    points = gram(X, gamma=2.0) if kernel == "precomputed" else X
    settings = {"kernel": kernel, "gamma": 2.0, "tol": 1e-8}
    near = L1SVC(C=1e4, **settings).fit(points, y)
    assert np.abs(near.dual_coef_).max() < 1e3
    far = L1SVC(C=C, **settings).fit(points, y)
    for estimate in (gacv, xi_alpha):
        expected = estimate(near, points, y, update="span")
        assert estimate(far, points, y, update="span") == pytest.approx(expected)
        assert expected > 0
    search = GACVSearch(L1SVC(**settings), {"C": [1e4, C]}, update="span").fit(
        points, y
    )
    first, second = search.cv_results_["gacv"]
    assert (
        first
        == pytest.approx(second)
        == pytest.approx(gacv(near, points, y, update="span"))
    )


def test_a_span_takes_no_bound_and_other_updates_are_refused_by_name():
    X, y = problem(n=20)
    machine = L1SVC().fit(X, y)
    refused("takes no 'bound'", xi_alpha, machine, X, y, bound=1.0, update="span")
    refused("must be one of joachims, span", gacv, machine, X, y, update="spam")
