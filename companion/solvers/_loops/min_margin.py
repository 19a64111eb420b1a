"""Compiled loops over the terms of the minimum-margin hinge: certificate and Newton step.

Arrays of terms have the shape (k, n_terms), features Z (n_columns + 1, n_terms). Loops are short
and over rows, so that the compiler makes vector instructions of them.
"""

from __future__ import annotations

from typing import NamedTuple

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


class NewtonSystem(NamedTuple):
    """What both directions of a step share: a = alpha / t, A its sum over l, the factor U of H."""

    per_t: np.ndarray
    per_alpha: np.ndarray
    a: np.ndarray
    per_A: np.ndarray
    largest_a: np.ndarray
    U: np.ndarray


@njit(**_PART)
def newton_system(Q, Z, ridge, alpha, t, proximal, early_above, stop):
    """The system at alpha and t, and the sum of all alpha t."""
    k, n = alpha.shape
    per_t = np.empty((k, n))
    per_alpha = np.empty((k, n))
    a = np.empty((k, n))
    per_A = np.zeros(n)
    largest = np.zeros(n)
    largest_a = np.zeros(n)
    complementarity = 0.0
    for m in range(k):
        alpha_m = alpha[m]
        t_m = t[m]
        a_m = a[m]
        per_t_m = per_t[m]
        per_alpha_m = per_alpha[m]
        for b in range(n):
            product = alpha_m[b] * t_m[b]
            complementarity += product
            per_alpha_m[b] = 1.0 / product
        for b in range(n):
            per_t_m[b] = per_alpha_m[b] * alpha_m[b]
            per_alpha_m[b] *= t_m[b]
        for b in range(n):
            a_m[b] = alpha_m[b] * per_t_m[b]
            per_A[b] += a_m[b]
        for b in range(n):
            largest_a[b] = m if a_m[b] > largest[b] else largest_a[b]
            largest[b] = max(largest[b], a_m[b])
    for b in range(n):
        per_A[b] = 1.0 / per_A[b]
    pairs = np.empty((k * (k - 1) // 2, n))
    q = 0
    for m in range(k):
        for other in range(m):
            first = a[m]
            second = a[other]
            pair = pairs[q]
            for b in range(n):
                pair[b] = first[b] * second[b] * per_A[b]
            q += 1
    ridge = ridge + proximal * complementarity
    U = newton_factor(Q, Z, pairs, ridge, complementarity > early_above, stop)
    system = NewtonSystem(per_t, per_alpha, a, per_A, largest_a, U)
    return system, complementarity


@njit(**_PART)
def solve(U, right):
    """Make ``right`` (U'U)^-1 right."""
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


@njit(**_PART)
def direction(Q, Z, p, L, ridge, anchor, x, alpha, system, target, d_alpha, d_t):
    """The step to alpha t = ``target`` - d_alpha d_t of the last, and 1 over the longest allowed.

    With q = (target - d_alpha d_t) / t, e = (sum_l q - p) / A and the mean of d_f by the weights a:

        H step = -gradient(q - a e),   d_f = Q step z,
        d_alpha = q - a e + a (d_f - mean) - alpha,   d_t = e + mean - d_f

    All d_f are relative to that of the largest a, which is so large that nothing may cancel.
    """
    (k, n) = alpha.shape
    free = x.shape[0]
    used = system.U.shape[0] // free
    excess = np.empty(n)  # e
    mean = np.zeros(n)
    base = np.zeros(n)
    for b in range(n):
        excess[b] = -p[b]
    for m in range(k):
        q = d_alpha[m]
        d_t_m = d_t[m]
        per_t = system.per_t[m]
        for b in range(n):
            q[b] = (target - q[b] * d_t_m[b]) * per_t[b]
            excess[b] += q[b]
    for b in range(n):
        excess[b] *= system.per_A[b]
    for m in range(k):
        q = d_alpha[m]
        a = system.a[m]
        for b in range(n):
            q[b] -= a[b] * excess[b]
    step = gradient(Q, Z, L, ridge, anchor, x, d_alpha)
    right = np.empty(system.U.shape[0])
    for c in range(free):
        for r in range(step.shape[1]):
            step[c, r] *= -1.0
        for r in range(used):
            right[c * used + r] = step[c, r]
    solve(system.U, right)
    for c in range(free):
        for r in range(used):
            step[c, r] = right[c * used + r]
    d_f = d_t
    class_values(Q, step, Z, d_f)
    for m in range(k):
        d_f_m = d_f[m]
        for b in range(n):
            base[b] = d_f_m[b] if system.largest_a[b] == m else base[b]
    for m in range(k):
        d_f_m = d_f[m]
        a = system.a[m]
        for b in range(n):
            d_f_m[b] -= base[b]
            mean[b] += a[b] * d_f_m[b]
    lowest = base
    for b in range(n):
        mean[b] *= system.per_A[b]
        lowest[b] = 0.0
    for m in range(k):
        alpha_m = alpha[m]
        a = system.a[m]
        per_t = system.per_t[m]
        per_alpha = system.per_alpha[m]
        d_alpha_m = d_alpha[m]
        d_t_m = d_t[m]
        for b in range(n):
            d_alpha_m[b] += a[b] * (d_t_m[b] - mean[b]) - alpha_m[b]
            d_t_m[b] = excess[b] + mean[b] - d_t_m[b]
        for b in range(n):
            change = min(d_alpha_m[b] * per_alpha[b], d_t_m[b] * per_t[b])
            lowest[b] = min(lowest[b], change)
    pace = 1e-300
    for b in range(n):
        pace = max(pace, -lowest[b])
    return step, pace


@njit(**_LOOPS)
def take_step(
    Q, Z, c, p, L, ridge, anchor, x, alpha, t, proximal, early_above, least_target, stop
):
    """Step 2 of the box: moves x, alpha and t, unless ``stop[0]`` ends it at a block of H before.

    The target of the corrector is at least ``least_target``, over all terms.
    """
    system, complementarity = newton_system(
        Q, Z, ridge, alpha, t, proximal, early_above, stop
    )
    if stop[0]:
        return
    k, n = alpha.shape
    d_alpha = np.zeros((k, n))
    d_t = np.zeros((k, n))
    target = 0.0
    step = x
    length = 0.0
    # Predictor: to alpha t = 0; corrector: to alpha t = target - d_alpha d_t of the predictor.
    for share in (1.0, _SHARE):
        step, pace = direction(
            Q, Z, p, L, ridge, anchor, x, alpha, system, target, d_alpha, d_t
        )
        length = min(1.0, share / pace)
        ahead = 0.0
        for m in range(k):
            alpha_m = alpha[m]
            t_m = t[m]
            d_alpha_m = d_alpha[m]
            d_t_m = d_t[m]
            for b in range(n):
                ahead += (alpha_m[b] + length * d_alpha_m[b]) * (
                    t_m[b] + length * d_t_m[b]
                )
        aim = complementarity * max(ahead / complementarity, 0.0) ** 3
        target = max(aim, least_target) / (k * n)
    for m in range(k):
        alpha_m = alpha[m]
        t_m = t[m]
        d_alpha_m = d_alpha[m]
        d_t_m = d_t[m]
        for b in range(n):
            alpha_m[b] += length * d_alpha_m[b]
            t_m[b] += length * d_t_m[b]
    for c in range(x.shape[0]):
        for r in range(x.shape[1]):
            x[c, r] += length * step[c, r]
