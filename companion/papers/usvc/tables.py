"""Tables that the notebooks show beside the printed ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import means_and_errors, present
from companion.papers.usvc.machines import READINGS, TABLE_READINGS
from companion.papers.usvc.splits import SETS
from companion.papers.usvc.table_1 import ORDERS_COMPARED
from companion.papers.usvc.values import PLAUSIBLE, errors_of, trials, with_threshold

__all__ = [
    "case_table",
    "choice_table",
    "convergence_table",
    "differences",
    "order_table",
    "paired_table",
    "sizes_and_errors",
    "start_table",
]

# Columns of the tables of real data, which are empty where no data set can be had.
_PAIRED = (
    "data set",
    "n test",
    "splits",
    "USVC - SVMlight",
    "SE, these data",
    "SE, new samples",
    "SD of a mean over 10 splits",
    "USVC better on",
    "worse on",
)
_CHOICES = ("data set", "machine", "CE", "SE", "size", "median sigma", "median C")

#: Below it a threshold is in the narrow minimum of either case.
_NARROW = 0.35


def start_table(records, reading):
    """Table 1 under every start and way to iterate, with the trials in the other minimum.

    Parameters
    ----------
    records : mapping of str to DataFrame
        Records of the studies ``table_1`` and ``table_1_plain``, among others.
    reading : str
        A key of ``READINGS`` that has records.

    Returns
    -------
    DataFrame
        A row a machine, start and way.
    """
    frame, rows = pd.concat([records["table_1"], records["table_1_plain"]]), []
    for machine, start, way in _ways():
        own = trials(frame, reading, machine, start, way)
        error, placed = mean_and_standard_error(own.error), with_threshold(own)
        rows.append(
            {
                "machine": machine,
                "start": {"least_squares": "least squares", "svc": "SVC"}.get(start, ""),
                "damping": "0.2" if way == "plain" else "stable" if start else "",
                "CE train": own.train.mean(),
                "CE test": own.test.mean(),
                "CE exact": error.mean,
                "SE": error.standard_error,
                "Th": placed.threshold.mean(),
                "SD of Th": placed.threshold.std(ddof=1),
                "trials in the narrow minimum": int((placed.threshold < _NARROW).sum())
                if start
                else np.nan,
                "not converged": int((~own.converged.astype(bool)).sum()),
                "without threshold": len(own) - len(placed),
            }
        )
    return pd.DataFrame(rows)


def _ways():
    yield from (("LS", None, "stable"), ("SVC", None, "stable"))
    for s, ways in ((2, ("stable",)), (4, ("stable", "plain"))):
        for start in ("least_squares", "svc"):
            yield from ((f"USVC s={s}", start, way) for way in ways)


def order_table(orders):
    """Exact error of the unbiased machine for each order, and its paired distance to s = 2.

    Parameters
    ----------
    orders : DataFrame
        Records of the study ``table_1_order``.

    Returns
    -------
    DataFrame
        A row a case and order.
    """
    rows = []
    for case, reading in TABLE_READINGS.items():
        own = orders[orders.reading == reading].sort_values("trial")
        at = {s: own[own.s == s] for s in ORDERS_COMPARED}
        for s, runs in at.items():
            difference = paired_difference(100 * runs.error, 100 * at[2.0].error)
            rows.append(
                {
                    "case": case,
                    "s": s,
                    "CE exact": 100 * runs.error.mean(),
                    "minus s = 2": difference.mean,
                    "SE": difference.standard_error,
                    "Th": runs.threshold[runs.threshold.between(*PLAUSIBLE)].mean(),
                    "problems solved": runs.n_iter.mean(),
                }
            )
    return pd.DataFrame(rows)


def convergence_table(runs):
    """How the plain iteration ends for each order and damping.

    Parameters
    ----------
    runs : DataFrame
        Records of the study ``fig_3_4_convergence``.

    Returns
    -------
    DataFrame
        A row a case, order and damping: the bound (s - 3) / (s - 1), shares of trials, and the
        eigenvalue of the iteration at the minimum, least and largest over the trials.
    """
    rows = []
    for case, reading in TABLE_READINGS.items():
        for (s, damping), own in runs[runs.reading == reading].groupby(["s", "damping"]):
            rows.append(
                {
                    "case": case,
                    "s": s,
                    "d": damping,
                    "stable above": max(0.0, (s - 3) / (s - 1)),
                    "converged": own.fit_ended.mean(),
                    "orbits of period two": own.period_two.mean(),
                    "least eigenvalue": own.least_eigenvalue.min(),
                    "share below -1": (own.least_eigenvalue < -1).mean(),
                    "largest rise of (5)": own.largest_rise.max(),
                }
            )
    return pd.DataFrame(rows)


def paired_table(frame):
    """Error of USVC minus that of the SVC, with what ten splits can show.

    Parameters
    ----------
    frame : DataFrame
        Records of ``table_2``, ``table_3`` or ``table_4``.

    Returns
    -------
    DataFrame
        A row a data set: size of a test part, the paired difference over all splits with its
        standard error for these data and for new samples, the standard deviation of the mean error
        of the SVC over ten splits, and on how many splits either machine is better.
    """
    rows = []
    for name in present(frame, SETS):
        unbiased, svc = errors_of(frame, name, "USVC"), errors_of(frame, name, "SVMlight")
        sizes = {"n_train": int(svc.n_train.iloc[0]), "n_test": int(svc.n_test.iloc[0])}
        here = paired_difference(unbiased.error, svc.error)
        new = paired_difference(unbiased.error, svc.error, **sizes)
        difference = unbiased.error.to_numpy() - svc.error.to_numpy()
        rows.append(
            {
                "data set": name,
                "n test": sizes["n_test"],
                "splits": here.n,
                "USVC - SVMlight": here.mean,
                "SE, these data": here.standard_error,
                "SE, new samples": new.standard_error,
                "SD of a mean over 10 splits": svc.error.std(ddof=1) / np.sqrt(10),
                "USVC better on": int((difference < 0).sum()),
                "worse on": int((difference > 0).sum()),
            }
        )
    return pd.DataFrame(rows, columns=_PAIRED)


def differences(frame, first, second):
    """Names of the sets, and means and standard errors of the error of one machine over another.

    Parameters
    ----------
    frame : DataFrame
        Records of ``table_2``, ``table_3`` or ``table_4``.
    first, second : str
        Names of machines.

    Returns
    -------
    names : list of str
    series : (ndarray, ndarray)
        Of the first machine minus the second.
    """
    names = present(frame, SETS)
    means = [
        paired_difference(errors_of(frame, name, first).error, errors_of(frame, name, second).error)
        for name in names
    ]
    return names, means_and_errors(means)


def choice_table(frame):
    """What the searches of Table 3 chose: medians over the splits.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_3``.

    Returns
    -------
    DataFrame
        A row a data set and machine.
    """
    rows = []
    for name in present(frame, SETS):
        for machine in ("SVMlight", "AdaBoost", "SVC on prototypes", "USVC"):
            own = errors_of(frame, name, machine)
            error = mean_and_standard_error(own.error)
            rows.append(
                {
                    "data set": name,
                    "machine": machine,
                    "CE": error.mean,
                    "SE": error.standard_error,
                    "size": own["size"].mean(),
                    "median sigma": own.sigma.median(),
                    "median C": own.C.median(),
                }
            )
    return pd.DataFrame(rows, columns=_CHOICES)


def sizes_and_errors(frame, name):
    """Mean size and error of each machine of Table 3, with the standard error of the error.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_3``.
    name : str
        A data set as printed.

    Returns
    -------
    dict of str to (float, float, float)
    """
    return {
        machine: (own["size"].mean(), *mean_and_standard_error(own.error)[:2])
        for machine in ("SVMlight", "AdaBoost", "SVC on prototypes", "USVC")
        for own in [errors_of(frame, name, machine)]
    }


def case_table(cases):
    """Minima of the closed-form error under each reading of (28), and in case B.

    Parameters
    ----------
    cases : DataFrame
        Records of the study ``fig_1_cases``.

    Returns
    -------
    DataFrame
        A row a reading.
    """
    frame = cases.set_index("reading").loc[list(READINGS)].reset_index()
    return pd.DataFrame(
        {
            "reading": frame.reading,
            "global minimum at": frame.global_from,
            "CE there": frame.global_error,
            "second minimum from": frame.local_from,
            "to": frame.local_to,
            "CE there (second)": frame.local_error,
            "CE at 0.5": frame.error_at_half,
        }
    )
