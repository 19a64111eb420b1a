"""The static site and the wheel, built once for all tests that look at them."""

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from _run import python

from companion._utils.paths import project_root


@dataclass(frozen=True)
class BuiltSite:
    """The folder of the pages, and the exit code and output of the command."""

    folder: Path
    code: int
    out: str
    err: str

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site; the first of several processes builds it for all of them."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    folder = root / "site" / "html"
    said = root / "site.json"
    with open(root / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            run = python("-m", "companion", "report", "--output", folder)
            said.write_text(json.dumps([run.returncode, run.stdout, run.stderr]))
    return BuiltSite(folder, *json.loads(said.read_text()))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel of the project as it stands."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    python("-m", "pip", "wheel", *options, project_root(), check=True)
    return next(folder.glob("svm_companion-*.whl"))
