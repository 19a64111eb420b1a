"""Committed records beside what their units give when they are computed anew."""

import numpy as np
import pytest

from companion.datasets import DataUnavailable
from companion.reproduction.artefacts import list_artefacts
from companion.reproduction.store import RecordStore


def studies_of(*papers):
    """The studies of some papers by ``"<paper>/<study>"``."""
    return {
        f"{study.paper}/{study.name}": study
        for paper in papers
        for artefact in list_artefacts(paper)
        for study in artefact.studies
    }


def sample(units, size):
    """Some of the units, always the same ones, in their order."""
    rng = np.random.default_rng(len(units))
    chosen = rng.choice(len(units), size=min(size, len(units)), replace=False)
    return [units[k] for k in sorted(chosen)]


def fresh_and_committed(study, units):
    """Every row of the units computed anew: the unit, the row and the row on record.

    Units whose data cannot be had are left out; the test is skipped if there is no other.
    """
    records, compared, unavailable = RecordStore(study, "paper").records(), 0, set()
    for unit in units:
        try:
            rows = study.compute(unit)
        except DataUnavailable as error:
            unavailable.add(str(error))
            continue
        rows = rows if isinstance(rows, list) else [rows]
        committed = records[unit.key].rows
        assert len(rows) == len(committed), unit
        for row, record in zip(rows, committed, strict=True):
            yield unit, row, record
        compared += 1
    if not compared:
        pytest.skip("; ".join(sorted(unavailable)))
