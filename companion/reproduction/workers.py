"""Where units are computed: in this process, in joblib's ``loky`` workers, or on a Dask cluster."""

import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

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
    from joblib import Parallel, delayed

    with ExitStack() as stack:
        options: dict[str, Any] = {"n_jobs": jobs}
        code = code_digest(study.compute)
        parent: int | None = os.getpid()
        if backend == "dask":
            from companion.reproduction._dask import dask_backend

            with _interrupts_held():
                cluster = stack.enter_context(dask_backend(jobs))
            # Enough on the cluster for workers that join later, too.
            options = {"n_jobs": -1, "pre_dispatch": "4*n_jobs", "backend": cluster}
            parent = None  # its workers see to that themselves
        stack.enter_context(warnings.catch_warnings())
        # Of units that were given up, and of workers that have grown and are started again.
        warnings.filterwarnings("ignore", module="joblib")
        # Batches of one, since a batch comes back, and is stored, only as a whole.
        parallel = Parallel(return_as="generator_unordered", batch_size=1, **options)
        with _interrupts_held():
            found = parallel(
                delayed(run_unit)(study.compute, unit, code, parent) for unit in units
            )
        yield _with_advice(
            f"{study.paper}/{study.name}", stack.enter_context(closing(found))
        )


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
