"""Compiled loops over the terms of the minimum-margin hinge: certificate and Newton step.

Arrays of terms have the shape (k, n_terms), features Z (n_columns + 1, n_terms). Loops are short
and over rows, so that the compiler makes vector instructions of them.
"""

from __future__ import annotations

import numpy as np

from companion._utils.compiled import njit
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
_LEFT_OUT = 3e-4
_NARROW = 8


@njit(**_PART)
def class_values(Q, x, Z, F):
    """f = Q x z of all terms, into F."""
    (size, n) = Z.shape
    (k, free) = Q.shape
    for m in range(k):
        out = F[m]
        out[:] = 0.0
        for r in range(size):
            row = Z[r]
            weight = 0.0
            for c in range(free):
                weight += Q[m, c] * x[c, r]
            for b in range(n):
                out[b] += weight * row[b]


@njit(**_PART)
def gradient(Q, Z, L, ridge, anchor, x, alpha):
    """L + Q' alpha Z' and the gradient of the quadratic terms at x: zero by (13) and (15)."""
    (size, n) = Z.shape
    (k, free) = Q.shape
    R = np.empty_like(x)
    for c in range(free):
        for r in range(size):
            R[c, r] = L[c, r] + x[c, r]
        R[c, 0] = L[c, 0] + ridge * (x[c, 0] - anchor[c])
    for m in range(k):
        factors = alpha[m]
        for r in range(size):
            row = Z[r]
            total = 0.0
            for b in range(n):
                total += factors[b] * row[b]
            for c in range(free):
                R[c, r] += Q[m, c] * total
    return R


@njit(**_LOOPS)
def certificate(Q, Z, c, p, L, ridge, anchor, x, alpha):
    """Primal value, duality gap with the price of (13), largest residual of (13) and of (15)."""
    k, n = c.shape
    F = np.empty((k, n))
    top = np.empty(n)
    primal = 0.0
    gap = 0.0
    weight = 0.0
    class_values(Q, x, Z, F)
    for m in range(k):
        f = F[m]
        add = c[m]
        for b in range(n):
            f[b] += add[b]
            top[b] = f[b] if m == 0 else max(top[b], f[b])
    for b in range(n):
        primal += p[b] * top[b]
        weight += p[b]
    for m in range(k):
        f = F[m]
        multiplier = alpha[m]
        for b in range(n):
            gap += multiplier[b] * (top[b] - f[b])
    R = gradient(Q, Z, L, ridge, anchor, x, alpha)
    surplus = 0.0
    difference = 0.0
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
def newton_factor(Q, Z, pairs, ridge, is_early, stop):
    """Upper Cholesky factor of I + sum_{l < m} (q_l - q_m)(q_l - q_m)' x sum_b pair_b z_b z_b'.

    The biases have ``ridge`` in place of one. A pivot that is lost to rounding becomes as large as
    that. Early, the last rows of Z are left out.
    """
    (k, free) = Q.shape
    (used, n) = Z.shape
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
    H = np.zeros((size, size))
    scaled = np.empty((_BLOCK, n))
    for first in range(0, used, _BLOCK):
        if stop[0]:
            break
        end = min(first + _BLOCK, used)
        q = 0
        for m in range(k):
            for other in range(m):
                pair = pairs[q]
                q += 1
                for r in range(first, end):
                    row = Z[r]
                    out = scaled[r - first]
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
    cholesky(H, stop)
    return H


@njit(**_PART)
def direction(Q, Z, p, L, ridge, anchor, x, alpha, work, vectors, U, target, d_t):
    """The step to alpha t = ``target`` - d_alpha d_t of the last, and 1 over the longest allowed.

    All f are relative to that of the leader, whose a is so large that nothing may cancel.
    """
    (k, n) = alpha.shape
    free = x.shape[0]
    used = U.shape[0] // x.shape[0]
    over = work[0]
    under = work[1]
    a = work[2]
    d_alpha = work[3]
    inverse = vectors[0]
    leader = vectors[1]
    excess = vectors[2]
    base = vectors[3]
    mean = vectors[4]
    # q = (target - d_alpha d_t) / t, moved by multiples of a, and t by the excess, to sum to p.
    for b in range(n):
        excess[b] = -p[b]
    for m in range(k):
        dx = d_alpha[m]
        ds = d_t[m]
        rs = over[m]
        for b in range(n):
            dx[b] = (target - dx[b] * ds[b]) * rs[b]
            excess[b] += dx[b]
    for b in range(n):
        excess[b] *= inverse[b]
        base[b] = 0.0
        mean[b] = 0.0
    for m in range(k):
        ratio = a[m]
        dx = d_alpha[m]
        for b in range(n):
            dx[b] -= ratio[b] * excess[b]
    # H step = -gradient where alpha becomes q plus what the step does to it.
    step = gradient(Q, Z, L, ridge, anchor, x, d_alpha)
    right = np.empty(U.shape[0])
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
        row = U[r]
        value = right[r]
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
        ratio = a[m]
        ds = d_t[m]
        for b in range(n):
            ds[b] -= base[b]
            mean[b] += ratio[b] * ds[b]
    for b in range(n):
        mean[b] *= inverse[b]
        base[b] = 0.0
    for m in range(k):
        v = alpha[m]
        rs = over[m]
        rv = under[m]
        ratio = a[m]
        dx = d_alpha[m]
        ds = d_t[m]
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
def newton_system(Q, Z, ridge, alpha, t, hold, early, stop):
    """What both directions of a step share: ratios and their leaders, the factor, the sum of mu."""
    k, n = alpha.shape
    work = np.empty((4, k, n))
    vectors = np.zeros((5, n))
    over = work[0]
    under = work[1]
    a = work[2]
    inverse = vectors[0]
    leader = vectors[1]
    most = vectors[2]
    pairs = np.empty((k * (k - 1) // 2, n))
    mass = 0.0
    q = 0
    for m in range(k):
        v = alpha[m]
        s = t[m]
        ratio = a[m]
        rs = over[m]
        rv = under[m]
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
            first = a[m]
            second = a[other]
            pair = pairs[q]
            for b in range(n):
                pair[b] = first[b] * second[b] * inverse[b]
            q += 1
    U = newton_factor(Q, Z, pairs, ridge + hold * mass, mass > early, stop)
    return work, vectors, U, mass


@njit(**_LOOPS)
def take_step(Q, Z, c, p, L, ridge, anchor, x, alpha, t, hold, early, least, d_t, stop):
    """Step 2 of the box: moves x, alpha and t, by the returned share of d_t; the sum of mu before.

    The target of the corrector is at least ``least``, over all terms. Once ``stop[0]`` is not zero,
    it ends at the next block of the Newton matrix.
    """
    work, vectors, U, mass = newton_system(Q, Z, ridge, alpha, t, hold, early, stop)
    if stop[0]:
        return 0.0, mass
    k, n = alpha.shape
    d_alpha = work[3]
    d_alpha[:] = 0.0
    d_t[:] = 0.0
    target = 0.0
    step = x
    length = 0.0
    # Predictor: to alpha t = 0; corrector: to alpha t = target - d_alpha d_t of the predictor.
    for share in (1.0, _SHARE):
        step, pace = direction(
            Q, Z, p, L, ridge, anchor, x, alpha, work, vectors, U, target, d_t
        )
        length = min(1.0, share / pace)
        ahead = 0.0
        for m in range(k):
            v = alpha[m]
            dv = d_alpha[m]
            s = t[m]
            ds = d_t[m]
            for b in range(n):
                ahead += (v[b] + length * dv[b]) * (s[b] + length * ds[b])
        target = max(mass * max(ahead / mass, 0.0) ** 3, least) / (k * n)
    for m in range(k):
        v = alpha[m]
        dv = d_alpha[m]
        s = t[m]
        ds = d_t[m]
        for b in range(n):
            v[b] += length * dv[b]
            s[b] += length * ds[b]
    for c in range(x.shape[0]):
        for r in range(x.shape[1]):
            x[c, r] += length * step[c, r]
    return length, mass
