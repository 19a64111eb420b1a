"""The four inefficiencies of Section 6, as distributions over samples.

The report draws one sample, tunes by each criterion, and prints MISCLASS (BRMISCLASS) at the chosen
pair over its minimum. Here this is done for its criteria and for what they compete with.
"""

import numpy as np
import pandas as pd

from companion.metrics import mean_and_standard_error
from companion.papers.gacv import example, selection
from companion.papers.gacv.approximation import APPROXIMATION, add_approximation
from companion.papers.gacv.example import CASES, PAPER, SAMPLE_SIZE, SAMPLES
from companion.papers.gacv.minima import (
    MINIMA,
    add_minima,
    add_surplus,
    from_the_middle,
    minima_of,
)
from companion.papers.gacv.selection import CRITERIA, N_FOLDS, NAMES, one_fit_criteria
from companion.papers.summaries import (
    difference_of,
    row_a_group,
    select,
    wide,
    with_error,
)
from companion.reproduction import numbered, study_over

#: The report's "global search" is compared with the fine grid.
PRINTED = {"grid": "fine", "n": SAMPLE_SIZE}
#: So many samples of a size are tuned on the coarse grid, other sizes than that of the report on no
#: other.
N_COARSE = 50
#: How many samples of which size.
SIZES = {
    "paper": {SAMPLE_SIZE: SAMPLES["paper"], 100: N_COARSE, 500: N_COARSE},
    "quick": {SAMPLE_SIZE: SAMPLES["quick"]},
}
#: So many samples of a size are tuned by the criteria that take further fits, which the report does
#: not ask for.
REFITTED = 10
#: The report's own estimates.
ESTIMATES = ("gacv", "xa")


def compute_sample(unit):
    """What every criterion chooses for one sample: a row a grid, case and criterion."""
    n = unit.params["n"]
    number = unit.params["sample"]
    grids = []
    if n == SAMPLE_SIZE:
        grids.append("fine")
    if number <= N_COARSE:  # it is a part of the fine one
        grids.append("coarse")
    rows = []
    for machines in selection.trained(number, n, grids[0]):
        surfaces = all_criteria(machines, n, number)
        for grid in grids:
            rows += _rows_of_case(machines, surfaces, grid)
    return rows


def all_criteria(machines, n, number):
    """Every criterion that the sample of size `n` with this number is tuned by, over the grid."""
    surfaces = one_fit_criteria(machines)
    if number <= REFITTED:
        surfaces["loo"] = selection.leave_one_out_rates(machines)
        surfaces["cv_10"] = selection.cross_validated_rates(
            machines, N_FOLDS, n, number
        )
    return {name: surfaces[name] for name in CRITERIA if name in surfaces}


def _rows_of_case(machines, surfaces, grid):
    cells, machines = machines.part(grid)
    surfaces = {name: surface[cells] for name, surface in surfaces.items()}
    points, weight, _ = example.population()
    target = surfaces["misclass"]
    target_valley = selection.valley(target, machines.lam, machines.sigma)
    u = np.log10(machines.lam)
    v = 2 * np.log10(machines.sigma)
    choices = {name: selection.choose(surface) for name, surface in surfaces.items()}
    cells = {choice.cell for choice in choices.values()}
    rules = {cell: machines.decision(cell, points) for cell in cells}
    others = {name: rules[choices[name].cell] for name in ("misclass", "gacv")}
    others["true"] = example.bayes_rule(points, machines.case)
    rows = []
    for name, surface in surfaces.items():
        choice = choices[name]
        rule = rules[choice.cell]
        k, j = np.nonzero(choice.tied)
        middle = np.array([u[j].mean(), v[k].mean()])
        at_choice = target[choice.tied]
        # GACV estimates the hinge loss, which is at least the error and about twice it
        estimate = surface / 2 if name in ("gacv", "gckl") else surface
        shape = selection.valley(surface, machines.lam, machines.sigma)
        # the same over log sigma in the place of log sigma^2
        by_sigma = selection.valley(surface, machines.lam, np.sqrt(machines.sigma))
        numbers = {
            "log10_lambda": middle[0],
            "log10_sigma2": middle[1],
            "estimate": estimate.min(),
            "target": at_choice.mean(),
            "target_low": at_choice.min(),
            "target_high": at_choice.max(),
            "target_least": target.min(),
            "risk": example.population_risk(rule, machines.case),
            "position": target_valley.position(middle),
            "length": shape.length,
            "width": shape.width,
            "tilt": shape.tilt,
            "decades": shape.decades,
            "length_by_sigma": by_sigma.length,
            "width_by_sigma": by_sigma.width,
            "least_above_target": (surface - target).min(),
        }
        for key, other in others.items():
            # the probability under the sampled population that two rules say different things
            numbers[f"from_{key}"] = ((rule > 0) != (other > 0)) @ weight
        if "loo" in surfaces:
            loo = surfaces["loo"]
            above = (surface - loo)[has_free_vector(machines)]
            numbers["least_above_loo"] = above.min()
        head = {
            "grid": grid,
            "case": machines.case,
            "criterion": name,
            "n_tied": len(k),
            "n_groups": selection.groups_of(choice.tied),
            "leaves_grid": selection.leaves_grid(surface),
            "converged": machines.surface.converged.all(),
        }
        rows.append(head | selection.rounded(numbers))
    return rows


def has_free_vector(machines):
    """Cells with a support vector strictly inside its bounds."""
    alpha = machines.surface.alpha
    upper = machines.surface.C[:, None] * machines.cost
    return ((alpha > 0) & (alpha < upper)).any(axis=-1)


INEFFICIENCY = study_over(
    PAPER,
    "inefficiency",
    compute_sample,
    numbered("n", "sample", SIZES),
    digits=selection.DIGITS,
)
STUDIES = (INEFFICIENCY, MINIMA, APPROXIMATION)
#: A row shows what one sample gave.
JUDGED_BY_ROW = True


# -- reading the records, here and for the figures --------------------------------------------


def _with_inefficiency(frame):
    """Records with the target of the tied minimisers over its least: mean, lowest, highest."""
    ends = ("", "_low", "_high")
    ratios = {
        f"inefficiency{end}": frame[f"target{end}"] / frame.target_least for end in ends
    }
    return frame.assign(**ratios).sort_values("sample")


def runs(frame, case, criterion, **setting):
    """The rows of one case and criterion in the order of the samples, with the inefficiency."""
    return _with_inefficiency(
        select(frame, case=case, criterion=criterion, **(PRINTED | setting))
    )


def side_by_side(frame, case):
    """The runs of a case, a row a sample; a column is a criterion and what is on record of it."""
    rows = _with_inefficiency(select(frame, case=case, **PRINTED))
    quantities = rows.drop(columns="converged").select_dtypes("number")
    return wide(quantities.assign(criterion=rows.criterion), "sample", "criterion")


def in_common(*several):
    """Of the runs of some criteria, the inefficiencies for the samples that all of them tune."""
    columns = [rows.set_index("sample").inefficiency for rows in several]
    return pd.concat(columns, axis=1, join="inner").to_numpy().T


# -- the printed numbers and the claims -------------------------------------------------------


#: What is said of the estimates in both cases, from the runs side by side.
CLAIMS = {
    "inefficiency of GACV": "gacv_inefficiency",
    "inefficiency of XA": "xa_inefficiency",
}
#: What is said of one case; what is said of one sample by the share of samples like it.
OF_CASE = {
    "standard": {
        "share of samples with XA above GACV, by at most 0.003": (
            "1.0 * (0 < xa_inefficiency - gacv_inefficiency <= 0.003)"
        ),
        "share of samples with XA within 0.015 of GACV": (
            "1.0 * (abs(xa_inefficiency - gacv_inefficiency) <= 0.015)"
        ),
        "distance from MISCLASS: rho = 2 - rho = 1": (
            "abs(xa_2_estimate - xa_2_target) - abs(xa_estimate - xa_target)"
        ),
        "share of samples with several minima of XA": "1.0 * (xa_n_tied > 1)",
        "share of samples with several minima of XA, all of them neighbours": (
            "1.0 * (xa_n_tied > 1 and xa_n_groups == 1)"
        ),
    },
    "nonstandard": {f"{claim}, at most a tenth": of for claim, of in CLAIMS.items()},
}
#: The samples on which each criterion at its own minimum was first looked at.
FIRST_LOOKED_AT = 120


def _add_inefficiencies(out, frame):
    of = {case: side_by_side(frame, case) for case in CASES}
    for case, table in of.items():
        out.add_claims(case, table, CLAIMS | OF_CASE[case])
        least = {
            "least GCKL - MISCLASS of any cell": table.gckl_least_above_target.min(),
            "least XA_J (rho = 2) - leave-one-out of any cell with a free vector": (
                table.xa_2_least_above_loo.min()
            ),
        }
        out.add_all(case, least)
        _add_excess(out, frame, case)
    standard = of["standard"]
    above = standard.xa_estimate - standard.misclass_estimate
    new = above[above.index > FIRST_LOOKED_AT]
    if len(new):  # the quick profile has no such samples
        add_surplus(out, new, "gacv-its-minimizer")
    above = standard.gacv_estimate - standard.xa_estimate
    column = "GACV / 2 - XA, at their minima, from a surplus of 0.01"
    out.add_mean("standard", column, from_the_middle(above, 0.01))
    more = {f"{claim}: nonstandard - standard": of for claim, of in CLAIMS.items()}
    more["inefficiency of both, mean: nonstandard - standard"] = (
        "(gacv_inefficiency + xa_inefficiency) / 2"
    )
    out.add_claims("both cases", of["nonstandard"] - standard, more)


def _add_excess(out, frame, case):
    """Excess of the risk of GACV's and XA's rules over the least, the larger of two.

    From it half of that of a fifth of the points is taken off: a limit theorem says that it falls.
    """
    falls = []
    for name in ESTIMATES:
        large, small = (
            runs(frame, case, name, grid="coarse", n=n).risk / example.bayes_risk(case)
            for n in (500, 100)
        )
        if len(small):  # the quick profile has no such samples
            excess = mean_and_standard_error(large - 1)
            half = mean_and_standard_error(0.5 * (small - 1))
            falls.append(difference_of(excess, half))
    if falls:
        column = (
            "excess over Bayes risk, as a share of it, n = 500 - half of that at n = 100, "
            "the larger"
        )
        out.add_mean(case, column, max(falls))


VALUES = (
    (add_minima, "minima"),
    (_add_inefficiencies, "inefficiency"),
    (add_approximation, "approximation"),
)


# -- what the notebook shows ------------------------------------------------------------------


#: Of the criterion at the sample's points: half of it where it is GACV or GCKL.
DEARER = "inefficiency minus that of 10-fold CV"
PESSIMISM = "value at its minimum minus MISCLASS"


def criteria_table(frame, case):
    """What each criterion leads to in a case, with standard errors: a row a criterion."""
    rows = _with_inefficiency(select(frame, case=case, **PRINTED))
    folds = select(rows, criterion="cv_10")

    def row(rows):
        dearer = mean_and_standard_error(np.subtract(*in_common(rows, folds)))
        above = mean_and_standard_error(rows.estimate - rows.target)
        return with_error(DEARER, dearer, f"SE {DEARER}") | with_error(
            PESSIMISM, above, f"SE {PESSIMISM}"
        )

    table = row_a_group(rows, "criterion", row, among=NAMES[case])
    return table.replace({"criterion": NAMES[case]})


def times_lambda(frame, case, criterion, target):
    """How many times as large the lambda of a criterion is as another's: geometric mean."""
    rows = side_by_side(frame, case)
    powers = rows[f"{criterion}_log10_lambda"] - rows[f"{target}_log10_lambda"]
    return 10 ** powers.mean()


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    means = run.ledger.set_index(["column", "row"])["reproduced"]
    gacv = means["inefficiency of GACV"] - 1
    xa = means["inefficiency of XA"] - 1
    n = len(runs(run.records["inefficiency"], "standard", "gacv"))
    draws = len(minima_of(run.records["minima"], "standard"))
    return (
        f"The machine that GACV chooses errs {gacv.standard:.1%} more often than the best one of"
        f" the grid in the standard case, and that of XA {xa.standard:.1%} more often, in the mean"
        f" of {n} samples; in the nonstandard case they cost {gacv.nonstandard:.1%} and"
        f" {xa.nonstandard:.1%} more than the best. Of {draws} samples"
        f" {run.ledger.joint.max():.0%} lie at least as far from their mean as the report's five"
        " numbers do."
    )
