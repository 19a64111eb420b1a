"""Multipliers that are off their bounds by rounding only: they are at their bounds."""

import numpy as np
import pytest
from problems import two_classes

from companion.kernels import gram
from companion.solvers import smo


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
