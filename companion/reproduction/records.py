"""What is kept of finished units, and the table of it: parameters and results, nothing else.

A cell is empty (None or NaN), ``True`` or ``False``, digits (an integer), a decimal with a point or
an exponent or ``inf`` (a float), or text. Results have the types that pandas sees in their column,
where an empty cell among texts is an empty text.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from companion._utils.files import read_csv
from companion.reproduction.units import Unit, to_scalar

#: Cells by the names of their columns, parameters first.
Row = dict[str, str]


class Record(NamedTuple):
    """The rows of a finished unit, and the digest of the code that computed it."""

    code: str
    rows: list[Row]


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


def _is_read_otherwise(text: str) -> bool:
    """Whether a column of such texts comes back as numbers or truth values."""
    try:
        float(text)
    except ValueError:
        return text.strip().lower() in ("true", "false")
    return True


def check_rows(unit: Unit, returned: Any) -> list[dict[str, Any]]:
    """What a unit's computation returned, a row or several, as dictionaries of Python scalars."""
    several = isinstance(returned, Iterable) and not isinstance(returned, Mapping)
    checked = []
    for row in returned if several else [returned]:
        if not isinstance(row, Mapping):
            raise TypeError(
                f"compute must return a dict or a list of dicts. Got {row!r}."
            )
        plain = {}
        for name, value in row.items():
            if not isinstance(name, str) or name in unit.params:
                taken = "A result must have a name other than the parameters"
                raise ValueError(f"{taken}. Got {name!r}.")
            plain[name] = to_scalar(value, f"'{name}' of {unit}")
            text = cell(plain[name])  # can it be written?
            if isinstance(plain[name], str) and _is_read_otherwise(text):
                raise ValueError(
                    f"'{name}' of {unit} is the text {text!r}, which a table gives back as another "
                    "type: return a number or a bool, or put a word before it."
                )
        checked.append(plain)
    if not checked:
        raise ValueError("compute must return at least one row.")
    return checked


def to_table(parameters: list[str], rows: list[Row]) -> bytes:
    """The committed form: CSV in UTF-8.

    The columns of results stand in the order of the rows, sorted if rows differ in them.
    """
    orders = {tuple(row) for row in rows} or {tuple(parameters)}
    columns = [*parameters, *sorted({*chain(*orders)} - {*parameters})]
    if len(orders) == 1:
        columns = [*orders.pop()]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def parse_table(content: bytes) -> list[Row]:
    """The rows of a table; a ValueError says in which line it is none."""
    columns, *lines = read_csv(content)
    for number, line in enumerate(lines, start=2):
        if len(line) != len(columns):
            raise ValueError(
                f"line {number}: {len(line)} cells instead of {len(columns)}"
            )
    return [dict(zip(columns, line, strict=True)) for line in lines]


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
    owners = [units.get(key) for key in cells]
    listed = [unit for unit in owners if unit is not None]
    if len(listed) < len(owners):
        frame = frame[[unit is not None for unit in owners]].reset_index(drop=True)
    for name in frame:
        if name in parameters:
            frame[name] = [unit.params.get(name) for unit in listed]
        elif pd.api.types.infer_dtype(frame[name], skipna=True) == "string":
            frame[name] = frame[name].fillna("")
    return frame, cells
