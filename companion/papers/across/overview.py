"""All papers at once, for ``notebooks/overview.ipynb``, the methods and the README.

Everything is read from records and data files; nothing is computed anew and no number is typed.
"""

from base64 import b64decode
from collections import Counter

import nbformat

from companion.reproduction import declared
from companion.reproduction.artefacts import list_artefacts, list_papers, notebook_path
from companion.reproduction.display import card, card_text, whole
from companion.reproduction.notebooks import first_figure
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.scores import scored_as_on_record

#: Kinds of errata that are no errors: an argument that does not reach, and what is not said.
NO_ERRORS = ("gap", "missing information")


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


def show_card(key):
    """The card of a paper on record, for the first page of its notebooks."""
    from IPython.display import Markdown

    ledger = whole(_ledgers(list_artefacts(key), f"card of {key}"))
    return Markdown(card_text(card(list_papers()[key], ledger)))


def pictured_card(paper, ledger):
    """The card of a paper in parts to display: after what it proposes its first figure."""
    from IPython.display import Image, Markdown

    proposes, *lines = card_text(card(paper, ledger)).splitlines()
    title = f"### {paper.title}\n\n{paper.citation} (`{paper.key}`)."
    first_page = notebook_path(paper.artefacts[0])
    figure = first_figure(nbformat.read(first_page, as_version=4))
    size_and_alt = figure.metadata["image/png"]
    picture = Image(b64decode(figure.data["image/png"]), **size_and_alt)
    return [Markdown(f"{title}\n\n{proposes}"), picture, Markdown("\n".join(lines))]


def errata_line():
    """How many errors in the print were found, and what is no error but open, in two sentences."""
    kinds = Counter(erratum.kind for erratum in declared.load_errata())
    errors = {kind: kinds[kind] for kind in declared.KINDS if kind not in NO_ERRORS}
    listed = ", ".join(f"{kind} {number}" for kind, number in errors.items() if number)
    beside = ", ".join(f"{kind} {kinds[kind]}" for kind in NO_ERRORS)
    return (
        f"**{sum(errors.values())} errors in the print** were found, each with its proof: {listed}."
        f" Beside them stands what is no error and yet in the way: {beside}."
    )
