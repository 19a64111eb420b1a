"""Errors in the papers' print: ``data/errata.yaml``, each with its proof.

The file is a list. An entry says what stands in the print, what must stand there, and which tests
or notebooks prove it::

    - paper: gacv
      where: (11)
      printed: the second sum inside the bracket of the first
      correct: two sums side by side
      kind: misprint
      proof: [tests/papers/test_gacv_errata.py::test_brxa_as_printed_is_no_estimate_of_a_risk]

A test is named with its file, a notebook by its path. The kinds are:

``misprint``
    A formula or sentence that its own context contradicts: a sign, an index, a factor.
``interchanged``
    Two things that stand in each other's place.
``wrong number``
    A number that cannot be, or that the paper's own definitions do not give.
``false claim``
    A statement that a proof or a counterexample refutes.
``gap``
    An argument or a definition that does not cover what it is used for.
``missing information``
    Something that the reader needs to do what the paper did, and that is not there.

A printed value that a regeneration does not meet is no erratum for that alone; such values have
their reasons in ``data/deviations.yaml``.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from companion._paths import data_dir
from companion.reproduction._entries import read_entries, shape_faults
from companion.reproduction.artefacts import list_papers
from companion.reproduction.published import PublishedError

__all__ = ["KINDS", "Erratum", "load_errata"]

KINDS = ("misprint", "interchanged", "wrong number", "false claim", "gap", "missing information")
_TEXTS = ("paper", "where", "printed", "correct", "kind")
_PROOF = re.compile(r"tests/[\w/]+\.py::test_\w+|notebooks/[\w/]+\.ipynb")


@dataclass(frozen=True)
class Erratum:
    """An error in a paper's print.

    Attributes
    ----------
    paper : str
        Key of the paper.
    where : str
        Equation, table or section.
    printed, correct : str
        What stands there, and what must stand there.
    kind : str
        One of :data:`KINDS`.
    proof : tuple of str
        ``tests/<file>.py::<test>`` or ``notebooks/<paper>/<name>.ipynb``, relative to the project.
    """

    paper: str
    where: str
    printed: str
    correct: str
    kind: str
    proof: tuple[str, ...]


def _faults(entry, papers):
    faults = shape_faults(entry, _TEXTS, ("proof",), one_line=_TEXTS)
    if faults:
        return faults
    if entry["paper"] not in papers:
        faults.append(f"paper {entry['paper']!r} is unknown: there are {', '.join(papers)}")
    if entry["kind"] not in KINDS:
        faults.append(f"kind {entry['kind']!r} is unknown: it must be one of {', '.join(KINDS)}")
    faults += [
        f"proof {text!r} is neither tests/<file>.py::test_<name> nor notebooks/<name>.ipynb"
        for text in entry["proof"]
        if not _PROOF.fullmatch(text)
    ]
    return faults


def load_errata(path=None):
    """Read and check the errata.

    Parameters
    ----------
    path : path-like, optional
        Default ``data/errata.yaml`` of the project; a file that does not exist holds none.

    Returns
    -------
    list of Erratum
        In the order of the file.

    Raises
    ------
    PublishedError
        If the file has faults; all are listed with the number of their entry.
    """

    path = data_dir() / "errata.yaml" if path is None else Path(path)
    faults, errata, seen = [], [], set()
    for number, entry in enumerate(read_entries(path), start=1):
        found = _faults(entry, list_papers())
        if not found:
            texts = {name: entry[name].strip() for name in _TEXTS}
            key = (texts["paper"], texts["where"], texts["printed"])
            if key in seen:
                found.append(f"{' / '.join(key)} is listed twice")
            seen.add(key)
            errata.append(Erratum(**texts, proof=tuple(entry["proof"])))
        faults += [f"entry {number}: {fault}" for fault in found]
    if faults:
        raise PublishedError(path.name, faults)
    return errata
