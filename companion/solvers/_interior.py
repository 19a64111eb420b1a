"""The hinge by a primal-dual interior point: weighted least squares on the relaxed conditions.

    min 1/2 w'w + sum_i c_i xi_i   s.t.   y_i f_i - 1 + xi_i = t_i >= 0,  xi_i >= 0

Each iteration solves the equations (20) of the paper with the weights
a_i = 1 / (t_i / alpha_i + xi_i / eta_i), eta_i = c_i - alpha_i: a predictor, which aims at
complementarity (12), (13), and a corrector, which aims at a share of the present mean product
(Mehrotra 1992).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from companion.solvers._design import normal_equations

# Mean product at the start over the mean of c |1 - y f|: anywhere, and near a solution.
COLD, WARM = 1.0, 0.2

# Share of the way to the boundary that a step goes, and after a step that the gap rose in.
_SHARE, _CAREFUL = 0.995, 0.8

# So many iterations in a row without a smaller gap, and rounding errors have stopped all progress.
_PATIENCE = 10


def solve_hinge(design, y, c, x, relaxed, tol, max_iter, record=None):
    """Minimise the regularised hinge; return (w with b last, alpha, gap, n_iter)."""
    n, x, f = y.size, x.copy(), design.augmented @ x
    alpha, t, xi = _start(1.0 - y * f, c, relaxed)
    best, since = (x, alpha, np.inf), 0
    for n_iter in range(max_iter + 1):
        if record:
            record(x, f)
        gap, objective = gap_of(design, y, c, x, f, alpha)
        if gap < best[2]:
            best, since = (x, alpha, gap), n_iter
        if gap <= tol * objective or n_iter - since > _PATIENCE or n_iter == max_iter:
            break
        eta = c - alpha
        a = 1.0 / (t / alpha + xi / eta)
        solve = normal_equations(design, a)
        if solve is None:
            break
        change = partial(_change, design.augmented, y, x, (alpha, eta, t, xi), a, solve)
        share, (_, _, da, dt, dxi) = change(t * alpha, xi * eta)
        mu = (t @ alpha + xi @ eta) / (2 * n)
        ahead = (t + share * dt) @ (alpha + share * da) + (xi + share * dxi) @ (eta - share * da)
        aim = mu * (ahead / (2 * n * mu)) ** 3
        share, (dx, df, da, dt, dxi) = change(t * alpha + dt * da - aim, xi * eta - dxi * da - aim)
        share *= _SHARE if since == n_iter else _CAREFUL
        x, f = x + share * dx, f + share * df
        alpha = np.clip(alpha + share * da, 1e-15 * c, (1.0 - 1e-15) * c)
        t, xi = t + share * dt, xi + share * dxi
        short = 1.0 - y * f + t - xi  # by rounding errors
        t, xi = t + np.maximum(-short, 0.0), xi + np.maximum(short, 0.0)
    return *best, n_iter


def _change(rows, y, x, point, a, solve, first, second):
    """The share one can go, and changes after which t alpha and xi eta are less by these."""
    alpha, eta, t, xi = point
    pull = a * (second / eta - first / alpha)
    right = (y * (alpha + pull)) @ rows
    right[:-1] -= x[:-1]
    dx = solve(right)
    df = rows @ dx
    da = pull - a * y * df
    dt, dxi = -(first + t * da) / alpha, (xi * da - second) / eta
    pace = -min((da / alpha).min(), (-da / eta).min(), (dt / t).min(), (dxi / xi).min(), -1.0)
    return 1.0 / pace, (dx, df, da, dt, dxi)


def _start(slack, c, relaxed):
    """The middle: alpha, t and xi for which all products are the same, whatever the slack."""
    mu = relaxed * (c @ np.maximum(np.abs(slack), 1e-3)) / c.size
    v = c * slack / mu
    root = np.sqrt(v * v + 4.0)
    alpha, eta = 2.0 * c / (root - v + 2.0), 2.0 * c / (root + v + 2.0)
    return alpha, mu / alpha, mu / eta


def gap_of(design, y, c, x, f, alpha):
    """Duality gap and primal objective, exact for any alpha in the box.

    If there is a bias, the multipliers of one class shrink until (9) holds.
    """
    is_up = y > 0.0
    up, down = alpha[is_up].sum(), alpha[~is_up].sum()
    least = min(up, down) if design.bias else np.inf
    for_up, for_down = min(1.0, least / max(up, 1e-300)), min(1.0, least / max(down, 1e-300))
    w = (np.where(is_up, for_up, -for_down) * alpha) @ design.augmented[:, :-1]
    objective = 0.5 * (x[:-1] @ x[:-1]) + c @ np.maximum(1.0 - y * f, 0.0)
    return objective - (up * for_up + down * for_down - 0.5 * (w @ w)), objective
