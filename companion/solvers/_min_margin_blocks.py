"""Loops over the terms of the minimum-margin hinge of three classes in the plane, in blocks.

A block is one stretch of memory with all variables of its terms at distances that are known to the
compiler, so that it makes vector instructions, and that are no multiples of the size of a page.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from companion.solvers._min_margin_kernels import _LOOPS, _OPTIONS, LITTLE, MOVED, _largest

# Most terms of a block; the distance of two variables of a term in memory.
LANES = 320
_S = LANES + 8

# Newton steps towards the central path at the start: near it is enough.
_CENTRING_STEPS = 2

# Where a block has its variables: multipliers, slacks and their changes for own class and the two
# others, 1 / t, 1 / A, weights, the second-order terms over t, changes of f_l - f_j, what is to be
# summed over terms, columns of the design.
_X0, _X1, _X2 = 0, _S, 2 * _S
_T0, _T1, _T2 = 3 * _S, 4 * _S, 5 * _S
_DX0, _DX1, _DX2 = 6 * _S, 7 * _S, 8 * _S
_DT0, _DT1, _DT2 = 9 * _S, 10 * _S, 11 * _S
_O0, _O1, _O2 = 12 * _S, 13 * _S, 14 * _S
_INVERSE, _P = 15 * _S, 16 * _S
_E0, _E1, _E2 = 17 * _S, 18 * _S, 19 * _S
_D1, _D2 = 20 * _S, 21 * _S
_W10, _W20, _W21 = 22 * _S, 23 * _S, 24 * _S
_A1, _A2, _B1, _B2 = 25 * _S, 26 * _S, 27 * _S, 28 * _S
_PACE = _A0 = 29 * _S
_Z0, _Z1, _Z2 = 30 * _S, 31 * _S, 32 * _S
_WIDTH = 33 * _S


@njit(**_OPTIONS)
def block_sizes(counts):
    """Column and number of terms of every block, as even as multiples of 8 can be."""
    blocks, n_blocks = np.empty((3 + counts.sum() // LANES, 2), dtype=np.int64), 0
    for j in range(3):
        rest = counts[j]
        parts = -(-rest // LANES)
        while rest > 0:
            size = min(rest, -(-rest // (8 * parts)) * 8)
            blocks[n_blocks, 0], blocks[n_blocks, 1] = j, size
            n_blocks, parts, rest = n_blocks + 1, parts - 1, rest - size
    return blocks[:n_blocks].copy()


@njit(**_OPTIONS)
def memory(n_blocks):
    size = n_blocks * _WIDTH
    raw = np.empty(size + 8)
    first = (-raw.ctypes.data % 64) // 8
    data = raw[first : first + size].reshape((n_blocks, _WIDTH))
    data[:, _DX0 : _DT2 + _S] = 0.0
    return data


@njit(**_OPTIONS)
def arranged(Z, groups, p):
    """Blocks of all terms with weights and columns in place, and the terms' numbers."""
    counts = np.zeros(3, dtype=np.int64)
    for low, high, j, _ in groups:
        counts[j] += high - low
    blocks = block_sizes(counts)
    data = memory(blocks.shape[0])
    numbers = np.empty((blocks.shape[0], LANES), dtype=np.int64)
    k = 0
    for j in range(3):
        lane = 0
        for g in range(groups.shape[0]):
            if groups[g, 2] != j:
                continue
            low, start = groups[g, 0], groups[g, 3]
            first, last = start, start + groups[g, 1] - low
            while first < last:
                part = min(last - first, blocks[k, 1] - lane)
                d, own, i = data[k], numbers[k], low + first - start
                for b in range(part):
                    own[lane + b] = first + b
                    d[_P + lane + b] = p[first + b]
                for r in range(3):
                    at = _Z0 + r * _S + lane
                    row = Z[r, i : i + part]
                    for b in range(part):
                        d[at + b] = row[b]
                first, lane = first + part, lane + part
                if lane == blocks[k, 1]:
                    k, lane = k + 1, 0
    return blocks, data, numbers


@njit(**_LOOPS)
def class_differences(d, n, V, first, second):
    """Write f_l - f_j of f = Q V z for the two others into the block."""
    u0 = first[0] * V[0, 0] + first[1] * V[1, 0]
    u1 = first[0] * V[0, 1] + first[1] * V[1, 1]
    u2 = first[0] * V[0, 2] + first[1] * V[1, 2]
    v0 = second[0] * V[0, 0] + second[1] * V[1, 0]
    v1 = second[0] * V[0, 1] + second[1] * V[1, 1]
    v2 = second[0] * V[0, 2] + second[1] * V[1, 2]
    for b in range(n):
        z0, z1, z2 = d[_Z0 + b], d[_Z1 + b], d[_Z2 + b]
        d[_D1 + b] = u0 * z0 + u1 * z1 + u2 * z2
        d[_D2 + b] = v0 * z0 + v1 * z1 + v2 * z2


@njit(**_OPTIONS)
def weight_of(d, n):
    return d[_P : _P + n].sum()


@njit(**_OPTIONS)
def block_loss(d, n, level):
    """Sum of p (max_l (f_l + level [l != j]) - f_j) for the f_l - f_j of a block."""
    loss = 0.0
    for b in range(n):
        loss += d[_P + b] * max(0.0, max(d[_D1 + b], d[_D2 + b]) + level)
    return loss


@njit(**_LOOPS)
def centre(d, n, level, mu):
    """Put every term on the central path: t_l alpha_l = mu, sum alpha = p."""
    for b in range(n):
        p, g1, g2 = d[_P + b], d[_D1 + b] + level, d[_D2 + b] + level
        u = max(0.0, max(g1, g2)) + mu / p
        goal = p / mu
        for _ in range(_CENTRING_STEPS):
            t0, t1, t2 = u, u - g1, u - g2
            t12, t02, t01 = t1 * t2, t0 * t2, t0 * t1
            once = 1.0 / (t0 * t12)
            o0, o1, o2 = t12 * once, t02 * once, t01 * once
            u += (o0 + o1 + o2 - goal) / (o0 * o0 + o1 * o1 + o2 * o2)
        t0, t1, t2 = u, u - g1, u - g2
        o0, o1, o2 = 1.0 / t0, 1.0 / t1, 1.0 / t2
        share = p / (o0 + o1 + o2)
        d[_T0 + b], d[_T1 + b], d[_T2 + b] = t0, t1, t2
        d[_X0 + b], d[_X1 + b], d[_X2 + b] = share * o0, share * o1, share * o2


@njit(**_LOOPS)
def advance(d, n, length, sums):
    """Pass 1: the last step is made; loss, multipliers of margins and products are added up."""
    loss, total, mass = 0.0, 0.0, 0.0
    for b in range(n):
        x0 = d[_X0 + b] + length * d[_DX0 + b]
        x1 = d[_X1 + b] + length * d[_DX1 + b]
        x2 = d[_X2 + b] + length * d[_DX2 + b]
        t0 = d[_T0 + b] + length * d[_DT0 + b]
        t1 = d[_T1 + b] + length * d[_DT1 + b]
        t2 = d[_T2 + b] + length * d[_DT2 + b]
        d[_X0 + b], d[_X1 + b], d[_X2 + b] = x0, x1, x2
        d[_T0 + b], d[_T1 + b], d[_T2 + b] = t0, t1, t2
        p = d[_P + b]
        loss += p * (t0 - min(t0, min(t1, t2)))
        total += x1 + x2
        mass += x0 * t0 + x1 * t1 + x2 * t2
        # All reciprocals by one division.
        t01, t02, t12 = t0 * t1, t0 * t2, t1 * t2
        both = t01 * t2
        curvature = x0 * t12 + x1 * t02 + x2 * t01
        once = 1.0 / (both * curvature)
        inverse = both * both * once
        curvature *= once
        o0, o1, o2 = t12 * curvature, t02 * curvature, t01 * curvature
        a0, a1, a2 = x0 * o0, x1 * o1, x2 * o2
        d[_O0 + b], d[_O1 + b], d[_O2 + b] = o0, o1, o2
        d[_INVERSE + b] = inverse
        g1, g2 = a1 * inverse, a2 * inverse
        d[_W10 + b], d[_W20 + b], d[_W21 + b] = g1 * a0, g2 * a0, g2 * a1
        d[_A1 + b], d[_A2 + b] = g1 * p, g2 * p
        one = o0 + o1 + o2
        d[_B1 + b], d[_B2 + b] = g1 * one - o1, g2 * one - o2
    sums[0] += loss
    sums[1] += total
    sums[2] += mass


@njit(**_LOOPS)
def first_moments(d, n, first, second, R):
    """Add the moments of multipliers and of the two parts of the right-hand sides to R."""
    x10, x11, x12, x20, x21, x22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a10, a11, a12, a20, a21, a22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    b10, b11, b12, b20, b21, b22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(n):
        z0, z1, z2 = d[_Z0 + b], d[_Z1 + b], d[_Z2 + b]
        x1, x2, a1 = d[_X1 + b], d[_X2 + b], d[_A1 + b]
        a2, b1, b2 = d[_A2 + b], d[_B1 + b], d[_B2 + b]
        x10 += x1 * z0
        x11 += x1 * z1
        x12 += x1 * z2
        x20 += x2 * z0
        x21 += x2 * z1
        x22 += x2 * z2
        a10 += a1 * z0
        a11 += a1 * z1
        a12 += a1 * z2
        a20 += a2 * z0
        a21 += a2 * z1
        a22 += a2 * z2
        b10 += b1 * z0
        b11 += b1 * z1
        b12 += b1 * z2
        b20 += b2 * z0
        b21 += b2 * z1
        b22 += b2 * z2
    for c in range(2):
        q1, q2 = first[c], second[c]
        R[0, c, 0] += q1 * x10 + q2 * x20
        R[0, c, 1] += q1 * x11 + q2 * x21
        R[0, c, 2] += q1 * x12 + q2 * x22
        R[1, c, 0] += q1 * a10 + q2 * a20
        R[1, c, 1] += q1 * a11 + q2 * a21
        R[1, c, 2] += q1 * a12 + q2 * a22
        R[2, c, 0] += q1 * b10 + q2 * b20
        R[2, c, 1] += q1 * b11 + q2 * b21
        R[2, c, 2] += q1 * b12 + q2 * b22


@njit(**_LOOPS)
def second_moments(d, n, first, second, H):
    """Add sum_{l < m} (a_l a_m / A) (q_l - q_m)(q_l - q_m)' x z z' of a block to H, upper half."""
    u00, u01, u02, u11, u12, u22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    v00, v01, v02, v11, v12, v22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    w00, w01, w02, w11, w12, w22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(n):
        z0, z1, z2 = d[_Z0 + b], d[_Z1 + b], d[_Z2 + b]
        u, v, w = d[_W10 + b], d[_W20 + b], d[_W21 + b]
        z00, z01, z02, z11, z12, z22 = z0 * z0, z0 * z1, z0 * z2, z1 * z1, z1 * z2, z2 * z2
        u00 += u * z00
        u01 += u * z01
        u02 += u * z02
        u11 += u * z11
        u12 += u * z12
        u22 += u * z22
        v00 += v * z00
        v01 += v * z01
        v02 += v * z02
        v11 += v * z11
        v12 += v * z12
        v22 += v * z22
        w00 += w * z00
        w01 += w * z01
        w02 += w * z02
        w11 += w * z11
        w12 += w * z12
        w22 += w * z22
    for c in range(2):
        for e in range(c, 2):
            f, g = first[c] * first[e], second[c] * second[e]
            h = (second[c] - first[c]) * (second[e] - first[e])
            D = H[3 * c : 3 * c + 3, 3 * e : 3 * e + 3]
            D[0, 0] += f * u00 + g * v00 + h * w00
            D[0, 1] += f * u01 + g * v01 + h * w01
            D[0, 2] += f * u02 + g * v02 + h * w02
            D[1, 1] += f * u11 + g * v11 + h * w11
            D[1, 2] += f * u12 + g * v12 + h * w12
            D[2, 2] += f * u22 + g * v22 + h * w22


@njit(**_LOOPS)
def predict(d, n, sums):
    """Pass 2: changes that aim at products of zero, for the f_l - f_j of the block."""
    linear, quadratic = 0.0, 0.0
    for b in range(n):
        o0, o1, o2 = d[_O0 + b], d[_O1 + b], d[_O2 + b]
        x0, x1, x2 = d[_X0 + b], d[_X1 + b], d[_X2 + b]
        a0, a1, a2 = x0 * o0, x1 * o1, x2 * o2
        inverse = d[_INVERSE + b]
        g1, g2 = d[_D1 + b], d[_D2 + b]
        leads0 = (a0 >= a1) & (a0 >= a2)
        leads1 = (not leads0) & (a1 >= a2)
        base = 0.0 if leads0 else (g1 if leads1 else g2)
        g0, g1, g2 = -base, g1 - base, g2 - base
        lift = (a0 * g0 + a1 * g1 + a2 * g2 - d[_P + b]) * inverse
        r0, r1, r2 = lift - g0, lift - g1, lift - g2
        y0, y1, y2 = -x0 - a0 * r0, -x1 - a1 * r1, -x2 - a2 * r2
        rest = y0 + y1 + y2
        y0 -= rest if leads0 else 0.0
        y1 -= rest if leads1 else 0.0
        y2 -= 0.0 if leads0 or leads1 else rest
        s0, s1, s2 = r0 * o0, r1 * o1, r2 * o2
        most, least = max(s0, max(s1, s2)), min(s0, min(s1, s2))
        d[_PACE + b] = max(1.0 + most, -least)
        linear += x0 * r0 + x1 * r1 + x2 * r2
        linear += y0 * d[_T0 + b] + y1 * d[_T1 + b] + y2 * d[_T2 + b]
        quadratic += y0 * r0 + y1 * r1 + y2 * r2
        e0, e1, e2 = y0 * s0, y1 * s1, y2 * s2
        d[_E0 + b], d[_E1 + b], d[_E2 + b] = e0, e1, e2
        total = (e0 + e1 + e2) * inverse
        d[_A1 + b], d[_A2 + b] = a1 * total - e1, a2 * total - e2
    sums[0] += linear
    sums[1] += quadratic
    return _largest(d[_PACE : _PACE + n])


@njit(**_LOOPS)
def add_moments(d, n, first, second, R):
    """Add the moments of the fields A1 and A2 to R."""
    a10, a11, a12, a20, a21, a22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for b in range(n):
        a1, a2, z0, z1, z2 = d[_A1 + b], d[_A2 + b], d[_Z0 + b], d[_Z1 + b], d[_Z2 + b]
        a10 += a1 * z0
        a11 += a1 * z1
        a12 += a1 * z2
        a20 += a2 * z0
        a21 += a2 * z1
        a22 += a2 * z2
    for c in range(2):
        R[c, 0] += first[c] * a10 + second[c] * a20
        R[c, 1] += first[c] * a11 + second[c] * a21
        R[c, 2] += first[c] * a12 + second[c] * a22


@njit(**_LOOPS)
def correct(d, n, target):
    """Pass 3: changes that aim at products of ``target``; 1 over the longest step allowed."""
    for b in range(n):
        o0, o1, o2 = d[_O0 + b], d[_O1 + b], d[_O2 + b]
        x0, x1, x2 = d[_X0 + b], d[_X1 + b], d[_X2 + b]
        a0, a1, a2 = x0 * o0, x1 * o1, x2 * o2
        g1, g2 = d[_D1 + b], d[_D2 + b]
        leads0 = (a0 >= a1) & (a0 >= a2)
        leads1 = (not leads0) & (a1 >= a2)
        base = 0.0 if leads0 else (g1 if leads1 else g2)
        g0, g1, g2 = -base, g1 - base, g2 - base
        y0 = target * o0 - d[_E0 + b] - x0
        y1 = target * o1 - d[_E1 + b] - x1
        y2 = target * o2 - d[_E2 + b] - x2
        lift = (a0 * g0 + a1 * g1 + a2 * g2 + y0 + y1 + y2) * d[_INVERSE + b]
        r0, r1, r2 = lift - g0, lift - g1, lift - g2
        y0, y1, y2 = y0 - a0 * r0, y1 - a1 * r1, y2 - a2 * r2
        rest = y0 + y1 + y2
        y0 -= rest if leads0 else 0.0
        y1 -= rest if leads1 else 0.0
        y2 -= 0.0 if leads0 or leads1 else rest
        d[_DX0 + b], d[_DX1 + b], d[_DX2 + b] = y0, y1, y2
        d[_DT0 + b], d[_DT1 + b], d[_DT2 + b] = r0, r1, r2
        x01 = x0 * x1
        once = 1.0 / (x01 * x2)
        falls = min(y0 * (x1 * x2), min(y1 * (x0 * x2), y2 * x01)) * once
        d[_PACE + b] = -min(falls, min(r0 * o0, min(r1 * o1, r2 * o2)))
    return _largest(d[_PACE : _PACE + n])


@njit(**_LOOPS)
def decide(d, n):
    """Mark terms of which one class has nearly all the weight and keeps it."""
    total = 0.0
    for b in range(n):
        p, x0, x1, x2 = d[_P + b], d[_X0 + b], d[_X1 + b], d[_X2 + b]
        little = LITTLE * p
        low0 = (x0 <= little) & (abs(d[_DT0 + b]) <= MOVED * d[_T0 + b])
        low1 = (x1 <= little) & (abs(d[_DT1 + b]) <= MOVED * d[_T1 + b])
        low2 = (x2 <= little) & (abs(d[_DT2 + b]) <= MOVED * d[_T2 + b])
        d[_A0 + b] = p if low1 & low2 else 0.0
        a1, a2 = p if low0 & low2 else 0.0, p if low0 & low1 else 0.0
        d[_A1 + b], d[_A2 + b] = a1, a2
        total += a1 + a2
    return total


@njit(**_OPTIONS)
def undecided(blocks, data, numbers, pulls, differences, level, alpha):
    """The problem of the terms that are not decided, their numbers, its constant, their count."""
    few, n_few, found = np.empty_like(blocks), 0, 0
    some_data, some_numbers = memory(blocks.shape[0]), np.empty_like(numbers)
    rest, constant = pulls.copy(), 0.0
    for k in range(blocks.shape[0]):
        j, n = blocks[k]
        d, own = data[k], numbers[k]
        constant += level * decide(d, n)
        add_moments(d, n, differences[0, j], differences[1, j], rest)
        if n_few == 0 or few[n_few - 1, 0] != j:
            few[n_few, 0], few[n_few, 1] = j, 0
            n_few += 1
        first, second, third = alpha[j], alpha[(j + 1) % 3], alpha[(j + 2) % 3]
        for b in range(n):
            a0, a1, a2 = d[_A0 + b], d[_A1 + b], d[_A2 + b]
            first[own[b]], second[own[b]], third[own[b]] = a0, a1, a2
            if a0 + a1 + a2 > 0.0:
                continue
            if few[n_few - 1, 1] == LANES:
                few[n_few, 0], few[n_few, 1] = j, 0
                n_few += 1
            e, lane = some_data[n_few - 1], few[n_few - 1, 1]
            few[n_few - 1, 1] += 1
            some_numbers[n_few - 1, lane] = own[b]
            for v in range(_T2 // _S + 1):
                e[v * _S + lane] = d[v * _S + b]
            e[_P + lane] = d[_P + b]
            for v in range(_Z0 // _S, _WIDTH // _S):
                e[v * _S + lane] = d[v * _S + b]
            found += 1
    return (few[:n_few].copy(), some_data, rest), some_numbers, constant, found


@njit(**_OPTIONS)
def collect(blocks, data, numbers, alpha):
    for k in range(blocks.shape[0]):
        j, n = blocks[k]
        d = data[k]
        for m in range(3):
            row, at = alpha[(j + m) % 3], _X0 + m * _S
            for b in range(n):
                row[numbers[k, b]] = d[at + b]
