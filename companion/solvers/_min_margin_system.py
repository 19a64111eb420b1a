"""Linear algebra of the minimum-margin hinge: products with Z, the Newton matrix, its solution.

The last columns of a kernel design are tiny: the Newton matrix without them (but for the unit
matrix) is the true one within factors 1 -+ sqrt(T), T = sum_i A_i |tail of z_i|^2 with A_i a bound
on the curvature of sample i. A step is then refined once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_OPTIONS = {"cache": True, "error_model": "numpy", "nogil": True}
_LOOPS = {**_OPTIONS, "fastmath": {"nnan", "nsz", "reassoc", "contract", "arcp"}}

# Designs of up to so many columns, the bias among them, are served by loops.
_NARROW = 8

# Rows of a matrix product; systems up to this size are factorised here and larger ones by LAPACK.
_BLOCK, _SMALL = 8, 40


@njit(**_LOOPS)
def class_values(basis, V, Z):
    """f = Q V z of all samples, of shape (k, n)."""
    size, n = Z.shape
    if size > _NARROW:
        return np.dot(np.dot(basis, V), Z)
    k, free = basis.shape
    F = np.empty((k, n))
    for m in range(k):
        out = F[m]
        for r in range(size):
            row, weight = Z[r], 0.0
            for c in range(free):
                weight += basis[m, c] * V[c, r]
            if r:
                for i in range(n):
                    out[i] += weight * row[i]
            else:
                for i in range(n):
                    out[i] = weight * row[i]
    return F


@njit(**_LOOPS)
def moments(basis, G, Z):
    """Q' G Z', of shape (k - 1, n_columns + 1)."""
    size, n = Z.shape
    if size > _NARROW:
        return np.dot(basis.T, np.dot(G, Z.T))
    k, free = basis.shape
    R = np.zeros((free, size))
    for m in range(k):
        factors = G[m]
        for r in range(size):
            row, total = Z[r], 0.0
            for i in range(n):
                total += factors[i] * row[i]
            for c in range(free):
                R[c, r] += basis[m, c] * total
    return R


@njit(**_LOOPS)
def columns_that_matter(Z, pairs, least):
    """The number of leading columns that leave T of the module's docstring at most ``least``."""
    last, n = Z.shape[0] - 1, Z.shape[1]
    if last < _NARROW:
        return last
    curvature = np.zeros(n)
    for q in range(pairs.shape[0]):
        pair = pairs[q]
        for i in range(n):
            curvature[i] += 2.0 * pair[i]
    rest = 0.0
    for r in range(last - 1, -1, -1):
        row = Z[r]
        for i in range(n):
            rest += curvature[i] * row[i] * row[i]
        # Not "rest > least": a NaN ends here, too.
        if not rest <= least:
            return r + 1
    return 0


@njit(**_LOOPS)
def newton_matrix(Z, basis, pairs, ridge, used, weights, scaled, memory):
    """Upper half of I + sum_{l < m} (q_l - q_m)(q_l - q_m)' x Z diag(pair) Z', the bias apart."""
    k, free = basis.shape
    last, n = Z.shape[0] - 1, Z.shape[1]
    size = used + 1
    H = memory[: (free * size) ** 2].reshape((free * size, free * size))
    ones = Z[last]
    for c in range(free):
        for d in range(c, free):
            weights[:] = 0.0
            q = 0
            for m in range(k):
                for other in range(m):
                    pair = pairs[q]
                    factor = (basis[m, c] - basis[other, c]) * (basis[m, d] - basis[other, d])
                    if factor != 0.0:
                        for i in range(n):
                            weights[i] += factor * pair[i]
                    q += 1
            for r in range(used):
                row, out, total = Z[r], scaled[r], 0.0
                for i in range(n):
                    value = row[i] * weights[i]
                    out[i] = value
                    total += value * ones[i]
                H[c * size + r, d * size + used] = total
                H[c * size + used, d * size + r] = total
            total = 0.0
            for i in range(n):
                total += weights[i] * ones[i]
            H[c * size + used, d * size + used] = total
            if used < _NARROW:
                for r in range(used):
                    row = scaled[r]
                    for s in range(r, used):
                        other_row, total = Z[s], 0.0
                        for i in range(n):
                            total += row[i] * other_row[i]
                        H[c * size + r, d * size + s] = total
            else:
                for first in range(0, used, _BLOCK):
                    end = min(first + _BLOCK, used)
                    part = np.dot(scaled[first:end], Z[first:used].T)
                    for r in range(first, end):
                        row, out = part[r - first], H[c * size + r]
                        for s in range(r, used):
                            out[d * size + s] = row[s - first]
            if c < d:
                for r in range(used):
                    for s in range(r):
                        H[c * size + r, d * size + s] = H[c * size + s, d * size + r]
        for r in range(used):
            H[c * size + r, c * size + r] += 1.0
        H[c * size + used, c * size + used] += ridge
    return H


@njit(**_LOOPS)
def cholesky_small(H):
    """Upper Cholesky factor in place; a pivot that is lost to rounding becomes as large as that."""
    size = H.shape[0]
    for r in range(size):
        row = H[r]
        least = 1e-14 * row[r]
        for q in range(r):
            above = H[q]
            factor = above[r]
            for s in range(r, size):
                row[s] -= factor * above[s]
        row[r] = np.sqrt(max(row[r], least))
        for s in range(r + 1, size):
            row[s] /= row[r]


@njit(**_LOOPS)
def solve(U, right):
    """Solve U' U x = right in place."""
    size = right.shape[0]
    for r in range(size):
        row = U[r]
        right[r] /= row[r]
        value = right[r]
        for s in range(r + 1, size):
            right[s] -= row[s] * value
    for r in range(size - 1, -1, -1):
        row, value = U[r], right[r]
        for s in range(r + 1, size):
            value -= row[s] * right[s]
        right[r] = value / row[r]


@njit(**_OPTIONS)
def factorise(H):
    """Upper Cholesky factor of H, whose upper half is given, its diagonal raised if need be."""
    size = H.shape[0]
    if size <= _SMALL:
        cholesky_small(H)
        return H
    for r in range(size):
        H[r, r] *= 1.0 + 1e-14
    return np.linalg.cholesky(H.T).T


@njit(**_OPTIONS)
def solve_newton(factor, R):
    """Solve the Newton system in place; columns that are not in it have the unit matrix."""
    free, size = R.shape
    used = factor.shape[0] // free - 1
    right = np.empty(free * (used + 1))
    for c in range(free):
        start = c * (used + 1)
        right[start : start + used] = R[c, :used]
        right[start + used] = R[c, size - 1]
    solve(factor, right)
    for c in range(free):
        start = c * (used + 1)
        R[c, :used] = right[start : start + used]
        R[c, size - 1] = right[start + used]
