"""Tables that the notebooks show beside the printed ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers._values import means_and_errors, present
from companion.papers.usvc.machines import READINGS, TABLE_READINGS
from companion.papers.usvc.splits import SETS
from companion.papers.usvc.table_1 import ORDERS_COMPARED
from companion.papers.usvc.values import (
    PLAUSIBLE,
    alarm_rates,
    costs_per_pattern,
    errors_of,
    gains,
    test_overlap,
    trials,
    with_threshold,
)

__all__ = [
    "alarm_curves",
    "alarm_table",
    "case_table",
    "choice_table",
    "convergence_table",
    "cost_table",
    "differences",
    "gain_curve",
    "gain_table",
    "order_table",
    "paired_table",
    "sizes_and_errors",
    "start_table",
]

# Columns of the tables of real data, which are empty where no data set can be had.
_PAIRED = ("data set", "n test", "splits", "USVC - SVMlight", "SE, these data", "SE, new samples",
           "SD of a mean over 10 splits", "USVC better on", "worse on")  # fmt: skip
_CHOICES = ("data set", "machine", "CE", "SE", "size", "median sigma", "median C")
_COSTS = ("data set", "cost of a miss", "SVC, equal costs", "SVC", "USVC, equal costs", "USVC",
          "USVC with - without", "SE", "USVC - SVC", "SE of it")  # fmt: skip
_ALARMS = ("level", "machine", "by", "false alarms", "SE", "SD over test parts", "binomial SD",
           "detections", "SE of detections")  # fmt: skip

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
        rows.append({
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
            if start else np.nan,
            "not converged": int((~own.converged.astype(bool)).sum()),
            "without threshold": len(own) - len(placed),
        })
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
            rows.append({
                "case": case, "s": s, "CE exact": 100 * runs.error.mean(),
                "minus s = 2": difference.mean, "SE": difference.standard_error,
                "Th": runs.threshold[runs.threshold.between(*PLAUSIBLE)].mean(),
                "problems solved": runs.n_iter.mean(),
            })
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
            rows.append({
                "case": case, "s": s, "d": damping, "stable above": max(0.0, (s - 3) / (s - 1)),
                "converged": own.fit_ended.mean(),
                "orbits of period two": own.period_two.mean(),
                "least eigenvalue": own.least_eigenvalue.min(),
                "share below -1": (own.least_eigenvalue < -1).mean(),
                "largest rise of (5)": own.largest_rise.max(),
            })
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
        rows.append({
            "data set": name, "n test": sizes["n_test"], "splits": here.n,
            "USVC - SVMlight": here.mean, "SE, these data": here.standard_error,
            "SE, new samples": new.standard_error,
            "SD of a mean over 10 splits": svc.error.std(ddof=1) / np.sqrt(10),
            "USVC better on": int((difference < 0).sum()),
            "worse on": int((difference > 0).sum()),
        })
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
    means = [paired_difference(errors_of(frame, name, first).error,
                               errors_of(frame, name, second).error) for name in names]
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
            rows.append({
                "data set": name, "machine": machine, "CE": error.mean,
                "SE": error.standard_error, "size": own["size"].mean(),
                "median sigma": own.sigma.median(), "median C": own.C.median(),
            })
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


def gain_curve(frame, case, column):
    """Gain of the unbiased machine in points against n or sigma: places, means, errors.

    Parameters
    ----------
    frame : DataFrame
        Records of ``benefit_size`` or ``benefit_width``.
    case : {"A", "B"}
    column : {"n", "sigma"}

    Returns
    -------
    places, means, errors : ndarray of shape (n_places,)
    """
    reading = TABLE_READINGS[case]
    places = np.sort(frame[frame.reading == reading][column].unique())
    means = [mean_and_standard_error(gains(frame, reading, column, at)) for at in places]
    return places, *means_and_errors(means)


def gain_table(frame, column):
    """Errors of both machines and the gain, a row a case and place.

    Parameters
    ----------
    frame : DataFrame
        Records of ``benefit_size`` or ``benefit_width``.
    column : {"n", "sigma"}

    Returns
    -------
    DataFrame
    """
    rows = []
    for case, reading in TABLE_READINGS.items():
        for at, mean, error in zip(*gain_curve(frame, case, column), strict=True):
            own = frame[(frame.reading == reading) & np.isclose(frame[column], at)]
            rows.append({"case": case, column: at, "CE of SVC": 100 * own.svc_error.mean(),
                         "CE of USVC": 100 * own.usvc_error.mean(), "gain": mean, "SE": error,
                         "slacks above 2": own.share_of_large_slacks.mean()})
    return pd.DataFrame(rows)


def cost_table(frame):
    """Mean cost of a test pattern, with and without the costs in the loss.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_costs``.

    Returns
    -------
    DataFrame
        A row a data set and ratio of costs; standard errors are for new samples.
    """
    rows = []
    for name in present(frame, SETS):
        own = frame[frame.dataset == name]
        sizes = test_overlap(own)
        for ratio in sorted(own.ratio.unique()):
            if ratio == 1.0:
                continue
            cost = {(m, w): costs_per_pattern(own, name, m, ratio, w)
                    for m in ("SVC", "USVC") for w in (False, True)}
            gain = paired_difference(cost["USVC", True], cost["USVC", False], **sizes)
            over = paired_difference(cost["USVC", True], cost["SVC", True], **sizes)
            rows.append({
                "data set": name, "cost of a miss": ratio,
                "SVC, equal costs": cost["SVC", False].mean(), "SVC": cost["SVC", True].mean(),
                "USVC, equal costs": cost["USVC", False].mean(), "USVC": cost["USVC", True].mean(),
                "USVC with - without": gain.mean, "SE": gain.standard_error,
                "USVC - SVC": over.mean, "SE of it": over.standard_error,
            })
    return pd.DataFrame(rows, columns=_COSTS)


def alarm_table(frame, dataset):
    """Held-out false alarms against the nominal level.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_false_alarms``.
    dataset : str

    Returns
    -------
    DataFrame
        A row a level, machine and way: the mean rate with its standard error for new samples, its
        spread over the test parts beside that of a binomial draw at the nominal level, and the
        detection rate.
    """
    rows = []
    if not present(frame, [dataset]):
        return pd.DataFrame(rows, columns=_ALARMS)
    own = frame[frame.dataset == dataset]
    sizes = test_overlap(own)
    for level in sorted(own.alpha.unique()):
        for machine in ("SVC", "USVC"):
            for way in ("threshold", "weights"):
                rates = alarm_rates(own, dataset, machine, way, level)
                alarm = mean_and_standard_error(rates.false_alarm, **sizes)
                detection = mean_and_standard_error(rates.detection, **sizes)
                binomial = np.sqrt(level * (1 - level) / rates.n_negative.mean())
                rows.append({
                    "level": level, "machine": machine, "by": way, "false alarms": alarm.mean,
                    "SE": alarm.standard_error, "SD over test parts": rates.false_alarm.std(ddof=1),
                    "binomial SD": binomial, "detections": detection.mean,
                    "SE of detections": detection.standard_error,
                })
    return pd.DataFrame(rows, columns=_ALARMS)


def alarm_curves(frame, dataset, way):
    """Held-out false-alarm rates against the nominal level, for a figure.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_false_alarms``.
    dataset : str
    way : {"threshold", "weights"}

    Returns
    -------
    dict of str to (ndarray, ndarray, ndarray)
        Levels, mean rates and their standard errors, by machine.
    """
    table = alarm_table(frame, dataset)
    own = table[table.by == way]
    return {machine: (rows.level.to_numpy(), rows["false alarms"].to_numpy(), rows.SE.to_numpy())
            for machine, rows in own.groupby("machine")}


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
    return pd.DataFrame({
        "reading": frame.reading,
        "global minimum at": frame.global_from,
        "CE there": frame.global_error,
        "second minimum from": frame.local_from,
        "to": frame.local_to,
        "CE there (second)": frame.local_error,
        "CE at 0.5": frame.error_at_half,
    })
