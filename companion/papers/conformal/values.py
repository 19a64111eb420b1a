"""From records to the printed numbers of Tables 6.2.1 to 6.3.3 and the sentences about them."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from scipy.stats import rankdata, spearmanr, wilcoxon

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.conformal import problems
from companion.papers.conformal.experiments import CONFORMAL, GENERATIONS, PRINTED, SVM
from companion.papers.summaries import Values, share
from companion.papers.summaries import present as present_of

#: Level of the thesis's tests.
LEVEL = 0.10

_CHANCE = "chance of no transformation"
_FEW = 5
_ENUMERATED = 10

#: Differences and tests that section 6.3.2 speaks of, by data set.
NAMED = {
    "Glass7": ("AMA", "ACT"),
    "Segment1": ("AMA", "ACT", "MDT-VMETA", "TSVT-JMETA", "TSVT-VMETA"),
    "Hepatitis": ("WIL", "MDT-JGRAD", "MDT-JMETA", "MDT-VMETA", "TSVT-JGRAD", "TSVT-JMETA"),
    "Sonar": ("AMA", "ACT", "MDT-JMETA", "MDT-VMETA", "TSVT-JGRAD", "TSVT-JMETA", "TSVT-VMETA"),
    "Heart disease": ("AMA",),
    "Ionosphere": ("ACT", "TSVT-JMETA"),
    "Breast cancer": ("WIL", "MDT-JGRAD"),
}


def errors(frame):
    """g-means error of every row of records, 1 - sqrt(a+ a-), (6.1.1).

    Parameters
    ----------
    frame : DataFrame
        Records with the columns of :func:`companion.papers.summaries.counts`.

    Returns
    -------
    Series
    """
    right = (1 - frame.missed / frame.n_positive) * (1 - frame.false_alarms / frame.n_negative)
    return 1 - np.sqrt(right.astype(float))


def error_table(frame, column="method"):
    """g-means errors with a row a repetition and a column a method.

    Parameters
    ----------
    frame : DataFrame
        Records of one data set, or of the board.
    column : str, default="method"
        What the columns are.

    Returns
    -------
    DataFrame
        Indexed by partition and fold, or by draw.
    """
    index = [name for name in ("partition", "fold", "draw") if name in frame]
    table = frame.assign(error=errors(frame)).pivot(index=index, columns=column, values="error")
    return table.sort_index()


def by_partition(frame):
    """Mean g-means error of the seven folds: a row a partition, a column a method.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.

    Returns
    -------
    DataFrame
    """
    return error_table(frame).groupby(level="partition").mean()


def paired_over_folds(frame, first, second):
    """Mean difference of two methods on one set, with its error from partitions or folds.

    The partitions are the repetitions where there are several, else the folds of the one there is.

    Parameters
    ----------
    frame : DataFrame
        Records of one data set.
    first, second : str

    Returns
    -------
    Mean
    """
    table = error_table(frame)
    means = table.groupby(level="partition").mean()
    found = paired_difference(*((means if len(means) > 1 else table)[m] for m in (first, second)))
    return undecided_if_few(found, len(means))


def undecided_if_few(mean, n_partitions):
    """The same mean, missing where fewer than five partitions agree or have no spread.

    A method that transforms in one fold of 20 differs from the machine without a transformation,
    which one or two partitions need not show.

    Parameters
    ----------
    mean : companion.metrics.Mean
    n_partitions : int

    Returns
    -------
    companion.metrics.Mean
    """
    if n_partitions < _FEW and not mean.standard_error > 0:
        return mean._replace(mean=np.nan)
    return mean


def present(frame):
    """The real sets that have records, in the order of the tables.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    list of str
    """
    return present_of(frame, problems.SETS)


def wilcoxon_p(first, second):
    """p of the Wilcoxon signed-rank test of two paired samples, 1 where they are the same.

    Exact, ties included, for the few pairs of a partition; equal pairs are left out.

    Parameters
    ----------
    first, second : array-like of shape (n,)

    Returns
    -------
    float
    """
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    difference = difference[np.abs(difference) > 1e-12]
    if not difference.size:
        return 1.0
    if difference.size > _ENUMERATED:
        return float(wilcoxon(difference).pvalue)
    # folds often differ by one pattern: tied ranks, for which SciPy has no exact distribution
    ranks = rankdata(np.round(np.abs(difference), 12))
    sums = _signs(difference.size) @ ranks
    observed = abs(np.sign(difference) @ ranks)
    return float(np.mean(np.abs(sums) >= observed - 1e-9))


@lru_cache(maxsize=None)
def _signs(n):
    """All 2^n vectors of signs."""
    return np.array(list(product((-1.0, 1.0), repeat=n)))


# -- Table 6.3.1 ----------------------------------------------------------------------------


def checkers_values(records):
    """Table 6.3.1 as distributions over draws, asterisks, and what the text says."""
    out, frame = Values(), records["board"]
    for name, value in (
        ("patterns of the positive class", problems.N_POSITIVE),
        ("patterns of the negative class", problems.N_NEGATIVE),
        ("test patterns of each class", problems.GRID**2 / 2),
        ("negative patterns to a positive one", problems.N_NEGATIVE / problems.N_POSITIVE),
        ("2 sigma^2", problems.WIDTH),
        ("C", problems.C),
        ("generations of CMA-ES", GENERATIONS),
    ):
        out.add("protocol", name, value)
    if frame.empty:
        return out.frame()
    table = error_table(frame)
    for method in PRINTED:
        own = frame[frame.method == method].sort_values("draw")
        converged = own.converged.all()
        wrong = (own.missed + own.false_alarms) / (own.n_positive + own.n_negative)
        out.add_draws(method, "misclassification rate", wrong, converged)
        out.add_draws(method, "g-means error", table[method], converged)
        if method != SVM:
            value, se, n = share(own.n_transformations == 0)
            out.add(method, _CHANCE, value, se=se, n=n, converged=converged)
            gain = paired_difference(table[SVM], table[method])
            out.add_mean(
                method, "g-means error: SVM - method", undecided_if_few(gain, len(table)), converged
            )
    for row, method, name in (("Figure 6.3.1", SVM, "SVM"), ("Figure 3.1.3", "PVGS", "tuned SVM")):
        own = frame[frame.method == method]
        gap = own.missed / own.n_positive - own.false_alarms / own.n_negative
        out.add_mean(
            row,
            f"error on the positive class - on the negative class, {name}",
            mean_and_standard_error(gap),
        )
    out.add_mean(
        "PVGS",
        "g-means error: PVGS - TSVT-JMETA",
        paired_difference(table["PVGS"], table["TSVT-JMETA"]),
    )
    trained = frame.pivot(index="draw", columns="method", values="n_trained")
    out.add_mean(
        "PVGS",
        "machines trained: PVGS - TSVT-JMETA",
        paired_difference(trained["PVGS"], trained["TSVT-JMETA"]),
    )
    tried = frame[frame.method == "TSVT-JMETA"].n_tried
    out.add_mean("TSVT-JMETA", "transformations tried", mean_and_standard_error(tried))
    return out.frame()


# -- Tables 6.2.1, 6.3.2 and 6.3.3 ------------------------------------------------------------


def real_values(records):
    """Tables 6.2.1, 6.3.2 and 6.3.3, their asterisks, and section 6.3.2."""
    out, frame = Values(), records["folds"]
    out.add("protocol", "folds", problems.N_FOLDS)
    out.add("protocol", "data sets", len(problems.SETS))
    _sizes(out, records["sizes"])
    names = present(frame)
    if not names:
        return out.frame()
    for name in names:
        own = frame[frame.dataset == name]
        for method in PRINTED:
            _cell(out, name, method, own[own.method == method])
        _tests(out, name, own)
    if len(names) == len(problems.SETS):
        _over_sets(out, frame)
    return out.frame()


def _sizes(out, frame):
    X, y = problems.board_sample(1)
    rows = [("Checkers board", len(y), (y > 0).sum(), (y < 0).sum(), X.shape[1])]
    rows += [
        (row.dataset, row.n, row.n_positive, row.n_negative, row.n_features)
        for row in frame.itertuples()
    ]
    for name, *values in rows:
        for column, value in zip(("N", "N+", "N-", "d"), values, strict=True):
            out.add(name, column, value)


def _cell(out, name, method, own):
    """A printed "mean ± spread" over folds; its error is that of the means of partitions."""
    converged = own.converged.all()
    error = errors(own)
    of_partition = error.groupby(own.partition).mean()
    se = np.nan
    if len(of_partition) > 1:
        se = of_partition.std(ddof=1) / np.sqrt(len(of_partition))
    out.add(
        method,
        name,
        error.mean(),
        spread=error.std(ddof=1),
        n=len(error),
        se=se,
        converged=converged,
    )
    spreads = error.groupby(own.partition).std(ddof=1)
    se = spreads.std(ddof=1) / np.sqrt(len(spreads)) if len(spreads) > 1 else np.nan
    out.add(method, f"{name} ±", spreads.mean(), n=len(error), se=se, converged=converged)
    if method != SVM:
        none, se, n = share(own.n_transformations == 0)
        folds = problems.N_FOLDS
        out.add(
            method,
            f"{name}: {_CHANCE} in 7 folds",
            none**folds,
            se=folds * none ** (folds - 1) * se,
            n=n,
            converged=converged,
        )


def significant(frame, method, other=SVM):
    """Whether two methods differ at the thesis's level, by partition.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``folds``.
    method : str
    other : str, default="SVM"

    Returns
    -------
    Series of bool
    """
    table = error_table(frame)
    return table.groupby(level="partition")[[method, other]].apply(
        lambda part: wilcoxon_p(part[method], part[other]) < LEVEL
    )


def _tests(out, name, own):
    for method in NAMED[name]:
        value, se, n = share(significant(own, method))
        out.add(
            f"Wilcoxon, {method} against SVM",
            f"{name}: significant at 10 %, share of partitions",
            value,
            se=se,
            n=n,
        )
        out.add_mean(
            f"{method} - SVM", f"{name}: g-means error", paired_over_folds(own, method, SVM)
        )


def _over_sets(out, frame):
    table = {name: by_partition(frame[frame.dataset == name]) for name in problems.SETS}
    best = {name: part[list(PRINTED)].idxmin(axis=1) for name, part in table.items()}
    for method in (SVM, "AMA", "MDT-VMETA"):
        counts = sum((winner == method).astype(int) for winner in best.values())
        out.add_draws(method, "data sets on which it is best", counts)
    own = frame[frame.method.isin(set(PRINTED) - {SVM})]
    none = (own.n_transformations == 0).groupby(own.partition).mean()
    out.add_mean(
        "all data sets",
        "share of method and fold without a transformation",
        undecided_if_few(mean_and_standard_error(none), len(none)),
    )
    tried = frame[frame.method == "TSVT-JMETA"]
    mean_tried = mean_and_standard_error(tried.n_tried.groupby(tried.partition).mean())
    out.add_mean(
        "TSVT-JMETA", "transformations tried in a fold", undecided_if_few(mean_tried, mean_tried.n)
    )
    correlations = [
        spearmanr(
            [part.loc[k, SVM] for part in table.values()],
            [part.loc[k, SVM] - part.loc[k, list(CONFORMAL)].min() for part in table.values()],
        ).statistic
        for k in table["Glass7"].index
    ]
    out.add_mean(
        "all data sets",
        "gain of the best method over the SVM against the SVM's error, rank correlation"
        " over the data sets",
        undecided_if_few(mean_and_standard_error(correlations), len(correlations)),
    )
