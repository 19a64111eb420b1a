"""Quotations and printed numbers held against the papers' own texts.

A paper's text is a file ``<key>.txt``, which whoever has the paper makes from it. Compared are the
letters and digits alone: where lines, hyphens, accents and spaces stand is chance in such a text,
and Greek letters are spelled out here.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from companion.reproduction.artefacts import list_papers
from companion.reproduction.published import load_published, parse_printed

__all__ = ["PrintCheck", "check_print"]

_QUOTED = re.compile(r'"([^"]+)"')
_ELLIPSIS = re.compile(r"\.\.\.|\[[^\]]*\]")
_FORMULA = re.compile(r"[=^~<>|\\+/]|_\w|\d\s*[-*]\s*\w")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+", re.IGNORECASE)
#: The rows that say what a paper prints in a cell of a table, each cell in a row of its own.
_CELLS = ("value", "matched")
#: How the note of a value begins that is printed as two cells.
_OF_TWO_CELLS = "the difference of two cells"


@dataclass
class PrintCheck:
    """What a comparison with the text of a paper found.

    Attributes
    ----------
    paper : str
        Its key.
    n_quotations, n_numbers : int
        How many were looked for.
    faults : list of str
        What is not in the text, with its row.
    formulas : list of str
        What is not there letter by letter and has a formula in it, to be read by eye.
    """

    paper: str
    n_quotations: int = 0
    n_numbers: int = 0
    faults: list = field(default_factory=list)
    formulas: list = field(default_factory=list)


def letters_of(text):
    """The letters and digits of a text in lower case, Greek letters spelled out."""
    spelled = "".join(map(_spelled, unicodedata.normalize("NFKD", text)))
    return re.sub(r"[^a-z0-9]", "", spelled.casefold())


def _spelled(character):
    name = unicodedata.name(character, "")
    if name.startswith("GREEK") and "LETTER" in name:
        return name.split(" LETTER ")[1].split()[0].replace("LAMDA", "LAMBDA")
    return character


def fragments_of(sentence):
    """What a sentence quotes, cut where it leaves something out."""
    for quoted in _QUOTED.findall(sentence):
        yield from filter(letters_of, _ELLIPSIS.split(quoted))


def check_print(folder):
    """Compare quotations and printed numbers with the texts of the papers in a folder.

    A number must stand in the text at least as often as it is a cell of our rows.

    Parameters
    ----------
    folder : path-like
        Has ``<key>.txt`` of each paper.

    Returns
    -------
    list of PrintCheck
        Of the papers whose text is there.

    Raises
    ------
    FileNotFoundError
        If the folder has the text of no paper.
    """
    folder = Path(folder)
    texts = {key: folder / f"{key}.txt" for key in list_papers()}
    found = [
        _check_paper(key, path.read_text(encoding="utf-8", errors="replace"))
        for key, path in texts.items()
        if path.is_file()
    ]
    if not found:
        names = ", ".join(path.name for path in texts.values())
        raise FileNotFoundError(f"{folder} has the text of no paper. Wanted: {names}.")
    return found


def _check_paper(key, text):
    rows = load_published(key)
    check = PrintCheck(key)
    letters = letters_of(text)
    quoting = rows[(rows["sentence"] != "") & (rows["asks"] != "ours")]
    for sentence, places in quoting.groupby("sentence", sort=False):
        place = f"{places['artefact'].iloc[0]}: {places['row'].iloc[0]}"
        for fragment in fragments_of(sentence):
            check.n_quotations += 1
            if letters_of(fragment) not in letters:
                where = check.formulas if _FORMULA.search(fragment) else check.faults
                where.append(f'{place}: "{fragment.strip()}" is not in the text')
    in_text = Counter(_NUMBER.findall(text))
    cells = rows[rows["asks"].isin(_CELLS) & (rows["kind"] != "ordinal")]
    cells = cells[~cells["note"].str.startswith(_OF_TWO_CELLS)]
    for printed, places in cells.groupby("printed", sort=False):
        if parse_printed(printed) is None:
            continue
        check.n_numbers += len(places)
        there = in_text[_NUMBER.search(printed).group()]
        if there < len(places):
            line = places.iloc[-1]
            check.faults.append(
                f"{line['artefact']}: {line['row']} / {line['column']}: {printed} stands {there}"
                f" times in the text, and in our cells {len(places)}"
            )
    return check
