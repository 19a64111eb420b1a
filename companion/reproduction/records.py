"""One finished unit's record, and the table many of them make.

Types survive the table without a schema: a cell is empty (None), ``True`` or ``False``, digits
(an integer), the shortest decimal that reads back to the same double (a float, always with a
point, an exponent, ``nan`` or ``inf``), or text. Text that could be taken for one of these is
written as a JSON string, in quotes. `decode_cell` reads all of them; pandas reads the usual ones.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from companion.reproduction.units import Unit, to_scalar

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Record",
    "check_rows",
    "decode_cell",
    "encode_cell",
    "parse_table",
    "to_frame",
    "to_table",
]

END_COLUMNS = ("key", "code")
_INTEGER = re.compile(r"-?(0|[1-9]\d*)")
_FLOAT = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?|nan|-?inf")


@dataclass(frozen=True)
class Record:
    """What is kept of a finished unit.

    Parameters
    ----------
    key : str
        Key of the unit.
    params : mapping
        Its parameters.
    code : str
        Digest of the code that computed it.
    rows : tuple of mapping
        Its results.
    """

    key: str
    params: Mapping[str, Any]
    code: str
    rows: tuple[Mapping[str, Any], ...]

    def same_numbers(self, other: Record) -> bool:
        """Whether the results are equal, bit for bit, whatever code they come from.

        Parameters
        ----------
        other : Record

        Returns
        -------
        bool
        """
        return _lines(self.rows) == _lines(other.rows)


def _lines(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    return [
        {name: encode_cell(value) for name, value in row.items() if value is not None}
        for row in rows
    ]


def encode_cell(value: Any) -> str:
    """The text of a scalar in the committed table; the inverse of `decode_cell`.

    Parameters
    ----------
    value : str, int, float, bool or None

    Returns
    -------
    str
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    plain = value.isprintable() and not value.startswith('"') and decode_cell(value) == value
    return value if plain else json.dumps(value)


def decode_cell(text: str) -> str | int | float | bool | None:
    """The scalar that a cell of the committed table stands for.

    Parameters
    ----------
    text : str
        The cell, without the quoting of the CSV file.

    Returns
    -------
    str, int, float, bool or None

    Examples
    --------
    >>> from companion.reproduction.records import decode_cell
    >>> [decode_cell(text) for text in ("", "True", "3", "3.0", "heart", '"3"')]
    [None, True, 3, 3.0, 'heart', '3']
    """
    if text == "":
        return None
    if text in ("True", "False"):
        return text == "True"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return json.loads(text) if text.startswith('"') else text


def _sort_key(values: Iterable[Any]) -> tuple:
    """Order of mixed scalars: None, bools, numbers, strings."""
    ranks = []
    for value in values:
        if value is None:
            ranks.append((0, 0))
        elif isinstance(value, bool):
            ranks.append((1, value))
        elif isinstance(value, str):
            ranks.append((3, value))
        else:
            ranks.append((2, value))
    return tuple(ranks)


def _column_order(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The common order of the columns; alphabetical where rows differ in their columns.

    Either way the order depends on the rows alone, not on the order in which they arrived.
    """
    orders = {tuple(row) for row in rows}
    if len(orders) <= 1:
        return list(*orders)
    return sorted(set().union(*orders))


def _series(values: list[Any]) -> Any:
    """The values as pandas should hold them: nullable types where None meets ints or bools."""
    kinds = {type(value) for value in values if value is not None}
    if None in values and kinds in ({int}, {bool}):
        import pandas as pd

        return pd.array(values, dtype="Int64" if kinds == {int} else "boolean")
    if kinds and kinds <= {int, float} and kinds != {int}:
        return [math.nan if value is None else float(value) for value in values]
    return values


def check_rows(
    unit: Unit, rows: Mapping[str, Any] | Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The result rows of a unit as plain dictionaries of Python scalars.

    Parameters
    ----------
    unit : Unit
        The unit.
    rows : mapping or iterable of mappings
        What its computation returned; a mapping is one row. NaN and infinities are results.

    Returns
    -------
    list of dict

    Raises
    ------
    TypeError
        If a row is no mapping, or a value no scalar.
    ValueError
        If there is no row, or a column has the name of a parameter, ``key`` or ``code``.
    """
    rows = [rows] if isinstance(rows, Mapping) else rows
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise TypeError(f"{unit} must return a dict or a list of dicts. Got {rows!r}.")
    checked = []
    for row in rows:
        if not isinstance(row, Mapping):
            raise TypeError(f"{unit} must return a dict or a list of dicts. Got a row {row!r}.")
        for name in row:
            if not isinstance(name, str) or name in unit.params or name in END_COLUMNS:
                raise ValueError(
                    f"{unit}: a result column must be a string other than the parameters, key "
                    f"and code. Got {name!r}; rename it."
                )
        checked.append(
            {name: to_scalar(value, f"'{name}' of {unit}") for name, value in row.items()}
        )
    if not checked:
        raise ValueError(f"{unit} returned no row; return at least one.")
    return checked


def _sorted(records: Iterable[Record], parameters: list[str]) -> tuple[list[str], list[list[Any]]]:
    """Columns and lines of the table, by parameters, then in the order of a unit's rows."""
    records = sorted(
        records, key=lambda record: (_sort_key(map(record.params.get, parameters)), record.key)
    )
    results = _column_order(row for record in records for row in record.rows)
    lines = [
        [*map(record.params.get, parameters), *map(row.get, results), record.key, record.code]
        for record in records
        for row in record.rows
    ]
    return [*parameters, *results, *END_COLUMNS], lines


def to_table(records: Iterable[Record], parameters: list[str]) -> bytes:
    """The committed form of the records.

    Parameters
    ----------
    records : iterable of Record
        In any order; the table does not depend on it.
    parameters : list of str
        The parameter columns, which sort the table.

    Returns
    -------
    bytes
        CSV in UTF-8: parameters, result columns, key, code.
    """
    columns, lines = _sorted(records, parameters)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    end = len(END_COLUMNS)  # keys and digests are text whatever they look like
    writer.writerows([*map(encode_cell, line[:-end]), *line[-end:]] for line in lines)
    return text.getvalue().encode()


def parse_table(
    content: bytes, parameters: Iterable[str], units: Mapping[str, Unit]
) -> dict[str, Record]:
    """The inverse of `to_table`.

    Parameters
    ----------
    content : bytes
        The file.
    parameters : iterable of str
        Which columns are parameters.
    units : mapping of str to Unit
        Known units by key, whose parameters are taken as they are.

    Returns
    -------
    dict of str to Record

    Raises
    ------
    ValueError
        If this is no table of records.
    """
    try:
        lines = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"it cannot be read as CSV ({error})") from error
    columns = lines[0] if lines else []
    if tuple(columns[-2:]) != END_COLUMNS:
        raise ValueError("its last columns must be key and code")
    parameters, found = set(parameters), {}
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(columns):
            raise ValueError(f"line {number} has {len(line)} cells instead of {len(columns)}")
        try:
            cells = dict(zip(columns, map(decode_cell, line[:-2]), strict=False))
        except ValueError as error:
            raise ValueError(f"line {number} cannot be read ({error})") from error
        key, code = line[-2:]
        params = {name: cells.pop(name) for name in columns if name in parameters}
        if key in units:
            params = units[key].params
        found.setdefault(key, (params, code, []))[2].append(cells)
    return {
        key: Record(key, params, code, tuple(rows)) for key, (params, code, rows) in found.items()
    }


def to_frame(records: Iterable[Record], parameters: list[str]) -> pd.DataFrame:
    """The table of `to_table` for pandas.

    Parameters
    ----------
    records : iterable of Record
        In any order.
    parameters : list of str
        The parameter columns, which sort the table.

    Returns
    -------
    DataFrame
        Integers and bools with gaps have pandas' nullable types; other gaps are NaN.
    """
    import pandas as pd

    columns, lines = _sorted(records, parameters)
    cells = zip(*lines, strict=True) if lines else [[]] * len(columns)
    return pd.DataFrame(
        {name: _series(list(values)) for name, values in zip(columns, cells, strict=True)}
    )
