"""Compiled loops over the terms of the minimum-margin hinge: certificate and Newton step.

Arrays of terms have the shape (k, n_terms), features Z (n_columns + 1, n_terms). Loops are short
and over rows, so that the compiler makes vector instructions of them.
"""

from __future__ import annotations

import numpy as np

from companion._compiled import njit
from companion.solvers._cholesky import cholesky

_LOOPS = {
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"nnan", "nsz", "reassoc", "contract", "arcp"},
}

# For parts of another loop: with copies of their own, sums would depend on what is loaded first.
_PART = _LOOPS | {"inline": "always"}

# Rows of a product of matrices that are computed together.
_BLOCK = 16

# Price of a residual of (13): that of the dual of the problem with the additional proximal term
# PRICE weight / 2 |b - b_x|^2, for the total weight of the terms.
PRICE = 1e-8

# Share of the way to the boundary that a step may go.
_SHARE = 0.995

# Weight of a proximal term in b over the largest curvature in b: what rounding errors leave of the
# smallest.
_NOISE = 1e-15

# The last columns of a kernel design are tiny. Far from the solution a Newton matrix has the unit
# matrix for those that add at most this to it.
_LEFT_OUT, _NARROW = 3e-4, 8


@njit(**_PART)
def class_values(Q, x, Z, F):
    """f = Q x z of all terms, into F."""
    (size, n), (k, free) = Z.shape, Q.shape
    for m in range(k):
        out = F[m]
        out[:] = 0.0
        for r in range(size):
            row, weight = Z[r], 0.0
            for c in range(free):
                weight += Q[m, c] * x[c, r]
            for b in range(n):
                out[b] += weight * row[b]


@njit(**_PART)
def gradient(Q, Z, L, ridge, anchor, x, alpha):
    """L + Q' alpha Z' and the gradient of the quadratic terms at x: zero by (13) and (15)."""
    (size, n), (k, free) = Z.shape, Q.shape
    R = np.empty_like(x)
    for c in range(free):
        for r in range(size):
            R[c, r] = L[c, r] + x[c, r]
        R[c, 0] = L[c, 0] + ridge * (x[c, 0] - anchor[c])
    for m in range(k):
        factors = alpha[m]
        for r in range(size):
            row, total = Z[r], 0.0
            for b in range(n):
                total += factors[b] * row[b]
            for c in range(free):
                R[c, r] += Q[m, c] * total
    return R


@njit(**_LOOPS)
def certificate(Q, Z, c, p, L, ridge, anchor, x, alpha):
    """Primal value, duality gap with the price of (13), largest residual of (13) and of (15)."""
    k, n = c.shape
    F, top, primal, gap, weight = np.empty((k, n)), np.empty(n), 0.0, 0.0, 0.0
    class_values(Q, x, Z, F)
    for m in range(k):
        f, add = F[m], c[m]
        for b in range(n):
            f[b] += add[b]
            top[b] = f[b] if m == 0 else max(top[b], f[b])
    for b in range(n):
        primal += p[b] * top[b]
        weight += p[b]
    for m in range(k):
        f, multiplier = F[m], alpha[m]
        for b in range(n):
            gap += multiplier[b] * (top[b] - f[b])
    R = gradient(Q, Z, L, ridge, anchor, x, alpha)
    surplus, difference = 0.0, 0.0
    for q in range(x.shape[0]):
        primal += L[q, 0] * x[q, 0] + 0.5 * ridge * (x[q, 0] - anchor[q]) ** 2
        gap += 0.5 * R[q, 0] ** 2 / (ridge + PRICE * weight)
        surplus = max(surplus, abs(R[q, 0]))
        for r in range(1, x.shape[1]):
            primal += (L[q, r] + 0.5 * x[q, r]) * x[q, r]
            gap += 0.5 * R[q, r] ** 2
            difference = max(difference, abs(R[q, r]))
    return primal, gap, surplus, difference


@njit(**_PART)
def newton_factor(Q, Z, pairs, ridge, is_early):
    """Upper Cholesky factor of I + sum_{l < m} (q_l - q_m)(q_l - q_m)' x sum_b pair_b z_b z_b'.

    The biases have ``ridge`` in place of one. A pivot that is lost to rounding becomes as large as
    that. Early, the last rows of Z are left out.
    """
    (k, free), (used, n) = Q.shape, Z.shape
    added = 0.0
    while is_early and used > _NARROW:
        row = Z[used - 1]
        for pair in pairs:
            for b in range(n):
                added += pair[b] * row[b] ** 2
        if added > _LEFT_OUT:
            break
        used -= 1
    size = free * used
    H, scaled = np.zeros((size, size)), np.empty((_BLOCK, n))
    for first in range(0, used, _BLOCK):
        end = min(first + _BLOCK, used)
        q = 0
        for m in range(k):
            for other in range(m):
                pair = pairs[q]
                q += 1
                for r in range(first, end):
                    row, out = Z[r], scaled[r - first]
                    for b in range(n):
                        out[b] = pair[b] * row[b]
                part = np.dot(scaled[: end - first], Z[first:used].T)
                for c in range(free):
                    for d in range(c, free):
                        factor = (Q[m, c] - Q[other, c]) * (Q[m, d] - Q[other, d])
                        for r in range(first, end):
                            row = part[r - first]
                            out = H[c * used + r, d * used : (d + 1) * used]
                            for s in range(r, used):
                                out[s] += factor * row[s - first]
    largest = 0.0
    for c in range(free):
        for d in range(c + 1, free):
            for r in range(used):
                for s in range(r):
                    H[c * used + r, d * used + s] = H[c * used + s, d * used + r]
        for r in range(1, used):
            H[c * used + r, c * used + r] += 1.0
        largest = max(largest, H[c * used, c * used])
    for r in range(0, size, used):
        H[r, r] += ridge + _NOISE * largest
    cholesky(H)
    return H


@njit(**_PART)
def direction(Q, Z, p, L, ridge, anchor, x, alpha, work, vectors, U, target, d_t):
    """The step to alpha t = ``target`` - d_alpha d_t of the last, and 1 over the longest allowed.

    All f are relative to that of the leader, whose a is so large that nothing may cancel.
    """
    (k, n), free, used = alpha.shape, x.shape[0], U.shape[0] // x.shape[0]
    over, under, a, d_alpha = work[0], work[1], work[2], work[3]
    inverse, leader, excess = vectors[0], vectors[1], vectors[2]
    base, mean = vectors[3], vectors[4]
    # q = (target - d_alpha d_t) / t, moved by multiples of a, and t by the excess, to sum to p.
    for b in range(n):
        excess[b] = -p[b]
    for m in range(k):
        dx, ds, rs = d_alpha[m], d_t[m], over[m]
        for b in range(n):
            dx[b] = (target - dx[b] * ds[b]) * rs[b]
            excess[b] += dx[b]
    for b in range(n):
        excess[b] *= inverse[b]
        base[b] = 0.0
        mean[b] = 0.0
    for m in range(k):
        ratio, dx = a[m], d_alpha[m]
        for b in range(n):
            dx[b] -= ratio[b] * excess[b]
    # H step = -gradient where alpha becomes q plus what the step does to it.
    step, right = gradient(Q, Z, L, ridge, anchor, x, d_alpha), np.empty(U.shape[0])
    for c in range(free):
        for r in range(step.shape[1]):
            step[c, r] *= -1.0
        for r in range(used):
            right[c * used + r] = step[c, r]
    for r in range(right.size):
        row = U[r]
        right[r] /= row[r]
        value = right[r]
        for s in range(r + 1, right.size):
            right[s] -= row[s] * value
    for r in range(right.size - 1, -1, -1):
        row, value = U[r], right[r]
        for s in range(r + 1, right.size):
            value -= row[s] * right[s]
        right[r] = value / row[r]
    for c in range(free):
        for r in range(used):
            step[c, r] = right[c * used + r]
    class_values(Q, step, Z, d_t)
    for m in range(k):
        ds = d_t[m]
        for b in range(n):
            base[b] = ds[b] if leader[b] == m else base[b]
    for m in range(k):
        ratio, ds = a[m], d_t[m]
        for b in range(n):
            ds[b] -= base[b]
            mean[b] += ratio[b] * ds[b]
    for b in range(n):
        mean[b] *= inverse[b]
        base[b] = 0.0
    for m in range(k):
        v, rs, rv, ratio, dx, ds = alpha[m], over[m], under[m], a[m], d_alpha[m], d_t[m]
        for b in range(n):
            dx[b] += ratio[b] * (ds[b] - mean[b]) - v[b]
            ds[b] = excess[b] + mean[b] - ds[b]
        for b in range(n):
            base[b] = min(base[b], min(dx[b] * rv[b], ds[b] * rs[b]))
    longest = -1e-300
    for b in range(n):
        longest = min(longest, base[b])
    return step, -longest


@njit(**_PART)
def newton_system(Q, Z, ridge, alpha, t, hold, early):
    """What both directions of a step share: ratios and their leaders, the factor, the sum of mu."""
    k, n = alpha.shape
    work, vectors = np.empty((4, k, n)), np.zeros((5, n))
    over, under, a = work[0], work[1], work[2]
    inverse, leader, most = vectors[0], vectors[1], vectors[2]
    pairs, mass, q = np.empty((k * (k - 1) // 2, n)), 0.0, 0
    for m in range(k):
        v, s, ratio, rs, rv = alpha[m], t[m], a[m], over[m], under[m]
        for b in range(n):
            product = v[b] * s[b]
            mass += product
            rv[b] = 1.0 / product
        for b in range(n):
            rs[b] = rv[b] * v[b]
            rv[b] *= s[b]
        for b in range(n):
            ratio[b] = v[b] * rs[b]
            inverse[b] += ratio[b]
        for b in range(n):
            leader[b] = m if ratio[b] > most[b] else leader[b]
            most[b] = max(most[b], ratio[b])
    for b in range(n):
        inverse[b] = 1.0 / inverse[b]
    for m in range(k):
        for other in range(m):
            first, second, pair = a[m], a[other], pairs[q]
            for b in range(n):
                pair[b] = first[b] * second[b] * inverse[b]
            q += 1
    U = newton_factor(Q, Z, pairs, ridge + hold * mass, mass > early)
    return work, vectors, U, mass


@njit(**_LOOPS)
def take_step(Q, Z, c, p, L, ridge, anchor, x, alpha, t, hold, early, least, d_t):
    """Step 2 of the box: moves x, alpha and t, by the returned share of d_t; the sum of mu before.

    The target of the corrector is at least ``least``, over all terms.
    """
    work, vectors, U, mass = newton_system(Q, Z, ridge, alpha, t, hold, early)
    k, n = alpha.shape
    d_alpha = work[3]
    d_alpha[:] = 0.0
    d_t[:] = 0.0
    target, step, length = 0.0, x, 0.0
    # Predictor: to alpha t = 0; corrector: to alpha t = target - d_alpha d_t of the predictor.
    for share in (1.0, _SHARE):
        step, pace = direction(Q, Z, p, L, ridge, anchor, x, alpha, work, vectors, U, target, d_t)
        length, ahead = min(1.0, share / pace), 0.0
        for m in range(k):
            v, dv, s, ds = alpha[m], d_alpha[m], t[m], d_t[m]
            for b in range(n):
                ahead += (v[b] + length * dv[b]) * (s[b] + length * ds[b])
        target = max(mass * max(ahead / mass, 0.0) ** 3, least) / (k * n)
    for m in range(k):
        v, dv, s, ds = alpha[m], d_alpha[m], t[m], d_t[m]
        for b in range(n):
            v[b] += length * dv[b]
            s[b] += length * ds[b]
    for c in range(x.shape[0]):
        for r in range(x.shape[1]):
            x[c, r] += length * step[c, r]
    return length, mass
