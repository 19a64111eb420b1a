"""Compiled parts of the minimum-margin hinge: an interior point that knows the structure.

With f = Q V z, Q an orthonormal basis of the vectors that sum to zero, a loss term of sample i and
class j with weight p is p (max_l (f_l + level [l != j]) - f_j), the largest over l of k affine
functions: its dual variables alpha_l >= 0 sum to p, where the alpha_j that (14) leaves over is one
of them. So with u >= f_l + level [l != j], t_l = u - f_l - level [l != j]:

    t_l alpha_l = mu,   sum_l alpha_l = p,
    V = -Q' sum_i (sum of alpha - p e_j over the terms of i, + linear_i) z_i'   (the bias apart).

A Newton step eliminates u and alpha. With a_l = alpha_l / t_l, A = sum a_l, what is left of a term
is diag(a) - a a' / A = sum_{l < m} (a_l a_m / A) (e_l - e_m)(e_l - e_m)', a sum of positive terms
only, so that nothing cancels near the solution; and the system has (d + 1)(k - 1) equations.

Samples are sorted by class. A group is a class c and a column j with U_cj > 0: its terms are
neighbours in memory, and all loops run along them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_OPTIONS = {"cache": True, "error_model": "numpy", "nogil": True}
_LOOPS = {**_OPTIONS, "fastmath": {"nnan", "nsz", "reassoc", "contract", "arcp"}}

# Share of the way to the boundary that a step may go.
_SHARE = 0.995

# Newton steps that put a term on the central path at the start; they converge from below.
_CENTRING_STEPS = 6

# The centring target, over all terms, does not fall below this share of what the tolerance needs
# nor of the residual of (13): otherwise mu is gone before the residual is.
_FLOOR = 0.1

# Rows of a matrix product; systems up to this size are factorised here and larger ones by LAPACK.
_BLOCK, _SMALL = 32, 40

# Iterations without a better certificate that end a solution.
_PATIENCE = 8

# A duality gap is relative to the value of the objective, or to this share of the total weight.
_LEAST_VALUE = 1e-4

# Weight of the proximal term in b of a Newton step, over the sum of all products of multipliers and
# slacks. It is centred at the iterate, so that it moves no solution.
_HOLD = 1e-6

# The same over the largest curvature in b: what rounding errors leave of the smallest.
_NOISE = 1e-14

# Price of a residual of (13) that no multipliers nearby avoid: that of the dual of the problem with
# this proximal term, over the total weight.
PRICE = 1e-8

# Steps that make multipliers satisfy (13); the residual that counts as zero, over the largest
# possible.
_REPAIRS, _EXACT = 20, 1e-13

# Largest logarithm of the factors that make multipliers satisfy (13).
_LARGEST_TILT = 0.1


@njit(**_LOOPS)
def class_values(basis, V, Z):
    """f = Q V z of all samples, of shape (k, n)."""
    return np.dot(np.dot(basis, V), Z)


@njit(**_LOOPS)
def _spread(F, groups, out):
    """The values of every term's sample: out[m, b] = F[m, i]."""
    for g in range(groups.shape[0]):
        low, high, _, start = groups[g]
        for m in range(F.shape[0]):
            row, copy = F[m, low:high], out[m, start:start + high - low]
            for i in range(high - low):
                copy[i] = row[i]


@njit(**_LOOPS)
def _centre(F, groups, p, level, mu, alpha, t):
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
        own, weight = F[j, low:high], p[start:start + size]
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
        weight = p[start:start + size]
        for m in range(k):
            row, out = alpha[m, start:start + size], G[m, low:high]
            if m == j:
                for i in range(size):
                    out[i] += row[i] - weight[i]
            else:
                for i in range(size):
                    out[i] += row[i]
                    total += row[i]
    return total


@njit(**_LOOPS)
def _ratios(alpha, t, groups, p, a, over, inverse, leader, pairs, right):
    """a = alpha / t, 1 / t, 1 / A, pair weights a_l a_m / A, and the predictor's right-hand side a p / A.

    ``leader`` gets the l of the largest a_l of every term. Returns the sum of all products t alpha.
    """
    k, n_terms = alpha.shape
    total = 0.0
    most = np.zeros(n_terms)
    inverse[:] = 0.0
    for m in range(k):
        row, slack, out, one = alpha[m], t[m], a[m], over[m]
        for b in range(n_terms):
            one[b] = 1.0 / slack[b]
            out[b] = row[b] * one[b]
            inverse[b] += out[b]
            total += row[b] * slack[b]
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
def _moves(alpha, a, over, inverse, leader, groups, dF, goal, corrects, d_alpha, d_t):
    """Changes of alpha and t for a change of f; return 1 over the longest step that is allowed.

    Multipliers aim at ``goal`` for unchanged slacks where ``corrects`` is set and at 0 otherwise.
    Changes of f and u are taken relative to those of the leader, whose a is huge near the solution
    and would magnify a rounding error of t_l = u - f_l; and its multiplier balances the others.
    """
    k, n_terms = alpha.shape
    worst = 0.0
    lift, base, rest = np.empty((3, n_terms))
    _spread(dF, groups, d_t)
    for b in range(n_terms):
        base[b] = d_t[leader[b], b]
        lift[b], rest[b] = 0.0, 0.0
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
            lift[b] += q[b] + ratio[b] * gain[b]
    for b in range(n_terms):
        lift[b] *= inverse[b]
    for m in range(k):
        x, one, ratio, q, rise = alpha[m], over[m], a[m], d_alpha[m], d_t[m]
        for b in range(n_terms):
            rise[b] = lift[b] - rise[b]
            q[b] -= ratio[b] * rise[b]
            rest[b] += q[b]
        if corrects:
            for b in range(n_terms):
                worst = max(worst, max(-q[b] / x[b], -rise[b] * one[b]))
        else:
            for b in range(n_terms):
                share = rise[b] * one[b]
                worst = max(worst, max(1.0 + share, -share))
    for b in range(n_terms):
        d_alpha[leader[b], b] -= rest[b]
    return worst


@njit(**_LOOPS)
def _corrected_right(over, a, inverse, groups, p, goal, target, right):
    """Add -(q - a sum(q) / A) - (alpha - p e_j ...) of the corrector to the right-hand side.

    With q = goal - alpha and sum(alpha) = p, -alpha - (q - a sum(q) / A) is
    a (sum(goal) - p) / A - goal, for goal = (target - second-order terms) / t, which takes the
    place of the second-order terms.
    """
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
def _products(alpha, t, d_alpha, d_t, length, shift):
    """Sum of all products alpha t after a step; the second-order terms go into ``shift``."""
    total = 0.0
    for m in range(alpha.shape[0]):
        x, s, dx, ds, out = alpha[m], t[m], d_alpha[m], d_t[m], shift[m]
        for b in range(x.shape[0]):
            total += (x[b] + length * dx[b]) * (s[b] + length * ds[b])
            out[b] = dx[b] * ds[b]
    return total


@njit(**_LOOPS)
def _advance(values, change, length):
    for m in range(values.shape[0]):
        x, dx = values[m], change[m]
        for b in range(x.shape[0]):
            x[b] += length * dx[b]


@njit(**_LOOPS)
def _system(Z, basis, pairs, ridge, scaled, H):
    """Lower half of I + sum_{l < m} (q_l - q_m)(q_l - q_m)' x Z diag(pair) Z', the bias apart."""
    size, n = Z.shape
    free = basis.shape[1]
    H[:] = 0.0
    q = 0
    for m in range(basis.shape[0]):
        for other in range(m):
            for r in range(size):
                row, out = Z[r], scaled[r]
                for i in range(n):
                    out[i] = row[i] * pairs[q, i]
            for first in range(0, size, _BLOCK):
                last = min(first + _BLOCK, size)
                part = np.dot(scaled[first:last], Z[:last].T)
                for c in range(free):
                    for d in range(c + 1):
                        factor = ((basis[m, c] - basis[other, c])
                                  * (basis[m, d] - basis[other, d]))
                        for r in range(first, last):
                            for s in range(r + 1):
                                H[c * size + r, d * size + s] += factor * part[r - first, s]
            q += 1
    for c in range(free):
        for d in range(c):
            for r in range(size):
                for s in range(r + 1, size):
                    H[c * size + r, d * size + s] = H[c * size + s, d * size + r]
        for r in range(size - 1):
            H[c * size + r, c * size + r] += 1.0
        H[c * size + size - 1, c * size + size - 1] += ridge


@njit(**_LOOPS)
def _cholesky_small(H):
    """Cholesky factor in place, in the lower half; a pivot lost to rounding is as large as that."""
    size = H.shape[0]
    for r in range(size):
        row = H[r]
        for s in range(r):
            other = H[s]
            value = row[s]
            for q in range(s):
                value -= row[q] * other[q]
            row[s] = value / other[s]
        diagonal = row[r]
        value = diagonal
        for q in range(r):
            value -= row[q] * row[q]
        row[r] = np.sqrt(max(value, 1e-14 * diagonal))


@njit(**_LOOPS)
def _solve(L, right):
    """Solve L L' x = right in place."""
    size = right.shape[0]
    for r in range(size):
        row, value = L[r], right[r]
        for q in range(r):
            value -= row[q] * right[q]
        right[r] = value / row[r]
    for r in range(size - 1, -1, -1):
        row = L[r]
        right[r] /= row[r]
        value = right[r]
        for q in range(r):
            right[q] -= row[q] * value


@njit(**_OPTIONS)
def _factorise(H):
    """Cholesky factor of H, whose lower half is given; raise its diagonal where it needs that."""
    size = H.shape[0]
    if size <= _SMALL:
        _cholesky_small(H)
        return H
    for r in range(size):
        H[r, r] *= 1.0 + 1e-14
        for s in range(r):
            H[s, r] = H[r, s]
    return np.linalg.cholesky(H)


@njit(**_OPTIONS)
def gap_at(Z, basis, x, F, G, linear, total, loss, level, ridge, anchor):
    """Primal value, duality gap, and the two sides' difference in (15) and (13), at x.

    G is sum (alpha - p e_j) + linear. The gap is one of alpha if the residual of (13), in the last
    column, is zero; otherwise ``price`` has to be added.
    """
    R = np.dot(basis.T, np.dot(G, Z.T))
    last = Z.shape[0] - 1
    primal, gap = loss, 0.0
    for m in range(F.shape[0]):
        for i in range(F.shape[1]):
            primal += linear[m, i] * F[m, i]
    gap = primal - level * total
    for c in range(R.shape[0]):
        for r in range(last):
            primal += 0.5 * x[c, r] ** 2
            gap += 0.5 * (x[c, r] ** 2 + R[c, r] ** 2)
            R[c, r] += x[c, r]
        primal += 0.5 * ridge * (x[c, last] - anchor[c]) ** 2
        gap -= R[c, last] * x[c, last]
        R[c, last] += ridge * (x[c, last] - anchor[c])
    return primal, gap, R


@njit(**_OPTIONS)
def price(residual, p, ridge):
    """What a residual of (13) costs where there is the term PRICE sum(p) / 2 |b - b_x|^2."""
    return 0.5 * np.dot(residual, residual) / (ridge + PRICE * p.sum())


@njit(**_OPTIONS)
def _certificate(Z, groups, p, linear, basis, level, ridge, anchor, x, F, loss, alpha, G):
    """Primal value, gap, and the residuals of (15) and (13) with the ridge, at an iterate."""
    G[:] = linear
    total = add_brackets(alpha, groups, p, G)
    return gap_at(Z, basis, x, F, G, linear, total, loss, level, ridge, anchor)


@njit(**_OPTIONS)
def tilt(alpha, p, basis, residual):
    """Change multipliers so that Q' sum alpha falls by ``residual``, to first order.

    Every alpha_l is multiplied by exp((Q lambda)_l) and its term rescaled to p: the change stays
    inside (14). Returns False, and changes nothing, where lambda would not be small.
    """
    k, free = basis.shape
    curvature = -np.dot(alpha / p, alpha.T)
    for m in range(k):
        curvature[m, m] += alpha[m].sum()
    H = np.dot(basis.T, np.dot(curvature, basis))
    step = -residual
    _cholesky_small(H)
    _solve(H, step)
    if not np.abs(step).max() <= _LARGEST_TILT:
        return False
    factors = np.exp(np.dot(basis, step))
    for b in range(p.shape[0]):
        total = 0.0
        for m in range(k):
            alpha[m, b] *= factors[m]
            total += alpha[m, b]
        for m in range(k):
            alpha[m, b] *= p[b] / total
    return True


@njit(**_OPTIONS)
def balance(alpha, groups, p, linear, basis, pull):
    """Change multipliers so that (13) holds, with ``pull`` on its left; False if none nearby do.

    The condition is that for the minimum of a convex function of the tilt.
    """
    G = np.empty_like(linear)
    scale = _EXACT * max(p.sum(), np.abs(linear).sum())
    for _ in range(_REPAIRS):
        G[:] = linear
        add_brackets(alpha, groups, p, G)
        sums = np.empty(G.shape[0])
        for m in range(G.shape[0]):
            sums[m] = G[m].sum()
        residual = np.dot(basis.T, sums) + pull
        if np.abs(residual).max() <= scale:
            return True
        if not tilt(alpha, p, basis, residual):
            return False
    return False


@njit(**_OPTIONS)
def interior_point(Z, groups, p, linear, basis, level, ridge, anchor, V, closeness, offset, tol,
                   max_iter, alpha):
    """Minimise 1/2 |V|^2 + ridge / 2 |b - anchor|^2 + linear . f + sum of the terms, from V on.

    V and ``alpha`` are overwritten with the best iterate. ``closeness`` is the mean product of a
    multiplier and a slack at the start, over the mean term. Returns the primal value without
    ``offset``, the gap, the number of iterations, and whether the gap is at most ``tol`` times the
    value with ``offset``, which it is unless the budget is spent or rounding errors stop progress.
    """
    k, n = linear.shape
    size, free, n_terms = Z.shape[0], basis.shape[1], p.shape[0]
    t, a, over, d_alpha, d_t, goal = np.empty((6, k, n_terms))
    inverse, leader = np.empty(n_terms), np.zeros(n_terms, dtype=np.int64)
    pairs, right, G = np.empty((k * (k - 1) // 2, n)), np.empty((k, n)), np.empty((k, n))
    scaled, H = np.empty((size, n)), np.empty((free * size, free * size))
    best_V, best_alpha = V.copy(), alpha.copy()
    # The part of the right-hand side without alpha and V: the linear terms and the pull p e_j.
    fixed = -linear
    for low, high, j, start in groups:
        fixed[j, low:high] += p[start:start + high - low]
    x = V.copy()
    F = class_values(basis, x, Z)
    weight = p.sum()
    loss = margin_loss(F, groups, p, level)
    _centre(F, groups, p, level, closeness * max(loss, 1e-3 * weight) / (k * n_terms), alpha, t)
    value, best, since, n_iter, is_solved = 0.0, np.inf, 0, 0, False
    for n_iter in range(max_iter + 1):
        if n_iter:
            loss = margin_loss(F, groups, p, level)
        primal, gap, residual = _certificate(Z, groups, p, linear, basis, level, ridge, anchor, x,
                                             F, loss, alpha, G)
        surplus = residual[:, -1].copy()
        wanted = tol * max(primal + offset, _LEAST_VALUE * weight)
        cost = price(surplus, p, ridge)
        if gap <= wanted:
            balanced = alpha.copy()
            if balance(balanced, groups, p, linear, basis, ridge * (x[:, -1] - anchor)):
                _, exact, _ = _certificate(Z, groups, p, linear, basis, level, ridge, anchor, x, F,
                                           loss, balanced, G)
                if exact <= wanted:
                    gap, cost = exact, 0.0
                    alpha[:] = balanced
                else:
                    cost = max(cost, exact - gap)
        gap += cost
        if not np.isfinite(gap):
            break
        since += 1
        if gap < best:
            best, value, since = gap, primal, 0
            best_V[:] = x
            best_alpha[:] = alpha
        is_solved = gap <= wanted
        if is_solved or since > _PATIENCE or n_iter == max_iter:
            break
        right[:] = 0.0
        mass = _ratios(alpha, t, groups, p, a, over, inverse, leader, pairs, right)
        _system(Z, basis, pairs, ridge + _HOLD * mass, scaled, H)
        diagonal = np.diag(H)[size - 1::size]
        hold = _NOISE * diagonal.max()
        for r in range(size - 1, free * size, size):
            H[r, r] += hold
        factor = _factorise(H)
        right[:] = fixed - right
        # Predictor: right-hand side fixed - (alpha + q - a sum(q) / A) with q = -alpha.
        step = _step(Z, basis, right, x, ridge, anchor, factor)
        dF = class_values(basis, step, Z)
        worst = _moves(alpha, a, over, inverse, leader, groups, dF, goal, False, d_alpha, d_t)
        ahead = _products(alpha, t, d_alpha, d_t, min(1.0, 1.0 / max(worst, 1e-300)), goal)
        count = k * n_terms
        target = mass / count * max(ahead / mass, 0.0) ** 3
        target = max(target, _FLOOR * max(wanted, np.abs(surplus).max()) / count)
        # Corrector: towards the central path, with the second-order terms of the predictor.
        right[:] = fixed
        _corrected_right(over, a, inverse, groups, p, goal, target, right)
        step = _step(Z, basis, right, x, ridge, anchor, factor)
        dF = class_values(basis, step, Z)
        worst = _moves(alpha, a, over, inverse, leader, groups, dF, goal, True, d_alpha, d_t)
        if since > 0:
            # Rounding may be why the last step was of no use: refine this one.
            step += _miss(Z, basis, d_alpha, groups, residual, step, ridge, factor)
            dF = class_values(basis, step, Z)
            worst = _moves(alpha, a, over, inverse, leader, groups, dF, goal, True, d_alpha, d_t)
        length = min(1.0, _SHARE / max(worst, 1e-300))
        _advance(alpha, d_alpha, length)
        _advance(t, d_t, length)
        _advance(x, step, length)
        F = class_values(basis, x, Z)
    V[:] = best_V
    alpha[:] = best_alpha
    return value, best, n_iter, is_solved


@njit(**_OPTIONS)
def _step(Z, basis, right, x, ridge, anchor, factor):
    """Solve the Newton system for the right-hand side Q' right Z' - (V, ridge (b - anchor))."""
    R = np.dot(basis.T, np.dot(right, Z.T))
    last = Z.shape[0] - 1
    for c in range(R.shape[0]):
        for r in range(last):
            R[c, r] -= x[c, r]
        R[c, last] -= ridge * (x[c, last] - anchor[c])
    _solve(factor, R.ravel())
    return R


@njit(**_OPTIONS)
def _miss(Z, basis, d_alpha, groups, residual, step, ridge, factor):
    """Newton step for what a step with these changes of the multipliers leaves of the residuals."""
    G = np.zeros((basis.shape[0], Z.shape[1]))
    add_brackets(d_alpha, groups, np.zeros(d_alpha.shape[1]), G)
    R = -residual - np.dot(basis.T, np.dot(G, Z.T))
    last = Z.shape[0] - 1
    for c in range(R.shape[0]):
        for r in range(last):
            R[c, r] -= step[c, r]
        R[c, last] -= ridge * step[c, last]
    _solve(factor, R.ravel())
    return R
