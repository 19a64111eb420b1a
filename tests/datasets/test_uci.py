"""UCI tables as binary problems: the rows and the counts that their descriptions give."""

import numpy as np
import pytest
from _cases import refused
from _or_skip import or_skip

from companion.datasets import list_uci, load_pen_digits, load_uci

# Samples, attributes and positives, from the descriptions of the tables.
SHAPES = {"breast-cancer-wisconsin": (683, 9, 239), "dermatology": (358, 34, 111)}
SHAPES |= {"haberman": (306, 3, 81), "post-operative": (87, 8, 24)}
SHAPES |= {
    "heart-cleveland": (297, 13, 137),
    "hepatitis": (155, 19, 32),
    "bupa": (345, 6, 200),
}
#: Missing values of the hepatitis table by attribute, from its description.
HEPATITIS_MISSING = [0, 0, 1, 0, 1, 1, 1, 10, 11, 5, 5, 5, 5, 6, 29, 4, 16, 67, 0]


@pytest.mark.parametrize("name", SHAPES)
def test_a_problem_has_the_samples_attributes_and_positives_of_its_description(name):
    assert list(SHAPES) == list_uci()
    data = load_uci(name)
    n, d, positives = SHAPES[name]
    assert data.X.shape == (n, d)
    assert data.y.shape == (n,)
    assert np.sum(data.y == 1) == positives
    assert set(np.unique(data.y)) == {-1, 1}
    missing = HEPATITIS_MISSING if name == "hepatitis" else [0] * d
    assert np.isnan(data.X).sum(axis=0).tolist() == missing
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable
    if name == "breast-cancer-wisconsin":  # identity numbers are no attribute
        assert data.X.max() == 10
        assert data.X.min() == 1


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
