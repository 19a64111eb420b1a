"""Figures 1 and 2: the losses, and the two cases with their error in closed form."""

import math
from operator import itemgetter

import numpy as np
from scipy.signal import find_peaks

from companion.datasets import get_threshold_case
from companion.losses import Hinge, Unbiased
from companion.papers.summaries import rounded
from companion.papers.usvc.cases import (
    PRINTED_AND_READ,
    READINGS,
    study_of,
    theoretical_error,
)

#: Orders drawn in Figure 1; the print does not say which.
ORDERS = (2.0, 4.0, 10.0)

#: How far all patterns are shifted, to see whether a threshold is safe.
SHIFTS = 0.05

#: Slacks over which the distance to the step is averaged: the width of Figure 1.
SLACKS = np.linspace(0.0, 3.0, 30001)
_THRESHOLDS = np.linspace(-0.2, 1.2, 14001)


def minima(reading):
    """Minima of the error over the threshold, lowest first: begin, end, error in per cent."""
    error = np.round(theoretical_error(reading, _THRESHOLDS), 9)
    _, flat = find_peaks(-error, plateau_size=1)
    begins, ends = (_THRESHOLDS[flat[f"{side}_edges"]] for side in ("left", "right"))
    least = error[flat["left_edges"]]
    found = np.column_stack([begins, ends, least]).tolist()
    return sorted(map(tuple, found), key=itemgetter(2))


def distance_to_step(loss):
    """Mean distance of a loss to the step over the slacks up to 3."""
    return round(float(np.abs(loss.value(SLACKS) - (SLACKS >= 1.0)).mean()), 6)


def compute_loss(unit):
    """The mean distance to the step, and that of the hinge."""
    return {
        "distance_to_step": distance_to_step(Unbiased(unit.params["s"])),
        "hinge_distance_to_step": distance_to_step(Hinge()),
    }


def compute_case(unit):
    """The lowest two minima of the error, and the error at the threshold 0.5."""
    reading = unit.params["reading"]
    row = {"error_at_half": theoretical_error(reading, 0.5)}
    found = [*minima(reading), (math.nan,) * 3]
    for name, minimum in zip(("global", "local"), found, strict=False):
        columns = (f"{name}_{end}" for end in ("from", "to", "error"))
        row |= zip(columns, minimum, strict=True)
    return rounded(row, 4)


FIG_1_LOSSES = study_of("fig_1_losses", compute_loss, s=ORDERS)
FIG_1_CASES = study_of("fig_1_cases", compute_case, reading=tuple(READINGS))
STUDIES = (FIG_1_LOSSES, FIG_1_CASES)


def _add_distributions(out):
    """(28) and (29)."""
    for row, case, wide, cluster in (
        ("(28), case A", "A", "N(.75, .15)", "N(.2, .02)"),
        ("(29), case B", "B", "U(.7, .95)", "N(.25, .02)"),
    ):
        parts = get_threshold_case(case)
        out.add_all(row, _distribution(parts, wide, cluster))


def _add_losses(out, losses):
    distance = losses.set_index("s").distance_to_step
    hinge = losses.hinge_distance_to_step.iloc[0]
    distances = {
        "distance to the step: s = 10 - s = 2": distance[10.0] - distance[2.0],
        "distance to the step: USVC s = 2 - SVC": distance[2.0] - hinge,
    }
    out.add_all("Figure 1", distances)


def _add_minima(out, frame):
    cases = frame.set_index("reading")
    b = cases.loc["B"]
    more = rise_under_shifts("B", b.global_from) - rise_under_shifts("B", 0.6)
    minima_of_b = {
        "CE_min (%)": b.global_error,
        "global minimum at": b.global_from,
        "CE of the wide minimum (%)": b.local_error,
        "wide minimum around": (b.local_from + b.local_to) / 2,
        "largest rise of CE under shifts to 0.05: at the global minimum - at 0.6": round(
            more, 4
        ),
    }
    out.add_all("Figure 2, case B", minima_of_b)
    for case, distribution, _, reading in PRINTED_AND_READ:
        a = cases.loc[distribution]
        if case == "A":
            places = {
                "global minimum at": a.global_from,
                "local minimum around": a.local_from,
            }
            out.add_all("Figure 2, case A", places, reading)
    # the weight .265 was chosen by it
    least = cases.loc["A, as printed"].global_error
    out.add("Figure 2, case A", "CE_min (%)", least)


VALUES = (
    (_add_distributions,),
    (_add_losses, "fig_1_losses"),
    (_add_minima, "fig_1_cases"),
)


def rise_under_shifts(reading, threshold, reach=SHIFTS):
    """How much more a threshold errs, at most, where all patterns are shifted by up to `reach`."""
    shifted = threshold + np.linspace(-reach, reach, 101)
    return float(theoretical_error(reading, shifted).max()) - float(
        theoretical_error(reading, threshold)
    )


def _distribution(parts, wide, cluster):
    """The settings of (28) or (29)."""
    w = parts.wide
    q = parts.cluster_weight
    normal = {"mean of the wide part": w.mean(), "deviation of the wide part": w.std()}
    uniform = {"wide part from": w.ppf(0), "wide part to": w.ppf(1)}
    return (normal if wide.startswith("N") else uniform) | {
        f"weight of {wide}": 1 - q,
        f"weight of {cluster}": q,
        "mean of the cluster": parts.cluster.mean(),
        "deviation of the cluster": parts.cluster.std(),
        "P(y = 1)": parts.prior,
        "P(y = -1)": 1 - parts.prior,
        "class -1 from": parts.negative.ppf(0),
        "class -1 to": parts.negative.ppf(1),
    }


def what_came_out(run):
    """Where the weights of (28) put the best threshold, and how far the losses are from a count."""
    cases = run.records["fig_1_cases"].set_index("reading")
    printed, read = (
        cases.loc[f"A, {of}"] for of in ("as printed", "cluster weight .265")
    )
    losses = run.records["fig_1_losses"].set_index("s")
    hinge = losses.hinge_distance_to_step.iloc[0]
    away = losses.distance_to_step
    return (
        f"With the weights of (28) as printed, the best threshold of case A is"
        f" {printed.global_from:.2f}, and .5 errs on {printed.error_at_half:.1f} % of the patterns."
        f" With .265 of class +1 in the cluster instead of .75 the best is {read.global_from:.1f}"
        f" and errs on {read.global_error:.1f} %, the two printed numbers; .265 was chosen by the"
        " latter, and Figures 2, 3 and 4 and Table 1 all have it here.\n\n"
        f"In Figure 1, over slacks up to 3, the cost of the SVC is {hinge:.2f} away from a count of"
        f" errors on average, the unbiased cost of order 2 {away[2.0]:.2f} and that of order 10"
        f" {away[10.0]:.2f}."
    )
