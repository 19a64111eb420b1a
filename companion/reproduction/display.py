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
    SENTENCE_PARTS,
    SIGNS,
    as_read,
    counted,
    joint_lines,
    on_record_beside,
    part_title,
    score,
    sentence_verdict,
    share_text,
)
from companion.reproduction.tables import Table, plain_records
from companion.reproduction.texts import (
    CORRECTED,
    ended,
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
    """Rows that depart, are not run or have a problem, undecided claims, the scored, the listed.

    Each has an `anchor`, the name that it has in HTML: its place in the print.
    """
    departs = ledger["outcome"].isin([*DEPARTS, NOT_RUN]) | (ledger["problem"] != "")
    open_claim = (ledger["asks"] == "claim") & (ledger["outcome"] == UNDECIDED)
    rank = np.select([departs, open_claim, ledger["asks"].isin(SCORED)], [0, 1, 2], 3)
    anchors = [f"row-{place + 1}" for place in pd.factorize(ledger["row"])[0]]
    return ledger.assign(anchor=anchors).iloc[rank.argsort(kind="stable")]


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
    frame = pd.DataFrame(map(texts_of, ledger.to_dict("records")))
    if not frame[CORRECTED].any():
        frame = frame.drop(columns=CORRECTED)
    at = frame.columns.get_loc("verdict")
    parts = ledger["counts_as"].replace("", NOT_SCORED)
    return Table(
        frame,
        frame.to_numpy(),
        values_of(ledger),
        title or f"All {len(frame)} rows, those that depart from the print first",
        len(frame),
        above=joint_lines(ledger),
        ids=ledger["anchor"].mask(ledger["anchor"].duplicated(), ""),
        signs={(i, at): (SIGNS[part], part) for i, part in enumerate(parts)},
    )


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
    """The first of some rows that depart, and how many more there are."""
    texts = [
        escaped(_departure(line)) + (f" ({line['status']})" if line["status"] else "")
        for line in departures[:most].to_dict("records")
    ]
    left = len(departures) - most
    return "; ".join([*texts, f"and {left} more"] if left > 0 else texts)


def _claim_finding(claim, tests):
    """What the tests of a claim came to, and two that fail."""
    verdict, counts = sentence_verdict(tests)
    read, _ = sentence_verdict(as_read(tests))
    if read != verdict:
        counts += f"; {CORRECTED}: {read}"
    failing = tests[tests["outcome"] == FAILS]
    asked = "We ask: " if set(tests["asks"]) == {"ours"} else ""
    text = ended(f"* **{verdict.capitalize()}** ({counts}): {asked}{escaped(claim)}")
    return f"{text} Failing: {_some_of(failing, 2)}." if len(failing) else text


def _read_otherwise(scored):
    """What the other readings of the print are, and how many rows agree under each."""
    readings = load_readings()
    for name, rows in scored[scored["reading"] != ""].groupby("reading", sort=False):
        printed, read = rows[["outcome", "outcome_as_read"]].isin(CONSISTENT).sum()
        means = f", {escaped(readings[name].changes)}" if name in readings else ""
        yield f"{read} of {len(rows)} rows are consistent, as printed {printed} (*{name}*{means})"


def _claim_by_claim(scored):
    """A line for the numbers that differ, one for corrections, and one for each claim.

    The paper's claims stand before our questions, and those that fail before the others.
    """
    differs = scored[(scored["asks"] == "value") & (scored["outcome"] == DIFFERS)]
    if len(differs):
        yield f"* **Different**: {_some_of(differs, 4)}."
    if corrected := "; ".join(_read_otherwise(scored)):
        yield f"* **{CORRECTED.capitalize()}**: {corrected}."
    for asks in ("claim", "ours"):
        claims = scored[scored["asks"] == asks].groupby("sentence", sort=False)
        for claim in sorted(
            claims, key=lambda claim: FAILS not in {*claim[1]["outcome"]}
        ):
            yield _claim_finding(*claim)


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


def _numbers_in_sentences(ledger, numbers):
    """What came out of the printed numbers, in two or three sentences."""
    consistent = numbers["consistent"]
    differs = ledger[ledger["counts_as"].str.startswith(DIFFERS)]
    yield f"**{consistent} of {numbers['all']} printed numbers are consistent with ours.**"
    if numbers[COMPATIBLE]:
        yield f"For {numbers[COMPATIBLE]} of them the print is too coarse to confirm more."
    if len(differs) == 1:
        yield f"1 number differs. It is {_farthest(differs)}."
    elif len(differs):
        yield f"{len(differs)} numbers differ. Farthest off is {_farthest(differs)}."
    if numbers[UNDECIDED]:
        yield f"More repetitions would decide {numbers[UNDECIDED]}."
    if numbers[NOT_RUN]:
        yield f"{numbers[NOT_RUN]} could not be computed here."
    if numbers["corrected"] != consistent:
        yield f"After correcting misprints {_are(numbers['corrected'], 'consistent')}."


def _sentences_in_words(sentences):
    """What came out of the sentences that can be tested, in one sentence."""
    fails = sum(map(sentences.get, FAILING_PARTS))
    parts = [counted(sentences[HOLDS], HOLDS), counted(fails, FAILS)]
    parts += [
        _are(sentences[w], w) for w in (MIXED, UNDECIDED, NOT_RUN) if sentences[w]
    ]
    if sentences["all"] == 1:
        (said,) = (part for part in parts if not part.startswith("0 "))
        return f"The one sentence of the paper that can be tested here {said[2:]}."
    *first, last = parts
    told = f"{', '.join(first)} and {last}"
    return (
        f"Of {sentences['all']} sentences of the paper that can be tested here, {told}."
    )


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

    counts = score(ledger)
    summary = []
    if counts["numbers"]["all"]:
        summary += _numbers_in_sentences(ledger, counts["numbers"])
    if counts["sentences"]["all"]:
        summary.append(_sentences_in_words(counts["sentences"]))
    lines = [" ".join(summary), ""]
    if claims := [*_claim_by_claim(ledger[ledger["repeats"] == ""])]:
        lines += [
            "<details><summary>Claim by claim</summary>",
            "",
            *claims,
            "",
            "</details>",
        ]
    return Markdown("\n".join(lines))


def whole(ledgers):
    """One ledger of several by artefact."""
    return pd.concat(ledgers.values(), ignore_index=True)


def by_paper(ledgers):
    """The ledger of each paper, of several by artefact, and of all if there are several papers."""
    everything = whole(ledgers)
    papers = dict(iter(everything.groupby("paper", sort=False)))
    return papers | {"all": everything} if len(papers) > 1 else papers


_SHARE = "in 95 %"
#: The parts of the score that have a column in its tables.
_COLUMNS = {
    "numbers": (
        "all",
        "consistent",
        AGREES,
        UNDECIDED,
        "differs, explained",
        "differs, unexplained",
        NOT_RUN,
        "corrected",
        _SHARE,
    ),
    "sentences": ("all", *SENTENCE_PARTS, "corrected"),
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
    scores = [score(ledger) for ledger in groups.values()]
    tables = []
    for kind, parts in _COLUMNS.items():
        frame = pd.DataFrame([counts[kind] for counts in scores])
        if kind == "numbers":
            frame[_SHARE] = frame.agg(share_text, axis=1)
        left_out = [] if frame[NOT_RUN].any() else [NOT_RUN]
        left_out += [] if corrected else ["corrected"]
        frame = frame[[*parts]].drop(columns=left_out).rename(columns=part_title)
        frame.insert(0, kind, [*groups])
        tables.append(Table.from_frame(frame))
    return tuple(tables)


def worse_lines(ledgers, on_record):
    """A text for each value that departs from the print, but on record does not, or is a problem.

    Both are ledgers by artefact; one that is not on record is worse wherever it has a problem.
    """
    texts = []
    for name, ledger, recorded in on_record_beside(ledgers, on_record):
        for line, before in zip(ledger.to_dict("records"), recorded, strict=True):
            found = line["problem"]
            if line["outcome"] in DEPARTS and before not in ("", *DEPARTS):
                found = f"{line['outcome']}, on record {before}"
            if found:
                texts.append(f"{name}: {_departure(line)}; {found}")
    return texts


def _studies_behind(line, artefact, frames):
    """The studies without whose records a value would be another one, or none."""

    def value(records):
        with suppress(Exception):  # which cannot do without some of these records
            values = artefact.values(records).set_index(["row", "column"])
            return values.loc[[(line["row"], line["column"])]].to_csv()

    whole = value(frames)
    emptied = {
        study: frames | {study.name: frames[study.name][:0]}
        for study in artefact.studies
    }
    return [study for study, records in emptied.items() if value(records) != whole]


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
    found = {
        "in short": sentence(line),
        **texts,
        "corrected": texts.pop(CORRECTED),
        "evidence": line["evidence"],
        "rests on": line["rests_on"].replace("\n", "; "),
        "where": line["where"],
        "sentence": line["sentence"],
        _WHY.get(line["asks"], "why this bound"): line["why"],
        "computed by": names(study.compute for study in studies),
        "records": ", ".join(f"data/records/{s.paper}/{s.name}.csv" for s in studies),
        "read off by": names([artefact.values]),
        "see it again": f"{again}, then companion verify {artefact.id}",
    }
    del found[CORRECTED]
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
    rows = plain_records(lines.to_dict("records"))
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
