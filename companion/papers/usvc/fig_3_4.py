"""Figures 3 and 4: the objective over threshold and slope, its profile, and the paths over it.

A linear machine on the line is f(x) = w (x - Th), with Th = -b / w. The figures show the objective
over (Th, w), its least value over w for each Th (the profile), and the iterates from the
least-squares machine. They are of one trial; the study asks their questions of all trials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.datasets import threshold_case_error
from companion.losses import Hinge, Unbiased
from companion.papers.usvc.machines import (
    DAMPING,
    PAPER,
    READINGS,
    STARTS,
    C,
    K,
    fit,
    line,
    linear_error,
    sample,
    trial_units,
)
from companion.reproduction import Study

LOSSES = {"SVC": Hinge(), "USVC s=2": Unbiased(2.0, K), "USVC s=4": Unbiased(4.0, K)}

#: Thresholds and slopes of the profile in the study.
THRESHOLDS = np.linspace(0.0, 1.0, 101)
SLOPES = np.geomspace(0.3, 30.0, 90)

#: Dampings at which the iteration of order 4 is run; stable above (s - 3) / (s - 1) = 1/3.
DAMPINGS = (0.0, DAMPING, 0.3, 0.4, 0.5)

#: What the single-minimum claims are about: below it a minimum counts as the narrow one.
NARROW = 0.35


@dataclass(frozen=True, eq=False)
class Surface:
    """An objective over threshold and slope.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
    slopes : ndarray of shape (n_slopes,)
    values : ndarray of shape (n_slopes, n_thresholds)
    """

    thresholds: np.ndarray
    slopes: np.ndarray
    values: np.ndarray

    @property
    def locus(self):
        """Slope of the least objective for each threshold, the dashed line of the figures."""
        return self.slopes[self.values.argmin(axis=0)]

    @property
    def profile(self):
        """Least objective over the slope for each threshold."""
        return self.values.min(axis=0)


def surface(X, y, loss, thresholds=THRESHOLDS, slopes=SLOPES):
    """The objective 1/2 w^2 + C sum_i theta(xi_i) over a grid.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 1)
    y : ndarray of shape (n_samples,)
    loss : Hinge or Unbiased
    thresholds, slopes : ndarray

    Returns
    -------
    Surface
    """
    values = np.empty((len(slopes), len(thresholds)))
    signed = y * (X[:, 0] - thresholds[:, None])
    for j, w in enumerate(slopes):
        values[j] = 0.5 * w * w + C * loss.value(1.0 - w * signed).sum(axis=1)
    return Surface(thresholds, slopes, values)


def path(X, y, name, start="least_squares", damping=DAMPING, max_iter=300):
    """Iterates of the plain iteration.

    The hinge's weight grows without bound as a slack goes to zero, and its iteration slows down
    there; its path ends within 1e-3 of the margin, as far as a figure shows.

    Parameters
    ----------
    X : ndarray of shape (n, 1)
    y : ndarray of shape (n,)
    name : str
        A name of ``LOSSES``.
    start : str or result, default="least_squares"
        As of :func:`companion.solvers.wls.wls`.
    damping : float, optional
        By default that of the paper.
    max_iter : int, default=300

    Returns
    -------
    points : ndarray of shape (n_iter + 1, 2)
        Threshold and slope of each machine, the start first.
    result : WLSResult
    """
    options = {"floor": 1e-3, "tol": 1e-4} if name == "SVC" else {}
    result = fit(
        line(X),
        y,
        C,
        loss=LOSSES[name],
        start=start,
        damping=damping,
        accelerate=False,
        history=True,
        max_iter=max_iter,
        **options,
    )
    w, b = result.log["w"].T
    return np.column_stack([-b / w, w]), result


def empirical_error(X, y, thresholds):
    """Training error of the rule "+1 above the threshold", in per cent.

    Parameters
    ----------
    X : ndarray of shape (n, 1)
    y : ndarray of shape (n,)
    thresholds : ndarray of shape (n_thresholds,)

    Returns
    -------
    ndarray of shape (n_thresholds,)
    """
    wrong = (X[:, 0] > thresholds[:, None]) != (y > 0)
    return 100.0 * wrong.mean(axis=1)


def theoretical_error(reading, thresholds):
    """Error of the rule "+1 above the threshold" in closed form, in per cent.

    Parameters
    ----------
    reading : str
        A key of :data:`companion.papers.usvc.machines.READINGS`.
    thresholds : ndarray of shape (n_thresholds,)

    Returns
    -------
    ndarray of shape (n_thresholds,)
    """
    case, weight = READINGS[reading]
    return 100.0 * threshold_case_error(case, thresholds, weight)


def machine(X, y, name, start="least_squares"):
    """The minimum that is reached from a start: (threshold, slope, WLSResult).

    Parameters
    ----------
    X : ndarray of shape (n, 1)
    y : ndarray of shape (n,)
    name : str
        A name of ``LOSSES``.
    start : str or result, default="least_squares"
        As of :func:`companion.solvers.wls.wls`.

    Returns
    -------
    threshold, slope : float
    result : WLSResult
    """
    result = fit(line(X), y, C, loss=LOSSES[name], start=start)
    w, b = float(result.coef[0]), result.intercept
    return -b / w, w, result


def compute_profiles(unit):
    """How well the profile of each loss stands for the error: a row a loss."""
    reading, trial = unit.params["reading"], unit.params["trial"]
    X, y = sample(reading, "train", trial)
    error = theoretical_error(reading, THRESHOLDS)
    start = STARTS[READINGS[reading][0]]
    rows = []
    for name, loss in LOSSES.items():
        shape = surface(X, y, loss)
        low = int(shape.profile.argmin())
        narrow = _narrow_minimum(shape)
        threshold, slope, result = machine(X, y, name, start)
        rows.append(
            {
                "loss": name,
                "profile_at": round(float(THRESHOLDS[low]), 4),
                "correlation": round(float(np.corrcoef(shape.profile, error)[0, 1]), 6),
                "n_minima": len(_minima(shape.profile)),
                "narrow_at": narrow[0],
                "narrow_slope": narrow[1],
                "reached_at": round(threshold, 6),
                "reached_slope": round(slope, 5),
                "converged": result.converged,
            }
        )
    return rows


def _minima(values):
    """Indices of the local minima inside a curve; the last of equal neighbours counts."""
    inside = values[1:-1]
    return 1 + np.flatnonzero((inside <= values[:-2]) & (inside < values[2:]))


def _narrow_minimum(shape):
    """Threshold and slope of the lowest minimum of the profile below ``NARROW``, if any."""
    found = [j for j in _minima(shape.profile) if shape.thresholds[j] < NARROW]
    if not found:
        return None, None
    best = min(found, key=lambda j: shape.profile[j])
    return round(float(shape.thresholds[best]), 4), round(float(shape.locus[best]), 4)


def compute_convergence(unit):
    """The plain iteration at several orders and dampings: a row each.

    The largest eigenvalue of one iteration at the minimum, d + (1 - d) (1 - M^-1 H), says whether
    the minimum is stable; the minimum itself comes from the accelerated descent.
    """
    reading, trial = unit.params["reading"], unit.params["trial"]
    X, y = sample(reading, "train", trial)
    design = line(X)
    svc = fit(design, y, C)
    rows = []
    for s, dampings in ((2.0, (0.0, DAMPING)), (3.0, (0.0, DAMPING)), (4.0, DAMPINGS)):
        loss = Unbiased(s, 0.0)
        minimum = fit(design, y, C, loss=loss, start=svc)
        for damping in dampings:
            run = fit(
                design,
                y,
                C,
                loss=loss,
                start=svc,
                damping=damping,
                accelerate=False,
                max_iter=500,
                history=True,
            )
            objective = run.log["objective"]
            rise = np.max(np.diff(objective), initial=0.0) / objective[0]
            w, b = run.log["w"][-1]
            rows.append(
                {
                    "s": s,
                    "damping": damping,
                    "fit_ended": run.converged,
                    "period_two": "period two" in run.stop_reason,
                    "n_iter": run.n_iter,
                    "largest_rise": round(float(rise), 9),
                    "least_eigenvalue": round(
                        iteration_eigenvalue(design, y, loss, minimum, damping), 5
                    ),
                    "error": round(linear_error(reading, w, b), 6),
                    "converged": minimum.converged,
                }
            )
    return rows


def iteration_eigenvalue(design, y, loss, minimum, damping):
    """Eigenvalue of largest size of one damped iteration, linearised at a minimum.

    With M the matrix of (20) and H the Hessian of the objective, a small deviation is multiplied
    by d I + (1 - d) (I - M^-1 H).

    Parameters
    ----------
    design : Design
    y : ndarray of shape (n,)
    loss : loss of :mod:`companion.losses`
    minimum : WLSResult
    damping : float

    Returns
    -------
    float
    """
    rows = design.augmented
    slack = np.maximum(0.0, 1.0 - y * minimum.decision_function)
    ridge = np.diag([1.0] * design.m + [0.0])
    M = ridge + rows.T @ (rows * (C * loss.weight(slack))[:, None])
    H = ridge + rows.T @ (rows * (C * loss.second_derivative(slack))[:, None])
    values = np.linalg.eigvals(np.eye(len(M)) - (1.0 - damping) * np.linalg.solve(M, H)).real
    return float(values[np.abs(values).argmax()])


FIG_3_4 = Study(PAPER, "fig_3_4", trial_units("fig_3_4"), compute_profiles)
FIG_3_4_CONVERGENCE = Study(
    PAPER, "fig_3_4_convergence", trial_units("fig_3_4_convergence"), compute_convergence
)
