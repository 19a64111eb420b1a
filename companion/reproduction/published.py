"""The published values, as data: ``data/published/<paper>.csv``, one row a printed number.

The columns are described in ``docs/verdicts.md``. :func:`load_published` refuses a file with any
fault in it and names every fault with its line.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from companion._utils.files import read_csv
from companion._utils.paths import data_dir
from companion.reproduction.tables import number_text

__all__ = ["Printed", "PublishedError", "Relation", "load_published", "parse_printed"]

#: What a row asks; values and claims are scored, and what is ours has no verdict.
ASKS = ("value", "claim", "setting", "identity", "matched", "ours")
SCORED = ("value", "claim")
KINDS = ("deterministic", "stochastic", "spread", "draw", "ordinal")
COLUMNS = (
    "paper",
    "artefact",
    "row",
    "column",
    "asks",
    "printed",
    "value",
    "spread",
    "spread_is",
    "n",
    "kind",
    "relation",
    "sentence",
    "why",
    "repeats",
    "matters",
    "where",
    "note",
)
_NUMBERS = ["value", "spread", "n", "matters"]
_FILLED = ("artefact", "row", "column", "where", "printed")
_NUMBER = re.compile(
    r"[-+]?(\d{1,3}(,\d{3})+(\.\d*)?|\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?"
)
_RELATION = re.compile(
    r"(?P<sign><=|>=|<|>)\s*(?P<bound>[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?)"
)


class PublishedError(ValueError):
    """A file of published values or deviations has faults; the message lists all of them."""

    def __init__(self, name, faults):
        self.faults = list(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        n = len(self.faults)
        super().__init__(f"{name} has {n} fault{'s' if n > 1 else ''}:\n{lines}")


@dataclass(frozen=True)
class Printed:
    """A number as printed."""

    value: float
    decimals: int

    @property
    def half_unit(self):
        """Half a unit of the last printed digit: what rounding can hide."""
        return float(Decimal(5).scaleb(-self.decimals - 1))

    def format(self, number):
        """Round another number to the digits printed."""
        return number_text(number, f".{max(self.decimals, 0)}f")


def parse_printed(text):
    """Read a printed number and its precision.

    Parameters
    ----------
    text : str
        Digits with an optional sign, decimal point, thousands commas, per cent sign or power of
        ten (``1e-3``, ``10^-3``, ``2.5 x 10^3``).

    Returns
    -------
    Printed or None
        None if the text is not a number.
    """
    text = text.strip().replace("\N{MINUS SIGN}", "-").removesuffix("%")
    text = re.sub(r"\s*[*x×]\s*10\^", "e", re.sub(r"^10\^", "1e", text))
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text.replace(",", ""))
    value = float(number)
    if not math.isfinite(value):
        return None
    return Printed(value=value, decimals=-number.as_tuple().exponent)


@dataclass(frozen=True)
class Relation:
    """An ordinal claim about one quantity: ``value < bound`` and its like."""

    sign: str
    bound: float

    def margin(self, value):
        """Distance to the bound, positive on the side where the relation holds."""
        return self.bound - value if self.sign.startswith("<") else value - self.bound


def parse_relation(text):
    """Read a relation such as ``< 0`` or ``>= 0.95``."""
    match = _RELATION.fullmatch(text.strip())
    return Relation(match["sign"], float(match["bound"])) if match else None


def _float(text):
    """The finite float that a field holds, or NaN."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _faults_of(texts, numbers, paper):
    """All faults of a row, of its fields as they stand and of those that hold a number."""
    kind = texts["kind"]
    asks = texts["asks"]
    spread = texts["spread"]
    n = numbers["n"]
    if kind not in KINDS:
        return [f"kind {kind!r} is unknown: it must be one of {', '.join(KINDS)}"]
    parsed = parse_printed(texts["printed"])
    claim = kind == "ordinal"
    word = parsed is None and not claim
    scored = asks in SCORED
    if parsed:
        expected = parsed.value
        is_other = numbers["value"] != expected
    else:
        expected = "nothing"
        is_other = bool(texts["value"])
    needed = {"stochastic": 1, "spread": 2}.get(kind, 0)
    least = max(needed, 1)
    if texts["n"]:
        n_is_wrong = not (n.is_integer() and n >= least)
    else:
        n_is_wrong = needed > 0
    if claim and asks != "ours":
        relation_is_wrong = parse_relation(texts["relation"]) is None
    else:
        relation_is_wrong = bool(texts["relation"])
    faults = {
        f"paper is {{paper!r}}, but the file is {paper}.csv": texts["paper"] != paper,
        f"asks {{asks!r}} is unknown: it must be one of {', '.join(ASKS)}": asks
        not in ASKS,
        "asks is {asks!r}, but kind is {kind!r}: claims, and no values, are ordinal": (
            scored and (asks == "claim") != claim
        ),
        "sentence is empty: quote what is claimed, or say what we ask": (
            asks in ("claim", "ours") and not texts["sentence"]
        ),
        "why is empty: say why this bound, which test proves it, or what was matched": (
            asks not in ("value", "setting", "ours") and not texts["why"]
        ),
        "repeats is given, but a {asks} is not scored anyway": texts["repeats"]
        and not scored,
        "matters {matters!r} is no positive number": (
            texts["matters"] and not numbers["matters"] > 0
        ),
        "printed {printed!r} is no number, which kind {kind!r} needs": (
            texts["printed"] and word and kind != "deterministic"
        ),
        "value must be a number or nothing, as printed is {printed!r}. Got {value!r}": (
            claim and texts["value"] and math.isnan(numbers["value"])
        ),
        f"value must be {expected}, as printed is {{printed!r}}. Got {{value!r}}": (
            not claim and is_other
        ),
        "value {value} is negative, which no spread is": (
            kind == "spread" and numbers["value"] < 0
        ),
        f"n of kind {{kind!r}} must be a whole number >= {least}. Got {{n!r}}": n_is_wrong,
        "spread {spread!r} is no number >= 0": spread and not numbers["spread"] >= 0,
        "spread is given, but only a stochastic value with n > 1 has one": (
            spread and not (kind == "stochastic" and n > 1)
        ),
        "spread_is is empty: say of what it is a deviation": spread
        and not texts["spread_is"],
        "relation must be <, >, <= or >= and a number for kind 'ordinal', and empty for others and "
        "for what is ours. Got {relation!r}": relation_is_wrong,
    }
    faults = {f"{name} is empty": not texts[name] for name in _FILLED} | faults
    return [fault.format_map(texts) for fault, found in faults.items() if found]


def _faults_between(frame):
    """Faults of rows beside others, by place: one that is there twice, or repeats none."""
    names = frame["artefact"] + ": " + frame["row"] + " / " + frame["column"]
    asked = frame["artefact"] + ": " + frame["repeats"]
    asked = asked.where(asked.isin(names), frame["repeats"])
    for place in frame.index[names.duplicated()]:
        first = names.eq(names[place]).idxmax()
        yield place, f"{names[place]} is already on line {first}"
    unlike = (frame["repeats"] != "") & (~asked.isin(names) | (asked == names))
    for place, row in frame[unlike].iterrows():
        told = f"repeats {row['repeats']!r}, which is no other 'row / column' of {row['artefact']}"
        yield place, f"{told}, nor an 'artefact: row / column' of the paper"


def load_published(paper, path=None):
    """Read and check the published values of one paper.

    Parameters
    ----------
    paper : str
        Key of the paper, for example ``"l1nsvm"``.
    path : path-like, optional
        The file; default ``data/published/<paper>.csv`` of the project.

    Returns
    -------
    pandas.DataFrame
        One row a printed value in the order of the file, with the columns of :data:`COLUMNS`;
        value, spread, n and matters are floats (NaN where nothing is printed), the others
        strings.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    PublishedError
        If the file has faults; all are listed with their line numbers.
    """
    path = data_dir() / "published" / f"{paper}.csv" if path is None else Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"No published values for {paper!r}: there is no file {path}."
        )
    return _checked(paper, path.name, path.read_bytes()).copy()


@cache
def _checked(paper, name, content):
    """The published values of a paper in the content of a file, which is checked but once."""
    import pandas as pd

    try:
        header, *lines = read_csv(content)
    except ValueError as error:
        raise PublishedError(name, [str(error)]) from error
    asked = Counter(COLUMNS)
    given = Counter(header)
    faults = [(1, f"column {column!r} is missing") for column in asked - given]
    faults += [
        (1, f"column {column!r} is unknown, or twice") for column in given - asked
    ]
    if not lines:
        faults.append((1, "it has no rows"))
    faults += [
        (number, f"{len(header)} fields expected; quote a field that has a comma")
        for number, cells in enumerate(lines, start=2)
        if len(cells) != len(header)
    ]
    if not faults:
        places = range(2, len(lines) + 2)
        texts = pd.DataFrame(lines, places, header).map(str.strip)[[*COLUMNS]]
        frame = texts.copy()
        frame[_NUMBERS] = texts[_NUMBERS].map(_float)
        rows = zip(
            places, texts.to_dict("records"), frame.to_dict("records"), strict=True
        )
        faults += [
            (line, fault) for line, *row in rows for fault in _faults_of(*row, paper)
        ]
        faults += _faults_between(texts)
    if faults:
        raise PublishedError(
            name, [f"line {line}: {fault}" for line, fault in sorted(faults)]
        )
    return frame.reset_index(drop=True)
