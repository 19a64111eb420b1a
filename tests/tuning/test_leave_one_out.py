"""Leave-one-out by path following against refitting without every point."""

import sys
import warnings

import numpy as np
import pytest
from _cases import cases, refusals, refused
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from companion import L1SVC, L2SVC
from companion.datasets import ida_split, load_ida
from companion.datasets.generators import unequal_gaussians
from companion.kernels import gram
from companion.papers.gacv.beyond import GRID
from companion.solvers.smo import smo
from companion.tuning import GACVSearch, leave_one_out, leave_one_out_errors
from companion.tuning._leave_one_out_loops import FAILED
from companion.tuning.leave_one_out import leave_one_out_surface
from companion.tuning.surface import machine_surface

# Decision values nearer to zero have no sign worth comparing.
CLEAR = 1e-5


def bias_of(scores, y, alpha, upper):
    """The companion's rule, from a solution with rounding beside its bounds."""
    near = 1e-8 * upper
    is_free = (alpha > near) & (alpha < upper - near)
    if is_free.any():
        return scores[is_free].mean()
    rises = np.where(y > 0, alpha <= near, alpha > near) & (upper > 0)
    return (scores[rises].max() + scores[~rises & (upper > 0)].min()) / 2


def by_refitting(K, y, upper):
    """Left-out decision values from n solutions of the problem without a point."""
    values = np.empty(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        K_rest = K[np.ix_(rest, rest)]
        y_rest = y[rest]
        u_rest = upper[rest]
        alpha = smo(K_rest, y_rest, 0.0, u_rest, tol=1e-9).alpha
        beta = y_rest * alpha
        values[i] = K[i, rest] @ beta + bias_of(
            y_rest - K_rest @ beta, y_rest, alpha, u_rest
        )
    return values


def problem(seed, n=24, kind="rbf", bounds="equal", C=None, lattice=False):
    """A random problem: K, y, upper."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[:4] = 1.0, 1.0, -1.0, -1.0
    X = rng.standard_normal((n, 2)) + 0.7 * y[:, None]
    if lattice:
        X = np.round(X)
    C = 10.0 ** rng.uniform(-2.5, 2.5) if C is None else C
    of_samples = rng.uniform(0.1, 2.0, n)
    factors = {
        "equal": np.ones(n),
        "classes": np.where(y > 0, 0.5, 1.5),
        "samples": of_samples,
    }
    K = gram(X, kernel=kind, gamma=10.0 ** rng.uniform(-1.5, 1.0))
    return K, y, C * factors[bounds]


def assert_agree(result, y, values, decided=False):
    """Verdicts are those of the values, wherever these are clear."""
    clear = np.abs(values) > CLEAR
    assert_array_equal(result.errors[clear], (y * values <= 0)[clear])
    known = decided | ~np.isnan(result.decision)
    assert_allclose(result.decision[known], values[known], atol=2e-6, rtol=1e-6)


@settings(max_examples=50)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(4, 24),
    kind=st.sampled_from(["rbf", "linear"]),
    bounds=st.sampled_from(["equal", "classes", "samples"]),
    C=st.sampled_from([None, 0.05, 1.0]),  # with 0.05 often no vector is free
    lattice=st.booleans(),  # on which many points are equal
)
# Samples coincide, and all others end at a bound.
@example(seed=72499, n=14, kind="linear", bounds="classes", C=0.05, lattice=True)
def test_verdicts_and_values_are_those_of_refitting(seed, n, kind, bounds, C, lattice):
    K, y, upper = problem(seed, n=n, kind=kind, bounds=bounds, C=C, lattice=lattice)
    alpha = smo(K, y, 0.0, upper, tol=1e-3).alpha
    values = by_refitting(K, y, upper)
    assert_agree(leave_one_out_errors(K, y, alpha, upper), y, values)
    assert_agree(
        leave_one_out_errors(K, y, alpha, upper, decisions=True),
        y,
        values,
        decided=True,
    )


def test_a_verdict_that_stops_early_is_that_of_the_whole_path_where_no_vector_stays_free():
    K, y, upper = problem(84, n=7)
    alpha = smo(K, y, 0.0, upper, tol=1e-9).alpha
    assert_agree(leave_one_out_errors(K, y, alpha, upper), y, by_refitting(K, y, upper))


def test_points_of_weight_zero_are_judged_by_the_machine_of_the_others():
    K, y, upper = problem(8)
    upper[5] = 0.0
    solution = smo(K, y, 0.0, upper, tol=1e-9)
    result = leave_one_out_errors(K, y, solution.alpha, upper)
    assert abs(result.decision[5] - solution.decision_function[5]) < 1e-6


def test_several_machines_at_once_are_those_one_by_one():
    K, y, _ = problem(5)
    upper = np.array([0.1, 1.0, 10.0])[:, None] * np.ones(len(y))
    alpha = np.array([smo(K, y, 0.0, bound).alpha for bound in upper])
    together = leave_one_out_errors(K, y, alpha, upper)
    for k in range(3):
        alone = leave_one_out_errors(K, y, alpha[k], upper[k])
        assert_array_equal(together.errors[k], alone.errors)


@cases("decisions", False, True)
def test_machines_that_meet_no_bound_any_more_are_judged_as_each_alone(decisions):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) < 20, 1.0, -1.0)
    K = gram(rng.normal(size=(40, 3)) + 0.5 * y[:, np.newaxis], gamma=0.5)
    C_values = 2.0 ** np.arange(-3, 14, 2)[:, np.newaxis]
    alpha = np.array([smo(K, y, 0.0, C, tol=1e-8).alpha for C in C_values[:, 0]])
    assert (alpha[-2:] < C_values[-2:]).all()
    together = leave_one_out_errors(K, y, alpha, C_values, decisions=decisions)
    for c in range(len(C_values)):
        one = slice(c, c + 1)
        alone = leave_one_out_errors(
            K, y, alpha[one], C_values[one], decisions=decisions
        )
        assert_array_equal(together.errors[one], alone.errors)
        assert_allclose(together.decision[one], alone.decision, atol=1e-6)


def test_where_the_walk_is_lost_the_solver_gives_the_same(monkeypatch):
    K, y, upper = problem(11, bounds="classes")
    alpha = smo(K, y, 0.0, upper).alpha
    result = leave_one_out_errors(K, y, alpha, upper, decisions=True)

    def lose(*arguments):
        arguments[-2][:] = FAILED

    monkeypatch.setattr(
        sys.modules["companion.tuning._leave_one_out_loops"], "leave_out", lose
    )
    lost = leave_one_out_errors(K, y, alpha, upper)
    assert_array_equal(lost.errors, result.errors)
    assert_allclose(lost.decision, result.decision, atol=1e-6)


def test_a_machine_on_few_places_of_many_points_is_made_exact():
    data = load_ida("titanic")
    (train, _) = ida_split("titanic", 3)
    X = data.X[train]
    y = data.y[train]
    surface = machine_surface(X, y, GRID["C"], GRID["gamma"])
    with warnings.catch_warnings(action="error"):
        errors = leave_one_out_surface(surface, X, y)
    assert errors.shape == surface.alpha.shape


# ------------------------------------------------------------------ surface and machine


def test_a_machine_is_judged_as_by_leave_one_out_of_scikit_learn():
    X, y = unequal_gaussians(30, rng=2)
    labels = np.where(y > 0, "yes", "no")
    weights = {"yes": 0.5, "no": 1.5}
    machine = L1SVC(C=3.0, gamma=0.7, class_weight=weights, tol=1e-8)
    wrong = cross_val_predict(machine, X, labels, cv=LeaveOneOut()) != labels
    cost = np.where(labels == "yes", 0.5, 1.5)
    K = gram(X, gamma=0.7)
    on_gram = clone(machine).set_params(kernel="precomputed").fit(K, labels)
    machine.fit(X, labels)
    # Class weights are costs by default.
    assert leave_one_out(machine, X, labels) == pytest.approx(np.mean(cost * wrong))
    assert leave_one_out(on_gram, K, labels) == pytest.approx(np.mean(cost * wrong))
    plain = leave_one_out(machine, X, labels, {"yes": 1.0, "no": 1.0})
    assert plain == pytest.approx(np.mean(wrong))
    assert wrong.any()


@cases("C", 1e10, np.inf)
def test_bounds_that_no_multiplier_meets_are_as_good_as_none(C):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4))
    y = rng.integers(2, size=30)
    machine = L1SVC(C=C, gamma=0.5, tol=1e-8).fit(X, y)
    assert np.abs(machine.dual_coef_).max() < 1e-4 * C
    predicted = cross_val_predict(machine, X, y, cv=LeaveOneOut())
    error = np.mean(predicted != y)
    assert error > 0.2
    assert leave_one_out(machine, X, y) == pytest.approx(error)
    exact = GACVSearch(
        L1SVC(gamma=0.5, tol=1e-8), {"C": [1e4, C]}, criterion="leave_one_out"
    )
    assert exact.fit(X, y).cv_results_["leave_one_out"] == pytest.approx([error, error])


# ------------------------------------------------------------------ what is refused


@cases("alone", -1.0, 1.0)
def test_the_last_point_of_a_class_cannot_be_left_out(alone):
    y = np.array([alone, -alone, -alone, -alone])
    message = f"Class {alone} has fewer: without its last point"
    refused(message, leave_one_out_errors, np.eye(4), y, np.zeros(4), 1.0)
    sample = np.arange(4.0)[:, None], np.where(y == alone, "lone", "many")
    refused("Class 'lone' has fewer", leave_one_out, L1SVC().fit(*sample), *sample)


@refusals(
    ({"K": np.eye(3)}, r"must be a square matrix.*\(4, 4\)"),
    (
        {"K": np.diag([1.0, 1.0, 1.0, np.nan])},
        "'K' of leave_one_out_errors must be finite",
    ),
    ({"y": np.array([0.0, 1.0, 0.0, 1.0])}, "vector of labels -1 and \\+1"),
    ({"upper": np.ones(3)}, "must broadcast to the shape of alpha"),
    ({"upper": np.nan}, "must be at least 0. Got negative bounds or NaN"),
    ({"upper": -1.0}, "must be at least 0. Got negative bounds or NaN"),
    ({"alpha": np.array([np.inf, 0.0, 0.0, 0.0])}, "'alpha'.*must be finite"),
    ({"alpha": np.full(4, 2.0)}, "0 <= alpha <= upper"),
    ({"alpha": np.array([1.0, 0.0, 0.0, 0.0])}, "y'alpha = 0"),
)
def test_arrays_that_are_no_solution_are_refused(change, message):
    arguments = dict(
        K=np.eye(4), y=np.tile([-1.0, 1.0], 2), alpha=np.ones(4), upper=np.ones(4)
    )
    refused(message, leave_one_out_errors, **arguments | change)


def test_infinite_bounds_need_samples_that_a_machine_fits():
    x = np.array([-2.0, -1.0, 1.0, 2.0])
    K = np.outer(x, x)
    y = np.sign(x)
    alpha = smo(K, y, 0.0, np.inf).alpha
    assert not leave_one_out_errors(K, y, alpha, np.inf).errors.any()
    y = np.array([-1.0, 1.0, -1.0, 1.0])
    refused("use a finite C", leave_one_out_errors, K, y, np.zeros(4), np.inf)
    alike = np.ones((4, 4))
    refused("use a finite C", leave_one_out_errors, alike, y, np.zeros(4), np.inf)


def test_a_machine_must_be_fitted_and_an_l1_machine_on_this_data():
    X, y = unequal_gaussians(30, rng=4)
    refused("L1SVC", leave_one_out, L1SVC(), X, y, error=NotFittedError)
    refused("must be an L1SVC", leave_one_out, L2SVC().fit(X, y), X, y, error=TypeError)
    message = "leave_one_out must be what the machine was fitted to"
    refused(message, leave_one_out, L1SVC().fit(X, y), X[::-1], y[::-1])


def test_a_surface_must_be_of_this_data_and_kernel():
    X, y = unequal_gaussians(20, rng=5)
    surface = machine_surface(X, y, [1.0], [0.5])
    for points, labels, options, message in (
        (X[:-1], y[:-1], {}, "points and labels that the surface was made of"),
        (X + 1.0 * y[:, None], y, {}, "The decision values at gamma = 0.5 are others"),
        (X, y, {"kernel": "poly"}, "kernel='poly'"),
    ):
        refused(message, leave_one_out_surface, surface, points, labels, **options)


def test_ties_are_judged_as_the_refits_are():
    """Points on a grid: left-out margins of exactly zero, which the ridge would move."""
    x = np.array([[20.0], [-10.0], [20.0], [40.0], [-10.0]])
    labels = np.array([0, 0, 1, 1, 1])
    machine = L1SVC(C=100, kernel="linear").fit(x, labels)
    assert leave_one_out(machine, x, labels) == 0.8
