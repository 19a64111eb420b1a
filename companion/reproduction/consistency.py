"""What the files of a project say of each other: artefacts, notebooks, proofs and records.

What loads a file checks the file itself. Here they are held against each other, by `companion
verify` for any project and by the tests for this one.
"""

import re
from functools import cache

import pandas as pd

from companion._utils.paths import companion_root, data_dir, is_checkout, project_root
from companion.reproduction.artefacts import list_papers, notebook_path
from companion.reproduction.declared import (
    load_cards,
    load_deviations,
    load_errata,
    load_readings,
    unknown_word,
)
from companion.reproduction.display import TO_BE_REWRITTEN, card
from companion.reproduction.index import load_index, tables_of_records
from companion.reproduction.published import PublishedError, load_published
from companion.reproduction.times import load_times

_OWN = __name__.partition(".")[0]
#: A notebook, or a file of tests and perhaps one test in it, in a text of evidence.
_PROOF = re.compile(r"(notebooks/[\w/-]+\.ipynb|tests/[\w/-]+\.py)(?:::(test_\w+))?")
#: Errata that no computation can show.
_WITHOUT_TEST = ("gap", "missing information")


def faults_of_project(artefacts):
    """What cannot be right in the files of a project, each with the file that says it.

    Parameters
    ----------
    artefacts : list of Artefact
        All of the project.

    Returns
    -------
    list of str
    """
    faults = []
    for check in (_notebooks, _print, _errata, _readings, _evidence, _cards, _times):
        try:
            faults += check(artefacts)
        except PublishedError as error:
            faults.append(str(error))
    return faults


def outdated_files(artefacts, ledgers):
    """What is left over or no longer true beside the records: of `ledgers`, by artefact, if whole.

    Returns
    -------
    list of str
        Tables and lines of the index that are of no study, and sentences of cards.
    """
    studies = {f"{s.paper}/{s.name}" for a in artefacts for s in a.studies}
    texts = []
    for study in sorted({*load_index(), *tables_of_records()} - studies):
        home = data_dir() / "records"
        texts.append(
            f"{home / study}.csv and its line in {home / 'index.csv'} are of no study: remove them"
        )
    for key, entry in load_cards().items() if ledgers else ():
        of_paper = [own for own in ledgers.values() if {*own["paper"]} == {key}]
        if of_paper and (paper := list_papers().get(key)):
            found = card(paper, pd.concat(of_paper), entry)
            texts += [
                f"{data_dir() / 'cards.yaml'}, {key}: {text}"
                for text in [found["measured"], *found["found"], *found["misprints"]]
                if text.startswith(TO_BE_REWRITTEN)
            ]
    return texts


def _notebooks(artefacts):
    return [
        f"{notebook_path(artefact)}: the notebook of {artefact.id} is not there"
        for artefact in artefacts
        if not notebook_path(artefact).is_file()
    ]


def _print(artefacts):
    """Printed rows of artefacts that there are not, and main claims that are not printed."""
    faults = []
    keys = dict.fromkeys(artefact.paper for artefact in artefacts)
    for path in sorted((data_dir() / "published").glob("*.csv")):
        if path.stem not in {*keys, *list_papers()}:
            faults.append(f"{path} is of no paper that is registered")
    for key in keys:
        path = data_dir() / "published" / f"{key}.csv"
        if not path.is_file():
            continue
        published = load_published(key)
        names = [a.name for a in artefacts if a.paper == key and a.values is not None]
        for place, name in published["artefact"].drop_duplicates().items():
            if name not in names:
                known = f"none of {', '.join(names)} has that name"
                faults.append(
                    f"{path}: line {place + 2}: no artefact {name!r}; {known}"
                )
        for place, why in published["why"].items():
            faults += _unproved(f"{path}: line {place + 2}", key, [why])
        claims = {*published.loc[published["asks"] == "claim", "sentence"]}
        main = load_cards().get(key, {}).get("claim")
        if main and main not in claims:
            faults.append(f"{path}: no claim has the main one of cards.yaml, {main!r}")
    return faults


def _errata(artefacts):
    faults = []
    for erratum in load_errata():
        owner = f"errata.yaml, {erratum.paper}, {erratum.where}"
        faults += _unprinted(owner, erratum.paper, artefacts)
        faults += _unproved(owner, erratum.paper, erratum.proof)
        computed = any("::" in proof for proof in erratum.proof)
        if not computed and erratum.kind not in _WITHOUT_TEST:
            faults.append(f"{owner}: a {erratum.kind} needs a test among its proofs")
    return faults


def _readings(artefacts):
    faults = []
    for name, reading in load_readings().items():
        owner = f"readings.yaml, {name}"
        faults += _unprinted(owner, reading.paper, artefacts)
        faults += _unproved(owner, reading.paper, reading.proof)
    return faults


def _evidence(artefacts):
    return [
        fault
        for (paper, *cell), deviation in load_deviations().items()
        for fault in _unproved(
            f"deviations.yaml, {paper}, {' / '.join(cell)}", paper, [deviation.evidence]
        )
    ]


def _cards(artefacts):
    return [
        f"cards.yaml: {fault}"
        for paper in load_cards()
        for fault in unknown_word({"paper": paper}, "paper", list_papers())
    ]


def _times(artefacts):
    load_times()
    return []


def _unprinted(owner, paper, artefacts):
    """A fault of what speaks of a paper of which nothing is printed here."""
    if any(artefact.paper == paper and artefact.values for artefact in artefacts):
        return []
    return [f"{owner}: no printed row is of the paper {paper!r} in this project"]


def _unproved(owner, paper, texts):
    """Faults of the notebooks and tests that texts name and that are not there."""
    module = getattr(list_papers().get(paper), "module", "")
    ours = module.partition(".")[0] == _OWN
    faults = []
    for place, test in _PROOF.findall(" ".join(texts)):
        if ours and place.startswith("tests/"):
            if not is_checkout():  # a wheel has none
                continue
            path = companion_root() / place
        else:
            path = project_root() / place
        if not path.is_file():
            faults.append(f"{owner}: {place} is not there")
        elif test and test not in _tests_of(path):
            faults.append(f"{owner}: {place} has no {test}")
    return faults


@cache
def _tests_of(path):
    """Names of the test functions of a module, without importing it."""
    text = path.read_text(encoding="utf-8")
    return {*re.findall(r"^\s*def (test_\w+)", text, re.MULTILINE)}
