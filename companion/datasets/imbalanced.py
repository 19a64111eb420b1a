"""The seven real problems of the conformal kernel thesis, a small class against the rest.

The tables are read as they stand; what the thesis says of them is in its Table 6.2.1.
"""

from dataclasses import replace

import numpy as np

from companion.datasets.tables import look_up
from companion.datasets.uci import FORMS as _UCI_FORMS
from companion.datasets.uci import Form, read_problem

__all__ = [
    "hepatitis_indicators",
    "imbalanced_source",
    "list_imbalanced",
    "load_imbalanced",
]

#: Attributes of the hepatitis table, class left out, that are numbers; the others are yes or no.
_HEPATITIS_NUMBERS = (0, 13, 14, 15, 16, 17)
_NO_YES = (1.0, 2.0)

_FORMS = {
    "glass7": Form("glass", "headlamps (class 7)", ("7",)),
    "segment1": Form("image-segmentation", "brickface (class 1)", ("1",)),
    "hepatitis": _UCI_FORMS["hepatitis"],
    "sonar": Form("sonar", "rock", ("R",)),
    "heart": _UCI_FORMS["heart-cleveland"],
    # the second attribute is 0 in all rows
    "ionosphere": Form("ionosphere", "bad", ("b",), left_out=("a02",)),
    "wdbc": Form("wdbc", "malignant", ("M",)),
}


def list_imbalanced():
    """Names of the problems that `load_imbalanced` knows, in the order of Table 6.2.1."""
    return list(_FORMS)


def imbalanced_source(name):
    """Name in ``data/uci`` of the table behind a problem of `list_imbalanced`."""
    return look_up("imbalanced problem", name, _FORMS).table


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
    UnknownDataset, DamagedData
        If there is no such problem; if its table is not that of the repository.

    Notes
    -----
    Of ``heart``, the Cleveland table, the 297 complete rows are kept. The constant attribute of
    ``ionosphere`` is left out (33 remain, as in the thesis), that of ``segment1`` is kept (19).
    For ``hepatitis`` see `hepatitis_indicators`.
    """
    problem = read_problem(name, look_up("imbalanced problem", name, _FORMS))
    if name != "hepatitis":
        return problem
    return replace(problem, X=hepatitis_indicators(problem.X))


def hepatitis_indicators(X):
    """The hepatitis table in 32 columns: six numbers, then two indicators for each yes or no.

    A no becomes (1, 0), a yes (0, 1), a missing answer (0, 0): so the missing answers need no
    guess, and the number of columns is that of Table 6.2.1. Missing numbers stay NaN. `ValueError`
    if `X`, as `load_uci` gives it, has not 19 columns, or an answer is neither 1, 2 nor NaN.
    """
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 19:
        raise ValueError(
            f"hepatitis_indicators: X must have 19 columns. Got shape {X.shape}"
        )
    answers = np.delete(X, _HEPATITIS_NUMBERS, axis=1)
    if not (np.isin(answers, _NO_YES) | np.isnan(answers)).all():
        raise ValueError(
            "hepatitis_indicators: answers must be 1 (no), 2 (yes) or NaN (missing)"
        )
    indicators = (answers[:, :, None] == np.array(_NO_YES)).reshape(len(X), -1)
    coded = np.hstack([X[:, _HEPATITIS_NUMBERS], indicators.astype(float)])
    coded.setflags(write=False)
    return coded
