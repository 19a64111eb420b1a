"""What the papers share in turning records into means."""

import math

import numpy as np
import pytest

from companion.metrics import Mean, mean_and_standard_error
from companion.papers.summaries import over_sets


def test_a_mean_over_sets_has_the_error_of_splits_and_the_larger_one_of_sets():
    """Simulated: sets whose means vary by 2, with 50 splits each that vary by 1."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(1000):
        centres = rng.normal(1.0, 2.0, size=12)
        splits = centres[:, None] + rng.normal(size=(12, 50))
        of = over_sets(map(mean_and_standard_error, splits))
        found.append(
            (of.mean.mean - centres.mean(), of.mean.mean - 1.0, *of[0][1:2], of[1])
        )
    from_these, from_all, over_splits, error = np.transpose(found)
    assert np.mean(np.abs(from_these) > 2 * over_splits) == pytest.approx(
        0.05, abs=0.02
    )
    assert np.mean(np.abs(from_all) > 2.2 * error) == pytest.approx(0.05, abs=0.02)
    assert np.mean(np.abs(from_all) > 2 * over_splits) > 0.5


def test_the_median_is_told_where_few_sets_make_the_mean():
    few = over_sets([Mean(x, 0.1, 10) for x in (13.7, 0.1, 0.2, -0.1, 0.1)])
    errors = "standard error 0.04 over splits, 2.73 over sets"
    assert few.errors() == f"{errors}; median +0.10"
    even = over_sets([Mean(x, 0.3, 10) for x in (-1.0, -1.2, -0.8)])
    assert even.errors() == "standard error 0.17 over splits, 0.12 over sets"
    alone = over_sets([Mean(0.5, 0.1, 10)])
    assert math.isnan(alone.error_over_sets)
    assert alone.errors(digits=1) == "standard error 0.1 over splits"
