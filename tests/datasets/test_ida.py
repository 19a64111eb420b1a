"""The IDA problems equal the distributed ones row by row, and their splits are fair draws."""

import hashlib
from functools import partial

import numpy as np
import pandas as pd
import pytest
from _cases import refused
from _or_skip import or_skip
from _run import python
from scipy.io import savemat

from companion._paths import data_dir
from companion.datasets import data_digest, distinct_patterns, is_available, why_unavailable
from companion.datasets.ida import genuine_split, ida_split, list_ida, load_ida, split_source
from companion.errors import DataUnavailable, UnknownDataset

# Samples, attributes, positives, training and test size, as the benchmark is described.
SHAPES = {"titanic": (2201, 3, 711, 150, 2051), "heart": (270, 13, 120, 170, 100)}
SHAPES |= {"breast-cancer": (277, 9, 81, 200, 77), "german": (1000, 20, 300, 700, 300)}
SHAPES |= {"diabetis": (768, 8, 268, 468, 300), "image": (2310, 18, 1320, 1300, 1010)}
SHAPES |= {"thyroid": (215, 5, 65, 140, 75), "waveform": (5000, 21, 1647, 400, 4600)}

pytestmark = pytest.mark.usefixtures("no_network")  # no test here may wait for a download
load = or_skip(partial(load_ida, source="drawn"))


def sorted_rows(X, y, decimals=5):
    rows = np.column_stack([y, X])
    return rows[np.lexsort(np.round(rows, decimals).T[::-1])]


def distributed(mirror, name):
    path = mirror / "ida" / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the mirror has no IDA form of {name}")
    with np.load(path) as archive:
        return dict(archive)


@pytest.mark.parametrize("name", SHAPES)
def test_a_problem_has_the_shape_and_the_positives_of_the_benchmark(name):
    assert list(SHAPES) == list_ida()
    data = load(name)
    n, d, positives, n_train, n_test = SHAPES[name]
    assert data.X.shape == (n, d) and data.X.dtype == np.float64
    assert data.y.shape == (n,) and set(np.unique(data.y)) == {-1, 1}
    assert np.sum(data.y == 1) == positives
    assert (data.n_train, data.n_test, data.source) == (n_train, n_test, "drawn")
    assert np.isfinite(data.X).all()
    assert name != "german" or np.sum(data.X[:, 3] > 9) == 12  # the outlying purpose is kept
    assert not data.X.flags.writeable and not data.y.flags.writeable


@pytest.mark.parametrize("name", SHAPES)
def test_rebuilt_rows_and_labels_equal_the_distributed_ones(mirror, name):
    data, other = load(name), distributed(mirror, name)
    ours, theirs = sorted_rows(data.X, data.y), sorted_rows(other["X"], other["y"])
    assert np.array_equal(ours[:, 0], theirs[:, 0])
    # Eight significant digits are distributed, so half a unit of the eighth is the rounding.
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(theirs), 1e-3))) - 7)
    assert np.max(np.abs(ours - theirs) / unit) <= 0.5 + 1e-6


@pytest.mark.parametrize("name", SHAPES)
def test_all_problems_but_two_are_standardised_over_all_rows(name):
    X, by_part = load(name).X, name in ("breast-cancer", "thyroid")  # scaled by part of their rows
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.2 if by_part else 1e-12)
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1, atol=0.3 if by_part else 1e-12)
    assert (np.abs(X.mean(axis=0)).max() > 0.01) == by_part


def test_the_titanic_is_always_here(bare):
    data = load_ida("titanic", "drawn")
    assert is_available("titanic") and why_unavailable("titanic") is None
    patterns, _, counts, _ = distinct_patterns(data.X, data.y)
    assert patterns.shape == (24, 3) and counts.sum() == 2201
    values = [(-1.8665154, -0.92253555, 0.02144434, 0.96542423), (-0.2282095, 4.3799476)]
    values += [(-1.9186728, 0.5209568)]  # as they are distributed
    for column, expected in zip(data.X.T, values, strict=True):
        np.testing.assert_allclose(np.unique(column), expected, atol=5e-8)
    crew, child, man = data.X[:, 0] > 0.9, data.X[:, 1] > 0, data.X[:, 2] > 0
    assert np.sum(crew & man & (data.y == 1)) == 192 and np.sum(child & ~man & (data.y == -1)) == 17


def test_the_titanic_table_has_32_cells_and_the_margins_of_the_inquiry():
    cells = pd.read_csv(data_dir() / "titanic.csv")
    columns = ["class", "age", "sex", "survived"]
    assert len(cells) == len(cells[columns].drop_duplicates()) == 32
    margins = [cells.groupby(column)["count"].sum().to_dict() for column in columns]
    assert margins[0] == {"1st": 325, "2nd": 285, "3rd": 706, "crew": 885}
    assert margins[1:3] == [{"adult": 2092, "child": 109}, {"male": 1731, "female": 470}]
    assert margins[3] == {"no": 1490, "yes": 711} and len(margins) == 4


@pytest.mark.parametrize("name", SHAPES)
def test_a_split_divides_the_rows_into_parts_of_the_given_sizes(name):
    n, _, _, n_train, n_test = SHAPES[name]
    for i in (1, 7, 20):
        train, test = ida_split(name, i, "drawn")
        assert (len(train), len(test)) == (n_train, n_test)
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))


def test_the_splits_under_the_committed_records_are_still_drawn():
    # Records name a split by its number; should a library draw other numbers from the same seed,
    # they would silently belong to other splits. This number notices.
    digest = hashlib.sha256()
    for name in ("titanic", "heart", "breast-cancer", "german"):
        for i in range(1, 101):
            digest.update(np.concatenate(ida_split(name, i, "drawn")).astype("<i4").tobytes())
    assert digest.hexdigest()[:16] == "86ac3d27e499089b"


def test_a_split_depends_on_its_problem_and_number_alone():
    splits = [ida_split("heart", i, "drawn")[0] for i in range(1, 101)]
    assert len({tuple(np.sort(split)) for split in splits}) == 100
    backward = [ida_split("heart", i, "drawn")[0] for i in range(100, 0, -1)]
    assert np.array_equal(splits, backward[::-1])
    other = np.concatenate(ida_split("breast-cancer", 1, "drawn"))
    assert not np.array_equal(splits[0], other[other < 270][:170])
    code = "from companion.datasets import ida_split; print(*ida_split('heart', 3, 'drawn')[0])"
    assert python("-c", code, check=True).stdout.split() == [str(i) for i in splits[2]]


def training_positives(y, splits):
    """Standardised numbers of positives in the training parts, under simple random sampling."""
    n, m, p = len(y), splits.shape[1], np.mean(y == 1)
    spread = np.sqrt(m * p * (1 - p) * (n - m) / (n - 1))
    return ((y[splits] == 1).sum(axis=1) - m * p) / spread


@pytest.mark.parametrize("name", ["titanic", "heart", "breast-cancer", "german"])
def test_drawn_splits_are_simple_random_samples_without_stratification(name):
    y, (n, _, _, n_train, _) = load(name).y, SHAPES[name]
    splits = np.array([ida_split(name, i, "drawn")[0] for i in range(1, 101)])
    scores = training_positives(y, splits)
    # Mean 0 with standard error 0.1; the sum of squares is chi-squared with 100 degrees.
    assert abs(scores.mean()) < 0.35 and 56 < np.sum(scores**2) < 157
    share = n_train / n
    times = np.bincount(splits.ravel(), minlength=n)
    assert np.abs(times - 100 * share).max() < 5 * np.sqrt(100 * share * (1 - share))


@pytest.mark.parametrize("i", [0, 101, -1, 1.5, True])
def test_a_split_of_another_number_is_refused(i):
    refused(f"numbered 1 to 100. Got {i!r}", ida_split, "heart", i)
    refused("numbered 1 to 20. Got 21", ida_split, "image", 21)


@pytest.mark.parametrize("function", [load_ida, split_source, lambda name: ida_split(name, 1)])
def test_an_unknown_problem_or_source_is_refused(function):
    with pytest.raises(UnknownDataset, match="'brest-cancer' is not a problem .* 'breast-cancer'"):
        function("brest-cancer")
    refused("source must be None, 'drawn' or 'ida'. Got 'uci'", load_ida, "heart", "uci")


def test_without_files_splits_are_drawn_and_what_is_missing_is_named(bare):
    assert split_source("heart") == "drawn" and not is_available("waveform")
    assert len(ida_split("heart", 1)[0]) == 170
    with pytest.raises(DataUnavailable, match="^waveform.data of 'waveform' is not") as error:
        load_ida("waveform")
    assert "\n" not in str(error.value)
    for call in (lambda: load_ida("heart", "ida"), lambda: ida_split("heart", 1, "ida")):
        refused("benchmarks.mat .* `companion data fetch ida-", call, error=DataUnavailable)


@pytest.fixture
def benchmark(bare, tmp_path, monkeypatch, register):
    """A small file of the structure of ``benchmarks.mat``, registered as if it were the real one.

    Two problems; the second one stores distinct rows only and its splits repeat them.
    """
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(12, 2)), np.array([[1], [-1]] * 6)
    orders = np.array([rng.permutation(12) + 1 for _ in range(4)], dtype=np.uint16)
    repeated = rng.integers(1, 13, size=(4, 30)).astype(np.uint8)
    own = {"x": rows, "t": labels}
    content = {"breast_cancer": {**own, "train": orders[:, :8], "test": orders[:, 8:]}}
    content["titanic"] = {**own, "train": repeated[:, :20], "test": repeated[:, 20:]}
    path = tmp_path / "mirror" / "ida-benchmarks" / "benchmarks.mat"
    path.parent.mkdir(parents=True)
    savemat(path, content)
    register(("ida-benchmarks", "benchmarks.mat", "https://a.invalid/b.mat", path.read_bytes()))
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    return content


def test_where_the_benchmark_file_is_here_its_rows_and_splits_are_used(benchmark):
    expected = benchmark["breast_cancer"]
    assert split_source("breast-cancer") == "ida" and is_available("breast-cancer")
    data = load_ida("breast-cancer")
    assert data.source == "ida" and (data.n_train, data.n_test, data.n_splits) == (8, 4, 4)
    np.testing.assert_array_equal(data.X, expected["x"])
    np.testing.assert_array_equal(data.y, expected["t"].ravel())
    for i in range(1, 5):
        train, test = ida_split("breast-cancer", i)
        np.testing.assert_array_equal(train, expected["train"][i - 1].astype(int) - 1)
        np.testing.assert_array_equal(test, expected["test"][i - 1].astype(int) - 1)


def test_problems_of_the_file_keep_double_rows_and_our_own_splits_stand_beside(benchmark):
    train, _ = ida_split("titanic", 2)
    assert len(train) == 20 > len(np.unique(train))
    assert load_ida("titanic").X[train].shape == (20, 2)
    assert len(ida_split("titanic", 1, source="drawn")[0]) == 150
    assert load_ida("titanic", source="drawn").X.shape == (2201, 3)
    assert data_digest("titanic") == data_digest("titanic", "ida")
    assert data_digest("titanic") != data_digest("titanic", "drawn")
    refused("numbered 1 to 4. Got 5", ida_split, "titanic", 5)
    refused("benchmarks.mat has no problem 'german'", load_ida, "german", error=DataUnavailable)


def test_a_damaged_benchmark_file_is_not_used(benchmark, tmp_path):
    path = tmp_path / "mirror" / "ida-benchmarks" / "benchmarks.mat"
    path.write_bytes(path.read_bytes()[:-10])
    assert split_source("titanic") == "drawn" and load_ida("titanic").X.shape == (2201, 3)
    refused("benchmarks.mat .* truncated", load_ida, "titanic", "ida", error=DataUnavailable)


def test_ten_genuine_splits_are_read_from_the_registered_files_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    (tmp_path / "ida").mkdir()
    (tmp_path / "ida" / "heart.npz").write_bytes(b"another file")
    for name, fault in (("heart", "truncated"), ("german", "cannot be read")):
        refused(f"^ida/{name}.npz, .* {fault}", genuine_split, name, 1, error=DataUnavailable)
    monkeypatch.delenv("COMPANION_DATA")
    refused("that is not set", genuine_split, "heart", 1, error=DataUnavailable)
    refused("is not a problem of ten splits", genuine_split, "image", 1, error=UnknownDataset)


@pytest.mark.parametrize("name", list(SHAPES)[:4])
def test_a_genuine_split_has_the_rows_of_the_problem_in_two_parts(mirror, name):
    _, _, _, n_train, n_test = SHAPES[name]
    rows = distributed(mirror, name)
    X, y, X_test, y_test = genuine_split(name, 10)
    assert (len(y), len(y_test)) == (n_train, n_test)
    np.testing.assert_array_equal(X, rows["X"][rows["train"][9]])
    both = np.vstack([X, X_test]), np.concatenate([y, y_test])
    np.testing.assert_array_equal(sorted_rows(*both), sorted_rows(rows["X"], rows["y"]))
    refused("numbered 1 to 10. Got 11", genuine_split, name, 11)
