"""The cards of the papers: what each proposes, what holds up, misprints, and what to use today.

``data/cards.yaml`` is a list. An entry has the ``paper``, the ``part`` of the card and what it
``says``, with numbers in braces that are filled from the verdicts; in ``rests_on`` stand the rows
that the text speaks of, each after the word that it takes for granted. Once a row has another word,
the card says that instead, so that no text outlives its records.
"""

import math
import re
from dataclasses import dataclass

from companion.reproduction.declared import load_entries, unknown_word
from companion.reproduction.scores import score
from companion.reproduction.tables import number_text

__all__ = ["Card", "card"]

PARTS = ("found", "misprints")
_BRACES = re.compile(
    r"\{(?:(corrected|size|percent|more|numbers|sentences) )?([^{}]+)\}"
)
#: A word of a verdict and a row; or of a number of ours that it is beyond two standard errors on
#: one side of zero, or within them.
_RESTS = re.compile(
    r"(matches|differs, explained|differs, unexplained|not tested|holds|fails|open"
    r"|positive|negative|zero) (.+)"
)


@dataclass(frozen=True)
class Card:
    """What there is to know of a paper, in Markdown.

    Attributes
    ----------
    proposes, today : str
        What the paper proposes; when to use it today, and what instead.
    found, misprints : list of str
        What holds up and what does not; misprints that change the reading.
    """

    proposes: str
    found: list[str]
    misprints: list[str]
    today: str

    def to_markdown(self):
        """A list of what it says."""
        lines = [
            ("What it proposes", [self.proposes]),
            ("What holds up, and what does not", self.found),
            ("Misprints that change the reading", self.misprints),
            ("Today", [self.today]),
        ]
        return "\n".join(
            f"* **{title}.** {' '.join(texts)}" for title, texts in lines if any(texts)
        )


def load_cards():
    """The entries of ``data/cards.yaml`` by paper, checked as deviations are.

    Returns
    -------
    dict
        From the key of a paper to (part, text, rests_on), in the order of the file.
    """

    def read(entry):
        rests_on = entry.get("rests_on", [])
        faults = unknown_word(entry, "part", PARTS)
        faults += [
            f"rests_on {text!r} must be a word and a row"
            for text in rests_on
            if not _RESTS.fullmatch(text)
        ]
        found = (entry["part"], entry["says"], tuple(rests_on))
        return faults, {(entry["paper"], entry["says"]): found}

    texts = ("paper", "part", "says")
    entries = load_entries("cards.yaml", texts, (), read, optional_lists=("rests_on",))
    cards = {}
    for (paper, _), found in entries.items():
        cards.setdefault(paper, []).append(found)
    return cards


def card(paper, ledger, entries=None):
    """The card of a paper, filled from its ledger.

    Parameters
    ----------
    paper : companion.reproduction.Paper
    ledger : pandas.DataFrame
        Of the whole paper.
    entries : list, optional
        By default those of ``data/cards.yaml``.

    Returns
    -------
    Card
    """
    if entries is None:
        entries = load_cards().get(paper.key, [])
    names = ledger["artefact"] + ": " + ledger["row"] + " / " + ledger["column"]
    rows = dict(zip(names, ledger.to_dict("records"), strict=True))
    counts = score(ledger)
    texts = {part: [] for part in PARTS}
    for part, says, rests_on in entries:
        texts[part].append(_filled(says, rests_on, rows, counts))
    return Card(paper.proposes, texts["found"], texts["misprints"], paper.today)


def _two_digits(value):
    """A number as one says it: two significant digits, and no power of ten."""
    return "-" if math.isnan(value) else number_text(float(f"{value:.2g}"), "g")


def _word_of(line):
    """The verdict of a row, or on which side of zero a number of ours is beyond chance."""
    if line["asks"] != "ours":
        return line["verdict"]
    if abs(line["reproduced"]) <= 2 * line["se"]:
        return "zero"
    return "positive" if line["reproduced"] > 0 else "negative"


def _filled(says, rests_on, rows, counts):
    """A text with its numbers, or what has become of the rows that it rests on."""
    changed = []
    for text in rests_on:
        word, cell = _RESTS.fullmatch(text).groups()
        found = _word_of(rows[cell]) if cell in rows else "no such row"
        if found != word:
            changed.append(f"{cell}: {found}")
    for of, cell in _BRACES.findall(says):
        if of not in counts and cell not in rows:
            changed.append(f"{cell}: no such row")
    if changed:
        cells = "; ".join(changed)
        return f"This sentence has to be written again, since the records changed: {cells}."

    def number(match):
        of, name = match.groups()
        if of in counts:
            return str(counts[of][name])
        line = rows[name]
        value = line["reproduced_as_read" if of == "corrected" else "reproduced"]
        if of == "percent":
            return f"{number_text(100 * value, '.0f')} %"
        if of == "more":
            return f"{number_text(100 * (value - 1), '.0f')} %"
        return _two_digits(abs(value) if of == "size" else value)

    return _BRACES.sub(number, says)
