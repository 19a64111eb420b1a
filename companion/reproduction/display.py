"""The ledger for people: tables and sentences, with numbers rounded as the paper rounds."""

import json
import math
import re

import numpy as np
import pandas as pd

from companion.reproduction.declared import load_readings
from companion.reproduction.published import SCORED, parse_printed
from companion.reproduction.scores import (
    IN_PART,
    NUMBER_WORDS,
    READ_BY,
    READ_TITLES,
    SENTENCE_WORDS,
    as_read,
    by_artefact_on_record,
    joint_lines,
    score,
    sentence_word,
)
from companion.reproduction.tables import Table, number_text, plain, plain_records, slug
from companion.reproduction.verdicts import (
    EXPLAINED,
    FAILS,
    HOLDS,
    MATCHES,
    NOT_TESTED,
    OPEN,
    UNEXPLAINED,
)

__all__ = [
    "Table",
    "findings",
    "published_vs_reproduced",
    "score_line",
    "score_table",
    "sentence",
    "verdict_table",
]

#: What departs from the print.
DEPARTS = (EXPLAINED, UNEXPLAINED, FAILS)
#: A sign for each word, so that colour is never the only one, the worst last.
SIGNS = {
    "": "·",
    MATCHES: "✓",
    HOLDS: "✓",
    OPEN: "?",
    NOT_TESTED: "–",
    IN_PART: "±",
    EXPLAINED: "≠",
    UNEXPLAINED: "✗",
    FAILS: "✗",
}
_PLURALS = {MATCHES: "match", HOLDS: "hold", FAILS: "fail"}
_PLURALS |= {EXPLAINED: "differ, explained", UNEXPLAINED: "differ, unexplained"}
#: The numbers behind a table of rows, with what they are of.
_VALUES = ["artefact", "row", "column", "verdict", "converged"]
_VALUES += ["published", "reproduced", "reproduced_spread", "reproduced_n"]
_VALUES += ["distance", "support", "would_see", "needs"]
_VALUES += ["reproduced_as_read", "verdict_as_read"]
_SPREAD = " ±"  # ends the name of the column that holds the spread of another


# ------------------------------------------------------------------ one row


def published_text(line):
    """A published cell as printed: with its spread, or with its relation."""
    if line["relation"]:
        return f"{line['printed']} ({line['relation']})"
    if plain(line["spread"]) is None:
        return line["printed"]
    spread = parse_printed(line["printed"]).format(line["spread"])
    return f"{line['printed']} ± {spread if float(spread) == line['spread'] else line['spread']}"


def reproduced_text(line, name="reproduced"):
    """A regenerated cell with the digits of the print."""
    value = line[name]
    if plain(value) is None:
        return "-"
    if isinstance(value, str):
        return value
    printed = parse_printed(line["printed"])
    if line["kind"] == "ordinal" or printed is None:
        # a difference of nothing but rounding errors is zero
        is_zero = abs(value) < 1e-9 * line["se"]
        text = number_text(0.0 if is_zero else value, ".3g")
        se = number_text(line["se"], ".2g") if name == "reproduced" else ""
        return f"{text} (SE {se})" if se else text
    text = printed.format(value)
    spread = line.get(f"{name}_spread")
    if line["kind"] in ("stochastic", "draw") and plain(spread) is not None:
        # of a number printed whole, the spread would mostly round to 0
        text += f" ± {spread:.{max(printed.decimals, 1)}f}"
    return text


def _read_text(line):
    """The regeneration and the verdict under another reading of the print."""
    if not line["reading"]:
        return ""
    value = reproduced_text(line, "reproduced_as_read")
    kind = f"{line['reading_kind']} {line['reading']}"
    return f"{value}: {line['verdict_as_read']} ({kind})"


def _verdict_text(line):
    """What became of a row, with what there is to say about it, in words."""
    word = line["verdict"]
    why = "; ".join(dict.fromkeys(filter(None, [line["because"], line["reason"]])))
    if line["coarse"]:
        why = "; ".join(
            filter(None, [why, "the print is too coarse for a sharper comparison"])
        )
    elif word == MATCHES and line["scored"] and math.isfinite(line["would_see"]):
        seen = number_text(line["would_see"], ".2g")
        why = f"a difference of {seen} would have been seen"
    text = ": ".join(filter(None, [word, why]))
    unconverged = "" if line["converged"] else "not converged"
    extra = [unconverged, line["problem"], line["note"]]
    return "; ".join(filter(None, [text, *extra]))


def sentence(line):
    """All that matters of one row of a ledger, a mapping, in a sentence.

    Returns
    -------
    str
    """
    place = f"{line['row']}, {line['column']}"
    n = number_text(line["reproduced_n"], "g")
    over = f" over {n} repetitions" if n and line["kind"] != "deterministic" else ""
    here = f"is {reproduced_text(line)} here{over}"
    if plain(line["reproduced"]) is None:
        here = "has no value here"
    if line["asks"] == "ours":
        question = full_sentence(f"We ask: {line['sentence']}")
        return f"{question} {place} {here}."
    if line["kind"] == "ordinal":
        claim = full_sentence(f"The paper says: {line['sentence']}")
        said = f"{claim} Its test, {place}, must be {line['relation']} and {here}"
    else:
        printed = published_text(line)
        said = f"The paper prints {printed} for {place} ({line['where']}); it {here}"
    return full_sentence(": ".join(filter(None, [said, _verdict_text(line)])))


def full_sentence(text):
    """A sentence with its full stop, which a question has not."""
    return text if text.endswith(("?", ".")) else f"{text}."


def escaped(text):
    """A text in which Markdown sees no markup and no formula."""
    return re.sub(r"([*_$<|`\\])", r"\\\1", text)


def _row_texts(line):
    """The texts of one value in a table of verdicts, by column."""
    is_fixed = line["kind"] == "deterministic"
    return {
        "row": line["row"],
        "column": line["column"],
        "published": published_text(line),
        "reproduced": reproduced_text(line),
        "distance": number_text(line["distance"], ".1f"),
        "support": number_text(line["support"], "+.1f"),
        "would see": number_text(line["would_see"], ".2g"),
        "n": "" if is_fixed else number_text(line["reproduced_n"], "g"),
        "verdict": _verdict_text(line),
        "read otherwise": _read_text(line),
    }


def explained(line, artefact):
    """All there is about one value, a row of the ledger as a dict: texts by what they are."""
    functions = [study.compute for study in artefact.studies]
    names = [f"{f.__module__}.{f.__qualname__}" for f in functions]
    tables = [f"data/records/{s.paper}/{s.name}.csv" for s in artefact.studies]
    again = f"companion reproduce {artefact.id} --profile paper --fresh"
    found = {
        "in short": sentence(line),
        **_row_texts(line),
        "evidence": line["evidence"],
        "where": line["where"],
        "sentence": line["sentence"],
        "why so": line["why"],
        "computed by": ", ".join(names),
        "records": ", ".join(tables),
        "see it again": f"{again}, then companion verify {artefact.id}",
    }
    return {name: text for name, text in found.items() if text}


# ------------------------------------------------------------------ tables


def departures_first(ledger):
    """Rows that depart or have a problem, those not tested or open, the scored, the others."""
    departs = ledger["verdict"].isin(DEPARTS) | (ledger["problem"] != "")
    left_open = ledger["verdict"].isin([NOT_TESTED, OPEN])
    is_scored = ledger["asks"].isin(SCORED)
    rank = np.select([departs, left_open & is_scored, is_scored], [0, 1, 2], 3)
    return ledger.iloc[rank.argsort(kind="stable")]


def verdict_table(ledger):
    """One line a published value: the print, the regeneration and the verdict.

    What departs from the print stands first. In HTML the table is folded up, with what the values
    come to together above its rows.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`.

    Returns
    -------
    Table
        Columns row, column, published, reproduced, distance (of a value from the print) and
        support (of a claim), both in standard errors, would see (the smallest departure that would
        have been seen), n (repetitions the regenerated value rests on), verdict with its reason, a
        problem or a note, and value and verdict under another reading of the print, if there is
        one.
    """
    ledger = departures_first(ledger)
    lines = ledger.to_dict("records")
    frame = pd.DataFrame(map(_row_texts, lines))
    frame["verdict"] = [f"{_sign([line])} {_verdict_text(line)}" for line in lines]
    if not frame["read otherwise"].any():
        frame = frame.drop(columns="read otherwise")
    table = Table(frame, frame.to_numpy(), ledger[_VALUES].to_dict("records"))
    table.summary = f"All {len(frame)} rows, those that depart from the print first"
    table.above = joint_lines(ledger)
    table.ids = [f"row-{place + 1}" for place in ledger.index]
    return table


def published_vs_reproduced(ledger, rows=None, columns=None, title=""):
    """The printed table with its verdicts, and its rows with their regeneration.

    In HTML each cell of the print has the colour of its verdict, and a click or Enter shows its
    sentence. Beside it are the table with misprints corrected and with choices made, where there
    are such readings; opening one closes the others. The rows are folded up, as those of
    :func:`verdict_table`.

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
    rows = ledger["row"].unique() if rows is None else rows
    if columns is None:
        columns = [c for c in ledger["column"].unique() if not c.endswith(_SPREAD)]
    inside = [*columns, *(column + _SPREAD for column in columns)]
    part = ledger[ledger["row"].isin(rows) & ledger["column"].isin(inside)]
    if part["joint"].count() < ledger["joint"].count():
        # The chance is that of all single draws of the artefact, not of some of them.
        part = part.assign(joint=math.nan)
    table = verdict_table(part)
    table.title = title
    table.summary = "Row by row with ours"
    table.ids = ()  # those of the table of all rows
    places = map(slug, part["artefact"], part["row"], part["column"])
    table.group = f"prints-{min(places, default='')}"
    table.prints = [("As printed", columns, _printed_rows(part, rows, columns))]
    for name, kinds in READ_BY.items():
        if part["reading_kind"].eq(kinds[-1]).any():
            read = _printed_rows(as_read(part, kinds), rows, columns)
            table.prints.append((READ_TITLES[name].capitalize(), columns, read))
    return table


def _printed_rows(ledger, rows, columns):
    """The rows of a printed table, each a name and its cells, of which some may be empty."""
    lines = {(line["row"], line["column"]): line for line in ledger.to_dict("records")}

    def cell(row, column):
        places = ((row, column), (row, column + _SPREAD))
        inside = [lines[place] for place in places if place in lines]
        return inside and {
            "word": _worst_verdict(inside),
            "sign": _sign(inside),
            "text": published_text(inside[0]),
            "sentences": [*map(sentence, inside)],
        }

    return [(row, [cell(row, column) for column in columns]) for row in rows]


def _worst_verdict(lines):
    """The worst verdict of some rows that are scored."""
    words = [line["verdict"] if line["scored"] else "" for line in lines]
    return max(words, key=[*SIGNS].index)


def _sign(lines):
    return SIGNS[_worst_verdict(lines)]


# ------------------------------------------------------------------ the score


def counted(number, word, what=""):
    """How many have a word: "1 holds", "2 of 3 numbers match", "3 differ, explained"."""
    verb = word if number == 1 else _PLURALS.get(word, word)
    return " ".join(filter(None, [str(number), what, verb]))


def score_line(ledger):
    """The score in one line: "12 of 26 numbers match; 3 of 4 sentences hold"; "" of nothing."""
    counts = score(ledger)
    numbers = counts["numbers"]
    sentences = counts["sentences"]
    parts = []
    if n := numbers["printed"]:
        noun = "number" if n == 1 else "numbers"
        parts.append(counted(numbers[MATCHES], MATCHES, f"of {n} {noun}"))
    if n := sentences["all"]:
        noun = "sentence" if n == 1 else "sentences"
        parts.append(counted(sentences[HOLDS], HOLDS, f"of {n} {noun}"))
    return "; ".join(parts)


def _share(numbers):
    """The share of numbers inside their 95 % prediction interval, in per cent; "" of none."""
    if not numbers["with chance"]:
        return ""
    return f"{100 * numbers['inside'] / numbers['with chance']:.0f} %"


def score_table(groups, as_printed=False):
    """The score of some ledgers, of their numbers and of their sentences, a column a group.

    Parameters
    ----------
    groups : mapping of str to pandas.DataFrame
        A ledger by what stands above its column, such as the key of a paper.
    as_printed : bool, default=False
        Whether to leave out what is so under readings.

    Returns
    -------
    Table
    """
    scores = {name: score(ledger) for name, ledger in groups.items()}
    read_by = () if as_printed else READ_BY
    rows = []

    def add(title, of, name):
        rows.append([title, *(str(counts[of][name]) for counts in scores.values())])

    add("numbers printed", "numbers", "printed")
    for word in NUMBER_WORDS:
        add(f"  {word}", "numbers", word)
        if word == MATCHES:
            add("    of a coarse print", "numbers", "coarse")
    for name in read_by:
        add(f"  match {READ_TITLES[name]}", "numbers", name)
    within = [_share(counts["numbers"]) for counts in scores.values()]
    rows.append(["  in the 95 % interval", *within])
    add("sentences", "sentences", "all")
    for word in SENTENCE_WORDS:
        add(f"  {word}", "sentences", word)
    for name in read_by:
        add(f"  hold {READ_TITLES[name]}", "sentences", name)
    values = [
        {"group": group, "of": of, **counts[of]}
        for group, counts in scores.items()
        for of in counts
    ]
    return Table(["", *groups], rows, values)


# ------------------------------------------------------------------ what came out, folded


def _departure(line):
    """A cell that departs from the print, with both numbers."""
    asked = f"printed {published_text(line)}"
    if line["kind"] == "ordinal":
        asked = f"asked {line['relation']}"
    return f"{line['row']}, {line['column']}: here {reproduced_text(line)}, {asked}"


def _some_of(rows, most, text=_departure):
    """The first of some rows, and how many more there are."""
    texts = [escaped(text(line)) for line in rows[:most].to_dict("records")]
    left = len(rows) - most
    return "; ".join([*texts, f"and {left} more"] if left > 0 else texts)


def _claim_finding(claim, tests):
    """What the tests of a claim came to, with those that fail or are open and why."""
    word = sentence_word(tests["verdict"])
    became = tests["verdict"].value_counts()
    counts = ", ".join(counted(became[w], w) for w in SENTENCE_WORDS if w in became)
    text = full_sentence(f"* **{word.capitalize()}** ({counts}): {escaped(claim)}")
    failing = tests[tests["verdict"] == FAILS]
    if len(failing):
        text += f" Failing: {_some_of(failing, 2)}."
    left_open = tests["because"][tests["verdict"] == OPEN]
    why = [text for text in dict.fromkeys([*failing["reason"], *left_open]) if text]
    return f"{text} Why: {escaped('; '.join(why))}." if why else text


def _read_otherwise(scored):
    """What the other readings of the print are, and how many rows match or hold under each."""
    readings = load_readings()
    good = (MATCHES, HOLDS)
    for name, rows in scored[scored["reading"] != ""].groupby("reading", sort=False):
        printed, read = rows[["verdict", "verdict_as_read"]].isin(good).sum()
        means = f": {escaped(readings[name].changes)}" if name in readings else ""
        kind = rows["reading_kind"].iloc[0]
        yield (
            f"* **Read otherwise** ({kind} *{name}*): {read} of {len(rows)} rows match or hold, as"
            f" printed {printed}{means}."
        )


def _claim_by_claim(ledger):
    """A line a reading of the print, one a claim, one a question of ours."""
    scored = ledger[ledger["scored"]]
    yield from _read_otherwise(scored)
    claims = scored[scored["asks"] == "claim"].groupby("sentence", sort=False)
    for claim in sorted(claims, key=lambda claim: FAILS not in {*claim[1]["verdict"]}):
        yield _claim_finding(*claim)

    def answer(line):
        return f"{line['row']}, {line['column']}: {reproduced_text(line)}"

    asked = ledger[ledger["asks"] == "ours"].groupby("sentence", sort=False)
    for question, rows in asked:
        yield f"* {full_sentence(f'We ask: {escaped(question)}')} {_some_of(rows, 4, answer)}."


def findings(ledger):
    """The score, and folded up in it what came out claim by claim.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`, or some of its rows.

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    summary = score_line(ledger) or "Nothing is scored here"
    lines = [*_claim_by_claim(ledger)]
    if not lines:
        return Markdown(f"{summary}.")
    folded = [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"]
    return Markdown("\n".join(folded))


# ------------------------------------------------------------------ several ledgers


def whole(ledgers):
    """One ledger of several by artefact."""
    return pd.concat(ledgers.values(), ignore_index=True)


def by_paper(ledgers):
    """The ledger of each paper, of several by artefact, and of all if there are several papers."""
    everything = whole(ledgers)
    papers = dict(iter(everything.groupby("paper", sort=False)))
    return papers | {"all": everything} if len(papers) > 1 else papers


def worse_lines(ledgers, on_record):
    """A text for each value that departs from the print, but on record does not, or is a problem.

    Both are ledgers by artefact; one that is not on record is worse wherever it has a problem.
    """
    texts = []
    for name, ledger, recorded in by_artefact_on_record(ledgers, on_record):
        lines = ledger.to_dict("records")
        for line, before in zip(lines, recorded["verdict"], strict=True):
            found = line["problem"]
            is_known = isinstance(before, str) and before
            if line["verdict"] in DEPARTS and is_known and before not in DEPARTS:
                found = f"{line['verdict']}, on record {before}"
            if found:
                texts.append(f"{name}: {_departure(line)}; {found}")
    return texts


def ledger_text(ledgers, form):
    """All rows of some ledgers, as JSON (a list of objects; ledger.schema.json) or CSV.

    Parameters
    ----------
    ledgers : mapping of str to pandas.DataFrame
    form : {"json", "csv"}
    """
    lines = whole(ledgers) if ledgers else pd.DataFrame()
    if form == "csv":
        return lines.to_csv(index=False)
    rows = plain_records(lines.to_dict("records"))
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
