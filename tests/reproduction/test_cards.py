"""Cards say what the records say: a changed record changes them, and none outlives its words."""

import re

import pandas as pd
import pytest
from _cases import cases, refused
from test_verdicts import READINGS, published, reproduced

from companion.papers.across.overview import load_ledgers
from companion.reproduction import declared
from companion.reproduction.artefacts import Paper, list_papers
from companion.reproduction.declared import load_cards
from companion.reproduction.display import TO_BE_REWRITTEN, card, card_text
from companion.reproduction.published import PublishedError
from companion.reproduction.verdicts import compare

PAPER = Paper("toy", "Toy", "A. Nobody", "nowhere")
CELL = "table_1: heart / error"
FOUND = {"says": f"It errs by {{{CELL}}}, of {{numbers printed}}."}
ENTRY = {"proposes": "A trick.", "today": "No."}
ANEW = "This sentence has to be written again, since the records changed: "


def filled(ledger, **statement):
    """What the card of a toy finds."""
    return card(PAPER, ledger, ENTRY | {"found": [statement]})["found"][0]


def test_a_changed_record_changes_the_card():
    rests_on = [f"matches {CELL}"]
    texts = [
        filled(compare(published(), reproduced(value)), **FOUND, rests_on=rests_on)
        for value in (22.4, 22.6, 30.0)
    ]
    changed = f"{ANEW}{CELL}: differs, unexplained."
    assert texts == ["It errs by 22, of 1.", "It errs by 23, of 1.", changed]
    ledger = compare(published(), reproduced(22.4))
    lost = filled(ledger, says="It errs by {table_1: liver / error}.")
    assert lost == f"{ANEW}table_1: liver / error: no such row."
    assert filled(ledger, says="{numbers agreed}") == f"{ANEW}agreed: not counted."


@cases("value, side", (1.5, "above"), (0.5, "below"), (1.3, ""))
def test_a_number_of_ours_is_beyond_chance_above_or_below_another(value, side):
    row = published("ordinal", "ours", asks="ours", sentence="is it?")
    ledger = compare(row, reproduced(value))
    for other in ("above", "below"):
        text = filled(ledger, says="So it is.", rests_on=[f"{other} 1 {CELL}"])
        holds = other == side
        assert text == ("So it is." if holds else f"{ANEW}{CELL}: not {other} 1.")


def test_numbers_have_other_forms():
    names = ("size", "percent", "more", "corrected", "se")
    forms = " ".join(f"{{{name} {CELL}}}" for name in names)
    values = pd.concat([reproduced(-0.5), reproduced(128.7, reading="exchanged")])
    ledger = compare(published(), values, {}, READINGS)
    assert filled(ledger, says=forms) == "0.5 -50 % -150 % 130 0.28"


def test_a_card_is_a_list_without_what_there_is_nothing_of():
    claim = published("ordinal", "lower", relation="< 0", sentence="it is lower")
    ledger = compare(claim, reproduced(-1.0))
    entry = ENTRY | {"claim": "it is lower", "measured": {"says": "It is."}}
    text = card_text(card(PAPER, ledger, entry))
    assert text.splitlines() == [
        "* **What it proposes.** A trick.",
        "* **What it claims.** it is lower: **holds**.",
        "* **What we measured.** It is.",
        "* **Today.** No.",
        "* **The score.** 1 of 1 sentence holds.",
    ]


ENTRIES = f"""\
- paper: toy
  proposes: A trick.
  today: No.
  measured: {{says: It errs., rests_on: ["matches {CELL}"]}}
  found: [{{says: It does.}}]
"""
FAULTS = [
    ("today", "now", "today is missing"),
    ("matches table", "maybe table", "measured must be a mapping of what it says"),
    ("[{says: It does.}]", "[{tells: It does.}]", "found must be a list, each a map"),
    ("[{says: It does.}]", "It does.", "found must be a list, each a mapping"),
]


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads a text as the cards."""
    monkeypatch.setattr(declared, "data_dir", lambda: tmp_path)

    def load_text(text):
        (tmp_path / "cards.yaml").write_text(text)
        return load_cards()

    return load_text


@cases("old, new, message", *FAULTS)
def test_faults_of_the_cards_are_named(load, old, new, message):
    assert load(ENTRIES)["toy"]["proposes"] == "A trick."
    refused(message, load, ENTRIES.replace(old, new), error=PublishedError)


def test_the_records_bear_the_cards_out():
    ledgers = load_ledgers()
    for key in load_cards():
        of_paper = card(list_papers()[key], ledgers[key])
        texts = [of_paper["measured"], *of_paper["found"], *of_paper["misprints"]]
        assert [text for text in texts if text.startswith(TO_BE_REWRITTEN)] == []
        assert not re.search(r"[{}]|\b-(?=[ .,])", " ".join(texts)), key
