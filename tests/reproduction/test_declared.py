"""Deviations, readings and errata: strict about form and names, all faults at once, all proved."""

import pandas as pd
import pytest
from _cases import cases, refused

from companion.reproduction import declared
from companion.reproduction.artefacts import list_papers
from companion.reproduction.declared import (
    KINDS,
    Deviation,
    Erratum,
    Reading,
    load_deviations,
    load_errata,
    load_readings,
)
from companion.reproduction.published import PublishedError

DEVIATION = """\
- paper: toy
  artefact: table_1
  rows: [heart, cancer]
  columns: ["error"]
  cause: shown
  reason: other splits
  evidence: notebooks/toy/table_1.ipynb
"""
ERRATUM = """\
- paper: gacv
  where: (11)
  printed: one sum inside the other
  correct: two sums side by side
  kind: misprint
  proof: [tests/papers/test_gacv_errata.py::test_one, notebooks/gacv/fig_1.ipynb]
"""

READING = """\
- id: rows-exchanged
  paper: wrsvm
  kind: misprint
  changes: the labels of two rows stand exchanged
  proof: [tests/papers/test_wrsvm_errata.py::test_two]
  tried: "2"
"""
LOADERS = {
    DEVIATION: ("deviations.yaml", load_deviations),
    ERRATUM: ("errata.yaml", load_errata),
    READING: ("readings.yaml", load_readings),
}


def load_toy(paper):
    if paper != "toy":
        raise FileNotFoundError(paper)
    cells = [("heart", "error"), ("cancer", "error"), ("heart", "#SV")]
    table = pd.DataFrame(cells, columns=["row", "column"])
    return table.assign(artefact="table_1", asks=["value", "value", "ours"])


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads a text as what another declares: deviations of a toy paper, errata or readings."""
    monkeypatch.setattr(declared, "data_dir", lambda: tmp_path)
    monkeypatch.setattr(declared, "load_published", load_toy)

    def load_text(text, like=DEVIATION):
        name, load = LOADERS[like]
        if text is not None:
            (tmp_path / name).write_text(text, encoding="utf-8")
        return load()

    return load_text


# ------------------------------------------------------------------ the files


def test_files_are_read_as_they_stand_and_may_be_empty(load, tmp_path):
    deviations = load(DEVIATION)
    assert set(deviations) == {
        ("toy", "table_1", row, "error") for row in ("heart", "cancer")
    }
    found = Deviation("other splits", "notebooks/toy/table_1.ipynb", "shown")
    assert deviations["toy", "table_1", "heart", "error"] == found
    proof = ("tests/papers/test_wrsvm_errata.py::test_two",)
    reading = Reading(
        "wrsvm", "misprint", "the labels of two rows stand exchanged", proof, 2
    )
    assert load(READING, READING) == {"rows-exchanged": reading}
    proof = ("tests/papers/test_gacv_errata.py::test_one", "notebooks/gacv/fig_1.ipynb")
    print_ = ("one sum inside the other", "two sums side by side")
    assert load(ERRATUM, ERRATUM) == [
        Erratum("gacv", "(11)", *print_, "misprint", proof)
    ]
    for like, nothing in ((DEVIATION, {}), (ERRATUM, []), (READING, {})):
        assert load("# none\n", like) == nothing
        (tmp_path / LOADERS[like][0]).unlink()
        assert load(None, like) == nothing


FAULTS = [
    ('["error"]', '["#SV"]', "line 1: table_1: cancer / #SV is no published"),
    ('["error"]', '["#SV"]', "line 1: table_1: heart / #SV is a question of ours"),
    (
        "  cause: shown\n",
        "",
        "cause is missing, and table_1: heart / error is a number",
    ),
    (
        "cause: shown",
        "cause: known",
        "cause 'known' is unknown: it must be one of shown",
    ),
    ("kind: misprint\n  changes", "kind: guess\n  changes", "kind 'guess' is unknown"),
    ("paper: toy", "paper: toys", "paper 'toys' has no published values"),
    ("other splits", "''", "reason must be a text that says something"),
    ("[heart, cancer]", "heart", "rows must be a list of texts"),
    ('"2"', '"0"', "tried must be a number in quotes, at least 1. Got '0'"),
    (
        "paper: gacv",
        "paper: gcv",
        "line 1: paper 'gcv' is unknown: it must be one of l1nsvm",
    ),
    ("proof: [", "proof: [] # [", "proof must be a list of texts"),
    ("notebooks/gacv/fig_1.ipynb", "section 3", "proof 'section 3' is neither"),
]


@cases("old, new, message", *FAULTS)
def test_each_fault_of_an_entry_is_named(load, old, new, message):
    text = next(text for text in LOADERS if old in text)
    fault = refused(None, load, text.replace(old, new), text, error=PublishedError)
    assert message in str(fault)


def test_all_faults_are_reported_at_once(load):
    text = DEVIATION.replace("reason:", "why:") + DEVIATION.replace("cancer", "lung")
    message = "heart / error stands there twice"
    error = refused(message, load, text + DEVIATION + DEVIATION, error=PublishedError)
    numbers = [fault.partition(":")[0] for fault in error.faults]
    assert numbers == ["line 1", "line 1", "line 8", "line 22", "line 22"]


# ------------------------------------------------------------------ the project's own


def test_errata_stand_in_the_order_of_the_papers_and_are_of_every_kind():
    papers = list(dict.fromkeys(erratum.paper for erratum in load_errata()))
    assert papers == [paper for paper in list_papers() if paper in papers]
    assert {erratum.kind for erratum in load_errata()} == set(KINDS)
