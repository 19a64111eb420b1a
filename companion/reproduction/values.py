"""From records to the reproduced values of an artefact, each at its place in the print."""

import math
import re
from functools import partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pandas as pd

from companion.reproduction.artefacts import Artefact

__all__ = ["Values", "artefacts", "evaluated", "values_from"]


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


_NAMES = re.compile(r"`([^`]+)`|([A-Za-z_]\w*)")


def evaluated(table, expression):
    """An expression of columns, as :meth:`pandas.DataFrame.eval` has it, where all are there."""
    names = {quoted or name for quoted, name in _NAMES.findall(expression)}
    named = table[[name for name in table if name in names]].dropna()
    return named.eval(expression, engine="python")


class _Mean(NamedTuple):
    mean: float
    standard_error: float
    n: int


def _mean_of(place, repetitions):
    """The mean of repetitions with its standard error, NaN of one alone."""
    values = np.asarray(repetitions, dtype=float)
    n = values.size
    if not (n and np.isfinite(values).all()):
        raise ValueError(
            f"The repetitions of {place} must be finite numbers, at least one. Got {values}."
        )
    if n == 1:
        return _Mean(float(values[0]), math.nan, 1)
    return _Mean(float(values.mean()), math.sqrt(values.var(ddof=1) * (1.0 / n)), n)


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
    """Reproduced values, row by row, as :func:`~companion.reproduction.verdicts.compare` wants.

    Row and column name the place in the print; spread is a standard deviation over ``n``
    repetitions, ``se`` the standard error where it is not spread / sqrt(n), ``draws`` the
    repetitions themselves, in the order of the units, ``reading`` the id of another reading of
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
        """A mean with the standard error of a claim: of a named tuple, or of repetitions.

        The tuple has ``mean``, ``standard_error`` and ``n``. The error of one repetition is not
        known, so that it decides nothing.
        """
        if not hasattr(mean, "standard_error"):
            mean = _mean_of(f"{row} / {column}", mean)
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
        known = {"n": len(values), "draws": tuple(map(float, values))}
        self.add(row, column, values.mean(), spread=values.std(ddof=1), **known)

    def add_cell(self, row, column, values, converged=None, **known):
        """A printed "mean ± spread": the mean of the repetitions, and their spread as "X ±"."""
        values = [float(value) for value in values]
        mean, spread = _mean_and_spread(values)
        known |= {"n": len(values), "draws": tuple(values)}
        self.add(row, column, mean, converged, spread=spread, **known)
        self.add(row, f"{column} ±", spread, converged, **known)

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
