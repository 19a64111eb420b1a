"""What the studies behind ``theory`` and ``beyond`` compute, against direct computations."""

import numpy as np
import pytest
from _cases import cases, each
from _margin_problems import betas, brackets
from numpy.testing import assert_allclose

from companion.papers.wrsvm import examples, population, theory
from companion.solvers import Design, dca, min_margin, utility_from_cost


@each(loss=theory.LOSSES, k=[3, 4])
def test_the_theorem_holds_inside_the_interval_and_fails_outside(loss, k):
    end = theory.LOSSES[loss][2](k)
    rng = np.random.default_rng(k)
    for s in (end * rng.uniform(size=20_000), end):
        assert theory.share_decided(loss, k, s, rng) == 1.0
    for s in (1.1 * end, -np.inf):
        assert 0.0 < theory.share_decided(loss, k, s, rng) < 1.0


@each(loss=theory.LOSSES, k=[3, 4])
def test_no_f_is_below_the_least_with_one_positive_margin(loss, k):
    """The lemma of the appendix, on random f, whatever the order of the classes."""
    rng = np.random.default_rng(k)
    n = 2000
    A = rng.dirichlet(np.ones(k), size=n)
    s = theory.LOSSES[loss][2](k) * rng.uniform(0.5, 1.5, size=n)
    best = A.max(axis=1)
    gain = theory.advantage(loss, s, best, 1.0 - best)
    least = theory.truncated(loss, s, np.zeros(n)) - np.maximum(gain, 0.0)
    f = rng.standard_normal((50, n, k)) * rng.exponential(2.0, size=(50, n, 1))
    values = theory.truncated(loss, s[:, None], theory.margins(f))
    assert (np.einsum("nj,fnj->fn", A, values) > least - 1e-9).all()


def test_costs_and_the_utilities_of_9_decide_alike():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), size=500)
    for probability, cost in zip(p, rng.uniform(size=(500, 4, 4)), strict=True):
        np.fill_diagonal(cost, 0.0)
        expected_cost = probability @ cost
        expected_utility = probability @ utility_from_cost(cost)
        assert_allclose(expected_cost + expected_utility, cost.max(), rtol=1e-12)
        assert expected_cost.argmin() == expected_utility.argmax()


@cases("config, a, sample", (1, 0.4, 2), (2, 0.4, 3), (3, 0.4, 1))
def test_the_algorithm_done_by_hand_ends_where_the_solver_does(config, a, sample):
    """No step raises (10), and (13) and (15) hold at its end.

    The solver goes on where a margin sits on a kink, so that it ends a little lower at times.
    """
    (X, y), _ = population.samples(sample, examples.FLIP)
    U = examples.utility(config, a)
    design = Design.linear(X)
    machine = min_margin(design, y, U, 1.0)
    beta = np.zeros((len(y), 3, 3))
    values = []
    for _ in range(100):
        w_and_b = machine.w, machine.intercept
        values.append(theory.robust_objective(*w_and_b, X, y, U, C=1.0, s=-0.5))
        new = betas(machine.decision_function, y, U, 1.0, -0.5)
        if np.array_equal(new, beta):
            break
        beta = new
        machine = min_margin(design, y, U, 1.0, beta=beta)
    assert len(values) > 2
    assert values[-1] < 0.95 * values[0]
    assert np.diff(values).max() < 1e-9 * values[0]
    found = dca(design, y, U, 1.0, -0.5)
    assert 0.9999 * values[-1] < found.objective < (1 + 1e-7) * values[-1]
    bracket = brackets(machine.alpha - beta)
    total = bracket.clip(min=0).sum()
    assert np.abs(bracket.sum(axis=0)).max() < 1e-9 * total  # (13)
    assert np.abs((bracket.T @ X).sum(axis=0)).max() < 1e-12 * total
    assert_allclose(bracket.T @ X, machine.w, atol=1e-5)  # (15)


@cases(
    "k, s",
    (2, 0.0),
    (3, 0.0),
    (3, examples.S),
    ids=["binary psi-learning", "psi-learning", "RSVM"],
)
def test_a_machine_that_8_covers_has_the_objective_of_its_own_problem(k, s):
    """Half the squared length of w, and the hinge of the lead of the own class up to 1 - s."""
    (X, y), _ = population.samples(1, examples.FLIP)
    points = X[y < k]
    labels = y[y < k]
    found = dca(Design.linear(points), labels, np.eye(k), 1.0, s)
    f = found.decision_function
    is_own = np.eye(k, dtype=bool)[labels]
    lead = f[is_own] - np.where(is_own, -np.inf, f).max(axis=1)
    value = 0.5 * (found.w**2).sum() + np.clip(1.0 - lead, 0.0, 1.0 - s).sum()
    assert found.objective == pytest.approx(value, rel=1e-9)


def test_diagonal_utilities_are_weights_on_the_samples_of_a_class():
    (X, y), _ = population.samples(1, examples.FLIP)
    weights = np.array([1.0, 2.0, 3.0])
    design = Design.linear(X)
    diagonal = dca(design, y, np.diag(weights), 1.0, examples.S)
    weighted = dca(design, y, np.eye(3), 1.0, examples.S, sample_weight=weights[y])
    assert diagonal.objective == pytest.approx(weighted.objective, rel=1e-9)


def test_cf_has_the_training_error_of_f_and_less_of_the_penalty():
    """For any c in (0, 1), so that I(g <= 0) in the place of psi would leave f = 0 alone."""
    rng = np.random.default_rng(4)
    X, y = examples.piecewise_linear(100, rng, examples.FLIP)
    columns = np.column_stack([X, np.ones(len(X))])
    for c in (1e-6, *rng.random(20)):
        v = rng.standard_normal((3, 3))
        v -= v.mean(axis=0)  # sum_j f_j = 0
        errors = [
            (theory.margins(columns @ w.T)[np.arange(len(y)), y] <= 0).mean()
            for w in (v, c * v)
        ]
        assert errors[0] == errors[1]
        assert ((c * v[:, :2]) ** 2).sum() < (v[:, :2] ** 2).sum()


@cases("s", 0.1, 0.5, 1.0)
def test_a_loss_that_is_cut_at_a_positive_margin_cannot_tell_margins_around_zero(s):
    """T_s = H_1 - H_s is one number on [-s, s], which it is not where it is cut at -s."""
    u = np.linspace(-s, s, 41)
    positive, negative = (
        np.maximum(1.0 - u, 0.0) - np.maximum(cut - u, 0.0) for cut in (s, -s)
    )
    assert positive == pytest.approx(1.0 - s)
    assert np.all(np.diff(negative) < 0)
