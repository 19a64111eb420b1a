"""Ledgers for people: tables and findings, their texts rounded as the paper rounds."""

import json
import re
from collections import Counter
from contextlib import suppress

import numpy as np
import pandas as pd

from companion.reproduction import _comparisons as rules
from companion.reproduction.declared import load_readings
from companion.reproduction.published import SCORED, parse_printed
from companion.reproduction.scores import (
    NOT_SCORED,
    SIGNS,
    as_read,
    joint_lines,
    score,
    sentence_verdict,
    share_text,
)
from companion.reproduction.tables import Table, number_text, plain

__all__ = [
    "Table",
    "findings",
    "published_vs_reproduced",
    "score_tables",
    "sentence",
    "verdict_table",
]

CORRECTED = "after correcting misprints"
_SPREAD = " ±"  # ends the name of the column that holds the spread of another
_LINES = ("published", "reproduced", "verdict", "corrected")
_PLACE = ["artefact", "row", "column", "outcome", "converged"]
_NUMBERS = ["published", "reproduced", "reproduced_spread", "reproduced_n"]
_NUMBERS += [
    "distance",
    "support",
    "would_see",
    "needs",
    "reproduced_as_read",
    "outcome_as_read",
]


def _published_text(line):
    """A published cell as printed: with its spread, or with its relation."""
    if line["kind"] == "ordinal":
        return f"{line['printed']} ({line['relation']})"
    printed = parse_printed(line["printed"])
    if printed is None or plain(line["spread"]) is None:
        return line["printed"]
    spread = printed.format(line["spread"])
    return f"{line['printed']} ± {spread if float(spread) == line['spread'] else line['spread']}"


def _reproduced_text(line, name="reproduced"):
    """A regenerated cell with the digits of the print."""
    value = line[name]
    if plain(value) is None:
        return "-"
    if isinstance(value, str):
        return value
    printed = parse_printed(line["printed"])
    if line["kind"] == "ordinal" or printed is None:
        se = (
            ""
            if plain(line["se"]) is None or name != "reproduced"
            else f" (SE {line['se']:.2g})"
        )
        return number_text(value, ".3g") + se
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
    value = _reproduced_text(line, "reproduced_as_read")
    return f"{value}: {line['outcome_as_read']} ({line['reading']})"


def _note_of(line):
    """What the verdict of a row does not say itself."""
    parts = [part for part in line["note"].split("; ") if part not in line["verdict"]]
    return "; ".join(part for part in parts if part != rules.NO_VALUE)


def _verdict_text(line, notes):
    """The verdict, a problem and a note; with a list of `notes` these and the reason go there."""
    verdict = line["verdict"]
    reason = line["reason"]
    if line["outcome"] == rules.LISTED:
        verdict = f"{rules.LISTED}: {line['asks']}"
    told = [text for text in (line["problem"], _note_of(line)) if text]
    if notes is None:
        return "; ".join([verdict, *told])
    verdict = verdict.replace(f": {reason})", ")")
    told = [*filter(None, [reason]), *told]
    notes += dict.fromkeys(text for text in told if text not in notes)
    return " ".join([verdict, *(f"[{notes.index(text) + 1}]" for text in told)])


def _values(ledger):
    return ledger[_PLACE + _NUMBERS].to_dict("records")


def departures_first(ledger):
    """Rows that depart, are not run or have a problem, undecided claims, the scored, the listed."""
    departs = ledger["outcome"].isin([*rules.DEPARTS, rules.NOT_RUN]) | (
        ledger["problem"] != ""
    )
    open_claim = (ledger["asks"] == "claim") & (ledger["outcome"] == rules.UNDECIDED)
    rank = np.select([departs, open_claim, ledger["asks"].isin(SCORED)], [0, 1, 2], 3)
    return ledger.assign(rank=rank).sort_values("rank", kind="stable")


def _texts(line, notes=None):
    """What is told of one value, by the columns of :func:`verdict_table`."""
    return {
        "row": line["row"],
        "column": line["column"],
        "published": _published_text(line),
        "reproduced": _reproduced_text(line),
        "distance": number_text(line["distance"], ".1f"),
        "support": number_text(line["support"], "+.1f"),
        "would see": number_text(line["would_see"], ".2g"),
        "n": ""
        if line["kind"] == "deterministic"
        else number_text(line["reproduced_n"], "g"),
        "verdict": _verdict_text(line, notes),
        CORRECTED: _read_text(line),
    }


_CAUSES = {
    "demonstrated": "the cause is shown",
    "data": "data are missing",
    "conjecture": "why is a guess",
    "refuted": "the sentence is refuted, for the numbers it rests on are consistent with ours",
    "undeclared": "nobody has said why",
}


def _means(line):
    """What the verdict of a row means for it, in half a sentence."""
    outcome = line["outcome"]
    if outcome in rules.DEPARTS:
        reason = f": {line['reason']}" if line["reason"] else ""
        return f"{outcome}; {_CAUSES[line['status']]}{reason}"
    if outcome == rules.AGREES:
        seen = number_text(line["would_see"], ".2g")
        return f"agrees, and a difference of {seen} would have been seen"
    if outcome == rules.COMPATIBLE:
        return "compatible; the print is too coarse to confirm more"
    if outcome == rules.LISTED:
        why = f": {line['why']}" if line["why"] else ""
        return f"as printed, and not scored ({line['asks']}{why})"
    return line["verdict"]


def sentence(line):
    """All that matters of one row of a ledger, a mapping, in a sentence.

    Returns
    -------
    str
    """
    place = f"{line['row']}, {line['column']}"
    here = _reproduced_text(line)
    n = number_text(line["reproduced_n"], "g")
    over = f" over {n} repetitions" if n and line["kind"] != "deterministic" else ""
    if line["kind"] == "ordinal":
        asked = "We ask" if line["asks"] == "ours" else "The paper says"
        said = f"{asked}: {line['sentence']}. Its test, {place}, must be {line['relation']} and"
    else:
        said = (
            f"The paper prints {_published_text(line)} for {place} ({line['where']});"
        )
    if line["outcome"] == rules.NOT_RUN:
        return f"{said} was not run."
    return f"{said} is {here} here{over}: {_means(line)}.".replace("; is", "; it is")


def verdict_table(ledger, title=""):
    """One line a published value: the print, the regeneration and the verdict.

    What departs from the print stands first; what agrees and what is listed is folded up in HTML.
    Above it is what the values come to together.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`.
    title : str, optional

    Returns
    -------
    Table
        Columns row, column, published, reproduced, distance (of a value from the print) and
        support (of a claim), both in standard errors, would see (the smallest departure that would
        have been seen), n (repetitions the regenerated value rests on), verdict with a problem or a
        note, and value and verdict after correcting misprints, if anything was corrected.
    """
    ledger = departures_first(ledger)
    frame = pd.DataFrame([_texts(line) for line in ledger.to_dict("records")])
    unread = not any(frame.get(CORRECTED, ()))
    frame = frame.drop(columns=[CORRECTED] * unread, errors="ignore")
    folded = int((ledger["rank"] > 1).sum())
    if folded == len(frame) and not title:
        title = f"No row departs, no claim is undecided: {folded} rows"
    above = joint_lines(ledger)
    rows = frame.to_numpy()
    at = frame.columns.get_loc("verdict") if len(frame) else 0
    parts = ledger["counts_as"].replace("", NOT_SCORED)
    signs = {(i, at): (SIGNS[part], part) for i, part in enumerate(parts)}
    ids = [
        "" if again else row_id(ledger, row)
        for row, again in zip(ledger["row"], ledger["row"].duplicated(), strict=True)
    ]
    values = _values(ledger)
    return Table(frame, rows, values, title, folded, above=above, ids=ids, signs=signs)


def row_id(ledger, row):
    """The name that a row has in the HTML of a table of verdicts: its place in the print."""
    return f"row-{list(dict.fromkeys(ledger['row'].sort_index())).index(row) + 1}"


def value_lines(ledger):
    """Of each value some texts, to be wrapped: verdict and place, both numbers, then the rest."""
    for line in departures_first(ledger).to_dict("records"):
        texts = _texts(line)
        n = f" (n {texts['n']})" if texts["n"] else ""
        numbers = [f"printed {texts['published']}", f"here {texts['reproduced']}{n}"]
        measures = ("distance", "support", "would see", CORRECTED)
        numbers += [f"{name} {texts[name]}" for name in measures if texts[name]]
        reason = f"{line['status']}: {line['reason']}" if line["reason"] else ""
        word = line["outcome"] if reason else line["verdict"]
        told = [", ".join(numbers), reason, line["problem"], _note_of(line)]
        yield [f"{word}: {line['row']}, {line['column']}", *filter(None, told)]


def escaped(text):
    """A text in which Markdown sees no markup and no formula."""
    return re.sub(r"([*_$<|`\\])", r"\\\1", text)


def _departure(line):
    """A cell that departs from the print, with both numbers."""
    asked = line["relation"] if line["kind"] == "ordinal" else _published_text(line)
    word = "asked" if line["kind"] == "ordinal" else "printed"
    return f"{line['row']}, {line['column']}: here {_reproduced_text(line)}, {word} {asked}"


def _listed(departures, most):
    texts = []
    for line in departures.to_dict("records"):
        cause = f" ({line['status']})" if line["status"] else ""
        texts.append(escaped(_departure(line)) + cause)
    more = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return "; ".join([*texts[:most], *more])


def _claim_finding(claim, tests):
    """What the tests of a claim came to, and two that fail."""
    verdict, counts = sentence_verdict(tests)
    if (read := sentence_verdict(as_read(tests))[0]) != verdict:
        counts += f"; {CORRECTED}: {read}"
    failing = _listed(tests[tests["outcome"] == rules.FAILS], 2)
    own = "We ask: " if set(tests["asks"]) == {"ours"} else ""
    text = f"* **{verdict.capitalize()}** ({counts}): {own}{escaped(claim)}."
    return f"{text} Failing: {failing}." if failing else text


def _read_otherwise(scored):
    """What the other readings of the print are, and how many rows agree under each."""
    readings = load_readings()
    told = []
    for name, own in scored[scored["reading"] != ""].groupby("reading", sort=False):
        printed, read = own[["outcome", "outcome_as_read"]].isin(rules.CONSISTENT).sum()
        means = f", {escaped(readings[name].changes)}" if name in readings else ""
        told.append(
            f"{read} of {len(own)} rows are consistent, as printed {printed} (*{name}*{means})"
        )
    return [f"* **{CORRECTED.capitalize()}**: {'; '.join(told)}."] if told else []


def findings(ledger, most=5):
    """What came out, in a few lines for the top of a notebook: values, then claim by claim.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`, or some of its rows.
    most : int, default=5
        So many points stand in the open, values first, then claims, the paper's before ours and
        those that fail before the others; the rest is folded up.

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    scored = ledger[ledger["repeats"] == ""]
    lines = []
    values = scored[scored["asks"] == "value"]
    if len(values):
        differs = values[values["outcome"] == rules.DIFFERS]
        became = Counter(values["outcome"])
        consistent = became[rules.AGREES] + became[rules.COMPATIBLE]
        agree = (
            f"{became[rules.AGREES]} agree, {became[rules.COMPATIBLE]} are compatible"
        )
        parts = [
            f"**{consistent} of {len(values)} printed numbers are consistent with ours** ({agree})"
        ]
        others = {"differ": rules.DIFFERS, "undecided": rules.UNDECIDED}
        others |= {"not run": rules.NOT_RUN, "listed": rules.LISTED}
        parts += [f"{became[of]} {word}" for word, of in others.items() if became[of]]
        different = f" Different: {_listed(differs, 4)}." if len(differs) else ""
        lines.append(f"* {', '.join(parts)}.{different}")
    lines += _read_otherwise(scored)
    claims = sorted(
        scored[scored["asks"].isin(("claim", "ours"))].groupby(
            ["asks", "sentence"], sort=False
        ),
        key=lambda claim: (
            claim[0][0] == "ours",
            rules.FAILS not in set(claim[1]["outcome"]),
        ),
    )
    lines += [_claim_finding(claim, tests) for (_, claim), tests in claims]
    lines, more = lines[:most], lines[most:]
    if more:
        lines += ["", f"<details><summary>and {len(more)} more</summary>", "", *more]
        lines += ["", "</details>"]
    return Markdown("\n".join(lines))


def _stacked(value, spread):
    """Texts of a cell and of the spread shown inside it, one a line of :data:`_LINES`."""
    if value is None:
        return [""] * len(_LINES)
    texts = [
        _published_text(value),
        _reproduced_text(value),
        value["outcome"],
        _read_text(value),
    ]
    if spread is not None:
        for place, name in ((2, "outcome"), (3, "outcome_as_read")):
            if spread[name] not in ("", value[name]):
                texts[place] += f"; ±: {spread[name]}"
    return texts


def published_vs_reproduced(ledger, rows=None, columns=None, title=""):
    """The printed table with its regeneration and its verdicts under each row.

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
        Under a row of the print: published, reproduced, verdict, and corrected, if misprints were;
        above it what its values come to together.

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
        unknown = [item for item in asked or () if item not in set(ledger[name])]
        if unknown:
            raise ValueError(
                f"There is no {name} {', '.join(map(repr, unknown))} in this ledger."
            )
    cells = {(line["row"], line["column"]): line for line in ledger.to_dict("records")}
    rows = list(dict.fromkeys(ledger["row"]) if rows is None else rows)
    if columns is None:
        columns = [
            c for c in dict.fromkeys(ledger["column"]) if not c.endswith(_SPREAD)
        ]
    lines = []
    signs = {}
    for row in rows:
        own = [[cells.get((row, c + end)) for end in ("", _SPREAD)] for c in columns]
        texts = [_stacked(*both) for both in own]
        shown = [line for line in zip(_LINES, *texts, strict=True) if any(line[1:])]
        lines += [
            [name, *line] for name, line in zip((row, "", "", ""), shown, strict=False)
        ]
        at = len(lines) - len(shown) + _LINES.index("verdict")
        for j, both in enumerate(own, 2):
            if any(both):
                part = _worst(filter(None, both))
                signs[at, j] = (SIGNS[part], part)
    inside = {name for c in columns for name in (c, c + _SPREAD)}
    part = ledger[ledger["row"].isin(rows) & ledger["column"].isin(inside)]
    above = joint_lines(ledger)
    header = ["", "", *columns]
    return Table(header, lines, _values(part), title, above=above, signs=signs)


def _worst(lines):
    """What the worst of some rows counts as."""
    severity = [NOT_SCORED, *SIGNS]
    parts = [line["counts_as"] or NOT_SCORED for line in lines]
    return max(parts, key=severity.index)


def whole(ledgers):
    """One ledger of several by artefact."""
    return pd.concat(ledgers.values(), ignore_index=True)


def by_paper(ledgers):
    """The ledger of each paper, of several by artefact, and of all if there are several papers."""
    everything = whole(ledgers)
    papers = dict(iter(everything.groupby("paper", sort=False)))
    return papers | {"all": everything} if len(papers) > 1 else papers


_NUMBER_COLUMNS = {
    "all": "all",
    "consistent": "consistent",
    "agree": rules.AGREES,
    "undecided": rules.UNDECIDED,
    "explained": "differs, explained",
    "unexplained": "differs, unexplained",
    "not run": "not run",
    CORRECTED: "corrected",
}
_SENTENCE_COLUMNS = {
    "all": "all",
    "hold": rules.HOLDS,
    "mixed": "mixed",
    "undecided": rules.UNDECIDED,
    "refuted": "refuted",
    "explained": "fails, explained",
    "unexplained": "fails, unexplained",
    "not run": "not run",
    CORRECTED: "corrected",
}


def score_tables(groups, corrected=True):
    """The score of some ledgers, of their numbers and of their sentences, a line a group.

    Parameters
    ----------
    groups : mapping of str to pandas.DataFrame
        A ledger by what stands before its line, such as the key of a paper.
    corrected : bool, default=True
        Whether to show what it is after correcting misprints.

    Returns
    -------
    Table, Table
        Of the numbers, of which some are consistent with ours (some of these agree, the others are
        compatible), with the share inside the 95 % prediction interval of the print; and of the
        sentences. What was not run has a column where there is such a thing.
    """
    scores = {name: score(ledger) for name, ledger in groups.items()}
    tables = []
    for kind, columns in (
        ("numbers", _NUMBER_COLUMNS),
        ("sentences", _SENTENCE_COLUMNS),
    ):
        lines = []
        for name, own in scores.items():
            counts = own[kind]
            line = {kind: name} | {title: counts[of] for title, of in columns.items()}
            if kind == "numbers":
                line["in 95 %"] = share_text(counts)
            lines.append(line)
        frame = pd.DataFrame(lines)
        if not frame["not run"].any():
            frame = frame.drop(columns="not run")
        if not corrected:
            frame = frame.drop(columns=CORRECTED)
        tables.append(Table.from_frame(frame))
    return tuple(tables)


def worse_lines(ledgers, on_record):
    """A text for each value that departs from the print, but on record does not, or is a problem.

    Both are ledgers by artefact; one that is not on record is worse wherever it has a problem.
    """
    texts = []
    for name, ledger in ledgers.items():
        before = {}
        for line in on_record[name].to_dict("records") if name in on_record else ():
            before[line["row"], line["column"]] = line["outcome"]
        for line in ledger.to_dict("records"):
            recorded = before.get((line["row"], line["column"]))
            departs = line["outcome"] in rules.DEPARTS
            if line["problem"] or (
                recorded and departs and recorded not in rules.DEPARTS
            ):
                found = line["problem"] or f"{line['outcome']}, on record {recorded}"
                texts.append(f"{name}: {_departure(line)}; {found}")
    return texts


def _studies_behind(line, artefact, frames):
    """The studies without whose records a value would be another one, or none."""

    def found(records):
        values = artefact.values(records)
        place = (values["row"] == line["row"]) & (values["column"] == line["column"])
        return values[place].to_csv()

    def needed(study):
        with suppress(Exception):  # which cannot do without these records
            return found(frames | {study.name: frames[study.name].iloc[:0]}) != found(
                frames
            )
        return True

    return list(filter(needed, artefact.studies))


_WHY = {"identity": "proved by", "matched": "chosen by"}


def explained(line, artefact, frames):
    """All there is about one value, a row of the ledger as a dict: texts by what they are.

    `frames` are the records of its artefact, by study.
    """

    def names(functions):
        return ", ".join(f"{f.__module__}.{f.__qualname__}" for f in functions)

    studies = _studies_behind(line, artefact, frames)
    again = f"companion reproduce {artefact.id} --profile paper --fresh"
    found = (
        {"in short": sentence(line)}
        | _texts(line)
        | {
            "evidence": line["evidence"],
            "rests on": line["rests_on"].replace("\n", "; "),
            "where": line["where"],
            "sentence": line["sentence"],
            _WHY.get(line["asks"], "why this bound"): line["why"],
            "computed by": names(study.compute for study in studies),
            "records": ", ".join(
                f"data/records/{s.paper}/{s.name}.csv" for s in studies
            ),
            "read off by": names([artefact.values]),
            "see it again": f"{again}, then companion verify {artefact.id}",
        }
    )
    return {name: text for name, text in found.items() if text}


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
    rows = [
        {name: plain(v) for name, v in row.items()} for row in lines.to_dict("records")
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
