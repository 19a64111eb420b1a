"""The compiled loop behind :func:`companion.conformal_factors.gaussian_sums`.

Without it searches over the widths of many Gaussians take nearly twice as long.
"""

from numba import njit

from companion._kernel_loops import _exp

# Points at a time, so that their sums stay near the processor while the centres pass.
_WIDTH = 512


# Sums keep their order (no reassoc), so that a point has the same value alone and among others.
@njit(cache=True, error_model="numpy", fastmath={"nnan", "nsz", "contract", "arcp"}, nogil=True)
def gaussian_sums(D, rates, weights, out):
    """out[m, j] += weights[k] exp(-rates[m, k] D[k, j]), summed over the centres k in order."""
    n = D.shape[1]
    for start in range(0, n, _WIDTH):
        stop = min(start + _WIDTH, n)
        for m in range(rates.shape[0]):
            values = out[m][start:stop]
            for k in range(D.shape[0]):
                rate, weight, row = -rates[m, k], weights[k], D[k][start:stop]
                for j in range(stop - start):
                    values[j] += weight * _exp(rate * row[j])
