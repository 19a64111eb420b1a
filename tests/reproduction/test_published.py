"""The published values: printed digits, and a loader that names every fault at once."""

import math

import pytest
from _cases import cases, refused
from hypothesis import given
from hypothesis import strategies as st

from companion._utils.files import replace_bytes
from companion.reproduction import published
from companion.reproduction.published import (
    COLUMNS,
    PublishedError,
    load_published,
    parse_printed,
)

GOOD = {
    "artefact": "table_1",
    "row": "a",
    "column": "error",
    "where": "p. 4",
    "printed": "22.4",
    "spread": "1.0",
    "n": "100",
    "kind": "stochastic",
    "asks": "value",
    "spread_is": "standard deviation over splits",
}
DETERMINISTIC = {"spread": "", "spread_is": "", "n": "", "kind": "deterministic"}
ORDINAL = {
    **DETERMINISTIC,
    "printed": "lower",
    "kind": "ordinal",
    "relation": "< 0",
    "asks": "claim",
    "sentence": "A is lower than B",
    "why": "lower is less than 0",
}
SETTING = {**DETERMINISTIC, "asks": "setting"}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write the print of a paper "toy", a row for what differs from a good one."""
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path))

    def written(*changes):
        lines = [",".join(COLUMNS)]
        for i, change in enumerate(changes):
            record = {**GOOD, "row": f"r{i}", **change}
            lines.append(",".join(record.get(column, "") for column in COLUMNS))
        content = "\n".join(lines) + "\n"
        replace_bytes(tmp_path / "data/published/toy.csv", content.encode())

    return written


DIGITS = [
    ("22.4", 22.4, 1),
    ("150.0", 150.0, 1),
    ("150", 150.0, 0),
    ("-0.03", -0.03, 2),
    ("\N{MINUS SIGN}2", -2.0, 0),
    (".5", 0.5, 1),
    ("16,167.4", 16167.4, 1),
    ("1.5e-3", 0.0015, 4),
    ("10^-3", 0.001, 3),
    ("2.5 x 10^3", 2500.0, -2),
    ("97.0%", 97.0, 1),
    ("0", 0.0, 0),
]


@cases("text, value, decimals", *DIGITS)
def test_printed_digits_give_value_and_precision(text, value, decimals):
    printed = parse_printed(text)
    assert (printed.value, printed.decimals) == (value, decimals)
    assert printed.half_unit == pytest.approx(0.5 * 10.0**-decimals, rel=1e-15)


def test_a_word_is_no_printed_number_and_no_relation():
    for text in ("", "?", "not sparse", "1.2.3", "12,34", "nan", "inf", "1e999"):
        assert parse_printed(text) is None
    for text in ("= 0", "0", "<", "< a", "<> 1", ""):
        assert published.parse_relation(text) is None


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_printing_and_reading_are_inverse(digits, decimals):
    text = f"{digits / 10**decimals:.{decimals}f}"
    printed = parse_printed(text)
    assert printed.decimals == decimals
    assert float(printed.format(printed.value)) == float(text)
    assert parse_printed("22.4").format(-0.01) == "0.0"
    assert parse_printed("2.5e3").format(2612.3) == "2612"


def test_a_good_file_is_read_with_numbers_as_floats(write):
    word = {**DETERMINISTIC, "printed": "?"}
    rows = {}, {"matters": "0.5"}, ORDINAL, word, SETTING
    write(*rows)
    frame = load_published("toy")
    assert list(frame.columns) == ["paper", *COLUMNS, "value"]
    assert frame.loc[0, ["value", "spread", "n"]].tolist() == [22.4, 1.0, 100.0]
    assert frame.loc[1, "matters"] == 0.5
    assert math.isnan(frame.loc[0, "matters"])
    assert frame["asks"].tolist()[2:4] == ["claim", "value"]
    assert math.isnan(frame.loc[2, "value"])
    assert frame.loc[2, "relation"] == "< 0"
    repeats = {"repeats": "r0 / error"}, {"repeats": "table_1: r0 / error"}
    other = {"artefact": "fig_1", "repeats": "table_1: r0 / error"}
    write({}, *repeats, other)
    assert len(load_published("toy")) == 4


FAULTS = [
    ({"kind": "random"}, "kind 'random' is unknown"),
    (
        {**ORDINAL, "relation": "below 0"},
        "relation must be <, >, <= or >= and a number. Got 'below 0'",
    ),
    ({"relation": "< 0"}, "relation must be .* and be empty for others .* Got '< 0'"),
    ({"printed": "?"}, "printed '\\?' is no number"),
    ({**DETERMINISTIC, "n": "1.5"}, "n must be a whole number >= 1. Got '1.5'"),
    ({"n": ""}, "n of kind 'stochastic' must be a whole number >= 1. Got ''"),
    ({"n": "1"}, "spread is given, but only a stochastic value with n > 1"),
    ({"spread": "-1"}, "spread '-1' is no number >= 0"),
    ({"spread_is": ""}, "spread_is is empty"),
    (
        {**DETERMINISTIC, "kind": "spread"},
        "n of kind 'spread' must be a whole number >= 2. Got ''",
    ),
    ({**DETERMINISTIC, "kind": "spread", "n": "9", "printed": "-1"}, "negative"),
    ({"where": ""}, "where is empty"),
    (
        {"asks": "question"},
        "asks 'question' is unknown: it must be one of value, claim",
    ),
    (
        {**ORDINAL, "asks": "value"},
        "asks is 'value', but kind is 'ordinal': claims, and no",
    ),
    ({**ORDINAL, "sentence": ""}, "sentence is empty: quote what is claimed"),
    ({**ORDINAL, "why": ""}, "why is empty: say why this bound"),
    (
        {**SETTING, "repeats": "r0 / error"},
        "repeats is given, but a setting is not scored",
    ),
    ({"matters": "0"}, "matters '0' is no number > 0"),
    ({"repeats": "r1 / error"}, "repeats 'r1 / error', which is no other"),
]


@cases("change, message", *FAULTS)
def test_each_fault_is_named_with_its_line(write, change, message):
    message = f"(?s)toy.csv has .*line 3: .*{message}"
    write({}, change)
    refused(message, load_published, "toy", error=PublishedError)


def test_all_faults_are_reported_at_once(write):
    write({"kind": "random"}, {"n": "many"}, {}, {"row": "r2"})
    message = "table_1: r2 / error is already on line 4"
    error = refused(message, load_published, "toy", error=PublishedError)
    places = [fault.split(":")[0] for fault in error.faults]
    assert places == ["line 2", "line 3", "line 5"]


#: Rows of each file: it is the print, and nothing else tells that a row is gone.
N_ROWS = {"conformal": 452, "gacv": 85, "l1nsvm": 156, "usvc": 373, "wrsvm": 201}


def test_no_row_of_the_print_is_gone():
    assert {paper: len(load_published(paper)) for paper in N_ROWS} == N_ROWS
