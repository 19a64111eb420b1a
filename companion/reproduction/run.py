"""Compute the units of a study that have no record yet, and give all records as a table.

Every unit runs with one thread of BLAS and OpenMP and takes its seed from its identity, so that the
records do not depend on the number of jobs, the backend, the order or an interruption.
"""

import os
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from companion._utils.errors import DamagedData
from companion._utils.paths import unwritable
from companion.reproduction.errors import StoreError, UnitError
from companion.reproduction.store import RecordStore
from companion.reproduction.units import Study, Unit
from companion.reproduction.workers import compute_units

_NAMED_FAILURES = 5


@dataclass(frozen=True)
class Records:
    """The records of a study, and how they came about.

    Attributes
    ----------
    frame : pandas.DataFrame
        Parameters and result columns, one line a result row, sorted.
    n_units : int
        Units that the study lists.
    gaps : mapping of str to list of str
        Which records are ``"missing"`` or ``"stale"``, and where they stand.
    missing : list of (str, int)
        Why units could not be computed, and how many for that reason.
    computed : int
        Units computed now.
    """

    frame: Any = field(repr=False)
    n_units: int
    gaps: dict[str, list[str]]
    missing: list[tuple[str, int]] = field(default_factory=list)
    computed: int = 0


def load_records(
    study: Study,
    profile: str = "paper",
    *,
    jobs: int = 1,
    backend: str = "loky",
    fresh: bool = False,
    keep_open: bool = False,
) -> Records:
    """Load the records of a study; compute and store those that are missing.

    Parameters
    ----------
    study : Study
    profile : {"paper", "quick"}, default="paper"
        Which units. The quick profile never reads the committed records, and computes units again
        whose code has changed since.
    jobs : int, default=1
        Number of worker processes, -1 for one a core. One job of "loky" is this process itself.
    backend : {"loky", "dask"}, default="loky"
        joblib's backend. "dask" uses the scheduler that ``DASK_SCHEDULER_ADDRESS`` names, whatever
        ``jobs`` is, or starts a cluster of ``jobs`` processes on this machine. Workers need the
        same version of the package, and the data; each computes one unit at a time.
    fresh : bool, default=False
        Compute every unit anew; a fresh run that was interrupted goes on.
    keep_open : bool, default=False
        Whether a fresh run goes on with other studies; the store's `end` then ends it.

    Returns
    -------
    Records

    Raises
    ------
    StoreError
        If records cannot be read or written.
    DamagedData
        After everything else is computed, if a file of data is not what it should be.
    UnitError
        After everything else is computed, if units failed otherwise than for missing data, or
        at once if the workers are lost (`ClusterError` if a Dask cluster is).
    """
    store = RecordStore(study, profile)
    news = {}
    found = None if fresh else _stored(store)
    quick = profile == "quick"
    if found and not found.gaps["missing"] and not (quick and found.gaps["stale"]):
        return _stored(store) if store.consolidate() else found
    with store.alone():
        if fresh:
            store.begin()
        if todo := _to_compute(store, fresh):  # by another process, meanwhile
            if not quick and (why := unwritable(store.path.parent)):
                raise StoreError(f"Records of {store.name}: {why}")
            news = _compute(store, todo, (jobs, backend))
        if fresh and not keep_open:
            store.end()
    store.consolidate()
    return replace(_stored(store), **news)


def _to_compute(store: RecordStore, fresh: bool) -> list[Unit]:
    """The units without a record that counts."""
    present = store.waiting() if fresh else store.records()
    any_code = store.profile == "paper" and not fresh
    return [
        unit
        for cells, unit in store.units.items()
        if cells not in present or not (any_code or present[cells].code == store.code)
    ]


def read_stored(study: Study, profile: str = "paper") -> Records:
    """The records of a study that are there, without computing any."""
    return _stored(RecordStore(study, profile))


def _stored(store: RecordStore) -> Records:
    frame, codes = store.read()
    return Records(frame, len(store.units), _gaps(store, codes))


def _gaps(
    store: RecordStore, codes: dict[tuple[str, ...], str]
) -> dict[str, list[str]]:
    """What is wrong with the records that are there, by kind."""
    table = store.path if store.profile == "paper" else store.working
    gaps: dict[str, list[str]] = {"missing": [], "stale": []}
    if absent := [unit for cells, unit in store.units.items() if cells not in codes]:
        few = f"{len(absent)} of {len(store.units)} units have no record"
        gaps["missing"].append(f"{table}: {few}, such as {absent[0]}")
    listed = [code for cells, code in codes.items() if cells in store.units]
    n_old = len(listed) - listed.count(store.code)
    n_unlisted = len(codes) - len(listed)
    faults = [
        (n_old, f"were made by other code or data than {store.code}"),
        (n_unlisted, "are of no unit listed"),
    ]
    command = f"companion reproduce --profile {store.profile} --fresh"
    gaps["stale"] = [
        f"{table}: {number} of {len(codes)} records {fault}; `{command}` computes them again"
        for number, fault in faults
        if number
    ]
    return gaps


def _compute(store: RecordStore, todo: list[Unit], workers) -> dict[str, Any]:
    """Store each unit as it comes back, before the next is looked at; say what is new."""
    reasons: dict[str, dict[Unit, str]] = {"failed": {}, "damaged": {}, "missing": {}}
    computed = 0
    bar = progress_bar(len(todo), store.name)
    try:
        with bar, compute_units(store.study, todo, *workers) as outcomes:
            for unit, kind, content in outcomes:
                if kind == "rows":
                    store.append(unit, content)
                    computed += 1
                else:
                    reasons[kind][unit] = content
                bar.update()
        failed, damaged, missing = (
            {unit: found[unit] for unit in todo if unit in found}
            for found in reasons.values()
        )
        if failed:
            raise _failure(store, failed | damaged)
        if damaged:
            raise DamagedData("\n".join(dict.fromkeys(damaged.values())))
    except (UnitError, DamagedData) as error:
        error.computed = computed
        raise
    return {"missing": [*Counter(missing.values()).items()], "computed": computed}


def _failure(store: RecordStore, failed: dict[Unit, str]) -> UnitError:
    lines = [f"{unit}: {reason}" for unit, reason in failed.items()]
    if len(lines) > _NAMED_FAILURES:
        lines = [*lines[:_NAMED_FAILURES], "..."]
    return UnitError(
        f"{len(failed)} of {len(store.units)} units of {store.name} failed; the others are stored "
        "and will not be computed again.\n  " + "\n  ".join(lines)
    )


def progress_bar(total: int, description: str):
    """A bar where a terminal can show it; none if COMPANION_PROGRESS is 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a notebook has no widgets
        from tqdm.auto import tqdm
    off = True if os.environ.get("COMPANION_PROGRESS") == "0" else None
    return tqdm(
        total=total, desc=description, unit="unit", dynamic_ncols=True, disable=off
    )
