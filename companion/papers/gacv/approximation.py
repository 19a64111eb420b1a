"""The approximation of Section 4 beside exact leave-one-out, in every cell of the coarse grid.

theta_i = alpha_i K_ii / (2 n lambda) stands for the fall y f - y f[-i] of the margin of a point
that is left out. Here every point is left out of every machine. With the true margins y f[-i] in
place of y f - theta_i, XA becomes the exact leave-one-out error, and GACV the exact hinge loss.
With the squared span in the place of K_ii the free support vectors respond, and nothing is left out
but changes of who is free.
"""

from itertools import product

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error
from companion.papers.gacv import selection
from companion.papers.gacv.example import CASES, SAMPLE_SIZE
from companion.papers.gacv.minima import (
    MINIMA,
    falls_of_margins,
    minima_of,
    study_by_size,
)
from companion.papers.summaries import select, with_error
from companion.tuning.criteria import gacv_values, xi_alpha_values

#: How many samples of which size, on the coarse grid.
SIZES = {
    "paper": {("coarse", 100): 8, ("coarse", SAMPLE_SIZE): 20, ("coarse", 400): 3},
    "quick": {("coarse", 50): 2, ("coarse", SAMPLE_SIZE): 1},
}
#: The criteria on record, by theta_i and by the span.
RECORDED = ("gacv", "xa", "gacv_span", "xa_span", "gckl", "misclass")
#: A fall of a margin of this size is none: the tolerance of the machines.
_NOTHING = selection.TOL
RIGHT = "share of support vectors with theta_i right within a factor of two"
#: Halves of the grid. theta_i should be right more often in the first than in the second, and in
#: the third than in the fourth: there the neighbours of a point are at their bounds, or there are
#: none, and nobody takes over what it leaves.
HALVES = {
    "large lambda": "log10_lambda > -2.75",
    "small lambda": "log10_lambda < -2.75",
    "small sigma": "log2_sigma < 0.75",
    "large sigma": "log2_sigma > 0.75",
}


def compute_cells(unit):
    """What theta_i stands for, and what follows from either: a row a case and cell."""
    p = unit.params
    rows = []
    for machines in selection.trained(p["sample"], p["n"], p["grid"]):
        surface = machines.surface
        criteria = selection.one_fit_criteria(machines)
        spans = np.array([*map(machines.span_influence, range(len(machines.sigma)))])
        criteria["gacv_span"] = gacv_values(surface.margin, spans, machines.cost)
        criteria["xa_span"] = xi_alpha_values(surface.margin, spans, machines.cost)
        for cell in np.ndindex(surface.converged.shape):
            numbers = _of_cell(machines, cell, spans[cell])
            numbers |= {name: criteria[name][cell] for name in RECORDED}
            row = {"case": machines.case} | selection.rounded(numbers, 5)
            rows.append(row | {"converged": surface.converged[cell]})
    return rows


def _of_cell(machines, cell, span):
    k, j = cell
    lost, falls, concerned = falls_of_margins(machines, cell)
    # of a cell without such vectors the median and the share are NaN
    ratio = pd.Series(falls / machines.surface.influence[cell][concerned])
    # where rounding alone is left of the span, it is right if the fall is nothing as well
    of_span = pd.Series((falls + _NOTHING) / (span[concerned] + _NOTHING))
    return {
        "log10_lambda": np.log10(machines.lam[j]),
        "log2_sigma": np.log2(machines.sigma[k]),
        "fall_over_theta": ratio.median(),
        "right": ratio.between(1 / 2, 2).mean(),
        "fall_over_span": of_span.median(),
        "right_span": of_span.between(1 / 2, 2).mean(),
        "hinge": np.mean(machines.cost * np.maximum(1 - lost, 0)),
        "loo": np.mean(machines.cost * (lost <= 0)),
    }


APPROXIMATION = study_by_size("approximation", SIZES, compute_cells)


def at_choice(frame, case, criterion, target):
    """What a target is worth where a criterion is least over its own least, sample by sample."""
    ratios = []
    for _, cells in select(frame, case=case, n=SAMPLE_SIZE).groupby("sample"):
        tied = cells[criterion] == cells[criterion].min()
        ratios.append(cells[target][tied].mean() / cells[target].min())
    return np.array(ratios)


#: How far the median fall of a margin is from what it is taken for, at the minimum of XA, from the
#: logarithms of their ratios.
FALLS = {
    "|log2 (y f - y f[-i]) / theta_i|, median": "abs(fall_over_theta)",
    "|log2 (y f - y f[-i]) / (alpha_i S_i^2)|, median": "abs(fall_over_span)",
}
#: Two criteria that choose, and what the choices of the first are worth beside those of the second.
GAINS = {
    "GCKL / its least: GACV - exact hinge loss": ("gacv", "hinge", "gckl"),
    "GCKL / its least: GACV - GACV by the span": ("gacv", "gacv_span", "gckl"),
    "inefficiency: GACV - GACV by the span": ("gacv", "gacv_span", "misclass"),
    "inefficiency: XA - XA by the span": ("xa", "xa_span", "misclass"),
    "inefficiency: XA by the span - exact leave-one-out": (
        "xa_span",
        "loo",
        "misclass",
    ),
}


def add_falls(out, frame):
    """The fall of a margin beside theta_i and beside the span, where XA is least."""
    for case in CASES:
        ratios = minima_of(frame, case)[["fall_over_theta", "fall_over_span"]]
        out.add_claims(case, np.log2(ratios), FALLS)


def add_approximation(out, frame):
    """Where theta_i and the span are right, and whether the true fall would choose better."""
    for case in CASES:
        of = select(frame, case=case)
        right = {half: _right(of.query(where)) for half, where in HALVES.items()}
        claims = {
            RIGHT: _right(of),
            RIGHT.replace("theta_i", "the span"): _right(of, "right_span"),
        }
        for one, other in (
            ("large lambda", "small lambda"),
            ("small sigma", "large sigma"),
        ):
            claims[f"{RIGHT}: {one} - {other}"] = right[one] - right[other]
        for words, (one, other, target) in GAINS.items():
            first, second = (at_choice(of, case, name, target) for name in (one, other))
            claims[words] = first - second
        printed = select(of, n=SAMPLE_SIZE)
        far = (printed.xa_span - printed.loo).abs().groupby(printed["sample"]).mean()
        claims["|XA by the span - exact leave-one-out|, mean over the grid"] = far
        out.add_means(case, claims)


def _right(cells, column="right"):
    """The mean over the cells of each sample of the printed size."""
    return select(cells, n=SAMPLE_SIZE).groupby("sample")[column].mean()


STUDIES = (APPROXIMATION, MINIMA)
VALUES = ((add_falls, "minima"), (add_approximation, "approximation"))


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    cells = select(run.records["approximation"], n=SAMPLE_SIZE)
    standard = select(cells, case="standard")
    other = select(cells, case="nonstandard")
    off = {
        name: (standard[name] - standard.loo).abs().mean() for name in ("xa", "xa_span")
    }
    return (
        "When a support vector is left out its margin falls by what $\\theta_i$ says, within a"
        f" factor of two, for {standard.right.mean():.0%} of them in the standard case and for"
        f" {other.right.mean():.0%} in the nonstandard one. With the span $S_i^2$ in the place of"
        f" $K_{{ii}}$, which lets the other support vectors respond, it is"
        f" {standard.right_span.mean():.0%} and {other.right_span.mean():.0%}, and XA is off the"
        f" exact leave-one-out error by {off['xa_span']:.3f} on average over the grid instead of"
        f" {off['xa']:.3f} (standard case)."
    )


#: What is chosen by three criteria each: by theta_i, by the span and by leaving out.
CHOICES = {
    "MISCLASS by XA": ("misclass", ("xa", "xa_span", "loo")),
    "MISCLASS by GACV": ("misclass", ("gacv", "gacv_span", "hinge")),
    "GCKL by GACV": ("gckl", ("gacv", "gacv_span", "hinge")),
}


def choice_table(frame):
    """What a target loses where criteria are least, and what the span gains: a row a choice."""
    rows = []
    for (words, (target, names)), case in product(CHOICES.items(), CASES):
        theta, span, exact = (
            at_choice(frame, case, name, target) - 1 for name in names
        )
        means = {
            "by theta": theta,
            "by the span": span,
            "exact": exact,
            "gain": theta - span,
        }
        row = {"choice": f"{words}, {case}"}
        for name, values in means.items():
            found = mean_and_standard_error(values)
            row |= with_error(name, found, f"SE {name}")
        rows.append(row)
    return pd.DataFrame(rows)


def halves_table(frame):
    """Shares of support vectors with theta_i right within a factor of two, by half of the grid."""
    printed = select(frame, n=SAMPLE_SIZE)
    rows = []
    for case in CASES:
        of = select(printed, case=case)
        shares = {half: of.query(where).right.mean() for half, where in HALVES.items()}
        rows.append({"case": case, **shares})
    return pd.DataFrame(rows)
