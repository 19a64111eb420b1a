"""Summaries of the records that the notebooks show beside the report's sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.gacv.beyond import DATASETS, SEARCHES
from companion.papers.gacv.example import SAMPLE_SIZE, bayes_risk
from companion.papers.gacv.selection import CRITERIA, NONSTANDARD_NAMES
from companion.papers.gacv.values import PRINTED_GRID, runs, searched
from companion.papers.summaries import present

__all__ = [
    "criterion_names",
    "curve_table",
    "estimate_table",
    "inefficiency_samples",
    "inefficiency_table",
    "minima",
    "search_table",
    "size_table",
    "tuning_differences",
    "valley_table",
]


def criterion_names(case):
    """What a reader calls the criteria in a case.

    Parameters
    ----------
    case : {"standard", "nonstandard"}

    Returns
    -------
    dict of str to str
        By the names of the records.
    """
    return CRITERIA if case == "standard" else NONSTANDARD_NAMES


def inefficiency_samples(frame, case, criteria, grid=PRINTED_GRID, n=SAMPLE_SIZE):
    """Inefficiencies over the samples, keyed by what a reader calls the criterion.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}
    criteria : sequence of str
        Names of :data:`companion.papers.gacv.selection.CRITERIA`.
    grid : {"fine", "coarse"}, default="fine"
    n : int, default=200
        Size of a sample.

    Returns
    -------
    dict of str to ndarray of shape (n_samples,)
    """
    names = criterion_names(case)
    return {
        names[name]: runs(frame, case, name, grid, n).inefficiency.to_numpy() for name in criteria
    }


def inefficiency_table(frame, case, grid=PRINTED_GRID, n=SAMPLE_SIZE):
    """Distribution of the inefficiency of every criterion.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}
    grid : {"fine", "coarse"}, default="fine"
    n : int, default=200

    Returns
    -------
    DataFrame
        A row a criterion: mean, standard error, median, ninth decile, mean number of tied
        minimisers, and the paired difference to 10-fold cross-validation with its standard error.
    """
    reference = runs(frame, case, "cv_10", grid, n).inefficiency
    rows = []
    for name, words in criterion_names(case).items():
        own = runs(frame, case, name, grid, n)
        mean = mean_and_standard_error(own.inefficiency)
        difference = paired_difference(own.inefficiency, reference)
        rows.append(
            {
                "criterion": words,
                "mean": mean.mean,
                "SE": mean.standard_error,
                "median": float(np.median(own.inefficiency)),
                "90 %": float(np.quantile(own.inefficiency, 0.9)),
                "tied cells": own.n_tied.mean(),
                "minus 10-fold CV": difference.mean,
                "SE of difference": difference.standard_error,
            }
        )
    return pd.DataFrame(rows)


def size_table(frame, case):
    """Mean inefficiency for every sample size and grid on record, a column each.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}

    Returns
    -------
    DataFrame
        A row a criterion.
    """
    settings = sorted(
        {(grid, n) for grid, n in zip(frame.grid, frame.n, strict=True)},
        key=lambda setting: (setting[1], setting[0]),
    )
    rows = []
    for name, words in criterion_names(case).items():
        row = {"criterion": words}
        for grid, n in settings:
            mean = mean_and_standard_error(runs(frame, case, name, grid, n).inefficiency)
            row |= {f"n = {n}, {grid}": mean.mean, f"SE {n} {grid}": mean.standard_error}
        rows.append(row)
    return pd.DataFrame(rows)


def estimate_table(frame, case):
    """What a criterion promises at its minimum, and how far it is from what it estimates.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}

    Returns
    -------
    DataFrame
        A row a criterion (GACV and GCKL halved): its value at its minimum, the target there, the
        paired difference and its standard error; the mean over the grid of the difference to
        exact leave-one-out, and of the absolute difference to the target.
    """
    rows = []
    for name, words in criterion_names(case).items():
        own = runs(frame, case, name)
        difference = paired_difference(own.estimate, own.target)
        rows.append(
            {
                "criterion": words + (" / 2" if name in ("gacv", "gckl") else ""),
                "at its minimum": own.estimate.mean(),
                "target there": own.target.mean(),
                "difference": difference.mean,
                "SE": difference.standard_error,
                "minus leave-one-out, all cells": own.minus_loo.mean(),
                "distance to target, all cells": own.off_target.mean(),
            }
        )
    return pd.DataFrame(rows)


def curve_table(frame, case):
    """How far the tuned decision curves are from the true one, in the whole population.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}

    Returns
    -------
    DataFrame
        A row a criterion: the share of the population on which its rule and the true one
        disagree, the same with the rule of least target and with the rule of GACV, and its risk
        over the Bayes risk, with standard errors.
    """
    rows = []
    for name, words in criterion_names(case).items():
        own = runs(frame, case, name)
        true = mean_and_standard_error(own.from_true)
        excess = mean_and_standard_error(own.risk / bayes_risk(case))
        rows.append(
            {
                "criterion": words,
                "disagrees with true": true.mean,
                "SE": true.standard_error,
                "with the best on the grid": own.from_misclass.mean(),
                "with GACV": own.from_gacv.mean(),
                "risk / Bayes risk": excess.mean,
                "SE of ratio": excess.standard_error,
            }
        )
    return pd.DataFrame(rows)


def valley_table(frame, case):
    """Shape of the region within a tenth of the minimum, and where the minimum lies.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}

    Returns
    -------
    DataFrame
        A row a criterion: mean length and width in decades, tilt, extent in lambda at the best
        sigma, mean log10 lambda and log10 sigma^2 of the minimum, and the place of the minimum
        along the valley of the target (1 is the end of larger lambda).
    """
    rows = []
    for name, words in criterion_names(case).items():
        own = runs(frame, case, name)
        rows.append(
            {
                "surface": words,
                "length": own.length.mean(),
                "width": own.width.mean(),
                "tilt": own.tilt.mean(),
                "decades of lambda": own.decades.mean(),
                "log10 lambda": own.log10_lambda.mean(),
                "log10 sigma^2": own.log10_sigma2.mean(),
                "place along target's valley": own.position.mean(),
            }
        )
    return pd.DataFrame(rows)


def minima(frame, case, criteria):
    """Chosen (log10 lambda, log10 sigma^2) of every sample, keyed by the criterion's name.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``inefficiency``.
    case : {"standard", "nonstandard"}
    criteria : sequence of str
        Names of :data:`companion.papers.gacv.selection.CRITERIA`.

    Returns
    -------
    dict of str to ndarray of shape (n_samples, 2)
    """
    names = criterion_names(case)
    return {
        names[name]: runs(frame, case, name)[["log10_lambda", "log10_sigma2"]].to_numpy()
        for name in criteria
    }


def search_table(frame):
    """The searches on the real data sets: error, chosen cell, time.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond``.

    Returns
    -------
    DataFrame
        A row a data set and search: test error, difference to 5-fold cross-validation on the same
        splits with its standard error over these splits, mean log2 of the chosen C and gamma,
        median CPU milliseconds, and how many times faster than GridSearchCV(SVC), in the median
        over the splits that it searched.
    """
    rows = []
    for name in present(frame, DATASETS):
        folds, peer = searched(frame, name, "cv"), searched(frame, name, "scikit-learn")
        peer = peer.set_index("split").seconds
        for search, words in SEARCHES.items():
            own = searched(frame, name, search)
            same = folds[folds.split.isin(own.split)]
            difference = paired_difference(own.error, same.error)
            seconds = own.set_index("split").seconds
            rows.append(
                {
                    "data set": DATASETS[name],
                    "search": words,
                    "splits": len(own),
                    "% err.": own.error.mean(),
                    "minus 5-fold CV": difference.mean,
                    "SE": difference.standard_error,
                    "log2 C": own.log2_C.mean(),
                    "log2 gamma": own.log2_gamma.mean(),
                    "ms": 1000 * seconds.median(),
                    "x GridSearchCV(SVC)": (peer / seconds.loc[peer.index]).median(),
                }
            )
    return pd.DataFrame(rows)


def tuning_differences(frame, searches=("gacv", "xi_alpha", "leave_one_out")):
    """Error minus that of 5-fold cross-validation, with its standard error, a column a search.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``beyond``.
    searches : sequence of str, optional
        Names of :data:`companion.papers.gacv.beyond.SEARCHES`.

    Returns
    -------
    list of str
        Names of the data sets.
    dict of str to (ndarray, ndarray)
        Means and standard errors over the data sets, keyed by search.
    """
    table = search_table(frame)
    found = {}
    for search in searches:
        rows = table[table.search == SEARCHES[search]]
        found[SEARCHES[search]] = rows["minus 5-fold CV"].to_numpy(), rows.SE.to_numpy()
    return [DATASETS[name] for name in present(frame, DATASETS)], found
