"""The criteria of the GACV report: identities, bounds and bad input."""

import numpy as np
import pytest
from _cases import cases, refusals, refused
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from companion import L1SVC, LSSVC
from companion.kernels import gram
from companion.tuning import gacv, gckl, misclass, xi_alpha
from companion.tuning.criteria import (
    gacv_values,
    gckl_values,
    misclass_values,
    xi_alpha_values,
)


def data(n=40, seed=0):
    return make_moons(n, noise=0.4, random_state=seed)


X, Y = data()


def machine(**settings):
    return L1SVC(**({"C": 3.0, "gamma": 1.0, "tol": 1e-8} | settings))


def dual(fitted, n=40):
    alpha = np.zeros(n)
    alpha[fitted.support_] = np.abs(fitted.dual_coef_[0])
    return alpha


# ------------------------------------------------------------------ arrays

finite = st.floats(-5.0, 5.0)


def test_xi_alpha_is_equation_6_term_by_term():
    rng = np.random.default_rng(0)
    margin = rng.normal(size=200)
    influence = rng.exponential(size=200)
    influence[margin > 1.0] = 0.0
    errors = np.sum(margin <= 0.0)
    for rho in (0.5, 1.0, 2.0):
        inside = (margin > 0.0) & (margin <= rho * influence) & (margin <= 1.0)
        expected = (errors + inside.sum()) / 200
        assert xi_alpha_values(margin, influence, rho=rho) == pytest.approx(
            expected, abs=1e-15
        )
        assert np.mean(np.maximum(1 - margin, 0) + rho * influence >= 1) == expected


def test_gacv_is_equation_9_term_by_term():
    rng = np.random.default_rng(1)
    margin = rng.normal(size=100) * 2
    influence = rng.exponential(size=100)
    cost = rng.random(100)
    cost += 0.1
    influence[margin > 1.0] = 0.0
    expected = np.sum(cost * np.maximum(1 - margin, 0))
    expected += 2 * np.sum((cost * influence)[margin < -1])
    expected += np.sum((cost * influence)[(margin >= -1) & (margin <= 1)])
    assert gacv_values(margin, influence, cost) == pytest.approx(
        expected / 100, rel=1e-13
    )


@given(
    arrays(float, 6, elements=finite),
    arrays(float, 6, elements=st.floats(0.0, 1.0)),
    st.tuples(st.floats(0.01, 10.0), st.floats(0.01, 10.0)),
)
def test_gckl_is_never_below_misclass(decision, probability, costs):
    gap = gckl_values(decision, probability, costs) - misclass_values(
        decision, probability, costs
    )
    assert gap >= -1e-12


def test_targets_are_equations_10_and_12():
    f = np.array([0.5, -0.2, -3.0])
    p = np.array([0.9, 0.4, 0.05])
    expected = np.mean(
        0.5 * p * np.maximum(1 - f, 0) + 1.5 * (1 - p) * np.maximum(1 + f, 0)
    )
    assert gckl_values(f, p, (1.5, 0.5)) == pytest.approx(expected)
    risk = (0.1 * 1.5 + 0.4 * 0.5 + 0.05 * 0.5) / 3
    assert misclass_values(f, p, (1.5, 0.5)) == pytest.approx(risk)
    # A decision value of zero is wrong for both labels.
    assert misclass_values([0.0], [0.25], (1.5, 0.5)) == pytest.approx(
        0.25 * 0.5 + 0.75 * 1.5
    )
    assert misclass_values([0.0], [0.3]) == 1.0


# ------------------------------------------------------------------ machines

KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 1.0},
    "scale": {"kernel": "rbf", "gamma": "scale"},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2},
    "callable": {
        "kernel": lambda A, B: pairwise.laplacian_kernel(A, B, gamma=0.7) + 0.5
    },
}


def costs_of(weights, y):
    return (
        np.ones(len(y)) if weights is None else np.where(y == 1, weights[1], weights[0])
    )


@cases("kernel", *KERNELS.values(), ids=KERNELS)
def test_criteria_of_a_machine_are_those_of_its_kernel_matrix(kernel):
    fitted = machine(**kernel).fit(X, Y)
    K = gram(X, **{**kernel, "gamma": fitted._gamma})
    sign = np.where(Y == 1, 1.0, -1.0)
    alpha = dual(fitted)
    margin = sign * (K @ (sign * alpha) + fitted.intercept_[0])
    influence = alpha * K.diagonal()
    widest = (K.diagonal()[:, None] - K).max()
    assert gacv(fitted, X, Y) == pytest.approx(gacv_values(margin, influence), rel=1e-9)
    assert xi_alpha(fitted, X, Y) == xi_alpha_values(margin, influence)
    joachims = xi_alpha_values(margin, alpha * widest, rho=2.0)
    assert xi_alpha(fitted, X, Y, rho=2, bound="joachims") == joachims
    number = xi_alpha_values(margin, alpha * 0.3, rho=0.5)
    assert xi_alpha(fitted, X, Y, rho=0.5, bound=0.3) == number
    other = machine(kernel="precomputed").fit(K, Y)
    assert gacv(other, K, Y) == pytest.approx(gacv(fitted, X, Y), rel=1e-5)
    for bound in ("diagonal", "joachims"):
        assert xi_alpha(other, K, Y, bound=bound) == xi_alpha(fitted, X, Y, bound=bound)


def test_class_weights_are_the_costs_and_are_not_counted_twice():
    X, y = data(50)
    costs = {0: 1.5, 1: 0.5}
    fitted = machine(class_weight=costs).fit(X, y)
    cost = costs_of(costs, y)
    alpha = dual(fitted, 50)
    # The bounds hold the costs: alpha reaches C L(y), not C L(y)^2.
    assert alpha[y == 0].max() == pytest.approx(3.0 * 1.5)
    assert alpha[y == 1].max() == pytest.approx(3.0 * 0.5)
    margin = np.where(y == 1, 1, -1) * fitted.decision_function(X)
    assert gacv(fitted, X, y) == pytest.approx(gacv_values(margin, alpha, cost))
    assert gacv(fitted, X, y, costs=costs) == gacv(fitted, X, y)
    assert xi_alpha(fitted, X, y, costs=costs) == xi_alpha(fitted, X, y)
    assert gacv(fitted, X, y, costs={0: 1, 1: 1}) == pytest.approx(
        gacv_values(margin, alpha)
    )


def test_targets_of_a_machine_are_those_of_its_decision_values():
    p = np.linspace(0.0, 1.0, len(Y))
    plain, fitted = (
        machine(class_weight=costs).fit(X, Y) for costs in (None, {0: 1.5, 1: 0.5})
    )
    f = fitted.decision_function(X)
    for of_machine, of_values in ((gckl, gckl_values), (misclass, misclass_values)):
        assert of_machine(fitted, X, p) == of_values(f, p, (1.5, 0.5))
        assert of_machine(fitted, X, p, costs={1: 2.0, 0: 3.0}) == of_values(
            f, p, (3.0, 2.0)
        )
        assert of_machine(plain, X, p) == of_values(plain.decision_function(X), p)


# ------------------------------------------------------------------ bad input

ON_TRAINING_SET = [gacv, xi_alpha]


@cases("criterion", *ON_TRAINING_SET)
def test_a_machine_that_is_not_fitted_is_refused(criterion):
    refused("L1SVC", criterion, L1SVC(), *data(), error=NotFittedError)


@cases("criterion", *ON_TRAINING_SET, gckl, misclass)
@cases(
    "other",
    LSSVC(),
    SVC(),
    make_pipeline(StandardScaler(), L1SVC()),
    ids=["LS", "SVC", "pipe"],
)
def test_other_machines_are_refused_by_name(criterion, other):
    message = f"must be an L1SVC.*Got {type(other).__name__}"
    refused(message, criterion, other.fit(X, Y), X, Y, error=TypeError)


@cases("criterion", *ON_TRAINING_SET)
def test_data_that_are_not_the_training_set_are_refused(criterion):
    fitted = machine().fit(X, Y)
    moved = X.copy()
    moved[fitted.support_[0]] += 1e-9
    turned = np.where(np.arange(40) == fitted.support_[0], 1 - Y, Y)
    K = X @ X.T
    message = "must be what the machine was fitted to"
    for X_wrong, y_wrong in (
        (X[::-1], Y[::-1]),
        (X[:10], Y[:10]),
        (moved, Y),
        (X, turned),
        (X, np.ones(len(Y))),
    ):
        refused(message, criterion, fitted, X_wrong, y_wrong)
    refused(message, criterion, machine(kernel="precomputed").fit(K, Y), K[:20], Y[:20])
    refused("features", criterion, fitted, X[:, :1], Y)
    refused(
        r"one label for each of the 40 samples.*\(39,\)", criterion, fitted, X, Y[1:]
    )
    refused(
        r"labels.*must be those of the machine.*Got \[7\]", criterion, fitted, X, 7 * Y
    )


@cases("criterion", *ON_TRAINING_SET)
def test_samples_the_machine_has_not_seen_and_sample_weights_are_noticed(criterion):
    X, y = data(60)
    message = "must be what the machine was fitted to, without sample weights"
    fitted = machine().fit(X[:40], y[:40])
    refused(message, criterion, fitted, X, y)
    for weight in (
        np.where(y == 1, 2.0, 1.0),
        np.where(y == 1, 0.5, 1.0),
        np.arange(60) % 2,
    ):
        refused(message, criterion, machine().fit(X, y, sample_weight=weight), X, y)
    criterion(machine().fit(X, y, sample_weight=np.ones(60)), X, y)


BAD_COSTS = (0.0, -1.0, np.nan, "dear")


@cases("criterion", *ON_TRAINING_SET)
@refusals(
    *(({0: cost, 1: 1.0}, "must be positive finite numbers") for cost in BAD_COSTS),
    ({0: 1.0}, r"must name both labels \[0, 1\]"),
    ({0: 1.0, 1: 1.0, 2: 1.0}, r"must name both labels \[0, 1\] and no others"),
    ([1.5, 0.5], "must map each label to its cost.*Got list"),
)
def test_bad_costs_are_refused(criterion, change, message):
    error = ValueError if isinstance(change, dict) else TypeError
    refused(message, criterion, machine().fit(X, Y), X, Y, costs=change, error=error)


def test_a_rho_that_is_not_positive_and_an_unknown_bound_are_refused():
    fitted = machine().fit(X, Y)
    message = "'rho' of {} must be a positive"
    for rho in (0, -1.0, np.inf, np.nan, "2"):
        refused(message.format("xi_alpha"), xi_alpha, fitted, X, Y, rho=rho)
        refused(
            message.format("xi_alpha_values"), xi_alpha_values, [1.0], [1.0], rho=rho
        )
    for bound in ("diag", 0.0, -1.0, None, np.inf):
        refused("'bound' .*must be 'diagonal'", xi_alpha, fitted, X, Y, bound=bound)


@cases("target", gckl, misclass)
def test_bad_probabilities_are_refused(target):
    fitted = machine().fit(X, Y)
    refused(
        "one probability for each of the 40 samples",
        target,
        fitted,
        X,
        np.full((40, 2), 0.5),
    )
    for wrong in (1.1, np.nan):
        refused("between 0 and 1", target, fitted, X, np.full(40, wrong))
    balanced = machine(class_weight="balanced").fit(X, Y)
    refused(
        "needs 'costs' where the class weights", target, balanced, X, np.full(40, 0.5)
    )


@cases("values", gacv_values, xi_alpha_values)
@cases(
    "arguments, message",
    (([1.0, 2.0], [1.0]), "must have the same shape"),
    ((1.0, 1.0), "must have the same shape"),
    (([], []), "must have the same shape"),
    (([1.0], [-0.1]), "must not be negative"),
    (([np.nan], [0.1]), "'margin' of a criterion must be numbers. Got NaN"),
    (([1.0], [np.nan]), "must not be negative or NaN"),
    (([1.0], [0.1], [0.0]), "must be positive and finite"),
    (([1.0], [0.1], [1.0, 1.0]), "one number for each of the 1 samples"),
)
def test_bad_arrays_are_refused(values, arguments, message):
    refused(message, values, *arguments)


@cases("values", gckl_values, misclass_values)
def test_bad_targets_are_refused(values):
    refused("one number for each", values, [1.0, 2.0], [0.5])
    refused("'decision' of a criterion must be numbers", values, [np.nan], [0.5])
    for costs in ((0.0, 1.0), (1.0,)):
        message = r"two positive finite numbers, L\(-1\) and L\(1\)"
        refused(message, values, [1.0], [0.5], costs=costs)
