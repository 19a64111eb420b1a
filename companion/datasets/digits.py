"""Handwritten digits of the UCI repository, both files pooled."""

import csv
from functools import lru_cache

import numpy as np

from companion.datasets._fetch import find_file
from companion.datasets._sources import get_source
from companion.errors import DataUnavailable

__all__ = ["load_pen_digits"]

_FILES, _ROWS, _COLUMNS = ("pendigits.tra", "pendigits.tes"), (7494, 3498), 17


def load_pen_digits(digits=(3, 6, 9)):
    """Rows of some digits of the pen-based digits, training file first.

    The test file is of other writers than the training file; a pool of both is an easier task than
    the one the files were made for.

    Parameters
    ----------
    digits : sequence of int, default=(3, 6, 9)

    Returns
    -------
    X : ndarray of shape (n_samples, 16)
        Coordinates 0 to 100 of eight points of the pen. Unscaled. Read only.
    y : ndarray of int of shape (n_samples,)
        The digit. Read only.

    Raises
    ------
    ValueError
        If one of `digits` is none.
    DataUnavailable
        If a file cannot be had.
    """
    if not set(digits) <= set(range(10)):
        raise ValueError(f"load_pen_digits: digits must be from 0 to 9. Got {tuple(digits)!r}")
    source = get_source("pendigits")
    table = np.vstack(
        [
            _read(find_file(source.file(name)), rows)
            for name, rows in zip(_FILES, _ROWS, strict=True)
        ]
    )
    kept = table[np.isin(table[:, -1], list(digits))]
    X, y = kept[:, :-1].astype(float), kept[:, -1].copy()
    X.setflags(write=False)
    y.setflags(write=False)
    return X, y


@lru_cache(maxsize=len(_FILES))
def _read(path, n_rows):
    with open(path, newline="", encoding="ascii") as stream:
        rows = [[int(cell) for cell in row] for row in csv.reader(stream) if row]
    if len(rows) != n_rows or any(len(row) != _COLUMNS for row in rows):
        raise DataUnavailable(
            f"{path.name} has {len(rows)} rows where {n_rows} of {_COLUMNS} numbers are expected: "
            "it is not the registered file"
        )
    return np.array(rows, dtype=np.int64)
