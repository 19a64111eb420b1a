"""Linear machines on real data for Tables 2 and 4, each with its C by 5-fold cross-validation.

The cross products of least squares are formed once for all C; each unbiased machine starts at the
support vector machine of its C, as the text says.
"""

import numpy as np

from companion.losses import Unbiased
from companion.papers.summaries import present
from companion.papers.usvc.paired_errors import add_comparison, by_machine
from companion.papers.usvc.splits import split, wrong
from companion.solvers.wls import Design, least_squares_path, wls_path

C_VALUES = tuple(10.0**k for k in range(-3, 4))
MACHINES = ("LS", "SVMlight", "USVC")
LOSS = Unbiased(2.0)

#: C at which directions are compared on separable data: large enough that no slack is left.
_HARD_C = 1e3


def paths(design, y, C_values=C_VALUES):
    """By machine: its (w, b) along C, a row each, and whether each fit converged."""
    svc = wls_path(design, y, C_values)
    unbiased = wls_path(design, y, C_values, loss=LOSS, start=svc)
    found = {"LS": (np.array(least_squares_path(design, y, C_values)), [True] * len(C_values))}
    for name, machines in (("SVMlight", svc), ("USVC", unbiased)):
        points = np.array([np.append(m.w, m.intercept) for m in machines])
        found[name] = points, [m.converged for m in machines]
    return found


def search(part, C_values=C_VALUES):
    """Numbers of held-out errors along C by machine, and whether all fits converged."""
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
    part = split(unit.params["dataset"], unit.params["split"])
    held_out_errors, searched = search(part)
    design = Design.linear(part.X)
    test = Design.linear(part.X_test).augmented
    found = paths(design, part.y)
    rows = []
    for name in MACHINES:
        best = int(np.argmin(held_out_errors[name]))
        points, flags = found[name]
        row = {
            "machine": name,
            "C": C_VALUES[best],
            "n_train": len(part.y),
            "n_test": len(part.y_test),
            "cv_wrong": int(held_out_errors[name][best]),
            "train_wrong": wrong(design.augmented @ points[best], part.y),
            "test_wrong": wrong(test @ points[best], part.y_test),
            "converged": searched and flags[best],
        }
        rows.append(row | _on_separable_data(design, part, found))
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


def add_errors(out, frame, names):
    """The printed errors on the sets that have records, and the claim about each of them."""
    for name in present(frame, names):
        machines = by_machine(frame, name)
        for machine in MACHINES:
            rows = machines[machine]
            out.add_cell(name, machine, rows.error, rows.converged.all())
        add_comparison(out, name, machines)
