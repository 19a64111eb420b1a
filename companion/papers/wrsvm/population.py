"""Test utilities without a test sample: the examples integrated over their distribution.

What a rule is worth in expectation is a sum over a fine grid of the plane, so that two rules differ
by their training samples alone. The samples are those of Table 1, with the labels flipped or not.
"""

from functools import lru_cache

import numpy as np

from companion.papers.wrsvm import examples

#: Edges (low, high) of x1 and x2, and number of cells; the Gaussians are negligible beyond.
_GRIDS = {
    "piecewise_linear": ((-4.5, 5.0, 240), (-5.0, 5.0, 250)),
    "nonlinear": ((-3.0, 3.0, 150), (-6.0, 6.0, 300)),
}
_CENTRES = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
_VARIANCE = 0.49


@lru_cache(maxsize=2)
def population(example):
    """Centres of the cells of the plane, and their probabilities."""
    edges = [np.linspace(low, high, n + 1) for low, high, n in _GRIDS[example]]
    axes = [0.5 * (edge[1:] + edge[:-1]) for edge in edges]
    X = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    weight = np.ones(len(X))
    if example == "piecewise_linear":
        weight = class_densities(X).sum(axis=1)
    return X, weight / weight.sum()


def class_densities(X):
    """Densities of the three Gaussian classes at points, up to one factor, shape (n, 3)."""
    squares = ((X[:, None, :] - _CENTRES) ** 2).sum(axis=2)
    return np.exp(-squares / (2 * _VARIANCE))


@lru_cache(maxsize=4)
def gains(example, flip):
    """P(Y = j | x) times the probability of each cell, shape (n_cells, 3)."""
    X, weight = population(example)
    return weight[:, None] * examples.class_probabilities(example, X, flip)


def expected_utility(example, flip, U, predicted):
    """E U(Y, predicted(X)) of predictions for the cells of :func:`population`, to eight digits."""
    mass = gains(example, flip) @ U
    return round(float(np.take_along_axis(mass, predicted[:, None], axis=1).sum()), 8)


def bayes_utility(example, flip, U):
    """The largest expected utility of any rule, to eight digits."""
    return round(float((gains(example, flip) @ U).max(axis=1).sum()), 8)


def constant_utility(example, flip, U):
    """The largest expected utility of a constant decision, to eight digits."""
    return round(float((gains(example, flip) @ U).sum(axis=0).max()), 8)


def samples(number, flip):
    """Training and tuning sample of Table 1, whose labels have ``flip`` 0.15.

    The same number gives the same points for every ``flip``.
    """
    rng = examples.rng_of("table_1", "sample", number)
    return tuple(examples.piecewise_linear(400, rng, flip) for _ in range(2))


def tuned_linear(path, X, y, U, flip):
    """The machine of a path that is best on a tuning sample, the least C of equals, its worth."""
    machine = examples.tuned(path, X, y, U)
    cells, _ = population("piecewise_linear")
    predicted = machine.predict(cells)
    return machine, expected_utility("piecewise_linear", flip, U, predicted)
