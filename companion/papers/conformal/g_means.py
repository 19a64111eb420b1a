"""g-means errors of the methods on the same draws or folds, side by side and beside the print."""

from functools import cache

import numpy as np
import pandas as pd

from companion.metrics import Mean, mean_and_standard_error
from companion.papers import summaries
from companion.papers.conformal.methods import CONFORMAL, SVM
from companion.papers.conformal.problems import BOARD_NAME, SETS
from companion.reproduction.published import load_published

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


def by_method(frame, column):
    """A column of the records: a row a repetition, a column a method in their order."""
    names = ("dataset", "imbalance", "partition", "fold", "draw")
    index = [name for name in names if name in frame]
    table = frame.pivot(index=index, columns="method", values=column)
    return table.sort_index()[frame.method.unique()]


def error_table(frame):
    """g-means errors: a row a draw, or a data set, partition and fold; a column a method."""
    return by_method(frame.assign(error=errors(frame)), "error")


def by_partition(frame, dataset=None):
    """Mean error of all folds, or those of a data set: a row a partition, a column a method."""
    rows = frame if dataset is None else summaries.select(frame, dataset=dataset)
    return error_table(rows).groupby(level="partition").mean()


def over_sets(frame, expression):
    """Mean over the data sets of an expression of methods' errors, each with the same weight.

    A partition of one set has nothing to do with one of another: the means of the sets are
    independent, and `n` is the least number of partitions of a set.
    """
    means = []
    for name in present(frame):
        values = summaries.evaluated(by_partition(frame, name), expression)
        means.append(mean_and_standard_error(values))
    table = pd.DataFrame(means)
    error = np.sqrt((table.standard_error**2).sum(skipna=False)) / len(table)
    return Mean(table["mean"].mean(), error, table.n.min())


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
    for place, expression in claims.items():
        values = summaries.evaluated(table, expression)
        values = values.groupby(level=by).mean() if by else values
        out.add_mean(*place, chance(values))


# -- tables -----------------------------------------------------------------------------------


def against(table, base=SVM):
    """Mean error of every method and its paired difference to one of them: a row a method.

    A method counts on the repetitions on which it is tried, NaN on the others.
    """
    gap = table.sub(table[base], axis=0)
    columns = {
        "g-means error": table.mean(),
        f"method - {base}": gap.mean(),
        "SE": gap.sem(),
        "better on": (gap < -1e-12).sum(),
        "worse on": (gap > 1e-12).sum(),
        "of": table.count(),
    }
    return pd.DataFrame(columns).rename_axis("method")


def against_svm(frame, table):
    """All methods beside the SVM, and how often those that can do transform."""
    moved = (frame.n_transformations > 0).groupby(frame.method).mean()
    return (
        against(table)
        .assign(transformed=moved[moved.index.isin(CONFORMAL)])
        .reset_index()
    )


def row_a_set(frame, row):
    """A table with one row a real set, in the order of the tables, as `row_a_group`."""
    named = frame.rename(columns={"dataset": "data set"})
    return summaries.row_a_group(named, "data set", row, among=SETS)


@cache
def printed_values(artefact, column):
    """Printed numbers of a column of one of the thesis's tables, by method."""
    frame = load_published("conformal")
    column_rows = frame[(frame.artefact == artefact) & (frame.column == column)]
    return dict(zip(column_rows.row, column_rows.value, strict=True))


def printed_asterisks(name):
    """Methods with a printed asterisk on a data set: they transform nowhere."""
    artefact, where = (
        ("checkers", "") if name == BOARD_NAME else ("real_sets", f"{name}: ")
    )
    marks = printed_values(artefact, f"{where}no transformation")
    return [method for method, mark in marks.items() if mark == 1]
