"""The checkers board and its test grid."""

import numpy as np
import pytest

from companion.datasets import checkers_board, checkers_board_grid, checkers_board_label


def test_a_draw_has_its_classes_on_their_tiles():
    X, y = checkers_board(rng=1)
    assert X.shape == (2020, 2) and np.sum(y == 1) == 20 and np.sum(y == -1) == 2000
    assert np.abs(X).max() <= 2
    assert np.array_equal(checkers_board_label(X), y)


def test_both_tiles_of_a_class_are_filled_evenly():
    n = 20_000
    X, y = checkers_board(n, n, side=2.0, rng=2)
    for label in (-1, 1):
        part = X[y == label]
        # four standard errors of a share and of the mean of U(0, 1)
        assert abs(np.mean(part[:, 0] > 0) - 0.5) < 4 * 0.5 / np.sqrt(n)
        assert np.abs(np.abs(part).mean(axis=0) - 0.5).max() < 4 * np.sqrt(1 / 12 / n)


def test_draws_depend_on_the_seed_alone():
    first, again, other = (checkers_board(rng=seed)[0] for seed in (3, 3, 4))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_the_grid_has_the_test_patterns_of_the_thesis():
    X, y = checkers_board_grid()
    assert X.shape == (40_000, 2) and np.sum(y == 1) == np.sum(y == -1) == 20_000
    assert np.abs(X).max() == pytest.approx(1.99) and np.abs(X).min() == pytest.approx(0.01)
    assert np.diff(X[:200, 0]) == pytest.approx(0.02)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"n_positive": 0}, "at least 1. Got 0 and 2000"),
        ({"side": 0.0}, "positive number. Got 0.0"),
        ({"side": np.nan}, "positive number. Got nan"),
    ],
)
def test_a_board_that_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        checkers_board(**arguments)


def test_a_grid_with_cells_in_two_tiles_is_refused():
    with pytest.raises(ValueError, match="even number. Got 5"):
        checkers_board_grid(5)
