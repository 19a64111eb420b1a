"""What the papers share in listing studies, and in turning records into values and tables."""

import math
from functools import partial
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from companion.metrics import Mean, mean_and_standard_error
from companion.reproduction import Artefact, Study, Unit

#: What units of splits have as ``splits``: these are drawn anew.
DRAWN = "drawn"

# The kurtosis of fewer repetitions is too small too often; their spreads are judged as normal.
_ENOUGH_FOR_KURTOSIS = 30


def study_over(paper, name, compute, settings=None, digest=None, *, digits=6, **levels):
    """A study with a unit for each setting, a mapping, and combination of levels.

    A level is its values, or how many repetitions, which count from 1. Settings and levels may
    differ by profile: a mapping from profile to what they are. ``digest(params)`` is that of data,
    and so many ``digits`` are kept of the results.
    """

    def values_of(given, profile):
        given = given[profile] if isinstance(given, dict) else given
        return range(1, given + 1) if isinstance(given, int) else given

    def units(profile):
        axes = [
            values_of(given, profile) for given in (settings or [{}], *levels.values())
        ]
        for setting, *chosen in product(*axes):
            params = setting | dict(zip(levels, chosen, strict=True))
            yield Unit(paper, name, params, digest(params) if digest else "")

    return Study(paper, name, lambda profile: list(units(profile)), compute, digits)


def rounded(row, decimals=6):
    """A result row whose floats have so many decimals."""
    return {
        name: round(float(value), decimals) if isinstance(value, float) else value
        for name, value in row.items()
    }


def numbered(key, number, counts):
    """Settings by profile: for each of the keys so many repetitions, which count from 1."""
    return {
        profile: [
            {key: one, number: k} for one, n in of.items() for k in range(1, n + 1)
        ]
        for profile, of in counts.items()
    }


def artefacts(paper, *rows):
    """Artefacts, of a module each, which has their STUDIES and VALUES, and a title.

    VALUES are parts as :func:`values_from` wants them. A module whose rows are judged together has
    ``JUDGED_BY_ROW``; ``what_came_out(run)`` gives the sentences with which its notebook opens.
    """
    found = []
    for module, title in rows:
        name = module.__name__.rpartition(".")[2]
        values = partial(values_from, module.VALUES)
        by_row = getattr(module, "JUDGED_BY_ROW", False)
        opening = getattr(module, "what_came_out", None)
        studies = module.STUDIES
        found.append(
            Artefact(
                paper, name, title, studies, values, by_row, opening, module.__name__
            )
        )
    return found


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


def standard_error_of_spread(values):
    """Large-sample standard error of a standard deviation, from the kurtosis of the values.

    Where most repetitions are alike, as numbers of support vectors at the size of the training
    part, the normal value would be far too small. Where one half is of one value and the other
    of a second, the kurtosis is 1 and the first order nothing; the second is less than a share
    1 / n of the deviation, which is the least here. NaN where all values are equal.
    """
    n = len(values)
    mean = fmean(values)
    variance = sum((value - mean) ** 2 for value in values) / n
    if variance == 0:
        return math.nan
    kurtosis = sum((value - mean) ** 4 for value in values) / n / variance**2
    return math.sqrt(variance * max((kurtosis - 1) / (4 * n), 1 / n**2))


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


def evaluated(table, expression):
    """An expression of columns, as :meth:`pandas.DataFrame.eval` has it, where all are there."""
    named = table[[name for name in table if name in expression]]
    return named.eval(expression, engine="python").dropna()


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


def difference_of(one, other):
    """Difference of two means over independent samples."""
    error = float(np.hypot(one.standard_error, other.standard_error))
    return Mean(one.mean - other.mean, error, min(one.n, other.n))


def _mean_and_spread(values):
    """Mean and standard deviation, NaN of one value alone."""
    n = len(values)
    mean = fmean(values)
    if n == 1:
        return mean, math.nan
    if min(values) == max(values):  # whose sum may round
        return values[0], 0.0
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))


class _Value(NamedTuple):
    """A reproduced value and its place, and what is known of it where nothing else is said."""

    row: str
    column: str
    value: float
    spread: float = math.nan
    n: float = 1
    se: float = math.nan
    draws: tuple | None = None
    reading: str = ""
    converged: bool = True


class Values:
    """Reproduced values, row by row, as :func:`companion.reproduction.verdicts.compare` wants them.

    Row and column name the place in the print; spread is a standard deviation over ``n``
    repetitions, ``se`` the standard error where it is not spread / sqrt(n), ``draws`` the
    repetitions themselves where the print shows one draw, ``reading`` the id of another reading of
    the print, ``converged`` whether every fit behind the value did: what the list says, where it is
    not given. Each method passes on what else is known of a value.
    """

    def __init__(self, converged=True):
        self.rows = []
        self.converged = converged

    def add(self, row, column, value, converged=None, **known):
        """A value with what is known about its chance, and the reading of the print it is of."""
        known["converged"] = self.converged if converged is None else converged
        self.rows.append(_Value(row, column, float(value), **known)._asdict())

    def extend(self, other, reading=""):
        """The values of another list, under a reading."""
        self.rows += [row | {"reading": reading} for row in other.rows]

    def add_read_by(self, add, frame, reading):
        """What ``add(values, frame)`` adds last for a place, under a reading; no settings."""
        found = Values(self.converged)
        add(found, frame)
        last = {(row["row"], row["column"]): row for row in found.rows}
        found.rows = [row for row in last.values() if row["row"] != "protocol"]
        self.extend(found, reading)

    def add_all(self, row, values, reading=""):
        """Several values without chance in one row: a mapping from column to value."""
        for column, value in values.items():
            self.add(row, column, value, reading=reading)

    def add_mean(self, row, column, mean, converged=None, **known):
        """A mean with the standard error of a claim: a :class:`~companion.metrics.Mean`.

        Or of repetitions. The error of one repetition is not known, so that it decides nothing.
        """
        if not isinstance(mean, Mean):
            mean = mean_and_standard_error(mean)
        se = mean.standard_error
        if mean.n == 1 and math.isnan(se):
            se = math.inf
        self.add(row, column, mean.mean, converged, n=mean.n, se=se, **known)

    def add_means(self, row, means, converged=None, **known):
        """Several means of one row: a mapping from column to a mean or its repetitions."""
        for column, mean in means.items():
            self.add_mean(row, column, mean, converged, **known)

    def add_claims(self, row, table, claims, converged=None, **known):
        """Means over the rows of a table, a repetition each, of expressions of its columns.

        `claims` maps what a quantity is called to its expression, in the language of
        :meth:`pandas.DataFrame.eval`. Repetitions that lack a part of it are left out.
        """
        for column, expression in claims.items():
            self.add_mean(row, column, evaluated(table, expression), converged, **known)

    def add_spread(self, row, column, values):
        """The mean of repetitions, an array or a Series, with their spread."""
        self.add(row, column, values.mean(), spread=values.std(ddof=1), n=len(values))

    def add_cell(self, row, column, values, converged=None, **known):
        """A printed "mean ± spread": the mean of the repetitions, and their spread as "X ±"."""
        values = [float(value) for value in values]
        mean, spread = _mean_and_spread(values)
        known |= {"n": len(values), "converged": converged}
        self.add(row, column, mean, spread=spread, **known)
        is_known = len(values) >= _ENOUGH_FOR_KURTOSIS
        se = standard_error_of_spread(values) if is_known else math.nan
        self.add(row, f"{column} ±", spread, se=se, **known)

    def add_draws(self, row, column, draws, converged=None, **known):
        """The distribution that the one printed draw is placed in, in the order of the units."""
        draws = tuple(float(draw) for draw in draws)
        mean, spread = _mean_and_spread(draws)
        known |= {"spread": spread, "n": len(draws), "draws": draws}
        self.add(row, column, mean, converged, **known)

    def frame(self):
        """One row a value, a DataFrame."""
        return pd.DataFrame(self.rows, columns=_Value._fields)


def values_from(parts, records):
    """The values of an artefact, a DataFrame, from the records of its studies.

    Each part is a function and the names of studies; ``function(values, *frames)`` adds to the
    :class:`Values` where there are records of all of them, and of one of "a + b", whose records go
    together. A value has converged where it is not said otherwise if all of these records have.
    """
    values = Values()
    for add, *studies in parts:
        frames = [_joined_records(records, names.split(" + ")) for names in studies]
        if all(map(len, frames)):
            values.converged = all(
                frame.get("converged", np.True_).all() for frame in frames
            )
            add(values, *frames)
    return values.frame()


def _joined_records(records, names):
    """The records of some studies, one after the other."""
    frames = [records[name] for name in names]
    return pd.concat([frame for frame in frames if len(frame)] or frames)
