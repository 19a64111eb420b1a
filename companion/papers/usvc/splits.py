"""The data sets of Tables 2, 3 and 4 and their splits."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from sklearn.model_selection import ShuffleSplit

from companion.datasets import (
    OUTSIDE,
    data_digest,
    genuine_pool,
    load_ida,
    load_uci,
    ringnorm,
    twonorm,
)
from companion.papers.experiment import folds_of, split_rows
from companion.papers.usvc.cases import PAPER
from companion.reproduction import numbered, seed_for, study_over

#: Data sets by the names printed: those of the benchmark, and those of UCI.
BENCHMARK_SETS = {
    "Diabetes": "diabetis",
    "Image": "image",
    "Ringnorm": "ringnorm",
    "Thyroid": "thyroid",
    "Twonorm": "twonorm",
    "Waveform": "waveform",
}
MEDICAL_SETS = {
    "Breast": "breast-cancer-wisconsin",
    "Dermat": "dermatology",
    "Haberman": "haberman",
    "Postoperative": "post-operative",
    "Heart disease": "heart-cleveland",
    "Hepatitis": "hepatitis",
    "Liver disorder": "bupa",
}
SETS = BENCHMARK_SETS | MEDICAL_SETS
GENERATORS = {"Ringnorm": ringnorm, "Twonorm": twonorm}

#: Other pools of the sets that are drawn: the benchmark's own, and more of ours.
GENUINE = "genuine pool"
N_POOLS = 5
POOLS = [
    f"{name}, {pool}"
    for name in GENERATORS
    for pool in (GENUINE, *range(1, N_POOLS + 1))
]

#: The printed means of Table 4 are those of eight tests of an eighth of all patterns each.
N_EIGHTHS = 8
EIGHTHS = [f"{name}, eighths" for name in MEDICAL_SETS]

#: Patterns drawn of ringnorm and twonorm, as in the benchmark's files.
N_GENERATED = 7400
TEST_SHARE = 0.2
FOLDS = 5


@lru_cache(maxsize=4)
def load(dataset):
    """Inputs (unscaled, NaN where a value is missing) and labels -1.0 and +1.0 of a data set."""
    name, _, pool = dataset.partition(", ")
    key = SETS[name]
    if pool == GENUINE:
        X, y = genuine_pool(key)
    elif name in GENERATORS:
        which = [int(pool)] if pool else []
        rng = np.random.default_rng(seed_for(PAPER, "pool", key, *which))
        X, y = GENERATORS[name](N_GENERATED, rng)
    else:
        data = load_uci(key) if name in MEDICAL_SETS else load_ida(key)
        X = data.X
        y = data.y
    return X, y.astype(float)


def digest(params):
    """Digest of the files behind the data set of a unit, "" for one that is drawn."""
    name, _, pool = params["dataset"].partition(", ")
    if pool == GENUINE:
        return OUTSIDE[f"ida/{SETS[name]}.npz"].sha256[:16]
    return "" if name in GENERATORS else data_digest(SETS[name])


def split_study(name, compute, sets, **n_splits):
    """A study with a unit for each split: by profile, how many of each set or by data set."""
    counts = {
        profile: dict.fromkeys(sets, n) if isinstance(n, int) else n
        for profile, n in n_splits.items()
    }
    pairs = numbered("dataset", "split", counts)
    return study_over(PAPER, name, compute, pairs, digest)


def split(dataset, number):
    """A random split into four fifths and one fifth, which depends on its number alone.

    It is standardised, and has its folds; missing values are medians of the training part.
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
    part = split_rows(X, y, rows, held_out).standardised(missing="median")
    return replace(part, folds=folds_of(part.X, part.y, FOLDS, seed))


def seed_of(*what):
    """A whole number as the seed of what the parts name."""
    return int(seed_for(PAPER, *what).generate_state(1)[0])


def points_of(machines):
    """(w, b) of some machines, a column each, and whether each fit converged."""
    points = np.transpose([np.append(m.w, m.intercept) for m in machines])
    return points, [m.converged for m in machines]
