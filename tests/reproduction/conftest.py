"""Where the tests keep their records, and what a run of one process gives."""

import pytest
from _studies import N_UNITS, study, table

from companion.reproduction.run import load_records


@pytest.fixture
def places(tmp_path):
    return {"root": tmp_path / "data", "cache": tmp_path / "cache"}


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """The table of one uninterrupted run in one process."""
    folder = tmp_path_factory.mktemp("reference")
    places = {"root": folder / "data", "cache": folder / "cache"}
    records = load_records(study(n_repetitions=6), **places)
    assert records.computed == N_UNITS
    return table(places)
