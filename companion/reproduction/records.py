"""One finished unit's record, and the table many of them make.

Types survive the table without a schema: a cell is empty (None), ``True`` or ``False``, digits
(an integer), the shortest decimal that reads back to the same double (a float, always with a
point, an exponent, ``nan`` or ``inf``), or text. Text that could be taken for one of these is
written as a JSON string, in quotes. `decode_cell` reads all of them; pandas reads the usual ones.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

from companion._files import read_csv
from companion.reproduction.units import Unit, to_scalar

END_COLUMNS = ("key", "code", "digest")
_DIGEST_LENGTH = 12
_NUMBER = re.compile(r"(-?(?:0|[1-9]\d*))|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|-?inf")
_RANKS = {type(None): 0, bool: 1, int: 2, float: 2, str: 3}


@dataclass(frozen=True)
class Record:
    """What is kept of a finished unit; `code` is the digest of the code that computed it.

    `line` is where it begins in the committed table, 0 if it does not come from there.
    """

    key: str
    params: Mapping[str, Any]
    code: str
    rows: tuple[Mapping[str, Any], ...]
    line: int = field(default=0, compare=False)


def encode_cell(value: str | int | float | bool | None) -> str:
    """The text of a scalar in the committed table; the inverse of `decode_cell`."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    plain = value.isprintable() and not value.startswith('"') and decode_cell(value) == value
    return value if plain else json.dumps(value)


def decode_cell(text: str) -> str | int | float | bool | None:
    """The scalar that a cell of the committed table stands for."""
    if text == "":
        return None
    if text in ("True", "False"):
        return text == "True"
    if number := _NUMBER.fullmatch(text):
        return float(text) if number[1] is None else int(text)
    return json.loads(text) if text.startswith('"') else text


def check_rows(unit: Unit, returned: Any) -> list[dict[str, Any]]:
    """What a unit's computation returned, a row or several, as dictionaries of Python scalars."""
    several = isinstance(returned, Iterable) and not isinstance(returned, Mapping)
    checked = []
    for row in returned if several else [returned]:
        if not isinstance(row, Mapping):
            raise TypeError(f"compute must return a dict or a list of dicts. Got {row!r}.")
        for name in row:
            if not isinstance(name, str) or name in unit.params or name in END_COLUMNS:
                taken = f"the parameters, {', '.join(END_COLUMNS)}"
                raise ValueError(f"A result must have a name other than {taken}. Got {name!r}.")
        checked.append({name: to_scalar(row[name], f"'{name}' of {unit}") for name in row})
    if not checked:
        raise ValueError("compute must return at least one row.")
    return checked


def _sorted(records: Iterable[Record], parameters: list[str]) -> tuple[list[str], list[tuple]]:
    """Columns and lines of the table, whatever the order in which the records arrive.

    Where rows differ in their columns, these are sorted too.
    """

    def place(record):
        values = map(record.params.get, parameters)
        return [(_RANKS[type(v)], 0 if v is None else v) for v in values], record.key

    records = sorted(records, key=place)
    orders = {tuple(row) for record in records for row in record.rows}
    results = list(*orders) if len(orders) <= 1 else sorted(set().union(*orders))
    cells = dict.values if len(orders) <= 1 else lambda row: map(row.get, results)
    lines = [
        (*map(record.params.get, parameters), *cells(row), record.key, record.code)
        for record in records
        for row in record.rows
    ]
    return [*parameters, *results, "key", "code"], lines


def content_digest(header: str, lines: Iterable[str]) -> str:
    """Digest of a record: the names of the columns and its lines, as they stand in the table."""
    return hashlib.sha256("\n".join([header, *lines]).encode()).hexdigest()[:_DIGEST_LENGTH]


def to_table(records: Iterable[Record], parameters: list[str]) -> bytes:
    """The committed form: CSV in UTF-8 with parameters, result columns, key, code and digest."""
    columns, lines = _sorted(records, parameters)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, END_COLUMNS[-1]])
    # keys and codes are text whatever they look like
    writer.writerows([*map(encode_cell, line[:-2]), *line[-2:]] for line in lines)
    header, *texts = text.getvalue().split("\n")[:-1]
    table = [header]
    for _, own in groupby(zip(lines, texts, strict=True), key=lambda pair: pair[0][-2]):
        own = [text for _, text in own]
        digest = content_digest(header, own)
        table += [f"{text},{digest}" for text in own]
    return "\n".join([*table, ""]).encode()


def parse_table(content: bytes, parameters: Sequence[str]) -> dict[str, Record]:
    """The inverse of `to_table`, by key; a ValueError says why this is no table of records."""
    texts, lines = read_csv(content)
    columns, begin, end = lines[0], len(parameters), -len(END_COLUMNS)
    if {*columns[:begin]} != {*parameters} or tuple(columns[end:]) != END_COLUMNS:
        ends = f"first columns must be {', '.join(parameters)}, the last {', '.join(END_COLUMNS)}"
        raise ValueError(f"line 1: the {ends}")
    if len({*columns}) < len(columns):
        raise ValueError("line 1: a column is there twice")
    places: dict[str, list[int]] = {}
    for place, line in enumerate(lines[1:], start=1):
        if len(line) != len(columns):
            raise ValueError(f"line {place + 1}: {len(line)} cells instead of {len(columns)}")
        places.setdefault(line[end], []).append(place)
    found, decode, results = {}, cache(decode_cell), columns[begin:end]
    for key, own in places.items():
        first = own[0] + 1
        digest = content_digest(texts[0], [texts[n].rpartition(",")[0] for n in own])
        if {lines[n][-1] for n in own} != {digest}:
            raise ValueError(f"line {first}: the record {key} or line 1 differs from its digest")
        params = dict(zip(columns, map(decode, lines[own[0]][:begin]), strict=False))
        cells = (map(decode, lines[n][begin:end]) for n in own)
        rows = [dict(zip(results, row, strict=True)) for row in cells]
        found[key] = Record(key, params, lines[own[0]][-2], tuple(rows), first)
    return found


def to_frame(records: Iterable[Record], parameters: list[str]) -> Any:
    """The table of `to_table` for pandas: integers and bools with gaps are of nullable types."""
    import pandas as pd

    def series(values: Sequence[Any]) -> Any:
        kinds = {*map(type, values)} - {type(None)}
        if None in values and kinds in ({int}, {bool}):
            return pd.array(values, dtype="Int64" if kinds == {int} else "boolean")
        if kinds in ({float}, {int, float}):
            return pd.array(values, dtype=float)  # None is NaN
        return values

    columns, lines = _sorted(records, parameters)
    cells = zip(*lines, strict=True) if lines else [[]] * len(columns)
    return pd.DataFrame(dict(zip(columns, map(series, map(list, cells)), strict=True)))
