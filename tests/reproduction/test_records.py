"""Records as cells, tables and frames: nothing is lost on the way, and no order leaks in."""

import numpy as np
import pandas as pd
import pytest
from _cases import refused
from hypothesis import given
from hypothesis import strategies as st

from companion.reproduction import records
from companion.reproduction.records import Record, check_rows, parse_table, to_frame, to_table
from companion.reproduction.units import Unit

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
TRICKY = ["", "1", "1.0", "007", "True", "None", "nan", "-inf", "1e5", "0x1", "1_000", "#"]
TRICKY += ['"', '"a"', "a,b", "a\nb", "\r", " a ", "é", "\u2028", "\ud800"]
UNIT = Unit("tests", "table_0", {"C": 1.0, "repetition": 0})


def same(one, other):
    """Also the sign of a zero, and whether it is a NaN."""
    return type(one) is type(other) and repr(one) == repr(other)


@given(SCALARS | st.sampled_from(TRICKY))
def test_every_scalar_survives_its_cell_with_its_type(value):
    assert same(records.decode_cell(records.encode_cell(value)), value)


ROW = st.dictionaries(st.sampled_from(["error", "note", "n"]), SCALARS, min_size=1)
ROWS = st.lists(ROW, min_size=1, max_size=3)


def records_of(contents):
    """One record for each (C, rows), and the units by key."""
    found, units = [], {}
    for C, rows in contents.items():
        unit = Unit("tests", "t", {"C": C, "kind": "a" if C is None else "b"})
        units[unit.key] = unit
        found.append(Record(unit.key, unit.params, "c0de", tuple(rows)))
    return found, units


FINITE = st.floats(allow_nan=False, allow_infinity=False)
KEYS = st.none() | st.booleans() | st.integers() | FINITE | st.text(max_size=5)
CONTENTS = st.dictionaries(KEYS, ROWS, max_size=4)


@given(CONTENTS, st.integers(0, 4), st.randoms())
def test_a_table_reads_back_and_grows_to_the_same_in_any_order(contents, n_first, random):
    found, units = records_of(contents)
    table = to_table(found, ["C", "kind"])
    back = parse_table(table, ["C", "kind"])
    assert set(back) == set(units)
    assert all(record.params == back[record.key].params for record in found)
    random.shuffle(found)
    first = parse_table(to_table(found[:n_first], ["C", "kind"]), ["C", "kind"])
    assert to_table([*first.values(), *found[n_first:]], ["C", "kind"]) == table


def test_the_frame_of_records_is_that_of_their_table():
    names = ["error", "n", "some", "flag", "maybe", "word", "none"]
    types = ["float64", "int64", "Int64", "bool", "boolean"]
    cells = {10.0: (22.4, 3, 1, True, True, "a", None)}
    cells[2.0] = (0.1 + 0.2, 4, None, False, None, "b", None)
    units = [Unit("tests", "t", {"C": C}) for C in cells]
    rows = [dict(zip(names, row, strict=True)) for row in cells.values()]
    pairs = zip(units, rows, strict=True)
    found = [Record(unit.key, unit.params, "c0de", (row,)) for unit, row in pairs]
    frame = to_frame(found, ["C"])
    back = parse_table(to_table(found, ["C"]), ["C"])
    pd.testing.assert_frame_equal(frame, to_frame(back.values(), ["C"]), check_exact=True)
    assert list(frame.columns) == ["C", *names, "key", "code"]
    assert frame["C"].tolist() == [2.0, 10.0] and frame["error"].tolist() == [0.1 + 0.2, 22.4]
    assert [str(frame[name].dtype) for name in names[:5]] == types


def test_an_empty_frame_still_has_its_parameters():
    assert list(to_frame([], ["C", "repetition"]).columns) == ["C", "repetition", "key", "code"]


def test_rows_of_a_unit_keep_their_order():
    unit = Unit("tests", "t", {"C": 1})
    record = Record(unit.key, unit.params, "", tuple({"step": step} for step in (3, 1, 2)))
    back = parse_table(to_table([record], ["C"]), ["C"])
    assert [row["step"] for row in back[unit.key].rows] == [3, 1, 2]


def test_line_ends_may_be_those_of_windows():
    found, _ = records_of({0.5: ({"step": 0}, {"step": 1}), 2.0: ({"step": 0},)})
    table = to_table(found, ["C", "kind"])
    windows = parse_table(table.replace(b"\n", b"\r\n"), ["C", "kind"])
    assert windows == parse_table(table, ["C", "kind"]) and len(windows) == 2


def test_results_become_plain_scalars_whatever_numpy_calls_them():
    row = {"error": np.float32(0.5), "n": np.int8(3), "ok": np.bool_(True), "a": np.array(2.0)}
    plain, other = check_rows(UNIT, (row for row in (row, {"step": 1})))
    assert plain == {"error": 0.5, "n": 3, "ok": True, "a": 2.0} and other == {"step": 1}
    assert [type(value) for value in plain.values()] == [float, int, bool, float]


NO_RESULTS = [
    (None, TypeError, "must return a dict or a list of dicts. Got None"),
    ("text", TypeError, "must return a dict or a list of dicts. Got 't'"),
    ([1.0], TypeError, "Got 1.0"),
    ([], ValueError, "at least one row"),
    ({"C": 2.0}, ValueError, "other than the parameters, key, code, digest. Got 'C'"),
    ({"key": 2.0}, ValueError, "Got 'key'"),
    ({"digest": "a"}, ValueError, "Got 'digest'"),
    ({3: 2.0}, ValueError, "Got 3"),
    ({"curve": [1, 2]}, TypeError, "'curve' of tests/table_0"),
]


@pytest.mark.parametrize(("result", "error", "complaint"), NO_RESULTS)
def test_results_that_cannot_be_stored_are_refused(result, error, complaint):
    refused(complaint, check_rows, UNIT, result, error=error)
