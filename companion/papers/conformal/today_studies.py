"""What someone with a rare class should do today, everything chosen on the training part alone.

A unit draws a training part with `imbalance` patterns of the common class to one of the rare one.
Folds within it choose, by g-means, C, the width and what a method has of its own: the threshold,
or which transformation. What a transformation finds on V by itself, its parameters and how often it
is applied, stays as in the thesis. The test part is untouched, and keeps all its rare patterns.
"""

from dataclasses import replace
from itertools import product

import numpy as np
from sklearn.metrics import average_precision_score

from companion import datasets
from companion.estimators import L2SVC
from companion.papers.conformal import problems
from companion.papers.conformal.g_means import g_means_above, halfway
from companion.papers.conformal.methods import CONFORMAL, SVM, Part
from companion.papers.conformal.problems import BOARD_NAME, PAPER, SIDE
from companion.papers.experiment import folds_of, random_split, split_rows
from companion.papers.summaries import counts
from companion.reproduction import study_over

#: N- / N+ of a training part, and the sets with the largest at which LEAST rare patterns remain.
IMBALANCES = (2, 5, 10, 20, 50)
REACH = dict.fromkeys(("Glass7", "Hepatitis", "Sonar", "Heart disease"), 5)
REACH |= {"Ionosphere": 10, "Breast cancer": 10, "Diabetis": 20, "German": 20}
REACH |= {"Segment1": 50, "Waveform": 50, BOARD_NAME: 50}

#: Share of a set for training, its fewest rare patterns, and its common ones where these suffice.
TRAINING = 0.7
LEAST = 15
COMMON = 150

#: The grid: C, and 2 sigma^2 by the number of columns; folds within the training part.
COSTS = (1.0, 30.0, 1000.0)
WIDTHS = (0.25, 1.0, 4.0)
FOLDS = 3

#: The methods: the machines that the folds choose from, and whether they move the threshold.
#: Others take C and width of the plain machine, for their cost, and TSVT-VMETA is left out for it.
BALANCED = "balanced weights"
TRANSFORMED = ("AMA", "ACT", "WIL", "MDT-JGRAD")
OTHERS = [name for name in CONFORMAL if name not in (*TRANSFORMED, "TSVT-VMETA")]
METHODS = {
    SVM: ([SVM], False),
    "threshold by CV": ([SVM], True),
    BALANCED: ([BALANCED], False),
    "balanced weights, threshold by CV": ([BALANCED], True),
    **{name: ([name], False) for name in TRANSFORMED},
    "best transformation": ([SVM, *TRANSFORMED], False),
    "best transformation, threshold by CV": ([SVM, *TRANSFORMED], True),
}


def sample(unit):
    """The split of a unit, standardised."""
    name = unit.params["dataset"]
    imbalance = unit.params["imbalance"]
    rng = unit.rng()
    if name == BOARD_NAME:
        X, y = datasets.checkers_board(2000, 2000, SIDE, rng)
    else:
        X, y = problems.load(name)
    part = random_split(X, y.astype(float), TRAINING, int(rng.integers(2**31)))
    rare = rng.permutation(np.flatnonzero(part.y > 0))
    common = rng.permutation(np.flatnonzero(part.y < 0))
    n_common = min(len(common), max(COMMON, LEAST * imbalance))
    n = min(len(rare), n_common // imbalance)
    rows = np.concatenate([rare[:n], common[: n * imbalance]])
    return replace(part, X=part.X[rows], y=part.y[rows]).standardised()


def decisions(problem, keys):
    """Decision values on the test part of a problem by key: a machine, its C and its width."""
    found = {}
    for C, width in sorted({key[1:] for key in keys}):
        part = Part(problem, C=C, width=width * problem.X.shape[1])
        for machine in (key[0] for key in keys if key[1:] == (C, width)):
            found[machine, C, width] = _decision(part, machine)
    return found


def _decision(part, machine):
    if machine != BALANCED:
        return part.decision_of(machine)
    weighted = L2SVC(C=part.shared.C, gamma=1.0 / part.width, class_weight="balanced")
    weighted.fit(part.problem.X, part.problem.y)
    return weighted.decision_function(part.problem.X_test)


def best_cut(decision, y, moved):
    """The g-means and the cut of a decision: at 0, or the best one halfway between two values."""
    cuts = halfway(decision) if moved else ()
    cuts = cuts if len(cuts) else np.zeros(1)
    values = g_means_above(decision, y, cuts)
    return values.max(), cuts[values.argmax()]


def precision(decision, y, imbalance):
    """Area under the precision-recall curve at `imbalance` common patterns to a rare one."""
    of_rare = np.sum(y < 0) / np.sum(y > 0) / imbalance
    weights = np.where(y > 0, of_rare, 1.0)
    return float(average_precision_score(y, decision, sample_weight=weights))


def compute_practice(unit):
    """All methods on the test part, each as cross-validation chooses it: a row a method."""
    identity = ("practice", *unit.params.values())
    imbalance = unit.params["imbalance"]
    problem = problems.problem_of(sample(unit), *identity)
    X = problem.X
    y = problem.y
    keys = list(product((SVM, BALANCED, *TRANSFORMED), COSTS, WIDTHS))
    tried = {key: np.empty(len(y)) for key in keys}
    for fold, rows in enumerate(folds_of(X, y, FOLDS, problem.seed)):
        inner = problems.problem_of(split_rows(X, y, *rows), *identity, fold)
        for key, f in decisions(inner, keys).items():
            tried[key][rows[1]] = f
    ranks = {key: precision(f, y, imbalance) for key, f in tried.items()}
    chosen = {}
    for name, (machines, moved) in METHODS.items():
        found = {
            key: best_cut(tried[key], y, moved) for key in keys if key[0] in machines
        }
        # among equals the one that ranks best
        key = max(found, key=lambda key: (found[key][0], ranks[key]))
        chosen[name] = key, found[key][1]
    _, C, width = chosen[SVM][0]
    chosen |= {name: ((name, C, width), 0.0) for name in OTHERS}
    found = decisions(problem, dict.fromkeys(key for key, _ in chosen.values()))
    plain = Part(problem, C=C, width=width * X.shape[1]).shared.whole
    support = round(float(np.mean(plain.alpha > 0)), 6)
    rows = []
    for name, (key, cut) in chosen.items():
        f = found[key]
        row = {"method": name, "machine": key[0], **counts(f - cut, problem.y_test)}
        row["precision"] = round(precision(f, problem.y_test, imbalance), 6)
        row["support"] = support
        rows.append(row)
    return rows


CASES = [(name, k) for name, most in REACH.items() for k in IMBALANCES if k <= most]
SETTINGS = {
    profile: [{"dataset": name, "imbalance": k} for name, k in cases]
    for profile, cases in (("paper", CASES), ("quick", [(BOARD_NAME, 10)]))
}
REPETITIONS = {"paper": 3, "quick": 2}
PRACTICE = study_over(
    PAPER,
    "practice",
    compute_practice,
    SETTINGS,
    problems.digest,
    partition=REPETITIONS,
)


def board_sample(imbalance, partition):
    """The split of a draw of the board on record."""
    identity = {"dataset": BOARD_NAME, "imbalance": imbalance, "partition": partition}
    units = PRACTICE.units("paper")
    return sample(next(unit for unit in units if unit.params == identity))
