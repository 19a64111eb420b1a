"""Compiled loops are those of the present sources, also where only a callee has changed."""

import pytest
from _run import python

from companion._sources import discard_old_loops

CALLEE = "from numba import njit\n\n\n@njit(cache=True)\ndef number():\n    return {}\n"
CALLER = (
    "from numba import njit\n\nfrom loops.callee import number\n\n\n"
    "@njit(cache=True)\ndef twice():\n    return 2 * number()\n"
)


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "loops"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "callee.py").write_text(CALLEE.format(1))
    (folder / "caller.py").write_text(CALLER)
    return folder


def twice(package):
    code = "from loops.caller import twice; print(twice())"
    return int(python("-c", code, cwd=package.parent, check=True).stdout)


def kept(package):
    """How many files of compiled loops stay where old ones are discarded."""
    discard_old_loops.__wrapped__(package)
    return len(list(package.rglob("*.nb[ci]")))


def test_a_changed_callee_is_compiled_into_its_callers(package):
    assert kept(package) == 0
    assert twice(package) == 2
    (package / "callee.py").write_text(CALLEE.format(21))
    assert twice(package) == 2, "numba has learnt to look at callees: discard_old_loops can go"
    assert kept(package) == 0 and twice(package) == 42 and kept(package) == 4


def test_loops_of_unknown_sources_are_discarded_and_comments_discard_nothing(package):
    twice(package)
    assert kept(package) == 0
    twice(package)
    (package / "callee.py").write_text("# A number.\n" + CALLEE.format(1))
    (package / "plain.py").write_text("x = 1\n")
    assert kept(package) == 4


def test_a_folder_that_cannot_be_written_is_left_alone(package, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("read-only")

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    twice(package)
    assert kept(package) == 4
