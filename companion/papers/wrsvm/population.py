"""Test utilities without a test sample: the examples integrated over their distribution.

What a rule is worth in expectation is a sum over a fine grid of the plane, so that two rules differ
by their training samples alone. The samples are those of Table 1, with the labels flipped or not.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import PAPER
from companion.reproduction import seed_for

#: Edges (low, high) of x1 and x2, and number of cells; the Gaussians are negligible beyond.
_GRIDS = {
    "piecewise_linear": ((-4.5, 5.0, 240), (-5.0, 5.0, 250)),
    "nonlinear": ((-3.0, 3.0, 150), (-6.0, 6.0, 300)),
}
_CENTRES = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
_VARIANCE = 0.49


@lru_cache(maxsize=2)
def population(example):
    """Points of the plane and their probabilities.

    Parameters
    ----------
    example : {"piecewise_linear", "nonlinear"}

    Returns
    -------
    X : ndarray of shape (n_cells, 2)
        Centres of the cells.
    weight : ndarray of shape (n_cells,)
        Probabilities of the cells, with sum one.
    """
    axes = []
    for low, high, count in _GRIDS[example]:
        edges = np.linspace(low, high, count + 1)
        axes.append(0.5 * (edges[1:] + edges[:-1]))
    X = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    weight = np.ones(len(X))
    if example == "piecewise_linear":
        squares = ((X[:, None, :] - _CENTRES) ** 2).sum(axis=2)
        weight = np.exp(-squares / (2 * _VARIANCE)).sum(axis=1)
    return X, weight / weight.sum()


@lru_cache(maxsize=4)
def gains(example, flip):
    """P(Y = j | x) times the probability of each cell, shape (n_cells, 3).

    Parameters
    ----------
    example : {"piecewise_linear", "nonlinear"}
    flip : float

    Returns
    -------
    ndarray of shape (n_cells, 3)
    """
    X, weight = population(example)
    return weight[:, None] * examples.class_probabilities(example, X, flip)


def expected_utility(example, flip, U, predicted):
    """E U(Y, predicted(X)) of predictions for the cells of :func:`population`.

    Parameters
    ----------
    example : {"piecewise_linear", "nonlinear"}
    flip : float
    U : ndarray of shape (3, 3)
        Utilities.
    predicted : ndarray of int of shape (n_cells,)

    Returns
    -------
    float
    """
    mass = gains(example, flip) @ U
    return float(np.take_along_axis(mass, predicted[:, None], axis=1).sum())


def bayes_utility(example, flip, U):
    """The largest expected utility of any rule.

    Parameters
    ----------
    example : {"piecewise_linear", "nonlinear"}
    flip : float
    U : ndarray of shape (3, 3)
        Utilities.

    Returns
    -------
    float
    """
    return float((gains(example, flip) @ U).max(axis=1).sum())


def samples(number, flip, size=400):
    """Training and tuning sample ``number`` of Table 1, whose labels have ``flip`` = 0.15.

    The same number gives the same points for every ``flip``.

    Parameters
    ----------
    number : int
    flip : float
    size : int, default=400

    Returns
    -------
    tuple of (ndarray of shape (size, 2), ndarray of int of shape (size,))
    """
    rng = np.random.default_rng(seed_for(PAPER, "table_1", "sample", number))
    return tuple(examples.piecewise_linear(size, rng, flip) for _ in range(2))


def best_of(coef, intercept, columns, y, U):
    """Which of several machines has the largest average utility, the first of equal ones.

    Parameters
    ----------
    coef : ndarray of shape (n_machines, k, n_columns)
    intercept : ndarray of shape (n_machines, k)
    columns : ndarray of shape (n_samples, n_columns)
    y : ndarray of int of shape (n_samples,)
    U : ndarray of shape (k, k)

    Returns
    -------
    int
    """
    scores = [
        examples.mean_utility(U, y, (columns @ w.T + b).argmax(axis=1))
        for w, b in zip(coef, intercept, strict=True)
    ]
    return int(np.argmax(scores))
