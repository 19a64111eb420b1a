"""Where units are computed: in this process, in joblib's ``loky`` workers, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from companion.papers.base import Study, Unit
from companion.reproduction.errors import UnitError
from companion.reproduction.records import check_rows

__all__ = ["BACKENDS", "first_sentence", "lost_workers", "pool", "run_unit"]

BACKENDS = ("loky", "dask")

# --------------------------------------------------------------------------------- one unit


@contextmanager
def _one_thread(shared: bool) -> Iterator[None]:
    """One thread for BLAS and OpenMP.

    In a worker that units share, several threads at once, the limit stays for good: OpenMP keeps
    its number for each thread that calls it, OpenBLAS for the process, and threadpoolctl lets only
    one thread change the latter, so that no order of leaving could restore both.
    """
    # A library loaded later would not be limited: SciPy brings a BLAS, scikit-learn an OpenMP.
    import scipy.linalg  # noqa: F401
    import sklearn.utils  # noqa: F401
    from threadpoolctl import threadpool_limits

    if shared:
        threadpool_limits(limits=1)
        yield
    else:
        with threadpool_limits(limits=1):
            yield


class _Quiet:
    """No warnings while any unit runs in this process.

    The filters belong to the whole process: the first thread that enters sets them and the last
    that leaves restores them.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._inside = 0
        self._filters = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._filters.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore")
            self._inside += 1

    def __exit__(self, *error) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._filters.close()


_quiet = _Quiet()


def _last_line(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip().splitlines()[-1]


def first_sentence(error: BaseException) -> str:
    """The first sentence of an error's message, on one line."""
    return " ".join(str(error).split()).split(". ")[0].rstrip(".") or type(error).__name__


def run_unit(
    compute: Callable | str, unit: Unit, shared: bool = False
) -> tuple[str, str, Any]:
    """Compute one unit, in whatever process, without ever raising an `Exception`.

    Parameters
    ----------
    compute : callable or str
        The study's function, or its "module:name".
    unit : Unit
        The unit.
    shared : bool, default=False
        Whether other threads of this process may run units at the same time.

    Returns
    -------
    key, kind, content
        The unit's key with "rows" and the result rows, "missing" and the reason, or "failed" and
        the last line of the traceback.
    """
    with _quiet:
        try:
            if isinstance(compute, str):
                module, name = compute.split(":")
                compute = getattr(import_module(module), name)
            with _one_thread(shared):
                return unit.key, "rows", check_rows(unit, compute(unit))
        except Exception as error:
            from companion.datasets import DataUnavailable

            if isinstance(error, DataUnavailable):
                return unit.key, "missing", " ".join(str(error).split())
            return unit.key, "failed", f"{_last_line(error)} ({_place(error)})"


def _place(error: BaseException) -> str:
    """Where the traceback ends."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "nowhere"


# -------------------------------------------------------------------------------- many units


def _reference(study: Study) -> str:
    """The study's function as "module:name", by which a worker process can import it."""
    compute = study.compute
    module, name = getattr(compute, "__module__", None), getattr(compute, "__qualname__", "")
    if module and module != "__main__" and "." not in name:
        if getattr(import_module(module), name, None) is compute:
            return f"{module}:{name}"
    raise ValueError(
        f"The compute function of {study.paper}/{study.name} must stand at the top level of an "
        f"importable module, so that workers can import it. Got {compute!r}; move it into a "
        "module, or use one job."
    )


def lost_workers() -> tuple[type[BaseException], ...]:
    """The errors that say that workers died."""
    from joblib.externals.loky.process_executor import BrokenProcessPool

    return (BrokenProcessPool, _DeadWorker)


class _DeadWorker(RuntimeError):
    """A task that a Dask cluster gave up."""


@contextmanager
def pool(study: Study, jobs: int, backend: str, scheduler: str | None):
    """Workers for the units of a study; a context manager.

    Parameters
    ----------
    study : Study
        Whose units.
    jobs, backend, scheduler
        As for `companion.reproduction.run.load_records`.

    Yields
    ------
    callable
        From units to a generator of their outcomes (see `run_unit`), in the order in which they
        finish.
    """
    from joblib import Parallel, delayed

    # Batches of one, since a batch comes back, and is stored, only as a whole.
    options = {"return_as": "generator_unordered", "batch_size": 1}
    if backend == "dask":
        with _dask_backend(jobs, scheduler) as dask:
            reference = _reference(study)
            parallel = Parallel(n_jobs=-1, backend=dask, **options)
            yield lambda units: parallel(
                delayed(run_unit)(reference, unit, shared=True) for unit in units
            )
    else:
        compute = study.compute if jobs == 1 else _reference(study)
        parallel = Parallel(n_jobs=jobs, backend="loky", **options)
        with _quiet_tracker():
            yield lambda units: parallel(delayed(run_unit)(compute, unit) for unit in units)


@contextmanager
def _quiet_tracker() -> Iterator[None]:
    """Keep loky's resource tracker, a process of its own, from warning of what is already gone.

    After Ctrl-C it may find a semaphore that a worker has removed before it.
    """
    before = os.environ.get("PYTHONWARNINGS")
    added = "ignore:resource_tracker:UserWarning"
    os.environ["PYTHONWARNINGS"] = added if not before else f"{before},{added}"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


@contextmanager
def _dask_backend(jobs: int, scheduler: str | None):
    """joblib's Dask backend on a running scheduler, or on a cluster of this machine's own."""
    try:
        from distributed import Client, LocalCluster
        from joblib._dask import DaskDistributedBackend
    except ImportError as error:
        raise ValueError(
            "The backend 'dask' needs the packages dask and distributed. "
            "Install them (pip install 'companion[distributed]'), or use the backend 'loky'."
        ) from error

    class Backend(DaskDistributedBackend):
        """Reports a task that the cluster gave up; joblib alone would wait for it for ever."""

        def submit(self, func, callback=None):
            def report(done):
                error = done.exception()
                if error is not None:
                    callback(_DeadWorker(first_sentence(error)))

            future = super().submit(func, callback)
            future.add_done_callback(report)
            return future

    with ExitStack() as stack:
        own = scheduler is None
        if own:
            from joblib import cpu_count

            scheduler = stack.enter_context(
                LocalCluster(
                    n_workers=cpu_count() if jobs == -1 else jobs,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            )
        try:
            client = stack.enter_context(Client(scheduler, set_as_default=False))
        except (OSError, ValueError) as error:
            raise UnitError(
                f"The Dask scheduler {scheduler} cannot be reached ({_last_line(error)}). Nothing "
                "was computed; check the address, or leave it out for a cluster of this machine."
            ) from error
        if own:
            client.run(_ignore_interrupts)
        yield Backend(client=client)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to every process, to the parent: it stops the workers.

    Runs in a worker's main thread; without it the workers answer with tracebacks of their own.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
