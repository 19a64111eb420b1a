"""Tables for people: the digits of the print for the eye, full precision for the tests."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from _cases import refused
from test_verdicts import published, reproduced

from companion.reproduction import display
from companion.reproduction.display import Table, findings, verdict_table
from companion.reproduction.tables import VALUES_MIME
from companion.reproduction.verdicts import compare


def printed(name, column, text, kind="stochastic", **changes):
    return published(kind, text, row=name, column=column, **changes)


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
    return compare(pd.concat(rows), pd.concat(values), {}, {"exchanged": 0})


def test_the_verdict_table_has_one_line_a_value_with_the_digits_of_the_print(ledger):
    table = verdict_table(ledger, "Table 1")
    texts = {
        tuple(row[:2]): dict(zip(table.header, row, strict=True)) for row in table.rows
    }
    first = [
        "heart",
        "LS",
        "15.6 ± 3.2",
        "15.6 ± 3.2",
        "0.0",
        "",
        "1.4",
        "100",
        "agrees",
        "",
    ]
    assert len(texts) == len(ledger)
    assert list(texts["heart", "LS"].values()) == first
    claim = texts["heart", "|A - B|"]
    cancer = texts["cancer", "LS"]
    assert claim["published"] == "similar (<= 1)"
    assert claim["reproduced"] == "0.25 (SE 0.12)"
    assert (claim["distance"], claim["support"], claim["verdict"]) == (
        "",
        "+5.5",
        "holds",
    )
    assert (cancer["distance"], cancer["n"]) == ("5.1", "100")
    undeclared = "differs and is not declared in data/deviations.yaml"
    assert cancer["verdict"] == f"differs (not converged); {undeclared}"
    assert cancer[display.CORRECTED] == "25.0: agrees (exchanged)"
    assert list(texts["german", "LS"].values())[3:] == [
        "-",
        "",
        "",
        "",
        "",
        "not run",
        "",
    ]


def test_a_table_of_verdicts_is_folded_up_with_what_departs_first(ledger):
    table = verdict_table(ledger)
    names = [tuple(row[:2]) for row in table.rows]
    assert names == [(value["row"], value["column"]) for value in table.values]
    assert names[:2] == [("cancer", "LS"), ("german", "LS")]
    assert names[-1] == ("size", "n")
    assert table.rows[-1][8] == "listed: setting"
    shown, folded = table.to_html().split("<details>")
    assert not shown
    assert "<summary>All 7 rows, those that depart from the print first" in folded
    assert "<td>german</td>" in folded
    assert "2 means together" in folded


def test_no_table_shows_more_than_forty_rows_unfolded():
    table = Table.from_frame(pd.DataFrame({"x": range(45)}))
    shown, folded = table.to_html().split("<details>")
    assert "<td>39</td>" in shown
    assert "5 more" in folded
    assert "<td>40</td>" in folded


def test_findings_are_sentences_first_and_claim_by_claim_when_unfolded(ledger):
    claims = ledger["asks"] == "claim"
    ledger.loc[claims, "sentence"] = '"A and B are similar"'
    summary, folded = findings(ledger).data.split("<details>")
    assert summary.split(". ") == [
        "**3 of 5 printed numbers are consistent with ours.** 1 number differs",
        "It is cancer, LS, where the paper prints 25.7 ± 4.5 and we find 29.0 ± 4.5",
        "1 could not be computed here",
        "After correcting misprints 4 are consistent",
        "The one sentence of the paper that can be tested here holds.\n\n",
    ]
    assert "cancer, LS: here 29.0 ± 4.5, printed 25.7 ± 4.5" in folded
    assert '* **Holds** (one test): "A and B are similar".' in folded
    assert (
        "* **After correcting misprints**: 1 of 1 rows are consistent, as printed 0"
        " (*exchanged*)." in folded
    )
    ledger.loc[claims, ["outcome", "counts_as", "reproduced"]] = [
        "fails",
        "fails, explained",
        3.0,
    ]
    failing = findings(ledger).data.replace("\\", "")
    assert "that can be tested here fails." in failing
    assert (
        'Fails** (one test): "A and B are similar". Failing: heart, |A - B|: here 3'
        in failing
    )
    ledger.loc[claims, "outcome_as_read"] = "holds"
    assert (
        'Fails** (one test; after correcting misprints: holds): "A and B'
        in findings(ledger).data
    )


def test_findings_say_what_a_reading_changes(ledger):
    ledger["reading"] = ledger["reading"].replace("exchanged", "b-start-svc")
    folded = findings(ledger).data.split("<details>")[1]
    assert "(*b-start-svc*, in case B the unbiased machine starts at the SVC" in folded


def test_text_is_aligned_and_can_be_cut_to_a_width(ledger):
    table = verdict_table(ledger, "Title")
    assert table.above[0].startswith("2 means together: squared distances add up to ")
    title, *lines = table.to_text().splitlines()
    assert title == "Title"
    n_above = len(table.above)
    assert lines[:n_above] == table.above
    head, _, *rows = lines[n_above:]
    assert {row.index("LS") for row in rows if "LS" in row} == {head.index("column")}
    narrow = Table(["not run", "n"], [["1", "22"]], []).to_text(narrow=True)
    assert narrow.splitlines() == ["not  n", "run", "---  --", "1    22"]


def test_the_mime_bundle_holds_text_html_and_numbers_at_full_precision(ledger):
    bundle = verdict_table(ledger)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", VALUES_MIME}
    rows = json.loads(json.dumps(bundle[VALUES_MIME], allow_nan=False))["rows"]
    cancer, german, heart = rows[:3]
    assert heart["reproduced"] == 15.6123456789
    assert heart["reproduced_n"] == 100
    assert german["reproduced"] is None
    assert cancer["converged"] is False
    assert cancer["outcome"] == "differs"
    assert (cancer["reproduced_as_read"], cancer["outcome_as_read"]) == (25.0, "agrees")
    values = [{"z": np.float64(-math.inf), "n": np.int64(3), "ok": np.bool_(True)}]
    assert Table(["z"], [["x"]], values).values == [{"z": "-inf", "n": 3, "ok": True}]


def test_html_and_markdown_escape_what_would_break_them():
    table = Table(["|a|", "b"], [["x < 1", "c|d"]], [], title="<T>")
    assert "<td>x &lt; 1</td>" in table.to_html()
    assert "&lt;T&gt;" in table.to_html()
    assert table.to_markdown().splitlines()[0] == "| \\|a\\| | b |"
    assert table.to_markdown().splitlines()[2] == "| x < 1 | c\\|d |"


def test_the_printed_table_stands_over_its_regeneration_row_by_row(ledger):
    table = display.published_vs_reproduced(
        ledger[ledger["row"] != "size"], columns=["LS"]
    )
    assert table.header == ["", "", "LS"]
    heart = (["15.6 ± 3.2"] * 2, "agrees")
    cancer = (["25.7 ± 4.5", "29.0 ± 4.5"], "differs")
    shown = [row[2] for row in table.rows[:6]]
    assert shown == [*heart[0], heart[1], *cancer[0], f"{cancer[1]}; ±: agrees"]
    assert [row[0] for row in table.rows[3:8]] == ["cancer", "", "", "", "german"]
    assert [row[1] for row in table.rows[3:7]] == [
        "published",
        "reproduced",
        "verdict",
        "corrected",
    ]
    assert table.rows[6][2] == "25.0: agrees (exchanged)"
    assert len(table.values) == 5, (
        "values of the spreads shown inside are kept, the claim's not"
    )
    assert display.published_vs_reproduced(ledger).header == [
        "",
        "",
        "n",
        "LS",
        "|A - B|",
    ]
    assert (
        display.published_vs_reproduced(ledger, rows=["cancer"]).rows[0][0] == "cancer"
    )
    refused(
        "There is no column 'XX'",
        display.published_vs_reproduced,
        ledger,
        columns=["XX"],
    )
    refused(
        "There is no row 'liver'",
        display.published_vs_reproduced,
        ledger,
        rows=["liver"],
    )
    both = pd.concat([ledger, ledger.assign(artefact="fig_1")])
    refused(
        "shows one artefact. Got table_1, fig_1", display.published_vs_reproduced, both
    )


def test_each_cell_of_the_print_opens_its_sentence_as_printed_and_corrected(ledger):
    table = display.published_vs_reproduced(ledger, rows=["heart", "cancer"])
    html = table.to_html()
    blocks = html.split('" open>')[1].split("\n</details>")
    printed, corrected, folded = blocks[:3]
    assert "<summary>As printed</summary>" in printed
    assert "<summary>After correcting misprints</summary>" in corrected
    assert "<summary>Row by row with ours</summary>" in folded
    (cancer,) = (row for row in printed.split("</tr>") if ">cancer</th>" in row)
    sign = '<span class="sign sign-differs-unexplained">✗</span> 25.7 ± 4.5'
    assert sign in cancer
    assert "it is 29.0 ± 4.5 here over 100 repetitions: differs" in cancer
    assert "it is 25.0 here over 100 repetitions: agrees" in corrected
    assert "✗" not in corrected
    alone = display.published_vs_reproduced(ledger, rows=["heart"]).to_html()
    assert "<summary>After correcting" not in alone
    first, second, other = re.findall(r'<details name="([^"]+)"', html + alone)
    assert first == second != other, "of one name the browser keeps one open"


def test_a_part_of_a_table_says_nothing_of_the_chance_of_all_draws(ledger):
    drawn = ledger.assign(joint=0.2)
    whole = display.published_vs_reproduced(drawn).above
    alone = display.published_vs_reproduced(drawn, rows=["heart"]).above
    said = f"The chance that {len(drawn)} single draws all lie so far from ours: 0.2"
    assert said in whole
    assert not any("single draws" in line for line in alone)


def test_the_tables_of_the_score_have_a_line_a_group(ledger):
    groups = {"toy": ledger, "all": pd.concat([ledger, ledger.assign(paper="other")])}
    numbers, sentences = display.score_tables(groups)
    assert numbers.header[:4] == ["numbers", "all", "consistent", "agree"]
    one, both = (dict(zip(numbers.header, row, strict=True)) for row in numbers.rows)
    assert (one["all"], one["consistent"], one["unexplained"]) == ("5", "3", "1")
    assert (one["not run"], one[display.CORRECTED], one["in 95 %"]) == (
        "1",
        "4",
        "75 %",
    )
    assert (both["numbers"], both["all"]) == ("all", "10")
    assert sentences.rows == [
        ["toy", "1", "1", *"000000"[:5], "1"],
        ["all", "2", "2", *"00000", "2"],
    ]
    short = display.score_tables({"toy": ledger}, corrected=False)
    assert display.CORRECTED not in short[0].header


def test_a_sentence_says_what_is_printed_what_is_here_and_what_that_means(ledger):
    size, heart, _, claim, cancer, _, german = map(
        display.sentence, ledger.to_dict("records")
    )
    assert heart == (
        "The paper prints 15.6 ± 3.2 for heart, LS (p. 1); it is 15.6 ± 3.2 here over 100"
        " repetitions: agrees, and a difference of 1.4 would have been seen."
    )
    assert "must be <= 1 and is 0.25 (SE 0.12) here" in claim
    assert cancer.endswith("differs; nobody has said why.")
    assert german.endswith("was not run.")
    assert "not scored (setting)" in size
