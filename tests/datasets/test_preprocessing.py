"""Standardising and merging of equal samples."""

import numpy as np
from _cases import refused
from numpy.testing import assert_allclose, assert_array_equal

from companion.datasets import distinct_patterns, standardize


def test_standardised_columns_have_mean_zero_and_unit_spread():
    X = np.random.default_rng(0).normal(3, 5, size=(50, 4))
    Z = standardize(X)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-14)
    assert_allclose(Z.std(axis=0, ddof=1), 1)
    assert_allclose(standardize(7 * X - 2), Z)


def test_patterns_come_in_the_order_of_their_first_appearance():
    X = [[5.0], [1.0], [5.0], [1.0], [3.0]]
    y = ["b", "a", "a", "a", "b"]
    X_unique, y_unique, counts, inverse = distinct_patterns(X, y)
    assert_array_equal(X_unique[:, 0], [5, 1, 5, 3])
    assert_array_equal(y_unique, ["b", "a", "a", "b"])
    assert_array_equal(counts, [1, 2, 1, 1])
    assert_array_equal(inverse, [0, 1, 2, 1, 3])


def test_tables_that_do_not_fit_are_refused():
    constant = r"Got constant columns \[1\]; drop them"
    refused(constant, standardize, [[1, 2, 3], [4, 2, 6], [0, 2, 1]])
    rounded = np.column_stack([np.arange(10.0), np.full(10, 0.1)])  # of std above 0
    refused(constant, standardize, rounded)
    refused("X contains NaN", standardize, [[1, 2], [4, np.nan], [0, 2]])
    message = r"one label in y for each row. Got shapes \(3, 1\) and"
    refused(message, distinct_patterns, [[1], [2], [3]], [1, 1])
