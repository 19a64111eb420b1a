"""The minimum-margin hinge: value, certificate, (13) to (15), invariances, what is refused."""

import numpy as np
import pytest
from _cases import each, refusals, refused, warned
from _margin_problems import betas, brackets, clouds, design_of, objective_of, utilities
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from companion.kernels import gram
from companion.solvers import Design, min_margin


@each(
    kernel=["linear", "rbf"],
    k=[2, 3, 4],
    kind=["plain", "with linear terms", "without a bias"],
)
def test_primal_and_dual_meet_and_the_multipliers_satisfy_13_to_15(kernel, k, kind):
    for seed, C in enumerate((0.01, 1.0, 100.0)):
        X, y = clouds(36, k, 3, seed)
        utility = utilities(k, seed)
        design = design_of(kernel, X, bias=kind != "without a bias")
        beta = np.zeros((len(y), k, k))
        if kind == "with linear terms":
            # Those of a DC step at a machine: others may make the problem unbounded below.
            f = min_margin(design, y, utility, 3.0).decision_function
            beta = betas(f, y, utility, C, s=0.0)
            assert beta.any()
        machine = min_margin(design, y, utility, C, beta=beta, tol=1e-10)
        alpha = machine.alpha
        total = C * utility[y].sum()
        bracket = brackets(alpha - beta)
        Z = design.augmented[:, :-1]
        f = machine.decision_function
        w = bracket.T @ Z
        wanted = objective_of(machine, y, utility, C) + np.sum(brackets(beta) * f)
        dual = alpha.sum() - 0.5 * np.sum(w**2)
        assert machine.converged
        assert machine.objective == pytest.approx(wanted, abs=1e-9 * total)
        assert machine.objective - dual == pytest.approx(
            machine.duality_gap, abs=1e-10 * total
        )
        assert (
            -1e-12 * total <= machine.duality_gap <= 1e-10 * max(wanted, 1e-4 * total)
        )
        assert alpha.min() >= 0.0
        assert np.all(alpha.sum(axis=2) <= C * utility[y] * (1 + 1e-12))
        assert np.abs(bracket.sum(axis=0)).max() <= 1e-11 * total or not design.bias
        assert_allclose(machine.w, w, atol=1e-6 * max(1.0, np.abs(w).max()))
        violation = np.abs(machine.w - w).max()
        assert machine.kkt_violation == pytest.approx(violation, rel=2.0, abs=1e-9)
        columns = X if kernel == "linear" else gram(X, gamma=0.5)
        size = max(1.0, np.abs(f).max())
        values = columns @ machine.coef.T + machine.intercept
        assert_allclose(values, f, atol=1e-6 * size)
        assert_allclose(f.sum(axis=1), 0.0, atol=1e-9 * size)
        assert machine.intercept.any() == design.bias


@example(seed=100, k=3, n=5, d=3, style="plain", scale=1000.0, log_C=2.75)
@example(seed=579, k=3, n=2, d=1, style="plain", scale=0.001, log_C=3.25)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 5),
    n=st.sampled_from([2, 5, 25, 120]),
    d=st.integers(1, 4),
    style=st.sampled_from(["plain", "rounded", "alike", "repeated", "constant column"]),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    log_C=st.floats(-4.0, 4.0),
)
def test_any_sample_has_a_certified_solution(seed, k, n, d, style, scale, log_C):
    """Duplicates, classes of one point or none, all points alike, empty columns of U."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if style == "rounded":
        X = np.round(X, 1)
    if style == "repeated":
        X = X[rng.integers(0, 1 + n // 4, n)]
    X = scale * X
    X[:, : {"alike": d, "constant column": 1}.get(style, 0)] = 1.0
    y = rng.integers(0, k, n)
    C = 10.0**log_C
    utility = utilities(k, seed, 0.6)
    machine = min_margin(Design.linear(X), y, utility, C, tol=1e-6)
    total = C * utility[y].sum()
    found = machine.objective
    assert machine.converged
    assert -1e-9 * total <= machine.duality_gap <= 1e-6 * max(found, 1e-9 * total)
    assert found == pytest.approx(
        objective_of(machine, y, utility, C), rel=1e-6, abs=1e-7 * total
    )


X, Y = clouds(12, 3)
OTHER_ROWS = {"utility": np.diag([1.0, 0, 0]), "y": 0 * Y + 1}


@refusals(
    (
        {"utility": np.ones((2, 3))},
        r"'utility' of min_margin must be a square.*\(2, 3\)",
    ),
    (
        {"utility": np.eye(3) - 0.1},
        "at least 0. The smallest is -0.1; add a constant to a row",
    ),
    ({"utility": np.full((3, 3), np.nan)}, "must have finite entries"),
    ({"utility": np.zeros((3, 3))}, "Got the same number in every column of each row"),
    (
        {"utility": np.eye(2)},
        r"rows of the 2 x 2 matrix: whole numbers from 0 to 1. Got \[2\]",
    ),
    ({"y": Y + 0.5}, r"Got \[0.5, 1.5, 2.5\]"),
    ({"y": Y[:-1]}, r"one label for each of the 12 samples.*\(11,\)"),
    ({"C": 0.0}, "'C' of min_margin must be a positive finite number. Got 0.0"),
    ({"tol": -1.0}, "'tol' of min_margin must be a positive finite number"),
    ({"sample_weight": np.zeros(12)}, "must be 12 positive finite numbers"),
    (
        {"beta": np.zeros((12, 3))},
        r"'beta' of min_margin must be finite and of shape \(12, 3",
    ),
    (OTHER_ROWS, r"whose row of 'utility' has a positive entry.*classes \[1\] only"),
)
def test_bad_input_is_named(change, message):
    arguments = {
        "design": Design.linear(X),
        "y": Y,
        "utility": np.eye(3),
        "C": 1.0,
    } | change
    refused(message, min_margin, **arguments)


def test_a_spent_budget_warns_with_the_gap_and_advice():
    message = "budget of 2 iterations is spent.*gap is.*Raise"
    problem = (Design.linear(X), Y)
    machine = warned(message, min_margin, *problem, np.eye(3), 1.0, max_iter=2)
    assert not machine.converged
    assert machine.n_iter == 2
    assert machine.duality_gap > 0.0
