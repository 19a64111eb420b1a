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

from typing import NamedTuple

import numpy as np

from companion._utils.checks import check_options
from companion._utils.compiled import njit
from companion._utils.progress import is_asked, report
from companion._utils.warnings import warn_not_converged
from companion.kernels._loops import use_row
from companion.solvers._loops import smo as loops
from companion.solvers._loops.smo import (
    BUDGET,
    CONVERGED,
    FIRST,
    N_ITER,
    NEEDS_ROW,
    SECOND,
    STALLED,
    newton_step_on_free_variables,
)
from companion.solvers._problem import checked_problem, feasible_start
from companion.solvers.result import Result, certify

__all__ = ["NotPositiveSemiDefinite", "smo"]

# Rounding makes the scores drift over millions of updates. When they claim the end they are
# computed afresh; if these disagree the iteration goes on from them, each time to half the target.
_MAX_REFRESHES = 50

# Pair updates of the first burst, and how bursts grow.
_FIRST_BURST = 100
_GROWTH = 2

# In the time in which a pair update goes over one sample: what it takes beside that pass; what a
# Newton step takes once, for a free variable and a sample, for a pair
# and for a triple of free variables; what an entry of a row takes that is not cached.
_UPDATE_COST = 80
_NEWTON_COST = 5e3, 0.5, 10.0, 0.012
_ROW_COST = 8

# A Newton step over more variables than this takes too much memory: 128 MB.
_MAX_NEWTON_SIZE = 4000

# Samples that pair updates go over before Python looks for Ctrl-C.
_UNINTERRUPTED = 100_000_000
# How many times longer an update takes where its rows are computed first.
_WITH_ROWS = 64

# Updates and sweeps between two looks whether they still lead anywhere, what is too small a fall of
# the violation to go on for, and of the objective beside the gap; the end where both are.
_UPDATES_BETWEEN_LOOKS = 500_000
_SWEEPS_BETWEEN_LOOKS = 100
_MIN_RELATIVE_PROGRESS = 0.01
_ROUNDING = 1e-16
IDLE = 4

# Without bounds and ridge the dual has no minimum where no machine fits. Twice the fall of the
# objective is at most the squared norm of any machine that does: here its margin would be below a
# millionth of the largest norm of a point.
_LARGEST_NORM = 1e12
UNBOUNDED = 5
INDEFINITE = 6

# Samples by which an indefinite matrix is shown where no pair shows it.
_MOST_SHOWN = 50


class NotPositiveSemiDefinite(ValueError):
    """The matrix of a dual problem has a negative eigenvalue.

    Parameters
    ----------
    samples : ndarray of int
        A pair along which the objective is concave, or those with the largest multipliers.
    """

    def __init__(self, samples):
        self.samples = samples
        super().__init__(
            "The 'K' of smo, with the ridge, must be positive semi-definite. Got one for which the "
            f"dual objective falls below what is possible then: look at the samples {samples}."
        )


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
    accelerate=True,
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
    alpha0 : ndarray of shape (n_samples,), optional
        Where to start, zero by default. It is clipped to the box; then the multipliers on the
        heavier side are shrunk in proportion to restore y'a = 0. A feasible start is kept as is.
    accelerate : bool, default=True
        Allow what changes the sequence of iterates but not the solution. False gives the plain
        algorithm: with ``selection="first_order"`` the paper's, update by update.
    check_finite : bool, default=True
        Look for NaN and infinity in an ndarray ``K``.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For shapes that do not match, labels other than -1 and +1, NaN or infinity, lower > upper,
        an argument out of its range, or a box without a point on y'a = 0;
        :class:`NotPositiveSemiDefinite` where a positive ridge shows that `K` is not.

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
    check_options(selection, tol, max_iter, "smo")
    problem.begin(feasible_start(problem, alpha0))
    options = dict(tol=tol, max_iter=max_iter, accelerate=accelerate)
    return solve(problem, rules_of(problem.n, selection=selection, **options))


class _Rules(NamedTuple):
    second_order: bool
    tol: float
    budget: int
    accelerate: bool


def budget_of(n, max_iter):
    """The budget of iterations, a generous one by default."""
    return max(10_000_000, 100 * n) if max_iter is None else int(max_iter)


def rules_of(n, *, selection="second_order", tol, max_iter, accelerate=True):
    """How to solve, as `solve` wants it."""
    budget = budget_of(n, max_iter)
    return _Rules(selection == "second_order", float(tol), budget, bool(accelerate))


def solve(problem, rules):
    """The certified solution of a problem, from where it stands."""
    tol = rules.tol
    for k in range(_MAX_REFRESHES + 1):
        status = _minimise(problem, rules, tol * 0.5**k)
        converged = problem.refresh() <= tol
        if converged or status in (BUDGET, IDLE, UNBOUNDED, INDEFINITE):
            break
    if not converged and _is_indefinite(problem):
        raise NotPositiveSemiDefinite(problem.least_curved(_MOST_SHOWN))
    if converged:
        problem.snap(tol)
    dual = problem.dual
    result = certify(
        dual.products,
        dual.y,
        dual.beta,
        dual.low,
        dual.high,
        dual.ridge,
        n_iter=problem.n_iter,
    )
    # What is kept is what is judged.
    violation = result.kkt_violation
    converged = violation <= tol
    if converged:
        reason = f"The maximal violation {violation:.3g} is at most tol = {tol:g}."
    elif status == BUDGET:
        reason = _reason_of_a_spent_budget(problem, rules.budget)
    elif status == IDLE:
        n_sweeps = max(_SWEEPS_BETWEEN_LOOKS, _UPDATES_BETWEEN_LOOKS // problem.n)
        reason = (
            f"For {n_sweeps} sweeps neither the violation has fallen "
            "nor the objective by more than rounding: the solution is out of reach."
        )
    elif status == UNBOUNDED:
        reason = (
            "With infinite bounds the objective falls without end: no machine fits the samples "
            "with a margin of a millionth of their size. Use a finite C."
        )
    else:
        reason = "Rounding errors stop all progress: no pair can be moved any more."
    result = result._replace(converged=converged, stop_reason=reason)
    if not converged:
        _warn(result, rules)
    return result


def _reason_of_a_spent_budget(problem, budget):
    reason = f"The budget of {budget} iterations is spent."
    width = problem.high - problem.low
    if np.isinf(width[problem.ridge == 0.0]).any():
        reason += (
            " With infinite bounds there is no solution where no machine fits the samples: use a "
            "finite C."
        )
    return reason


def _minimise(problem, rules, target):
    """Iterations of section 3 until the end, and between bursts of them what shortens the way."""
    if not rules.accelerate:
        return _update_to_the_end(problem, rules, target)
    n = problem.n
    burst = _FIRST_BURST
    now = problem.n_iter
    watch = _Watch(problem)
    last_newton_iter = now - problem.credit
    last_newton_rows = problem.n_rows_again
    while True:
        stop = min(rules.budget, now + burst)
        status = _update_pairs(problem, rules.second_order, target, stop)
        now = problem.n_iter
        stalled = status == STALLED
        if status == CONVERGED or now >= rules.budget:
            return status
        end = watch.end()
        if end is not None:
            return end

        # Step to the minimiser over the free variables when updates have cost as much as it does.
        spent = (now - last_newton_iter) * (n + _UPDATE_COST)
        spent += (problem.n_rows_again - last_newton_rows) * n * _ROW_COST
        (once, sample, pair, triple) = _NEWTON_COST
        free = problem.free() if stalled or spent > once else ()
        m = len(free)
        if stalled or spent > once + m * (sample * n + m * (pair + triple * m)):
            if stalled and last_newton_iter == now:
                return status
            if 1 < m <= _MAX_NEWTON_SIZE:
                newton_step_on_free_variables(problem, free, rules.tol)
            last_newton_iter = now
            last_newton_rows = problem.n_rows_again
            burst = _FIRST_BURST
            continue
        burst *= _GROWTH


def _update_to_the_end(problem, rules, target):
    """Iterations of section 3 alone; they pause to see whether they still lead anywhere."""
    burst = _FIRST_BURST
    watch = _Watch(problem)
    while True:
        stop = min(rules.budget, problem.n_iter + burst)
        status = _update_pairs(problem, rules.second_order, target, stop)
        if status != BUDGET or stop == rules.budget:
            return status
        end = watch.end()
        if end is not None:
            return end
        burst *= _GROWTH


def _update_pairs(problem, second_order, target, stop):
    """`update_pairs`, a fraction of a second at a time, so that Ctrl-C is heard in between."""
    cache = None if problem.rows is None else problem.rows.cache
    work = problem.n * (1 if cache is None else _WITH_ROWS)
    at_once = max(_UNINTERRUPTED // work, 1)
    while True:
        if is_asked():
            text = "{} pair updates, violation {:.2g} (to be {:.2g})"
            report(text, problem.n_iter, problem.violation, target)
        limit = min(stop, problem.n_iter + at_once)
        status = update_pairs(problem.dual, cache, second_order, target, limit)
        if status == NEEDS_ROW:
            problem.fetch()
        elif status != BUDGET or limit == stop:
            return status


def _is_indefinite(problem):
    """Whether the dual value is above what the primal problem has at w = 0, b = 0.

    It bounds the dual where all slacks are squared and the matrix is positive semi-definite.
    """
    if not problem.is_ridged:
        return False
    bound = 0.5 * (problem.y**2 / problem.ridge).sum()
    with np.errstate(over="ignore", invalid="ignore"):
        value = 0.5 * (problem.beta @ (problem.y + problem.scores))
    return not -np.inf < value <= (1.0 + 1e-6) * bound


class _Watch:
    """Looks, many sweeps apart, whether pair updates still lead anywhere."""

    def __init__(self, problem):
        self.problem = problem
        self.patience = max(_UPDATES_BETWEEN_LOOKS, _SWEEPS_BETWEEN_LOOKS * problem.n)
        self.next = problem.n_iter + self.patience
        self.before = None

    def end(self):
        """How the iteration has to end, None where it can go on."""
        problem = self.problem
        if _is_indefinite(problem):
            return INDEFINITE
        are_all_limited, is_any_limited = problem.limited
        if not are_all_limited:
            y = problem.y
            beta = problem.beta
            scores = problem.scores
            squared_norm = beta @ (y + scores)
            quadratic = 1.0
            if not is_any_limited:
                # Any multiple is feasible: the best one.
                squared_norm = (y @ beta) ** 2
                quadratic = max(beta @ (y - scores), 0.0)
            if squared_norm * problem.diagonal.max() > _LARGEST_NORM * quadratic:
                return UNBOUNDED
        return IDLE if self.is_idle() else None

    def is_idle(self):
        """Whether, since the last look, all has stayed as it was but for rounding."""
        problem = self.problem
        if problem.n_iter < self.next:
            return False
        y, low, high, ridge, beta, scores = problem.dual[3:9]
        products = y - scores - ridge * beta
        _, objective, gap, violation = loops.certificates(
            products, y, beta, low, high, ridge
        )
        before, self.before = self.before, (objective, violation)
        self.next = problem.n_iter + self.patience
        return (
            before is not None
            and violation > (1.0 - _MIN_RELATIVE_PROGRESS) * before[1]
            and before[0] - objective <= _ROUNDING * gap < np.inf
        )


@njit(**loops.EXACT)
def update_pairs(dual, cache, second_order, target, limit):
    """Iterations of section 3 until the end, the limit, a stall or a missing row."""
    K, slot, diagonal, _, low, high, ridge, beta, scores, _, clock, ends = dual
    n = scores.size
    # Loops, as numpy's where takes two seconds to compile.
    up = np.empty(n)
    down = np.empty(n)
    for k in range(n):
        up[k] = 0.0 if beta[k] < high[k] else -np.inf
        down[k] = 0.0 if beta[k] > low[k] else np.inf
    gains = np.empty(n)
    step = 0.0
    A = scores
    B = scores
    while True:
        # Select the maximal violating pair (8); the same pass makes the scores current.
        top, i, bottom, j = loops.select(scores, up, down, step, A, B)
        step = 0.0
        ends[0] = top
        ends[1] = bottom
        # The end, (10) and (11).
        if not top - bottom > target:
            return CONVERGED
        if clock[N_ITER] >= limit:
            return BUDGET
        i = loops.position(scores, up, top, i)
        clock[FIRST] = i
        clock[SECOND] = i
        if cache is not None and not use_row(cache, i, i):
            return NEEDS_ROW
        A = K[slot[i]]
        if second_order:
            j = loops.partner(scores, down, gains, diagonal, A, top, diagonal[i])
        else:
            j = loops.position(scores, down, bottom, j)
        clock[SECOND] = j
        if cache is not None and not use_row(cache, j, i):
            return NEEDS_ROW
        B = K[slot[j]]

        # The step along e_i - e_j, clipped to the box (9).
        step = (top - scores[j]) / max(
            diagonal[i] + diagonal[j] - 2.0 * A[j], loops.TAU
        )
        step, rise, fall = loops.clip(step, beta[i], beta[j], high[i], low[j])
        if beta[i] == rise and beta[j] == fall:
            return STALLED
        beta[i] = rise
        beta[j] = fall
        for k in (i, j):
            up[k] = 0.0 if beta[k] < high[k] else -np.inf
            down[k] = 0.0 if beta[k] > low[k] else np.inf
        scores[i] -= step * ridge[i]
        scores[j] += step * ridge[j]
        clock[N_ITER] += 1


def _warn(result, rules):
    selection = "second_order" if rules.second_order else "first_order"
    warn_not_converged(
        f"smo ({selection} selection) has not converged. {result.stop_reason} After "
        f"{result.n_iter} iterations the KKT violation is {result.kkt_violation:.3g} "
        f"(tol = {rules.tol:g}) and the duality gap {result.duality_gap:.3g}. Consider increasing "
        f"max_iter or tol, decreasing C, or scaling the inputs."
    )
