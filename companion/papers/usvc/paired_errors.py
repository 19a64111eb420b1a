"""Errors of Tables 2, 3 and 4 split by split, and their differences between machines."""

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from companion.metrics import Mean, paired_difference
from companion.papers.summaries import magnitude, means_and_errors, present, select
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


def over_sets(frame, first, second, wrong="test_wrong"):
    """Mean over the sets, which are independent, of the difference of two machines."""
    if wrong == "train_wrong":
        frame = frame.assign(test_wrong=frame.train_wrong, n_test=frame.n_train)
    names, (means, errors) = differences(frame, first, second)
    n = frame.groupby("dataset").split.nunique().min()
    return Mean(
        float(np.mean(means)), float(np.sqrt(sum(errors**2))) / len(names), int(n)
    )


def one_of(found, n):
    """A mean that was picked among n: beyond two standard errors as rarely as one that was not."""
    wider = norm.isf(norm.sf(2.0) / n) / 2.0
    return found._replace(standard_error=wider * found.standard_error)


def least_supported(means):
    """Of several means that are all to be positive, the one that is so least."""
    worst = min(means, key=lambda own: own.mean / max(own.standard_error, 1e-12))
    return one_of(worst, len(means))


def most_sets(frame, first, second):
    """By how many the sets on which `first` errs more are above half of the sets.

    Sets within two standard errors count half; the error is such that two of it are their number.
    """
    names, (means, errors) = differences(frame, first, second)
    doubtful = np.count_nonzero(np.abs(means) <= 2 * errors)
    above = np.count_nonzero(means > 2 * errors)
    return Mean(above + doubtful / 2 - (len(names) + 1) / 2, doubtful / 4, np.nan)


def log_ratio(above, below):
    """Logarithm of the ratio of two means over the same splits, by the delta method."""
    above, below = (np.asarray(sizes, dtype=float) for sizes in (above, below))
    error = paired_difference(above / above.mean(), below / below.mean())
    return error._replace(mean=float(np.log(above.mean() / below.mean())))


def significance(found):
    """How far a mean is from zero, as the normal quantile of the probability of its Student t."""
    if not found.standard_error > 0:
        return float(np.sign(found.mean)) * np.inf if found.mean else 0.0
    tail = t.sf(abs(found.mean) / found.standard_error, found.n - 1)
    return float(np.sign(found.mean) * norm.isf(tail))


def add_at_the_same_C(out, dataset, machines):
    """The claim that from the SVC of the same C the unbiased machine is not significantly worse."""
    unbiased = machines["USVC"]
    svc = machines["SVMlight"]
    started = 100.0 * unbiased.test_wrong_at_svc_C / unbiased.n_test
    worse = significance(paired_difference(started, svc.error))
    column = "USVC - SVMlight, at the C of SVMlight (standard errors)"
    out.add(dataset, column, round(worse, 6), converged=unbiased.converged.all())


def sizes_of(rows):
    """Sizes of the parts of a split, which a standard error for new samples needs."""
    return {size: int(rows[size].iloc[0]) for size in ("n_train", "n_test")}


def add_comparison(out, dataset, machines, what="(points)"):
    """The claims that the unbiased machine is better than the SVC, similar, never worse."""
    unbiased = machines["USVC"]
    svc = machines["SVMlight"]
    converged = unbiased.converged.all() and svc.converged.all()
    over = paired_difference(unbiased.error, svc.error)
    over = over._replace(mean=round(over.mean, 12))  # rounding is on no side
    claims = {
        f"USVC - SVMlight {what}": over,
        f"|USVC - SVMlight| {what}": magnitude(over),
    }
    out.add_means(dataset, claims, converged)
    column = f"USVC - SVMlight {what}".replace("points", "standard errors")
    out.add(dataset, column, round(significance(over), 6), converged=converged)


def add_average(out, frame):
    """The claim that the unbiased machine errs less than the SVC on average over the sets."""
    out.add_mean(
        "all sets", "USVC - SVMlight (points)", over_sets(frame, "USVC", "SVMlight")
    )


def add_loss_by_folds(out, frame, machines):
    """The claim that the loss is another hyperparameter, chosen with C by cross-validation.

    Of machines with the fewest held-out errors it is the first, in the order that they are given.
    """
    order = {machine: k for k, machine in enumerate(machines)}
    own = frame[frame.machine.isin(order)]
    own = own.assign(order=own.machine.map(order))
    chosen = (
        own.sort_values(["cv_wrong", "order"]).groupby(["dataset", "split"]).head(1)
    )
    both = pd.concat([frame, chosen.assign(machine="chosen")]).sort_values("split")
    out.add_mean(
        "all sets",
        "loss chosen by cross-validation - SVMlight (points)",
        over_sets(both, "chosen", "SVMlight"),
    )


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
    mean, error = means_and_errors(
        [paired_difference(u.error, s.error) for u, s in pairs]
    )
    new = [paired_difference(u.error, s.error, **sizes_of(s)) for u, s in pairs]
    return pd.DataFrame(
        {
            "data set": names,
            "n test": [svc.n_test.iloc[0] for _, svc in pairs],
            "splits": [len(gap) for gap in gaps],
            "USVC - SVMlight": mean,
            "SE, these data": error,
            "SE, new samples": [found.standard_error for found in new],
            "SD of a mean over 10 splits": [
                s.error.std(ddof=1) / np.sqrt(10) for _, s in pairs
            ],
            "USVC better on": [(gap < 0).sum() for gap in gaps],
            "worse on": [(gap > 0).sum() for gap in gaps],
        }
    )
