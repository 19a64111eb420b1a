"""How much memory is left: what systems and containers tell."""

from types import SimpleNamespace

import pytest
from _cases import cases

from companion._utils import memory as _memory

GIGABYTE = 10**9


@pytest.fixture
def linux(tmp_path, monkeypatch):
    """A machine with 8 GB free, whose control groups a test writes."""
    free = SimpleNamespace(available=8 * GIGABYTE)
    monkeypatch.setattr(_memory.psutil, "virtual_memory", lambda: free)
    for name in ("_OWN_GROUPS", "_GROUPS"):
        monkeypatch.setattr(_memory, name, tmp_path / name)
    return tmp_path


def group(folder, limit, usage, *, version, cache=0):
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current")
    if version == 1:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, value in zip(names, (limit, usage), strict=True):
        (folder / name).write_text(f"{value}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {cache}\n")


def test_the_system_tells_what_is_free(linux):
    assert _memory.available_megabytes() == 8000.0


@cases("version, line, top", (2, "0::", "_GROUPS"), (1, "4:memory:", "_GROUPS/memory"))
@cases("place", "/", "/jobs/one")
def test_the_limit_of_a_container_leaves_less(linux, version, line, top, place):
    (linux / "_OWN_GROUPS").write_text(f"7:cpu:/\n{line}{place}\n")
    group(linux / top, "max", 1, version=version)
    assert _memory.available_megabytes() == 8000.0
    group(linux / top, 4 * GIGABYTE, 3 * GIGABYTE, version=version, cache=GIGABYTE)
    assert _memory.available_megabytes() == 2000.0
    if place != "/":
        inner = linux / top / place.strip("/")
        group(inner, 2 * GIGABYTE, GIGABYTE, version=version)
        assert _memory.available_megabytes() == 1000.0
        group(inner, GIGABYTE, 2 * GIGABYTE, version=version)
        assert _memory.available_megabytes() == 0.0
