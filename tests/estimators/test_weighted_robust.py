"""WeightedRobustSVC: agreement with its solver, utilities at work, what it refuses."""

import numpy as np
import pytest
from _cases import cases, each, refused
from numpy.testing import assert_allclose, assert_array_equal

from companion import WeightedRobustSVC
from companion.kernels import gram
from companion.metrics import average_utility
from companion.solvers import Design, dca, utility_from_cost

UTILITY = np.array([[1.0, 0.8, 0.0], [0.0, 1.0, 0.3], [0.2, 0.0, 1.0]])


def three_classes(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    angle = 2 * np.pi * y / 3
    X = 0.6 * rng.normal(size=(n, 2)) + np.column_stack([np.cos(angle), np.sin(angle)])
    return X, y


TRUNCATIONS = [{}, {"truncation": None}, {"truncation": -1.0}]


@each(
    kernel=["linear", "rbf", "precomputed"],
    parameters=[
        *TRUNCATIONS,
        {"cost": 1.0 - UTILITY, "init": "unweighted"},
        {"form": "cost"},
    ],
)
def test_decision_values_are_those_of_the_solver(kernel, parameters):
    X, y = three_classes()
    K = gram(X, gamma=0.5)
    names = np.array(["a", "b", "c"])
    inputs = K if kernel == "precomputed" else X
    machine = WeightedRobustSVC(C=2.0, kernel=kernel, gamma=0.5, tol=1e-8, **parameters)
    machine.fit(inputs, names[y])
    design = Design.linear(X) if kernel == "linear" else Design.kernel(K)
    form = parameters.get("form", "utility")
    s = parameters.get("truncation", -0.5)
    cost = parameters.get("cost", 1.0 - np.eye(3))
    matrix = utility_from_cost(cost) if form == "utility" else cost
    start = parameters.get("init", "weighted")
    wanted = dca(design, y, matrix, 2.0, s, form=form, start=start)
    values = machine.decision_function(inputs)
    assert_allclose(values, wanted.decision_function, atol=1e-4)
    assert_allclose(values.sum(axis=1), 0.0, atol=1e-9)
    assert machine.objective_ == pytest.approx(wanted.objective, rel=1e-6)
    assert machine.converged_
    assert 0.0 <= machine.duality_gap_ <= 2e-8 * machine.objective_
    counts = np.bincount(y[machine.support_], minlength=3)
    assert_array_equal(machine.n_support_, counts)
    assert np.array_equal(machine.predict(inputs), names[values.argmax(axis=1)])


X, Y = three_classes(30)


@cases(
    "parameters, message",
    (
        {"utility": np.eye(2)},
        r"for each of the 3 labels in y, \[0, 1, 2\].*\(2, 2\).*label w",
    ),
    ({"cost": np.ones((3, 4))}, r"The 'cost' of WeightedRobustSVC.*Got shape \(3, 4\)"),
    ({"utility": np.eye(3) - 1.0}, "finite entries of at least 0. The smallest is -1"),
    (
        {"utility": np.zeros((3, 3))},
        "must tell decisions apart. Got the same number in.*the identity",
    ),
    ({"utility": np.ones((3, 3))}, "must tell decisions apart. Got the same number"),
    (
        {"cost": [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]},
        "must tell decisions apart. Got the same number",
    ),
    (
        {"cost": np.ones((3, 3))},
        "'cost' of W.*Got the same number.*one minus the identity",
    ),
    (
        {"cost": -np.eye(3), "form": "cost"},
        "'cost' of WeightedRobustSVC must have finite entries",
    ),
    (
        {"truncation": 0.5},
        r"must be a str among {'auto'}, a float in the range.*or None.*0.5",
    ),
    (
        {"utility": np.eye(3), "cost": np.eye(3)},
        "either utilities or costs.*and a 'cost'",
    ),
    ({"utility": np.eye(3), "form": "cost"}, r"pass it as max\(U\) - U"),
    ({"C": 0.0}, "The 'C' parameter of WeightedRobustSVC must be a float in the range"),
)
def test_bad_parameters_are_named_and_leave_no_machine(parameters, message):
    machine = WeightedRobustSVC(**parameters)
    refused(message, machine.fit, X, Y)
    assert not hasattr(machine, "classes_")


def test_one_class_only_is_refused_also_by_weight():
    message = "two classes with positive weight. Got only one class: 1"
    refused(message, WeightedRobustSVC().fit, X, Y, sample_weight=1.0 * (Y == 1))
    refused(
        "(non-zero number|positive entries)",
        WeightedRobustSVC().fit,
        X,
        Y,
        sample_weight=0.0 * Y,
    )


def test_a_machine_whose_labels_would_be_rounding_says_so():
    nearly_alike = 0.9 + 0.1 * np.eye(3)
    with pytest.warns(UserWarning, match="next to zero.*init='unweighted'"):
        machine = WeightedRobustSVC(utility=nearly_alike).fit(X, Y)
    assert np.abs(machine.decision_function(X)).max() < 1e-3
    other = WeightedRobustSVC(utility=nearly_alike, init="unweighted").fit(X, Y)
    assert np.abs(other.decision_function(X)).max() > 0.1


def test_average_utility_takes_any_labels_and_names_those_without_a_row():
    utility = [[1.0, 0.5], [0.0, 2.0]]
    assert average_utility(["n", "y", "y"], ["y", "y", "n"], utility) == pytest.approx(
        2.5 / 3
    )
    assert average_utility(["n"], ["y"], utility, labels=["y", "n"]) == 0.0
    for truth, chosen, message in (
        ("ny", "zy", r"Got \['z'\] in y_pred; the rows are \['n', 'y'\]"),
        ("nn", "nn", "name the labels of all rows in 'labels'"),
        ("ny", "n", r"Got shapes \(2,\) and \(1,\)"),
    ):
        refused(message, average_utility, list(truth), list(chosen), utility)
