"""What the transformations are worth, and why: sections 3.2.2, 5.3, 5.4, 6.3.2 and chapter 7."""

import numpy as np
from scipy.stats import spearmanr

from companion.papers.conformal import beyond_studies, g_means, practice
from companion.papers.conformal.beyond_studies import AMARI_READ
from companion.papers.conformal.checkers import BOARD
from companion.papers.conformal.magnification import SVM_UNITS
from companion.papers.conformal.methods import PRINTED, SVM
from companion.papers.conformal.problems import BOARD_NAME
from companion.papers.conformal.real_sets import FOLDS
from companion.papers.summaries import Values

STUDIES = (
    FOLDS,
    BOARD,
    beyond_studies.WIDTHS,
    beyond_studies.FORCED,
    beyond_studies.SHIFT,
)

#: Rows and columns about errors on all real sets, and whose difference they are.
PAIRS = {
    (f"{family}-{search}", f"g-means error: {family} - {words}"): (
        f"{family}-{search}",
        other,
    )
    for search in ("JGRAD", "JMETA", "VMETA")
    for family, words, other in (("MDT", "Williams", "WIL"), ("TSVT", "ACT", "ACT"))
}

#: Corrections of the SVM, of the boards too: the row that speaks of them.
CORRECTIONS = {
    "balanced weights": "balanced weights",
    "threshold by CV": "boundary movement",
}
MOVED = "threshold by CV"
#: What the sentences about them hedge: "generally" is most sets, "may" is one of them.
NOTICED = "share of data sets with a noticeable gain"
LEAST = "least gain of a data set"


def reproduced_values(records):
    """What chapters 3 to 7 claim that Tables 6.3.1 to 6.3.3 do not show."""
    out = Values()
    numbers = {}
    folds, board, shift = (records[name] for name in ("folds", "board", "shift"))
    if not folds.empty:
        means = g_means.over_sets(folds)
        numbers |= {
            place: means[first] - means[second]
            for place, (first, second) in PAIRS.items()
        }
        searches = ("JGRAD", "JMETA", "VMETA")
        gaps = [means[f"TSVT-{search}"] - means[f"MDT-{search}"] for search in searches]
        numbers["TSVT", "g-means error: TSVT - MDT, same search"] = sum(gaps) / len(
            gaps
        )
        column = "g-means error: method - SVM, folds that it transforms"
        numbers["validation set", column] = _after_validation(folds)
        numbers |= corrections(folds, MOVED)
    if g_means.present(records["forced"]):
        numbers |= _forced(records["forced"])
    if not records["widths"].empty:
        numbers |= _widths(records["widths"])
    if not board.empty:
        table = g_means.error_table(board)
        for method, row in CORRECTIONS.items():
            place = (row, f"g-means error: SVM - {method}, checkers board")
            numbers[place] = table[SVM] - table[method]
    if not shift.empty:
        # f~ = gamma (f + lambda |w|^2 / 2) up to this error, and gamma is .9 at most
        column = "least |1 - f~ / (f + lambda |w|^2 / 2)|"
        out.add("bias shift", column, 0.1 - shift.identity_error.max())
    if not folds.empty and not shift.empty:
        transformed = g_means.over_sets(folds[folds.dataset.isin(shift.dataset)])[
            "MDT-VMETA"
        ]
        gap = (transformed - g_means.over_sets(shift)["bias shift"]).dropna()
        numbers["bias shift", "g-means error: MDT-VMETA - bias shift"] = gap
    g_means.add_means(out, numbers)
    out.extend(_in_svm_units(records), SVM_UNITS)
    return out.frame()


def _in_svm_units(records):
    """What is said of Amari's transformation, with the support weights of the SVM."""
    out = Values()
    numbers = {}
    if g_means.present(records["forced"]):
        forced = _forced(records["forced"], AMARI_READ)
        numbers |= {k: own for k, own in forced.items() if "ACT" not in str(k)}
    if not records["widths"].empty:
        numbers |= _widths(records["widths"], AMARI_READ)
    g_means.add_means(out, numbers)
    return out


def corrections(frame, words):
    """What the sentences on both corrections say, with their hedges, of sets at their imbalances.

    The share of sets with a noticeable gain is of a moved threshold, the least gain of balanced
    weights.
    """
    kinds = [name for name in ("dataset", "imbalance") if name in frame]
    error = g_means.error_table(frame)
    gains = -error.sub(error[SVM], axis=0)
    gains = gains.groupby(level=[*kinds, "partition"]).mean()
    moved = gains[MOVED].dropna() > g_means.NOTICEABLE
    weighted = gains[practice.BALANCED].dropna().groupby(level=kinds)
    least = min((rows for _, rows in weighted), key=lambda rows: rows.mean())
    nested = words.removeprefix(MOVED)
    return {
        ("boundary movement", f"{NOTICED}, {words}"): moved.groupby("partition").mean(),
        ("balanced weights", f"{LEAST}{nested}"): least,
    }


def _after_validation(folds):
    """Error of the methods of the tables over the SVM's, where V chose to transform."""
    moved = g_means.by_method(folds, "n_transformations")[list(PRINTED[1:])] > 0
    table = g_means.error_table(folds)
    gaps = table[list(PRINTED[1:])].sub(table[SVM], axis=0).where(moved)
    return gaps.stack().groupby(level="partition").mean()


def _forced(frame, amari="AMA"):
    """Errors with forced transformations beside those with none, means over the real sets.

    `amari` is the one that counts as Amari's.
    """
    forced = frame[frame.dataset != BOARD_NAME]
    numbers = {}
    forced = forced.assign(error=g_means.errors(forced))
    forced = forced.assign(gap=forced.error - forced.train_error)
    for name, method, row in (
        ("AMA", amari, "forced Amari"),
        ("ACT", "ACT", "forced ACT"),
    ):
        rows = forced[forced.method == method]
        sets = rows.groupby(["asked", "partition", "dataset"])
        means = (
            sets[["error", "train_error", "gap"]].mean().groupby(level=[0, 1]).mean()
        )
        rise = {number: means.loc[number] - means.loc[0] for number in (3, 5)}
        column = f"share of folds in which one forced {name} errs less"
        numbers["stopping criterion", column] = _helped(rows)
        for number in (3, 5):
            words = f"{number} transformations - none"
            numbers[row, f"g-means error, test - training: {words}"] = rise[number].gap
            numbers[row, f"g-means error, training part: {words}"] = rise[
                number
            ].train_error
    return numbers


def _helped(rows):
    """How often one forced transformation errs less than none, a case a data set."""
    error = rows.pivot(
        index=["dataset", "partition", "fold"], columns="asked", values="error"
    )
    return (error[1] < error[0] - 1e-9).groupby(level="dataset").mean()


def width_means(frame):
    """Mean g-means error, indexed by partition, data set and width, a column a method."""
    error = frame.assign(error=g_means.errors(frame))
    means = error.groupby(["partition", "dataset", "width", "method"]).error.mean()
    return means.unstack()


def _widths(frame, amari="AMA"):
    table = width_means(frame)
    gain = table[SVM] - table[amari]
    drawn = table.index.get_level_values("width") < 10_000
    correlations = [
        spearmanr(part[SVM], gain.loc[part.index]).statistic
        for _, part in table[drawn].groupby(level="partition")
    ]
    partitions = table.index.get_level_values("partition").unique()
    at_best = []
    for partition in partitions:
        # chosen on the other partitions: on the same folds the choice would favour the SVM
        others = table[SVM].drop(partition) if len(partitions) > 1 else table[SVM]
        best = (
            others.groupby(level=["dataset", "width"]).mean().unstack().idxmin(axis=1)
        )
        at_best.append(
            np.mean([gain.loc[partition, name, w] for name, w in best.items()])
        )
    column = "gain of Amari's method against the SVM's error, rank correlation"
    numbers = {
        ("kernel width", column): correlations,
        ("kernel width", "gain of Amari's method at the best width"): at_best,
    }
    for width in (5, 50_000):
        at = gain.xs(width, level="width").groupby(level="dataset").mean()
        numbers["kernel width", f"gain of Amari's method at 2 sigma^2 = {width}"] = at
    return numbers
