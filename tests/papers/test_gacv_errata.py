"""What is wrong or left open in the print of the GACV report, each shown by computation."""

import numpy as np
import pytest
from _cases import cases
from scipy.stats import multivariate_normal

from companion.papers.gacv import example
from companion.papers.gacv.example import COSTS, ERROR_COST, SAMPLE_SHARE, TARGET_SHARE
from companion.tuning.criteria import xi_alpha_values


def densities(X):
    """g^+ and g^- at points of shape (n, 2)."""
    negative = multivariate_normal([2, 2], np.diag([2.0, 1.0])).pdf(X)
    return multivariate_normal([0, 0], np.eye(2)).pdf(X), negative


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).uniform(-4, 6, size=(4000, 2))


def test_the_bayes_rule_of_section_5_needs_both_costs(points):
    """The print has C^+ / C^+ where C^+ / C^- belongs, and so loses the cost of a miss."""
    positive, negative = densities(points)
    p = (
        TARGET_SHARE[1]
        * positive
        / (TARGET_SHARE[1] * positive + TARGET_SHARE[-1] * negative)
    )
    # least expected cost at each point: say + where C^- p > C^+ (1 - p)
    best = np.where(ERROR_COST[-1] * p > ERROR_COST[1] * (1 - p), 1, -1)
    p_s = example.sample_probability(points)
    odds = p_s / (1 - p_s)
    prior = SAMPLE_SHARE[1] / SAMPLE_SHARE[-1] * TARGET_SHARE[-1] / TARGET_SHARE[1]
    assert np.array_equal(
        best, np.where(odds > ERROR_COST[1] / ERROR_COST[-1] * prior, 1, -1)
    )
    assert np.array_equal(best, example.bayes_rule(points, "nonstandard"))
    assert (best != np.where(odds > prior, 1, -1)).mean() > 0.01  # as printed
    threshold = COSTS["nonstandard"][-1] / sum(COSTS["nonstandard"].values())
    assert threshold == pytest.approx(0.75)
    assert np.array_equal(best, np.where(p_s > threshold, 1, -1))


def test_p_s_has_the_sample_shares_in_its_denominator(points):
    """With pi^+ g^+ + pi_s^- g^-, as printed, the shares of the classes would not come out."""
    positive, negative = densities(points)
    mixture = SAMPLE_SHARE[1] * positive + SAMPLE_SHARE[-1] * negative
    assert np.allclose(
        example.sample_probability(points), SAMPLE_SHARE[1] * positive / mixture
    )
    grid, weight, p_s = example.population()
    assert p_s @ weight == pytest.approx(SAMPLE_SHARE[1], abs=2e-4)
    positive, negative = densities(grid)
    printed = TARGET_SHARE[1] * positive + SAMPLE_SHARE[-1] * negative
    assert (SAMPLE_SHARE[1] * positive / printed).max() > 1.0  # which no probability is


@cases("case, risk", ("standard", 0.0951), ("nonstandard", 0.0781))
def test_the_bayes_risk_by_one_integral_and_by_two_agree(case, risk):
    assert example.bayes_risk(case) == pytest.approx(risk, abs=6e-5)
    grid, _, _ = example.population()
    by_grid = example.population_risk(example.bayes_rule(grid, case), case)
    assert by_grid == pytest.approx(example.bayes_risk(case), abs=5e-5)


def test_the_costs_are_those_of_section_6():
    assert COSTS == {"standard": {-1: 1.0, 1: 1.0}, "nonstandard": {-1: 1.5, 1: 0.5}}


def test_brxa_as_printed_is_no_estimate_of_a_risk():
    """(11) has its second sum inside the first bracket, so that it is counted n times."""
    margin = np.array([2.0, 0.5, 0.4, 3.0])
    influence = np.array([0.0, 0.6, 0.5, 0.0])
    cost = np.array([0.5, 1.5, 0.5, 1.5])
    second = (cost * ((margin > 0) & (margin <= influence))).sum()
    as_printed = np.mean(cost * (margin <= 0) + second)
    assert as_printed == 2.0 > cost.mean()  # more than if every sample were wrong
    assert xi_alpha_values(margin, influence, cost) == 0.5
