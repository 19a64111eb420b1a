"""Declared deviations: ``data/deviations.yaml``, the one place where a verdict's reason is typed.

The file is a list. Each entry names the cells it speaks of (every row with every column) and says
why they differ and where that can be seen::

    - paper: l1nsvm
      artefact: table_2
      rows: [Titanic]
      columns: ["LS #It."]
      reason: iterations depend on the order of identical points
      evidence: notebooks/l1nsvm/table_2.ipynb, section 3

An entry may say ``unless_available: <key of data/sources.toml>``: it then holds only where those
files are not here, as for splits that can be drawn anew but not be had.

A declaration does not change what is computed. It turns ``differs`` into
``differs (declared: reason)``, and once the value no longer differs it is an error of its own.
"""

from dataclasses import dataclass
from pathlib import Path

from companion._paths import data_dir
from companion.reproduction._entries import read_entries, shape_faults
from companion.reproduction.published import PublishedError, load_published

__all__ = ["Deviation", "load_deviations"]

_TEXTS = ("paper", "artefact", "reason", "evidence")
_OPTIONAL = ("unless_available",)
_LISTS = ("rows", "columns")


@dataclass(frozen=True)
class Deviation:
    """Why a cell differs from the print, and where to see it.

    Parameters
    ----------
    reason : str
        One line, as it stands in a table.
    evidence : str
        Where it is shown, in a notebook or a test.
    """

    reason: str
    evidence: str


def _holds(entry):
    """Whether an entry applies here, and its fault if that cannot be told."""
    key = entry.get("unless_available")
    if key is None:
        return True, []
    from companion.datasets import UnknownDataset, get_source, is_available

    try:
        get_source(key)
    except UnknownDataset as error:
        return True, [f"unless_available: {error}"]
    return not is_available(key), []


def _check_cells(entry, published):
    """Faults of the names of an entry, and its cells."""
    values = published[published["artefact"] == entry["artefact"]]
    if values.empty:
        return [f"artefact {entry['artefact']!r} has no published values"], []
    known = set(zip(values["row"], values["column"], strict=True))
    faults = [f"row {row!r} is unknown" for row in entry["rows"] if row not in set(values["row"])]
    faults += [
        f"column {column!r} is unknown"
        for column in entry["columns"]
        if column not in set(values["column"])
    ]
    cells = [(row, column) for row in entry["rows"] for column in entry["columns"]]
    if not faults:
        faults = [
            f"{row!r} has no column {column!r}"
            for row, column in cells
            if (row, column) not in known
        ]
    return faults, [(entry["paper"], entry["artefact"], *cell) for cell in cells]


def load_deviations(path=None, load=load_published):
    """Read and check the declared deviations.

    Parameters
    ----------
    path : path-like, optional
        Default ``data/deviations.yaml`` of the project; a file that does not exist declares none.
    load : callable, optional
        From a paper's key to its published values, by which the names are checked.

    Returns
    -------
    dict
        From (paper, artefact, row, column) to :class:`Deviation`.

    Raises
    ------
    PublishedError
        If the file has faults; all are listed with the number of their entry.
    """
    path = data_dir() / "deviations.yaml" if path is None else Path(path)
    faults, deviations, published = [], {}, {}
    for number, entry in enumerate(read_entries(path), start=1):
        found, cells = shape_faults(entry, _TEXTS, _LISTS, _OPTIONAL, one_line=("reason",)), []
        if not found:
            paper = entry["paper"]
            try:
                published[paper] = published[paper] if paper in published else load(paper)
                found, cells = _check_cells(entry, published[paper])
                holds, more = _holds(entry)
                found, cells = found + more, cells if holds else []
            except FileNotFoundError:
                found = [f"paper {paper!r} has no published values"]
        for cell in [] if found else cells:
            if cell in deviations:
                found.append(f"{' / '.join(cell)} is declared twice")
            deviations[cell] = Deviation(entry["reason"].strip(), entry["evidence"].strip())
        faults += [f"entry {number}: {fault}" for fault in found]
    if faults:
        raise PublishedError(path.name, faults)
    return deviations
