"""Figure 1: the sample, the true decision curves, and those of the tuned machines."""

from __future__ import annotations

from companion.papers.gacv import example, selection
from companion.papers.gacv.example import PAPER, SAMPLE_SIZE, SIZES
from companion.reproduction import Study, Unit

#: The curves of a panel besides the true one, as keys of the criteria.
CURVES = ("gacv", "xa", "misclass")


def sample_units(profile):
    """One unit a sample of the size of the figure."""
    return [
        Unit(PAPER, "fig_1", {"n": SAMPLE_SIZE, "sample": number})
        for number in range(1, SIZES[profile]["samples"] + 1)
    ]


def describe_sample(unit):
    """Moments of a sample, and what the true rules cost at its points.

    Parameters
    ----------
    unit : Unit

    Returns
    -------
    dict
    """
    X, y, probability = example.sample(unit.params["sample"], unit.params["n"])
    row = {"share_positive": float((y > 0).mean())}
    for label, name in ((1, "positive"), (-1, "negative")):
        mean, variance = X[y == label].mean(axis=0), X[y == label].var(axis=0, ddof=1)
        for k in (0, 1):
            row[f"mean_{k + 1}_{name}"] = round(float(mean[k]), 6)
            row[f"variance_{k + 1}_{name}"] = round(float(variance[k]), 6)
    for case in example.CASES:
        cost = example.COSTS[case]
        rule = example.bayes_rule(X, case)
        row[f"{case}_true_misclass"] = round(
            float(selection.misclass_values(rule, probability, (cost[-1], cost[1]))), 6
        )
    return row


def curves(machines, points):
    """Decision values of the tuned machines, for the contours at zero.

    Parameters
    ----------
    machines : selection.Machines
    points : ndarray of shape (n_points, 2)

    Returns
    -------
    dict of str to ndarray of shape (n_points,)
        Keyed by criterion.
    dict of str to (float, float)
        The chosen lambda and sigma.
    """
    surfaces = selection.one_fit_criteria(machines)
    values, chosen = {}, {}
    for name in CURVES:
        k, j = selection.choose(surfaces[name]).cell
        gamma = 1 / (2 * machines.sigma[k] ** 2)
        values[name] = selection.decision_at(
            machines.surface, k, machines.X, machines.y, points, gamma, slice(j, j + 1)
        )[0]
        chosen[name] = float(machines.lam[j]), float(machines.sigma[k])
    return values, chosen


FIG_1 = Study(PAPER, "fig_1", sample_units, describe_sample)
