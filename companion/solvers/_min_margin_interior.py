"""The interior point for the minimum-margin hinge: Newton system, certificates, the iteration."""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._min_margin_kernels import (
    _OPTIONS,
    add_brackets,
    advance,
    corrected_right,
    inner_product,
    margin_loss,
    moves,
    products,
    ratios,
    unsorted,
)
from companion.solvers._min_margin_system import (
    cholesky_small,
    class_values,
    columns_that_matter,
    factorise,
    moments,
    newton_matrix,
    solve,
    solve_newton,
)

# Share of the way to the boundary that a step may go.
_SHARE = 0.995

# The centring target, over all terms, does not fall below this share of what the tolerance needs
# nor of the residual of (13): otherwise mu is gone before the residual is.
_FLOOR = 0.1

# What the columns left out of a Newton matrix may add to it, see
# :func:`companion.solvers._min_margin_system.columns_that_matter`.
_LEFT_OUT = 3e-4

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


@njit(**_OPTIONS)
def gap_at(Z, basis, x, F, G, linear, total, loss, level, ridge, anchor):
    """Primal value, duality gap, and the two sides' difference in (15) and (13), at x."""
    R = moments(basis, G, Z)
    last = Z.shape[0] - 1
    primal = loss + inner_product(linear, F)
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
def price(residual, weight, ridge):
    """What a residual of (13) costs where there is the term PRICE weight / 2 |b - b_x|^2."""
    return 0.5 * np.sum(residual**2) / (ridge + PRICE * weight)


@njit(**_OPTIONS)
def _certificate(Z, groups, p, linear, basis, level, ridge, anchor, x, F, loss, alpha, G):
    """Primal value, gap, and the residuals of (15) and (13) with the ridge, at an iterate."""
    G[:] = linear
    total = add_brackets(alpha, groups, p, G)
    return gap_at(Z, basis, x, F, G, linear, total, loss, level, ridge, anchor)


@njit(**_OPTIONS)
def tilt(alpha, p, basis, residual):
    """Change multipliers so that Q' sum alpha falls by ``residual``, to first order."""
    k, _free = basis.shape
    curvature = -np.dot(alpha / p, alpha.T)
    for m in range(k):
        curvature[m, m] += alpha[m].sum()
    H = np.dot(basis.T, np.dot(curvature, basis))
    step = -residual
    cholesky_small(H)
    solve(H, step)
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
    """Change multipliers so that (13) holds, with ``pull`` on its left; False if none nearby do."""
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
def certified(Z, order, groups, p, linear, basis, level, ridge, anchor, x, alpha):
    """Certificates of a solution x with these multipliers, computed afresh."""
    balanced, G = alpha.copy(), np.empty_like(linear)
    is_exact = balance(balanced, groups, p, linear, basis, np.zeros(basis.shape[1]))
    if not is_exact:
        balanced[:] = alpha
    F = class_values(basis, x, Z)
    loss = margin_loss(F, groups, p, level)
    primal, gap, residual = _certificate(
        Z,
        groups,
        p,
        linear,
        basis,
        level,
        0.0 if is_exact else ridge,
        anchor,
        x,
        F,
        loss,
        balanced,
        G,
    )
    if not is_exact:
        gap += price(residual[:, -1].copy(), p.sum(), ridge)
    violation = np.abs(residual).max()
    values, multipliers = unsorted(order, groups, F, balanced)
    return primal, gap, violation, values, multipliers


@njit(**_OPTIONS)
def interior_point(
    Z,
    groups,
    p,
    linear,
    basis,
    level,
    ridge,
    anchor,
    V,
    offset,
    tol,
    max_iter,
    until,
    alpha,
    t,
    d_t,
):
    """Minimise 1/2 |V|^2 + ridge / 2 |b - anchor|^2 + linear . f + sum of the terms."""
    k, n = linear.shape
    size, free, n_terms = Z.shape[0], basis.shape[1], p.shape[0]
    a, over, d_alpha, goal = np.empty((4, k, n_terms))
    inverse, leader = np.empty(n_terms), np.zeros(n_terms, dtype=np.int64)
    pairs, right, G = np.empty((k * (k - 1) // 2, n)), np.empty((k, n)), np.empty((k, n))
    scaled, column, memory = np.empty((size, n)), np.empty(n), np.empty((free * size) ** 2)
    best_V, best_alpha = V.copy(), alpha.copy()
    # The part of the right-hand side without alpha and V: the linear terms and the pull p e_j.
    fixed = -linear
    for low, high, j, start in groups:
        fixed[j, low:high] += p[start : start + high - low]
    x = V.copy()
    F = class_values(basis, x, Z)
    weight = p.sum()
    value, best, since, n_iter, is_solved = 0.0, np.inf, 0, 0, False
    for n_iter in range(max_iter + 1):
        loss = margin_loss(F, groups, p, level)
        primal, gap, residual = _certificate(
            Z, groups, p, linear, basis, level, ridge, anchor, x, F, loss, alpha, G
        )
        surplus = residual[:, -1].copy()
        wanted = tol * max(primal + offset, _LEAST_VALUE * weight)
        cost = price(surplus, weight, ridge)
        if gap <= wanted:
            balanced = alpha.copy()
            if balance(balanced, groups, p, linear, basis, ridge * (x[:, -1] - anchor)):
                _, exact, _ = _certificate(
                    Z, groups, p, linear, basis, level, ridge, anchor, x, F, loss, balanced, G
                )
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
        if is_solved or gap * tol <= until * wanted or since > _PATIENCE or n_iter == max_iter:
            break
        right[:] = 0.0
        mass = ratios(alpha, t, groups, p, a, over, inverse, leader, pairs, right)
        used = columns_that_matter(Z, pairs, _LEFT_OUT if since == 0 else 0.0)
        hold = ridge + _HOLD * mass
        H = newton_matrix(Z, basis, pairs, hold, used, column, scaled, memory)
        largest = 0.0
        for r in range(used, H.shape[0], used + 1):
            largest = max(largest, H[r, r])
        for r in range(used, H.shape[0], used + 1):
            H[r, r] += _NOISE * largest
        factor = factorise(H)
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
        if since > 0 or used < size - 1:
            # Rounding may be why the last step was of no use, or columns are left out.
            resistance = ridge if since > 0 else hold
            step += _miss(Z, basis, d_alpha, groups, residual, step, resistance, factor, G)
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
    R = moments(basis, right, Z)
    last = Z.shape[0] - 1
    for c in range(R.shape[0]):
        for r in range(last):
            R[c, r] -= x[c, r]
        R[c, last] -= ridge * (x[c, last] - anchor[c])
    solve_newton(factor, R)
    return R


@njit(**_OPTIONS)
def _miss(Z, basis, d_alpha, groups, residual, step, ridge, factor, G):
    """Newton step for what a step with these changes of the multipliers leaves of the residuals."""
    G[:] = 0.0
    add_brackets(d_alpha, groups, np.zeros(d_alpha.shape[1]), G)
    R = -residual - moments(basis, G, Z)
    last = Z.shape[0] - 1
    for c in range(R.shape[0]):
        for r in range(last):
            R[c, r] -= step[c, r]
        R[c, last] -= ridge * step[c, last]
    solve_newton(factor, R)
    return R
