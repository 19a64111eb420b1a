"""Conformal transformations and their geometry: closed forms, finite differences, extremes."""

import numpy as np
import pytest
from _cases import refused
from numpy.testing import assert_allclose

from companion.conformal import factors as c
from companion.kernels import squared_distances


def test_bad_rates_and_a_single_support_vector_are_refused():
    D = np.ones((2, 3))
    refused(
        "at least two support vectors. Got 1", c.wu_amari_rates, np.zeros((1, 1)), 3
    )
    refused(r"at least 0.*Got -1", c.gaussian_sum, D, np.array([1.0, -1.0]))
    refused(r"one rate and one weight.*rates \(1, 3\)", c.gaussian_sum, D, np.ones(3))


def test_widths_of_wu_and_amari_are_means_over_the_nearest_others():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    D = squared_distances(X)
    assert_allclose(1 / c.wu_amari_rates(D, 1), [1, 1, 4, 16])
    assert_allclose(1 / c.wu_amari_rates(D, 2), [5, 2.5, 6.5, 26])
    assert_allclose(c.wu_amari_rates(D, 50), c.wu_amari_rates(D, 3))


def test_widths_of_act_follow_the_definition_point_by_point():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(12, 2))
    y = np.where(np.arange(12) < 3, 1.0, -1.0)
    D = squared_distances(X)
    found = 1 / c.act_rates(D, y)
    for i in range(12):
        others = np.delete(D[i], i)
        limit = (others.min() + others.max()) / 2
        near = [D[i, j] for j in range(12) if y[j] != y[i] and D[i, j] < limit]
        wanted = np.mean(near) if near else D[i, y != y[i]].min()
        assert found[i] == pytest.approx(wanted * (9 / 3 if y[i] > 0 else 3 / 9))
    lonely = squared_distances(np.array([[0.0], [0.1], [0.2], [5.0]]))
    assert 1 / c.act_rates(lonely, np.array([-1.0, -1.0, -1.0, 1.0]))[
        0
    ] == pytest.approx(25.0 / 3)


def test_the_shift_of_kba_is_the_minimiser_of_its_cost():
    rng = np.random.default_rng(0)
    ends = set()
    for seed in range(20):
        f = rng.uniform(-1.5, 1.5, 40)
        y = np.where(rng.uniform(size=40) < 0.1 + 0.04 * seed, 1.0, -1.0)
        eta = c.boundary_shift(f, y)
        wrong = (y * f <= 0) & (np.abs(f) <= 1)

        def cost(eta, f=f, y=y, wrong=wrong):
            margin = (y * (f + eta))[wrong]
            loss = np.where(y[wrong] > 0, np.exp(-margin), np.log1p(np.exp(-margin)))
            return loss.sum()

        grid = np.linspace(0, 1, 2001)
        assert cost(eta) <= min(map(cost, grid)) + 1e-12
        ends.add(eta if eta in (0.0, 1.0) else "inside")
    assert "inside" in ends
    assert len(ends) > 1
    assert c.boundary_shift(np.array([2.0, -0.5]), np.array([1.0, -1.0])) == 0.0
