"""The verdict code on cases whose answer is known."""

import math

import numpy as np
import pandas as pd
import pytest
from _cases import cases, refused
from scipy.stats import norm
from scipy.stats import t as student

from companion.reproduction import _comparisons as rules
from companion.reproduction.declared import Deviation, Reading
from companion.reproduction.published import parse_printed
from companion.reproduction.scores import (
    NUMBER_WORDS,
    SENTENCE_WORDS,
    joint_tests,
    score,
    scored_as_on_record,
    sentence_word,
)
from companion.reproduction.values import Values
from companion.reproduction.vectors import chance_of_means, joint_chance
from companion.reproduction.verdicts import (
    NO_SUCH_VALUE,
    compare,
    problems,
    regenerated,
)

CELL = ("toy", "table_1", "heart", "error")
DECLARED = {CELL: Deviation("other splits", "notebook", "shown")}
READINGS = {"exchanged": Reading("toy", "misprint", "it is exchanged", ("a test",), 2)}
READINGS["warmer"] = Reading("toy", "choice", "it is warmer", ("a notebook",), 9)


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
    assert (line["verdict"], line["problem"], line["distance"]) == ("matches", "", 0.0)
    assert far["verdict"] == "differs, unexplained"
    assert far["distance"] == pytest.approx(4)
    assert far["se"] == pytest.approx(se)
    assert far["problem"] == "differs and is not declared in data/deviations.yaml"
    assert near["verdict"] == "matches"
    assert near["problem"] == ""
    assert near["distance"] == pytest.approx((2 * se - 0.1) / se)
    assert near["would_see"] == pytest.approx(0.05 + 3 * se)


def test_an_infinite_value_is_printed_like_no_number():
    exact = comparison(published("deterministic"), reproduced(math.inf))
    assert exact.verdict == "differs"
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
    for outcome, values in (("matches", same), ("differs", other)):
        for value in values:
            row = published("deterministic", printed)
            assert comparison(row, reproduced(value)).verdict == outcome
    assert (
        verdict(published(printed=printed), reproduced(same[-1]))["verdict"]
        == "matches"
    )


def test_a_printed_word_must_be_the_same_word():
    row = published("deterministic", "LS-SVMs")
    assert verdict(row, reproduced("LS-SVMs"))["verdict"] == "matches"
    other = "differs, unexplained"
    assert verdict(row, reproduced("L1-SVMs"))["verdict"] == other
    assert verdict(row, reproduced(1.0))["verdict"] == other


CLAIMS = [
    ("< 0", -5.0, 2.0, "holds", 2.5),
    ("< 0", 5.0, 2.0, "fails", -2.5),
    ("< 0", -4.0, 2.0, "open", 2.0),
    ("< 0", 3.0, 2.0, "open", -1.5),
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
    assert found.verdict == outcome
    assert math.isnan(found.distance)
    assert found.would_see == (0.0 if support is None else pytest.approx(2 * se))
    assert support is None or found.support == pytest.approx(support)


def test_a_claim_whose_standard_error_is_not_known_is_open_and_says_so():
    line = verdict(CLAIM, reproduced(-1.0, n=1, spread=math.nan, se=math.inf))
    assert line["verdict"] == "open"
    assert line["because"] == "its standard error is not known"
    assert math.isinf(line["would_see"])


def test_few_repetitions_make_a_claim_harder_to_decide():
    assert comparison(CLAIM, reproduced(-2.2, n=math.nan, se=1.0)).verdict == "holds"
    few = comparison(CLAIM, reproduced(-2.2, n=5, se=1.0))
    assert few.verdict == "open"
    assert few.note == "on the right side of its bound"
    assert norm.cdf(few.support) == pytest.approx(student.cdf(2.2, 4))
    assert student.cdf(-few.would_see, 4) == pytest.approx(norm.cdf(-2))
    assert math.isfinite(comparison(CLAIM, reproduced(1e9, n=1000, se=1.0)).support)


FAR = [
    ("ordinal", 2.5, "fails", "open"),
    ("ordinal", 3.5, "fails", "fails"),
    ("stochastic", 3.5, "differs, unexplained", "matches"),
    ("stochastic", 4.5, "differs, unexplained", "differs, unexplained"),
    ("spread", 3.5, "differs, unexplained", "matches"),
    ("spread", 4.5, "differs, unexplained", "differs, unexplained"),
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
    assert verdict(row, regenerated)["verdict"] == outcome
    quick = verdict(row, regenerated, profile="quick")
    assert quick["verdict"] == quick_outcome
    assert quick["would_see"] > verdict(row, regenerated)["would_see"]


def test_the_standard_error_of_either_side_enters():
    five = {"printed": "5", "spread": 1.0, "n": 10.0}
    plain = verdict(published(**five), reproduced(7.5, spread=0.5, n=20))
    assert plain["se"] == pytest.approx(math.sqrt(1 / 10 + 0.25 / 20))
    wider = verdict(published(**five), reproduced(7.5, spread=2.0, n=20))
    assert wider["se"] == pytest.approx(math.sqrt(4 / 10 + 4 / 20))
    assert plain["verdict"] == "differs, unexplained"
    known = published(**five | {"spread": 0.0})
    assert verdict(known, reproduced(9.0, math.nan, n=20, se=0.7))["se"] == 0.7
    unknown = published(**five | {"spread": math.nan})
    unprinted = verdict(unknown, reproduced(9.0, math.nan, n=40, se=0.5))
    assert unprinted["se"] == pytest.approx(math.sqrt(0.25 + 0.25 * 40 / 10))
    assert verdict(CLAIM, reproduced(-1.0))["verdict"] == "holds"


def test_no_spread_at_all_leaves_only_the_printed_digits():
    row = published(printed="150.0", spread=0.0)
    assert verdict(row, reproduced(150.04, spread=0.0))["verdict"] == "matches"
    line = verdict(row, reproduced(149.0, spread=0.0))
    assert line["verdict"] == "differs, unexplained"
    assert line["distance"] == math.inf


def test_a_spread_known_on_one_side_is_taken_for_both():
    line = verdict(published(spread=3.0), reproduced(26.0, spread=math.nan, n=1))
    assert line["verdict"] == "matches"
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
    assert unknown["verdict"] == "differs, unexplained"
    assert unknown["note"] == "no spread is known on either side"


RATIOS = [
    ("1.0", 1.04, 100, "matches", None),
    ("1.0", 1.25, 100, "matches", 1.25 / 1.05),
    ("1.0", 0.5, 100, "differs", 0.95 / 0.5),
    ("1.0", 0.5, 5, "matches", 0.95 / 0.5),
    # printed as zero: up to half a unit may be hidden
    ("0.0", 0.049, 100, "matches", None),
    ("0.0", 0.2, 100, "differs", 0.2 / 0.05),
]


@cases("printed, value, n, outcome, ratio", *RATIOS)
def test_a_spread_is_compared_by_the_logarithm_of_its_ratio(
    printed, value, n, outcome, ratio
):
    print_ = parse_printed(printed)
    se = math.sqrt(0.5 / 99 + 0.5 / (n - 1))
    found = comparison(published("spread", printed), reproduced(value, n=n))
    assert found.verdict == outcome
    assert found.distance == pytest.approx(math.log(ratio) / se if ratio else 0.0)
    edge = (1.05 if printed == "1.0" else 0.05) * math.exp(3 * se)
    assert found.would_see == pytest.approx(edge - print_.value)


@cases("n, outcome", (10, "not tested"), (56, "not tested"), (57, "differs"))
def test_repetitions_that_are_all_alike_tell_against_a_spread_only_in_number(
    n, outcome
):
    row = published("spread", "0.3")
    found = comparison(row, reproduced(0.0, n=n))
    assert found.verdict == outcome
    assert math.isinf(found.would_see) == (outcome == "not tested")
    assert found.distance == pytest.approx(
        {10: 0.936, 56: 2.995, 57: 3.028}[n], abs=0.01
    )
    assert math.isfinite(comparison(row, reproduced(0.0, n=10**6)).distance)


def test_a_row_that_is_not_scored_is_compared_and_a_problem_where_it_differs():
    row = published("deterministic", "100", asks="setting")
    line = verdict(row, reproduced(100.0))
    assert (line["verdict"], line["scored"]) == ("matches", False)
    assert line["because"] == "a setting of the protocol, not scored"
    line = verdict(row, reproduced(10.0))
    assert line["verdict"] == "differs, unexplained"
    assert line["problem"]
    assert not line["scored"]
    quick = verdict(row, reproduced(10.0), profile="quick")
    assert (quick["verdict"], quick["problem"]) == ("not tested", "")
    assert quick["because"].endswith("a quick run is smaller by design")
    claim = published(
        "ordinal", "lower", relation="< 0", asks="identity", why="proved by a test"
    )
    assert verdict(claim, reproduced(0.1, se=1.0))["verdict"] == "open"
    proved = verdict(claim, reproduced(0.1).iloc[:0])
    assert (proved["verdict"], proved["scored"]) == ("", False)
    assert proved["because"] == "true by construction, not scored: proved by a test"


def test_a_spread_needs_two_repetitions():
    alone = verdict(published("spread", "1.0"), reproduced(0.0, n=1))
    assert alone["verdict"] == "not tested"
    assert alone["because"] == "a spread needs at least 2 repetitions"
    line = verdict(published("spread", "1.0"), reproduced(1.5))
    assert line["verdict"] == "differs, unexplained"
    assert line["problem"]


RANKS = [
    (100, 0, 0, "differs"),
    (0, 0, 100, "differs"),
    (99, 0, 1, "matches"),
    (50, 1, 50, "matches"),
    (0, 100, 0, "matches"),
]


@cases("n_below, n_alike, n_above, outcome", *RANKS)
def test_a_printed_draw_is_ranked_among_the_regenerated_ones(
    n_below, n_alike, n_above, outcome
):
    draws = [1.0] * n_below + ([1.096, 1.104] * 50)[:n_alike] + [1.2] * n_above
    found = comparison(published("draw", "1.10"), reproduced(1.1, draws=draws))
    assert found.verdict == outcome
    assert found.distance >= 0
    sentence = f"{n_below} of {len(draws)} draws lie below the print, {n_above} above"
    assert sentence in found.note or outcome == "matches"


@cases("printed", "0", "1")
@cases(
    "n_ones, n, word",
    (0, 200, ""),
    (3, 200, ""),
    (4, 200, "common"),
    (80, 200, "common"),
    (197, 200, ""),
    (200, 200, ""),
    # of fifty draws all must be alike: two that are not tell as much
    (1, 50, "common"),
    (1, 20, "common"),
    (1, 2, "common"),
    (0, 50, ""),
    (0, 49, "not tested"),
)
def test_a_yes_or_no_could_have_been_seen_only_where_one_answer_is_rare(
    printed, n_ones, n, word
):
    draws = [1.0] * n_ones + [0.0] * (n - n_ones)
    found = comparison(published("draw", printed), reproduced(0.5, draws=draws))
    is_usual = float(printed) == float(n_ones > n / 2)
    expected = "matches" if is_usual or word == "common" else "differs"
    assert found.verdict == ("not tested" if word == "not tested" else expected)
    assert found.scored == (word != "common")
    assert found.would_see == (math.inf if word else 1.0)
    if word != "not tested" and not is_usual:
        alike = n_ones if printed == "1" else n - n_ones
        assert found.distance == pytest.approx(norm.isf((alike + 1) / (n + 1) / 2))


def test_a_quick_run_scores_what_is_scored_on_record():
    """A yes or no that could not differ is known as such by many draws, not by few."""
    row = published("draw", "1")
    common, rare, few, mixed = (
        {"toy/table_1": compare(row, reproduced(0.5, draws=draws))}
        for draws in ([0.0, 1.0] * 100, [1.0] * 200, [1.0], [0.0, 1.0])
    )
    for quick, recorded, scored in (
        (few, common, 0),
        (few, rare, 1),
        (few, {}, 1),
        (mixed, rare, 1),
        (mixed, {}, 0),
    ):
        ledger = scored_as_on_record(quick, recorded)["toy/table_1"]
        numbers = score(ledger)["numbers"]
        assert (numbers["printed"], numbers["not tested"]) == (scored, scored)


@cases(
    "n, profile, outcome",
    (2, "quick", "open"),
    (2, "paper", "fails"),
    (math.nan, "quick", "fails"),
)
def test_few_repetitions_that_are_alike_decide_no_claim(n, profile, outcome):
    found = verdict(CLAIM, reproduced(0.0, spread=0.0, n=n, se=0.0), profile=profile)
    assert found["verdict"] == outcome


def test_a_printed_draw_needs_the_regenerated_draws():
    row = verdict(published("draw", "1.10"), reproduced(1.1, draws=(1.1, 1.1)))
    assert row["verdict"] == "not tested"
    assert row["would_see"] == math.inf
    assert row["because"] == "2 draws are too few; 100 repetitions would decide"
    row = verdict(
        published("draw", "1.10"), reproduced(1.1, draws=[1.1] * 200 + [math.nan])
    )
    assert (row["verdict"], row["because"]) == ("not tested", "a draw is missing")
    refused(
        "must bring the draws .* Got none",
        compare,
        published("draw", "1.10"),
        reproduced(1.1),
    )


HEALED = "declared deviation has healed, its verdict is {!r}"


OF_DECLARED = [
    (30.0, "shown", "differs, explained", ""),
    (30.0, "unknown", "differs, unexplained", ""),
    (30.0, "missing data", "not tested", ""),
    (22.4, "shown", "matches", HEALED.format("matches")),
    (22.7, "missing data", "not tested", ""),
    (math.nan, "shown", "not tested", ""),
]


@cases("value, cause, word, problem", *OF_DECLARED)
def test_a_declared_deviation_is_named_and_a_problem_where_it_has_healed(
    value, cause, word, problem
):
    declared = {CELL: Deviation("other splits", "notebook", cause)}
    line = verdict(published(), reproduced(value), declared)
    assert line["verdict"] == word
    assert line["problem"].startswith(problem)
    assert bool(line["problem"]) == bool(problem)
    is_named = value == 30.0 or cause == "missing data"
    assert line["reason"] == ("other splits" if is_named else "")
    if cause == "missing data":
        assert line["because"] == "other splits"
        assert math.isnan(line["distance"]), "of another quantity"
    quick = verdict(published(), reproduced(value), declared, profile="quick")
    assert (quick["verdict"], quick["problem"]) == (word, "")
    assert ("too few repetitions to call it healed" in quick["note"]) == bool(problem)


def test_a_sentence_fails_whatever_is_known_of_the_cause_unless_data_are_missing():
    for cause, word in (("", "fails"), ("shown", "fails"), ("missing data", "open")):
        declared = {CELL: Deviation("not the paper's data", "notebook", cause)}
        line = verdict(CLAIM, reproduced(1.0), declared)
        assert (line["verdict"], line["problem"]) == (word, "")
        assert line["reason"] == "not the paper's data"
    assert verdict(CLAIM, reproduced(1.0))["problem"]


@cases("value", -9.0, 0.0, 9.0)
def test_a_sentence_about_missing_data_is_open_whatever_other_data_say(value):
    declared = {CELL: Deviation("not the paper's data", "notebook", "missing data")}
    line = verdict(CLAIM, reproduced(value), declared)
    assert (line["verdict"], line["because"]) == ("open", "not the paper's data")
    assert (line["problem"], math.isnan(line["needs"])) == ("", True)


def test_what_is_not_declared_or_not_there_is_said():
    other = {(*CELL[:3], "#SV"): DECLARED[CELL]}
    line = verdict(published(), reproduced(30.0), other)
    assert line["verdict"] == "differs, unexplained"
    elsewhere = reproduced(22.4).assign(row="cancer")
    none = verdict(published(), elsewhere)
    assert (none["verdict"], none["problem"]) == ("not tested", "")
    assert none["because"] == "no regenerated value of this row and column"
    assert verdict(CLAIM, elsewhere)["verdict"] == "open"
    missing = compare(published(), elsewhere, is_complete=True).iloc[0]
    assert missing["problem"] == NO_SUCH_VALUE


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


def test_every_scored_row_counts_once_and_problems_are_the_failing_rows():
    values = {
        "a": 22.4,
        "b": 22.8,
        "c": 30.0,
        "d": 40.0,
        "e": 40.0,
        "f": 40.0,
        "g": math.nan,
    }
    causes = {"d": "shown", "e": "missing data", "f": "unknown"}
    ledger = ledger_of(values, **causes)
    assert problems(ledger)["row"].tolist() == ["c"]
    words = [NUMBER_WORDS[i] for i in (0, 0, 2, 1, 3, 2, 3)]
    assert ledger["verdict"].tolist() == words
    numbers = score(ledger)["numbers"]
    assert [numbers[word] for word in NUMBER_WORDS] == [2, 1, 2, 2]
    assert (numbers["printed"], numbers["misprints"]) == (7, 2)
    assert (numbers["inside"], numbers["with chance"]) == (2, 5)
    assert score(ledger)["sentences"]["all"] == 0


def test_a_cell_that_repeats_another_is_not_counted_again():
    regenerated = reproduced(22.4)
    assert score(compare(published(), regenerated))["numbers"]["printed"] == 1
    line = verdict(published(repeats="cancer / error"), regenerated)
    assert (line["verdict"], line["scored"]) == ("matches", False)
    assert line["because"] == "repeats cancer / error, not scored"
    rows = pd.concat([published(row="cancer"), published(repeats="cancer / error")])
    for value, word in ((22.4, "matches"), (30.0, "differs, unexplained")):
        both = pd.concat([reproduced(value, row="cancer"), regenerated])
        assert compare(rows, both)["verdict"].tolist() == [word] * 2


def test_a_question_of_ours_has_a_number_and_no_verdict():
    row = published("ordinal", "ours", asks="ours", sentence="is it?")
    for value in (-1.0, 1.0, 0.0):
        line = compare(row, reproduced(value), is_complete=True).iloc[0]
        assert (line["verdict"], line["scored"], line["problem"]) == ("", False, "")
        assert (line["reproduced"], line["se"]) == (value, pytest.approx(0.2))
        assert line[["distance", "support", "would_see"]].isna().all()
    missing = compare(row, reproduced(1.0).iloc[:0], is_complete=True).iloc[0]
    assert (missing["verdict"], missing["problem"]) == ("", NO_SUCH_VALUE)
    assert not missing["scored"]


def test_a_row_that_could_not_have_seen_what_matters_agrees_only_once_it_is_sharp():
    seen = 0.05 + 3 * math.sqrt(2 * 2.0**2 / 100)
    blind, sharp = (
        verdict(published(matters=seen * f), reproduced(22.4)) for f in (0.99, 1.01)
    )
    assert (blind["verdict"], blind["coarse"]) == ("not tested", False)
    assert 100 < blind["needs"] < 110
    assert blind["because"] == "110 repetitions would decide"
    assert (sharp["verdict"], sharp["coarse"]) == ("matches", False)
    enough = verdict(published(matters=seen * 0.99), reproduced(22.4, n=blind["needs"]))
    assert enough["verdict"] == "matches"
    # of the print alone a difference of 0.05 + 3 * 0.2 is not seen, whatever we do
    coarse = verdict(published(matters=0.64), reproduced(22.4))
    assert (coarse["verdict"], coarse["coarse"]) == ("matches", True)
    far = verdict(published(matters=0.01), reproduced(30.0))
    assert (far["verdict"], far["coarse"]) == ("differs, unexplained", False)
    none = verdict(published(), reproduced(22.4, se=math.inf))
    assert none["verdict"] == "not tested"
    assert none["because"] == "no difference would have been seen"
    unsaid = verdict(published(), reproduced(22.4))
    assert unsaid["coarse"], "nobody says what matters"


def test_a_claim_that_takes_too_many_repetitions_lies_at_its_bound():
    line = verdict(CLAIM, reproduced(-0.01))
    assert (line["verdict"], line["because"]) == ("open", "the truth lies at the bound")
    assert math.isinf(line["needs"])
    near = verdict(CLAIM, reproduced(-0.3))
    assert near["because"] == "360 repetitions would decide"


SENTENCES = [
    (["holds", "open"], "holds"),
    (["fails", "open"], "fails"),
    (["fails", "open", "open", "open"], "open"),
    (["holds", "holds", "fails"], "in part"),
    (["holds", "fails", "open", "open", "open"], "in part"),
    (["open", "open"], "open"),
]


@cases("verdicts, word", *SENTENCES)
def test_a_sentence_takes_the_word_of_its_tests(verdicts, word):
    assert sentence_word(verdicts) == word
    numbers = {"holds": -1.0, "fails": 1.0, "open": 0.1}
    names = [f"r{i}" for i in range(len(verdicts))]
    print_ = [
        published("ordinal", "lower", relation="< 0", row=name, sentence="it is lower")
        for name in names
    ]
    values = [
        reproduced(numbers[verdict], row=name)
        for name, verdict in zip(names, verdicts, strict=True)
    ]
    sentences = score(compare(pd.concat(print_), pd.concat(values)))["sentences"]
    assert {name for name in SENTENCE_WORDS if sentences[name]} == {word}
    assert sentences["all"] == 1


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
    assert test.total < test.n


def test_a_row_has_one_verdict_as_printed_and_one_under_a_reading():
    """What misprints and what choices change is never added up."""
    rows = pd.concat([published(), published(row="cancer")])
    regenerated = [reproduced(30.0), reproduced(22.4, reading="exchanged")]
    regenerated += [reproduced(30.0, row="cancer")]
    regenerated += [reproduced(22.4, row="cancer", reading="warmer")]
    declared = DECLARED | {(*CELL[:2], "cancer", "error"): DECLARED[CELL]}
    ledger = compare(rows, pd.concat(regenerated), declared, READINGS)
    assert ledger["verdict"].tolist() == ["differs, explained"] * 2
    assert ledger["verdict_as_read"].tolist() == ["matches"] * 2
    assert ledger["reading_kind"].tolist() == ["misprint", "choice"]
    assert ledger["reproduced_as_read"].tolist() == [22.4, 22.4]
    numbers = score(ledger)["numbers"]
    names = ("matches", "misprints", "choices")
    assert [numbers[name] for name in names] == [0, 1, 2]
    alone = verdict(published(), reproduced(22.4, reading="exchanged"))
    assert (alone["verdict"], alone["verdict_as_read"]) == ("not tested", "matches")
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
    assert ledger["verdict"].tolist() == ["matches"] * 3
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
    for text, outcome in (("2.20", "differs, unexplained"), ("1.20", "matches")):
        rows = pd.concat(published("draw", text, column=name) for name in draws)
        assert compare(rows, regenerated)["verdict"].tolist() == ["matches"] * 2
        together = compare(rows, regenerated, by_row=True)
        assert together["verdict"].tolist() == [outcome] * 2
        assert together["note"].str.startswith("within chance by itself").all() == (
            outcome != "matches"
        )


def shares_of(values, n=400):
    """Three shares printed as .3, .2 and .5, over 100 repetitions, and n regenerated ones."""
    names = ("a", "b", "c")
    rows = [
        published(printed=text, value=float(text), column=name, spread=math.nan)
        for name, text in zip(names, ("0.300", "0.200", "0.500"), strict=True)
    ]
    draws = np.random.default_rng(6).normal(size=(n, 3)) * (0.03, 0.02, 0.0)
    draws[:, 2] = -draws.sum(axis=1)
    draws += values - draws.mean(axis=0)
    regenerated = [
        reproduced(mean, column=name, spread=of.std(ddof=1), n=n, draws=tuple(of))
        for name, mean, of in zip(names, values, draws.T, strict=True)
    ]
    return pd.concat(rows), pd.concat(regenerated)


def test_shares_that_add_up_to_one_agree_only_together():
    one_differs = shares_of((0.30, 0.212, 0.488))
    off = "differs, unexplained"
    assert compare(*one_differs)["verdict"].tolist() == ["matches", off, "matches"]
    assert compare(*one_differs, by_row=True)["verdict"].tolist() == [off] * 3
    near = shares_of((0.302, 0.201, 0.497))
    assert compare(*near, by_row=True)["verdict"].tolist() == ["matches"] * 3


def test_the_spreads_of_shares_are_judged_one_by_one():
    rng = np.random.default_rng(1)
    draws = rng.dirichlet([5, 3, 2], size=200)
    ours, theirs = draws[:100], draws[100:]
    out = Values()
    rows = []
    for k, name in enumerate("abc"):
        out.add_cell("heart", name, ours[:, k])
        mean, spread = theirs[:, k].mean(), theirs[:, k].std(ddof=1)
        known = {"spread": spread, "n": 100.0}
        rows.append(published(printed=f"{mean:.3f}", column=name, **known))
        rows.append(published("spread", f"{spread:.3f}", column=f"{name} ±"))
    ledger = compare(pd.concat(rows), out.frame(), by_row=True)
    assert {*ledger["verdict"]} == {"matches"}


def test_a_cell_whose_data_are_missing_is_left_out_of_its_row():
    rows, regenerated = shares_of((0.302, 0.201, 0.497))
    far = regenerated.assign(
        value=regenerated["value"].mask(regenerated["column"] == "b", 9.0),
        draws=[
            tuple(np.add(of, 8.8 * (name == "b")))
            for name, of in zip(
                regenerated["column"], regenerated["draws"], strict=True
            )
        ],
    )
    missing = {
        (*CELL[:3], "b"): Deviation("not the paper's data", "notebook", "missing data")
    }
    ledger = compare(rows, far, missing, by_row=True)
    assert ledger["verdict"].tolist() == ["matches", "not tested", "matches"]
    assert ledger["departure"].isna().tolist() == [False, True, False]


@cases("chance, n_printed", (0.03, 10), (0.1, 10), (0.5, 10), (0.03, 100))
def test_a_print_of_rare_events_seldom_differs_by_chance_alone(chance, n_printed):
    """Its few repetitions may all be alike, and print no spread."""
    rng = np.random.default_rng(4)
    n_differ = 0
    n_runs = 300
    for _ in range(n_runs):
        ours = 100.0 * (rng.random(100) < chance)
        theirs = 100.0 * (rng.random(n_printed) < chance)
        if not ours.any():
            continue
        print_ = published(
            printed=f"{theirs.mean():.1f}",
            spread=round(theirs.std(ddof=1), 1),
            n=float(n_printed),
        )
        values = reproduced(
            ours.mean(), spread=ours.std(ddof=1), n=100, draws=tuple(ours)
        )
        n_differ += comparison(print_, values).verdict == "differs"
    assert n_differ / n_runs < 0.02


def test_few_repetitions_do_not_tell_shares_apart_that_many_do():
    for n, differ in ((4, False), (400, True)):
        rows, regenerated = shares_of((0.30, 0.212, 0.488), n)
        ledger = compare(rows, regenerated, profile="quick", by_row=True)
        assert (ledger["verdict"] != "matches").tolist() == [differ] * 3


def heavy(rng, shape):
    """Shares that are small but for one in ten, which takes all others with it."""
    rare = rng.random(shape) < 0.1
    return rng.normal(size=(*shape, 3)) * 0.001 + 0.03 * rare[..., None]


def test_the_chance_of_means_with_heavy_tails_is_even():
    rng = np.random.default_rng(6)
    chances = [
        chance_of_means(theirs.mean(axis=0), (4, 4, 4), ours, 20)
        for theirs, ours in zip(
            heavy(rng, (150, 20)), heavy(rng, (150, 100)), strict=True
        )
    ]
    assert 0.03 < np.mean(np.array(chances) < 0.1) < 0.17
    assert 0.42 < np.mean(chances) < 0.58


@cases("kind, statistic", ("stochastic", np.mean), ("spread", np.std))
def test_repetitions_with_heavy_tails_bring_the_chance_of_their_own(kind, statistic):
    """Of 10 repetitions among which one in ten is off, normal theory calls no fewer different."""
    rng = np.random.default_rng(1)
    differs = []
    for theirs, ours in zip(heavy(rng, (200, 10)), heavy(rng, (200, 100)), strict=True):
        print_ = published(
            kind, f"{statistic(theirs[:, 0]):.5f}", n=10.0, spread=math.nan
        )
        ours = ours[:, 0]
        known = {"spread": ours.std(ddof=1), "n": 100}
        values = reproduced(statistic(ours), **known)
        with_draws = reproduced(statistic(ours), **known, draws=tuple(ours))
        differs.append(
            [comparison(print_, x).verdict == "differs" for x in (values, with_draws)]
        )
    normal, own = np.mean(differs, axis=0)
    assert own <= normal
    assert own < 0.02
    far = published(kind, "0.09", n=10.0, spread=math.nan)
    assert comparison(far, with_draws).verdict == "differs"


@cases(
    "kind, statistic, exact, spread",
    ("stochastic", np.mean, {}, 1.0),
    ("spread", np.std, {"ddof": 1}, math.nan),
)
def test_cells_that_share_their_samples_are_fewer_than_they_look(
    kind, statistic, exact, spread
):
    """Of 20 machines on the same splits a departure of one is one of all."""
    rng = np.random.default_rng(2)
    names = [f"r{i}" for i in range(20)]
    chances = []
    for _ in range(20):
        runs = rng.normal(size=(2, 100, 1)) + 0.3 * rng.normal(size=(2, 100, 20))
        theirs, ours = statistic(9 + runs, axis=1, **exact)
        print_ = pd.concat(
            published(kind, f"{x:.4f}", row=name, spread=spread)
            for name, x in zip(names, theirs, strict=True)
        )
        regenerated = pd.concat(
            reproduced(x, spread=1.0, row=name, draws=tuple(draws))
            for name, x, draws in zip(names, ours, runs[1].T, strict=True)
        )
        (test,) = joint_tests(compare(print_, regenerated))
        chances.append((test.chance, test.signs))
    rare = np.mean(np.array(chances) < 0.05, axis=0)
    assert (rare < 0.25).all()


def test_the_joint_chance_of_a_new_draw_is_even():
    rng = np.random.default_rng(8)
    tables = rng.exponential(size=(600, 51, 4))
    chances = np.array([joint_chance(x[0], x[1:]) for x in tables])
    assert 0.06 < np.mean(chances <= 0.1) < 0.14
    assert 0.45 < chances.mean() < 0.57
