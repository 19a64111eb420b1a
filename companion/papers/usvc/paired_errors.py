"""Errors of Tables 2, 3 and 4 split by split, and their differences between machines."""

import numpy as np

from companion.metrics import Mean, paired_difference
from companion.papers.summaries import means_and_errors, present, select
from companion.papers.usvc.splits import FOLDS, SETS, TEST_SHARE


def by_machine(frame, dataset):
    """Records of each machine on a data set, with the error in per cent."""
    rows = select(frame, dataset=dataset)
    rows = rows.assign(error=100.0 * rows.test_wrong / rows.n_test)
    return dict(iter(rows.groupby("machine")))


def differences(frame, first, second):
    """Names of the sets, and means and standard errors of the error of one machine over another."""
    names = present(frame, SETS)
    own = [by_machine(frame, name) for name in names]
    means = [paired_difference(rows[first].error, rows[second].error) for rows in own]
    return names, means_and_errors(means)


def over_sets(frame, first, second):
    """Mean over the sets, which are independent, of the difference of two machines."""
    names, (means, errors) = differences(frame, first, second)
    n = frame.groupby("dataset").split.nunique().min()
    return Mean(float(np.mean(means)), float(np.sqrt(sum(errors**2))) / len(names), int(n))


def sizes_of(rows):
    """Sizes of the parts of a split, which a standard error for new samples needs."""
    return {size: int(rows[size].iloc[0]) for size in ("n_train", "n_test")}


def add_comparison(out, dataset, machines, column="USVC - SVMlight (points)"):
    """The claim that the unbiased machine is never worse than the SVC."""
    unbiased, svc = machines["USVC"], machines["SVMlight"]
    converged = unbiased.converged.all() and svc.converged.all()
    out.add_mean(dataset, column, paired_difference(unbiased.error, svc.error), converged)


def add_protocol(out, frame):
    """The settings that the three tables share."""
    if len(frame):
        out.add("protocol", "splits", frame.groupby("dataset").split.nunique().min())
        out.add_all("protocol", {"test share (%)": 100 * TEST_SHARE, "folds": FOLDS})


def paired_table(frame):
    """Error of USVC minus that of the SVC, with what ten splits can show: a row a data set.

    The standard errors are for these data and for new samples; beside them stands the standard
    deviation of the mean error of the SVC over ten splits.
    """
    import pandas as pd

    names = present(frame, SETS)
    own = [by_machine(frame, name) for name in names]
    pairs = [(rows["USVC"], rows["SVMlight"]) for rows in own]
    gaps = [usvc.error.to_numpy() - svc.error.to_numpy() for usvc, svc in pairs]
    mean, error = means_and_errors([paired_difference(u.error, s.error) for u, s in pairs])
    new = [paired_difference(u.error, s.error, **sizes_of(s)) for u, s in pairs]
    return pd.DataFrame(
        {
            "data set": names,
            "n test": [svc.n_test.iloc[0] for _, svc in pairs],
            "splits": [len(gap) for gap in gaps],
            "USVC - SVMlight": mean,
            "SE, these data": error,
            "SE, new samples": [found.standard_error for found in new],
            "SD of a mean over 10 splits": [s.error.std(ddof=1) / np.sqrt(10) for _, s in pairs],
            "USVC better on": [(gap < 0).sum() for gap in gaps],
            "worse on": [(gap > 0).sum() for gap in gaps],
        }
    )


def plot_intervals(ax, names, means, errors, *, xlabel):
    """Differences with two standard errors to either side, a line a name from top to bottom."""
    ax.errorbar(means, range(len(names)), xerr=2 * errors, fmt="o", color="#1b4f9c", capsize=3)
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel)
