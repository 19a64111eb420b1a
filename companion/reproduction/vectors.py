"""Printed vectors: the numbers of a row that are judged together, and not one by one alone.

The draws of one unit rise and fall together, and shares that add up to one leave one another no
freedom. So a cell that is within chance by itself departs where its row does. The rules are in
``docs/verdicts.md``.
"""

import math
from collections import defaultdict
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from companion.reproduction._comparisons import (
    DEPARTS,
    DIFFERS,
    MATCHES,
    MAX_DISTANCE,
    NOT_TESTED,
    OPEN,
    RARE_DRAW,
    parse_printed,
)
from companion.reproduction.published import SCORED

_WITHIN_CHANCE = (MATCHES, NOT_TESTED, OPEN)
#: The covariances of so many shares follow from their variances.
_N_SHARES = 3


def joint_chance(printed, draws):
    """The share of draws, the print among them, that are as far from the others as the print is.

    Parameters
    ----------
    printed : array-like of shape (n_cells,)
        The numbers of one draw.
    draws : array-like of shape (n_draws, n_cells)
        Regenerated ones. The distance is Euclidean, in standard deviations of each cell.
    """
    distances = squared_distances_from_the_others(np.vstack([printed, draws]))
    return float(np.mean(distances >= distances[0] * (1 - 1e-12)))


def squared_distances_from_the_others(vectors):
    """Of each row from the mean of the others, in standard deviations of each column."""
    every = np.asarray(vectors, dtype=float)
    n = len(every)
    deviations = (every - every.mean(axis=0)) * n / (n - 1)
    scale = every.std(axis=0, ddof=1)  # of all rows, so that each has the same place
    used = scale > 0
    return ((deviations[:, used] / scale[used]) ** 2).sum(axis=1)


def chance_of_shares(departures, errors, roundings, degrees=math.inf):
    """The chance of three shares as far from their print as these, of which one is the rest.

    As they add up to one, the variances of all three tell the covariance of two of them: with
    these two the distance is a chi-squared of two degrees of freedom, or Hotelling's T squared.

    Parameters
    ----------
    departures, errors, roundings : array-like of shape (3,)
        Regenerated minus printed, the standard errors of that, and half a unit of the print.
    degrees : float, default=inf
        Degrees of freedom that the standard errors are known with.
    """
    variances = np.square(errors)
    covariance = np.diag(variances[:2])
    covariance[0, 1] = covariance[1, 0] = (variances[2] - variances[:2].sum()) / 2
    covariance += np.diag(np.square(roundings[:2]) / 3)
    two = np.asarray(departures[:2], dtype=float)
    distance = max(two @ np.linalg.pinv(covariance, hermitian=True) @ two, 0.0)
    if math.isinf(degrees):
        return math.exp(-distance / 2)
    return float((1 + distance / degrees) ** (-(degrees - 1) / 2))


def judge_by_row(rows, regenerations, comparisons, allowance=0.0):
    """Comparisons in which the scored numbers of a row are judged together, too.

    Parameters
    ----------
    rows : list of dict
        Printed cells.
    regenerations : list
        Of each, None where there is none.
    comparisons : list of Comparison
        Of each cell by itself.
    allowance : float, default=0.0
        Standard errors that a quick run is allowed beyond those of the rule.

    Returns
    -------
    list of Comparison
    """
    together = defaultdict(list)
    for place, row in enumerate(rows):
        if row["asks"] in SCORED and regenerations[place] is not None:
            together[row["row"], row["kind"]].append(place)
    judged = [*comparisons]
    for (_, kind), places in together.items():
        cells = [(rows[place], regenerations[place]) for place in places]
        if kind == "draw":
            chance = chance_of_draws(cells)
            rare = RARE_DRAW
        else:
            errors = [comparisons[place].se for place in places]
            chance = _chance_of_row(cells, errors, of_few=allowance > 0)
            rare = 2 * NormalDist().cdf(-MAX_DISTANCE - allowance)
        if chance < rare:
            note = f"within chance by itself, but not its row (chance {chance:.2g})"
            for place in places:
                judged[place] = _departed(judged[place], DIFFERS, note)
    return judged


def _departed(comparison, verdict, note):
    """A comparison that is within chance by itself, but not with the others."""
    could_depart = comparison.is_run and comparison.scored
    if not could_depart or comparison.verdict not in _WITHIN_CHANCE:
        return comparison
    changed = {"verdict": verdict, "coarse": False, "because": "", "note": note}
    return replace(comparison, needs=math.nan, **changed)


def repeat_departures(rows, comparisons):
    """Comparisons in which a cell that repeats another of its table departs where that one does."""
    names = [f"{row['row']} / {row['column']}" for row in rows]
    by_name = dict(zip(names, comparisons, strict=True))
    judged = []
    for row, comparison in zip(rows, comparisons, strict=True):
        repeated = by_name.get(row["repeats"], comparison).verdict
        if repeated in DEPARTS:
            note = f"within chance by itself, but {row['repeats']} is not"
            comparison = _departed(comparison, repeated, note)
        judged.append(comparison)
    return judged


def chance_of_draws(cells):
    """The joint chance of cells, each a row of the print with its regeneration.

    NaN of a single cell, or of draws of different units; the draws are rounded as the paper does.
    """
    counted = [(row, ours) for row, ours in cells if not row["repeats"]]
    draws = [
        np.round(ours["draws"], parse_printed(row["printed"]).decimals)
        for row, ours in counted
    ]
    if len(counted) < 2 or len({*map(len, draws)}) > 1 or np.isnan(draws).any():
        return math.nan
    return joint_chance([row["value"] for row, _ in counted], np.transpose(draws))


def _chance_of_row(cells, errors, of_few):
    """The chance of three shares that add up to one in print; NaN of anything else.

    Where the repetitions are few, what they say of the standard errors is little.
    """
    printed = [parse_printed(row["printed"]) for row, _ in cells]
    if len(cells) != _N_SHARES or None in printed or not np.isfinite(errors).all():
        return math.nan
    roundings = [number.half_unit for number in printed]
    values = np.array([number.value for number in printed])
    if abs(sum(values) - 1) > sum(roundings):
        return math.nan
    departures = [ours["value"] for _, ours in cells] - values
    fewest = min(ours["n"] for _, ours in cells)
    degrees = max(fewest - 1, 1) if of_few else math.inf
    return chance_of_shares(departures, errors, roundings, degrees)
