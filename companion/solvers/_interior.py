"""The hinge by a primal-dual interior point: weighted least squares on the relaxed conditions.

    min 1/2 w'w + sum_i c_i xi_i   s.t.   y_i f_i - 1 + xi_i = t_i >= 0,  xi_i >= 0

Each iteration solves the equations (20) of the paper with the weights
a_i = 1 / (t_i / alpha_i + xi_i / eta_i), eta_i = c_i - alpha_i, for the complementarity (12), (13):
a predictor aims at it, a corrector at a share of the present mean product (Mehrotra 1992), and
further corrections draw outlying products back after a short step (Gondzio 1996).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from companion._utils.progress import report
from companion.solvers._design import normal_equations
from companion.solvers._loops.wls import advance, complete_change

# Mean product at the start over the mean of c |1 - y f|: anywhere, and near a solution.
COLD = 2.0
WARM = 0.2

# Share of the way to the boundary that a step goes, and after a step that the gap rose in.
STEP_SHARE = 0.995
CAREFUL_STEP_SHARE = 0.8

# Gondzio's corrections, how much further each means to go, and the share of the way from which on
# none is needed.
MAX_GONDZIO_CORRECTIONS = 2
STEP_ENLARGEMENT = 0.3
LONG_STEP = 0.9

# So many iterations in a row without a smaller gap, and rounding errors have stopped all progress.
MAX_ITER_WITHOUT_PROGRESS = 10


def solve_hinge(design, y, c, x, relaxed, tol, max_iter):
    """Minimise the regularised hinge; return (w with b last, alpha, gap, n_iter)."""
    x, f = x.copy(), design.augmented @ x
    point = _start(f, y, c, relaxed)  # rows alpha, eta, t, xi and a
    best = (x, point[0], np.inf)
    since = 0
    for n_iter in range(max_iter + 1):
        gap, objective = gap_of(design, y, c, x, f, point[0])
        report(
            "iteration {}, duality gap {:.2g} (to be {:.2g})",
            n_iter,
            gap,
            tol * objective,
        )
        if gap < best[2]:
            best = (x, point[0], gap)
            since = n_iter
        if (
            gap <= tol * objective
            or n_iter - since > MAX_ITER_WITHOUT_PROGRESS
            or n_iter == max_iter
        ):
            break
        solve = normal_equations(design, point[4])
        if solve is None:
            break
        dx, df, way, share = _direction(
            partial(_change, design.augmented, y, x, point, solve), point
        )
        share = min(
            1.0, (STEP_SHARE if since == n_iter else CAREFUL_STEP_SHARE) * share
        )
        x = x + share * dx
        f = f + share * df
        point = advance(point, way, share, f, y, c)
    return *best, n_iter


def _direction(change, point):
    """Predictor, corrector and further corrections: (dx, df, way of the point, share to go)."""
    multipliers = point[:2]
    slacks = point[2:4]
    _, _, way, share = change(slacks)
    mu = np.vdot(multipliers, slacks) / slacks.size
    ahead = point[:4] + min(share, 1.0) * way
    aim = mu * (np.vdot(ahead[:2], ahead[2:]) / (slacks.size * mu)) ** 3
    less = slacks + (way[:2] * way[2:] - aim) / multipliers
    found = change(less)
    for _ in range(MAX_GONDZIO_CORRECTIONS):
        if found[3] > LONG_STEP:
            break
        ahead = point[:4] + min(1.0, found[3] + STEP_ENLARGEMENT) * found[2]
        product = ahead[:2] * ahead[2:]
        usual = np.minimum(np.maximum(product, 0.1 * aim), 10.0 * aim)
        less = less + np.minimum(product - usual, 10.0 * aim) / multipliers
        further = change(less)
        if further[3] <= found[3]:
            break
        found = further
    return found


def _change(rows, y, x, point, solve, less):
    """The change that lessens the products of multipliers and slacks by less x multipliers."""
    right = (y * (point[0] + point[4] * (less[1] - less[0]))) @ rows
    right[:-1] -= x[:-1]
    dx = solve(right)
    df = rows @ dx
    way = np.empty((4, y.size))
    pace = complete_change(point, y, less, df, way)
    return dx, df, way, 1.0 / max(STEP_SHARE, pace)


def _start(f, y, c, relaxed):
    """The middle: alpha, t and xi for which all products are the same, whatever the slack."""
    slack = 1.0 - y * f
    mu = relaxed * (c @ np.maximum(np.abs(slack), 1e-3)) / c.size
    v = c * slack / mu
    root = np.sqrt(v * v + 4.0)
    alpha = 2.0 * c / (root - v + 2.0)
    eta = 2.0 * c / (root + v + 2.0)
    point = np.array([alpha, eta, mu / alpha, mu / eta])
    return advance(point, point, 0.0, f, y, c)


def gap_of(design, y, c, x, f, alpha):
    """Duality gap and primal objective, exact for any alpha in the box.

    If there is a bias, the multipliers of one class shrink until (9) holds.
    """
    total = np.add.reduce(alpha)
    excess = y @ alpha
    up = 0.5 * (total + excess)
    down = 0.5 * (total - excess)
    least = min(up, down) if design.bias else np.inf
    for_up = min(1.0, least / max(up, 1e-300))
    for_down = min(1.0, least / max(down, 1e-300))
    signed = (0.5 * (for_up + for_down) * y + 0.5 * (for_up - for_down)) * alpha
    w = (signed @ design.augmented)[:-1]
    objective = 0.5 * (x[:-1] @ x[:-1]) + c @ np.maximum(1.0 - y * f, 0.0)
    return objective - (up * for_up + down * for_down - 0.5 * (w @ w)), objective
