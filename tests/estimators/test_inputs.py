"""Labels, parameters and bad input: what a user types and what comes back."""

import importlib
import re
from functools import partial

import numpy as np
import pytest
import sklearn
from _cases import cases, each, refused, warned
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from companion import (
    L1SVC,
    L2SVC,
    LSSVC,
    ConformalSVC,
    KernelGridSearchCV,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
)
from companion._utils import memory
from companion.kernels import gram
from companion.tuning import leave_one_out, machine_surface

from ._data import two_clouds

X, Y = two_clouds(40)
ALL = [L1SVC, L2SVC, LSSVC, LeastOneNormSVC, UnbiasedSVC]
every = cases("machine", *ALL)
anyone = cases("machine", *ALL, ConformalSVC, WeightedRobustSVC)


@every
@cases(
    "labels", (-1, 1), (1, 2), ("no", "yes"), ("yes", "no"), (True, False), (2.0, -7.0)
)
def test_any_two_labels_are_sorted_and_predicted_by_sign(machine, labels):
    X, y = two_clouds(60, shift=2.0, labels=labels)
    fitted = machine().fit(X, y)
    assert_array_equal(fitted.classes_, np.unique(y))
    values = fitted.decision_function(X)
    assert_array_equal(fitted.predict(X), fitted.classes_[(values > 0).astype(int)])
    assert fitted.score(X, y) > 0.85
    assert fitted.n_support_.sum() == len(fitted.support_)


@every
def test_set_params_changes_the_next_fit_and_nothing_stays_of_the_last_one(machine):
    fitted = machine(gamma=0.3).fit(X, Y)
    before = fitted.decision_function(X)
    fitted.set_params(gamma=3.0).fit(X, Y)
    assert np.abs(fitted.decision_function(X) - before).max() > 0.01
    fitted.set_params(kernel="linear").fit(X, Y)
    assert hasattr(fitted, "coef_")
    assert not hasattr(fitted.set_params(kernel="rbf").fit(X, Y), "coef_")
    refused("Invalid parameter 'gama'", fitted.set_params, gama=1.0)


@anyone
def test_overflow_is_an_error_as_in_scikit_learn_and_no_warning(machine):
    message = "not finite. The input data may contain large values and need to be preprocessed"
    for kernel in ("linear", "rbf", "poly"):
        refused(message, machine(kernel=kernel).fit, 1e200 * X, Y)
    refused("so small that their squares vanish", machine().fit, 1e-158 * X, Y)
    refused("finite", machine(kernel="poly", gamma=1e90, degree=4).fit, X, Y)
    refused(message, machine(kernel="poly").fit(X, Y).predict, 1e200 * X)


@cases(
    "machine, gigabytes",
    (UnbiasedSVC(), 0.4),
    (WeightedRobustSVC(), 0.5),
    (ConformalSVC(), 0.2),
    (ConformalSVC(validation_fraction=None), 0.2),
    (LSSVC(), 0.1),
)
def test_a_kernel_fit_that_memory_does_not_hold_is_refused_with_the_way_out(
    machine, gigabytes, monkeypatch
):
    monkeypatch.setattr(memory, "available_megabytes", lambda: 50.0)
    X, y = two_clouds(3000)
    way_out = (
        "n_prototypes|Nystroem" if isinstance(machine, UnbiasedSVC) else "Nystroem"
    )
    message = f"for 3,000 samples takes about {gigabytes} GB of memory, and 0.1 GB are free here"
    refused(f"{message}.*({way_out})", machine.fit, X, y)
    # Small problems are not checked, and a linear machine needs no matrix.
    machine.fit(X[:40], y[:40])
    if not isinstance(machine, (ConformalSVC, LSSVC)):
        clone(machine).set_params(kernel="linear").fit(X, y)


def test_caches_prototypes_and_criteria_are_refused_as_well(monkeypatch):
    X, y = two_clouds(4000)
    machine = L1SVC(cache_size=20.0).fit(X, y)
    monkeypatch.setattr(memory, "available_megabytes", lambda: 50.0)
    few = UnbiasedSVC(n_prototypes=800, random_state=0)
    for message, call, arguments in (
        ("cache of L1SVC for 4,000 samples.*Decrease cache_size", L1SVC().fit, ()),
        ("UnbiasedSVC .* 4,000 samples.*decrease n_prototypes", few.fit, ()),
        ("machine_surface for 4,000 samples", machine_surface, ([1.0], [1.0])),
        ("leave_one_out for 4,000 .* xi_alpha", partial(leave_one_out, machine), ()),
    ):
        refused(message, call, X, y, *arguments)
    L1SVC(cache_size=20.0).fit(X, y)


@cases("machine", *ALL, ConformalSVC)
def test_one_class_or_three_are_refused(machine):
    refused("samples of two classes.*only one class", machine().fit, X, np.zeros(40))
    message = rf"Only binary.*3 classes.*OneVsOneClassifier\({machine.__name__}\(\)\).fit\(X, y\)"
    refused(message, machine().fit, X, np.arange(40) % 3)


@every
def test_a_gram_matrix_must_be_square(machine):
    message = r'kernel="precomputed" needs a square.*\(40, 3\)'
    refused(message, machine(kernel="precomputed").fit, X, Y)


@each(machine=[L1SVC, L2SVC], kernel=["linear", "rbf"])
def test_an_infinite_C_is_the_hard_margin_of_svc(machine, kernel):
    X, y = two_clouds(60, shift=6.0)
    theirs = SVC(C=np.inf, kernel=kernel, tol=1e-8).fit(X, y)
    ours = machine(C=np.inf, kernel=kernel, tol=1e-8).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    search = KernelGridSearchCV(machine(kernel=kernel), {"C": [1.0, np.inf]}, cv=3).fit(
        X, y
    )
    assert search.best_score_ == 1.0


def test_an_infinite_C_of_equalities_interpolates_the_labels():
    machine = LeastOneNormSVC(C=np.inf, tol=1e-6).fit(X, Y)
    assert_allclose(machine.decision_function(X), 2 * Y - 1, atol=1e-5)


@cases("machine", L1SVC, L2SVC, LeastOneNormSVC)
def test_an_infinite_C_ends_with_a_warning_where_no_machine_fits(machine):
    fitted = machine(C=np.inf, kernel="linear")
    warned("no machine fits the samples.*finite C", fitted.fit, X, Y)
    assert not fitted.converged_
    assert fitted.n_iter_ < 100_000


def test_a_warning_points_at_the_line_of_the_caller():
    X, y = two_clouds(100, shift=0.3)
    machines = [
        L1SVC(C=100.0, max_iter=5),
        WeightedRobustSVC(truncation=0.0, C=10.0, max_iter=1),
        UnbiasedSVC(max_iter=1),
        ConformalSVC(max_iter=1, random_state=0),
        make_pipeline(StandardScaler(), L1SVC(C=100.0, max_iter=5)),
        KernelGridSearchCV(L1SVC(max_iter=3), {"C": [100.0]}, refit=False),
    ]
    for machine in machines:
        with pytest.warns(ConvergenceWarning) as caught:
            machine.fit(X, y)
        assert {w.filename for w in caught} == {__file__}, machine


def test_a_subclass_may_have_parameters_of_its_own():
    class Named(L1SVC):
        def __init__(self, name="", C=1.0):
            super().__init__(C=C)
            self.name = name

    assert clone(Named(name="mine", C=2.0)).fit(X, Y).get_params() == {
        "name": "mine",
        "C": 2.0,
    }


CALLABLES = {
    "sparse": (
        lambda A, B: csr_matrix(A @ B.T),
        "Got a sparse csr_matrix; return its toarray",
    ),
    "shape": (
        lambda A, B: A,
        r"must return a matrix of shape \((\d+), \1\). Got \(\1, 3\)",
    ),
    "nan": (lambda A, B: A @ B.T * np.nan, "must return finite numbers. Got NaN"),
    "complex": (lambda A, B: A @ B.T + 1j, "must return real numbers. Got complex"),
    "words": (
        lambda A, B: np.full((len(A), len(B)), "a"),
        "must return a matrix of numbers",
    ),
    "none": (lambda A, B: None, r"must return a matrix of shape \(40, 40\). Got \(\)"),
}


@cases("name", *CALLABLES)
@anyone
def test_a_callable_that_returns_no_kernel_matrix_is_told_what_it_returned(
    machine, name
):
    kernel, message = CALLABLES[name]
    if name == "shape" or machine in ALL[:2]:
        refused(message, machine(kernel=kernel).fit, X, Y)


BAD = {
    L1SVC: {
        "C": [0.0, -np.inf],
        "selection": ["third"],
        "max_iter": [0],
        "gamma": [-1.0],
    },
    L2SVC: {"kernel": ["rbff"]},
    LSSVC: {"solver": ["lu"], "C": [np.inf]},
    LeastOneNormSVC: {"tol": [0]},
    UnbiasedSVC: {
        "s": [0.9],
        "k": [-1e-6],
        "slope": [0],
        "damping": [1.0, -0.1],
        "loss": ["step"],
        "init": ["zero"],
        "n_prototypes": [0],
        "max_iter": [0],
    },
    ConformalSVC: {
        "transform": ["amarii"],
        "search": ["grid"],
        "validation_fraction": [1.0],
        "theta": [-0.1],
        "max_transforms": [-1],
        "gamma": [-1.0],
        "C": [0.0],
    },
}


@cases(
    "machine, name", *((machine, name) for machine, bad in BAD.items() for name in bad)
)
def test_a_bad_parameter_is_named_with_its_rule_and_value_and_nothing_is_lost(
    machine, name
):
    X, y = two_clouds(20)
    fitted = machine().fit(X, y)
    before = fitted.decision_function(X)
    kept = fitted.get_params()
    for value in BAD[machine][name]:
        got = re.escape(repr(value))
        rule = f"The '{name}' parameter of {machine.__name__} must be .* Got {got}"
        refused(rule, fitted.set_params(**{name: value}).fit, X, y)
    assert_array_equal(fitted.set_params(**kept).decision_function(X), before)


def test_a_matrix_too_large_to_factorise_is_refused_with_the_way_out():
    message = r'Raise cache_size, or use LSSVC\(solver="smo"\)'
    refused(message, LSSVC(cache_size=0.1).fit, *two_clouds(200))


def test_a_budget_that_leads_nowhere_is_not_spent():
    machine = LeastOneNormSVC(C=1e12, kernel="linear")
    warned("neither the violation has fallen.*out of reach", machine.fit, 1e150 * X, Y)
    assert not machine.converged_
    assert machine.n_iter_ < 2_000_000


@each(
    machine=[
        LSSVC(),
        L2SVC(kernel="poly"),
        L1SVC(),
        L1SVC(kernel="linear"),
        LeastOneNormSVC(kernel="poly"),
        UnbiasedSVC(),
        WeightedRobustSVC(),
        ConformalSVC(random_state=0),
    ]
)
@each(as_given=[np.asarray, csr_matrix])
def test_equal_rows_have_equal_values(machine, as_given):
    X, y = two_clouds(200)
    machine = clone(machine).fit(as_given(X), y)
    for number in (13, 50):
        equal = np.repeat(X[:1] + 0.3, number, axis=0)
        values = machine.decision_function(as_given(np.vstack([X[:7], equal])))
        assert len(set(values[7:].tolist())) == 1
        assert_allclose(values[:7], machine.decision_function(as_given(X[:7])))


@anyone
def test_the_normal_vector_cannot_be_written_to(machine):
    if machine is ConformalSVC:
        machine = partial(ConformalSVC, validation_fraction=None, max_transforms=0)
    try:
        fitted = machine(kernel="linear").fit(X, Y)
        before = fitted.coef_.copy()
    except (AttributeError, ValueError):
        return  # it has none
    with pytest.raises(ValueError, match="read-only"):
        fitted.coef_[0, 0] = 9.0
    with pytest.raises(AttributeError):
        fitted.coef_ = before
    assert_array_equal(fitted.coef_, before)


@cases(
    "machine",
    UnbiasedSVC(),
    WeightedRobustSVC(),
    ConformalSVC(),
    LSSVC(),
    LSSVC(cache_size=10.0),
    LSSVC(kernel="linear"),
    ConformalSVC(kernel="linear"),
    ids=str,
)
def test_what_is_advised_where_memory_is_short_runs_there(machine, monkeypatch):
    monkeypatch.setattr(memory, "available_megabytes", lambda: 8.0)
    monkeypatch.setattr(memory, "NEGLIGIBLE", 1.0)
    X, y = two_clouds(1200)
    with pytest.raises(ValueError, match="GB are free here") as refusal:
        clone(machine).fit(X, y)
    advice = re.search(r"(?:Use|kernel:) (.+\))\.", str(refusal.value))[1]
    for module in re.findall(r"sklearn\.\w+", advice):
        importlib.import_module(module)
    names = {"make_pipeline": make_pipeline, "sklearn": sklearn, **globals()}
    advised = eval(advice.replace("n_components=500", "n_components=100"), names)
    assert advised.fit(X, y).score(X, y) > 0.7


def test_an_asymmetric_gram_matrix_and_weights_without_an_inverse_are_named():
    K = gram(X)
    K[1, 2] += 0.1
    for machine in (L1SVC, LSSVC, UnbiasedSVC, WeightedRobustSVC):
        message = r"symmetric Gram matrix in fit. Got K\[1, 2\] = .* K\[2, 1\] = "
        refused(message, machine(kernel="precomputed").fit, K, Y)
    single = gram(X) * (1.0 + 1e-7 * np.triu(np.ones((len(X), len(X)))))
    L1SVC(kernel="precomputed").fit(single, Y)
    weight = np.ones(len(X))
    weight[3] = 1e-310
    for machine in (L1SVC, L2SVC, LSSVC, ConformalSVC, UnbiasedSVC):
        refused("sample_weight must be large enough", machine().fit, X, Y, weight)
