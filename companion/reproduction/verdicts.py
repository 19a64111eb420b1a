"""Verdicts: a published number beside its regeneration, compared by rule.

Nobody types a verdict; only the *reason* of a deviation is written by hand, in
``data/deviations.yaml``, and another *reading* of the print, in ``data/readings.yaml``. The words
and the rules, kind by kind, are in ``docs/verdicts.md``.
"""

import math
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pandas as pd

from companion.reproduction._comparisons import (
    DEPARTS,
    DIFFERS,
    FAILS,
    HOLDS,
    MATCHES,
    NOT_TESTED,
    OPEN,
    allowance_of,
    compare_row,
)
from companion.reproduction.declared import (
    MISSING_DATA,
    SHOWN,
    load_deviations,
    load_readings,
)
from companion.reproduction.published import (
    COLUMNS,
    SCORED,
    PublishedError,
    load_published,
    plain,
)
from companion.reproduction.vectors import (
    chance_of_draws,
    compare_rows_jointly,
    repeat_departures,
)

__all__ = [
    "EXPLAINED",
    "FAILS",
    "HOLDS",
    "MATCHES",
    "NOT_TESTED",
    "OPEN",
    "UNEXPLAINED",
    "compare",
    "compare_records",
    "problems",
]

EXPLAINED = "differs, explained"
UNEXPLAINED = "differs, unexplained"

NO_SUCH_VALUE = (
    "no record is missing, and yet nothing regenerated has this row and column"
)
_COPIED = ["paper", *(c for c in COLUMNS if c not in ("spread_is", "note"))]
_MEASURES = ("distance", "departure", "support", "se", "would_see", "needs")
_CELL = ("paper", "artefact", "row", "column")
_NEEDED = ("row", "column", "value", "converged")
_NUMBERS = ("spread", "n", "se")
_UNSAID: dict[str, Any] = {
    **dict.fromkeys(("value", *_NUMBERS), math.nan),
    "draws": (),
    "reading": "",
}
_NOT_SCORED = {
    "setting": "a setting of the protocol, not scored",
    "identity": "true by construction, not scored: {why}",
    "matched": "matched, not scored: {why}",
    "ours": "a question of our own, without a verdict",
}


def regenerated(reproduced):
    """The regenerated rows by (row, column) and reading, after checking the frame."""
    absent = [name for name in _NEEDED if name not in reproduced]
    if absent:
        raise ValueError(
            f"The regenerated values must have the columns {', '.join(_NEEDED)}."
            f" Missing: {', '.join(absent)}."
        )
    cells = {}
    for record in reproduced.to_dict("records"):
        ours = _UNSAID | {name: x for name, x in record.items() if plain(x) is not None}
        ours |= {name: float(ours[name]) for name in _NUMBERS}
        cell = (ours["row"], ours["column"])
        reading = ours["reading"]
        readings = cells.setdefault(cell, {})
        if reading in readings or len({*readings, reading, ""}) > 2:
            raise ValueError(
                f"The regenerated value of {' / '.join(cell)} is there twice."
            )
        if record["converged"] not in (True, False):
            raise ValueError(
                f"converged of {' / '.join(cell)} must be True or False."
                f" Got {record['converged']!r}."
            )
        readings[reading] = ours
    return cells


def _without_missing_data(rows, regenerations, reasons):
    """The regenerations that are of the paper's data."""
    cells = zip(rows, regenerations, strict=True)
    return [
        None if (row["row"], row["column"]) in reasons else ours for row, ours in cells
    ]


def _joint_chances(rows, regenerations):
    """Chance of the single draws that a table prints, all together, by (row, column).

    The draws of its cells are those of the same units; a cell whose draws are more or fewer is of
    others.
    """
    tables = defaultdict(list)
    for row, ours in zip(rows, regenerations, strict=True):
        single = row["kind"] == "draw" and row["asks"] in SCORED and not row["repeats"]
        if single and ours and len(ours["draws"]):
            tables[len(ours["draws"])].append((row, ours))
    chances = {}
    for table in tables.values():
        cells = [(row["row"], row["column"]) for row, _ in table]
        chances |= dict.fromkeys(cells, chance_of_draws(table))
    return chances


def _compare_rows(rows, regenerations, profile, by_row, reasons):
    """Each printed cell beside its regeneration, and those together that belong together."""
    found = []
    for row, ours in zip(rows, regenerations, strict=True):
        comparison = compare_row(row, ours, profile)
        if comparison.verdict and (row["row"], row["column"]) in reasons:
            comparison = _of_other_data(comparison, reasons[row["row"], row["column"]])
        found.append(comparison)
    if by_row:
        tested = _without_missing_data(rows, regenerations, reasons)
        found = compare_rows_jointly(rows, tested, found, allowance_of(profile))
    return repeat_departures(rows, found)


def _of_other_data(found, reason):
    """What is compared with data that are not the paper's tests nothing, match or not."""
    is_number = found.verdict in (MATCHES, DIFFERS, NOT_TESTED)
    unknown = dict.fromkeys(("distance", "departure", "support", "needs"), math.nan)
    return replace(
        found,
        verdict=NOT_TESTED if is_number else OPEN,
        coarse=False,
        because=reason,
        **unknown,
    )


def _verdict_of(found, deviation):
    """The word of a comparison, with what is known of the cause where it departs."""
    if found.verdict not in DEPARTS:
        return found.verdict
    if found.verdict == FAILS:
        return FAILS
    is_shown = deviation is not None and deviation.cause == SHOWN
    return EXPLAINED if is_shown else UNEXPLAINED


def _verdict_as_read(as_printed, under, deviation):
    """The word under another reading, which tests nothing where no answer could have departed."""
    if as_printed.scored and not under.scored:
        return NOT_TESTED
    return _verdict_of(under, deviation)


def _conclude(row, found, deviation, is_complete, profile):
    """The verdict of a row, whether it is scored, what is declared of it, problem and note."""
    departs = found.verdict in DEPARTS
    lacks_data = deviation is not None and deviation.cause == MISSING_DATA
    has_reason = deviation is not None and (departs or lacks_data)
    verdict = _verdict_of(found, deviation)
    not_scored = _NOT_SCORED.get(row["asks"], "").format(**row)
    if row["repeats"]:
        not_scored = f"repeats {row['repeats']}, not scored"
    problem = ""
    note = found.note
    if not found.is_run:
        is_proved = row["asks"] == "identity" and not verdict
        if is_complete and not is_proved and profile == "paper":
            problem = NO_SUCH_VALUE
    elif departs and deviation is None:
        problem = f"{found.verdict} and is not declared in data/deviations.yaml"
    elif deviation is not None and not has_reason and profile == "paper":
        problem = (
            f"declared deviation has healed, its verdict is {verdict!r}: remove its"
            " declaration"
        )
    elif deviation is not None and not has_reason:
        few = "declared; too few repetitions to call it healed"
        note = "; ".join(filter(None, [note, few]))
    return {
        "verdict": verdict,
        "scored": not not_scored and found.scored,
        "coarse": found.coarse and not not_scored,
        "because": "; ".join(filter(None, [not_scored, found.because])),
        "reason": deviation.reason if has_reason else "",
        "evidence": deviation.evidence if has_reason else "",
        "problem": problem,
        "note": note,
    }


def compare(
    published,
    reproduced,
    deviations=None,
    readings=None,
    profile="paper",
    *,
    by_row=False,
    is_complete=False,
):
    """Compare published values with regenerated ones, row by row.

    Parameters
    ----------
    published : pandas.DataFrame
        From :func:`~companion.reproduction.published.load_published`; of one artefact.
    reproduced : pandas.DataFrame
        Columns row, column, value, converged and, where they apply, spread (standard deviation
        over repetitions), n, se (standard error of the value, NaN to derive it), draws (the
        repetitions themselves, in the order of the units), and reading: which reading of the print
        the value belongs to, empty for the print as it stands. Values that were not published are
        ignored; their order does not matter.
    deviations, readings : mapping, optional
        From (paper, artefact, row, column) to a
        :class:`~companion.reproduction.declared.Deviation`; from names of readings to a
        :class:`~companion.reproduction.declared.Reading`.
    profile : {"paper", "quick"}, default="paper"
        Only in the paper profile a declared deviation can be found healed.
    by_row : bool, default=False
        Whether the numbers of a row are one vector, and judged together.
    is_complete : bool, default=False
        Whether every record is there: then a value that is not is a problem in the paper profile.

    Returns
    -------
    pandas.DataFrame
        The ledger, one row a published value in its order: what the print has (paper, artefact,
        row, column, asks, kind, printed, published, spread, n, relation, sentence, why, repeats,
        matters, where); the regeneration (reproduced, reproduced_spread, reproduced_n,
        reproduced_se, draws, converged); distance, departure (with its sign), support, se,
        would_see, needs (repetitions that would decide), joint (the chance of all single draws of
        the table together); verdict, scored, coarse (it matches, and no sharper comparison is
        possible, or asked for by what matters), because (why it is not tested, open or not scored),
        reason and evidence of a deviation, problem (empty if all is well), note; and under another
        reading of the print its name, its kind, reproduced_as_read, departure_as_read and
        verdict_as_read.

    Raises
    ------
    ValueError
        If the regenerated values lack a column, hold a cell twice, name an unknown reading, or a
        stochastic one has neither standard error nor number of repetitions.
    """
    cells = regenerated(reproduced)
    rows = published.to_dict("records")
    deviations = deviations or {}
    readings = readings or {}
    found = [cells.get((row["row"], row["column"]), {}) for row in rows]
    named = [max(by_reading, default="") for by_reading in found]
    if unknown := {*named} - {"", *readings}:
        missing = [
            f"no entry has the id {name!r}, by which a value is read"
            for name in unknown
        ]
        raise PublishedError("readings.yaml", missing)
    as_printed = [by_reading.get("") for by_reading in found]
    read = [cell.get(name) for cell, name in zip(found, named, strict=True)]
    declared = [deviations.get(tuple(row[name] for name in _CELL)) for row in rows]
    reasons = {
        (row["row"], row["column"]): deviation.reason
        for row, deviation in zip(rows, declared, strict=True)
        if deviation is not None and deviation.cause == MISSING_DATA
    }
    first = _compare_rows(rows, as_printed, profile, by_row, reasons)
    second = _compare_rows(rows, read, profile, by_row, reasons)
    joint = _joint_chances(rows, _without_missing_data(rows, as_printed, reasons))
    ledger = []
    for row, deviation, reading, ours, as_read, comparison, under in zip(
        rows, declared, named, as_printed, read, first, second, strict=True
    ):
        cell = (row["row"], row["column"])
        ours = ours or {**_UNSAID, "converged": True}
        ledger.append(
            {
                **{name: row[name] for name in _COPIED},
                "published": row["value"],
                "reproduced": ours["value"],
                **{f"reproduced_{name}": ours[name] for name in _NUMBERS},
                "draws": [*ours["draws"]],
                "converged": bool(ours["converged"]),
                **{name: getattr(comparison, name) for name in _MEASURES},
                "joint": joint.get(cell, math.nan),
                **_conclude(row, comparison, deviation, is_complete, profile),
                "reading": reading,
                "reading_kind": readings[reading].kind if reading else "",
                "reproduced_as_read": as_read["value"] if reading else math.nan,
                "departure_as_read": under.departure if reading else math.nan,
                "verdict_as_read": _verdict_as_read(comparison, under, deviation)
                if reading
                else "",
            }
        )
    return pd.DataFrame(ledger)


def compare_records(artefact, records, profile="paper", *, gaps=False):
    """Ledger of one artefact from the records of its studies.

    With `gaps` records are missing: what cannot be read off those there are is not tested. Without
    gaps, in the paper profile, a value that does not follow from the records is a problem.
    """
    published = load_published(artefact.paper)
    published = published[published["artefact"] == artefact.name]
    if published.empty:
        missing = f"no row is of the artefact {artefact.name!r}"
        raise PublishedError(f"{artefact.paper}.csv", [missing])
    try:
        reproduced = artefact.values(records)
    except Exception:
        if not gaps:
            raise
        reproduced = pd.DataFrame(columns=[*_NEEDED])
    return compare(
        published,
        reproduced,
        load_deviations(),
        load_readings(),
        profile,
        by_row=artefact.judged_by_row,
        is_complete=not gaps,
    )


def problems(ledger):
    """The values for which ``companion verify`` fails."""
    return ledger[ledger["problem"] != ""]
