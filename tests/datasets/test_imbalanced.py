"""The real problems of the conformal kernel thesis have the sizes of its Table 6.2.1."""

import numpy as np
import pytest
from _cases import refused

from companion.datasets import hepatitis_indicators
from companion.datasets.imbalanced import list_imbalanced, load_imbalanced

# N, N+ and d; N+ of hepatitis is 33 in print and 32 in its description.
SHAPES = {
    "glass7": (214, 29, 9),
    "segment1": (2310, 330, 19),
    "hepatitis": (155, 32, 32),
}
SHAPES |= {
    "sonar": (208, 97, 60),
    "heart": (297, 137, 13),
    "ionosphere": (351, 126, 33),
}
SHAPES |= {"wdbc": (569, 212, 30)}


@pytest.mark.parametrize("name", SHAPES)
def test_a_problem_has_the_size_of_table_6_2_1(name):
    assert list(SHAPES) == list_imbalanced()
    data = load_imbalanced(name)
    n, positives, d = SHAPES[name]
    assert data.X.shape == (n, d)
    assert np.sum(data.y == 1) == positives
    assert set(np.unique(data.y)) == {-1, 1}
    assert np.sum(data.y == 1) < n / 2
    assert np.isfinite(data.X).all() or name == "hepatitis"
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable
    assert np.sum(np.ptp(data.X, axis=0) == 0) == (
        name == "segment1"
    )  # a constant attribute


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
