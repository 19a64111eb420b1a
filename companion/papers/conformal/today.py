"""A rare class today: everything is chosen by cross-validation, on eleven sets and imbalances."""

import pandas as pd

from companion.metrics import paired_difference
from companion.papers.conformal import g_means
from companion.papers.conformal.beyond import MOVED, corrections
from companion.papers.conformal.today_studies import PRACTICE
from companion.papers.summaries import mean_text

STUDIES = (PRACTICE,)

#: Errors over sets and imbalances, a row a partition and a column a method.
NESTED = {
    ("bias shift", "g-means error: MDT-JGRAD - threshold by CV, nested"): (
        "`MDT-JGRAD` - `threshold by CV`"
    ),
    (
        "best transformation",
        "g-means error: best transformation - threshold by CV, nested",
    ): "`best transformation` - `threshold by CV`",
}


def _add_errors(out, frame):
    """What chapters 3, 5 and 6 say of corrections, where all else is chosen, too."""
    g_means.add_claims(out, g_means.by_partition(frame), NESTED)
    numbers = corrections(frame, f"{MOVED}, nested")
    support = frame.groupby(["dataset", "imbalance", "partition"]).support.mean()
    most = support.groupby(level=["dataset", "imbalance"]).mean().idxmax()
    column = "largest share of the training patterns, plain machine, nested"
    numbers["support vectors", column] = support[most]
    g_means.add_means(out, numbers)


VALUES = ((_add_errors, "practice"),)


# -- the notebook -----------------------------------------------------------------------------

#: What one may do, in the order of effort; the plain machine is left as it is.
WAYS = (
    "SVM",
    "balanced weights",
    "threshold by CV",
    "balanced weights, threshold by CV",
    "best transformation",
    "best transformation, threshold by CV",
)


def gains(trials):
    """What every method gains over the plain machine, by measure.

    A row a set, imbalance and partition; a column a method.
    """
    rare = 1 - trials.missed / trials.n_positive
    common = 1 - trials.false_alarms / trials.n_negative
    scores = {
        "g-means": 1 - g_means.errors(trials),
        "balanced accuracy": (rare + common) / 2,
        "area under precision-recall": trials.precision,
    }
    return {
        name: g_means.gaps(g_means.by_method(trials.assign(score=score), "score"))
        for name, score in scores.items()
    }


def simplest(gain):
    """The way of least effort within two standard errors, over sets, of the best, and its gain."""
    means = gain[list(WAYS)].groupby(level="dataset").mean()
    best = means.mean().idxmax()
    for name in WAYS:
        behind = paired_difference(means[best], means[name])
        if name == best or behind.mean <= 2 * behind.standard_error:
            return name, paired_difference(means[name], means["SVM"])


def recommendation(trials):
    """By each measure the way of least effort among the best, and what it gains."""
    lines = []
    for measure, gain in gains(trials).items():
        name, gained = simplest(gain)
        says = f"**{name}**, {mean_text(gained, '+.3f')}"
        if name == "SVM":
            says = "**the plain machine**, which none of the ways clearly beats"
        lines.append(f"* by {measure}: {says}")
    return "\n".join(lines)


def transformations_table(trials):
    """What each transformation alone gains in g-means, the most first."""
    gain = gains(trials)["g-means"].drop(columns=list(WAYS))
    means = gain.groupby(level="dataset").mean()
    table = {"gain in g-means": means.mean(), "SE": means.sem()}
    table = pd.DataFrame(table).sort_values("gain in g-means", ascending=False)
    return table.rename_axis("transformation").reset_index()


def what_came_out(run):
    """What a moved threshold and the best transformation gain."""
    trials = run.records["practice"]
    gain = gains(trials)["g-means"]
    by_set = gain.groupby(level="dataset").mean()
    moved, weighted, transformed = (
        paired_difference(by_set[name], by_set["SVM"])
        for name in ("threshold by CV", "balanced weights", "best transformation")
    )
    best = trials[trials.method == "best transformation"]
    is_enough = all(of.mean > 2 * of.standard_error for of in (moved, weighted))
    is_better = transformed.mean <= 2 * transformed.standard_error
    advice = (
        " **With a rare class: choose $C$ and the width by cross-validation, balance the weights "
        "or move the threshold, and leave the kernel as it is.**"
    )
    return (
        "Where cross-validation chooses $C$ and the width, letting it move the threshold too "
        f"changes g-means by {mean_text(moved, '+.3f')} on average of {len(by_set)} sets, and "
        f"raises them on {(by_set['threshold by CV'] > 0).sum()}; balanced weights change them by "
        f"{mean_text(weighted, '+.3f')}. Letting it take one of "
        f"four transformations instead changes them by {mean_text(transformed, '+.3f')}; in "
        f"{best.machine.eq('SVM').mean():.0%} of the training parts it takes none."
        + advice * (is_enough and is_better)
        + g_means.not_run(run)
    )
