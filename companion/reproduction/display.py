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
from companion.reproduction.tables import Table, number_text, plain
from companion.reproduction.verdicts import OURS, ours, score

__all__ = [
    "Table",
    "findings",
    "published_vs_reproduced",
    "summary_table",
    "verdict_table",
]

_PLURALS = {rules.HOLDS: "hold", rules.FAILS: "fail"}
#: A claim of which some tests hold and others do not.
MIXED = "mixed"
_OWN_CLAIMS = "ours: holds / undecided / fails"
_SPREAD = " ±"  # ends the name of the column that holds the spread of another
_LINES = ("published", "reproduced", "verdict", "as read")
_PLACE = ["artefact", "row", "column", "outcome", "converged"]
_NUMBERS = ["published", "reproduced", "reproduced_spread", "reproduced_n"]
_NUMBERS += [
    "distance",
    "support",
    "would_see",
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


def _verdict_text(line, notes):
    """The verdict, a problem and a note; with a list of `notes` these and the reason go there."""
    verdict = line["verdict"]
    reason = line["reason"]
    if line["outcome"] == rules.LISTED:
        verdict = f"{rules.LISTED}: {line['asks']}"
    note = (
        "" if line["note"] == rules.NO_VALUE else line["note"]
    )  # "not run" says as much
    chance = number_text(line["joint"], ".2g")
    joint = chance and f"all draws of the table: chance {chance}"
    told = [text for text in (line["problem"], note, joint) if text]
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
        "as read": _read_text(line),
    }


def verdict_table(ledger, title=""):
    """One line a published value: the print, the regeneration and the verdict.

    What departs from the print stands first; what agrees and what is listed is folded up in HTML.

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
        note, and as read (value and verdict under another reading of the print), if there is one.
    """
    ledger = departures_first(ledger)
    frame = pd.DataFrame([_texts(line) for line in ledger.to_dict("records")])
    unread = not any(frame.get("as read", ()))
    frame = frame.drop(columns=["as read"] * unread, errors="ignore")
    folded = int((ledger["rank"] > 1).sum())
    if folded == len(frame) and not title:
        title = f"No row refuted, no claim undecided: {folded} rows"
    return Table(frame, frame.to_numpy(), _values(ledger), title, folded)


def verdict_lines(ledger, notes):
    """A text a value, to be wrapped, with the numbers of reasons and remarks, put into `notes`."""
    for line in departures_first(ledger).to_dict("records"):
        texts = _texts(line, notes)
        place = f"{texts.pop('row')}, {texts.pop('column')}"
        verdict = texts.pop("verdict")
        told = [f"{name} {text}" for name, text in texts.items() if text]
        yield f"{place}: {', '.join(told)}; {verdict}"


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


def claim_verdict(tests):
    """What the tests of a claim came to, in a word, and how many of them came to what."""
    became = Counter(tests["outcome"])
    words = [word for word in rules.CLAIM_OUTCOMES if became[word]]
    verdict = (
        words[0] if len(words) == 1 else MIXED if became[rules.HOLDS] else words[-1]
    )
    counts = ", ".join(
        f"{became[word]} {word if became[word] == 1 else _PLURALS.get(word, word)}"
        for word in words
    )
    return verdict, "one test" if len(tests) == 1 else f"of {len(tests)} tests {counts}"


def as_read(tests):
    """Tests with the outcome under the other reading of the print, where there is one."""
    read = tests["outcome_as_read"]
    return tests.assign(
        outcome=read.where(read.isin(rules.CLAIM_OUTCOMES), tests["outcome"])
    )


def _claim_finding(sentence, tests):
    """What the tests of a claim came to, and two that fail."""
    verdict, counts = claim_verdict(tests)
    if (read := claim_verdict(as_read(tests))[0]) != verdict:
        counts += f"; as read: {read}"
    failing = _listed(tests[tests["outcome"] == rules.FAILS], 2)
    text = f"* **{verdict.capitalize()}** ({counts}): {escaped(sentence)}."
    return f"{text} Failing: {failing}." if failing else text


def _read_otherwise(scored):
    """What the other readings of the print are, and how many rows agree under each."""
    readings = load_readings()
    told = []
    for name, own in scored[scored["reading"] != ""].groupby("reading", sort=False):
        printed, read = own[["outcome", "outcome_as_read"]].isin(rules.AGREES).sum()
        means = f", {escaped(readings[name].changes)}" if name in readings else ""
        told.append(
            f"{read} of {len(own)} rows agree, as printed {printed} (*{name}*{means})"
        )
    return [f"* **Read otherwise**: {'; '.join(told)}."] if told else []


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
        agree = int(values["outcome"].isin(rules.AGREES).sum())
        differs = values[values["outcome"].isin(rules.DEPARTS)]
        became = Counter(values["outcome"])
        others = {"differ": len(differs), "not run": became[rules.NOT_RUN]}
        others["undecided (chance could hide what matters)"] = became[rules.UNDECIDED]
        parts = [f"**{agree} of {len(values)} printed values agree**"]
        parts += [f"{n} {word}" for word, n in others.items() if n]
        different = f" Different: {_listed(differs, 4)}." if len(differs) else ""
        if became[rules.UNDECIDED] == len(values):
            parts = [f"**None of the {len(values)} printed values is contradicted**"]
            parts += ["but chance could hide what matters in each"]
        lines.append(f"* {', '.join(parts)}.{different}")
    lines += _read_otherwise(scored)
    claims = sorted(
        scored[scored["asks"] == "claim"].groupby("sentence", sort=False),
        key=lambda claim: (
            claim[0].startswith(OURS),
            rules.FAILS not in set(claim[1]["outcome"]),
        ),
    )
    lines += [_claim_finding(*claim) for claim in claims]
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
        Under a row of the print: published, reproduced, verdict, and as read, if there is another
        reading.

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
    for row in rows:
        texts = [
            _stacked(cells.get((row, c)), cells.get((row, c + _SPREAD)))
            for c in columns
        ]
        shown = [line for line in zip(_LINES, *texts, strict=True) if any(line[1:])]
        lines += [
            [name, *line] for name, line in zip((row, "", "", ""), shown, strict=False)
        ]
    inside = {name for c in columns for name in (c, c + _SPREAD)}
    part = ledger[ledger["row"].isin(rows) & ledger["column"].isin(inside)]
    return Table(["", "", *columns], lines, _values(part), title)


def summary_table(ledgers):
    """The score of each paper in some ledgers, a column each, and of all; claims of ours."""
    papers = {}
    for name, ledger in ledgers.items():
        papers.setdefault(name.partition("/")[0], {})[name] = ledger
    if len(papers) > 1:
        papers["all"] = ledgers
    return beside_table(papers)


def beside_table(columns):
    """The score of all ledgers of some runs, a column each by its title; claims of ours."""
    wholes = {title: pd.concat(ledgers.values()) for title, ledgers in columns.items()}
    frame = pd.DataFrame(
        {title: score(whole) for title, whole in wholes.items()}, dtype=object
    )
    own = [" / ".join(map(str, ours(whole))) for whole in wholes.values()]
    frame.loc[_OWN_CLAIMS] = own
    return Table.from_frame(frame.rename_axis("").reset_index())


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
    found = _texts(line) | {
        "evidence": line["evidence"],
        "where": line["where"],
        "sentence": line["sentence"],
        _WHY.get(line["asks"], "why this bound"): line["why"],
        "computed by": names(study.compute for study in studies),
        "records": ", ".join(f"data/records/{s.paper}/{s.name}.csv" for s in studies),
        "read off by": names([artefact.values]),
        "see it again": f"{again}, then companion verify {artefact.id}",
    }
    return {name: text for name, text in found.items() if text}


def ledger_text(ledgers, form):
    """All rows of some ledgers, as JSON (a list of objects; ledger.schema.json) or CSV.

    Parameters
    ----------
    ledgers : mapping of str to pandas.DataFrame
    form : {"json", "csv"}
    """
    whole = (
        pd.concat(ledgers.values(), ignore_index=True) if ledgers else pd.DataFrame()
    )
    if form == "csv":
        return whole.to_csv(index=False)
    rows = [
        {name: plain(v) for name, v in row.items()} for row in whole.to_dict("records")
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
