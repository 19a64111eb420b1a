"""Whether logistic regression is as good, and where to truncate.

Logistic regression is trained, tuned and tested on the samples of Table 1, beside its machines.
Places of truncation are tried on its training and tuning samples, on labels with and without flips,
with every second C; what they give is judged by its expected utility (:mod:`.population`).
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from companion.metrics import mean_and_standard_error
from companion.papers.summaries import mean_text, one_of, range_text, select
from companion.papers.wrsvm import examples, population, simulation
from companion.papers.wrsvm.examples import FLIP, SPARSE_C, TOL, S
from companion.papers.wrsvm.simulation import gain, setting_name, with_setting
from companion.papers.wrsvm.table_1 import TABLE_1
from companion.solvers import Design, dca_path

#: Places of truncation, by what they are called; None is the weighted SVM.
TRUNCATIONS = {"none": None, "s = -1": -1.0, "s = -1/2": S, "s = 0": 0.0}
_ROBUST = "s = -1/2"
_OTHER_START = "s = -1/2, unweighted start"
_FLIPS = (0.0, FLIP)
#: (number, a) of (16) for truncation on the samples of Table 1.
SETTINGS = [
    {"config": number, "a": size}
    for number, size in ((1, 0.0), (2, 0.4), (3, 0.4), (2, 0.6))
]
#: By their words, the share of labels that is flipped.
LABELS = {"flipped labels": FLIP, "clean labels": 0.0}
N_SAMPLES = {"paper": 40, "quick": 2}

#: C of scikit-learn's logistic regression, which is chosen on the tuning sample, too.
_LOGISTIC_C = tuple(10.0**k for k in range(-3, 3))

# -- truncation, start ----------------------------------------------------------------------


def compute_truncation(unit):
    """Expected utility for each place of truncation, and from the other start: a row each."""
    p = unit.params
    U = examples.utility(p["config"], p["a"])
    (X, y), tune = population.samples(p["sample"], p["flip"])
    design = Design.linear(X)
    paths = {}
    for name, s in list(TRUNCATIONS.items())[1:]:
        convex, found = dca_path(design, y, U, SPARSE_C, s, tol=TOL)
        paths.setdefault("none", convex)
        paths[name] = found
    if p["flip"]:
        _, other = dca_path(design, y, U, SPARSE_C, S, start="unweighted", tol=TOL)
        paths[_OTHER_START] = other
    return _tuned_rows(paths, tune, U, p["flip"])


def _tuned_rows(paths, tune, U, flip):
    """What the best machine of each path is worth: a row each."""
    rows = []
    for name, path in paths.items():
        machine, utility = population.tuned_linear(path, *tune, U, flip)
        row = {"machine": name, "log2_C": machine.log2_C, "utility": utility}
        rows.append(row | {"converged": path.converged.all()})
    return rows


# -- baselines ------------------------------------------------------------------------------


def compute_baselines(unit):
    """Logistic regression, whose decisions weigh U, on a repetition of Table 1: a row a matrix."""
    train, tune, (X, y) = simulation.samples("table_1", unit.params["sample"])
    machines = [LogisticRegression(C=C).fit(*train) for C in _LOGISTIC_C]
    rows = []
    for config, a in simulation.CELLS["table_1"]:
        U = examples.utility(config, a)
        utility = examples.mean_utility(U, y, _best_logistic(machines, tune, X, U))
        rows.append({"config": config, "a": a, "test": round(utility, 8)})
    return rows


def _best_logistic(machines, tune, X_test, U):
    """What the machine of the C that is best on the tuning sample decides by expected utility."""
    X, y = tune
    decided = [examples.bayes(machine.predict_proba(X), U) for machine in machines]
    best = np.argmax([examples.mean_utility(U, y, predicted) for predicted in decided])
    return examples.bayes(machines[best].predict_proba(X_test), U)


BEYOND_TRUNCATION = examples.study(
    "beyond_truncation", compute_truncation, SETTINGS, flip=_FLIPS, sample=N_SAMPLES
)
BEYOND_BASELINES = examples.study(
    "beyond_baselines", compute_baselines, sample=simulation.N_SAMPLES
)
STUDIES = (BEYOND_TRUNCATION, BEYOND_BASELINES, TABLE_1)


def _add_truncation(out, frame):
    """What the text says of truncation, and for U = I, as in the print, of its place."""
    for U, rows in with_setting(frame).groupby("U"):
        asked = [("none", "flipped labels")]
        if U == "U = I":
            asked += [
                (other, words) for other in ("s = 0", "s = -1") for words in LABELS
            ]
            start = gain(rows, _ROBUST, _OTHER_START, flip=FLIP)
            out.add_mean(U, "own start - unweighted start (points)", start)
        for other, words in asked:
            gained = gain(rows, _ROBUST, other, flip=LABELS[words])
            out.add_mean(U, f"{_ROBUST} - {other}, {words} (points)", gained)


def _add_regression(out, baselines, machines):
    """How far the WRSVM is behind and ahead, in the cells of Table 1 where it is most so."""
    records = {"beyond_baselines": baselines, "table_1": machines}
    gaps = against(records).values()
    for word, pick in (("least", min), ("largest", max)):
        column = f"WRSVM - logistic regression, {word} of the cells (points)"
        found = pick(gaps, key=lambda gap: gap.mean)
        out.add_mean("13 cells of Table 1", column, one_of(found, len(gaps)))


VALUES = (
    (_add_truncation, "beyond_truncation"),
    (_add_regression, "beyond_baselines", "table_1"),
)


# -- what the notebook says -----------------------------------------------------------------


def gains_table(frame):
    """What each truncation gains over none, flipped labels and clean ones: a row a setting."""
    rows = []
    for U, part in with_setting(frame).groupby("U", sort=False):
        for machine in list(TRUNCATIONS)[1:]:
            row = {"name": f"{U}, {machine}", "U": U, "machine": machine}
            for words, flip in LABELS.items():
                row[words] = gain(part, machine, "none", flip=flip)
            rows.append(row)
    return pd.DataFrame(rows)


def against(records, machine="WRSVM"):
    """Utility x 100 of a machine of Table 1 less that of logistic regression, a mean a cell."""
    cell = ["config", "a", "sample"]
    regression = records["beyond_baselines"].set_index(cell).test
    ours = select(records["table_1"], machine=machine).set_index(cell).test
    gaps = (100 * (ours - regression)).dropna()
    return {
        setting_name(*at): mean_and_standard_error(of)
        for at, of in gaps.groupby(["config", "a"])
    }


def what_came_out(run):
    """How the machine does beside logistic regression, and what truncation gains, in sentences."""
    gaps = []
    for of in ("WRSVM", "WRSVM, unweighted start"):
        cells = against(run.records, of).values()
        n = max(gap.n for gap in cells)
        gaps.append(
            f"{range_text([gap.mean for gap in cells], '+.2f')} points ({n} samples)"
        )
    table = gains_table(run.records["beyond_truncation"])
    gains = [
        f"{mean_text(row['flipped labels'])} and {mean_text(row['clean labels'])} under {row['U']}"
        for row in select(table, machine=_ROBUST).to_dict("records")
    ]
    return (
        "The utility of the WRSVM less that of logistic regression, which weighs its decisions by"
        f" U, is {gaps[0]} in the 13 cells of Table 1; started at the SVM that ignores U it"
        f" is {gaps[1]}. With {100 * FLIP:.0f} % of the labels wrong and with none, truncation at"
        f" s = -1/2 gains {', '.join(gains)} (points of utility)."
    )
