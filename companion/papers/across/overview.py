"""All papers at once, in sentences, for ``notebooks/overview.ipynb`` and the README.

Everything is read from records and data files; nothing is computed anew and no number is typed.
"""

from collections import Counter

import pandas as pd

from companion.reproduction import declared
from companion.reproduction._comparisons import AGREES, DEPARTS, FAILS, HOLDS
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.display import MIXED, claim_verdict, escaped
from companion.reproduction.published import SCORED
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.verdicts import ours, score


def load_ledgers(profile="paper"):
    """The ledger of each paper, from committed records or those of the last quick run.

    An artefact that cannot be compared raises RuntimeError: an overview without it would be wrong.
    """
    ledgers, _, failures = read_ledgers(list_artefacts(), profile)
    if failures:
        raise RuntimeError(
            "There is no overview of all papers:\n" + "\n".join(failures)
        )
    whole = pd.concat(ledgers.values(), ignore_index=True)
    return dict(iter(whole.groupby("paper", sort=False)))


def main_claim(paper, ledger):
    """The claim with which a paper stands or falls, and what became of it, as Markdown."""
    verdict, counts = claim_verdict(ledger[ledger["sentence"] == paper.claim])
    return f"{escaped(paper.claim)}: **{verdict}** ({counts})"


def what_holds(paper, ledger):
    """How much of a paper agrees, and its main claim, as Markdown."""
    scored = ledger[ledger["counts_as"] != ""]
    values, claims = (scored[scored["asks"] == kind] for kind in SCORED)
    agree, differ = (int(values["outcome"].isin(of).sum()) for of in (AGREES, DEPARTS))
    became = [
        claim_verdict(tests)[0] for _, tests in claims.groupby("sentence", sort=False)
    ]
    text = f"Of {len(values)} printed values {agree} agree and {differ} differ; of {len(became)}"
    text += f" sentences {became.count(HOLDS)} hold, {became.count(FAILS)} fail and"
    text += f" {became.count(MIXED)} are mixed; the rest are undecided."
    return text + (
        f" The main claim, {main_claim(paper, ledger)}." if paper.claim else ""
    )


def summary(ledgers):
    """The most important numbers in sentences, as Markdown."""
    ledger = pd.concat(ledgers.values())
    errata = declared.load_errata()
    total = score(ledger)
    own = ours(ledger)
    claims = Counter(
        ledger["outcome"][(ledger["asks"] == "claim") & (ledger["counts_as"] != "")]
    )
    kinds = Counter(erratum.kind for erratum in errata)
    found = ", ".join(f"{kind} {kinds[kind]}" for kind in declared.KINDS if kinds[kind])
    return (
        f"Of {len(ledger) - sum(own)} printed things in {len(ledgers)} papers,"
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
