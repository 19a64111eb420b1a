"""Compute the units of a study that have no record yet, and give all records as a table.

Work is spread by joblib: over processes of its ``loky`` backend, or over a Dask cluster. Every
unit runs with one thread of BLAS and OpenMP and takes its seed from its identity, so that the
records do not depend on the number of jobs, the backend, the order or an interruption. The calling
process writes each unit as it finishes.
"""

from __future__ import annotations

import logging
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from companion.papers.base import Study, Unit
from companion.reproduction.errors import UnitError
from companion.reproduction.progress import Progress
from companion.reproduction.records import check_rows, to_frame
from companion.reproduction.store import RecordStore

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BACKENDS", "Records", "discard_finished", "load_records"]

BACKENDS = ("loky", "dask")
_NAMED_FAILURES = 5


@dataclass(frozen=True)
class Records:
    """The records of a study, and how they came about.

    Parameters
    ----------
    frame : DataFrame
        Parameters, result columns, ``key`` and ``code``, one line a result row, sorted by
        parameters; only units that the study lists.
    missing : list of (str, int)
        Why units are missing, and how many for that reason.
    stale : int
        Number of units whose record was made by other code than the present.
    computed : int
        Number of units computed now.
    changed : int
        Number of units computed now whose numbers differ from the record they replace.
    code : str
        Digest of the study's present code.
    """

    frame: pd.DataFrame = field(repr=False)
    missing: list[tuple[str, int]]
    stale: int
    computed: int
    changed: int
    code: str


def load_records(
    study: Study,
    profile: str = "paper",
    *,
    jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    fresh: bool = False,
    progress: bool | None = None,
    consolidate: bool = True,
    root=None,
    cache=None,
) -> Records:
    """The records of a study: those there are are read, the others computed and stored.

    Parameters
    ----------
    study : Study
        What to compute.
    profile : {"paper", "quick"}, default="paper"
        Which units. The quick profile never reads the committed records, and computes units again
        whose code has changed since.
    jobs : int, default=1
        Number of worker processes, -1 for one a core. One job of "loky" is this process itself.
    backend : {"loky", "dask"}, default="loky"
        joblib's backend. "dask" starts a cluster of ``jobs`` processes on this machine.
    scheduler : str, optional
        Address of a running Dask scheduler to use instead (backend "dask"); ``jobs`` then does
        not matter.
    fresh : bool, default=False
        Compute every unit again and replace its record. Stored records stay until then.
    progress : bool, optional
        Ask for the progress bar or for silence; see `companion.reproduction.progress`.
    consolidate : bool, default=True
        Write the committed table after computing units of the paper profile.
    root, cache : path-like, optional
        Where the records are; see `RecordStore`.

    Returns
    -------
    Records

    Raises
    ------
    StoreError
        If records cannot be read or written.
    UnitError
        After everything else is computed, if units failed otherwise than for missing data, or
        at once if the workers are lost. Finished units are stored.
    KeyboardInterrupt
        As it came; finished units are stored and the workers are stopped.
    """
    if backend not in BACKENDS:
        raise ValueError(f"The backend must be one of {', '.join(BACKENDS)}. Got {backend!r}.")
    if scheduler is not None and backend != "dask":
        raise ValueError(f"A scheduler address needs the backend 'dask'. Got {backend!r}.")
    if jobs != -1 and jobs < 1:
        raise ValueError(f"The number of jobs must be at least 1, or -1 for all. Got {jobs}.")
    store = RecordStore(study, profile, root=root, cache=cache)
    if store.unsaved:
        store.prepare()
    before = store.records()
    todo = [
        unit
        for key, unit in store.units.items()
        if fresh
        or key not in before
        or (profile == "quick" and before[key].code != store.code)
    ]
    run = _Run(store, before)
    if todo:
        store.prepare()
        with Progress(len(todo), f"{study.paper}/{study.name}", progress) as bar:
            run.compute(todo, bar, _pool(study, jobs, backend, scheduler))
    if run.failures:
        raise run.error()
    if profile == "quick":
        store.finish()
    elif run.computed and consolidate:
        store.consolidate()
    found = store.records()
    kept = [found[key] for key in store.units if key in found]
    return Records(
        frame=to_frame(kept, store.parameters),
        missing=run.missing(),
        stale=sum(record.code != store.code for record in kept),
        computed=run.computed,
        changed=run.changed,
        code=store.code,
    )


def discard_finished(study: Study, profile: str = "quick", *, root=None, cache=None) -> bool:
    """Remove the quick records of a run that came to its end, so that the next computes afresh.

    Parameters
    ----------
    study : Study
        Whose records.
    profile : {"quick", "paper"}, default="quick"
        Nothing is removed for "paper", whose records are to be kept.
    root, cache : path-like, optional
        Where the records are; see `RecordStore`.

    Returns
    -------
    bool
        Whether records were removed. Those of an interrupted run stay, to be resumed.
    """
    store = RecordStore(study, profile, root=root, cache=cache)
    if profile != "quick" or not store.finished:
        return False
    store.clear()
    return True


class _Run:
    """Stores what comes back from the units, and remembers what went wrong."""

    def __init__(self, store: RecordStore, before: dict):
        self.store = store
        self.before = before
        self.computed = 0
        self.changed = 0
        self.failures: list[tuple[Unit, str]] = []
        self._reasons: dict[str, str] = {}
        self._unavailable: dict[str, str] = {}

    def compute(self, todo: list[Unit], bar: Progress, pool) -> None:
        """Run the units in a pool; each is stored before the next is looked at."""
        with pool as outcomes_of:
            outcomes = outcomes_of(self._worth_trying(todo))
            try:
                for key, kind, content in outcomes:
                    self._take(self.store.units[key], kind, content)
                    bar.update()
            except _lost_workers() as error:
                raise UnitError(
                    f"{self.store.study.paper}/{self.store.study.name}: the workers gave up "
                    f"({_first_sentence(error)}). Finished units are stored; run again, and with "
                    "fewer jobs if it recurs: a worker that dies often lacks memory."
                ) from error
            finally:
                with warnings.catch_warnings():  # joblib warns of units given up on purpose
                    warnings.simplefilter("ignore")
                    outcomes.close()

    def _worth_trying(self, todo: Iterable[Unit]) -> Iterator[Unit]:
        """The units, without those on data that another unit already could not have."""
        for unit in todo:
            if unit.data and unit.data in self._unavailable:
                self._reasons[unit.key] = self._unavailable[unit.data]
            else:
                yield unit

    def _take(self, unit: Unit, kind: str, content: Any) -> None:
        if kind == "missing":
            self._reasons[unit.key] = content
            self._unavailable[unit.data] = content
        elif kind == "failed":
            self.failures.append((unit, content))
        else:
            record = self.store.append(unit, content)
            self.computed += 1
            old = self.before.get(unit.key)
            self.changed += old is not None and not old.same_numbers(record)

    def missing(self) -> list[tuple[str, int]]:
        """Reasons and their numbers of units, in the order of the units."""
        counts: dict[str, int] = {}
        for key in self.store.units:
            if key in self._reasons:
                counts[self._reasons[key]] = counts.get(self._reasons[key], 0) + 1
        return list(counts.items())

    def error(self) -> UnitError:
        """One error for all failed units, in the order of the units."""
        order = {key: position for position, key in enumerate(self.store.units)}
        failures = sorted(self.failures, key=lambda failure: order[failure[0].key])
        lines = [f"{unit}: {reason}" for unit, reason in failures[:_NAMED_FAILURES]]
        if len(failures) > len(lines):
            lines.append(f"... and {len(failures) - len(lines)} more")
        return UnitError(
            f"{len(failures)} of {len(order)} units of {self.store.study.paper}/"
            f"{self.store.study.name} failed; the others are stored and will not be computed "
            "again.\n  " + "\n  ".join(lines),
            failures,
        )


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


def _first_sentence(error: BaseException) -> str:
    return " ".join(str(error).split()).split(". ")[0].rstrip(".") or type(error).__name__


def _run_unit(
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


def _lost_workers() -> tuple[type[BaseException], ...]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    return (BrokenProcessPool, _DeadWorker)


class _DeadWorker(RuntimeError):
    """A task that a Dask cluster gave up."""


@contextmanager
def _pool(study: Study, jobs: int, backend: str, scheduler: str | None):
    """Something that turns units into their outcomes, in the order in which they finish."""
    from joblib import Parallel, delayed

    # Batches of one, since a batch comes back, and is stored, only as a whole.
    options = {"return_as": "generator_unordered", "batch_size": 1}
    if backend == "dask":
        with _dask_backend(jobs, scheduler) as dask:
            reference = _reference(study)
            parallel = Parallel(n_jobs=-1, backend=dask, **options)
            yield lambda units: parallel(
                delayed(_run_unit)(reference, unit, shared=True) for unit in units
            )
    else:
        compute = study.compute if jobs == 1 else _reference(study)
        parallel = Parallel(n_jobs=jobs, backend="loky", **options)
        yield lambda units: parallel(delayed(_run_unit)(compute, unit) for unit in units)


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
                    callback(_DeadWorker(_first_sentence(error)))

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
