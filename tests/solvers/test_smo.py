"""SMO: certificates, agreement with other solvers, the paper's algorithm, edges, errors."""

import numpy as np
import pytest
from _cases import cases, each, refusals, refused, warned
from _problems import KERNELS, MACHINES, machine, problem, same_machine, two_classes
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from companion.kernels import KernelRows, gram
from companion.solvers import smo
from companion.solvers.smo import NotPositiveSemiDefinite

SELECTIONS = ("first_order", "second_order")


def solved(K, y, lower, upper, ridge=0.0, tol=1e-3, rows=None, **options):
    """SMO's result, whose feasibility, stationarity and gap are those of the definitions."""
    result = smo(
        K if rows is None else rows, y, lower, upper, ridge=ridge, tol=tol, **options
    )
    lower, upper, ridge = (np.broadcast_to(v, len(y)) for v in (lower, upper, ridge))
    a = result.alpha
    K = K.astype(float)
    Q = y[:, None] * y * K + np.diag(ridge)
    assert abs(y @ a) <= 1e-9 * max(np.abs(a).sum(), 1.0)
    assert (a >= lower).all()
    assert (a <= upper).all()
    scores = y * (1.0 - Q @ a)
    rises, falls = np.where(y > 0, [a < upper, a > lower], [a > lower, a < upper])
    top = np.max(scores[rises], initial=-np.inf)
    violation = max(top - np.min(scores[falls], initial=np.inf), 0.0)
    assert result.kkt_violation == pytest.approx(violation, abs=1e-9)
    assert violation <= tol
    assert result.objective == pytest.approx(
        0.5 * a @ Q @ a - a.sum(), rel=1e-9, abs=1e-12
    )
    assert result.duality_gap >= -1e-9 * (1.0 + abs(result.objective))
    # The gap of a point with violation v is at most v times the mass that can move.
    mass = np.abs(np.clip(1e3, lower, upper)).sum()
    assert result.duality_gap <= 2.0 * tol * max(mass, 1e3) + 1e-9
    f = K @ (y * a) + result.intercept
    assert_allclose(result.decision_function, f, atol=1e-8 * (1 + np.abs(a).sum()))
    assert result.converged
    return result


@each(kernel=KERNELS, selection=SELECTIONS, accelerate=[True, False], name=MACHINES)
def test_every_solution_carries_its_certificates(name, selection, accelerate, kernel):
    options = {"selection": selection, "accelerate": accelerate, "tol": 1e-4}
    for C in (1e-2, 3.0):
        result = solved(*problem(kernel=kernel), **machine(name, C), **options)
        assert "at most tol" in result.stop_reason


COSTS = np.random.default_rng(0).uniform(0.2, 4.0, size=40)
BOXES = {name: machine(name, COSTS) for name in MACHINES}
BOXES["without zero"] = {"lower": np.full(40, 0.5), "upper": 1.5 + COSTS}


@cases("box", *BOXES.values(), ids=BOXES)
def test_every_sample_may_have_a_box_of_its_own_with_or_without_zero(box):
    solved(*problem(n=40, seed=3), **box, tol=1e-7)


def reference_smo(K, y, lower, upper, ridge, tol):
    """The algorithm of section 3 as printed, in alpha, with numpy alone: (alpha, iterations).

    F_j = W . X_j - y_j is kept current, the ridge (the tilde of eq. 10) before the rest. An
    unclipped step makes F_L and F_U equal, so that rounding decides between them.
    """
    n = len(y)
    lower, upper, ridge = (np.broadcast_to(v, n) for v in (lower, upper, ridge))
    end_L, end_U = np.where(y > 0, [upper, lower], [lower, upper])
    alpha = np.zeros(n)
    F = -y
    for iteration in range(1_000_000):
        L = np.argmin(np.where(y * alpha < y * end_L, F, np.inf))
        U = np.argmax(np.where(y * alpha > y * end_U, F, -np.inf))
        delta = F[U] - F[L]
        if delta <= tol:
            return alpha, iteration
        squared_norm = (K[L, L] + ridge[L]) + (K[U, U] + ridge[U]) - 2.0 * K[L, U]
        step = delta / max(squared_norm, 1e-12)
        room_L = abs(end_L[L] - alpha[L])
        room_U = abs(alpha[U] - end_U[U])
        step = min(step, room_L, room_U)
        alpha[L] = end_L[L] if step == room_L else alpha[L] + y[L] * step
        alpha[U] = end_U[U] if step == room_U else alpha[U] - y[U] * step
        F[L] += step * ridge[L]
        F[U] -= step * ridge[U]
        F = F + step * (K[L] - K[U])
    raise AssertionError("The reference did not end.")


@each(C=[0.5, 20.0], name=MACHINES)
def test_plain_first_order_takes_the_iterations_of_the_papers_algorithm(name, C):
    (K, y), box = problem(n=37, seed=5, n_features=3), machine(name, C)
    alpha, n_iter = reference_smo(K, y, **box, tol=1e-3)
    result = smo(K, y, **box, selection="first_order", accelerate=False)
    assert result.n_iter == n_iter
    assert_allclose(result.alpha, alpha, atol=1e-8)
    assert np.array_equal(result.alpha != 0, alpha != 0)


@cases("name", *MACHINES)
def test_acceleration_does_not_change_the_solution(name):
    (K, y), box = problem(400, gamma=0.7, seed=7), machine(name, 50.0)
    plain = smo(K, y, **box, accelerate=False, tol=1e-6)
    same_machine(solved(K, y, **box, tol=1e-6), plain, atol=1e-4, rel=1e-8)


@cases("scale", 1e-20, 1e20, 1e60)
def test_the_unit_of_the_kernel_does_not_matter(scale):
    K, y = problem(n=120, seed=5)
    result, expected = (smo(c * K, y, 0.0, 3.0 / c, tol=1e-4) for c in (scale, 1.0))
    assert result.converged
    assert_allclose(result.decision_function, expected.decision_function, atol=1e-3)


@cases("name", *MACHINES)
def test_warm_start_from_the_solution_takes_no_iteration(name):
    (K, y), box = problem(), machine(name, 2.0)
    first = smo(K, y, **box)
    second = smo(K, y, **box, alpha0=first.alpha)
    assert second.n_iter == 0
    assert_array_equal(second.alpha, first.alpha)


@given(
    seed=st.integers(0, 200),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    size=st.sampled_from([1e-3, 1.0, 1e3]),
    tol=st.sampled_from([1e-1, 1e-5, 1e-7]),
    has_ridge=st.booleans(),
)
def test_any_start_is_made_feasible_and_leads_to_the_solution(
    seed, scale, size, tol, has_ridge
):
    rng = np.random.default_rng(seed)
    lower = -size * rng.uniform(size=30)
    upper = size * rng.uniform(size=30)
    ridge = has_ridge * rng.uniform(size=30)
    alpha0 = scale * rng.normal(size=30)
    (K, y), given_alpha0 = problem(n=30, seed=seed), alpha0.copy()
    solved(K, y, lower, upper, ridge, tol, alpha0=alpha0)
    assert_array_equal(alpha0, given_alpha0)


@given(
    n=st.integers(2, 40),
    d=st.integers(1, 5),
    copies=st.integers(0, 10),
    name=st.sampled_from(MACHINES),
    selection=st.sampled_from(SELECTIONS),
    seed=st.integers(0, 1000),
)
def test_odd_data_are_solved(n, d, copies, name, selection, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] = 1.0  # a constant column
    # identical points, perhaps of both classes
    X[rng.integers(0, n, size=copies)] = X[0]
    y = -np.ones(n)
    y[rng.integers(0, n)] = 1.0  # a class of one sample
    weight = rng.integers(0, 3, size=n).astype(float)  # some of them zero
    box = machine(name, 2.0)
    box |= {end: np.where(weight > 0, box[end], 0.0) for end in ("lower", "upper")}
    result = solved(gram(X, gamma=0.5), y, **box, selection=selection)
    assert (result.alpha[weight == 0] == 0).all()


def test_single_precision_matrix_gives_the_solution_of_its_own_kernel():
    K, y = problem(n=150)
    solved(K.astype(np.float32), y, -5.0, 5.0)


@each(
    kernel=["rbf", "poly"],
    cached_rows=[2, 30],
    accelerate=[True, False],
    name=["L1", "Least 1-Norm"],
)
def test_rows_on_demand_give_the_solution_of_the_matrix(
    name, accelerate, cached_rows, kernel
):
    X, y = two_classes(80, n_features=3, seed=3)
    of_kernel = {"kernel": kernel, "gamma": 0.4, "degree": 2, "coef0": 1.0}
    K = gram(X, **of_kernel)
    box = machine(name, 20.0 if kernel == "rbf" else 0.5)
    rows = KernelRows(X, cache_size=cached_rows * 80 * 8 / 1e6, **of_kernel)
    rows.buffer.fill(np.nan)  # what was never computed is not read
    result = solved(K, y, **box, rows=rows, accelerate=accelerate)
    assert result.objective == pytest.approx(
        smo(K, y, **box, tol=1e-6).objective, rel=1e-5
    )


@each(share=[(0.05, 5.0), (0.2, 4.0), (0.6, 2.0)], accelerate=[True, False])
def test_a_small_cache_computes_a_row_a_few_times_only(share, accelerate):
    X, y = two_classes(600, n_features=10, noise=1.0)
    part, most = share
    whole, rows = (
        KernelRows(X, gamma=0.05, cache_size=s * 600**2 * 8.01e-6) for s in (1.0, part)
    )
    options = {"accelerate": accelerate, "selection": SELECTIONS[accelerate]}
    smo(whole, y, 0.0, 1.0, **options)
    solved(gram(X, gamma=0.05), y, 0.0, 1.0, rows=rows, **options)
    assert rows.n_computed <= most * whole.n_computed


@cases("name", "LS", "Least 1-Norm")
def test_where_most_variables_are_free_rows_are_not_computed_without_end(name):
    X, y = two_classes(600, n_features=10, noise=1.0)
    K = gram(X, gamma=0.05)
    box = machine(name, 100.0)
    rows = KernelRows(X, gamma=0.05, cache_size=0.2 * 600**2 * 8.01e-6)
    result = solved(K, y, **box, rows=rows)
    assert np.count_nonzero(np.abs(result.alpha) < box["upper"]) > 0.8 * 600
    assert rows.n_computed < smo(K, y, **box).n_iter / 2


@each(selection=SELECTIONS, name=["L1", "Least 1-Norm"])
def test_a_hard_margin_that_does_not_exist_is_soon_given_up(name, selection):
    X, y = two_classes(300, n_features=3, seed=3)
    box = machine(name, np.inf)
    accelerate = selection == "second_order"
    options = {"selection": selection, "accelerate": accelerate}
    result = warned(
        "no machine fits", smo, gram(X, kernel="linear"), y, **box, **options
    )
    assert result.n_iter < 1_000_000


@cases("name", "L2", "LS")
def test_a_matrix_that_is_not_positive_semi_definite_is_seen_on_the_way(name):
    K, y = problem(100)
    pair = [3, 70]
    K[pair, pair] = 0.5
    K[pair, pair[::-1]] = 0.9
    box = machine(name, 10.0)
    seen = refused(None, smo, K, y, **box, error=NotPositiveSemiDefinite)
    assert seen.samples.tolist() == pair


@cases("accelerate", False, True)
def test_without_a_free_multiplier_the_intercept_is_the_middle_of_its_interval(
    accelerate,
):
    # The bounds are such that the last pair reaches its own in different roundings.
    K, y = problem(40, seed=3)
    for C in (1e-4 / 3.0, 1e-3 / 7.0, 1e-3 / 3.0):
        upper = C * np.where(y > 0, np.sum(y < 0), np.sum(y > 0)) * (0.1 + 0.2) / 0.3
        result = smo(K, y, 0.0, upper, accelerate=accelerate)
        assert not ((result.alpha > 0.0) & (result.alpha < upper)).any()
        scores = y - K @ (y * result.alpha)
        rises = np.where(y > 0, result.alpha < upper, result.alpha > 0.0)
        expected = 0.5 * (scores[rises].max() + scores[~rises].min())
        assert result.intercept == pytest.approx(expected, abs=1e-12)


@each(budget=[0, 7], accelerate=[True, False])
def test_budget_that_ends_first_is_warned_of_with_advice(accelerate, budget):
    K, y = problem(n=60)
    message = f"second_order.*budget of {budget} iterations.*KKT violation.*gap.*max_iter or tol"
    result = warned(
        message, smo, K, y, 0.0, 10.0, max_iter=budget, accelerate=accelerate
    )
    assert not result.converged
    assert result.alpha.any() == bool(budget)
    assert result.n_iter == budget
    assert result.kkt_violation > 1e-3
    # Without bounds there may be no end at all.
    message = f"budget of {budget} .*no machine fits the samples: use a finite C"
    warned(message, smo, K, y, 0.0, np.inf, max_iter=budget, accelerate=accelerate)


def test_a_tolerance_below_rounding_ends_with_a_warning_and_not_in_a_circle():
    K, y = problem(n=40)
    budget = 3_000_000
    message = "Rounding errors stop all progress"
    assert not warned(
        message, smo, 1e8 * K, y, 0.0, 1e8, tol=1e-30, max_iter=budget
    ).converged


@refusals(
    ({"K": np.full((60, 60), np.nan)}, "'K'.*finite"),
    ({"K": np.eye(59)}, r"\(60, 60\).*\(59, 59\)"),
    ({"y": np.arange(60.0)}, "labels -1 and \\+1"),
    ({"y": np.ones((60, 1))}, "vector of labels"),
    ({"lower": 2.0}, "lower <= upper.*sample 0"),
    ({"lower": np.nan}, "lower <= upper"),
    ({"lower": np.zeros(3)}, "'lower'.*length 60.*\\(3,\\)"),
    ({"lower": np.inf, "upper": np.inf}, "lower < inf"),
    ({"lower": 0.9, "upper": 1.0}, "y'a = 0.*between"),
    ({"ridge": -1.0}, "'ridge'.*at least 0"),
    ({"ridge": np.nan}, "'ridge'.*finite"),
    ({"selection": "random"}, "'selection'.*'random'"),
    ({"tol": 0.0}, "'tol'.*positive"),
    ({"tol": np.nan}, "'tol'.*positive"),
    ({"max_iter": -1}, "'max_iter'.*at least 0"),
    ({"alpha0": np.full(60, np.nan)}, "'alpha0'.*finite"),
    ({"alpha0": np.zeros(4)}, "'alpha0'.*length 60"),
)
def test_bad_input_is_refused_with_the_rule_and_what_was_got(change, message):
    K, y = problem()
    refused(message, smo, **{"K": K, "y": y, "lower": 0.0, "upper": 1.0} | change)
