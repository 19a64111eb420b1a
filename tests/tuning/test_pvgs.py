"""PVGS: grids that narrow around the best point, within their ranges, as scikit-learn's search."""

import numpy as np
import pytest
from _cases import cases, refused
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import make_scorer
from sklearn.utils.estimator_checks import parametrize_with_checks

from companion import L2SVC
from companion.metrics import g_mean_error
from companion.tuning import ParameterVectorGridSearchCV


class Bowl(BaseEstimator):
    """Its score is highest at a = 3, b = 0.02, in logarithms."""

    def __init__(self, a=1.0, b=1.0):
        self.a, self.b = a, b

    def fit(self, X, y=None):
        return self

    def score(self, X, y=None):
        return -(np.log(self.a / 3.0) ** 2) - np.log(self.b / 0.02) ** 2


def search(a=(1e-3, 1e3), b=(1e-3, 1e3), **settings):
    ranges = {"a": a, "b": b}
    return ParameterVectorGridSearchCV(Bowl(), ranges, cv=2, **settings).fit(np.zeros((4, 1)))


def test_the_best_point_is_found_to_the_width_of_the_last_grid_and_none_is_tried_twice():
    found = search(n_points=5, n_rounds=8)
    width = np.log(1e6) * 0.5**7 / 4
    assert abs(np.log(found.best_params_["a"] / 3.0)) <= width
    assert abs(np.log(found.best_params_["b"] / 0.02)) <= width
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    points = [tuple(sorted(p.items())) for p in found.cv_results_["params"]]
    assert len(set(points)) == len(points)


def test_each_round_is_a_grid_around_the_best_point_so_far():
    found = search(n_points=3, n_rounds=2)
    points = found.cv_results_["params"]
    assert sorted({p["a"] for p in points[:9]}) == pytest.approx([1e-3, 1.0, 1e3])
    first = max(points[:9], key=lambda p: Bowl(**p).score(None))
    assert first == {"a": pytest.approx(1.0), "b": pytest.approx(1e-3)}
    later = np.log([[p["a"], p["b"]] for p in points[9:]])
    # Half as wide, around a = 1; at the edge of b moved inwards.
    half = np.log(1e3) / 2
    np.testing.assert_allclose([later.min(0)[0], later.max(0)[0]], [-half, half])
    np.testing.assert_allclose([later.min(0)[1], later.max(0)[1]], [-2 * half, 0], atol=1e-9)
    assert 0 < len(points) - 9 <= 8  # the centre is not evaluated again


def test_grids_stay_within_the_ranges_even_where_the_best_is_at_an_edge():
    ranges = {"a": (1e-3, 1.0), "b": (1e-1, 1e3)}
    found = search(**ranges, n_rounds=5)
    for name, (low, high) in ranges.items():
        values = np.array([p[name] for p in found.cv_results_["params"]])
        assert values.min() >= low and values.max() <= high
    assert found.best_params_ == {"a": 1.0, "b": pytest.approx(0.1)}


def test_it_tunes_a_machine_by_the_score_that_is_asked_for():
    X = np.random.default_rng(0).uniform(-2, 2, size=(150, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    ranges = {"C": (1e-2, 1e3), "gamma": (1e-3, 1e2)}
    scoring = make_scorer(g_mean_error, greater_is_better=False)
    settings = {"n_points": 3, "n_rounds": 2, "cv": 3, "scoring": scoring}
    tuned = ParameterVectorGridSearchCV(L2SVC(), ranges, **settings).fit(X, y)
    assert g_mean_error(y, tuned.predict(X)) < 0.15
    assert tuned.best_estimator_.get_params()["C"] == tuned.best_params_["C"]
    assert clone(tuned).get_params()["n_rounds"] == 2


def test_several_metrics_are_searched_by_the_one_of_refit():
    both = {"up": lambda m, X, y=None: m.score(X), "down": lambda m, X, y=None: -m.score(X)}
    found = search(scoring=both, refit="down", n_rounds=2, n_points=3)
    assert found.best_score_ == max(found.cv_results_["mean_test_down"])


@cases(
    "ranges, message",
    ({"a": (1.0, 1.0)}, r"smaller first. Got \(1.0, 1.0\) for 'a'"),
    ({"a": (0.0, 1.0)}, "two positive numbers"),
    ({"a": 3.0}, "two positive numbers.*Got 3.0"),
    ({}, "at least one parameter. Got an empty dict"),
)
def test_a_bad_range_is_refused(ranges, message):
    refused(message, ParameterVectorGridSearchCV(Bowl(), ranges).fit, np.zeros((10, 1)))


def test_a_bad_setting_is_refused():
    refused("'shrink' parameter of ParameterVectorGridSearchCV", search, shrink=1.0)


MACHINE = ParameterVectorGridSearchCV(L2SVC(), {"C": (0.1, 10.0)}, n_points=2, n_rounds=1, cv=2)
WHY = "as in GridSearchCV, weights that leave one class in a fold make its fit fail"
ONE_LABEL = {"check_classifiers_one_label_sample_weights": WHY}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# Labels and points that are not finite are passed to the machine, whose refusal is scored NaN.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks([MACHINE], expected_failed_checks=lambda _: ONE_LABEL)
def test_the_search_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
