"""The data sets of Tables 2, 3 and 4, their splits, and what every search over them shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from companion.datasets import data_digest, load_ida, load_uci, ringnorm, twonorm
from companion.papers.usvc.machines import PAPER
from companion.reproduction import seed_for

#: Data sets by the names printed: the key and who knows it.
BENCHMARK_SETS = {
    "Diabetes": ("diabetis", "ida"),
    "Image": ("image", "ida"),
    "Ringnorm": ("ringnorm", "generator"),
    "Thyroid": ("thyroid", "ida"),
    "Twonorm": ("twonorm", "generator"),
    "Waveform": ("waveform", "ida"),
}
MEDICAL_SETS = {
    "Breast": ("breast-cancer-wisconsin", "uci"),
    "Dermat": ("dermatology", "uci"),
    "Haberman": ("haberman", "uci"),
    "Postoperative": ("post-operative", "uci"),
    "Heart disease": ("heart-cleveland", "uci"),
    "Hepatitis": ("hepatitis", "uci"),
    "Liver disorder": ("bupa", "uci"),
}
SETS = BENCHMARK_SETS | MEDICAL_SETS
_GENERATORS = {"ringnorm": ringnorm, "twonorm": twonorm}

#: Patterns drawn of ringnorm and twonorm, as in the benchmark's files.
N_GENERATED = 7400
TEST_SHARE = 0.2
FOLDS = 5


@lru_cache(maxsize=4)
def load(dataset):
    """Inputs and labels of a data set.

    Parameters
    ----------
    dataset : str
        A printed name.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Unscaled; NaN where a value is missing.
    y : ndarray of shape (n_samples,)
        Labels -1.0 and +1.0.
    """
    key, source = SETS[dataset]
    if source == "generator":
        rng = np.random.default_rng(seed_for(PAPER, "pool", key))
        X, y = _GENERATORS[key](N_GENERATED, rng)
        return X, y.astype(float)
    data = load_ida(key, "drawn") if source == "ida" else load_uci(key)
    return data.X, data.y.astype(float)


def digest(dataset):
    """Digest of the files behind a data set, "" for one that is drawn.

    Parameters
    ----------
    dataset : str
        A printed name.

    Returns
    -------
    str
    """
    key, source = SETS[dataset]
    return {
        "generator": lambda: "",
        "ida": lambda: data_digest(key, "drawn"),
        "uci": lambda: data_digest(key),
    }[source]()


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test part of a split, standardised on the training part, and its folds.

    Attributes
    ----------
    X, y : ndarray
        Training part. Missing values are medians of the training part, constant columns are 0.
    X_test, y_test : ndarray
    folds : list of (ndarray, ndarray)
        Rows to train on and held-out rows of each fold, stratified.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    folds: list


def split(dataset, number):
    """A random split into four fifths and one fifth, which depends on its number alone.

    Parameters
    ----------
    dataset : str
        A printed name.
    number : int

    Returns
    -------
    Split
    """
    X, y = load(dataset)
    seed = int(seed_for(PAPER, "split", dataset, number).generate_state(1)[0])
    rows, held_out = next(ShuffleSplit(1, test_size=TEST_SHARE, random_state=seed).split(X))
    prepare = make_pipeline(SimpleImputer(strategy="median"), StandardScaler()).fit(X[rows])
    X_train, y_train = prepare.transform(X[rows]), y[rows]
    cut = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    folds = list(cut.split(X_train, y_train))
    return Split(X_train, y_train, prepare.transform(X[held_out]), y[held_out], folds)


def wrong(decision, y):
    """Number of samples on the wrong side; a decision value of 0 counts as -1.

    Parameters
    ----------
    decision : array-like of shape (n,)
    y : ndarray of shape (n,)

    Returns
    -------
    int
    """
    return int(np.count_nonzero(np.where(np.asarray(decision) > 0, 1.0, -1.0) != y))
