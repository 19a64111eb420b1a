"""Errata of the nearest mean paper: the printed form fails, the corrected one holds."""

from statistics import NormalDist

import numpy as np
import pytest

from companion.papers.nearest_mean import bayes_error


def test_equation_1_needs_half_the_distance():
    x = np.random.default_rng(0).standard_normal(200_000) - 0.5
    found = 100 * np.mean(x > 0)
    assert found == pytest.approx(bayes_error(1.0), abs=0.5)
    assert found != pytest.approx(100 * NormalDist().cdf(-1.0), abs=5)


def test_the_digits_of_table_1_are_interchanged():
    assert f"{bayes_error(3.0):.1f}" == "6.7"
