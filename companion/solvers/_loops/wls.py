"""The compiled loops of the weighted least squares."""

from __future__ import annotations

import numpy as np

from companion._utils.compiled import njit


@njit(error_model="numpy", nogil=True)
def scale_rows(rows, a, sign, scaled):
    """Write sqrt(|a_i|) z_i for the a_i of a sign; return how many there are."""
    n, size = rows.shape
    k = 0
    for i in range(n):
        if sign * a[i] > 0.0:
            root = np.sqrt(sign * a[i])
            for j in range(size):
                scaled[k, j] = root * rows[i, j]
            k += 1
    return k


@njit(error_model="numpy", fastmath={"reassoc", "contract", "arcp"}, nogil=True)
def complete_change(point, y, less, df, way):
    """Changes of alpha, eta, t and xi for a change df, by complementarity; the pace to zero."""
    pace = 0.0
    for i in range(df.shape[0]):
        alpha = point[0, i]
        eta = point[1, i]
        t = point[2, i]
        xi = point[3, i]
        a = point[4, i]
        da = a * (less[1, i] - less[0, i] - y[i] * df[i])
        dt = -less[0, i] - t * da / alpha
        dxi = -less[1, i] + xi * da / eta
        way[0, i] = da
        way[1, i] = -da
        way[2, i] = dt
        way[3, i] = dxi
        pace = max(pace, max(max(-da / alpha, da / eta), max(-dt / t, -dxi / xi)))
    return pace


@njit(error_model="numpy", nogil=True)
def advance(point, way, share, f, y, c):
    """The point after a share of the way, where the values are f: alpha, eta, t, xi and a."""
    after = np.empty((5, f.size))
    for i in range(f.size):
        alpha = min(
            max(point[0, i] + share * way[0, i], 1e-15 * c[i]), c[i] * (1.0 - 1e-15)
        )
        eta = c[i] - alpha
        t = point[2, i] + share * way[2, i]
        xi = point[3, i] + share * way[3, i]
        short = 1.0 - y[i] * f[i] + t - xi  # by rounding errors
        t = t + max(-short, 0.0)
        xi = xi + max(short, 0.0)
        after[0, i] = alpha
        after[1, i] = eta
        after[2, i] = t
        after[3, i] = xi
        after[4, i] = 1.0 / (t / alpha + xi / eta)
    return after
