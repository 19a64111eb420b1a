"""What the studies behind ``theory`` and ``beyond`` compute, against direct computations."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from companion.papers.wrsvm import exact, examples, population, theory
from companion.solvers import Design, dca, min_margin

LOSSES = list(theory.LOSSES)


def expected_loss(f, A, loss, s):
    return theory.truncated(loss, s, theory.margins(np.asarray(f))) @ A


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("k", [3, 4])
def test_the_least_over_leads_is_the_least_over_all_f(loss, k):
    rng = np.random.default_rng(k)
    for s in (
        0.6 * theory.LOSSES[loss][2](k),
        2.0 * theory.LOSSES[loss][2](k),
        -np.inf,
    ):
        A = rng.dirichlet(np.full(k, 8.0))
        best = A.max()
        gain = theory.advantage(
            loss, np.array([s]), np.array([best]), np.array([1 - best])
        )[0]
        reduced = expected_loss(np.zeros(k), A, loss, s) - max(gain, 0.0)
        starts = [
            rng.normal(size=k) * scale for scale in (0.1, 1.0, 3.0) for _ in range(8)
        ]
        starts += [12.0 * np.eye(k)[A.argmax()], np.zeros(k)]
        ends = [
            minimize(expected_loss, f, (A, loss, s), method="Nelder-Mead")
            for f in starts
        ]
        least = min(end.fun for end in ends)
        assert least == pytest.approx(reduced, abs=2e-3)
        assert least > reduced - 1e-9


@pytest.mark.parametrize("place", theory.PLACES)
def test_the_theorem_holds_inside_the_interval_and_fails_outside(place):
    for loss in LOSSES:
        unit = theory.THEORY_THEOREM.unit(loss=loss, k=3, s_is=place, draws=4000)
        row = theory.compute_theorem(unit)
        assert row["random_f_below"] < 1e-9
        assert (row["n_consistent"] == 4000) == (place in ("inside", "at the end"))


def test_the_algorithm_done_by_hand_ends_where_the_solver_does():
    (X, y), _ = population.samples(1, examples.FLIP)
    found = theory._by_hand(Design.linear(X), X, y, examples.utility(3, 0.4))
    assert found["steps"] >= 2
    assert found["decrease"] > 0.05
    assert found["largest_rise"] < 1e-9
    assert abs(found["above_solver"]) < 1e-7
    assert max(found["sum_of_w"], found["error_of_13"]) < 1e-9
    assert found["error_of_15"] < 1e-6


def test_the_objective_and_the_betas_are_those_of_the_solver():
    U = examples.utility(2, 0.4)
    X, y = examples.piecewise_linear(80, np.random.default_rng(5), 0.15)
    design = Design.linear(X)
    for form, weights, s in (
        ("utility", U, -0.5),
        ("cost", 1 - U, -0.5),
        ("cost", 1 - U, None),
    ):
        found = dca(design, y, weights, 2.0, s, form=form)
        end = {"C": 2.0, "s": -np.inf if s is None else s, "form": form}
        value = theory.robust_objective(found.w, found.intercept, X, y, weights, **end)
        assert value == pytest.approx(found.objective, rel=1e-9)
        if form == "utility":
            betas = theory.betas(found.decision_function, y, U, 2.0, -0.5)
            assert np.array_equal(betas, found.beta)


def by_enumeration(X, y, U, C, s):
    """The least over all sets of truncated terms, a convex machine each."""
    sample, label = np.nonzero(U[y] > 0)
    weight = C * U[y[sample], label]
    least = np.inf
    for kept in product((False, True), repeat=len(weight)):
        kept = np.flatnonzero(kept)
        value = (1 - s) * (weight.sum() - weight[kept].sum())
        if len(kept):
            design = Design.linear(X[sample[kept]])
            options = {"tol": 1e-6}
            options["sample_weight"] = weight[kept]
            value += min_margin(
                design, label[kept], np.eye(len(U)), 1.0, **options
            ).objective
        least = min(least, value)
    return least


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("config", "a", "n"), [(1, 0.0, 8), (3, 0.4, 5), (2, 0.6, 4)])
def test_branch_and_bound_finds_what_enumeration_finds(config, a, n):
    U = examples.utility(config, a)
    for seed in (1, 4):
        X, y = examples.piecewise_linear(n, np.random.default_rng(seed), 0.3)
        for C in (1.0, 5.0):
            found = exact.global_minimum(X, y, U, C, -0.5)
            least = by_enumeration(X, y, U, C, -0.5)
            assert found.objective == pytest.approx(least, rel=2 * exact.TOLERANCE)
            assert found.bound <= least * (1 + 1e-6)


def test_a_spent_budget_of_nodes_leaves_a_bound_that_holds():
    U = examples.utility(3, 0.4)
    X, y = examples.piecewise_linear(10, np.random.default_rng(0), 0.3)
    whole = exact.global_minimum(X, y, U, 1.0, -0.5)
    part = exact.global_minimum(X, y, U, 1.0, -0.5, max_nodes=5)
    assert part.n_nodes == 5 < whole.n_nodes
    assert 0 < part.bound < whole.bound <= whole.objective <= part.objective
