"""Multipliers that are off their bounds by rounding only: they are at their bounds."""

import numpy as np
import pytest
from problems import two_classes

from companion.kernels import gram
from companion.solvers import smo
from companion.solvers._box_kernels import certificates, snap


@pytest.mark.parametrize("accelerate", [False, True])
def test_without_a_free_multiplier_the_intercept_is_the_middle_of_its_interval(accelerate):
    # The bounds are such that the last pair reaches its own in different roundings.
    X, y = two_classes(40, seed=3)
    K = gram(X, gamma=0.4)
    for C in (1e-4 / 3.0, 1e-3 / 7.0, 1e-3 / 3.0):
        counts = np.where(y > 0, np.sum(y < 0), np.sum(y > 0))
        upper = C * counts * (0.1 + 0.2) / 0.3
        result = smo(K, y, 0.0, upper, accelerate=accelerate)
        inside = (result.alpha > 0.0) & (result.alpha < upper)
        assert not inside.any()
        scores = y - K @ (y * result.alpha)
        rises = np.where(y > 0, result.alpha < upper, result.alpha > 0.0)
        expected = 0.5 * (scores[rises].max() + scores[~rises].min())
        assert result.intercept == pytest.approx(expected, abs=1e-12)


def test_a_multiplier_off_its_bound_by_rounding_is_not_free():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    low, high = np.array([0.0, 0.0, -2.0, -2.0]), np.array([2.0, 2.0, 0.0, 0.0])
    products = np.array([0.3, 0.1, -0.2, -0.4])
    at_bounds = np.array([2.0, 0.0, -2.0, 0.0])
    off = np.array([2.0 - 5e-16, 1e-13, -2.0, -1e-13])
    expected = certificates(products, y, at_bounds, low, high, np.zeros(4))
    scores = y - products
    middle = 0.5 * (max(scores[1], scores[2]) + min(scores[0], scores[3]))
    assert expected[0] == pytest.approx(middle)
    assert certificates(products, y, off, low, high, np.zeros(4))[0] == pytest.approx(middle)
    assert snap(off, low, high, 1e-3) == 3
    np.testing.assert_array_equal(off, at_bounds)


def test_what_a_multiplier_loses_at_its_bound_goes_to_one_with_room():
    low, high = np.zeros(3), np.array([1.0, 1.0, np.inf])
    beta = np.array([3e-13, 0.5, 7.0])
    total = beta.sum()
    assert snap(beta, low, high, 1e-3) == 1
    assert beta[0] == 0.0 and beta[1] == 0.5
    assert beta.sum() == total
    assert snap(beta, low, high, 1e-3) == 0
    wide = np.array([0.5, 0.5, 1e-13])
    assert snap(wide, low, high, 1e-14) == 0
