"""Machines of a whole grid: every cell is a solution, whatever path led to it."""

import numpy as np
import pytest
from _cases import refusals, refused
from _problems import certified
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from companion.datasets.generators import unequal_gaussians
from companion.kernels import gram
from companion.tuning import machine_surface

X, Y = unequal_gaussians(60, rng=0)


def assert_solved(surface, grams, tol):
    """Recompute feasibility, bias, decision values and the KKT violation of every cell."""
    y = surface.signs
    for g, K in enumerate(grams):
        assert_allclose(surface.diagonal[g], K.diagonal())
        for c, C in enumerate(surface.C):
            upper = C * surface.factors
            cell = certified(K, y, surface.alpha[g, c], 0.0, upper)
            assert cell.kkt_violation <= tol * (1 + 1e-9) + 1e-13 * upper.max()
            found = surface.intercept[g, c], surface.kkt_violation[g, c]
            wanted = cell.intercept, cell.kkt_violation
            assert found == pytest.approx(wanted, abs=1e-12 * (1 + upper.sum()))
            rounding = 1e-12 * (1 + cell.alpha.sum())
            values = cell.decision_function
            assert_allclose(surface.decision[g, c], values, atol=rounding)


def grams_of(X, gamma):
    return [gram(X, gamma=value) for value in gamma]


@given(
    size=st.tuples(st.integers(0, 10_000), st.integers(2, 40)),
    log_C=st.lists(st.floats(-4.0, 5.0), min_size=1, max_size=5),
    log_gamma=st.floats(-6.0, 6.0),
    weight=st.floats(0.1, 10.0),
    lattice=st.booleans(),
)
def test_random_problems_are_solved_identical_points_and_all(
    size, log_C, log_gamma, weight, lattice
):
    seed, n = size
    rng = np.random.default_rng(seed)
    X = (
        rng.integers(0, 3, (n, 2)).astype(float)
        if lattice
        else rng.standard_normal((n, 2))
    )
    y = rng.permutation(np.where(np.arange(n) < max(1, n // 3), 1, -1))
    C = 10.0 ** np.array(log_C)
    gamma = np.array([2.0**log_gamma])
    surface = machine_surface(X, y, C, gamma, class_weight={1: weight})
    assert surface.converged.all()
    assert_solved(surface, grams_of(X, gamma), 1e-3)


def test_margin_and_influence_are_those_of_the_report():
    surface = machine_surface(X, Y, [0.5, 5.0], [1.0, 2.0], kernel="poly")
    assert surface.margin.shape == surface.influence.shape == (2, 2, 60)
    assert_array_equal(surface.margin, Y * surface.decision)
    norms = (X**2).sum(axis=1)
    expected = surface.alpha * ((np.array([[1.0], [2.0]]) * norms) ** 3)[:, np.newaxis]
    assert_allclose(surface.influence, expected)
    assert_solved(
        surface, [gram(X, kernel="poly", gamma=value) for value in (1.0, 2.0)], 1e-3
    )


@refusals(
    (
        {"C": [1.0, 0.0]},
        "'C' of machine_surface must be a list of positive finite numbers",
    ),
    *(
        ({"C": C}, "'C' of machine_surface must be a list")
        for C in ([], 1.0, ["1"], [np.nan])
    ),
    (
        {"gamma": [-1.0]},
        "'gamma' of machine_surface must be a list of finite numbers >= 0",
    ),
    ({"gamma": ["scale"]}, "'gamma' of machine_surface must be a list"),
    (
        {"kernel": "linear"},
        "'kernel' parameter of machine_surface must be 'rbf' or 'poly'",
    ),
    ({"tol": 0.0}, "'tol' parameter"),
    (
        {"class_weight": {1: 0.0}},
        "'class_weight' parameter of machine_surface.*positive",
    ),
    ({"y": np.arange(60) % 3}, "Only binary.*3 classes"),
)
def test_bad_input_is_refused(change, message):
    arguments = {"X": X, "y": Y, "C": [1.0], "gamma": [1.0]} | change
    refused(message, machine_surface, **arguments)
