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
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning

from companion.solvers import _smo_loops as loops
from companion.solvers._problem import checked_problem, feasible_start
from companion.solvers.result import Result, certify

__all__ = ["smo"]

# Rounding makes the scores drift over millions of updates. When they claim the end they are
# computed afresh, and the iteration goes on from the true ones if these disagree.
_MAX_REFRESHES = 50

# Samples that may still move are a problem of their own below this share of all; it is left when
# the violation has fallen by this factor.
_SHRINKS, _REDUCTION = 0.7, 0.1

# Added to the diagonal of a Newton system, as smooth kernels have eigenvalues below rounding: this
# share of tol over the largest |beta| leaves the scores within that share of tol; but at least what
# rounding demands, relative to the largest diagonal entry.
_JITTER_SHARE, _LEAST_JITTER = 0.02, 1e-10

# What the processor does in the time in which a pair update goes over one sample: a pair update
# takes as long as that of n + _PAIR samples, a burst or a walk at least _CALL, and a factorisation
# is m^3 / _FACTOR.
_PAIR, _CALL, _FACTOR = 80, 2e5, 10.0


def smo(  # noqa: PLR0913
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
    problem = checked_problem(K, y, lower, upper, ridge, check_finite)
    _check_options(selection, tol, max_iter)
    budget = max(10_000_000, 100 * problem.n) if max_iter is None else int(max_iter)
    problem.begin(feasible_start(problem, alpha0), alpha0, products0)
    rules = _Rules(selection == "second_order", tol, budget, shrinking, accelerate)
    log = [] if history else None
    for _ in range(_MAX_REFRESHES + 1):
        status = _minimise(problem, tol, rules, log)
        converged = problem.refresh() <= tol
        if converged or status == loops.BUDGET:
            break
    if converged:
        violation = problem.snap(tol)
        reason = f"The maximal violation {violation:.3g} is at most tol = {tol:g}."
    elif status == loops.BUDGET:
        reason = f"The budget of {budget} iterations is spent."
    else:
        reason = "Rounding errors stop all progress: no pair can be moved any more."
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
    if not converged:
        _warn(result, selection, tol)
    return result


class _Rules(NamedTuple):
    second_order: bool
    tol: float
    budget: int
    shrinking: bool
    accelerate: bool


def _minimise(problem, tol, rules, log=None):
    """The algorithm of section 3, and between bursts of its iterations what shortens the way."""
    n, since_walk, walked_at = problem.n, 0, -1
    burst = first_burst = 1 + int(_CALL / (n + _PAIR))
    if not rules.accelerate:
        burst = rules.budget if log is None else n
    while True:
        # Select the pair (8), clip the step (9), update, until (10) or (11) holds.
        before = problem.n_iter
        limit = min(rules.budget, before + burst)
        status = problem.update_pairs(rules.second_order, tol, limit)
        if log is not None:
            log.append((problem.n_iter, problem.objective(), problem.violation))
        stalled, spent = status == loops.STALLED, problem.n_iter >= rules.budget
        if status == loops.CONVERGED or spent or (stalled and not rules.accelerate):
            return status
        if not rules.accelerate:
            continue
        burst, since_walk = 2 * burst, since_walk + problem.n_iter - before

        # Walk to the minimiser over the free variables when updates have cost as much as it does.
        free = problem.free()
        if stalled or since_walk * (n + _PAIR) > _CALL + free.size * n + free.size**3 / _FACTOR:
            walked = walked_at < problem.n_iter and walk_the_free_set(problem, free, rules.tol)
            if stalled and not walked:
                return status
            since_walk, walked_at = 0, problem.n_iter

        # Shrink: go on with the samples that may still move, and return to all.
        movable = problem.movable(_REDUCTION * problem.violation) if rules.shrinking else free
        if rules.shrinking and movable.size < _SHRINKS * n and problem.has_room_for(movable):
            part = problem.restricted_to(movable)
            _minimise(part, max(rules.tol, _REDUCTION * problem.violation), rules)
            problem.take_back(movable, part)
            burst = first_burst


def walk_the_free_set(problem, free, tol):
    """Newton's step over the free variables, along the box where it would leave it; if it helps.

    The step solves (K + D)_FF d = s_F - b e, e'd = 0. At a bound it goes on without that variable.
    """
    m = free.size
    if m < 2 or not problem.has_room_for(free):
        return False
    beta, scores = problem.beta[free], problem.scores[free]
    rise, fall = problem.high[free] - beta, problem.low[free] - beta
    system = problem.block(free)
    diagonal = system.ravel()[:: m + 1]
    diagonal += problem.ridge[free]
    scale, largest = diagonal.max(), max(np.abs(beta).max(), 1e-300)
    diagonal += min(max(_JITTER_SHARE * tol / largest, _LEAST_JITTER * scale), 1e-3 * scale)
    # A symmetric matrix in Fortran order is its own transpose.
    factor, info = lapack.dpotrf(system.T, lower=1, overwrite_a=1, clean=0)
    step = np.zeros(m)
    if info == 0:
        right = np.ones((m, 2), order="F")
        right[:, 0] = scores - scores.mean()
        step, w = lapack.dpotrs(factor, right, lower=1)[0].T
        step = step - w * (step.sum() / w.sum())
        if (step > rise).any() or (step < fall).any():
            inverse, info = lapack.dpotri(factor, lower=1, overwrite_c=1)
            loops.walk(inverse.T, np.ascontiguousarray(w), step, rise, fall)
        step[np.minimum(rise - step, step - fall).argmax()] -= step.sum()
    return bool(info == 0 and np.isfinite(step).all()) and problem.descend(free, step)


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
