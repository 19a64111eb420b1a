"""Compute the units of a study that have no record yet, and give all records as a table.

Units come back from the workers (`companion.reproduction.workers`) in any order, and the calling
process stores each as it finishes. Every unit runs with one thread of BLAS and OpenMP and takes
its seed from its identity, so that the records do not depend on the number of jobs, the backend,
the order or an interruption.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from companion.reproduction.compiled import discard_old_loops
from companion.reproduction.errors import UnitError
from companion.reproduction.progress import Progress
from companion.reproduction.records import to_frame
from companion.reproduction.store import RecordStore
from companion.reproduction.units import Study, Unit
from companion.reproduction.workers import BACKENDS, lost_workers, pool, workers_error

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Records", "discard_finished", "load_records"]

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
        not matter. Its workers need the same version of the package, and the data of the study.
    fresh : bool, default=False
        Compute every unit again and replace its record. Stored records stay until then.
    progress : bool, optional
        Ask for the progress bar or for silence; see `companion.reproduction.progress`.
    consolidate : bool, default=True
        Bring finished units of the paper profile into the committed table at the end, those of
        an interrupted run included.
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
        at once if the workers are lost (`ClusterError` if those of a Dask cluster are, or if it
        cannot be reached). Finished units are stored.
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
        if fresh or key not in before or (profile == "quick" and before[key].code != store.code)
    ]
    run = _Run(store, before)
    if todo:
        store.prepare()
        discard_old_loops()
        with Progress(len(todo), f"{study.paper}/{study.name}", progress) as bar:
            run.compute(todo, bar, pool(study, jobs, backend, scheduler))
    if run.failures:
        raise run.error()
    if profile == "quick":
        store.finish()
    elif consolidate and store.pending:
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

    def compute(self, todo: list[Unit], bar: Progress, workers) -> None:
        """Let the workers run the units; each is stored before the next is looked at."""
        with workers as outcomes_of:
            outcomes = outcomes_of(self._worth_trying(todo))
            try:
                for key, kind, content in outcomes:
                    self._take(self.store.units[key], kind, content)
                    bar.update()
            except lost_workers() as error:
                raise workers_error(self.store.study, error) from error
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
