"""The minimum-margin hinge of three classes in the plane: blocks against the general code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from margin_problems import clouds, random_beta, random_utility

from companion.solvers import Design, _min_margin_shrinking
from companion.solvers._min_margin_interior import interior_point
from companion.solvers._min_margin_kernels import centre
from companion.solvers._min_margin_plane import minimise_in_plane
from companion.solvers._min_margin_shrinking import minimise
from companion.solvers._min_margin_system import class_values
from companion.solvers.min_margin import MarginProblem


def problem(seed, n=150, spread=0.7):
    X, y = clouds(n, 3, 2, seed, spread)
    utility = random_utility(3, seed)
    return y, utility, MarginProblem(Design.linear(X), y, utility, None, "test")


def general(P, p, linear, level, ridge, anchor, offset, tol=1e-10):
    """Primal value of the interior point on all terms, in one go and without blocks."""
    alpha, t, d_t = np.empty((3, p.size)), np.empty((3, p.size)), np.empty((3, p.size))
    V = np.zeros((2, 3))
    centre(class_values(P.basis, V, P.Z), P.groups, p, level, p.mean() / 3, alpha, t)
    value, _, _, is_solved = interior_point(
        P.Z,
        P.groups,
        p,
        linear,
        P.basis,
        level,
        ridge,
        anchor,
        V,
        offset,
        tol,
        300,
        0.0,
        alpha,
        t,
        d_t,
    )
    assert is_solved
    return value


def in_plane(
    P,
    p,
    linear,
    level=1.0,
    ridge=0.0,
    anchor=None,
    offset=0.0,
    *,
    tol=1e-8,
    max_iter=200,
    solver=minimise_in_plane,
):
    anchor = np.zeros(2) if anchor is None else anchor
    V, alpha = np.zeros((2, 3)), np.full((3, p.size), np.nan)
    report = solver(
        P.Z,
        P.groups,
        p,
        linear,
        P.basis,
        level,
        ridge,
        anchor,
        V,
        1.0,
        offset,
        tol,
        max_iter,
        alpha,
    )
    return *report, V, alpha


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.sampled_from([4, 30, 150, 1300]),
    log_C=st.floats(-4.0, 4.0),
    spread=st.sampled_from([0.01, 0.7, 5.0]),
    is_step=st.booleans(),
)
def test_values_are_those_of_the_general_code(seed, n, log_C, spread, is_step):
    """The convex machine, and the cost form's DC step with its proximal term in b."""
    y, utility, P = problem(seed, n, spread)
    C = 10.0**log_C
    p, linear, level, ridge, anchor, offset = C * P.p, np.zeros((3, n)), 1.0, 0.0, np.zeros(2), 0.0
    if is_step:
        linear = P.linear_terms(random_beta(y, utility, C, seed))
        level, ridge, anchor = -1.0, 1e-3 * min(1.0, p.mean()), np.array([0.3, -0.2])
        offset = p.sum()
    wanted = general(P, p, linear, level, ridge, anchor, offset)
    value, gap, _, is_solved, V, alpha = in_plane(
        P, p, linear, level, ridge, anchor, offset, solver=minimise
    )
    scale = max(value + offset, 1e-4 * p.sum())
    assert is_solved
    assert -1e-12 * scale <= gap <= 1e-8 * scale
    assert value == pytest.approx(wanted, abs=2e-8 * scale)
    np.testing.assert_allclose(alpha.sum(axis=0), p, rtol=1e-9)
    assert alpha.min() >= 0.0
    assert np.isfinite(V).all()


def test_the_convex_machine_needs_no_help_of_the_general_code():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        _, _, P = problem(seed, int(rng.choice([20, 150, 400, 1500])), rng.choice([0.1, 0.7, 3.0]))
        p = 10.0 ** rng.uniform(-4.0, 4.0) * P.p
        value, gap, _, is_solved, *_ = in_plane(P, p, np.zeros((3, P.n)))
        assert is_solved, f"seed {seed}: gap {gap:g} at {value:g}"


def test_the_general_code_takes_over_where_progress_stops():
    _, _, P = problem(1)
    python = _min_margin_shrinking.minimise.py_func
    before = python.__globals__["minimise_in_plane"]
    python.__globals__["minimise_in_plane"] = lambda *_: (0.0, np.inf, 7, False)
    try:
        value, gap, n_iter, is_solved, *_ = in_plane(P, P.p, np.zeros((3, P.n)), solver=python)
    finally:
        python.__globals__["minimise_in_plane"] = before
    reference, _, n_plane, *_ = in_plane(P, P.p, np.zeros((3, P.n)), solver=minimise)
    assert is_solved and gap <= 1e-8 * value
    assert 7 < n_iter <= 7 + 2 * n_plane
    assert value == pytest.approx(reference, rel=2e-8)


@pytest.mark.parametrize("max_iter", [0, 1, 5, 9, 11])
def test_a_spent_budget_leaves_the_last_iterate_and_its_gap(max_iter):
    _, _, P = problem(2, n=400)
    value, gap, n_iter, is_solved, _, alpha = in_plane(
        P, P.p, np.zeros((3, P.n)), tol=1e-12, max_iter=max_iter
    )
    reference, *_ = in_plane(P, P.p, np.zeros((3, P.n)), tol=1e-10)
    assert not is_solved and n_iter == max_iter
    assert value - reference >= -1e-9 * reference
    assert gap >= value - reference - 1e-9 * reference
    np.testing.assert_allclose(alpha.sum(axis=0), P.p, rtol=1e-9)
