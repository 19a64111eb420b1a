"""Declared deviations: strict about every name, and all faults at once."""

import pandas as pd
import pytest

from companion.reproduction.deviations import load_deviations
from companion.reproduction.published import PublishedError

ENTRY = """\
- paper: toy
  artefact: table_1
  rows: [heart, cancer]
  columns: ["error"]
  reason: other splits
  evidence: notebooks/toy/table_1.ipynb
"""


def load_toy(paper):
    if paper != "toy":
        raise FileNotFoundError(paper)
    cells = [("heart", "error"), ("cancer", "error"), ("heart", "#SV")]
    return pd.DataFrame(
        [{"artefact": "table_1", "row": row, "column": column} for row, column in cells]
    )


def load(tmp_path, text):
    path = tmp_path / "deviations.yaml"
    path.write_text(text, encoding="utf-8")
    return load_deviations(path, load_toy)


def test_every_row_and_column_of_an_entry_is_declared(tmp_path):
    deviations = load(tmp_path, ENTRY)
    assert set(deviations) == {("toy", "table_1", row, "error") for row in ("heart", "cancer")}
    assert deviations["toy", "table_1", "heart", "error"].reason == "other splits"


def test_no_file_and_an_empty_file_declare_nothing(tmp_path):
    assert load_deviations(tmp_path / "none.yaml", load_toy) == {}
    assert load(tmp_path, "# none\n") == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[heart, cancer]", "[heart, canker]", "entry 1: row 'canker' is unknown"),
        ('["error"]', "[errors]", "entry 1: column 'errors' is unknown"),
        ('["error"]', '["#SV"]', "entry 1: 'cancer' has no column '#SV'"),
        ("paper: toy", "paper: toys", "paper 'toys' has no published values"),
        ("table_1", "table_9", "artefact 'table_9' has no published values"),
        ("  reason: other splits\n", "", "reason is missing"),
        ("other splits", "''", "reason must be a text that says something"),
        ("other splits", "|\n    one\n    two", "reason must be one line"),
        ("  evidence: notebooks/toy/table_1.ipynb\n", "", "evidence is missing"),
        ("[heart, cancer]", "heart", "rows must be a list of texts"),
        ("[heart, cancer]", "[1]", "rows must be a list of texts"),
        ("reason:", "because: x\n  reason:", "'because' is unknown"),
        ("- paper: toy", "- [", "deviations.yaml has 1 fault"),
    ],
)
def test_each_fault_of_an_entry_is_named(tmp_path, old, new, message):
    assert old in ENTRY
    with pytest.raises(PublishedError, match=message.replace("[", r"\[")):
        load(tmp_path, ENTRY.replace(old, new))


def test_all_faults_are_reported_at_once(tmp_path):
    text = ENTRY.replace("reason:", "why:") + ENTRY.replace("cancer", "lung") + ENTRY + ENTRY
    with pytest.raises(PublishedError) as caught:
        load(tmp_path, text)
    assert [fault.partition(":")[0] for fault in caught.value.faults] == [
        "entry 1",
        "entry 1",
        "entry 2",
        "entry 4",
        "entry 4",
    ]
    assert "declared twice" in str(caught.value)


def test_a_file_that_is_no_list_is_refused(tmp_path):
    with pytest.raises(PublishedError, match="it must be a list, not dict"):
        load(tmp_path, "paper: toy\n")


def test_a_deviation_for_lack_of_a_file_holds_only_where_the_file_is_not(tmp_path, monkeypatch):
    import companion.datasets

    entry = ENTRY + "  unless_available: ida-benchmarks\n"
    here = {"ida-benchmarks": False}
    monkeypatch.setattr(companion.datasets, "is_available", here.__getitem__)
    assert len(load(tmp_path, entry)) == 2
    here["ida-benchmarks"] = True
    assert load(tmp_path, entry) == {}


def test_an_unknown_file_is_a_fault(tmp_path):
    with pytest.raises(PublishedError, match="unless_available.*ida-benchmark"):
        load(tmp_path, ENTRY + "  unless_available: ida-benchmark\n")
