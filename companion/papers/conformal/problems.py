"""The data of the experiments: draws of the checkers board, and folds of the seven real sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from companion.datasets import (
    checkers_board,
    checkers_board_grid,
    data_digest,
    imbalanced_source,
    load_imbalanced,
)
from companion.reproduction import seed_for

PAPER = "conformal"

#: 2 sigma^2 and C of section 6.1.
WIDTH, C = 50.0, 10.0

#: Share of a training part that is set apart as V, as often as there are classes in it.
VALIDATION = 0.25
N_FOLDS = 7

#: Names of Tables 6.3.2 and 6.3.3 and of our registry.
SETS = {
    "Glass7": "glass7",
    "Segment1": "segment1",
    "Hepatitis": "hepatitis",
    "Sonar": "sonar",
    "Heart disease": "heart",
    "Ionosphere": "ionosphere",
    "Breast cancer": "wdbc",
}

#: Draws of the board: patterns of each class, side, and cells of the test grid by side.
N_POSITIVE, N_NEGATIVE, SIDE, GRID = 20, 2000, 4.0, 200


@dataclass(frozen=True, eq=False)
class Problem:
    """A training part with its share V, and a test part.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels -1.0 and +1.0.
    learn, validate : ndarray of int
        Rows of X outside V and in V.
    X_test, y_test : ndarray
    seed : int
        For whatever the methods draw; of this part alone.
    """

    X: np.ndarray
    y: np.ndarray
    learn: np.ndarray
    validate: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    seed: int


def _number(*parts):
    return int(seed_for(PAPER, *parts).generate_state(1)[0])


def _problem(X, y, X_test, y_test, *identity):
    seed = _number("validation", *identity)
    learn, validate = train_test_split(
        np.arange(len(y)), test_size=VALIDATION, stratify=y, random_state=seed
    )
    return Problem(X, y, np.sort(learn), np.sort(validate), X_test, y_test, seed)


def board_sample(draw):
    """Training patterns of a draw of the checkers board, and their labels as floats.

    Parameters
    ----------
    draw : int

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1.0 and +1.0.
    """
    rng = np.random.default_rng(seed_for(PAPER, "board", draw))
    X, y = checkers_board(N_POSITIVE, N_NEGATIVE, SIDE, rng)
    return X, y.astype(float)


def board(draw):
    """A draw of the checkers board with its test grid, as :class:`Problem`.

    Parameters
    ----------
    draw : int

    Returns
    -------
    Problem
    """
    X_test, y_test = checkers_board_grid(GRID, SIDE)
    return _problem(*board_sample(draw), X_test, y_test.astype(float), "board", draw)


@lru_cache(maxsize=4)
def load(name):
    """Inputs and labels of a real set by its printed name, unscaled, NaN where missing.

    Parameters
    ----------
    name : str
        A data set as printed.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    y : ndarray of shape (n,)
        Labels -1.0 and +1.0.
    """
    data = load_imbalanced(SETS[name])
    return data.X, data.y.astype(float)


def digest(name):
    """Digest of the file behind a real set.

    Parameters
    ----------
    name : str
        A data set as printed.

    Returns
    -------
    str
    """
    return data_digest(imbalanced_source(SETS[name]))


@lru_cache(maxsize=2)
def folds(name, partition):
    """The seven folds of a partition of a real set.

    Columns are standardised on the training part, where a missing number of hepatitis becomes the
    mean; a constant column becomes 0.

    Parameters
    ----------
    name : str
        A printed name.
    partition : int

    Returns
    -------
    list of Problem
    """
    X, y = load(name)
    cut = StratifiedKFold(N_FOLDS, shuffle=True, random_state=_number("folds", name, partition))
    problems = []
    for fold, (train, test) in enumerate(cut.split(X, y)):
        prepare = make_pipeline(SimpleImputer(), StandardScaler()).fit(X[train])
        problems.append(
            _problem(
                prepare.transform(X[train]),
                y[train],
                prepare.transform(X[test]),
                y[test],
                name,
                partition,
                fold,
            )
        )
    return problems
