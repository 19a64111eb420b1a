"""Figure 2: the criteria over lambda and sigma, where their minima lie and what shape they have."""

from itertools import product

import numpy as np
import pandas as pd

from companion.papers.gacv.example import CASES, GRIDS
from companion.papers.gacv.inefficiency import (
    INEFFICIENCY,
    runs,
    side_by_side,
    times_lambda,
)
from companion.papers.gacv.minima import MINIMA, minima_of
from companion.papers.gacv.selection import NAMES

STUDIES = (INEFFICIENCY, MINIMA)

_STEPS = [axis[1] - axis[0] for axis in GRIDS["fine"]]
#: The diagonal of a cell of the fine grid in decades of lambda and sigma^2, rounded up.
CELL = np.ceil(1000 * np.hypot(_STEPS[0], 2 * np.log10(2) * _STEPS[1])) / 1000
#: Which way the minima of the estimates lie from those of their targets, in both cases.
BIASED = {
    "log10 lambda: GACV - GCKL": "gacv_log10_lambda - gckl_log10_lambda",
    "log10 lambda: GACV - MISCLASS": "gacv_log10_lambda - misclass_log10_lambda",
    "log10 lambda: XA - MISCLASS": "xa_log10_lambda - misclass_log10_lambda",
}
#: What the panels of the nonstandard case are read for.
PANELS = {
    "share of samples with the minima of GACV and XA within one cell": (
        f"1.0 * (gacv_from_xa <= {CELL})"
    ),
    "GACV minimum: |place along the valley - 1|": "abs(gacv_position - 1)",
    "XA minimum: |place along the valley - 1|": "abs(xa_position - 1)",
    "GCKL valley: length / width": "gckl_length / gckl_width.clip(0.25)",
    "GCKL valley: decades of lambda": "gckl_decades",
    "GCKL valley: tilt": "gckl_tilt",
    "MISCLASS valley: length / width": "misclass_length / misclass_width.clip(0.25)",
    "MISCLASS valley: decades of lambda": "misclass_decades",
    "MISCLASS valley: tilt": "misclass_tilt",
}
#: The same lengths over log10 sigma, as Section 6 says "function of lambda and sigma".
BY_SIGMA = {
    "GCKL valley: length / width": "gckl_length_by_sigma / gckl_width_by_sigma.clip(0.125)",
    "MISCLASS valley: length / width": (
        "misclass_length_by_sigma / misclass_width_by_sigma.clip(0.125)"
    ),
}
#: Nonstandard minus standard: a shorter valley is more pronounced.
COMPARED = {
    "length of the valley of MISCLASS: nonstandard - standard": "misclass_length",
    "length of the valley of GCKL: nonstandard - standard": "gckl_length",
    "distance of GACV from MISCLASS: nonstandard - standard": "gacv_from_misclass",
    "distance of XA from MISCLASS: nonstandard - standard": "xa_from_misclass",
}
#: Whether the estimates are least at the end of the valley of GCKL at the larger lambda.
ENDS = {
    "GACV minimum: |place along the valley of GCKL - 1|": "abs(gacv_along_gckl - 1)",
    "XA minimum: |place along the valley of GCKL - 1|": "abs(xa_along_gckl - 1)",
}


def _add_values(out, frame):
    """Where the minima lie and what shape the valleys have."""
    standard, nonstandard = (
        _with_distances(side_by_side(frame, case)) for case in CASES
    )
    out.add_claims("standard", standard, BIASED)
    out.add_claims("nonstandard", nonstandard, BIASED | PANELS)
    out.add_claims("nonstandard", nonstandard, BY_SIGMA, reading="valleys-by-sigma")
    out.add_claims("both cases", nonstandard - standard, COMPARED)


def _add_ends(out, frame):
    out.add_claims("nonstandard", minima_of(frame, "nonstandard"), ENDS)


def _with_distances(table):
    """With the distances of two choices in (log10 lambda, log10 sigma^2), in decades."""
    for one, other in product(("gacv", "xa"), ("xa", "misclass")):
        du, dv = (
            table[f"{one}_{axis}"] - table[f"{other}_{axis}"]
            for axis in ("log10_lambda", "log10_sigma2")
        )
        table[f"{one}_from_{other}"] = np.hypot(du, dv)
    return table


VALUES = ((_add_values, "inefficiency"), (_add_ends, "minima"))


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    records = run.records["inefficiency"]
    gacv, other = (
        times_lambda(records, case, "gacv", "gckl")
        for case in ("nonstandard", "standard")
    )
    xa = times_lambda(records, "nonstandard", "xa", "misclass")
    valley = side_by_side(records, "nonstandard")
    flat = valley.misclass_decades.mean()
    cut_off = runs(records, "nonstandard", "misclass").leaves_grid.mean()
    narrow = valley.gacv_decades.mean()
    return (
        f"GACV is least at a $\\lambda$ {gacv:.2g} times as large as GCKL, the loss that it"
        f" estimates ({other:.2g} times in the standard case), and BRXA at one {xa:.2g} times as"
        f" large as BRMISCLASS, in the geometric mean of {len(valley)} samples. BRMISCLASS is"
        f" flat: it stays within a tenth of its least value over {flat:.1f} powers of ten of"
        f" $\\lambda$ or more, since it reaches an end of our grid in {cut_off:.0%} of the samples,"
        f" GACV over {narrow:.1f}."
    )


def valley_table(frame):
    """Size, tilt and place of the valleys, means over the samples: a row a case and surface."""
    names = {
        "length": "length",
        "width": "width",
        "tilt": "tilt",
        "decades": "decades of lambda",
        "log10_lambda": "log10 lambda",
        "log10_sigma2": "log10 sigma^2",
        "position": "place along target's valley",
        "leaves_grid": "reaches an end of the grid",
    }
    rows = []
    criteria = ("gacv", "xa", "cv_10", "gckl", "misclass")
    for case, key in product(("nonstandard", "standard"), criteria):
        means = runs(frame, case, key)[list(names)].mean().rename(names)
        rows.append({"case": case, "surface": NAMES[case][key], **means})
    return pd.DataFrame(rows)
