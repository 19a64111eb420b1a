"""The IDA problems equal the distributed ones row by row, and their splits are fair draws."""

import csv
import hashlib
import subprocess
import sys
from collections import Counter
from functools import partial

import numpy as np
import pytest
from _or_skip import or_skip
from scipy.io import savemat

from companion._paths import data_dir
from companion.datasets import (
    DataUnavailable,
    UnknownDataset,
    data_digest,
    ida_split,
    is_available,
    list_ida,
    load_ida,
    split_source,
    why_unavailable,
)

# Samples, attributes, positives, training and test size, as the benchmark is described.
SHAPES = {
    "titanic": (2201, 3, 711, 150, 2051),
    "heart": (270, 13, 120, 170, 100),
    "breast-cancer": (277, 9, 81, 200, 77),
    "german": (1000, 20, 300, 700, 300),
    "diabetis": (768, 8, 268, 468, 300),
    "image": (2310, 18, 1320, 1300, 1010),
    "thyroid": (215, 5, 65, 140, 75),
    "waveform": (5000, 21, 1647, 400, 4600),
}

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


def test_the_shapes_of_all_problems_are_listed():
    assert list(SHAPES) == list_ida()


@pytest.mark.parametrize("name", SHAPES)
def test_a_problem_has_the_shape_and_the_positives_of_the_benchmark(name):
    data = load(name)
    n, d, positives, n_train, n_test = SHAPES[name]
    assert data.X.shape == (n, d) and data.X.dtype == np.float64
    assert data.y.shape == (n,) and set(np.unique(data.y)) == {-1, 1}
    assert np.sum(data.y == 1) == positives
    assert (data.n_train, data.n_test, data.source) == (n_train, n_test, "drawn")
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize("name", SHAPES)
def test_rebuilt_rows_and_labels_equal_the_distributed_ones(mirror, name):
    data, other = load(name), distributed(mirror, name)
    ours, theirs = sorted_rows(data.X, data.y), sorted_rows(other["X"], other["y"])
    assert np.array_equal(ours[:, 0], theirs[:, 0])
    # Eight significant digits are distributed, so half a unit of the eighth is the rounding.
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(theirs), 1e-3))) - 7)
    assert np.max(np.abs(ours - theirs) / unit) <= 0.5 + 1e-6


@pytest.mark.parametrize("name", sorted(set(SHAPES) - {"breast-cancer", "thyroid"}))
def test_all_problems_but_two_are_standardised_over_all_rows(name):
    X = load(name).X
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1, rtol=1e-12)


@pytest.mark.parametrize("name", ["breast-cancer", "thyroid"])
def test_the_two_others_are_scaled_by_part_of_their_rows(name):
    X = load(name).X
    assert np.abs(X.mean(axis=0)).max() > 0.01
    assert np.abs(X.mean(axis=0)).max() < 0.2
    assert np.abs(X.std(axis=0, ddof=1) - 1).max() < 0.3


def test_the_titanic_is_always_here(bare):
    data = load_ida("titanic", "drawn")
    assert is_available("titanic") and why_unavailable("titanic") is None
    assert len(np.unique(np.column_stack([data.X, data.y]), axis=0)) == 24


def test_the_titanic_table_has_32_cells_and_the_margins_of_the_inquiry():
    with open(data_dir() / "titanic.csv", newline="", encoding="ascii") as stream:
        cells = list(csv.DictReader(stream))
    assert len(cells) == 32
    assert len({tuple(list(cell.values())[:4]) for cell in cells}) == 32
    margins = Counter()
    for cell in cells:
        for column in ("class", "age", "sex", "survived"):
            margins[column, cell[column]] += int(cell["count"])
    assert margins == {
        ("class", "1st"): 325,
        ("class", "2nd"): 285,
        ("class", "3rd"): 706,
        ("class", "crew"): 885,
        ("age", "adult"): 2092,
        ("age", "child"): 109,
        ("sex", "male"): 1731,
        ("sex", "female"): 470,
        ("survived", "no"): 1490,
        ("survived", "yes"): 711,
    }


def test_the_titanic_table_equals_the_list_of_persons_in_the_mirror(mirror):
    path = mirror / "titanic" / "titanic.csv"
    if not path.exists():
        pytest.skip("the mirror has no list of the persons on the Titanic")
    with open(path, newline="") as stream:
        persons = Counter(
            (p["class"], p["age"], p["sex"], p["survived"]) for p in csv.DictReader(stream)
        )
    with open(data_dir() / "titanic.csv", newline="", encoding="ascii") as stream:
        for cell in csv.DictReader(stream):
            code = (
                str(["1st", "2nd", "3rd", "crew"].index(cell["class"]) + 1),
                str(int(cell["age"] == "adult")),
                str(int(cell["sex"] == "male")),
                str(int(cell["survived"] == "yes")),
            )
            assert persons[code] == int(cell["count"]), cell


def test_the_titanic_has_the_values_that_are_distributed():
    X, y = load_ida("titanic", "drawn").X, load_ida("titanic", "drawn").y
    crew, child, man = X[:, 0] > 0.9, X[:, 1] > 0, X[:, 2] > 0
    expected = ((-1.8665154, -0.92253555, 0.02144434, 0.96542423), (-0.2282095, 4.3799476)) + (
        (-1.9186728, 0.5209568),
    )
    for column, values in enumerate(expected):
        np.testing.assert_allclose(np.unique(X[:, column]), values, atol=5e-8)
    assert (crew.sum(), child.sum(), man.sum()) == (885, 109, 1731)
    assert np.sum(crew & man & (y == 1)) == 192
    assert np.sum(child & ~man & (y == -1)) == 17


def test_the_outlying_purpose_of_german_is_kept():
    assert np.sum(load("german").X[:, 3] > 9) == 12


def test_arrays_cannot_be_changed_by_accident():
    data = load_ida("titanic", "drawn")
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        data.y[0] = 0


@pytest.mark.parametrize("name", SHAPES)
def test_a_split_divides_the_rows_into_parts_of_the_given_sizes(name):
    n, _, _, n_train, n_test = SHAPES[name]
    for i in (1, 7, 20):
        train, test = ida_split(name, i, "drawn")
        assert (len(train), len(test)) == (n_train, n_test)
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))


def test_the_hundred_splits_are_distinct():
    splits = {tuple(np.sort(ida_split("heart", i, "drawn")[0])) for i in range(1, 101)}
    assert len(splits) == 100


def test_the_splits_under_the_committed_records_are_still_drawn():
    # Records name a split by its number; should a library draw other numbers from the same seed,
    # they would silently belong to other splits. This number notices.
    digest = hashlib.sha256()
    for name in ("titanic", "heart", "breast-cancer", "german"):
        for i in range(1, 101):
            digest.update(np.concatenate(ida_split(name, i, "drawn")).astype("<i4").tobytes())
    assert digest.hexdigest()[:16] == "86ac3d27e499089b"


def test_splits_of_different_problems_are_drawn_apart():
    assert not np.array_equal(
        np.argsort(np.concatenate(ida_split("heart", 1, "drawn"))),
        np.argsort(np.concatenate(ida_split("thyroid", 1, "drawn")))[:270],
    )


def test_a_split_does_not_depend_on_what_was_drawn_before():
    forward = [ida_split("german", i, "drawn")[0] for i in range(1, 6)]
    np.random.default_rng(0).random(10)
    backward = [ida_split("german", i, "drawn")[0] for i in range(5, 0, -1)][::-1]
    assert all(np.array_equal(a, b) for a, b in zip(forward, backward, strict=True))


def test_a_split_is_the_same_in_another_process():
    code = "from companion.datasets import ida_split; print(*ida_split('heart', 3, 'drawn')[0])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(i) for i in ida_split("heart", 3, "drawn")[0]]


def test_drawing_a_split_needs_no_file(bare):
    assert not is_available("heart")
    assert len(ida_split("heart", 1)[0]) == 170


def training_positives(y, splits):
    """Standardised numbers of positives in the training parts, under simple random sampling."""
    n, m, p = len(y), splits.shape[1], np.mean(y == 1)
    spread = np.sqrt(m * p * (1 - p) * (n - m) / (n - 1))
    return ((y[splits] == 1).sum(axis=1) - m * p) / spread


@pytest.mark.parametrize("name", ["titanic", "heart", "breast-cancer", "german"])
def test_drawn_splits_are_simple_random_samples_without_stratification(name):
    y = load(name).y
    splits = np.array([ida_split(name, i, "drawn")[0] for i in range(1, 101)])
    scores = training_positives(y, splits)
    # Mean 0 with standard error 0.1; the sum of squares is chi-squared with 100 degrees.
    assert abs(scores.mean()) < 0.35
    assert 56 < np.sum(scores**2) < 157


@pytest.mark.parametrize("name", ["titanic", "heart", "breast-cancer", "german"])
def test_every_row_is_drawn_about_equally_often(name):
    n, _, _, n_train, _ = SHAPES[name]
    times = np.zeros(n)
    for i in range(1, 101):
        times[ida_split(name, i, "drawn")[0]] += 1
    share = n_train / n
    scores = (times - 100 * share) / np.sqrt(100 * share * (1 - share))
    assert np.abs(scores).max() < 5


@pytest.mark.parametrize("name", ["titanic", "heart", "breast-cancer", "german", "waveform"])
def test_the_original_splits_vary_as_simple_random_samples_do(mirror, name):
    other = distributed(mirror, name)
    scores = training_positives(other["y"], other["train"])
    # Chi-squared with ten degrees: stratified splits would give 0.
    assert 1.5 < np.sum(scores**2) < 30


@pytest.mark.parametrize("i", [0, 101, -1, 1.5, True])
def test_a_split_of_another_number_is_refused(i):
    with pytest.raises(ValueError, match=f"numbered 1 to 100. Got {i!r}"):
        ida_split("heart", i)


def test_image_has_twenty_splits():
    with pytest.raises(ValueError, match="numbered 1 to 20. Got 21"):
        ida_split("image", 21)


@pytest.mark.parametrize("function", [load_ida, split_source, lambda name: ida_split(name, 1)])
def test_an_unknown_problem_is_met_with_the_nearest_one(function):
    with pytest.raises(UnknownDataset, match="'brest-cancer' is not a problem .* 'breast-cancer'"):
        function("brest-cancer")


def test_an_unknown_source_is_refused():
    with pytest.raises(ValueError, match="source must be None, 'drawn' or 'ida'. Got 'uci'"):
        load_ida("heart", "uci")


def test_a_problem_whose_file_is_missing_is_refused_in_one_line(bare):
    with pytest.raises(DataUnavailable, match="^heart.dat of 'heart-statlog' is not") as error:
        load_ida("heart")
    assert "\n" not in str(error.value)


def test_genuine_splits_that_are_not_here_are_named(bare):
    assert split_source("heart") == "drawn"
    for call in (lambda: load_ida("heart", "ida"), lambda: ida_split("heart", 1, "ida")):
        with pytest.raises(DataUnavailable, match="benchmarks.mat .* `companion data fetch ida-"):
            call()


@pytest.fixture
def benchmark(bare, tmp_path, monkeypatch, register):
    """A small file of the structure of ``benchmarks.mat``, registered as if it were the real one.

    Two problems; the second one stores distinct rows only and its splits repeat them.
    """
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(12, 2)), np.array([[1], [-1]] * 6)
    orders = np.array([rng.permutation(12) + 1 for _ in range(4)], dtype=np.uint16)
    repeated = rng.integers(1, 13, size=(4, 30)).astype(np.uint8)
    content = {
        "breast_cancer": {"x": rows, "t": labels, "train": orders[:, :8], "test": orders[:, 8:]},
        "titanic": {"x": rows, "t": labels, "train": repeated[:, :20], "test": repeated[:, 20:]},
    }
    path = tmp_path / "mirror" / "ida-benchmarks" / "benchmarks.mat"
    path.parent.mkdir(parents=True)
    savemat(path, content)
    register(("ida-benchmarks", "benchmarks.mat", "https://a.invalid/b.mat", path.read_bytes()))
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mirror"))
    return content


def test_where_the_benchmark_file_is_here_its_rows_and_splits_are_used(benchmark):
    expected = benchmark["breast_cancer"]
    assert split_source("breast-cancer") == "ida"
    assert is_available("breast-cancer")
    data = load_ida("breast-cancer")
    assert data.source == "ida"
    assert (data.n_train, data.n_test, data.n_splits) == (8, 4, 4)
    np.testing.assert_array_equal(data.X, expected["x"])
    np.testing.assert_array_equal(data.y, expected["t"].ravel())
    for i in range(1, 5):
        train, test = ida_split("breast-cancer", i)
        np.testing.assert_array_equal(train, expected["train"][i - 1].astype(int) - 1)
        np.testing.assert_array_equal(test, expected["test"][i - 1].astype(int) - 1)


def test_rows_that_a_genuine_split_names_twice_stay_double(benchmark):
    train, _ = ida_split("titanic", 2)
    assert len(train) == 20 > len(np.unique(train))
    assert load_ida("titanic").X[train].shape == (20, 2)


def test_our_own_splits_can_be_asked_for_beside_the_genuine_ones(benchmark):
    assert len(ida_split("titanic", 1, source="drawn")[0]) == 150
    assert load_ida("titanic", source="drawn").X.shape == (2201, 3)


def test_genuine_and_drawn_splits_have_different_digests(benchmark):
    assert data_digest("titanic") == data_digest("titanic", "ida")
    assert data_digest("titanic") != data_digest("titanic", "drawn")


def test_a_genuine_split_beyond_those_of_the_file_is_refused(benchmark):
    with pytest.raises(ValueError, match="numbered 1 to 4. Got 5"):
        ida_split("titanic", 5)


def test_a_problem_missing_from_the_benchmark_file_is_named(benchmark):
    with pytest.raises(DataUnavailable, match="benchmarks.mat has no problem 'german'"):
        load_ida("german")


def test_a_damaged_benchmark_file_is_not_used(benchmark, tmp_path):
    path = tmp_path / "mirror" / "ida-benchmarks" / "benchmarks.mat"
    path.write_bytes(path.read_bytes()[:-10])
    assert split_source("titanic") == "drawn"
    assert load_ida("titanic").X.shape == (2201, 3)
    with pytest.raises(DataUnavailable, match="benchmarks.mat .* truncated"):
        load_ida("titanic", "ida")
