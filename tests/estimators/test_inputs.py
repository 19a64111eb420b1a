"""Labels, parameters and bad input: what a user types and what comes back."""

import re

import numpy as np
import pytest
from _cases import cases, refused, warned
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from companion import (
    L1SVC,
    L2SVC,
    LSSVC,
    ConformalSVC,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
    _memory,
)

from ._data import two_clouds

X, Y = two_clouds(40)
ALL = [L1SVC, L2SVC, LSSVC, LeastOneNormSVC, UnbiasedSVC]
every = pytest.mark.parametrize("machine", ALL)
anyone = pytest.mark.parametrize("machine", [*ALL, ConformalSVC, WeightedRobustSVC])


@every
@cases("labels", (-1, 1), (1, 2), ("no", "yes"), ("yes", "no"), (True, False), (2.0, -7.0))
def test_any_two_labels_are_sorted_and_predicted_by_sign(machine, labels):
    X, y = two_clouds(60, shift=2.0, labels=labels)
    fitted = machine().fit(X, y)
    np.testing.assert_array_equal(fitted.classes_, np.unique(y))
    values = fitted.decision_function(X)
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[(values > 0).astype(int)])
    assert fitted.score(X, y) > 0.85 and fitted.n_support_.sum() == len(fitted.support_)


@every
def test_swapping_the_labels_turns_the_decision_values(machine):
    X, y = two_clouds(60)
    precise = {} if machine is LSSVC else {"tol": 1e-9}
    values, turned = (machine(**precise).fit(X, of).decision_function(X) for of in (y, 1 - y))
    np.testing.assert_allclose(turned, -values, atol=1e-6)


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
    refused('gamma="scale" is inf.*too far from 1', machine().fit, 1e-158 * X, Y)
    refused("finite", machine(kernel="poly", gamma=1e90, degree=4).fit, X, Y)
    refused(message, machine(kernel="poly").fit(X, Y).predict, 1e200 * X)


@cases(
    "machine, gigabytes",
    (UnbiasedSVC(), 0.4),
    (WeightedRobustSVC(), 0.5),
    (ConformalSVC(), 0.2),
    (LSSVC(), 0.1),
)
def test_a_kernel_fit_that_memory_does_not_hold_is_refused_with_the_way_out(
    machine, gigabytes, monkeypatch
):
    monkeypatch.setattr(_memory, "available_megabytes", lambda: 50.0)
    X, y = two_clouds(3000)
    way_out = "n_prototypes|Nystroem" if isinstance(machine, UnbiasedSVC) else "Nystroem"
    message = f"for 3,000 samples takes about {gigabytes} GB of memory, and 0.1 GB are free here"
    refused(f"{message}.*({way_out})", machine.fit, X, y)
    # What is small is not weighed, and a linear machine needs no matrix.
    machine.fit(X[:40], y[:40])
    if not isinstance(machine, (ConformalSVC, LSSVC)):
        clone(machine).set_params(kernel="linear").fit(X, y)


@every
def test_nan_is_refused_and_the_earlier_fit_is_kept(machine):
    fitted = machine().fit(X, Y)
    before = fitted.decision_function(X)
    broken = X.copy()
    broken[3, 1] = np.nan
    refused("contains NaN", fitted.fit, broken, Y)
    np.testing.assert_array_equal(fitted.decision_function(X), before)


@pytest.mark.parametrize("machine", [*ALL, ConformalSVC])
def test_one_class_or_three_are_refused(machine):
    refused("samples of two classes.*only one class", machine().fit, X, np.zeros(40))
    message = rf"Only binary.*3 classes.*OneVsOneClassifier\({machine.__name__}\(\)\).fit\(X, y\)"
    refused(message, machine().fit, X, np.arange(40) % 3)


@every
def test_a_gram_matrix_must_be_square(machine):
    message = r'kernel="precomputed" needs a square.*\(40, 3\)'
    refused(message, machine(kernel="precomputed").fit, X, Y)


BAD = {
    L1SVC: {"C": [0.0, np.inf], "selection": ["third"], "max_iter": [0], "gamma": [-1.0]},
    L2SVC: {"kernel": ["rbff"]},
    LSSVC: {"solver": ["lu"]},
    LeastOneNormSVC: {"tol": [0]},
    UnbiasedSVC: {"s": [0.9], "k": [-1e-6], "slope": [0], "damping": [1.0, -0.1], "loss": ["step"]}
    | {"init": ["zero"], "n_prototypes": [0], "max_iter": [0]},
    ConformalSVC: {"transform": ["amarii"], "search": ["grid"], "validation_fraction": [1.0]}
    | {"theta": [-0.1], "max_transforms": [-1], "gamma": [-1.0], "C": [0.0]},
}


@cases("machine, name", *((machine, name) for machine, bad in BAD.items() for name in bad))
def test_a_bad_parameter_is_named_with_its_rule_and_value_and_nothing_is_lost(machine, name):
    X, y = two_clouds(20)
    fitted = machine().fit(X, y)
    before, kept = fitted.decision_function(X), fitted.get_params()
    for value in BAD[machine][name]:
        got = re.escape(repr(value))
        rule = f"The '{name}' parameter of {machine.__name__} must be .* Got {got}"
        refused(rule, fitted.set_params(**{name: value}).fit, X, y)
    np.testing.assert_array_equal(fitted.set_params(**kept).decision_function(X), before)


def test_a_matrix_too_large_to_factorise_is_refused_with_the_way_out():
    message = r'Raise cache_size, or use LSSVC\(solver="smo"\)'
    refused(message, LSSVC(cache_size=0.1).fit, *two_clouds(200))


@pytest.mark.parametrize("machine", [L1SVC, L2SVC, LeastOneNormSVC])
def test_a_spent_budget_warns_and_names_what_to_change(machine):
    X, y = two_clouds(100, shift=0.3)
    with pytest.warns(ConvergenceWarning, match="not converged.*max_iter or tol") as caught:
        fitted = machine(C=100.0, max_iter=5).fit(X, y)
    assert len(caught) == 1
    assert not fitted.converged_ and fitted.n_iter_ == 5 and "budget of 5" in fitted.stop_reason_
    assert fitted.kkt_violation_ > fitted.tol and fitted.duality_gap_ > 0


def test_a_budget_that_leads_nowhere_is_not_spent():
    machine = LeastOneNormSVC(C=1e12, kernel="linear")
    warned("neither the violation has fallen.*out of reach", machine.fit, 1e150 * X, Y)
    assert not machine.converged_ and machine.n_iter_ < 2_000_000
