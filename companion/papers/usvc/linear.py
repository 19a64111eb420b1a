"""Tables 2 and 4: linear machines on real data, each with its C by 5-fold cross-validation.

The cross products of least squares are formed once for all C; each unbiased machine starts at the
support vector machine of its C, as the text says.
"""

from __future__ import annotations

import numpy as np

from companion.losses import Unbiased
from companion.papers.usvc.machines import PAPER
from companion.papers.usvc.splits import BENCHMARK_SETS, MEDICAL_SETS, digest, split, wrong
from companion.reproduction import Study, Unit
from companion.solvers.wls import Design, least_squares_path, wls_path

C_VALUES = tuple(10.0**k for k in range(-3, 4))
MACHINES = ("LS", "SVMlight", "USVC")
LOSS = Unbiased(2.0)

#: The paper has 10 splits. More are run so that paired differences can be told from chance.
N_SPLITS = {"table_2": {"paper": 30, "quick": 3}, "table_4": {"paper": 100, "quick": 5}}

#: C at which directions are compared on separable data: large enough that no slack is left.
_HARD_C = 1e3


def paths(design, y, C_values=C_VALUES):
    """Every machine of a design along C.

    Parameters
    ----------
    design : Design
    y : ndarray of shape (n_samples,)
    C_values : sequence of float

    Returns
    -------
    dict of str to (ndarray of shape (n_C, n_columns + 1), list of bool)
        (w, b) of each machine, and whether each fit converged.
    """
    svc = wls_path(design, y, C_values)
    unbiased = wls_path(design, y, C_values, loss=LOSS, start=svc)
    found = {"LS": (np.array(least_squares_path(design, y, C_values)), [True] * len(C_values))}
    for name, machines in (("SVMlight", svc), ("USVC", unbiased)):
        points = np.array([np.append(m.w, m.intercept) for m in machines])
        found[name] = points, [m.converged for m in machines]
    return found


def search(part, C_values=C_VALUES):
    """Held-out errors of each machine and C over the folds.

    Parameters
    ----------
    part : Split
    C_values : sequence of float

    Returns
    -------
    dict of str to ndarray of shape (n_C,)
    converged : bool
    """
    design = Design.linear(part.X)
    total, converged = {name: np.zeros(len(C_values), dtype=int) for name in MACHINES}, True
    for rows, held_out in part.folds:
        test = design.augmented[held_out]
        for name, (points, flags) in paths(design.take(rows), part.y[rows], C_values).items():
            decision = test @ points.T
            total[name] += [wrong(values, part.y[held_out]) for values in decision.T]
            converged &= all(flags)
    return total, converged


def compute_split(unit):
    """Error of each machine on the test part: a row a machine."""
    dataset, number = unit.params["dataset"], unit.params["split"]
    part = split(dataset, number)
    held_out_errors, searched = search(part)
    design = Design.linear(part.X)
    test = Design.linear(part.X_test).augmented
    found = paths(design, part.y)
    rows = []
    for name in MACHINES:
        best = int(np.argmin(held_out_errors[name]))
        points, flags = found[name]
        rows.append(
            {
                "machine": name,
                "C": C_VALUES[best],
                "n_train": len(part.y),
                "n_test": len(part.y_test),
                "cv_wrong": int(held_out_errors[name][best]),
                "train_wrong": wrong(design.augmented @ points[best], part.y),
                "test_wrong": wrong(test @ points[best], part.y_test),
                "converged": searched and flags[best],
            }
        )
    for row in rows:
        row |= _on_separable_data(design, part, found)
    return rows


def _on_separable_data(design, part, found):
    """Whether the training part is separable, and how far from the SVC's the directions are."""
    at = C_VALUES.index(_HARD_C)
    svc = found["SVMlight"][0][at]
    separable = wrong(design.augmented @ svc, part.y) == 0
    return {"separable": separable} | {
        f"one_minus_cosine_{name}": round(_one_minus_cosine(found[name][0][at], svc), 6)
        for name in ("LS", "USVC")
    }


def _one_minus_cosine(first, second):
    w, v = first[:-1], second[:-1]
    return float(1.0 - w @ v / (np.linalg.norm(w) * np.linalg.norm(v)))


def _units(study, sets):
    def units(profile):
        """One unit a data set and split."""
        return [
            Unit(PAPER, study, {"dataset": dataset, "split": number}, digest(dataset))
            for dataset in sets
            for number in range(1, N_SPLITS[study][profile] + 1)
        ]

    return units


TABLE_2 = Study(PAPER, "table_2", _units("table_2", BENCHMARK_SETS), compute_split)
TABLE_4 = Study(PAPER, "table_4", _units("table_4", MEDICAL_SETS), compute_split)
