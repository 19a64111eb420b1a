"""Compiled training of one candidate of a search: nearest points found among few samples.

Pair updates and Newton steps over the support alternate on the samples of a similar solution and
those that lie nearer, positives first, until the duality gap over all samples is small enough.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_loops import _max, _min

# No fused multiply-adds and no reordering of sums: the next pair may hang on the last bit.
_EXACT = {"cache": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

# Relative to the largest diagonal entry: the least curvature of a pair, and what is added to the
# diagonal in a Newton step, as kernel matrices have eigenvalues below rounding.
_LEAST_CURVATURE, _JITTER = 1e-12, 1e-11

# A multiplier that has been brought down to this share of itself, or of its class, is zero.
_ROUNDING, _NEGLIGIBLE = 1e-14, 1e-15

# Pair updates a sample before a Newton step, and how often before a problem is given up; faces
# tried in a step, each without the samples whose multipliers are negative on the last one.
_BURST, _BURSTS, _FACES = 3, 60, 25

# The most samples that count as few, and the largest support for a Newton step; so many samples of
# a class join at a time, so many times.
_FEW, _FACE, _ADDED, _ROUNDS = 1000, 400, 30, 30


@njit(**_EXACT)
def _heights(Q, a, h):
    """h = Q a; return a'h."""
    h[:] = 0.0
    for j in range(a.shape[0]):
        if a[j] != 0.0:
            weight, row = a[j], Q[j]
            for k in range(h.shape[0]):
                h[k] += weight * row[k]
    norm = 0.0
    for k in range(a.shape[0]):
        norm += a[k] * h[k]
    return norm


@njit(**_EXACT)
def _least(h, start, stop):
    """The least height of a class."""
    low, own = np.inf, h[start:stop]
    for k in range(stop - start):
        low = _min(low, own[k])
    return low


@njit(**_EXACT)
def _extremes(h, mask, start, stop):
    """The least height of a class, and the largest one of its support."""
    low, high, own, support = np.inf, -np.inf, h[start:stop], mask[start:stop]
    for k in range(stop - start):
        low = _min(low, own[k])
        high = _max(high, own[k] + support[k])
    return low, high


@njit(**_EXACT)
def _gains(row, diagonal, h, mask, height, length, least, out):
    """What moving weight from each sample of a class gains, and the largest gain."""
    best = 0.0
    for k in range(h.shape[0]):
        rise = _max(h[k] + mask[k] - height, 0.0)
        gain = rise * rise / _max(length + diagonal[k] - 2.0 * row[k], least)
        out[k] = gain
        best = _max(best, gain)
    return best


@njit(**_EXACT)
def _pairs(Q, p, a, h, norm, scale, share, budget):
    """Pair updates with the partner of largest gain; whether at the end, and their number."""
    m = a.shape[0]
    least, gains, diagonal, mask = _LEAST_CURVATURE * scale, np.empty(m), np.empty(m), np.empty(m)
    for k in range(m):
        diagonal[k], mask[k] = Q[k, k], 0.0 if a[k] > 0.0 else -np.inf
    for done in range(budget):
        low_p, high_p = _extremes(h, mask, 0, p)
        low_m, high_m = _extremes(h, mask, p, m)
        margin = low_p + low_m
        if margin > 0.0 and norm - margin <= share * norm:
            return True, done
        i, start, stop, low = p, p, m, low_m
        if high_p - low_p >= high_m - low_m:
            i, start, stop, low = 0, 0, p, low_p
        while i < stop - 1 and h[i] != low:
            i += 1
        row, j, own = Q[i], start, slice(start, stop)
        best = _gains(
            row[own], diagonal[own], h[own], mask[own], h[i], diagonal[i], least, gains[own]
        )
        if not best > 0.0:
            return False, done
        while j < stop - 1 and gains[j] != best:
            j += 1
        drop = h[j] - h[i]
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * row[j], least)
        step = min(drop / curvature, a[j])
        norm -= step * (2.0 * drop - step * curvature)
        old = a[j]
        a[j] = old - step
        if a[j] <= _ROUNDING * old:
            step, a[j], mask[j] = old, 0.0, -np.inf
        a[i], mask[i] = a[i] + step, 0.0
        other = Q[j]
        for k in range(m):
            h[k] += step * (row[k] - other[k])
    return False, budget


@njit(**_EXACT)
def _factorise(A):
    """Upper factor U of A = U'U in place of the upper triangle; whether A is positive definite."""
    m = A.shape[0]
    for start in range(0, m, 4):
        stop = min(start + 4, m)
        for k in range(start, stop):
            for i in range(start, k):
                factor, tail, target = A[i, k], A[i][k:], A[k][k:]
                for j in range(m - k):
                    target[j] -= factor * tail[j]
            if not A[k, k] > 0.0:
                return False
            scale, row = 1.0 / np.sqrt(A[k, k]), A[k][k:]
            for j in range(m - k):
                row[j] *= scale
        for i in range(stop, m):
            a, b, c, d = A[start, i], A[start + 1, i], A[start + 2, i], A[start + 3, i]
            q, r = A[start][i:], A[start + 1][i:]
            s, t, target = A[start + 2][i:], A[start + 3][i:], A[i][i:]
            for j in range(m - i):
                target[j] -= (a * q[j] + b * r[j]) + (c * s[j] + d * t[j])
    return True


@njit(**_EXACT)
def _solve(U, B):
    """Solve U'U X = B in place; B has one right-hand side a row."""
    m = U.shape[0]
    for r in range(B.shape[0]):
        x = B[r]
        for k in range(m):
            x[k] /= U[k, k]
            value, row = x[k], U[k]
            for j in range(k + 1, m):
                x[j] -= value * row[j]
        for k in range(m - 1, -1, -1):
            row, value = U[k], x[k]
            for j in range(k + 1, m):
                value -= row[j] * x[j]
            x[k] = value / row[k]


@njit(**_EXACT)
def _over_face(Q, p, face, a, jitter, out):
    """Multipliers of the minimiser over the affine hull of a face, and whether there is one."""
    m, split = face.shape[0], 0
    A, right = np.empty((m, m)), np.zeros((3, m))
    for r in range(m):
        row, target = Q[face[r]], A[r]
        height = 0.0
        for k in range(m):
            value = row[face[k]]
            target[k] = value
            height += value * a[face[k]]
        right[0, r] = height
        target[r] += jitter
        if face[r] < p:
            split += 1
    for c, start, stop in ((1, 0, split), (2, split, m)):
        if start == stop:
            return False
        right[0, start:stop] -= right[0, start:stop].mean()
        right[c, start:stop] = 1.0
    if not _factorise(A):
        return False
    _solve(A, right)
    alpha, beta, delta = right[1, :split].sum(), right[2, :split].sum(), right[2, split:].sum()
    first, second = right[0, :split].sum(), right[0, split:].sum()
    determinant = alpha * delta - beta * beta
    if not determinant > 0.0:
        return False
    mu = (delta * first - beta * second) / determinant
    nu = (alpha * second - beta * first) / determinant
    for r in range(m):
        out[r] = a[face[r]] + mu * right[1, r] + nu * right[2, r] - right[0, r]
        if not np.isfinite(out[r]):
            return False
    return True


@njit(**_EXACT)
def _normalise(a, p):
    """Scale both classes to the sum 1; one without weight becomes its centre."""
    for start, stop in ((0, p), (p, a.shape[0])):
        total = 0.0
        for k in range(start, stop):
            total += a[k]
        for k in range(start, stop):
            a[k] = a[k] / total if total > 0.0 else 1.0 / (stop - start)


@njit(**_EXACT)
def _newton(Q, p, a, h, scale):
    """A step towards the minimiser over a face of the support; whether w got shorter."""
    m = a.shape[0]
    here, values, moved = a.copy(), np.empty(m), np.empty(m)
    face = np.flatnonzero(a)
    for _ in range(_FACES):
        if not _over_face(Q, p, face, here, _JITTER * scale, values):
            return False
        kept = 0
        here[:] = 0.0
        for r in range(face.shape[0]):
            if values[r] > _NEGLIGIBLE:
                here[face[r]] = values[r]
                face[kept] = face[r]
                kept += 1
        _normalise(here, p)
        if kept == face.shape[0]:
            break
        face = face[:kept]
    change = here - a
    curvature, slope = _heights(Q, change, moved), 0.0
    for k in range(m):
        slope += change[k] * h[k]
    if not slope < 0.0:
        return False
    step = min(-slope / curvature, 1.0) if curvature > 0.0 else 1.0
    for k in range(m):
        a[k] = here[k] if step == 1.0 else a[k] + step * change[k]
    return True


@njit(**_EXACT)
def _minimise(Q, p, a, h, share):
    """Nearest points of the hulls of few samples; whether they are found, and pair updates."""
    scale, n_iter = 0.0, 0
    for k in range(a.shape[0]):
        scale = max(scale, Q[k, k])
    for _ in range(_BURSTS):
        norm = _heights(Q, a, h)
        at_end, count = _pairs(Q, p, a, h, norm, scale, share, _BURST * a.shape[0])
        n_iter += count
        _normalise(a, p)
        norm = _heights(Q, a, h)
        if at_end:
            margin = _least(h, 0, p) + _least(h, p, a.shape[0])
            if margin > 0.0 and norm - margin <= share * norm:
                return True, n_iter
        if np.count_nonzero(a) > _FACE:
            return False, n_iter
        _newton(Q, p, a, h, scale)
        _normalise(a, p)
    return False, n_iter


@njit(**_EXACT)
def _join(heights, chosen, start, stop, least):
    """Choose the lowest samples of a class below a height, at most so many; whether any is."""
    below = np.empty(stop - start, dtype=np.int64)
    count = 0
    for k in range(start, stop):
        if not chosen[k] and heights[k] < least:
            below[count] = k
            count += 1
    order = np.argsort(heights[below[:count]], kind="mergesort")
    for r in range(min(count, _ADDED)):
        chosen[below[order[r]]] = True
    return count > 0


@njit(**_EXACT)
def train(K, d, p, ridge, tol, alpha, heights):
    """The machine with the kernel d(x) d(z) k(x, z), from alpha, in place."""
    n, n_iter = d.shape[0], 0
    # As in mdm: gap <= tol / 2 |w|^2 where |w|^2 - m <= share |w|^2; the last digits are spared.
    share = (1.0 - 1e-9) * tol / (1.0 + np.sqrt(1.0 - tol))
    signed = d.copy()
    signed[p:] *= -1.0
    _normalise(alpha, p)
    chosen = alpha > 0.0
    for _ in range(_ROUNDS):
        part = np.flatnonzero(chosen)
        m = part.shape[0]
        if m > _FEW:
            return False, n_iter
        Q, a, h, e, split = np.empty((m, m)), alpha[part], np.empty(m), signed[part], 0
        for r in range(m):
            split += part[r] < p
            row, target = K[part[r]], Q[r]
            for k in range(m):
                target[k] = e[r] * e[k] * row[part[k]]
            target[r] += ridge
        found, count = _minimise(Q, split, a, h, share)
        n_iter += count
        if not found:
            return False, n_iter
        alpha[part] = a
        heights[:] = 0.0
        for j in part:
            if alpha[j] > 0.0:
                weight, row = alpha[j] * signed[j], K[j]
                for k in range(n):
                    heights[k] += weight * row[k]
            else:
                chosen[j] = False
        norm, least_p, least_m = 0.0, np.inf, np.inf
        for k in range(n):
            heights[k] = signed[k] * heights[k] + ridge * alpha[k]
            norm += alpha[k] * heights[k]
            if k < p:
                least_p = min(least_p, heights[k])
            else:
                least_m = min(least_m, heights[k])
        margin = least_p + least_m
        if margin > 0.0 and (norm - margin) * (1.0 + margin / norm) <= tol * norm:
            return True, n_iter
        joined = _join(heights, chosen, 0, p, _least(h, 0, split))
        joined |= _join(heights, chosen, p, n, _least(h, split, m))
        if not joined:
            return False, n_iter
    return False, n_iter


@njit(**_EXACT)
def validation_error(K, y, d, coef, intercept):
    """The g-means error of d * (K coef) + intercept > 0, of K only columns with weight are read."""
    support = np.flatnonzero(coef)
    hits, counts = np.zeros(2), np.zeros(2)
    for i in range(y.shape[0]):
        value, row = 0.0, K[i]
        for j in support:
            value += row[j] * coef[j]
        c = 0 if y[i] > 0.0 else 1
        counts[c] += 1.0
        if (d[i] * value + intercept > 0.0) == (y[i] > 0.0):
            hits[c] += 1.0
    return 1.0 - np.sqrt(hits[0] / counts[0] * (hits[1] / counts[1]))
