"""KernelGridSearchCV against GridSearchCV: the same cells, attributes and choices."""

import warnings

import numpy as np
import pandas as pd
import pytest
from _cases import cases, each, refused
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from companion import (
    L1SVC,
    L2SVC,
    LSSVC,
    GACVSearch,
    KernelGridSearchCV,
    LeastOneNormSVC,
)
from companion.kernels import gram

from ._grids import GRID, GRIDS, moons

GRIDS = GRIDS | {
    "tol": {"tol": [1e-8, 1e-9], "max_iter": [-1, 10**6]},
    "solver": {"solver": ["cholesky", "smo"], "C": [0.1, 1.0]},
}
PRECISE = [
    L1SVC(tol=1e-8),
    L2SVC(tol=1e-8),
    LeastOneNormSVC(tol=1e-8),
    LSSVC(),
    LSSVC(solver="smo", tol=1e-8),
]
every = cases("machine", *PRECISE, ids=lambda machine: type(machine).__name__)


X, Y = moons()
FEW = {"C": [0.1, 30.0], "gamma": [0.05, 5.0]}


def both(machine, grid, X, y, fit=None, **settings):
    for search in (KernelGridSearchCV, GridSearchCV):
        yield search(clone(machine), grid, **settings).fit(X, y, **(fit or {}))


def assert_same(machine, grid, X, y, **settings):
    """Both searches have the same results."""
    ours, theirs = both(machine, grid, X, y, **settings)
    assert_same_results(ours, theirs)
    return ours, theirs


def assert_same_results(ours, theirs):
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for key, values in theirs.cv_results_.items():
        if key.endswith("_time") or key == "params":
            assert (
                key == "params"
                or key.startswith("std")
                or (ours.cv_results_[key] > 0).all()
            )
            continue
        if key.startswith("param_"):
            assert ours.cv_results_[key].tolist() == values.tolist()
            assert ours.cv_results_[key].dtype == values.dtype
        else:
            assert_allclose(ours.cv_results_[key], values, atol=1e-12, err_msg=key)


@every
def test_fold_accuracies_and_choice_are_those_of_grid_search(machine):
    X, y = moons(90)
    ours, theirs = assert_same(machine, GRID, X, y, return_train_score=True)
    for choice in ("best_params_", "best_score_", "best_index_"):
        assert getattr(ours, choice) == getattr(theirs, choice)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)


def public(search):
    return {name for name in vars(search) if not name.startswith("_")}


@cases("refit", True, False)
def test_public_attributes_are_those_of_grid_search(refit):
    ours, theirs = both(L1SVC(), {"C": [1.0, 10.0]}, X, Y, refit=refit)
    assert public(ours) == public(theirs)
    assert ours.n_splits_ == theirs.n_splits_
    assert ours.multimetric_ == theirs.multimetric_
    assert type(ours.scorer_) is type(theirs.scorer_)
    assert ours.get_params(deep=False).keys() == theirs.get_params(deep=False).keys()
    if refit:
        assert_array_equal(ours.classes_, theirs.classes_)
        assert ours.n_features_in_ == theirs.n_features_in_
        assert ours.refit_time_ > 0
        assert ours.score(X, Y) == theirs.score(X, Y)


@cases("grid", *GRIDS.values(), ids=GRIDS)
def test_every_parameter_can_be_searched(grid):
    machine = (
        LSSVC(tol=1e-9, class_weight="balanced")
        if "solver" in grid
        else L1SVC(tol=1e-8)
    )
    assert_same(machine, grid, X, Y)


@cases(
    "cv",
    3,
    StratifiedKFold(4, shuffle=True, random_state=0),
    ShuffleSplit(3, test_size=0.3, random_state=0),
    ShuffleSplit(2, train_size=0.4, test_size=0.3, random_state=0),
    list(StratifiedKFold(3).split(X, Y)),
    ids=["int", "shuffled", "overlapping", "partial", "list"],
)
@cases("machine", L1SVC(tol=1e-8), LSSVC())
def test_any_splitter_gives_the_cells_of_grid_search(machine, cv):
    for return_train_score in (True, False):
        assert_same(machine, FEW, X, Y, cv=cv, return_train_score=return_train_score)


def test_groups_are_passed_on():
    groups = {"groups": np.arange(60) % 6}
    assert_same(L1SVC(tol=1e-8), GRID, X, Y, cv=GroupKFold(3), fit=groups)


@every
def test_sample_weights_with_zeros_are_passed_to_the_fits(machine):
    weight = np.random.default_rng(0).integers(0, 3, size=60).astype(float)
    grid = {"C": [0.5, 5.0], "gamma": ["scale", 0.5]}
    assert_same(
        machine, grid, X, Y, fit={"sample_weight": weight}, return_train_score=True
    )
    assert_same(machine, grid, X, Y, fit={"sample_weight": 1 + weight})


def sign_loss(estimator, X, y):
    margin = np.where(y == 1, 1, -1) * estimator.decision_function(X)
    return -np.log1p(np.exp(-margin)).mean() - 1e-3 * estimator.n_support_.sum()


SCORINGS = ["accuracy", "roc_auc", "f1", sign_loss, ["accuracy", "balanced_accuracy"]]


@cases("machine", L1SVC(tol=1e-9), LSSVC())
@cases(
    "scoring", *SCORINGS, ids=lambda scoring: getattr(scoring, "__name__", str(scoring))
)
def test_scorers_see_what_they_see_in_grid_search(machine, scoring):
    settings = {"scoring": scoring, "return_train_score": True}
    if isinstance(scoring, list):
        settings["refit"] = "balanced_accuracy"
    ours, theirs = both(machine, FEW, X, Y, **settings)
    for key, values in theirs.cv_results_.items():
        if key.startswith(("split", "mean_t", "std_t")):
            assert_allclose(ours.cv_results_[key], values, atol=1e-6, err_msg=key)
    assert ours.multimetric_ == theirs.multimetric_


def test_a_precomputed_gram_matrix_is_cut_by_folds():
    K = gram(X, gamma=0.5)
    machine = L1SVC(kernel="precomputed", tol=1e-8)
    ours, theirs = assert_same(machine, {"C": [0.1, 1.0, 10.0]}, K, Y)
    assert_allclose(ours.decision_function(K), theirs.decision_function(K), atol=1e-6)


def test_gamma_of_a_sigmoid_kernel_is_searched():
    grid = {"gamma": [1e-3, 0.1, "scale"], "C": [0.01, 0.1]}
    ours, _ = assert_same(LSSVC(kernel="sigmoid"), grid, X, Y)
    assert np.ptp(ours.cv_results_["mean_test_score"]) > 0.05


@cases("C", [np.inf], [1.0, np.inf], ids=["alone", "last"])
def test_a_hard_margin_is_searched_where_a_sample_lies_on_the_boundary(C):
    points = np.array([[-1.0], [1.0], [0.0], [0.0]])
    assert_same(
        L1SVC(kernel="linear"),
        {"C": C},
        points,
        np.array([0, 1, 0, 1]),
        cv=[([0, 1], [2, 3])],
        refit=False,
    )


# A fit that fails, and the mean of what others score.
@pytest.mark.filterwarnings("ignore:\\n.*fits failed", "ignore:One or more of the test")
@cases("C", [0.01, 10.0], np.geomspace(0.01, 10.0, 12), ids=["few", "many"])
def test_an_indefinite_kernel_is_refused_where_a_fit_refuses_it(C):
    indefinite = gram(X, kernel="linear") - np.eye(60)
    machine = LSSVC(kernel="precomputed")
    ours, _ = assert_same(machine, {"C": list(C)}, indefinite, Y, refit=False)
    assert np.isfinite(ours.cv_results_["mean_test_score"][0])
    assert np.isnan(ours.cv_results_["mean_test_score"][-1])


@pytest.mark.filterwarnings("ignore:\\n.*fits failed", "ignore:One or more of the test")
def test_a_kernel_that_fails_scores_the_error_score():
    def failing(first, second):
        raise RuntimeError("no kernel")

    grid = {"kernel": ["linear", failing]}
    ours, theirs = both(L1SVC(tol=1e-8), grid, X, Y, refit=False)
    for search in (ours, theirs):
        scores = search.cv_results_["mean_test_score"]
        assert np.isnan(scores).tolist() == [False, True]
    refused(
        "no kernel", ours.set_params(error_score="raise").fit, X, Y, error=RuntimeError
    )


def test_a_fold_without_weight_scores_the_error_score():
    search = KernelGridSearchCV(
        L1SVC(), {"C": [1.0]}, cv=LeaveOneOut(), error_score=0.5
    )
    weight = np.arange(60) != 3
    with pytest.warns(UserWarning, match="no weight to score them by"):
        search.fit(X, Y, sample_weight=weight)
    assert search.cv_results_["split3_test_score"] == [0.5]
    search.set_params(error_score="raise")
    refused("no weight to score", search.fit, X, Y, sample_weight=weight)


@pytest.mark.slow
@each(machine=[L1SVC(), LSSVC()], grid=[GRID, {"C": [0.1, 1.0, 10.0]}])
def test_two_processes_give_the_results_of_one(machine, grid):
    search = KernelGridSearchCV(machine, grid, return_train_score=True)
    one, two = (clone(search).set_params(n_jobs=n).fit(X, Y) for n in (1, 2))
    for key, values in one.cv_results_.items():
        if not key.endswith("_time"):
            assert np.array_equal(two.cv_results_[key], values), key


def test_a_fit_that_fails_scores_the_error_score_and_says_why():
    one_class = np.flatnonzero(Y == 0)
    splits = [(one_class, np.flatnonzero(Y == 1)), *StratifiedKFold(2).split(X, Y)]
    for scoring in (None, "roc_auc"):
        search = KernelGridSearchCV(
            L1SVC(), {"C": [1.0, 2.0]}, cv=splits, scoring=scoring
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(X, Y)
        (failed,) = [w for w in caught if issubclass(w.category, FitFailedWarning)]
        assert "2 fits failed out of a total of 6" in str(failed.message)
        assert "L1SVC needs samples of two classes" in str(failed.message)
        assert np.isnan(search.cv_results_["split0_test_score"]).all()
        assert np.isfinite(search.cv_results_["split1_test_score"]).all()
    search.set_params(error_score="raise")
    refused("only one class: .* rest of every fold needs both", search.fit, X, Y)
    search.set_params(param_grid={"class_weight": [{0: 0.0}]}, cv=2)
    refused("'class_weight' .* positive finite entries. Got {0: 0.0}", search.fit, X, Y)


def test_a_matrix_beyond_the_cache_is_searched_cell_by_cell():
    sizes = L1SVC(tol=1e-6, cache_size=0.01), L1SVC(tol=1e-6)
    assert_same_results(
        *(KernelGridSearchCV(machine, GRID).fit(X, Y) for machine in sizes)
    )


def test_an_unknown_parameter_is_named_with_the_nearest_known_one():
    search = KernelGridSearchCV(
        L1SVC(), [{"c_": [1.0], "gama": [1.0]}, {"Gamma": [2.0]}]
    )
    said = str(refused("'gama'.*did you mean 'gamma'", search.fit, X, Y))
    assert all(name in said for name in ("'c_'", "'Gamma'", "class_weight"))


@cases(
    "grid, message",
    ([], "must hold at least one grid"),
    ({"C": []}, "(?i)non-empty|at least one"),
    ({"C": 1.0}, "Parameter grid for parameter .C"),
    ({"C": [1.0, -1.0]}, "The 'C' parameter of L1SVC must be.*Got -1.0"),
    (
        {"kernel": ["rbf", "rbff"]},
        "The 'kernel' parameter of L1SVC must be.*Got 'rbff'",
    ),
)
def test_an_empty_grid_or_a_bad_value_is_refused_before_anything_is_fitted(
    grid, message
):
    refused(
        message,
        KernelGridSearchCV(L1SVC(), grid).fit,
        X,
        Y,
        error=(ValueError, TypeError),
    )


def test_another_estimator_is_refused_with_the_class_to_use():
    message = "Got SVC: use sklearn.model_selection.GridSearchCV"
    refused(message, KernelGridSearchCV(SVC(), {"C": [1.0]}).fit, X, Y, error=TypeError)


SCALED = make_pipeline(StandardScaler(), L1SVC(tol=1e-8))
PIPED = {"l1svc__C": [0.1, 1.0, 30.0], "l1svc__gamma": ["scale", 0.5]}


@cases(
    "pipeline, grid",
    (SCALED, PIPED),
    (
        SCALED,
        PIPED | {"standardscaler": [StandardScaler(), MinMaxScaler(), "passthrough"]},
    ),
    (
        SCALED,
        [PIPED | {"standardscaler__with_mean": [True, False]}, {"l1svc__C": [5.0]}],
    ),
    (
        SCALED,
        {
            "l1svc__kernel": ["linear", "poly", "rbf"],
            "l1svc__class_weight": ["balanced"],
        },
    ),
    (SCALED, {"l1svc": [L1SVC(tol=1e-8), LSSVC()]}),
    (make_pipeline(PCA(1), LSSVC()), {"lssvc__C": np.logspace(-2, 2, 12)}),
    (
        make_pipeline(SelectKBest(k=1), SCALED[0], L2SVC(tol=1e-8)),
        {"l2svc__gamma": [0.1, 1.0]},
    ),
    ids=["scaler", "step", "listed", "kernel", "machine", "pca", "supervised"],
)
def test_a_pipeline_has_the_cells_of_grid_search(pipeline, grid):
    points = X * np.array([1.0, 40.0])
    assert_same(pipeline, grid, points, Y, scoring="roc_auc", cv=2, refit=False)
    ours, theirs = assert_same(pipeline, grid, points, Y, return_train_score=True)
    assert type(ours.best_estimator_) is Pipeline
    values = theirs.decision_function(points)
    assert_allclose(ours.decision_function(points), values, atol=1e-6)
    assert public(ours) == public(theirs)


def test_transformers_are_fitted_once_in_a_fold_to_its_training_samples_alone():
    seen = []

    class Watched(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            seen.append(len(X))
            return super().fit(X, y)

    KernelGridSearchCV(make_pipeline(Watched(), L1SVC()), PIPED, cv=3).fit(X, Y)
    assert seen == [40, 40, 40, 60]


@pytest.mark.slow
def test_texts_frames_and_processes_reach_a_pipeline():
    texts = np.array(
        [" ".join(f"{'xy'[int(value > 0)]}{j}" for j, value in enumerate(x)) for x in X]
    )
    pipeline = make_pipeline(TfidfVectorizer(), L1SVC(tol=1e-8))
    assert_same(pipeline, {"l1svc__C": [0.1, 10.0]}, texts.tolist(), Y, n_jobs=2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    scaler = StandardScaler().set_output(transform="pandas")
    named = make_pipeline(scaler, L1SVC(tol=1e-8))
    ours, _ = assert_same(
        named, PIPED, frame, pd.Series(Y), scoring=sign_loss_of_pipeline
    )
    ours, _ = assert_same(named, PIPED, frame, pd.Series(Y))
    assert ours.feature_names_in_.tolist() == ["a", "b"]


def sign_loss_of_pipeline(estimator, X, y):
    return estimator[:-1].transform(X).mean(axis=None) + estimator.score(X, y)


def test_fit_parameters_of_steps_are_passed_on():
    weight = {"l1svc__sample_weight": np.random.default_rng(0).integers(0, 3, size=60)}
    assert_same(SCALED, PIPED, X, Y, fit=weight)


def test_a_transformer_that_fails_scores_the_error_score():
    def refuse(X):
        raise RuntimeError("no such thing")

    pipeline = make_pipeline(FunctionTransformer(refuse), L1SVC())
    search = KernelGridSearchCV(pipeline, PIPED, error_score="raise")
    refused("no such thing", search.fit, X, Y, error=RuntimeError)
    message = "All the 30 fits failed(?s:.*)no such thing"
    refused(message, search.set_params(error_score=np.nan).fit, X, Y)


def test_a_name_without_its_step_is_told_the_step():
    search = KernelGridSearchCV(SCALED, {"C": [1.0]})
    refused("of Pipeline. Got 'C'.*did you mean 'l1svc__C'", search.fit, X, Y)
    search = KernelGridSearchCV(SCALED, {"l1svc__C": [-1.0]})
    refused("The 'C' parameter of L1SVC must be.*Got -1.0", search.fit, X, Y)


def test_verbose_says_what_is_about_to_be_fitted(capsys):
    KernelGridSearchCV(L1SVC(), GRID, verbose=1).fit(X, Y)
    message = "Fitting 5 folds for each of 9 candidates, totalling 45 fits\n"
    assert capsys.readouterr().out == message


def test_refit_by_a_function_chooses_its_index():
    search = KernelGridSearchCV(L1SVC(), GRID, refit=lambda results: 4).fit(X, Y)
    assert search.best_index_ == 4
    assert search.best_params_ == {"C": 1.0, "gamma": 0.5}
    assert not hasattr(search, "best_score_")


def test_a_fold_of_a_row_that_is_not_there_is_refused():
    search = KernelGridSearchCV(L1SVC(), GRID, cv=[(np.arange(59), [60])])
    refused("out of bounds", search.fit, X, Y, error=IndexError)


class Reversed(L1SVC):
    """Decides for the other class."""

    def predict(self, X):
        return 1 - super().predict(X)


class OfHalf(L1SVC):
    """Is fitted to every other sample, and decides by another number."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X[::2], y[::2])

    def decision_function(self, X):
        return super().decision_function(X) - 0.3


@each(machine=[Reversed(), OfHalf(), make_pipeline(StandardScaler(), Reversed())])
def test_a_class_of_ones_own_is_scored_as_what_it_is(machine):
    name = "reversed__C" if isinstance(machine, Pipeline) else "C"
    grid = {name: [0.1, 10.0]}
    assert_same(machine, grid, X, Y, cv=3)
    assert_same(machine, grid, X, Y, cv=3, scoring="roc_auc")
    if not isinstance(machine, Pipeline):
        with pytest.raises(TypeError, match="not of a derived class"):
            GACVSearch(machine, grid).fit(X, Y)


def test_a_kernel_that_a_fit_refuses_has_no_score():
    points = np.random.default_rng(1).normal(size=(90, 3))
    labels = (points[:, 0] + points[:, 1] ** 2 > 0.5).astype(int)
    grid = [
        {"kernel": ["sigmoid"], "gamma": [0.01, 0.1, 1.0]},
        {"kernel": ["rbf"], "gamma": [1e-9]},
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what is not finite too
        warnings.simplefilter("ignore", FitFailedWarning)
        searches = both(LSSVC(C=100.0), grid, points, labels)
        ours, theirs = (search.cv_results_["mean_test_score"] for search in searches)
    assert np.isnan(theirs[:3]).any()
    assert_array_equal(np.isnan(ours), np.isnan(theirs))


def test_callbacks_are_called_as_those_of_scikit_learn():
    if not hasattr(GridSearchCV, "set_callbacks"):
        pytest.skip("this scikit-learn has no callbacks")
    counts = []
    for search in (GridSearchCV, KernelGridSearchCV):
        callback = _Counting()
        search(L1SVC(), {"C": [1, 2]}, cv=2).set_callbacks(callback).fit(X, Y)
        counts.append(callback.n)
    assert counts[0] == counts[1] > 0


class _Counting:
    n = 0

    def setup(self, estimator, context):
        self.n += 1

    def teardown(self, *args, **kwargs):
        self.n += 1

    on_fit_task_begin = on_fit_task_end = teardown
