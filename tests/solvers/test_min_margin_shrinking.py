"""The minimum-margin hinge with decided terms left out: the whole problem's certificate counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from margin_problems import clouds, primal_value, random_utility

from companion.kernels import gram
from companion.solvers import Design, _min_margin_shrinking
from companion.solvers._min_margin_interior import interior_point
from companion.solvers._min_margin_kernels import centre
from companion.solvers._min_margin_shrinking import decided, minimise
from companion.solvers._min_margin_system import class_values
from companion.solvers.min_margin import MarginProblem


def problem(k, seed, n=150, kernel="linear"):
    X, y = clouds(n, k, 2, seed)
    design = Design.linear(X) if kernel == "linear" else Design.kernel(gram(X, gamma=0.5))
    return X, y, MarginProblem(design, y, random_utility(k, seed), None, "test")


def whole(P, C, tol=1e-8, until=0.0, alpha=None):
    """The interior point on all terms: value, gap, iterations, solved, V, alpha, t, d_t."""
    p, shape = C * P.p, (P.k, P.p.size)
    alpha, t, d_t = np.empty(shape), np.empty(shape), np.empty(shape)
    V, linear = np.zeros((P.k - 1, P.Z.shape[0])), np.zeros((P.k, P.n))
    F = class_values(P.basis, V, P.Z)
    centre(F, P.groups, p, 1.0, p.mean() / P.k, alpha, t)
    report = interior_point(
        P.Z,
        P.groups,
        p,
        linear,
        P.basis,
        1.0,
        0.0,
        np.zeros(P.k - 1),
        V,
        0.0,
        tol,
        200,
        until,
        alpha,
        t,
        d_t,
    )
    return *report, V, alpha, t, d_t


def shrunk(P, C, tol=1e-8, solver=minimise):
    """With decided terms left out: value, gap, iterations, solved, V, alpha."""
    V, alpha = np.zeros((P.k - 1, P.Z.shape[0])), np.empty((P.k, P.p.size))
    report = solver(
        P.Z,
        P.groups,
        C * P.p,
        np.zeros((P.k, P.n)),
        P.basis,
        1.0,
        0.0,
        np.zeros(P.k - 1),
        V,
        1.0,
        0.0,
        tol,
        200,
        alpha,
    )
    return *report, V, alpha


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("k", "C", "seed"), [(2, 1.0, 0), (3, 0.1, 1), (3, 10.0, 2), (4, 1.0, 3)])
def test_the_value_is_that_of_the_whole_problem_and_of_a_generic_qp(kernel, k, C, seed):
    _, y, P = problem(k, seed, kernel=kernel)
    value, gap, _, is_solved, V, alpha = shrunk(P, C)
    reference, _, _, is_reference, W, *_ = whole(P, C)
    assert is_solved and is_reference
    assert -1e-12 * value <= gap <= 1e-8 * value
    assert value == pytest.approx(reference, rel=2e-8)
    np.testing.assert_allclose(V[:, :-1], W[:, :-1], atol=1e-3 * max(1.0, np.abs(W).max()))
    np.testing.assert_allclose(alpha.sum(axis=0), C * P.p, rtol=1e-12)
    wanted = primal_value(P.design.augmented[:, :-1], y, P.utility, C)
    assert value == pytest.approx(wanted, rel=1e-6)


def test_many_terms_are_decided_half_way_and_keep_their_leader():
    _, _, P = problem(3, 0, n=400)
    _, _, n_iter, is_solved, _, alpha, t, d_t = whole(P, 1.0, until=1e-2)
    assert not is_solved and n_iter > 2
    leader = decided(P.p, alpha, t, d_t)
    share = (leader >= 0).mean()
    assert share > 0.4
    *_, final, _, _ = whole(P, 1.0, tol=1e-10)
    terms = np.flatnonzero(leader >= 0)
    np.testing.assert_allclose(final[leader[terms], terms], P.p[terms], rtol=1e-2)


def test_where_a_leader_is_wrong_the_whole_problem_is_solved():
    """Every term taken for decided, on the wrong side for some: the certificate refuses it."""
    _, _, P = problem(3, 4, n=200, kernel="rbf")
    calls = []

    def astray(p, alpha, t, d_t):
        calls.append(len(p))
        leader = alpha.argmin(axis=0)
        leader[::2] = -1
        return leader

    python = _min_margin_shrinking.minimise.py_func
    before = python.__globals__["decided"]
    python.__globals__["decided"] = astray
    try:
        value, gap, n_iter, is_solved, *_ = shrunk(P, 1.0, solver=python)
    finally:
        python.__globals__["decided"] = before
    reference, _, n_whole, *_ = whole(P, 1.0)
    assert calls == [P.p.size]
    assert is_solved and gap <= 1e-8 * value and n_iter > n_whole
    assert value == pytest.approx(reference, rel=2e-8)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 4),
    style=st.sampled_from(["plain", "rounded", "repeated", "constant column", "tiny", "huge"]),
    log_C=st.floats(-4.0, 4.0),
    is_rare=st.booleans(),
    d=st.sampled_from([2, 3]),
)
def test_degenerate_samples_have_a_certified_solution(seed, k, style, log_C, is_rare, d):
    rng = np.random.default_rng(seed)
    n = 120
    X = rng.normal(size=(n, d)) * {"tiny": 1e-3, "huge": 1e3}.get(style, 1.0)
    if style == "rounded":
        X = np.round(X)
    if style == "repeated":
        X = X[rng.integers(0, n // 4, n)]
    if style == "constant column":
        X[:, 0] = 1.0
    y = rng.integers(0, k, n)
    if is_rare:
        y[y == k - 1] = 0
        y[0] = k - 1
    P = MarginProblem(Design.linear(X), y, random_utility(k, seed), None, "test")
    C = 10.0**log_C
    value, gap, _, is_solved, *_ = shrunk(P, C, tol=1e-6)
    scale = 1e-6 * max(value, 1e-4 * C * P.p.sum())
    assert is_solved
    assert -1e-3 * scale <= gap <= scale
    assert value == pytest.approx(whole(P, C, tol=1e-6)[0], abs=2.0 * scale)
