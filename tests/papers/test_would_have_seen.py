"""Every scored row can fail, and as many repetitions as a row asks for decide it."""

import math
from functools import cache

import numpy as np
import pytest

from companion.reproduction.artefacts import list_artefacts, list_papers
from companion.reproduction.published import (
    JUDGED,
    SCORED,
    load_published,
    parse_printed,
    parse_relation,
)
from companion.reproduction.run import read_stored
from companion.reproduction.verdicts import compare_row, regenerated

DEPARTS = ("differs", "fails")
FARTHER = 1.05
NEARER = 0.95


#: Rows that no departure would show, as printed: few partitions, or a case that never is.
BLIND = {"conformal": 45, "usvc": 3}


def moved(row, regeneration, departure):
    """The regeneration, moved to stand so far from the print or beyond the bound of a claim."""
    if row["kind"] == "ordinal":
        relation = parse_relation(row["relation"])
        sign = 1 if relation.sign.startswith("<") else -1
        return {**regeneration, "value": relation.bound + sign * departure}
    value = parse_printed(row["printed"]).value + departure
    if row["kind"] == "draw":
        draws = np.array(regeneration["draws"])
        if {row["value"], *draws} <= {
            0,
            1,
        }:  # a yes or no is the other answer, or this one
            other = abs(departure) >= 1
            return {
                **regeneration,
                "draws": abs(draws - ((np.median(draws) != row["value"]) != other)),
            }
        return {**regeneration, "draws": draws - np.median(draws) + value}
    if (
        row["kind"] == "spread"
    ):  # all repetitions are farther apart, or nearer, but never alike
        value = max(value, 1e-9)
        return {
            **regeneration,
            "value": value,
            "se": regeneration["se"] * value / (regeneration["value"] or math.nan),
        }
    return {**regeneration, "value": value}


def departures(row, would_see, factor):
    """Ways to depart by so many times what would have been seen."""
    if row["kind"] == "ordinal":
        bound = parse_relation(row["relation"]).bound
        # without chance anything beyond the bound, and nothing else, would have been seen
        return [factor * would_see or (factor - 1) * 1e-6 * max(1, abs(bound))]
    if row["kind"] == "spread" and row["value"] == 0:  # there is no way down
        return [factor * would_see]
    return [factor * would_see, -factor * would_see]


def scored_rows(paper):
    """The rows that are scored, with their names and regenerations."""
    return (found for found in judged_rows(paper) if found[1]["asks"] in SCORED)


@cache
def judged_rows(paper):
    """The same of all rows that have a verdict."""
    judged = []
    published = load_published(paper)
    for artefact in (a for a in list_artefacts(paper) if a.values is not None):
        records = {
            study.name: read_stored(study, "paper").frame for study in artefact.studies
        }
        rows = published[published["artefact"] == artefact.name]
        cells = regenerated(artefact.values(records))
        for row in rows[rows["asks"].isin(JUDGED)].to_dict("records"):
            found = cells.get((row["row"], row["column"]), {})
            for reading, regeneration in found.items():
                name = f"{artefact.id}: {row['row']} / {row['column']} {reading}"
                judged.append((name, row, regeneration))
    return judged


@pytest.mark.parametrize("paper", list_papers())
def test_a_departure_larger_than_would_have_been_seen_is_seen_and_a_smaller_is_not(
    paper,
):
    n_moved = 0
    n_blind = 0
    wrong = []
    for name, row, regeneration in scored_rows(paper):
        found = compare_row(row, regeneration)
        if found.outcome == "not run":
            continue
        if not math.isfinite(found.would_see):
            # a yes or no that is common either way is not scored
            wrong += [name] * (found.outcome not in ("undecided", "listed"))
            is_as_printed = regeneration["reading"] == ""
            n_blind += is_as_printed and found.outcome == "undecided"
            continue
        if parse_printed(row["printed"]) is None and row["kind"] == "deterministic":
            wrong += [name] * (
                compare_row(row, {**regeneration, "value": "?"}).outcome != "differs"
            )
            continue
        far, near = (
            [
                compare_row(row, moved(row, regeneration, d)).outcome in DEPARTS
                for d in ways
            ]
            for ways in (departures(row, found.would_see, f) for f in (FARTHER, NEARER))
        )
        # An uneven yardstick, that of a spread or a draw, is the longer way: both sides are seen by
        # it, and one is not below it.
        unseen = not all(near) if row["kind"] in ("spread", "draw") else not any(near)
        wrong += [name] * (not all(far) or not unseen)
        n_moved += 1
    assert wrong == []
    assert n_moved
    assert n_blind <= BLIND.get(paper, 0)


#: Shares of the repetitions that an undecided row asks for: one that decides it, if the truth is
#: where it is seen now, and one that does not. What a claim asks for decides in four of five runs.
ENOUGH = {"stochastic": 1.02, "spread": 1.02, "ordinal": 1.0}
TOO_FEW = {"stochastic": 0.95, "spread": 0.95, "ordinal": 0.48}


@pytest.mark.parametrize("paper", list_papers())
def test_as_many_repetitions_as_an_undecided_row_says_decide_it(paper):
    for name, row, regeneration in judged_rows(paper):
        kind = row["kind"]
        needs = compare_row(row, regeneration).needs
        varies = regeneration["n"] > 1 and regeneration["value"]
        if kind in ENOUGH and math.isfinite(needs) and varies:
            more = repeated(regeneration, ENOUGH[kind] * needs)
            assert compare_row(row, more).outcome != "undecided", name
            few = repeated(regeneration, TOO_FEW[kind] * needs)
            # Where a value stands apart from the print, fewer may show that it differs.
            assert compare_row(row, few).outcome in ("undecided", "differs"), name


def repeated(regeneration, n):
    """What so many repetitions of the same spread and mean give."""
    se = regeneration["se"] * math.sqrt(regeneration["n"] / n)
    return {**regeneration, "n": n, "se": se}
