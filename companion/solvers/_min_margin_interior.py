"""The interior point for the minimum-margin hinge: Newton system, certificates, the iteration.

The elimination is described in :mod:`companion.solvers._min_margin_kernels`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._min_margin_kernels import (
    _LOOPS,
    _OPTIONS,
    add_brackets,
    advance,
    centre,
    class_values,
    corrected_right,
    margin_loss,
    moves,
    products,
    ratios,
)

# Share of the way to the boundary that a step may go.
_SHARE = 0.995

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
_NOISE = 1e-15

# Price of a residual of (13) that no multipliers nearby avoid: that of the dual of the problem with
# this proximal term, over the total weight.
PRICE = 1e-8

# Steps that make multipliers satisfy (13); the residual that counts as zero, over the largest
# possible.
_REPAIRS, _EXACT = 20, 1e-13

# Largest logarithm of the factors that make multipliers satisfy (13).
_LARGEST_TILT = 0.1


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
    primal = loss
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
    centre(F, groups, p, level, closeness * max(loss, 1e-3 * weight) / (k * n_terms), alpha, t)
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
        mass = ratios(alpha, t, groups, p, a, over, inverse, leader, pairs, right)
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
        worst = moves(alpha, a, over, inverse, leader, groups, dF, goal, False, d_alpha, d_t)
        ahead = products(alpha, t, d_alpha, d_t, min(1.0, 1.0 / max(worst, 1e-300)), goal)
        count = k * n_terms
        target = mass / count * max(ahead / mass, 0.0) ** 3
        target = max(target, _FLOOR * max(wanted, np.abs(surplus).max()) / count)
        # Corrector: towards the central path, with the second-order terms of the predictor.
        right[:] = fixed
        corrected_right(over, a, inverse, groups, p, goal, target, right)
        step = _step(Z, basis, right, x, ridge, anchor, factor)
        dF = class_values(basis, step, Z)
        worst = moves(alpha, a, over, inverse, leader, groups, dF, goal, True, d_alpha, d_t)
        if since > 0:
            # Rounding may be why the last step was of no use: refine this one.
            step += _miss(Z, basis, d_alpha, groups, residual, step, ridge, factor)
            dF = class_values(basis, step, Z)
            worst = moves(alpha, a, over, inverse, leader, groups, dF, goal, True, d_alpha, d_t)
        length = min(1.0, _SHARE / max(worst, 1e-300))
        advance(alpha, d_alpha, length)
        advance(t, d_t, length)
        advance(x, step, length)
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
