"""Binary problems as they stand in UCI tables: original codes, unscaled, missing values as NaN."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.datasets.tables import attributes, look_up, read_only, read_table

__all__ = ["UCIProblem", "list_uci", "load_uci"]

# Words of the post-operative table in their order.
_LEVELS = {"low": 1, "mid": 2, "high": 3}
_STABILITY = {"unstable": 1, "mod-stable": 2, "stable": 3}
_POST_OPERATIVE = {
    "l_core": _LEVELS,
    "l_surf": _LEVELS,
    "l_o2": {"poor": 1, "fair": 2, "good": 3, "excellent": 4},
    "l_bp": _LEVELS,
    "surf_stbl": _STABILITY,
    "core_stbl": _STABILITY,
    "bp_stbl": _STABILITY,
}


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
    """How a table is read: the classes labelled +1, what is left out, and numbers for words."""

    table: str
    positive: str
    positive_classes: tuple
    left_out: tuple = ()
    words: dict | None = None


FORMS = {
    form.table: form
    for form in (
        Form("breast-cancer-wisconsin", "malignant", ("4",)),
        Form("dermatology", "psoriasis (class 1)", ("1",)),
        Form("haberman", "died within five years", ("2",)),
        Form(
            "post-operative", "prepared to go home (S)", ("S",), words=_POST_OPERATIVE
        ),
        Form("heart-cleveland", "heart disease", ("1", "2", "3", "4")),
        Form("hepatitis", "died", ("1",)),
        Form("bupa", "selector 2", ("2",)),
    )
}


def list_uci():
    """Names of the problems that `load_uci` knows."""
    return list(FORMS)


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
    UnknownDataset, DamagedData
        If there is no such problem; if its table is not that of the repository.

    Notes
    -----
    Rows with missing values are left out, except in ``hepatitis``, where 75 of the 155 have some.
    The values of ``post-operative`` that are words are numbered in their natural order. The last
    column of ``bupa``, which is meant to select a training part, is its label, as in most papers.
    """
    return read_problem(name, look_up("problem made of a UCI table", name, FORMS))


@lru_cache(maxsize=32)
def read_problem(name, form):
    """The problem of this name, its table read as the form says."""
    table = read_table(form.table)
    y = np.where(table["class"].isin(form.positive_classes), 1, -1)
    numbers = table.drop(columns=list(form.left_out))
    for column, words in (form.words or {}).items():
        numbers[column] = numbers[column].map(words)
    X, y = read_only(attributes(numbers), y)
    return UCIProblem(name, X, y, form.positive)
