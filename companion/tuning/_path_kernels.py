"""Compiled path of L1-SVM solutions over ascending C, for problems that fit in the cache.

The problem in beta_i = y_i alpha_i, with scores s = y - K beta, the negative gradient:

    min 1/2 b'Kb - y'b   s.t.   sum b = 0,   low(C) <= b <= high(C),   one of low, high being 0.

A solution is scaled by the ratio of the next C to its own, which keeps sum b = 0 and every variable
on its side of the box: bounded ones stay bounded, free ones free. A Newton step over the free
variables follows, which ends the work where no variable changes sides; otherwise pair updates
(second order, as in :mod:`companion.solvers.smo`) change sides and Newton steps finish, in turns.

With two hundred samples a pair update takes a quarter of a microsecond and a Newton step over
twenty variables ten: calls from Python would take longer than they do, so the whole path is one
call.

No function of another file is called but intrinsics: a cached numba caller is not recompiled when
a callee in another file changes.
"""

import numpy as np
from numba import njit

from companion.solvers._smo_kernels import _max, _min

_FAST = {
    "cache": True,
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "reassoc", "contract"},
    "nogil": True,
}

CONVERGED, BUDGET, STALLED = 0, 1, 2

_TAU = np.float32(1e-12)  # curvature of a pair that is not positive (identical points)
_ZERO = np.float32(0.0)

_BLOCK = 64

# Distance from a bound, as a share of the box, that is rounding.
_SNAP = 1e-14

# Added to the diagonal of a Newton system: this share of tol over the largest |beta| leaves the
# scores within that share of tol; at least what rounding of K demands.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# Kernel values below this share of the largest are taken for zero: they are lost in every sum, and
# arithmetic with the denormal numbers that they lead to takes many times as long.
_LEAST_KERNEL = 1e-30

# With so few free variables a Newton step comes before the first pair updates for a C.
_FEW = 40

# Scores are computed afresh when they claim the end; so often at most for one C.
_MAX_REFRESHES = 50


@njit(inline="always")
def _mask_of(beta, low, high):
    """0 for a free variable, +inf for one that cannot fall and -inf for one that cannot rise."""
    if beta <= low:
        return np.inf
    return 0.0 if beta < high else -np.inf


@njit(inline="always")
def _snapped(beta, low, high):
    """beta, or the bound that it is at but for rounding: the bias is a mean over free variables."""
    if beta - low <= _SNAP * (high - low):
        return low
    return high if high - beta <= _SNAP * (high - low) else beta


@njit(**_FAST)
def _refresh(K, y, beta, scores):
    """scores = y - K beta."""
    n = y.shape[0]
    for k in range(n):
        scores[k] = y[k]
    for i in range(n):
        if beta[i] != 0.0:
            row, weight = K[i], beta[i]
            for k in range(n):
                scores[k] -= weight * row[k]


@njit(**_FAST)
def _violation(scores, mask):
    """max of the scores that may rise minus min of those that may fall."""
    top, bottom = -np.inf, np.inf
    for k in range(scores.shape[0]):
        top = _max(top, scores[k] + _min(mask[k], 0.0))
        bottom = _min(bottom, scores[k] + _max(mask[k], 0.0))
    return top - bottom


@njit(**_FAST)
def _update_pairs(K, single, diagonal, lengths, beta, scores, mask, low, high, gains, tol, limit):
    """Up to `limit` pair updates; return the number made and a status.

    Maxima are taken over blocks, in registers; only the best block is searched for its place.
    """
    n = scores.shape[0]
    full = n - n % _BLOCK
    done = 0
    step = 0.0
    A = B = K[0]
    while True:
        top, bottom, place = -np.inf, np.inf, 0
        for start in range(0, full, _BLOCK):
            block_top = -np.inf
            for k in range(start, start + _BLOCK):
                value = scores[k] - step * (A[k] - B[k])
                scores[k] = value
                block_top = _max(block_top, value + _min(mask[k], 0.0))
                bottom = _min(bottom, value + _max(mask[k], 0.0))
            if block_top > top:
                top, place = block_top, start
        block_top = -np.inf
        for k in range(full, n):
            value = scores[k] - step * (A[k] - B[k])
            scores[k] = value
            block_top = _max(block_top, value + _min(mask[k], 0.0))
            bottom = _min(bottom, value + _max(mask[k], 0.0))
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
        best, place = _ZERO, 0
        for start in range(0, full, _BLOCK):
            block_best = _ZERO
            for k in range(start, start + _BLOCK):
                fall = np.float32(_max(top - (scores[k] + _max(mask[k], 0.0)), 0.0))
                r = S[k]
                gain = fall * fall / _max((length + lengths[k]) - (r + r), _TAU)
                gains[k] = gain
                block_best = _max(block_best, gain)
            if block_best > best:
                best, place = block_best, start
        block_best = _ZERO
        for k in range(full, n):
            fall = np.float32(_max(top - (scores[k] + _max(mask[k], 0.0)), 0.0))
            r = S[k]
            gain = fall * fall / _max((length + lengths[k]) - (r + r), _TAU)
            gains[k] = gain
            block_best = _max(block_best, gain)
        if block_best > best:
            best, place = block_best, full
        j = place
        while j < n - 1 and gains[j] != best:
            j += 1
        if not best > _ZERO or not best < np.inf:  # outside the range of single precision
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
            beta[j] = _snapped(beta[j] - step, low[j], high[j])
        elif step >= room_down:
            step = room_down
            beta[i] = _snapped(beta[i] + step, low[i], high[i])
            beta[j] = low[j]
        else:
            beta[i] = _snapped(beta[i] + step, low[i], high[i])
            beta[j] = _snapped(beta[j] - step, low[j], high[j])
        if beta[i] == old_i and beta[j] == old_j:
            return done, STALLED
        mask[i] = _mask_of(beta[i], low[i], high[i])
        mask[j] = _mask_of(beta[j], low[j], high[j])
        A, B = R, K[j]
        done += 1


@njit(**_FAST)
def _invert(A, m):
    """Overwrite the positive definite A[:m, :m] by its inverse; return False where it is not."""
    # A = L L' below the diagonal, then L^-1, then L^-T L^-1.
    for i in range(m):
        row = A[i]
        for j in range(i):
            other = A[j]
            value = row[j]
            for k in range(j):
                value -= row[k] * other[k]
            row[j] = value * other[j]
        value = row[i]
        for k in range(i):
            value -= row[k] * row[k]
        if not value > 0.0:
            return False
        row[i] = 1.0 / np.sqrt(value)  # the diagonal holds the inverse of that of L
    # Row i of L^-1 = (e_i - sum_{k<i} L_ik row_k) / L_ii, in place: L_ik is used before it is lost.
    work = np.empty(m)
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
    # A^-1 = sum_k (row k of L^-1)' (row k of L^-1): upper triangle first, then mirrored.
    for i in range(m):
        for j in range(i):
            A[j, i] = A[i, j]  # M = (L^-1)' in the upper triangle
    for i in range(m):
        row = A[i]
        for j in range(i, m):
            other = A[j]
            value = 0.0
            for k in range(j, m):
                value += row[k] * other[k]
            work[j] = value
        for j in range(i, m):
            row[j] = work[j]
    for i in range(m):
        for j in range(i):
            A[i, j] = A[j, i]
    return True


@njit(**_FAST)
def _walk(P, free, m, scores, beta, low, high, moved):
    """Displacement to the minimiser over the face of the free variables, or to where it leads.

    `P` holds the inverse of K_FF, which is overwritten by P = A^-1 - w w' / e'w, w = A^-1 e: the
    minimiser keeping the sum is at P s. Where a bound comes first the walk stops there, fixes the
    variable r, by P - P_r P_r' / P_rr, and goes on.
    """
    w, target, column = np.empty(m), np.empty(m), np.empty(m)
    order = np.arange(m)
    w_sum, mean = 0.0, 0.0
    for a in range(m):
        value = 0.0
        for b in range(m):
            value += P[a, b]
        w[a] = value
        w_sum += value
        mean += scores[free[a]]
    mean /= m
    for b in range(m):
        column[b] = scores[free[b]] - mean
    for a in range(m):
        row, factor, value = P[a], w[a] / w_sum, 0.0
        for b in range(m):
            p = row[b] - factor * w[b]
            row[b] = p
            value += p * column[b]
        target[a] = value
        moved[a] = 0.0
    k = m
    while k > 1:
        first, length, rising = -1, 1.0, False
        for a in range(k):
            c = order[a]
            i = free[c]
            if target[a] > 0.0:
                room = high[i] - beta[i] - moved[c]
            elif target[a] < 0.0:
                room = low[i] - beta[i] - moved[c]
            else:
                continue
            if room / target[a] < length:
                length, first, rising = max(room / target[a], 0.0), a, target[a] > 0.0
        for a in range(k):
            moved[order[a]] += length * target[a]
            target[a] -= length * target[a]
        if first < 0:
            return
        c = order[first]
        moved[c] = high[free[c]] - beta[free[c]] if rising else low[free[c]] - beta[free[c]]
        pivot = P[first, first]
        if not pivot > 0.0:
            return
        last = k - 1
        for a in range(k):
            column[a] = P[first, a]
        column[first] = column[last]
        if first != last:
            for a in range(k):
                P[first, a] = P[last, a]
            for a in range(k):
                P[a, first] = P[a, last]
            P[first, first] = P[last, last]
        share = target[first] / pivot
        target[first] = target[last]
        order[first] = order[last]
        k = last
        for a in range(k):
            row, factor = P[a], column[a] / pivot
            target[a] -= share * column[a]
            for b in range(k):
                row[b] -= factor * column[b]


@njit(**_FAST)
def _newton(K, diagonal, beta, scores, mask, low, high, tol, free, A, moved):
    """Walk to the minimiser over the face of the free variables; return whether it was descent."""
    n = scores.shape[0]
    m, largest, scale = 0, 1e-300, 0.0
    for i in range(n):
        if mask[i] == 0.0:
            free[m] = i
            m += 1
            largest = max(largest, abs(beta[i]))
            scale = max(scale, diagonal[i])
    if m < 2:
        return False
    jitter = min(max(_JITTER_SHARE * tol / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    for a in range(m):
        row, target = K[free[a]], A[a]
        for b in range(m):
            target[b] = row[free[b]]
        target[a] += jitter
    if not _invert(A, m):
        return False
    _walk(A, free, m, scores, beta, low, high, moved)
    # Bounds are met exactly; the variable with most room takes what rounding leaves of the sum.
    excess, widest, most = 0.0, 0, -1.0
    for a in range(m):
        i = free[a]
        value = beta[i] + moved[a]
        if moved[a] >= high[i] - beta[i]:
            value = high[i]
        elif moved[a] <= low[i] - beta[i]:
            value = low[i]
        room = min(high[i] - value, value - low[i])
        if room > most:
            widest, most = a, room
        moved[a] = value - beta[i]
        excess += moved[a]
    if not abs(excess) <= most:
        return False
    moved[widest] -= excess
    gain = 0.0
    for a in range(m):
        gain += moved[a] * scores[free[a]]
    for a in range(m):
        if moved[a] != 0.0:
            row, weight = K[free[a]], moved[a]
            for k in range(n):
                scores[k] -= weight * row[k]
    for a in range(m):
        gain += moved[a] * scores[free[a]]
    if not gain > 0.0:
        for a in range(m):
            row, weight = K[free[a]], moved[a]
            for k in range(n):
                scores[k] += weight * row[k]
        return False
    for a in range(m):
        i = free[a]
        beta[i] = _snapped(beta[i] + moved[a], low[i], high[i])
        mask[i] = _mask_of(beta[i], low[i], high[i])
    return True


@njit(**_FAST)
def solve_path(gram, y, factors, costs, tol, budget, alphas, products, n_iter):
    """Solve for ascending costs; write alpha and K (y alpha) of each; return how many are solved.

    A cost for which the budget of pair updates is spent, or that rounding keeps from the tolerance,
    ends the path. `factors` are those of the samples on C, all positive.
    """
    n = y.shape[0]
    diagonal, lengths = np.empty(n), np.empty(n, dtype=np.float32)
    largest = 0.0
    for i in range(n):
        diagonal[i] = gram[i, i]
        lengths[i] = np.float32(gram[i, i])
        largest = max(largest, gram[i, i])
    K, single = np.empty((n, n)), np.empty((n, n), dtype=np.float32)
    for i in range(n):
        for k in range(n):
            value = gram[i, k] if abs(gram[i, k]) > _LEAST_KERNEL * largest else 0.0
            K[i, k] = value
            single[i, k] = np.float32(value)
    beta, low, high = np.zeros(n), np.empty(n), np.empty(n)
    mask, scores, moved = np.empty(n), np.empty(n), np.empty(n)
    gains = np.empty(n, dtype=np.float32)
    free = np.empty(n, dtype=np.int64)
    A = np.empty((n, n))
    for k in range(n):
        scores[k] = y[k]
    for c in range(costs.shape[0]):
        # Without a bound that holds a variable the last solution solves this problem too.
        ratio = 1.0
        if c > 0:
            for i in range(n):
                if beta[i] != 0.0 and mask[i] != 0.0:
                    ratio = costs[c] / costs[c - 1]
        n_free = 0
        for i in range(n):
            bound = costs[c] * factors[i]
            is_held = c > 0 and beta[i] != 0.0 and mask[i] != 0.0
            low[i] = 0.0 if y[i] > 0.0 else -bound
            high[i] = bound if y[i] > 0.0 else 0.0
            beta[i] = y[i] * bound if is_held else min(max(ratio * beta[i], low[i]), high[i])
            scores[i] = y[i] - ratio * (y[i] - scores[i])
            mask[i] = _mask_of(beta[i], low[i], high[i])
            n_free += mask[i] == 0.0
        done, refreshes = 0, 0
        walks = n_free <= _FEW
        while c == 0 or ratio != 1.0:
            if walks:
                _newton(K, diagonal, beta, scores, mask, low, high, tol, free, A, moved)
                n_free = 0
                for i in range(n):
                    n_free += mask[i] == 0.0
            # Pair updates for as long as a Newton step would take, in nanoseconds.
            burst = int((3000.0 + n_free**3 / 3.0) / (60.0 + 0.75 * n)) + 1
            more, status = _update_pairs(K, single, diagonal, lengths, beta, scores, mask, low,
                                         high, gains, tol, min(burst, budget - done))
            done += more
            walks = True
            if status == CONVERGED or status == STALLED:
                _refresh(K, y, beta, scores)
                if _violation(scores, mask) <= tol:
                    break
                refreshes += 1
                if refreshes > _MAX_REFRESHES:
                    return c
                walks = status == STALLED
            elif done >= budget:
                return c
        n_iter[c] = done
        for i in range(n):
            alphas[c, i] = y[i] * beta[i] + 0.0
            products[c, i] = y[i] - scores[i]
    return costs.shape[0]
