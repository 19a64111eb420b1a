"""Where units are computed: in this process, in joblib's ``loky`` workers, or on a Dask cluster."""

import logging
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache, partial
from typing import Any
from unittest.mock import patch

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

from companion._utils.errors import DamagedData, DataUnavailable
from companion._utils.processes import end_with
from companion.reproduction.codehash import code_digest
from companion.reproduction.errors import ClusterError, UnitError
from companion.reproduction.records import check_rows
from companion.reproduction.units import Study, Unit

# Limits on threads and filters of warnings belong to a process, and Dask may give a worker several
# units at a time.
_ONE_AT_A_TIME = threading.Lock()
# Seconds in which a scheduler must answer, and in which a cluster must have a worker.
_CONNECT = 5
_WORKERS = 30


def run_unit(
    compute: Callable, unit: Unit, code=None, parent=None
) -> tuple[Unit, str, Any]:
    """A unit and "rows" with its results, or the reason why it is "missing" or "failed".

    A unit is "damaged" if its data are.

    A process that may have other code than this one gets the digest of ours, and a worker of this
    machine the number of the process without which it must not go on.
    """
    if parent is not None:
        end_with(parent)
    with _ONE_AT_A_TIME, _libraries().limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if code is not None and code != (own_code := code_digest(compute)):
                raise RuntimeError(
                    f"this worker has other code ({own_code}, and {code} here): the sources "
                    "were edited meanwhile, or it needs the same version; run again with one "
                    "code everywhere"
                )
            return unit, "rows", check_rows(unit, compute(unit))
        except DataUnavailable as error:
            return unit, "missing", " ".join(str(error).split())
        except DamagedData as error:
            return unit, "damaged", " ".join(str(error).split())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # which may even leave Python
            line = f"{type(error).__name__}: {error}".splitlines()[0]
            place = traceback.extract_tb(error.__traceback__)[-1]
            return unit, "failed", f"{line} ({place.name}, line {place.lineno})"


@cache
def _libraries() -> ThreadpoolController:
    """What has threads of its own, looked up once: that takes longer than many a unit."""
    # A library loaded later would not be limited: SciPy brings a BLAS, scikit-learn an OpenMP.
    import scipy.linalg  # noqa: F401
    import sklearn.utils  # noqa: F401

    return ThreadpoolController()


@contextmanager
def compute_units(
    study: Study, units: Iterable[Unit], jobs: int, backend: str
) -> Iterator[Iterator[tuple[Unit, str, Any]]]:
    """The outcomes of units, as they finish; what is left at the end of the context is given up."""
    if backend not in ("loky", "dask"):
        raise ValueError(f"The backend must be one of loky, dask. Got {backend!r}.")
    if (backend, jobs) == ("loky", 1):
        yield (run_unit(study.compute, unit) for unit in units)
        return
    start = in_processes if backend == "loky" else _on_a_cluster
    run = partial(run_unit, study.compute, code=code_digest(study.compute))
    with ExitStack() as stack:
        found = start(stack, run, units, jobs)
        yield _with_advice(f"{study.paper}/{study.name}", found)


def in_processes(
    stack: ExitStack, run: Callable, units: Iterable[Unit], jobs: int
) -> Iterator:
    """The outcomes of units in processes of this machine, by joblib."""
    from joblib import Parallel, delayed

    stack.enter_context(warnings.catch_warnings())
    # Of units that were given up, and of workers that have grown and are started again.
    warnings.filterwarnings("ignore", module="joblib")
    # Batches of one, since a batch comes back, and is stored, only as a whole.
    parallel = Parallel(jobs, return_as="generator_unordered", batch_size=1)
    with _interrupts_held():
        found = parallel(delayed(run)(unit, parent=os.getpid()) for unit in units)
    return stack.enter_context(closing(found))


def _on_a_cluster(
    stack: ExitStack, run: Callable, units: Iterable[Unit], jobs: int
) -> Iterator:
    """The outcomes of units on the scheduler that Dask is configured for, or a cluster of our own.

    joblib's backend for Dask never comes back from a unit whose workers were killed.
    """
    import dask
    from distributed import Client, LocalCluster, as_completed
    from distributed.utils import silence_logging_cmgr

    stack.enter_context(silence_logging_cmgr(logging.CRITICAL))  # our errors replace it
    scheduler = dask.config.get("scheduler-address", None)
    try:
        with _interrupts_held():
            cluster = scheduler or LocalCluster(
                n_workers=cpu_count() if jobs == -1 else jobs,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
            if scheduler is None:
                stack.enter_context(cluster)
            client = Client(cluster, timeout=_CONNECT, set_as_default=False)
            stack.enter_context(client)
            client.wait_for_workers(1, timeout=_WORKERS)
    # An assertion of distributed failed here once, on a busy machine; why is not known.
    except (OSError, ValueError, AssertionError) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ClusterError(
            f"The Dask scheduler {scheduler} cannot be reached, or has no worker ({reason}). "
            "Nothing was computed; check DASK_SCHEDULER_ADDRESS, or unset it for a cluster of this "
            "machine."
        ) from error
    tasks = client.map(run, [*units], pure=False)
    done = as_completed(tasks, loop=client.loop)
    return (task.result() for task in done)


def _with_advice(name: str, outcomes: Iterator) -> Iterator:
    """The same outcomes, with an error that says what to do: units themselves raise none."""
    try:
        yield from outcomes
    except Exception as error:
        reason = (
            " ".join(str(error).split()).split(". ")[0].rstrip(".")
            or type(error).__name__
        )
        died = (
            type(error).__module__.startswith("joblib")
            or type(error).__name__ == "KilledWorker"
        )
        raise (UnitError if died else ClusterError)(
            f"{name}: the workers are lost or cannot run a unit ({reason}). Finished units are "
            "stored; run again, with fewer jobs if it recurs (a worker that dies often lacks "
            "memory), and with the same version of companion all over a cluster."
        ) from error


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start workers that never see Ctrl-C, which a terminal sends to every process.

    They inherit which signals are held back; one that comes meanwhile reaches us afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    # Both start with the first worker, after which the signal would come through again; and after
    # Ctrl-C they would warn of what a worker has removed before them.
    ignoring = [*sys.warnoptions, "ignore:resource_tracker:UserWarning"]
    with patch.object(sys, "warnoptions", ignoring):
        for tracker in (resource_tracker, loky_tracker):
            tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
