"""One finished unit's record, and the table many of them make.

Types survive the table without a schema: a cell is empty (None), ``True`` or ``False``, digits
(an integer), the shortest decimal that reads back to the same double (a float, always with a
point, an exponent, ``nan`` or ``inf``), or text. Text that could be taken for one of these is
written as a JSON string, in quotes. `decode_cell` reads all of them; pandas reads the usual ones.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from companion.reproduction.units import Unit, to_scalar

END_COLUMNS = ("key", "code", "digest")
_DIGEST_LENGTH = 12
_INTEGER = re.compile(r"-?(0|[1-9]\d*)")
_FLOAT = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?|nan|-?inf")
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
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
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
                taken = "the parameters, key and code"
                raise ValueError(f"A result must have a name other than {taken}. Got {name!r}.")
        checked.append({name: to_scalar(row[name], f"'{name}' of {unit}") for name in row})
    if not checked:
        raise ValueError("compute must return at least one row.")
    return checked


def _sorted(records: Iterable[Record], parameters: list[str]) -> tuple[list[str], list[list[Any]]]:
    """Columns and lines of the table, whatever the order in which the records arrive.

    Where rows differ in their columns, these are sorted too.
    """

    def place(record):
        values = map(record.params.get, parameters)
        return [(_RANKS[type(v)], 0 if v is None else v) for v in values], record.key

    records = sorted(records, key=place)
    orders = {tuple(row) for record in records for row in record.rows}
    results = list(*orders) if len(orders) <= 1 else sorted(set().union(*orders))
    lines = [
        [*map(record.params.get, parameters), *map(row.get, results), record.key, record.code]
        for record in records
        for row in record.rows
    ]
    return [*parameters, *results, "key", "code"], lines


def _digest(lines: Iterable[list[str]]) -> str:
    """Digest of the content of a record, the texts of its lines."""
    return hashlib.sha256(json.dumps(list(lines)).encode()).hexdigest()[:_DIGEST_LENGTH]


def to_table(records: Iterable[Record], parameters: list[str]) -> bytes:
    """The committed form: CSV in UTF-8 with parameters, result columns, key, code and digest."""
    columns, lines = _sorted(records, parameters)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, "digest"])
    # keys and digests are text whatever they look like
    lines = [[*map(encode_cell, line[:-2]), *line[-2:]] for line in lines]
    for _, own in groupby(lines, key=itemgetter(-2)):
        own = list(own)
        digest = _digest(own)
        writer.writerows([*line, digest] for line in own)
    return text.getvalue().encode()


def parse_table(content: bytes, parameters: Iterable[str]) -> dict[str, Record]:
    """The inverse of `to_table`, by key; a ValueError says why this is no table of records."""
    try:
        lines = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"it cannot be read as CSV ({error})") from error
    columns, end = lines[0] if lines else [], len(END_COLUMNS)
    if tuple(columns[-end:]) != END_COLUMNS:
        raise ValueError(f"its last columns must be {', '.join(END_COLUMNS)}")
    if len(set(columns)) < len(columns):
        raise ValueError("a column is there twice")
    if absent := [name for name in parameters if name not in columns]:
        raise ValueError(f"column {absent[0]!r} is missing")
    parameters, found, texts = set(parameters), {}, {}
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(columns):
            raise ValueError(f"line {number} has {len(line)} cells instead of {len(columns)}")
        try:
            cells = dict(zip(columns, map(decode_cell, line[:-end]), strict=False))
        except ValueError as error:
            raise ValueError(f"line {number} cannot be read ({error})") from error
        key, code, digest = line[-end:]
        params = {name: cells.pop(name) for name in columns if name in parameters}
        found.setdefault(key, (params, code, []))[2].append(cells)
        texts.setdefault(key, (number, digest, []))[2].append(line[:-1])
    for number, digest, own in texts.values():
        if _digest(own) != digest:
            raise ValueError(f"the record in line {number} has been altered: its digest is another")
    return {
        key: Record(key, params, code, tuple(rows), texts[key][0])
        for key, (params, code, rows) in found.items()
    }


def to_frame(records: Iterable[Record], parameters: list[str]) -> Any:
    """The table of `to_table` for pandas: integers and bools with gaps are of nullable types."""
    import pandas as pd

    columns, lines = _sorted(records, parameters)
    cells = zip(*lines, strict=True) if lines else [[]] * len(columns)
    named = zip(columns, cells, strict=True)
    return pd.DataFrame({name: _series(list(values)) for name, values in named})


def _series(values: list[Any]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if None in values and kinds in ({int}, {bool}):
        import pandas as pd

        return pd.array(values, dtype="Int64" if kinds == {int} else "boolean")
    if kinds and kinds <= {int, float} and kinds != {int}:
        return [math.nan if value is None else float(value) for value in values]
    return values
