"""Table 1: the linear machine on cases A and B, and the order of the loss.

A trial draws 500 training and 500 test patterns, labels independent, and trains least squares, the
SVC and the unbiased machine. What the print leaves open is computed both ways: the start, and
whether the plain iteration with d = 0.2 or the stably damped one is run.
"""

from __future__ import annotations

import numpy as np

from companion.papers.base import Study, Unit
from companion.papers.usvc.machines import (
    CODE,
    PAPER,
    READINGS,
    STARTS,
    TABLE_READINGS,
    TRIALS,
    C,
    fit,
    fit_unbiased,
    line,
    linear_error,
    sample,
)
from companion.solvers.wls import least_squares_path

ORDERS = (2.0, 4.0)

#: Orders of the study of the order: its claim is insensitivity "as long as it is large enough".
ORDERS_COMPARED = (1.5, 2.0, 3.0, 4.0, 6.0, 10.0)


def trial_units(profile):
    """One unit a reading and trial."""
    return [
        Unit(PAPER, "table_1", {"reading": reading, "trial": trial})
        for reading in READINGS if reading != "A, as printed"
        for trial in range(1, TRIALS[profile] + 1)
    ]


def compute_trial(unit):
    """Error and threshold of each machine: a row a machine, start and way to iterate."""
    reading, trial = unit.params["reading"], unit.params["trial"]
    X, y = sample(reading, "train", trial)
    test = sample(reading, "test", trial)
    design = line(X)
    least = least_squares_path(design, y, [C])[0]
    rows = [_row(reading, "LS", "", "exact", *least, (X, y), test)]
    svc = fit(design, y, C)
    rows.append(_row(reading, "SVC", "", "exact", *_line_of(svc), (X, y), test, svc))
    for s in ORDERS:
        for start, point in (("least_squares", "least_squares"), ("svc", svc)):
            for way in ("stable", "plain") if s > 3 else ("stable",):
                machine = fit_unbiased(design, y, s, point, plain=way == "plain")
                rows.append(_row(reading, f"USVC s={s:g}", start, way, *_line_of(machine), (X, y),
                                 test, machine))
    return rows


def _line_of(machine):
    return machine.coef[0], machine.intercept


def _row(reading, machine, start, way, w, b, train, test, result=None):
    return {
        "machine": machine,
        "start": start,
        "way": way,
        "train_wrong": _wrong(w, b, *train),
        "test_wrong": _wrong(w, b, *test),
        "error": round(linear_error(reading, w, b), 6),
        "threshold": round(-b / w, 6),
        "w": round(float(w), 5),
        "n_iter": 0 if result is None else result.n_iter,
        "converged": True if result is None else result.converged,
    }


def _wrong(w, b, X, y):
    return int(np.count_nonzero(np.where(w * X[:, 0] + b > 0, 1.0, -1.0) != y))


def order_units(profile):
    """One unit a case and trial."""
    return [
        Unit(PAPER, "table_1_order", {"reading": reading, "trial": trial})
        for reading in TABLE_READINGS.values()
        for trial in range(1, TRIALS[profile] + 1)
    ]


def compute_orders(unit):
    """Closed-form error of the unbiased machine for each order: a row an order."""
    reading, trial = unit.params["reading"], unit.params["trial"]
    X, y = sample(reading, "train", trial)
    design = line(X)
    start = STARTS[READINGS[reading][0]]
    if start == "svc":
        start = fit(design, y, C)
    rows = []
    for s in ORDERS_COMPARED:
        machine = fit_unbiased(design, y, s, start)
        w, b = _line_of(machine)
        rows.append({
            "s": s,
            "error": round(linear_error(reading, w, b), 6),
            "threshold": round(-b / w, 6),
            "n_iter": machine.n_iter,
            "converged": machine.converged,
        })
    return rows


TABLE = Study(PAPER, "table_1", trial_units, compute_trial,
              ("companion.papers.usvc.table_1", *CODE))
ORDER = Study(PAPER, "table_1_order", order_units, compute_orders,
              ("companion.papers.usvc.table_1", *CODE))
