"""The approximation of Section 4 beside exact leave-one-out, in every cell of the coarse grid.

theta_i = alpha_i K_ii / (2 n lambda) stands for the fall y f - y f[-i] of the margin of a point
that is left out. Here every point is left out of every machine. With the true margins y f[-i] in
place of y f - theta_i, XA becomes the exact leave-one-out error, and GACV the exact hinge loss.
With the squared span in the place of K_ii the free support vectors respond, and nothing is left out
but changes of who is free.
"""

import numpy as np
import pandas as pd

from companion.papers.gacv import example, selection
from companion.papers.gacv.example import CASES, SAMPLE_SIZE
from companion.papers.gacv.minima import MINIMA, left_out, minima_of, study_by_size
from companion.papers.summaries import select
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
    X, y, probability = example.sample(p["sample"], p["n"])
    for case in CASES:
        machines = selection.train(X, y, probability, case, p["grid"])
        criteria = selection.one_fit_criteria(machines)
        widths = range(len(machines.sigma))
        spans = np.array([machines.span_influence(k) for k in widths])
        margin = machines.surface.margin
        criteria["gacv_span"] = gacv_values(margin, spans, machines.cost)
        criteria["xa_span"] = xi_alpha_values(margin, spans, machines.cost)
        for cell in np.ndindex(criteria["gacv"].shape):
            numbers = _of_cell(machines, cell, spans[cell])
            numbers |= {name: criteria[name][cell] for name in RECORDED}
            row = {name: round(float(value), 5) for name, value in numbers.items()}
            row["converged"] = bool(machines.surface.converged[cell])
            rows.append({"case": case, **row})
    return rows


def _of_cell(machines, cell, span):
    (k, j), lost = cell, machines.y * left_out(machines, cell)
    margin = machines.surface.margin[cell]
    theta = machines.surface.influence[cell]
    meant = (margin > 0) & (margin <= 1 + selection.TOL) & (theta > 0)
    # of a cell without such vectors the median and the share are NaN
    fall = (margin - lost)[meant]
    ratio = pd.Series(fall / theta[meant])
    # where rounding alone is left of the span, it is right if the fall is nothing as well
    of_span = pd.Series((fall + _NOTHING) / (span[meant] + _NOTHING))
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
        claims = {
            RIGHT: _right(of),
            RIGHT.replace("theta_i", "the span"): _right(of, "right_span"),
        }
        for one, other in (
            ("large lambda", "small lambda"),
            ("small sigma", "large sigma"),
        ):
            gap = _right(of.query(HALVES[one])) - _right(of.query(HALVES[other]))
            claims[f"{RIGHT}: {one} - {other}"] = gap
        for words, (one, other, target) in GAINS.items():
            claims[words] = at_choice(of, case, one, target) - at_choice(
                of, case, other, target
            )
        printed = select(of, n=SAMPLE_SIZE)
        far = (printed.xa_span - printed.loo).abs().groupby(printed["sample"]).mean()
        claims["|XA by the span - exact leave-one-out|, mean over the grid"] = far
        out.add_means(case, claims)


def _right(cells, column="right"):
    """The mean over the cells of each sample of the printed size."""
    return select(cells, n=SAMPLE_SIZE).groupby("sample")[column].mean()


STUDIES = (APPROXIMATION, MINIMA)
VALUES = ((add_falls, "minima"), (add_approximation, "approximation"))
