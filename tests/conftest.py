"""The static site and the wheel, built once for all tests that look at them."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from _run import python

from companion._utils.paths import project_root


@dataclass(frozen=True)
class BuiltSite:
    """The folder of the pages, and the exit code and output of Sphinx."""

    folder: Path
    code: int
    out: str
    err: str

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """A folder, by its name, that the first of several processes fills for all of them."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root

    def filled(name, fill):
        import fcntl  # which Windows has not, nor the tests that need this

        folder = root / name
        with open(root / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                folder.mkdir()
                fill(folder)
        return folder

    return filled


@pytest.fixture(scope="session")
def site(once):
    """The site, as `make site` builds it."""

    def build(folder):
        options = ["--quiet", "--fail-on-warning", "--keep-going", "--jobs", "auto"]
        docs = project_root() / "docs"
        run = python("-m", "sphinx", *options, docs, folder / "html")
        said = json.dumps([run.returncode, run.stdout, run.stderr])
        folder.with_suffix(".json").write_text(said)

    folder = once("site", build)
    said = json.loads(folder.with_suffix(".json").read_text())
    return BuiltSite(folder / "html", *said)


@pytest.fixture(scope="session")
def wheel(once):
    """The wheel of the project as it stands."""

    def build(folder):
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
        python("-m", "pip", "wheel", *options, folder, project_root(), check=True)

    return next(once("wheel", build).glob("svm_companion-*.whl"))
