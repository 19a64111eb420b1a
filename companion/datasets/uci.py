"""Binary problems as they stand in UCI tables: original codes, unscaled, missing values as NaN."""

import csv
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.datasets._fetch import find_file
from companion.datasets._sources import get_source, look_up
from companion.errors import DataUnavailable

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
    name : str
        Key of ``data/sources.toml``.
    X : ndarray of shape (n_samples, n_features)
        Inputs as in the table; NaN where a value is missing. Read only.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1. Read only.
    positive : str
        What the label +1 means.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    positive: str


@dataclass(frozen=True)
class _Form:
    """How a table is read: its class column, the classes labelled +1, what is left out."""

    file: str
    positive: str
    positive_classes: tuple
    class_column: int = -1
    identity_columns: tuple = ()
    complete_rows: bool = True
    n_samples: int = 0
    codes: tuple = ()


_FORMS = {
    "breast-cancer-wisconsin": _Form(
        "breast-cancer-wisconsin.data", "malignant", ("4",), identity_columns=(0,), n_samples=683
    ),
    "dermatology": _Form("dermatology.data", "psoriasis (class 1)", ("1",), n_samples=358),
    "haberman": _Form("haberman.data", "died within five years", ("2",), n_samples=306),
    "post-operative": _Form(
        "post-operative.data",
        "prepared to go home (S)",
        ("S",),
        n_samples=87,
        codes=_POST_OPERATIVE,
    ),
    "heart-cleveland": _Form(
        "processed.cleveland.data", "heart disease", ("1", "2", "3", "4"), n_samples=297
    ),
    "hepatitis": _Form(
        "hepatitis.data", "died", ("1",), class_column=0, complete_rows=False, n_samples=155
    ),
    "bupa": _Form("bupa.data", "selector 2", ("2",), n_samples=345),
}


def list_uci():
    """Names of the problems that `load_uci` knows.

    Returns
    -------
    list of str
    """
    return list(_FORMS)


def load_uci(name):
    """Load a UCI table as a binary problem.

    Parameters
    ----------
    name : {"breast-cancer-wisconsin", "dermatology", "haberman", "post-operative", \
"heart-cleveland", "hepatitis", "bupa"}

    Returns
    -------
    UCIProblem

    Raises
    ------
    UnknownDataset
        If there is no such problem.
    DataUnavailable
        If its file cannot be had.

    Notes
    -----
    Rows with missing values are left out, except in ``hepatitis``, where 75 of the 155 have some.
    The values of ``post-operative`` that are words are numbered in their natural order. The last
    column of ``bupa``, which is meant to select a training part, is its label, as in most papers.
    """
    form = look_up("problem made of a UCI table", name, _FORMS)
    return _read(name, find_file(get_source(name).file(form.file)))


@lru_cache(maxsize=len(_FORMS))
def _read(name, path):
    form = _FORMS[name]
    with open(path, newline="", encoding="ascii") as stream:
        rows = [[cell.strip() for cell in row] for row in csv.reader(stream) if row]
    if form.complete_rows:
        rows = [row for row in rows if "?" not in row]
    if len(rows) != form.n_samples:
        raise DataUnavailable(
            f"{path.name} has {len(rows)} usable rows where the problem {name!r} has "
            f"{form.n_samples}: it is not the registered file"
        )
    labels = [row[form.class_column] for row in rows]
    dropped = {form.class_column % len(rows[0]), *form.identity_columns}
    kept = [column for column in range(len(rows[0])) if column not in dropped]
    X = np.array([[_number(form, column, row[column]) for column in kept] for row in rows])
    y = np.where(np.isin(labels, form.positive_classes), 1, -1)
    X.setflags(write=False)
    y.setflags(write=False)
    return UCIProblem(name, X, y, form.positive)


def _number(form, column, cell):
    if column < len(form.codes):
        return float(form.codes[column][cell])
    return np.nan if cell == "?" else float(cell)
