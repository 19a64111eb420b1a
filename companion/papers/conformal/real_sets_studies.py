"""The studies behind Tables 6.2.1, 6.3.2 and 6.3.3: partitions of the real sets."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon
from sklearn.model_selection import train_test_split

from companion.papers.conformal import g_means, methods, problems
from companion.papers.conformal.methods import JUDGED, PRINTED, SVM, WITHOUT_V, Part
from companion.papers.conformal.problems import (
    PAPER,
    SETS,
    digest,
    in_box,
    study_of_sets,
)
from companion.papers.summaries import counts
from companion.reproduction import study_over

#: The partitions of each set: a printed yes or no, an asterisk or the answer of a test, can be rare
#: among fifty (``RARE_DRAW``), and among no fewer.
N_PARTITIONS = 50
#: Those of what takes longest, of which the others have the asterisk alone.
N_OF_COSTLIEST = 20
COSTLIEST = "TSVT-VMETA"

#: On how many partitions, the first ones, a method is run: the costliest and a search by
#: cross-validation on fewer, those that the thesis neither prints nor judges on two.
REPETITIONS = dict.fromkeys(methods.ALL, 2) | dict.fromkeys(JUDGED, N_PARTITIONS)
REPETITIONS |= dict.fromkeys((COSTLIEST, "threshold by CV"), N_OF_COSTLIEST)

#: All columns scaled to the bounds of the board, in ``data/readings.yaml``; TSVT is the costliest.
BOXED_READING = "inputs-in-the-box"
BOXED_REPETITIONS = {
    name: N_OF_COSTLIEST if name.startswith("TSVT") else N_PARTITIONS
    for name in PRINTED
}


def wilcoxon_p(difference):
    """p of the Wilcoxon signed-rank test of paired differences, 1 where there are none.

    Exact, ties included, for the few pairs of a partition; equal pairs are left out.
    """
    difference = np.asarray(difference)
    difference = difference[np.abs(difference) > 1e-12]
    if not difference.size:
        return 1.0
    if difference.size > 10:
        return wilcoxon(difference).pvalue
    # folds often differ by one pattern: tied ranks, for which SciPy has no exact distribution
    ranks = rankdata(np.round(np.abs(difference), 12))
    observed = abs(np.sign(difference) @ ranks)
    return np.mean(np.abs(_signs(difference.size) @ ranks) >= observed - 1e-9)


@cache
def _signs(n):
    """All ways to give n ranks a sign: a row each."""
    return np.array(list(product((-1.0, 1.0), repeat=n)))


def compute_folds(unit):
    """A partition of a real set: a row a fold and method; of the costliest perhaps its asterisk."""
    names = _methods_on(unit, REPETITIONS)
    marked = () if COSTLIEST in names else (COSTLIEST,)
    return rows_of_parts(problems.parts_of(unit), names, marked)


def _methods_on(unit, repetitions):
    """The methods that are run on the partition of a unit."""
    return [name for name, n in repetitions.items() if unit.params["partition"] <= n]


def rows_of_parts(parts, names, marked=()):
    """A row a fold and method."""
    return [
        {"fold": fold} | row
        for fold, problem in enumerate(parts)
        for row in methods.all_rows(problem, names, marked)
    ]


def compute_sizes(unit):
    """Sizes of a data set."""
    return sizes_of(*problems.load(unit.params["dataset"]))


def sizes_of(X, y):
    """What Table 6.2.1 has of a data set."""
    return {
        "n": len(y),
        "n_positive": int((y > 0).sum()),
        "n_negative": int((y < 0).sum()),
        "n_features": X.shape[1],
    }


def cells(frame, by):
    """Mean error over folds, its spread and the number of transformed folds, in rounded numbers."""
    frame = frame.assign(error=g_means.errors(frame), moved=frame.n_transformations > 0)
    table = frame.groupby(by, sort=False).agg(
        error=("error", "mean"),
        spread=("error", "std"),
        transformed=("moved", "sum"),
        converged=("converged", "all"),
    )
    return table.round(8).reset_index()


def _tested_cells(frame):
    """Cells of a partition, a row a method, with Wilcoxon's p against the SVM."""
    p = g_means.gaps(g_means.error_table(frame)).agg(wilcoxon_p).round(6)
    return cells(frame, "method").join(p.rename("p"), on="method").to_dict("records")


def compute_boxed(unit):
    """The methods with the inputs in a box: a row a method, with Wilcoxon's p against the SVM."""
    parts = [in_box(part, *problems.BOX) for part in problems.parts_of(unit)]
    frame = pd.DataFrame(rows_of_parts(parts, _methods_on(unit, BOXED_REPETITIONS)))
    return _tested_cells(frame)


FOLDS = study_of_sets("folds", compute_folds, N_PARTITIONS)
SIZES = study_over(PAPER, "sizes", compute_sizes, digest=digest, dataset=tuple(SETS))
# the large set takes as long as all others: another reading of it is tried once
BOXED = study_of_sets("boxed", compute_boxed, N_PARTITIONS, of_large=1)


# -- fifty more partitions ----------------------------------------------------------------------

#: What the tables print without an asterisk, but for TSVT on Segment1 and the costliest on Sonar,
#: which take minutes a partition.
WITHOUT_ASTERISK = {
    "Segment1": ("AMA", "ACT", "MDT-VMETA"),
    "Glass7": ("AMA", "ACT"),
    "Hepatitis": (
        "WIL",
        "MDT-JGRAD",
        "MDT-JMETA",
        "MDT-VMETA",
        "TSVT-JGRAD",
        "TSVT-JMETA",
    ),
    "Sonar": ("AMA", "ACT", "MDT-JMETA", "MDT-VMETA", "TSVT-JGRAD", "TSVT-JMETA"),
    "Heart disease": ("AMA",),
    "Ionosphere": ("ACT", "TSVT-JMETA"),
    "Breast cancer": ("WIL", "MDT-JGRAD"),
}
STANDARDISED = "standardised"
IN_BOX = "in the box"

#: A cause: where nothing is transformed, the machine that was trained without V is kept.
V_LEFT_OUT = ", V left out"
HALF_LEFT_OUT = "SVM without half"


def compute_partitions(unit):
    """What stands without an asterisk, and machines that lack V or a half: a row a method."""
    name = unit.params["dataset"]
    boxed = unit.params["inputs"] == IN_BOX
    parts = problems.parts_of(unit)
    parts = [in_box(part, *problems.BOX) for part in parts] if boxed else parts
    chosen = [m for m in WITHOUT_ASTERISK[name] if not (boxed and m.startswith("TSVT"))]
    frame = pd.DataFrame(rows_of_parts(parts, (SVM, WITHOUT_V, *chosen)))
    halves = [{"fold": fold} | _without_half(part) for fold, part in enumerate(parts)]
    every = pd.concat([frame, _with_V_left_out(frame), pd.DataFrame(halves)])
    return _tested_cells(every)


def _with_V_left_out(frame):
    """The records of conformal methods, with the machine without V where none transforms."""
    errors = ["missed", "false_alarms"]
    plain = frame.method.isin((SVM, WITHOUT_V))
    moved = frame[~plain].set_index("fold")
    without = frame[frame.method == WITHOUT_V].set_index("fold")[errors]
    idle = moved.n_transformations == 0
    moved.loc[idle, errors] = without.loc[moved.index[idle]].to_numpy()
    return moved.assign(method=moved.method + V_LEFT_OUT).reset_index()


def _without_half(problem):
    """The record of the plain machine trained on half of a training part."""
    part = Part(_with_half(problem))
    found = counts(part.plain_decision(whole=False), problem.y_test)
    return methods.plain_row(
        HALF_LEFT_OUT, found, converged=part.shared.first.converged
    )


def _with_half(problem):
    """The training part with half of it as V."""
    n = len(problem.y)
    rows = train_test_split(
        np.arange(n), test_size=0.5, stratify=problem.y, random_state=problem.seed
    )
    learn, validate = map(np.sort, rows)
    return replace(problem, learn=learn, validate=validate)


_MORE = [
    {"inputs": inputs, "dataset": name}
    for inputs in (STANDARDISED, IN_BOX)
    for name in WITHOUT_ASTERISK
    if (inputs, name) != (IN_BOX, problems.LARGE)
]
PARTITIONS = study_over(
    PAPER,
    "partitions",
    compute_partitions,
    {
        "paper": _MORE,
        "quick": [{"inputs": STANDARDISED, "dataset": name} for name in problems.SMALL],
    },
    digest,
    partition={"paper": range(N_PARTITIONS + 1, 101), "quick": (51,)},
)


# -- half of a training part as V -----------------------------------------------------------------

#: What is tried with it: what is quick, and where the print has no asterisk the search by V.
OF_HALVES = ("AMA", "ACT", "WIL", "MDT-JGRAD", "MDT-JMETA")
SEARCHED_BY_V = "MDT-VMETA"


def compute_halves(unit):
    """Methods with half of a training part as V, and without it where idle: a row a method."""
    name = unit.params["dataset"]
    known = WITHOUT_ASTERISK[name]
    chosen = [m for m in (*OF_HALVES, SEARCHED_BY_V) if m in (*OF_HALVES, *known)]
    parts = [_with_half(part) for part in problems.parts_of(unit)]
    frame = pd.DataFrame(rows_of_parts(parts, (SVM, WITHOUT_V, *chosen)))
    plain = frame[frame.method.isin((SVM, WITHOUT_V))]
    every = pd.concat([plain, _with_V_left_out(frame)])
    return _tested_cells(every)


HALVES = study_over(
    PAPER,
    "halves",
    compute_halves,
    {
        "paper": [{"dataset": name} for name in problems.NOT_LARGE],
        "quick": [{"dataset": name} for name in problems.SMALL],
    },
    digest,
    partition={"paper": range(151, 201), "quick": (151,)},
)
