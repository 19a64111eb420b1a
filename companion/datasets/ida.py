"""Eight problems of the IDA benchmark and their splits.

The benchmark of Rätsch, Onoda and Müller (Soft margins for AdaBoost, Machine Learning 42(3), 2001,
287-320) is a collection of binary problems made from UCI, Statlog and Delve data, each with 100
divisions into training and test part. Its files are no longer given out by their authors. Here the
problems are rebuilt from the original data, row by row and digit by digit, and the divisions are
drawn anew: of the given sizes, at random without stratification, as the original ones are (in the
ten that could be seen of each problem the number of positives in the training part varies as that
of a simple random sample does). Where the repackaged file ``benchmarks.mat`` is had, its rows and
its genuine divisions are used instead.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion._paths import data_dir
from companion.datasets import _coding
from companion.datasets._fetch import find_file, locate
from companion.datasets._sources import get_source, look_up
from companion.errors import DataUnavailable

__all__ = ["Dataset", "ida_split", "list_ida", "load_ida", "split_source"]

_SOURCES = ("drawn", "ida")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A binary problem.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features)
        Inputs, as the benchmark scales them. Read only.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1. Read only.
    n_train, n_test : int
        Sizes of the two parts of a split.
    n_splits : int
        Number of splits of the benchmark.
    positive : str
        What the label +1 means.
    source : str
        ``"drawn"`` for rows rebuilt from the original data, in their order there, ``"ida"`` for the
        rows of ``benchmarks.mat``.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    n_train: int
    n_test: int
    n_splits: int
    positive: str
    source: str


@dataclass(frozen=True)
class Form:
    """How a problem is made from its file.

    Attributes
    ----------
    build : callable
        From the path of the file to inputs and labels.
    key, file : str or None
        Where the file is registered; None for the one in ``data/``.
    n_train, n_test, n_splits : int
        Sizes of the two parts of a split, and the number of splits.
    positive : str
        What the label +1 means.
    """

    build: object
    key: str | None
    file: str | None
    n_train: int
    n_test: int
    positive: str
    n_splits: int = 100


FORMS = {
    "titanic": Form(_coding.titanic, None, None, 150, 2051, "survived"),
    "heart": Form(_coding.heart, "heart-statlog", "heart.dat", 170, 100, "heart disease"),
    "breast-cancer": Form(
        _coding.breast_cancer, "breast-cancer", "breast-cancer.data", 200, 77, "recurrence"
    ),
    "german": Form(_coding.german, "german", "german.data", 700, 300, "bad credit risk"),
    "diabetis": Form(
        _coding.diabetis, "diabetes", "pima-indians-diabetes.data", 468, 300, "diabetes"
    ),
    "image": Form(
        _coding.image,
        "image-segmentation",
        "segment.dat",
        1300,
        1010,
        "brickface, sky, foliage or path",
        n_splits=20,
    ),
    "thyroid": Form(
        _coding.thyroid, "new-thyroid", "new-thyroid.data", 140, 75, "hyper- or hypothyroid"
    ),
    "waveform": Form(_coding.waveform, "waveform", "waveform.data", 400, 4600, "class 1"),
}


def list_ida():
    """Names of the problems that `load_ida` knows.

    Returns
    -------
    list of str
    """
    return list(FORMS)


def get_form(name):
    """How a problem is made from its file.

    Parameters
    ----------
    name : str
        A name of `list_ida`.

    Returns
    -------
    Form

    Raises
    ------
    UnknownDataset
        If there is no such problem.
    """
    return look_up("problem of the IDA benchmark", name, FORMS)


def benchmark_file():
    """The registered file of the genuine splits.

    Returns
    -------
    SourceFile
    """
    return get_source("ida-benchmarks").file()


def resolve_source(name, source):
    """Where the rows of a problem come from.

    Parameters
    ----------
    name : str
        A name of `list_ida`.
    source : {None, "drawn", "ida"}

    Returns
    -------
    {"drawn", "ida"}

    Raises
    ------
    ValueError
        If the source is none of these.
    """
    get_form(name)
    if source is None:
        return split_source(name)
    if source not in _SOURCES:
        raise ValueError(f"source must be None, 'drawn' or 'ida'. Got {source!r}")
    return source


def split_source(name):
    """Say which splits of a problem are used here.

    Parameters
    ----------
    name : str
        A name of `list_ida`.

    Returns
    -------
    str
        ``"ida"`` if a genuine ``benchmarks.mat`` is in ``COMPANION_DATA`` or in the cache, else
        ``"drawn"``. Nothing is downloaded to find out.
    """
    get_form(name)
    return "ida" if locate(benchmark_file())[0] is not None else "drawn"


def load_ida(name, source=None):
    """Load a problem of the IDA benchmark.

    Parameters
    ----------
    name : {"titanic", "heart", "breast-cancer", "german", "diabetis", "image", "thyroid", \
"waveform"}
    source : {None, "drawn", "ida"}, default=None
        Rows rebuilt from the original data (``"drawn"``, after their splits) or the rows of
        ``benchmarks.mat`` (``"ida"``); by default that of `split_source`. `ida_split` must be
        asked for the same source, since its indices count these rows.

    Returns
    -------
    Dataset

    Raises
    ------
    UnknownDataset
        If there is no such problem.
    DataUnavailable
        If its file cannot be had. The Titanic is always there.

    Notes
    -----
    The rebuilt rows equal those of the benchmark to the eight significant digits it gives, labels
    included (``diabetis`` could not be compared). All but two problems are standardised over all
    rows, test rows included; ``breast-cancer`` and ``thyroid`` by mean and standard deviation of
    137 and 100 rows, which cannot be identified, but whose sums can.

    In ``benchmarks.mat`` a row may stand for several equal samples: its splits can name it more
    than once.
    """
    form = get_form(name)
    if resolve_source(name, source) == "ida":
        return _read_benchmark(name, _genuine_benchmark())[0]
    if form.key is None:
        path = data_dir() / f"{name}.csv"
    else:
        path = find_file(get_source(form.key).file(form.file))
    return _build(name, path)


def _frozen(array):
    array.setflags(write=False)
    return array


@lru_cache(maxsize=32)
def _build(name, path):
    form = FORMS[name]
    X, y = form.build(path)
    if len(y) != form.n_train + form.n_test:
        raise DataUnavailable(
            f"{path.name} has {len(y)} usable rows where the problem {name!r} has "
            f"{form.n_train + form.n_test}: it is not the registered file"
        )
    return Dataset(
        name,
        _frozen(X),
        _frozen(y),
        form.n_train,
        form.n_test,
        form.n_splits,
        form.positive,
        "drawn",
    )


def ida_split(name, i, source=None):
    """Training and test rows of a split of an IDA problem.

    Parameters
    ----------
    name : str
        A name of `list_ida`.
    i : int
        Number of the split, from 1 to 100 (to 20 for ``image``).
    source : {None, "drawn", "ida"}, default=None
        Splits drawn by this project or those of ``benchmarks.mat``; by default that of
        `split_source`.

    Returns
    -------
    train_idx, test_idx : ndarray of int
        Row numbers of ``load_ida(name, source)``, from 0. A drawn split divides the rows at
        random, depends on `name` and `i` alone, and needs no file.

    Raises
    ------
    UnknownDataset
        If there is no such problem.
    ValueError
        If there is no split of this number.
    DataUnavailable
        If ``source="ida"`` and the file is not here.
    """
    form = get_form(name)
    if resolve_source(name, source) == "ida":
        data, train, test = _read_benchmark(name, _genuine_benchmark())
        i = _split_number(name, i, data.n_splits)
        return train[i - 1], test[i - 1]
    i = _split_number(name, i, form.n_splits)
    identity = hashlib.sha256(f"ida-split/{name}/{i}".encode()).digest()
    seed = np.random.SeedSequence(int.from_bytes(identity, "little"))
    order = np.random.default_rng(seed).permutation(form.n_train + form.n_test)
    return order[: form.n_train], order[form.n_train :]


def _split_number(name, i, n_splits):
    if isinstance(i, bool) or int(i) != i or not 1 <= i <= n_splits:
        raise ValueError(f"the splits of {name!r} are numbered 1 to {n_splits}. Got {i!r}")
    return int(i)


def _genuine_benchmark():
    path, why = locate(benchmark_file())
    if path is None:
        raise DataUnavailable(why)
    return path


@lru_cache(maxsize=32)
def _read_benchmark(name, path):
    """Rows and 0-based splits of a problem in ``benchmarks.mat``.

    The file holds one structure a problem, dashes written as underscores, with the fields ``x``,
    ``t``, ``train`` and ``test``; the last two have one split a row and count from 1.
    """
    from scipy.io import loadmat

    variable = name.replace("-", "_")
    content = loadmat(path, variable_names=[variable])
    if variable not in content:
        raise DataUnavailable(f"{path.name} has no problem {variable!r}: it is not usable")
    record = content[variable][0, 0]
    X = np.ascontiguousarray(record["x"], dtype=float)
    y = np.where(record["t"].ravel() > 0, 1, -1)
    train, test = (_frozen(record[part].astype(np.intp) - 1) for part in ("train", "test"))
    form = FORMS[name]
    data = Dataset(
        name,
        _frozen(X),
        _frozen(y),
        train.shape[1],
        test.shape[1],
        len(train),
        form.positive,
        "ida",
    )
    return data, train, test
