"""Eight problems of the IDA benchmark and their splits.

The benchmark of Rätsch, Onoda and Müller (Soft margins for AdaBoost, Machine Learning 42(3), 2001,
287-320) is a collection of binary problems made from UCI, Statlog and Delve data, each with 100
divisions into training and test part. Its files are no longer given out by their authors. Here the
problems are rebuilt from the original data, row by row and digit by digit, and the divisions are
drawn anew: of the given sizes, at random without stratification, as the original ones are. Of four
problems `genuine_split` reads the first ten original divisions, where they are had.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion._utils.errors import DamagedData
from companion.datasets import _coding
from companion.datasets.outside import fetch_file, find_copy
from companion.datasets.tables import look_up, read_only, read_table

__all__ = [
    "GENUINE",
    "GENUINE_POOLS",
    "Dataset",
    "genuine_pool",
    "genuine_split",
    "ida_split",
    "list_ida",
    "load_ida",
]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A binary problem.

    Attributes
    ----------
    X, y : ndarray of shape (n_samples, n_features) and (n_samples,)
        Inputs, as the benchmark scales them, and labels -1 and +1, in the order of the original
        data. Read only.
    n_train, n_test, n_splits : int
        Sizes of the two parts of a split, and how many splits the benchmark has.
    name, positive : str
        What the label +1 means.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    n_train: int
    n_test: int
    n_splits: int
    positive: str


@dataclass(frozen=True)
class Form:
    """How a problem is made: its table, builder and split."""

    table: str
    build: object
    n_train: int
    n_test: int
    positive: str
    n_splits: int = 100


FORMS = {
    "titanic": Form(
        "titanic", _coding.titanic, n_train=150, n_test=2051, positive="survived"
    ),
    "heart": Form(
        "heart-statlog",
        _coding.heart,
        n_train=170,
        n_test=100,
        positive="heart disease",
    ),
    "breast-cancer": Form(
        "breast-cancer",
        _coding.breast_cancer,
        n_train=200,
        n_test=77,
        positive="recurrence",
    ),
    "german": Form(
        "german", _coding.german, n_train=700, n_test=300, positive="bad credit risk"
    ),
    "diabetis": Form(
        "diabetes", _coding.diabetis, n_train=468, n_test=300, positive="diabetes"
    ),
    "image": Form(
        "image-segmentation",
        _coding.image,
        n_train=1300,
        n_test=1010,
        positive="brickface, sky, foliage or path",
        n_splits=20,
    ),
    "thyroid": Form(
        "new-thyroid",
        _coding.thyroid,
        n_train=140,
        n_test=75,
        positive="hyper- or hypothyroid",
    ),
    "waveform": Form(
        "waveform", _coding.waveform, n_train=400, n_test=4600, positive="class 1"
    ),
}

#: The problems of `genuine_split`, which has so many splits of each.
GENUINE = ("titanic", "heart", "breast-cancer", "german")
N_GENUINE = 10

#: The drawn problems of which `genuine_pool` has the 7400 samples that the benchmark drew.
GENUINE_POOLS = ("ringnorm", "twonorm")


def list_ida():
    """Names of the problems that `load_ida` knows."""
    return list(FORMS)


def _form(name):
    return look_up("problem of the IDA benchmark", name, FORMS)


def load_ida(name):
    """Load a problem of the IDA benchmark.

    Parameters
    ----------
    name : str
        One of `list_ida`: "titanic", "heart", "breast-cancer", "german", "diabetis", "image",
        "thyroid", "waveform".

    Returns
    -------
    Dataset

    Raises
    ------
    UnknownDataset, DataUnavailable, DamagedData
        If there is no such problem; if the file of "waveform", which is not in the repository,
        cannot be had; if a file is not the one it should be.

    Notes
    -----
    The rows equal those of the benchmark to the eight significant digits it gives, labels included
    (``diabetis`` could not be compared). All but two problems are standardised over all rows, test
    rows included; ``breast-cancer`` and ``thyroid`` by mean and standard deviation of 137 and 100
    rows, which cannot be identified, but whose sums can.
    """
    return _build(name, _form(name))


@lru_cache(maxsize=32)
def _build(name, form):
    table = _read_waveforms() if name == "waveform" else read_table(form.table)
    X, y = read_only(*form.build(table))
    return Dataset(name, X, y, form.n_train, form.n_test, form.n_splits, form.positive)


def _read_waveforms():
    import pandas as pd

    columns = [*range(1, 22), "class"]
    return pd.read_csv(fetch_file("waveform/waveform.data"), names=columns, dtype=str)


def ida_split(name, i):
    """Training and test rows of a split of an IDA problem.

    Parameters
    ----------
    name : str
        A name of `list_ida`.
    i : int
        Number of the split, from 1 to 100 (to 20 for ``image``), or a `ValueError` is raised.

    Returns
    -------
    train_idx, test_idx : ndarray of int
        Row numbers of ``load_ida(name)``, from 0. A split divides the rows at random, depends on
        `name` and `i` alone, and needs no file.
    """
    form = _form(name)
    i = _split_number(name, i, form.n_splits)
    identity = hashlib.sha256(f"ida-split/{name}/{i}".encode()).digest()
    seed = np.random.SeedSequence(int.from_bytes(identity, "little"))
    rng = np.random.default_rng(seed)
    order = rng.permutation(form.n_train + form.n_test)
    return order[: form.n_train], order[form.n_train :]


def _split_number(name, i, n_splits):
    if isinstance(i, bool) or int(i) != i or not 1 <= i <= n_splits:
        raise ValueError(
            f"the splits of {name!r} are numbered 1 to {n_splits}. Got {i!r}"
        )
    return int(i)


def genuine_split(name, i):
    """One of the first ten splits of the benchmark itself.

    They come from ``ida/<name>.npz`` if ``COMPANION_DATA`` has it, else from the repackaged
    benchmark ``benchmarks.mat``, which is fetched.

    Parameters
    ----------
    name : {"titanic", "heart", "breast-cancer", "german"}
    i : int
        Its number, from 1 to 10, or a `ValueError` is raised.

    Returns
    -------
    X, y, X_test, y_test : ndarray
        Training inputs and labels, test inputs and labels.

    Raises
    ------
    UnknownDataset, DataUnavailable, DamagedData
        If there is no such problem; if no file can be had; if one is another file.
    """
    look_up("problem of ten splits", name, dict.fromkeys(GENUINE))
    i = _split_number(name, i, N_GENUINE)
    X, y, trains, tests = _genuine(name)
    train = trains[i - 1]
    test = tests[i - 1]
    return X[train], y[train], X[test], y[test]


def genuine_pool(name):
    """All samples of a problem that was drawn, as the benchmark has them.

    From ``ida/<name>.npz`` if ``COMPANION_DATA`` has it, else from ``benchmarks.mat``, which is
    fetched. The inputs are standardised over all samples.

    Parameters
    ----------
    name : {"ringnorm", "twonorm"}

    Returns
    -------
    X, y : ndarray of shape (7400, 20) and (7400,)
        Inputs, and labels -1 and +1.

    Raises
    ------
    UnknownDataset, DataUnavailable, DamagedData
        As `genuine_split`.
    """
    look_up("problem that was drawn", name, dict.fromkeys(GENUINE_POOLS))
    X, y, *_ = _genuine(name)
    return X.copy(), y.copy()


def _genuine(name):
    """Inputs and labels of a problem as the benchmark has it, and the rows of its parts if any."""
    path = find_copy(f"ida/{name}.npz")
    if path is None:
        return _read_benchmark(name, fetch_file("ida-benchmarks/benchmarks.mat"))
    with np.load(path) as held:
        parts = [held[part] for part in ("train", "test") if part in held]
        return held["X"], held["y"].astype(int), *parts


@lru_cache(maxsize=4)
def _read_benchmark(name, path):
    """Inputs, labels and rows of all parts of a problem: x, t, train and test in the file.

    A row may stand for several equal samples: a part can name it more than once.
    """
    from scipy.io import loadmat

    variable = name.replace("-", "_")
    content = loadmat(path, variable_names=[variable])
    if variable not in content:
        raise DamagedData(f"{path.name} has no problem {variable!r}: it is not usable")
    record = content[variable][0, 0]
    X = np.ascontiguousarray(record["x"], dtype=float)
    y = np.where(record["t"].ravel() > 0, 1, -1)
    trains = record["train"].astype(np.intp) - 1
    tests = record["test"].astype(np.intp) - 1
    return X, y, trains, tests
