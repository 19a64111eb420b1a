"""A study: the approximation of Section 4 beside exact leave-one-out, over the coarse grid.

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
from companion.papers.gacv.minima import falls_of_margins, study_by_size
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


#: How often, in the cells of the coarse grid.
RIGHT = "share of support vectors with theta_i right within a factor of two"
#: Where XA is held against exact leave-one-out: in the cells of the valley of MISCLASS.
WORTH_CHOOSING = (
    "|XA - leave-one-out|, mean of the cells within a tenth of the least MISCLASS"
)


def add_approximation(out, frame):
    """How often theta_i is what a margin falls by, and XA beside exact leave-one-out."""
    for case in CASES:
        cells = select(frame, case=case, n=SAMPLE_SIZE)
        out.add_mean(case, RIGHT, cells.groupby("sample").right.mean())
    out.add_mean("standard", WORTH_CHOOSING, from_leaving_out(frame, "standard", "xa"))


def from_leaving_out(frame, case, estimate):
    """How far an estimate is from exact leave-one-out where MISCLASS is low, by sample."""
    cells = select(frame, case=case, n=SAMPLE_SIZE)
    least = cells.groupby("sample").misclass.transform("min")
    low = cells[cells.misclass <= selection.VALLEY * least]
    return (low[estimate] - low.loo).abs().groupby(low["sample"]).mean()


#: GACV and XA from theta_i, from the span and from leaving out.
WAYS = {
    "by theta": ("gacv", "xa"),
    "by the span": ("gacv_span", "xa_span"),
    "exact": ("hinge", "loo"),
}


def surplus_table(frame):
    """Half of the least GACV minus the least XA, by what stands for the fall: a row a case."""
    rows = []
    for case in CASES:
        least = select(frame, case=case, n=SAMPLE_SIZE).groupby("sample").min()
        row = {"case": case}
        for way, (hinge, errors) in WAYS.items():
            above = mean_and_standard_error(least[hinge] / 2 - least[errors])
            row |= with_error(way, above, f"SE {way}")
        rows.append(row)
    return pd.DataFrame(rows)


def at_choice(frame, case, criterion, target):
    """What a target is worth where a criterion is least over its own least, sample by sample."""
    ratios = []
    for _, cells in select(frame, case=case, n=SAMPLE_SIZE).groupby("sample"):
        tied = cells[criterion] == cells[criterion].min()
        ratios.append(cells[target][tied].mean() / cells[target].min())
    return np.array(ratios)


#: What is chosen by three criteria each: by theta_i, by the span and by leaving out.
CHOICES = {
    "MISCLASS by XA": ("misclass", ("xa", "xa_span", "loo")),
    "MISCLASS by GACV": ("misclass", ("gacv", "gacv_span", "hinge")),
    "GCKL by GACV": ("gckl", ("gacv", "gacv_span", "hinge")),
}


def choice_table(frame):
    """How much of a target is lost where criteria are least, as a share: a row a choice."""
    rows = []
    for (words, (target, names)), case in product(CHOICES.items(), CASES):
        row = {"choice": f"{words}, {case}"}
        for way, name in zip(("by theta", "by the span", "exact"), names, strict=True):
            lost = mean_and_standard_error(at_choice(frame, case, name, target) - 1)
            row |= with_error(way, lost, f"SE {way}")
        rows.append(row)
    return pd.DataFrame(rows)
