"""Handwritten digits of the UCI repository, both files pooled."""

from functools import lru_cache

import numpy as np

from companion.datasets.outside import fetch_file
from companion.datasets.tables import read_only

__all__ = ["load_pen_digits"]


def load_pen_digits(digits=(3, 6, 9)):
    """Rows of some digits of the pen-based digits, training file first.

    The test file is of other writers than the training file; a pool of both is an easier task than
    the one the files were made for. `DataUnavailable` if a file cannot be had, `DamagedData` if a
    copy is another file.

    Parameters
    ----------
    digits : sequence of int from 0 to 9, default=(3, 6, 9)

    Returns
    -------
    X : ndarray of shape (n_samples, 16)
        Coordinates 0 to 100 of eight points of the pen. Unscaled. Read only.
    y : ndarray of int of shape (n_samples,)
        The digit. Read only.
    """
    if not set(digits) <= set(range(10)):
        raise ValueError(
            f"load_pen_digits: digits must be from 0 to 9. Got {tuple(digits)!r}"
        )
    files = ("pendigits/pendigits.tra", "pendigits/pendigits.tes")
    table = np.vstack([_read(fetch_file(place)) for place in files])
    kept = table[np.isin(table[:, -1], list(digits))]
    X = kept[:, :-1].astype(float)
    y = kept[:, -1].copy()
    return read_only(X, y)


@lru_cache(maxsize=2)
def _read(path):
    return np.loadtxt(path, delimiter=",", dtype=np.int64)
