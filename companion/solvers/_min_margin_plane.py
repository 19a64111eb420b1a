"""The minimum-margin hinge of three classes in the plane: the interior point in three passes.

The method is that of :mod:`companion.solvers._min_margin_interior`; all that an iteration does to a
term is done over blocks: the last step, value and gap, Newton matrix; the predictor; the corrector.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._min_margin_blocks import (
    add_moments,
    advance,
    arranged,
    block_loss,
    centre,
    class_differences,
    collect,
    correct,
    first_moments,
    predict,
    second_moments,
    undecided,
    weight_of,
)
from companion.solvers._min_margin_interior import (
    _FLOOR,
    _HOLD,
    _LEAST_VALUE,
    _NOISE,
    _OPTIONS,
    _PATIENCE,
    _SHARE,
    _certificate,
    balance,
    price,
)
from companion.solvers._min_margin_kernels import BETTER, HALF_WAY, MANY, WORTH, margin_loss
from companion.solvers._min_margin_system import cholesky_small, class_values, moments, solve_newton

# Certificates that a problem may ask for, each after the first ten times closer to its solution.
_TRIES = 2


@njit(**_OPTIONS)
def _start(blocks, data, differences, x, level, closeness):
    """Put all terms on the central path, ``closeness`` as for ``minimise``."""
    loss, weight, n_terms = 0.0, 0.0, 0
    for k in range(blocks.shape[0]):
        j, n = blocks[k]
        class_differences(data[k], n, x, differences[0, j], differences[1, j])
        loss += block_loss(data[k], n, level)
        weight += weight_of(data[k], n)
        n_terms += n
    mu = closeness * max(loss, 1e-3 * weight) / (3 * n_terms)
    for k in range(blocks.shape[0]):
        centre(data[k], blocks[k, 1], level, mu)


@njit(**_OPTIONS)
def _iterate(problem, differences, level, weight, ridge, anchor, x, offset, until, max_iter):
    """Newton steps until the gap, without a price of (13), is at most ``until`` times the value."""
    blocks, data, pulls = problem
    n_terms, n_blocks = blocks[:, 1].sum(), blocks.shape[0]
    R, H, sums = np.empty((3, 2, 3)), np.empty((6, 6)), np.empty(3)
    fixed, residual, step = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))
    best, since, length, n_steps = np.inf, 0, 0.0, 0
    while True:
        sums[:], R[:], H[:] = 0.0, 0.0, 0.0
        for k in range(n_blocks):
            j, n = blocks[k]
            first, second = differences[0, j], differences[1, j]
            advance(data[k], n, length, sums)
            first_moments(data[k], n, first, second, R)
            second_moments(data[k], n, first, second, H)
        loss, mass = sums[0], sums[2]
        primal, gap = loss, loss - level * sums[1]
        for c in range(2):
            for r in range(3):
                moment, away = R[0, c, r] + pulls[c, r], x[c, r]
                primal += pulls[c, r] * away
                gap += pulls[c, r] * away
                if r < 2:
                    primal += 0.5 * away**2
                    gap += 0.5 * (away**2 + moment**2)
                    pull = away
                else:
                    pull = ridge * (away - anchor[c])
                    primal += 0.5 * pull * (away - anchor[c])
                    gap -= moment * away
                residual[c, r] = moment + pull
                fixed[c, r] = -pulls[c, r] - pull
        value = max(primal + offset, _LEAST_VALUE * weight)
        surplus = max(abs(residual[0, 2]), abs(residual[1, 2]))
        merit = gap + price(residual[:, 2].copy(), weight, ridge)
        if not np.isfinite(merit):
            return False, n_steps
        # Without (13), no sign of the gap means anything.
        if abs(gap) <= until * value:
            return True, n_steps
        since += 1
        if merit < best:
            best, since = merit, 0
        if since > _PATIENCE or n_steps >= max_iter:
            return False, n_steps
        n_steps += 1
        for r in range(3):
            for s in range(r):
                H[r, 3 + s] = H[s, 3 + r]
        hold = ridge + _HOLD * mass + _NOISE * max(H[2, 2], H[5, 5])
        for r in range(6):
            H[r, r] += hold if r % 3 == 2 else 1.0
        cholesky_small(H)
        step[:] = fixed - R[1]
        solve_newton(H, step)
        worst, sums[:], R[0] = 0.0, 0.0, 0.0
        for k in range(n_blocks):
            j, n = blocks[k]
            first, second = differences[0, j], differences[1, j]
            class_differences(data[k], n, step, first, second)
            worst = max(worst, predict(data[k], n, sums))
            add_moments(data[k], n, first, second, R[0])
        length = min(1.0, 1.0 / max(worst, 1e-300))
        ahead = mass + length * (sums[0] + length * sums[1])
        count = 3 * n_terms
        target = mass / count * max(ahead / mass, 0.0) ** 3
        target = max(target, _FLOOR * max(until * value, surplus) / count)
        step[:] = fixed - R[1] + target * R[2] - R[0]
        solve_newton(H, step)
        worst = 0.0
        for k in range(n_blocks):
            j, n = blocks[k]
            class_differences(data[k], n, step, differences[0, j], differences[1, j])
            worst = max(worst, correct(data[k], n, target))
        length = min(1.0, _SHARE / max(worst, 1e-300))
        for c in range(2):
            for r in range(3):
                x[c, r] += length * step[c, r]


@njit(**_OPTIONS)
def _certified(Z, groups, p, linear, basis, level, ridge, anchor, V, alpha, G):
    """Primal value and gap of V and ``alpha``, which is moved to satisfy (13) if that is near."""
    F = class_values(basis, V, Z)
    loss = margin_loss(F, groups, p, level)
    is_exact = balance(alpha, groups, p, linear, basis, ridge * (V[:, -1] - anchor))
    primal, gap, residual = _certificate(
        Z, groups, p, linear, basis, level, ridge, anchor, V, F, loss, alpha, G
    )
    if not is_exact:
        gap += price(residual[:, -1].copy(), p.sum(), ridge)
    return primal, gap


@njit(**_OPTIONS)
def minimise_in_plane(
    Z, groups, p, linear, basis, level, ridge, anchor, V, closeness, offset, tol, max_iter, alpha
):
    """As ``minimise`` of :mod:`companion.solvers._min_margin_shrinking`, for two features."""
    blocks, data, numbers = arranged(Z, groups, p)
    differences = np.empty((2, 3, 2))
    for m in range(2):
        for j in range(3):
            differences[m, j] = basis[(j + m + 1) % 3] - basis[j]
    x, pulls = V.copy(), moments(basis, linear, Z)
    _start(blocks, data, differences, x, level, closeness)
    n_terms, weight, G, n_iter = p.shape[0], p.sum(), np.empty_like(linear), 0
    if n_terms >= MANY:
        is_near, n_iter = _iterate(
            (blocks, data, pulls),
            differences,
            level,
            weight,
            ridge,
            anchor,
            x,
            offset,
            max(tol, HALF_WAY),
            max_iter,
        )
        y = x.copy()
        part, some, constant, n_some = undecided(
            blocks, data, numbers, pulls, differences, level, alpha
        )
        if is_near and 0 < n_some <= WORTH * n_terms:
            until = BETTER * tol
            for _ in range(_TRIES):
                is_near, n_more = _iterate(
                    part,
                    differences,
                    level,
                    weight,
                    ridge,
                    anchor,
                    y,
                    offset + constant,
                    until,
                    max_iter - n_iter,
                )
                n_iter += n_more
                if not is_near:
                    break
                collect(part[0], part[1], some, alpha)
                primal, gap = _certified(
                    Z, groups, p, linear, basis, level, ridge, anchor, y, alpha, G
                )
                if gap <= tol * max(primal + offset, _LEAST_VALUE * weight):
                    V[:] = y
                    return primal, gap, n_iter, True
                until *= 0.1
    until = tol
    for _ in range(_TRIES):
        is_near, n_more = _iterate(
            (blocks, data, pulls),
            differences,
            level,
            weight,
            ridge,
            anchor,
            x,
            offset,
            until,
            max_iter - n_iter,
        )
        n_iter += n_more
        if not is_near and n_iter < max_iter:
            break
        collect(blocks, data, numbers, alpha)
        primal, gap = _certified(Z, groups, p, linear, basis, level, ridge, anchor, x, alpha, G)
        is_solved = gap <= tol * max(primal + offset, _LEAST_VALUE * weight)
        if is_solved or (n_iter >= max_iter and np.isfinite(gap)):
            V[:] = x
            return primal, gap, n_iter, is_solved
        until *= 0.1
    return 0.0, np.inf, n_iter, False
