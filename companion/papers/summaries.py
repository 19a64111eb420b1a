"""What the papers share in turning records into means, texts and tables."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from companion.metrics import Mean

#: What units of splits have as ``splits``: these are drawn anew.
DRAWN = "drawn"


def rounded(row, decimals=6):
    """A result row whose floats have so many decimals."""
    return {
        name: round(float(value), decimals) if isinstance(value, float) else value
        for name, value in row.items()
    }


def one_of(found, n):
    """A mean that was picked among n: beyond two standard errors as rarely as one that was not."""
    wider = norm.isf(norm.sf(2.0) / n) / 2.0
    return found._replace(standard_error=wider * found.standard_error)


def counts(decision, y):
    """Errors of either kind and the sizes of the classes, as the columns of a record.

    A decision value of zero is a decision for the negative class.
    """
    return {
        "missed": int(np.count_nonzero((decision <= 0) & (y > 0))),
        "false_alarms": int(np.count_nonzero((decision > 0) & (y < 0))),
        "n_positive": int(np.count_nonzero(y > 0)),
        "n_negative": int(np.count_nonzero(y < 0)),
    }


def share(hits):
    """A share with its binomial standard error, of half a case more and less where it is 0 or 1."""
    hits = np.asarray(hits, dtype=float)
    n = len(hits)
    mean = hits.mean()
    smoothed = (hits.sum() + 0.5) / (n + 1)
    return Mean(mean, float(np.sqrt(smoothed * (1 - smoothed) / n)), n)


def present(frame, names):
    """Data sets that have records (column ``dataset``), in the order of `names`."""
    return [name for name in names if len(frame) and name in frame.dataset.to_numpy()]


def select(frame, **settings):
    """The records with these values in these columns; their order is kept."""
    same = np.ones(len(frame), dtype=bool)
    for column, value in settings.items():
        # of texts ten times faster than in pandas
        same &= frame[column].to_numpy() == value
    return frame[same]


def wide(frame, index, by):
    """A row a repetition; a column is one of the values of `by` and what is on record of it.

    So "Amari_near" is the column "near" of the rows whose `by` is "Amari".
    """
    table = frame.pivot(index=index, columns=by)
    names = [
        f"{one:g}_{column}" if isinstance(one, float) else f"{one}_{column}"
        for column, one in table
    ]
    return table.set_axis(names, axis=1).astype(float)


def row_a_group(frame, by, row, among=None):
    """A table with one row a group of records.

    The columns are those of `by` (a name or a list of names; the groups come in order of
    appearance, or `among` gives those wanted in order) and what ``row(group)``, a dict, adds.
    """
    names = [by] if isinstance(by, str) else by
    if among is not None:
        frame = pd.concat([select(frame, **{by: name}) for name in among])
    groups = frame.groupby(names, sort=False)
    return pd.DataFrame(
        [dict(zip(names, key, strict=True)) | row(group) for key, group in groups]
    )


def with_error(name, mean, error="SE"):
    """The two columns of a :class:`~companion.metrics.Mean` in a table: itself and its error."""
    return {name: mean.mean, error: mean.standard_error}


def magnitude(mean):
    """A :class:`~companion.metrics.Mean` without its sign; its error is what it was."""
    return mean._replace(mean=abs(mean.mean))


def range_text(values, spec):
    """The least and the largest of some values in words; one number where both look alike."""
    low = format(min(values), spec)
    high = format(max(values), spec)
    return low if low == high else f"{low} to {high}"


def mean_text(mean, spec="+.2f"):
    """A :class:`~companion.metrics.Mean` in words; of one repetition nobody knows the error."""
    text = f"{mean.mean:{spec}}"
    if math.isnan(mean.standard_error):
        return text
    return f"{text} (SE {mean.standard_error:{spec.removeprefix('+')}})"


def means_and_errors(found):
    """Arrays of the means and of their standard errors, for a figure."""
    means, errors, _ = np.transpose(found)
    return means, errors


def mean_over(groups):
    """Mean of the means of independent groups, which count alike; n is that of the smallest."""
    groups = list(groups)
    means, errors = means_and_errors(groups)
    error = float(np.sqrt(sum(errors**2))) / len(means)
    return Mean(float(np.mean(means)), error, min(group.n for group in groups))


class OverSets(NamedTuple):
    """A mean over data sets, of means over their splits.

    Attributes
    ----------
    mean : Mean
        With the standard error over splits: what more splits of these sets would show.
    error_over_sets : float
        The standard error over sets: what other sets of this kind would show.
    median : float
        Of the sets.
    """

    mean: Mean
    error_over_sets: float
    median: float

    def errors(self, digits=2):
        """Both errors in words, and the median where few sets make the mean.

        That is where the median has another sign, or is less than half of the mean.
        """
        text = f"standard error {self.mean.standard_error:.{digits}f} over splits"
        if not math.isnan(self.error_over_sets):
            text += f", {self.error_over_sets:.{digits}f} over sets"
        few = 2 * self.median * np.sign(self.mean.mean) < abs(self.mean.mean)
        return f"{text}; median {self.median:+.{digits}f}" if few else text


def over_sets(means):
    """The mean over data sets of a :class:`~companion.metrics.Mean` of each, an `OverSets`.

    The error over sets takes the place of that over splits where a sentence is about data sets at
    large; of one set alone nobody knows it.
    """
    means = list(means)
    of_sets, _ = means_and_errors(means)
    n = len(of_sets)
    error = np.std(of_sets, ddof=1) / math.sqrt(n) if n > 1 else math.nan
    return OverSets(mean_over(means), float(error), float(np.median(of_sets)))


def difference_of(one, other):
    """Difference of two means over independent samples."""
    error = float(np.hypot(one.standard_error, other.standard_error))
    return Mean(one.mean - other.mean, error, min(one.n, other.n))
