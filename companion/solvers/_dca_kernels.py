"""Compiled parts of the DC algorithm: the linearised part, the objective, a path over C.

Both forms of the loss of a term with h = min_{l != j} (f_j - f_l) are
[level - h]_+ + min(h + rise, top): T_s(h) has level 1, cut s, rise -s, top 0, and the cost form
T_s(-h) level -1, cut -s, rise 1, top 1 - s. The second part is concave and linear where h < cut.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._min_margin_interior import _LEAST_VALUE
from companion.solvers._min_margin_kernels import _OPTIONS
from companion.solvers._min_margin_shrinking import minimise
from companion.solvers._min_margin_system import class_values

REPEATS, STALLS, SPENT, ZERO = 0, 1, 2, 3

# The first solution begins far from the end, others begin near theirs.
COLD, WARM = 1.0, 0.1


@njit(**_OPTIONS)
def linearise(F, groups, p, cut, chosen, linear):
    """Linear terms of the terms with h < cut; whether the set has changed, and their weight."""
    k, changed, weight = F.shape[0], False, 0.0
    linear[:] = 0.0
    for g in range(groups.shape[0]):
        low, high, j, start = groups[g]
        for i in range(low, high):
            b = start + i - low
            best = 1 if j == 0 else 0
            for m in range(best + 1, k):
                if m != j and F[m, i] > F[best, i]:
                    best = m
            if F[j, i] - F[best, i] >= cut:
                best = -1
            else:
                linear[j, i] += p[b]
                linear[best, i] -= p[b]
                weight += p[b]
            if chosen[b] != best:
                chosen[b] = best
                changed = True
    return changed, weight


@njit(**_OPTIONS)
def robust_value(F, V, groups, p, level, rise, top):
    """The objective 1/2 |V|^2 + sum of all terms, the bias without a penalty."""
    k, value = F.shape[0], 0.0
    for g in range(groups.shape[0]):
        low, high, j, start = groups[g]
        for i in range(low, high):
            other = -np.inf
            for m in range(k):
                if m != j:
                    other = max(other, F[m, i])
            h = F[j, i] - other
            value += p[start + i - low] * (max(level - h, 0.0) + min(h + rise, top))
    for c in range(V.shape[0]):
        for r in range(V.shape[1] - 1):
            value += 0.5 * V[c, r] ** 2
    return value


@njit(**_OPTIONS)
def descend(
    Z,
    groups,
    p,
    basis,
    form,
    ridge,
    x,
    is_convex_solution,
    tol,
    max_iter,
    max_steps,
    alpha,
    linear,
    chosen,
    values,
):
    """DC steps from x, which is overwritten."""
    level, cut, rise, top = form
    chosen[:] = -1
    F = class_values(basis, x, Z)
    values[0] = robust_value(F, x, groups, p, level, rise, top)
    total, gap, is_solved, n_inner, has_stalled = p.sum(), np.nan, True, 0, False
    for step in range(max_steps + 1):
        changed, weight = linearise(F, groups, p, cut, chosen, linear)
        # A step that was not solved is repeated: its proximal term is now centred where it ended.
        if not changed and is_solved and (step > 0 or is_convex_solution):
            return step, REPEATS, gap, is_solved, n_inner
        if step > 0 and values[step] <= tol * _LEAST_VALUE * total:
            return step, ZERO, values[step], True, n_inner
        if step == max_steps:
            return step, SPENT, gap, is_solved, n_inner
        offset = (weight * rise if weight > 0.0 else 0.0) + (
            (total - weight) * top if weight < total else 0.0
        )
        y = x.copy()
        _, gap, n_iter, is_solved = minimise(
            Z,
            groups,
            p,
            linear,
            basis,
            level,
            ridge,
            x[:, -1].copy(),
            y,
            WARM,
            offset,
            tol,
            max_iter,
            alpha,
        )
        n_inner += n_iter
        F = class_values(basis, y, Z)
        value = robust_value(F, y, groups, p, level, rise, top)
        values[step + 1] = min(value, values[step])
        if value < values[step]:
            x[:] = y
        is_zero = values[step + 1] <= tol * _LEAST_VALUE * total
        # A solution has ties, and rounding decides which l a tie takes: one step in vain may be
        # followed by a change of the set and a good one.
        stalls = not is_zero and not values[step] - value > 0.1 * tol * values[step]
        if stalls and (has_stalled or not value < values[step]):
            return step + 1, STALLS, gap, is_solved, n_inner
        has_stalled = stalls
    return max_steps, SPENT, gap, is_solved, n_inner


@njit(**_OPTIONS)
def path(
    Z, first, groups, basis, form, C_values, share, tol, max_iter, max_steps, convex, robust, report
):
    """The convex machine and the robust one that starts there, for every C."""
    start_groups, start_p = first
    robust_groups, robust_p = groups
    k, free, size = basis.shape[0], basis.shape[1], Z.shape[0]
    nothing, zero = np.zeros((k, Z.shape[1])), np.zeros(free)
    linear = np.empty((k, Z.shape[1]))
    start_alpha, alpha = np.empty((k, start_p.size)), np.empty((k, robust_p.size))
    chosen, values = np.empty(robust_p.size, dtype=np.int64), np.empty(max_steps + 2)
    x = np.zeros((free, size))
    for q in range(C_values.size):
        p = C_values[q] * start_p
        value, gap, n_iter, is_solved = minimise(
            Z,
            start_groups,
            p,
            nothing,
            basis,
            1.0,
            0.0,
            zero,
            x,
            COLD if q == 0 else WARM,
            0.0,
            tol,
            max_iter,
            start_alpha,
        )
        convex[q] = x
        report[q, 0], report[q, 1], report[q, 2], report[q, 3] = value, gap, n_iter, is_solved
        p = C_values[q] * robust_p
        ridge = share * min(1.0, p.mean())
        robust[q] = x
        is_same = form[0] == 1.0
        steps, reason, step_gap, is_near, n_inner = descend(
            Z,
            robust_groups,
            p,
            basis,
            form,
            ridge,
            robust[q],
            is_same,
            tol,
            max_iter,
            max_steps,
            alpha,
            linear,
            chosen,
            values,
        )
        report[q, 4], report[q, 5] = values[steps], step_gap if steps else gap
        report[q, 6] = n_inner
        report[q, 7] = reason != SPENT and (is_near if steps else is_solved)
        report[q, 8] = steps
