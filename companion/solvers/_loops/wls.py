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
