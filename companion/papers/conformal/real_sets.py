"""Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets, their tests and asterisks."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata, spearmanr, wilcoxon

from companion.metrics import mean_and_standard_error, paired_difference
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
    study_over,
)
from companion.reproduction.published import load_published
from companion.reproduction.vectors import squared_distances_from_the_others

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
N_WITH_ALL = 3

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
    is_first = unit.params["partition"] <= N_BOXED_TSVT
    parts = [(k, in_box(part, *problems.BOX)) for k, part in problems.parts_of(unit)]
    names = [m for m in PRINTED if is_first or not m.startswith("TSVT")]
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


FOLDS = study_of_sets("folds", compute_folds, {"paper": 20, "quick": 1})
SIZES = study_over(PAPER, "sizes", compute_sizes, digest=digest, dataset=tuple(SETS))
_MANY = [name for name in SETS if name not in problems.LARGE]


def _partitions(large, others):
    """Partitions of each set, with other numbers for the large ones, which come first."""
    numbers = dict.fromkeys(problems.LARGE, large) | dict.fromkeys(_MANY, others)
    return [
        {"dataset": name, "partition": k + 1}
        for name, n in numbers.items()
        for k in range(n)
    ]


_QUICK = [{"dataset": small, "partition": 1} for small in problems.SMALL]

#: Further partitions than those of all methods.
PARTITIONS = study_of_sets(
    "partitions", compute_partitions, {"paper": range(21, 101), "quick": 1}, paper=_MANY
)
BOXED = study_over(
    PAPER,
    "boxed",
    compute_boxed,
    {"paper": _partitions(2, 20), "quick": _QUICK},
    digest,
)
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


def reproduced_values(records):
    """Tables 6.2.1, 6.3.2 and 6.3.3, their asterisks, and section 6.3.2."""
    out = Values()
    frame = records["folds"]
    out.add_all("protocol", {"folds": N_FOLDS, "data sets": len(SETS)})
    sizes = {problems.BOARD_NAME: _sizes(*problems.board_sample(1))}
    sizes |= {row["dataset"]: row for _, row in records["sizes"].iterrows()}
    for name, rows in sizes.items():
        columns = {"N": "n", "N+": "n_positive", "N-": "n_negative", "d": "n_features"}
        out.add_all(name, {column: rows[key] for column, key in columns.items()})
    every = _every_partition(frame, records["partitions"])
    _add_cells(out, every)
    if len(records["boxed"]):
        out.add_read_by(_add_cells, records["boxed"], BOXED_READING)
        out.rows = [row for row in out.rows if not _chose_the_box(row)]
    for name in g_means.present(frame):
        _tests(out, name, frame[frame.dataset.to_numpy() == name])
    _add_wilcoxon(out, every)
    if len(g_means.present(frame)) == len(SETS):
        _over_sets(out, frame)
    return out.frame()


def _every_partition(folds, partitions):
    """Cells of all partitions there are, by data set, partition and method, with p of Wilcoxon."""
    if not len(folds):
        return partitions
    keys = ["dataset", "partition", "method"]
    table = cells(folds, keys)
    errors = g_means.by_method(folds.assign(error=g_means.errors(folds)), "error")
    p = {
        (name, partition, method): wilcoxon_p(column, own[SVM])
        for (name, partition), own in errors.groupby(level=["dataset", "partition"])
        for method, column in own.items()
    }
    table["p"] = [p[place] for place in table[keys].itertuples(index=False, name=None)]
    return pd.concat([table, partitions]).drop_duplicates(keys)


def _add_cells(out, table):
    """Printed "mean ± spread" over the folds of one partition, and asterisks."""
    if not len(table):
        return
    ordered = table[table.method.isin(PRINTED)].sort_values("partition")
    for (name, method), rows in ordered.groupby(["dataset", "method"], sort=False):
        _cell(out, name, method, rows)


def _cell(out, name, method, partitions):
    """A cell and its asterisk, which are those of one partition in print."""
    converged = partitions.converged.all()
    # one partition alone, in a quick run, knows the chance of its folds
    alone = partitions.spread.mean() if len(partitions) == 1 else np.nan
    for column, values, n in (
        (name, partitions.error, N_FOLDS),
        (f"{name} ±", partitions.spread, 12),
    ):
        known = {"spread": values.std(), "n": len(values), "se": alone / np.sqrt(n)}
        out.add(method, column, values.mean(), converged=converged, **known)
    if method != SVM:
        out.add_draws(
            method, f"{name}: no transformation", partitions.transformed == 0, converged
        )


def _chose_the_box(row):
    chose = row["row"] == SVM and row["column"] in SETS
    return chose and row["reading"] == BOXED_READING


def _add_wilcoxon(out, table):
    """Tests of the thesis on one partition: its answer is one of many."""
    for name in g_means.present(table):
        rows = table[table.dataset.to_numpy() == name].sort_values("partition")
        error, p = (
            rows.pivot(index="partition", columns="method", values=v)
            for v in ("error", "p")
        )
        for method in NAMED[name]:
            known = p[method].notna()
            significant = p[method][known] < LEVEL
            gap = (error[method] - error[SVM])[known]
            row = f"Wilcoxon, {method} against SVM"
            column = f"{name}: significant at 10 %"
            out.add_draws(row, column, significant)
            out.add_draws(row, f"{column} and worse", significant & (gap > 0))
            out.add_draws(row, f"{column} and better", significant & (gap < 0))


def _tests(out, name, folds):
    errors = g_means.error_table(folds)
    moved = g_means.by_method(folds, "n_transformations") > 0
    half = errors[SVM].groupby(level="partition").mean() / 2
    for method in NAMED[name]:
        gaps = errors[method] - errors[SVM]
        gap = gaps.groupby(level="partition").mean()
        row = f"{method} - SVM"
        column = f"{name}: g-means error"
        numbers = {
            (row, column): gap,
            (f"{method} - half of the SVM", column): gap + half,
        }
        for base in (SVM, WITHOUT_V):
            where = (
                (errors[method] - errors[base])[moved[method]]
                .groupby(level="partition")
                .mean()
            )
            numbers[f"{method} - {base}", f"{column}, folds that it transforms"] = where
        g_means.add_means(out, numbers)
        relative = g_means.with_chance(mean_and_standard_error(gap / (2 * half)))
        out.add_mean(
            row, f"{column}, without its sign, by the SVM's", magnitude(relative)
        )
        mean = g_means.with_chance(mean_and_standard_error(gap))
        for words, middle in MIDDLES.items():
            apart = magnitude(mean._replace(mean=mean.mean - middle))
            out.add_mean(row, f"{column}, from {words}", apart)


def _over_sets(out, frame):
    tables = {name: g_means.by_partition(frame, name) for name in SETS}
    best = [means[list(PRINTED)].idxmin(axis=1) for means in tables.values()]
    for method in (SVM, "AMA", "MDT-VMETA"):
        wins = sum((winner == method).astype(int) for winner in best)
        out.add_draws(method, "data sets on which it is best", wins)
    methods = frame[frame.method.isin(PRINTED[1:])].assign(
        none=frame.n_transformations == 0
    )
    none = methods.groupby(["partition", "dataset", "method"]).none.all()
    tried = frame[frame.method.to_numpy() == "TSVT-JMETA"].groupby("partition").n_tried
    gains = {name: gains_elsewhere(means) for name, means in tables.items()}
    errors = {name: means[SVM] for name, means in tables.items()}
    correlation = [
        spearmanr(
            *([each[name].loc[k] for name in SETS] for each in (errors, gains))
        ).statistic
        for k in tables["Glass7"].index
    ]
    numbers = {
        ("all data sets", NONE): none.groupby(level="partition").mean(),
        ("TSVT-JMETA", TRIED): tried.agg(lambda n: (n < 3).mean()),
        ("all data sets", CORRELATION): correlation,
        ("all but Segment1", f"largest {GAIN}"): max(
            (gain for name, gain in gains.items() if name != "Segment1"), key=np.mean
        ),
    }
    idle = none.groupby(level=["dataset", "partition"]).sum()
    numbers |= {(name, IDLE): idle[name] for name in ("Glass7", "Breast cancer")}
    numbers |= {(name, GAIN): gains[name] for name in ("Glass7", "Sonar", "Ionosphere")}
    g_means.add_means(out, numbers)
    means = tables["Hepatitis"]
    apart = [
        magnitude(paired_difference(means[method], means[SVM])) for method in VARYING
    ]
    column = "largest difference to the SVM of the five that transform in print"
    out.add_mean("Hepatitis", column, g_means.with_chance(max(apart)))


# -- tables -----------------------------------------------------------------------------------


def set_table(frame, name):
    """All methods on the same folds of a real set, with paired differences over partitions."""
    rows = frame[frame.dataset == name]
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
        rows = frame[frame.dataset == name]
        means = g_means.by_partition(rows)
        p = p_values(g_means.error_table(rows)).where(means.notna())
        over_all = means.apply(wilcoxon_p, args=(means[SVM],))
        columns = ((p < LEVEL).sum() / p.count(), p.median(), p.min(), over_all)
        tables[name] = pd.DataFrame(dict(zip(_TESTS, columns, strict=True))).drop(SVM)
    return pd.concat(tables, names=["data set", "method"]).reset_index()


def scalings(records):
    """Cells of the partitions that both scalings of the inputs have, by what they are called."""
    standardised = _every_partition(records["folds"], records["partitions"])
    boxed = records["boxed"]
    if not len(boxed) or not len(standardised):
        return {}
    shared = standardised.partition.isin(boxed.partition)
    return {"standardised": standardised[shared], "in the box": boxed}


#: Methods that have one partition in the box.
COSTLY = "TSVT"


def scaling_tests(records):
    """How far the print of all sets but Segment1 is from our partitions, by either scaling.

    The numbers of a partition hang together, so that the print is judged as one more partition:
    beside its squared distance from ours stands the largest of one of ours from the others, and the
    share of all that are as far as it is. Numbers that repeat another, and those of methods on few
    partitions in the box, are left out.
    """
    published = load_published(PAPER)
    published = published[
        (published.artefact == "real_sets")
        & (published.kind == "stochastic")
        & (published.repeats == "")
        & ~published.column.str.startswith(problems.LARGE)
        & ~published.row.str.startswith(COSTLY)
    ]
    is_error = published.column.isin(SETS)
    errors = _one_vector(published[is_error])
    spreads = _one_vector(published[~is_error])
    rows = []
    for name, table in scalings(records).items():
        ours = table.pivot(index="partition", columns=["dataset", "method"])
        svm = errors.xs(SVM, axis=1, level="method", drop_level=False)
        for what, printed, partitions in (
            ("errors of the SVM", svm, ours.error),
            ("methods - SVM", _changes(errors), _changes(ours.error)),
            ("spreads", spreads, ours.spread),
        ):
            vectors = pd.concat([printed, partitions], join="inner").dropna()
            far = squared_distances_from_the_others(vectors)
            row = {"inputs": name, "what": what, "n": vectors.shape[1]}
            row |= {"distance": far[0], "largest of ours": far[1:].max()}
            rows.append(row | {"as far": np.mean(far >= far[0])})
    return pd.DataFrame(rows)


def _one_vector(published):
    """Printed numbers in one row, with a column a data set and method."""
    named = published.assign(
        dataset=published.column.str.removesuffix(" ±"), method=published.row
    )
    return named.set_index(["dataset", "method"])[["value"]].T


def _changes(errors):
    """Errors of the methods minus those of the plain machine."""
    plain = errors.xs(SVM, axis=1, level="method")
    return errors.drop(columns=SVM, level="method").sub(plain, axis=1, level="dataset")


_SUMMARY = ("method", "mean rank", "SE of rank", "mean error", "method - SVM", "SE")


@none_without_records(*_SUMMARY)
def summary_over_sets(frame):
    """Mean rank and mean error of every method over the real sets, paired by partition.

    Ranks are those of the partitions on which all methods are tried.
    """
    sets = [
        g_means.by_partition(frame, name).dropna() for name in g_means.present(frame)
    ]
    ranks = sum(means.rank(axis=1) for means in sets) / len(sets)
    shown = g_means.against(g_means.over_sets(frame)).rename(
        columns={"g-means error": "mean error"}
    )
    shown["mean rank"] = ranks.mean()
    shown["SE of rank"] = ranks.sem()
    return shown.reset_index()[list(_SUMMARY)]
