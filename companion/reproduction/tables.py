"""A table of texts with the numbers behind it: aligned text, HTML, Markdown, and a notebook's MIME.

The numbers stand at full precision under :data:`VALUES_MIME`, so that tests compare numbers by
value and not by their print.
"""

import html
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

VALUES_MIME = "application/vnd.companion.values+json"
_MOST_ROWS = 40  # that are shown unfolded


def plain(value):
    """The JSON scalar of a value: full precision, None for NaN, a word for an infinity, no -0."""
    if hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, float):
        return value
    if math.isfinite(value):
        return value + 0.0
    return None if math.isnan(value) else str(value)


def plain_records(records):
    """Mappings whose values are JSON scalars."""
    return [
        {name: plain(value) for name, value in record.items()} for record in records
    ]


def number_text(value, how):
    """A number as a text, empty for none, and zero without a sign."""
    if plain(value) is None:
        return ""
    text = format(value, how)
    return text[1:] if re.fullmatch(r"-[0.]+%?", text) else text


def slug(*parts):
    """A name for an anchor: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-")


@cache
def _template():
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"e": html.escape, "slug": slug}
    return environment.get_template("table.html")


class Table:
    """A table of texts, with the numbers behind them.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    rows : list of list of str
        One text a cell.
    values : list of dict
        The numbers behind the table, at full precision.
    title : str, default=""
        Stands above the table.

    Attributes
    ----------
    above : list of str
        Lines about the whole table, below its title.
    summary : str
        In HTML opens the table, which is folded up; "" shows its title and 40 rows.
    ids : list of str
        Names of the rows in HTML, if they have any: the first cell of a row leads to it.
    prints : list
        In HTML above the table: the title of a printed table, its columns and its rows, each a name
        and its cells.
    group : str
        Name of these, of which one is open at a time.
    """

    above: Sequence[str] = ()
    summary = ""
    ids: Sequence[str] = ()
    prints: Sequence[tuple] = ()
    group = ""

    def __init__(self, header, rows, values, title=""):
        self.header = [*map(str, header)]
        self.rows = [[*map(str, row)] for row in rows]
        self.values = plain_records(values)
        self.title = title

    @classmethod
    def from_frame(cls, frame, formats=None, title=""):
        """Table of a data frame, its index left out.

        Parameters
        ----------
        frame : pandas.DataFrame
        formats : mapping of str to str or callable, optional
            How to print a column: a format specification such as ``".1f"``, or a function from the
            value to its text. Other floats are printed with four significant digits.
        title : str, optional

        Returns
        -------
        Table

        Raises
        ------
        ValueError
            If `formats` names a column that the frame does not have.
        """
        formats = formats or {}
        unknown = [name for name in formats if name not in frame]
        if unknown:
            raise ValueError(
                f"formats must name columns of the frame. Got {', '.join(unknown)}."
            )

        def text(name, value):
            how = formats.get(name, ".4g" if isinstance(value, float) else "")
            return how(value) if callable(how) else number_text(value, how)

        records = frame.to_dict("records")
        rows = [[text(name, record[name]) for name in frame] for record in records]
        return cls(frame.columns, rows, records, title)

    def to_text(self):
        """Aligned text.

        Returns
        -------
        str
        """
        columns = zip(self.header, *self.rows, strict=True)
        widths = [max(map(len, column)) for column in columns]
        lines = [self.header, ["-" * width for width in widths], *self.rows]
        body = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in lines]
        return "\n".join([*filter(None, [self.title]), *self.above, *body])

    def to_html(self):
        """HTML table, every text escaped.

        Returns
        -------
        str
        """
        return _template().render(table=self, most_rows=_MOST_ROWS).strip()

    def to_markdown(self):
        """Markdown table; the title is left to the text around it.

        Returns
        -------
        str
        """

        def line(cells):
            escaped = [" ".join(cell.replace("|", "\\|").split()) for cell in cells]
            return f"| {' | '.join(escaped)} |"

        return "\n".join(
            map(line, [self.header, ["---"] * len(self.header), *self.rows])
        )

    __str__ = __repr__ = to_text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {
            "text/plain": self.to_text(),
            "text/html": self.to_html(),
            VALUES_MIME: {"title": self.title, "rows": self.values},
        }
