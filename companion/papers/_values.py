"""Collects the values that a paper's records reproduce, one row a published value."""

from __future__ import annotations

import math

_NAN = math.nan


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
        """A value with what is known about its chance."""
        self.rows.append({"row": row, "column": column, "value": float(value), "spread": spread,
                          "n": n, "se": se, "draws": draws, "converged": bool(converged)})

    def add_mean(self, row, column, mean, converged=True):
        """A mean with the standard error of a claim, from :mod:`companion.metrics`."""
        self.add(row, column, mean.mean, n=mean.n, se=mean.standard_error, converged=converged)

    def add_draws(self, row, column, draws, converged=True):
        """The distribution that the one printed draw is placed in."""
        draws = tuple(sorted(float(draw) for draw in draws))
        mean = sum(draws) / len(draws)
        spread = _NAN
        if len(draws) > 1:
            spread = math.sqrt(sum((draw - mean) ** 2 for draw in draws) / (len(draws) - 1))
        self.add(row, column, mean, spread=spread, n=len(draws), draws=draws, converged=converged)

    def frame(self):
        """One row a value."""
        import pandas as pd

        columns = ["row", "column", "value", "spread", "n", "se", "draws", "converged"]
        return pd.DataFrame(self.rows, columns=columns)
