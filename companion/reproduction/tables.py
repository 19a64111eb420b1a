"""A table of texts with the numbers behind it: aligned text, HTML, Markdown, and a notebook's MIME.

The numbers stand at full precision under :data:`VALUES_MIME`, so that tests compare numbers by
value and not by their print.
"""

import html
import math
import re
import textwrap
from itertools import zip_longest

VALUES_MIME = "application/vnd.companion.values+json"
_MOST_ROWS = 40  # that are shown unfolded


def plain(value):
    """The JSON scalar of a value: full precision, None for NaN, a word for an infinity, no -0."""
    if hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, float):
        return value
    return (
        value + 0.0
        if math.isfinite(value)
        else None
        if math.isnan(value)
        else str(value)
    )


def number_text(value, how):
    """A number as a text, empty for none, and zero without a sign."""
    if plain(value) is None:
        return ""
    text = format(value, how)
    return text[1:] if re.fullmatch(r"-[0.]+%?", text) else text


def slug(*parts):
    """A name for an anchor: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-")


def _spaced(text):
    """A text that may be broken after a slash, too."""
    return text.replace("/", "/ ")


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
    folded : int, default=0
        So many of the last rows are folded up in HTML, and so is what is beyond 40 rows. A table
        that is folded up whole opens from its title, if it has one.
    above : list of str, default=()
        Lines about the whole table, below its title.
    ids : list of str, default=()
        Names of the rows in HTML, empty for none.
    signs : mapping of (int, int) to (str, str), default={}
        In HTML what stands before the text of a cell, by its place: a sign and what it means.
    """

    def __init__(
        self, header, rows, values, title="", folded=0, *, above=(), ids=(), signs=None
    ):
        self.header = [str(name) for name in header]
        self.rows = [[str(cell) for cell in row] for row in rows]
        if any(len(row) != len(self.header) for row in self.rows):
            raise ValueError(
                f"Every row of a table must have {len(self.header)} cells."
            )
        self.values = [
            {name: plain(v) for name, v in record.items()} for record in values
        ]
        self.title = title
        self.above = [*above]
        self.ids = [*ids] or [""] * len(self.rows)
        self.signs = signs or {}
        self.folded = max(folded, len(self.rows) - _MOST_ROWS)

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

    def to_text(self, width=None):
        """Aligned text.

        Parameters
        ----------
        width : int, optional
            Longest line allowed; to meet it, cells of the widest columns are broken into several
            lines, between words if possible. Unbroken by default.

        Returns
        -------
        str
        """
        columns = list(zip(self.header, *self.rows, strict=True))
        widths = [max(map(len, column)) for column in columns]
        least = [
            max(map(len, _spaced(" ".join(column)).split()), default=0)
            for column in columns
        ]
        while (
            width is not None
            and sum(widths) + 2 * (len(widths) - 1) > width
            and max(widths) > 1
        ):
            looser = [i for i, n in enumerate(widths) if n > least[i]] or range(
                len(widths)
            )
            widths[max(looser, key=widths.__getitem__)] -= 1

        def broken(cell, n):
            if len(cell) <= n:
                return [cell]
            return [text.replace("/ ", "/") for text in textwrap.wrap(_spaced(cell), n)]

        def lines(cells):
            parts = map(broken, cells, widths)
            for texts in zip_longest(*parts, fillvalue=""):
                yield "  ".join(
                    c.ljust(n) for c, n in zip(texts, widths, strict=True)
                ).rstrip()

        rule = "  ".join("-" * n for n in widths)
        body = [
            *lines(self.header),
            rule,
            *(line for row in self.rows for line in lines(row)),
        ]
        told = [*filter(None, [self.title]), *self.above]
        if width is not None:
            told = [line for text in told for line in textwrap.wrap(text, width)]
        return "\n".join([*told, *body])

    def to_html(self):
        """HTML table, every text escaped.

        Returns
        -------
        str
        """

        def cell(place):
            i, j = place
            sign, means = self.signs.get(place, ("", ""))
            if sign:
                look = f'class="sign sign-{slug(means)}" aria-hidden="true"'
                sign = f"<span {look}>{sign}</span> "
            return f"<td>{sign}{html.escape(self.rows[i][j])}</td>"

        def line(i):
            name = f' id="{self.ids[i]}"' if self.ids[i] else ""
            cells = [cell((i, j)) for j in range(len(self.header))]
            return f"<tr{name}>{''.join(cells)}</tr>"

        names = "".join(f"<th>{html.escape(name)}</th>" for name in self.header)

        def table(rows, caption):
            above = ['<div class="table-scroll"><table class="companion">', *caption]
            above += [f"<thead><tr>{names}</tr></thead>", "<tbody>"]
            return [*above, *map(line, rows), "</tbody></table></div>"]

        shown = len(self.rows) - self.folded
        caption = (
            [f"<caption>{html.escape(self.title)}</caption>"] if self.title else []
        )
        whole = caption and self.rows and not shown
        above = [f'<p class="joint">{html.escape(text)}.</p>' for text in self.above]
        parts = [] if whole else [*above, *table(range(shown), caption)]
        if self.folded > 0:
            name = html.escape(self.title) if whole else f"{self.folded} more"
            summary = f"<details><summary>{name}</summary>"
            parts += [summary, *(above if whole else [])]
            parts += [*table(range(shown, len(self.rows)), []), "</details>"]
        return "\n".join(parts)

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
