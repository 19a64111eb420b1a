"""The pen digits: rows, classes and what is refused."""

import numpy as np
from _cases import refused
from _or_skip import or_skip

from companion.datasets import load_pen_digits


def test_digits_are_their_rows_and_something_that_is_no_digit_is_refused():
    digits = or_skip(load_pen_digits)
    X, y = digits((3, 6, 9))
    assert X.shape == (3166, 16)
    assert X.min() == 0
    assert X.max() == 100
    assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == {
        3: 1055,
        6: 1056,
        9: 1055,
    }
    assert len(digits(range(10))[0]) == 10_992
    refused("digits must be from 0 to 9. Got \\(3, 12\\)", load_pen_digits, (3, 12))
