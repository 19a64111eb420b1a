"""What the notebooks ``background``, ``magnification`` and ``criterion`` show."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.conformal.claims import over_sets, separabilities
from companion.papers.conformal.criterion import METHODS
from companion.papers.conformal.experiments import SVM
from companion.papers.conformal.values import errors
from companion.papers.summaries import none_without_records

__all__ = [
    "displacement_table",
    "falls_of_J",
    "growth_and_gain",
    "rank_agreement",
    "scene_table",
    "search_table",
    "statement_table",
]


def statement_table(frame):
    """The largest value over the random problems of every number of the background study.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``statements``.

    Returns
    -------
    DataFrame
        A row a number, with its least value too.
    """
    rows = [
        {"statement": words, "least": frame[name].min(), "largest": frame[name].max()}
        for name, words in (
            ("multipliers", "multipliers, hulls against the dual of the L2 machine"),
            ("bias", "bias, the same"),
            ("gap", "duality gap, relative"),
            ("bisector", "bisector of the hulls against the hard-margin machine"),
            ("metric_error", "metric of the Gaussian kernel, relative error"),
            ("theorem_5_error", "metric of Theorem 5, relative error"),
            ("angle_of_map", "change of angles by the map of the plane (degrees)"),
            ("angle_of_kernel", "change of angles by the transformed kernel (degrees)"),
            ("least_eigenvalue", "least eigenvalue of transformed kernel matrices"),
        )
    ]
    return pd.DataFrame(rows)


def scene_table(frame):
    """Where each method magnifies, means over the scenes: a row a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``scenes``.

    Returns
    -------
    DataFrame
    """
    rows = []
    for name, own in frame.groupby("method", sort=False):
        contrast = paired_difference(own.near, own.far)
        top = mean_and_standard_error(own.largest_at)
        rows.append(
            {
                "method": name,
                "frontier of the SVM": own.frontier.mean(),
                "largest magnification at": top.mean,
                "SE": top.standard_error,
                "near": own.near.mean(),
                "far": own.far.mean(),
                "near - far": contrast.mean,
                "SE of it": contrast.standard_error,
                "spread along the frontier": own.along.mean(),
            }
        )
    return pd.DataFrame(rows)


def displacement_table(frame):
    """How far the hyperplane of the larger class moves, means over the scenes.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``displacements``.

    Returns
    -------
    DataFrame
        A row a way of displacing.
    """
    rows = []
    for way, own in frame.groupby("way", sort=False):
        moved = mean_and_standard_error(own.moved)
        rows.append(
            {
                "way": way,
                "hyperplane moves by": moved.mean,
                "SE": moved.standard_error,
                "boundary is off by": own.boundary_off.mean(),
            }
        )
    return pd.DataFrame(rows)


@none_without_records(
    "method", "J / J of the SVM", "least", "evaluations of J", "g-means error", "method - SVM", "SE"
)
def search_table(frame):
    """J and errors by search over the real sets: a row a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``searches``.

    Returns
    -------
    DataFrame
        Geometric mean of J over that without a transformation, evaluations of J, and the test
        error of the machine forced upon its kernel.
    """
    log_J, evaluations = separabilities(frame)
    error = frame.assign(error=errors(frame)).pivot(
        index=["dataset", "partition", "fold"], columns="method", values="error"
    )
    rows = []
    for name in (SVM, *METHODS):
        ratio = (log_J[name] - log_J[SVM]).dropna()
        gap = paired_difference(over_sets(error[name]), over_sets(error[SVM]))
        rows.append(
            {
                "method": name,
                "J / J of the SVM": np.exp(ratio.mean()),
                "least": np.exp(ratio.min()),
                "evaluations of J": evaluations[name].mean(),
                "g-means error": error[name].mean(),
                "method - SVM": gap.mean,
                "SE": gap.standard_error,
            }
        )
    return pd.DataFrame(rows)


@none_without_records("data set", "rank correlation of J and error", "SE", "folds")
def rank_agreement(frame):
    """Whether a larger J goes with a smaller error: rank correlations over the methods of a fold.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``searches``.

    Returns
    -------
    DataFrame
        A row a data set: mean Spearman correlation of J and g-means error over its folds.
    """
    own = frame.assign(error=errors(frame), J=frame.J.astype(float)).dropna(subset=["J"])
    rows = []
    for name, part in own.groupby("dataset", sort=False):
        found = [
            fold.J.corr(fold.error, method="spearman")
            for _, fold in part.groupby(["partition", "fold"])
            if fold.error.nunique() > 1 and fold.J.nunique() > 1
        ]
        if len(found) > 1:
            mean = mean_and_standard_error(found)
            rows.append(
                {
                    "data set": name,
                    "rank correlation of J and error": mean.mean,
                    "SE": mean.standard_error,
                    "folds": mean.n,
                }
            )
    return pd.DataFrame(rows)


@none_without_records("method", "folds that end below the J of no transformation")
def falls_of_J(frame):
    """How often a search ends below the J of no transformation: a row a search.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``searches``.

    Returns
    -------
    DataFrame
    """
    log_J, _ = separabilities(frame)
    return pd.DataFrame(
        [
            {
                "method": name,
                "folds that end below the J of no transformation": float(
                    (log_J[name] < log_J[SVM] - 1e-9).mean()
                ),
            }
            for name in ("MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")
        ]
    )


def growth_and_gain(frame):
    """Growth of log10 J and the fall of the error, a point a fold, by method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``searches``.

    Returns
    -------
    dict of str to (ndarray, ndarray)
    """
    if frame.empty:
        return {}
    table = frame.assign(error=errors(frame), J=frame.J.astype(float))
    index = ["dataset", "partition", "fold"]
    base = table[table.method == SVM].set_index(index)
    groups = {}
    for name in ("MDT-JGRAD", "TSVT-JGRAD", "TSVT-JMETA", "exact maximiser"):
        own = table[table.method == name].set_index(index).dropna(subset=["J"])
        before = base.loc[own.index]
        groups[name] = (
            np.log10(own.J / before.J).to_numpy(),
            (before.error - own.error).to_numpy(),
        )
    return groups
