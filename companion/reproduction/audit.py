"""An audit: units on record drawn at random, computed anew, and what follows for all of them."""

import os
import platform
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from math import floor, log10
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from companion.reproduction.artefacts import list_papers
from companion.reproduction.codehash import code_digest
from companion.reproduction.records import cell
from companion.reproduction.run import progress_bar
from companion.reproduction.store import RecordStore
from companion.reproduction.workers import in_processes, run_unit

#: What is said of all units is right with this probability, whichever are wrong.
CONFIDENCE = 0.95
#: Whose versions belong to a result.
_DISTRIBUTIONS = ("svm-companion", "numpy", "scipy", "scikit-learn", "numba")


class Finding(NamedTuple):
    """A unit drawn, what became of it, and where it is not as it was.

    `verdict` is "agrees", "differs", "chaotic" (it differs, as its paper says that it may), or why
    it could not be computed: "missing", "damaged", "failed". `places` has a text each.
    """

    unit: object
    verdict: str
    places: tuple


class Audit(NamedTuple):
    """The findings of all units drawn, of how many there are on record, and the seed."""

    findings: list
    n_recorded: int
    seed: int

    def of(self, *verdicts):
        """The findings with one of these verdicts."""
        return [found for found in self.findings if found.verdict in verdicts]

    @property
    def at_most(self):
        """The largest share of all units that may differ, by the bound of Clopper and Pearson."""
        differing = len(self.of("differs"))
        agreeing = len(self.of("agrees"))
        return beta.ppf(CONFIDENCE, differing + 1, agreeing) if agreeing else 1.0

    def sentence(self):
        """What came out, for all units."""
        agreeing = len(self.of("agrees"))
        compared = agreeing + len(self.of("differs"))
        left_out = len(self.findings) - compared
        text = (
            f"{agreeing} of {compared} agree; with {100 * CONFIDENCE:.0f} % confidence at most "
            f"{100 * self.at_most:.1f} % of the {self.n_recorded:,} records are wrong."
        )
        if left_out:
            text += (
                f" Of {left_out} more that were drawn, and their like, nothing is said."
            )
        return text

    def to_dict(self):
        """The result as plain data, with the machine and the versions it was had with."""
        return {
            "sentence": self.sentence(),
            "recorded": self.n_recorded,
            "seed": self.seed,
            "confidence": CONFIDENCE,
            "at_most": self.at_most,
            "units": [
                {
                    "unit": str(found.unit),
                    "verdict": found.verdict,
                    "places": [*found.places],
                }
                for found in self.findings
            ],
            "machine": {
                "system": platform.platform(),
                "processor": platform.machine(),
                "cores": os.cpu_count(),
            },
            "versions": {
                "python": platform.python_version(),
                **{name: version(name) for name in _DISTRIBUTIONS},
            },
        }


def audit(artefacts, n_units, seed, jobs=1):
    """Compute units that are on record anew, drawn from all of them with equal probability.

    Parameters
    ----------
    artefacts : sequence of Artefact
        Whose studies.
    n_units : int
        How many; all of them if there are no more.
    seed : int
        Of the draw.
    jobs : int, default=1
        Processes.

    Returns
    -------
    Audit
    """
    studies = {study: None for artefact in artefacts for study in artefact.studies}
    stores = [RecordStore(study) for study in studies]
    recorded = [
        (store, unit, record.rows)
        for store, found in ((store, store.records()) for store in stores)
        for cells, record in found.items()
        if (unit := store.units.get(cells))
    ]
    rng = np.random.default_rng(seed)
    size = min(n_units, len(recorded))
    drawn = sorted(rng.choice(len(recorded), size, replace=False))
    chosen = {recorded[k][1]: recorded[k] for k in drawn}
    computes = {store.name: store.study.compute for store in stores}
    bar = progress_bar(size, "audit")
    with ExitStack() as stack:
        stack.enter_context(bar)
        run = partial(_run, computes)
        computed = {}
        for unit, kind, content in in_processes(stack, run, [*chosen], jobs):
            computed[unit] = kind, content
            bar.update()
    papers = list_papers()
    findings = [
        _finding(chosen[unit], *computed[unit], papers.get(unit.paper))
        for unit in chosen
    ]
    return Audit(findings, len(recorded), seed)


def _run(computes, unit, parent):
    """Compute a unit in a worker, by the function of its study."""
    compute = computes[f"{unit.paper}/{unit.study}"]
    return run_unit(compute, unit, code_digest(compute), parent)


def _finding(chosen, kind, content, paper):
    """Compare what a unit gave with its rows on record."""
    store, unit, recorded = chosen
    if kind != "rows":
        return Finding(unit, kind, (content,))
    digits = store.study.digits
    timings = paper.timings if paper else ()
    if len(content) != len(recorded):
        places = [f"{len(recorded)} rows on record, {len(content)} now"]
    else:
        places = [
            f"{name} is {old[name] or 'empty'} on record, {now or 'empty'} now"
            for row, old in zip(content, recorded, strict=True)
            for name in sorted(old.keys() - unit.params.keys() - {*timings})
            if not _alike(now := cell(row.get(name), digits), old[name], digits)
        ]
    differing = "chaotic" if paper and unit.study in paper.chaotic else "differs"
    return Finding(unit, differing if places else "agrees", tuple(places))


def _alike(now, recorded, digits):
    """Whether two cells are the same, or floats that rounding to so many digits may tell apart."""
    if now == recorded:
        return True
    if not {".", "e"} & {*now} & {*recorded}:
        return False
    try:
        now, recorded = float(now), float(recorded)
    except ValueError:
        return False
    size = max(abs(now), abs(recorded))
    return abs(now - recorded) < 1.01 * 10.0 ** (floor(log10(size)) + 1 - digits)
