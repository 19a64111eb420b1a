"""Figure 1: the sample, the true decision curves, and those of the tuned machines."""

from itertools import product

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.gacv import example, selection
from companion.papers.gacv.example import CASES, PAPER, SAMPLE_SIZE, SAMPLES
from companion.papers.gacv.inefficiency import INEFFICIENCY, runs
from companion.papers.summaries import Values, study_over


def describe_sample(unit):
    """Moments of a sample, and what the true rules cost at its points."""
    X, y, probability = example.sample(unit.params["sample"], unit.params["n"])
    row = {"share_positive": float((y > 0).mean())}
    for label, name in ((1, "positive"), (-1, "negative")):
        mean = X[y == label].mean(axis=0)
        variance = X[y == label].var(axis=0, ddof=1)
        for k in (0, 1):
            row[f"mean_{k + 1}_{name}"] = round(float(mean[k]), 6)
            row[f"variance_{k + 1}_{name}"] = round(float(variance[k]), 6)
    for case in example.CASES:
        cost = example.COSTS[case]
        rule = example.bayes_rule(X, case)
        risk = selection.misclass_values(rule, probability, (cost[-1], cost[1]))
        row[f"{case}_true_misclass"] = round(float(risk), 6)
    return row


FIG_1 = study_over(PAPER, "fig_1", describe_sample, n=(SAMPLE_SIZE,), sample=SAMPLES)
STUDIES = (FIG_1, INEFFICIENCY)


def values(records):
    """The sample, the costs, and how close the curves are."""
    out = Values()
    samples = records["fig_1"]
    frame = records["inefficiency"]
    for sign, label in (("+", 1), ("-", -1)):
        costs = {
            f"C{sign}": example.ERROR_COST[label],
            f"pi{sign}": example.TARGET_SHARE[label],
            f"pi_s{sign}": example.SAMPLE_SHARE[label],
            f"L({label})": example.COSTS["nonstandard"][label],
        }
        out.add_all("costs", costs)
    if not samples.empty:
        share = samples.share_positive.mean()
        out.add_all("sample", {"share of +": share, "share of -": 1 - share})
        classes = (("positive", "+"), ("negative", "-"))
        for (name, sign), k, moment in product(classes, (1, 2), ("mean", "variance")):
            values = samples[f"{moment}_{k}_{name}"]
            out.add_spread(f"class {sign}", f"{moment} of x{k}", values)
    for case in CASES if len(frame) else ():
        misclass = runs(frame, case, "misclass")
        xa = runs(frame, case, "xa")
        best = mean_and_standard_error(misclass.from_true)
        nearer = paired_difference(xa.from_gacv, misclass.from_true)
        claims = {
            "share of the population where MISCLASS and true curve disagree": best,
            "disagreement: GACV with XA - MISCLASS with true": nearer,
        }
        out.add_means(case, claims, frame.converged.all())
    return out.frame()
