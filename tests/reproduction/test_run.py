"""Running a study: the same records whatever happens on the way, and no finished unit lost."""

import errno
import json
import os
import signal
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import _studies
import pandas as pd
import pytest
from _studies import N_UNITS, n_stored, study, table, wait_for, working

from companion.reproduction import workers
from companion.reproduction.errors import StoreError, UnitError
from companion.reproduction.run import discard_finished, load_records
from companion.reproduction.store import RecordStore

HERE = Path(__file__).parent

CHILD = f"""
import json, sys
sys.path.insert(0, {str(HERE)!r})
import _studies
from companion.reproduction.run import load_records

if __name__ == "__main__":
    compute, folder, options = sys.argv[1:]
    try:
        load_records(
            _studies.study(getattr(_studies, compute), 6),
            root=folder + "/data", cache=folder + "/cache", **json.loads(options),
        )
    except KeyboardInterrupt:
        print("interrupted")
        raise SystemExit(130)
"""


@pytest.fixture
def start(tmp_path):
    """Start a run in a process of its own, in a session of its own."""
    children = []

    def start(compute, **options):
        (tmp_path / "child.py").write_text(CHILD)
        with open(tmp_path / "stderr", "wb") as stderr:
            child = subprocess.Popen(
                [sys.executable, tmp_path / "child.py", compute, tmp_path, json.dumps(options)],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                start_new_session=True,
            )
        children.append(child)
        return child

    yield start
    for child in children:
        with suppress(ProcessLookupError):  # workers outlive a killed parent by minutes, idle
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def living(session):
    """Processes of a session that still run."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.cmdline())
        except (psutil.Error, ProcessLookupError):
            continue
    return found


# ---------------------------------------------------------------------------- the same records


def test_two_jobs_give_the_records_of_one(places, reference):
    assert load_records(study(n_repetitions=6), jobs=2, **places).computed == N_UNITS
    assert table(places) == reference


def test_a_dask_cluster_gives_the_records_of_one_job(places, reference):
    records = load_records(study(n_repetitions=6), jobs=2, backend="dask", **places)
    assert records.computed == N_UNITS
    assert table(places) == reference


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_is_resumed_and_gives_the_records_of_one_that_was_not(
    places, reference, start, jobs
):
    child = start("slow_error_rate", jobs=jobs)
    wait_for(lambda: n_stored(working(places)) >= 3)
    child.kill()
    child.wait()
    store = RecordStore(study(n_repetitions=6), **places)
    before = len(store.records())
    assert 3 <= before < N_UNITS
    assert not store.path.exists()
    calls = _studies.N_CALLS
    records = load_records(study(n_repetitions=6), **places)
    assert _studies.N_CALLS - calls == records.computed == N_UNITS - before
    assert table(places) == reference
    assert not working(places).exists()


@pytest.mark.parametrize(
    "options", [{}, {"jobs": 2}, {"jobs": 2, "backend": "dask"}], ids=["1", "loky", "dask"]
)
def test_ctrl_c_keeps_finished_units_stops_the_workers_and_says_nothing_else(
    places, reference, start, tmp_path, options
):
    child = start("slow_error_rate", **options)
    wait_for(lambda: n_stored(working(places)) >= 2)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does, to the workers as well
    output, _ = child.communicate(timeout=60)
    assert (child.returncode, output) == (130, "interrupted\n")
    assert (tmp_path / "stderr").read_text() == ""
    wait_for(lambda: not living(child.pid), seconds=10)
    before = n_stored(working(places))
    assert 2 <= before < N_UNITS
    assert load_records(study(n_repetitions=6), **places).computed == N_UNITS - before
    assert table(places) == reference


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_reaches_this_process_alone(places, jobs):
    frame = load_records(study(_studies.hears_interrupts), jobs=jobs, **places).frame
    assert frame["hears"].tolist() == [jobs == 1] * 6
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_two_runs_at_once_do_not_harm_each_other(places, reference, start):
    children = [start("slow_error_rate"), start("slow_error_rate")]
    assert [child.wait(timeout=60) for child in children] == [0, 0]
    assert table(places) == reference
    assert not working(places).exists()


def test_a_second_run_computes_nothing_and_needs_no_folder_to_write_to(places, tmp_path):
    first = load_records(study(), **places)
    (tmp_path / "file").write_text("")
    calls = _studies.N_CALLS
    second = load_records(study(), root=places["root"], cache=tmp_path / "file" / "cache")
    assert _studies.N_CALLS == calls
    assert (first.computed, second.computed) == (6, 0)
    pd.testing.assert_frame_equal(first.frame, second.frame, check_exact=True)


def test_only_missing_units_are_computed_when_the_study_grows(places):
    load_records(study(n_repetitions=2), **places)
    grown = load_records(study(n_repetitions=5), **places)
    assert grown.computed == 6
    assert len(grown.frame) == 10
    assert grown.frame["repetition"].tolist() == [0, 1, 2, 3, 4] * 2


def test_a_run_stopped_between_its_last_unit_and_the_table_is_completed(places, reference):
    load_records(study(n_repetitions=6), consolidate=False, **places)
    assert not places["root"].exists()
    records = load_records(study(n_repetitions=6), **places)
    assert (records.computed, len(records.frame)) == (0, N_UNITS)
    assert table(places) == reference and not working(places).exists()


# ------------------------------------------------------------------------ threads and warnings


@pytest.mark.parametrize("options", [{}, {"jobs": 2}], ids=["1", "loky"])
def test_every_unit_has_one_thread(places, options):
    frame = load_records(study(_studies.threads), **places, **options).frame
    assert frame["threads"].tolist() == [1] * 6


def test_threads_are_given_back_after_the_run(places):
    from threadpoolctl import threadpool_info

    before = [pool["num_threads"] for pool in threadpool_info()]
    load_records(study(_studies.threads), **places)
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_warnings_stay_quiet_until_the_last_unit_of_the_process_has_ended():
    quiet = workers._quiet
    quiet.__enter__()
    with quiet:
        warnings.warn("first unit", stacklevel=1)
    warnings.warn("second unit", stacklevel=1)
    quiet.__exit__()
    with pytest.warns(UserWarning, match="afterwards"):
        warnings.warn("afterwards", stacklevel=1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_unit_that_did_not_converge_is_a_record_and_prints_nothing(places, start, tmp_path, jobs):
    assert start("unfinished_error_rate", jobs=jobs).wait(timeout=60) == 0
    assert (tmp_path / "stderr").read_text() == ""
    found = RecordStore(study(n_repetitions=6), **places).read()
    assert found["converged"].tolist() == [False] * N_UNITS


# ------------------------------------------------------------------------------------ failures


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_unit_is_named_at_the_end_and_the_others_are_stored(places, jobs):
    with pytest.raises(UnitError) as caught:
        load_records(study(_studies.fragile_error_rate, 4), jobs=jobs, **places)
    message = str(caught.value)
    assert message.startswith("2 of 8 units of tests/table_0 failed; the others are stored")
    assert "tests/table_0(C=10.0, repetition=2): ZeroDivisionError: no variance" in message
    assert "fragile_error_rate, line" in message
    assert [unit.params["C"] for unit, _ in caught.value.failures] == [10.0, 1.0]
    stored = RecordStore(study(n_repetitions=4), **places).records()
    assert len(stored) == 4
    assert load_records(study(n_repetitions=4), **places).computed == 4


def test_many_failing_units_are_counted_rather_than_listed(places):
    def fail(unit):
        raise RuntimeError("many\nlines")

    with pytest.raises(UnitError) as caught:
        load_records(study(fail, 4), **places)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("8 of 8 units")
    assert lines[-1].strip() == "... and 3 more"
    assert len(lines) == 7 and len(caught.value.failures) == 8


def test_results_that_cannot_be_stored_fail_their_unit(places):
    with pytest.raises(UnitError, match="returned no row; return at least one"):
        load_records(study(lambda unit: []), **places)


@pytest.mark.parametrize("jobs", [1, 2])
def test_missing_data_are_counted_by_reason_and_everything_else_goes_on(places, jobs):
    records = load_records(study(_studies.fragile_error_rate, 2), jobs=jobs, **places)
    assert records.missing == [("heart.dat cannot be had here; run `companion data fetch`.", 2)]
    assert records.computed == 2
    assert records.frame["repetition"].tolist() == [0, 0]
    assert len(table(places).splitlines()) == 3
    later = load_records(study(n_repetitions=2), **places)  # the data have come
    assert (later.computed, later.missing) == (2, [])


def test_data_that_could_not_be_had_once_are_not_tried_for_every_unit(places):
    from companion.datasets import DataUnavailable

    tried = []

    def compute(unit):
        tried.append(unit)
        raise DataUnavailable("no network")

    records = load_records(study(compute, 10, data="digest"), **places)
    assert records.missing == [("no network", 20)]
    assert len(tried) < 5
    assert records.frame.empty and list(records.frame.columns[:2]) == ["C", "repetition"]


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_workers_that_die_end_the_run_with_advice(places, backend):
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        pytest.raises(UnitError, match="the workers gave up .*fewer jobs if it recurs"),
    ):
        load_records(study(_studies.deadly), jobs=2, backend=backend, **places)
    assert load_records(study(), jobs=2, **places).computed == 6  # and the next one works


def test_a_full_disk_ends_the_run_and_the_next_one_computes_no_finished_unit_again(
    places, monkeypatch
):
    calls = _studies.N_CALLS
    write, left = os.write, [4]

    def full(handle, data):
        if b'"rows"' in data:
            if not left[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left[0] -= 1
        return write(handle, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(StoreError, match=r"No space left.* 1 finished unit\(s\) wait"):
            load_records(study(), **places)
    assert n_stored(working(places)) == 4
    records = load_records(study(), **places)
    assert records.computed == 1 and len(records.frame) == 6
    assert _studies.N_CALLS - calls == 6


def test_nothing_is_computed_for_a_folder_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("")
    calls = _studies.N_CALLS
    with pytest.raises(StoreError, match="set COMPANION_CACHE to a folder that is"):
        load_records(study(), root=tmp_path / "data", cache=tmp_path / "file" / "cache")
    assert _studies.N_CALLS == calls


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"jobs": 0}, "at least 1, or -1 for all. Got 0"),
        ({"backend": "threads"}, "must be one of loky, dask. Got 'threads'"),
        ({"scheduler": "tcp://x:1"}, "needs the backend 'dask'. Got 'loky'"),
        ({"profile": "full"}, "must be one of quick, paper. Got 'full'"),
    ],
)
def test_options_that_mean_nothing_are_refused(places, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        load_records(study(), **places, **options)


@pytest.mark.parametrize("options", [{"jobs": 2}, {"jobs": 1, "backend": "dask"}])
def test_a_function_that_workers_cannot_import_is_refused(places, options):
    with pytest.raises(ValueError, match="must stand at the top level of an importable module"):
        load_records(study(lambda unit: {}), **places, **options)


# ------------------------------------------------------------------------ code, fresh, profiles


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of this test's own, whose source it may change."""
    path = tmp_path / "code_of_the_test.py"
    path.write_text("factor = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    return path


CODE = ("code_of_the_test",)


def test_records_of_older_code_are_read_and_reported(places, module):
    first = load_records(study(code=CODE), **places)
    assert (first.computed, first.stale) == (6, 0)
    assert set(first.frame["code"]) == {first.code}
    module.write_text("factor = 1  # a comment alone\n")
    assert load_records(study(code=CODE), **places).stale == 0
    module.write_text("factor = 20\n")
    later = load_records(study(code=CODE), **places)
    assert (later.computed, later.stale) == (0, 6)
    assert later.code != first.code and set(later.frame["code"]) == {first.code}


def test_fresh_computes_all_again_and_says_whether_the_numbers_still_hold(places, module):
    load_records(study(code=CODE), **places)
    module.write_text("factor = 20\n")
    again = load_records(study(code=CODE), fresh=True, **places)
    assert (again.computed, again.changed, again.stale) == (6, 0, 0)
    assert set(again.frame["code"]) == {again.code}
    path = places["root"] / "tests/table_0.csv"
    lines = path.read_text().splitlines()
    cells = lines[2].split(",")
    cells[2] = repr(float(cells[2]) + 1e-9)
    path.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]) + "\n")
    assert load_records(study(code=CODE), fresh=True, **places).changed == 1
    assert path.read_text().splitlines() == lines


def test_a_fresh_run_that_fails_keeps_what_there_was(places):
    before = load_records(study(), **places).frame
    with pytest.raises(UnitError):
        load_records(study(_studies.fragile_error_rate), fresh=True, **places)
    pd.testing.assert_frame_equal(load_records(study(), **places).frame, before)


def test_the_quick_profile_reads_no_committed_record_and_writes_none(places):
    load_records(study(), **places)
    before = table(places)
    quick = load_records(study(), "quick", **places)
    assert quick.computed == 4 and len(quick.frame) == 4
    assert table(places) == before
    assert load_records(study(), "quick", **places).computed == 0


def test_a_finished_quick_run_is_discarded_and_an_interrupted_one_resumed(places):
    with pytest.raises(UnitError):
        load_records(study(_studies.fragile_error_rate, 5), "quick", **places)
    assert not discard_finished(study(n_repetitions=5), "quick", **places)
    resumed = load_records(study(n_repetitions=5), "quick", **places)
    assert 0 < resumed.computed < 6 and len(resumed.frame) == 6
    assert discard_finished(study(n_repetitions=5), "quick", **places)
    assert load_records(study(n_repetitions=5), "quick", **places).computed == 6


def test_a_quick_run_without_some_data_has_come_to_its_end_too(places):
    load_records(study(_studies.fragile_error_rate, 3), "quick", **places)
    assert discard_finished(study(), "quick", **places)


def test_quick_records_of_older_code_are_computed_again(places, module):
    load_records(study(code=CODE), "quick", **places)
    module.write_text("factor = 20\n")
    again = load_records(study(code=CODE), "quick", **places)
    assert (again.computed, again.stale) == (4, 0)


def test_records_of_the_paper_profile_are_never_discarded(places):
    load_records(study(), consolidate=False, **places)
    assert not discard_finished(study(), "paper", **places)
    assert n_stored(working(places)) == 6 and not places["root"].exists()
    assert load_records(study(), **places).computed == 0
