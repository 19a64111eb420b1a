"""Figures 1 and 2: the losses, and the two cases with their error in closed form."""

import numpy as np

from companion.datasets import get_threshold_case
from companion.losses import Hinge, Unbiased
from companion.papers.summaries import Values
from companion.papers.usvc.cases import READINGS, study_of, theoretical_error

#: Orders drawn in Figure 1 (the print does not say which) and studied beside it.
ORDERS_SHOWN = (2.0, 4.0, 10.0)
ORDERS = (1.0, *ORDERS_SHOWN, 30.0)

#: How far all patterns are shifted, to see whether a threshold is safe.
SHIFTS = 0.05

#: Slacks over which the distance to the step is averaged: the width of Figure 1.
SLACKS = np.linspace(0.0, 3.0, 30001)
_STEP = 1e-6
_THRESHOLDS = np.linspace(-0.2, 1.2, 14001)


def minima(reading):
    """Minima of the error over the threshold, lowest first: begin, end, error in per cent."""
    error = np.round(theoretical_error(reading, _THRESHOLDS), 9)
    found = []
    begin = None
    for j, change in enumerate(np.diff(error)):
        if change < 0:
            begin = j + 1
        elif change > 0 and begin is not None:
            found.append(
                (float(_THRESHOLDS[begin]), float(_THRESHOLDS[j]), float(error[j]))
            )
            begin = None
    return sorted(found, key=lambda item: item[2])


def distance_to_step(loss):
    """Mean distance of a loss to the step over the slacks up to 3."""
    return round(float(np.abs(loss.value(SLACKS) - (SLACKS >= 1.0)).mean()), 6)


def compute_loss(unit):
    """Value and slope at the step, and the mean distance to it."""
    loss = Unbiased(unit.params["s"])
    left, right = loss.value([1.0 - _STEP, 1.0 + _STEP])
    return {
        "value_at_one": round(float(loss.value(1.0)), 9),
        "slope_by_differences": round(float(right - left) / (2 * _STEP), 6),
        "slope": round(float(loss.derivative(1.0)), 9),
        "distance_to_step": distance_to_step(loss),
        "hinge_distance_to_step": distance_to_step(Hinge()),
    }


def compute_case(unit):
    """The lowest two minima of the error, and the error at the threshold 0.5."""
    reading = unit.params["reading"]
    found = [*minima(reading), (np.nan,) * 3]
    row = {"error_at_half": round(float(theoretical_error(reading, 0.5)), 4)}
    for name, minimum in zip(("global", "local"), found, strict=False):
        for column, value in zip(("from", "to", "error"), minimum, strict=True):
            row[f"{name}_{column}"] = round(value, 4)
    return row


FIG_1_LOSSES = study_of("fig_1_losses", compute_loss, s=ORDERS)
FIG_1_CASES = study_of("fig_1_cases", compute_case, reading=tuple(READINGS))
STUDIES = (FIG_1_LOSSES, FIG_1_CASES)


def values(records):
    """The distributions, the distances to the step, and the minima of the error."""
    out = Values()
    losses = records["fig_1_losses"]
    cases = records["fig_1_cases"]
    for row, case, wide, cluster in (
        ("(28), case A", "A", "N(.75, .15)", "N(.2, .02)"),
        ("(29), case B", "B", "U(.7, .95)", "N(.25, .02)"),
    ):
        parts = get_threshold_case(case)
        out.add_all(row, _distribution(parts, wide, cluster))
        if case == "A":  # read in each other's place
            weight = parts.cluster_weight
            out.add_read(row, f"weight of {wide}", weight, "a-weights-exchanged")
            out.add_read(row, f"weight of {cluster}", 1 - weight, "a-weights-exchanged")
    if not losses.empty:
        distance = losses.set_index("s").distance_to_step
        hinge = losses.hinge_distance_to_step.iloc[0]
        out.add(
            "Figure 1",
            "distance to the step: s = 10 - s = 2",
            distance[10.0] - distance[2.0],
        )
        out.add(
            "Figure 1", "distance to the step: USVC s = 2 - SVC", distance[2.0] - hinge
        )
    if cases.empty:
        return out.frame()
    cases = cases.set_index("reading")
    b = cases.loc["B"]
    out.add("Figure 2, case B", "CE_min (%)", b.global_error)
    out.add("Figure 2, case B", "global minimum at", b.global_from)
    out.add("Figure 2, case B", "CE of the wide minimum (%)", b.local_error)
    out.add("Figure 2, case B", "wide minimum around", (b.local_from + b.local_to) / 2)
    risen = [rise_under_shifts("B", place) for place in (b.global_from, 0.6)]
    out.add(
        "Figure 2, case B",
        "largest rise of CE under shifts to 0.05: at the global minimum - at 0.6",
        round(risen[0] - risen[1], 4),
    )
    for reading, read in (
        ("A, as printed", ""),
        ("A, weights exchanged", "a-weights-exchanged"),
    ):
        row = "Figure 2, case A"
        a = cases.loc[reading]
        out.add_read(row, "CE_min (%)", a.global_error, read)
        out.add_read(row, "global minimum at", a.global_from, read)
        out.add_read(row, "local minimum around", a.local_from, read)
    return out.frame()


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
