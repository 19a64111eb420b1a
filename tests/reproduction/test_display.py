"""Tables for people: the digits of the print for the eye, full precision for the tests."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from _cases import cases, refused
from test_verdicts import READINGS, published, reproduced

from companion.reproduction import VALUES_MIME, display
from companion.reproduction.display import (
    Table,
    findings,
    reproduced_text,
    score_line,
    verdict_table,
)
from companion.reproduction.verdicts import compare


def printed(name, column, text, kind="stochastic", **changes):
    known = {"matters": math.inf} | changes  # any difference is seen
    return published(kind, text, row=name, column=column, **known)


def regenerated(name, column, value, spread=math.nan, **changes):
    return reproduced(value, spread, row=name, column=column, **changes)


@pytest.fixture
def ledger():
    rows = [
        printed("size", "n", "100", "deterministic", asks="setting"),
        printed("heart", "LS", "15.6", spread=3.2),
        printed("heart", "LS ±", "3.2", "spread"),
        printed("heart", "|A - B|", "similar", "ordinal", relation="<= 1"),
        printed("cancer", "LS", "25.7", spread=4.5),
        printed("cancer", "LS ±", "4.5", "spread"),
        printed("german", "LS", "23.3", spread=2.1),
    ]
    values = [
        regenerated("size", "n", 100.0),
        regenerated("heart", "LS", 15.6123456789, 3.1500001),
        regenerated("heart", "LS ±", 3.1500001),
        regenerated("heart", "|A - B|", 0.25, se=0.125),
        regenerated("cancer", "LS", 29.0, 4.5, converged=False),
        regenerated("cancer", "LS ±", 4.5),
        regenerated("cancer", "LS", 25.0, 4.5, reading="exchanged"),
    ]
    return compare(pd.concat(rows), pd.concat(values), {}, READINGS)


def test_a_table_of_verdicts_is_folded_up_with_what_departs_first(ledger):
    table = verdict_table(ledger)
    names = [tuple(row[:2]) for row in table.rows]
    assert names == [(value["row"], value["column"]) for value in table.values]
    assert names[:2] == [("cancer", "LS"), ("german", "LS")]
    assert names[-1] == ("size", "n")
    assert table.rows[-1][8] == "· matches: a setting of the protocol, not scored"
    shown, folded = table.to_html().split("<details>")
    assert not shown
    assert "<summary>All 7 rows, those that depart from the print first" in folded
    assert "2 means together" in folded


def test_no_table_shows_more_than_forty_rows_unfolded():
    table = Table.from_frame(pd.DataFrame({"x": range(45)}))
    shown, folded = table.to_html().split("<details>")
    assert "<td>39</td>" in shown
    assert "5 more" in folded
    assert "<td>40</td>" in folded


def test_findings_are_folded_up_in_the_score_of_numbers_and_sentences(ledger):
    claims = ledger["asks"] == "claim"
    ledger.loc[claims, "sentence"] = '"A and B are similar"'
    first, *lines, last = findings(ledger).data.split("\n")
    score = "3 of 5 numbers match; 1 of 1 sentence holds"
    assert first == f"<details><summary>{score}</summary>"
    assert last == "</details>"
    text = "\n".join(lines)
    assert '* **Holds** (1 holds): "A and B are similar".' in text
    assert "(misprint *exchanged*): 1 of 1 rows match or hold, as printed 0." in text
    ledger.loc[claims, ["verdict", "reproduced", "reason"]] = [
        "fails",
        3.0,
        "who knows",
    ]
    failing = findings(ledger).data.replace("\\", "")
    assert "0 of 1 sentence hold</summary>" in failing
    assert '"A and B are similar". Failing: heart, |A - B|: here 3' in failing
    assert "Why: who knows." in failing


def test_where_nothing_is_decided_the_score_says_so(ledger):
    claims = ledger["asks"] == "claim"
    undecided = ledger.assign(verdict=np.where(claims, "open", "not tested"))
    assert score_line(undecided) == "5 numbers are not tested; 1 sentence is open"


def test_what_we_ask_stands_there_without_a_verdict():
    row = published("ordinal", "ours", asks="ours", sentence="is it lower?")
    ledger = compare(row, reproduced(-1.0))
    text = findings(ledger).data
    assert "* We ask: is it lower? heart, error: -1 (SE 0.2)." in text
    line = ledger.to_dict("records")[0]
    said = "We ask: is it lower? heart, error is -1 (SE 0.2) here over 100 repetitions."
    assert display.sentence(line) == said
    assert (
        verdict_table(ledger).rows[0][8] == "· a question of our own, without a verdict"
    )


def test_the_mime_bundle_holds_text_html_and_numbers_at_full_precision(ledger):
    bundle = verdict_table(ledger)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", VALUES_MIME}
    rows = json.loads(json.dumps(bundle[VALUES_MIME], allow_nan=False))["rows"]
    cancer, german, heart = rows[:3]
    assert heart["reproduced"] == 15.6123456789
    assert heart["reproduced_n"] == 100
    assert german["reproduced"] is None
    assert cancer["converged"] is False
    assert cancer["verdict"] == "differs, unexplained"
    assert cancer["reproduced_as_read"] == 25.0
    assert cancer["verdict_as_read"] == "matches"
    values = [{"z": np.float64(-math.inf), "n": np.int64(3), "ok": np.bool_(True)}]
    assert Table(["z"], [["x"]], values).values == [{"z": "-inf", "n": 3, "ok": True}]


def test_html_and_markdown_escape_what_would_break_them():
    table = Table(["|a|", "b"], [["x < 1", "c|d"]], [], title="<T>")
    assert "<td>x &lt; 1</td>" in table.to_html()
    assert "&lt;T&gt;" in table.to_html()
    assert table.to_markdown().splitlines()[0] == "| \\|a\\| | b |"
    assert table.to_markdown().splitlines()[2] == "| x < 1 | c\\|d |"


def test_the_printed_table_has_the_rows_and_columns_asked_for(ledger):
    table = display.published_vs_reproduced(ledger, columns=["LS"])
    ((_, columns, rows), _) = table.prints
    assert columns == ["LS"]
    assert [name for name, _ in rows] == ["size", "heart", "cancer", "german"]
    inside = [[line["printed"] for line in cells[0]] for _, cells in rows]
    assert inside == [[], ["15.6", "3.2"], ["25.7", "4.5"], ["23.3"]]
    assert len(table.values) == 5
    (alone,) = display.published_vs_reproduced(ledger, rows=["heart"]).prints
    assert [name for name, _ in alone[2]] == ["heart"]
    for asked, fault in (
        ({"columns": ["XX"]}, "There is no column 'XX'"),
        ({"rows": ["liver"]}, "There is no row 'liver'"),
    ):
        refused(fault, display.published_vs_reproduced, ledger, **asked)
    both = pd.concat([ledger, ledger.assign(artefact="fig_1")])
    refused(
        "shows one artefact. Got table_1, fig_1", display.published_vs_reproduced, both
    )


def test_each_cell_of_the_print_opens_its_sentence_as_printed_and_corrected(ledger):
    table = display.published_vs_reproduced(ledger, rows=["heart", "cancer"])
    html = table.to_html()
    blocks = html.split('" open>')[1].split("\n</details>")
    printed, corrected = blocks[:2]
    (cancer,) = (row for row in printed.split("</tr>") if ">cancer</th>" in row)
    sign = '<span class="sign sign-differs-unexplained">✗</span> 25.7 ± 4.5'
    assert sign in cancer
    assert "it is 29.0 ± 4.5 here over 100 repetitions: differs" in cancer
    assert "it is 25.0 here over 100 repetitions: matches" in corrected
    assert "✗" not in corrected
    alone = display.published_vs_reproduced(ledger, rows=["heart"]).to_html()
    assert "<summary>With misprints" not in alone
    first, second, other = re.findall(r'<details name="([^"]+)"', html + alone)
    assert first == second != other, "of one name the browser keeps one open"


def test_a_part_of_a_table_says_nothing_of_the_chance_of_all_draws(ledger):
    drawn = ledger.assign(joint=0.2)
    whole = display.published_vs_reproduced(drawn).above
    alone = display.published_vs_reproduced(drawn, rows=["heart"]).above
    said = f"The chance that {len(drawn)} single draws all lie so far from ours: 0.2"
    assert said in whole
    assert not any("single draws" in line for line in alone)


def test_the_table_of_the_score_has_a_column_a_group(ledger):
    groups = {"toy": ledger, "all": pd.concat([ledger, ledger.assign(paper="other")])}
    table = display.score_table(groups)
    assert table.header == ["", "toy", "all"]
    rows = {row[0].strip(): row[1:] for row in table.rows}
    assert rows == {
        "numbers printed": ["5", "10"],
        "matches": ["3", "6"],
        "of a coarse print": ["0", "0"],
        "differs, explained": ["0", "0"],
        "differs, unexplained": ["1", "2"],
        "not tested": ["1", "2"],
        "match with misprints corrected": ["4", "8"],
        "match with choices made": ["4", "8"],
        "in the 95 % interval": ["75 %", "75 %"],
        "sentences": ["1", "2"],
        "holds": ["1", "2"],
        "in part": ["0", "0"],
        "fails": ["0", "0"],
        "open": ["0", "0"],
        "hold with misprints corrected": ["1", "2"],
        "hold with choices made": ["1", "2"],
    }


def test_a_sentence_says_what_is_printed_what_is_here_and_what_that_means(ledger):
    size, heart, _, claim, cancer, _, german = map(
        display.sentence, ledger.to_dict("records")
    )
    assert heart == (
        "The paper prints 15.6 ± 3.2 for heart, LS (p. 1); it is 15.6 ± 3.2 here over 100"
        " repetitions: matches: a difference of 1.4 would have been seen."
    )
    assert "must be <= 1 and is 0.25 (SE 0.12) here" in claim
    assert "differs, unexplained; not converged" in cancer
    assert german.endswith("not tested: no regenerated value of this row and column.")
    assert "matches: a setting of the protocol, not scored" in size


@cases(
    "value, se, text",
    (-5.6e-17, 0.01, "0 (SE 0.01)"),
    (2e-4, 0.01, "0.0002 (SE 0.01)"),
    (1e-17, math.nan, "1e-17"),
)
def test_a_difference_of_rounding_errors_alone_is_zero(value, se, text):
    line = {"kind": "ordinal", "printed": "alike", "reproduced": value, "se": se}
    assert reproduced_text(line) == text
