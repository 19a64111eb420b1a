"""Iterations of SMO over the whole grid of (C, sigma), first- and second-order selection.

Two questions of the paper need them. Which settings can the printed iteration counts come from,
since the settings are not printed? And does the second-order selection of Section 5, the paper's
future work, help, and where?
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.kernels import gram
from companion.papers.l1nsvm.machines import EPSILON, MACHINES, PRINTED_NAMES, solve, width_to_gamma
from companion.papers.l1nsvm.table_2 import (
    LOG10_C_RANGE,
    LOG10_SIGMA_RANGE,
    PAPER,
    grid,
    split_rows,
    split_units,
)
from companion.reproduction import Study

SIZES = {
    "paper": {"splits": 10, "C_step": 0.1, "sigma_step": 0.2},
    "quick": {"splits": 2, "C_step": 0.5, "sigma_step": 1.0},
}
SELECTIONS = ("first", "second")


def iteration_units(profile):
    """One unit a data set and split, each for the whole grid."""
    return split_units("table_2_iterations", **SIZES[profile])


def compute_iterations(unit):
    """Iterations to the paper's stop, one row a machine and width, two columns for each C."""
    p = unit.params
    X, y, _, _ = split_rows(p["dataset"], p["split"], p["splits"])
    rows = []
    for log10_sigma in grid(LOG10_SIGMA_RANGE, p["sigma_step"]):
        K = gram(X, gamma=width_to_gamma(log10_sigma))
        for machine in MACHINES:
            row = {"machine": machine, "log10_sigma": log10_sigma, "converged": True}
            for log10_C in grid(LOG10_C_RANGE, p["C_step"]):
                for selection in SELECTIONS:
                    result = solve(
                        machine,
                        K,
                        y,
                        10.0**log10_C,
                        tol=2 * EPSILON,
                        selection=f"{selection}_order",
                        accelerate=False,
                    )
                    row[f"{selection}_C{log10_C:g}"] = result.n_iter
                    row["converged"] &= bool(result.converged)
            rows.append(row)
    return rows


def iterations_of(frame, dataset, machine, selection):
    """Iterations as an array, and the grid they stand on.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_2_iterations``.
    dataset, machine : str
    selection : {"first", "second"}

    Returns
    -------
    n_iter : ndarray of shape (n_splits, n_C, n_sigma)
    log10_C : ndarray of shape (n_C,)
    log10_sigma : ndarray of shape (n_sigma,)
    """
    rows = frame[(frame.dataset == dataset) & (frame.machine == machine)]
    rows = rows.sort_values(["split", "log10_sigma"])
    columns = [name for name in rows if name.startswith(f"{selection}_C")]
    log10_C = np.array([float(name.partition("_C")[2]) for name in columns])
    order = np.argsort(log10_C)
    n_splits = rows.split.nunique()
    n_iter = rows[columns].to_numpy(dtype=float)[:, order]
    return (
        n_iter.reshape(n_splits, -1, len(columns)).swapaxes(1, 2),
        log10_C[order],
        np.sort(rows.log10_sigma.unique()),
    )


def match_surface(frame, dataset, machine, printed):
    """Mean first-order iterations over the printed ones, as a table over the grid.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_2_iterations``.
    dataset : str
    machine : str
        A name of :data:`companion.papers.l1nsvm.machines.MACHINES`.
    printed : float
        Printed number of iterations.

    Returns
    -------
    DataFrame
        A row a log10 C, a column a log10 sigma.
    """
    n_iter, log10_C, log10_sigma = iterations_of(frame, dataset, machine, "first")
    return pd.DataFrame(n_iter.mean(axis=0) / printed, index=log10_C, columns=log10_sigma)


def ratio_surface(frame, dataset, machine):
    """Mean over the splits of second- over first-order iterations, over the grid.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_2_iterations``.
    dataset : str
    machine : str
        A name of :data:`companion.papers.l1nsvm.machines.MACHINES`.

    Returns
    -------
    DataFrame
        A row a log10 C, a column a log10 sigma.
    """
    first, log10_C, log10_sigma = iterations_of(frame, dataset, machine, "first")
    second, _, _ = iterations_of(frame, dataset, machine, "second")
    return pd.DataFrame((second / first).mean(axis=0), index=log10_C, columns=log10_sigma)


def ratio_table(frame):
    """How the second order does over the grid: a row a data set and machine.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_2_iterations``.

    Returns
    -------
    DataFrame
        Columns data set, machine, smallest, median and largest mean ratio of iterations over the
        grid, and the share of the grid where the second order takes more iterations.
    """
    rows = []
    for name, printed in PRINTED_NAMES.items():
        if not (frame.dataset == name).any():
            continue
        for machine in MACHINES:
            ratio = ratio_surface(frame, name, machine).to_numpy()
            rows.append(
                {
                    "data set": printed,
                    "machine": machine,
                    "smallest": ratio.min(),
                    "median": float(np.median(ratio)),
                    "largest": ratio.max(),
                    "share above 1": float((ratio > 1).mean()),
                }
            )
    return pd.DataFrame(rows)


TABLE_2_ITERATIONS = Study(PAPER, "table_2_iterations", iteration_units, compute_iterations)
