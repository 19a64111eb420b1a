"""Ledgers that were read off the same files before, kept as JSON in the cache folder.

A ledger follows from sources, data, records and libraries. A digest of them all is kept beside it,
so that what is found is what would be computed again. Nothing is lost where it is deleted.
"""

import hashlib
import json
import os
import sys
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import scipy

from companion._utils.files import replace_bytes
from companion._utils.paths import (
    cache_dir,
    companion_root,
    data_dir,
    notebooks_dir,
    project_root,
)
from companion._utils.sources import sources_digest
from companion.reproduction.artefacts import Artefact, list_papers

_OWN = f"{__name__.partition('.')[0]}."
_VERSIONS = (sys.version, np.__version__, pd.__version__, scipy.__version__)

#: A ledger, what its records lack, by kind, and what went wrong.
Kept = tuple[Any, dict[str, list[str]], dict[str, bool]]


class KeptLedgers:
    """Those of one profile; what is of another package's artefacts is neither kept nor found."""

    def __init__(self, profile: str):
        self._path = cache_dir() / "ledgers" / f"{profile}.json"
        self._folders = {data_dir(), cache_dir() / "records" / profile}
        self._folders |= {root / "tests" for root in (project_root(), companion_root())}
        self._inputs = self._digest_of_inputs()
        self._found: dict[str, list] = {}
        self._is_whole = False  # of all artefacts, of a project without a fault
        with suppress(OSError, ValueError, TypeError):  # of a file of another program
            inputs, *kept = json.loads(self._path.read_bytes())
            if inputs == self._inputs:
                self._found, self._is_whole = kept

    def get(self, artefact: Artefact) -> Kept | None:
        """What was found for an artefact off the present files."""
        if not _is_ours(artefact) or artefact.id not in self._found:
            return None
        return self._read(artefact.id)

    def get_all(self) -> dict[str, Kept]:
        """What was found for all artefacts, none of which is imported; empty if it is not kept."""
        return (
            {name: self._read(name) for name in self._found} if self._is_whole else {}
        )

    def _read(self, name: str) -> Kept:
        rows, gaps = self._found[name]
        return None if rows is None else pd.DataFrame(rows), gaps, {}

    def save(self, found: dict[Artefact, Kept], whole: bool = False) -> None:
        """Keep what was found without a fault, unless a file has changed meanwhile."""
        new = {
            artefact.id: [None if ledger is None else ledger.to_dict("records"), gaps]
            for artefact, (ledger, gaps, failures) in found.items()
            if _is_ours(artefact) and not failures
        }
        whole = whole and len(new) == len(found)
        if new.keys() <= self._found.keys() and whole <= self._is_whole:
            return
        self._found = new if whole else self._found | new
        self._is_whole = whole
        if self._inputs == self._digest_of_inputs():
            content = json.dumps((self._inputs, self._found, self._is_whole))
            with suppress(OSError):
                replace_bytes(self._path, content.encode())

    def _digest_of_inputs(self) -> str:
        """Of sources, papers, versions, data, records, tests, and the names of notebooks."""
        notebooks = sorted(str(path) for path in notebooks_dir().rglob("*.ipynb"))
        texts = (sources_digest(), repr(list_papers()), *_VERSIONS, *notebooks)
        digest = hashlib.sha256("\n".join(texts).encode(errors="surrogateescape"))
        for path in sorted(p for top in self._folders for p in top.rglob("*")):
            if path.suffix == ".pyc":
                continue
            # a folder, or a file that a run has just replaced
            with suppress(OSError):
                content = hashlib.sha256(path.read_bytes()).digest()
                digest.update(os.fsencode(path) + b"\0" + content)
        return digest.hexdigest()


def _is_ours(artefact: Artefact) -> bool:
    """Whether all that the verdicts of an artefact come from is in this package."""
    functions = [artefact.values, *(study.compute for study in artefact.studies)]
    return all(f is None or f.__module__.startswith(_OWN) for f in functions)
