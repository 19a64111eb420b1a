"""Figures 1 and 2: the losses, and the two cases with their error in closed form."""

from __future__ import annotations

import numpy as np

from companion.datasets import threshold_case_densities, threshold_case_error
from companion.losses import Hinge, Unbiased
from companion.papers.usvc.machines import PAPER, READINGS
from companion.reproduction import Study, Unit

#: Orders drawn in Figure 1 (the print does not say which) and studied beside it.
ORDERS_SHOWN = (2.0, 4.0, 10.0)
ORDERS = (1.0, *ORDERS_SHOWN, 30.0)

#: Slacks over which the distance to the step is averaged: the width of Figure 1.
SLACKS = np.linspace(0.0, 3.0, 30001)
_STEP = 1e-6
_THRESHOLDS = np.linspace(-0.2, 1.2, 14001)


def loss_curves(xi, k=0.0):
    """The losses of Figure 1.

    Parameters
    ----------
    xi : ndarray of shape (n,)
    k : float, default=0.0

    Returns
    -------
    dict of str to ndarray of shape (n,)
    """
    curves = {"error count": (xi >= 1.0).astype(float), "SVC": Hinge().value(xi)}
    return curves | {f"USVC, s = {s:g}": Unbiased(s, k).value(xi) for s in ORDERS_SHOWN}


def case_curves(reading, x):
    """Densities and error of Figure 2.

    Parameters
    ----------
    reading : str
        A key of :data:`companion.papers.usvc.machines.READINGS`.
    x : ndarray
        Thresholds.

    Returns
    -------
    positive, negative : ndarray of the shape of x
        f(x | y = +1) and f(x | y = -1).
    error : ndarray of the shape of x
        Error of the threshold x, in per cent.
    """
    case, weight = READINGS[reading]
    positive, negative = threshold_case_densities(case, x, weight)
    return positive, negative, 100.0 * threshold_case_error(case, x, weight)


def minima(reading):
    """Local minima of the closed-form error over the threshold.

    Parameters
    ----------
    reading : str
        A key of :data:`companion.papers.usvc.machines.READINGS`.

    Returns
    -------
    list of (float, float, float)
        Where each begins and ends (flat minima are intervals), and the error in per cent, lowest
        first.
    """
    error = np.round(case_curves(reading, _THRESHOLDS)[2], 9)
    step = np.diff(error)
    found, begin = [], None
    for j, change in enumerate(step):
        if change < 0:
            begin = j + 1
        elif change > 0:
            if begin is not None:
                found.append((float(_THRESHOLDS[begin]), float(_THRESHOLDS[j]), float(error[j])))
            begin = None
    return sorted(found, key=lambda item: item[2])


def loss_units(profile):
    """One unit an order s."""
    return [Unit(PAPER, "fig_1_losses", {"s": s}) for s in ORDERS]


def compute_loss(unit):
    """Value and slope at the step, and the mean distance to it."""
    s = unit.params["s"]
    loss = Unbiased(s)
    left, right = loss.value([1.0 - _STEP, 1.0 + _STEP])
    distance = np.abs(loss.value(SLACKS) - (SLACKS >= 1.0)).mean()
    return {
        "value_at_one": round(float(loss.value(1.0)), 9),
        "slope_by_differences": round(float(right - left) / (2 * _STEP), 6),
        "slope": round(float(loss.derivative(1.0)), 9),
        "distance_to_step": round(float(distance), 6),
        "hinge_distance_to_step": round(
            float(np.abs(Hinge().value(SLACKS) - (SLACKS >= 1.0)).mean()), 6
        ),
    }


def case_units(profile):
    """One unit a reading of (28), (29)."""
    return [Unit(PAPER, "fig_1_cases", {"reading": reading}) for reading in READINGS]


def compute_case(unit):
    """The lowest two minima of the error, and the error at the threshold 0.5."""
    reading = unit.params["reading"]
    found = minima(reading)
    row = {"error_at_half": round(float(case_curves(reading, np.array([0.5]))[2][0]), 4)}
    for name, place in (("global", 0), ("local", 1)):
        begin, end, error = found[place] if place < len(found) else (np.nan,) * 3
        row |= {
            f"{name}_from": round(begin, 4),
            f"{name}_to": round(end, 4),
            f"{name}_error": round(error, 4),
        }
    return row


FIG_1_LOSSES = Study(PAPER, "fig_1_losses", loss_units, compute_loss)
FIG_1_CASES = Study(PAPER, "fig_1_cases", case_units, compute_case)
