"""From the records of ``benefit`` and ``beyond`` to the sentences they bear on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import Values, present
from companion.papers.usvc import splits
from companion.papers.usvc.machines import TABLE_READINGS


def gains(frame, reading, column, value):
    """Error of the SVC minus that of the USVC in points, draw by draw.

    Parameters
    ----------
    frame : DataFrame
    reading : str
    column : {"n", "sigma"}
    value : float

    Returns
    -------
    ndarray of shape (n_draws,)
    """
    rows = frame[(frame.reading == reading) & np.isclose(frame[column], value)]
    rows = rows.sort_values("draw")
    return 100.0 * (rows.svc_error - rows.usvc_error).to_numpy()


def beyond_values(records):
    """Section 3.1 as differences, and the two uses of unequal costs."""
    out = Values()
    sizes, widths = records["benefit_size"], records["benefit_width"]
    for case, reading in TABLE_READINGS.items():
        row = f"Section 3.1, case {case}"
        if not sizes.empty:
            at = {n: gains(sizes, reading, "n", n) for n in (20, 50, 5000)}
            out.add_mean(
                row,
                "gain at n = 5000 - gain at n = 50 (points)",
                paired_difference(at[5000], at[50]),
                sizes.converged.all(),
            )
            out.add_mean(
                row,
                "gain at n = 20 (points)",
                mean_and_standard_error(at[20]),
                sizes.converged.all(),
            )
        if not widths.empty:
            out.add_mean(
                row,
                "gain at sigma = 4 - gain at sigma = 0.12 (points)",
                paired_difference(
                    gains(widths, reading, "sigma", 4.0), gains(widths, reading, "sigma", 0.12)
                ),
                widths.converged.all(),
            )
            slack = widths[widths.reading == reading].sort_values("draw").groupby("sigma")
            slack = slack.share_of_large_slacks
            out.add_mean(
                row,
                "share of slacks above 2: sigma = 4 - sigma = 0.12",
                paired_difference(slack.get_group(4.0), slack.get_group(0.12)),
            )
    _unequal_costs(out, records["beyond_costs"])
    _false_alarms(out, records["beyond_false_alarms"])
    return out.frame()


def costs_per_pattern(frame, dataset, machine, ratio, weighted):
    """Mean cost of a test pattern, split by split, as a pandas Series.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_costs``.
    dataset : str
    machine : str
    ratio : float
    weighted : bool

    Returns
    -------
    Series
    """
    rows = frame[
        (frame.dataset == dataset)
        & (frame.machine == machine)
        & (frame.ratio == ratio)
        & (frame.weighted == weighted)
    ].sort_values("split")
    return (ratio * rows.missed + rows.false_alarms) / (rows.n_positive + rows.n_negative)


def test_overlap(frame):
    """Sizes that a standard error for new samples needs.

    Parameters
    ----------
    frame : DataFrame
        Records of one data set.

    Returns
    -------
    dict of str to int
    """
    row = frame.iloc[0]
    return {"n_train": int(row.n_train), "n_test": int(row.n_positive + row.n_negative)}


def _unequal_costs(out, frame):
    for dataset in present(frame, splits.SETS):
        own = frame[frame.dataset == dataset]
        row, sizes = f"Section 5, {dataset}", test_overlap(own)
        unbiased = costs_per_pattern(own, dataset, "USVC", 5.0, True)
        plain = costs_per_pattern(own, dataset, "USVC", 5.0, False)
        svc = costs_per_pattern(own, dataset, "SVC", 5.0, True)
        out.add_mean(
            row,
            "cost with - without costs in the loss, 5 to 1",
            paired_difference(unbiased, plain, **sizes),
            own.converged.all(),
        )
        out.add_mean(
            row,
            "cost USVC - SVC, 5 to 1",
            paired_difference(unbiased, svc, **sizes),
            own.converged.all(),
        )


def alarm_rates(frame, dataset, machine, way, level):
    """False-alarm and detection rates on the test part, split by split.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond_false_alarms``.
    dataset : str
    machine : str
    way : {"threshold", "weights"}
    level : float

    Returns
    -------
    DataFrame
    """
    rows = frame[
        (frame.dataset == dataset)
        & (frame.machine == machine)
        & (frame.way == way)
        & np.isclose(frame.alpha, level)
    ].sort_values("split")
    return pd.DataFrame(
        {
            "false_alarm": rows.false_alarms / rows.n_negative,
            "detection": 1.0 - rows.missed / rows.n_positive,
            "n_negative": rows.n_negative,
        }
    )


def _false_alarms(out, frame):
    for dataset in present(frame, splits.SETS):
        own = frame[frame.dataset == dataset]
        for way in ("threshold", "weights"):
            rates = alarm_rates(own, dataset, "USVC", way, 0.1)
            out.add_mean(
                f"Section 5, {dataset}",
                f"false-alarm rate - 0.1, by {way}",
                mean_and_standard_error(rates.false_alarm - 0.1, **test_overlap(own)),
                own.converged.all(),
            )
