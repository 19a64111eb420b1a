"""From records to the sentences of chapters 2 to 7, for the notebooks beside the tables."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.conformal import problems
from companion.papers.conformal.experiments import CONFORMAL, SVM
from companion.papers.conformal.studies import BOARD_NAME
from companion.papers.conformal.values import by_partition, error_table, errors, undecided_if_few
from companion.papers.summaries import Values, share


def _add(out, row, column, mean):
    """A mean over partitions, undecided where there are too few of them."""
    out.add_mean(row, column, undecided_if_few(mean, mean.n))


# -- background -----------------------------------------------------------------------------


def background_values(records):
    """Chapters 2 and 3."""
    out, frame = Values(), records["statements"]
    if frame.empty:
        return out.frame()
    for row, column, name in (
        ("(2.2.7)", "largest |w - 2 w^ / |w^|^2|, relative", "multipliers"),
        ("(2.2.7)", "|b - 2 b^ / |w^|^2|", "bias"),
        (
            "Section 2.2.1",
            "distance of the hulls' bisector from the hard-margin machine",
            "bisector",
        ),
        ("Figure 2.1.3", "largest relative duality gap", "gap"),
        ("Figure 3.3.2", "largest change of an angle by the map drawn (degrees)", "angle_of_map"),
        ("(3.3.17)", "largest error of the metric, relative", "metric_error"),
        ("Theorem 5", "largest error of the metric, relative", "theorem_5_error"),
        (
            "(3.3.18)",
            "largest change of an angle by the transformed kernel (degrees)",
            "angle_of_kernel",
        ),
    ):
        out.add(row, column, frame[name].max())
    out.add(
        "(3.3.24)",
        "least eigenvalue of transformed kernel matrices, relative",
        frame.least_eigenvalue.min(),
    )
    out.add(
        "Figure 2.1.5",
        "points on the line told apart by a line over the parabola, share",
        _parabola(),
    )
    value, se, n = share(frame.as_noise)
    out.add(
        "Figure 3.1.4",
        "positive patterns within the margin of a larger one, share of samples",
        value,
        se=se,
        n=n,
    )
    return out.frame()


def _parabola():
    from companion.papers.conformal.background import linear_machine
    from companion.papers.conformal.figures import parabola_sample

    _, y, image = parabola_sample()
    return float(np.mean(np.sign(linear_machine(image, y).decision(image)) == y))


# -- magnification --------------------------------------------------------------------------


def magnification_values(records):
    """Sections 4.1 to 4.5 and Figure 5.3.1."""
    out, frame = Values(), records["scenes"]
    if not frame.empty:
        of = {name: own.sort_values("scene").reset_index() for name, own in frame.groupby("method")}
        for name in ("Amari", "Williams"):
            out.add_mean(
                name,
                "log10 of the magnification ratio: near the frontier - far",
                paired_difference(of[name].near, of[name].far),
            )
        wu, act, kba = of["Wu-Amari"], of["ACT"], of["KBA"]
        out.add_mean(
            "Wu-Amari",
            "spread of log10 of the ratio along the frontier: Wu-Amari - Amari",
            paired_difference(wu.along, of["Amari"].along),
        )
        out.add_mean(
            "Figure 4.3.1",
            "distance of the largest magnification from the frontier of"
            " the SVM - from the true one, Wu-Amari",
            paired_difference((wu.largest_at - wu.frontier).abs(), wu.largest_at.abs()),
        )
        out.add_mean(
            "Figure 4.3.2",
            "distance of the largest magnification from the true frontier: ACT - Wu-Amari",
            paired_difference(act.largest_at.abs(), wu.largest_at.abs()),
        )
        known = kba[kba.artificial.notna()]
        out.add_mean(
            "Figure 4.4.1",
            "distance of the artificial support vectors from the true"
            " frontier - of the SVM's frontier from it",
            paired_difference(known.artificial.astype(float), known.frontier.abs()),
        )
    moved = records["displacements"]
    if not moved.empty:
        moved = moved.pivot(index="scene", columns="way", values="moved")
        out.add_mean(
            "Figure 5.3.1",
            "distance of the support hyperplane of the majority class: bias - margin displacement",
            paired_difference(moved["bias displaced"], moved["margin displaced"]),
        )
    formula = records["formula"]
    if not formula.empty:
        out.add(
            "(4.1.5)",
            "largest error of the magnification as printed, relative",
            formula.printed.iloc[0],
        )
        out.add(
            "(4.1.5)", "largest error with sigma^2 / tau^4, relative", formula.by_theorem.iloc[0]
        )
    return out.frame()


# -- criterion ------------------------------------------------------------------------------


def separabilities(frame):
    """log J and number of evaluations, a row a data set, partition and fold, by method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``searches``.

    Returns
    -------
    log_J, evaluations : DataFrame
    """
    index = ["dataset", "partition", "fold"]
    J = frame.pivot(index=index, columns="method", values="J").astype(float)
    return np.log(J), frame.pivot(index=index, columns="method", values="evaluations")


def over_sets(table):
    """Mean over folds and data sets of a column, a value a partition.

    Parameters
    ----------
    table : Series
        Indexed by partition, among others.

    Returns
    -------
    Series
    """
    return table.groupby(level="partition").mean()


def criterion_values(records):
    """Sections 4.6, 5.2 and chapter 7 on the separability J."""
    out, frame = Values(), records["identities"]
    if not frame.empty:
        for row, column, name in (
            (
                "Theorem 6",
                "largest error of J by (4.6.14) as printed, B = K_intra + K/N, relative",
                "printed_error",
            ),
            ("Theorem 6", "largest error of J with B = K_intra - K/N, relative", "theorem_error"),
            ("(4.6.4)", "largest |Z Z' - K|, relative", "space_error"),
            ("(5.2.4)", "largest error of the gradient of J, relative", "gradient_error"),
        ):
            out.add(row, column, frame[name].max())
    frame = records["searches"]
    if not frame.empty:
        _searches(out, frame)
    return out.frame()


def _ratio(out, row, column, difference):
    """exp of a mean difference of logarithms, with its error by the same map."""
    means = over_sets(difference.dropna())
    mean = undecided_if_few(mean_and_standard_error(means), len(means))
    value = np.exp(mean.mean)
    out.add(row, column, value, se=value * mean.standard_error, n=mean.n)


def _searches(out, frame):
    log_J, evaluations = separabilities(frame)
    for name in ("MDT", "TSVT"):
        grad, meta = f"{name}-JGRAD", f"{name}-JMETA"
        _ratio(out, name, "ratio of J: JMETA / JGRAD", log_J[meta] - log_J[grad])
        _add(
            out,
            name,
            "evaluations of J: JMETA - JGRAD",
            paired_difference(over_sets(evaluations[meta]), over_sets(evaluations[grad])),
        )
    _ratio(
        out, "TSVT", "ratio of J: TSVT-JGRAD / MDT-JGRAD", log_J["TSVT-JGRAD"] - log_J["MDT-JGRAD"]
    )
    _ratio(out, "TSVT", "ratio of J: JMETA / no transformation", log_J["TSVT-JMETA"] - log_J[SVM])
    exact = frame[frame.method == "exact maximiser"]
    out.add(
        "exact maximiser",
        "log10 condition number of the matrix to invert",
        exact.log10_condition.astype(float).median(),
    )
    error = frame.assign(error=errors(frame))
    table = error.pivot(index=["dataset", "partition", "fold"], columns="method", values="error")
    means = over_sets(table)
    _add(
        out,
        "exact maximiser",
        "g-means error: exact maximiser of J - SVM",
        paired_difference(means["exact maximiser"], means[SVM]),
    )


# -- beyond ---------------------------------------------------------------------------------


def all_sets(frame):
    """Mean g-means error over the real sets: a row a partition, a column a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.

    Returns
    -------
    DataFrame
    """
    names = [name for name in problems.SETS if (frame.dataset == name).any()]
    return sum(by_partition(frame[frame.dataset == name]) for name in names) / len(names)


def beyond_values(records):
    """Sections 3.2.2, 5.3, 5.4, 6.3.2 and chapter 7."""
    out, folds = Values(), records["folds"]
    if not folds.empty:
        _methods(out, folds)
    forced = records["forced"]
    if len(forced) and (forced.dataset != BOARD_NAME).any():
        _forced(out, forced)
    if not records["widths"].empty:
        _widths(out, records["widths"])
    if not records["board"].empty:
        table = error_table(records["board"])
        _add(
            out,
            "balanced weights",
            "g-means error: SVM - balanced weights, checkers board",
            paired_difference(table[SVM], table["balanced weights"]),
        )
    shift = records["shift"]
    if not shift.empty:
        out.add(
            "bias shift",
            "largest |f~ - gamma (f + lambda |w|^2 / 2)|, relative",
            shift.identity_error.max(),
        )
        if not folds.empty:
            own = folds[folds.dataset.isin(shift.dataset)]
            first, second = all_sets(own)["MDT-VMETA"], all_sets(shift)["bias shift"]
            both = first.index.intersection(second.index)
            _add(
                out,
                "bias shift",
                "g-means error: MDT-VMETA - bias shift",
                paired_difference(first[both], second[both]),
            )
    return out.frame()


def _methods(out, folds):
    means = all_sets(folds)
    for search in ("JGRAD", "JMETA", "VMETA"):
        for name, others in (
            ("MDT", (("Williams", "WIL"),)),
            ("TSVT", (("Wu-Amari", "Wu-Amari"), ("ACT", "ACT"))),
        ):
            for words, other in others:
                _add(
                    out,
                    f"{name}-{search}",
                    f"g-means error: {name} - {words}",
                    paired_difference(means[f"{name}-{search}"], means[other]),
                )
    _add(
        out,
        "balanced weights",
        "g-means error: SVM - balanced weights",
        paired_difference(means[SVM], means["balanced weights"]),
    )
    own = folds[folds.method.isin(CONFORMAL) & (folds.n_transformations > 0)]
    gap = (errors(own) - own.v_error).groupby(own.partition).mean()
    _add(
        out,
        "validation set",
        "g-means error on the test part - on V, transformed folds",
        mean_and_standard_error(gap),
    )


def forced_means(frame, method, column):
    """Mean of a column over folds and real sets: a row a partition, a column a number asked.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``forced``.
    method : str
    column : str

    Returns
    -------
    DataFrame
    """
    own = frame[(frame.method == method) & (frame.dataset != BOARD_NAME)]
    own = own.assign(test_error=errors(own))
    means = own.groupby(["asked", "partition", "dataset"])[column].mean()
    return means.groupby(level=["partition", "asked"]).mean().unstack()


def _forced(out, frame):
    for method, name, pairs in (
        ("AMA", "forced Amari", ((3, 1), (5, 1))),
        ("ACT", "forced ACT", ((5, 1),)),
    ):
        means = forced_means(frame, method, "test_error")
        for high, low in pairs:
            _add(
                out,
                name,
                f"g-means error on the test part: {high} transformations - {low}",
                paired_difference(means[high], means[low]),
            )
    means = forced_means(frame, "AMA", "train_error")
    _add(
        out,
        "forced Amari",
        "g-means error on the training part: 5 transformations - 1",
        paired_difference(means[5], means[1]),
    )


def width_means(frame):
    """Mean g-means error, indexed by partition, data set and width, a column a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``widths``.

    Returns
    -------
    DataFrame
    """
    error = frame.assign(error=errors(frame))
    means = error.groupby(["partition", "dataset", "width", "method"]).error.mean()
    return means.unstack()


def _widths(out, frame):
    table = width_means(frame)
    gain = table[SVM] - table["AMA"]
    drawn = table.index.get_level_values("width") < 10_000
    by = [(part[SVM], gain.loc[part.index]) for _, part in table[drawn].groupby(level="partition")]
    _add(
        out,
        "kernel width",
        "gain of Amari's method against the SVM's error, rank correlation",
        mean_and_standard_error([spearmanr(*pair).statistic for pair in by]),
    )
    best = table[SVM].groupby(level=["dataset", "width"]).mean().unstack().idxmin(axis=1)
    at_best = [
        np.mean([gain.loc[partition, name, width] for name, width in best.items()])
        for partition in table.index.get_level_values("partition").unique()
    ]
    _add(
        out,
        "kernel width",
        "gain of Amari's method at the best width",
        mean_and_standard_error(at_best),
    )
