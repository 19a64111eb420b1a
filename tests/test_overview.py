"""The overview says in sentences what the data hold, and its notebook types no number."""

import math
import re

import nbformat
import pandas as pd
import pytest

from companion._utils.paths import notebooks_dir
from companion.papers.across import overview as show
from companion.reproduction import artefacts, declared
from companion.reproduction.artefacts import Paper, get_artefact, list_papers
from companion.reproduction.declared import Deviation, Erratum, Reading, load_errata
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.published import load_published
from companion.reproduction.tables import VALUES_MIME, Table
from companion.reproduction.verdicts import PARTS

AGREES, UNDECIDED, SHOWN, _, UNEXPLAINED, NOT_RUN = PARTS


@pytest.fixture
def small(monkeypatch):
    """Two papers with a few values each."""
    nan = math.nan
    lines = [
        ("one", "a", "value", "reproduced", AGREES, "", "", "", nan),
        ("one", "b", "claim", "holds", AGREES, "", "better", "> 0", 4.0),
        ("one", "c", "claim", "undecided", UNDECIDED, "", "better", "> 0", 1.0),
        ("one", "d", "setting", "listed", "", "", "", "", nan),
        ("two", "d", "value", "not run", NOT_RUN, "", "", "", nan),
        ("two", "e", "claim", "fails", SHOWN, "demonstrated", "worse", "< 0", -3.0),
        ("two", "f", "claim", "fails", UNEXPLAINED, "undeclared", "worse", "< 0", -5.0),
        ("two", "g", "value", "differs", UNEXPLAINED, "conjecture", "", "", nan),
    ]
    names = "paper column asks outcome counts_as status sentence relation support"
    ledger = pd.DataFrame(lines, columns=names.split())
    ledger = ledger.assign(
        artefact="table_1", row="r", where="p. 1", why="lower is less"
    )
    ledger = ledger.assign(reading="", outcome_as_read="", reason="")
    ledger.loc[ledger["status"].isin(["demonstrated", "conjecture"]), "reason"] = (
        "a sign"
    )
    ledger.loc[7, ["reading", "outcome_as_read"]] = ["turned", "reproduced"]
    told = {"proposes": "A trick.", "today": "`sorted`."}
    papers = {
        "one": Paper("one", "One", "A. Nobody", "nowhere", claim="better", **told)
    }
    papers["two"] = Paper("two", "Two", "B. Nobody", "nowhere", **told)
    proof = ("tests/x.py::test_b_holds", "notebooks/two/fig_1.ipynb")
    erratum = Erratum("two", "(1)", "a | b", "b", "misprint", proof)
    monkeypatch.setattr(artefacts, "list_papers", lambda: papers)
    monkeypatch.setattr(declared, "load_errata", lambda: [erratum])
    return dict(iter(ledger.groupby("paper")))


@pytest.fixture
def run(small, notebook, monkeypatch):
    """Runs cells of the notebook for the small papers; gives variables and what is displayed."""
    monkeypatch.setattr(show, "load_ledgers", lambda profile: small)
    sources = {cell.id: cell.source for cell in notebook.cells}

    def run(*names):
        shown = []
        variables = {"profile": "paper"}
        for name in ("cell-02", *names):
            exec(sources[name], variables)
            variables["display"] = shown.append
        return variables, shown

    return run


def test_three_sentences_a_paper_say_what_it_proposes_what_holds_and_what_to_use(run):
    first, second = run("cell-04")[0]["sentences"]
    title, _, citation, _, *told = first.splitlines()
    assert (title, citation) == ("### One", "A. Nobody (`one`).")
    assert told[0] == "* **What it proposes.** A trick."
    assert (
        "Of 1 printed values 1 agree and 0 differ; of 1 sentences 0 hold, 0 fail and 1"
        in told[1]
    )
    assert (
        "The main claim, better: **mixed** (of 2 tests 1 holds, 1 undecided)."
        in told[1]
    )
    assert told[2] == "* **What to use today.** `sorted`."
    assert (
        "Of 2 printed values 0 agree and 1 differ; of 1 sentences 0 hold, 1 fail"
        in second
    )
    assert "The main claim" not in second


def test_the_picture_counts_the_scored_of_each_paper_and_of_all(run):
    counts = run("cell-10")[0]["counts"]
    assert counts["two"] == {SHOWN: 1, UNEXPLAINED: 2, NOT_RUN: 1}
    assert counts["all"].total() == 7


@pytest.mark.parametrize("key", list_papers())
def test_every_paper_has_its_sentences_and_a_main_claim_that_is_printed_and_tested(key):
    paper = list_papers()[key]
    published = load_published(key)
    assert paper.proposes.endswith(".") and paper.today.endswith(".")
    assert paper.claim in set(published["sentence"][published["asks"] == "claim"])


def test_readings_are_counted_as_printed_and_as_read(run, monkeypatch):
    reading = Reading("two", "a sign", ("tests/x.py::test_b",), 3)
    monkeypatch.setattr(declared, "load_readings", lambda: {"turned": reading})
    table, score = run("cell-13", "cell-13b")[1][-2:]
    assert table.rows == [
        ["two", "turned", "a sign", "3", "1", "0", "1", "tests/x.py::test_b"]
    ]
    assert table.to_html().startswith(
        "<details><summary>Other readings</summary>\n<table"
    )
    assert score.header == ["", "one", "two", "all"]


def test_a_claim_has_one_word_unless_its_tests_disagree(run):
    tables = run("cell-13")[1]
    assert [table.title for table in tables] == ["One", "Two"]
    (one,), (two,) = (table.values for table in tables)
    assert one["claim"] == "better" and one["tested by"] == "r: b > 0 (and 1 more)"
    assert one["where"] == "p. 1" and one["why this bound"] == "lower is less"
    assert one["verdict"] == "in part" and (one["holds"], one["undecided"]) == (1, 1)
    assert two["verdict"] == "fails" and two["fails"] == 2 and two["not run"] == 0


def test_reasons_are_those_declared_and_errata_link_to_their_proofs(run, monkeypatch):
    found = {
        ("two", "table_1", "r", "e"): Deviation(
            "a sign", "notebooks/two/fig_1.ipynb", "x"
        )
    }
    monkeypatch.setattr(declared, "load_deviations", lambda: found)
    one, two = run("cell-13", "cell-15")[1][-2:]
    assert [row[2] for row in two.rows] == ["undeclared", "conjecture", "demonstrated"]
    assert two.rows[2] == [
        "table_1",
        "1",
        "demonstrated",
        "a sign",
        "notebooks/two/fig_1.ipynb",
    ]
    assert two.rows[0] == ["table_1", "1", "undeclared", "", ""]
    assert one.rows == []
    one, two = run("cell-18")[0]["folds"]
    assert "| (1) | misprint | a \\| b | b | [b holds](../tests/x.py), " in two
    assert "[`two/fig_1.ipynb`](../notebooks/two/fig_1.ipynb)" in two
    assert "No error in the print was found." in one


def test_the_summary_counts_everything(small):
    text = show.summary(small)
    assert "Of 8 printed things in 2 papers, 7 can fail and are scored" in text
    assert "**2 agree as printed**, 3 if misprints are read" in text
    assert "**2 are unexplained**; 1 are not run" in text
    assert "4 of the scored are tests of what the papers say in words: 1 hold" in text
    assert "1 are undecided, 2 fail" in text
    assert "**1 errors in the print** were found and proved: misprint 1." in text


def test_an_artefact_that_cannot_be_compared_stops_the_overview(monkeypatch):
    monkeypatch.setattr(
        show, "read_ledgers", lambda *_: ({}, [], ["one/table_1: no verdicts"])
    )
    with pytest.raises(
        RuntimeError, match="no overview of all papers:\none/table_1: no verdicts"
    ):
        show.load_ledgers()


# ------------------------------------------------------------------ the notebook


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(notebook_path(get_artefact("overview")), as_version=4)


def test_no_number_of_the_notebook_is_typed(notebook):
    text = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert text and not [source for source in text if re.search(r"\d", source)]


def test_the_notebook_shows_every_paper_and_erratum_and_its_links_lead_to_files(
    notebook,
):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = "\n".join(
        output.get("data", {}).get("text/markdown", "") for output in outputs
    )
    for key, paper in list_papers().items():
        assert shown.count(f"### {paper.title}") == 1, key
        for artefact in paper.artefacts:
            assert f"[{artefact.title}]({artefact.id}.ipynb)" in shown
    for erratum in load_errata():
        row = [erratum.where, erratum.kind, erratum.printed, erratum.correct]
        assert (
            Table(["", "", "", ""], [row], []).to_markdown().splitlines()[-1][:-1]
            in shown
        )
    links = re.findall(r"\]\(([^)\s]+\.\w+)\)", shown)
    assert len(links) >= len(load_errata())
    assert [
        link for link in links if not (notebooks_dir() / link).resolve().is_file()
    ] == []


def test_every_table_of_the_notebook_is_folded_and_stands_after_the_picture(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.data for output in outputs if "data" in output]
    (picture,) = (at for at, data in enumerate(shown) if "image/png" in data)
    tables = {
        at: data["text/html"] for at, data in enumerate(shown) if VALUES_MIME in data
    }
    assert picture < min(tables) and all(
        of.startswith("<details>") for of in tables.values()
    )
