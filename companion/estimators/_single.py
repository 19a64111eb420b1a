"""A fit on an RBF Gram matrix in single precision, judged in double precision.

If the tolerance does not hold for the exact kernel, the solution is the start of another fit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion import _kernel_loops as loops
from companion._scratch import borrow_matrix, give_back
from companion.estimators._compiled import extreme_scores
from companion.kernels import KernelRows, gram
from companion.solvers.smo import smo

# Measured against double precision, L1SVC, C = 1, 10, 100: 0.87 to 1.05 times as fast at 500
# samples, 1.0 to 1.3 at 1000, 1.0 to 1.6 at 2000.
FROM_SAMPLES = 1000

# Up to so many features KernelRows computes in single precision from start to end.
_MOST_FEATURES = 32

# With R = sqrt(gamma) times the largest distance from the centre, an error of a kernel value is at
# most _BOUND (1 + R), where 4.5e-8 (1 + R) was the largest seen, and about _TYPICAL (1 + R).
_BOUND, _TYPICAL = 1e-7, 1e-8

# Distances whose squares neither overflow nor vanish in single precision.
_SMALLEST, _LARGEST = 1e-12, 1e15

# The share of the tolerance that rounding may take up.
_SHARE = 1.0 / 3.0

_ROWS = 256


def rounding_of(X, gamma):
    """1 + R, by which the errors of kernel values in single precision grow; inf if unusable."""
    if X.shape[1] > _MOST_FEATURES:
        return np.inf
    centred = X - X.mean(axis=0)
    radius = np.sqrt(np.einsum("ij,ij->i", centred, centred).max())
    if not _SMALLEST < radius < _LARGEST:
        return np.inf
    return 1.0 + np.sqrt(gamma) * radius


def solve_single(X, y, gamma, lower, upper, cache_size, settings):
    """Solve on single-precision kernel values, or return None where they could spoil the end."""
    n, tol = y.size, settings["tol"]
    bound = float(np.max(upper))
    if not 3.0 * _TYPICAL * bound * np.sqrt(n) <= _SHARE * tol:
        return None
    growth = rounding_of(X, gamma)
    # Three standard deviations of the error of a score, were all samples at the bound.
    margin = 3.0 * _TYPICAL * growth * bound * np.sqrt(n)
    if not margin <= _SHARE * tol:
        return None
    rows = KernelRows(X, gamma=gamma, cache_size=cache_size, dtype=np.float32)
    try:
        rows.ensure(np.arange(n))
        single = settings | {"tol": tol - margin}
        result = smo(rows.buffer, y, lower, upper, check_finite=False, **single)
    finally:
        rows.release()
    violation = true_violation(X, y, gamma, result, lower, upper, _BOUND * growth)
    if violation > tol and result.converged:
        return _continue_in_double(X, y, gamma, lower, upper, result, settings)
    reason = result.stop_reason
    if result.converged:
        reason = f"The maximal violation {violation:.3g} is at most tol = {tol:g}."
    return replace(result, kkt_violation=violation, stop_reason=reason)


def true_violation(X, y, gamma, result, lower, upper, error):
    """The KKT violation for the exact kernel, from a result for values wrong by up to `error`."""
    n, alpha = y.size, result.alpha
    scores = y - (result.decision_function - result.intercept)
    slack = error * np.abs(alpha).sum()
    low, high = np.empty((2, n))
    low[:], high[:] = lower, upper
    deciding = np.empty(n, dtype=np.int64)
    count = extreme_scores(scores, y, alpha, low, high, 2.0 * slack, deciding)
    deciding = deciding[:count]
    scores[deciding] = y[deciding] - rbf_expansion(X, deciding, y * alpha, gamma)
    some = scores[deciding], y[deciding], alpha[deciding], low[deciding], high[deciding]
    rising, falling = _may_move(*some[1:])
    if not rising.any() or not falling.any():
        return 0.0
    return max(float(some[0][rising].max() - some[0][falling].min()), 0.0)


def rbf_expansion(X, rows, beta, gamma):
    """Entries ``rows`` of K beta for the RBF Gram matrix K of X, in double precision."""
    rest = beta.copy()
    rest[rows] = 0.0
    others = rest.nonzero()[0]
    points, values = X.take(rows, axis=0), np.empty(rows.size)
    columns = np.ascontiguousarray(points.T)
    loops.rbf_expansion(points, columns, float(gamma), beta.take(rows), values)
    centres, weights = X.take(others, axis=0), rest.take(others)
    for start in range(0, rows.size if others.size else 0, _ROWS):
        some = slice(start, start + _ROWS)
        values[some] += gram(points[some], centres, gamma=gamma) @ weights
    return values


def _may_move(y, alpha, low, high):
    """Masks of the samples whose y_i alpha_i may rise, and may fall."""
    grows, shrinks = alpha < high, alpha > low
    positive = y > 0
    return np.where(positive, grows, shrinks), np.where(positive, shrinks, grows)


def _continue_in_double(X, y, gamma, lower, upper, start, settings):
    """Go on from a solution for the rounded kernel with the exact one."""
    K = gram(X, gamma=gamma, out=borrow_matrix(y.size))
    if settings["max_iter"] is not None:
        settings = settings | {"max_iter": max(settings["max_iter"] - start.n_iter, 0)}
    try:
        result = smo(K, y, lower, upper, alpha0=start.alpha, check_finite=False, **settings)
    finally:
        give_back(K)
    return replace(result, n_iter=start.n_iter + result.n_iter)
