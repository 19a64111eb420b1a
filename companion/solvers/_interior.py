"""The hinge by a primal-dual interior point: weighted least squares on the relaxed conditions.

    min 1/2 w'w + sum_i c_i xi_i   s.t.   y_i f_i - 1 + xi_i = t_i >= 0,  xi_i >= 0

The conditions t_i alpha_i = 0 and xi_i (c_i - alpha_i) = 0 are relaxed to mu, which goes to zero.
Each iteration solves the equations of the paper's weighted least squares, (20), with the weights
a_i = 1 / (t_i / alpha_i + xi_i / (c_i - alpha_i)); beyond the margin and with mu = 0 this would be
its alpha_i / xi_i. There is no division by a vanishing slack, and a predictor and a corrector
(Mehrotra) take some fifteen iterations at any C.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._design import NormalEquations

_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "arcp"},
            "nogil": True}

# Complementarity at the start, over the mean of c |1 - y f|: anywhere, and near a solution.
COLD, WARM = 1.0, 0.1

# Share of the way to the boundary that a step may go.
_SHARE = 0.995


def solve_hinge(design, y, c, start, relative, tol, max_iter, record):
    """Minimise the regularised hinge; return (w with b last, alpha, gap, n_iter).

    ``start`` is a vector (w, b), ``relative`` how far from a solution it is, COLD or WARM, and
    ``record`` is called with each iterate.
    Ends when the duality gap is at most ``tol`` times the objective, when it stops falling, or
    with the budget.
    """
    rows, normal = design.augmented, NormalEquations(design)
    x, n = start.copy(), y.size
    alpha, surplus, slack = np.empty((3, n))
    weights, signed, shift = np.empty(n), np.empty(n), np.empty((2, n))
    f = rows @ x
    begin(f, y, c, relative, alpha, surplus, slack)
    best = None
    for n_iter in range(max_iter + 1):
        record(n_iter, x, f)
        gap, objective = gap_of(design, y, c, x, f, alpha)
        if best is None or gap < best[2]:
            best, since = (x.copy(), alpha.copy(), gap, n_iter), 0
        else:
            since += 1
        if gap <= tol * objective or since > 10 or n_iter == max_iter:
            break
        mu = prepare(f, y, c, alpha, surplus, slack, weights, signed)
        if not normal.factorise(weights):
            break
        df = rows @ normal.solve(_right_hand_side(rows, x, signed))
        mu_ahead = look_ahead(f, df, y, c, alpha, surplus, slack, weights, shift)
        centre = mu * (max(mu_ahead, 0.0) / mu) ** 3
        correct(c, alpha, surplus, slack, weights, y, centre, shift, signed)
        d = normal.solve(_right_hand_side(rows, x, signed))
        df = rows @ d
        length = advance(df, y, c, alpha, surplus, slack, weights, signed, shift)
        x += length * d
        f = rows @ x
        settle(f, y, surplus, slack)
    return *best[:3], n_iter


def _right_hand_side(rows, x, signed):
    right = signed @ rows
    right[:-1] -= x[:-1]
    return right


def gap_of(design, y, c, x, f, alpha):
    """Duality gap and primal objective, exact for any alpha in the box.

    With a bias the multipliers of the heavier class are shrunk until y'alpha = 0 first.
    """
    signed = np.empty(y.size)
    loss, total = feasible(f, y, c, alpha, design.bias, signed)
    objective = 0.5 * (x[:-1] @ x[:-1]) + loss
    w = (signed @ design.augmented)[:-1]
    return objective - (total - 0.5 * (w @ w)), objective


@njit(**_OPTIONS)
def feasible(f, y, c, alpha, bias, signed):
    """Write y alpha, shrunk for one class so that it sums to zero if there is a bias.

    Returns the hinge loss and the sum of the shrunk alpha.
    """
    up, down, loss = 0.0, 0.0, 0.0
    for i in range(f.shape[0]):
        loss += c[i] * max(1.0 - y[i] * f[i], 0.0)
        if y[i] > 0.0:
            up += alpha[i]
        else:
            down += alpha[i]
    least = min(up, down) if bias else np.inf
    for_up = min(1.0, least / up) if up > 0.0 else 0.0
    for_down = min(1.0, least / down) if down > 0.0 else 0.0
    for i in range(f.shape[0]):
        signed[i] = alpha[i] * for_up if y[i] > 0.0 else -alpha[i] * for_down
    return loss, up * for_up + down * for_down


@njit(**_OPTIONS)
def begin(f, y, c, relative, alpha, surplus, slack):
    """Start in the middle: for the given f all products of a multiplier and a slack equal mu.

    With p = alpha / c and v = c (1 - y f) / mu this is 1 / (1 - p) - 1 / p = v; mu is ``relative``
    times the mean of c |1 - y f|.
    """
    n = f.shape[0]
    mu = 0.0
    for i in range(n):
        mu += c[i] * max(abs(1.0 - y[i] * f[i]), 1e-3)
    mu *= relative / n
    for i in range(n):
        u = 1.0 - y[i] * f[i]
        v = c[i] * u / mu
        root = np.sqrt(v * v + 4.0)
        alpha[i] = c[i] * (2.0 / (root - v + 2.0))
        left = c[i] * (2.0 / (root + v + 2.0))
        slack[i] = mu / left
        surplus[i] = mu / alpha[i]


@njit(**_OPTIONS)
def prepare(f, y, c, alpha, surplus, slack, weights, signed):
    """Weights, and y (alpha + a (1 - y f)) of the predictor; return the mean complementarity."""
    total = 0.0
    for i in range(f.shape[0]):
        eta = c[i] - alpha[i]
        weights[i] = 1.0 / (surplus[i] / alpha[i] + slack[i] / eta)
        signed[i] = y[i] * (alpha[i] + weights[i] * (1.0 - y[i] * f[i]))
        total += surplus[i] * alpha[i] + slack[i] * eta
    return total / (2 * f.shape[0])


@njit(inline="always")
def _share_of(value, change, share):
    """The longest share of a step that keeps value + share * change at or above 0."""
    return min(share, -value / change) if change < 0.0 else share


@njit(**_OPTIONS)
def look_ahead(f, df, y, c, alpha, surplus, slack, weights, shift):
    """Predictor step to mu = 0: products of the changes, and mu after it."""
    share = 1.0
    n = f.shape[0]
    for i in range(n):
        eta = c[i] - alpha[i]
        step = weights[i] * ((1.0 - y[i] * f[i]) - y[i] * df[i])
        rise = -surplus[i] - surplus[i] * step / alpha[i]
        more = -slack[i] + slack[i] * step / eta
        share = _share_of(alpha[i], step, share)
        share = _share_of(eta, -step, share)
        share = _share_of(surplus[i], rise, share)
        share = _share_of(slack[i], more, share)
        shift[0, i] = step
        shift[1, i] = rise
    total = 0.0
    for i in range(n):
        eta = c[i] - alpha[i]
        step, rise = shift[0, i], shift[1, i]
        more = -slack[i] + slack[i] * step / eta
        total += (surplus[i] + share * rise) * (alpha[i] + share * step)
        total += (slack[i] + share * more) * (eta - share * step)
        shift[0, i] = step * rise
        shift[1, i] = -step * more
    return total / (2 * n)


@njit(**_OPTIONS)
def correct(c, alpha, surplus, slack, weights, y, target, shift, signed):
    """Right-hand sides of both complementarities into `shift`, y (alpha + q) into `signed`."""
    for i in range(alpha.shape[0]):
        eta = c[i] - alpha[i]
        first = target - surplus[i] * alpha[i] - shift[0, i]
        second = target - slack[i] * eta - shift[1, i]
        q = weights[i] * (first / alpha[i] - second / eta)
        shift[0, i] = first
        shift[1, i] = second
        signed[i] = y[i] * (alpha[i] + q)


@njit(**_OPTIONS)
def advance(df, y, c, alpha, surplus, slack, weights, signed, shift):
    """Move multipliers and slacks as far as they stay positive; return the length of the step."""
    share = 1.0 / _SHARE
    n = df.shape[0]
    for i in range(n):
        eta = c[i] - alpha[i]
        step = y[i] * signed[i] - alpha[i] - weights[i] * y[i] * df[i]
        rise = (shift[0, i] - surplus[i] * step) / alpha[i]
        more = (shift[1, i] + slack[i] * step) / eta
        share = _share_of(alpha[i], step, share)
        share = _share_of(eta, -step, share)
        share = _share_of(surplus[i], rise, share)
        share = _share_of(slack[i], more, share)
        weights[i], shift[0, i], shift[1, i] = step, rise, more
    length = min(1.0, _SHARE * share)
    for i in range(n):
        alpha[i] = min(max(alpha[i] + length * weights[i], 1e-15 * c[i]), c[i] * (1.0 - 1e-15))
        surplus[i] += length * shift[0, i]
        slack[i] += length * shift[1, i]
    return length


@njit(**_OPTIONS)
def settle(f, y, surplus, slack):
    """Make slack - surplus = 1 - y f exact again, by raising one of them."""
    for i in range(f.shape[0]):
        short = 1.0 - y[i] * f[i] - (slack[i] - surplus[i])
        if short > 0.0:
            slack[i] += short
        else:
            surplus[i] -= short
