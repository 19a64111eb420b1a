"""Compile the solvers' loops once and read all records, so that the first run need not wait.

One unit of every study that needs no data file is computed and thrown away, in two processes: two
papers with loops of their own in one, the others in the other. numba keeps what it compiles
beside the sources; what a changed source has a part in is compiled again, when it is
used. What is read of the committed tables is kept in the cache folder.
"""

import sys
from itertools import chain
from multiprocessing import get_context

from companion.reproduction.artefacts import list_artefacts, list_papers
from companion.reproduction.reproduce import read_ledgers

ALONE = ("wrsvm", "conformal")


def compile_for(papers):
    """Compute the first unit of every study of these papers; return what went wrong."""
    from companion.reproduction.workers import run_unit

    faults, done = [], set()
    for study in (study for key in papers for a in list_artefacts(key) for study in a.studies):
        unit = next((unit for unit in study.units("quick") if not unit.data), None)
        if unit is not None and (study.paper, study.name) not in done:
            done.add((study.paper, study.name))
            _, kind, content = run_unit(study.compute, unit)
            if kind == "failed":
                faults.append(f"{unit}: {content}")
    return faults


def main():
    """Compile, say what could not be, and read."""
    groups = [ALONE, [key for key in list_papers() if key not in ALONE]]
    with get_context("spawn").Pool(len(groups)) as pool:
        for fault in chain.from_iterable(pool.map(compile_for, groups)):
            print(fault, file=sys.stderr)
    read_ledgers(list_artefacts())


if __name__ == "__main__":
    main()
