"""Compiled parts of the minimum-margin hinge: an interior point that knows the structure.

With f = Q V z, Q an orthonormal basis of the vectors that sum to zero, a loss term of sample i and
class j with weight p is p (max_l (f_l + level [l != j]) - f_j); its multipliers alpha_l >= 0 sum to
p, with slacks t_l: t_l alpha_l = mu. A Newton step eliminates all but V. With a_l = alpha_l / t_l,
A = sum a_l, what is left of a term is sum_{l < m} (a_l a_m / A) (e_l - e_m)(e_l - e_m)', and the
system has (d + 1)(k - 1) equations. Samples are sorted by class; a group is a class c and a column
j with U_cj > 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_OPTIONS = {"cache": True, "error_model": "numpy", "nogil": True}
_LOOPS = {**_OPTIONS, "fastmath": {"nnan", "nsz", "reassoc", "contract", "arcp"}}

# Decided terms are left out at this gap, over the value of the objective.
HALF_WAY = 1e-2

# A term is decided if all multipliers but one are at most this share of p, and if the last step
# changed their slacks by at most this share.
LITTLE, MOVED = 0.03, 0.3

# Fewer terms than this, or a larger share that is not decided, are not worth the effort.
MANY, WORTH = 100, 0.7

# The smaller problem is solved a little better than the whole one has to be.
BETTER = 0.9

# Newton steps that put a term on the central path at the start; they converge from below.
_CENTRING_STEPS = 6


@njit(**_OPTIONS)
def arrange(rows, labels, utility, weight):
    """Samples sorted by class, and their terms; see ``MarginProblem``."""
    n, k = labels.shape[0], utility.shape[0]
    size = rows.shape[1]
    ends = np.zeros(k + 1, dtype=np.int64)
    order, sorted_weight, Z = np.empty(n, dtype=np.int64), np.empty(n), np.empty((size, n))
    for i in range(n):
        if not 0 <= labels[i] < k:
            return order, Z, sorted_weight, ends, None
        ends[labels[i] + 1] += 1
    for c in range(k):
        ends[c + 1] += ends[c]
    place = ends.copy()
    for i in range(n):
        position = place[labels[i]]
        place[labels[i]] += 1
        order[position] = i
        sorted_weight[position] = weight[i]
    for position in range(n):
        row = rows[order[position]]
        for r in range(size):
            Z[r, position] = row[r]
    return order, Z, sorted_weight, ends, terms(utility, ends, sorted_weight)


@njit(**_OPTIONS)
def terms(utility, ends, weight):
    """Groups (first and last sample, column, first term) and the weights of all terms."""
    k = utility.shape[0]
    groups, n_groups, n_terms = np.empty((k * k, 4), dtype=np.int64), 0, 0
    for c in range(k):
        for j in range(k):
            if utility[c, j] > 0.0 and ends[c + 1] > ends[c]:
                groups[n_groups, 0], groups[n_groups, 1] = ends[c], ends[c + 1]
                groups[n_groups, 2], groups[n_groups, 3] = j, n_terms
                n_groups += 1
                n_terms += ends[c + 1] - ends[c]
    p, b = np.empty(n_terms), 0
    for c in range(k):
        for j in range(k):
            if utility[c, j] > 0.0:
                for i in range(ends[c], ends[c + 1]):
                    p[b] = utility[c, j] * weight[i]
                    b += 1
    return groups[:n_groups].copy(), p


@njit(**_OPTIONS)
def unsorted(order, groups, F, alpha):
    """Decision values of shape (n, k) and multipliers alpha_ijl in the caller's order."""
    k, n = F.shape
    values, full = np.empty((n, k)), np.zeros((n, k, k))
    for position in range(n):
        i = order[position]
        for m in range(k):
            values[i, m] = F[m, position]
    for g in range(groups.shape[0]):
        low, high, j, start = groups[g]
        for position in range(low, high):
            own = full[order[position], j]
            for m in range(k):
                if m != j:
                    own[m] = alpha[m, start + position - low]
    return values, full


@njit(**_LOOPS)
def _spread(F, groups, out):
    """The values of every term's sample: out[m, b] = F[m, i]."""
    for g in range(groups.shape[0]):
        low, high, _, start = groups[g]
        for m in range(F.shape[0]):
            row, copy = F[m, low:high], out[m, start : start + high - low]
            for i in range(high - low):
                copy[i] = row[i]


@njit(**_LOOPS)
def centre(F, groups, p, level, mu, alpha, t):
    """Put every term on the central path for the given f: t_l alpha_l = mu, sum alpha = p."""
    k = F.shape[0]
    # alpha holds the lower bounds f_l + level [l != j] of u until t is known.
    _spread(F, groups, alpha)
    for g in range(groups.shape[0]):
        j, start = groups[g, 2], groups[g, 3]
        last = start + groups[g, 1] - groups[g, 0]
        for m in range(k):
            if m != j:
                alpha[m, start:last] += level
    u, first, second = np.empty((3, p.shape[0]))
    u[:] = alpha[0]
    for m in range(1, k):
        bound = alpha[m]
        for b in range(u.shape[0]):
            u[b] = max(u[b], bound[b])
    for b in range(u.shape[0]):
        u[b] += mu / p[b]
    for _ in range(_CENTRING_STEPS):
        first[:] = 0.0
        second[:] = 0.0
        for m in range(k):
            bound = alpha[m]
            for b in range(u.shape[0]):
                inverse = 1.0 / (u[b] - bound[b])
                first[b] += inverse
                second[b] += inverse * inverse
        for b in range(u.shape[0]):
            u[b] += (first[b] - p[b] / mu) / second[b]
    first[:] = 0.0
    for m in range(k):
        row, slack = alpha[m], t[m]
        for b in range(u.shape[0]):
            slack[b] = u[b] - row[b]
            row[b] = mu / slack[b]
            first[b] += row[b]
    for m in range(k):
        row = alpha[m]
        for b in range(u.shape[0]):
            row[b] *= p[b] / first[b]


@njit(**_LOOPS)
def margin_loss(F, groups, p, level):
    """Sum of p (max_l (f_l + level [l != j]) - f_j) over all terms."""
    k, loss = F.shape[0], 0.0
    top = np.empty(F.shape[1])
    for g in range(groups.shape[0]):
        low, high, j, start = groups[g]
        size = high - low
        own, weight = F[j, low:high], p[start : start + size]
        for i in range(size):
            top[i] = own[i]
        for m in range(k):
            if m != j:
                row = F[m, low:high]
                for i in range(size):
                    top[i] = max(top[i], row[i] + level)
        for i in range(size):
            loss += weight[i] * (top[i] - own[i])
    return loss


@njit(**_LOOPS)
def add_brackets(alpha, groups, p, G):
    """Add alpha - p e_j of every term to its sample in G; return the sum of alpha_l, l != j."""
    k, total = G.shape[0], 0.0
    for g in range(groups.shape[0]):
        low, high, j, start = groups[g]
        size = high - low
        weight = p[start : start + size]
        for m in range(k):
            row, out = alpha[m, start : start + size], G[m, low:high]
            if m == j:
                for i in range(size):
                    out[i] += row[i] - weight[i]
            else:
                for i in range(size):
                    out[i] += row[i]
                    total += row[i]
    return total


@njit(**_LOOPS)
def ratios(alpha, t, groups, p, a, over, inverse, leader, pairs, right):
    """a = alpha / t, 1 / t, 1 / A, pairs a_l a_m / A, and the predictor's right-hand side."""
    k, n_terms = alpha.shape
    total = 0.0
    most = np.zeros(n_terms)
    inverse[:] = 0.0
    for m in range(k):
        row, slack, out, one = alpha[m], t[m], a[m], over[m]
        for b in range(n_terms):
            one[b] = 1.0 / slack[b]
            out[b] = row[b] * one[b]
            total += row[b] * slack[b]
        for b in range(n_terms):
            inverse[b] += out[b]
            leader[b] = m if out[b] > most[b] else leader[b]
            most[b] = max(most[b], out[b])
    for b in range(n_terms):
        inverse[b] = 1.0 / inverse[b]
    pairs[:] = 0.0
    for g in range(groups.shape[0]):
        low, high, _, start = groups[g]
        size = high - low
        rows = slice(start, start + size)
        weight, inv = p[rows], inverse[rows]
        q = 0
        for m in range(k):
            first, out = a[m, rows], right[m, low:high]
            for i in range(size):
                out[i] += first[i] * inv[i] * weight[i]
            for other in range(m):
                second, pair = a[other, rows], pairs[q, low:high]
                for i in range(size):
                    pair[i] += first[i] * second[i] * inv[i]
                q += 1
    return total


@njit(**_LOOPS)
def moves(alpha, a, over, inverse, leader, groups, dF, goal, corrects, d_alpha, d_t):
    """Changes of alpha and t for a change of f; return 1 over the longest step that is allowed."""
    k, n_terms = alpha.shape
    lift, base, rest, pace = np.zeros((4, n_terms))
    _spread(dF, groups, d_t)
    for m in range(k):
        gain = d_t[m]
        for b in range(n_terms):
            base[b] = gain[b] if leader[b] == m else base[b]
    for m in range(k):
        x, ratio, q, gain = alpha[m], a[m], d_alpha[m], d_t[m]
        if corrects:
            aim = goal[m]
            for b in range(n_terms):
                q[b] = aim[b] - x[b]
        else:
            for b in range(n_terms):
                q[b] = -x[b]
        for b in range(n_terms):
            gain[b] -= base[b]
        for b in range(n_terms):
            lift[b] += q[b] + ratio[b] * gain[b]
    for b in range(n_terms):
        lift[b] *= inverse[b]
    for m in range(k):
        x, one, ratio, q, rise = alpha[m], over[m], a[m], d_alpha[m], d_t[m]
        for b in range(n_terms):
            rise[b] = lift[b] - rise[b]
            q[b] -= ratio[b] * rise[b]
        for b in range(n_terms):
            rest[b] += q[b]
        if corrects:
            for b in range(n_terms):
                pace[b] = max(pace[b], max(-q[b] / x[b], -rise[b] * one[b]))
        else:
            for b in range(n_terms):
                share = rise[b] * one[b]
                pace[b] = max(pace[b], max(1.0 + share, -share))
    for m in range(k):
        q = d_alpha[m]
        for b in range(n_terms):
            q[b] -= rest[b] if leader[b] == m else 0.0
    return _largest(pace)


@njit(**_LOOPS)
def _largest(values):
    """The largest of values and 0, by folding: a loop with one maximum would wait for each."""
    size = values.shape[0]
    while size > 8:
        half = (size + 1) // 2
        for b in range(size - half):
            values[b] = max(values[b], values[b + half])
        size = half
    worst = 0.0
    for b in range(size):
        worst = max(worst, values[b])
    return worst


@njit(**_LOOPS)
def inner_product(A, B):
    """sum_mi A_mi B_mi."""
    total = 0.0
    for m in range(A.shape[0]):
        row, other = A[m], B[m]
        for i in range(row.shape[0]):
            total += row[i] * other[i]
    return total


@njit(**_LOOPS)
def corrected_right(over, a, inverse, groups, p, goal, target, right):
    """Add -(q - a sum(q) / A) - (alpha - p e_j ...) of the corrector to the right-hand side."""
    k = a.shape[0]
    total = np.empty(right.shape[1])
    for g in range(groups.shape[0]):
        low, high, _, start = groups[g]
        size = high - low
        rows = slice(start, start + size)
        inv, weight = inverse[rows], p[rows]
        for i in range(size):
            total[i] = -weight[i]
        for m in range(k):
            one, aim = over[m, rows], goal[m, rows]
            for i in range(size):
                aim[i] = (target - aim[i]) * one[i]
                total[i] += aim[i]
        for i in range(size):
            total[i] *= inv[i]
        for m in range(k):
            ratio, aim, out = a[m, rows], goal[m, rows], right[m, low:high]
            for i in range(size):
                out[i] += ratio[i] * total[i] - aim[i]


@njit(**_LOOPS)
def products(alpha, t, d_alpha, d_t, length, second):
    """Sum of all products alpha t after a step; those of the second order go into ``second``."""
    total = 0.0
    for m in range(alpha.shape[0]):
        x, s, dx, ds, out = alpha[m], t[m], d_alpha[m], d_t[m], second[m]
        for b in range(x.shape[0]):
            total += (x[b] + length * dx[b]) * (s[b] + length * ds[b])
            out[b] = dx[b] * ds[b]
    return total


@njit(**_LOOPS)
def advance(values, change, length):
    for m in range(values.shape[0]):
        x, dx = values[m], change[m]
        for b in range(x.shape[0]):
            x[b] += length * dx[b]
