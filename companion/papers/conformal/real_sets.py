"""Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets, their tests and asterisks."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata, spearmanr, wilcoxon

from companion.metrics import mean_and_standard_error
from companion.papers.conformal import g_means, methods, problems
from companion.papers.conformal.methods import CHEAP, CHEAPER_SEARCHES, PRINTED, SVM
from companion.papers.conformal.problems import (
    N_FOLDS,
    PAPER,
    SETS,
    digest,
    in_box,
    study_of_sets,
)
from companion.papers.summaries import magnitude, means_and_errors, select
from companion.reproduction import Values, study_over

#: Level of the thesis's tests.
LEVEL = 0.10

#: The levels of a partition of a set.
PARTITION = ["dataset", "partition"]

#: Middles of a slight gain (above 0, below the noticeable .05) and a tiny increase (to .01).
MIDDLES = {"from a gain of 0.025": -0.025, "from an increase of 0.005": 0.005}

#: Methods that transform Hepatitis in print without being named there.
VARYING = ("WIL", "MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")

#: The partitions with all methods; fewer of the large set, of which one takes as long as one of
#: each of the others.
N_PARTITIONS = 20
N_OF_LARGE = 5

#: Partitions on which methods are tried that the thesis neither prints nor judges.
N_WITH_ALL = 2

#: The partitions with the cheap methods, and with what is costlier: one printed answer can be rare
#: among fifty, not among twenty.
N_CHEAP = 100
N_SEARCHED = 50

#: Costly methods whose tests the first partitions all answer alike.
TESTED = {
    problems.LARGE: ("TSVT-JGRAD",),
    "Hepatitis": ("TSVT-JGRAD", "TSVT-JMETA"),
    "Sonar": ("TSVT-JGRAD", "TSVT-JMETA"),
    "Ionosphere": ("TSVT-JMETA",),
}
#: Costly methods of which the first partitions have all or none an asterisk.
MARKED = {
    problems.LARGE: ("TSVT-JMETA", "TSVT-VMETA"),
    "Hepatitis": ("TSVT-VMETA",),
    "Sonar": ("TSVT-VMETA",),
    "Heart disease": ("TSVT-VMETA",),
    "Ionosphere": ("TSVT-VMETA",),
    "Breast cancer": ("TSVT-VMETA",),
}
#: All columns scaled to the bounds of the board, in ``data/readings.yaml``; the costliest methods
#: on the first partitions alone.
BOXED_READING = "inputs-in-the-box"
N_BOXED_TSVT = 20

#: Quantities of several rows, and about all sets together; a method is chosen on other partitions.
IDLE = "methods of nine that transform nowhere"
GAIN = "gain over the SVM of the method that is best on the other partitions"
NONE = "share of methods and data sets without a transformation"
TRIED = "share of folds with fewer than 3 transformations tried"
CORRELATION = f"{GAIN}, rank correlation with the SVM's error over the data sets"


def compute_folds(unit):
    """A partition of a real set: a row a fold and method, all methods on the first partitions."""
    names = methods.ALL if unit.params["partition"] <= N_WITH_ALL else methods.JUDGED
    return rows_of_parts(problems.parts_of(unit), names)


def rows_of_parts(parts, names):
    """A row a fold and method."""
    return [
        {"fold": fold} | row
        for fold, problem in enumerate(parts)
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
    """The cheaper methods on a partition of a real set, and those to be tested: a row a method."""
    names = CHEAP
    if unit.params["partition"] <= N_SEARCHED:
        names = *CHEAP, *CHEAPER_SEARCHES, *TESTED.get(unit.params["dataset"], ())
    return partition_rows(problems.parts_of(unit), names)


def compute_marks(unit):
    """Whether costly methods transform in any fold of a partition: a row a method."""
    parts = problems.parts_of(unit)
    return [
        {
            "method": name,
            "transformed": any(methods.transforms(part, name) for part in parts),
        }
        for name in MARKED[unit.params["dataset"]]
    ]


def compute_boxed(unit):
    """The methods with the inputs in a box, the costliest on few partitions: a row a method."""
    parts = [in_box(part, *problems.BOX) for part in problems.parts_of(unit)]
    is_costly = unit.params["partition"] <= N_BOXED_TSVT
    return partition_rows(parts, PRINTED if is_costly else (*CHEAP, *CHEAPER_SEARCHES))


def partition_rows(parts, names):
    """Cells of methods over the folds of a partition, with Wilcoxon's p against the SVM."""
    frame = pd.DataFrame(rows_of_parts(parts, names))
    p = g_means.gaps(g_means.error_table(frame)).agg(wilcoxon_p).round(6)
    return cells(frame, "method").join(p.rename("p"), on="method").to_dict("records")


def settings_after(last, last_of_large, names):
    """Further partitions of some sets than those of all methods, of the large set first."""
    last = dict.fromkeys(names, last) | {problems.LARGE: last_of_large}
    first = dict.fromkeys(names, N_PARTITIONS + 1) | {problems.LARGE: N_OF_LARGE + 1}
    return [
        {"dataset": name, "partition": number}
        for name in sorted(names, key=problems.NOT_LARGE.__contains__)
        for number in range(first[name], last[name] + 1)
    ]


FOLDS = study_of_sets("folds", compute_folds, N_PARTITIONS, of_large=N_OF_LARGE)
SIZES = study_over(PAPER, "sizes", compute_sizes, digest=digest, dataset=tuple(SETS))
PARTITIONS = study_over(
    PAPER,
    "partitions",
    compute_partitions,
    {
        "paper": settings_after(N_CHEAP, N_SEARCHED, SETS),
        "quick": [{"dataset": name, "partition": 1} for name in problems.SMALL],
    },
    digest,
)
MARKS = study_over(
    PAPER,
    "marks",
    compute_marks,
    {"paper": settings_after(N_SEARCHED, N_SEARCHED, MARKED), "quick": []},
    digest,
)
BOXED = study_of_sets("boxed", compute_boxed, N_CHEAP, of_large=1)
STUDIES = (FOLDS, PARTITIONS, MARKS, BOXED, SIZES)


# -- tests ------------------------------------------------------------------------------------


def wilcoxon_p(difference):
    """p of the Wilcoxon signed-rank test of paired differences, 1 where there are none.

    Exact, ties included, for the few pairs of a partition; equal pairs are left out.
    """
    difference = np.asarray(difference)
    difference = difference[np.abs(difference) > 1e-12]
    if not difference.size:
        return 1.0
    if difference.size > 10:
        return wilcoxon(difference).pvalue
    # folds often differ by one pattern: tied ranks, for which SciPy has no exact distribution
    ranks = rankdata(np.round(np.abs(difference), 12))
    observed = abs(np.sign(difference) @ ranks)
    return np.mean(np.abs(_signs(difference.size) @ ranks) >= observed - 1e-9)


@cache
def _signs(n):
    """All ways to give n ranks a sign: a row each."""
    return np.array(list(product((-1.0, 1.0), repeat=n)))


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


def _add_tables(out, folds, further):
    """Tables 6.3.2 and 6.3.3, and their tests; of some further cells only the mark is known."""
    every = every_partition(folds, further)
    _add_asterisks(out, every)
    whole = every[every.error.notna()]
    _add_cells(out, whole)
    _add_wilcoxon(out, folds, whole)


def _add_boxed(out, boxed):
    """The same with the inputs in the box, but for the errors of the SVM, which chose it."""
    found = Values(out.converged)
    _add_cells(found, boxed, but=[SVM])
    _add_asterisks(found, boxed)
    out.extend(found, BOXED_READING)


def every_partition(folds, partitions):
    """Cells of all partitions there are, by data set, partition and method."""
    keys = [*PARTITION, "method"]
    return pd.concat([cells(folds, keys), partitions]).drop_duplicates(keys)


def _add_cells(out, table, but=()):
    """Printed "mean ± spread" over the folds of a partition, but for the means of some methods."""
    printed = table[table.method.isin(PRINTED)]
    for (name, method), rows in printed.groupby(["dataset", "method"], sort=False):
        # one partition alone, in a quick run, knows the chance of its folds
        alone = rows.spread.mean() if len(rows) == 1 else np.nan
        shown = {name: (rows.error, N_FOLDS), f"{name} ±": (rows.spread, 12)}
        if method in but:
            del shown[name]
        for column, (values, n) in shown.items():
            known = {"spread": values.std(), "n": len(rows), "se": alone / np.sqrt(n)}
            converged = rows.converged.all()
            out.add(method, column, values.mean(), converged, **known)


def _add_asterisks(out, table):
    """Whether a method transforms in no fold of a partition: its mark is one of many."""
    printed = table[table.method.isin(PRINTED[1:])].sort_values("partition")
    for (name, method), rows in printed.groupby(["dataset", "method"], sort=False):
        out.add_draws(method, f"{name}: no transformation", rows.transformed == 0)


def _add_wilcoxon(out, folds, table):
    """The tests that section 6.3.2 has, each on one partition: its answer is one of many."""
    gaps = g_means.gaps(g_means.error_table(folds))
    svm = select(table, method=SVM).set_index(PARTITION).error
    for row, column in g_means.places("real_sets", "Wilcoxon, "):
        method = row.removeprefix("Wilcoxon, ").removesuffix(" against SVM")
        name, words = column.split(": ")
        rows = select(table, dataset=name, method=method).sort_values("partition")
        if rows.empty:
            continue
        rows = rows.set_index(PARTITION)
        of_folds = gaps[method].loc[[name]].groupby(level=PARTITION)
        p = of_folds.agg(wilcoxon_p).reindex(rows.index)
        if "p" in rows:  # of further partitions it is on record
            p = rows.p.fillna(p)
        error = rows.error - svm[rows.index]
        of_side = {"worse": error > 0, "better": error < 0}
        side = of_side.get(words.rpartition(" and ")[2], True)
        out.add_draws(row, column, (p < LEVEL) & side)


def _add_differences(out, frame):
    """What section 6.3.2 says of methods beside the SVM on the sets."""
    errors = g_means.error_table(frame)
    moved = g_means.by_method(frame, "n_transformations") > 0
    sets = errors.index.unique("dataset")
    numbers = {}
    for row, column in g_means.places("real_sets", " - "):
        method, base = row.split(" - ")
        name, _, words = column.partition(": g-means error")
        if name not in sets:
            continue
        svm = g_means.by_set(errors[SVM].loc[[name]])
        gap = errors[method] - errors[base.removeprefix("half of the ")]
        if words == ", folds that it transforms":
            gap = gap.where(moved[method])
        gap = g_means.by_set(gap.loc[[name]]).dropna()
        if base == "half of the SVM":
            gap += svm / 2
        if words == ", without its sign, by the SVM's":
            gap = magnitude(g_means.chance(gap / svm))
        if words.removeprefix(", ") in MIDDLES:
            middle = MIDDLES[words.removeprefix(", ")]
            mean = g_means.chance(gap)
            gap = magnitude(mean._replace(mean=mean.mean - middle))
        numbers[row, column] = gap
    g_means.add_means(out, numbers)


def _add_over_sets(out, frame):
    """What is said of all sets together, and of a method that is chosen on other partitions."""
    if len(g_means.present(frame)) < len(SETS):
        return
    means = g_means.by_set(g_means.error_table(frame))
    best = means[list(PRINTED)].idxmin(axis=1).unstack("dataset").dropna()
    together = best.index  # the partitions of all sets
    for method in (SVM, "AMA", "MDT-VMETA"):
        wins = (best == method).sum(axis=1)
        out.add_draws(method, "data sets on which it is best", wins)
    applied = g_means.by_method(frame, "n_transformations")[list(PRINTED[1:])]
    none = applied.groupby(level=PARTITION).max() == 0
    few = g_means.by_method(frame, "n_tried")["TSVT-JMETA"] < 3
    errors = means[SVM].unstack("dataset")
    sets = means.groupby(level="dataset", group_keys=False)
    gains = sets.apply(gains_elsewhere).unstack("dataset")
    correlation = [spearmanr(errors.loc[k], gains.loc[k]).statistic for k in together]
    others = gains.drop(columns=problems.LARGE)
    hepatitis = g_means.gaps(means.loc["Hepatitis"])[list(VARYING)]
    apart = max(magnitude(mean_and_standard_error(gap)) for _, gap in hepatitis.items())
    column = "largest difference to the SVM of the five that transform in print"
    numbers = {
        ("all data sets", NONE): none.stack().groupby("partition").mean()[together],
        ("TSVT-JMETA", TRIED): few.groupby("partition").mean()[together],
        ("all data sets", CORRELATION): correlation,
        ("all but Segment1", f"largest {GAIN}"): others[others.mean().idxmax()],
        ("Hepatitis", column): g_means.with_chance(apart),
    }
    for name in ("Glass7", "Breast cancer"):
        numbers[name, IDLE] = none.loc[name].sum(axis=1)
    for name in ("Glass7", "Sonar", "Ionosphere"):
        numbers[name, GAIN] = gains[name].dropna()
    g_means.add_means(out, numbers)


VALUES = (
    (_add_protocol,),
    (_add_sizes, "sizes"),
    (_add_tables, "folds", "partitions + marks"),
    (_add_boxed, "boxed"),
    (_add_differences, "folds"),
    (_add_over_sets, "folds"),
)


# -- tables -----------------------------------------------------------------------------------


def asterisk_table(frame):
    """Mean number of transformed folds of seven, with a star where the thesis prints one."""
    moved = frame.assign(moved=frame.n_transformations > 0)
    share = moved.pivot_table("moved", "dataset", "method")[list(PRINTED[1:])]
    table = (N_FOLDS * share.loc[g_means.present(frame)]).map("{:.1f}".format)
    for name in table.index:
        table.loc[name, g_means.printed_asterisks(name)] += " *"
    return table.rename_axis(index="data set", columns=None).reset_index()


def differences_over_sets(frame):
    """What every method changes on the folds of the plain machine, mean over the sets."""
    names = [name for name in frame.method.unique() if not name.startswith(SVM)]
    means = g_means.by_set(g_means.error_table(frame))
    gaps = [g_means.over_sets(means, f"`{name}` - SVM") for name in names]
    gap, error = means_and_errors(gaps)
    return pd.DataFrame({"method": names, "method - SVM": gap, "SE": error})


# -- the notebook -----------------------------------------------------------------------------


def what_came_out(run):
    """How often nothing happens, and the largest difference from the print."""
    records = run.records["folds"]
    names = g_means.present(records)
    if not names:
        return "No set could be had, so that nothing was computed." + g_means.not_run(
            run
        )
    rows = records[records.method.isin(PRINTED[1:])]
    marks = {name: len(g_means.printed_asterisks(name)) for name in names}
    means = g_means.by_set(g_means.error_table(records))
    moved = g_means.over_sets(means, "`threshold by CV` - SVM")
    text = (
        f"In {(rows.n_transformations == 0).mean():.0%} of the folds a method transforms nothing "
        f"and is the plain machine; in print {sum(marks.values())} of "
        f"{len(names) * len(PRINTED[1:])} cells of the nine methods have an asterisk and are the "
        "plain machine's number again. A threshold chosen by cross-validation errs "
        f"{abs(moved.mean):.3f} {'less' if moved.mean < 0 else 'more'} than the plain machine in "
        f"the mean over {g_means.counted(len(names), 'set')}."
    )
    if problems.LARGE in names:
        ours = means[SVM][problems.LARGE].mean()
        printed = g_means.printed_values("real_sets", problems.LARGE)[SVM]
        text += (
            f" On {problems.LARGE} the plain machine errs by {ours:.3f} here and by {printed} in "
            "print, and we do not know why."
        )
    return text + g_means.not_run(run)


def differences_table(records):
    """What a method changes on the folds of the plain machine, in print and here.

    A row a cell of the print without an asterisk.
    """
    rows = []
    means = g_means.by_set(g_means.error_table(records))
    for name in g_means.present(records):
        printed = g_means.printed_values("real_sets", name)
        starred = g_means.printed_asterisks(name)
        gaps = g_means.gaps(means.loc[name])
        for method in PRINTED[1:]:
            if method in starred:
                continue
            row = {"data set": name, "method": method}
            row["printed"] = printed[method] - printed[SVM]
            row |= {"here": gaps[method].mean(), "SE": gaps[method].sem()}
            rows.append(row)
    return pd.DataFrame(rows)
