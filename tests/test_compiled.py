"""Compiled loops are those of the present sources, wherever they are kept."""

import os
from pathlib import Path

import pytest
from _cases import cases
from _run import said

from companion._utils import compiled

CONSTANTS = "FACTOR = {}\n"
CALLEE = (
    "from companion import constants\n\nfrom companion._utils.compiled import njit\n\n"
    "FACTOR = constants.FACTOR\n\n\n@njit()\ndef number():\n    return {} * FACTOR\n"
)
CALLER = (
    "from companion._utils.compiled import njit\n"
    "from companion.callee import (\n    number as chosen,\n)\n\n\n"
    "@njit()\ndef twice():\n    return 2 * chosen()\n"
)
PROGRAM = """
from companion.caller import twice
print(twice(), sum(twice.stats.cache_hits.values()), twice.stats.cache_path)
"""


@pytest.fixture
def package(tmp_path):
    """A package of that name, with a loop that calls a loop of another file."""
    folder = tmp_path / "companion"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "_utils").mkdir()
    (folder / "_utils" / "compiled.py").write_bytes(
        Path(compiled.__file__).read_bytes()
    )
    (folder / "constants.py").write_text(CONSTANTS.format(1))
    (folder / "callee.py").write_text(CALLEE.format(1))
    (folder / "caller.py").write_text(CALLER)
    return folder


@pytest.mark.slow
@cases("place", "beside the sources", "NUMBA_CACHE_DIR", "at home")
def test_what_is_kept_is_used_until_a_source_of_it_changes(package, place):
    home = package.parent / "home"
    environment = os.environ | {"HOME": str(home), "XDG_CACHE_HOME": str(home)}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": ""}
    where = package
    if place == "NUMBA_CACHE_DIR":
        where = package.parent / "loops"
        environment["NUMBA_CACHE_DIR"] = str(where)
    elif place == "at home":
        where = home
        (package / "__pycache__").touch()  # where no folder can be, nothing can be kept

    def run():
        value, hits, kept_at = said(
            "-c", PROGRAM, cwd=package.parent, env=environment
        ).split()
        assert Path(kept_at).is_relative_to(where)
        return int(value), int(hits)

    assert run() == (2, 0)
    os.utime(package / "caller.py", (0, 0))
    (package / "another.py").write_text("x = 1\n")
    assert run() == (2, 1)
    if place != "beside the sources":
        return
    (package / "callee.py").write_text(CALLEE.format(10))
    assert run() == (20, 0)
    (package / "constants.py").write_text(CONSTANTS.format(7))
    assert run() == (140, 0)


@pytest.mark.slow
@cases("ending", "nbi", "nbc")
def test_what_was_kept_in_part_is_compiled_anew(package, ending):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(package.parent / "loops")}

    def run():
        words = said("-c", PROGRAM, cwd=package.parent, env=environment)
        return words.split()[:2]

    assert run() == ["2", "0"]
    kept = list(package.parent.rglob(f"*.{ending}"))
    assert kept
    for file in kept:
        file.write_bytes(file.read_bytes()[:-20])
    assert run() == ["2", "0"]
    assert run() == ["2", "1"]


def test_the_papers_are_imported_without_compilation():
    program = (
        "import importlib, companion.solvers.smo, companion.papers as papers\n"
        "for paper in papers.PAPERS: importlib.import_module(paper.module)"
    )
    said("-c", program, env=os.environ | {"NUMBA_DISABLE_JIT": "1"})
