"""Compiled sums of Gaussians for conformal transformations.

The call tree is in this file, with a copy of the exponential of :mod:`companion._kernel_loops`: a
cached numba caller is not recompiled when a callee in another file changes.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Sums keep their order (no reassoc), so a point has the same value alone and among others.
_OPTIONS = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "contract", "arcp"},
    "nogil": True,
}

_WIDTH = 512

# A distance that is nothing but rounding, as a share of k(x, x).
_ROUNDING = 1e-12


@intrinsic
def _double_from_bits(typingctx, bits):
    """Reinterpret 64 bits as a double: 2^k is the bit pattern (k + 1023) << 52."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@njit(inline="always")
def _exp(x):
    """exp(x) for x <= 0 to about 3e-16 relative; branch free, so that loops over it vectorise."""
    z = x if x > -708.0 else -708.0
    shifted = z * 1.4426950408889634 + 6755399441055744.0  # adding 1.5 * 2^52 rounds to an integer
    k = shifted - 6755399441055744.0
    r = z - k * 0.693147180369123816490
    r = r - k * 1.90821492927058770002e-10
    p = 2.0876756987868099e-09
    p = p * r + 2.5052108385441719e-08
    p = p * r + 2.7557319223985891e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.4801587301587302e-05
    p = p * r + 1.9841269841269841e-04
    p = p * r + 1.3888888888888889e-03
    p = p * r + 8.3333333333333333e-03
    p = p * r + 4.1666666666666667e-02
    p = p * r + 1.6666666666666667e-01
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    power = _double_from_bits((types.int64(k) + 1023) << 52)
    value = p * power
    return value if x > -708.0 else 0.0


@njit(**_OPTIONS)
def gaussian_rows(D, rates, out):
    """out[k, j] = exp(-rates[k] D[k, j]) for centres k and points j."""
    for k in range(D.shape[0]):
        rate, row, values = -rates[k], D[k], out[k]
        for j in range(D.shape[1]):
            values[j] = _exp(rate * row[j])


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
def interpolated_factors(value, A, B, beta, squares, radius, out):
    """Mean of exp(-distance / width) over the interpolated points near each point.

    The point of the pair (p, q) has the squared distance value[i] - 2 (1 - beta) A[i, p] - 2 beta
    B[i, q] + squares[p, q]. The width is the mean distance of those nearer than the radius, if that
    is negative the mean of the least and the largest.
    """
    first, second = squares.shape
    distances = np.empty(first * second)
    for i in range(A.shape[0]):
        least, largest = np.inf, 0.0
        for p in range(first):
            base = value[i] - 2.0 * (1.0 - beta) * A[i, p]
            for q in range(second):
                distance = max(base - 2.0 * beta * B[i, q] + squares[p, q], 0.0)
                distances[p * second + q] = distance
                least, largest = min(least, distance), max(largest, distance)
        limit = 0.5 * (least + largest) if radius < 0.0 else radius
        count, total = 0, 0.0
        for j in range(distances.shape[0]):
            if distances[j] < limit:
                count += 1
                total += distances[j]
        if count == 0:
            out[i] = 1.0 if least == 0.0 else np.exp(-1.0)
            continue
        scale, near = -1.0 / max(total / count, _ROUNDING * value[i]), 0.0
        for j in range(distances.shape[0]):
            near += _exp(scale * distances[j]) if distances[j] < limit else 0.0
        out[i] = near / count


@njit(**_OPTIONS)
def interpolated_widths(value, A, B, beta, squares, radius, out):
    """out[p, q]: mean distance of the points nearer than the radius to the interpolated point."""
    n = A.shape[0]
    distances = np.empty(n)
    for p in range(squares.shape[0]):
        for q in range(squares.shape[1]):
            least, largest = np.inf, 0.0
            for i in range(n):
                distance = value[i] - 2.0 * (1.0 - beta) * A[i, p] - 2.0 * beta * B[i, q]
                distance = max(distance + squares[p, q], 0.0)
                distances[i] = distance
                least, largest = min(least, distance), max(largest, distance)
            limit = 0.5 * (least + largest) if radius < 0.0 else radius
            count, total = 0, 0.0
            for i in range(n):
                if distances[i] < limit:
                    count += 1
                    total += distances[i]
            width = total / count if count > 0 else least
            out[p, q] = max(width, _ROUNDING * value.max())


@njit(**_OPTIONS)
def interpolated_sums(value, A, B, beta, squares, widths, out):
    """out[i]: mean over the interpolated points of exp(-distance / their own width)."""
    first, second = squares.shape
    for i in range(A.shape[0]):
        total = 0.0
        for p in range(first):
            base = value[i] - 2.0 * (1.0 - beta) * A[i, p]
            for q in range(second):
                distance = max(base - 2.0 * beta * B[i, q] + squares[p, q], 0.0)
                total += _exp(-distance / widths[p, q])
        out[i] = total / (first * second)


@njit(**_OPTIONS)
def scaled_gram(K, d, out):
    """out[i, j] = d[i] d[j] K[i, j], exactly symmetric where K is."""
    for i in range(K.shape[0]):
        row, target = K[i], out[i]
        for j in range(K.shape[1]):
            target[j] = (d[i] * d[j]) * row[j]
