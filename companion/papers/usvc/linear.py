"""Linear machines on real data for Tables 2 and 4, each with its C by 5-fold cross-validation.

The cross products of least squares are formed once for all C; each unbiased machine starts at the
support vector machine of its C, as the text says.
"""

from functools import partial

import numpy as np

from companion.losses import Unbiased
from companion.papers.experiment import held_out_errors, wrong
from companion.papers.summaries import rounded
from companion.papers.usvc.splits import points_of, split
from companion.solvers.wls import Design, least_squares_path, wls, wls_path

C_VALUES = tuple(10.0**k for k in range(-3, 4))
MACHINES = ("LS", "SVMlight", "USVC")
LOSS = Unbiased(2.0)
LOSSES = {"USVC": LOSS}

#: C at which directions are compared with the SVC's: on separable data no slack is left.
_HARD_C = 1e3


def paths(design, y, C_values=C_VALUES, losses=LOSSES, needed=C_VALUES):
    """By machine: its (w, b) along C, a column each, and whether each fit converged.

    Where a C is not needed, the machine of a loss is the one that it would start at.
    """
    svc = wls_path(design, y, C_values)
    machines = {"SVMlight": svc}
    for name, loss in losses.items():
        machines[name] = [
            wls(design, y, C, loss=loss, start=start) if C in needed else start
            for C, start in zip(C_values, svc, strict=True)
        ]
    least_squares = np.transpose(least_squares_path(design, y, C_values))
    found = {"LS": (least_squares, [True] * len(C_values))}
    for name, fits in machines.items():
        found[name] = points_of(fits)
    return found


def compute_split(unit, losses=LOSSES):
    """Error of each machine on the test part, at its own C and at that of the SVC: a row each."""
    part = split(unit.params["dataset"], unit.params["split"])
    design = Design.linear(part.X)
    test = Design.linear(part.X_test).augmented
    cv_wrong, searched = held_out_errors(part, design, partial(paths, losses=losses))
    best = {name: np.argmin(errors) for name, errors in cv_wrong.items()}
    needed = {_HARD_C, *(C_VALUES[k] for k in best.values())}
    found = paths(design, part.y, losses=losses, needed=needed)
    hard = C_VALUES.index(_HARD_C)
    hard_svc = found["SVMlight"][0][:, hard]
    is_separable = wrong(design.augmented @ hard_svc, part.y) == 0
    rows = []
    for name, (points, flags) in found.items():
        k = best[name]
        point = points[:, k]
        at_svc_C = points[:, best["SVMlight"]]
        row = {
            "machine": name,
            "C": C_VALUES[k],
            "n_train": len(part.y),
            "n_test": len(part.y_test),
            "cv_wrong": cv_wrong[name][k],
            "train_wrong": wrong(design.augmented @ point, part.y),
            "test_wrong": wrong(test @ point, part.y_test),
            "test_wrong_at_svc_C": wrong(test @ at_svc_C, part.y_test),
            "converged": searched[name] and flags[k],
            "separable": is_separable,
            "one_minus_cosine": _one_minus_cosine(points[:, hard], hard_svc),
        }
        rows.append(rounded(row))
    return rows


def _one_minus_cosine(first, second):
    w = first[:-1]
    v = second[:-1]
    return 1.0 - w @ v / (np.linalg.norm(w) * np.linalg.norm(v))
