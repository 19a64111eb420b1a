"""Ledgers for people: tables and findings, their texts rounded as the paper rounds."""

import json
from contextlib import suppress

import numpy as np
import pandas as pd

from companion.reproduction._comparisons import (
    AGREES,
    COMPATIBLE,
    CONSISTENT,
    DEPARTS,
    DIFFERS,
    FAILS,
    HOLDS,
    NOT_RUN,
    UNDECIDED,
)
from companion.reproduction.declared import load_readings
from companion.reproduction.printed import published_vs_reproduced
from companion.reproduction.published import SCORED
from companion.reproduction.scores import (
    FAILING_PARTS,
    MIXED,
    NOT_SCORED,
    SIGNS,
    as_read,
    counted,
    joint_lines,
    outcomes_of,
    score,
    sentence_verdict,
    share_text,
)
from companion.reproduction.tables import Table, plain
from companion.reproduction.texts import (
    CORRECTED,
    escaped,
    note_of,
    published_text,
    reproduced_text,
    sentence,
    texts_of,
    values_of,
)

__all__ = [
    "Table",
    "findings",
    "published_vs_reproduced",
    "score_tables",
    "sentence",
    "verdict_table",
]


def departures_first(ledger):
    """Rows that depart, are not run or have a problem, undecided claims, the scored, the listed."""
    departs = ledger["outcome"].isin([*DEPARTS, NOT_RUN]) | (ledger["problem"] != "")
    open_claim = (ledger["asks"] == "claim") & (ledger["outcome"] == UNDECIDED)
    rank = np.select([departs, open_claim, ledger["asks"].isin(SCORED)], [0, 1, 2], 3)
    return ledger.assign(rank=rank).sort_values("rank", kind="stable")


def verdict_table(ledger, title=""):
    """One line a published value: the print, the regeneration and the verdict.

    What departs from the print stands first. In HTML the table is folded up, with what the values
    come to together above its rows.

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
    frame = pd.DataFrame([texts_of(line) for line in ledger.to_dict("records")])
    if not any(frame.get(CORRECTED, ())):
        frame = frame.drop(columns=CORRECTED, errors="ignore")
    if not title:
        title = f"All {len(frame)} rows, those that depart from the print first"
    above = joint_lines(ledger)
    rows = frame.to_numpy()
    at = frame.columns.get_loc("verdict") if len(frame) else 0
    parts = ledger["counts_as"].replace("", NOT_SCORED)
    signs = {(i, at): (SIGNS[part], part) for i, part in enumerate(parts)}
    ids = [
        "" if again else row_id(ledger, row)
        for row, again in zip(ledger["row"], ledger["row"].duplicated(), strict=True)
    ]
    values = values_of(ledger)
    options = {"above": above, "ids": ids, "signs": signs}
    return Table(frame, rows, values, title, len(rows), **options)


def row_id(ledger, row):
    """The name that a row has in the HTML of a table of verdicts: its place in the print."""
    return f"row-{list(dict.fromkeys(ledger['row'].sort_index())).index(row) + 1}"


def value_lines(ledger):
    """Of each value some texts, to be wrapped: verdict and place, both numbers, then the rest."""
    for line in departures_first(ledger).to_dict("records"):
        texts = texts_of(line)
        n = f" (n {texts['n']})" if texts["n"] else ""
        numbers = [f"printed {texts['published']}", f"here {texts['reproduced']}{n}"]
        measures = ("distance", "support", "would see", CORRECTED)
        numbers += [f"{name} {texts[name]}" for name in measures if texts[name]]
        reason = f"{line['status']}: {line['reason']}" if line["reason"] else ""
        word = line["outcome"] if reason else line["verdict"]
        parts = [", ".join(numbers), reason, line["problem"], note_of(line)]
        yield [f"{word}: {line['row']}, {line['column']}", *filter(None, parts)]


def _departure(line):
    """A cell that departs from the print, with both numbers."""
    asked = f"printed {published_text(line)}"
    if line["kind"] == "ordinal":
        asked = f"asked {line['relation']}"
    return f"{line['row']}, {line['column']}: here {reproduced_text(line)}, {asked}"


def _some_of(departures, most):
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
    failing = _some_of(tests[tests["outcome"] == FAILS], 2)
    asked = "We ask: " if set(tests["asks"]) == {"ours"} else ""
    text = f"* **{verdict.capitalize()}** ({counts}): {asked}{escaped(claim)}."
    return f"{text} Failing: {failing}." if failing else text


def _read_otherwise(scored):
    """What the other readings of the print are, and how many rows agree under each."""
    readings = load_readings()
    counts = []
    for name, rows in scored[scored["reading"] != ""].groupby("reading", sort=False):
        printed, read = rows[["outcome", "outcome_as_read"]].isin(CONSISTENT).sum()
        means = f", {escaped(readings[name].changes)}" if name in readings else ""
        counts.append(
            f"{read} of {len(rows)} rows are consistent, as printed {printed} (*{name}*{means})"
        )
    return [f"* **{CORRECTED.capitalize()}**: {'; '.join(counts)}."] if counts else []


def _claim_by_claim(scored):
    """A line for the numbers that differ, one for corrections, and one for each claim.

    The paper's claims stand before our questions, and those that fail before the others.
    """
    differs = scored[(scored["asks"] == "value") & (scored["outcome"] == DIFFERS)]
    lines = [f"* **Different**: {_some_of(differs, 4)}."] if len(differs) else []
    lines += _read_otherwise(scored)
    for asks in ("claim", "ours"):
        claims = scored[scored["asks"] == asks].groupby("sentence", sort=False)
        found = sorted(claims, key=lambda claim: FAILS not in {*claim[1]["outcome"]})
        lines += [_claim_finding(claim, tests) for claim, tests in found]
    return lines


def _are(number, word):
    return f"{number} {'is' if number == 1 else 'are'} {word}"


def _farthest(differs):
    """The number that is farthest from its print, in standard errors, in words."""
    order = differs["distance"].fillna(np.inf).argsort(kind="stable")
    line = differs.iloc[order.iloc[-1]]
    return (
        f"{escaped(line['row'])}, {escaped(line['column'])}, where the paper prints"
        f" {escaped(published_text(line))} and we find {escaped(reproduced_text(line))}"
    )


def _numbers_in_sentences(ledger):
    """What came out of the printed numbers, in two or three sentences."""
    numbers = score(ledger)["numbers"]
    if not numbers["all"]:
        return []
    sentences = [
        f"**{numbers['consistent']} of {numbers['all']} printed numbers are consistent with ours.**"
    ]
    if numbers[COMPATIBLE]:
        sentences.append(
            f"For {numbers[COMPATIBLE]} of them the print is too coarse to confirm more."
        )
    differs = ledger[ledger["counts_as"].str.startswith(DIFFERS)]
    if len(differs) == 1:
        sentences.append(f"1 number differs. It is {_farthest(differs)}.")
    elif len(differs):
        far = f"Farthest off is {_farthest(differs)}"
        sentences.append(f"{len(differs)} numbers differ. {far}.")
    if numbers[UNDECIDED]:
        sentences.append(f"More repetitions would decide {numbers[UNDECIDED]}.")
    if numbers["not run"]:
        sentences.append(f"{numbers['not run']} could not be computed here.")
    if numbers["corrected"] != numbers["consistent"]:
        sentences.append(
            f"After correcting misprints {_are(numbers['corrected'], 'consistent')}."
        )
    return sentences


def _sentences_in_words(ledger):
    """What came out of the sentences that can be tested, in one sentence."""
    sentences = score(ledger)["sentences"]
    if not sentences["all"]:
        return []
    fails = sum(map(sentences.get, FAILING_PARTS))
    parts = [counted(sentences[HOLDS], HOLDS), counted(fails, FAILS)]
    others = (MIXED, UNDECIDED, NOT_RUN)
    parts += [_are(sentences[word], word) for word in others if sentences[word]]
    if sentences["all"] == 1:
        (said,) = (part for part in parts if not part.startswith("0 "))
        word = said.partition(" ")[2]
        return [f"The one sentence of the paper that can be tested here {word}."]
    text = ", ".join(parts[:-1]) + f" and {parts[-1]}"
    return [
        f"Of {sentences['all']} sentences of the paper that can be tested here, {text}."
    ]


def findings(ledger):
    """What came out in a few sentences, and folded up below it what came out claim by claim.

    Parameters
    ----------
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`, or some of its rows.

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    summary = " ".join([*_numbers_in_sentences(ledger), *_sentences_in_words(ledger)])
    lines = _claim_by_claim(ledger[ledger["repeats"] == ""])
    fold = ["<details><summary>Claim by claim</summary>", "", *lines, "", "</details>"]
    return Markdown("\n".join([summary, "", *(fold if lines else [])]))


def whole(ledgers):
    """One ledger of several by artefact."""
    return pd.concat(ledgers.values(), ignore_index=True)


def by_paper(ledgers):
    """The ledger of each paper, of several by artefact, and of all if there are several papers."""
    everything = whole(ledgers)
    papers = dict(iter(everything.groupby("paper", sort=False)))
    return papers | {"all": everything} if len(papers) > 1 else papers


#: What the parts of the score are called in its tables.
_COLUMNS = {
    "numbers": {
        "all": "all",
        "consistent": "consistent",
        AGREES: "agree",
        UNDECIDED: "undecided",
        "differs, explained": "explained",
        "differs, unexplained": "unexplained",
        "not run": "not run",
        "corrected": CORRECTED,
    },
    "sentences": {
        "all": "all",
        HOLDS: "hold",
        "mixed": "mixed",
        UNDECIDED: "undecided",
        "refuted": "refuted",
        "fails, explained": "explained",
        "fails, unexplained": "unexplained",
        "not run": "not run",
        "corrected": CORRECTED,
    },
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
    for kind, columns in _COLUMNS.items():
        counts = [parts[kind] for parts in scores.values()]
        frame = pd.DataFrame(counts).rename(columns=columns)[[*columns.values()]]
        frame.insert(0, kind, [*scores])
        if kind == "numbers":
            frame["in 95 %"] = [*map(share_text, counts)]
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
        recorded = outcomes_of(on_record, name)
        for line in ledger.to_dict("records"):
            before = recorded.get((line["row"], line["column"]), "")
            found = line["problem"]
            if line["outcome"] in DEPARTS and before not in ("", *DEPARTS):
                found = f"{line['outcome']}, on record {before}"
            if found:
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
    texts = texts_of(line)
    texts["corrected"] = texts.pop(CORRECTED)
    found = (
        {"in short": sentence(line)}
        | texts
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
