"""Eight words carry every verdict; those that did so before are in nothing that a reader sees."""

import re

import nbformat
import pandas as pd
import pytest
from _cases import cases
from _command import invoke

from companion._utils.paths import data_dir, notebooks_dir, project_root
from companion.papers.across.overview import load_ledgers
from companion.reproduction.display import score_line, score_table
from companion.reproduction.scores import NUMBER_WORDS, SENTENCE_WORDS

#: In what the engine writes itself none of these can be but a verdict.
RETIRED = re.compile(
    r"\b(agrees?|compatible|consistent|undecided|mixed|refuted|demonstrated|conjectures?|as read"
    r"|not run)\b",
    re.IGNORECASE,
)
#: In prose, where a kernel may be consistent and a solver agree with another.
IN_PROSE = re.compile(
    r"\b(undecided|refuted|refutes?|conjectures?|as read|consistent with ours|(is|are) compatible"
    r"|numbers are consistent|rows are consistent|(is|are) mixed|differ, (un)?explained and"
    r"|fails, (un)?explained|outcome as)\b",
    re.IGNORECASE,
)
TAGS = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>|data:image/[^\"']*", re.DOTALL)
NOTEBOOKS = sorted(
    str(path.relative_to(notebooks_dir()))
    for path in notebooks_dir().rglob("*.ipynb")
    if ".ipynb_checkpoints" not in path.parts
)
DOCS = [
    "README.md",
    *sorted(
        f"docs/{path.name}"
        for path in (project_root() / "docs").glob("*.md")
        if path.name not in ("ledger.md", "reasons.md", "errata.md")  # of the site
    ),
]
DATA = ["deviations.yaml", "readings.yaml", "cards.yaml", "errata.yaml"]


@pytest.fixture(scope="module")
def ledger():
    return pd.concat(load_ledgers().values())


def retired(text, words):
    """Each retired word of a text with what stands around it."""
    return [text[max(m.start() - 30, 0) : m.end() + 30] for m in words.finditer(text)]


def test_every_row_has_one_of_the_words_or_none(ledger):
    assert {*ledger["verdict"], *ledger["verdict_as_read"]} <= {
        "",
        *NUMBER_WORDS,
        *SENTENCE_WORDS,
    }
    nameless = ledger[ledger["verdict"] == ""]
    assert {*nameless["asks"]} <= {"ours", "identity"}
    assert not nameless["scored"].any()
    stays_open = ledger["scored"] & ledger["verdict"].isin(["not tested", "open"])
    assert (ledger["because"][stays_open] != "").all(), "the row says why"
    failing = ledger[
        ledger["scored"] & ledger["verdict"].isin(["fails", "differs, explained"])
    ]
    assert (failing["reason"] != "").all()


def test_what_the_command_says_has_no_retired_word():
    words = (
        ["verify"],
        ["verify", "--help"],
        ["reproduce", "--help"],
        ["explain", "--help"],
    )
    for command in words:
        assert retired(invoke(None, *command), RETIRED) == []


def test_what_the_engine_says_of_all_rows_has_no_retired_word(ledger):
    made = ledger[ledger["reason"] == ""]
    because = made["because"][~made["asks"].isin(["identity", "matched"])]
    texts = [*because, *ledger["problem"], *ledger["note"], score_line(ledger)]
    assert (
        retired("\n".join([*texts, str(score_table({"all": ledger}))]), RETIRED) == []
    )


@cases("name", *DATA)
def test_what_is_declared_has_no_retired_word(name):
    text = (data_dir() / name).read_text(encoding="utf-8")
    assert retired(text, IN_PROSE) == []


@cases("name", *DOCS)
def test_a_page_of_prose_has_no_retired_word(name):
    text = (project_root() / name).read_text(encoding="utf-8")
    assert retired(text, IN_PROSE) == []


@cases("name", *NOTEBOOKS)
def test_a_notebook_has_no_retired_word_in_its_text_or_outputs(name):
    book = nbformat.read(notebooks_dir() / name, as_version=4)
    texts = []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            texts.append(cell.source)
        for output in cell.get("outputs", []):
            texts.append(output.get("text", ""))
            data = output.get("data", {})
            texts += [str(data[kind]) for kind in data if kind.startswith("text/")]
    assert retired(TAGS.sub(" ", "\n".join(texts)), IN_PROSE) == []
