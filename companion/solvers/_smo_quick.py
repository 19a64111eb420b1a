"""Compiled pair updates with second-order selection, where the sequence of pairs may change.

For few samples ``solve_small`` takes pair updates and Newton steps over the free variables in turns
to the end. No function of another file is called but intrinsics.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_kernels import BUDGET, CONVERGED, NEEDS_ROW, STALLED, TAU, _max, _min

GAVE_UP = 4

# No sum is reordered and no product fused.
_EXACT = {"cache": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "nogil": True}

_QUICK = _EXACT | {"fastmath": {"nnan", "nsz", "contract"}}

# For the inner products of the factorisation.
_FAST = _EXACT | {"fastmath": {"nnan", "nsz", "reassoc", "contract"}}

# A callee becomes part of its caller where rounding is up to the compiler. Otherwise the process
# that compiles both calls the callee's own code, a process that loads the caller from the cache
# calls the copy in there, and results differ in the last digits.
_PART = {"forceinline": True}

_BLOCK = 64

# Distance from a bound that is rounding, as a share of the numbers that lead there.
_SNAP = 1e-14

# Added to the diagonal of a Newton system: this share of tol over the largest |beta| leaves the
# scores within that share of tol; at least what rounding of K demands.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# Kernel values below this share of the largest are taken for zero where they cannot matter:
# arithmetic with the denormal numbers that they lead to takes many times as long.
_LEAST_KERNEL = 1e-30

# With so few free variables a Newton step comes before the first pair updates. Scores are computed
# afresh when they claim the end, so often at most.
_FEW, _MAX_REFRESHES = 40, 50

# Rows of a block of the inverse; relative change of the free variables that counts as none.
_PANEL, _STEADY = 64, 0.02

# Pair updates of the first burst; each burst is so many times as long as the one before.
_FIRST_BURST, _GROWTH = 30, 1.5

_ZERO, _LEAST = np.float32(0.0), np.float32(TAU)


@njit(inline="always")
def _mask_of(beta, low, high):
    """0 for a free variable, +inf for one that cannot fall and -inf for one that cannot rise."""
    if beta <= low:
        return np.inf
    return 0.0 if beta < high else -np.inf


@njit(inline="always")
def _snapped(beta, before, low, high):
    """beta, or the bound that it is at but for rounding: the bias is a mean over free variables."""
    rounding = _SNAP * (abs(before) + abs(beta))
    if beta - low <= rounding:
        return low
    return high if high - beta <= rounding else beta


@njit(inline="always")
def _gain(fallen, curvature, top):
    """(s_i - s_j)^2 / curvature for a j that may fall and has s_j < s_i = top, else 0."""
    violation = _max(top - fallen, _ZERO)
    return violation * violation / _max(np.float32(curvature), _LEAST)


@njit(**_QUICK, **_PART)
def run_quick_pairs(
    K, slot, used, diagonal, scores, beta, low, high, up, down, ridge, tol, budget, state, interval
):
    """Pair updates until the violation is at most tol, the budget is spent or a row is missing."""
    n = scores.shape[0]
    real = scores.dtype.type
    zero, infinity = real(0.0), real(np.inf)
    full = n - n % _BLOCK
    n_iter = state[0]
    clock = state[1]
    change = zero
    A = B = np.zeros(n, dtype=K.dtype)  # before the first step: no row of K need be there
    mask = np.empty(n, dtype=scores.dtype)
    for k in range(n):
        mask[k] = _mask_of(beta[k], low[k], high[k])
    gains = np.empty(n, dtype=np.float32)
    # Scores less the base, +inf for a sample that may not fall.
    base = real(interval[0]) if interval[0] > -np.inf else zero
    fallen = np.empty(n, dtype=np.float32)
    # In the precision of K, so that single-precision rows need no conversion in the second pass.
    lengths = diagonal.astype(K.dtype)
    status = CONVERGED
    while True:
        # One pass: keep the gradient current, find the most violating i, test for the end.
        top, bottom = -infinity, infinity
        top_block = 0
        for start in range(0, full, _BLOCK):
            block_top = -infinity
            for k in range(_BLOCK):
                value = scores[start + k] - change * (A[start + k] - B[start + k])
                scores[start + k] = value
                block_top = _max(block_top, value + _min(mask[start + k], zero))
                falling = value + _max(mask[start + k], zero)
                bottom = _min(bottom, falling)
                fallen[start + k] = np.float32(falling - base)
            if block_top > top:
                top, top_block = block_top, start
        block_top = -infinity
        for k in range(full, n):
            value = scores[k] - change * (A[k] - B[k])
            scores[k] = value
            block_top = _max(block_top, value + _min(mask[k], zero))
            falling = value + _max(mask[k], zero)
            bottom = _min(bottom, falling)
            fallen[k] = np.float32(falling - base)
        if block_top > top:
            top, top_block = block_top, full
        if not top - bottom > tol:
            status = CONVERGED
            break
        if n_iter >= budget:
            status = BUDGET
            break
        i = top_block
        while i < n - 1 and scores[i] + _min(mask[i], zero) != top:
            i += 1
        if slot[i] < 0:
            status, state[2] = NEEDS_ROW, i
            break
        clock += 1
        used[i] = clock

        # The partner of largest gain (Fan, Chen & Lin 2005).
        best, best_block = _ZERO, 0
        R = K[slot[i]]
        length = lengths[i]
        height = np.float32(top - base)
        for start in range(0, full, _BLOCK):
            block_best = _ZERO
            for k in range(_BLOCK):
                curvature = (length + lengths[start + k]) - (R[start + k] + R[start + k])
                gain = _gain(fallen[start + k], curvature, height)
                gains[start + k] = gain
                block_best = _max(block_best, gain)
            if block_best > best:
                best, best_block = block_best, start
        block_best = _ZERO
        for k in range(full, n):
            curvature = (length + lengths[k]) - (R[k] + R[k])
            gain = _gain(fallen[k], curvature, height)
            gains[k] = gain
            block_best = _max(block_best, gain)
        if block_best > best:
            best, best_block = block_best, full
        base = top
        j = best_block
        while j < n - 1 and gains[j] != best:
            j += 1
        if not best > _ZERO or not best < np.inf or not top > scores[j]:
            # Beyond the range or the digits of single precision the most violating partner serves.
            j = 0
            while j < n - 1 and scores[j] + _max(mask[j], zero) != bottom:
                j += 1
        if slot[j] < 0:
            status, state[2] = NEEDS_ROW, j
            break
        used[j] = clock

        # The step along e_i - e_j, clipped to the box (eq. 9 of the paper for [-C, C]).
        curvature = diagonal[i] + diagonal[j] - 2.0 * R[j]
        step = (top - scores[j]) / max(curvature, TAU)
        room_up = high[i] - beta[i]
        room_down = beta[j] - low[j]
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
            status = STALLED
            break
        mask[i] = _mask_of(beta[i], low[i], high[i])
        mask[j] = _mask_of(beta[j], low[j], high[j])
        scores[i] -= step * ridge[i]
        scores[j] += step * ridge[j]
        change = real(step)
        A, B = R, K[slot[j]]
        n_iter += 1
    for k in range(n):
        up[k] = _min(mask[k], zero)
        down[k] = _max(mask[k], zero)
    state[0] = n_iter
    state[1] = clock
    interval[0] = top
    interval[1] = bottom
    return status


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
    for k in range(y.shape[0]):
        scores[k] = y[k] - ridge[k] * beta[k]
    support = np.flatnonzero(beta)
    _subtract_rows(K, support, beta[support], scores)


@njit(**_FAST, **_PART)
def _factorise(A):
    """The Cholesky factor of A, its diagonal inverted; LinAlgError where there is none."""
    factor = np.ascontiguousarray(np.linalg.cholesky(A))
    for i in range(A.shape[0]):
        factor[i, i] = 1.0 / factor[i, i]
    return factor


@njit(**_FAST, **_PART)
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


@njit(**_FAST, **_PART)
def _inverse(factor):
    """The inverse of the matrix of which `_factorise` has given the factor."""
    m = factor.shape[0]
    lower = np.zeros((m, m))
    # Row i of L^-1 = (e_i - sum_{k<i} L_ik row_k) / L_ii.
    for i in range(m):
        row, target = factor[i], lower[i]
        k = 0
        while k + 4 <= i:
            a, b, c, d = row[k], row[k + 1], row[k + 2], row[k + 3]
            A, B, C, D = lower[k], lower[k + 1], lower[k + 2], lower[k + 3]
            for j in range(k + 4):
                target[j] -= (a * A[j] + b * B[j]) + (c * C[j] + d * D[j])
            k += 4
        while k < i:
            a, A = row[k], lower[k]
            for j in range(k + 1):
                target[j] -= a * A[j]
            k += 1
        target[i] = 1.0
        for j in range(i + 1):
            target[j] *= row[i]
    # The inverse is L^-T L^-1, of which the rows above do not count for the columns of a panel.
    inverse = np.empty((m, m))
    for first in range(0, m, _PANEL):
        last = min(first + _PANEL, m)
        panel = np.ascontiguousarray(lower[first:, first:last].T)
        product = np.dot(panel, np.ascontiguousarray(lower[first:, :last]))
        for i in range(first, last):
            for j in range(last):
                inverse[i, j] = product[i - first, j]
        for j in range(first):
            for i in range(first, last):
                inverse[j, i] = inverse[i, j]
    return inverse


@njit(**_EXACT)
def _walk(P, w, target, room_up, room_down, moved):
    """Walk along the box to the minimiser over a face, or to where rounding ends it."""
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
        for b in range(k + 1):
            column[b] = P[first, b]
        column[first] = column[k]
        if first != k:
            for b in range(k + 1):
                P[first, b] = P[k, b]
            for b in range(k):
                P[b, first] = P[b, k]
            P[first, first] = P[k, k]
        share = target[first] / pivot
        target[first] = target[k]
        order[first] = order[k]
        for a in range(k):
            row, factor = P[a], column[a] / pivot
            target[a] -= share * column[a]
            for b in range(k):
                row[b] -= factor * column[b]


@njit(**_EXACT, **_PART)
def _newton(K, diagonal, ridge, beta, scores, up, down, low, high, tol):
    """Walk to the minimiser over the face of the free variables; return whether it was descent."""
    free = np.flatnonzero(up == down)
    m = free.size
    if m < 2:
        return False
    before, least, most, pull = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    scale, largest = 0.0, 1e-300
    for a in range(m):
        i = free[a]
        before[a], pull[a] = beta[i], scores[i]
        least[a], most[a] = low[i] - beta[i], high[i] - beta[i]
        scale, largest = max(scale, diagonal[i]), max(largest, abs(beta[i]))
    jitter = min(max(_JITTER_SHARE * tol / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    A = np.empty((m, m))
    for a in range(m):
        row, system = K[free[a]], A[a]
        for b in range(m):
            value = row[free[b]]
            system[b] = value if abs(value) > _LEAST_KERNEL * scale else 0.0
        system[a] += jitter + ridge[free[a]]
    factor = _factorise(A)
    w, target = np.ones(m), pull - pull.mean()
    _solve_factored(factor, w)
    _solve_factored(factor, target)
    shift = target.sum() / w.sum()
    meets_bound = False
    for a in range(m):
        target[a] -= shift * w[a]
        meets_bound |= target[a] > most[a] or target[a] < least[a]
    moved = target.copy()
    if meets_bound:
        _walk(_inverse(factor), w, target, most, least, moved)
    # Bounds are met exactly; the variable with most room takes what rounding leaves of the sum.
    excess, widest, room = 0.0, 0, -np.inf
    for a in range(m):
        i = free[a]
        after = before[a] + moved[a]
        if moved[a] >= most[a]:
            after = high[i]
        if moved[a] <= least[a]:
            after = low[i]
        moved[a] = after - before[a]
        excess += moved[a]
        if min(high[i] - after, after - low[i]) > room:
            widest, room = a, min(high[i] - after, after - low[i])
    if not abs(excess) <= room:
        return False
    moved[widest] -= excess
    gain = 0.0
    for a in range(m):
        gain += moved[a] * pull[a]
    _subtract_rows(K, free, moved, scores)
    for a in range(m):
        scores[free[a]] -= ridge[free[a]] * moved[a]
        gain += moved[a] * scores[free[a]]
    if not gain > 0.0:
        for a in range(m):
            scores[free[a]] += ridge[free[a]] * moved[a]
        _subtract_rows(K, free, -moved, scores)
        return False
    for a in range(m):
        i = free[a]
        beta[i] = _snapped(before[a] + moved[a], before[a], low[i], high[i])
        up[i] = 0.0 if beta[i] < high[i] else -np.inf
        down[i] = 0.0 if beta[i] > low[i] else np.inf
    return True


@njit(**_EXACT)
def _violation(scores, up, down):
    """max of the scores that may rise minus min of those that may fall."""
    top, bottom = -np.inf, np.inf
    for k in range(scores.shape[0]):
        top = _max(top, scores[k] + up[k])
        bottom = _min(bottom, scores[k] + down[k])
    return top - bottom


@njit(**_EXACT)
def solve_small(
    K, diagonal, y, low, high, ridge, beta, scores, up, down, tol, budget, effort, state, interval
):
    """Solve in one call for few samples, all rows of K at hand; return a status."""
    n = y.shape[0]
    slot, used = np.arange(n), np.zeros(n, dtype=np.int64)
    n_free = np.count_nonzero(up == down)
    interval[0] = -np.inf
    walks = n_free <= _FEW and _violation(scores, up, down) > tol
    pair_cost = 60.0 + 0.66 * n
    refreshes, burst = 0, _FIRST_BURST
    since, since_best, total, best, is_steady = 0.0, 0.0, 0.0, np.inf, False
    while True:
        if walks:
            _newton(K, diagonal, ridge, beta, scores, up, down, low, high, tol)
            since, burst = 0.0, _FIRST_BURST
        done = state[0]
        status = run_quick_pairs(
            K,
            slot,
            used,
            diagonal,
            scores,
            beta,
            low,
            high,
            up,
            down,
            ridge,
            tol,
            min(done + burst, budget),
            state,
            interval,
        )
        if status == CONVERGED or status == STALLED:  # noqa: SIM109
            _refresh(K, y, ridge, beta, scores)
            if _violation(scores, up, down) <= tol:
                return CONVERGED
            refreshes += 1
            if refreshes > _MAX_REFRESHES:
                return STALLED
            walks = status == STALLED
            continue
        if state[0] >= budget:
            return BUDGET
        burst = int(_GROWTH * burst)
        spent = pair_cost * (state[0] - done)
        since += spent
        since_best += spent
        total += spent
        violation = interval[0] - interval[1]
        fall = max(best / violation, 1.05)
        remaining = since_best * np.log(violation / tol) / np.log(fall)
        if violation < best:
            best, since_best = violation, 0.0
        before, was_steady = n_free, is_steady
        n_free = np.count_nonzero(up == down)
        is_steady = abs(n_free - before) <= _STEADY * n_free
        # A step that meets no bound costs less, and can be hoped for where the face has settled.
        step_cost = 3000.0 + n_free * (0.3 * n + 2.0 * n_free + n_free**2 / 45.0)
        cost = step_cost + n_free**3 / 10.0
        walks = since >= max(cost, 0.1 * total) or (
            was_steady and is_steady and since > 0.6 * step_cost and remaining > cost
        )
        if walks:
            total += cost
        if total > effort:
            return GAVE_UP
