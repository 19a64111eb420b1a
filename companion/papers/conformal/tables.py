"""Tables that the notebooks show beside the printed ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.conformal import problems
from companion.papers.conformal.experiments import ALL, CONFORMAL, PRINTED, PRINTED_ASTERISKS, SVM
from companion.papers.conformal.values import (
    LEVEL,
    by_partition,
    error_table,
    errors,
    present,
    significant,
    wilcoxon_p,
)
from companion.reproduction.published import load_published

__all__ = [
    "asterisk_table",
    "board_samples",
    "board_table",
    "equal_cells",
    "placed_table",
    "printed_values",
    "set_samples",
    "set_table",
    "summary_over_sets",
    "validation_optimism",
    "wilcoxon_floor",
    "wilcoxon_table",
]

_PLACED = (
    "method",
    "printed",
    "regenerated",
    "SD of one",
    "least",
    "largest",
    "below the print",
    "of",
)
_AGAINST = (
    "method",
    "g-means error",
    "method - SVM",
    "SE",
    "better on",
    "worse on",
    "of",
    "transformed",
)
_PAIRS = ("first", "second", "partitions with equal errors in all folds", "share of equal folds")


def printed_values(artefact, column):
    """Printed numbers of a column of one of the thesis's tables, by method.

    Parameters
    ----------
    artefact : {"checkers", "real_sets"}
    column : str

    Returns
    -------
    dict of str to float
    """
    frame = load_published("conformal")
    own = frame[(frame.artefact == artefact) & (frame.column == column)]
    return dict(zip(own.row, own.value, strict=True))


def board_samples(frame):
    """g-means errors of every method over the draws, for :func:`companion.plotting.plot_placed`.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``board``.

    Returns
    -------
    dict of str to ndarray of shape (n_draws,)
    """
    table = error_table(frame)
    return {method: table[method].to_numpy() for method in (*ALL, "PVGS") if method in table}


def set_samples(frame, name):
    """Means over the folds of a partition of one real set, by method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.
    name : str
        A data set as printed.

    Returns
    -------
    dict of str to ndarray of shape (n_partitions,)
    """
    table = by_partition(frame[frame.dataset == name])
    return {method: table[method].to_numpy() for method in ALL if method in table}


def placed_table(samples, printed):
    """Where every printed value falls among the regenerated ones.

    Parameters
    ----------
    samples : mapping of str to ndarray of shape (n,)
        From `board_samples` or `set_samples`.
    printed : mapping of str to float

    Returns
    -------
    DataFrame
        A row a method: the print, the mean and the spread of what was regenerated, its ends, and
        how many of the regenerated values lie below the print.
    """
    rows = []
    for method, values in samples.items():
        at = printed.get(method, np.nan)
        rows.append(
            {
                "method": method,
                "printed": at,
                "regenerated": values.mean(),
                "SD of one": values.std(ddof=1) if len(values) > 1 else np.nan,
                "least": values.min(),
                "largest": values.max(),
                "below the print": np.nan if np.isnan(at) else float((values < at).sum()),
                "of": len(values),
            }
        )
    return pd.DataFrame(rows, columns=_PLACED)


def board_table(frame):
    """All methods on the same draws of the board, with paired differences to the SVM.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``board``.

    Returns
    -------
    DataFrame
        A row a method.
    """
    return _against_svm(frame, error_table(frame))


def set_table(frame, name):
    """All methods on the same folds of a real set, with paired differences over partitions.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.
    name : str
        A data set as printed.

    Returns
    -------
    DataFrame
        A row a method; none without records of the set.
    """
    own = frame[frame.dataset == name]
    return _against_svm(own, by_partition(own)) if len(own) else pd.DataFrame(columns=_AGAINST)


def _against_svm(frame, table):
    rows = []
    for method in (*ALL, "PVGS"):
        if method not in table:
            continue
        difference = paired_difference(table[method], table[SVM])
        gap = (table[method] - table[SVM]).to_numpy()
        own = frame[frame.method == method]
        rows.append(
            {
                "method": method,
                "g-means error": table[method].mean(),
                "method - SVM": difference.mean,
                "SE": difference.standard_error,
                "better on": int((gap < -1e-12).sum()),
                "worse on": int((gap > 1e-12).sum()),
                "of": difference.n,
                "transformed": (own.n_transformations > 0).mean()
                if method in CONFORMAL
                else np.nan,
            }
        )
    return pd.DataFrame(rows, columns=_AGAINST)


def asterisk_table(frame):
    """Folds in which a method transforms, of seven, beside the printed asterisks.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.

    Returns
    -------
    DataFrame
        A row a data set, a column a method: mean number of transformed folds of a partition, with
        a star where the thesis prints one.
    """
    rows = []
    for name in present(frame):
        own = frame[frame.dataset == name]
        row = {"data set": name}
        for method in PRINTED[1:]:
            folds = own[own.method == method]
            mean = problems.N_FOLDS * (folds.n_transformations > 0).mean()
            row[method] = f"{mean:.1f}{' *' if method in PRINTED_ASTERISKS[name] else ''}"
        rows.append(row)
    return pd.DataFrame(rows, columns=["data set", *PRINTED[1:]])


def wilcoxon_table(frame):
    """Wilcoxon tests against the SVM, fold by fold of a partition, and over all partitions.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.

    Returns
    -------
    DataFrame
        A row a data set and method: share of partitions in which the seven folds differ at the
        10 % level, the median p, and p over the means of all partitions. Repeated partitions of
        one set are not independent samples: the last column is about these data alone.
    """
    rows = []
    for name in present(frame):
        own = frame[frame.dataset == name]
        table, means = error_table(own), by_partition(own)
        for method in ALL:
            if method == SVM or method not in table:
                continue
            p = [
                wilcoxon_p(part[method], part[SVM]) for _, part in table.groupby(level="partition")
            ]
            rows.append(
                {
                    "data set": name,
                    "method": method,
                    "significant at 10 %": significant(own, method).mean(),
                    "median p": np.median(p),
                    "least p": np.min(p),
                    "p over all partitions": wilcoxon_p(means[method], means[SVM]),
                }
            )
    return pd.DataFrame(
        rows,
        columns=(
            "data set",
            "method",
            "significant at 10 %",
            "median p",
            "least p",
            "p over all partitions",
        ),
    )


def wilcoxon_floor(most=10):
    """Least two-sided p of the signed-rank test by the number of folds that differ.

    Parameters
    ----------
    most : int, default=10
        The largest number of folds.

    Returns
    -------
    DataFrame
        A row a number of folds, from 3.
    """
    rows = [
        {
            "folds that differ": n,
            "least p": wilcoxon_p(np.arange(1.0, n + 1), np.zeros(n)),
            "significant at 10 %": "yes" if 2.0 ** (1 - n) < LEVEL else "no",
        }
        for n in range(3, most + 1)
    ]
    return pd.DataFrame(rows)


def equal_cells(frame, name):
    """How often two methods have the same errors in all folds of a partition.

    Table 6.3.2 prints .161 +- .042 for three methods on Sonar.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.
    name : str
        A data set as printed.

    Returns
    -------
    DataFrame
        A row a pair of methods, without partitions in which both are the untransformed SVM.
    """
    own = frame[frame.dataset == name]
    if not len(own):
        return pd.DataFrame(columns=_PAIRS)
    table = error_table(own)
    kept = own.pivot(index=["partition", "fold"], columns="method", values="n_transformations")
    kept, rows = kept.sort_index(), []
    methods = [m for m in PRINTED if m != SVM]
    for k, first in enumerate(methods):
        for second in methods[k + 1 :]:
            same = np.abs(table[first] - table[second]) < 1e-12
            either = (kept[first] > 0) | (kept[second] > 0)
            whole = same.groupby(level="partition").all()
            whole &= either.groupby(level="partition").any()
            rows.append(
                {
                    _PAIRS[0]: first,
                    _PAIRS[1]: second,
                    _PAIRS[2]: int(whole.sum()),
                    _PAIRS[3]: same[either].mean() if either.any() else np.nan,
                }
            )
    return pd.DataFrame(rows, columns=_PAIRS).sort_values(_PAIRS[3], ascending=False)


def summary_over_sets(frame):
    """Mean rank and mean error of every method over the real sets, paired by partition.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.

    Returns
    -------
    DataFrame
        A row a method.
    """
    names = present(frame)
    tables = [by_partition(frame[frame.dataset == name]) for name in names]
    rows = []
    for method in ALL:
        if not tables or any(method not in table for table in tables):
            continue
        ranks = np.array([table[list(ALL)].rank(axis=1)[method].to_numpy() for table in tables])
        mean = sum(table[method] for table in tables) / len(tables)
        base = sum(table[SVM] for table in tables) / len(tables)
        difference = paired_difference(mean, base)
        rank = mean_and_standard_error(ranks.mean(axis=0))
        rows.append(
            {
                "method": method,
                "mean rank": rank.mean,
                "SE of rank": rank.standard_error,
                "mean error": mean.mean(),
                "method - SVM": difference.mean,
                "SE": difference.standard_error,
            }
        )
    return pd.DataFrame(
        rows, columns=("method", "mean rank", "SE of rank", "mean error", "method - SVM", "SE")
    )


def validation_optimism(frame):
    """Error on V and on the test part of the transformed folds, a row a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.

    Returns
    -------
    DataFrame
    """
    rows = []
    for method in CONFORMAL if len(frame) else ():
        own = frame[(frame.method == method) & (frame.n_transformations > 0)]
        if len(own) < 2:
            continue
        gap = paired_difference(errors(own), own.v_error)
        rows.append(
            {
                "method": method,
                "folds": len(own),
                "error on V before": own.v_before.mean(),
                "error on V": own.v_error.mean(),
                "error on the test part": errors(own).mean(),
                "test - V": gap.mean,
                "SE": gap.standard_error,
            }
        )
    return pd.DataFrame(
        rows,
        columns=(
            "method",
            "folds",
            "error on V before",
            "error on V",
            "error on the test part",
            "test - V",
            "SE",
        ),
    )
