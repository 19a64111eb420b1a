"""The imbalanced checkers board: a square of four tiles, two to a class.

G. Wu and E. Y. Chang, Adaptive feature-space conformal transformation for imbalanced-data learning,
ICML 2003; A. Barbero, SVM imbalance correction by conformal kernel transformations, Master's
thesis, Universidad Autonoma de Madrid (2008), Figure 3.1.1 and section 6.2.
"""

import numpy as np

__all__ = ["checkers_board", "checkers_board_grid", "checkers_board_label"]


def checkers_board(n_positive=20, n_negative=2000, side=4.0, rng=None):
    """Draw from the checkers board.

    Positive patterns are uniform on the upper right and the lower left tile of the square [-side /
    2, side / 2]^2, negative ones on the two others. `ValueError` if a class would be empty.

    Parameters
    ----------
    n_positive, n_negative : int, default=20 and 2000
    side : float, default=4
    rng : numpy.random.Generator or int, optional

    Returns
    -------
    X, y : ndarray of shape (n, 2) and (n,)
        Labels +1 and -1, positive patterns first.

    Examples
    --------
    >>> from companion.datasets import checkers_board
    >>> X, y = checkers_board(rng=0)
    >>> X.shape, int((y == 1).sum())
    ((2020, 2), 20)
    """
    if n_positive < 1 or n_negative < 1:
        raise ValueError(
            "checkers_board: n_positive and n_negative must be at least 1. "
            f"Got {n_positive!r} and {n_negative!r}"
        )
    _require_area("checkers_board", side)
    rng = np.random.default_rng(rng)
    y = np.repeat([1, -1], [n_positive, n_negative])
    place = rng.uniform(0.0, side / 2, size=(len(y), 2))
    tile = rng.choice([-1.0, 1.0], size=len(y))
    signs = np.column_stack([tile, tile * y])
    return place * signs, y


def checkers_board_label(X):
    """Class (-1 or +1) of each place of the board, the sign of the product of its coordinates."""
    X = np.asarray(X, dtype=float)
    return np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


def checkers_board_grid(n=200, side=4.0):
    """A regular test set: the middles of n x n equal cells of the board, rows from the bottom.

    Parameters
    ----------
    n : int, default=200
        Cells by side, an even number, so that no cell lies in two tiles; 200 gives the 20000 test
        patterns of each class of the thesis.
    side : float, default=4

    Returns
    -------
    X, y : ndarray of shape (n^2, 2) and (n^2,)
        Labels -1 and +1.
    """
    if n < 2 or n % 2:
        raise ValueError(
            f"checkers_board_grid: n must be a positive even number. Got {n!r}"
        )
    _require_area("checkers_board_grid", side)
    axis = side * ((np.arange(n) + 0.5) / n - 0.5)
    columns, rows = np.meshgrid(axis, axis)
    X = np.stack([columns, rows], axis=-1).reshape(-1, 2)
    return X, checkers_board_label(X)


def _require_area(name, side):
    if not (np.isfinite(side) and side > 0):
        raise ValueError(f"{name}: side must be a positive number. Got {side!r}")
