"""The example of Section 6: its sample, its densities, and what is known of it in closed form.

Two fifths of the sample are of the + class, N((0, 0), I), three fifths of the - class,
N((2, 2), diag(2, 1)). In the standard case all errors cost alike and the population is that of the
sample. In the nonstandard case C^+ = 1, C^- = 2, pi^+ = .1 and pi^- = .9.
"""

from functools import cache

import numpy as np
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from companion.datasets import unequal_gaussians
from companion.reproduction import seed_for

PAPER = "gacv"

#: Shares of the classes in the sample, pi_s^+ and pi_s^-.
SAMPLE_SHARE = {1: 0.4, -1: 0.6}
#: Shares in the nonstandard target population, pi^+ and pi^-.
TARGET_SHARE = {1: 0.1, -1: 0.9}
#: Costs of a false positive, C^+, and of a false negative, C^-, keyed by the label given.
ERROR_COST = {1: 1.0, -1: 2.0}

#: L(y), keyed by label: L(-1) = C^+ pi^- / pi_s^-, L(1) = C^- pi^+ / pi_s^+ (Section 5).
COSTS = {
    "standard": {-1: 1.0, 1: 1.0},
    "nonstandard": {
        -1: ERROR_COST[1] * TARGET_SHARE[-1] / SAMPLE_SHARE[-1],
        1: ERROR_COST[-1] * TARGET_SHARE[1] / SAMPLE_SHARE[1],
    },
}
CASES = tuple(COSTS)

#: The report does not say how large its sample is, nor which grid it searched.
SAMPLE_SIZE = 200

#: How many samples of that size: so many decide most of what a hundred leave open.
SAMPLES = {"paper": 440, "quick": 2}

#: log10 of lambda and log2 of sigma.
GRIDS = {
    "coarse": (np.linspace(-5.0, -0.5, 10), np.linspace(-1.5, 3.0, 10)),
    "fine": (np.linspace(-6.0, 0.0, 25), np.linspace(-2.0, 4.0, 25)),
}


def random_state(*parts):
    """A state for scikit-learn that depends on what it is for alone."""
    return int(seed_for(PAPER, *parts).generate_state(1)[0] % 2**31)


def sample(number, n=SAMPLE_SIZE):
    """X, labels y and p_s(x_i) of a sample, the same in both cases and for all grids."""
    X, y = unequal_gaussians(
        n, np.random.default_rng(seed_for(PAPER, "sample", n, number))
    )
    return X, y, sample_probability(X)


def sample_probability(X):
    """p_s(x) = pi_s^+ g^+ / (pi_s^+ g^+ + pi_s^- g^-); Section 5 prints pi^+ in the denominator."""
    x1 = X[..., 0]
    x2 = X[..., 1]
    prior = np.log(SAMPLE_SHARE[1] / SAMPLE_SHARE[-1])
    return expit(prior + 0.5 * np.log(2.0) + 3.0 - x1 - x1**2 / 4 - 2 * x2)


def bayes_boundary(x1, case):
    """x2 of the true decision curve at x1; below it p_s / (1 - p_s) > L(-1) / L(1)."""
    prior = np.log(SAMPLE_SHARE[1] / SAMPLE_SHARE[-1])
    cost = COSTS[case]
    t = (3 + prior + np.log(2) / 2 + np.log(cost[1] / cost[-1])) / 2
    return t - np.asarray(x1) / 2 - np.asarray(x1) ** 2 / 8


def bayes_rule(X, case):
    """+1 or -1 of the true rule for X of shape (n_points, 2)."""
    return np.where(X[..., 1] < bayes_boundary(X[..., 0], case), 1, -1)


@cache
def bayes_risk(case):
    """Expected cost of the true rule, by one-dimensional integrals over x1."""
    cost = COSTS[case]
    missed, _ = quad(lambda x: norm.pdf(x) * norm.sf(bayes_boundary(x, case)), -9, 9)
    alarms, _ = quad(
        lambda x: norm.pdf(x, 2, np.sqrt(2)) * norm.cdf(bayes_boundary(x, case) - 2),
        -11,
        15,
    )
    return cost[1] * SAMPLE_SHARE[1] * missed + cost[-1] * SAMPLE_SHARE[-1] * alarms


@cache
def population(n_side=81):
    """Points of a midpoint rule over the sampled population, their weights, and p_s there."""
    x1 = np.linspace(-4.5, 7.5, n_side)
    x2 = np.linspace(-4.5, 6.5, n_side)
    points = np.stack(np.meshgrid(x1, x2, indexing="ij"), axis=-1).reshape(-1, 2)
    positive = norm.pdf(points[:, 0]) * norm.pdf(points[:, 1])
    negative = norm.pdf(points[:, 0], 2, np.sqrt(2)) * norm.pdf(points[:, 1], 2)
    density = SAMPLE_SHARE[1] * positive + SAMPLE_SHARE[-1] * negative
    return points, density / density.sum(), sample_probability(points)


def population_risk(decision, case):
    """Expected cost in the target population of rules, by their values at `population`."""
    _, weight, probability = population()
    cost = COSTS[case]
    missed = (decision <= 0) * (cost[1] * probability)
    return (missed + (decision >= 0) * (cost[-1] * (1 - probability))) @ weight


def grid_of(name):
    """(lambda, sigma) of a named grid, lambda descending as the paths are walked."""
    log10_lambda, log2_sigma = GRIDS[name]
    return 10.0 ** log10_lambda[::-1], 2.0**log2_sigma
