"""All papers at once, for ``notebooks/overview.ipynb``: score, claims, readings, errata and times.

Everything is read from records and data files; nothing is computed anew and no number is typed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd

from companion.reproduction import declared
from companion.reproduction._comparisons import AGREES, CLAIM_OUTCOMES, DEPARTS, RARE_DRAW
from companion.reproduction.artefacts import list_artefacts, list_papers
from companion.reproduction.display import Table, summary_table
from companion.reproduction.published import ASKS
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.times import NOTEBOOK, load_times
from companion.reproduction.verdicts import ours, score


@dataclass(frozen=True)
class Overview:
    """Papers, their numbers of artefacts, verdicts, errata and times."""

    papers: dict
    artefacts: dict
    ledger: pd.DataFrame
    errata: list
    times: pd.DataFrame

    def of(self, paper):
        """The verdicts on one paper."""
        return self.ledger[self.ledger["paper"] == paper]

    def claims(self, paper=None):
        """The verdicts on what one paper, or all, say in words."""
        ledger = self.ledger if paper is None else self.of(paper)
        return ledger[ledger["asks"] == "claim"]


def load_overview(profile="paper"):
    """Read all there is about all papers, from committed records or those of the last quick run.

    An artefact that cannot be compared raises RuntimeError: an overview without it would be wrong.
    """
    artefacts = list_artefacts()
    ledgers, _, failures = read_ledgers(artefacts, profile)
    if failures:
        raise RuntimeError("There is no overview of all papers:\n" + "\n".join(failures))
    counts = dict(Counter(artefact.paper for artefact in artefacts if artefact.values))
    ledger = pd.concat(ledgers.values(), ignore_index=True)
    return Overview(list_papers(), counts, ledger, declared.load_errata(), load_times())


def _count(frame, overview, name, words, total):
    """How often each word stands in a column, and their sum, by paper and for all of them."""
    both = pd.concat([frame, frame.assign(paper="all")])
    counts = pd.crosstab(both["paper"], both[name])
    counts = counts.reindex(index=[*overview.papers, "all"], columns=words, fill_value=0)
    counts.insert(0, total, counts.sum(axis=1))
    return counts.rename_axis(index="paper", columns=None)


def papers_table(overview):
    """The score of each paper, and of all."""
    return summary_table({paper: overview.of(paper) for paper in overview.papers})


def parts(overview):
    """How many scored rows of each paper, and of all, count as what."""
    ledgers = {paper: overview.of(paper) for paper in overview.papers} | {"all": overview.ledger}
    return {name: Counter(filter(None, ledger["counts_as"])) for name, ledger in ledgers.items()}


def kinds_table(overview):
    """What rows ask, one line a paper, and for all; values and claims are scored."""
    return Table.from_frame(_count(overview.ledger, overview, "asks", ASKS, "rows").reset_index())


def summary(overview):
    """The most important numbers in sentences, as Markdown."""
    total, claims, own = score(overview.ledger), overview.claims(), ours(overview.ledger)
    claims = Counter(claims["outcome"][claims["counts_as"] != ""])
    listed = len(overview.ledger) - total["scored"]
    kinds = Counter(erratum.kind for erratum in overview.errata)
    found = ", ".join(f"{kind} {kinds[kind]}" for kind in declared.KINDS if kinds[kind])
    return (
        f"* **{len(overview.papers)} papers, {sum(overview.artefacts.values())} tables, figures and"
        f" chapters, {len(overview.ledger)} printed things.** {total['scored']} can fail and are"
        f" scored; {listed} are settings, identities, matched, repeated or claims of ours, and are"
        f" listed.\n"
        f"* **{total['agree as printed']} agree as printed**, {total['agree as read']} under the"
        f" readings that are named, {total['undecided']} are undecided. Of those that differ"
        f" {total['differ, demonstrated']} have a demonstrated cause,"
        f" {total['differ for want of data']} lack data, and **{total['differ, unexplained']} are"
        f" unexplained**."
        f" {total['not run']} are not run.\n"
        f"* **{claims.total()} of the scored test what the papers say in words**, each a signed"
        f" quantity with its standard error: {claims['holds']} hold, {claims['undecided']} are"
        f" undecided, {claims['fails']} fail, {claims['not run']} are not run. Of {sum(own)} claims"
        f" of ours, which are not scored, {own[0]} hold, {own[1]} are undecided, {own[2]} fail.\n"
        f"* **{len(overview.errata)} errors in the print** were found and proved: {found}."
    )


def claims_table(overview, paper):
    """What a paper claims, in its own words, the first quantity that tests it, and the verdict.

    The verdict is ``in part`` where the tests of a claim do not all end alike.
    """
    rows = []
    claims = overview.claims(paper).groupby(["artefact", "sentence"], sort=False)
    for (artefact, sentence), tests in claims:
        first, became = tests.iloc[0], Counter(tests["outcome"])
        others = f" (and {len(tests) - 1} more)" if len(tests) > 1 else ""
        rows.append(
            {
                "claim": sentence,
                "where": "; ".join(tests["where"].unique()),
                "tested by": f"{first['row']}: {first['column']} {first['relation']}{others}",
                "why this bound": first["why"],
                "artefact": artefact,
                **{word: became[word] for word in CLAIM_OUTCOMES},
                "verdict": first["outcome"] if len(became) == 1 else "in part",
            }
        )
    return Table.from_frame(pd.DataFrame(rows))


def readings_table(overview):
    """The other readings of the print, and what they change, one line a reading."""
    rows = []
    for name, reading in declared.load_readings().items():
        own = overview.ledger[overview.ledger["reading"] == name]
        rows.append(
            {
                "paper": reading.paper,
                "reading": name,
                "changes": reading.changes,
                "tried": reading.tried,
                "rows": len(own),
                "agree as printed": int(own["outcome"].isin(AGREES).sum()),
                "agree as read": int(own["outcome_as_read"].isin(AGREES).sum()),
                "proof": ", ".join(reading.proof),
            }
        )
    return Table.from_frame(pd.DataFrame(rows))


def joint_table(overview):
    """Tables of single draws, judged by all their cells at once, one line a table."""
    rows = overview.ledger.dropna(subset="joint")
    tables = rows.groupby(["paper", "artefact", "reproduced_n", "joint"], sort=False).size()
    tables = tables.rename("cells").reset_index().rename(columns={"reproduced_n": "draws"})
    tables["together"] = ["rare" if chance < RARE_DRAW else "common" for chance in tables["joint"]]
    return Table.from_frame(tables.rename(columns={"joint": "chance"}))


def reasons_table(overview, paper):
    """Why values of a paper differ from the print, the unexplained first."""
    deviations, counts = declared.load_deviations(), Counter()
    ledger = overview.of(paper)
    for line in ledger[ledger["outcome"].isin(DEPARTS)].to_dict("records"):
        found = deviations.get((paper, line["artefact"], line["row"], line["column"]))
        counts[line["status"], line["artefact"], line["reason"], found and found.evidence] += 1
    order = ("undeclared", *reversed(declared.STATUSES))
    rows = [(artefact, n, status, *why) for (status, artefact, *why), n in counts.items()]
    rows.sort(key=lambda row: order.index(row[2]))
    columns = ["artefact", "values", "status", "reason", "evidence"]
    return Table.from_frame(pd.DataFrame(rows, columns=columns))


def errata_table(overview):
    """How many errata of each kind each paper has."""
    errata = pd.DataFrame(overview.errata, columns=["paper", "kind"])
    return Table.from_frame(
        _count(errata, overview, "kind", declared.KINDS, "errata").reset_index()
    )


def _link(proof):
    """A Markdown link to a proof, called by what its test says or by its notebook."""
    path, _, test = proof.partition("::")
    name = test.removeprefix("test_").replace("_", " ")
    return f"[{name or '`' + path.removeprefix('notebooks/') + '`'}](../{path})"


def errata_markdown(overview, paper):
    """The errata of a paper with links to their proofs, for a file in ``notebooks/``."""
    rows = [
        [e.where, e.kind, e.printed, e.correct, ", ".join(map(_link, e.proof))]
        for e in overview.errata
        if e.paper == paper
    ]
    if not rows:
        return "No error in the print was found."
    return Table(["where", "kind", "printed", "correct", "proof"], rows, []).to_markdown()


def times_table(overview):
    """How long a regeneration from nothing takes, one line a paper; none if nothing was timed."""
    times, rows = overview.times.astype({"artefact": str}), []
    of_paper = {p: times[times["artefact"].str.startswith(f"{p}/")] for p in overview.papers}
    for name, part in {**of_paper, "all": times}.items():
        studies, notebooks = part[part["study"] != NOTEBOOK], part[part["study"] == NOTEBOOK]
        rows.append(
            {
                "paper": name,
                "studies": len(studies),
                "units": studies["units"].sum(),
                "jobs": ", ".join(map(str, sorted(set(studies["jobs"])))),
                "cores": ", ".join(map(str, sorted(set(part["cores"])))),
                "minutes to compute": studies["seconds"].sum() / 60,
                "notebooks": len(notebooks),
                "minutes to run them": notebooks["seconds"].sum() / 60,
            }
        )
    minutes = {"minutes to compute": ".1f", "minutes to run them": ".1f"}
    return Table.from_frame(pd.DataFrame(rows if len(times) else [], columns=rows[0]), minutes)
