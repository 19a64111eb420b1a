"""Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets, their tests and asterisks."""

from __future__ import annotations

import pandas as pd
from scipy.stats import spearmanr

from companion.metrics import mean_and_standard_error
from companion.papers.conformal import g_means, problems
from companion.papers.conformal.causes import CAUSES
from companion.papers.conformal.methods import PRINTED, SVM
from companion.papers.conformal.problems import N_FOLDS, SETS
from companion.papers.conformal.real_sets_studies import (
    BOXED,
    BOXED_READING,
    FOLDS,
    HALVES,
    IN_BOX,
    PARTITIONS,
    SIZES,
    STANDARDISED,
    cells,
    sizes_of,
    wilcoxon_p,
)
from companion.papers.summaries import magnitude, means_and_errors, over_sets, select
from companion.reproduction import Values

STUDIES = (FOLDS, BOXED, PARTITIONS, CAUSES, HALVES, SIZES)

#: Level of the thesis's tests.
LEVEL = 0.10

#: Of a printed error: differences are those of numbers rounded so.
_DECIMALS = 3

#: The levels of a partition of a set.
PARTITION = ["dataset", "partition"]

#: Middles of a slight gain (above 0, below the noticeable .05) and a tiny increase (to .01).
MIDDLES = {"from a gain of 0.025": -0.025, "from an increase of 0.005": 0.005}

#: Methods that transform Hepatitis in print without being named there.
VARYING = ("WIL", "MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")

#: Quantities of several rows, and about all sets together; a method is chosen on other partitions.
IDLE = "methods of nine that transform nowhere"
GAIN = "gain over the SVM of the method that is best on the other partitions"
NONE = "share of methods and data sets without a transformation"
TRIED = "share of folds with fewer than 3 transformations tried"
CORRELATION = f"{GAIN}, rank correlation with the SVM's error over the data sets"


# -- tests ------------------------------------------------------------------------------------


def gains_elsewhere(means):
    """Gain over the SVM of the method that is best on the other partitions: one a partition."""
    chosen = (means.sum() - means)[list(PRINTED[1:])].idxmin(axis=1)
    return means[SVM] - [means.loc[place, method] for place, method in chosen.items()]


# -- reproduced values ------------------------------------------------------------------------


#: Table 6.2.1: what is printed of a set, and the columns of the records.
_PRINTED_SIZES = {"N": "n", "N+": "n_positive", "N-": "n_negative", "d": "n_features"}


def _add_protocol(out):
    out.add_all("protocol", {"folds": N_FOLDS, "data sets": len(SETS)})
    board = problems.board_split(1)
    sizes = sizes_of(board.X, board.y) | {"dataset": problems.BOARD_NAME}
    _add_sizes(out, pd.DataFrame([sizes]))


def _add_sizes(out, frame):
    for row in frame.to_dict("records"):
        sizes = {column: row[key] for column, key in _PRINTED_SIZES.items()}
        out.add_all(row["dataset"], sizes)


def _add_tables(out, folds, more):
    """Tables 6.3.2 and 6.3.3, and their tests; of some cells only the asterisk is known."""
    table = every_partition(folds, more)
    _add_asterisks(out, table)
    _add_cells(out, table[table.error.notna()])
    _add_wilcoxon(out, folds, select(more, inputs=STANDARDISED))


def _add_boxed(out, boxed, more):
    """The same with the inputs in the box, but for the errors of the SVM, which chose it."""
    found = Values(out.converged)
    table = pd.concat([boxed, select(more, inputs=IN_BOX)])
    _add_cells(found, table, but=[SVM])
    _add_asterisks(found, table)
    out.extend(found, BOXED_READING)


def every_partition(folds, more):
    """Cells by data set, partition and method, the inputs standardised."""
    first = cells(folds, [*PARTITION, "method"])
    return pd.concat([first, select(more, inputs=STANDARDISED)])


def _add_cells(out, table, but=()):
    """Printed "mean ± spread" over the folds of a partition, each among ours of all partitions.

    And the differences of cells to the SVM's. A cell with an asterisk is the SVM's, by the caption,
    in print and in ours. The means of some methods are left out.
    """
    printed = table[table.method.isin(PRINTED)]
    ours = printed.pivot(
        index="partition",
        columns=["dataset", "method"],
        values=["error", "spread", "converged"],
    )
    for name in g_means.present(table):
        starred = g_means.printed_asterisks(name)
        plain = ours.xs((name, SVM), axis=1, level=["dataset", "method"])
        for method in PRINTED:
            shown = SVM if method in starred else method
            if (name, shown) not in ours.error:
                continue
            of_method = ours.xs(
                (name, shown), axis=1, level=["dataset", "method"]
            ).dropna()
            converged = of_method.converged.all()
            if shown not in but:
                out.add_draws(method, name, of_method.error, converged)
            out.add_draws(method, f"{name} ±", of_method.spread, converged)
            if shown != SVM:
                gap = of_method.error.round(_DECIMALS) - plain.error.round(_DECIMALS)
                column = f"{name}: difference of the cells"
                out.add_draws(f"{method} - {SVM}", column, gap.dropna(), converged)


def _add_asterisks(out, table):
    """Whether a method transforms in no fold of a partition: its mark is one of many."""
    printed = table[table.method.isin(PRINTED[1:])].sort_values("partition")
    for (name, method), rows in printed.groupby(["dataset", "method"], sort=False):
        out.add_draws(method, f"{name}: no transformation", rows.transformed == 0)


def _add_wilcoxon(out, folds, more):
    """The tests that section 6.3.2 has, each on one partition: its answer is one of many."""
    gaps = g_means.gaps(g_means.error_table(folds))
    for row, column in g_means.places("real_sets", "Wilcoxon, "):
        method = row.removeprefix("Wilcoxon, ").removesuffix(" against SVM")
        name, words = column.split(": ")
        gap = gaps.loc[gaps.index.get_level_values("dataset") == name, method].dropna()
        if gap.empty:
            continue
        of_partition = gap.groupby(level="partition")
        first = {"gap": of_partition.mean(), "p": of_partition.agg(wilcoxon_p)}
        cells_of = select(more, dataset=name).set_index("partition")
        ours, plain = (select(cells_of, method=one) for one in (method, SVM))
        later = {"gap": ours.error - plain.error, "p": ours.p}
        tests = pd.concat([pd.DataFrame(first), pd.DataFrame(later).dropna()])
        error = tests.gap.round(8)
        of_side = {"worse": error > 0, "better": error < 0}
        side = of_side.get(words.rpartition(" and ")[2], True)
        out.add_draws(row, column, (tests.p < LEVEL) & side)


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
    every = g_means.by_set(g_means.error_table(frame))
    means = every[list(PRINTED)].dropna()
    best = means.idxmin(axis=1).unstack("dataset").dropna()
    complete = best.index  # the partitions of all sets
    for method in (SVM, "AMA", "MDT-VMETA"):
        wins = (best == method).sum(axis=1)
        out.add_draws(method, "data sets on which it is best", wins)
    applied = g_means.by_method(frame, "n_transformations")[list(PRINTED[1:])]
    none = applied.groupby(level=PARTITION).max() == 0
    few = g_means.by_method(frame, "n_tried")["TSVT-JMETA"] < 3
    errors = means[SVM].unstack("dataset")
    sets = means.groupby(level="dataset", group_keys=False)
    gains = sets.apply(gains_elsewhere).unstack("dataset")
    correlation = [spearmanr(errors.loc[k], gains.loc[k]).statistic for k in complete]
    others = gains.drop(columns=problems.LARGE)
    hepatitis = g_means.gaps(every.loc["Hepatitis"])[list(VARYING)]
    apart = max(magnitude(mean_and_standard_error(gap)) for _, gap in hepatitis.items())
    column = "largest difference to the SVM of the five that transform in print"
    numbers = {
        ("all data sets", NONE): none.stack().groupby("partition").mean()[complete],
        ("TSVT-JMETA", TRIED): few.groupby("partition").mean()[complete],
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
    (_add_tables, "folds", "partitions"),
    (_add_boxed, "boxed", "partitions"),
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
    gaps = [over_sets(g_means.of_sets(means, f"`{name}` - SVM")) for name in names]
    gap, error = means_and_errors([of.mean for of in gaps])
    columns = {"method": names, "method - SVM": gap, "SE": error}
    return pd.DataFrame(columns | {"SE over sets": [of.error_over_sets for of in gaps]})


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
    moved = over_sets(g_means.of_sets(means, "`threshold by CV` - SVM"))
    text = (
        f"In {(rows.n_transformations == 0).mean():.0%} of the folds a method transforms nothing "
        f"and is the plain machine; in print {sum(marks.values())} of "
        f"{len(names) * len(PRINTED[1:])} cells of the nine methods have an asterisk and are the "
        "plain machine's number again. A threshold chosen by cross-validation changes that error "
        f"by {moved.mean.mean:+.3f} in the mean over {g_means.counted(len(names), 'set')} "
        f"(standard error over the sets {moved.error_over_sets:.3f}; median {moved.median:+.3f})."
    )
    if problems.LARGE in names:
        ours = means[SVM][problems.LARGE].mean()
        printed = g_means.printed_values("real_sets", problems.LARGE)[SVM]
        text += (
            f" On {problems.LARGE} the plain machine errs by {ours:.3f} here and by {printed} in "
            "print, and we do not know why."
        )
    return text + g_means.not_run(run)


def differences_table(folds, more):
    """What a method changes on the folds of the plain machine, in print and here.

    A row a cell of the print without an asterisk.
    """
    rows = []
    table = every_partition(folds, more)
    means = table.pivot(index=PARTITION, columns="method", values="error")
    for name in g_means.present(table):
        printed = g_means.printed_values("real_sets", name)
        starred = g_means.printed_asterisks(name)
        gaps = g_means.gaps(means.loc[name])
        for method in PRINTED[1:]:
            if method in starred:
                continue
            gap = gaps[method].dropna()
            row = {"data set": name, "method": method}
            row["printed"] = printed[method] - printed[SVM]
            row |= {"here": gap.mean(), "SE": gap.sem()}
            row |= {"least": gap.min(), "largest": gap.max(), "of": len(gap)}
            rows.append(row)
    return pd.DataFrame(rows)
