"""Compiled loops behind :mod:`companion.kernels`.

Every loop runs over contiguous memory and calls only functions of this file: a cached numba caller
is not recompiled when a callee in another file changes.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# nnan and nsz let reductions vectorise, contract gives fused multiply-adds; infinities keep their
# meaning (no ninf) and sums their order (no reassoc), so that k(x, z) = k(z, x) bit for bit.
_FLAGS = {"nnan", "nsz", "contract", "arcp"}
_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": _FLAGS, "nogil": True}

_TILE = 32
_WIDTH = 512


@intrinsic
def _double_from_bits(typingctx, bits):
    """Reinterpret 64 bits as a double: 2^k is the bit pattern (k + 1023) << 52."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@njit(inline="always")
def _exp(x):
    """exp(x) for x <= 0 to about 3e-16 relative; branch free, so that loops over it vectorise.

    x = k log 2 + r with |r| <= log(2) / 2; Taylor series of degree 12 for exp(r) (remainder below
    2e-16), times 2^k. Below -708 the result is 0 instead of a denormal number.
    """
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
def exp_scaled(D, factor, out):
    """out = exp(factor * D) elementwise; factor * D must be at most 0."""
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            out[i, j] = _exp(factor * D[i, j])


@njit(inline="always")
def _squared_distances_to_row(x, XT, first, last, out):
    """out[:last - first] = ||x - X[j]||^2 for j in first..last, by differences (no cancellation).

    XT is X transposed, so that the loops over j are contiguous.
    """
    n_features = x.shape[0]
    width = last - first
    for j in range(width):
        out[j] = 0.0
    k = 0
    while k + 4 <= n_features:
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        A, B = XT[k][first:last], XT[k + 1][first:last]
        C, D = XT[k + 2][first:last], XT[k + 3][first:last]
        for j in range(width):
            e = a - A[j]
            f = b - B[j]
            g = c - C[j]
            h = d - D[j]
            out[j] += (e * e + f * f) + (g * g + h * h)
        k += 4
    while k < n_features:
        a = x[k]
        A = XT[k][first:last]
        for j in range(width):
            e = a - A[j]
            out[j] += e * e
        k += 1


@njit(**_OPTIONS)
def rbf_rows(Z, XT, gamma, out):
    """out[i, j] = exp(-gamma ||Z[i] - X[j]||^2); with gamma < 0 the squared distances themselves."""
    n = XT.shape[1]
    buffer = np.empty(_WIDTH)
    for start in range(0, n, _WIDTH):
        stop = min(start + _WIDTH, n)
        for i in range(Z.shape[0]):
            _squared_distances_to_row(Z[i], XT, start, stop, buffer)
            row = out[i][start:stop]
            if gamma < 0.0:
                for j in range(stop - start):
                    row[j] = buffer[j]
            else:
                for j in range(stop - start):
                    row[j] = _exp(-gamma * buffer[j])


@njit(**_OPTIONS)
def rbf_symmetric(X, XT, gamma, out):
    """As rbf_rows with Z = X: tiles on and above the diagonal are computed, the others mirrored."""
    n = X.shape[0]
    tile = np.empty((_TILE, _TILE))
    for top in range(0, n, _TILE):
        bottom = min(top + _TILE, n)
        for left in range(top, n, _TILE):
            right = min(left + _TILE, n)
            width = right - left
            for i in range(top, bottom):
                row = tile[i - top]
                _squared_distances_to_row(X[i], XT, left, right, row)
                if gamma >= 0.0:
                    for j in range(width):
                        row[j] = _exp(-gamma * row[j])
                target = out[i][left:right]
                for j in range(width):
                    target[j] = row[j]
            if left > top:
                for j in range(width):
                    target = out[left + j][top:bottom]
                    for i in range(bottom - top):
                        target[i] = tile[i, j]


@njit(**_OPTIONS)
def finish_distances(G, a, b, gamma):
    """Overwrite products G = A B' by max(a_i + b_j - 2 G_ij, 0), or by exp(-gamma of that)."""
    for i in range(G.shape[0]):
        row = G[i]
        for j in range(G.shape[1]):
            d = a[i] + b[j] - 2.0 * row[j]
            row[j] = d if d > 0.0 else 0.0
        if gamma >= 0.0:
            for j in range(G.shape[1]):
                row[j] = _exp(-gamma * row[j])
