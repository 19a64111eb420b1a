"""Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets, their tests and asterisks."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
from scipy.stats import rankdata, spearmanr, wilcoxon

from companion.metrics import Mean, paired_difference
from companion.papers.conformal import g_means, problems
from companion.papers.conformal.methods import CONFORMAL, PRINTED, SVM, all_rows
from companion.papers.conformal.problems import N_FOLDS, PAPER, SETS, digest
from companion.papers.summaries import Values, none_without_records, share
from companion.reproduction import Study, Unit

#: Level of the thesis's tests.
LEVEL = 0.10

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

#: Quantities about all sets together.
NONE = "share of method and fold without a transformation"
GAIN = (
    "gain of the best method over the SVM against the SVM's error, rank correlation over the data"
    " sets"
)


def compute_folds(unit):
    """A partition of a real set: a row a fold and method."""
    return [
        {"fold": fold} | row
        for fold, problem in problems.parts_of(unit)
        for row in all_rows(problem)
    ]


def compute_sizes(unit):
    """Sizes of a data set."""
    return _sizes(*problems.load(unit.params["dataset"]))


def _sizes(X, y):
    return {
        "n": len(y),
        "n_positive": int((y > 0).sum()),
        "n_negative": int((y < 0).sum()),
        "n_features": X.shape[1],
    }


def size_units(profile):
    """One unit a data set."""
    return [Unit(PAPER, "sizes", {"dataset": name}, digest(name)) for name in SETS]


FOLDS = problems.study_of_sets("folds", compute_folds, {"paper": 20, "quick": 1}, left_out=())
SIZES = Study(PAPER, "sizes", size_units, compute_sizes)
STUDIES = (FOLDS, SIZES)


# -- tests ------------------------------------------------------------------------------------


def wilcoxon_p(first, second):
    """p of the Wilcoxon signed-rank test of two paired samples, 1 where they are the same.

    Exact, ties included, for the few pairs of a partition; equal pairs are left out.
    """
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    difference = difference[np.abs(difference) > 1e-12]
    if not difference.size:
        return 1.0
    if difference.size > 10:
        return float(wilcoxon(difference).pvalue)
    # folds often differ by one pattern: tied ranks, for which SciPy has no exact distribution
    ranks = rankdata(np.round(np.abs(difference), 12))
    sums = _signs(difference.size) @ ranks
    observed = abs(np.sign(difference) @ ranks)
    return float(np.mean(np.abs(sums) >= observed - 1e-9))


@cache
def _signs(n):
    """All 2^n vectors of signs."""
    return np.array(list(product((-1.0, 1.0), repeat=n)))


def p_values(own):
    """p against the SVM over the seven folds of a set: a row a partition, a column a method."""
    parts = g_means.error_table(own).groupby(level="partition")
    return parts.apply(lambda part: part.apply(wilcoxon_p, args=(part[SVM],)))


def paired_over_folds(own, first, second):
    """Mean difference of two methods on one set, with its error from partitions or folds.

    The partitions are the repetitions where there are several, else the folds of the one there is.
    """
    folds, means = g_means.error_table(own), g_means.by_partition(own)
    table = means if len(means) > 1 else folds
    return g_means.undecided_if_few(paired_difference(table[first], table[second]), len(means))


# -- reproduced values ------------------------------------------------------------------------


def reproduced_values(records):
    """Tables 6.2.1, 6.3.2 and 6.3.3, their asterisks, and section 6.3.2."""
    out, frame = Values(), records["folds"]
    out.add_all("protocol", {"folds": N_FOLDS, "data sets": len(SETS)})
    sizes = {problems.BOARD_NAME: _sizes(*problems.board_sample(1))}
    sizes |= {row["dataset"]: row for _, row in records["sizes"].iterrows()}
    for name, own in sizes.items():
        columns = {"N": "n", "N+": "n_positive", "N-": "n_negative", "d": "n_features"}
        out.add_all(name, {column: own[key] for column, key in columns.items()})
    for name in g_means.present(frame):
        own = frame[frame.dataset == name]
        for method in PRINTED:
            _cell(out, name, method, own[own.method == method])
        _tests(out, name, own)
    if len(g_means.present(frame)) == len(SETS):
        _over_sets(out, frame)
    return out.frame()


def _cell(out, name, method, own):
    """A printed "mean ± spread" over folds; its error is that of the means of partitions."""
    error, converged = g_means.errors(own), own.converged.all()
    means, spreads = (error.groupby(own.partition).agg(how) for how in ("mean", "std"))
    known = {"n": len(error), "converged": converged}
    out.add(method, name, error.mean(), spread=error.std(), se=means.sem(), **known)
    out.add(method, f"{name} ±", spreads.mean(), se=spreads.sem(), **known)
    if method != SVM:
        none, se, n = share(own.n_transformations == 0)
        whole = Mean(none**N_FOLDS, N_FOLDS * none ** (N_FOLDS - 1) * se, n)
        column = f"{name}: chance of no transformation in 7 folds"
        out.add_mean(method, column, whole, converged)


def _tests(out, name, own):
    p = p_values(own)
    for method in NAMED[name]:
        column = f"{name}: significant at 10 %, share of partitions"
        out.add_mean(f"Wilcoxon, {method} against SVM", column, share(p[method] < LEVEL))
        gap = paired_over_folds(own, method, SVM)
        out.add_mean(f"{method} - SVM", f"{name}: g-means error", gap)


def _over_sets(out, frame):
    table = {name: g_means.by_partition(frame, name) for name in SETS}
    best = [means[list(PRINTED)].idxmin(axis=1) for means in table.values()]
    for method in (SVM, "AMA", "MDT-VMETA"):
        wins = sum((winner == method).astype(int) for winner in best)
        out.add_draws(method, "data sets on which it is best", wins)
    none = frame[frame.method.isin(PRINTED[1:])].set_index("partition").n_transformations == 0
    tried = frame[frame.method == "TSVT-JMETA"].set_index("partition").n_tried
    gains = [
        spearmanr(
            [means.loc[k, SVM] for means in table.values()],
            [means.loc[k, SVM] - means.loc[k, list(CONFORMAL)].min() for means in table.values()],
        ).statistic
        for k in table["Glass7"].index
    ]
    numbers = {
        ("all data sets", NONE): none.groupby(level="partition").mean(),
        ("TSVT-JMETA", "transformations tried in a fold"): tried.groupby(level="partition").mean(),
        ("all data sets", GAIN): gains,
    }
    g_means.add_means(out, numbers)


# -- tables -----------------------------------------------------------------------------------


def set_table(frame, name):
    """All methods on the same folds of a real set, with paired differences over partitions."""
    own = frame[frame.dataset == name]
    return g_means.against_svm(own, g_means.by_partition(own))


@none_without_records("data set", *PRINTED[1:])
def asterisk_table(frame):
    """Mean number of transformed folds of seven, with a star where the thesis prints one."""

    def row(own):
        folds = N_FOLDS * (own.n_transformations > 0).groupby(own.method).mean()
        stars = g_means.PRINTED_ASTERISKS[own["data set"].iloc[0]]
        return {m: f"{folds[m]:.1f}{' *' if m in stars else ''}" for m in PRINTED[1:]}

    return g_means.row_a_set(frame, row)


_TESTS = ("significant at 10 %", "median p", "least p", "p over all partitions")


@none_without_records("data set", "method", *_TESTS)
def wilcoxon_table(frame):
    """Wilcoxon tests against the SVM over the folds of a partition, and over all partitions.

    Repeated partitions of one set are not independent samples: the last column is about these data
    alone.
    """
    import pandas as pd

    tables = {}
    for name in g_means.present(frame):
        own = frame[frame.dataset == name]
        p, means = p_values(own), g_means.by_partition(own)
        over_all = means.apply(wilcoxon_p, args=(means[SVM],))
        columns = ((p < LEVEL).mean(), p.median(), p.min(), over_all)
        tables[name] = pd.DataFrame(dict(zip(_TESTS, columns, strict=True))).drop(SVM)
    return pd.concat(tables, names=["data set", "method"]).reset_index()


def wilcoxon_floor():
    """Least two-sided p of the signed-rank test by the number of folds that differ."""
    import pandas as pd

    n = np.arange(3, 11)
    columns = {
        "folds that differ": n,
        "least p": [wilcoxon_p(np.arange(1.0, k + 1), np.zeros(k)) for k in n],
        "significant at 10 %": np.where(2.0 ** (1 - n) < LEVEL, "yes", "no"),
    }
    return pd.DataFrame(columns)


_PAIRS = ("first", "second", "partitions with equal errors in all folds", "share of equal folds")


def equal_cells(frame, name):
    """How often two methods, not both untransformed, have the same errors in a partition's folds.

    Table 6.3.2 prints .161 +- .042 for three methods on Sonar.
    """
    import pandas as pd

    own, rows = frame[frame.dataset == name], []
    if len(own):
        table, moved = g_means.error_table(own), g_means.by_method(own, "n_transformations") > 0
        for first, second in combinations(PRINTED[1:], 2):
            same = np.abs(table[first] - table[second]) < 1e-12
            either = moved[first] | moved[second]
            parts = pd.DataFrame({"same": same, "either": either}).groupby(level="partition")
            whole = parts.same.all() & parts.either.any()
            rows.append((first, second, int(whole.sum()), same[either].mean()))
    return pd.DataFrame(rows, columns=_PAIRS).sort_values(_PAIRS[-1], ascending=False)


_SUMMARY = ("method", "mean rank", "SE of rank", "mean error", "method - SVM", "SE")


@none_without_records(*_SUMMARY)
def summary_over_sets(frame):
    """Mean rank and mean error of every method over the real sets, paired by partition."""
    sets = [g_means.by_partition(frame, name) for name in g_means.present(frame)]
    ranks = sum(means.rank(axis=1) for means in sets) / len(sets)
    shown = g_means.against(g_means.over_sets(frame)).rename(
        columns={"g-means error": "mean error"}
    )
    shown["mean rank"], shown["SE of rank"] = ranks.mean(), ranks.sem()
    return shown.reset_index()[list(_SUMMARY)]
