"""Compile the solvers' loops once, so that the first run need not wait.

One unit of each study below is computed and thrown away, in two processes that take about as long.
They use the loops that quick runs need; the few others are compiled when they are first used. numba
keeps what it compiles, for as long as its sources stay as they are.
"""

import sys
from itertools import chain
from multiprocessing import get_context

from companion.reproduction.artefacts import list_artefacts

#: By process, studies that bring loops that those before have not used, in the order of the papers.
STUDIES = (
    ("l1nsvm/table_1", "l1nsvm/fig_1", "l1nsvm/fig_1_leverage", "gacv/approximation"),
    (
        "usvc/fig_1_losses",
        "usvc/table_1",
        "usvc/benefit_width",
        "wrsvm/beyond_truncation",
    )
    + ("conformal/statements", "conformal/scenes"),
)


def compile_for(names):
    """Compute the first unit of every one of these studies; return what went wrong."""
    from companion.reproduction.workers import run_unit

    studies = {
        f"{own.paper}/{own.name}": own for a in list_artefacts() for own in a.studies
    }
    faults = []
    for name in names:
        unit = studies[name].units("quick")[0]
        _, kind, content = run_unit(studies[name].compute, unit)
        if kind != "rows":
            faults.append(f"{unit}: {content}")
    return faults


def main():
    """Compile, and say what could not be."""
    with get_context("spawn").Pool(len(STUDIES)) as pool:
        for fault in chain.from_iterable(pool.map(compile_for, STUDIES)):
            print(fault, file=sys.stderr)


if __name__ == "__main__":
    main()
