"""All papers at once, for ``notebooks/overview.ipynb``: sentences, score, claims, readings, errata.

Everything is read from records and data files; nothing is computed anew and no number is typed.
"""

from collections import Counter

import pandas as pd

from companion.reproduction import declared
from companion.reproduction._comparisons import AGREES, CLAIM_OUTCOMES, DEPARTS, FAILS, HOLDS
from companion.reproduction.artefacts import list_artefacts, list_papers
from companion.reproduction.display import Table, claim_verdict, escaped
from companion.reproduction.published import SCORED
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.verdicts import ours, score


def by_paper(ledgers):
    """The ledgers of papers, from those of their artefacts."""
    ledger = pd.concat(ledgers.values(), ignore_index=True)
    return dict(iter(ledger.groupby("paper", sort=False)))


def load_ledgers(profile="paper"):
    """The ledger of each paper, from committed records or those of the last quick run.

    An artefact that cannot be compared raises RuntimeError: an overview without it would be wrong.
    """
    ledgers, _, failures = read_ledgers(list_artefacts(), profile)
    if failures:
        raise RuntimeError("There is no overview of all papers:\n" + "\n".join(failures))
    return by_paper(ledgers)


def what_holds(paper, ledger):
    """How much of a paper agrees, its main claim, and the one that fails most clearly, as Markdown.

    A claim fails if a test of it does and none holds, and as clearly as the least clear of them.
    """
    scored = ledger[ledger["counts_as"] != ""]
    values, claims = (scored[scored["asks"] == kind] for kind in SCORED)
    agree, differ = (int(values["outcome"].isin(of).sum()) for of in (AGREES, DEPARTS))
    tests = claims.groupby("sentence", sort=False)
    became = pd.Series({sentence: claim_verdict(own)[0] for sentence, own in tests}, dtype=object)
    text = f"Of {len(values)} printed values {agree} agree and {differ} differ; of {len(became)}"
    text += f" claims in words {(became == HOLDS).sum()} hold and {(became == FAILS).sum()} fail;"
    text += " the rest are undecided or hold in part."
    if paper.claim:
        verdict, counts = claim_verdict(tests.get_group(paper.claim))
        text += f" The main claim, {escaped(paper.claim)}: **{verdict}** ({counts})."
    support = tests["support"].max()[became == FAILS].dropna()
    return text + (f" Most clearly fails: {escaped(support.idxmin())}." if len(support) else "")


def in_three_sentences(paper, ledger):
    """What a paper proposes, what holds of it, and what to use today, as Markdown."""
    return (
        f"### {paper.title}\n\n{paper.citation} (`{paper.key}`).\n\n"
        f"* **What it proposes.** {paper.proposes}\n"
        f"* **What holds.** {what_holds(paper, ledger)}\n"
        f"* **What to use today.** {paper.today}"
    )


def links():
    """Where to read on: the notebooks of each paper, its method first, as Markdown."""
    return "\n".join(
        f"* *{paper.title}*: "
        + ", ".join(f"[{a.title}]({key}/{a.name}.ipynb)" for a in paper.artefacts)
        for key, paper in list_papers().items()
    )


def folded(table, title):
    """The table, which opens from its title."""
    table.title, table.folded = title, len(table.rows)
    return table


def parts(ledgers):
    """How many scored rows of each paper, and of all, count as what."""
    ledgers = {**ledgers, "all": pd.concat(ledgers.values())}
    return {name: Counter(filter(None, ledger["counts_as"])) for name, ledger in ledgers.items()}


def summary(ledgers):
    """The most important numbers in sentences, as Markdown."""
    ledger, errata = pd.concat(ledgers.values()), declared.load_errata()
    total, own = score(ledger), ours(ledger)
    claims = Counter(ledger["outcome"][(ledger["asks"] == "claim") & (ledger["counts_as"] != "")])
    kinds = Counter(erratum.kind for erratum in errata)
    found = ", ".join(f"{kind} {kinds[kind]}" for kind in declared.KINDS if kinds[kind])
    return (
        f"Of {len(ledger)} printed things in {len(ledgers)} papers,"
        f" {total['scored']} can fail and are scored; the others are settings, identities and the"
        f" like. **{total['agree as printed']} agree as printed**, {total['agree as read']} if"
        f" misprints are read as they must be meant, and {total['undecided']} are undecided. Of"
        f" those that differ {total['differ, demonstrated']} have a demonstrated cause,"
        f" {total['differ for want of data']} lack data and **{total['differ, unexplained']} are"
        f" unexplained**; {total['not run']} are not run.\n\n"
        f"{claims.total()} of the scored are tests of what the papers say in words:"
        f" {claims['holds']} hold, {claims['undecided']} are undecided, {claims['fails']} fail and"
        f" {claims['not run']} are not run. Of {sum(own)} tests of our own, which are not scored,"
        f" {own[0]} hold, {own[1]} are undecided and {own[2]} fail. **{len(errata)} errors"
        f" in the print** were found and proved: {found}."
    )


def readme_section(ledgers):
    """What came out, for the README: all papers in a paragraph, and each in a line, as Markdown."""
    papers, ledgers = list_papers(), by_paper(ledgers)
    lines = [
        f"* *{paper.title}*, {paper.citation}. **[The method](notebooks/{key}/method.ipynb).** "
        + what_holds(paper, ledgers[key])
        for key, paper in papers.items()
        if key in ledgers
    ]
    return "\n".join([summary(ledgers).partition("\n\n")[0], "", *lines])


def claims_table(ledger):
    """What a paper claims, in its own words, the first quantity that tests it, and the verdict.

    The verdict is ``in part`` where the tests of a claim do not all end alike.
    """
    rows = []
    claims = ledger[ledger["asks"] == "claim"].groupby(["artefact", "sentence"], sort=False)
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


def readings_table(ledgers):
    """The other readings of the print, and what they change, one line a reading."""
    rows, ledger = [], pd.concat(ledgers.values())
    for name, reading in declared.load_readings().items():
        own = ledger[ledger["reading"] == name]
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


def reasons_table(ledger):
    """Why values of a paper differ from the print, the unexplained first."""
    deviations, counts = declared.load_deviations(), Counter()
    for line in ledger[ledger["outcome"].isin(DEPARTS)].to_dict("records"):
        found = deviations.get(tuple(map(line.get, ("paper", "artefact", "row", "column"))))
        counts[line["status"], line["artefact"], line["reason"], found and found.evidence] += 1
    order = ("undeclared", *reversed(declared.STATUSES))
    rows = [(artefact, n, status, *why) for (status, artefact, *why), n in counts.items()]
    rows.sort(key=lambda row: order.index(row[2]))
    columns = ["artefact", "values", "status", "reason", "evidence"]
    return Table.from_frame(pd.DataFrame(rows, columns=columns))


def _link(proof):
    """A Markdown link to a proof, called by what its test says or by its notebook."""
    path, _, test = proof.partition("::")
    name = test.removeprefix("test_").replace("_", " ")
    return f"[{name or '`' + path.removeprefix('notebooks/') + '`'}](../{path})"


def errata_markdown(paper):
    """The errata of a paper with links to their proofs, for a file in ``notebooks/``."""
    own = [erratum for erratum in declared.load_errata() if erratum.paper == paper]
    rows = [[e.where, e.kind, e.printed, e.correct, ", ".join(map(_link, e.proof))] for e in own]
    if not rows:
        return "No error in the print was found."
    return Table(["where", "kind", "printed", "correct", "proof"], rows, []).to_markdown()
