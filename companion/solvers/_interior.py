"""The hinge by a primal-dual interior point: weighted least squares on the relaxed conditions.

    min 1/2 w'w + sum_i c_i xi_i   s.t.   y_i f_i - 1 + xi_i = t_i >= 0,  xi_i >= 0

Each iteration solves the equations (20) of the paper with the weights
a_i = 1 / (t_i / alpha_i + xi_i / (c_i - alpha_i)): predictor and corrector (Mehrotra 1992), with
corrections that draw outlying products back after short steps (Gondzio 1996; Cartis 2009).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._design import NormalEquations

_OPTIONS = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp"},
    "nogil": True,
}

# Complementarity at the start, over the mean of c |1 - y f|: anywhere, and near a solution.
COLD, WARM = 2.0, 0.2

# Share of the way to the boundary that a step may go, and after a step that the gap rose in.
_SHARE, _CAREFUL = 0.995, 0.8

# Gondzio's corrections, how much further each means to go, and the share of the way from which on
# none is needed.
_CORRECTIONS, _AMBITION, _LONG = 2, 0.3, 0.9


def solve_hinge(design, y, c, start, relative, tol, max_iter, record):
    """Minimise the regularised hinge; return (w with b last, alpha, gap, n_iter)."""
    rows, normal = design.augmented, NormalEquations(design)
    x, f, n = start.copy(), rows @ start, y.size
    at, way, longer = np.empty((3, 3, n))
    shift, weights, signed = np.empty((2, n)), np.empty(n), np.empty(n)
    begin(f, y, c, relative, at)
    best = None
    for n_iter in range(max_iter + 1):
        record(n_iter, x, f)
        gap, objective = gap_of(design, y, c, x, f, at[0])
        if best is None or gap < best[2]:
            best, since = (x.copy(), at[0].copy(), gap, n_iter), 0
        else:
            since += 1
        if gap <= tol * objective or since > 10 or n_iter == max_iter:
            break
        mu = prepare(f, y, c, at, weights, signed)
        if not normal.factorise(weights):
            break
        right = signed @ rows
        right[:-1] -= x[:-1]
        d = normal.solve(right)
        df = rows @ d
        mu_ahead = predict(f, df, y, c, at, weights, way, shift)
        aim = mu * (max(mu_ahead, 0.0) / mu) ** 3
        shift += aim
        for correction in range(1 + _CORRECTIONS):
            pull(y, c, at, weights, shift, signed)
            more = normal.solve(signed @ rows)
            df_more = rows @ more
            further = extend(df_more, y, c, at, weights, signed, shift, way, longer)
            if correction and further <= share:  # noqa: F821
                break
            way, longer, share = longer, way, further
            d += more
            df += df_more
            if share > _LONG:
                break
            recentre(c, at, way, min(1.0, share + _AMBITION), aim, shift)
        length = min(1.0, (_CAREFUL if since else _SHARE) * share)
        x += length * d
        f += length * df
        advance(f, y, c, length, way, at)
    return *best[:3], n_iter


def gap_of(design, y, c, x, f, alpha):
    """Duality gap and primal objective, exact for any alpha in the box."""
    signed = np.empty(y.size)
    loss, total = feasible(f, y, c, alpha, design.bias, signed)
    objective = 0.5 * (x[:-1] @ x[:-1]) + loss
    w = (signed @ design.augmented)[:-1]
    return objective - (total - 0.5 * (w @ w)), objective


@njit(**_OPTIONS)
def feasible(f, y, c, alpha, bias, signed):
    """Write y alpha, shrunk for one class so that it sums to zero if there is a bias."""
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
def begin(f, y, c, relative, at):
    """Start in the middle: for the given f all products of a multiplier and a slack equal mu."""
    n = f.shape[0]
    mu = 0.0
    for i in range(n):
        mu += c[i] * max(abs(1.0 - y[i] * f[i]), 1e-3)
    mu *= relative / n
    for i in range(n):
        v = c[i] * (1.0 - y[i] * f[i]) / mu
        root = np.sqrt(v * v + 4.0)
        at[0, i] = c[i] * (2.0 / (root - v + 2.0))
        left = c[i] * (2.0 / (root + v + 2.0))
        at[1, i] = mu / at[0, i]
        at[2, i] = mu / left


@njit(**_OPTIONS)
def prepare(f, y, c, at, weights, signed):
    """Weights, and y (alpha + a (1 - y f)) of the predictor; return the mean complementarity."""
    total = 0.0
    for i in range(f.shape[0]):
        alpha, surplus, slack = at[0, i], at[1, i], at[2, i]
        eta = c[i] - alpha
        weights[i] = 1.0 / (surplus / alpha + slack / eta)
        signed[i] = y[i] * (alpha + weights[i] * (1.0 - y[i] * f[i]))
        total += surplus * alpha + slack * eta
    return total / (2 * f.shape[0])


@njit(inline="always")
def _pace(alpha, eta, surplus, slack, step, rise, more, pace):
    """Fastest fall relative to what is there: nothing changes its sign before 1 / pace."""
    return max(pace, max(max(-step / alpha, step / eta), max(-rise / surplus, -more / slack)))


@njit(**_OPTIONS)
def predict(f, df, y, c, at, weights, way, shift):
    """The way to mu = 0 into ``way``, minus the products of its changes into ``shift``."""
    pace = 1.0
    n = f.shape[0]
    for i in range(n):
        alpha, surplus, slack = at[0, i], at[1, i], at[2, i]
        eta = c[i] - alpha
        step = weights[i] * ((1.0 - y[i] * f[i]) - y[i] * df[i])
        rise = -surplus - surplus * step / alpha
        more = -slack + slack * step / eta
        pace = _pace(alpha, eta, surplus, slack, step, rise, more, pace)
        way[0, i], way[1, i], way[2, i] = step, rise, more
        shift[0, i] = -step * rise
        shift[1, i] = step * more
    total, share = 0.0, 1.0 / pace
    for i in range(n):
        alpha = at[0, i] + share * way[0, i]
        total += (at[1, i] + share * way[1, i]) * alpha
        total += (at[2, i] + share * way[2, i]) * (c[i] - alpha)
    return total / (2 * n)


@njit(**_OPTIONS)
def recentre(c, at, way, share, aim, shift):
    """What products lack of [aim / 10, 10 aim] at a share of the way, into ``shift``."""
    low, high = 0.1 * aim, 10.0 * aim
    for i in range(c.shape[0]):
        alpha = at[0, i] + share * way[0, i]
        first = (at[1, i] + share * way[1, i]) * alpha
        second = (at[2, i] + share * way[2, i]) * (c[i] - alpha)
        shift[0, i] = max(min(max(first, low), high) - first, -high)
        shift[1, i] = max(min(max(second, low), high) - second, -high)


@njit(**_OPTIONS)
def pull(y, c, at, weights, shift, signed):
    """Right-hand side y q of the equations for a change of the products by ``shift``."""
    for i in range(c.shape[0]):
        alpha = at[0, i]
        signed[i] = y[i] * weights[i] * (shift[0, i] / alpha - shift[1, i] / (c[i] - alpha))


@njit(**_OPTIONS)
def extend(df, y, c, at, weights, signed, shift, way, longer):
    """The way and the changes for a shift into ``longer``; return how far one can go there."""
    pace = _SHARE
    for i in range(df.shape[0]):
        alpha, surplus, slack = at[0, i], at[1, i], at[2, i]
        eta = c[i] - alpha
        change = y[i] * (signed[i] - weights[i] * df[i])
        step = way[0, i] + change
        rise = way[1, i] + (shift[0, i] - surplus * change) / alpha
        more = way[2, i] + (shift[1, i] + slack * change) / eta
        pace = _pace(alpha, eta, surplus, slack, step, rise, more, pace)
        longer[0, i], longer[1, i], longer[2, i] = step, rise, more
    return 1.0 / pace


@njit(**_OPTIONS)
def advance(f, y, c, length, way, at):
    """Go this share of the way."""
    for i in range(f.shape[0]):
        at[0, i] = min(max(at[0, i] + length * way[0, i], 1e-15 * c[i]), c[i] * (1.0 - 1e-15))
        at[1, i] += length * way[1, i]
        at[2, i] += length * way[2, i]
        short = 1.0 - y[i] * f[i] - (at[2, i] - at[1, i])
        if short > 0.0:
            at[2, i] += short
        else:
            at[1, i] -= short
