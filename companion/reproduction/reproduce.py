"""Reproducing artefacts: the records of one after the other, their verdicts, and the notebooks.

What goes wrong with one artefact is noted and the next one starts.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from unittest.mock import patch

from joblib import cpu_count

from companion._utils.errors import DamagedData, DataUnavailable
from companion._utils.paths import build_dir
from companion.reproduction.artefacts import Artefact, faults_of_papers
from companion.reproduction.consistency import faults_of_project, outdated_files
from companion.reproduction.errors import ClusterError, StoreError, UnitError
from companion.reproduction.ledger_cache import (
    Outcome,
    digest_of_inputs,
    is_known,
    load_ledgers,
    save_ledgers,
)
from companion.reproduction.run import Records, load_records, read_stored
from companion.reproduction.store import RecordStore
from companion.reproduction.times import NOTEBOOK, save_times
from companion.reproduction.verdicts import compare_records

#: By which the cache knows that nothing is wrong with the files of the project.
_PROJECT = ""


def read_ledgers(artefacts, profile="paper"):
    """Verdicts of the records there are, by artefact, without computing any.

    With them come what records are "missing", and which "stale", and what could not be compared:
    texts with whether a damaged file is the reason.
    """
    inputs = digest_of_inputs(profile)
    kept = load_ledgers(profile)
    run = Reproduction(profile, read=read_stored)
    found = {
        a.id: (is_known(a) and kept.get(a.id)) or run.compute(a).outcome
        for a in artefacts
    }
    good = {
        a.id: found[a.id] for a in artefacts if is_known(a) and not found[a.id].failures
    }
    if good.keys() - kept:
        save_ledgers(profile, inputs, kept | good)
    return merged(found)


def read_project(find_artefacts, profile="paper"):
    """As `read_ledgers`, of a whole project, whose files are held against each other as well.

    Where all was well and no file has changed, nothing is imported that the papers compute with:
    so the artefacts are what a function finds.
    """
    inputs = digest_of_inputs(profile)
    kept = load_ledgers(profile)
    if kept.pop(_PROJECT, None):
        return merged(kept)
    artefacts = find_artefacts()
    ledgers, gaps, failures = read_ledgers(artefacts, profile)
    told = "\n".join(failures)
    faults = [text for text in faults_of_project(artefacts) if text not in told]
    failures |= dict.fromkeys(faults, True)
    failures |= dict.fromkeys(faults_of_papers(), False)
    if not failures:
        complete = profile == "paper" and not gaps["missing"]
        outdated = outdated_files(artefacts, ledgers if complete else {})
        gaps["stale"] += outdated
        kept = load_ledgers(profile)
        names = [artefact.id for artefact in artefacts]
        if not outdated and kept.keys() >= {*names}:
            found = {name: kept[name] for name in names}
            save_ledgers(profile, inputs, found | {_PROJECT: Outcome()})
    return ledgers, gaps, failures


def merged(outcomes):
    """Ledgers, gaps and failures of some artefacts, from the outcome of each by its name.

    Studies are shared: each text is there once, a failure with the first artefact that it stopped.
    """
    ledgers = {}
    stopped = {}
    for name, outcome in outcomes.items():
        if outcome.ledger is not None:
            ledgers[name] = outcome.ledger
        for failure in outcome.failures.items():
            stopped.setdefault(failure, []).append(name)
    failures = {
        f"{names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}: {text}": damaged
        for (text, damaged), names in stopped.items()
    }
    return ledgers, _all_gaps(o.gaps for o in outcomes.values()), failures


def _all_gaps(gaps):
    """What several studies' records lack, by kind, each text once."""
    all_gaps = {"missing": {}, "stale": {}}
    for lacks in gaps:
        for kind, texts in lacks.items():
            all_gaps[kind] |= dict.fromkeys(texts)
    return {kind: [*texts] for kind, texts in all_gaps.items()}


@dataclass
class ArtefactReport:
    """What became of one artefact.

    `records` are those of its studies, by name, `computed` the units that were computed for it;
    `failures` is what went wrong before the notebook, with whether a damaged file is the reason.
    `times` has study, units, jobs and seconds of every study that was computed whole for this
    artefact.
    """

    artefact: Artefact
    computed: int = 0
    records: dict = field(default_factory=dict)
    ledger: object = None
    notebook: object = None
    failures: dict = field(default_factory=dict)
    times: list = field(default_factory=list)

    @property
    def outcome(self):
        """The ledger, what its records lack, and what went wrong."""
        return Outcome(self.ledger, self.gaps, self.failures)

    @property
    def frames(self):
        """The records of its studies as tables, by name."""
        return {name: records.frame for name, records in self.records.items()}

    @property
    def gaps(self):
        """Which records are missing, and which are stale."""
        return _all_gaps(records.gaps for records in self.records.values())


_OF_DAMAGE = (DamagedData, DataUnavailable, FileNotFoundError)


def _failure(what, error):
    text = f"{what}: {type(error).__name__}: {error}"
    if isinstance(error, (StoreError, UnitError, *_OF_DAMAGE)):
        text = str(error)
    return {text: isinstance(error, _OF_DAMAGE)}


class Reproduction:
    """One run over some artefacts; a study that several of them use is computed once.

    Records come from `read`, a function of study and profile that may compute none, or from
    `load_records` with the options. The quick profile is computed afresh, the other with `fresh`; a
    run that was interrupted goes on.
    """

    def __init__(self, profile="quick", *, read=None, jobs=1, fresh=False, **options):
        self.profile = profile
        self.jobs = jobs
        self.fresh = fresh
        self.outputs = build_dir() / "reproduce" / profile
        self._afresh = fresh or profile == "quick"
        options |= {"jobs": jobs, "fresh": self._afresh, "keep_open": True}
        self._read = read or partial(load_records, **options)
        self._done = {}
        self.reports = []

    def compute(self, artefact):
        """Compute what is missing and compare it with the print; a report without its notebook."""
        report = ArtefactReport(artefact)
        self.reports.append(report)
        for study in artefact.studies:
            if study not in self._done:
                self._done[study] = self._compute(study, report)
            found = self._done[study]
            if isinstance(found, Records):
                report.records[study.name] = found
            else:
                report.failures |= found
        if artefact.values is not None and not report.failures:
            gaps = bool(report.gaps["missing"])
            try:
                report.ledger = compare_records(
                    artefact, report.frames, self.profile, gaps=gaps
                )
            except (
                Exception,
                SystemExit,
            ) as error:  # in the print, or in reading off the records
                files = [
                    f"data/records/{artefact.paper}/{name}.csv"
                    for name in report.records
                ]
                what = " from ".join(filter(None, ["no verdicts", ", ".join(files)]))
                report.failures |= _failure(what, error)
        return report

    def _compute(self, study, report):
        """The records of a study, or what went wrong: the other artefacts go on."""
        start = time.monotonic()
        try:
            records = self._read(study, self.profile)
        except ClusterError:
            raise  # trying again for every study would take minutes
        except (
            Exception,
            SystemExit,
        ) as error:  # in the list of units, if it is none of ours
            report.computed += getattr(error, "computed", 0)
            return _failure(f"{study.paper}/{study.name}", error)
        report.computed += records.computed
        if 0 < records.computed == records.n_units:
            report.times.append(
                (study.name, records.computed, self.jobs, time.monotonic() - start)
            )
        return records

    @contextmanager
    def notebooks(self, *, in_place=False):
        """Two functions, to run notebooks beside what is computed, `jobs` of them at a time.

        The first starts the notebook of a report without failures, with the checked values of its
        parameters. The second waits for all, and gives the reports as the notebooks finish; a fresh
        run in place keeps their times, but for notebooks about all papers.
        """
        from companion.reproduction import notebooks, warm  # imports that take a second

        running = {}
        pictures = {"COMPANION_PICTURES": "few"} if self.profile == "quick" else {}
        run = partial(notebooks.run_notebook, in_place=in_place)

        def start(report, values):
            if not report.failures:
                output = self.outputs / f"{report.artefact.id}.ipynb"
                task = threads.submit(run, report.artefact, output, values)
                running[task] = report

        def finished():
            for done in as_completed(running):
                report = running[done]
                report.notebook = book = done.result()
                timed = in_place and self.fresh and report.artefact.paper
                if timed and not book.failure:
                    line = (NOTEBOOK, 1, 1, book.duration)
                    save_times(report.artefact, [*report.times, line])
                yield report

        # Threads, since each only waits for a kernel, a process of its own.
        n_threads = cpu_count() if self.jobs == -1 else self.jobs
        with (
            patch.dict(os.environ, pictures),  # which kernels take over
            ThreadPoolExecutor(n_threads) as threads,
        ):
            try:
                yield start, finished
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                while wait(running, timeout=0.2).not_done:
                    warm.stop_kernels()  # also those that were about to start
                raise

    def finish(self):
        """Say that the run came to its end, so that the next one computes afresh."""
        with suppress(StoreError):  # what cannot be noted is not computed again
            for study, found in self._done.items() if self._afresh else ():
                if isinstance(found, Records):
                    RecordStore(study, self.profile).end()

    def outcome(self):
        """Ledgers, gaps and failures of what was computed, as of `read_ledgers`."""
        return merged({r.artefact.id: r.outcome for r in self.reports})
