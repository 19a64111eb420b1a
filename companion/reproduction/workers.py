"""Where units are computed: in this process, in joblib's ``loky`` workers, or on a Dask cluster."""

from __future__ import annotations

import os
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module
from typing import Any

from companion.reproduction._messages import first_sentence, last_line
from companion.reproduction.codehash import code_digest
from companion.reproduction.errors import ClusterError, UnitError
from companion.reproduction.records import check_rows
from companion.reproduction.units import Study, Unit

__all__ = ["BACKENDS", "check_backend", "lost_workers", "pool", "run_unit", "workers_error"]

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


def _check_code(compute: Callable, digest: str) -> None:
    own = code_digest(compute)
    if own != digest:
        raise RuntimeError(
            f"this worker has other code ({own}, and {digest} here); "
            "install the same version on every worker, and restart them"
        )


def run_unit(
    compute: Callable | str, unit: Unit, shared: bool = False, code: str | None = None
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
    code : str, optional
        Digest of the study's code, for a process that may have another version of it: its units
        fail, since their records would claim the wrong code.

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
            if code is not None:
                _check_code(compute, code)
            with _one_thread(shared):
                return unit.key, "rows", check_rows(unit, compute(unit))
        except Exception as error:
            from companion.datasets import DataUnavailable

            if isinstance(error, DataUnavailable):
                return unit.key, "missing", " ".join(str(error).split())
            return unit.key, "failed", f"{last_line(error)} ({_place(error)})"


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
    """The errors that say that workers died.

    Returns
    -------
    tuple of type
    """
    from joblib.externals.loky.process_executor import BrokenProcessPool

    from companion.reproduction._dask import DeadWorker, NoWorker, UnfitWorker

    return (BrokenProcessPool, DeadWorker, UnfitWorker, NoWorker)


def workers_error(study: Study, error: BaseException) -> UnitError:
    """What to tell the user about one of the errors of `lost_workers`.

    Parameters
    ----------
    study : Study
        Whose units were being computed.
    error : BaseException
        What was raised.

    Returns
    -------
    UnitError
    """
    from companion.reproduction._dask import NoWorker, UnfitWorker

    name, reason = f"{study.paper}/{study.name}", first_sentence(error)
    if isinstance(error, NoWorker):
        return ClusterError(
            f"{name}: the Dask cluster is lost ({reason}). Finished units are stored; start "
            "scheduler and workers, and run the same command again."
        )
    if isinstance(error, UnfitWorker):
        return ClusterError(
            f"{name}: the workers cannot run a unit ({reason}). Finished units are stored; install "
            "the same version of companion on every worker, and run the same command again."
        )
    return UnitError(
        f"{name}: the workers gave up ({reason}). Finished units are stored; run again, and with "
        "fewer jobs if it recurs: a worker that dies often lacks memory."
    )


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
        from companion.reproduction._dask import dask_backend

        with dask_backend(jobs, scheduler) as dask:
            reference = _reference(study)
            code = code_digest(study.compute)
            # Enough on the cluster for workers that join later, too.
            parallel = Parallel(n_jobs=-1, backend=dask, pre_dispatch="4*n_jobs", **options)
            yield lambda units: parallel(
                delayed(run_unit)(reference, unit, shared=True, code=code) for unit in units
            )
    else:
        compute = study.compute if jobs == 1 else _reference(study)
        parallel = Parallel(n_jobs=jobs, backend="loky", **options)

        def outcomes(units):
            with nullcontext() if jobs == 1 else _interrupts_held():
                return parallel(delayed(run_unit)(compute, unit) for unit in units)

        with _quiet_tracker(), warnings.catch_warnings():
            # loky ends workers that have grown and starts others; no unit is lost by it.
            warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
            yield outcomes


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start workers that never see Ctrl-C; one that comes meanwhile reaches us afterwards.

    A terminal sends it to every process, and workers would answer with tracebacks of their own
    before they are stopped. They inherit which signals are held back.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    # loky starts both with the first worker, after which the signal would come through again.
    for tracker in (resource_tracker, loky_tracker):
        tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


def check_backend(backend: str, scheduler: str | None = None) -> None:
    """Check, before anything is computed, that there is what the backend needs.

    Parameters
    ----------
    backend, scheduler
        As for `companion.reproduction.run.load_records`.

    Raises
    ------
    ValueError
        If a package is missing.
    ClusterError
        If the scheduler does not answer.
    """
    if backend == "dask":
        from companion.reproduction import _dask

        _dask.check(scheduler)
