"""GACVSearch: the best cell of a loop over single fits, as a scikit-learn estimator."""

import numpy as np
import pytest
from _cases import cases, each, refusals, refused, warned
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from companion import L1SVC, LSSVC, GACVSearch
from companion.tuning import gacv, xi_alpha

from ._grids import GRID, GRIDS, moons

PRECISE = {"tol": 1e-7}


X, Y = moons()


def assert_looped(results, machine, costs=None, **options):
    """The criteria of every candidate are those of a fit of its own."""
    fits = [
        clone(machine).set_params(**candidate).fit(X, Y)
        for candidate in results["params"]
    ]
    gacvs = [gacv(fit, X, Y, costs=costs) for fit in fits]
    assert_allclose(results["gacv"], gacvs, rtol=1e-4)
    alphas = [xi_alpha(fit, X, Y, costs=costs, **options) for fit in fits]
    assert_allclose(results["xi_alpha"], alphas, atol=1e-12)
    return {"gacv": np.array(gacvs), "xi_alpha": np.array(alphas)}


GRIDS = GRIDS | {"plain": {"selection": ["first_order"], "C": [0.5, 2.0]}}


@each(grid=GRIDS, criterion=["gacv", "xi_alpha"])
def test_cells_and_choice_are_those_of_a_loop_of_fits(grid, criterion):
    machine = L1SVC(**PRECISE)
    search = GACVSearch(machine, GRIDS[grid], criterion=criterion).fit(X, Y)
    results = search.cv_results_
    expected = assert_looped(results, machine)[criterion]
    assert_array_equal(results["mean_test_score"], -results[criterion])
    assert expected[search.best_index_] == pytest.approx(expected.min(), rel=1e-4)
    assert search.best_score_ == results["mean_test_score"].max()
    assert search.best_params_ == results["params"][search.best_index_]


@each(
    costs=[None, {0: 1.5, 1: 0.5}, {0: 1, 1: 1}],
    options=[{"rho": 2.0, "bound": "joachims"}, {"rho": 0.5, "bound": 0.7}],
)
def test_options_and_costs_which_are_else_the_class_weights_reach_the_criteria(
    options, costs
):
    machine = L1SVC(class_weight={0: 3.0, 1: 1.0}, **PRECISE)
    search = GACVSearch(machine, GRID, costs=costs, **options).fit(X, Y)
    assert_looped(search.cv_results_, machine, costs=costs, **options)


def test_the_search_predicts_as_its_best_machine_and_says_what_it_fits(capsys):
    words = np.array(["no", "yes"])[Y]
    given = L1SVC()
    search = GACVSearch(given, GRID, verbose=1).fit(X, words)
    assert capsys.readouterr().out == "Fitting each of 9 candidates to 60 samples\n"
    assert given.C == 1.0
    assert not hasattr(given, "support_")
    machine = L1SVC(**search.best_params_).fit(X, words)
    assert_array_equal(search.predict(X), machine.predict(X))
    assert_array_equal(search.decision_function(X), machine.decision_function(X))
    assert search.score(X, words) == machine.score(X, words)
    assert search.classes_.tolist() == ["no", "yes"]
    assert search.n_features_in_ == 2
    assert search.refit_time_ > 0


def test_the_search_works_in_pipelines_and_in_cross_validation():
    pipeline = make_pipeline(StandardScaler(), GACVSearch(L1SVC(), GRID))
    assert cross_val_score(clone(pipeline), X, Y, cv=3).mean() > 0.7
    pipeline.set_params(
        gacvsearch__estimator__class_weight="balanced", gacvsearch__rho=2.0
    )
    search = pipeline.fit(X, Y)[-1]
    assert search.best_estimator_.class_weight == "balanced"
    assert search.rho == 2.0


def test_a_cell_that_does_not_converge_is_marked_and_warned_of():
    search = GACVSearch(L1SVC(max_iter=30, tol=1e-9), {"C": [1e-6, 1e4]}, refit=False)
    warned("budget of 30 iterations", search.fit, X, Y)
    assert search.cv_results_["converged"].tolist() == [True, False]


@parametrize_with_checks([GACVSearch(L1SVC(tol=1e-8), {"C": [0.1, 1.0, 10.0]})])
def test_the_search_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ bad input


@cases("other", LSSVC(), SVC(), make_pipeline(StandardScaler(), L1SVC()), "L1SVC")
def test_other_machines_are_refused_by_name(other):
    message = f"must be an L1SVC.*Got {type(other).__name__}"
    refused(message, GACVSearch(other, {}).fit, X, Y, error=TypeError)


@refusals(
    ({"criterion": "gcv"}, "'criterion' parameter of GACVSearch"),
    ({"rho": 0.0}, "'rho' parameter of GACVSearch"),
    *(
        ({"bound": bound}, "'bound' parameter of GACVSearch")
        for bound in ("diag", -1.0)
    ),
    ({"costs": [1.0, 2.0]}, "'costs' parameter of GACVSearch"),
    ({"costs": {0: 1.0}}, r"must name both labels \[0, 1\]"),
    ({"param_grid": {"gama": [1]}}, r"'gama' \(did you mean 'gamma'\?\)"),
    ({"param_grid": {"C": [-1.0]}}, "'C' parameter of L1SVC"),
    ({"param_grid": {"C": []}}, "empty|non-empty|at least one"),
    ({"param_grid": []}, "must hold at least one grid"),
    ({"param_grid": {"kernel": ["precomputed", "rbf"]}}, "must not mix"),
    ({"param_grid": {"class_weight": [{0: 0.0}]}}, "must have positive finite entries"),
    (
        {"estimator": L1SVC(cache_size=0.01)},
        "60 samples, which need 0 MB: raise cache_size",
    ),
)
def test_bad_settings_are_refused_and_nothing_is_lost_by_them(change, message):
    points = X @ X.T if "kernel" in change.get("param_grid", {}) else X
    search = GACVSearch(L1SVC(), GRID).fit(points, Y)
    before = search.decision_function(points)
    refused(message, search.set_params(**change).fit, points, Y)
    assert_array_equal(search.decision_function(points), before)


def test_a_class_of_one_point_cannot_be_left_out_and_is_named():
    search = GACVSearch(L1SVC(), GRID, criterion="leave_one_out")
    y = np.repeat(["a", "b"], [59, 1])
    refused("at least two points of every class. Class 'b' has fewer", search.fit, X, y)


def test_a_search_that_is_not_fitted_or_has_no_machine_says_so():
    refused("GACVSearch", GACVSearch(L1SVC(), GRID).predict, X, error=NotFittedError)
    search = GACVSearch(L1SVC(), GRID, refit=False).fit(X, Y)
    assert not hasattr(search, "best_estimator_")
    refused("predict", lambda: search.predict(X), error=AttributeError)
    assert search.best_params_ in search.cv_results_["params"]


def test_an_indefinite_kernel_is_told_as_a_fit_tells_it_or_refused():
    machine = L1SVC(kernel="sigmoid")
    search = GACVSearch(machine, {"C": [1.0]}, refit=False)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        search.fit(X, Y)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        refused(
            "positive semi-definite",
            search.set_params(criterion="leave_one_out").fit,
            X,
            Y,
        )
    negative = search.set_params(criterion="gacv", estimator__coef0=-1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        refused(r"need k\(x, x\) >= 0.*kernel='sigmoid', coef0=-1", negative.fit, X, Y)
