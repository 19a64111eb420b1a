"""Reproducing artefacts: the records of one after the other, their verdicts, then the notebooks.

What goes wrong with one artefact is noted and the next one starts; only an interruption stops the
run, and then a later run with the same profile goes on from the units that were finished.
"""

from __future__ import annotations

import difflib
import json
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field

from joblib import cpu_count

from companion._paths import build_dir, cache_dir
from companion.reproduction._files import replace_text
from companion.reproduction.artefacts import Artefact
from companion.reproduction.declared import load_deviations
from companion.reproduction.errors import ClusterError, StoreError, UnitError
from companion.reproduction.notebooks import (
    NotebookReport,
    close_event_loop,
    notebook_surroundings,
    run_notebook,
    stop_kernels,
)
from companion.reproduction.records import to_frame
from companion.reproduction.run import discard_finished, load_records
from companion.reproduction.store import RecordStore
from companion.reproduction.times import NOTEBOOK, save_times
from companion.reproduction.verdicts import judge

__all__ = [
    "ArtefactReport",
    "Reproduction",
    "StoredRecords",
    "read_ledgers",
    "read_stored",
    "resolve_targets",
]


def resolve_targets(targets, artefacts):
    """The artefacts that are meant by what was typed.

    Parameters
    ----------
    targets : sequence of str
        Keys of papers (``"l1nsvm"``) and artefacts (``"l1nsvm/table_2"``); none for all.
    artefacts : sequence of companion.reproduction.Artefact
        Those there are.

    Returns
    -------
    list of companion.reproduction.Artefact
        In the order of `artefacts`, each once.

    Raises
    ------
    LookupError
        If targets are unknown; all are named, with the nearest known name.
    """
    papers = list(dict.fromkeys(artefact.paper for artefact in artefacts))
    known = [*filter(None, papers), *(artefact.id for artefact in artefacts)]
    faults = []
    for target in targets:
        if target in known:
            continue
        full = [name for name in known if name.endswith(f"/{target}")]
        close = full or difflib.get_close_matches(target, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}."
        faults.append(f"There is no paper or artefact {target!r}: {hint}")
    if faults:
        raise LookupError("\n".join(faults))
    chosen = set(targets) or set(papers)
    return [artefact for artefact in artefacts if {artefact.paper, artefact.id} & chosen]


@dataclass(frozen=True)
class StoredRecords:
    """The records of a study that are there, without computing any.

    Attributes
    ----------
    frame : pandas.DataFrame
    n_units, n_stored, n_stale : int
        Units of the study, those with a record, and those whose record other code made.
    """

    frame: object
    n_units: int
    n_stored: int
    n_stale: int


def read_stored(study, profile="paper"):
    """Read the records of a study without computing any.

    Parameters
    ----------
    study : companion.reproduction.Study
    profile : {"paper", "quick"}, default="paper"

    Returns
    -------
    StoredRecords
    """
    store = RecordStore(study, profile)
    found = store.records()
    kept = [found[key] for key in store.units if key in found]
    stale = sum(record.code != store.code for record in kept)
    return StoredRecords(to_frame(kept, store.parameters), len(store.units), len(kept), stale)


def read_ledgers(artefacts, profile="paper"):
    """Verdicts of the records there are, without computing any.

    Parameters
    ----------
    artefacts : sequence of companion.reproduction.Artefact
    profile : {"paper", "quick"}, default="paper"

    Returns
    -------
    ledgers : dict of str to pandas.DataFrame
        By artefact, as of :func:`~companion.reproduction.verdicts.compare`.
    stale : list of str
        Remarks on records that are missing or that other code made.
    failures : list of str
        What could not be compared, and why; the other artefacts still are.
    """
    ledgers, stale, failures, deviations = {}, [], [], None
    for artefact in artefacts:
        try:
            deviations = load_deviations() if deviations is None else deviations
            stored = {study.name: read_stored(study, profile) for study in artefact.studies}
            frames = {name: records.frame for name, records in stored.items()}
            ledgers[artefact.id] = judge(artefact, frames, profile, deviations)
        except Exception as error:  # one broken file: the other artefacts are still compared
            failures.append(f"{artefact.id}: no verdicts: {type(error).__name__}: {error}")
            continue
        for name, records in stored.items():
            if records.n_stale:
                stale.append(
                    f"{artefact.paper}/{name}: {records.n_stale} of {records.n_units} "
                    "records were made by other code; `companion reproduce --fresh` "
                    "computes them again."
                )
            if records.n_stored < records.n_units:
                stale.append(
                    f"{artefact.paper}/{name}: {records.n_units - records.n_stored} of "
                    f"{records.n_units} units have no record."
                )
    return ledgers, list(dict.fromkeys(stale)), failures


@dataclass
class ArtefactReport:
    """What became of one artefact.

    Attributes
    ----------
    artefact : companion.reproduction.Artefact
    ledger : pandas.DataFrame or None
        Its verdicts; None if nothing could be compared or nothing is printed.
    notebook : NotebookReport or None
    computed : int
        Units computed now.
    missing : list of (str, str, int)
        Study, reason, and number of units that could not be computed for that reason.
    stale : list of (str, int)
        Study and number of records that other code made.
    failures : list of str
        What went wrong, without the notebook.
    times : list of (str, int, int, float)
        Study, units, jobs and seconds of every study that was computed whole for this artefact,
        and of the notebook.
    """

    artefact: Artefact
    ledger: object = None
    notebook: NotebookReport | None = None
    computed: int = 0
    missing: list = field(default_factory=list)
    stale: list = field(default_factory=list)
    failures: list = field(default_factory=list)
    times: list = field(default_factory=list)

    @property
    def ok(self):
        """Whether everything ran; data that cannot be had are no failure."""
        return not self.failures and (self.notebook is None or self.notebook.ok)


class _Mark:
    """Remembers on disk that a quick run has begun, so that an interrupted one is resumed."""

    def __init__(self, profile):
        self.path = cache_dir() / "records" / profile / "unfinished_run.json"
        self._studies = set()
        with suppress(OSError, ValueError, TypeError):
            self._studies = set(json.loads(self.path.read_text(encoding="utf-8")))

    def __contains__(self, study):
        return f"{study.paper}/{study.name}" in self._studies

    def add(self, study):
        self._studies.add(f"{study.paper}/{study.name}")
        with suppress(OSError):  # what cannot be noted is computed again
            replace_text(self.path, json.dumps(sorted(self._studies)) + "\n")

    def remove(self):
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


class Reproduction:
    """One run over some artefacts; a study that several of them use is computed once.

    Parameters
    ----------
    profile : {"quick", "paper"}, default="quick"
    jobs, backend, scheduler, fresh, progress
        As of :func:`~companion.reproduction.run.load_records`.
    """

    def __init__(
        self, profile="quick", *, jobs=1, backend="loky", scheduler=None, fresh=False, progress=None
    ):
        self.profile = profile
        self._options = {
            "jobs": jobs,
            "backend": backend,
            "scheduler": scheduler,
            "fresh": fresh,
            "progress": progress,
        }
        self._mark = _Mark(profile)
        self._done = {}
        self._cluster_lost = False

    @property
    def outputs(self):
        """Folder of the executed notebooks."""
        return build_dir() / "reproduce" / self.profile

    def compute(self, artefact):
        """Compute what is missing and compare it with the print.

        Parameters
        ----------
        artefact : companion.reproduction.Artefact

        Returns
        -------
        ArtefactReport
            Without its notebook.
        """
        report = ArtefactReport(artefact)
        frames = {}
        for study in artefact.studies:
            frame = self._compute(study, report)
            if frame is not None:
                frames[study.name] = frame
        if artefact.values is not None and len(frames) == len(artefact.studies):
            self._judge(report, frames)
        if report.failures:
            report.failures.append(f"{artefact.id}: its notebook was not run for that reason")
        return report

    def run_notebooks(self, reports, parameters, *, in_place=False):
        """Run the notebooks of artefacts whose records are there, `jobs` of them at a time.

        Parameters
        ----------
        reports : list of ArtefactReport
            Of :meth:`compute`; those with failures are left out, the others get their notebook.
        parameters : list of mapping
            Checked values of each artefact's parameters, the profile included.
        in_place : bool, default=False
            Write executed notebooks back to ``notebooks/``; of a fresh run also the times.

        Yields
        ------
        ArtefactReport
            As the notebooks finish. Those about all papers come last, as they show what became of
            the others, their times included; their own are not kept.
        """
        todo = [
            (report, values)
            for report, values in zip(reports, parameters, strict=True)
            if not report.failures
        ]
        at_a_time = min(
            cpu_count() if self._options["jobs"] == -1 else self._options["jobs"], max(len(todo), 1)
        )
        for group in (True, False):
            part = [
                (report, values) for report, values in todo if bool(report.artefact.paper) is group
            ]
            yield from self._side_by_side(part, at_a_time, in_place)

    def _side_by_side(self, todo, at_a_time, in_place):
        # Threads, since each only waits for a kernel, a process of its own.
        with ThreadPoolExecutor(at_a_time) as threads, notebook_surroundings():
            running = {
                threads.submit(
                    self._run_notebook,
                    report.artefact,
                    values,
                    in_place,
                    None if at_a_time == 1 else False,
                ): report
                for report, values in todo
            }
            try:
                for done in as_completed(running):
                    yield self._with_notebook(running[done], done.result(), in_place)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                stop_kernels()
                raise

    def _run_notebook(self, artefact, values, in_place, show):
        output = self.outputs / artefact.paper / f"{artefact.name}.ipynb"
        try:
            return run_notebook(artefact, output, values, in_place=in_place, show=show)
        finally:
            close_event_loop()

    def _with_notebook(self, report, notebook, in_place):
        report.notebook = notebook
        report.times.append((NOTEBOOK, 1, 1, notebook.duration))
        if in_place and self._options["fresh"] and report.ok and report.artefact.paper:
            save_times(report.artefact, report.times)
        return report

    def finish(self):
        """Say that the run came to its end, so that the next quick one computes afresh."""
        self._mark.remove()

    def _compute(self, study, report):
        """The records of a study, or as many as there are; notes in the report what is not."""
        name = f"{study.paper}/{study.name}"
        if name not in self._done:
            start = time.monotonic()
            records, *_ = self._done[name] = self._load(study, name)
            seconds = time.monotonic() - start
            computed = getattr(records, "computed", 0)
            report.computed += computed
            if computed and computed == len(study.units(self.profile)):
                report.times.append((study.name, computed, self._options["jobs"], seconds))
        records, failure, frame = self._done[name]
        if failure:
            report.failures.append(failure)
        if records is not None:
            report.missing += [(name, reason, n) for reason, n in records.missing]
            report.stale += [(name, records.stale)] if records.stale else []
        return frame

    def _load(self, study, name):
        try:
            if self._cluster_lost:  # trying again for every study would take minutes
                stored = read_stored(study, self.profile)
                whole = stored.n_stored == stored.n_units and not self._options["fresh"]
                failure = None if whole else f"{name}: not computed, since the cluster is lost"
                return None, failure, stored.frame
            if self.profile == "quick" and study not in self._mark:
                discard_finished(study, self.profile)
                self._mark.add(study)
            records = load_records(study, self.profile, **self._options)
            return records, None, records.frame
        except (StoreError, UnitError) as error:
            self._cluster_lost = isinstance(error, ClusterError)
            failure = str(error)
        except Exception as error:  # a fault in the list of units: the other artefacts go on
            failure = f"{name}: {type(error).__name__}: {error}"
        frame = None
        with suppress(Exception):  # the failure above is what is told
            frame = read_stored(study, self.profile).frame
        return None, failure, frame

    def _judge(self, report, frames):
        try:
            report.ledger = judge(report.artefact, frames, self.profile)
        except Exception as error:  # a fault in published values or in reading off the records
            report.failures.append(
                f"{report.artefact.id}: no verdicts: {type(error).__name__}: {error}"
            )
