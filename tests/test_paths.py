"""Where the project's files are looked for."""

from pathlib import Path

from _cases import cases

import companion
from companion._utils import paths as _paths


def test_a_checkout_uses_its_own_folders(monkeypatch):
    monkeypatch.delenv("COMPANION_PROJECT", raising=False)
    root = Path(companion.__file__).resolve().parent.parent
    assert _paths.is_checkout()
    assert _paths.project_root() == root
    assert (_paths.data_dir(), _paths.notebooks_dir()) == (
        root / "data",
        root / "notebooks",
    )
    assert _paths.build_dir() == root / "build"


def test_a_wheel_uses_the_copy_it_carries_and_builds_in_the_current_folder(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("COMPANION_PROJECT", raising=False)
    (tmp_path / "companion" / "_project").mkdir(parents=True)
    monkeypatch.setattr(_paths, "_PACKAGE", tmp_path / "companion")
    monkeypatch.setattr(_paths, "_PACKAGED", tmp_path / "companion" / "_project")
    monkeypatch.chdir(tmp_path)
    assert not _paths.is_checkout()
    assert _paths.data_dir() == tmp_path / "companion" / "_project" / "data"
    assert _paths.build_dir() == tmp_path / "build"


def test_environment_variables_move_the_project_and_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path / "copy"))
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    assert _paths.data_dir() == tmp_path / "copy" / "data"
    assert _paths.build_dir() == tmp_path / "copy" / "build"
    assert _paths.cache_dir() == tmp_path / "cache"
    monkeypatch.delenv("COMPANION_CACHE")
    assert (
        _paths.cache_dir().name == "companion"
        or "companion" in _paths.cache_dir().parts
    )


@cases(
    "text, ours",
    (b"[project]\n[tool.companion]\n", True),
    (b"\xef\xbb\xbf[tool.companion] # our papers\r\n", True),
    (b"# caf\xe9 in Latin-1\n[tool.companion]\n", True),
    (b"[tool.other]\n# [tool.companion]\n", False),
)
def test_a_project_of_ones_own_is_found_from_within(monkeypatch, tmp_path, text, ours):
    monkeypatch.delenv("COMPANION_PROJECT", raising=False)
    (tmp_path / "pyproject.toml").write_bytes(text)
    inside = tmp_path / "notebooks" / "mine"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert (_paths.project_root() == tmp_path) == ours
    assert (_paths.build_dir() == tmp_path / "build") == ours
    assert ("COMPANION_PROJECT" in _paths.chosen_folders()) == ours
