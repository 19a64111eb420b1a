"""The published values, as data: ``data/published/<paper>.csv``, one row a printed number.

The columns are described in ``docs/verdicts.md``. :func:`load_published` refuses a file with any
fault in it and names every fault with its line.
"""

import csv
import io
import math
import operator
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from companion._paths import data_dir

__all__ = [
    "ASKS",
    "COLUMNS",
    "KINDS",
    "SCORED",
    "Printed",
    "PublishedError",
    "Relation",
    "load_published",
    "parse_printed",
    "parse_relation",
]

#: What a row asks; values and claims are scored.
ASKS = ("value", "claim", "setting", "identity", "matched")
SCORED = ASKS[:2]
KINDS = ("deterministic", "stochastic", "spread", "draw", "ordinal")
COLUMNS = ("paper", "artefact", "row", "column", "asks", "printed", "value", "spread", "spread_is")
COLUMNS += ("n", "kind", "relation", "sentence", "why", "repeats", "matters", "overlap", "where")
COLUMNS += ("note",)
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<digits>(\d{1,3}(,\d{3})+|\d+)(\.\d*)?|\.\d+)"
    r"([eE](?P<exponent>[-+]?\d+))?%?"
)
_POWER = re.compile(r"((?P<mantissa>[-+]?\d+(\.\d+)?)\s*[*x×]\s*)?10\^(?P<exponent>[-+]?\d+)")
_RELATION = re.compile(r"(?P<sign><=|>=|<|>)\s*(?P<bound>[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?)")


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
        if not math.isfinite(number):
            return str(number)
        text = f"{number:.{max(self.decimals, 0)}f}"
        return text.lstrip("-") if float(text) == 0 else text


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
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    match = _NUMBER.fullmatch(text)
    if match:
        digits, exponent = match["sign"] + match["digits"].replace(",", ""), match["exponent"]
    else:
        match = _POWER.fullmatch(text)
        if not match:
            return None
        digits, exponent = match["mantissa"] or "1", match["exponent"]
    try:
        number = Decimal(digits).scaleb(int(exponent or 0))
        value = float(number)
    except (InvalidOperation, OverflowError):
        return None
    if not math.isfinite(value):
        return None
    return Printed(value=value, decimals=-number.as_tuple().exponent)


@dataclass(frozen=True)
class Relation:
    """An ordinal claim about one quantity: ``value < bound`` and its like."""

    sign: str
    bound: float

    def holds(self, value):
        """Whether the relation holds for an exactly known value."""
        compare = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
        return bool(compare[self.sign](value, self.bound))

    def margin(self, value):
        """Distance to the bound, positive on the side where the relation holds."""
        return self.bound - value if self.sign.startswith("<") else value - self.bound


def parse_relation(text):
    """Read a relation such as ``< 0`` or ``>= 0.95``."""
    match = _RELATION.fullmatch(text.strip())
    return Relation(match["sign"], float(match["bound"])) if match else None


def _float(text):
    """The finite float a field holds, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _check_value(record, faults):
    """Faults of printed and value; the number, NaN where the row has none."""
    printed, text = record["printed"], record["value"]
    parsed = parse_printed(printed)
    if not printed:
        faults.append("printed is empty: give the characters on the page")
    elif record["kind"] == "ordinal":
        if text and _float(text) is None:
            faults.append(f"value {text!r} is no number")
    elif parsed is None:
        if record["kind"] != "deterministic":
            faults.append(f"printed {printed!r} is no number, which kind {record['kind']!r} needs")
        elif text:
            faults.append(f"printed {printed!r} is a word, so value must be empty, not {text!r}")
    elif _float(text) is None:
        faults.append(f"value {text!r} is no number; printed {printed!r} reads {parsed.value!r}")
    elif _float(text) != parsed.value:
        faults.append(f"value {text} is not what printed {printed!r} reads, {parsed.value!r}")
    number = _float(text) if text else None
    return math.nan if number is None else number


def _check_spread(record, faults):
    """Faults of spread, spread_is and n; the numbers (spread, n), NaN where absent."""
    kind, text, count = record["kind"], record["spread"], record["n"]
    n = int(count) if count.isdecimal() and int(count) > 0 else None
    if count and n is None:
        faults.append(f"n {count!r} is no positive whole number")
    if kind == "stochastic" and not count:
        faults.append("n is empty: a stochastic value needs its number of repetitions")
    if kind == "spread" and (n is None or n < 2):
        faults.append(f"n is {count or 'empty'}: a spread needs at least 2 repetitions")
    spread = _float(text) if text else None
    if text:
        if spread is None or spread < 0:
            faults.append(f"spread {text!r} is no number >= 0")
        if kind != "stochastic":
            faults.append(f"spread is given, but kind is {kind!r}: only stochastic values have one")
        elif n is not None and n < 2:
            faults.append("spread is given with n = 1: one repetition has no spread")
        if not record["spread_is"]:
            faults.append("spread_is is empty: say what the spread is a deviation of")
    if kind == "spread" and record["value"].startswith("-"):
        faults.append(f"value {record['value']} is negative, which no standard deviation is")
    return (math.nan if spread is None else spread), (math.nan if n is None else float(n))


def _check_question(record, faults):
    """Faults of what a row asks; the least difference that matters, NaN where none is told."""
    asks, kind = record["asks"], record["kind"]
    if asks not in ASKS:
        faults.append(f"asks {asks!r} is unknown: it must be one of {', '.join(ASKS)}")
    if asks in SCORED and (asks == "claim") != (kind == "ordinal"):
        faults.append(f"asks is {asks!r}, but kind is {kind!r}: claims, and no values, are ordinal")
    if asks == "claim" and not record["sentence"]:
        faults.append("sentence is empty: quote what is claimed")
    if asks not in ("value", "setting") and not record["why"]:
        faults.append("why is empty: say why this bound, which test proves it, or what was matched")
    if asks not in SCORED and record["repeats"]:
        faults.append(f"repeats is given, but a {asks} is not scored anyway")
    matters = _float(record["matters"]) if record["matters"] else math.nan
    if matters is None or matters <= 0:
        faults.append(f"matters {record['matters']!r} is no positive number")
    return math.nan if matters is None else matters


def _check_record(record, paper):
    """All faults of one row, and its numbers."""
    faults = []
    if record["paper"] != paper:
        faults.append(f"paper is {record['paper']!r}, but the file is {paper}.csv")
    for name in ("artefact", "row", "column", "where"):
        if not record[name]:
            faults.append(f"{name} is empty")
    kind, relation = record["kind"], record["relation"]
    numbers = {"value": math.nan, "spread": math.nan, "n": math.nan}
    numbers["matters"] = _check_question(record, faults)
    if kind not in KINDS:
        faults.append(f"kind {kind!r} is unknown: it must be one of {', '.join(KINDS)}")
    else:
        numbers["value"] = _check_value(record, faults)
        numbers["spread"], numbers["n"] = _check_spread(record, faults)
        if kind == "ordinal" and not relation:
            faults.append("relation is missing: an ordinal claim needs one, such as '< 0'")
        elif kind == "ordinal" and parse_relation(relation) is None:
            faults.append(f"relation {relation!r} is not one of <, >, <=, >= and a number")
        elif kind != "ordinal" and relation:
            faults.append(f"relation {relation!r} is given, but kind is {kind!r}, not ordinal")
    overlap = _float(record["overlap"] or "0")
    if overlap is None or overlap < 0:
        faults.append(f"overlap {record['overlap']!r} is no number >= 0")
        overlap = 0.0
    return faults, {**numbers, "overlap": overlap}


def _wrong_repeats(records, lines):
    """Faults of rows that say which one they repeat; `lines` by (artefact, row, column)."""
    names = {f"{artefact}: {row} / {column}" for artefact, row, column in lines}
    faults = []
    for record in (record for record in records if record["repeats"]):
        own = (record["artefact"], record["row"], record["column"])
        repeated = {record["repeats"], f"{record['artefact']}: {record['repeats']}"} & names
        if not repeated or f"{own[0]}: {own[1]} / {own[2]}" in repeated:
            faults.append(
                f"{lines[own]}: repeats {record['repeats']!r}, which is no other 'row / column' of "
                f"{record['artefact']}, nor an 'artefact: row / column' of the paper"
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
    from pathlib import Path

    import pandas as pd

    path = data_dir() / "published" / f"{paper}.csv" if path is None else Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"No published values for {paper!r}: there is no file {path}.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PublishedError(path.name, [f"it is not UTF-8: {error}"]) from error
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="surplus")
    header = reader.fieldnames or []
    faults = [f"column {name!r} is missing" for name in COLUMNS if name not in header]
    faults += [f"column {name!r} is unknown" for name in header if name not in COLUMNS]
    faults += [f"column {name!r} is there twice" for name in {*header} if header.count(name) > 1]
    if faults:
        raise PublishedError(path.name, faults)
    records, seen = [], {}
    for fields in reader:
        line = f"line {reader.line_num}"
        if "surplus" in fields or None in fields.values():
            faults.append(f"{line}: {len(header)} fields expected; quote a field that has a comma")
            continue
        record = {name: (fields.get(name) or "").strip() for name in COLUMNS}
        found, numbers = _check_record(record, paper)
        faults += [f"{line}: {fault}" for fault in found]
        cell = (record["artefact"], record["row"], record["column"])
        if cell in seen:
            faults.append(f"{line}: {' / '.join(cell)} is already on {seen[cell]}")
        seen.setdefault(cell, line)
        records.append({**record, **numbers})
    faults += _wrong_repeats(records, seen)
    if not records and not faults:
        faults.append("it has no rows")
    if faults:
        raise PublishedError(path.name, faults)
    return pd.DataFrame(records, columns=list(COLUMNS))
