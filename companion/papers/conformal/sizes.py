"""Table 6.2.1: patterns of each class and inputs of the seven real sets."""

from __future__ import annotations

from companion.papers.conformal import problems
from companion.papers.conformal.problems import PAPER, SETS
from companion.reproduction import Study, Unit


def compute_sizes(unit):
    """Sizes of a data set."""
    X, y = problems.load(unit.params["dataset"])
    return {
        "n": len(y),
        "n_positive": int((y > 0).sum()),
        "n_negative": int((y < 0).sum()),
        "n_features": X.shape[1],
    }


def size_units(profile):
    """One unit a data set."""
    return [Unit(PAPER, "sizes", {"dataset": name}, problems.digest(name)) for name in SETS]


SIZES = Study(PAPER, "sizes", size_units, compute_sizes)
