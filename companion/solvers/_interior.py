"""The hinge by a primal-dual interior point: weighted least squares on the relaxed conditions.

    min 1/2 w'w + sum_i c_i xi_i   s.t.   y_i f_i - 1 + xi_i = t_i >= 0,  xi_i >= 0

Each iteration solves the equations (20) of the paper with the weights
a_i = 1 / (t_i / alpha_i + xi_i / eta_i), eta_i = c_i - alpha_i, for the complementarity (12), (13):
a predictor aims at it, a corrector at a share of the present mean product (Mehrotra 1992), and
further corrections draw outlying products back after a short step (Gondzio 1996).
"""

from __future__ import annotations

import numpy as np

from companion.solvers._design import normal_equations
from companion.solvers._wls_loops import complete_change

# Mean product at the start over the mean of c |1 - y f|: anywhere, and near a solution.
COLD, WARM = 2.0, 0.2

# Share of the way to the boundary that a step goes, and after a step that the gap rose in.
_SHARE, _CAREFUL = 0.995, 0.8

# Gondzio's corrections, how much further each means to go, and the share of the way from which on
# none is needed.
_CORRECTIONS, _AMBITION, _LONG = 2, 0.3, 0.9

# So many iterations in a row without a smaller gap, and rounding errors have stopped all progress.
_PATIENCE = 10


def solve_hinge(design, y, c, x, relaxed, tol, max_iter, record=None):
    """Minimise the regularised hinge; return (w with b last, alpha, gap, n_iter)."""
    x, f = x.copy(), design.augmented @ x
    point = _start(1.0 - y * f, c, relaxed)  # the rows alpha, eta, t, xi
    best, since = (x, point[0], np.inf), 0
    for n_iter in range(max_iter + 1):
        if record:
            record(x, f)
        gap, objective = gap_of(design, y, c, x, f, point[0])
        if gap < best[2]:
            best, since = (x, point[0], gap), n_iter
        if gap <= tol * objective or n_iter - since > _PATIENCE or n_iter == max_iter:
            break
        system = _System(design, y, x, point)
        if system.solve is None:
            break
        dx, df, way, share = _direction(system, point)
        share = min(1.0, (_SHARE if since == n_iter else _CAREFUL) * share)
        x, f, point = x + share * dx, f + share * df, point + share * way
        point[0] = np.minimum(np.maximum(point[0], 1e-15 * c), (1.0 - 1e-15) * c)
        point[1] = c - point[0]
        short = 1.0 - y * f + point[2] - point[3]  # by rounding errors
        point[2] -= np.minimum(short, 0.0)
        point[3] += np.maximum(short, 0.0)
    return *best, n_iter


def _direction(system, point):
    """Predictor, corrector and further corrections: (dx, df, way of the point, share to go)."""
    multipliers, slacks = point[:2], point[2:]
    _, _, way, share = system.change(slacks)
    mu, ahead = np.vdot(multipliers, slacks) / slacks.size, point + min(share, 1.0) * way
    aim = mu * (np.vdot(ahead[:2], ahead[2:]) / (slacks.size * mu)) ** 3
    less = slacks + (way[:2] * way[2:] - aim) * system.inverse
    found = system.change(less)
    for _ in range(_CORRECTIONS):
        if found[3] > _LONG:
            break
        ahead = point + min(1.0, found[3] + _AMBITION) * found[2]
        product = ahead[:2] * ahead[2:]
        usual = np.minimum(np.maximum(product, 0.1 * aim), 10.0 * aim)
        outlying = np.minimum(product - usual, 10.0 * aim)
        less = less + outlying * system.inverse
        further = system.change(less)
        if further[3] <= found[3]:
            break
        found = further
    return found


class _System:
    """The Newton equations at a point, reduced to (20)."""

    def __init__(self, design, y, x, point):
        self.rows, self.y, self.x, self.point = design.augmented, y, x, point
        self.inverse = 1.0 / point[:2]
        self.a = 1.0 / np.add(*(point[2:] * self.inverse))
        self.solve = normal_equations(design, self.a)

    def change(self, less):
        """The change that lessens the products of multipliers and slacks by less x multipliers."""
        pull = self.a * (less[1] - less[0])
        right = (self.y * (self.point[0] + pull)) @ self.rows
        right[:-1] -= self.x[:-1]
        dx = self.solve(right)
        df, way = self.rows @ dx, np.empty_like(self.point)
        pace = complete_change(self.point, self.a, self.y, less, df, way)
        return dx, df, way, 1.0 / max(_SHARE, pace)


def _start(slack, c, relaxed):
    """The middle: alpha, t and xi for which all products are the same, whatever the slack."""
    mu = relaxed * (c @ np.maximum(np.abs(slack), 1e-3)) / c.size
    v = c * slack / mu
    root = np.sqrt(v * v + 4.0)
    alpha, eta = 2.0 * c / (root - v + 2.0), 2.0 * c / (root + v + 2.0)
    return np.array([alpha, eta, mu / alpha, mu / eta])


def gap_of(design, y, c, x, f, alpha):
    """Duality gap and primal objective, exact for any alpha in the box.

    If there is a bias, the multipliers of one class shrink until (9) holds.
    """
    total, excess = alpha.sum(), y @ alpha
    up, down = 0.5 * (total + excess), 0.5 * (total - excess)
    least = min(up, down) if design.bias else np.inf
    for_up, for_down = min(1.0, least / max(up, 1e-300)), min(1.0, least / max(down, 1e-300))
    signed = 0.5 * ((for_up + for_down) * y + (for_up - for_down)) * alpha
    w = (signed @ design.augmented)[:-1]
    objective = 0.5 * (x[:-1] @ x[:-1]) + c @ np.maximum(1.0 - y * f, 0.0)
    return objective - (up * for_up + down * for_down - 0.5 * (w @ w)), objective
