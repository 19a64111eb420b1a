"""The published values, as data: ``data/published/<paper>.csv``, one row a printed number.

The columns are described in ``docs/verdicts.md``. :func:`load_published` refuses a file with any
fault in it and names every fault with its line.
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from companion._utils.files import read_csv
from companion._utils.paths import data_dir
from companion.reproduction.tables import number_text

__all__ = ["Printed", "PublishedError", "Relation", "load_published", "parse_printed"]

#: What a row asks; values and claims are scored, and what is ours has a verdict like a claim.
ASKS = ("value", "claim", "setting", "identity", "matched", "ours")
SCORED = ("value", "claim")
JUDGED = (*SCORED, "ours")
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
    "overlap",
    "where",
    "note",
)
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


def _check_record(record, paper):
    """All faults of one row, and its numbers, NaN where it has none."""
    asks, kind, printed, relation = map(
        record.get, ("asks", "kind", "printed", "relation")
    )
    names = ("value", "spread", "n", "matters")
    text, spread, count, matters = map(record.get, names)
    numbers = {name: _float(record[name]) for name in names}
    numbers["overlap"] = _float(record["overlap"] or "0")
    if kind not in KINDS:
        return [
            f"kind {kind!r} is unknown: it must be one of {', '.join(KINDS)}"
        ], numbers
    value = numbers["value"]
    n = numbers["n"]
    parsed = parse_printed(printed)
    claim = kind == "ordinal"
    scored = asks in SCORED
    many = kind == "stochastic"
    if claim:
        reads = "a number or nothing"
        unlike = text and math.isnan(value)
    elif parsed is None:
        reads = "nothing"
        unlike = text
    else:
        reads = parsed.value
        unlike = value != parsed.value
    word = printed and parsed is None and kind not in ("deterministic", "ordinal")
    least = {"stochastic": 1, "spread": 2}.get(kind, 0)
    few = not (n.is_integer() and n >= max(least, 1)) if count else least
    bad_relation = parse_relation(relation) is None if claim else relation
    named = ("artefact", "row", "column", "where", "printed")
    faults = {f"{name} is empty": not record[name] for name in named}
    faults |= {
        f"paper is {record['paper']!r}, but the file is {paper}.csv": record["paper"]
        != paper,
        f"asks {asks!r} is unknown: it must be one of {', '.join(ASKS)}": asks
        not in ASKS,
        f"asks is {asks!r}, but kind is {kind!r}: claims, and no values, are ordinal": (
            scored and (asks == "claim") != claim
        ),
        "sentence is empty: quote what is claimed, or say what we ask": (
            asks in ("claim", "ours") and not record["sentence"]
        ),
        "sentence begins with 'ours': let the row ask ours instead": (
            record["sentence"].startswith("ours")
        ),
        "why is empty: say why this bound, which test proves it, or what was matched": (
            asks not in ("value", "setting") and not record["why"]
        ),
        f"repeats is given, but a {asks} is not scored anyway": record["repeats"]
        and not scored,
        f"matters {matters!r} is no positive number": matters
        and not numbers["matters"] > 0,
        f"printed {printed!r} is no number, which kind {kind!r} needs": word,
        f"value must be {reads}, as printed is {printed!r}. Got {text!r}": unlike,
        f"value {text} is negative, which no spread is": kind == "spread" and value < 0,
        f"n of kind {kind!r} must be a whole number >= {max(least, 1)}. Got {count!r}": few,
        f"spread {spread!r} is no number >= 0": spread and not numbers["spread"] >= 0,
        "spread is given, but only a stochastic value with n > 1 has one": (
            spread and not (many and n > 1)
        ),
        "spread_is is empty: say of what it is a deviation": spread
        and not record["spread_is"],
        "relation must be <, >, <= or >= and a number for kind 'ordinal', and empty for others. "
        f"Got {relation!r}": bad_relation,
        f"overlap {record['overlap']!r} is no number >= 0": not numbers["overlap"] >= 0,
    }
    return [fault for fault, found in faults.items() if found], numbers


def _wrong_repeats(records, lines):
    """Faults of rows that say which one they repeat; `lines` by (artefact, row, column)."""
    names = {f"{artefact}: {row} / {column}" for artefact, row, column in lines}
    faults = []
    for record in (record for record in records if record["repeats"]):
        cell = (record["artefact"], record["row"], record["column"])
        repeated = {
            record["repeats"],
            f"{record['artefact']}: {record['repeats']}",
        } & names
        if not repeated or f"{cell[0]}: {cell[1]} / {cell[2]}" in repeated:
            faults.append(
                f"{lines[cell]}: repeats {record['repeats']!r}, which is no other 'row / column' of"
                f" {record['artefact']}, nor an 'artefact: row / column' of the paper"
            )
    return faults


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
        value, spread, n, matters and overlap are floats (NaN where nothing is printed), the others
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
    wrong = {
        "is missing": [column for column in COLUMNS if column not in header],
        "is unknown": [column for column in header if column not in COLUMNS],
        "is there twice": [column for column in COLUMNS if header.count(column) > 1],
    }
    faults = [
        f"line 1: column {column!r} {what}"
        for what, columns in wrong.items()
        for column in columns
    ]
    if faults:
        raise PublishedError(name, faults)
    records = []
    seen = {}
    for number, cells in enumerate(lines, start=2):
        line = f"line {number}"
        if len(cells) != len(header):
            faults.append(
                f"{line}: {len(header)} fields expected; quote a field that has a comma"
            )
            continue
        record = dict(zip(header, map(str.strip, cells), strict=True))
        found, numbers = _check_record(record, paper)
        faults += [f"{line}: {fault}" for fault in found]
        cell = (record["artefact"], record["row"], record["column"])
        if cell in seen:
            faults.append(f"{line}: {' / '.join(cell)} is already on {seen[cell]}")
        seen.setdefault(cell, line)
        records.append({**record, **numbers})
    faults += _wrong_repeats(records, seen)
    if not records and not faults:
        faults.append("line 1: it has no rows")
    if faults:
        raise PublishedError(name, faults)
    return pd.DataFrame(records, columns=list(COLUMNS))
