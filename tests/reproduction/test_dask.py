"""Running a study on a Dask cluster that is already there, whatever becomes of its workers."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import dask
import pytest
from _cases import refused
from _command import invoke
from _run import wait_for
from _studies import N_UNITS, stored, study, table, working

from companion.reproduction import workers
from companion.reproduction.artefacts import Artefact
from companion.reproduction.errors import ClusterError, UnitError
from companion.reproduction.run import load_records

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class Cluster:
    """A scheduler and workers, each a process of its own that nobody starts again."""

    def __init__(self, folder):
        self.folder = folder
        self.workers = []
        self._processes = []
        self.path = [folder / "there", HERE, ROOT]
        self.path[0].mkdir()
        contact = folder / "scheduler.json"
        words = ("--port", "0", "--no-dashboard", "--scheduler-file")
        self.scheduler = self._start("dask_scheduler", *words, contact)
        wait_for(contact.exists)
        wait_for(lambda: contact.read_text().strip().endswith("}"))
        self.address = json.loads(contact.read_text())["address"]

    def _start(self, module, *options):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
        places = os.pathsep.join(map(str, self.path))
        environment = {**os.environ, "PYTHONPATH": places}
        with open(self.folder / f"log_{len(self._processes)}", "wb") as log:
            how = {"env": environment, "cwd": self.folder, "stdout": log, "stderr": log}
            self._processes.append(subprocess.Popen(command, **how))
        return self._processes[-1]

    def add_workers(self, n_workers):
        words = (
            f"{self.address} --no-nanny --no-dashboard --nthreads 1 --local-directory"
        )
        words = (*words.split(), self.folder)
        self.workers += [self._start("dask_worker", *words) for _ in range(n_workers)]

    def kill(self, *processes):
        for process in processes:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()
            if process in self.workers:
                self.workers.remove(process)

    def close(self):
        self.kill(*self._processes)


@pytest.fixture
def cluster(tmp_path):
    found = Cluster(tmp_path)
    with dask.config.set({"scheduler-address": found.address}):
        yield found
    found.close()


# ------------------------------------------------------------------------- workers are killed


@contextmanager
def killing(cluster, victims, places, n_stored):
    """Processes of the cluster are killed as soon as so many units are stored."""

    def act():
        wait_for(lambda: len(stored(working(places))) >= n_stored)
        cluster.kill(*victims())

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    yield
    thread.join()


def test_a_worker_killed_midway_changes_nothing(
    cluster, places, reference, monkeypatch
):
    monkeypatch.setenv("SECONDS_A_UNIT", "0.15")
    cluster.add_workers(2)
    with killing(cluster, lambda: cluster.workers[:1], places, 3):
        records = load_records(study(n_repetitions=6), backend="dask")
    assert (records.computed, len(cluster.workers)) == (N_UNITS, 1)
    assert table(places) == reference


def test_a_scheduler_that_is_lost_ends_the_run_and_loses_no_unit(
    cluster, places, reference, monkeypatch
):
    monkeypatch.setenv("SECONDS_A_UNIT", "0.15")
    cluster.add_workers(1)
    with killing(cluster, lambda: [cluster.scheduler], places, 3):
        message = "the workers are lost .* are stored; run again"
        run = study(n_repetitions=6)
        refused(message, load_records, run, backend="dask", error=ClusterError)
    kept = len(stored(working(places)))
    assert 3 <= kept < N_UNITS
    assert load_records(study(n_repetitions=6)).computed == N_UNITS - kept
    assert table(places) == reference


def test_a_scheduler_that_is_not_there_is_named(places, monkeypatch):
    address = "nonsense://127.0.0.1:9"
    monkeypatch.setattr(workers, "_CONNECT", 0.3)
    artefact = Artefact("tests", "table_0", "A table", (study(),))
    with dask.config.set({"scheduler-address": address}):
        output = invoke([artefact], "reproduce", "--backend", "dask", code=4)
    assert f"The Dask scheduler {address} cannot be reached" in output
    assert "check DASK_SCHEDULER_ADDRESS" in output
    assert "Traceback" not in output


# ------------------------------------------------------------------------------ other software


def test_units_fail_on_a_worker_that_has_other_code(
    cluster, places, tmp_path, monkeypatch
):
    source = "def compute(unit):\n    return {{'x': {}}}\n"
    (tmp_path / "here").mkdir()
    for folder, factor in (("here", 1), ("there", 2)):
        (tmp_path / folder / "code_of_the_cluster.py").write_text(source.format(factor))
    monkeypatch.syspath_prepend(tmp_path / "here")
    from code_of_the_cluster import compute

    cluster.add_workers(1)
    message = "(?s)6 of 6 units.*other code.*the same version"
    refused(message, load_records, study(compute), backend="dask", error=UnitError)
    assert stored(working(places)) == set()
