"""The verdict code on cases whose answer is known."""

import math

import numpy as np
import pandas as pd
import pytest
from _cases import cases, refused
from scipy.stats import norm
from scipy.stats import t as student

from companion.reproduction import _comparisons as rules
from companion.reproduction.declared import Deviation
from companion.reproduction.published import parse_printed
from companion.reproduction.scores import (
    NUMBER_PARTS,
    SENTENCE_PARTS,
    counted_as_on_record,
    joint_tests,
    ours,
    score,
    sentence_verdict,
)
from companion.reproduction.vectors import chance_of_shares, joint_chance
from companion.reproduction.verdicts import (
    check_findings,
    compare,
    problems,
    regenerated,
)

CELL = ("toy", "table_1", "heart", "error")
DECLARED = {CELL: Deviation("other splits", "notebook", "data")}
READINGS = {"exchanged": None}


def published(kind="stochastic", printed="22.4", **changes):
    parsed = parse_printed(printed)
    row = {
        "paper": "toy",
        "artefact": "table_1",
        "row": "heart",
        "column": "error",
        "printed": printed,
        "value": parsed.value if parsed else math.nan,
        "kind": kind,
        "spread": math.nan,
        "n": math.nan,
        "relation": "",
        "overlap": 0.0,
        "where": "p. 1",
        "asks": "claim" if kind == "ordinal" else "value",
        "matters": math.nan,
        "sentence": "",
        "why": "",
        "repeats": "",
    }
    row |= {"stochastic": {"spread": 2.0, "n": 100.0}, "spread": {"n": 100.0}}.get(
        kind, {}
    )
    return pd.DataFrame([row | changes])


def reproduced(value, spread=2.0, n=100, converged=True, **changes):
    row = {"row": "heart", "column": "error", "value": value, "spread": spread, "n": n}
    return pd.DataFrame([{**row, "converged": converged, **changes}])


def verdict(print_, regenerated, deviations=None, profile="paper"):
    return compare(print_, regenerated, deviations, READINGS, profile).iloc[0]


def comparison(print_, values):
    """What the rule of its kind says of a row, by itself."""
    (by_reading,) = regenerated(values).values()
    return rules.compare_row(print_.to_dict("records")[0], by_reading[""])


CLAIM = published("ordinal", "lower", relation="< 0")


def test_a_mean_off_by_four_standard_errors_differs_and_one_off_by_two_does_not():
    se = math.sqrt(2 * 2.0**2 / 100)
    far, near = (verdict(published(), reproduced(22.45 + k * se)) for k in (4, -2))
    line = verdict(published(), reproduced(22.43))
    assert (line["verdict"], line["problem"], line["distance"]) == ("agrees", "", 0.0)
    assert far["verdict"] == "differs"
    assert far["distance"] == pytest.approx(4)
    assert far["se"] == pytest.approx(se)
    assert far["problem"] == "differs and is not declared in data/deviations.yaml"
    assert near["verdict"] == "agrees"
    assert near["problem"] == ""
    assert near["distance"] == pytest.approx((2 * se - 0.1) / se)
    assert near["would_see"] == pytest.approx(0.05 + 3 * se)


def test_an_infinite_value_is_printed_like_no_number():
    exact = comparison(published("deterministic"), reproduced(math.inf))
    assert exact.outcome == "differs"
    draws = [22.4] * 99 + [math.inf]
    drawn = comparison(published("draw"), reproduced(22.4, draws=draws))
    assert drawn.note.startswith("0 of 100 draws lie")


PRECISION = [
    (
        "22.4",
        (22.35, 22.4, 22.45),
        (22.4501, 22.3499),
    ),  # a tie belongs to both neighbours
    ("22.5", (22.45,), (22.4499,)),
    ("16167.4", (16167.45,), (16167.46,)),
    ("10^-3", (0.0014,), (0.0016,)),
]


@cases("printed, same, other", *PRECISION)
def test_a_deterministic_value_is_compared_at_printed_precision(printed, same, other):
    for outcome, values in (("agrees", same), ("differs", other)):
        for value in values:
            row = published("deterministic", printed)
            assert comparison(row, reproduced(value)).outcome == outcome
    assert (
        verdict(published(printed=printed), reproduced(same[-1]))["verdict"] == "agrees"
    )


def test_a_printed_word_must_be_the_same_word():
    row = published("deterministic", "LS-SVMs")
    assert verdict(row, reproduced("LS-SVMs"))["verdict"] == "agrees"
    assert verdict(row, reproduced("L1-SVMs"))["verdict"] == "differs"
    assert verdict(row, reproduced(1.0))["verdict"] == "differs"


CLAIMS = [
    ("< 0", -5.0, 2.0, "holds", 2.5),
    ("< 0", 5.0, 2.0, "fails", -2.5),
    ("< 0", -4.0, 2.0, "undecided", 2.0),
    ("< 0", 3.0, 2.0, "undecided", -1.5),
    (">= 0.95", 0.99, 0.01, "holds", 4.0),
    # without chance the relation decides
    ("<= 1", 1.0, 0.0, "holds", None),
    ("< 1", 1.0, math.nan, "fails", None),
    (">= 0", -1e-16, 0.0, "holds", None),
    ("<= 1e-6", 2e-6, math.nan, "fails", None),
    ("<= 1e-6", 1e-7, math.nan, "holds", None),
]


@cases("relation, value, se, outcome, support", *CLAIMS)
def test_two_standard_errors_decide_a_claim(relation, value, se, outcome, support):
    row = published("ordinal", "lower", relation=relation)
    found = comparison(row, reproduced(value, math.nan, math.nan, se=se))
    assert found.outcome == outcome
    assert math.isnan(found.distance)
    assert found.would_see == (0.0 if support is None else pytest.approx(2 * se))
    assert support is None or found.support == pytest.approx(support)


def test_a_claim_whose_standard_error_is_not_known_is_undecided_and_says_so():
    line = verdict(CLAIM, reproduced(-1.0, n=1, spread=math.nan, se=math.inf))
    assert line["verdict"] == "undecided (its standard error is not known)"
    assert math.isinf(line["would_see"])


def test_few_repetitions_make_a_claim_harder_to_decide():
    assert comparison(CLAIM, reproduced(-2.2, n=math.nan, se=1.0)).outcome == "holds"
    few = comparison(CLAIM, reproduced(-2.2, n=5, se=1.0))
    assert few.outcome == "undecided"
    assert few.note == "on the right side of its bound"
    assert norm.cdf(few.support) == pytest.approx(student.cdf(2.2, 4))
    assert student.cdf(-few.would_see, 4) == pytest.approx(norm.cdf(-2))
    assert math.isfinite(comparison(CLAIM, reproduced(1e9, n=1000, se=1.0)).support)


FAR = [
    ("ordinal", 2.5, "fails", "undecided"),
    ("ordinal", 3.5, "fails", "fails"),
    ("stochastic", 3.5, "differs", "agrees"),
    ("stochastic", 4.5, "differs", "differs"),
    ("spread", 3.5, "differs", "agrees"),
    ("spread", 4.5, "differs", "differs"),
]


@cases("kind, far, outcome, quick_outcome", *FAR)
def test_a_quick_run_calls_different_what_is_one_error_farther(
    kind, far, outcome, quick_outcome
):
    ratio = 1.005 * np.exp(far * np.sqrt(0.5 / 199 + 0.5 / 199))
    claim = (CLAIM, reproduced(far, se=1.0, n=1000))
    value = published(spread=0.0), reproduced(22.45 + far, se=1.0, n=1000)
    spread = published("spread", printed="1.00", n=200), reproduced(ratio, n=200)
    row, regenerated = {"ordinal": claim, "stochastic": value, "spread": spread}[kind]
    assert verdict(row, regenerated)["outcome"] == outcome
    quick = verdict(row, regenerated, profile="quick")
    assert quick["outcome"] == quick_outcome
    assert quick["would_see"] > verdict(row, regenerated)["would_see"]


def test_the_overlap_enters_the_standard_error_of_either_side():
    five = {"printed": "5", "spread": 1.0, "n": 10.0}
    plain = verdict(published(**five), reproduced(7.5, n=20))
    both = verdict(published(**five, overlap=0.5), reproduced(7.5, n=20, overlap=0.1))
    assert plain["se"] == pytest.approx(math.sqrt(1 / 10 + 4 / 20))
    assert both["se"] == pytest.approx(math.sqrt(1 / 10 + 0.5 + 4 / 20 + 0.4))
    assert plain["outcome"] == "differs"
    assert both["outcome"] == "agrees"
    known = published(**five | {"spread": 0.0})
    assert verdict(known, reproduced(9.0, n=20, se=0.7))["se"] == 0.7
    unknown = published(**five | {"spread": math.nan})
    unprinted = verdict(unknown, reproduced(9.0, math.nan, n=40, se=0.5))
    assert unprinted["se"] == pytest.approx(math.sqrt(0.25 + 0.25 * 40 / 10))
    assert verdict(CLAIM, reproduced(-1.0))["verdict"] == "holds"
    corrected = verdict(CLAIM, reproduced(-1.0, overlap=100 / 170))
    assert corrected["verdict"] == f"undecided ({rules.ONE_POOL})"
    assert corrected["se"] == pytest.approx(2 * math.sqrt(1 / 100 + 100 / 170))
    row = published(printed="20.0", overlap=0.5)
    assert verdict(row, reproduced(23.0))["verdict"] == "agrees"
    assert verdict(published(printed="20.0"), reproduced(23.0))["verdict"] == "differs"


def test_no_spread_at_all_leaves_only_the_printed_digits():
    row = published(printed="150.0", spread=0.0)
    assert verdict(row, reproduced(150.04, spread=0.0))["verdict"] == "agrees"
    line = verdict(row, reproduced(149.0, spread=0.0))
    assert line["verdict"] == "differs"
    assert line["distance"] == math.inf


def test_a_spread_known_on_one_side_is_taken_for_both():
    line = verdict(published(spread=3.0), reproduced(26.0, spread=math.nan, n=1))
    assert line["verdict"] == "agrees"
    assert line["se"] == pytest.approx(3.0 * math.sqrt(1 + 1 / 100))
    zero = verdict(published(spread=3.0), reproduced(26.0, spread=0.0, n=1))
    assert zero["se"] == line["se"], "the spread of one repetition is no estimate"
    line = verdict(
        published(spread=math.nan, n=25.0), reproduced(23.0, spread=1.5, n=9)
    )
    assert line["se"] == pytest.approx(1.5 * math.sqrt(1 / 25 + 1 / 9))
    unknown = verdict(
        published(spread=math.nan, n=1.0), reproduced(23.0, spread=math.nan, n=1)
    )
    assert unknown["verdict"] == "differs"
    assert unknown["note"] == "no spread is known on either side"


RATIOS = [
    ("1.0", 1.04, 100, "agrees", None),
    ("1.0", 1.25, 100, "agrees", 1.25 / 1.05),
    ("1.0", 0.5, 100, "differs", 0.95 / 0.5),
    ("1.0", 0.5, 5, "agrees", 0.95 / 0.5),
    # printed as zero: up to half a unit may be hidden
    ("0.0", 0.049, 100, "agrees", None),
    ("0.0", 0.2, 100, "differs", 0.2 / 0.05),
]


@cases("printed, value, n, outcome, ratio", *RATIOS)
def test_a_spread_is_compared_by_the_logarithm_of_its_ratio(
    printed, value, n, outcome, ratio
):
    print_ = parse_printed(printed)
    se = math.sqrt(0.5 / 99 + 0.5 / (n - 1))
    found = comparison(published("spread", printed), reproduced(value, n=n))
    assert found.outcome == outcome
    assert found.distance == pytest.approx(math.log(ratio) / se if ratio else 0.0)
    edge = (1.05 if printed == "1.0" else 0.05) * math.exp(3 * se)
    assert found.would_see == pytest.approx(edge - print_.value)


@cases("n, outcome", (10, "undecided"), (56, "undecided"), (57, "differs"))
def test_repetitions_that_are_all_alike_refute_a_printed_spread_only_in_number(
    n, outcome
):
    row = published("spread", "0.3")
    found = comparison(row, reproduced(0.0, n=n))
    assert found.outcome == outcome
    assert math.isinf(found.would_see) == (outcome == "undecided")
    assert found.distance == pytest.approx(
        {10: 0.936, 56: 2.995, 57: 3.028}[n], abs=0.01
    )
    assert math.isfinite(comparison(row, reproduced(0.0, n=10**6)).distance)


def test_a_row_that_is_not_scored_is_listed_and_a_problem_where_it_differs():
    row = published("deterministic", "100", asks="setting")
    assert verdict(row, reproduced(100.0))["verdict"] == "listed"
    line = verdict(row, reproduced(10.0))
    assert line["verdict"] == "differs"
    assert line["problem"]
    assert line["counts_as"] == ""
    quick = verdict(row, reproduced(10.0), profile="quick")
    assert (quick["verdict"], quick["problem"]) == ("not run", "")
    assert quick["note"] == "a quick run is smaller by design"
    claim = published("ordinal", "lower", relation="< 0", asks="identity")
    assert verdict(claim, reproduced(0.1, se=1.0))["verdict"] == "listed"
    assert verdict(claim, reproduced(0.1).iloc[:0])["verdict"] == "listed"


def test_a_spread_may_bring_its_own_standard_error_and_needs_two_repetitions():
    row = published("spread", "10.0", n=50)
    assert comparison(row, reproduced(14.0, se=2.0)).se == pytest.approx(
        2 / 14 * math.sqrt(1 + 100 / 50)
    )
    assert (
        verdict(published("spread", "1.0"), reproduced(0.0, n=1))["verdict"]
        == "not run"
    )
    line = verdict(published("spread", "1.0"), reproduced(1.5))
    assert line["verdict"] == "differs"
    assert line["problem"]


RANKS = [
    (100, 0, 0, "differs"),
    (0, 0, 100, "differs"),
    (99, 0, 1, "agrees"),
    (50, 1, 50, "agrees"),
    (0, 100, 0, "agrees"),
]


@cases("n_below, n_alike, n_above, outcome", *RANKS)
def test_a_printed_draw_is_ranked_among_the_regenerated_ones(
    n_below, n_alike, n_above, outcome
):
    draws = [1.0] * n_below + ([1.096, 1.104] * 50)[:n_alike] + [1.2] * n_above
    found = comparison(published("draw", "1.10"), reproduced(1.1, draws=draws))
    assert found.outcome == outcome
    assert found.distance >= 0
    sentence = f"{n_below} of {len(draws)} draws lie below the print, {n_above} above"
    assert sentence in found.note or outcome == "agrees"


@cases("printed", "0", "1")
@cases(
    "n_ones, n, word",
    (0, 200, ""),
    (3, 200, ""),
    (4, 200, "listed"),
    (80, 200, "listed"),
    (197, 200, ""),
    (200, 200, ""),
    # of fifty draws all must be alike: two that are not tell as much
    (1, 50, "listed"),
    (1, 20, "listed"),
    (1, 2, "listed"),
    (0, 50, ""),
    (0, 49, "undecided"),
)
def test_a_yes_or_no_could_have_been_seen_only_where_one_answer_is_rare(
    printed, n_ones, n, word
):
    draws = [1.0] * n_ones + [0.0] * (n - n_ones)
    found = comparison(published("draw", printed), reproduced(0.5, draws=draws))
    is_usual = float(printed) == float(n_ones > n / 2)
    assert found.outcome == (word or ("agrees" if is_usual else "differs"))
    assert found.would_see == (math.inf if word else 1.0)
    if word != "undecided" and not is_usual:
        alike = n_ones if printed == "1" else n - n_ones
        assert found.distance == pytest.approx(norm.isf((alike + 1) / (n + 1) / 2))


def test_a_quick_run_scores_what_is_scored_on_record():
    """A yes or no that could not differ is known as such by many draws, not by few."""
    row = published("draw", "1")
    ledgers = [
        {"toy/table_1": compare(row, reproduced(0.5, draws=draws))}
        for draws in ([0.0, 1.0] * 100, [1.0])
    ]
    on_record, quick = ledgers
    assert score(quick["toy/table_1"])["numbers"]["all"] == 1
    for recorded, scored in ((on_record, 0), (quick, 1), ({}, 1)):
        counted = counted_as_on_record(quick, recorded)["toy/table_1"]
        assert score(counted)["numbers"]["all"] == scored


@cases(
    "n, profile, outcome",
    (2, "quick", "undecided"),
    (2, "paper", "fails"),
    (math.nan, "quick", "fails"),
)
def test_few_repetitions_that_are_alike_refute_no_claim(n, profile, outcome):
    found = verdict(CLAIM, reproduced(0.0, spread=0.0, n=n, se=0.0), profile=profile)
    assert found["outcome"] == outcome


def test_a_printed_draw_needs_the_regenerated_draws():
    row = verdict(published("draw", "1.10"), reproduced(1.1, draws=(1.1, 1.1)))
    assert row["outcome"] == "undecided"
    assert row["would_see"] == math.inf
    assert row["note"] == "2 draws are too few to call any print rare"
    assert row["verdict"] == "undecided (100 repetitions would decide)"
    row = verdict(
        published("draw", "1.10"), reproduced(1.1, draws=[1.1] * 200 + [math.nan])
    )
    assert (row["outcome"], row["note"]) == ("not run", "a draw is missing")
    refused(
        "must bring the draws .* Got none",
        compare,
        published("draw", "1.10"),
        reproduced(1.1),
    )


HEALED = "declared deviation has healed (it is {})"


OUTCOME_OF_DECLARED = [
    (30.0, "differs (data: other splits)", ""),
    (22.4, "agrees", HEALED.format("agrees")),
    (22.7, "agrees", HEALED.format("agrees")),
    (math.nan, "not run", ""),
]


@cases("value, text, problem", *OUTCOME_OF_DECLARED)
def test_a_declared_deviation_is_named_and_a_problem_where_it_has_healed(
    value, text, problem
):
    line = verdict(published(), reproduced(value), DECLARED)
    assert line["verdict"] == text
    assert line["problem"].startswith(problem)
    assert bool(line["problem"]) == bool(problem)
    quick = verdict(
        published(), reproduced(value, converged=False), DECLARED, profile="quick"
    )
    assert quick["verdict"] == text + " (not converged)" * math.isfinite(value)
    assert quick["problem"] == ""
    assert ("too few repetitions to call it healed" in quick["note"]) == bool(problem)


def test_what_is_not_declared_or_not_there_is_said():
    other = {(*CELL[:3], "#SV"): DECLARED[CELL]}
    assert verdict(published(), reproduced(30.0), other)["verdict"] == "differs"
    none = verdict(published(), reproduced(22.4).assign(row="cancer"))
    assert (none["verdict"], none["problem"]) == ("not run", "")
    assert none["note"] == "no regenerated value of this row and column"


def test_a_regeneration_with_a_fault_is_refused():
    regenerated = reproduced(22.4)
    for print_, faulty, message in (
        (published(), regenerated.drop(columns="converged"), "Missing: converged"),
        (
            published(),
            pd.concat([regenerated, regenerated]),
            "value of heart / error is there twice",
        ),
        (
            published(),
            reproduced(22.4, converged=math.nan),
            "must be True or False. Got nan",
        ),
        (published(), reproduced(22.4, n=math.nan), "number of repetitions n >= 1"),
    ):
        refused(message, compare, print_, faulty)


def ledger_of(values, **statuses):
    """A value of its own row each, with what is declared of some."""
    print_ = pd.concat(published(row=name) for name in values)
    regenerated = [reproduced(value, row=name) for name, value in values.items()]
    cells = {name: ("toy", "table_1", name, "error") for name in statuses}
    declared = {
        cells[name]: Deviation("known", "here", status)
        for name, status in statuses.items()
    }
    return compare(print_, pd.concat(regenerated), declared)


def test_every_scored_row_counts_as_one_thing_and_problems_are_the_failing_rows():
    values = {
        "a": 22.4,
        "b": 22.8,
        "c": 30.0,
        "d": 40.0,
        "e": 40.0,
        "f": 40.0,
        "g": math.nan,
    }
    ledger = ledger_of(values, d="demonstrated", e="data", f="conjecture")
    assert problems(ledger)["row"].tolist() == ["c"]
    parts = [NUMBER_PARTS[i] for i in (0, 0, 4, 3, 3, 4, 5)]
    assert ledger["counts_as"].tolist() == parts
    numbers = score(ledger)["numbers"]
    assert [numbers[part] for part in NUMBER_PARTS] == [2, 0, 0, 2, 2, 1]
    assert (numbers["all"], numbers["consistent"], numbers["corrected"]) == (7, 2, 2)
    assert (numbers["inside"], numbers["with chance"]) == (2, 6)
    assert score(ledger)["sentences"]["all"] == 0


def test_a_cell_that_repeats_another_is_not_counted_again():
    regenerated = reproduced(22.4)
    assert score(compare(published(), regenerated))["numbers"]["all"] == 1
    line = verdict(published(repeats="cancer / error"), regenerated)
    assert (line["outcome"], line["counts_as"]) == ("agrees", "")
    rows = pd.concat([published(row="cancer"), published(repeats="cancer / error")])
    for value, outcome in ((22.4, "agrees"), (30.0, "differs")):
        both = pd.concat([reproduced(value, row="cancer"), regenerated])
        assert compare(rows, both)["outcome"].tolist() == [outcome] * 2


def test_a_claim_of_ours_has_a_verdict_and_is_not_scored():
    rows = {"a": "ours", "b": "ours", "c": "claim"}
    print_ = [
        published(
            "ordinal", "lower", relation="< 0", sentence="it is", row=name, asks=asks
        )
        for name, asks in rows.items()
    ]
    regenerated = [
        reproduced(x, row=name, se=0.1)
        for name, x in zip(rows, (-1.0, 1.0, -1.0), strict=True)
    ]
    ledger = compare(pd.concat(print_), pd.concat(regenerated))
    assert ledger["outcome"].tolist() == ["holds", "fails", "holds"]
    assert ledger["counts_as"].tolist() == ["", "", "holds"]
    assert ours(ledger) == [1, 0, 1]
    assert problems(ledger)["row"].tolist() == ["b"]


def test_a_row_that_could_not_have_seen_what_matters_agrees_only_once_it_is_sharp():
    seen = 0.05 + 3 * math.sqrt(2 * 2.0**2 / 100)
    blind, sharp = (
        verdict(published(matters=seen * f), reproduced(22.4)) for f in (0.99, 1.01)
    )
    assert (blind["outcome"], blind["counts_as"]) == ("undecided", "undecided")
    assert 100 < blind["needs"] < 110
    assert blind["verdict"] == "undecided (110 repetitions would decide)"
    assert sharp["outcome"] == "agrees"
    enough = verdict(published(matters=seen * 0.99), reproduced(22.4, n=blind["needs"]))
    assert enough["outcome"] == "agrees"
    # of the print alone a difference of 0.05 + 3 * 0.2 is not seen, whatever we do
    coarse = verdict(published(matters=0.64), reproduced(22.4))
    assert coarse["outcome"] == coarse["counts_as"] == "compatible"
    assert verdict(published(matters=0.01), reproduced(30.0))["outcome"] == "differs"
    none = verdict(published(), reproduced(22.4, se=math.inf))
    assert none["verdict"] == "undecided (no difference would have been seen)"


def test_a_claim_that_takes_too_many_repetitions_lies_at_its_bound():
    line = verdict(CLAIM, reproduced(-0.01))
    assert line["verdict"] == "undecided (the truth lies at the bound)"
    assert math.isinf(line["needs"])


SENTENCES = [
    (["holds", "undecided"], "holds"),
    (["fails", "undecided"], "fails"),
    (["fails", "undecided", "undecided", "undecided"], "undecided"),
    (["holds", "holds", "fails"], "mixed"),
    (["holds", "fails", "undecided", "undecided", "undecided"], "mixed"),
    (["undecided", "not run"], "undecided"),
    (["not run", "not run"], "not run"),
]


@cases("outcomes, word", *SENTENCES)
def test_a_sentence_takes_the_word_of_its_tests(outcomes, word):
    found, counts = sentence_verdict(pd.DataFrame({"outcome": outcomes}))
    assert found == word
    assert counts.startswith(f"of {len(outcomes)} tests ")


def claims_of(**statuses):
    """A sentence with a failing test for each status, and with one that is undecided."""
    names = [*statuses, "open"]
    print_ = pd.concat(
        published("ordinal", "lower", relation="< 0", row=name, sentence="it is lower")
        for name in names
    )
    regenerated = pd.concat(
        reproduced(5.0 if name in statuses else 0.1, row=name) for name in names
    )
    declared = {
        ("toy", "table_1", name, "error"): Deviation("a", "b", status, ("nothing",))
        for name, status in statuses.items()
    }
    return compare(print_, regenerated, declared)


CAUSES = [
    (("refuted",), "refuted"),
    (("refuted", "refuted"), "refuted"),
    (("refuted", "demonstrated"), "fails, explained"),
    (("data",), "fails, explained"),
    (("refuted", "conjecture"), "fails, unexplained"),
]


@cases("statuses, part", *CAUSES)
def test_a_sentence_that_fails_is_as_well_explained_as_its_worst_test(statuses, part):
    ledger = claims_of(**dict(zip("ab", statuses, strict=False)))
    sentences = score(ledger)["sentences"]
    assert {name for name in SENTENCE_PARTS if sentences[name]} == {part}
    assert sentences["all"] == 1


@cases("value, problem", (22.4, ""), (30.0, "refuted, but table_1: heart / error"))
def test_a_finding_rests_on_numbers_that_are_consistent(value, problem):
    cell = ("toy", "table_1", "claim", "gain")
    rests_on = ("table_1: heart / error",)
    finding = {cell: Deviation("it is higher", "here", "refuted", rests_on)}
    claim = published("ordinal", "lower", relation="< 0", row="claim", column="gain")
    print_ = pd.concat([published(), claim])
    regenerated = [
        reproduced(value),
        reproduced(1.0, row="claim", column="gain", se=0.1),
    ]
    ledger = compare(print_, pd.concat(regenerated), finding)
    check_findings({"toy/table_1": ledger})
    line = ledger[ledger["row"] == "claim"].iloc[0]
    assert line["counts_as"] == "refuted"
    assert line["problem"].startswith(problem)
    assert bool(line["problem"]) == bool(problem)


def test_small_departures_to_one_side_are_seen_together():
    rng = np.random.default_rng(4)
    names = [f"r{i}" for i in range(40)]
    print_ = pd.concat(published(row=name) for name in names)
    error = math.sqrt(2 * 2.0**2 / 100)
    chances = []
    for shift in (0.0, 1.2):
        values = 22.4 + error * (shift + rng.normal(size=40))
        regenerated = pd.concat(
            reproduced(value, row=name)
            for name, value in zip(names, values, strict=True)
        )
        (test,) = joint_tests(compare(print_, regenerated))
        chances.append((test.chance, test.signs))
        assert (test.n, test.what) == (40, "means")
    assert min(chances[0]) > 0.01
    assert max(chances[1]) < 1e-3
    alike = pd.concat(reproduced(22.4, row=name) for name in names)
    (test,) = joint_tests(compare(print_, alike))
    assert test.chance < 1e-6, "an agreement too good to be chance"
    assert "chance of less < 0.0001" in str(test)


def test_a_row_has_one_verdict_as_printed_and_one_as_read():
    regenerated = pd.concat([reproduced(30.0), reproduced(22.4, reading="exchanged")])
    line = verdict(published(), regenerated, DECLARED)
    assert (line["outcome"], line["outcome_as_read"]) == ("differs", "agrees")
    assert (line["reading"], line["reproduced_as_read"]) == ("exchanged", 22.4)
    numbers = score(line.to_frame().T)["numbers"]
    assert (numbers["consistent"], numbers["corrected"]) == (0, 1)
    alone = verdict(published(), reproduced(22.4, reading="exchanged"))
    assert (alone["outcome"], alone["outcome_as_read"]) == ("not run", "agrees")
    turned = reproduced(22.4, reading="turned")
    refused("no entry has the id 'turned'", verdict, published(), turned)
    twice = [reproduced(22.4, reading="exchanged")] * 2
    refused("is there twice", verdict, published(), pd.concat(twice))


def test_the_draws_of_a_table_are_judged_together_too():
    """Each printed cell is common, and both at once are not: the draws rise and fall together."""
    rng = np.random.default_rng(3)
    one = rng.normal(size=300)
    draws = {"a": one, "b": one + rng.normal(scale=0.01, size=300), "c": one[:299]}
    print_ = {"a": "2.00", "b": "2.01", "c": "1.00"}
    regenerated = [
        reproduced(0.0, row=name, draws=tuple(x)) for name, x in draws.items()
    ]
    rows = pd.concat(published("draw", text, row=name) for name, text in print_.items())
    ledger = compare(rows, pd.concat(regenerated))
    assert ledger["outcome"].tolist() == ["agrees"] * 3
    chance = np.mean(one**2 > 2.0**2)
    assert ledger["joint"][:2].tolist() == pytest.approx([chance] * 2, abs=0.02)
    assert math.isnan(ledger["joint"][2]), "its draws are of other units"
    assert joint_chance([0, 0], np.ones((50, 2))) == 1 / 51
    assert joint_chance([1, 1], np.ones((50, 2))) == 1.0


def test_the_draws_of_a_row_are_one_vector_where_its_artefact_says_so():
    """A cell at the edge of the draws is common by itself, and two of them together are not."""
    draws = dict(
        zip("ab", np.random.default_rng(3).normal(size=(2, 3000)), strict=True)
    )
    regenerated = pd.concat(
        reproduced(0.0, column=c, draws=tuple(x)) for c, x in draws.items()
    )
    for text, outcome in (("2.20", "differs"), ("1.20", "agrees")):
        rows = pd.concat(published("draw", text, column=name) for name in draws)
        assert compare(rows, regenerated)["outcome"].tolist() == ["agrees"] * 2
        together = compare(rows, regenerated, by_row=True)
        assert together["outcome"].tolist() == [outcome] * 2
        assert together["note"].str.startswith("within chance by itself").all() == (
            outcome == "differs"
        )


def shares_of(values, spread=(0.03, 0.02, 0.05)):
    """Three shares printed as .3, .2 and .5, and regenerated ones with these spreads."""
    names = ("a", "b", "c")
    rows = [
        published(printed=text, value=float(text), column=name, spread=math.nan)
        for name, text in zip(names, ("0.300", "0.200", "0.500"), strict=True)
    ]
    regenerated = [
        reproduced(value, column=name, spread=s)
        for name, value, s in zip(names, values, spread, strict=True)
    ]
    return pd.concat(rows), pd.concat(regenerated)


def test_shares_that_add_up_to_one_agree_only_together():
    one_differs = shares_of((0.30, 0.215, 0.485))
    assert compare(*one_differs)["outcome"].tolist() == ["agrees", "differs", "agrees"]
    assert compare(*one_differs, by_row=True)["outcome"].tolist() == ["differs"] * 3
    near = shares_of((0.302, 0.201, 0.497))
    assert compare(*near, by_row=True)["outcome"].tolist() == ["agrees"] * 3


def test_few_repetitions_do_not_tell_shares_apart_that_many_do():
    rows, regenerated = shares_of((0.30, 0.26, 0.44))
    for n, differ in ((4.0, False), (400.0, True)):
        ledger = compare(rows, regenerated.assign(n=n), profile="quick", by_row=True)
        assert (ledger["outcome"] == "differs").tolist() == [differ] * 3


def test_the_chance_of_shares_of_one_multinomial_is_even():
    rng = np.random.default_rng(6)
    n = 400
    p = np.array([0.2, 0.3, 0.5])
    errors = np.sqrt(2 * p * (1 - p) / n)
    pairs = rng.multinomial(n, p, size=(2000, 2)) / n
    chances = [chance_of_shares(x - y, errors, np.zeros(3)) for x, y in pairs]
    assert 0.08 < np.mean(np.array(chances) < 0.1) < 0.12
    few = rng.multinomial(n, p, size=(2000, 4)) / n
    errors = few.std(axis=1, ddof=1) / 2
    draws = zip(few.mean(axis=1) - p, errors, strict=True)
    chances = [chance_of_shares(*draw, np.zeros(3), degrees=3) for draw in draws]
    assert 0.08 < np.mean(np.array(chances) < 0.1) < 0.12


def test_the_joint_chance_of_a_new_draw_is_even():
    rng = np.random.default_rng(8)
    tables = rng.exponential(size=(600, 51, 4))
    chances = np.array([joint_chance(x[0], x[1:]) for x in tables])
    assert 0.06 < np.mean(chances <= 0.1) < 0.14
    assert 0.45 < chances.mean() < 0.57
