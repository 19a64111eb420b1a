"""Records as cells, tables and frames: nothing is lost on the way, and no order leaks in."""

import io

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


@given(st.floats(allow_nan=False))
def test_pandas_reads_the_cell_of_a_float_to_the_last_bit(value):
    assert float(pd.read_csv(io.StringIO(f"x\n{records.encode_cell(value)}\n"))["x"][0]) == value


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


NO_TABLES = {
    b"": "line 1: the first columns must be C, the last key, code, digest",
    b"a,b\n1,2\n": "the first columns must be C",
    b"C,key,code\n1,abc,c0de\n": "the last key, code, digest",
    b"C,C,key,code,digest\n": "line 1: a column is there twice",
    b"C,key,code,digest\n1,abc,c0de,d,,\n": "line 2: 6 cells instead of 4",
    b"C,key,code,digest\n1,abc,c0de,d\n": "line 2: the record abc or line 1 differs",
    b'C,key,code,digest\n"1,abc,c0de,d\n': "cannot be read as CSV",
    b"\xff\xfe\x00": "cannot be read as CSV",
}


@pytest.mark.parametrize(("content", "complaint"), NO_TABLES.items())
def test_what_is_no_table_of_records_is_named(content, complaint):
    refused(complaint, parse_table, content, ["C"])


def two_records():
    """Records of two lines and of one; the lines of their table, without their ends."""
    rows = {0.5: ({"step": 0, "error": 0.25}, {"step": 1, "error": 0.125})}
    rows[2.0] = ({"step": 0, "error": 0.75},)
    found, _ = records_of(rows)
    return to_table(found, ["C", "kind"]).decode().splitlines()


def in_line(number, old, new):
    """Write one line of a table otherwise."""

    def alter(lines):
        assert lines[number - 1].count(old) == 1
        lines[number - 1] = lines[number - 1].replace(old, new)

    return alter


def without_column(name):
    def alter(lines):
        place = lines[0].split(",").index(name)
        lines[:] = [",".join(c for i, c in enumerate(x.split(",")) if i != place) for x in lines]

    return alter


ALTERED = {
    "a digit": (in_line(3, "0.125", "0.126"), "line 2: the record"),
    "a digit of the last": (in_line(4, "0.75", "0.76"), "line 4: the record"),
    "a type": (in_line(4, "0,0.75", "0.0,0.75"), "line 4: the record"),
    "a parameter": (in_line(4, "2.0", "2.5"), "line 4: the record"),
    "the code": (in_line(4, "c0de", "c1de"), "line 4: the record"),
    "a column's name": (in_line(1, "error", "rate"), "line 2: the record .* or line 1 differs"),
    "columns exchanged": (
        in_line(1, "step,error", "error,step"),
        "line 2: the record .* or line 1 differs",
    ),
    "a column removed": (without_column("error"), "line 2: the record .* or line 1 differs"),
    "a parameter's column removed": (without_column("kind"), "line 1: the first columns must be"),
    "the digests removed": (without_column("digest"), "line 1: .* the last key, code, digest"),
    "a line of two removed": (lambda lines: lines.pop(2), "line 2: the record"),
    "a line twice": (lambda lines: lines.insert(4, lines[3]), "line 4: the record"),
    "lines exchanged": (lambda lines: lines.insert(1, lines.pop(2)), "line 2: the record"),
    "a line cut short": (in_line(4, ",0.75", ""), "line 4: 6 cells instead of 7"),
    "a line that is empty": (lambda lines: lines.append(""), "line 5: 0 cells instead of 7"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_table_that_was_altered_is_refused_with_its_line(what):
    lines = two_records()
    assert len(parse_table("\n".join([*lines, ""]).encode(), ["C", "kind"])) == 2
    alter, complaint = ALTERED[what]
    alter(lines)
    refused(complaint, parse_table, "\n".join([*lines, ""]).encode(), ["C", "kind"])


def test_line_ends_may_be_those_of_windows():
    table = "\n".join([*two_records(), ""]).encode()
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
