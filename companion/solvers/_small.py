"""Compiled solver for problems that fit in the cache.

The problem in beta_i = y_i alpha_i, with scores s = y - (K + D) beta, the negative gradient:

    min 1/2 b'(K + D) b - y'b   s.t.   sum b fixed,   low <= b <= high.

Pair updates (second order, as in :mod:`companion.solvers.smo`) change sides and Newton steps over
the free variables finish, in turns: a Newton step is due when pair updates have cost as much.

With two hundred samples a pair update takes a quarter of a microsecond and a Newton step over
twenty variables ten: calls from Python would take longer than they do, so all is one call.

No function of another file is called but intrinsics: a cached numba caller is not recompiled when
a callee in another file changes.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_kernels import _max, _min

# The same bits whether compiled now or before: no sum is reordered and no product fused.
_EXACT = {"cache": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

# For the inner products of the factorisation.
_FAST = _EXACT | {"fastmath": {"nnan", "nsz", "reassoc", "contract"}}

CONVERGED, BUDGET, STALLED, GAVE_UP = 0, 1, 2, 3

_TAU = np.float32(1e-12)  # curvature of a pair that is not positive (identical points)
_ZERO = np.float32(0.0)

_BLOCK = 64

# Distance from a bound that is rounding, as a share of the numbers that lead there.
_SNAP = 1e-14

# Added to the diagonal of a Newton system: this share of tol over the largest |beta| leaves the
# scores within that share of tol; at least what rounding of K demands.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# Kernel values below this share of the largest are taken for zero where they cannot matter:
# arithmetic with the denormal numbers that they lead to takes many times as long.
_LEAST_KERNEL = 1e-30

# With so few free variables a Newton step comes before the first pair updates.
_FEW = 40

# Scores are computed afresh when they claim the end; so often at most for one problem.
_MAX_REFRESHES = 50

# Rows of a block of the Cholesky factor.
_PANEL = 32

# Change of the number of free variables, relative, that counts as none.
_STEADY = 0.02

# Pair updates of the first burst; each burst is so many times as long as the one before.
_FIRST_BURST, _GROWTH = 30, 1.5


@njit(inline="always")
def _mask_of(beta, low, high):
    """0 for a free variable, +inf for one that cannot fall and -inf for one that cannot rise."""
    if beta <= low:
        return np.inf
    return 0.0 if beta < high else -np.inf


@njit(inline="always")
def _snapped(beta, before, low, high):
    """beta, or the bound that it is at but for rounding: the bias is a mean over free variables."""
    if beta - low <= _SNAP * (abs(before) + abs(low)):
        return low
    return high if high - beta <= _SNAP * (abs(before) + abs(high)) else beta


@njit(**_EXACT)
def _subtract_rows(K, indices, weights, scores):
    """scores -= sum over the indices of weights[i] * K[i]."""
    n, count = scores.shape[0], indices.shape[0]
    a = 0
    while a + 4 <= count:
        i, j, p, q = indices[a], indices[a + 1], indices[a + 2], indices[a + 3]
        A, B, C, D = K[i], K[j], K[p], K[q]
        s, t, u, v = weights[a], weights[a + 1], weights[a + 2], weights[a + 3]
        for k in range(n):
            scores[k] -= (s * A[k] + t * B[k]) + (u * C[k] + v * D[k])
        a += 4
    while a < count:
        A, s = K[indices[a]], weights[a]
        for k in range(n):
            scores[k] -= s * A[k]
        a += 1


@njit(**_EXACT)
def _refresh(K, y, ridge, beta, scores):
    """scores = y - (K + D) beta."""
    scores[:] = y - ridge * beta
    support = np.flatnonzero(beta)
    _subtract_rows(K, support, beta[support], scores)


@njit(**_EXACT)
def _violation(scores, mask):
    """max of the scores that may rise minus min of those that may fall."""
    top, bottom = -np.inf, np.inf
    for k in range(scores.shape[0]):
        top = _max(top, scores[k] + _min(mask[k], 0.0))
        bottom = _min(bottom, scores[k] + _max(mask[k], 0.0))
    return top - bottom


@njit(**_EXACT)
def _update_pairs(K, single, known, diagonal, lengths, beta, scores, mask, low, high, ridge, gains,
                  fallen, tol, limit):
    """Up to `limit` pair updates; return the number made and a status.

    Maxima are taken over blocks, in registers; only the best block is searched for its place.
    Rows of `single` are filled when they are needed first.
    """
    n = scores.shape[0]
    full = n - n % _BLOCK
    done = 0
    # Single precision holds scores less the last top, so that violations keep their digits.
    step, base = 0.0, scores[0]
    A = B = K[0]
    while True:
        top, bottom, place = -np.inf, np.inf, 0
        for start in range(0, full, _BLOCK):
            block_top = -np.inf
            for k in range(start, start + _BLOCK):
                value = scores[k] - step * (A[k] - B[k])
                scores[k] = value
                block_top = _max(block_top, value + _min(mask[k], 0.0))
                falling = value + _max(mask[k], 0.0)
                bottom = _min(bottom, falling)
                fallen[k] = np.float32(falling - base)
            if block_top > top:
                top, place = block_top, start
        block_top = -np.inf
        for k in range(full, n):
            value = scores[k] - step * (A[k] - B[k])
            scores[k] = value
            block_top = _max(block_top, value + _min(mask[k], 0.0))
            falling = value + _max(mask[k], 0.0)
            bottom = _min(bottom, falling)
            fallen[k] = np.float32(falling - base)
        if block_top > top:
            top, place = block_top, full
        if not top - bottom > tol:
            return done, CONVERGED
        if done >= limit:
            return done, BUDGET
        i = place
        while i < n - 1 and scores[i] + _min(mask[i], 0.0) != top:
            i += 1
        R, S, length = K[i], single[i], lengths[i]
        if not known[i]:
            known[i] = True
            for k in range(n):
                S[k] = np.float32(R[k] if abs(R[k]) > _LEAST_KERNEL * diagonal[i] else 0.0)
        height = np.float32(top - base)
        base = top
        best, place = _ZERO, 0
        for start in range(0, full, _BLOCK):
            block_best = _ZERO
            for k in range(start, start + _BLOCK):
                fall = _max(height - fallen[k], _ZERO)
                r = S[k]
                gain = fall * fall / _max((length + lengths[k]) - (r + r), _TAU)
                gains[k] = gain
                block_best = _max(block_best, gain)
            if block_best > best:
                best, place = block_best, start
        block_best = _ZERO
        for k in range(full, n):
            fall = _max(height - fallen[k], _ZERO)
            r = S[k]
            gain = fall * fall / _max((length + lengths[k]) - (r + r), _TAU)
            gains[k] = gain
            block_best = _max(block_best, gain)
        if block_best > best:
            best, place = block_best, full
        j = place
        while j < n - 1 and gains[j] != best:
            j += 1
        if not best > _ZERO or not best < np.inf or not top > scores[j]:
            # Beyond the range or the digits of single precision the most violating partner serves.
            j = 0
            while j < n - 1 and scores[j] + _max(mask[j], 0.0) != bottom:
                j += 1
        curvature = diagonal[i] + diagonal[j] - 2.0 * R[j]
        step = (top - scores[j]) / max(curvature, 1e-12)
        room_up, room_down = high[i] - beta[i], beta[j] - low[j]
        old_i, old_j = beta[i], beta[j]
        if step >= room_up and room_up <= room_down:
            step = room_up
            beta[i] = high[i]
            beta[j] = _snapped(old_j - step, old_j, low[j], high[j])
        elif step >= room_down:
            step = room_down
            beta[i] = _snapped(old_i + step, old_i, low[i], high[i])
            beta[j] = low[j]
        else:
            beta[i] = _snapped(old_i + step, old_i, low[i], high[i])
            beta[j] = _snapped(old_j - step, old_j, low[j], high[j])
        if beta[i] == old_i and beta[j] == old_j:
            return done, STALLED
        mask[i] = _mask_of(beta[i], low[i], high[i])
        mask[j] = _mask_of(beta[j], low[j], high[j])
        scores[i] -= step * ridge[i]
        scores[j] += step * ridge[j]
        A, B = R, K[j]
        done += 1


@njit(**_FAST)
def _factorise(A):
    """Overwrite the lower triangle of A by its Cholesky factor; the diagonal by the inverse of its.

    Return False where A is not positive definite. Blocks of rows below are updated by products of
    matrices.
    """
    m = A.shape[0]
    for first in range(0, m, _PANEL):
        last = min(first + _PANEL, m)
        if first > 0:
            done = np.ascontiguousarray(A[first:, :first])
            A[first:, first:last] -= np.dot(done, done[: last - first].T)
        for i in range(first, m):
            row = A[i]
            for j in range(first, min(i, last)):
                other = A[j]
                value = row[j]
                for k in range(first, j):
                    value -= row[k] * other[k]
                row[j] = value * other[j]
            if i < last:
                value = row[i]
                for k in range(first, i):
                    value -= row[k] * row[k]
                if not value > 0.0:
                    return False
                row[i] = 1.0 / np.sqrt(value)
    return True


@njit(**_FAST)
def _solve_factored(A, x):
    """Overwrite x by the solution of L L'z = x for the factor that `_factorise` has left."""
    m = x.shape[0]
    for i in range(m):
        row = A[i]
        value = x[i]
        for k in range(i):
            value -= row[k] * x[k]
        x[i] = value * row[i]
    for i in range(m - 1, -1, -1):
        row = A[i]
        value = x[i] * row[i]
        x[i] = value
        for k in range(i):
            x[k] -= value * row[k]


@njit(**_FAST)
def _invert(A):
    """Overwrite the factor that `_factorise` has left by the inverse of the matrix."""
    m = A.shape[0]
    work = np.empty(m)
    # Row i of L^-1 = (e_i - sum_{k<i} L_ik row_k) / L_ii, in place: L_ik is used before it is lost.
    for i in range(m):
        row = A[i]
        for j in range(i):
            work[j] = 0.0
        for k in range(i):
            factor, other = row[k], A[k]
            for j in range(k + 1):
                work[j] += factor * other[j]
        scale = row[i]
        for j in range(i):
            row[j] = -scale * work[j]
    # A^-1 = sum_k (row k of L^-1)' (row k of L^-1).
    for i in range(m):
        for j in range(i):
            A[j, i] = 0.0
    A[:, :] = np.dot(A.T, A)


@njit(**_EXACT)
def _walk(P, w, target, room_up, room_down, moved):
    """Walk along the box to the minimiser over a face, or to where rounding ends it.

    `P` holds the inverse of A = (K + D)_FF, which is overwritten by P = A^-1 - w w' / e'w with
    w = A^-1 e; `target` is the displacement to the minimiser were there no bounds. Where a bound
    comes first the walk stops there, fixes the variable r, by P - P_r P_r' / P_rr, and goes on.
    """
    k = w.shape[0]
    column, order = np.empty(k), np.arange(k)
    moved[:] = 0.0
    w_sum = w.sum()
    for a in range(k):
        row, factor = P[a], w[a] / w_sum
        for b in range(k):
            row[b] -= factor * w[b]
    while k > 1:
        first, length, rising = -1, 1.0, False
        for a in range(k):
            c = order[a]
            room = (room_up[c] if target[a] > 0.0 else room_down[c]) - moved[c]
            if target[a] != 0.0 and room / target[a] < length:
                length, first, rising = max(room / target[a], 0.0), a, target[a] > 0.0
        for a in range(k):
            moved[order[a]] += length * target[a]
            target[a] -= length * target[a]
        if first < 0:
            return
        c = order[first]
        moved[c] = room_up[c] if rising else room_down[c]
        pivot = P[first, first]
        if not pivot > 0.0:
            return
        k -= 1
        column[: k + 1] = P[first, : k + 1]
        column[first] = column[k]
        if first != k:
            P[first, : k + 1] = P[k, : k + 1]
            P[:k, first] = P[:k, k]
            P[first, first] = P[k, k]
        share = target[first] / pivot
        target[first] = target[k]
        order[first] = order[k]
        for a in range(k):
            row, factor = P[a], column[a] / pivot
            target[a] -= share * column[a]
            for b in range(k):
                row[b] -= factor * column[b]


@njit(**_EXACT)
def _newton(K, diagonal, ridge, beta, scores, mask, low, high, tol):
    """Walk to the minimiser over the face of the free variables; return whether it was descent."""
    free = np.flatnonzero(mask == 0.0)
    m = free.size
    if m < 2:
        return False
    before, least, most = beta[free], low[free], high[free]
    scale = diagonal[free].max()
    jitter = _JITTER_SHARE * tol / max(np.abs(before).max(), 1e-300)
    jitter = min(max(jitter, _LEAST_JITTER * scale), 1e-3 * scale)
    A = np.empty((m, m))
    for a in range(m):
        row, system = K[free[a]], A[a]
        for b in range(m):
            value = row[free[b]]
            system[b] = value if abs(value) > _LEAST_KERNEL * scale else 0.0
        system[a] += jitter + ridge[free[a]]
    if not _factorise(A):
        return False
    w, target = np.ones(m), scores[free]
    target -= target.mean()
    _solve_factored(A, w)
    _solve_factored(A, target)
    target -= target.sum() / w.sum() * w
    moved = target.copy()
    if ((moved > most - before) | (moved < least - before)).any():
        _invert(A)
        _walk(A, w, target, most - before, least - before, moved)
    # Bounds are met exactly; the variable with most room takes what rounding leaves of the sum.
    after = np.where(moved >= most - before, most, before + moved)
    after = np.where(moved <= least - before, least, after)
    room = np.minimum(most - after, after - least)
    moved = after - before
    widest, excess = room.argmax(), moved.sum()
    if not abs(excess) <= room[widest]:
        return False
    moved[widest] -= excess
    gain = (moved * scores[free]).sum()
    _subtract_rows(K, free, moved, scores)
    scores[free] -= ridge[free] * moved
    gain += (moved * scores[free]).sum()
    if not gain > 0.0:
        scores[free] += ridge[free] * moved
        _subtract_rows(K, free, -moved, scores)
        return False
    for a in range(m):
        i = free[a]
        beta[i] = _snapped(before[a] + moved[a], before[a], low[i], high[i])
        mask[i] = _mask_of(beta[i], low[i], high[i])
    return True


@njit(**_EXACT)
def solve(K, single, known, y, low, high, ridge, beta, scores, tol, budget, effort):
    """Solve from beta and its scores, both of which are updated; return updates and status.

    Those rows of `single` that are known hold K in single precision; the others are filled when
    they are needed. No bound may be infinite. `effort` limits the estimated nanoseconds. The scores
    are fresh where the problem is solved.
    """
    n = y.shape[0]
    diagonal, mask = np.diag(K) + ridge, np.empty(n)
    lengths = diagonal.astype(np.float32)
    gains, fallen = np.empty_like(lengths), np.empty_like(lengths)
    for i in range(n):
        mask[i] = _mask_of(beta[i], low[i], high[i])
    n_free = np.count_nonzero(mask == 0.0)
    walks = n_free <= _FEW and _violation(scores, mask) > tol
    pair_cost = 60.0 + 0.66 * n
    done, refreshes, burst = 0, 0, _FIRST_BURST
    since, since_best, total, best, is_steady = 0.0, 0.0, 0.0, np.inf, False
    while True:
        if walks:
            _newton(K, diagonal, ridge, beta, scores, mask, low, high, tol)
            since, burst = 0.0, _FIRST_BURST
        more, status = _update_pairs(K, single, known, diagonal, lengths, beta, scores, mask, low,
                                     high, ridge, gains, fallen, tol, min(burst, budget - done))
        done += more
        if status == CONVERGED or status == STALLED:
            _refresh(K, y, ridge, beta, scores)
            if _violation(scores, mask) <= tol:
                return done, CONVERGED
            refreshes += 1
            if refreshes > _MAX_REFRESHES:
                return done, STALLED
            walks = status == STALLED
            continue
        if done >= budget:
            return done, BUDGET
        burst = int(_GROWTH * burst)
        since += pair_cost * more
        since_best += pair_cost * more
        total += pair_cost * more
        violation = _violation(scores, mask)
        fall = max(best / violation, 1.05)
        remaining = since_best * np.log(violation / tol) / np.log(fall)
        if violation < best:
            best, since_best = violation, 0.0
        before, was_steady = n_free, is_steady
        n_free = np.count_nonzero(mask == 0.0)
        is_steady = abs(n_free - before) <= _STEADY * n_free
        # A step that meets no bound costs less, and can be hoped for where the face has settled.
        step_cost = 3000.0 + n_free * (0.3 * n + 4.0 * n_free + n_free**2 / 33.0)
        cost = step_cost + n_free**3 / 7.0
        walks = since >= max(cost, 0.1 * total) or (
            was_steady and is_steady and since > 0.3 * step_cost and remaining > step_cost
        )
        if walks:
            total += cost
        if total > effort:
            return done, GAVE_UP


@njit(**_EXACT)
def carry_over(y, factors, before, cost, beta, scores, low, high):
    """Go from the solution of an L1-SVM for one cost to a start for the next larger one.

    It is scaled by the ratio of the costs, which keeps sum b = 0 and every variable on its side of
    the box: bounded ones stay bounded, free ones free. Without a bound that holds a variable the
    solution solves the next problem too; return whether this is so. `factors` are those of the
    samples on the cost; the cost before the first is 0, with beta = low = high = 0.
    """
    holds = False
    for i in range(y.shape[0]):
        holds |= beta[i] != 0.0 and not low[i] < beta[i] < high[i]
    ratio = cost / before if holds else 1.0
    for i in range(y.shape[0]):
        is_held = beta[i] != 0.0 and not low[i] < beta[i] < high[i]
        bound = y[i] * cost * factors[i]
        low[i], high[i] = min(bound, 0.0), max(bound, 0.0)
        beta[i] = bound if is_held else min(max(ratio * beta[i], low[i]), high[i])
        scores[i] = y[i] - ratio * (y[i] - scores[i])
    return before > 0.0 and not holds
