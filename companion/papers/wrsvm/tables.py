"""Tables that the notebooks show beside the printed ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import means_and_errors
from companion.papers.wrsvm import figures, simulation, table_3
from companion.papers.wrsvm.values import INTERCHANGED, cell, gain, place

__all__ = [
    "READINGS",
    "digits_table",
    "gains",
    "paired_table",
    "reading_table",
    "recorded",
    "region_table",
]

READINGS = ("as printed", "rows interchanged")


def paired_table(frame, table):
    """Both machines on the same samples, a row a utility matrix.

    Parameters
    ----------
    frame : DataFrame
        Records of ``table_1`` or ``table_2``.
    table : {"table_1", "table_2"}

    Returns
    -------
    DataFrame
        Utilities times 100; the standard error of the paired difference; on how many samples
        the truncated machine is better; medians of log2 C and of the number of DC steps.
    """
    rows = []
    for config, a in simulation.CELLS[table]:
        plain, robust = (cell(frame, config, a, name) for name in ("WSVM", "WRSVM"))
        difference = gain(frame, config, a)
        rows.append(
            {
                "utility": f"U{config},{a:g}",
                "WSVM": 100 * plain.test.mean(),
                "WRSVM": 100 * robust.test.mean(),
                "WRSVM - WSVM": difference.mean,
                "SE": difference.standard_error,
                "better on": int((robust.test.to_numpy() > plain.test.to_numpy()).sum()),
                "of": difference.n,
                "log2 C, WSVM": plain.log2_C.median(),
                "log2 C, WRSVM": robust.log2_C.median(),
                "DC steps": robust.n_steps.median(),
            }
        )
    return pd.DataFrame(rows)


def gains(frame, table):
    """Names of the matrices, and means and standard errors of WRSVM minus WSVM.

    Parameters
    ----------
    frame : DataFrame
        Records of ``table_1`` or ``table_2``.
    table : {"table_1", "table_2"}

    Returns
    -------
    names : list of str
    series : (ndarray, ndarray)
    """
    cells = simulation.CELLS[table]
    found = [gain(frame, config, a) for config, a in cells]
    return [f"U{config},{a:g}" for config, a in cells], means_and_errors(found)


def reading_table(ledger, table):
    """How well the printed means fit the regenerated ones, with the rows as printed or exchanged.

    Parameters
    ----------
    ledger : DataFrame
        The ledger of ``table_1`` or ``table_2``.
    table : {"table_1", "table_2"}

    Returns
    -------
    DataFrame
        A row a reading: number of means, how many are within three standard errors, the mean
        distance in points, its square root mean square in standard errors beyond rounding.
    """
    rows = []
    for reading in READINGS:
        names = []
        for config, a in simulation.CELLS[table]:
            for machine in ("WSVM", "WRSVM"):
                row, column = place(table, machine, config, a)
                name = row if reading == READINGS[0] else INTERCHANGED.format(row)
                names.append((name, column))
        own = ledger.set_index(["row", "column"]).loc[names]
        z = own.z.astype(float).fillna(0.0)
        rows.append(
            {
                "reading": reading,
                "means": len(own),
                "within 3 SE": int((z.abs() <= 3).sum()),
                "mean distance": (own.reproduced - own.published.astype(float)).abs().mean(),
                "root mean square z": np.sqrt((z**2).mean()),
            }
        )
    return pd.DataFrame(rows)


def digits_table(frame):
    """Predictions for each digit and their worth, a row a utility matrix and machine.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_3``.

    Returns
    -------
    DataFrame
        Utilities on the test part times 100; ``gain`` is over the unweighted machine of the same
        split, with its standard error for these data.
    """
    rows = []
    for a in table_3.A_VALUES if len(frame) else ():
        for machine in ("WSVM", "WRSVM"):
            own = frame[(frame.machine == machine) & np.isclose(frame.a, a)]
            over = paired_difference(100 * own.test, 100 * own.unweighted)
            share = mean_and_standard_error(own.p_11)
            rows.append(
                {
                    "utility": f"U2,{a:g}",
                    "machine": machine,
                    "class 1 kept": share.mean,
                    "SE": share.standard_error,
                    "least": own.p_11.min(),
                    "most": own.p_11.max(),
                    "utility on test": 100 * own.test.mean(),
                    "unweighted": 100 * own.unweighted.mean(),
                    "gain": over.mean,
                    "SE of gain": over.standard_error,
                    "log2 C": own.log2_C.median(),
                }
            )
    columns = (
        "utility",
        "machine",
        "class 1 kept",
        "SE",
        "least",
        "most",
        "utility on test",
        "unweighted",
        "gain",
        "SE of gain",
        "log2 C",
    )
    return pd.DataFrame(rows, columns=columns)


def region_table(frame, config):
    """Shares of the square that each class is predicted in, a row a value of a.

    Parameters
    ----------
    frame : DataFrame
        Records of ``fig_1`` or ``fig_2``.
    config : {1, 2, 3}

    Returns
    -------
    DataFrame
    """
    rows = []
    for a in figures.A_VALUES:
        own = frame[(frame.config == config) & np.isclose(frame.a, a)]
        row = {"a": a}
        for j in (1, 2, 3):
            share = mean_and_standard_error(own[f"region_{j}"])
            row |= {f"class {j}": share.mean, f"SE {j}": share.standard_error}
        rows.append(
            row
            | {
                "parts": own[["parts_1", "parts_2", "parts_3"]].sum(axis=1).mean(),
                "as the Bayes rule": own.agrees_with_bayes.mean(),
            }
        )
    return pd.DataFrame(rows)


def recorded(frame, sample, config, a):
    """The record of one machine of a figure, as a mapping.

    Parameters
    ----------
    frame : DataFrame
        Records of ``fig_1`` or ``fig_2``.
    sample : int
        Number of the sample.
    config : {1, 2, 3}
    a : float

    Returns
    -------
    dict
    """
    own = frame[(frame["sample"] == sample) & (frame.config == config) & np.isclose(frame.a, a)]
    return own.iloc[0].to_dict()
