"""The published values, as data: ``data/published/<paper>.csv``, one row a printed number.

Its columns are described in ``published.schema.json``, a Table Schema, and in ``docs/verdicts.md``.
:func:`load_published` refuses a file with any fault in it and names every fault with its line.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

from companion._utils.errors import DamagedData
from companion._utils.files import read_csv
from companion._utils.paths import data_dir

__all__ = ["Printed", "PublishedError", "Relation", "load_published", "parse_printed"]

_SCHEMA = json.loads(
    files(__package__).joinpath("published.schema.json").read_text(encoding="utf-8")
)
_FIELDS = {field["name"]: field for field in _SCHEMA["fields"]}
COLUMNS = tuple(_FIELDS)
#: What a row asks; values and claims are scored, and what is ours has no verdict.
ASKS = tuple(_FIELDS["asks"]["constraints"]["enum"])
SCORED = ("value", "claim")
_NUMBERS = [name for name, field in _FIELDS.items() if field["type"] != "string"]
_NUMBER = re.compile(
    r"[-+]?(\d{1,3}(,\d{3})+(\.\d*)?|\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?"
)
_RELATION = re.compile(
    r"(?P<sign><=|>=|<|>)\s*(?P<bound>[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?)"
)


class PublishedError(DamagedData, ValueError):
    """A file of published values or deviations has faults; the message lists all of them."""

    def __init__(self, name, faults):
        self.faults = list(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        n = len(self.faults)
        super().__init__(f"{name} has {n} fault{'s' if n > 1 else ''}:\n{lines}")


def plain(value):
    """The JSON scalar of a value: full precision, None for NaN, a word for an infinity, no -0."""
    if hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, float):
        return value
    if math.isfinite(value):
        return value + 0.0
    return None if math.isnan(value) else str(value)


def number_text(value, how):
    """A number as a text, empty for none, and zero without a sign."""
    if plain(value) is None:
        return ""
    text = format(value, how)
    return text[1:] if re.fullmatch(r"-[0.]+%?", text) else text


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


def _faults_of_field(name, text, number):
    """What is wrong with a field by the schema, whatever stands in the others."""
    rules = _FIELDS[name].get("constraints", {})
    if not text and rules.get("required"):
        yield f"{name} is empty"
    elif "enum" in rules and text not in rules["enum"]:
        known = ", ".join(rules["enum"])
        yield f"{name} {text!r} is unknown: it must be one of {known}"
    elif text and "pattern" in rules and not re.fullmatch(rules["pattern"], text):
        yield f"{name} must be <, >, <= or >= and a number. Got {text!r}"
    elif text and name in _NUMBERS:
        least = rules.get("minimum", -math.inf)
        above = rules.get("exclusiveMinimum", -math.inf)
        if not (number >= least and number > above):
            rule = f" >= {least}" if "minimum" in rules else f" > {above}"
            yield f"{name} {text!r} is no number{rule * bool(rules)}"
        elif _FIELDS[name]["type"] == "integer" and not number.is_integer():
            yield f"{name} must be a whole number >= {least}. Got {text!r}"


def _faults_of_question(texts):
    """What the fields ask of each other by what the row asks."""
    asks = texts["asks"]
    kind = texts["kind"]
    if asks in SCORED and (asks == "claim") != (kind == "ordinal"):
        yield f"asks is {asks!r}, but kind is {kind!r}: claims, and no values, are ordinal"
    if asks in ("claim", "ours") and not texts["sentence"]:
        yield "sentence is empty: quote what is claimed, or say what we ask"
    if asks not in ("value", "setting", "ours") and not texts["why"]:
        yield "why is empty: say why this bound, which test proves it, or what was matched"
    if texts["repeats"] and asks not in SCORED:
        yield f"repeats is given, but a {asks} is not scored anyway"


def _faults_of_number(texts, numbers):
    """What the fields ask of each other by the kind of the number."""
    kind = texts["kind"]
    printed = texts["printed"]
    n = numbers["n"]
    parsed = parse_printed(printed)
    is_claim = kind == "ordinal"
    if parsed is None and kind not in ("deterministic", "ordinal"):
        yield f"printed {printed!r} is no number, which kind {kind!r} needs"
    if kind == "spread" and parsed and parsed.value < 0:
        yield f"printed {printed!r} is negative, which no spread is"
    needed = {"stochastic": 1, "spread": 2}.get(kind, 0)
    if needed and not n >= needed:
        got = texts["n"]
        yield f"n of kind {kind!r} must be a whole number >= {needed}. Got {got!r}"
    if texts["spread"] and not (kind == "stochastic" and n > 1):
        yield "spread is given, but only a stochastic value with n > 1 has one"
    if texts["spread"] and not texts["spread_is"]:
        yield "spread_is is empty: say of what it is a deviation"
    is_tested = is_claim and texts["asks"] != "ours"
    if is_tested != bool(texts["relation"]):
        rule = (
            "be given for kind 'ordinal', and be empty for others and for what is ours"
        )
        yield f"relation must {rule}. Got {texts['relation']!r}"


def _faults_of(texts, numbers):
    """All faults of a row, of its fields as they stand and of those that hold a number."""
    faults = [
        fault
        for name, text in texts.items()
        for fault in _faults_of_field(name, text, numbers[name])
    ]
    if not faults:
        faults += _faults_of_question(texts)
        faults += _faults_of_number(texts, numbers)
    return faults


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


def load_published(paper):
    """Read and check the published values of one paper.

    Parameters
    ----------
    paper : str
        Key of the paper, for example ``"trees"``.

    Returns
    -------
    pandas.DataFrame
        One row a printed value in the order of ``data/published/<paper>.csv``, with the columns of
        :data:`COLUMNS`, the paper, and the value that is printed; value, spread, n and matters are
        floats (NaN where nothing is printed), the others strings.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    PublishedError
        If the file has faults; all are listed with their line numbers.
    """
    path = data_dir() / "published" / f"{paper}.csv"
    if not path.is_file():
        raise FileNotFoundError(
            f"No published values for {paper!r}: there is no file {path}."
        )
    return _checked(paper, path.read_bytes()).copy()


@cache
def _checked(paper, content):
    """The published values of a paper in the content of its file, which is checked but once."""
    import pandas as pd

    name = f"{paper}.csv"
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
        faults += [(line, fault) for line, *row in rows for fault in _faults_of(*row)]
        faults += _faults_between(texts)
    if faults:
        raise PublishedError(
            name, [f"line {line}: {fault}" for line, fault in sorted(faults)]
        )
    frame.insert(0, "paper", paper)
    frame["value"] = [
        _printed_value(printed, kind)
        for printed, kind in zip(frame["printed"], frame["kind"], strict=True)
    ]
    return frame.reset_index(drop=True)


def _printed_value(printed, kind):
    """The number that is printed, NaN of a word and of a claim."""
    number = parse_printed(printed)
    return number.value if number and kind != "ordinal" else math.nan
