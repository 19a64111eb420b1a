"""Figure 1: the sample, the true decision curves, and those of the tuned machines."""

from itertools import product

from companion.papers.gacv import example, selection
from companion.papers.gacv.example import CASES, PAPER, SAMPLE_SIZE, SAMPLES
from companion.papers.gacv.inefficiency import INEFFICIENCY, side_by_side
from companion.reproduction import study_over


def describe_sample(unit):
    """Moments of a sample, and what the true rules cost at its points."""
    X, y, probability = example.sample(unit.params["sample"], unit.params["n"])
    row = {"share_positive": (y > 0).mean()}
    for label, name in ((1, "positive"), (-1, "negative")):
        for k, values in enumerate(X[y == label].T, start=1):
            row[f"mean_{k}_{name}"] = values.mean()
            row[f"variance_{k}_{name}"] = values.var(ddof=1)
    for case, cost in example.COSTS.items():
        rule = example.bayes_rule(X, case)
        risk = selection.misclass_values(rule, probability, (cost[-1], cost[1]))
        row[f"{case}_true_misclass"] = risk
    return selection.rounded(row)


FIG_1 = study_over(PAPER, "fig_1", describe_sample, n=(SAMPLE_SIZE,), sample=SAMPLES)
STUDIES = (FIG_1, INEFFICIENCY)


#: How close the curves are, from the runs side by side: said of one sample, and so by the share of
#: samples like it.
CURVES = {
    "share of samples, MISCLASS from true at most 0.025 of the population": (
        "1.0 * (misclass_from_true <= 0.025)"
    ),
    "share of samples, GACV from XA less than MISCLASS from true": (
        "1.0 * (xa_from_gacv < misclass_from_true)"
    ),
}


def _add_costs(out):
    for sign, label in (("+", 1), ("-", -1)):
        costs = {
            f"C{sign}": example.ERROR_COST[label],
            f"pi{sign}": example.TARGET_SHARE[label],
            f"pi_s{sign}": example.SAMPLE_SHARE[label],
            f"L({label})": example.COSTS["nonstandard"][label],
        }
        out.add_all("costs", costs)


def _add_sample(out, samples):
    share = samples.share_positive.mean()
    out.add_all("sample", {"share of +": share, "share of -": 1 - share})
    classes = (("positive", "+"), ("negative", "-"))
    for (name, sign), k, moment in product(classes, (1, 2), ("mean", "variance")):
        moments = samples[f"{moment}_{k}_{name}"]
        out.add_spread(f"class {sign}", f"{moment} of x{k}", moments)


def _add_curves(out, frame):
    for case in CASES:
        out.add_claims(case, side_by_side(frame, case), CURVES)


VALUES = ((_add_costs,), (_add_sample, "fig_1"), (_add_curves, "inefficiency"))


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    one, two = (side_by_side(run.records["inefficiency"], case) for case in CASES)
    return (
        f"The curves tuned by GACV and by XA disagree on {one.xa_from_gacv.mean():.1%} of the"
        f" population in the standard case and on {two.xa_from_gacv.mean():.1%} in the nonstandard"
        f" one, in the mean of {len(one)} samples; the best curve of the grid and the true one"
        f" disagree on {one.misclass_from_true.mean():.1%} and"
        f" {two.misclass_from_true.mean():.1%}. The report shows one sample: in"
        f" {(one.xa_from_gacv < one.misclass_from_true).mean():.0%} and"
        f" {(two.xa_from_gacv < two.misclass_from_true).mean():.0%} of ours GACV and XA disagree"
        " on less than the best and the true curve."
    )
