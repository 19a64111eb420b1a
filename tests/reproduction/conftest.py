"""Where the tests keep their records, and what a run of one process gives."""

import pytest
from _studies import N_UNITS, study, table

from companion.reproduction.run import load_records


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A project and a cache of the test's own, for child processes too."""
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path / "project"))
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """The table of one uninterrupted run in one process."""
    folder = tmp_path_factory.mktemp("reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_PROJECT", str(folder / "project"))
        patch.setenv("COMPANION_CACHE", str(folder / "cache"))
        assert load_records(study(n_repetitions=6)).computed == N_UNITS
    return table(folder)
