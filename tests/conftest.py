"""The static site, built once for all tests that look at it."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.reproduction.compiled import discard_old_loops


def pytest_configure():
    """Tests are about the present sources."""
    discard_old_loops()


@dataclass(frozen=True)
class BuiltSite:
    """Folder of the pages, and what the command said."""

    folder: Path
    code: int
    out: str
    err: str

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "html"
    run = subprocess.run(
        [sys.executable, "-m", "companion.cli", "report", "--output", folder],
        capture_output=True,
        text=True,
    )
    return BuiltSite(folder, run.returncode, run.stdout, run.stderr)
