"""Binary problems as they stand in UCI tables: original codes, unscaled, missing values as NaN."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.datasets._fetch import find_file
from companion.datasets._sources import get_source, look_up
from companion.datasets._tables import read_only, read_rows

__all__ = ["UCIProblem", "list_uci", "load_uci"]

# Values of the post-operative table in their order; COMFORT is a number already.
_LEVELS = {"low": 1, "mid": 2, "high": 3}
_OXYGEN = {"poor": 1, "fair": 2, "good": 3, "excellent": 4}
_STABILITY = {"unstable": 1, "mod-stable": 2, "stable": 3}
_POST_OPERATIVE = (_LEVELS, _LEVELS, _OXYGEN, _LEVELS, _STABILITY, _STABILITY, _STABILITY)


@dataclass(frozen=True, eq=False)
class UCIProblem:
    """A binary problem.

    Attributes
    ----------
    X, y : ndarray of shape (n_samples, n_features) and (n_samples,)
        Inputs as in the table, NaN where a value is missing, and labels -1 and +1. Read only.
    name, positive : str
        What the label +1 means.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    positive: str


@dataclass(frozen=True, eq=False)
class Form:
    """How a table is read: the classes labelled +1, the class column, and what is left out."""

    key: str
    positive: str
    positive_classes: tuple
    class_column: int = -1
    left_out: tuple = ()
    complete_rows: bool = True
    codes: tuple = ()
    file: str | None = None
    delimiter: str = ","


_FORMS = {
    form.key: form
    for form in (
        Form("breast-cancer-wisconsin", "malignant", ("4",), left_out=(0,)),
        Form("dermatology", "psoriasis (class 1)", ("1",)),
        Form("haberman", "died within five years", ("2",)),
        Form("post-operative", "prepared to go home (S)", ("S",), codes=_POST_OPERATIVE),
        Form("heart-cleveland", "heart disease", ("1", "2", "3", "4")),
        Form("hepatitis", "died", ("1",), class_column=0, complete_rows=False),
        Form("bupa", "selector 2", ("2",)),
    )
}


def list_uci():
    """Names of the problems that `load_uci` knows."""
    return list(_FORMS)


def load_uci(name):
    """Load a UCI table as a binary problem.

    Parameters
    ----------
    name : str
        One of `list_uci`: "breast-cancer-wisconsin", "dermatology", "haberman", "post-operative",
        "heart-cleveland", "hepatitis", "bupa".

    Returns
    -------
    UCIProblem

    Raises
    ------
    UnknownDataset, DataUnavailable
        If there is no such problem; if its file cannot be had.

    Notes
    -----
    Rows with missing values are left out, except in ``hepatitis``, where 75 of the 155 have some.
    The values of ``post-operative`` that are words are numbered in their natural order. The last
    column of ``bupa``, which is meant to select a training part, is its label, as in most papers.
    """
    return read_problem(name, look_up("problem made of a UCI table", name, _FORMS))


def read_problem(name, form):
    """The problem of this name, its table read as the form says."""
    return _read(name, form, find_file(get_source(form.key).file(form.file)))


@lru_cache(maxsize=32)
def _read(name, form, path):
    rows = read_rows(path, form.delimiter)
    if form.complete_rows:
        rows = [row for row in rows if "?" not in row]
    labels = [row[form.class_column] for row in rows]
    dropped = {form.class_column % len(rows[0]), *form.left_out}
    kept = [column for column in range(len(rows[0])) if column not in dropped]
    X = np.array([[_number(form, column, row[column]) for column in kept] for row in rows])
    y = np.where(np.isin(labels, form.positive_classes), 1, -1)
    return UCIProblem(name, *read_only(X, y), form.positive)


def _number(form, column, cell):
    if column < len(form.codes):
        return float(form.codes[column][cell])
    return np.nan if cell == "?" else float(cell)
