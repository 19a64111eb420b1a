"""The units of f and of the multipliers: those of the convex hulls, or those of the SVM.

The thesis trains in convex-hull units, where multipliers sum to one in each class and f is of the
size of |w|^2, far below 1. Its kappa of Williams, its c of Amari and the start of CMA-ES at .5
depend on this choice; in the units of the SVM f is -1 and 1 at the margins.
"""

from __future__ import annotations

from companion.papers.conformal import problems
from companion.papers.conformal.experiments import CONFORMAL, Part
from companion.papers.conformal.problems import PAPER, SETS
from companion.papers.conformal.studies import BOARD_NAME, LARGE
from companion.papers.summaries import counts
from companion.reproduction import Study, Unit
from companion.solvers.transformations import RULES

METHODS = ("AMA", "WIL", "MDT-JGRAD", "MDT-JMETA", "MDT-VMETA")
N_REPEATS = {"paper": 5, "quick": 1}


def compute_units(unit):
    """Methods in both units on the same training parts: a row a fold, method and unit."""
    name, number = unit.params["dataset"], unit.params["partition"]
    parts = [problems.board(number)] if name == BOARD_NAME else problems.folds(name, number)
    rows = []
    for fold, problem in enumerate(parts):
        part = Part(problem)
        for method in METHODS:
            transform, search = CONFORMAL[method]
            for units in ("hull", "svm"):
                result = part.transformed(RULES[transform](units=units), search)
                rows.append(
                    {
                        "fold": fold,
                        "method": method,
                        "units": units,
                        **counts(part.decision(result), problem.y_test),
                        "n_transformations": result.n_transforms,
                        "degenerate": result.is_degenerate,
                    }
                )
    return rows


def unit_units(profile):
    """One unit a data set, or the board, and partition or draw."""
    names = [BOARD_NAME, *(name for name in SETS if profile == "paper" or name not in LARGE)]
    return [
        Unit(
            PAPER,
            "units",
            {"dataset": name, "partition": k},
            "" if name == BOARD_NAME else problems.digest(name),
        )
        for name in names
        for k in range(1, N_REPEATS[profile] + 1)
    ]


UNITS = Study(PAPER, "units", unit_units, compute_units)
