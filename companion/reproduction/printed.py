"""The table of a paper as it is printed, each cell with its verdict."""

import math

from companion.reproduction.scores import NOT_SCORED, SIGNS, joint_lines, part_of
from companion.reproduction.tables import Table, slug
from companion.reproduction.texts import (
    CORRECTED,
    published_text,
    read_text,
    reproduced_text,
    sentence,
    values_of,
)

_SPREAD = " ±"  # ends the name of the column that holds the spread of another
_LINES = ("published", "reproduced", "verdict", "corrected")


def corrected_line(line):
    """A row of a ledger, a mapping, as it is after correcting misprints."""
    if not line["reading"]:
        return line
    outcome = line["outcome_as_read"]
    corrected = {
        "reproduced": line["reproduced_as_read"],
        "reproduced_spread": float("nan"),
        "outcome": outcome,
        "verdict": outcome,
        "status": line["status"] or "undeclared",
        "reason": "",
    }
    as_read = line | corrected
    return as_read | {"counts_as": part_of(as_read, as_read)}


def _stacked(value, spread):
    """Texts of a cell and of the spread shown inside it, one a line of :data:`_LINES`."""
    if value is None:
        return [""] * len(_LINES)
    texts = [
        published_text(value),
        reproduced_text(value),
        value["outcome"],
        read_text(value),
    ]
    if spread is not None:
        for place, name in ((2, "outcome"), (3, "outcome_as_read")):
            if spread[name] not in ("", value[name]):
                texts[place] += f"; ±: {spread[name]}"
    return texts


def published_vs_reproduced(ledger, rows=None, columns=None, title=""):
    """The printed table with its regeneration and its verdicts under each row.

    In HTML each cell of the print has the colour of its verdict, and a click or Enter shows its
    sentence. A second table is that after correcting misprints; opening one closes the other. The
    regeneration is folded up.

    Parameters
    ----------
    ledger : pandas.DataFrame
        Of one artefact.
    rows, columns : list of str, optional
        Which, in which order; all in the ledger's order by default. The column ``"X ±"`` that
        holds the spread of ``"X"`` is shown inside ``"X"``.
    title : str, optional

    Returns
    -------
    Table
        Under a row of the print: published, reproduced, verdict, and corrected, if misprints were;
        above it what its values come to together.

    Raises
    ------
    ValueError
        If a row or column is not in the ledger, or if it holds several artefacts.
    """
    artefacts = ledger["artefact"].unique()
    if len(artefacts) > 1:
        raise ValueError(
            f"published_vs_reproduced shows one artefact. Got {', '.join(artefacts)}."
        )
    for name, asked in (("row", rows), ("column", columns)):
        if unknown := [item for item in asked or () if item not in {*ledger[name]}]:
            raise ValueError(
                f"There is no {name} {', '.join(map(repr, unknown))} in this ledger."
            )
    cells = {(line["row"], line["column"]): line for line in ledger.to_dict("records")}
    if rows is None:
        rows = ledger["row"].unique()
    if columns is None:
        columns = [c for c in ledger["column"].unique() if not c.endswith(_SPREAD)]
    lines = []
    signs = {}
    printed = []
    for row in rows:
        pairs = [[cells.get((row, c + end)) for end in ("", _SPREAD)] for c in columns]
        printed.append((row, [[*filter(None, pair)] for pair in pairs]))
        texts = [_stacked(*pair) for pair in pairs]
        shown = [line for line in zip(_LINES, *texts, strict=True) if any(line[1:])]
        for column, of_cell in enumerate(printed[-1][1], 2):
            if of_cell:
                part = _worst(of_cell)
                signs[len(lines) + _LINES.index("verdict"), column] = (
                    SIGNS[part],
                    part,
                )
        lines += [
            [name, *line] for name, line in zip((row, "", "", ""), shown, strict=False)
        ]
    inside = [*columns, *(column + _SPREAD for column in columns)]
    part = ledger[ledger["row"].isin(rows) & ledger["column"].isin(inside)]
    tested = part
    if part["joint"].count() < ledger["joint"].count():
        # The chance is that of all single draws of the artefact, not of some of them.
        tested = part.assign(joint=math.nan)
    above = joint_lines(tested)
    table = Table(
        ["", "", *columns], lines, values_of(part), title, above=above, signs=signs
    )
    table.in_html = _prints(printed, part)
    return table


def _prints(printed, part):
    """What the template shows above the regeneration: the table as printed, and corrected.

    `printed` is a list of rows: a name, and for each column the rows of the ledger, as mappings,
    that its cell shows.
    """
    prints = [("As printed", printed)]
    if part["reading"].any():
        corrected = [
            (name, [[*map(corrected_line, cell)] for cell in row])
            for name, row in printed
        ]
        prints.append((CORRECTED.capitalize(), corrected))
    places = map(slug, part["artefact"], part["row"], part["column"])
    return {
        "prints": prints,
        "group": f"prints-{min(places, default='')}",
        "worst": _worst,
        "signs": SIGNS,
        "published_text": published_text,
        "sentence": sentence,
    }


def _worst(lines):
    """What the worst of some rows counts as."""
    severity = [NOT_SCORED, *SIGNS]
    parts = [line["counts_as"] or NOT_SCORED for line in lines]
    return max(parts, key=severity.index)
