"""The data sets of Tables 2, 3 and 4 and their splits."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from companion.datasets import (
    OUTSIDE,
    data_digest,
    genuine_pool,
    load_ida,
    load_uci,
    ringnorm,
    twonorm,
)
from companion.papers.summaries import numbered, study_over
from companion.papers.usvc.cases import PAPER
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

#: Other pools of the sets that are drawn: the benchmark's own, and more of ours.
GENUINE = "genuine pool"
N_POOLS = 5
POOLS = {
    f"{name}, {pool}": (key, pool)
    for name, (key, source) in BENCHMARK_SETS.items()
    if source == "generator"
    for pool in (GENUINE, *range(1, N_POOLS + 1))
}

#: The printed means of Table 4 are those of eight tests of an eighth of all patterns each.
N_EIGHTHS = 8
EIGHTHS = {f"{name}, eighths": source for name, source in MEDICAL_SETS.items()}

#: Patterns drawn of ringnorm and twonorm, as in the benchmark's files.
N_GENERATED = 7400
TEST_SHARE = 0.2
FOLDS = 5


@lru_cache(maxsize=4)
def load(dataset):
    """Inputs (unscaled, NaN where a value is missing) and labels -1.0 and +1.0 of a data set."""
    key, source = (SETS | POOLS | EIGHTHS)[dataset]
    if source == GENUINE:
        X, y = genuine_pool(key)
    elif source in ("ida", "uci"):
        data = load_ida(key) if source == "ida" else load_uci(key)
        X = data.X
        y = data.y
    else:
        which = () if source == "generator" else (source,)
        rng = np.random.default_rng(seed_for(PAPER, "pool", key, *which))
        X, y = _GENERATORS[key](N_GENERATED, rng)
    return X, y.astype(float)


def digest(params):
    """Digest of the files behind the data set of a unit, "" for one that is drawn."""
    key, source = (SETS | POOLS | EIGHTHS)[params["dataset"]]
    if source == GENUINE:
        return OUTSIDE[f"ida/{key}.npz"].sha256[:16]
    return data_digest(key) if source in ("ida", "uci") else ""


def split_study(name, compute, **n_splits):
    """A study with a unit for each split: for each profile, the numbers of splits by data set."""
    return study_over(
        PAPER, name, compute, numbered("dataset", "split", n_splits), digest
    )


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test part of a split, standardised on the training part, and its folds.

    Missing values are medians of the training part, constant columns are 0. A fold is the rows to
    train on and the rows held out, stratified.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    folds: list


def split(dataset, number):
    """A random split into four fifths and one fifth, which depends on its number alone.

    Of a set in eighths, eight numbers in turn are the parts of one partition; what does not fill an
    eighth is always trained on.
    """
    X, y = load(dataset)
    if dataset in EIGHTHS:
        partition, part = divmod(number - 1, N_EIGHTHS)
        seed = seed_of("eighths", dataset, partition)
        order = np.random.default_rng(seed).permutation(len(y))
        m = len(y) // N_EIGHTHS
        held_out = order[part * m : (part + 1) * m]
        rows = np.setdiff1d(order, held_out)
    else:
        seed = seed_of("split", dataset, number)
        cut = ShuffleSplit(1, test_size=TEST_SHARE, random_state=seed)
        rows, held_out = next(cut.split(X))
    prepare = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    X_train = prepare.fit_transform(X[rows])
    X_test = prepare.transform(X[held_out])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    cuts = list(folds.split(X_train, y[rows]))
    return Split(X_train, y[rows], X_test, y[held_out], cuts)


def seed_of(*what):
    """A whole number as the seed of what the parts name."""
    return int(seed_for(PAPER, *what).generate_state(1)[0])


def wrong(decision, y):
    """Numbers of samples on the wrong side, of each column; a decision value of 0 counts as -1."""
    return np.count_nonzero((np.asarray(decision).T > 0) != (y > 0), axis=-1)


def points_of(machines):
    """(w, b) of some machines, a column each."""
    return np.transpose([np.append(m.w, m.intercept) for m in machines])
