"""Hepatitis in the coding of the conformal kernel thesis."""

import numpy as np
from _cases import refused

from companion.datasets import hepatitis_indicators


def test_hepatitis_has_six_numbers_and_two_indicators_for_each_answer():
    table = np.full((19, 3), (1.0, 2.0, np.nan)).T
    table[:, 13] = (0.5, 0.7, np.nan)
    coded = hepatitis_indicators(table)
    assert coded.shape == (3, 32)
    assert coded[:, 1].tolist()[:2] == [0.5, 0.7]
    assert np.isnan(coded[2, :6]).all()
    assert coded[:, 6:].tolist() == [[1.0, 0.0] * 13, [0.0, 1.0] * 13, [0.0] * 26]


def test_another_table_is_refused():
    refused(r"19 columns. Got shape \(2, 18\)", hepatitis_indicators, np.ones((2, 18)))
    refused("answers must be 1", hepatitis_indicators, np.full((2, 19), 3.0))
