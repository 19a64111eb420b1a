"""The overview counts what the data hold, and its notebook types no number."""

import math
import re
from dataclasses import replace

import nbformat
import pandas as pd
import pytest

from companion._paths import notebooks_dir
from companion.reproduction import overview as show
from companion.reproduction.artefacts import Paper, get_artefact, list_papers
from companion.reproduction.declared import Deviation, Erratum, Reading, load_errata
from companion.reproduction.display import Table
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.verdicts import PARTS, SCORES

AGREES, UNDECIDED, SHOWN, _, UNEXPLAINED, NOT_RUN = PARTS


@pytest.fixture
def small():
    """Two papers with a few values each."""
    nan = math.nan
    lines = [
        ("one", "a", "value", "reproduced", AGREES, "", "", "", 0.5),
        ("one", "b", "claim", "holds", AGREES, "", "better", "> 0", nan),
        ("one", "c", "claim", "undecided", UNDECIDED, "", "better", "> 0", nan),
        ("one", "d", "setting", "listed", "", "", "", "", nan),
        ("two", "d", "value", "not run", NOT_RUN, "", "", "", nan),
        ("two", "e", "claim", "fails", SHOWN, "demonstrated", "worse", "< 0", nan),
        ("two", "f", "claim", "fails", UNEXPLAINED, "undeclared", "worse", "< 0", nan),
        ("two", "g", "value", "differs", UNEXPLAINED, "conjecture", "", "", 0.01),
    ]
    names = "paper column asks outcome counts_as status sentence relation joint"
    ledger = pd.DataFrame(lines, columns=names.split())
    ledger = ledger.assign(artefact="table_1", row="r", where="p. 1", why="lower is less")
    ledger = ledger.assign(reproduced_n=200, reading="", outcome_as_read="", reason="")
    ledger.loc[ledger["status"].isin(["demonstrated", "conjecture"]), "reason"] = "a sign"
    ledger.loc[7, ["reading", "outcome_as_read"]] = ["turned", "reproduced"]
    papers = {key: Paper(key, key.title(), "A. Nobody", "nowhere") for key in ("one", "two")}
    proof = ("tests/x.py::test_b_holds", "notebooks/two/fig_1.ipynb")
    erratum = Erratum("two", "(1)", "a | b", "b", "misprint", proof)
    times = [("one/table_1", "table_1", 40, 2, 2, 90.0)]
    times += [("one/table_1", "(notebook)", 1, 1, 2, 30.0), ("two/fig_1", "fig_1", 10, 1, 2, 60.0)]
    times += [("overview", "(notebook)", 1, 1, 2, 6.0)]
    times = pd.DataFrame(times, columns=["artefact", "study", "units", "jobs", "cores", "seconds"])
    return show.Overview(papers, {"one": 1, "two": 2}, ledger, [erratum], times)


def test_a_line_a_paper_is_its_score_and_what_its_rows_ask(small):
    table = show.papers_table(small)
    assert table.header[:-1] == ["", *SCORES]
    lines = ["one 3 2 2 1 0 0 0 0", "two 4 0 1 0 1 0 2 1", "all 7 2 3 1 1 0 2 1"]
    assert [" ".join(row[:-1]) for row in table.rows] == lines
    kinds = show.kinds_table(small)
    assert kinds.header == ["paper", "rows", "value", "claim", "setting", "identity", "matched"]
    assert [" ".join(row) for row in kinds.rows][1:] == ["two 4 2 2 0 0 0", "all 8 3 4 1 0 0"]
    assert show.parts(small)["two"] == {SHOWN: 1, UNEXPLAINED: 2, NOT_RUN: 1}


def test_tables_of_single_draws_are_judged_together_and_readings_counted(small, monkeypatch):
    rows = [" ".join(row) for row in show.joint_table(small).rows]
    assert rows == ["one table_1 200 0.5 1 common", "two table_1 200 0.01 1 rare"]
    reading = Reading("two", "a sign", ("tests/x.py::test_b",), 3)
    monkeypatch.setattr(show.declared, "load_readings", lambda: {"turned": reading})
    (row,) = show.readings_table(small).rows
    assert row == ["two", "turned", "a sign", "3", "1", "0", "1", "tests/x.py::test_b"]


def test_a_claim_has_one_word_unless_its_tests_disagree(small):
    (claim,) = show.claims_table(small, "one").values
    assert claim["claim"] == "better" and claim["tested by"] == "r: b > 0 (and 1 more)"
    assert claim["verdict"] == "in part" and (claim["holds"], claim["undecided"]) == (1, 1)
    (claim,) = show.claims_table(small, "two").values
    assert claim["verdict"] == "fails" and claim["fails"] == 2


def test_reasons_are_those_declared_and_errata_link_to_their_proofs(small, monkeypatch):
    declared = {("two", "table_1", "r", "e"): Deviation("a sign", "notebooks/two/fig_1.ipynb", "x")}
    monkeypatch.setattr(show.declared, "load_deviations", lambda: declared)
    reasons = show.reasons_table(small, "two").rows
    assert [row[2] for row in reasons] == ["undeclared", "conjecture", "demonstrated"]
    assert reasons[2] == ["table_1", "1", "demonstrated", "a sign", "notebooks/two/fig_1.ipynb"]
    assert reasons[0] == ["table_1", "1", "undeclared", "", ""]
    assert show.reasons_table(small, "one").rows == []
    rows = [row[:3] for row in show.errata_table(small).rows]
    assert rows == [["one", "0", "0"], ["two", "1", "1"], ["all", "1", "1"]]
    text = show.errata_markdown(small, "two")
    assert "| (1) | misprint | a \\| b | b | [b holds](../tests/x.py), " in text
    assert "[`two/fig_1.ipynb`](../notebooks/two/fig_1.ipynb)" in text
    assert show.errata_markdown(small, "one") == "No error in the print was found."


def test_times_add_up_and_the_summary_counts_everything(small):
    assert show.times_table(small).rows == [
        ["one", "1", "40", "2", "2", "1.5", "1", "0.5"],
        ["two", "1", "10", "1", "2", "1.0", "0", "0.0"],
        ["all", "2", "50", "1, 2", "2", "2.5", "2", "0.6"],  # that of the overview is among them
    ]
    assert show.times_table(replace(small, times=small.times[:0])).rows == []
    text = show.summary(small)
    assert "2 papers, 3 tables, figures and chapters, 8 printed things" in text
    assert "7 can fail and are scored; 1 are settings" in text
    assert (
        "**2 agree as printed**, 3 under the readings" in text and "**2 are unexplained**" in text
    )
    assert "4 of the scored test what the papers say" in text
    assert "1 hold, 1 are undecided, 2 fail" in text
    assert "1 errors in the print" in text and "misprint 1" in text


def test_an_artefact_that_cannot_be_compared_stops_the_overview(monkeypatch):
    monkeypatch.setattr(show, "read_ledgers", lambda *_: ({}, [], ["one/table_1: no verdicts"]))
    with pytest.raises(RuntimeError, match="no overview of all papers:\none/table_1: no verdicts"):
        show.load_overview()


# ------------------------------------------------------------------ the notebook


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(notebook_path(get_artefact("overview")), as_version=4)


def test_no_number_of_the_notebook_is_typed(notebook):
    text = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert text and not [source for source in text if re.search(r"\d", source)]


def test_the_notebook_shows_every_paper_and_erratum_and_its_links_lead_to_files(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = "\n".join(output.get("data", {}).get("text/markdown", "") for output in outputs)
    for key, paper in list_papers().items():
        assert shown.count(f"### {paper.title}") == 3, key
    for erratum in load_errata():
        row = [erratum.where, erratum.kind, erratum.printed, erratum.correct]
        assert Table(["", "", "", ""], [row], []).to_markdown().splitlines()[-1][:-1] in shown
    links = re.findall(r"\]\((\.\.[^)]+)\)", shown)
    assert len(links) >= len(load_errata())
    assert [link for link in links if not (notebooks_dir() / link).resolve().is_file()] == []
