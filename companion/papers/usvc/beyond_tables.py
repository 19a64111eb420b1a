"""What the notebook ``beyond`` shows beside the verdicts on its claims."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import means_and_errors, present
from companion.papers.usvc.claims import alarm_rates, costs_per_pattern, gains, test_overlap
from companion.papers.usvc.machines import TABLE_READINGS
from companion.papers.usvc.splits import SETS

__all__ = ["alarm_curves", "alarm_table", "cost_table", "gain_curve", "gain_table"]

# Columns, for tables without a data set that can be had.
_COSTS = (
    "data set",
    "cost of a miss",
    "SVC, equal costs",
    "SVC",
    "USVC, equal costs",
    "USVC",
    "USVC with - without",
    "SE",
    "USVC - SVC",
    "SE of it",
)
_ALARMS = (
    "level",
    "machine",
    "by",
    "false alarms",
    "SE",
    "SD over test parts",
    "binomial SD",
    "detections",
    "SE of detections",
)


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
            rows.append(
                {
                    "case": case,
                    column: at,
                    "CE of SVC": 100 * own.svc_error.mean(),
                    "CE of USVC": 100 * own.usvc_error.mean(),
                    "gain": mean,
                    "SE": error,
                    "slacks above 2": own.share_of_large_slacks.mean(),
                }
            )
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
            cost = {
                (m, w): costs_per_pattern(own, name, m, ratio, w)
                for m in ("SVC", "USVC")
                for w in (False, True)
            }
            gain = paired_difference(cost["USVC", True], cost["USVC", False], **sizes)
            over = paired_difference(cost["USVC", True], cost["SVC", True], **sizes)
            rows.append(
                {
                    "data set": name,
                    "cost of a miss": ratio,
                    "SVC, equal costs": cost["SVC", False].mean(),
                    "SVC": cost["SVC", True].mean(),
                    "USVC, equal costs": cost["USVC", False].mean(),
                    "USVC": cost["USVC", True].mean(),
                    "USVC with - without": gain.mean,
                    "SE": gain.standard_error,
                    "USVC - SVC": over.mean,
                    "SE of it": over.standard_error,
                }
            )
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
                rows.append(
                    {
                        "level": level,
                        "machine": machine,
                        "by": way,
                        "false alarms": alarm.mean,
                        "SE": alarm.standard_error,
                        "SD over test parts": rates.false_alarm.std(ddof=1),
                        "binomial SD": binomial,
                        "detections": detection.mean,
                        "SE of detections": detection.standard_error,
                    }
                )
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
    return {
        machine: (rows.level.to_numpy(), rows["false alarms"].to_numpy(), rows.SE.to_numpy())
        for machine, rows in own.groupby("machine")
    }
