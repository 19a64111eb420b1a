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
from companion._utils.sources import digest_of, sources_digest
from companion.reproduction.artefacts import Artefact, list_artefacts, list_papers

_OWN = __name__.partition(".")[0]
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
        self._all: list[str] = []  # names of all artefacts, once all were read
        with suppress(Exception):  # whatever reading a damaged file brings about
            inputs, *kept = pickle.loads(self._path.read_bytes())
            if inputs == self._inputs:
                self._found, self._all = kept

    def get(self, artefact: Artefact) -> Kept | None:
        """What was found for an artefact off the present files."""
        return self._found.get(artefact.id) if _is_ours(artefact) else None

    def get_all(self) -> dict[str, Kept]:
        """What was found for all artefacts, none of which is imported; empty if it is not kept."""
        ours = all(_is_own(paper.module) for paper in list_papers().values())
        return {name: self._found[name] for name in self._all if ours}

    def save(self, found: dict[Artefact, Kept]) -> None:
        """Keep what was found without a fault, unless a file has changed meanwhile."""
        new = {a.id: kept for a, kept in found.items() if _is_ours(a) and not kept[2]}
        if new.keys() <= self._found.keys():
            return
        self._found |= new
        every = [artefact.id for artefact in list_artefacts()]
        self._all = every if new.keys() >= {*every} else []
        if self._inputs and self._inputs == self._digest_of_inputs():
            content = pickle.dumps((self._inputs, self._found, self._all))
            with suppress(OSError):
                replace_bytes(self._path, content)

    def _digest_of_inputs(self) -> str:
        """Of sources, versions, data and records; "" if what is read now may be no longer so."""
        digest = hashlib.sha256("\n".join([sources_digest(), *_VERSIONS]).encode())
        with suppress(OSError):  # of a file that another run has just taken away
            for path in sorted(p for top in self._folders for p in top.rglob("*")):
                if path.is_file():
                    content = hashlib.sha256(path.read_bytes()).digest()
                    digest.update(os.fsencode(path) + b"\0" + content)
            return digest.hexdigest() if sources_digest() == digest_of() else ""
        return ""


def _is_ours(artefact: Artefact) -> bool:
    """Whether all that the verdicts of an artefact come from is in this package."""
    functions = [artefact.values, *(study.compute for study in artefact.studies)]
    homes = {function.__module__ for function in functions if function is not None}
    return all(map(_is_own, homes))


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _OWN
