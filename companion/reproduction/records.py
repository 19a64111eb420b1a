"""What is kept of finished units, and the table of it: parameters and results, nothing else.

A cell is empty (None or NaN), ``True`` or ``False``, digits (an integer), a decimal with a point or
an exponent or ``inf`` (a float), or text. Results have the types that pandas sees in their column,
where an empty cell among texts is an empty text.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from companion._utils.files import read_csv
from companion.reproduction.units import Unit, to_scalar


@dataclass(frozen=True)
class Record:
    """What is kept of a finished unit: rows of cells by the names of their columns.

    `code` is the digest of the code that computed it. `line` is where it begins in the committed
    table, 0 if it does not come from there.
    """

    code: str
    rows: list[dict[str, str]]
    line: int = field(default=0, compare=False)


def cell(value: str | int | float | bool | None, digits: int | None = None) -> str:
    """The text of a scalar; a float is rounded to so many significant digits if any are given."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and digits is not None:
        value = float(f"{value:.{digits}g}") + 0.0  # zero has no sign
    text = str(value)
    if not text.isprintable():
        raise ValueError(
            f"A text must be printable and stand in one line. Got {text!r}."
        )
    return text


def check_rows(unit: Unit, returned: Any) -> list[dict[str, Any]]:
    """What a unit's computation returned, a row or several, as dictionaries of Python scalars."""
    several = isinstance(returned, Iterable) and not isinstance(returned, Mapping)
    checked = []
    for row in returned if several else [returned]:
        if not isinstance(row, Mapping):
            raise TypeError(
                f"compute must return a dict or a list of dicts. Got {row!r}."
            )
        for name in row:
            if not isinstance(name, str) or name in unit.params:
                taken = "A result must have a name other than the parameters"
                raise ValueError(f"{taken}. Got {name!r}.")
        plain = {name: to_scalar(row[name], f"'{name}' of {unit}") for name in row}
        for text in (*plain, *plain.values()):
            cell(text)
        checked.append(plain)
    if not checked:
        raise ValueError("compute must return at least one row.")
    return checked


def to_record(code: str, rows: list[dict[str, Any]], digits: int) -> Record:
    """The record of rows of scalars."""
    cells = [{name: cell(row[name], digits) for name in row} for row in rows]
    return Record(code, cells)


def to_lines(
    parameters: list[str], records: Mapping[tuple[str, ...], Record]
) -> list[list[str]]:
    """Header and lines of the table of some records, by the cells of their parameters.

    The columns of results stand in the order of the rows, sorted if rows differ in them.
    """
    rows = [(key, row) for key, record in records.items() for row in record.rows]
    orders = {tuple(row) for _, row in rows}
    results = [*orders.pop()] if len(orders) == 1 else sorted({*chain(*orders)})
    lines = [[*key, *(row.get(name, "") for name in results)] for key, row in rows]
    return [[*parameters, *results], *lines]


def to_table(lines: Iterable[list[str]]) -> bytes:
    """The committed form: CSV in UTF-8."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def check_header(columns: list[str], parameters: list[str]) -> None:
    """A ValueError says why these are no columns of a table of records."""
    if columns[: len(parameters)] != parameters:
        raise ValueError(f"line 1: the first columns must be {', '.join(parameters)}")
    if len({*columns}) < len(columns):
        raise ValueError("line 1: a column is there twice")


def parse_table(
    content: bytes, parameters: list[str], code: str
) -> dict[tuple, Record]:
    """Records by the cells of their parameters; a ValueError says why this is no table of them."""
    n_params = len(parameters)
    columns, *lines = read_csv(content)
    check_header(columns, parameters)
    found: dict[tuple, Record] = {}
    for number, line in enumerate(lines, start=2):
        if len(line) != len(columns):
            raise ValueError(
                f"line {number}: {len(line)} cells instead of {len(columns)}"
            )
        key = tuple(line[:n_params])
        if key not in found:
            found[key] = Record(code, [], number)
        row = dict(zip(columns[n_params:], line[n_params:], strict=True))
        found[key].rows.append(row)
    return found


def to_frame(
    content: bytes, parameters: list[str], units: Mapping[tuple[str, ...], Unit]
) -> tuple[Any, list[tuple[str, ...]]]:
    """The rows of a table that are of these units, for pandas, and whose cells its lines have.

    The units, by the cells of their parameters, tell the values of these and their types.
    """
    import pandas as pd

    if not content.strip():  # no parameters, no results
        return pd.DataFrame(), []
    frame = pd.read_csv(
        io.BytesIO(content),
        dtype=dict.fromkeys(parameters, object),
        keep_default_na=False,
        na_values=[""],
        low_memory=False,
    )
    texts = frame[parameters].fillna("")
    cells = [*texts.itertuples(index=False, name=None)]
    cells = cells if parameters else [()] * len(frame)
    listed = [units[key] for key in cells if key in units]
    if len(listed) < len(cells):
        frame = frame[[key in units for key in cells]].reset_index(drop=True)
    for name in frame:
        if name in parameters:
            frame[name] = [unit.params.get(name) for unit in listed]
        elif pd.api.types.infer_dtype(frame[name], skipna=True) == "string":
            frame[name] = frame[name].fillna("")
    return frame, cells
