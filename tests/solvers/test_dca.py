"""The DC algorithm: descent, fixed points, both forms of the loss, paths over C, bad input."""

import numpy as np
import pytest
from _cases import cases, each, refusals, refused, warned
from _margin_problems import (
    brackets,
    by_primal,
    clouds,
    design_of,
    objective_of,
    utilities,
)
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from companion.kernels import gram
from companion.papers.wrsvm.theory import margins
from companion.solvers import Design, dca, dca_path, min_margin, utility_from_cost

FORMS = ("utility", "cost")


def problem(k, seed, form="utility", n=60):
    """Design, labels and a random matrix of the form."""
    X, y = clouds(n, k, 2, seed)
    utility = np.eye(k) + 0.3 * utilities(k, seed)
    return X, y, utility if form == "utility" else utility.max() - utility


@each(form=FORMS)
@cases("kernel, k", ("linear", 3), ("rbf", 2))
def test_the_end_is_a_fixed_point_by_a_generic_qp(form, kernel, k):
    """The last tangent is that at the machine, whose convex problem the machine solves."""
    X, y, matrix = problem(k, 4, form, n=24)
    s = -0.5
    C = 2.0
    design = design_of(kernel, X)
    machine = dca(design, y, matrix, C, s, form=form, tol=1e-10)
    level, cut = (1.0, s) if form == "utility" else (-1.0, -s)
    f = machine.decision_function
    g = margins(machine.decision_function)
    assert_allclose(machine.beta.sum(axis=2), C * matrix[y] * (g < cut))
    for i, j, m in np.argwhere(machine.beta > 0):
        assert f[i, m] == np.delete(f[i], j).max()
    assert np.count_nonzero(machine.beta) > 0
    assert machine.n_steps > 0
    hinge = C * np.sum(matrix[y] * np.maximum(level - g, 0.0))
    tangent = np.sum(brackets(machine.beta) * f)
    here = 0.5 * np.sum(machine.w**2) + hinge + tangent
    wanted = by_primal(design, y, matrix, C, machine.beta, level=level)
    assert here == pytest.approx(wanted, abs=1e-6 * machine.objective)
    value = objective_of(machine, y, matrix, C, s, form)
    assert machine.objective == pytest.approx(value, rel=1e-9) == machine.objectives[-1]
    assert np.all(np.diff(machine.objectives) <= 0.0)
    assert machine.objective < 0.999 * machine.objectives[0]
    assert machine.duality_gap <= 1e-8 * machine.objective
    assert machine.kkt_violation**2 <= 2e-10 * machine.objective


def test_without_truncation_or_below_all_margins_it_is_the_convex_machine():
    X, y, utility = problem(3, 2)
    convex = min_margin(Design.linear(X), y, utility, 1.0)
    lowest = margins(convex.decision_function)[utility[y] > 0].min()
    for s in (None, -np.inf, lowest - 1e-3):
        machine = dca(Design.linear(X), y, utility, 1.0, s)
        assert machine.n_steps == 0
        assert_array_equal(machine.coef, convex.coef)
    assert dca(Design.linear(X), y, utility, 1.0, lowest + 1e-3).n_steps > 0


@each(form=FORMS, kernel=["linear", "rbf"])
def test_a_path_is_the_machines_one_by_one_in_any_order(form, kernel):
    X, y, matrix = problem(3, 5, form)
    design = design_of(kernel, X)
    C_values = 2.0 ** np.arange(-8, 9, 2)
    s = -0.5
    forwards = dca_path(design, y, matrix, C_values, s, form=form, tol=1e-8)
    backwards = dca_path(design, y, matrix, C_values[::-1], s, form=form, tol=1e-8)
    utility = matrix if form == "utility" else utility_from_cost(matrix)
    K = X if kernel == "linear" else gram(X, gamma=0.5)
    for q, C in enumerate(C_values):
        convex = min_margin(design, y, utility, C)
        assert forwards[0].objective[q] == pytest.approx(convex.objective, rel=1e-7)
        # From the same start: where its b is not unique, another start may end elsewhere.
        coef = forwards[0].coef[q]
        w = coef if kernel == "linear" else coef[:, design._pivots] @ design._factor
        start = np.column_stack([w, forwards[0].intercept[q]])
        robust = dca(design, y, matrix, C, s, form=form, start=start)
        values = K @ forwards[1].coef[q].T + forwards[1].intercept[q]
        assert forwards[1].objective[q] == pytest.approx(robust.objective, rel=1e-6)
        assert_allclose(values, robust.decision_function, atol=1e-2)
    for one, other in zip(forwards, backwards, strict=True):
        assert one.converged.all()
        assert np.all(one.duality_gap <= 1e-7 * one.objective)
        if form == "utility" or one is forwards[0]:
            assert_allclose(other.objective[::-1], one.objective, rtol=1e-6)
    assert not forwards[0].n_steps.any()
    assert forwards[1].n_steps.max() > 1


@given(
    size=st.tuples(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 60)),
    grid=st.sampled_from([0.0, 1.0, 100.0]),
    s=st.sampled_from([0.0, -0.5, -2.0, -np.inf]),
    log_C=st.floats(-3.0, 3.0),
    form=st.sampled_from(FORMS),
)
def test_any_small_sample_comes_to_an_end_with_a_falling_objective(
    size, grid, s, log_C, form
):
    """Duplicates, classes of one point or none, all points alike, directions of b without slope."""
    seed, k, n = size
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 1) * grid
    y = rng.integers(0, k, n)
    C = 10.0**log_C
    utility = utilities(k, seed, 0.5)
    matrix = utility if form == "utility" else utility.max() - utility
    if not matrix[y].any() or not (matrix.max() - matrix)[y].any():
        return
    machine = dca(Design.linear(X), y, matrix, C, s, form=form, tol=1e-6)
    assert machine.converged
    assert machine.objective == machine.objectives[-1]
    assert np.all(np.diff(machine.objectives) <= 0.0)
    value = objective_of(machine, y, matrix, C, s, form)
    assert machine.objective == pytest.approx(value, abs=1e-7 * C * matrix[y].sum())


X, Y = clouds(12, 3)


@refusals(
    ({"s": 0.1}, "truncation 's' of dca must be at most 0.*Got 0.1; -1 / "),
    ({"s": np.nan}, "truncation 's' of dca must be at most 0"),
    ({"form": "costs"}, r"must be one of \['utility', 'cost'\]. Got 'costs'"),
    ({"start": "plain"}, r"must be one of \['weighted', 'unweighted'\]. Got 'plain'"),
    (
        {"start": np.zeros((3, 2))},
        r"finite numbers of shape \(3, 3\).*Got shape \(3, 2\)",
    ),
    (
        {"utility": -np.eye(3)},
        "'utility' of dca must have finite entries of at least 0",
    ),
    ({"C": -1.0}, "'C' of dca must be a positive finite number"),
    ({"max_iter": 0}, "'max_iter' of dca must be at least 1. Got 0"),
    ({"max_inner": -1}, "'max_inner' of dca must be at least 1. Got -1"),
)
def test_bad_input_is_named(change, message):
    arguments = {
        "design": Design.linear(X),
        "y": Y,
        "utility": np.eye(3),
        "C": 1.0,
        "s": -0.5,
    }
    refused(message, dca, **arguments | change)


def test_a_spent_budget_warns_and_what_was_reached_is_returned():
    X, y, utility = problem(3, 0)
    start = (Design.linear(X), y, utility)
    message = "did not converge: The budget of 1 DC steps.*max_iter"
    machine = warned(f"dca {message}", dca, *start, 1.0, -0.5, max_iter=1)
    assert not machine.converged
    assert machine.n_steps == 1
    assert machine.objectives[1] < machine.objectives[0]
    message = "for 1 of 1 robust machines: the first has C = 1"
    warned(message, dca_path, *start, [1.0], -0.5, max_iter=1)
    message = (
        "A convex problem is not solved to tol.*Raise tol, lower C or scale the inputs"
    )
    assert not warned(message, dca, *start, 1.0, -0.5, max_inner=2).converged


def ways_down(X, y, utility, C, s, machine, seed):
    """The least objective a little way along many lines from a machine, less its own."""
    rng = np.random.default_rng(seed)
    k = len(utility)
    here = np.column_stack([machine.w, machine.intercept])
    augmented = np.column_stack([X, np.ones(len(X))])
    directions = rng.normal(size=(600, *here.shape))
    # Those along points, at whose margins kinks are, and along whole numbers.
    directions[:200] = np.einsum(
        "qk,qd->qkd", rng.normal(size=(200, k)), augmented[rng.integers(0, len(X), 200)]
    )
    directions[200:400] = rng.integers(-2, 3, size=(200, *here.shape))
    directions -= directions.mean(axis=1, keepdims=True)
    directions /= 1e-9 + np.abs(directions).max(axis=(1, 2), keepdims=True)
    least = np.inf
    for length in (1e-5, 1e-4):
        points = here + length * directions
        g = np.array([margins(augmented @ point.T) for point in points])
        loss = np.maximum(1.0 - g, 0.0) - np.maximum(s - g, 0.0)
        values = 0.5 * np.sum(points[:, :, :-1] ** 2, axis=(1, 2))
        values += C * np.einsum("qij,ij->q", loss, utility[y])
        least = min(least, values.min() - machine.objective)
    return least


def test_no_line_leads_down_from_where_it_ends():
    """Points on a grid, many of them alike, of which margins sit at the truncation."""
    n_at_kinks = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 4))
        X = rng.integers(0, 5, (rng.integers(3, 9), rng.integers(1, 3))).astype(float)
        y = rng.integers(0, k, len(X))
        others = np.round(rng.random((k, k)), 1) * rng.integers(0, 2)
        utility = np.eye(k) + (1.0 - np.eye(k)) * others
        C = 10.0 ** rng.integers(-1, 3)
        s = (-1.0, -0.5, 0.0)[seed % 3]
        machine = dca(Design.linear(X), y, utility, C, s, tol=1e-10)
        near = np.abs(margins(machine.decision_function) - s) < 1e-5
        n_at_kinks += np.any(near & (utility[y] > 0))
        if "local minimum" in machine.stop_reason:
            fall = ways_down(X, y, utility, C, s, machine, seed)
            assert fall > -1e-7 * machine.objective, (seed, machine.stop_reason)
        else:
            assert "stationary" in machine.stop_reason, machine.stop_reason
    assert n_at_kinks > 10


@cases(
    "X, y, utility, least",
    ([0, 0, 3, 4], [0, 1, 0, 1], np.eye(2), 21.0),
    ([0, 1, 2], [1, 0, 0], [[1.0, 0.9], [0.9, 1.0]], 55.0),
    ids=["duplicates", "utilities"],
)
def test_it_leaves_a_kink_of_the_truncation(X, y, utility, least):
    X = np.array(X, dtype=float)[:, np.newaxis]
    machine = dca(Design.linear(X), np.array(y), np.array(utility), 10.0, -1.0)
    assert machine.converged
    assert machine.objective == pytest.approx(least, rel=1e-6)
    assert "local minimum" in machine.stop_reason
