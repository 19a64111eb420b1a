"""What the papers share in turning records into values: one row a published value."""

from __future__ import annotations

import math
from functools import wraps

import numpy as np

from companion.metrics import Mean

_NAN = math.nan

# The kurtosis of fewer repetitions is too small too often; their spreads are judged as normal.
_ENOUGH_FOR_KURTOSIS = 30


def standard_error_of_spread(values):
    """Large-sample standard error of a standard deviation, from the kurtosis of the values.

    Where most repetitions are alike, as numbers of support vectors at the size of the training
    part, the normal value would be far too small. NaN where all values are equal.

    Parameters
    ----------
    values : sequence of float
        One a repetition.

    Returns
    -------
    float
    """
    n, mean = len(values), math.fsum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / n
    if variance == 0:
        return _NAN
    kurtosis = sum((value - mean) ** 4 for value in values) / n / variance**2
    return math.sqrt(variance * max(kurtosis - 1, 0) / (4 * n))


def share(hits):
    """A share with its binomial standard error, of half a case more and less where it is 0 or 1.

    Parameters
    ----------
    hits : array-like of bool

    Returns
    -------
    companion.metrics.Mean
    """
    hits = np.asarray(hits, dtype=float)
    n, mean = len(hits), hits.mean()
    smoothed = (hits.sum() + 0.5) / (n + 1)
    return Mean(mean, float(np.sqrt(smoothed * (1 - smoothed) / n)), n)


def present(frame, names):
    """Data sets that have records, in the order of `names`.

    Parameters
    ----------
    frame : DataFrame
        Records with the column ``dataset``; without any column where there are none.
    names : iterable of str
        Data sets, in the order of print.

    Returns
    -------
    list of str
    """
    return [name for name in names if not frame.empty and (frame.dataset == name).any()]


def none_without_records(*columns):
    """Where no data file could be had there are no records, and a table has no rows.

    Parameters
    ----------
    *columns : str
        Columns of the empty table.

    Returns
    -------
    callable
        Decorator of a function from the records to a table.
    """

    def decorate(function):
        @wraps(function)
        def table(frame):
            import pandas as pd

            return function(frame) if len(frame) else pd.DataFrame(columns=columns)

        return table

    return decorate


def means_and_errors(found):
    """Arrays of the means and of their standard errors, for a figure.

    Parameters
    ----------
    found : sequence of companion.metrics.Mean

    Returns
    -------
    means, errors : ndarray of shape (n_found,)
    """
    return (
        np.array([mean.mean for mean in found]),
        np.array([mean.standard_error for mean in found]),
    )


def _mean_and_spread(values):
    """Mean and standard deviation, NaN of one value alone."""
    n, mean = len(values), math.fsum(values) / len(values)
    if n == 1:
        return mean, _NAN
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))


class Values:
    """Reproduced values, row by row, as :func:`companion.reproduction.verdicts.compare` wants them.

    Row and column name the place in the print; spread is a standard deviation over ``n``
    repetitions, ``se`` the standard error where it is not spread / sqrt(n), ``draws`` the
    repetitions themselves where the print shows one draw, ``converged`` whether every fit behind
    the value did.
    """

    def __init__(self):
        self.rows = []

    def add(self, row, column, value, *, spread=_NAN, n=1, se=_NAN, draws=None, converged=True):
        """A value with what is known about its chance.

        Parameters
        ----------
        row, column : str
            The place in the print.
        value : float
        spread : float, optional
            Standard deviation over the repetitions.
        n : int, default=1
            Number of repetitions.
        se : float, optional
            Standard error, where it is not spread / sqrt(n).
        draws : tuple of float, optional
            The repetitions, where the print shows one.
        converged : bool, default=True
            Whether every fit behind the value did.
        """
        self.rows.append(
            {
                "row": row,
                "column": column,
                "value": float(value),
                "spread": spread,
                "n": n,
                "se": se,
                "draws": draws,
                "converged": bool(converged),
            }
        )

    def add_mean(self, row, column, mean, converged=True):
        """A mean with the standard error of a claim, from :mod:`companion.metrics`.

        Parameters
        ----------
        row, column : str
            The place in the print.
        mean : companion.metrics.Mean
        converged : bool, default=True
            Whether every fit behind the value did.
        """
        self.add(row, column, mean.mean, n=mean.n, se=mean.standard_error, converged=converged)

    def add_cell(self, row, column, values, converged=True):
        """A printed "mean ± spread": the mean of the repetitions, and their spread as "X ±".

        Parameters
        ----------
        row, column : str
            The place in the print.
        values : iterable of float
            One a repetition.
        converged : bool, default=True
            Whether every fit behind the value did.
        """
        values = [float(value) for value in values]
        n, (mean, spread) = len(values), _mean_and_spread(values)
        self.add(row, column, mean, spread=spread, n=n, converged=converged)
        se = standard_error_of_spread(values) if n >= _ENOUGH_FOR_KURTOSIS else _NAN
        self.add(row, f"{column} ±", spread, n=n, se=se, converged=converged)

    def add_draws(self, row, column, draws, converged=True):
        """The distribution that the one printed draw is placed in.

        Parameters
        ----------
        row, column : str
            The place in the print.
        draws : iterable of float
        converged : bool, default=True
            Whether every fit behind the value did.
        """
        draws = tuple(sorted(float(draw) for draw in draws))
        mean, spread = _mean_and_spread(draws)
        self.add(row, column, mean, spread=spread, n=len(draws), draws=draws, converged=converged)

    def frame(self):
        """One row a value.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        columns = ["row", "column", "value", "spread", "n", "se", "draws", "converged"]
        return pd.DataFrame(self.rows, columns=columns)
