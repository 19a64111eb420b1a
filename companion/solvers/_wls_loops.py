"""The compiled loop of the weighted least squares: the sum in its normal equations."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"}, nogil=True)
def add_outer_products(rows, a, H):
    """Add sum_i a_i z_i z_i' to the lower triangle of H, four of the rows with a weight at once."""
    n, size = rows.shape
    used, k = np.zeros(n + 3, np.int64), 0
    for i in range(n):
        used[k] = i
        k += a[i] != 0.0
    used[k:] = used[0]
    for t in range(0, k, 4):
        i0, i1, i2, i3 = used[t], used[t + 1], used[t + 2], used[t + 3]
        a0 = a[i0]
        a1 = a[i1] if t + 1 < k else 0.0
        a2 = a[i2] if t + 2 < k else 0.0
        a3 = a[i3] if t + 3 < k else 0.0
        for p in range(size):
            s0, s1, s2, s3 = a0 * rows[i0, p], a1 * rows[i1, p], a2 * rows[i2, p], a3 * rows[i3, p]
            for q in range(p + 1):
                H[p, q] += s0 * rows[i0, q] + s1 * rows[i1, q] + s2 * rows[i2, q] + s3 * rows[i3, q]
