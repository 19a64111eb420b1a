"""The words of every row: they follow from its numbers, and every scored row can fail."""

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from _cases import cases
from scipy.stats import norm
from scipy.stats import t as student

from companion.reproduction.artefacts import list_artefacts, list_papers
from companion.reproduction.published import (
    JUDGED,
    SCORED,
    load_published,
    parse_printed,
    parse_relation,
)
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.run import read_stored
from companion.reproduction.verdicts import compare_row, regenerated

DEPARTS = ("differs", "fails")
FARTHER = 1.05
NEARER = 0.95

#: Rows that no departure would show, as printed: few partitions, or a case that never is.
BLIND = {"conformal": 9, "usvc": 1}


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


@cases("paper", *list_papers())
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


def word_of_a_mean(row, regeneration):
    """The word of a mean, by the formulas of docs/verdicts.md, and the repetitions needed."""
    half = parse_printed(row["printed"]).half_unit
    n = regeneration["n"]
    known = [regeneration["spread"] if n > 1 else math.nan, row["spread"]]
    known.append(regeneration["se"] * math.sqrt(n))
    s_r = next((s for s in known if math.isfinite(s)), 0.0)
    s_p = row["spread"] if math.isfinite(row["spread"]) else s_r
    from_print = s_p**2 * (1 / row["n"] + row["overlap"])
    per_repetition = s_r**2
    if math.isfinite(regeneration["se"]):
        per_repetition = n * regeneration["se"] ** 2
    else:
        from_print += s_r**2 * regeneration["overlap"]
    error = math.sqrt(from_print + per_repetition / n)
    beyond = (
        abs(regeneration["value"] - row["value"]) - half - 1e-9 * max(1, row["value"])
    )
    if beyond > 3 * error:
        return "differs", math.nan
    if not half + 3 * error > row["matters"]:
        return "agrees", math.nan
    left = (max(row["matters"] - half, 0) / 3) ** 2 - from_print
    return (
        ("undecided", per_repetition / left) if left > 0 else ("compatible", math.nan)
    )


def word_of_a_spread(row, regeneration):
    """The same of a spread, by the logarithm of the ratio."""
    printed = row["value"]
    value = regeneration["value"]
    half = parse_printed(row["printed"]).half_unit
    n = regeneration["n"]
    from_print = 1 / (2 * (row["n"] - 1))
    ours = 1 / (2 * (n - 1))
    if math.isfinite(regeneration["se"]) and value > 0:
        ours = (regeneration["se"] / value) ** 2
        from_print = ours * n / row["n"]
    error = math.sqrt(from_print + ours)
    nearest = min(max(value, printed - half), printed + half)
    if value == 0 and nearest > 0:
        return ("differs" if 0.9**n < 2 * norm.sf(3) else "undecided"), 57
    if value > 0 and abs(math.log(value / nearest)) > 3 * error + 1e-9:
        return "differs", math.nan
    if not (printed + half) * math.exp(3 * error) - printed > row["matters"]:
        return "agrees", math.nan
    wanted = math.log(max((row["matters"] + printed) / (printed + half), 1)) / 3
    left = wanted**2 - from_print
    if left <= 0:
        return "compatible", math.nan
    shared = math.isfinite(regeneration["se"]) and value > 0
    return "undecided", 1 + (n - 1) * ours / left if shared or ours else math.nan


def word_of_a_claim(row, regeneration):
    """The word of a claim, by the probability of its t."""
    relation = parse_relation(row["relation"])
    margin = relation.margin(regeneration["value"])
    n = regeneration["n"]
    error = regeneration["se"]
    if math.isnan(error):
        error = (
            regeneration["spread"] * math.sqrt(1 / n + regeneration["overlap"])
            if n
            else 0
        )
    if not error > 0:
        holds = "=" in relation.sign if abs(margin) <= 1e-12 else margin > 0
        return ("holds" if holds else "fails"), math.nan
    chance = student.sf(margin / error, n - 1) if n >= 2 else norm.sf(margin / error)
    if chance < norm.sf(2):
        return "holds", math.nan
    return ("fails" if chance > norm.cdf(2) else "undecided"), math.nan


RULES = {"stochastic": word_of_a_mean, "spread": word_of_a_spread}
RULES["ordinal"] = word_of_a_claim


@cases("paper", *list_papers())
def test_the_words_follow_from_the_numbers(paper):
    wrong = []
    n_checked = 0
    for name, row, regeneration in judged_rows(paper):
        found = compare_row(row, regeneration)
        if found.outcome == "not run" or row["kind"] not in RULES:
            continue
        if pd.isna(regeneration["value"]):
            continue
        word, needs = RULES[row["kind"]](row, regeneration)
        alike = found.outcome == word
        if math.isfinite(needs) and word == "undecided":
            alike = alike and found.needs == pytest.approx(needs, abs=1.5, rel=1e-6)
        wrong += [f"{name}: {found.outcome}, not {word}"] * (not alike)
        n_checked += 1
    assert wrong == []
    assert n_checked


@cases("paper", *list_papers())
def test_as_many_repetitions_as_an_undecided_claim_says_decide_it(paper):
    """Simulated with normal repetitions, if the truth is where it is seen now."""
    rng = np.random.default_rng(11)
    rows = []
    for _, row, regeneration in judged_rows(paper):
        needs = compare_row(row, regeneration).needs
        varies = regeneration["n"] > 1 and regeneration["value"]
        if row["kind"] == "ordinal" and math.isfinite(needs) and varies:
            rows.append((row, regeneration, int(needs)))
    chosen = rng.permutation(len(rows))[:12]
    for row, regeneration, needs in (rows[i] for i in chosen):
        outcomes = [
            compare_row(row, repeated(regeneration, needs, rng)).outcome
            for _ in range(600)
        ]
        assert 0.68 < np.mean(np.array(outcomes) != "undecided") < 0.92


def repeated(regeneration, n, rng):
    """What n normal repetitions of a regeneration give."""
    spread = regeneration["spread"]
    if math.isfinite(regeneration["se"]):
        spread = regeneration["se"] * math.sqrt(regeneration["n"])
    sample = rng.normal(regeneration["value"], spread, n)
    moments = {"value": sample.mean(), "spread": sample.std(ddof=1), "n": n}
    if math.isfinite(regeneration["se"]):
        moments["se"] = moments["spread"] / math.sqrt(n)
    return {**regeneration, **moments}


@cases("paper", *list_papers())
def test_a_row_that_repeats_another_has_its_outcome(paper):
    ledger = pd.concat(read_ledgers(list_artefacts(paper))[0].values()).to_dict(
        "records"
    )
    outcomes = {
        f"{r['artefact']}: {r['row']} / {r['column']}": r["outcome"] for r in ledger
    }
    for r in (r for r in ledger if r["repeats"]):
        repeated_row = f"{r['artefact']}: {r['repeats']}"
        repeated = outcomes[repeated_row if repeated_row in outcomes else r["repeats"]]
        assert r["outcome"] == repeated, f"{r['artefact']}: {r['row']} / {r['column']}"
