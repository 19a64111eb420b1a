"""A compiled Cholesky factor, for Newton systems inside other compiled loops."""

import numpy as np

from companion._utils.compiled import njit

# Rows that are computed together.
_BLOCK = 16


# Part of its callers: with a copy of its own, results would depend on what is loaded first.
@njit(
    error_model="numpy",
    nogil=True,
    inline="always",
    fastmath={"nnan", "nsz", "contract"},
)
def cholesky(H, stop):
    """Upper Cholesky factor in place; a pivot that is lost to rounding becomes as large as that.

    It is left unfinished once ``stop[0]`` is not zero.
    """
    size = H.shape[0]
    for first in range(0, size, _BLOCK):
        if stop[0]:
            break
        end = min(first + _BLOCK, size)
        if first > 0:
            left = np.ascontiguousarray(H[:first, first:end].T)
            part = np.dot(left, np.ascontiguousarray(H[:first, first:]))
            for r in range(first, end):
                row = H[r, first:]
                other = part[r - first]
                for s in range(size - first):
                    row[s] -= other[s]
        for r in range(first, end):
            row = H[r]
            least = 1e-14 * row[r]
            for q in range(first, r):
                above = H[q]
                factor = above[r]
                for s in range(r, size):
                    row[s] -= factor * above[s]
            row[r] = np.sqrt(max(row[r], least))
            factor = 1.0 / row[r]
            for s in range(r + 1, size):
                row[s] *= factor
