"""The store of records: what is written stays, what cannot be written is said and not lost."""

import hashlib
import lzma
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from _cases import each, refused
from _run import start
from _studies import stored, study

from companion._utils import files
from companion.reproduction import index
from companion.reproduction.errors import DamagedError
from companion.reproduction.store import RecordStore
from companion.reproduction.units import Study

HERE = Path(__file__).parent
ROW = {"error": 1 / 3, "converged": True}


@pytest.fixture
def store(places):
    return RecordStore(study())


def again(store):
    """The same store as a later process would open it."""
    return RecordStore(store.study, store.profile)


def fill(store, n=None, start=0):
    units = list(store.units.values())[start:n]
    for unit in units:
        store.append(unit, [{**ROW, "error": unit.params["repetition"] / 3}])
    return units


def child(script, *arguments, n_repetitions=3):
    """A process that has a store, and does with it what the script says."""
    head = f"import resource, sys; sys.path.insert(0, {str(HERE)!r}); from _studies import study\n"
    head += "from companion.reproduction.store import RecordStore, StoreError\n"
    head += f"store = RecordStore(study(n_repetitions={n_repetitions}))\n"
    return start("-c", head + script, *arguments)


def test_reading_makes_no_folder(store, places):
    assert store.records() == {}
    store.consolidate()
    assert list(places.iterdir()) == []


# ------------------------------------------------------------------------------ kill, torn writes


@pytest.mark.slow
def test_a_killed_process_loses_no_finished_unit_and_leaves_no_broken_file(places):
    """Killed again and again, in the middle of a transaction as likely as between two."""
    store = RecordStore(study(n_repetitions=500))
    script = (
        "for unit in store.units.values():\n"
        "    store.append(unit, [{'error': 1 / 3, 'filler': 'x' * 20000}])\n"
        "    print(unit.key, flush=True)\n"
    )
    acknowledged = set()
    for n_units in (1, 5, 17):
        running = child(script, n_repetitions=500)
        for _ in range(n_units):
            acknowledged.add(running.stdout.readline().strip())
        running.send_signal(signal.SIGKILL)
        acknowledged |= set(running.stdout.read().split())
        running.communicate()
        found = again(store).records()
        assert acknowledged <= {store.units[cells].key for cells in found}
        assert len(found) <= len(acknowledged) + 4
        assert {record.rows[0]["error"] for record in found.values()} == {"0.333333"}


# ------------------------------------------------------------------------------- damaged, foreign


def damage(path, how):
    if how == "no JSON":
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE finished SET rows = 'my notes'")
    elif how == "notes":
        path.write_bytes(b"my notes\n" * 200)
    else:
        path.write_bytes(path.read_bytes()[:5000])


@each(how=["notes", "cut", "no JSON"], action=["records", "consolidate"])
def test_a_damaged_working_file_is_named_and_left_as_it_is(store, how, action):
    fill(store)
    damage(store.working, how)
    content = store.working.read_bytes()
    message = "damaged and left as it is; move it away"
    error = refused(message, getattr(again(store), action), error=DamagedError)
    assert str(store.working) in str(error)
    assert store.working.read_bytes() == content


def test_a_table_of_a_wheel_is_unpacked(store):
    fill(store)
    store.consolidate()
    found = again(store).records()
    packed = index.packed(store.path)
    packed.write_bytes(lzma.compress(store.path.read_bytes()))
    store.path.unlink()
    assert again(store).records() == found


def test_a_damaged_table_of_a_wheel_is_named(store):
    packed = index.packed(store.path)
    packed.parent.mkdir(parents=True)
    packed.write_bytes(b"not packed at all")
    refused("csv.xz cannot be unpacked", store.records, error=DamagedError)


# ------------------------------------------------------------------------- disks and permissions


def test_a_full_disk_is_one_clear_error_and_loses_nothing_stored(places):
    """A limit on the size of files ends a write as a full disk does, in the middle of it."""
    script = (
        "for number, unit in enumerate(store.units.values()):\n"
        "    if number == 3:\n"
        "        limit = store.working.stat().st_size + 5000\n"
        "        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))\n"
        "    try:\n"
        "        store.append(unit, [{'error': 1 / 3, 'filler': 'x' * 9000}])\n"
        "    except StoreError as error:\n"
        "        print(error)\n"
        "print(len(store.records()))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "store.append(unit, [{'error': 1 / 3, 'filler': 'x' * 9000}])\n"
        "print(len(store.records()))\n"
    )
    output, errors = child(script).communicate(timeout=60)
    assert errors == ""
    *messages, stored_then, stored_later = output.splitlines()
    assert (stored_then, stored_later) == ("3", "4")
    for message in messages:
        assert "table_0.sqlite: " in message
        assert "Free some space on its disk" in message
        assert "run again" in message
    assert len(messages) == 3


# ------------------------------------------------------------------------------- consolidation


def test_the_table_is_sorted_rounded_and_small_and_the_working_file_is_emptied(store):
    for unit in reversed(store.units.values()):
        store.append(unit, [{"step": step, "error": step / 3} for step in range(2)])
    before = store.records()
    store.consolidate()
    lines = store.path.read_text().splitlines()
    assert lines[:4] == [
        "C,repetition,step,error",
        "1.0,0,0,0.0",
        "1.0,0,1,0.333333",
        "1.0,1,0,0.0",
    ]
    assert len(lines) == 13
    assert store.path.stat().st_size < 300
    assert stored(store.working) == set()
    assert again(store).records() == before
    assert oct(store.path.stat().st_mode & 0o777) == "0o644"
    index = store.path.parents[1] / "index.csv"
    digest = hashlib.sha256(store.path.read_bytes()).hexdigest()
    assert (
        index.read_text()
        == f"study,units,code,sha256\ntests/table_0,6,{store.code},{digest}\n"
    )


def test_a_kill_between_the_table_and_its_line_in_the_index_loses_no_record(
    store, monkeypatch
):
    fill(store, 2)
    store.consolidate()
    committed = store.path.read_bytes()
    fill(store, start=2)
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", stop_at(index.index_path()))
        refused(None, store.consolidate, error=KeyboardInterrupt)
    refused("it was altered: ", again(store).read, error=DamagedError)
    store.path.write_bytes(committed)  # as git does
    assert set(again(store).records()) == set(store.units)
    assert again(store).consolidate()
    assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]
    assert len(store.path.read_text().splitlines()) == 7


def stop_at(path):
    """`os.replace` of a process that is killed before it replaces the path."""
    move = os.replace

    def replace(source, target):
        if target == path:
            raise KeyboardInterrupt
        move(source, target)

    return replace


def test_records_of_units_no_longer_listed_are_dropped_with_a_notice(store, caplog):
    fill(store)
    store.consolidate()
    shorter = RecordStore(study(n_repetitions=2))
    assert len(shorter.records()) == 6
    fill(shorter, 1)
    shorter.consolidate()
    assert "2 record(s) of units no longer listed" in caplog.text
    assert set(shorter.records()) == set(shorter.units)


def test_a_committed_record_of_the_present_code_is_not_hidden_by_an_older_working_one(
    store,
):
    unit = fill(store, 1)[0]
    store.consolidate()
    store.code = "0" * 12  # a run interrupted before the code changed
    store.append(unit, [{"error": 9.0}])
    (cells,) = [cells for cells, listed in store.units.items() if listed == unit]
    assert again(store).records()[cells].rows[0]["error"] == "0.0"
    assert store.records()[cells].rows[0]["error"] == "9.0"


def test_a_table_of_two_codes_is_up_to_date_for_neither(store):
    first = store.code
    fill(store, 3)
    store.consolidate()
    other = again(store)
    other.code = "0" * 12
    fill(other, start=3)
    other.consolidate()
    for code in (first, other.code):
        assert {record.code for record in again(store).records().values()} != {code}


def test_what_a_plain_run_adds_is_in_the_table_though_a_fresh_one_was_interrupted(
    places,
):
    shorter = RecordStore(study(n_repetitions=2))
    units = fill(shorter)
    shorter.consolidate()
    shorter.begin()
    shorter.append(units[0], [{**ROW, "error": 9.0}])
    longer = RecordStore(study())
    fill(longer, start=len(units))
    longer.consolidate()
    table = longer._committed()
    assert set(table) == set(longer.units)
    assert "9.0" not in {record.rows[0]["error"] for record in table.values()}
    assert len(again(longer).waiting()) == len(longer.units) - len(units) + 1


# --------------------------------------------------------------------------- several processes


def test_processes_that_append_at_once_lose_nothing(places):
    script = (
        "for unit in list(store.units.values())[int(sys.argv[1])::3]:\n"
        "    store.append(unit, [{'error': 1 / 7, 'filler': 'x' * 5000}])\n"
        "    if unit.params['repetition'] % 10 == 5:\n"
        "        store.consolidate()\n"
    )
    workers = [child(script, part, n_repetitions=30) for part in range(3)]
    assert [worker.communicate(timeout=120) for worker in workers] == [("", "")] * 3
    store = RecordStore(study(n_repetitions=30))
    assert set(store.records()) == set(store.units)


# ------------------------------------------------------------------------------------ the study


def test_a_study_with_a_unit_twice_or_of_another_is_refused():
    base = study()
    twice = Study(
        "tests", "table_0", lambda profile: base.units(profile) * 2, base.compute
    )
    fault = "lists a unit twice, or of another study: tests/table_0"
    refused(rf"{fault}\(C=10.0, repet", RecordStore, twice)
    other = Study("tests", "table_9", base.units, base.compute)
    refused(fault, RecordStore, other)
