"""Iterations of SMO over the whole grid of (C, sigma), first- and second-order selection.

Two questions of the paper need them. Which settings can the printed iteration counts come from,
since the settings are not printed? And does the second-order selection of Section 5, the paper's
future work, help, and where?
"""

import numpy as np

from companion.kernels import gram
from companion.metrics import mean_and_standard_error
from companion.papers.l1nsvm.machines import MACHINES, PAPER, solve_as_printed, width_to_gamma
from companion.papers.l1nsvm.protocol import (
    LOG10_C_RANGE,
    LOG10_SIGMA_RANGE,
    grid,
    row_a_machine,
    split_rows,
    split_units,
)
from companion.papers.summaries import select
from companion.reproduction import Study

SIZES = {
    "paper": {"splits": 10, "C_step": 0.1, "sigma_step": 0.2},
    "quick": {"splits": 2, "C_step": 0.5, "sigma_step": 1.0},
}


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
                for order in ("first", "second"):
                    C, selection = 10.0**log10_C, f"{order}_order"
                    result = solve_as_printed(machine, K, y, C, selection=selection)
                    row[f"{order}_C{log10_C:g}"] = result.n_iter
                    row["converged"] &= bool(result.converged)
            rows.append(row)
    return rows


TABLE_2_ITERATIONS = Study(PAPER, "table_2_iterations", iteration_units, compute_iterations)


def iterations_of(frame, dataset, machine, selection):
    """Iterations, shape (splits, C, sigma), and the log10 C and log10 sigma they stand on."""
    rows = select(frame, dataset=dataset, machine=machine).sort_values(["split", "log10_sigma"])
    names = [name for name in rows if name.startswith(f"{selection}_C")]
    columns = {float(name.partition("_C")[2]): name for name in names}
    log10_C, log10_sigma = sorted(columns), np.sort(rows.log10_sigma.unique())
    n_iter = rows[[columns[c] for c in log10_C]].to_numpy(dtype=float)
    n_iter = n_iter.reshape(rows.split.nunique(), len(log10_sigma), len(log10_C))
    return n_iter.swapaxes(1, 2), np.array(log10_C), log10_sigma


def match_surface(frame, dataset, machine, printed):
    """Mean first-order iterations over the printed ones, a table by log10 C and log10 sigma."""
    import pandas as pd

    n_iter, log10_C, log10_sigma = iterations_of(frame, dataset, machine, "first")
    return pd.DataFrame(n_iter.mean(axis=0) / printed, index=log10_C, columns=log10_sigma)


def ratio_surface(frame, dataset, machine):
    """Mean over the splits of second- over first-order iterations, as `match_surface`."""
    import pandas as pd

    first, log10_C, log10_sigma = iterations_of(frame, dataset, machine, "first")
    second, _, _ = iterations_of(frame, dataset, machine, "second")
    return pd.DataFrame((second / first).mean(axis=0), index=log10_C, columns=log10_sigma)


def ratio_table(frame):
    """How the second order does over the grid, the mean ratios of iterations."""

    def row(name, machine):
        ratio = ratio_surface(frame, name, machine).to_numpy()
        ends = {"smallest": ratio.min(), "median": np.median(ratio), "largest": ratio.max()}
        return {**ends, "share above 1": (ratio > 1).mean()}

    return row_a_machine(frame, MACHINES, row)


def worst_second_order(frame, machine):
    """The grid point at which the second order helps least, tested on other splits.

    The point is picked on the odd splits and its ratio measured on the even ones, so that picking
    the largest of many does not make it large.
    """
    worst = None
    for name in frame.dataset.unique():
        first, _, _ = iterations_of(frame, name, machine, "first")
        second, _, _ = iterations_of(frame, name, machine, "second")
        ratio = second / first
        picked = ratio[::2].mean(axis=0)
        if worst is None or picked.max() > worst[0]:
            where = np.unravel_index(np.argmax(picked), picked.shape)
            worst = picked.max(), ratio[1::2][(slice(None), *where)]
    return mean_and_standard_error(worst[1])
