"""Summaries of the records that the notebooks show beside the printed tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.l1nsvm.fig_1 import RULES
from companion.papers.l1nsvm.machines import EPSILON, MACHINES, PRINTED_NAMES
from companion.papers.l1nsvm.values import (
    chosen_setting,
    errors_at,
    printed_runs,
    tuned_on_training_rows,
)
from companion.papers.summaries import present

__all__ = [
    "influence_curves",
    "rotation_table",
    "second_order_table",
    "stopping_table",
    "tuning_marks",
    "tuning_table",
]


def stopping_table(frame, published):
    """Mean iterations with both readings of the stopping rule beside the printed ones.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_2``.
    published : DataFrame
        Ledger or published values of the artefact.

    Returns
    -------
    DataFrame
        A row a data set and machine.
    """
    printed = published.set_index(["row", "column"])["published"]
    rows = []
    for name in present(frame, PRINTED_NAMES):
        part = frame[frame.dataset == name]
        for machine in ("LS", "Least 1-Norm"):
            rows.append(
                {
                    "data set": PRINTED_NAMES[name],
                    "machine": machine,
                    "printed": printed[PRINTED_NAMES[name], f"{machine} #It."],
                    "stop at 2 epsilon": printed_runs(part, machine).n_iter.mean(),
                    "stop at epsilon": printed_runs(part, machine, tol=EPSILON).n_iter.mean(),
                }
            )
    return pd.DataFrame(rows)


def second_order_table(frame):
    """Iterations of all four machines with first- and second-order selection.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_2``.

    Returns
    -------
    DataFrame
        A row a data set and machine: mean iterations with each selection, the mean over the
        splits of their ratio, and its standard error.
    """
    rows = []
    for name in present(frame, PRINTED_NAMES):
        part = frame[frame.dataset == name]
        for machine in MACHINES:
            first = printed_runs(part, machine).n_iter.to_numpy(dtype=float)
            second = printed_runs(part, machine, "second_order").n_iter.to_numpy(dtype=float)
            ratio = mean_and_standard_error(second / first)
            rows.append(
                {
                    "data set": PRINTED_NAMES[name],
                    "machine": machine,
                    "first order": first.mean(),
                    "second order": second.mean(),
                    "second / first": ratio.mean,
                    "SE": ratio.standard_error,
                }
            )
    return pd.DataFrame(rows)


def tuning_table(search, surface):
    """Test error under three ways to choose C and sigma, each on the same splits.

    Parameters
    ----------
    search, surface : DataFrame
        Records of the studies ``table_2_search`` and ``table_2_surface``.

    Returns
    -------
    DataFrame
        A row a data set and machine: the error with the setting chosen over all rows (the
        paper's way), with the one chosen on training rows alone, their paired difference with
        its standard error (positive where keeping the test rows out costs something), and the
        lowest mean test error of any setting of the grid, which no one could have chosen.
    """
    rows = []
    for name in present(surface, PRINTED_NAMES):
        for machine in ("LS", "Least 1-Norm", "L1"):
            leaky = errors_at(surface, name, machine, chosen_setting(search, name, machine))
            clean = errors_at(surface, name, machine, tuned_on_training_rows(search, name, machine))
            row = {
                "data set": PRINTED_NAMES[name],
                "machine": machine,
                "all rows": np.nan if leaky is None else leaky.mean(),
            }
            if clean is not None and leaky is not None:
                difference = paired_difference(clean, leaky)
                row |= {
                    "training rows": clean.mean(),
                    "difference": difference.mean,
                    "SE": difference.standard_error,
                }
            rows.append(row | {"best of the grid": _best(surface, name, machine)})
    return pd.DataFrame(rows)


def _best(surface, dataset, machine):
    rows = surface[(surface.dataset == dataset) & (surface.machine == machine)]
    cells = rows[[column for column in rows if column.startswith("wrong_")]]
    return 100.0 * (cells.mean() / rows.n_test.iloc[0]).min()


def tuning_marks(search, dataset, machine, matched):
    """Points to mark on a search surface: chosen over all rows, on training rows, matched.

    Parameters
    ----------
    search : DataFrame
        Records of the study ``table_2_search``.
    dataset : str
    machine : str
    matched : (float, float)
        log10 C and log10 sigma that match the printed iterations.

    Returns
    -------
    list of (label, log10_C, log10_sigma, marker)
        As :func:`companion.plotting.plot_surface` takes them.
    """
    marks = [("chosen over all rows", *chosen_setting(search, dataset, machine), "o")]
    training = tuned_on_training_rows(search, dataset, machine)
    if training is not None:
        marks.append(("chosen on training rows", *training, "s"))
    return [*marks, ("matches the printed iterations", *matched, "*")]


def rotation_table(frame):
    """Mean rotation of the normal, in degrees, for each rule and machine.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``fig_1``.

    Returns
    -------
    DataFrame
        A row a rule and machine: mean, standard error, median, and the paired difference to
        Least 1-Norm with its standard error.
    """
    rows = []
    for rule, words in RULES.items():
        reference = frame[f"{rule}_Least 1-Norm"]
        for machine in MACHINES:
            values = frame[f"{rule}_{machine}"]
            mean, difference = mean_and_standard_error(values), paired_difference(values, reference)
            rows.append(
                {
                    "labels switched": words,
                    "machine": machine,
                    "mean rotation": mean.mean,
                    "SE": mean.standard_error,
                    "median": float(np.median(values)),
                    "minus Least 1-Norm": difference.mean,
                    "SE of difference": difference.standard_error,
                }
            )
    return pd.DataFrame(rows)


def influence_curves(frame, quantity):
    """Means and standard errors over the draws against the outlier's distance.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``fig_1_leverage``.
    quantity : {"rotation", "alpha", "rbf_change", "rbf_alpha"}

    Returns
    -------
    distance : ndarray of shape (n_distances,)
    means, errors : dict of str to ndarray of shape (n_distances,)
        Keyed by machine.
    """
    columns = {machine: f"{quantity}_{machine}" for machine in MACHINES}
    groups = frame.groupby("distance")[list(columns.values())]
    means, errors = groups.mean(), groups.sem()
    return (
        means.index.to_numpy(),
        {machine: means[column].to_numpy() for machine, column in columns.items()},
        {machine: errors[column].to_numpy() for machine, column in columns.items()},
    )
