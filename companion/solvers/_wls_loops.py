"""The compiled loops of the weighted least squares."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
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


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp"}, nogil=True)
def complete_change(point, a, y, less, df, way):
    """Changes of alpha, eta, t and xi for a change df, by complementarity; the pace to zero."""
    pace = 0.0
    for i in range(df.shape[0]):
        alpha, eta, t, xi = point[0, i], point[1, i], point[2, i], point[3, i]
        da = a[i] * (less[1, i] - less[0, i] - y[i] * df[i])
        dt = -less[0, i] - t * da / alpha
        dxi = -less[1, i] + xi * da / eta
        way[0, i], way[1, i], way[2, i], way[3, i] = da, -da, dt, dxi
        pace = max(pace, max(max(-da / alpha, da / eta), max(-dt / t, -dxi / xi)))
    return pace
