"""Compiled loops over the terms of the minimum-margin hinge, and its Newton system.

Arrays of terms have the shape (k, n_terms), features Z (n_columns + 1, n_terms). Loops are short
and over rows, so that the compiler makes vector instructions of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._cholesky import cholesky

_LOOPS = {
    "cache": True,
    "error_model": "numpy",
    "nogil": True,
    "fastmath": {"nnan", "nsz", "reassoc", "contract", "arcp"},
}

# Rows of a product of matrices that are computed together.
_BLOCK = 16

# Price of a residual of (13): that of the dual of the problem with the additional proximal term
# PRICE weight / 2 |b - b_x|^2, for the total weight of the terms.
PRICE = 1e-8


@njit(**_LOOPS)
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


@njit(**_LOOPS)
def moments(Q, alpha, Z):
    """Q' alpha Z'."""
    (size, n), (k, free) = Z.shape, Q.shape
    R = np.zeros((free, size))
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
    size, weight = Z.shape[0], 0.0
    F, top, primal, gap = np.empty((k, n)), np.empty(n), 0.0, 0.0
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
    M = moments(Q, alpha, Z)
    surplus, difference = 0.0, 0.0
    for q in range(x.shape[0]):
        for r in range(size):
            primal += L[q, r] * x[q, r]
            rest = L[q, r] + M[q, r]
            if r > 0:
                primal += 0.5 * x[q, r] ** 2
                gap += 0.5 * (x[q, r] + rest) ** 2
                difference = max(difference, abs(x[q, r] + rest))
            else:
                away = x[q, r] - anchor[q]
                primal += 0.5 * ridge * away**2
                gap += 0.5 * (rest + ridge * away) ** 2 / (ridge + PRICE * weight)
                surplus = max(surplus, abs(rest + ridge * away))
    return primal, gap, surplus, difference


@njit(**_LOOPS)
def weigh(alpha, t, over, under, a, inverse, leader, pairs):
    """1 / t, 1 / alpha, a = alpha / t, 1 / A = 1 / sum_l a_l, the l of the largest a, a_l a_m / A.

    Returns the sum of alpha t.
    """
    k, n = alpha.shape
    most, mass = np.zeros(n), 0.0
    inverse[:] = 0.0
    for m in range(k):
        x, s, ratio, rs, rx = alpha[m], t[m], a[m], over[m], under[m]
        for b in range(n):
            product = x[b] * s[b]
            mass += product
            rx[b] = 1.0 / product
        for b in range(n):
            rs[b] = rx[b] * x[b]
            rx[b] *= s[b]
        for b in range(n):
            ratio[b] = x[b] * rs[b]
            inverse[b] += ratio[b]
        for b in range(n):
            leader[b] = m if ratio[b] > most[b] else leader[b]
            most[b] = max(most[b], ratio[b])
    for b in range(n):
        inverse[b] = 1.0 / inverse[b]
    q = 0
    for m in range(k):
        for other in range(m):
            first, second, pair = a[m], a[other], pairs[q]
            for b in range(n):
                pair[b] = first[b] * second[b] * inverse[b]
            q += 1
    return mass


@njit(**_LOOPS)
def newton_factor(Q, Z, pairs, ridge, noise, scaled, H):
    """Upper Cholesky factor of I + sum_{l < m} (q_l - q_m)(q_l - q_m)' x sum_b pair_b z_b z_b'.

    The biases have ``ridge`` in place of one, and ``noise`` of the largest curvature.
    """
    (k, free), (size, n) = Q.shape, Z.shape
    H[:] = 0.0
    q = 0
    for m in range(k):
        for other in range(m):
            pair = pairs[q]
            q += 1
            for r in range(size):
                row, out = Z[r], scaled[r]
                for b in range(n):
                    out[b] = pair[b] * row[b]
            for first in range(0, size, _BLOCK):
                end = min(first + _BLOCK, size)
                part = np.dot(scaled[first:end], Z[first:].T)
                for c in range(free):
                    for d in range(c, free):
                        factor = (Q[m, c] - Q[other, c]) * (Q[m, d] - Q[other, d])
                        for r in range(first, end):
                            row = part[r - first]
                            out = H[c * size + r, d * size : (d + 1) * size]
                            for s in range(r, size):
                                out[s] += factor * row[s - first]
    largest = 0.0
    for c in range(free):
        for d in range(c + 1, free):
            for r in range(size):
                for s in range(r):
                    H[c * size + r, d * size + s] = H[c * size + s, d * size + r]
        for r in range(1, size):
            H[c * size + r, c * size + r] += 1.0
        largest = max(largest, H[c * size, c * size])
    for r in range(0, free * size, size):
        H[r, r] += ridge + noise * largest
    cholesky(H)


@njit(**_LOOPS)
def aimed(aim, target, over, p, a, inverse, excess, q):
    """q = (aim + target) / t, moved by multiples of a, and t by ``excess``, to sum to p."""
    k, n = over.shape
    for b in range(n):
        excess[b] = -p[b]
    for m in range(k):
        goal, rs, out = aim[m], over[m], q[m]
        for b in range(n):
            out[b] = (goal[b] + target) * rs[b]
            excess[b] += out[b]
    for b in range(n):
        excess[b] *= inverse[b]
    for m in range(k):
        ratio, out = a[m], q[m]
        for b in range(n):
            out[b] -= ratio[b] * excess[b]


@njit(**_LOOPS)
def newton_step(Q, Z, L, ridge, anchor, x, q, U, R):
    """The step to a gradient of zero where alpha becomes q plus what the step does to it."""
    M = moments(Q, q, Z)
    (free, size), used = x.shape, U.shape[0] // x.shape[0]
    right = np.empty(U.shape[0])
    for c in range(free):
        R[c, 0] = ridge * (anchor[c] - x[c, 0]) - L[c, 0] - M[c, 0]
        for r in range(1, size):
            R[c, r] = -x[c, r] - L[c, r] - M[c, r]
        for r in range(used):
            right[c * used + r] = R[c, r]
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
            R[c, r] = right[c * used + r]


@njit(**_LOOPS)
def changes(Q, Z, step, alpha, over, under, a, inverse, leader, excess, d_alpha, d_t):
    """d_t, and d_alpha in place of the q of ``aimed``; 1 over the longest step allowed.

    All f are relative to that of the leader, whose a is so large that nothing may cancel.
    """
    k, n = alpha.shape
    class_values(Q, step, Z, d_t)
    base, mean, pace, longest = np.zeros(n), np.zeros(n), np.zeros(n), -1e-300
    for m in range(k):
        move = d_t[m]
        for b in range(n):
            base[b] = move[b] if leader[b] == m else base[b]
    for m in range(k):
        ratio, move = a[m], d_t[m]
        for b in range(n):
            move[b] -= base[b]
        for b in range(n):
            mean[b] += ratio[b] * move[b]
    for b in range(n):
        mean[b] *= inverse[b]
    for m in range(k):
        x, rx, rs, ratio, dx, ds = alpha[m], under[m], over[m], a[m], d_alpha[m], d_t[m]
        for b in range(n):
            dx[b] += ratio[b] * (ds[b] - mean[b]) - x[b]
        for b in range(n):
            ds[b] = excess[b] + mean[b] - ds[b]
        for b in range(n):
            pace[b] = min(pace[b], min(dx[b] * rx[b], ds[b] * rs[b]))
    for b in range(n):
        longest = min(longest, pace[b])
    return -longest


@njit(**_LOOPS)
def direction(hinge, x, alpha, work, U, aim, target, changed):
    """Changes of x, alpha, t that aim at alpha t = aim + target; 1 over the longest step."""
    Q, Z, _, p, L, ridge, anchor = hinge
    over, under, a, inverse, leader, excess = work
    step, d_alpha, d_t = changed
    aimed(aim, target, over, p, a, inverse, excess, d_alpha)
    newton_step(Q, Z, L, ridge, anchor, x, d_alpha, U, step)
    return changes(Q, Z, step, alpha, over, under, a, inverse, leader, excess, d_alpha, d_t)


@njit(**_LOOPS)
def is_decided(p, alpha, t, d_t, little, moved):
    """Whether all multipliers but one of a term are at most ``little`` p and stay there."""
    k, n = alpha.shape
    count = np.zeros(n)
    for m in range(k):
        x, s, ds = alpha[m], t[m], d_t[m]
        for b in range(n):
            count[b] += 1.0 if (x[b] <= little * p[b]) & (abs(ds[b]) <= moved * s[b]) else 0.0
    return count == k - 1.0


@njit(**_LOOPS)
def foresee(alpha, t, d_alpha, d_t, length, aim):
    """The sum of alpha t after a step; -d_alpha d_t goes into ``aim``."""
    total = 0.0
    for m in range(alpha.shape[0]):
        x, s, dx, ds, out = alpha[m], t[m], d_alpha[m], d_t[m], aim[m]
        for b in range(x.shape[0]):
            total += (x[b] + length * dx[b]) * (s[b] + length * ds[b])
            out[b] = -dx[b] * ds[b]
    return total


@njit(**_LOOPS)
def advance(alpha, d_alpha, t, d_t, length):
    """Make a step."""
    for m in range(alpha.shape[0]):
        x, dx, s, ds = alpha[m], d_alpha[m], t[m], d_t[m]
        for b in range(x.shape[0]):
            x[b] += length * dx[b]
            s[b] += length * ds[b]
