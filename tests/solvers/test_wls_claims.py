"""What the paper claims of its iteration: convergence, descent, the factor 2, the hard margin."""

import cvxpy as cp
import numpy as np
import pytest
from _cases import cases, each, warned
from _problems import two_classes
from numpy.testing import assert_allclose, assert_array_equal

from companion.losses import Hinge, Unbiased
from companion.solvers import Design, smo, wls


def random_problem(seed):
    """A linear design of random size, scale and separation, its labels and C."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    m = int(rng.integers(1, 6))
    X = rng.normal(size=(n, m)) * 10 ** rng.uniform(-1, 1)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X[:, 0] += y * rng.uniform(0, 3)
    return Design.linear(X), y, 10 ** rng.uniform(-2, 3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_plain_step_for_s_2_can_only_raise_the_objective_by_samples_that_come_back():
    """The quadratic bounds the loss of the samples within or beyond the margin, of no others."""
    rises = 0
    tame = 0
    for seed in range(300):
        design, y, C = random_problem(seed)
        machine = wls(
            design, y, C, loss=Unbiased(2), accelerate=False, history=True, max_iter=30
        )
        points = machine.log["w"]
        objective = machine.log["objective"]
        margins = y * (points @ design.augmented.T)
        for k in range(len(points) - 1):
            rise = objective[k + 1] > objective[k] * (1 + 1e-9)
            comes_back = np.any((margins[k] >= 1) & (margins[k + 1] < 1))
            assert comes_back or not rise
            rises = rises + rise
            tame = tame + (not comes_back)
    assert rises > 20
    assert tame > 500


def test_the_plain_iteration_for_s_2_can_go_round_and_damping_or_halving_cures_it():
    message = (
        "without settling: the objective rose in.*larger damping, or accelerate=True"
    )
    problem = random_problem(0)
    loss = Unbiased(2)
    plain = warned(message, wls, *problem, loss=loss, accelerate=False, history=True)
    objective = plain.log["objective"]
    assert_allclose(objective[-6:], objective[-12:-6], rtol=1e-6)  # six machines
    assert objective[-6:].max() > 10 * objective[-6:].min()
    assert wls(*problem, loss=loss, accelerate=False, damping=0.5).converged
    assert wls(*problem, loss=loss).converged


def one_weight(C):
    """Points at +1 and -1 and no bias: f = w x, one slack xi = 1 - w, and w = 2 C theta'(xi)."""
    return (
        Design.linear(np.array([[1.0], [-1.0]]), bias=False),
        np.array([1.0, -1.0]),
        C,
    )


@each(s=[2.0, 3.0, 4.0, 6.0], damping=[0.0, 0.2, 0.6])
def test_one_iteration_multiplies_a_deviation_by_what_the_linearisation_says(
    s, damping
):
    C = 50.0
    fixed = wls(*one_weight(C), loss=Unbiased(s), tol=1e-12)
    xi = 1.0 - fixed.w[0]
    slope = 0.5 * s * xi ** (s - 1)
    assert fixed.w[0] == pytest.approx(2 * C * slope, rel=1e-9)
    M = 1 + 2 * C * slope / xi
    H = 1 + 2 * C * (s - 1) * slope / xi
    factor = damping + (1 - damping) * (1 - H / M)
    assert factor >= damping + (1 - damping) * (2 - s) - 1e-12
    options = {"loss": Unbiased(s), "accelerate": False, "max_iter": 1, "tol": 1e-14}
    moved = []
    for step in (1e-6, -1e-6):
        options["start"] = np.array([fixed.w[0] + step, 0.0])
        end = warned(
            "wls has not converged", wls, *one_weight(C), damping=damping, **options
        )
        moved.append(end.w[0])
    assert (moved[0] - moved[1]) / 2e-6 == pytest.approx(factor, rel=1e-4, abs=1e-4)


@cases("s", 3.5, 4.0, 6.0)
def test_the_stability_bound_is_met_in_the_limit_of_a_large_cost(s):
    """Just below (s - 3) / (s - 1) the iteration alternates, just above it converges."""
    problem = one_weight(1e10)
    settings = dict(loss=Unbiased(s), accelerate=False, max_iter=5000)
    bound = (s - 3) / (s - 1)
    chosen = (s - 2) / (s - 1)
    little = max(bound - 0.05, 0.0)
    message = "stable only with a damping above"
    below = warned(message, wls, *problem, damping=little, **settings)
    assert not below.converged
    assert "period two" in below.stop_reason
    assert wls(*problem, damping=bound + 0.05, **settings).converged
    auto, same = (
        wls(*problem, damping=damping, **settings) for damping in ("auto", chosen)
    )
    assert auto.converged
    assert_array_equal(auto.w, same.w)


def test_the_papers_damping_lets_s_4_alternate_and_the_warning_names_the_cure():
    problem = one_weight(1e4)
    loss = Unbiased(4)
    message = (
        r"period two.*s = 4 is stable only with a damping above \(s - 3\) / \(s - 1\) = 0.333, and "
        r"damping is 0.2. Use damping='auto' \(0.667\)"
    )
    damped = {"loss": loss, "damping": 0.2}
    orbit = warned(message, wls, *problem, accelerate=False, history=True, **damped)
    w = orbit.log["w"][:, 0]
    assert abs(w[-1] - w[-3]) < 1e-3 * abs(w[-1] - w[-2])
    assert abs(w[-1] - w[-2]) > 1e-3
    cured = wls(*problem, loss=loss, accelerate=False)
    halved = wls(*problem, **damped)
    assert cured.w[0] == pytest.approx(halved.w[0], abs=1e-5)


# ------------------------------------------------------ the factor 2 of (22), and the hard margin


@cases("loss", Hinge(), Unbiased(2), Unbiased(4), ids=str)
def test_the_printed_weights_fit_the_machine_of_twice_the_cost(loss):
    X, y = two_classes(60, seed=6, n_features=1)
    design = Design.linear(X)
    C = 0.05
    once, twice = (wls(design, y, cost, loss=loss, tol=1e-9) for cost in (C, 2 * C))
    settings = dict(loss=loss, accelerate=False, tol=1e-7, max_iter=20_000)
    printed = wls(design, y, C, printed_weights=True, **settings)
    right = wls(design, y, C, **settings)
    assert_allclose(right.decision_function, once.decision_function, atol=1e-3)
    assert_allclose(printed.decision_function, twice.decision_function, atol=1e-3)
    assert np.abs(once.decision_function - twice.decision_function).max() > 0.02


def test_the_weights_of_the_hinge_solve_the_quadratic_program_of_C_not_2_C():
    X, y = two_classes(40, seed=6, n_features=2)
    settings = dict(accelerate=False, tol=1e-7, max_iter=20_000)
    for cost, printed in ((0.1, False), (0.2, True)):
        w = cp.Variable(2)
        b = cp.Variable()
        slack = cp.sum(cp.pos(1 - cp.multiply(y, X @ w + b)))
        problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + cost * slack))
        value = problem.solve(solver=cp.CLARABEL)
        found = wls(Design.linear(X), y, 0.1, printed_weights=printed, **settings)
        assert_allclose(found.decision_function, X @ w.value + b.value, atol=1e-3)
        assert printed or found.objective == pytest.approx(value, rel=1e-6)


def hard_margin(X, y):
    """Machine and largest multiplier of the hard-margin problem."""
    dual = smo(X @ X.T, y, 0.0, np.inf, tol=1e-10)
    return dual, X.T @ (y * dual.alpha), dual.alpha.max()


@cases("s, k", (2.0, 1e-6), (2.0, 1e-2), (4.0, 1e-4))
def test_separable_data_have_the_hard_margin_solution_where_the_slope_at_zero_allows_it(
    s, k
):
    X, y = two_classes(40, seed=8, noise=0.15)
    dual, w, largest = hard_margin(X, y)
    root = k ** (1 / s)
    slope = s * k ** ((s - 1) / s) / (2 * (1 + root) ** s)
    design = Design.linear(X)
    options = {"loss": Unbiased(s, k), "start": "svc", "tol": 1e-9}
    found, short = (wls(design, y, c * largest / slope, **options) for c in (1.5, 0.3))
    assert_allclose(found.w, w, rtol=1e-4)
    assert_allclose(found.decision_function, dual.decision_function, atol=1e-4)
    assert found.alpha.max() == pytest.approx(largest, rel=1e-3)
    assert np.linalg.norm(short.w) < (1 - 1e-3) * np.linalg.norm(w)
    assert np.min(y * short.decision_function) < 1 - 1e-3


def test_without_the_constant_no_finite_cost_gives_the_hard_margin():
    X, y = two_classes(40, seed=8, noise=0.15)
    _, w, largest = hard_margin(X, y)
    design = Design.linear(X)
    options = {"loss": Unbiased(2, 0.0), "start": "svc", "tol": 1e-9}
    found = (
        wls(design, y, C, **options).w for C in 10.0 ** np.arange(1, 7, 2) * largest
    )
    distances = [np.linalg.norm(w) - np.linalg.norm(w_of_C) for w_of_C in found]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] > 0
