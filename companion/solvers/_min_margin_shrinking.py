"""The minimum-margin hinge by an interior point that leaves out decided terms on its way.

Where one l has nearly all of p and no step changes that, the maximum is taken to be that l's affine
function. If in the end the duality gap of the whole problem is small, its solution is found; else
the solver goes on where it left the whole problem.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._min_margin_interior import (
    _LEAST_VALUE,
    _OPTIONS,
    _certificate,
    balance,
    interior_point,
)
from companion.solvers._min_margin_kernels import (
    BETTER,
    HALF_WAY,
    LITTLE,
    MANY,
    MOVED,
    WORTH,
    centre,
    margin_loss,
)
from companion.solvers._min_margin_plane import minimise_in_plane
from companion.solvers._min_margin_system import class_values


@njit(**_OPTIONS)
def minimise(
    Z, groups, p, linear, basis, level, ridge, anchor, V, closeness, offset, tol, max_iter, alpha
):
    """Minimise 1/2 |V|^2 + ridge / 2 |b - anchor|^2 + linear . f + sum of the terms, from V on."""
    k, n_terms, in_vain = basis.shape[0], p.shape[0], 0
    if k == 3 and Z.shape[0] == 3:
        value, gap, in_vain, is_solved = minimise_in_plane(
            Z,
            groups,
            p,
            linear,
            basis,
            level,
            ridge,
            anchor,
            V,
            closeness,
            offset,
            tol,
            max_iter,
            alpha,
        )
        if gap < np.inf:
            return value, gap, in_vain, is_solved
        max_iter -= in_vain
    t, d_t = np.empty((k, n_terms)), np.empty((k, n_terms))
    weight = p.sum()
    F = class_values(basis, V, Z)
    loss = margin_loss(F, groups, p, level)
    centre(F, groups, p, level, closeness * max(loss, 1e-3 * weight) / (k * n_terms), alpha, t)
    value, gap, n_iter, is_solved = interior_point(
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
        HALF_WAY if n_terms >= MANY else 0.0,
        alpha,
        t,
        d_t,
    )
    half_way = HALF_WAY * max(value + offset, _LEAST_VALUE * weight)
    if is_solved or n_iter == 0 or n_iter >= max_iter or n_terms < MANY or not gap <= half_way:
        return value, gap, in_vain + n_iter, is_solved
    leader = decided(p, alpha, t, d_t)
    n_kept = np.count_nonzero(leader < 0)
    if 0 < n_kept <= WORTH * n_terms:
        x = V.copy()
        multipliers, n_more = _smaller(
            Z,
            groups,
            p,
            linear,
            basis,
            level,
            ridge,
            anchor,
            x,
            offset,
            tol,
            max_iter - n_iter,
            alpha,
            t,
            leader,
            n_kept,
        )
        n_iter += n_more
        if balance(multipliers, groups, p, linear, basis, ridge * (x[:, -1] - anchor)):
            F = class_values(basis, x, Z)
            loss = margin_loss(F, groups, p, level)
            primal, exact, _ = _certificate(
                Z,
                groups,
                p,
                linear,
                basis,
                level,
                ridge,
                anchor,
                x,
                F,
                loss,
                multipliers,
                np.empty_like(F),
            )
            if exact <= tol * max(primal + offset, _LEAST_VALUE * weight):
                V[:] = x
                alpha[:] = multipliers
                return primal, exact, in_vain + n_iter, True
    if n_iter >= max_iter:
        return value, gap, in_vain + n_iter, False
    value, gap, n_more, is_solved = interior_point(
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
        max_iter - n_iter,
        0.0,
        alpha,
        t,
        d_t,
    )
    return value, gap, in_vain + n_iter + n_more, is_solved


@njit(**_OPTIONS)
def decided(p, alpha, t, d_t):
    """The l that has nearly all of p and keeps it, for every term; -1 for the others."""
    k, n_terms = alpha.shape
    leader = np.empty(n_terms, dtype=np.int64)
    for b in range(n_terms):
        largest = 0
        for m in range(1, k):
            if alpha[m, b] > alpha[largest, b]:
                largest = m
        for m in range(k):
            if m != largest and (alpha[m, b] > LITTLE * p[b] or abs(d_t[m, b]) > MOVED * t[m, b]):
                largest = -1
                break
        leader[b] = largest
    return leader


@njit(**_OPTIONS)
def _smaller(
    Z,
    groups,
    p,
    linear,
    basis,
    level,
    ridge,
    anchor,
    x,
    offset,
    tol,
    max_iter,
    alpha,
    t,
    leader,
    n_kept,
):
    """Solve the problem of the terms without a leader; return multipliers of all terms."""
    k, size = basis.shape[0], Z.shape[0]
    kept, some_groups = np.empty(n_kept, dtype=np.int64), groups.copy()
    some_Z, some_linear = np.zeros((size, size + n_kept)), np.zeros((k, size + n_kept))
    rest, multipliers, constant, b = linear.copy(), np.zeros_like(alpha), 0.0, 0
    for g in range(groups.shape[0]):
        low, high, j, start = groups[g]
        first = b
        for i in range(low, high):
            term = start + i - low
            m = leader[term]
            if m < 0:
                kept[b] = term
                for r in range(size):
                    some_Z[r, size + b] = Z[r, i]
                b += 1
            else:
                multipliers[m, term] = p[term]
                rest[m, i] += p[term]
                rest[j, i] -= p[term]
                constant += 0.0 if m == j else level * p[term]
        some_groups[g, 0], some_groups[g, 1], some_groups[g, 3] = size + first, size + b, first
    for r in range(size):
        some_Z[r, r] = 1.0
    some_linear[:, :size] = np.dot(rest, Z.T)
    some_alpha, some_t = np.empty((k, n_kept)), np.empty((k, n_kept))
    for m in range(k):
        for b in range(n_kept):
            some_alpha[m, b] = alpha[m, kept[b]]
            some_t[m, b] = t[m, kept[b]]
    _, _, n_iter, _ = interior_point(
        some_Z,
        some_groups,
        p[kept],
        some_linear,
        basis,
        level,
        ridge,
        anchor,
        x,
        offset + constant,
        BETTER * tol,
        max_iter,
        0.0,
        some_alpha,
        some_t,
        np.empty_like(some_t),
    )
    for m in range(k):
        for b in range(n_kept):
            multipliers[m, kept[b]] = some_alpha[m, b]
    return multipliers, n_iter
