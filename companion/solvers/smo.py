"""Sequential minimal optimisation for the four machines of the l1nsvm paper, one dual for all.

    min 1/2 a'Qa - e'a   s.t.   y'a = 0,  l <= a <= u,   Q = yy' * K + diag(ridge)

==============  =============  =======
machine         box            ridge
==============  =============  =======
L1-SVM          [0, C]         0
L2-SVM          [0, inf)       1 / C
LS-SVM          (-inf, inf)    1 / C
Least 1-Norm    [-C, C]        0
==============  =============  =======

J. Lopez and J. R. Dorronsoro, Least 1-Norm SVMs: a new SVM variant between standard and LS-SVMs,
ESANN 2010. Section 3: the algorithm, (8) the selection, (9) the clipping, (11) the stop.
S. S. Keerthi and S. K. Shevade, Neural Computation 15 (2003), for LS-SVMs. R.-E. Fan, P.-H. Chen
and C.-J. Lin, JMLR 6 (2005), the second order. https://jmlr.org/papers/v6/fan05a.html
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers._low_rank import LowRank
from companion.solvers._newton import FaceNewton
from companion.solvers._problem import Problem, feasible_start
from companion.solvers.result import Result, certify

__all__ = ["smo"]

# Rounding makes the scores drift over millions of updates. When they claim the end they are
# computed afresh, and the iteration goes on from the true ones if these disagree.
_MAX_REFRESHES = 50

# Nanoseconds of pair updates before anything else is considered.
_FIRST_BURST = 2e5

# Nanoseconds that pair updates cost, for an entry of K, before it is copied to single precision.
_COPY_COST = 1.0

# Samples that may still move are worth a problem of their own below this share of all; it is left
# when the violation has fallen by this factor.
_SHRINKS, _REDUCTION = 0.7, 0.1


def smo(  # noqa: C901, PLR0913
    K,
    y,
    lower,
    upper,
    *,
    ridge=0.0,
    selection="second_order",
    tol=1e-3,
    max_iter=None,
    alpha0=None,
    products0=None,
    shrinking=True,
    accelerate=True,
    history=False,
    check_finite=True,
) -> Result:
    """Minimise 1/2 a'Qa - e'a subject to y'a = 0 and lower <= a <= upper, pair by pair.

    Q = yy' * K + diag(ridge). One iteration raises y_i a_i and lowers y_j a_j by the same step,
    the exact minimiser along this direction clipped to the box, where i maximises the score
    s_i = y_i - (K (y a))_i - ridge_i y_i a_i over the samples whose y_i a_i may rise.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples), float64 or float32, or KernelRows
        Gram matrix, symmetric and positive semi-definite. Sums are formed in double precision for
        either type; certificates refer to K as given.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1.
    lower, upper : float or ndarray of shape (n_samples,)
        The box, infinite values allowed. For nonstandard costs pass C times the weights; a sample
        of weight zero has lower = upper = 0.
    ridge : float or ndarray of shape (n_samples,), default=0.0
        Added to the diagonal of Q: 1 / C (over the weights) for the squared losses.
    selection : {"second_order", "first_order"}, default="second_order"
        Partner j of i: the sample of largest gain in the objective (Fan, Chen & Lin 2005) or the
        one of least score, which makes the maximal violating pair of the paper, eq. (8). Ties go
        to the first index.
    tol : float, default=1e-3
        Ends when the maximal violation, max of s over the samples that may rise minus min of s
        over those that may fall, is at most ``tol``: eqs. (10) and (11).
    max_iter : int, optional
        Budget of pair updates; the default is the larger of 10^7 and 100 n_samples.
    alpha0, products0 : ndarray of shape (n_samples,), optional
        Where to start, zero by default. It is clipped to the box; then the multipliers on the
        heavier side are shrunk in proportion to restore y'a = 0. A feasible start is kept as is,
        with K (y alpha0) where that is known, as along a path of solutions.
    shrinking : bool, default=True
        Solve over the samples that may still move and return to all at the end, where it pays.
    accelerate : bool, default=True
        Allow what changes the sequence of iterates but not the solution. False gives the plain
        algorithm: with ``selection="first_order"`` the paper's, update by update.
    history, check_finite : bool, default=False and True
        Record objective and violation about every n_samples iterations in ``Result.log``; look for
        NaN and infinity in an ndarray ``K``.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For shapes that do not match, labels other than -1 and +1, NaN or infinity, lower > upper,
        a negative ridge, or a box without a point on y'a = 0.

    Warns
    -----
    ConvergenceWarning
        When the budget ends first, or rounding stops all progress.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-1.0, 1.0])
    >>> result = smo(np.outer(x, x), x, 0.0, 10.0)
    >>> result.alpha, result.intercept, result.stop_reason
    (array([0.5, 0.5]), 0.0, 'The maximal violation 0 is at most tol = 0.001.')
    """
    problem = Problem(K, y, lower, upper, ridge, check_finite=check_finite)
    _check_options(selection, tol, max_iter)
    budget = max(10_000_000, 100 * problem.n) if max_iter is None else int(max_iter)
    beta = feasible_start(problem, alpha0)
    scores = None
    if products0 is not None and alpha0 is not None and np.array_equal(beta, problem.y * alpha0):
        scores = problem.y - products0 - problem.ridge * beta
    elif alpha0 is None and not beta.any():
        scores = problem.y
    problem.start(beta, scores)
    log = [] if history else None

    second_order = selection == "second_order"
    copies = second_order and not history
    options = _Options(second_order, tol, budget, shrinking, copies)
    minimise = _minimise_all if accelerate else _update_all_pairs
    if accelerate:
        problem.go_quickly()
    converged = (
        accelerate and options.second_order and not history and problem.solve_at_once(tol, budget)
    )
    if accelerate and copies and problem.K.dtype == np.float32:
        problem.work_in_single(tol)
    refreshes = 0
    while not converged:
        status = minimise(problem, options, log)
        if status == "budget":
            reason = f"The budget of {budget} iterations is spent."
            problem.refresh_scores()
            break
        problem.refresh_scores()
        converged = problem.violation() <= tol
        if converged:
            break
        refreshes += 1
        if refreshes > _MAX_REFRESHES:
            reason = "Rounding errors stop all progress: no pair can be moved any more."
            break
    if converged:
        problem.snap(tol)
        reason = f"The maximal violation {problem.violation():.3g} is at most tol = {tol:g}."

    result = certify(
        problem.products,
        problem.y,
        problem.beta,
        problem.low,
        problem.high,
        problem.ridge,
        n_iter=problem.n_iter,
        stop_reason=reason,
        converged=converged,
        log=_as_log(log),
    )
    problem.end()
    if not converged:
        _warn(result, selection, tol)
    return result


class _Options(NamedTuple):
    second_order: bool
    tol: float
    budget: int
    shrinking: bool
    copies: bool = False


def _update_all_pairs(state, options, log):
    """The plain algorithm: pair updates over all samples until the end."""
    while True:
        limit = options.budget if log is None else min(options.budget, state.n_iter + state.n)
        status = state.update_pairs(options.second_order, options.tol, limit)
        _record(log, state)
        if status != "budget" or limit == options.budget:
            return status


def _minimise_all(state, options, log):
    """Pair updates over all samples, accelerated, until the end."""
    newton = FaceNewton(state.n, options.tol)
    try:
        return _minimise(state, options, log, options.tol, newton, LowRank(options.tol))
    finally:
        newton.end()


def _minimise(state, options, log, target, newton, low_rank):  # noqa: C901, PLR0917
    """Pair updates; Newton steps, an interior point, shrinking once they have cost as much."""
    n = state.n
    pair_cost = 60.0 + 0.75 * n if state.rows is None else 100.0 + n
    if state.K_single is not None:
        pair_cost = 60.0 + 0.45 * n
    since_start = 0.0
    burst = first_burst = max(int(_FIRST_BURST / pair_cost), 30)
    while True:
        before = state.n_iter
        limit = min(options.budget, before + burst)
        status = state.update_pairs(options.second_order, target, limit)
        _record(log, state)
        if status == "converged" or state.n_iter >= options.budget:
            return status
        spent = (state.n_iter - before) * pair_cost
        since_start += spent
        burst = int(1.5 * burst)
        if options.copies and state.K_single is None and since_start > _COPY_COST * n * n:
            state.work_in_single(options.tol)
            if state.K_single is not None:
                pair_cost = 60.0 + 0.45 * n
        walks = newton.is_due(state, spent) or status == "stalled"
        if low_rank.is_due(state, newton, spent):
            low_rank.solve(state)
            walks = True
        if walks:
            newton.walk(state)
            burst = first_burst
            if status == "stalled" and not _can_move(state, options, target):
                return status
        if options.shrinking:
            movable = state.movable()
            m = int(movable.sum())
            if m < _SHRINKS * n and since_start > 1.2e5 + 1.5 * m * m + 0.3 * m * n:
                _minimise_over(state, movable, options, log, newton, low_rank)
                burst = first_burst


def _can_move(state, options, target):
    """Whether a pair can be moved again, or the target has been reached, after a stall."""
    limit = min(options.budget, state.n_iter + 1)
    return state.update_pairs(options.second_order, target, limit) != "stalled"


def _minimise_over(state, movable, options, log, newton, low_rank):  # noqa: PLR0917
    """Solve over the movable samples alone, then return to all."""
    indices = np.flatnonzero(newton.widen(movable))
    positions = np.full(state.n, -1)
    positions[indices] = np.arange(indices.size)
    part, part_newton = state.restricted_to(indices), FaceNewton(indices.size, options.tol)
    newton.hand_over(part_newton, positions)
    target = max(options.tol, _REDUCTION * state.violation())
    _minimise(part, options, None, target, part_newton, low_rank)
    part_newton.hand_over(newton, indices)
    state.take_back(indices, part)
    _record(log, state)


def _record(log, state):
    if log is not None:
        log.append((state.n_iter, state.objective(), state.violation()))


def _check_options(selection, tol, max_iter):
    if selection not in ("first_order", "second_order"):
        raise ValueError(
            f"The 'selection' parameter of smo must be 'first_order' or 'second_order'. "
            f"Got {selection!r} instead."
        )
    if not 0.0 < tol < np.inf:
        raise ValueError(
            f"The 'tol' parameter of smo must be a positive finite number. Got {tol!r} instead."
        )
    if max_iter is not None and max_iter < 0:
        raise ValueError(
            f"The 'max_iter' parameter of smo must be None or at least 0. Got {max_iter!r} instead."
        )


def _as_log(log):
    if log is None:
        return None
    columns = np.array(log, dtype=float).reshape(-1, 3).T
    return {
        "n_iter": columns[0].astype(np.int64),
        "objective": columns[1],
        "kkt_violation": columns[2],
    }


def _warn(result, selection, tol):
    warnings.warn(
        f"smo ({selection} selection) has not converged. {result.stop_reason} After "
        f"{result.n_iter} iterations the KKT violation is {result.kkt_violation:.3g} "
        f"(tol = {tol:g}) and the duality gap {result.duality_gap:.3g}. Consider increasing "
        f"max_iter or tol, decreasing C, or scaling the inputs.",
        ConvergenceWarning,
        stacklevel=3,
    )
