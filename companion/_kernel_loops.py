"""Compiled loops behind :mod:`companion.kernels`, over contiguous memory.

They call only functions of this file: a cached numba caller is not recompiled when another changes.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# nnan and nsz let reductions vectorise, contract gives fused multiply-adds; infinities keep their
# meaning (no ninf) and sums their order (no reassoc), so that k(x, z) = k(z, x) bit for bit.
_FLAGS = {"nnan", "nsz", "contract", "arcp"}
_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": _FLAGS, "nogil": True}

# Rows and columns that are computed before they are mirrored.
_STRIP, _STRIP_WIDTH = 8, 512
_WIDTH = 512


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


@intrinsic
def _single_from_bits(typingctx, bits):
    """Reinterpret 32 bits as a single: 2^k is the bit pattern (k + 127) << 23."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), codegen


_LOG2_E, _ROUND = np.float32(1.4426950408889634), np.float32(12582912.0)
_LOG_2_HIGH, _LOG_2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_T6, _T5, _T4 = np.float32(1.0 / 720.0), np.float32(1.0 / 120.0), np.float32(1.0 / 24.0)
_T3, _HALF, _ONE = np.float32(1.0 / 6.0), np.float32(0.5), np.float32(1.0)
_T7, _LEAST, _ZERO = np.float32(1.0 / 5040.0), np.float32(-87.0), np.float32(0.0)


@njit(inline="always")
def _exp_single(x):
    """exp(x) for x <= 0 in single precision, as _exp; below -87 the result is 0."""
    z = x if x > _LEAST else _LEAST
    k = (z * _LOG2_E + _ROUND) - _ROUND
    r = z - k * _LOG_2_HIGH
    r = r - k * _LOG_2_LOW
    p = _T7 * r + _T6
    p = p * r + _T5
    p = p * r + _T4
    p = p * r + _T3
    p = p * r + _HALF
    p = p * r + _ONE
    p = p * r + _ONE
    value = p * _single_from_bits((types.int32(k) + types.int32(127)) << types.int32(23))
    return value if x > _LEAST else _ZERO


@njit(inline="always")
def _single_distances_to_row(x, XT, first, last, out):
    """As _squared_distances_to_row, all in single precision, terms added in another order."""
    n_features = x.shape[0]
    width = last - first
    for j in range(width):
        out[j] = _ZERO
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
            out[j] = (out[j] + (e * e + f * f)) + (g * g + h * h)
        k += 4
    if k + 2 <= n_features:
        a, b = x[k], x[k + 1]
        A, B = XT[k][first:last], XT[k + 1][first:last]
        for j in range(width):
            e = a - A[j]
            f = b - B[j]
            out[j] += e * e + f * f
        k += 2
    if k < n_features:
        a = x[k]
        A = XT[k][first:last]
        for j in range(width):
            e = a - A[j]
            out[j] += e * e


@njit(**_OPTIONS)
def rbf_rows_single(Z, XT, gamma, out):
    """As rbf_rows, all in single precision; Z and XT should be centred."""
    n = XT.shape[1]
    buffer = np.empty(_WIDTH, dtype=np.float32)
    for start in range(0, n, _WIDTH):
        stop = min(start + _WIDTH, n)
        for i in range(Z.shape[0]):
            _single_distances_to_row(Z[i], XT, start, stop, buffer)
            row = out[i][start:stop]
            for j in range(stop - start):
                row[j] = _exp_single(-gamma * buffer[j])


@njit(inline="always")
def _mirror(strip, height, top, left, width, out):
    """out[left + j, top + i] = strip[i, j]."""
    if height == _STRIP:
        # Eight named rows and no inner loop: the compiler would gather it into vectors, which
        # takes a quarter of all the time.
        A, B, C, D = strip[0], strip[1], strip[2], strip[3]
        E, F, G, H = strip[4], strip[5], strip[6], strip[7]
        for j in range(width):
            target = out[left + j][top : top + _STRIP]
            target[0], target[1], target[2], target[3] = A[j], B[j], C[j], D[j]
            target[4], target[5], target[6], target[7] = E[j], F[j], G[j], H[j]
    else:
        for j in range(width):
            for i in range(height):
                out[left + j, top + i] = strip[i, j]


@njit(**_OPTIONS)
def rbf_symmetric_single(X, XT, gamma, out):
    """As rbf_symmetric, all in single precision; X should be centred."""
    n = X.shape[0]
    strip = np.empty((_STRIP, 2 * _STRIP_WIDTH), dtype=np.float32)
    for top in range(0, n, _STRIP):
        height = min(_STRIP, n - top)
        for left in range(top, n, 2 * _STRIP_WIDTH):
            width = min(2 * _STRIP_WIDTH, n - left)
            for i in range(height):
                row = strip[i]
                target = out[top + i][left : left + width]
                _single_distances_to_row(X[top + i], XT, left, left + width, row)
                for j in range(width):
                    row[j] = _exp_single(-gamma * row[j])
                for j in range(width):
                    target[j] = row[j]
            _mirror(strip, height, top, left, width, out)


@njit(**_OPTIONS)
def exp_scaled(D, factor, out):
    """out = exp(factor * D) elementwise; factor * D must be at most 0."""
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            out[i, j] = _exp(factor * D[i, j])


@njit(inline="always")
def _squared_distances_to_row(x, XT, first, last, out):
    """out[:last - first] = ||x - X[j]||^2 for j in first..last, by differences; XT is X'."""
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
    """out[i, j] = exp(-gamma ||Z[i] - X[j]||^2); for gamma < 0 the squared distances."""
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
    """As rbf_rows with Z = X: strips on and right of the diagonal are computed and mirrored."""
    n = X.shape[0]
    strip = np.empty((_STRIP, _STRIP_WIDTH))
    for top in range(0, n, _STRIP):
        height = min(_STRIP, n - top)
        for left in range(top, n, _STRIP_WIDTH):
            width = min(_STRIP_WIDTH, n - left)
            for i in range(height):
                row = strip[i]
                target = out[top + i][left : left + width]
                _squared_distances_to_row(X[top + i], XT, left, left + width, row)
                if gamma >= 0.0:
                    for j in range(width):
                        row[j] = _exp(-gamma * row[j])
                for j in range(width):
                    target[j] = row[j]
            _mirror(strip, height, top, left, width, out)


@njit(**_OPTIONS | {"fastmath": _FLAGS | {"reassoc"}})
def _product(a, b):
    """a'b, the terms in any order."""
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@njit(**_OPTIONS)
def rbf_expansion(X, XT, gamma, beta, out):
    """out = K beta for the Gram matrix K of X, each kernel value computed once and not kept."""
    n = X.shape[0]
    values = np.empty(_WIDTH)
    for j in range(n):
        out[j] = beta[j]
    for i in range(n):
        total, weight = 0.0, beta[i]
        for start in range(i + 1, n, _WIDTH):
            width = min(_WIDTH, n - start)
            _squared_distances_to_row(X[i], XT, start, start + width, values)
            weights, target = beta[start : start + width], out[start : start + width]
            for j in range(width):
                value = _exp(-gamma * values[j])
                values[j] = value
                target[j] += weight * value
            total += _product(values[:width], weights)
        out[i] += total


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
