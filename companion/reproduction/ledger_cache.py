"""Ledgers read off the same files before, in one file of the cache folder for each profile.

A ledger follows from sources, data, records and libraries: what was read off is found again as long
as no file among them has another time or size. Nothing is lost where the cache is deleted.
"""

import hashlib
import json
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

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
from companion.reproduction.artefacts import list_papers

_VERSIONS = (sys.version, np.__version__, pd.__version__, scipy.__version__)


class Outcome(NamedTuple):
    """The ledger of an artefact, what its records lack, by kind, and what went wrong."""

    ledger: pd.DataFrame | None = None
    gaps: dict = {}
    failures: dict = {}


def _packages():
    """The packages of which the sources are known: this one and the papers' own."""
    modules = [__name__, *(paper.module for paper in list_papers().values())]
    return {name.partition(".")[0] for name in modules}


def is_known(artefact):
    """Whether the sources of an artefact are among those known."""
    return {name.partition(".")[0] for name in artefact.modules} <= _packages()


def digest_of_inputs(profile):
    """Of all that ledgers follow from: papers, versions, sources, data, records and tests.

    The sources are those of this package and of the papers' own.
    """
    places = {data_dir(), cache_dir() / "records" / profile}
    places |= {root / "tests" for root in (project_root(), companion_root())}
    for name in _packages():
        with suppress(ValueError):  # of a module that no file is known of
            if spec := find_spec(name):
                places |= {*map(Path, spec.submodule_search_locations or [spec.origin])}
    files = {path for place in places for path in [place, *place.rglob("*")]}
    texts = [repr(list_papers()), *_VERSIONS]
    texts += sorted(map(str, notebooks_dir().rglob("*.ipynb")))
    for path in sorted(files):
        with suppress(OSError):  # a file that a run has just replaced
            if "__pycache__" not in path.parts and path.is_file():
                about = path.stat()
                texts.append(f"{path} {about.st_mtime_ns} {about.st_size}")
    return hashlib.sha256("\n".join(texts).encode(errors="surrogateescape")).hexdigest()


def _path(profile):
    return cache_dir() / "ledgers" / f"{profile}.json"


def load_ledgers(profile):
    """The outcomes that were kept of the present files, by name of artefact."""
    with suppress(OSError, ValueError, TypeError):  # of a file of another program
        inputs, kept = json.loads(_path(profile).read_bytes())
        if inputs == digest_of_inputs(profile):
            return {
                name: Outcome(None if rows is None else pd.DataFrame(rows), gaps)
                for name, (rows, gaps) in kept.items()
            }
    return {}


def save_ledgers(profile, inputs, outcomes):
    """Keep outcomes without failures, read off files of a digest, unless one has changed since."""
    if inputs != digest_of_inputs(profile):
        return
    kept = {
        name: (None if ledger is None else ledger.to_dict("records"), gaps)
        for name, (ledger, gaps, _) in outcomes.items()
    }
    with suppress(OSError):
        replace_bytes(_path(profile), json.dumps((inputs, kept)).encode())
