"""Competitive learning: its rule, weights, bad input."""

import numpy as np
from _cases import refusals, refused
from numpy.testing import assert_allclose, assert_array_equal

from companion.solvers.fscl import fscl


def clouds(n=60, seed=0):
    """Three clouds of very different sizes, and their centres."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    label = rng.choice(3, size=n, p=[0.8, 0.1, 0.1])
    return centres[label] + 0.1 * rng.normal(size=(n, 2)), centres


def reference(X, n_prototypes, seed):
    """The rule of the module's docstring, sample by sample."""
    rng = np.random.default_rng(seed)
    prototypes = X[rng.choice(len(X), len(X), replace=False)[:n_prototypes]].copy()
    order = np.concatenate([rng.permutation(len(X)) for _ in range(10)])
    wins = np.ones(n_prototypes)
    for t, i in enumerate(order):
        winner = np.argmin(wins * ((X[i] - prototypes) ** 2).sum(axis=1))
        wins[winner] += 1
        rate = 0.1 * (1 - t / len(order))
        prototypes[winner] += rate * (X[i] - prototypes[winner])
    return prototypes, wins


def test_the_compiled_loop_is_the_rule():
    X, _ = clouds(80)
    expected, wins = reference(X, 7, 3)
    assert wins.min() > 0.2 * wins.mean()
    got = fscl(X, 7, rng=3)
    assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


def test_a_sample_of_weight_zero_has_no_influence():
    X, _ = clouds(40)
    weight = np.ones(40)
    weight[::4] = 0.0
    moved = X.copy()
    moved[::4] += 1000.0
    one, other = (fscl(points, 4, rng=0, sample_weight=weight) for points in (X, moved))
    assert_array_equal(one, other)


@refusals(
    (
        {"n_prototypes": 11},
        "whole, from 1 to the number of samples of positive weight, 10. Got 11; lower",
    ),
    (
        {"n_prototypes": 6, "sample_weight": np.arange(10) % 2},
        "from 1 to the number of samples of positive weight, 5. Got 6",
    ),
    ({"n_prototypes": 2.5}, "must be whole.*Got 2.5"),
    ({"n_prototypes": 0}, "number of samples of positive weight, 10. Got 0"),
    ({"X": np.full((4, 2), np.nan)}, "finite matrix"),
    ({"X": np.ones(4)}, "finite matrix.*shape"),
    (
        {"sample_weight": -np.ones(10)},
        "'sample_weight' of fscl must be 10 finite numbers of at least 0",
    ),
)
def test_bad_arguments_are_named(change, message):
    refused(message, fscl, **{"X": clouds(10)[0], "n_prototypes": 2} | change)
