"""Verdicts: a published number beside its regeneration, compared by rule.

Nobody types a verdict; only the *reason* of a deviation is written by hand, in
``data/deviations.yaml``. The words and the rules, kind by kind, are in ``docs/verdicts.md``.
"""

import math
from collections import Counter

from companion.reproduction._comparisons import (
    DECLARED,
    DIFFERS,
    MAX_Z,
    MAX_Z_ORDINAL,
    NOT_RUN,
    OUTCOMES,
    REPRODUCED,
    WITHIN,
    Comparison,
    compare_deterministic,
    compare_draw,
    compare_ordinal,
    compare_spread,
    compare_stochastic,
    first_finite,
)
from companion.reproduction.declared import load_deviations
from companion.reproduction.published import load_published, parse_printed, parse_relation

__all__ = [
    "OUTCOMES",
    "Comparison",
    "compare",
    "compare_deterministic",
    "compare_draw",
    "compare_ordinal",
    "compare_spread",
    "compare_stochastic",
    "judge",
    "problems",
    "repetitions",
    "verdict_counts",
]

NO_VALUE = "no regenerated value of this row and column"
_QUICK_ALLOWANCE = 1.0
_CHANCE = ("stochastic", "spread", "ordinal")
_COPIED = ("paper", "artefact", "row", "column", "kind", "printed")
_NEEDED = ("row", "column", "value", "converged")
_NUMBERS = {"spread": math.nan, "n": math.nan, "se": math.nan, "overlap": 0.0}


def _missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def _compare_row(row, own, profile):
    """Comparison of one published row (a mapping) with its regeneration (a mapping or None)."""
    if own is None:
        return Comparison(NOT_RUN, note=NO_VALUE)
    if _missing(own["value"]):
        return Comparison(NOT_RUN, note="the regenerated value is missing")
    value, kind = own["value"], row["kind"]
    allowance = 0.0 if profile == "paper" else _QUICK_ALLOWANCE
    printed = parse_printed(row["printed"])
    if kind == "protocol" and profile != "paper":
        return Comparison(NOT_RUN, note="a quick run is smaller by design")
    if kind in ("deterministic", "protocol"):
        return compare_deterministic(row["printed"] if printed is None else printed, value)
    if kind == "draw":
        draws = own.get("draws")
        if draws is None or not len(draws):
            raise ValueError(
                f"The regenerated value of {row['artefact']} / {row['row']} / {row['column']} must "
                f"bring the draws that the print is placed among. Got draws = {draws!r}."
            )
        return compare_draw(printed, draws)
    if kind == "spread":
        return compare_spread(
            printed, row["n"], value, own["n"], se_r=own["se"], fails_beyond=MAX_Z + allowance
        )
    if kind == "ordinal":
        derived = own["spread"] * math.sqrt(1 / own["n"] + own["overlap"]) if own["n"] > 0 else 0.0
        se = first_finite(own["se"], derived, 0.0)
        return compare_ordinal(
            parse_relation(row["relation"]),
            value,
            se,
            own["n"],
            fails_beyond=MAX_Z_ORDINAL + allowance,
        )
    if math.isnan(own["se"]) and not own["n"] >= 1:
        raise ValueError(
            f"The regenerated value of {row['artefact']} / {row['row']} / {row['column']} must "
            f"bring its standard error or its number of repetitions n >= 1. Got n = {own['n']}."
        )
    return compare_stochastic(
        printed,
        row["spread"],
        row["n"],
        value,
        own["spread"],
        own["n"],
        se_r=own["se"],
        overlap=row["overlap"],
        overlap_r=own["overlap"],
        fails_beyond=MAX_Z + allowance,
    )


def _regenerated(published, reproduced):
    """The regenerated rows by (artefact, row, column), after checking the frame."""
    absent = [name for name in _NEEDED if name not in reproduced]
    if absent:
        raise ValueError(
            f"The regenerated values must have the columns {', '.join(_NEEDED)}. "
            f"Missing: {', '.join(absent)}."
        )
    artefacts = published["artefact"].unique()
    if "artefact" not in reproduced and len(artefacts) > 1:
        raise ValueError(
            "The regenerated values must have a column artefact when they are compared with "
            f"published values of several. Got published values of {', '.join(artefacts)}."
        )
    cells = {}
    for record in reproduced.to_dict("records"):
        own = dict(record)
        for name, default in _NUMBERS.items():
            number = own.get(name, default)
            own[name] = default if _missing(number) else float(number)
        cell = (own.get("artefact", artefacts[0]), own["row"], own["column"])
        if cell in cells:
            raise ValueError(f"The regenerated value of {' / '.join(cell)} is there twice.")
        if own["converged"] not in (True, False):
            raise ValueError(
                f"converged of {' / '.join(cell)} must be True or False. Got {own['converged']!r}."
            )
        cells[cell] = own
    return cells


def _conclude(comparison, converged, deviation, profile):
    """Outcome, verdict text, problem and note of a comparison, given its declaration."""
    outcome, note, problem = comparison.outcome, comparison.note, ""
    verdict = outcome
    if outcome == DIFFERS and deviation is not None:
        outcome, verdict = DECLARED, f"differs (declared: {deviation.reason})"
    elif outcome == DIFFERS:
        problem = "differs and is not declared in data/deviations.yaml"
    elif deviation is not None and outcome in (REPRODUCED, WITHIN):
        if profile == "paper":
            problem = f"declared deviation has healed (it is {outcome}): remove its declaration"
        else:
            few = "declared; too few repetitions to call it healed"
            note = "; ".join(filter(None, [note, few]))
    if outcome != NOT_RUN and not converged:
        verdict += " (not converged)"
    return {"outcome": outcome, "verdict": verdict, "problem": problem, "note": note}


def compare(published, reproduced, deviations=None, profile="paper"):
    """Compare published values with regenerated ones, row by row.

    Parameters
    ----------
    published : pandas.DataFrame
        From :func:`~companion.reproduction.published.load_published`; of one artefact, unless
        `reproduced` has a column artefact.
    reproduced : pandas.DataFrame
        Columns row, column, value, converged and, where they apply, spread (standard deviation
        over repetitions), n, se (standard error of the value, NaN to derive it), overlap,
        draws (the repetitions, where the print shows one), artefact. Values that were not
        published are ignored; their order does not matter.
    deviations : mapping, optional
        From (paper, artefact, row, column) to an object with a ``reason``.
    profile : {"paper", "quick"}, default="paper"
        Only in the paper profile a declared deviation can be found healed.

    Returns
    -------
    pandas.DataFrame
        The ledger, one row a published value in its order: paper, artefact, row, column, kind,
        printed, published, spread, n, relation, reproduced, reproduced_spread, reproduced_n,
        reproduced_se, z, se (of the difference), converged, outcome (one of :data:`OUTCOMES`),
        verdict, problem (empty if all is well), note, where.

    Raises
    ------
    ValueError
        If the regenerated values lack a column, hold a cell twice, or a stochastic one has neither
        standard error nor number of repetitions.
    """
    import pandas as pd

    cells = _regenerated(published, reproduced)
    deviations = deviations or {}
    ledger = []
    for row in published.to_dict("records"):
        cell = (row["artefact"], row["row"], row["column"])
        own = cells.get(cell)
        comparison = _compare_row(row, own, profile)
        own = own or {"value": math.nan, "converged": True, **_NUMBERS}
        converged = bool(own["converged"])
        ledger.append(
            {
                **{name: row[name] for name in _COPIED},
                "published": row["value"],
                "spread": row["spread"],
                "n": row["n"],
                "relation": row["relation"],
                "reproduced": own["value"],
                "reproduced_spread": own["spread"],
                "reproduced_n": own["n"],
                "reproduced_se": own["se"],
                "z": comparison.z,
                "se": comparison.se,
                "converged": converged,
                **_conclude(comparison, converged, deviations.get((row["paper"], *cell)), profile),
                "where": row["where"],
            }
        )
    return pd.DataFrame(ledger)


def judge(artefact, records, profile="paper", deviations=None):
    """Ledger of one artefact from the records of its studies."""
    published = load_published(artefact.paper)
    published = published[published["artefact"] == artefact.name]
    if published.empty:
        raise ValueError(
            f"data/published/{artefact.paper}.csv must have values of "
            f"{artefact.name!r}. It has none."
        )
    deviations = load_deviations() if deviations is None else deviations
    return compare(published, artefact.values(records), deviations, profile)


def verdict_counts(ledger):
    """Number of values with each outcome."""
    counted = Counter(ledger["outcome"])
    return {outcome: counted[outcome] for outcome in OUTCOMES}


def problems(ledger):
    """The values for which ``companion verify`` fails."""
    return ledger[ledger["problem"] != ""]


def repetitions(ledgers, profile):
    """How many repetitions the verdicts rest on, beside those of the print."""
    own, printed = [], []
    for ledger in ledgers:
        chance = ledger[ledger["kind"].isin(_CHANCE) & (ledger["outcome"] != NOT_RUN)]
        own += [n for n in chance["reproduced_n"] if n > 1]
        printed += [n for n in chance["n"] if n > 1]
    if not own:
        return ""

    def span(counts):
        low, high = min(counts), max(counts)
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"

    text = f"Verdicts of the {profile} profile rest on {span(own)} repetitions"
    return text + (f", the print on {span(printed)}." if printed else ".")
