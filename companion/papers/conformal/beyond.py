"""What the transformations are worth, and why: sections 3.2.2, 4.6, 5.2 to 6.3 and chapter 7."""

import pandas as pd
from scipy.stats import spearmanr

from companion.metrics import mean_and_standard_error
from companion.papers import summaries
from companion.papers.conformal import beyond_studies, criterion, g_means, today_studies
from companion.papers.conformal.beyond_studies import AMARI_READ
from companion.papers.conformal.checkers import BOARD
from companion.papers.conformal.magnification import SVM_UNITS
from companion.papers.conformal.methods import PRINTED, SVM
from companion.papers.conformal.problems import BOARD_NAME, LARGE
from companion.papers.conformal.real_sets_studies import FOLDS
from companion.papers.summaries import select

STUDIES = (
    FOLDS,
    BOARD,
    beyond_studies.WIDTHS,
    beyond_studies.FORCED,
    beyond_studies.SHIFT,
    *criterion.STUDIES,
)

#: Errors on all real sets, by method.
ON_ALL_SETS = {
    ("MDT-JGRAD", "g-means error: MDT - Williams"): "`MDT-JGRAD` - WIL",
    ("MDT-JMETA", "g-means error: MDT - Williams"): "`MDT-JMETA` - WIL",
    ("MDT-VMETA", "g-means error: MDT - Williams"): "`MDT-VMETA` - WIL",
    ("TSVT-JGRAD", "g-means error: TSVT - ACT"): "`TSVT-JGRAD` - ACT",
    ("TSVT-JMETA", "g-means error: TSVT - ACT"): "`TSVT-JMETA` - ACT",
    ("TSVT-VMETA", "g-means error: TSVT - ACT"): "`TSVT-VMETA` - ACT",
    ("TSVT", "g-means error: TSVT - MDT, same search"): (
        "((`TSVT-JGRAD` - `MDT-JGRAD`) + (`TSVT-JMETA` - `MDT-JMETA`)"
        " + (`TSVT-VMETA` - `MDT-VMETA`)) / 3"
    ),
}
#: Row, name and method of the forced transformations, and the reading that has the method.
FORCED = (
    ("forced Amari", "AMA", "AMA", ""),
    ("forced ACT", "ACT", "ACT", ""),
    ("forced Amari", "AMA", AMARI_READ, SVM_UNITS),
)
MOVED = "threshold by CV"
#: What the sentences about them hedge: "generally" is most sets, "may" is one of them.
NOTICED = "share of data sets with a noticeable gain"
LEAST = "least gain of a data set"


def _add_errors(out, folds):
    means = g_means.by_set(g_means.error_table(folds))
    numbers = {
        place: g_means.with_chance(g_means.over_sets(means, expression))
        for place, expression in ON_ALL_SETS.items()
    }
    numbers |= corrections(folds, MOVED)
    column = "g-means error: method - SVM, folds that it transforms"
    numbers["validation set", column] = _after_validation(folds)
    g_means.add_means(out, numbers)


def _add_shift(out, shift, folds):
    # f~ = gamma (f + lambda |w|^2 / 2) up to this error, and gamma is .9 at most
    column = "least |1 - f~ / (f + lambda |w|^2 / 2)|"
    out.add("bias shift", column, 0.1 - shift.identity_error.max())
    both = pd.concat([folds[folds.dataset.isin(shift.dataset)], shift])
    means = g_means.by_set(g_means.error_table(both))
    gaps = g_means.of_sets(means, "`MDT-VMETA` - `bias shift`")
    # one set alone may carry the mean
    gap = mean_and_standard_error([of.mean for of in gaps])
    place = ("bias shift", "g-means error: MDT-VMETA - bias shift")
    g_means.add_means(out, {place: gap})


def corrections(frame, words):
    """What the sentences on both corrections say, with their hedges, of sets at their imbalances.

    The share of sets with a noticeable gain is of a moved threshold, the least gain of balanced
    weights, its error widened for having been picked.
    """
    kinds = [name for name in ("dataset", "imbalance") if name in frame]
    error = g_means.error_table(frame)
    gains = -g_means.gaps(error).groupby(level=[*kinds, "partition"]).mean()
    moved = gains[MOVED].dropna() > g_means.NOTICEABLE
    weighted = gains[today_studies.BALANCED].dropna().groupby(level=kinds)
    least = min((rows for _, rows in weighted), key=lambda rows: rows.mean())
    least = summaries.one_of(g_means.chance(least), len(weighted))
    nested = words.removeprefix(MOVED)
    return {
        ("boundary movement", f"{NOTICED}, {words}"): moved.groupby("partition").mean(),
        ("balanced weights", f"{LEAST}{nested}"): least,
    }


def _after_validation(folds):
    """Error of the methods of the tables over the SVM's, where V chose to transform."""
    moved = g_means.by_method(folds, "n_transformations") > 0
    errors = g_means.error_table(folds)[list(PRINTED)].dropna()
    gaps = g_means.gaps(errors).where(moved)
    judged = gaps[list(PRINTED[1:])].stack()
    return judged.groupby(level="partition").mean()


def _add_forced(out, frame):
    """Errors with forced transformations beside those with none, means over the real sets."""
    forced = frame[frame.dataset != BOARD_NAME]
    forced = forced.assign(error=g_means.errors(forced))
    forced = forced.assign(gap=forced.error - forced.train_error)
    for row, name, method, reading in FORCED:
        rows = select(forced, method=method)
        sets = rows.groupby(["asked", "partition", "dataset"])[["train_error", "gap"]]
        means = sets.mean().groupby(level=[0, 1]).mean()
        column = f"share of folds in which one forced {name} errs less"
        numbers = {("stopping criterion", column): _helped(rows)}
        rise = means.loc[5] - means.loc[0]
        words = "5 transformations - none"
        numbers[row, f"g-means error, test - training: {words}"] = rise.gap
        numbers[row, f"g-means error, training part: {words}"] = rise.train_error
        if row == "forced Amari":
            column = "g-means error, test - training: 3 transformations - none"
            numbers[row, column] = means.gap.loc[3] - means.gap.loc[0]
        g_means.add_means(out, numbers, reading)


def _helped(rows):
    """How often one forced transformation errs less than none, a case a data set."""
    places = ["dataset", "partition", "fold"]
    error = rows.pivot(index=places, columns="asked", values="error")
    return (error[1] < error[0] - 1e-9).groupby(level="dataset").mean()


def width_means(frame):
    """Mean g-means error, indexed by partition, data set and width, a column a method."""
    error = frame.assign(error=g_means.errors(frame))
    means = error.groupby(["partition", "dataset", "width", "method"]).error.mean()
    return means.unstack()


def _add_widths(out, frame):
    """What is said of Amari's transformation, also with the support weights of the SVM."""
    table = width_means(frame)
    svm = table[SVM]
    drawn = svm[svm.index.get_level_values("width") < 10_000]
    partitions = svm.index.unique("partition")
    best = []
    for partition in partitions:
        # chosen on the other partitions: on the same folds the choice would favour the SVM
        others = svm.drop(partition) if len(partitions) > 1 else svm
        means = others.groupby(level=["dataset", "width"]).mean()
        chosen = means.groupby(level="dataset").idxmin()
        best.append([(partition, *place) for place in chosen])
    for amari, reading in (("AMA", ""), (AMARI_READ, SVM_UNITS)):
        gain = svm - table[amari]
        words = "gain of Amari's method"
        numbers = {
            f"{words} against the SVM's error, rank correlation": [
                spearmanr(part, gain[part.index]).statistic
                for _, part in drawn.groupby(level="partition")
            ],
            f"{words} at the best width": [gain[places].mean() for places in best],
        }
        for width in (5, 50_000):
            at = gain.xs(width, level="width").groupby(level="dataset").mean()
            numbers[f"{words} at 2 sigma^2 = {width}"] = at
        by_place = {("kernel width", column): of for column, of in numbers.items()}
        g_means.add_means(out, by_place, reading)


VALUES = (
    (_add_errors, "folds"),
    (_add_forced, "forced"),
    (_add_widths, "widths"),
    (_add_shift, "shift", "folds"),
    *criterion.VALUES,
)


# -- the notebook -----------------------------------------------------------------------------


def on_board(forced):
    """Errors of forced transformations on the board, and of the C alone that they amount to.

    Means over the draws: a row a method and number of transformations.
    """
    rows = forced[(forced.dataset == BOARD_NAME) & (forced.method != AMARI_READ)]
    errors = pd.DataFrame({"error": g_means.errors(rows), "alone": _error_alone(rows)})
    return errors.groupby([rows.method, rows.asked], sort=False).mean()


def _error_alone(rows):
    missed = rows.scaled_missed
    alone = rows.assign(missed=missed, false_alarms=rows.scaled_false_alarms)
    return g_means.errors(alone)


def what_came_out(run):
    """How much of a transformation is a larger C, and at which widths Amari's gains."""
    forced = run.records["forced"]
    means = on_board(forced)
    gained = -means.sub(means.error.xs(0, level="asked"), axis=0, level="method")
    shares = (gained.alone / gained.error).drop(0, level="asked")
    draws = forced[forced.dataset == BOARD_NAME].partition.nunique()
    text = (
        f"On the board a larger $C$ alone brings {summaries.range_text(shares, '.0%')} of what "
        "one, three or five forced transformations gain, Amari's or ACT's (means over "
        f"{g_means.counted(draws, 'draw')})."
    )
    widths = run.records["widths"]
    if len(widths):
        table = width_means(widths)
        gain = (table[SVM] - table["AMA"]).groupby(level=["width", "dataset"]).mean()
        # without the sign of a zero
        means = 0.0 - gain.groupby(level="width").mean().round(3)
        sets = g_means.counted(len(gain.loc[50.0]), "real set")
        text += (
            f" On {sets} the g-means error of Amari's method less that of the plain machine is "
            f"{means[50.0]:.3f} at the thesis's width, $2\\sigma^2=50$, {means[5.0]:.3f} at 5 and "
            f"${means[50_000.0]:.2f}$ at 50,000 (means)."
        )
    return " ".join([text, criterion.what_came_out(run)]) + g_means.not_run(run)


def segment_table(widths):
    """The print of Segment1 and Hepatitis, and below it ours from narrow to flat kernels."""
    methods = [SVM, "AMA", "ACT", "WIL"]
    means = width_means(widths).groupby(level=["dataset", "width"]).mean()
    rows = []
    for name in ("Segment1", "Hepatitis"):
        if name not in means.index:
            continue
        head = {"data set": name, "2 sigma^2": "50, printed"}
        rows.append(head | g_means.printed_values("real_sets", name))
        for width, row in means.loc[name].iterrows():
            rows.append({"data set": name, "2 sigma^2": f"{width:,g}", **row})
    return pd.DataFrame(rows, columns=["data set", "2 sigma^2", *methods])


def segment_sentence(widths):
    """Why a flat kernel is not the cause of what is printed of Segment1: its folds are alike."""
    rows = select(widths, dataset=LARGE, method=SVM)
    if rows.empty:
        return f"{LARGE} is not among the sets of this run."
    errors = rows.assign(error=g_means.errors(rows)).groupby(["width", "partition"])
    spreads = errors.error.std(ddof=0)
    printed = g_means.printed_values("real_sets", f"{LARGE} ±")[SVM]
    text = (
        f"At the {rows.width.nunique()} widths the errors of the seven folds of our plain machine "
        f"have a standard deviation of at most {spreads.max():.2f}; in print it is {printed}."
    )
    if spreads.max() < printed:
        text += " A flat kernel alone is not the cause of the print."
    return text


def forced_table(forced):
    """Three forced transformations: errors, what they do to C, and the error of that C alone."""
    rows = forced[forced.asked == 3]
    columns = {
        "applied": rows.n_transformations,
        "training error": rows.train_error,
        "test error": g_means.errors(rows),
        "C times": rows.log10_factor.astype(float),
        "test error, that C alone": _error_alone(rows),
    }
    by = [rows.dataset.rename("data set"), rows.method]
    table = pd.DataFrame(columns).groupby(by, sort=False).mean()
    return table.assign(**{"C times": 10 ** table["C times"]}).reset_index()
