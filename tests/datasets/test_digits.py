"""The pen-based digits."""

import numpy as np
import pytest
from _or_skip import or_skip

from companion.datasets import load_pen_digits

load = or_skip(load_pen_digits)


def test_the_three_digits_of_the_paper_are_3166_rows_of_16_columns():
    X, y = load((3, 6, 9))
    assert X.shape == (3166, 16) and X.min() == 0 and X.max() == 100
    assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == {3: 1055, 6: 1056, 9: 1055}


def test_all_digits_are_all_rows_and_something_that_is_no_digit_is_refused():
    with pytest.raises(ValueError, match="digits must be from 0 to 9. Got \\(3, 12\\)"):
        load_pen_digits((3, 12))
    assert len(load(range(10))[0]) == 10_992
