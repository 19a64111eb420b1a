"""The overview says what the data hold, and its notebook types no number."""

import re

import nbformat
import pytest
from _cases import cases

from companion.papers.across import overview
from companion.reproduction.artefacts import get_artefact, list_papers, notebook_path
from companion.reproduction.declared import load_cards
from companion.reproduction.display import what_came_out_table
from companion.reproduction.published import load_published
from companion.reproduction.scores import score, sentence_words


@pytest.fixture(scope="module")
def ledgers():
    return overview.load_ledgers()


def test_the_table_of_what_came_out_has_the_words_and_the_counts_of_the_ledgers(
    ledgers,
):
    table = what_came_out_table(ledgers)
    assert len(table.rows) == len(list_papers())
    for key, row in zip(list_papers(), table.rows, strict=True):
        claim = load_cards()[key]["claim"]
        numbers = score(ledgers[key])["numbers"]
        count = f"{numbers['matches']} of {numbers['printed']}"
        word = sentence_words(ledgers[key])[key, claim]
        assert [row[1], *row[3:]] == [claim, word, count]
        assert row[2].endswith(".")


def test_the_table_links_each_paper_to_its_method(ledgers):
    linked = what_came_out_table(ledgers, "notebooks/")
    for key, row in zip(list_papers(), linked.rows, strict=True):
        assert row[0].endswith(f"](notebooks/{key}/method.ipynb)")


def test_after_what_a_paper_proposes_stands_its_first_figure(ledgers):
    paper = list_papers()["gacv"]
    first, figure, last = overview.pictured_card(paper, ledgers["gacv"])
    entry = load_cards()["gacv"]
    title, _, citation, _, proposes = first.data.splitlines()
    assert title == f"### {paper.title}"
    assert citation == f"{paper.citation} (`{paper.key}`)."
    assert proposes == f"* **What it proposes.** {entry['proposes']}"
    assert figure.data.startswith(b"\x89PNG")
    assert figure.alt.startswith("A figure")
    assert f"* **Today.** {entry['today']}" in last.data.splitlines()


@cases("key", *list_papers())
def test_every_paper_has_a_card_and_a_main_claim_that_is_printed_and_tested(key):
    entry = load_cards()[key]
    published = load_published(key)
    assert entry["proposes"].endswith(".")
    assert entry["today"].endswith(".")
    assert entry["claim"] in set(published["sentence"][published["asks"] == "claim"])


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
