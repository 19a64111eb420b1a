"""The minimum-margin hinge of three classes in the plane: blocks against the general code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from margin_problems import clouds, random_beta, random_utility

from companion.solvers import Design, _min_margin_plane, _min_margin_shrinking
from companion.solvers._min_margin_blocks import LANES, block_sizes
from companion.solvers._min_margin_interior import interior_point
from companion.solvers._min_margin_kernels import WORTH, centre
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


def test_wrong_decisions_are_refused_by_the_certificate():
    """Every second decided term goes to another class: the small problem's solution is none."""
    _, _, P = problem(1, n=200)
    samples = np.concatenate([np.arange(low, high) for low, high, *_ in P.groups])
    columns = np.repeat(P.groups[:, 2], P.groups[:, 1] - P.groups[:, 0])
    shares, gaps = [], []

    def astray(blocks, data, numbers, pulls, differences, level, alpha):
        part, some, constant, n_some = honest["undecided"](
            blocks, data, numbers, pulls, differences, level, alpha
        )
        shares.append(n_some / P.p.size)
        kept = np.concatenate([some[k, :n] for k, (_, n) in enumerate(part[0])])
        for term in np.setdiff1d(np.arange(P.p.size), kept)[::2]:
            before = alpha[:, term].argmax()
            after = (before + 1) % 3
            alpha[:, term] = np.roll(alpha[:, term], 1)
            part[2][:] += P.p[term] * np.outer(
                P.basis[after] - P.basis[before], P.Z[:, samples[term]]
            )
            j = columns[term]
            constant += level * P.p[term] * (int(after != j) - int(before != j))
        return part, some, constant, n_some

    def certified(*arguments):
        primal, gap = honest["_certified"](*arguments)
        gaps.append(gap / primal)
        return primal, gap

    python = _min_margin_plane.minimise_in_plane.py_func
    honest = {name: python.__globals__[name] for name in ("undecided", "_certified")}
    nothing = np.zeros((3, P.n))
    python.__globals__.update(undecided=astray, _certified=certified)
    try:
        value, gap, n_iter, is_solved, *_ = in_plane(P, P.p, nothing, solver=python)
    finally:
        python.__globals__.update(honest)
    straight = in_plane(P, P.p, nothing)
    assert len(shares) == 1 and 0.0 < shares[0] <= WORTH
    assert len(gaps) > 1 and min(gaps[:-1]) > 1e-3
    assert is_solved and gap <= 1e-8 * value and n_iter > straight[2]
    assert value == pytest.approx(straight[0], rel=2e-8)


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
    value, gap, n_iter, is_solved, _V, alpha = in_plane(
        P, P.p, np.zeros((3, P.n)), tol=1e-12, max_iter=max_iter
    )
    reference, *_ = in_plane(P, P.p, np.zeros((3, P.n)), tol=1e-10)
    assert not is_solved and n_iter == max_iter
    assert value - reference >= -1e-9 * reference
    assert gap >= value - reference - 1e-9 * reference
    np.testing.assert_allclose(alpha.sum(axis=0), P.p, rtol=1e-9)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3 * LANES), min_size=3, max_size=3))
def test_blocks_hold_all_terms_of_one_column_evenly(counts):
    blocks = block_sizes(np.array(counts))
    for j, count in enumerate(counts):
        sizes = blocks[blocks[:, 0] == j, 1]
        assert sizes.sum() == count
        assert len(sizes) == -(-count // LANES)
        assert ((sizes > 0) & (sizes <= LANES)).all()
        assert not len(sizes) or sizes.max() - sizes[-1] <= 8 * len(sizes)
    assert (np.diff(blocks[:, 0]) >= 0).all()
