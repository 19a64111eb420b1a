"""Printed vectors: the numbers of a row that are judged together, and not one by one alone.

What is of one unit rises and falls together, and shares that add up to one leave one another no
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
    ENOUGH_FOR_TAILS,
    MATCHES,
    MAX_DISTANCE,
    NOT_TESTED,
    OPEN,
    RARE_DRAW,
    parse_printed,
    resamples,
)
from companion.reproduction.published import SCORED

_WITHIN_CHANCE = (MATCHES, NOT_TESTED, OPEN)


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


def chance_of_means(printed, decimals, draws, n_printed):
    """The chance that means of repetitions are as far from ours, together, as the printed ones.

    Both runs are drawn from our repetitions, whose covariance the distance goes by; those in the
    place of the print are rounded as it is.

    Parameters
    ----------
    printed, decimals : array-like of shape (n_cells,)
        The printed means, and the decimals of each.
    draws : array-like of shape (n_draws, n_cells)
        Our repetitions.
    n_printed : int
        Repetitions behind the print.
    """
    draws = np.asarray(draws, dtype=float)
    n = len(draws)
    centre = draws.mean(axis=0)
    centred = (draws - centre).astype(np.float32)
    theirs, ours = (
        centre + resamples(n, size) @ centred / size for size in (n_printed, n)
    )
    rounded = [np.round(*column) for column in zip(theirs.T, decimals, strict=True)]
    # of another sample, where both sizes are alike
    gaps = np.transpose(rounded) - np.roll(ours, 1, axis=0)
    inverse = np.linalg.pinv(np.cov(gaps.T), hermitian=True)
    every = np.vstack([printed - centre, gaps])
    distances = ((every @ inverse) * every).sum(axis=1)
    return float(np.mean(distances >= distances[0] * (1 - 1e-9)))


def compare_rows_jointly(rows, regenerations, comparisons, allowance=0.0):
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
    vectors = defaultdict(list)
    for place, row in enumerate(rows):
        if row["asks"] in SCORED and regenerations[place] is not None:
            vectors[row["row"], row["kind"]].append(place)
    judged = [*comparisons]
    for (_, kind), places in vectors.items():
        cells = [(rows[place], regenerations[place]) for place in places]
        if kind == "draw":
            chance = chance_of_draws(cells)
            rare = RARE_DRAW
        elif kind != "stochastic":
            continue
        else:
            chance = _chance_of_row(cells)
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


def _chance_of_row(cells):
    """The chance of the printed means of a row; NaN of too few repetitions, or of other units."""
    draws = [ours["draws"] for _, ours in cells]
    printed = [parse_printed(row["printed"]) for row, _ in cells]
    sizes = {row["n"] for row, _ in cells}
    lengths = {*map(len, draws)}
    alike = len(cells) > 1 and len(sizes) == len(lengths) == 1
    if not alike or min(lengths) < ENOUGH_FOR_TAILS or None in printed:
        return math.nan
    values, decimals = zip(*((n.value, n.decimals) for n in printed), strict=True)
    return chance_of_means(values, decimals, np.transpose(draws), int(sizes.pop()))
