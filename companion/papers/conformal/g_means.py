"""g-means errors of the methods on the same draws or folds, side by side and beside the print."""

from functools import cache

import numpy as np
import pandas as pd

from companion.metrics import Mean, mean_and_standard_error
from companion.papers import summaries
from companion.papers.conformal.methods import SVM
from companion.papers.conformal.problems import BOARD_NAME, PAPER, SETS
from companion.reproduction.published import load_published
from companion.reproduction.values import evaluated

_FEW = 5

#: The difference that the thesis calls noticeable.
NOTICEABLE = 0.05

#: Of no repetitions: undecided.
UNKNOWN = Mean(np.nan, np.nan, 0)


def present(frame):
    """The real sets that have records, in the order of the tables."""
    return summaries.present(frame, SETS)


def errors(frame):
    """g-means error of every row of records, 1 - sqrt(a+ a-), (6.1.1)."""
    right = (1 - frame.missed / frame.n_positive) * (
        1 - frame.false_alarms / frame.n_negative
    )
    return 1 - np.sqrt(right.astype(float))


def halfway(decision):
    """The places halfway between neighbouring values of a decision."""
    ordered = np.unique(decision)
    return (ordered[1:] + ordered[:-1]) / 2


def g_means_above(decision, y, cuts):
    """The g-means, sqrt(a+ a-), where what is above a cut counts as positive: one a cut."""
    below = [
        np.searchsorted(np.sort(decision[y == sign]), cuts, "right")
        for sign in (1.0, -1.0)
    ]
    right_of_rare = 1 - below[0] / np.sum(y > 0)
    right_of_common = below[1] / np.sum(y < 0)
    return np.sqrt(right_of_rare * right_of_common)


def by_method(frame, column):
    """A column of the records: a row a repetition, a column a method in their order."""
    names = ("dataset", "imbalance", "partition", "fold", "draw")
    index = [name for name in names if name in frame]
    table = frame.pivot(index=index, columns="method", values=column)
    return table.sort_index()[frame.method.unique()]


def error_table(frame):
    """g-means errors: a row a draw, or a data set, partition and fold; a column a method."""
    return by_method(frame.assign(error=errors(frame)), "error")


def by_partition(frame):
    """Mean error of all folds: a row a partition, a column a method."""
    return error_table(frame).groupby(level="partition").mean()


def by_set(table):
    """Means over the folds: a row a data set and partition."""
    return table.groupby(level=["dataset", "partition"]).mean()


def gaps(table, base=SVM):
    """What stands in the columns of a table less what stands in one of them."""
    return table.sub(table[base], axis=0)


def over_sets(means, expression):
    """Mean over the data sets of an expression of methods' errors, each with the same weight.

    `means` has a row a data set and partition. A partition of one set has nothing to do with one of
    another: the means of the sets are independent, and `n` is the least number of partitions of a
    set.
    """
    return summaries.mean_over(of_sets(means, expression))


def of_sets(means, expression):
    """The mean of an expression of methods' errors over the partitions of each data set."""
    values = evaluated(means, expression)
    return [
        mean_and_standard_error(values[name])
        for name in SETS
        if name in means.index.unique("dataset")
    ]


def chance(values):
    """Mean over repetitions; where all are alike with the error that half a case leaves.

    A case off would be off by the difference that the thesis calls noticeable. Fewer than five
    alike show nothing.
    """
    return with_chance(mean_and_standard_error(values)) if len(values) else UNKNOWN


def with_chance(mean):
    """A mean with an error, as :func:`chance` has it."""
    if mean.standard_error > 0:
        return mean
    alike = summaries.share(np.zeros(max(mean.n, 1))).standard_error * NOTICEABLE
    return mean._replace(standard_error=alike) if mean.n >= _FEW else UNKNOWN


def add_means(out, numbers, reading=""):
    """Means over partitions, or what they are, by row and column; of few they are undecided."""
    for place, values in numbers.items():
        mean = values if isinstance(values, Mean) else chance(values)
        out.add_mean(*place, mean, reading=reading)


def add_claims(out, table, claims, by=None):
    """Means of expressions of methods, columns of a table, by row and column.

    A repetition is a row of the table, or what a level `by` of its index has in common.
    """
    numbers = {}
    for place, expression in claims.items():
        values = evaluated(table, expression)
        numbers[place] = values.groupby(level=by).mean() if by else values
    add_means(out, numbers)


# -- tables -----------------------------------------------------------------------------------


def against(table, base=SVM):
    """Mean error of every method and its paired difference to one of them: a row a method.

    A method counts on the repetitions on which it is tried, NaN on the others.
    """
    gap = gaps(table, base)
    columns = {
        "g-means error": table.mean(),
        f"method - {base}": gap.mean(),
        "SE": gap.sem(),
        "better on": (gap < -1e-12).sum(),
        "worse on": (gap > 1e-12).sum(),
        "of": table.count(),
    }
    return pd.DataFrame(columns).rename_axis("method")


def places(artefact, words):
    """Row and column of the printed rows with these words."""
    rows = summaries.select(load_published(PAPER), artefact=artefact)
    rows = rows[rows.row.str.contains(words, regex=False)]
    return zip(rows.row, rows.column, strict=True)


@cache
def printed_values(artefact, column):
    """Printed numbers of a column of one of the thesis's tables, by method."""
    rows = summaries.select(load_published(PAPER), artefact=artefact, column=column)
    return dict(zip(rows.row, rows.value, strict=True))


def printed_asterisks(name):
    """Methods with a printed asterisk on a data set: they transform nowhere."""
    if name == BOARD_NAME:
        marks = printed_values("checkers", "no transformation")
    else:
        marks = printed_values("real_sets", f"{name}: no transformation")
    return [method for method, mark in marks.items() if mark == 1]


def not_run(run):
    """The sentence on units that could not be run, for the end of an opening; else ""."""
    reasons = [f"{count} units: {reason}" for reason, count in run.missing]
    return f" Not run: {'; '.join(reasons)}." if reasons else ""


def counted(number, noun):
    """A number with its noun: "1 draw", "15 draws"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
