"""The seven real problems of the conformal kernel thesis, a small class against the rest.

The tables are read as they stand; what the thesis says of them is in its Table 6.2.1.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.datasets._fetch import find_file
from companion.datasets._sources import get_source, look_up
from companion.datasets.uci import UCIProblem, load_uci
from companion.errors import DataUnavailable

__all__ = ["hepatitis_indicators", "imbalanced_source", "list_imbalanced", "load_imbalanced"]

#: Attributes of the hepatitis table, class left out, that are numbers; the others are yes or no.
_HEPATITIS_NUMBERS = (0, 13, 14, 15, 16, 17)
_NO_YES = (1.0, 2.0)


@dataclass(frozen=True)
class _Form:
    """How a table is read: its class column and positive class, and the columns left out."""

    source: str
    file: str
    positive: str
    positive_class: str
    n_samples: int
    class_column: int = -1
    left_out: tuple = ()
    delimiter: str = ","


_FORMS = {
    "glass7": _Form("glass", "glass.data", "headlamps (class 7)", "7", 214, left_out=(0,)),
    "segment1": _Form(
        "image-segmentation", "segment.dat", "brickface (class 1)", "1", 2310, delimiter=" "
    ),
    "hepatitis": None,
    "sonar": _Form("sonar", "sonar.all-data", "rock", "R", 208),
    "heart": None,
    # the second attribute is 0 in all rows
    "ionosphere": _Form("ionosphere", "ionosphere.data", "bad", "b", 351, left_out=(1,)),
    "wdbc": _Form("wdbc", "wdbc.data", "malignant", "M", 569, class_column=1, left_out=(0,)),
}
_UCI = {"hepatitis": "hepatitis", "heart": "heart-cleveland"}


def list_imbalanced():
    """Names of the problems that `load_imbalanced` knows, in the order of Table 6.2.1.

    Returns
    -------
    list of str
    """
    return list(_FORMS)


def imbalanced_source(name):
    """Key in ``data/sources.toml`` of the table behind a problem.

    Parameters
    ----------
    name : str
        A name of `list_imbalanced`.

    Returns
    -------
    str

    Raises
    ------
    UnknownDataset
        If there is no such problem.
    """
    form = _form(name)
    return _UCI[name] if form is None else form.source


def load_imbalanced(name):
    """Load one of the seven real problems of the conformal kernel thesis.

    Parameters
    ----------
    name : {"glass7", "segment1", "hepatitis", "sonar", "heart", "ionosphere", "wdbc"}

    Returns
    -------
    UCIProblem
        The smaller class is +1. Unscaled; NaN where a number of ``hepatitis`` is missing.

    Raises
    ------
    UnknownDataset
        If there is no such problem.
    DataUnavailable
        If its file cannot be had.

    Notes
    -----
    Of ``heart``, the Cleveland table, the 297 complete rows are kept. The constant attribute of
    ``ionosphere`` is left out (33 remain, as in the thesis), that of ``segment1`` is kept (19).
    For ``hepatitis`` see `hepatitis_indicators`.
    """
    form = _form(name)
    if form is None:
        problem = load_uci(_UCI[name])
        X = hepatitis_indicators(problem.X) if name == "hepatitis" else problem.X
        return UCIProblem(name, X, problem.y, problem.positive)
    return _read(name, find_file(get_source(form.source).file(form.file)))


def hepatitis_indicators(X):
    """The hepatitis table in 32 columns: six numbers and two indicators for each yes or no.

    A no becomes (1, 0), a yes (0, 1), a missing answer (0, 0): so the missing answers need no
    guess, and the number of columns is that of Table 6.2.1. Missing numbers stay NaN.

    Parameters
    ----------
    X : array-like of shape (n_samples, 19)
        The attributes as `load_uci` gives them.

    Returns
    -------
    ndarray of shape (n_samples, 32)
        The numbers first. Read only.

    Raises
    ------
    ValueError
        If X has not 19 columns, or an answer is neither 1, 2 nor NaN.
    """
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 19:
        raise ValueError(f"hepatitis_indicators: X must have 19 columns. Got shape {X.shape}")
    answers = np.delete(X, _HEPATITIS_NUMBERS, axis=1)
    if not (np.isin(answers, _NO_YES) | np.isnan(answers)).all():
        raise ValueError("hepatitis_indicators: answers must be 1 (no), 2 (yes) or NaN (missing)")
    indicators = (answers[:, :, None] == np.array(_NO_YES)).reshape(len(X), -1)
    coded = np.hstack([X[:, _HEPATITIS_NUMBERS], indicators.astype(float)])
    coded.setflags(write=False)
    return coded


def _form(name):
    """How the table of a problem is read; None where `load_uci` reads it."""
    return look_up("imbalanced problem", name, _FORMS)


@lru_cache(maxsize=len(_FORMS))
def _read(name, path):
    form = _FORMS[name]
    with open(path, newline="", encoding="ascii") as stream:
        rows = [
            [cell.strip() for cell in row if cell.strip()]
            for row in csv.reader(stream, delimiter=form.delimiter)
            if row
        ]
    width = {len(row) for row in rows}
    if len(rows) != form.n_samples or len(width) != 1:
        raise DataUnavailable(
            f"{path.name} has {len(rows)} rows where the problem {name!r} has {form.n_samples}: "
            "it is not the registered file"
        )
    columns = width.pop()
    dropped = {form.class_column % columns, *form.left_out}
    X = np.array([[float(row[k]) for k in range(columns) if k not in dropped] for row in rows])
    y = np.where([row[form.class_column] == form.positive_class for row in rows], 1, -1)
    X.setflags(write=False)
    y.setflags(write=False)
    return UCIProblem(name, X, y, form.positive)
