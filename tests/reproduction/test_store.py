"""The store of records: what is written stays, what cannot be written is said and not lost."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from _studies import study

from companion.reproduction.errors import StoreError
from companion.reproduction.store import RecordStore
from companion.reproduction.units import Study

HERE = Path(__file__).parent


@pytest.fixture
def store(tmp_path):
    return RecordStore(study(), root=tmp_path / "data", cache=tmp_path / "cache")


def again(store):
    """The same store as a later process would open it."""
    return RecordStore(
        store.study, store.profile, root=store.path.parents[1], cache=store.working.parents[2]
    )


def fill(store, n=None):
    units = list(store.units.values())[:n]
    for number, unit in enumerate(units):
        store.append(unit, {"error": number / 3, "converged": True})
    return units


def test_a_unit_is_on_the_disk_when_it_is_appended(store, monkeypatch):
    events = []
    write, fsync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda *args: events.append("write") or write(*args))
    monkeypatch.setattr(os, "fsync", lambda *args: events.append("fsync") or fsync(*args))
    fill(store, 1)
    assert events == ["write", "fsync"]  # one line in one piece, then synchronised
    assert len(again(store).records()) == 1


def test_the_working_file_is_one_line_of_json_a_unit(store):
    units = fill(store)
    header, *lines = store.working.read_text().splitlines()
    assert json.loads(header) == {
        "format": "companion records 1",
        "paper": "tests",
        "study": "table_0",
        "profile": "paper",
    }
    assert [json.loads(line)["key"] for line in lines] == [unit.key for unit in units]
    assert json.loads(lines[1]) == {
        "key": units[1].key,
        "params": units[1].params,
        "code": "",
        "rows": [{"error": 1 / 3, "converged": True}],
    }


def test_reading_makes_no_folder(store, tmp_path):
    assert store.records() == {} and not store.finished
    assert list(store.read().columns) == ["C", "repetition", "key", "code"]
    assert list(tmp_path.iterdir()) == []


def test_the_later_record_of_a_unit_counts(store):
    unit = fill(store)[0]
    store.append(unit, {"error": 7.0, "converged": False})
    assert again(store).records()[unit.key].rows == ({"error": 7.0, "converged": False},)


# -------------------------------------------------------------------------------- torn, foreign


@pytest.mark.parametrize("n_bytes", [1, 10, 40, 100])
def test_a_torn_last_line_is_dropped_with_one_notice_and_cut_off_at_the_next_unit(
    store, caplog, n_bytes
):
    units = fill(store)
    whole = store.working.read_bytes()
    store.working.write_bytes(whole[:-n_bytes])
    found = again(store).records()
    assert set(found) == {unit.key for unit in units[:-1]}
    assert len(caplog.records) == 1
    assert "\n" not in caplog.text.strip() and "the last line is torn" in caplog.text
    again(store).append(units[-1], {"error": 5 / 3, "converged": True})
    assert store.working.read_bytes() == whole


def test_a_torn_line_longer_than_a_block_is_cut_off_too(store):
    units = fill(store, 2)
    whole = store.working.read_bytes()
    store.working.write_bytes(whole + b"x" * 200_000)
    store.append(units[1], {"error": 1.0, "converged": True})
    assert store.working.read_bytes().startswith(whole + b"{")


@pytest.mark.parametrize("length", [0, 1, 30])
def test_a_torn_first_line_is_written_anew(store, length):
    fill(store, 1)
    whole = store.working.read_bytes()
    store.working.write_bytes(whole[:length])
    assert again(store).records() == {}
    fill(again(store), 1)
    assert store.working.read_bytes() == whole


def test_a_damaged_line_inside_costs_only_its_own_unit(store, caplog):
    units = fill(store)
    lines = store.working.read_bytes().split(b"\n")
    lines[2] = b"\0" * len(lines[2])
    lines[4] = b"[1, 2]"
    store.working.write_bytes(b"\n".join(lines))
    assert set(again(store).records()) == {unit.key for unit in units} - {
        units[1].key,
        units[3].key,
    }
    assert "2 damaged line(s) dropped" in caplog.text


@pytest.mark.parametrize(
    "content",
    [
        b"my notes\n",
        b"my notes without an end",
        b"\x89PNG\r\n\x1a\n",
        b'{"format": "companion records 1", "paper": "tests", "study": "x", "profile": "paper"}\n',
        b'{"format": "companion records 0", "paper": "tests", "study": "table_0"}\n',
    ],
)
@pytest.mark.parametrize("action", ["records", "prepare", "clear", "consolidate"])
def test_a_foreign_working_file_is_refused_and_left_as_it_is(store, content, action):
    store.working.parent.mkdir(parents=True)
    store.working.write_bytes(content)
    with pytest.raises(StoreError, match="is not a working file of the records") as caught:
        getattr(store, action)()
    assert str(store.working) in str(caught.value)
    assert "move it away" in str(caught.value)
    assert store.working.read_bytes() == content


def test_a_unit_is_not_lost_to_a_foreign_file(store):
    unit = list(store.units.values())[0]
    store.working.parent.mkdir(parents=True)
    store.working.write_text("my notes\n")
    with pytest.raises(StoreError):
        store.append(unit, {"error": 1.0})
    store.working.rename(store.working.with_name("notes.txt"))
    store.prepare()
    assert again(store).records()[unit.key].rows == ({"error": 1.0},)


@pytest.mark.parametrize("content", ["my,table\n1,2\n", "", "C,repetition,key,code\n1,2\n"])
def test_a_foreign_table_is_refused_and_left_as_it_is(store, content):
    fill(store)
    store.path.parent.mkdir(parents=True)
    store.path.write_text(content)
    with pytest.raises(StoreError, match="is not a table of records") as caught:
        store.consolidate()
    assert str(store.path) in str(caught.value)
    assert store.path.read_text() == content
    assert store.working.exists()


# ------------------------------------------------------------------------ disks and permissions


def full_disk(monkeypatch, after=0, code=errno.ENOSPC):
    """A disk that takes ``after`` more bytes; as on a real one, a write may be cut short."""
    write, left = os.write, [after]

    def limited(handle, data):
        if left[0] <= 0:
            raise OSError(code, os.strerror(code))
        n_bytes = write(handle, data[: left[0]])
        left[0] -= n_bytes
        return n_bytes

    monkeypatch.setattr(os, "write", limited)


@pytest.mark.parametrize("after", [0, 1, 60, 150])
def test_a_full_disk_is_one_clear_error_and_loses_no_unit(store, monkeypatch, after):
    units = fill(store, 3)
    before = store.working.read_bytes()
    with monkeypatch.context() as patch:
        full_disk(patch, after)
        with pytest.raises(StoreError) as caught:
            for unit in list(store.units.values())[3:]:
                store.append(unit, {"error": 0.5, "converged": True})
    message = str(caught.value)
    assert f"cannot write {store.working}: No space left on device" in message
    assert "Free some space on this disk, and run again" in message
    assert "1 finished unit(s) wait in the memory" in message
    kept = store.working.read_bytes()
    assert kept.startswith(before) and kept.endswith(b"\n")  # no torn line stays behind
    n_stored = len(again(store).records())
    store.prepare()
    assert store.unsaved == 0
    assert len(again(store).records()) == n_stored + 1
    assert {unit.key for unit in units} <= set(again(store).records())


@pytest.mark.parametrize("code", [errno.EIO, errno.EROFS, errno.EDQUOT])
def test_a_failure_to_synchronise_is_a_failure_to_store(store, monkeypatch, code):
    fill(store, 1)
    before = store.working.read_bytes()

    def fail(handle):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StoreError, match=os.strerror(code)):
            fill(store, 1)
    assert store.working.read_bytes() == before
    store.prepare()
    assert store.unsaved == 0


def test_a_limit_on_the_size_of_files_is_met_without_a_torn_line(tmp_path):
    """The same on a write that the system itself cuts short (as root has no quota to run into)."""
    script = (
        "import resource, sys\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "from _studies import study\n"
        "from companion.reproduction.errors import StoreError\n"
        "from companion.reproduction.store import RecordStore\n"
        "store = RecordStore(study(), cache=sys.argv[1], root=sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    for unit in store.units.values():\n"
        "        store.append(unit, {'error': 1 / 3})\n"
        "except StoreError as error:\n"
        "    print(error)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "print(len(store.records()))\n"
        "store.prepare()\n"
        "print(len(store.records()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    message, stored, then = done.stdout.splitlines()
    assert "table_0.jsonl: File too large. Free some space" in message
    assert 1 <= int(stored) < 6
    assert int(then) == int(stored) + 1
    assert done.stderr == ""


def test_a_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    store = RecordStore(study(), root=tmp_path / "data", cache=tmp_path / "file" / "cache")
    assert store.records() == {}
    with pytest.raises(StoreError) as caught:
        store.prepare()
    assert f"cannot write {store.working}" in str(caught.value)
    assert "set COMPANION_CACHE to a folder that is" in str(caught.value)


def test_a_folder_without_permission_is_named(store, monkeypatch):
    """A stub, for permissions do not bind the superuser."""

    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(StoreError, match="Permission denied. Make it accessible, or set"):
            store.prepare()
    fill(store)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StoreError, match=f"cannot read {store.path}: Permission denied"):
        store.records()


def test_a_table_that_cannot_be_written_leaves_the_old_one_and_the_working_file(store, monkeypatch):
    fill(store, 2)
    store.consolidate()
    old = store.path.read_bytes()
    fill(store)
    working = store.working.read_bytes()
    with monkeypatch.context() as patch:
        full_disk(patch, after=100)
        with pytest.raises(StoreError, match=f"cannot write {store.path}: No space left"):
            store.consolidate()
    assert store.path.read_bytes() == old
    assert store.working.read_bytes() == working
    assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]


def test_a_committed_folder_that_cannot_be_names_the_way_out(tmp_path):
    (tmp_path / "file").write_text("")
    store = RecordStore(study(), root=tmp_path / "file" / "data", cache=tmp_path / "cache")
    fill(store)
    with pytest.raises(StoreError, match="or set COMPANION_PROJECT to a copy of the project"):
        store.consolidate()
    assert len(again(store).records()) == 6


# ------------------------------------------------------------------------------- consolidation


def test_the_table_is_sorted_typed_and_small_and_the_working_file_goes(store):
    for unit in reversed(store.units.values()):
        store.append(unit, [{"step": step, "error": step / 3} for step in range(2)])
    before = store.read()
    assert store.consolidate() == store.path
    lines = store.path.read_text().splitlines()
    assert lines[0] == "C,repetition,step,error,key,code"
    assert [line.split(",")[:4] for line in lines[1:4]] == [
        ["1.0", "0", "0", "0.0"],
        ["1.0", "0", "1", "0.3333333333333333"],
        ["1.0", "1", "0", "0.0"],
    ]
    assert len(lines) == 13 and store.path.stat().st_size < 1000
    assert not store.working.exists()
    assert again(store).read().equals(before)
    assert oct(store.path.stat().st_mode & 0o777) == "0o644"


def test_consolidating_again_changes_nothing(store):
    fill(store)
    store.consolidate()
    before = store.path.stat().st_mtime_ns, store.path.read_bytes()
    store.consolidate()
    assert (store.path.stat().st_mtime_ns, store.path.read_bytes()) == before


def test_a_table_of_some_units_keeps_them_and_grows(store):
    units = fill(store, 2)
    store.consolidate()
    for unit in list(store.units.values())[2:]:
        store.append(unit, {"error": 0.25, "converged": True})
    again(store).consolidate()
    found = again(store).records()
    assert len(found) == 6
    assert found[units[1].key].rows == ({"error": 1 / 3, "converged": True},)


def test_records_of_units_no_longer_listed_are_dropped_with_a_notice(store, caplog, tmp_path):
    fill(store)
    store.consolidate()
    shorter = RecordStore(study(n_repetitions=2), root=tmp_path / "data", cache=tmp_path / "cache")
    assert len(shorter.records()) == 6
    shorter.consolidate()
    assert "2 record(s) dropped, of units the study no longer lists" in caplog.text
    assert set(shorter.records()) == set(shorter.units)


def test_without_records_no_table_is_written(store):
    store.consolidate()
    assert not store.path.exists()


def test_the_quick_profile_has_no_table(tmp_path, store):
    fill(store)
    store.consolidate()
    quick = RecordStore(study(), "quick", root=tmp_path / "data", cache=tmp_path / "cache")
    assert quick.records() == {}
    with pytest.raises(ValueError, match="Only the paper profile is consolidated"):
        quick.consolidate()


def test_a_committed_record_of_the_present_code_is_not_hidden_by_an_older_working_one(
    store, tmp_path
):
    old = fill(store, 1)[0]  # a run interrupted before the code changed
    newer = RecordStore(
        study(code=("companion.reproduction.units",)),
        root=tmp_path / "data",
        cache=tmp_path / "other",
    )
    newer.append(old, {"error": 9.0, "converged": True})
    newer.consolidate()  # as it comes with a pull
    present = RecordStore(newer.study, root=tmp_path / "data", cache=tmp_path / "cache")
    assert present.records()[old.key].rows[0]["error"] == 9.0


def test_clearing_removes_the_working_file_alone(store):
    fill(store)
    store.consolidate()
    fill(store, 2)
    store.clear()
    store.clear()
    assert not store.working.exists()
    assert len(again(store).records()) == 6


def test_the_end_of_a_run_is_marked_until_more_units_come(store):
    fill(store, 2)
    assert not store.finished
    store.finish()
    store.finish()
    assert again(store).finished and len(again(store).records()) == 2
    assert store.working.read_text().count("finished") == 1
    fill(store, 3)
    assert not again(store).finished


# --------------------------------------------------------------------------- several processes


def test_processes_that_append_at_once_lose_nothing_even_over_torn_lines(tmp_path):
    """Each process tears the file now and then, as if it had been killed, before it goes on."""
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "import fcntl\n"
        "from _studies import study\n"
        "from companion.reproduction.store import RecordStore\n"
        "import logging; logging.disable()\n"
        "store = RecordStore(study(n_repetitions=60), cache=sys.argv[1], root=sys.argv[1])\n"
        "mine = list(store.units.values())[int(sys.argv[2])::3]\n"
        "for number, unit in enumerate(mine):\n"
        "    store.append(unit, {'error': number / 7, 'filler': 'x' * 5000})\n"
        "    if number % 10 == 5:\n"
        "        with store._locked(), open(store.working, 'ab') as file:\n"
        '            file.write(b\'{"key": "torn\')\n'
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path), str(part)], stderr=subprocess.PIPE
        )
        for part in range(3)
    ]
    errors = [worker.communicate(timeout=60)[1] for worker in workers]
    assert errors == [b"", b"", b""]
    store = RecordStore(study(n_repetitions=60), cache=tmp_path, root=tmp_path)
    found = store.records()
    assert set(found) == set(store.units)
    assert b"torn" not in store.working.read_bytes()


# ------------------------------------------------------------------------------------ the study


def test_places_follow_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COMPANION_PROJECT", str(tmp_path / "project"))
    store = RecordStore(study())
    assert store.path == tmp_path / "project/data/records/tests/table_0.csv"
    assert store.working == tmp_path / "cache/records/paper/tests/table_0.jsonl"


def test_an_unknown_profile_is_refused():
    with pytest.raises(ValueError, match="must be one of quick, paper. Got 'full'"):
        RecordStore(study(), "full")


def test_a_study_with_a_unit_twice_is_refused():
    base = study()
    twice = Study("tests", "table_0", lambda profile: base.units(profile) * 2, base.compute)
    with pytest.raises(ValueError, match=r"lists a unit twice: tests/table_0\(C=10.0, repet"):
        RecordStore(twice).units


def test_a_study_with_a_unit_of_another_is_refused():
    other = Study("tests", "table_9", study().units, study().compute)
    with pytest.raises(ValueError, match="lists a unit of another study: tests/table_0"):
        RecordStore(other).units
