"""Verdicts: a published number beside its regeneration, compared by rule.

Nobody types a verdict; only the *reason* of a deviation is written by hand, in
``data/deviations.yaml``, and another *reading* of the print, in ``data/readings.yaml``. The words
and the rules, kind by kind, are in ``docs/verdicts.md``.
"""

import math
from collections import defaultdict
from typing import Any

import pandas as pd

from companion.reproduction._comparisons import (
    AGREES,
    COMPATIBLE,
    CONSISTENT,
    DEPARTS,
    DIFFERS,
    NOT_RUN,
    UNDECIDED,
    allowance_of,
    compare_row,
)
from companion.reproduction.declared import load_deviations, load_readings
from companion.reproduction.published import (
    COLUMNS,
    SCORED,
    PublishedError,
    load_published,
)
from companion.reproduction.scores import part_of
from companion.reproduction.tables import plain
from companion.reproduction.vectors import (
    chance_of_draws,
    judge_by_row,
    repeat_departures,
)

__all__ = ["CONSISTENT", "DEPARTS", "DIFFERS", "compare", "judge"]

NO_SUCH_VALUE = (
    "no record is missing, and yet nothing regenerated has this row and column"
)
_COPIED = [c for c in COLUMNS if c not in ("value", "spread_is", "overlap", "note")]
_MEASURES = ("distance", "departure", "support", "se", "would_see", "needs")
_DECLARED = ("status", "reason", "evidence", "rests_on")
_NEEDED = ("row", "column", "value", "converged")
_NUMBERS = ("spread", "n", "se")
_UNSAID: dict[str, Any] = {
    **dict.fromkeys(("value", *_NUMBERS), math.nan),
    "overlap": 0.0,
    "draws": (),
    "reading": "",
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
        ours |= {name: float(ours[name]) for name in (*_NUMBERS, "overlap")}
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


def _compare_rows(rows, regenerations, profile, by_row):
    """Each printed cell beside its regeneration, and those together that belong together."""
    cells = zip(rows, regenerations, strict=True)
    found = [compare_row(row, ours, profile) for row, ours in cells]
    if by_row:
        found = judge_by_row(rows, regenerations, found, allowance_of(profile))
    return repeat_departures(rows, found)


def _conclude(found, converged, deviation, profile):
    """Outcome, verdict, what is declared of it, problem and note."""
    outcome = found.outcome
    conclusion = {
        "outcome": outcome,
        "verdict": outcome,
        **dict.fromkeys(_DECLARED, ""),
        "problem": "",
        "note": found.note,
    }
    if math.isfinite(found.needs):
        conclusion["verdict"] += (
            f" ({rounded_up(found.needs)} repetitions would decide)"
        )
    elif outcome == UNDECIDED and found.note:
        conclusion["verdict"] += f" ({found.note})"
    if outcome in DEPARTS and deviation is not None:
        conclusion |= {name: getattr(deviation, name) for name in _DECLARED}
        conclusion["rests_on"] = "\n".join(deviation.rests_on)
        conclusion["verdict"] += f" ({deviation.status}: {deviation.reason})"
    elif outcome in DEPARTS:
        conclusion["status"] = "undeclared"
        conclusion["problem"] = f"{outcome} and is not declared in data/deviations.yaml"
    elif deviation is not None and outcome != NOT_RUN and profile == "paper":
        conclusion["problem"] = (
            f"declared deviation has healed (it is {outcome}): remove its declaration"
        )
    elif deviation is not None and outcome != NOT_RUN:
        few = "declared; too few repetitions to call it healed"
        conclusion["note"] = "; ".join(filter(None, [found.note, few]))
    if outcome != NOT_RUN and not converged:
        conclusion["verdict"] += " (not converged)"
    return conclusion


def rounded_up(number):
    """A whole number as a text, rounded up to two digits."""
    unit = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return f"{math.ceil(number / unit) * unit:d}"


def compare(
    published,
    reproduced,
    deviations=None,
    readings=None,
    profile="paper",
    *,
    by_row=False,
):
    """Compare published values with regenerated ones, row by row.

    Parameters
    ----------
    published : pandas.DataFrame
        From :func:`~companion.reproduction.published.load_published`; of one artefact.
    reproduced : pandas.DataFrame
        Columns row, column, value, converged and, where they apply, spread (standard deviation
        over repetitions), n, se (standard error of the value, NaN to derive it), overlap,
        draws (the repetitions, where the print shows one), and reading: which reading of the print
        the value belongs to, empty for the print as it stands. Values that were not published are
        ignored; their order does not matter.
    deviations, readings : mapping, optional
        From (paper, artefact, row, column) to an object with ``reason`` and ``status``; from names
        of readings to what they are.
    profile : {"paper", "quick"}, default="paper"
        Only in the paper profile a declared deviation can be found healed.
    by_row : bool, default=False
        Whether the numbers of a row are one vector, and judged together.

    Returns
    -------
    pandas.DataFrame
        The ledger, one row a published value in its order: what the print has (paper, artefact,
        row, column, asks, kind, printed, published, spread, n, relation, sentence, why, repeats,
        matters, where), profile; the regeneration (reproduced, reproduced_spread, reproduced_n,
        reproduced_se, converged); distance, departure (with its sign), support, se, would_see,
        needs (repetitions that would decide), joint (the chance of all single draws of the table
        together), outcome (a word of the rules), verdict, status, reason, evidence and rests_on of
        a deviation, problem (empty if all is well), note, counts_as (its part of the score, empty
        if the row is not scored or repeats another); and after correcting misprints the name of
        the reading, reproduced_as_read, departure_as_read and outcome_as_read.

    Raises
    ------
    ValueError
        If the regenerated values lack a column, hold a cell twice, name an unknown reading, or a
        stochastic one has neither standard error nor number of repetitions.
    """
    cells = regenerated(reproduced)
    rows = published.to_dict("records")
    deviations = deviations or {}
    found = [cells.get((row["row"], row["column"]), {}) for row in rows]
    named = [max(by_reading, default="") for by_reading in found]
    if unknown := {*named} - {"", *(readings or ())}:
        missing = [
            f"no entry has the id {name!r}, by which a value is read"
            for name in unknown
        ]
        raise PublishedError("readings.yaml", missing)
    as_printed = [by_reading.get("") for by_reading in found]
    corrected = [cell.get(name) for cell, name in zip(found, named, strict=True)]
    first = _compare_rows(rows, as_printed, profile, by_row)
    second = _compare_rows(rows, corrected, profile, by_row)
    joint = _joint_chances(rows, as_printed)
    ledger = []
    for row, reading, ours, as_read, comparison, other in zip(
        rows, named, as_printed, corrected, first, second, strict=True
    ):
        cell = (row["row"], row["column"])
        ours = ours or {**_UNSAID, "converged": True}
        converged = bool(ours["converged"])
        deviation = deviations.get((row["paper"], row["artefact"], *cell))
        conclusion = _conclude(comparison, converged, deviation, profile)
        ledger.append(
            {
                **{name: row[name] for name in _COPIED},
                "profile": profile,
                "published": row["value"],
                "reproduced": ours["value"],
                **{f"reproduced_{name}": ours[name] for name in _NUMBERS},
                "converged": converged,
                **{name: getattr(comparison, name) for name in _MEASURES},
                "joint": joint.get(cell, math.nan),
                **conclusion,
                "counts_as": part_of(row, conclusion),
                "reading": reading,
                "reproduced_as_read": as_read["value"] if reading else math.nan,
                "departure_as_read": other.departure if reading else math.nan,
                "outcome_as_read": other.outcome if reading else "",
            }
        )
    return pd.DataFrame(ledger)


def judge(artefact, records, profile="paper", *, gaps=False):
    """Ledger of one artefact from the records of its studies.

    With `gaps` records are missing: what cannot be read off those there are is not run. Without
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
    ledger = compare(
        published,
        reproduced,
        load_deviations(),
        load_readings(),
        profile,
        by_row=artefact.judged_by_row,
    )
    if profile == "paper" and not gaps:
        ledger.loc[ledger["outcome"] == NOT_RUN, "problem"] = NO_SUCH_VALUE
    return ledger


def problems(ledger):
    """The values for which ``companion verify`` fails."""
    return ledger[ledger["problem"] != ""]


def check_findings(ledgers):
    """Note where a finding rests on numbers that are not there, or that depart as well.

    A claim that is declared ``refuted`` names printed numbers; they must be values of its paper
    that are consistent with ours. `ledgers` are by artefact; what is not among them is not checked.
    """
    outcomes = {}
    for ledger in ledgers.values():
        cells = ledger["artefact"] + ": " + ledger["row"] + " / " + ledger["column"]
        outcomes |= ledger["outcome"].set_axis([ledger["paper"], cells]).to_dict()
    for ledger in ledgers.values():
        for place, line in ledger[ledger["status"] == "refuted"].iterrows():
            for cell in line["rests_on"].splitlines():
                outcome = outcomes.get((line["paper"], cell), AGREES)
                if outcome not in (AGREES, COMPATIBLE):
                    ledger.loc[place, "problem"] = (
                        f"refuted, but {cell}, on which that rests, is not consistent with"
                        f" ours ({outcome}): declare another reason"
                    )
