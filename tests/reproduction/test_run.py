"""Running a study: the same records whatever happens on the way, and no finished unit lost."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import _studies
import pandas as pd
import psutil
import pytest
from _cases import cases, refused
from _run import wait_for
from _studies import N_UNITS, stored, study, table, working

from companion.reproduction.errors import StoreError, UnitError
from companion.reproduction.run import load_records, read_stored
from companion.reproduction.store import RecordStore

HERE = Path(__file__).parent
NO_GAPS = {"missing": [], "stale": []}

CHILD = f"""
import json, sys
sys.path.insert(0, {str(HERE)!r})
import _studies
from companion.reproduction.run import load_records

if __name__ == "__main__":
    compute, options = sys.argv[1:]
    try:
        options = json.loads(options)
        print(load_records(_studies.study(getattr(_studies, compute), 6), **options).computed)
    except KeyboardInterrupt:
        print("interrupted")
        raise SystemExit(130)
"""


@pytest.fixture
def start(places, tmp_path):
    """Start a run in a process of its own, in a session of its own."""
    children = []

    def start(compute="error_rate", seconds=0.15, **options):
        (tmp_path / "child.py").write_text(CHILD)
        command = [sys.executable, tmp_path / "child.py", compute, json.dumps(options)]
        how = {"stdout": subprocess.PIPE, "text": True, "start_new_session": True}
        how["env"] = {**os.environ, "SECONDS_A_UNIT": str(seconds)}
        with open(tmp_path / "stderr", "wb") as stderr:
            children.append(subprocess.Popen(command, stderr=stderr, **how))
        return children[-1]

    yield start
    for child in children:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def kill_midway(child, places, how=signal.SIGKILL, n_units=3):
    """Kill a run as soon as some of its units are stored; its workers end by themselves."""
    wait_for(lambda: len(stored(working(places))) >= n_units)
    workers = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(how)
    child.wait()
    assert psutil.wait_procs(workers, timeout=10)[1] == []


@pytest.fixture
def other_code(monkeypatch):
    """As if the code of every study had been changed."""
    name = "companion.reproduction.store.code_digest"
    return lambda: monkeypatch.setattr(name, lambda compute: "0" * 12)


# ---------------------------------------------------------------------------- the same records


def test_two_jobs_give_the_records_of_one(places, reference):
    assert load_records(study(n_repetitions=6), jobs=2).computed == N_UNITS
    assert table(places) == reference


DASK = {"jobs": 2, "backend": "dask"}
KILLED = [({"jobs": 2}, signal.SIGTERM), (DASK, signal.SIGKILL)]


@pytest.mark.slow
@cases("options, how", *KILLED, ids=["loky", "dask"])
def test_a_killed_run_is_resumed_and_gives_the_same_records(
    places, reference, start, options, how
):
    kill_midway(start(**options), places, how)
    before = len(read_stored(study(n_repetitions=6)).frame)
    assert 3 <= before < N_UNITS
    calls = _studies.n_calls
    records = load_records(study(n_repetitions=6))
    assert _studies.n_calls - calls == records.computed == N_UNITS - before
    assert table(places) == reference
    assert stored(working(places)) == set()


@pytest.mark.slow
@cases("options", {}, {"jobs": 2}, DASK, ids=["1", "loky", "dask"])
def test_ctrl_c_keeps_units_and_stops_workers_silently(
    places, reference, start, tmp_path, options
):
    child = start(**options)
    wait_for(lambda: len(stored(working(places))) >= 2)
    workers = psutil.Process(child.pid).children(recursive=True)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does, to the workers as well
    output, _ = child.communicate(timeout=300)
    assert (child.returncode, output) == (130, "interrupted\n")
    assert (tmp_path / "stderr").read_text() == ""
    assert psutil.wait_procs(workers, timeout=10)[1] == []
    before = len(stored(working(places)))
    assert 2 <= before < N_UNITS
    assert load_records(study(n_repetitions=6)).computed == N_UNITS - before
    assert table(places) == reference


@cases("fresh", False, True)
def test_two_runs_at_once_compute_nothing_twice(places, reference, start, fresh):
    children = [start(fresh=fresh, keep_open=fresh) for _ in range(2)]
    computed = [int(child.communicate(timeout=300)[0]) for child in children]
    assert sum(computed) == N_UNITS
    assert table(places) == reference
    RecordStore(study(n_repetitions=6)).end()
    assert stored(working(places)) == set()


# ------------------------------------------------------------------------ threads and warnings


@cases("options", {}, {"jobs": 2}, ids=["1", "loky"])
def test_every_unit_has_one_thread_and_gives_the_others_back(places, options):
    from threadpoolctl import threadpool_info

    before = [pool["num_threads"] for pool in threadpool_info()]
    assert (
        load_records(study(_studies.threads), **options).frame["threads"].tolist()
        == [1] * 6
    )
    assert [pool["num_threads"] for pool in threadpool_info()] == before


@cases("jobs", 1, 2)
def test_a_unit_that_did_not_converge_is_a_record_and_prints_nothing(
    places, start, tmp_path, jobs
):
    assert start("unfinished_error_rate", jobs=jobs).wait(timeout=300) == 0
    assert (tmp_path / "stderr").read_text() == ""
    assert (
        read_stored(study(n_repetitions=6)).frame["converged"].tolist()
        == [False] * N_UNITS
    )


# ------------------------------------------------------------------------------------ failures


@cases("jobs", 1, 2)
def test_a_failing_unit_is_named_at_the_end_and_the_others_are_stored(places, jobs):
    message = "compute must return at least one row"
    refused(message, load_records, study(_studies.returns_nothing), error=UnitError)
    message = "^2 of 8 units of tests/table_0 failed; the others are stored"
    fragile = study(_studies.fragile_error_rate, 4)
    error = refused(message, load_records, fragile, jobs=jobs, error=UnitError)
    _, *lines = str(error).splitlines()
    assert len(lines) == 2
    assert (
        "tests/table_0(C=10.0, repetition=2): ZeroDivisionError: no variance"
        in lines[0]
    )
    assert "fragile_error_rate, line" in lines[0]
    assert "C=1.0" in lines[1]
    assert len(read_stored(study(n_repetitions=4)).frame) == 4
    assert load_records(study(n_repetitions=4)).computed == 4


@cases("jobs", 1, 2)
def test_missing_data_are_counted_by_reason_and_everything_else_goes_on(places, jobs):
    records = load_records(study(_studies.fragile_error_rate, 2), jobs=jobs)
    assert records.missing == [
        ("heart.dat cannot be had here; run `companion data fetch`.", 2)
    ]
    assert records.computed == 2
    assert records.frame["repetition"].tolist() == [0, 0]
    assert len(table(places).splitlines()) == 3
    none = load_records(study(_studies.lacks_data, 10, "table_1", "digest"))
    assert none.missing == [("no network", 20)]
    assert none.frame.empty
    assert list(none.frame.columns[:2]) == ["C", "repetition"]
    later = load_records(study(n_repetitions=2))  # the data have come
    assert (later.computed, later.missing) == (2, [])


@pytest.mark.slow
@cases("backend", "loky", "dask")
def test_workers_that_die_end_the_run_with_advice(places, backend):
    import dask
    import distributed  # noqa: F401 - else its defaults would leave with the setting

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        pytest.raises(
            UnitError, match="the workers are lost .*fewer jobs if it recurs"
        ),
    ):
        load_records(study(_studies.deadly), jobs=2, backend=backend)
    assert load_records(study(), jobs=2).computed == 6  # and the next one works


def test_without_a_folder_to_write_to_all_is_read_and_nothing_computed(
    places, monkeypatch
):
    first = load_records(study())
    (places / "file").write_text("")
    monkeypatch.setenv("COMPANION_CACHE", str(places / "file" / "cache"))
    calls = _studies.n_calls
    second = load_records(study())
    assert (first.computed, second.computed) == (6, 0)
    pd.testing.assert_frame_equal(first.frame, second.frame, check_exact=True)
    message = "set COMPANION_CACHE to another folder"
    refused(message, load_records, study(n_repetitions=4), error=StoreError)
    assert _studies.n_calls == calls


MEANINGLESS = [
    ({"jobs": 0}, "n_jobs == 0 in Parallel has no meaning"),
    ({"backend": "threads"}, "must be one of loky, dask. Got 'threads'"),
    ({"profile": "full"}, "must be one of quick, paper. Got 'full'"),
]


@cases("options, complaint", *MEANINGLESS)
def test_options_that_mean_nothing_are_refused(places, options, complaint):
    refused(complaint, load_records, study(), **options)
    refused(
        "must be a function at the top level of a module",
        load_records,
        study(lambda unit: {}),
    )


# ------------------------------------------------------------------------ code, fresh, profiles


@cases("profile, kind, later", ("paper", "csv", (0, 6)), ("quick", "sqlite", (4,)))
def test_old_records_are_told_with_their_file_and_quick_ones_made_again(
    places, other_code, profile, kind, later
):
    assert load_records(study(), profile).gaps == NO_GAPS
    other_code()
    (text,) = read_stored(study(), profile).gaps["stale"]
    n = 6 if profile == "paper" else 4
    assert (
        f"table_0.{kind}: {n} of {n} records were made by other code or data than 0000"
        in text
    )
    records = load_records(study(), profile)
    n_old = [
        int(re.search(r"(\d+) of 6 records were", text)[1])
        for text in records.gaps["stale"]
    ]
    assert (records.computed, *n_old) == later


def test_fresh_computes_all_again(places, other_code):
    before = load_records(study()).frame
    other_code()
    again = load_records(study(), fresh=True)
    assert (again.computed, again.gaps) == (6, NO_GAPS)
    assert ",0000" in (places / "project/data/records/index.csv").read_text()
    pd.testing.assert_frame_equal(again.frame, before)
    RecordStore(study()).path.write_text("damaged\n")
    assert load_records(study(), fresh=True).computed == 6
    assert load_records(study()).computed == 0


@pytest.mark.slow
def test_a_fresh_run_that_was_interrupted_three_times_goes_on(places, start):
    load_records(study(n_repetitions=6))
    before = table(places)
    for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
        kept = len(stored(working(places)))
        kill_midway(start(fresh=True, seconds=0.3), places, how, kept + 1)
    assert 3 <= len(stored(working(places))) < N_UNITS
    for computed in (N_UNITS - len(stored(working(places))), N_UNITS):
        assert table(places) == before
        assert load_records(study(n_repetitions=6), fresh=True).computed == computed
    assert table(places) == before


def test_the_quick_profile_reads_no_committed_record_and_writes_none(places):
    load_records(study())
    before = table(places)
    quick = load_records(study(), "quick")
    assert quick.computed == 4
    assert len(quick.frame) == 4
    assert table(places) == before
    assert load_records(study(), "quick").computed == 0


def test_what_is_missing_and_what_belongs_to_no_unit_is_told_with_its_file(places):
    assert load_records(study()).gaps == read_stored(study()).gaps == NO_GAPS
    shorter, longer = (read_stored(study(n_repetitions=n)).gaps for n in (2, 4))
    path = places / "project/data/records/tests/table_0.csv"
    records = "2 of 6 records are of no unit listed"
    assert shorter["missing"] == []
    assert shorter["stale"][0].startswith(f"{path}: {records}; `companion repr")
    missing = "2 of 8 units have no record, such as tests/table_0(C=10.0, repetition=3)"
    assert longer == {"missing": [f"{path}: {missing}"], "stale": []}
