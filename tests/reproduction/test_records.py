"""Records as cells, tables and frames: no order leaks in, and digits beyond those kept are gone."""

from _cases import cases, refused
from hypothesis import given
from hypothesis import strategies as st

from companion.reproduction.records import (
    cell,
    check_rows,
    parse_table,
    to_frame,
    to_table,
)
from companion.reproduction.units import Unit

TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=10)
TEXTS = TEXTS.filter(str.isprintable) | st.sampled_from(
    ["007", "None", '"', "a,b", "#", " a "]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
UNIT = Unit("tests", "table_0", {"C": 1.0, "repetition": 0})
ROW = st.dictionaries(st.sampled_from(["error", "note", "n"]), SCALARS, min_size=1)
ROWS = st.lists(ROW, min_size=1, max_size=3)


@given(st.lists(ROWS, max_size=4), st.integers(0, 4))
def test_a_table_reads_back_and_grows_to_the_same(contents, n_first):
    names = ["C", "kind"]
    records = [
        {"C": str(i), "kind": "x, y", **{name: cell(row[name], 6) for name in row}}
        for i, rows in enumerate(contents)
        for row in rows
    ]
    first = records[:n_first]
    back = parse_table(to_table(names, first))
    assert len(back) == len(first)
    if first:
        whole = to_table(names, records)
        assert to_table(names, [*back, *records[n_first:]]) == whole


@given(st.floats(1e-300, 1e300), st.sampled_from([1, -1]))
def test_digits_that_are_not_kept_make_no_difference(size, sign):
    kept = float(f"{sign * size:.6g}")
    assert cell(kept * (1 + 1e-10), 6) == cell(kept * (1 - 1e-10), 6) == repr(kept)
    assert cell(kept, None) == repr(kept)


TABLE = b"""\
C,kind,name,error,n,some,flag,word,maybe
10.0,,007,22.4,3,1,True,a,True
0.1,5,b,0.5,4,,False,,
"""


def test_the_frame_has_the_parameters_of_the_units_and_results_as_pandas_sees_them():
    first = {"C": 10.0, "kind": None, "name": "007"}
    second = {"C": 0.1, "kind": 5, "name": "b"}
    units = {
        ("10.0", "", "007"): Unit("tests", "t", first),
        ("0.1", "5", "b"): Unit("tests", "t", second),
    }
    frame, lines = to_frame(TABLE, [*first], units)
    assert lines == [*units]
    assert ",".join(frame.columns).encode() == TABLE.splitlines()[0]
    assert frame[["C", "name"]].to_numpy().tolist() == [[10.0, "007"], [0.1, "b"]]
    assert (
        frame["kind"].isna().tolist()
        == frame["some"].isna().tolist()[::-1]
        == [True, False]
    )
    assert frame["word"].tolist() == ["a", ""]
    assert frame["maybe"].tolist()[0] is True
    assert frame["maybe"].isna().tolist() == [False, True]
    kinds = ["float64", "int64", "float64", "bool"]
    assert frame.dtypes.iloc[3:7].astype(str).tolist() == kinds
    del units["10.0", "", "007"]
    one, lines = to_frame(TABLE, [*first], units)
    assert one["C"].tolist() == [0.1]
    assert len(lines) == 2


NO_RESULTS = [
    (None, TypeError, "must return a dict or a list of dicts. Got None"),
    ("text", TypeError, "must return a dict or a list of dicts. Got 't'"),
    ([1.0], TypeError, "Got 1.0"),
    ([], ValueError, "at least one row"),
    ({"C": 2.0}, ValueError, "other than the parameters. Got 'C'"),
    (
        {"note": "two\nlines"},
        ValueError,
        "must be printable and stand in one line. Got 'two",
    ),
    ({3: 2.0}, ValueError, "Got 3"),
    *(
        ({"code": text}, ValueError, f"is the text '{text}', which a table gives back")
        for text in ("007", "1e5", "True", "false", "nan", " 1 ")
    ),
    ({"curve": [1, 2]}, TypeError, "'curve' of tests/table_0"),
]


@cases("result, error, complaint", *NO_RESULTS)
def test_results_that_cannot_be_stored_are_refused(result, error, complaint):
    refused(complaint, check_rows, UNIT, result, error=error)
