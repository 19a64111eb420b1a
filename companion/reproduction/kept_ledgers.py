"""Ledgers that were read off the same files before, kept in the cache folder.

A ledger follows from sources, data, records and libraries. A digest of them all is kept beside it,
so that what is found is what would be computed again. Nothing is lost where it is deleted.
"""

import hashlib
import os
import pickle
import sys
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import scipy

from companion._utils.files import replace_bytes
from companion._utils.paths import cache_dir, data_dir
from companion._utils.sources import sources_digest
from companion.reproduction.artefacts import Artefact, list_artefacts, list_papers

_OWN = f"{__name__.partition('.')[0]}."
_VERSIONS = (sys.version, np.__version__, pd.__version__, scipy.__version__)

#: A ledger, what its records lack, by kind, and what went wrong.
Kept = tuple[Any, dict[str, list[str]], dict[str, bool]]


class KeptLedgers:
    """Those of one profile; what is of another package's artefacts is neither kept nor found."""

    def __init__(self, profile: str):
        self._path = cache_dir() / "ledgers" / f"{profile}.pickle"
        self._folders = (data_dir(), cache_dir() / "records" / profile)
        self._inputs = self._digest_of_inputs()
        self._found: dict[str, Kept] = {}
        self._is_whole = False  # of all artefacts
        with suppress(Exception):  # whatever reading a damaged file brings about
            inputs, *kept = pickle.loads(self._path.read_bytes())
            if inputs == self._inputs:
                self._found, self._is_whole = kept

    def get(self, artefact: Artefact) -> Kept | None:
        """What was found for an artefact off the present files."""
        return self._found.get(artefact.id) if _is_ours(artefact) else None

    def get_all(self) -> dict[str, Kept]:
        """What was found for all artefacts, none of which is imported; empty if it is not kept."""
        return self._found if self._is_whole else {}

    def save(self, found: dict[Artefact, Kept]) -> None:
        """Keep what was found without a fault, unless a file has changed meanwhile."""
        new = {a.id: kept for a, kept in found.items() if _is_ours(a) and not kept[2]}
        if new.keys() <= self._found.keys():
            return
        known = self._found | new
        order = [artefact.id for artefact in list_artefacts()]
        self._found = {name: known[name] for name in order if name in known}
        self._is_whole = len(self._found) == len(order)
        if self._inputs == self._digest_of_inputs():
            content = pickle.dumps((self._inputs, self._found, self._is_whole))
            with suppress(OSError):
                replace_bytes(self._path, content)

    def _digest_of_inputs(self) -> str:
        """Of the sources that run, the papers, versions, data and records."""
        texts = (sources_digest(), repr(list_papers()), *_VERSIONS)
        digest = hashlib.sha256("\n".join(texts).encode())
        for path in sorted(p for top in self._folders for p in top.rglob("*")):
            with suppress(
                OSError
            ):  # of a folder, or a file that a run has just replaced
                content = hashlib.sha256(path.read_bytes()).digest()
                digest.update(os.fsencode(path) + b"\0" + content)
        return digest.hexdigest()


def _is_ours(artefact: Artefact) -> bool:
    """Whether all that the verdicts of an artefact come from is in this package."""
    functions = [artefact.values, *(study.compute for study in artefact.studies)]
    return all(f is None or f.__module__.startswith(_OWN) for f in functions)
