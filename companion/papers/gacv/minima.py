"""What the estimates are worth at the minima, from one fit a cell: Sections 3 to 6 taken literally.

At the cells that GACV, XA and the oracles choose: the inefficiency, the estimates beside what they
approximate, the true fall of a margin beside theta_i, and how near f is to the limit of Section 5.
"""

import numpy as np
import pandas as pd

from companion.kernels import gram
from companion.metrics import mean_and_standard_error
from companion.papers.gacv import example, selection
from companion.papers.gacv.example import CASES, COSTS, PAPER, SAMPLE_SIZE
from companion.papers.summaries import difference_of, magnitude, select
from companion.reproduction import Study, Unit
from companion.tuning.leave_one_out import leave_one_out_errors

#: What is printed of the estimates, and which of the tied minimisers that is.
PRINTED = {
    "standard": {
        "GACV": "gacv_inefficiency",
        "XA, least of the tied minima": "xa_inefficiency_low",
        "XA, largest of the tied minima": "xa_inefficiency_high",
    },
    "nonstandard": {"GACV": "gacv_inefficiency", "BRXA": "xa_inefficiency"},
}
#: How many samples of the size of the figures on the fine grid, and of other sizes on the coarse.
SIZES = {
    "paper": {
        ("fine", 200): 120,
        ("coarse", 100): 100,
        ("coarse", 200): 20,
        ("coarse", 500): 20,
    },
    "quick": {("fine", 200): 4, ("coarse", 100): 4, ("coarse", 500): 4},
}


def study_by_size(name, sizes, compute):
    """A study with a unit for each sample, its size and grid, as many as a profile has of them."""

    def units(profile):
        return [
            Unit(PAPER, name, {"grid": grid, "n": n, "sample": number})
            for (grid, n), samples in sizes[profile].items()
            for number in range(1, samples + 1)
        ]

    return Study(PAPER, name, units, compute, selection.DIGITS)


def compute_minima(unit):
    """What is found at the minima of one sample: a row a case."""
    return _row_a_case(unit, _minima)


def _row_a_case(unit, numbers):
    p = unit.params
    rows = []
    for machines in selection.trained(p["sample"], p["n"], p["grid"]):
        row = {"case": machines.case} | selection.rounded(numbers(machines))
        rows.append(row | {"converged": machines.surface.converged.all()})
    return rows


def _minima(machines):
    surfaces = selection.one_fit_criteria(machines)
    choices = {name: selection.choose(surface) for name, surface in surfaces.items()}
    target = surfaces["misclass"]
    gckl = surfaces["gckl"]
    xa = choices["xa"].cell
    of_target = choices["misclass"].cell
    lost, falls, concerned = falls_of_margins(machines, xa)
    theta = machines.surface.influence[xa]
    span = machines.span_influence(xa[0])[xa[1]]
    row = {
        "xa_minus_target_at_misclass": surfaces["xa"][of_target] - target[of_target],
        **{f"{name}_at_xa": surfaces[name][xa] for name in ("xa", "misclass")},
        "loo_at_xa": np.mean(machines.cost * (lost <= 0)),
        # NaN where no support vector has such a margin
        "fall_over_theta": pd.Series(falls / theta[concerned]).median(),
        "fall_over_span": pd.Series(falls / span[concerned]).median(),
        "from_limit": distance_from_limit(machines, choices["gckl"].cell),
    }
    u = np.log10(machines.lam)
    v = 2 * np.log10(machines.sigma)
    low = selection.valley(gckl, machines.lam, machines.sigma)
    for name in ("gacv", "xa"):
        tied = choices[name].tied
        k, j = np.nonzero(tied)
        row[f"{name}_along_gckl"] = low.position(np.array([u[j].mean(), v[k].mean()]))
        values = target[tied] / target.min()
        row |= {f"{name}_inefficiency{end}": of(values) for end, of in ENDS.items()}
    return row


#: The inefficiency of tied minimisers.
ENDS = {"": np.mean, "_low": np.min, "_high": np.max}


def falls_of_margins(machines, cell):
    """Margins y_i f[-i](x_i) without the point, how far they fell from y_i f(x_i), and of whom.

    The falls are those of the support vectors with y f in (0, 1], who are the last array.
    """
    k, j = cell
    surface = machines.surface
    K = gram(machines.X, gamma=surface.gamma[k])
    upper = surface.C[j] * machines.cost
    found = leave_one_out_errors(
        K, machines.y, surface.alpha[cell], upper, decisions=True
    )
    lost = machines.y * found.decision
    margin = surface.margin[cell]
    near = (margin > 0) & (margin <= 1 + selection.TOL)
    concerned = near & (surface.influence[cell] > 0)
    return lost, (margin - lost)[concerned], concerned


def distance_from_limit(machines, cell):
    """Mean over the population of |f - sign(p_s - L(-1) / (L(-1) + L(1)))|."""
    points, weight, probability = example.population()
    cost = COSTS[machines.case]
    limit = np.sign(probability - cost[-1] / (cost[-1] + cost[1]))
    return np.abs(machines.decision(cell, points) - limit) @ weight


MINIMA = study_by_size("minima", SIZES, compute_minima)


def minima_of(frame, case, grid="fine", n=SAMPLE_SIZE):
    """The rows of one case in the order of the samples."""
    return select(frame, case=case, grid=grid, n=n).sort_values("sample")


def from_the_middle(values, middle):
    """How far a mean is from the middle of what "somewhat more" allows: above none, to twice it."""
    mean = mean_and_standard_error(values)
    return magnitude(mean._replace(mean=mean.mean - middle))


#: How far the median fall of a margin is from theta_i, at the minimum of XA.
FALLS = {
    "|log2 (y f - y f[-i]) / theta_i|, median": "abs(log(fall_over_theta)) / log(2)"
}
#: What is said of the estimates at the minimum of XA, in one case.
CLAIMS = {
    "standard": {
        "|XA - leave-one-out|, at the minimum of XA": "abs(xa_at_xa - loo_at_xa)"
    },
    "nonstandard": {
        "|XA - MISCLASS|, at the minimum of XA": "abs(xa_at_xa - misclass_at_xa)"
    },
}


def add_minima(out, frame):
    """The printed inefficiencies among the draws, and what is said of the estimates elsewhere."""
    for case in CASES:
        of = minima_of(frame, case)
        for column, which in PRINTED[case].items():
            out.add_draws(case, column, of[which])
        out.add_claims(case, of, CLAIMS[case] | FALLS)
        large, small = (
            mean_and_standard_error(minima_of(frame, case, "coarse", n).from_limit)
            for n in (500, 100)
        )
        nearer = difference_of(large, small)
        out.add_mean(case, "mean |f - its limit|, n = 500 - n = 100", nearer)
    above = minima_of(frame, "standard").xa_minus_target_at_misclass
    add_surplus(out, above)


def add_surplus(out, above, reading=""):
    """XA - MISCLASS "at its minimizer", of each sample: how far, and how pessimistic."""
    column = "|XA - MISCLASS|, at its minimizer"
    out.add_mean("standard", column, above.abs(), reading=reading)
    column = "XA - MISCLASS, at its minimizer, from a surplus of 0.005"
    apart = from_the_middle(above, 0.005)
    out.add_mean("standard", column, apart, reading=reading)
