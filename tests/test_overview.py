"""The overview says in sentences what the data hold, and its notebook types no number."""

import math
import re
from dataclasses import replace
from io import StringIO

import nbformat
import pandas as pd
import pytest
from _cases import cases

from companion.papers.across import overview as show
from companion.reproduction import artefacts, declared
from companion.reproduction.artefacts import (
    Paper,
    get_artefact,
    list_papers,
    notebook_path,
)
from companion.reproduction.declared import Deviation, Erratum
from companion.reproduction.published import load_published

LEDGER = """\
paper,column,asks,outcome,counts_as,status,sentence,relation,support,reason,reading,outcome_as_read
one,a,value,agrees,agrees,,,,,,,
one,b,claim,holds,holds,,better,> 0,4,,,
one,c,claim,undecided,undecided,,better,> 0,1,,,
one,d,setting,listed,,,,,,,,
two,d,value,not run,not run,,,,,,,
two,e,claim,fails,"fails, explained",demonstrated,worse,< 0,-3,a sign,,
two,f,claim,fails,"fails, unexplained",undeclared,worse,< 0,-5,,,
two,g,value,differs,"differs, unexplained",conjecture,,,,a sign,turned,agrees
"""


@pytest.fixture
def small(monkeypatch):
    """Two papers with a few values each."""
    missing = {"keep_default_na": False, "na_values": {"support": [""]}}
    ledger = pd.read_csv(StringIO(LEDGER), **missing).assign(
        artefact="table_1",
        row="r",
        where="p. 1",
        why="lower is less",
        kind="stochastic",
        distance=math.nan,
    )
    texts = {"proposes": "A trick.", "today": "`sorted`."}
    papers = {
        "one": Paper("one", "One", "A. Nobody", "nowhere", claim="better", **texts),
        "two": Paper("two", "Two", "B. Nobody", "nowhere", **texts),
    }
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


def test_a_card_says_what_it_proposes_what_holds_and_what_to_use(small):
    first, second = (
        show.whole_card(paper, small[key])
        for key, paper in artefacts.list_papers().items()
    )
    proposes, today, own_score = first.splitlines()
    assert proposes == "* **What it proposes.** A trick."
    assert today == "* **Today.** `sorted`."
    numbers = (
        "Of 1 printed numbers 1 are consistent with ours (1 agree, 0 are compatible)"
    )
    assert numbers in own_score
    claim = "The main claim, better: **holds** (of 2 tests 1 holds, 1 undecided)."
    assert claim in own_score
    assert (
        "Of 1 sentences 0 hold, 0 are mixed, 0 undecided, and 1 fails (0 refuted, 0 explained"
        in second
    )
    assert "The main claim" not in second


def test_after_what_a_paper_proposes_stands_its_first_figure(small):
    paper = replace(list_papers()["gacv"], claim="better")
    first, figure, last = show.pictured_card(paper, small["one"])
    title, _, citation, _, proposes = first.data.splitlines()
    assert title == f"### {paper.title}"
    assert citation == f"{paper.citation} (`gacv`)."
    assert proposes == f"* **What it proposes.** {paper.proposes}"
    assert figure.data.startswith(b"\x89PNG")
    assert figure.alt.startswith("A figure. ") and "Axes: x_2 over x_1." in figure.alt
    assert f"* **Today.** {paper.today}" in last.data.splitlines()


@cases("key", *list_papers())
def test_every_paper_has_its_sentences_and_a_main_claim_that_is_printed_and_tested(key):
    paper = list_papers()[key]
    published = load_published(key)
    assert paper.proposes.endswith(".")
    assert paper.today.endswith(".")
    assert paper.claim in set(published["sentence"][published["asks"] == "claim"])


def test_a_claim_has_one_word_unless_its_tests_disagree(run):
    tables = run("cell-13")[1]
    assert [table.title for table in tables] == ["One", "Two"]
    (one,), (two,) = (table.values for table in tables)
    assert one["claim"] == "better"
    assert one["tested by"] == "r: b > 0 (and 1 more)"
    assert one["where"] == "p. 1"
    assert one["why this bound"] == "lower is less"
    assert (one["verdict"], one["tests"]) == (
        "holds",
        "of 2 tests 1 holds, 1 undecided",
    )
    assert (two["verdict"], two["tests"]) == ("fails", "of 2 tests 2 fail")


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
    assert "Of 3 printed numbers 1 are consistent with ours" in text
    assert "1 differ (0 explained, 1 unexplained), 1 not run." in text
    assert "Of 2 sentences 1 holds, 0 are mixed, 0 undecided, and 1 fails" in text
    assert "After correcting misprints 2 numbers are consistent" in text
    assert "**1 errors in the print** were found and proved: misprint 1." in text


# ------------------------------------------------------------------ the notebook


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(notebook_path(get_artefact("overview")), as_version=4)


def test_no_number_of_the_notebook_is_typed(notebook):
    text = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert text
    years = "|".join(paper.citation[-4:] for paper in list_papers().values())
    target_or_citation = rf"\]\([^)]*\)|(\b[A-Z]\w+| et al\.) ({years})\b"
    left = [re.sub(target_or_citation, "", source) for source in text]
    assert not [source for source in left if re.search(r"\d", source)]
