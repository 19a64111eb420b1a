"""ConformalSVC: agreement with its solver and with L2SVC, both orders of labels, bad input."""

import pickle
import tracemalloc

import numpy as np
import pytest
from _cases import cases, refused, warned
from _conformal_problems import METHODS, board, metric_by_differences
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from companion import L2SVC, ConformalSVC
from companion.estimators._conformal import MATRICES, OF_RATES
from companion.kernels import gram
from companion.metrics import g_mean_error, g_mean_scorer
from companion.solvers import metamodels
from companion.solvers.transformations import RULES, Amari, Williams, Xiong

BOARD = {"C": 10.0, "gamma": 0.02, "random_state": 0}
EAGER = {**BOARD, "validation_fraction": None, "max_transforms": 2}
every = cases("transform", *list(RULES))


def named_board(n=300, positives=20, seed=1):
    """The checkers board, its labels given by name."""
    X, signs = board(n, positives, seed)
    return X, np.where(signs > 0, "rare", "common")


X, Y = named_board()
SIGNS = np.where(Y == "rare", 1.0, -1.0)


def test_without_a_kept_transformation_it_is_L2SVC_on_the_whole_set():
    machine = ConformalSVC(transform="williams", tol=1e-8, **BOARD).fit(X, Y)
    plain = L2SVC(C=10.0, gamma=0.02, tol=1e-6).fit(X, Y)
    assert machine.n_transforms_ == 0
    assert len(machine.history_) == 2
    assert_allclose(machine.decision_function(X), plain.decision_function(X), atol=1e-5)
    assert_array_equal(machine.transformation(X), 1.0)
    assert machine.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    assert machine.intercept_ == pytest.approx(plain.intercept_, abs=1e-5)
    assert machine.support_.size == machine.n_support_.sum() == machine.dual_coef_.size


@every
def test_decision_values_are_those_of_the_solver_and_of_the_documented_expansion(
    transform,
):
    machine = ConformalSVC(transform=transform, tol=1e-8, **EAGER).fit(X, Y)
    assert machine.n_transforms_ == 2
    assert machine.validation_.size == 0
    d = machine.transformation(X)
    beta = machine.dual_coef_[0]
    support = machine.support_
    K = d[:, None] * d * gram(X, gamma=0.02)
    expansion = K[:, support] @ beta + machine.intercept_[0]
    values = machine.decision_function(X)
    assert_allclose(values, expansion, atol=1e-8 * np.abs(values).max())
    # The conditions of optimality: slack = multiplier / C, for support vectors and others alike.
    slack = np.zeros(len(Y))
    slack[support] = SIGNS[support] * beta / 10.0
    assert np.all(SIGNS * values >= 1.0 - slack - 1e-4)
    assert_allclose((SIGNS * values + slack)[support], 1.0, atol=1e-4)
    assert machine.converged_
    assert machine.duality_gap_ <= 1e-6 * abs(machine.objective_)
    assert np.array_equal(np.sort(support), support)


@every
def test_a_weight_of_zero_is_the_sample_left_out_of_both_parts_and_a_factor_is_one_on_C(
    transform,
):
    weight = np.ones(len(Y))
    weight[::7] = 0.0
    kept = np.flatnonzero(weight)
    machine = ConformalSVC(transform=transform, **BOARD)
    part = clone(machine).fit(X[kept], Y[kept])
    weighted = clone(machine).fit(X, Y, sample_weight=weight)
    doubled = clone(machine).set_params(C=5.0).fit(X, Y, sample_weight=2.0 * weight)
    for same in (weighted, doubled):
        assert_array_equal(same.validation_, kept[part.validation_])
        assert_array_equal(same.support_, kept[part.support_])
        assert_array_equal(same.decision_function(X), part.decision_function(X))


def test_validation_errors_count_samples_by_their_weight():
    weight = np.where(np.arange(len(Y)) % 5 == 0, 0, 1 + np.arange(len(Y)) % 3)
    machine = ConformalSVC(transform="williams", max_transforms=0, tol=1e-8, **BOARD)
    machine.fit(X, Y, sample_weight=weight)
    held_out = machine.validation_
    rest = np.setdiff1d(np.flatnonzero(weight), held_out)
    plain = L2SVC(C=10.0, gamma=0.02, tol=1e-8)
    plain.fit(X[rest], Y[rest], sample_weight=weight[rest])
    counted = np.repeat(held_out, weight[held_out])
    error = g_mean_error(Y[counted], plain.predict(X[counted]))
    assert machine.history_[0]["validation_error"] == pytest.approx(error)


@every
def test_the_rare_class_is_the_positive_one_whatever_its_name(transform):
    machine = ConformalSVC(transform=transform, **EAGER).fit(X, Y)
    turned = ConformalSVC(transform=transform, **EAGER).fit(
        X, np.where(Y == "rare", "a", "z")
    )
    assert machine.minority_class_ == "rare"
    assert turned.minority_class_ == "a"
    assert_allclose(turned.decision_function(X), -machine.decision_function(X))
    assert_allclose(turned.dual_coef_, -machine.dual_coef_)
    assert turned.n_support_.tolist() == machine.n_support_[::-1].tolist()
    assert np.all((turned.predict(X) == "a") == (machine.predict(X) == "rare"))


@cases("transform", "williams", "mdt")
def test_a_precomputed_kernel_gives_the_same_machine(transform):
    T = board(50, seed=3)[0]
    points = ConformalSVC(transform=transform, **EAGER).fit(X, Y)
    matrix = ConformalSVC(transform=transform, kernel="precomputed", **EAGER)
    values = matrix.fit(gram(X, gamma=0.02), Y).decision_function(
        gram(T, X, gamma=0.02)
    )
    assert_allclose(values, points.decision_function(T), rtol=1e-6, atol=1e-6)


@cases("transform", *sorted(set(RULES) - {"williams", "mdt"}))
def test_what_a_precomputed_kernel_does_not_give_is_said(transform):
    machine = ConformalSVC(transform=transform, kernel="precomputed")
    refused(
        'which a precomputed kernel does not give.*"williams"', machine.fit, gram(X), Y
    )


def test_magnification_is_the_volume_element_of_the_kernel_itself():
    machine = ConformalSVC(transform="wu_amari", **EAGER).fit(X, Y)
    T = board(5, seed=1)[0]

    def kernel(A, B):
        gaussian = np.exp(-0.02 * np.sum((A - B) ** 2, axis=1))
        return machine.transformation(A) * machine.transformation(B) * gaussian

    volumes = np.sqrt(np.linalg.det(metric_by_differences(kernel, T)))
    assert machine.magnification(T) == pytest.approx(volumes, rel=1e-3)
    plain = ConformalSVC(max_transforms=0, **BOARD).fit(X, Y)
    assert_allclose(plain.magnification(T), 2 * 0.02)
    refused(
        'use kernel="rbf"', ConformalSVC(kernel="linear").fit(X, Y).magnification, T
    )


def test_the_validation_part_is_stratified_reproducible_and_not_trained_on():
    act = ConformalSVC(transform="act", **BOARD)
    machine, again, other = (
        clone(act).set_params(random_state=s).fit(X, Y) for s in (0, 0, 1)
    )
    assert np.count_nonzero(Y[machine.validation_] == "rare") == 5
    assert machine.validation_.size == 75
    assert machine.n_transforms_ > 0
    assert not np.isin(machine.support_, machine.validation_).any()
    assert_array_equal(machine.validation_, again.validation_)
    assert_array_equal(machine.decision_function(X), again.decision_function(X))
    assert not np.array_equal(machine.validation_, other.validation_)
    assert all(entry["separability"] > 0 for entry in machine.history_)
    numbers = [entry["transformation"] for entry in machine.history_]
    assert numbers == [*range(len(numbers))]
    assert machine.stop_reason_.endswith(".")


def test_a_rule_with_settings_of_its_own_is_a_parameter_like_any_other():
    machine = ConformalSVC(transform=Amari(tau=0.7), **EAGER)
    assert clone(machine).get_params() == machine.get_params()
    assert "Amari(tau=0.7" in repr(machine)
    assert clone(machine).fit(X, Y).history_[1]["parameters"] == {
        "tau": pytest.approx(0.7)
    }
    grid = {"transform": ["act", Williams(kappa=3.0)]}
    search = GridSearchCV(ConformalSVC(**BOARD), grid, cv=2, scoring=g_mean_scorer).fit(
        X, Y
    )
    assert search.best_params_["transform"] in ("act", Williams(kappa=3.0))
    refused("'share' of Xiong", Xiong, share=0)


def test_the_parameter_transform_does_not_make_it_a_transformer():
    machine = ConformalSVC(transform="mdt")
    assert not hasattr(machine, "transform")
    assert machine.set_params(transform="act").get_params()["transform"] == "act"
    with pytest.raises(AttributeError, match=r"get_params\(\)\['transform'\]"):
        machine.transform
    assert pickle.loads(pickle.dumps(machine)).get_params() == machine.get_params()


@cases(
    "share, positives, missing", (0.02, 20, "for validation"), (0.97, 10, "to train on")
)
def test_a_share_that_leaves_a_class_empty_is_refused(share, positives, missing):
    message = f"class 'rare', of n_samples = .*{missing}.*Change"
    refused(
        message,
        ConformalSVC(validation_fraction=share).fit,
        *named_board(positives=positives),
    )


def test_a_class_of_one_sample_cannot_be_validated_but_can_be_trained_on():
    X, y = named_board(positives=1)
    refused("validation_fraction=None", ConformalSVC().fit, X, y)
    assert np.all(np.isfinite(ConformalSVC(**EAGER).fit(X, y).decision_function(X)))


def test_a_degenerate_transformation_warns_and_the_last_good_machine_is_kept():
    rng = np.random.default_rng(0)
    wide = np.column_stack([X, 30 * rng.normal(size=(len(X), 40))])
    for transform, points, C, n, message in (
        ("wu_amari", X, 1e8, 10, "stopped early. Transformation .* not applied"),
        ("amari", wide, 1e-3, 60, "underflows"),
    ):
        machine = ConformalSVC(
            transform=transform, **EAGER | {"max_transforms": n, "C": C}
        )
        warned(message, machine.fit, points, Y)
        assert 0 <= machine.n_transforms_ < n
        assert np.all(np.isfinite(machine.decision_function(points)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(
    points=st.lists(
        st.tuples(st.integers(-2, 2), st.integers(0, 1)), min_size=4, max_size=14
    ),
    transform=st.sampled_from([*RULES]),
    search=st.sampled_from(
        ["separability_gradient", "separability_cma", "validation_cma"]
    ),
    C=st.sampled_from([1e-3, 1.0, 1e6]),
    gamma=st.sampled_from([0.0, 0.02, 1.0, 1e6]),
)
def test_degenerate_points_give_no_nan(points, transform, search, C, gamma):
    x, y = np.array(points).T
    X = np.column_stack([x, 0.0 * x])
    y[:2] = 0
    y[2:4] = 1
    settings = {
        "transform": transform,
        "search": search,
        "n_generations": 2,
        "random_state": 0,
    }
    machine = ConformalSVC(C=C, gamma=gamma, **settings).fit(X, y)
    for query in (X, np.array([[1e6, -1e6], [0.5, 0.5]])):
        assert np.all(np.isfinite(machine.decision_function(query)))
        assert np.all(np.isfinite(machine.transformation(query)))


VALIDATED = [way for way in METHODS if "validation_cma" in way]
ANY_TRANSFORM = [way for way in METHODS if way not in VALIDATED]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@cases(
    "kernel, transform, search, validation_fraction",
    *(("rbf", *way, None) for way in ANY_TRANSFORM),
    *(("rbf", *way, 0.25) for way in VALIDATED),
    # Here all samples are support vectors.
    *(("linear", *way, None) for way in ANY_TRANSFORM if "kba" not in way),
)
def test_the_peak_of_memory_is_what_the_guard_asks_for(
    kernel, transform, search, validation_fraction, monkeypatch
):
    # Memory does not depend on how many steps a search takes, nor on how well it ends.
    monkeypatch.setattr(metamodels, "_MAX_STEPS", 2)
    n = 800
    X, y = named_board(n, positives=160)
    machine = ConformalSVC(
        C=1.0,
        gamma=0.5,
        kernel=kernel,
        transform=transform,
        search=search,
        validation_fraction=validation_fraction,
        max_transforms=2,
        n_generations=2,
        random_state=0,
    )
    takes_rates = transform == "tsvt" and validation_fraction is None
    n_matrices = MATRICES + OF_RATES * takes_rates
    # Beside the matrices there are vectors, of which BFGS keeps a hundred.
    most = (n_matrices * n + 200) * 8 * n
    machine.fit(X[:60], y[:60])  # what is loaded once does not count
    assert peak_of_memory(machine.fit, X, y) <= most


def peak_of_memory(call, *arguments):
    tracemalloc.start()
    call(*arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_linear_machine_that_transforms_nothing_has_a_normal():
    X, y = named_board()
    plain = ConformalSVC(kernel="linear", validation_fraction=None, max_transforms=0)
    decision = plain.fit(X, y).decision_function(X)
    assert_allclose(X @ plain.coef_[0] + plain.intercept_, decision, atol=1e-9)
