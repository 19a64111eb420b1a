"""Checked inputs of a solver of the dual, in terms of beta = y alpha, and where it starts."""

from __future__ import annotations

import numpy as np

from companion.kernels import KernelRows
from companion.solvers import _box_kernels
from companion.solvers import _smo_kernels as kernels
from companion.solvers._state import State


class Problem(State):
    """Checked inputs of a solver in terms of beta = y alpha."""

    def __init__(self, K, y, lower, upper, ridge, *, check_finite=True):
        rows = K if isinstance(K, KernelRows) else None
        K = K if rows is not None else np.asarray(K)
        self.y = y = np.ascontiguousarray(y, dtype=np.float64)
        if y.ndim != 1 or not y.size:
            raise ValueError(
                f"The 'y' of a solver must be a nonempty vector. Got shape {y.shape} instead."
            )
        n = y.size
        if K.shape != (n, n):
            raise ValueError(
                f"The 'K' of a solver must be a square matrix with one row a label, here "
                f"({n}, {n}). Got shape {K.shape} instead."
            )
        self.lower = checked_vector(lower, n, "lower")
        self.upper = checked_vector(upper, n, "upper")
        ridge = checked_vector(ridge, n, "ridge")
        low, high = np.empty((2, n))
        good, self.is_roomy = _box_kernels.prepare(y, self.lower, self.upper, ridge, low, high)
        if not good:
            _refuse(y, low, high, self.lower, self.upper, ridge)
        if rows is not None:
            state = rows.buffer, rows.slot, rows.used, rows
            diagonal = rows.diagonal
        else:
            K = checked_matrix(K, check_finite)
            state = K, np.arange(n), np.zeros(n, dtype=np.int64), None
            diagonal = K.diagonal()
        super().__init__(*state, y, low, high, ridge, diagonal + ridge)

    def go_quickly(self):
        """Let second-order pair updates be those of `run_quick_pairs`, where it serves."""
        self.is_quick = self.is_roomy


def feasible_start(problem, alpha0):
    """Return a feasible beta: y alpha0 clipped to the box and shrunk on the heavier side."""
    low, high, n = problem.low, problem.high, problem.n
    if alpha0 is None:
        beta = np.zeros(n)
        if _box_kernels.box(low, high)[0]:
            return beta
    else:
        beta = problem.y * checked_vector(alpha0, n, "alpha0")
        if not np.isfinite(beta).all():
            raise ValueError("The 'alpha0' of a solver must be finite. Got NaN or infinity.")
    np.clip(beta, low, high, out=beta)
    if abs(beta.sum()) > 1e-12 * np.abs(beta).sum():
        _restore_balance(beta, low, high)
    return beta


def _restore_balance(beta, low, high):
    """Move beta inside its box, in place, until it sums to zero: towards zero first."""
    for towards_zero in (True, False):
        excess = beta.sum()
        if excess > 0.0:
            target = np.maximum(low, np.minimum(beta, 0.0) if towards_zero else -np.inf)
        else:
            target = np.minimum(high, np.maximum(beta, 0.0) if towards_zero else np.inf)
        room = np.abs(beta - target)
        if np.isinf(room).any():
            room = np.where(np.isinf(room), abs(excess), 0.0)
        total = room.sum()
        if total <= 0.0:
            continue
        share = min(abs(excess) / total, 1.0)
        beta -= np.sign(excess) * share * room
        np.clip(beta, low, high, out=beta)
        if share < 1.0:
            break
    rest = beta.sum()
    widest = np.argmax(beta - low if rest > 0.0 else high - beta)
    beta[widest] = min(max(beta[widest] - rest, low[widest]), high[widest])


def checked_matrix(K, check_finite):
    if K.dtype not in (np.float64, np.float32):
        K = K.astype(np.float64)
    K = np.ascontiguousarray(K)
    # A sum that is not finite may have overflowed; only then are the entries looked at one by one.
    if check_finite and not np.isfinite(kernels.total(K)) and not np.isfinite(K).all():
        raise ValueError(
            "The 'K' of a solver must be finite. Got NaN or infinity; look at the inputs and the "
            "kernel parameters."
        )
    return K


def checked_vector(value, n, name):
    vector = np.asarray(value, dtype=np.float64)
    if vector.ndim == 0:
        return np.full(n, float(vector))
    if vector.shape != (n,):
        raise ValueError(
            f"The '{name}' of a solver must be a number or a vector of length {n}. "
            f"Got shape {vector.shape} instead."
        )
    return np.ascontiguousarray(vector)


def _refuse(y, low, high, lower, upper, ridge):
    if not (np.abs(y) == 1.0).all():
        raise ValueError(
            f"The 'y' of a solver must hold labels -1 and +1 only. "
            f"Got the values {np.unique(y)[:5]}."
        )
    if not (low <= high).all():
        where = np.flatnonzero(~(low <= high))[0]
        raise ValueError(
            f"The bounds of a solver must satisfy lower <= upper. Got lower = {lower[where]} and "
            f"upper = {upper[where]} for sample {where}."
        )
    if (low == np.inf).any() or (high == -np.inf).any():
        raise ValueError("The bounds of a solver must satisfy lower < inf and upper > -inf.")
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError("The 'ridge' of a solver must be finite and at least 0 for every sample.")
    raise ValueError(
        f"The box of a solver must hold a point with y'a = 0. Got bounds for which y'a lies "
        f"between {low.sum():.6g} and {high.sum():.6g}."
    )
