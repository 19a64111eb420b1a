"""Compiled loops of kernels and sums of Gaussians, over contiguous memory."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from companion._utils.compiled import njit
from companion.kernels._rows import FILLED, USES

# Sums keep their order (no reassoc), so that k(x, z) = k(z, x) bit for bit.
_OPTIONS = {
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "contract", "arcp"},
    "nogil": True,
}

# Columns at a time, so that what a row of distances needs stays near the processor, and of a
# mirrored half of a matrix.
_WIDTH = 512
_MIRRORED = 128
_TILE = 32


@intrinsic
def _double_from_bits(typingctx, bits):
    """Reinterpret 64 bits as a double: 2^k is the bit pattern (k + 1023) << 52."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@intrinsic
def _bits_of_double(typingctx, x):
    """Reinterpret a double as 64 bits; the low ones of k + 1.5 * 2^52 are k."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@njit(inline="always")
def _exp(x):
    """exp(x) for x <= 0 to about 3e-16 relative; branch free, so that loops over it vectorise."""
    z = x if x > -708.0 else -708.0
    shifted = (
        z * 1.4426950408889634 + 6755399441055744.0
    )  # adding 1.5 * 2^52 rounds to an integer
    k = shifted - 6755399441055744.0
    r = z - k * 0.693147180369123816490
    r = r - k * 1.90821492927058770002e-10
    # Taylor's polynomial of degree 12.
    p = (
        2.0876756987868099e-09 * r + 2.5052108385441719e-08
    ) * r + 2.7557319223985891e-07
    p = (p * r + 2.7557319223985893e-06) * r + 2.4801587301587302e-05
    p = (p * r + 1.9841269841269841e-04) * r + 1.3888888888888889e-03
    p = (p * r + 8.3333333333333333e-03) * r + 4.1666666666666667e-02
    p = ((p * r + 1.6666666666666667e-01) * r + 0.5) * r
    p = (p + 1.0) * r + 1.0
    # Converting k itself to an integer vectorises on processors with AVX-512 only.
    value = p * _double_from_bits((_bits_of_double(shifted) + 1023) << 52)
    return value if x > -708.0 else 0.0


@njit(**_OPTIONS)
def exp_scaled(values, factor, out):
    """out = exp(factor * values) for vectors; factor * values must be at most 0."""
    for j in range(values.shape[0]):
        out[j] = _exp(factor * values[j])


@njit(**_OPTIONS)
def distance_rows(Z, XT, gamma, is_square, out):
    """out[i, j] = exp(-gamma ||Z[i] - X[j]||^2); for gamma < 0 the squared distances. XT is X'.

    Of a square one with Z = X half is computed and mirrored.
    """
    n_features, n = XT.shape
    width = _MIRRORED if is_square else _WIDTH
    buffer = np.empty(width)
    for first in range(0, n, width):
        last = min(first + width, n)
        for i in range(first if is_square else 0, Z.shape[0]):
            z = Z[i]
            row = buffer if gamma >= 0.0 else out[i][first:last]
            row[: last - first] = 0.0
            k = 0
            while k + 4 <= n_features:
                A = XT[k][first:last]
                B = XT[k + 1][first:last]
                C = XT[k + 2][first:last]
                D = XT[k + 3][first:last]
                for j in range(last - first):
                    a = z[k] - A[j]
                    b = z[k + 1] - B[j]
                    c = z[k + 2] - C[j]
                    d = z[k + 3] - D[j]
                    row[j] += (a * a + b * b) + (c * c + d * d)
                k += 4
            while k < n_features:
                A = XT[k][first:last]
                for j in range(last - first):
                    a = z[k] - A[j]
                    row[j] += a * a
                k += 1
            if gamma >= 0.0:
                exp_scaled(row[: last - first], -gamma, out[i][first:last])
        for start in range(last, n, _TILE) if is_square else range(0):
            for j in range(first, last):
                row = out[j]
                for i in range(start, min(start + _TILE, n)):
                    row[i] = out[i, j]


@njit(**_OPTIONS)
def note_use(cache, sample):
    """Raise the value of a row: the logarithm of the sum of e^(t / n) over its uses t, times n."""
    cache.counts[USES] += 1
    now = cache.counts[USES]
    memory = cache.slot.size
    before = cache.value[sample]
    later = max(before, now)
    earlier = min(before, now)
    cache.value[sample] = later + memory * np.log1p(np.exp((earlier - later) / memory))


@njit(**_OPTIONS)
def place_for(cache, sample, kept):
    """Where a row goes: a free place, or that of the least valuable row but one that is kept."""
    place = cache.counts[FILLED]
    if place < cache.owner.size:
        cache.counts[FILLED] += 1
    else:
        lowest = np.inf
        for k in range(cache.owner.size):
            owner = cache.owner[k]
            if cache.value[owner] < lowest and owner != kept:
                lowest = cache.value[owner]
                place = k
        cache.slot[cache.owner[place]] = -1
    cache.owner[place] = sample
    cache.slot[sample] = place
    return place


@njit(**_OPTIONS)
def use_row(cache, sample, kept):
    """Have a row in the cache, which keeps another; return whether that can be done here."""
    if cache.slot[sample] < 0:
        if cache.columns.size == 0:
            return False
        place = place_for(cache, sample, kept)
        cache.n_computed[0] += 1
        point = cache.points[sample : sample + 1]
        row = cache.buffer[place : place + 1]
        distance_rows(point, cache.columns, cache.gamma, False, row)
    note_use(cache, sample)
    return True


@njit(**_OPTIONS)
def gaussian_sums(D, rates, weights, out):
    """out[m, j] += weights[k] exp(-rates[m, k] D[k, j]), summed over the centres k in order."""
    n = D.shape[1]
    for start in range(0, n, _WIDTH):
        stop = min(start + _WIDTH, n)
        for m in range(rates.shape[0]):
            values = out[m][start:stop]
            for k in range(D.shape[0]):
                rate = -rates[m, k]
                weight = weights[k]
                row = D[k][start:stop]
                for j in range(stop - start):
                    values[j] += weight * _exp(rate * row[j])


@njit(**_OPTIONS)
def gaussians(D, rates, out, total):
    """out[k, j] = exp(-rates[k] D[k, j]), and their sums over the centres k in order."""
    total[:] = 0.0
    for k in range(D.shape[0]):
        exp_scaled(D[k], -rates[k], out[k])
        total += out[k]


@njit(**_OPTIONS)
def cut(K, rows, columns, out):
    """out = K[rows][:, columns]."""
    for i in range(rows.size):
        row = K[rows[i]]
        entries = out[i]
        for j in range(columns.size):
            entries[j] = row[columns[j]]
