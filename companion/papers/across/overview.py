"""All papers at once, in sentences, for ``notebooks/overview.ipynb`` and the README.

Everything is read from records and data files; nothing is computed anew and no number is typed.
"""

from base64 import b64decode
from collections import Counter

import nbformat
import pandas as pd

from companion.reproduction import declared
from companion.reproduction.artefacts import list_artefacts, list_papers, notebook_path
from companion.reproduction.cards import card
from companion.reproduction.display import escaped, score_line, score_words, whole
from companion.reproduction.notebooks import first_figure
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.scores import scored_as_on_record, sentence_words


def load_ledgers(profile="paper"):
    """The ledger of each paper, from committed records or those of the last quick run.

    An artefact that cannot be compared raises RuntimeError: an overview without it would be wrong.
    """
    ledgers = _ledgers(list_artefacts(), "overview of all papers", profile)
    if profile != "paper":
        on_record = _ledgers(list_artefacts(), "overview of all papers")
        ledgers = scored_as_on_record(ledgers, on_record)
    return dict(iter(whole(ledgers).groupby("paper", sort=False)))


def _ledgers(artefacts, what, profile="paper"):
    """The ledgers of all these artefacts, without which there is not what needs them."""
    ledgers, _, failures = read_ledgers(artefacts, profile)
    if failures:
        raise RuntimeError(f"There is no {what}:\n" + "\n".join(failures))
    return ledgers


def main_claim(paper, ledger):
    """The claim with which a paper stands or falls, and what became of it, as Markdown."""
    return (
        f"{escaped(paper.claim)}: **{sentence_words(ledger)[paper.key, paper.claim]}**"
    )


def show_card(key):
    """The card of a paper on record, for the first page of its notebooks."""
    from IPython.display import Markdown

    ledger = whole(_ledgers(list_artefacts(key), f"card of {key}"))
    return Markdown(whole_card(list_papers()[key], ledger))


def whole_card(paper, ledger):
    """The card of a paper with its score and its main claim, as Markdown."""
    text = f"{score_line(ledger)}."
    if paper.claim:
        text += f" The main claim, {main_claim(paper, ledger)}."
    return f"{card(paper, ledger).to_markdown()}\n* **The score.** {text}"


def pictured_card(paper, ledger):
    """The card of a paper in parts to display: after what it proposes its first figure."""
    from IPython.display import Image, Markdown

    proposes, *lines = whole_card(paper, ledger).splitlines()
    title = f"### {paper.title}\n\n{paper.citation} (`{paper.key}`)."
    first_page = notebook_path(paper.artefacts[0])
    figure = first_figure(nbformat.read(first_page, as_version=4))
    size_and_alt = figure.metadata["image/png"]
    picture = Image(b64decode(figure.data["image/png"]), **size_and_alt)
    return [Markdown(f"{title}\n\n{proposes}"), picture, Markdown("\n".join(lines))]


def summary(ledgers):
    """The most important numbers in sentences, as Markdown."""
    ledger = pd.concat(ledgers.values())
    errata = declared.load_errata()
    kinds = Counter(erratum.kind for erratum in errata)
    found = ", ".join(f"{kind} {kinds[kind]}" for kind in declared.KINDS if kinds[kind])
    return (
        f"{score_words(ledger)}\n\n**{len(errata)} errors in the print**"
        f" were found and proved: {found}."
    )
