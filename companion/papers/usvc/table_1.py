"""Table 1: the linear machine on cases A and B, the plain iteration, and the order of the loss.

A trial draws 500 training and 500 test patterns, labels independent, and trains least squares, the
SVC and the unbiased machine. What the print leaves open is computed both ways: the start, and, in a
study of its own, the plain iteration with d = 0.2 beside the stably damped one.
"""

from __future__ import annotations

import numpy as np

from companion.papers.usvc.machines import (
    PAPER,
    READINGS,
    STARTS,
    C,
    fit,
    fit_unbiased,
    line,
    linear_error,
    sample,
    trial_units,
)
from companion.reproduction import Study
from companion.solvers.wls import least_squares_path

ORDERS = (2.0, 4.0)

#: Orders of the study of the order: its claim is insensitivity "as long as it is large enough".
ORDERS_COMPARED = (1.5, 2.0, 3.0, 4.0, 6.0, 10.0)

#: The readings that are tried: all but the printed one.
_TRIED = tuple(reading for reading in READINGS if reading != "A, as printed")


def compute_trial(unit):
    """Error and threshold of each machine: a row a machine and start."""
    trial = _Trial(unit)
    least = least_squares_path(trial.design, trial.train[1], [C])[0]
    svc = trial.svc()
    rows = [trial.row("LS", "", "exact", least), trial.row("SVC", "", "exact", svc)]
    for s in ORDERS:
        rows += [trial.unbiased(s, start, point, "stable") for start, point in _starts(svc)]
    return rows


def compute_plain(unit):
    """The same for the plain iteration with s = 4, which need not settle: a row a start."""
    trial = _Trial(unit)
    return [trial.unbiased(4.0, start, point, "plain") for start, point in _starts(trial.svc())]


def _starts(svc):
    return (("least_squares", "least_squares"), ("svc", svc))


class _Trial:
    """The patterns of a trial, and the rows of the machines that it trains."""

    def __init__(self, unit):
        self.reading, number = unit.params["reading"], unit.params["trial"]
        self.train, self.test = (sample(self.reading, part, number) for part in ("train", "test"))
        self.design = line(self.train[0])

    def svc(self):
        return fit(self.design, self.train[1], C)

    def unbiased(self, s, start, point, way):
        machine = fit_unbiased(self.design, self.train[1], s, point, plain=way == "plain")
        return self.row(f"USVC s={s:g}", start, way, machine)

    def row(self, name, start, way, machine):
        """The row of a fitted machine, or of (w, b)."""
        is_result = not isinstance(machine, np.ndarray)
        w, b = _line_of(machine) if is_result else machine
        return {
            "machine": name,
            "start": start,
            "way": way,
            "train_wrong": _wrong(w, b, *self.train),
            "test_wrong": _wrong(w, b, *self.test),
            "error": round(linear_error(self.reading, w, b), 6),
            "threshold": round(-b / w, 6),
            "w": round(float(w), 5),
            "n_iter": machine.n_iter if is_result else 0,
            "converged": machine.converged if is_result else True,
        }


def _line_of(machine):
    return machine.coef[0], machine.intercept


def _wrong(w, b, X, y):
    return int(np.count_nonzero(np.where(w * X[:, 0] + b > 0, 1.0, -1.0) != y))


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
        rows.append(
            {
                "s": s,
                "error": round(linear_error(reading, w, b), 6),
                "threshold": round(-b / w, 6),
                "n_iter": machine.n_iter,
                "converged": machine.converged,
            }
        )
    return rows


TABLE_1 = Study(PAPER, "table_1", trial_units("table_1", _TRIED), compute_trial)
TABLE_1_PLAIN = Study(PAPER, "table_1_plain", trial_units("table_1_plain", _TRIED), compute_plain)
TABLE_1_ORDER = Study(PAPER, "table_1_order", trial_units("table_1_order"), compute_orders)
