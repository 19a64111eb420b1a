"""Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets, their tests and asterisks."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata, spearmanr, wilcoxon

from companion.metrics import paired_difference
from companion.papers.conformal import g_means, methods, problems
from companion.papers.conformal.methods import (
    CHEAP,
    CHEAPER_SEARCHES,
    PRINTED,
    SVM,
    WITHOUT_V,
    some_rows,
)
from companion.papers.conformal.problems import (
    N_FOLDS,
    PAPER,
    SETS,
    digest,
    in_box,
    study_of_sets,
)
from companion.papers.summaries import (
    Values,
    magnitude,
    none_without_records,
    select,
    study_over,
)

#: Level of the thesis's tests.
LEVEL = 0.10

#: Middles of a slight gain (above 0, below the noticeable .05) and a tiny increase (to .01).
MIDDLES = {"a gain of 0.025": -0.025, "an increase of 0.005": 0.005}

#: Differences and tests that section 6.3.2 speaks of, by data set.
NAMED = {
    "Glass7": ("AMA", "ACT"),
    "Segment1": ("AMA", "ACT", "MDT-VMETA", "TSVT-JMETA", "TSVT-VMETA"),
    "Hepatitis": (
        "WIL",
        "MDT-JGRAD",
        "MDT-JMETA",
        "MDT-VMETA",
        "TSVT-JGRAD",
        "TSVT-JMETA",
    ),
    "Sonar": (
        "AMA",
        "ACT",
        "MDT-JMETA",
        "MDT-VMETA",
        "TSVT-JGRAD",
        "TSVT-JMETA",
        "TSVT-VMETA",
    ),
    "Heart disease": ("AMA",),
    "Ionosphere": ("ACT", "TSVT-JMETA"),
    "Breast cancer": ("WIL", "MDT-JGRAD"),
}

#: Methods that transform Hepatitis in print without being named there.
VARYING = ("WIL", "MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")

#: Partitions on which methods are tried that the thesis neither prints nor judges.
N_WITH_ALL = 2

#: Partitions with the cheaper searches.
N_SEARCHED = 50

#: All columns scaled to the bounds of the board, in ``data/readings.yaml``; the costliest methods
#: on the first partition alone.
BOXED_READING = "inputs-in-the-box"
N_BOXED_TSVT = 1

#: Quantities of several rows, and about all sets together; a method is chosen on other partitions.
IDLE = "methods of nine that transform nowhere"
GAIN = "gain over the SVM of the method that is best on the other partitions"
NONE = "share of methods and data sets without a transformation"
TRIED = "share of folds with fewer than 3 transformations tried"
CORRELATION = f"{GAIN}, rank correlation with the SVM's error over the data sets"


def compute_folds(unit):
    """A partition of a real set: a row a fold and method, all methods on the first partitions."""
    names = methods.ALL if unit.params["partition"] <= N_WITH_ALL else methods.JUDGED
    folds = problems.parts_of(unit)
    return [
        {"fold": k} | row
        for k, problem in folds
        for row in methods.all_rows(problem, names)
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


def cells(frame, by):
    """Mean error over folds, its spread and the number of transformed folds, in rounded numbers."""
    frame = frame.assign(error=g_means.errors(frame), moved=frame.n_transformations > 0)
    table = frame.groupby(by, sort=False).agg(
        error=("error", "mean"),
        spread=("error", "std"),
        transformed=("moved", "sum"),
        converged=("converged", "all"),
    )
    return table.round(8).reset_index()


def compute_partitions(unit):
    """The cheaper methods on a partition of a real set: a row a method."""
    is_searched = unit.params["partition"] <= N_SEARCHED
    names = (*CHEAP, *CHEAPER_SEARCHES) if is_searched else CHEAP
    return partition_rows(problems.parts_of(unit), names)


def compute_boxed(unit):
    """The same with the inputs in a box, those of the costliest methods on few partitions."""
    partition = unit.params["partition"]
    parts = [(k, in_box(part, *problems.BOX)) for k, part in problems.parts_of(unit)]
    names = CHEAP
    if partition <= N_SEARCHED:
        names = (*CHEAP, *CHEAPER_SEARCHES)
    if partition <= N_BOXED_TSVT:
        names = PRINTED
    return partition_rows(parts, names)


def partition_rows(parts, names):
    """Cells of methods over the folds of a partition, with Wilcoxon's p against the SVM."""
    rows = [
        {"fold": k} | row for k, problem in parts for row in some_rows(problem, names)
    ]
    frame = pd.DataFrame(rows)
    errors = g_means.by_method(frame.assign(error=g_means.errors(frame)), "error")
    table = cells(frame, "method")
    table["p"] = [
        round(wilcoxon_p(errors[name], errors[SVM]), 6) for name in table.method
    ]
    return table.to_dict("records")


# Fewer of the large set, of which one takes as long as one of each of the others.
FOLDS = study_of_sets("folds", compute_folds, 20, of_large=5)
SIZES = study_over(PAPER, "sizes", compute_sizes, digest=digest, dataset=tuple(SETS))
#: Further partitions than those of all methods.
PARTITIONS = study_over(
    PAPER,
    "partitions",
    compute_partitions,
    digest=digest,
    dataset={
        "paper": [name for name in SETS if name not in problems.LARGE],
        "quick": problems.SMALL,
    },
    partition={"paper": range(21, 101), "quick": 1},
)
BOXED = study_of_sets("boxed", compute_boxed, 100, of_large=1)
STUDIES = (FOLDS, PARTITIONS, BOXED, SIZES)


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
    observed = abs(np.sign(difference) @ ranks)
    return float(np.mean(np.abs(_signs(difference.size) @ ranks) >= observed - 1e-9))


@cache
def _signs(n):
    """All ways to give n ranks a sign: a row each."""
    return np.array(list(product((-1.0, 1.0), repeat=n)))


def p_values(errors):
    """p against the SVM over the seven folds of a set: a row a partition, a column a method."""
    columns = errors.to_numpy().T
    svm = errors[SVM].to_numpy()
    rows = {
        partition: [wilcoxon_p(column[folds], svm[folds]) for column in columns]
        for partition, folds in errors.groupby(level="partition").indices.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=errors.columns)
    return table.rename_axis("partition")


def gains_elsewhere(means):
    """Gain over the SVM of the method that is best on the other partitions: one a partition."""
    chosen = (means.sum() - means)[list(PRINTED[1:])].idxmin(axis=1)
    return means[SVM] - [means.loc[place, method] for place, method in chosen.items()]


# -- reproduced values ------------------------------------------------------------------------


#: Table 6.2.1: what is printed of a set, and the columns of the records.
_PRINTED_SIZES = {"N": "n", "N+": "n_positive", "N-": "n_negative", "d": "n_features"}


def _add_protocol(out):
    out.add_all("protocol", {"folds": N_FOLDS, "data sets": len(SETS)})
    board = _sizes(*problems.board_sample(1)) | {"dataset": problems.BOARD_NAME}
    _add_sizes(out, pd.DataFrame([board]))


def _add_sizes(out, frame):
    for row in frame.to_dict("records"):
        sizes = {column: row[key] for column, key in _PRINTED_SIZES.items()}
        out.add_all(row["dataset"], sizes)


def _add_tables(out, folds, partitions):
    """Tables 6.3.2 and 6.3.3, and their tests."""
    every = every_partition(folds, partitions)
    _add_cells(out, every)
    _add_wilcoxon(out, every)


def _add_boxed(out, boxed):
    """The same with the inputs in the box, but for the errors of the SVM, which chose it."""
    found = Values(out.converged)
    _add_cells(found, boxed)
    found.rows = [
        row for row in found.rows if row["row"] != SVM or row["column"] not in SETS
    ]
    out.extend(found, BOXED_READING)


def every_partition(folds, partitions):
    """Cells of all partitions there are, by data set, partition and method, with p of Wilcoxon."""
    keys = ["dataset", "partition", "method"]
    table = cells(folds, keys)
    sets = g_means.error_table(folds).groupby(level="dataset")
    p = pd.concat({name: p_values(errors) for name, errors in sets})
    table = table.join(p.stack().rename_axis(keys).rename("p"), on=keys)
    return pd.concat([table, partitions]).drop_duplicates(keys)


def _add_cells(out, table):
    """Printed "mean ± spread" over the folds of one partition, and asterisks."""
    printed = table[table.method.isin(PRINTED)].sort_values("partition")
    for (name, method), rows in printed.groupby(["dataset", "method"], sort=False):
        converged = rows.converged.all()
        # one partition alone, in a quick run, knows the chance of its folds
        alone = rows.spread.mean() if len(rows) == 1 else np.nan
        for column, values, n in (
            (name, rows.error, N_FOLDS),
            (f"{name} ±", rows.spread, 12),
        ):
            known = {"spread": values.std(), "n": len(rows), "se": alone / np.sqrt(n)}
            out.add(method, column, values.mean(), converged, **known)
        if method != SVM:
            none = rows.transformed == 0
            out.add_draws(method, f"{name}: no transformation", none, converged)


def _add_wilcoxon(out, table):
    """Tests of the thesis on one partition: its answer is one of many."""
    for name in g_means.present(table):
        rows = select(table, dataset=name).sort_values("partition")
        by_method = rows.pivot(index="partition", columns="method")
        for method in NAMED[name]:
            p = by_method.p[method].dropna()
            gap = (by_method.error[method] - by_method.error[SVM])[p.index]
            row = f"Wilcoxon, {method} against SVM"
            column = f"{name}: significant at 10 %"
            significant = p < LEVEL
            out.add_draws(row, column, significant)
            out.add_draws(row, f"{column} and worse", significant & (gap > 0))
            out.add_draws(row, f"{column} and better", significant & (gap < 0))


def _add_differences(out, frame):
    """What section 6.3.2 says of some methods on each set."""
    for name in g_means.present(frame):
        folds = select(frame, dataset=name)
        errors = g_means.error_table(folds)
        moved = g_means.by_method(folds, "n_transformations") > 0
        svm = errors[SVM].groupby(level="partition").mean()
        column = f"{name}: g-means error"
        for method in NAMED[name]:
            row = f"{method} - SVM"
            gap = (errors[method] - errors[SVM]).groupby(level="partition").mean()
            mean = g_means.chance(gap)
            relative = g_means.chance(gap / svm)
            numbers = {
                (row, column): mean,
                (f"{method} - half of the SVM", column): gap + svm / 2,
                (row, f"{column}, without its sign, by the SVM's"): magnitude(relative),
            }
            for words, middle in MIDDLES.items():
                apart = magnitude(mean._replace(mean=mean.mean - middle))
                numbers[row, f"{column}, from {words}"] = apart
            for base in (SVM, WITHOUT_V):
                gaps = (errors[method] - errors[base])[moved[method]]
                place = (f"{method} - {base}", f"{column}, folds that it transforms")
                numbers[place] = gaps.groupby(level="partition").mean()
            g_means.add_means(out, numbers)


def _add_over_sets(out, frame):
    if len(g_means.present(frame)) < len(SETS):
        return
    tables = {name: g_means.by_partition(frame, name) for name in SETS}
    best = pd.DataFrame(
        {name: means[list(PRINTED)].idxmin(axis=1) for name, means in tables.items()}
    ).dropna()  # the partitions of all sets
    for method in (SVM, "AMA", "MDT-VMETA"):
        wins = (best == method).sum(axis=1)
        out.add_draws(method, "data sets on which it is best", wins)
    judged = frame[frame.method.isin(PRINTED[1:])]
    keys = ["partition", "dataset", "method"]
    none = judged.groupby(keys).n_transformations.max() == 0
    together = frame[frame.partition.isin(best.index)]
    tried = select(together, method="TSVT-JMETA")
    errors = pd.DataFrame({name: means[SVM] for name, means in tables.items()})
    gains = pd.DataFrame({name: gains_elsewhere(of) for name, of in tables.items()})
    correlation = [spearmanr(errors.loc[k], gains.loc[k]).statistic for k in best.index]
    others = gains.drop(columns="Segment1")
    hepatitis = tables["Hepatitis"]
    apart = max(
        magnitude(paired_difference(hepatitis[method], hepatitis[SVM]))
        for method in VARYING
    )
    column = "largest difference to the SVM of the five that transform in print"
    idle = none.groupby(level=["dataset", "partition"]).sum()
    numbers = {
        ("all data sets", NONE): none[best.index].groupby(level="partition").mean(),
        ("TSVT-JMETA", TRIED): (tried.n_tried < 3).groupby(tried.partition).mean(),
        ("all data sets", CORRELATION): correlation,
        ("all but Segment1", f"largest {GAIN}"): others[others.mean().idxmax()],
        ("Hepatitis", column): g_means.with_chance(apart),
    }
    numbers |= {(name, IDLE): idle[name] for name in ("Glass7", "Breast cancer")}
    numbers |= {(name, GAIN): gains[name] for name in ("Glass7", "Sonar", "Ionosphere")}
    g_means.add_means(out, numbers)


VALUES = (
    (_add_protocol,),
    (_add_sizes, "sizes"),
    (_add_tables, "folds", "partitions"),
    (_add_boxed, "boxed"),
    (_add_differences, "folds"),
    (_add_over_sets, "folds"),
)


# -- tables -----------------------------------------------------------------------------------


def set_table(frame, name):
    """All methods on the same folds of a real set, with paired differences over partitions."""
    rows = select(frame, dataset=name)
    return g_means.against_svm(rows, g_means.by_partition(rows))


@none_without_records("data set", *PRINTED[1:])
def asterisk_table(frame):
    """Mean number of transformed folds of seven, with a star where the thesis prints one."""

    def row(folds_of_set):
        folds = (
            N_FOLDS
            * (folds_of_set.n_transformations > 0).groupby(folds_of_set.method).mean()
        )
        stars = g_means.printed_asterisks(folds_of_set["data set"].iloc[0])
        return {m: f"{folds[m]:.1f}{' *' if m in stars else ''}" for m in PRINTED[1:]}

    return g_means.row_a_set(frame, row)


_TESTS = ("significant at 10 %", "median p", "least p", "p over all partitions")


@none_without_records("data set", "method", *_TESTS)
def wilcoxon_table(frame):
    """Wilcoxon tests against the SVM over the folds of a partition, and over all partitions.

    Repeated partitions of one set are not independent samples: the last column is about these data
    alone.
    """
    tables = {}
    for name in g_means.present(frame):
        rows = select(frame, dataset=name)
        means = g_means.by_partition(rows)
        p = p_values(g_means.error_table(rows)).where(means.notna())
        over_all = means.apply(wilcoxon_p, args=(means[SVM],))
        columns = ((p < LEVEL).sum() / p.count(), p.median(), p.min(), over_all)
        tables[name] = pd.DataFrame(dict(zip(_TESTS, columns, strict=True))).drop(SVM)
    return pd.concat(tables, names=["data set", "method"]).reset_index()


_SUMMARY = ("method", "mean rank", "SE of rank", "mean error", "method - SVM", "SE")


@none_without_records(*_SUMMARY)
def summary_over_sets(frame):
    """Mean rank and mean error of every method over the real sets, paired by partition.

    Ranks are those of the partitions on which all methods are tried.
    """
    methods = frame.method.unique()
    sets = [
        g_means.by_partition(frame, name).dropna() for name in g_means.present(frame)
    ]
    ranks = sum(means.rank(axis=1) for means in sets) / len(sets)
    gaps = [g_means.over_sets(frame, f"`{method}` - SVM") for method in methods]
    columns = {
        "method": methods,
        "mean rank": ranks.mean()[methods].to_numpy(),
        "SE of rank": ranks.sem()[methods].to_numpy(),
        "mean error": [g_means.over_sets(frame, f"`{m}`").mean for m in methods],
        "method - SVM": [gap.mean for gap in gaps],
        "SE": [gap.standard_error for gap in gaps],
    }
    return pd.DataFrame(columns)[list(_SUMMARY)]
