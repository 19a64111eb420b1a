"""The cards of the papers: what each proposes and claims, what we measured, and what to use today.

``data/cards.yaml`` is a list with an entry a ``paper``: what it ``proposes``; its main ``claim``,
the ``sentence`` of the rows with which the proposal stands or falls; what we ``measured`` of that;
what was ``found`` besides; ``misprints`` that change the reading; and what to use ``today``. The
middle three have ``says``, a text with numbers in braces that are filled from the ledger, and
``rests_on``, the rows that the text speaks of, each after the word that it takes for granted. Once
a row has another word, the card says that instead, so that no text outlives its records.
"""

import math
import re
from dataclasses import dataclass

from companion.reproduction.artefacts import list_papers, notebook_path
from companion.reproduction.declared import LINE, Rule, load_entries
from companion.reproduction.display import score_line
from companion.reproduction.scores import MATCHES, score, sentence_words
from companion.reproduction.tables import Table, number_text

__all__ = ["Card", "card", "what_came_out_table"]

_BRACES = re.compile(
    r"\{(?:(corrected|se|size|percent|more|numbers|sentences) )?([^{}]+)\}"
)
#: A word of a verdict and a row; or, of a number of ours, that it is beyond two standard errors
#: above or below another number.
_RESTS = re.compile(
    r"(matches|differs, explained|differs, unexplained|not tested|holds|fails|open"
    r"|(above|below) (-?\d*\.?\d+)) (.+)"
)


@dataclass(frozen=True)
class Card:
    """What there is to know of a paper, in Markdown.

    Attributes
    ----------
    proposes, today : str
        What the paper proposes; when to use it today, and what instead.
    claim, word : str
        Its main claim, quoted, and what became of that sentence.
    measured : str
        What we measured of it.
    found, misprints : list of str
        What holds up and what does not; misprints that change the reading.
    score : str
        How many of its numbers match and of its sentences hold.
    """

    proposes: str
    claim: str
    word: str
    measured: str
    found: list[str]
    misprints: list[str]
    today: str
    score: str

    def to_markdown(self):
        """A list of what it says."""
        claim = f"{self.claim}: **{self.word}**." if self.claim else ""
        lines = {
            "What it proposes": self.proposes,
            "What it claims": claim,
            "What we measured": self.measured,
            "What else holds up, and what does not": " ".join(self.found),
            "Misprints that change the reading": " ".join(self.misprints),
            "Today": self.today,
            "The score": f"{self.score}." if self.score else "",
        }
        return "\n".join(
            f"* **{name}.** {text}" for name, text in lines.items() if text
        )


def _is_statement(content):
    """Whether it is what is said, and perhaps rows that it rests on."""
    if not isinstance(content, dict) or not LINE.fits(content.get("says")):
        return False
    rests_on = content.get("rests_on", [])
    return content.keys() <= {"says", "rests_on"} and all(
        isinstance(text, str) and _RESTS.fullmatch(text) for text in rests_on
    )


def _are_statements(content):
    return isinstance(content, list) and all(map(_is_statement, content))


def load_cards():
    """The entries of ``data/cards.yaml`` by paper, checked as deviations are."""
    says = (
        "a mapping of what it says and perhaps the rows it rests_on, each after a word"
    )
    statement = Rule(says, _is_statement)
    statements = Rule(f"a list, each {says}", _are_statements)
    return load_entries(
        "cards.yaml",
        {"paper": LINE, "proposes": LINE, "today": LINE},
        lambda entry: ([], {entry["paper"]: entry}),
        {"claim": LINE, "measured": statement, "found": statements}
        | {"misprints": statements},
    )


def card(paper, ledger, entry=None):
    """The card of a paper, filled from its ledger.

    Parameters
    ----------
    paper : companion.reproduction.Paper
    ledger : pandas.DataFrame
        Of the whole paper.
    entry : dict, optional
        By default that of ``data/cards.yaml``.

    Returns
    -------
    Card
    """
    if entry is None:
        entry = load_cards().get(paper.key, {})
    names = ledger["artefact"] + ": " + ledger["row"] + " / " + ledger["column"]
    rows = dict(zip(names, ledger.to_dict("records"), strict=True))
    counts = score(ledger)

    def filled(statement):
        return _filled(statement["says"], statement.get("rests_on", []), rows, counts)

    claim = entry.get("claim", "")
    measured = entry.get("measured")
    return Card(
        entry.get("proposes", ""),
        claim,
        sentence_words(ledger).get((paper.key, claim), "no such sentence"),
        filled(measured) if measured else "",
        [*map(filled, entry.get("found", []))],
        [*map(filled, entry.get("misprints", []))],
        entry.get("today", ""),
        score_line(ledger),
    )


def what_came_out_table(ledgers, links=None):
    """What each paper claims and what came of that, a line a paper.

    Parameters
    ----------
    ledgers : mapping of str to pandas.DataFrame
        The ledger of each paper by its key.
    links : str, optional
        What stands before ``<paper>/method.ipynb`` in links, such as ``"notebooks/"``; without it
        there are none.

    Returns
    -------
    Table
    """
    rows = []
    values = []
    for key, paper in list_papers().items():
        if key not in ledgers:
            continue
        of_paper = card(paper, ledgers[key])
        numbers = score(ledgers[key])["numbers"]
        name = paper.short or key
        if links is not None:
            first = next(a.id for a in paper.artefacts if notebook_path(a).is_file())
            name = f"[{name}]({links}{first}.ipynb)"
        count = f"{numbers[MATCHES]} of {numbers['printed']}"
        rows.append([name, of_paper.claim, of_paper.measured, of_paper.word, count])
        values.append({"paper": key, "word": of_paper.word, **numbers})
    header = ["paper", "what it claims", "what we measured", "in a word"]
    return Table([*header, "numbers that match"], rows, values)


def _two_digits(value):
    """A number as one says it: two significant digits, and no power of ten."""
    return "-" if math.isnan(value) else number_text(float(f"{value:.2g}"), "g")


def _changed(says, rests_on, rows, counts):
    """What has become of the rows of a text, where it is not what the text takes for granted."""
    for text in rests_on:
        word, side, bound, cell = _RESTS.fullmatch(text).groups()
        line = rows.get(cell)
        if line is None:
            yield f"{cell}: no such row"
        elif side:
            beyond = (line["reproduced"] - float(bound)) / line["se"]
            if not (beyond > 2 if side == "above" else beyond < -2):
                yield f"{cell}: not {word}"
        elif line["verdict"] != word:
            yield f"{cell}: {line['verdict']}"
    for of, name in _BRACES.findall(says):
        if name not in counts.get(of, rows):
            yield f"{name}: {'not counted' if of in counts else 'no such row'}"


def _filled(says, rests_on, rows, counts):
    """A text with its numbers, or what has become of the rows that it rests on."""
    if changed := "; ".join(_changed(says, rests_on, rows, counts)):
        return f"This sentence has to be written again, since the records changed: {changed}."

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
        if of == "se":
            return _two_digits(line["se"])
        return _two_digits(abs(value) if of == "size" else value)

    return _BRACES.sub(number, says)
