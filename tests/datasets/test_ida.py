"""The IDA problems equal the distributed ones row by row, and their splits are fair draws."""

import hashlib

import numpy as np
import pytest
from _cases import cases, refused
from _or_skip import or_skip
from _run import python
from numpy.testing import assert_array_equal
from scipy.io import savemat

from companion._utils.errors import DamagedData, UnknownDataset
from companion.datasets import OUTSIDE, OutsideFile
from companion.datasets.ida import (
    genuine_pool,
    genuine_split,
    ida_split,
    list_ida,
    load_ida,
)

pytestmark = pytest.mark.usefixtures(
    "no_network"
)  # no test here may wait for a download
load = or_skip(load_ida)


def sorted_rows(X, y, decimals=5):
    rows = np.column_stack([y, X])
    return rows[np.lexsort(np.round(rows, decimals).T[::-1])]


def distributed(mirror, name):
    path = mirror / "ida" / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the mirror has no IDA form of {name}")
    with np.load(path) as archive:
        return dict(archive)


@cases("name", *list_ida())
def test_rebuilt_rows_and_labels_equal_the_distributed_ones(mirror, name):
    data = load(name)
    other = distributed(mirror, name)
    ours = sorted_rows(data.X, data.y)
    theirs = sorted_rows(other["X"], other["y"])
    assert np.array_equal(ours[:, 0], theirs[:, 0])
    # Eight significant digits are distributed, so half a unit of the eighth is the rounding.
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(theirs), 1e-3))) - 7)
    assert np.max(np.abs(ours - theirs) / unit) <= 0.5 + 1e-6


def test_the_splits_under_the_committed_records_are_still_drawn():
    # Records name a split by its number. If a library drew other numbers from the same seed, they
    # would silently belong to other splits: this digest would change.
    digest = hashlib.sha256()
    for name in ("titanic", "heart", "breast-cancer", "german"):
        for i in range(1, 101):
            digest.update(np.concatenate(ida_split(name, i)).astype("<i4").tobytes())
    assert digest.hexdigest()[:16] == "86ac3d27e499089b"


def test_a_split_depends_on_its_problem_and_number_alone():
    splits = [ida_split("heart", i)[0] for i in range(1, 101)]
    assert len({tuple(np.sort(split)) for split in splits}) == 100
    backward = [ida_split("heart", i)[0] for i in range(100, 0, -1)]
    assert np.array_equal(splits, backward[::-1])
    other = np.concatenate(ida_split("breast-cancer", 1))
    assert not np.array_equal(splits[0], other[other < 270][:170])
    code = "from companion.datasets import ida_split; print(*ida_split('heart', 3)[0])"
    assert python("-c", code, check=True).stdout.split() == [str(i) for i in splits[2]]


@cases("i", 0, 101, -1, 1.5, True)
def test_a_split_of_another_number_is_refused(i):
    refused(f"numbered 1 to 100. Got {i!r}", ida_split, "heart", i)
    refused("numbered 1 to 20. Got 21", ida_split, "image", 21)


@cases("function", load_ida, lambda name: ida_split(name, 1))
def test_an_unknown_problem_is_refused(function):
    message = "'brest-cancer' is not a problem .* 'breast-cancer'"
    refused(message, function, "brest-cancer", error=UnknownDataset)


def test_genuine_splits_are_read_from_the_repackaged_benchmark(
    bare, tmp_path, monkeypatch
):
    """Of a small file of its structure: distinct rows only, which a split repeats."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(12, 2))
    labels = np.array([[1], [-1]] * 6)
    parts = rng.integers(1, 13, size=(2, 10, 20)).astype(np.uint8)
    path = tmp_path / "ida-benchmarks" / "benchmarks.mat"
    path.parent.mkdir()
    content = {"x": rows, "t": labels, "train": parts[0], "test": parts[1, :, :7]}
    savemat(path, {"breast_cancer": content, "ringnorm": content})
    place = f"{path.parent.name}/{path.name}"
    file = OutsideFile(place, hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setitem(OUTSIDE, place, file)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    found = genuine_split("breast-cancer", 2)
    train, test = (part.astype(int) - 1 for part in (parts[0, 1], parts[1, 1, :7]))
    wanted = (rows[train], labels[train, 0], rows[test], labels[test, 0])
    for array, expected in zip(found, wanted, strict=True):
        assert_array_equal(array, expected)
    for array in genuine_pool("ringnorm"):
        array[:] = 0  # it is the caller's own
    pool = zip(genuine_pool("ringnorm"), (rows, labels[:, 0]), strict=True)
    for array, expected in pool:
        assert_array_equal(array, expected)
    refused("numbered 1 to 10. Got 11", genuine_split, "heart", 11)
    refused("no problem 'heart'", genuine_split, "heart", 1, error=DamagedData)
    refused(
        "is not a problem of ten splits",
        genuine_split,
        "image",
        1,
        error=UnknownDataset,
    )
