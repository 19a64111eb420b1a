"""Compile the solvers' loops once, so that the first run need not wait.

One unit of each study below is computed and thrown away, in two processes that take about as long.
They use the loops that quick runs need; the few others are compiled when they are first used. numba
keeps what it compiles, for as long as its sources stay as they are. What notebooks, the site and
the tests import is imported too, so that Python keeps its bytecode.
"""

import sys
from importlib import import_module
from itertools import chain
from multiprocessing import get_context

from companion.reproduction.artefacts import list_artefacts

#: By process, studies that bring loops that those before have not used, in the order of the papers.
STUDIES = (
    ("l1nsvm/table_1", "l1nsvm/fig_1", "l1nsvm/outliers", "gacv/approximation"),
    (
        "usvc/fig_1_losses",
        "usvc/table_1",
        "usvc/benefit_width",
        "wrsvm/beyond_truncation",
    )
    + ("conformal/statements", "conformal/scenes"),
)
#: Of notebooks, the site and the tests, beside what the studies import.
IMPORTED = (
    "companion.reproduction.warm",
    "companion.reproduction.notebooks",
    "companion.reproduction.regenerate",
    "companion.reproduction.pages",
    "distributed",
    "hypothesis",
    "ipykernel.kernelapp",
    "ipywidgets",
    "matplotlib.pyplot",
    "myst_nb",
    "nbval.plugin",
    "papermill",
    "pydata_sphinx_theme",
    "pytest",
    "sphinx.cmd.build",
    "sphinx.ext.autosummary",
)


def import_all(names):
    """Import these modules; return what went wrong."""
    faults = []
    for name in names:
        try:
            import_module(name)
        except ImportError as error:
            faults.append(f"{name}: {error}")
    return faults


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
        first, second = STUDIES
        tasks = [
            pool.apply_async(compile_for, (first,)),
            pool.apply_async(import_all, (IMPORTED,)),
            pool.apply_async(compile_for, (second,)),
        ]
        for fault in chain.from_iterable(task.get() for task in tasks):
            print(fault, file=sys.stderr)


if __name__ == "__main__":
    main()
