"""Errors of Tables 2, 3 and 4 split by split, and their differences between machines."""

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from companion.metrics import Mean, mean_and_standard_error, paired_difference
from companion.papers import summaries
from companion.papers.summaries import (
    magnitude,
    means_and_errors,
    one_of,
    present,
    select,
)
from companion.papers.usvc.splits import FOLDS, SETS, TEST_SHARE


def with_errors(frame):
    """Records with the error in per cent."""
    return frame.assign(error=100.0 * frame.test_wrong / frame.n_test)


def by_machine(frame, dataset):
    """Records of each machine on a data set, with the error in per cent."""
    rows = with_errors(select(frame, dataset=dataset))
    return dict(iter(rows.groupby("machine")))


def _paired(frame, first, second):
    """The difference of two machines by data set."""
    found = {}
    for name in present(frame, SETS):
        machines = by_machine(frame, name)
        found[name] = paired_difference(machines[first].error, machines[second].error)
    return found


def differences(frame, first, second):
    """Names of the sets, and means and standard errors of the error of one machine over another."""
    means = _paired(frame, first, second)
    return list(means), means_and_errors(list(means.values()))


def over_sets(frame, first, second, wrong="test_wrong"):
    """Mean over the sets, which are independent, of the difference of two machines."""
    return _over_sets(frame, first, second, wrong).mean


def _over_sets(frame, first, second, wrong):
    if wrong == "train_wrong":
        frame = frame.assign(test_wrong=frame.train_wrong, n_test=frame.n_train)
    return summaries.over_sets(_paired(frame, first, second).values())


def least_supported(table):
    """Of the means of the columns of a table, which are all to be positive, that is so least."""
    means = [mean_and_standard_error(table[column]) for column in table]
    worst = min(means, key=lambda of: of.mean / max(of.standard_error, 1e-12))
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


def add_cells(out, frame, machines, quantities=None, reading=""):
    """The printed cells of the machines, which are given with their printed names.

    `quantities` are what is printed of each by how its column ends, by default the error alone.
    """
    shown = with_errors(frame[frame.machine.isin(machines)])
    for (dataset, machine), rows in shown.groupby(["dataset", "machine"]):
        row = dataset.partition(",")[0]
        known = {"converged": rows.converged.all(), "reading": reading}
        for ending, quantity in (quantities or {"": "error"}).items():
            out.add_cell(row, f"{machines[machine]}{ending}", rows[quantity], **known)


def add_comparison(out, frame, better, what="(points)"):
    """The claims that the unbiased machine errs less than the SVC, and no worse on other sets.

    The text names the sets on which it is `better`, and calls it similar on the others.
    """
    for name in present(frame, SETS):
        machines = by_machine(frame, name)
        over = paired_difference(machines["USVC"].error, machines["SVMlight"].error)
        over = over._replace(mean=round(over.mean, 12))  # rounding is on no side
        column = f"USVC - SVMlight {what}"
        if name in better:
            out.add_mean(name, column, over)
        else:
            out.add_mean(name, f"|USVC - SVMlight| {what}", magnitude(over))
            column = column.replace("points", "standard errors")
            out.add(name, column, round(significance(over), 6))


def add_from_the_svc(out, frame):
    """The claim that the machine that starts at the SVC of its C is not significantly worse."""
    column = "USVC - SVMlight, at the C of SVMlight (standard errors)"
    for name in present(frame, SETS):
        machines = by_machine(frame, name)
        unbiased = machines["USVC"]
        started = 100.0 * unbiased.test_wrong_at_svc_C / unbiased.n_test
        over = paired_difference(started, machines["SVMlight"].error)
        out.add(name, column, round(significance(over), 6))


def add_over_sets(out, frame, machines):
    """The claims that the unbiased machine errs less on average, and so does the chosen loss.

    Of machines with the fewest held-out errors it is the first, in the order that they are given.
    """
    tried = frame[frame.machine.isin(machines)]
    order = tried.machine.map(machines.index)
    ranked = tried.assign(order=order).sort_values(["cv_wrong", "order"])
    chosen = ranked.groupby(["dataset", "split"]).head(1)
    choice = "loss chosen by cross-validation"
    both = pd.concat([frame, chosen.assign(machine=choice)]).sort_values("split")
    for machine in ("USVC", choice):
        found = over_sets(both, machine, "SVMlight")
        out.add_mean("all sets", f"{machine} - SVMlight (points)", found)


def add_protocol(out):
    """The settings that the three tables share."""
    out.add_all("protocol", {"test share (%)": 100 * TEST_SHARE, "folds": FOLDS})


# -- what the notebooks say -----------------------------------------------------------------


def sets_won_and_lost(frame):
    """On which sets the USVC errs less than the SVC beyond two standard errors, and on which more.

    Of these data, with the mean difference in points, in words.
    """
    names, (gaps, errors) = differences(frame, "USVC", "SVMlight")
    lists = {}
    for side in (-1, 1):
        beyond = zip(names, gaps, side * gaps > 2 * errors, strict=True)
        hits = [f"{name} ({gap:+.1f})" for name, gap, is_beyond in beyond if is_beyond]
        lists[side] = ", ".join(hits) or "none"
    return f"less than the SVC on {lists[-1]} and more on {lists[1]}"


def gap_in_words(frame, other, wrong="test_wrong"):
    """How much more or less the USVC errs than another machine, mean over the sets.

    As "0.27 points more (standard error 0.07 over splits, 0.11 over sets)".
    """
    gap = _over_sets(frame, "USVC", other, wrong)
    side = "more" if gap.mean.mean > 0 else "less"
    return f"{abs(gap.mean.mean):.2f} points {side} ({gap.errors()})"
