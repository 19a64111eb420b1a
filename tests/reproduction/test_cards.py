"""Cards say what the records say: a changed record changes them, and none outlives its words."""

import re

import pandas as pd
from _cases import cases, refused
from test_verdicts import READINGS, published, reproduced

from companion.papers.across.overview import load_ledgers
from companion.reproduction import declared
from companion.reproduction.artefacts import Paper, list_papers
from companion.reproduction.cards import card, load_cards
from companion.reproduction.published import PublishedError
from companion.reproduction.verdicts import compare

PAPER = Paper("toy", "Toy", "A. Nobody", "nowhere", proposes="A trick.", today="No.")
CELL = "table_1: heart / error"
SAYS = f"It errs by {{{CELL}}}, of {{numbers printed}}."
ENTRIES = [("found", SAYS, (f"matches {CELL}",))]


def filled(value, entries=ENTRIES):
    """What the card of a toy finds."""
    return card(PAPER, compare(published(), reproduced(value)), entries).found


def test_a_changed_record_changes_the_card():
    assert filled(22.4) == ["It errs by 22, of 1."]
    assert filled(22.6) == ["It errs by 23, of 1."]
    anew = (
        "This sentence has to be written again, since the records changed: "
        "table_1: heart / error: differs, unexplained."
    )
    assert filled(30.0) == [anew]
    lost = [("found", "It errs by {table_1: liver / error}.", ())]
    assert filled(22.4, lost)[0].endswith("table_1: liver / error: no such row.")


def test_numbers_have_other_forms():
    names = ("size", "percent", "more", "corrected")
    forms = " ".join(f"{{{name} {CELL}}}" for name in names)
    values = pd.concat([reproduced(-0.5), reproduced(128.7, reading="exchanged")])
    ledger = compare(published(), values, {}, READINGS)
    found = card(PAPER, ledger, [("found", forms, ())]).found
    assert found == ["0.5 -50 % -150 % 130"]


def test_a_card_is_a_list_without_what_there_is_nothing_of():
    text = card(PAPER, compare(published(), reproduced(22.4)), ENTRIES).to_markdown()
    titles = re.findall(r"(?m)^\* \*\*(.*?)\.\*\*", text)
    assert titles == ["What it proposes", "What holds up, and what does not", "Today"]


FAULTS = [
    ("found", "lost", "part 'lost' is unknown"),
    ("matches table", "maybe table", "rests_on 'maybe table_1: heart / error' must be"),
]


@cases("old, new, message", *FAULTS)
def test_faults_of_the_cards_are_named(tmp_path, monkeypatch, old, new, message):
    text = f"""\
- paper: toy
  part: found
  says: "It errs by {{{CELL}}}."
  rests_on: ["matches {CELL}"]
"""
    monkeypatch.setattr(declared, "data_dir", lambda: tmp_path)
    path = tmp_path / "cards.yaml"
    path.write_text(text)
    assert len(load_cards()["toy"]) == 1
    path.write_text(text.replace(old, new))
    refused(re.escape(message), load_cards, error=PublishedError)


def test_the_records_bear_the_cards_out():
    ledgers = load_ledgers()
    for key in load_cards():
        of_paper = card(list_papers()[key], ledgers[key])
        texts = [*of_paper.found, *of_paper.misprints]
        assert [
            text
            for text in texts
            if text.startswith("This sentence has to be written again")
        ] == []
        assert not re.search(r"[{}]|\b-(?=[ .,])", " ".join(texts)), key
