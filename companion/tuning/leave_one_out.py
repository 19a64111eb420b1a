"""Exact leave-one-out errors of the L1-SVM, by following its solution while a point goes.

Hold a_i at t in min 1/2 a'Qa - e'a, y'a = 0, 0 <= a <= u, and minimise over the others: the least
value V(t) is convex, and y_i f(x_i) - 1 is a subgradient of V at t, where f is any solution of the
problem with a_i = t. V at t = a_i is the machine itself, at t = 0 the machine without point i. So

* the margin of i only falls while a_i goes to 0: a support vector with y_i f(x_i) <= 0 is an error
  when it is left out, and a path may end where its margin reaches zero;
* a point with a_i = 0 keeps its decision value wherever the bias is unique.

What is left is followed: with a_i moving to 0 the solution is piecewise linear, pieces ending where
a free vector meets a bound or a score the bias (Cauwenberghs & Poggio). Where rounding throws a
walk off, :func:`companion.solvers.smo.smo` solves the problem without the point; it also makes the
machine itself exact at the start. The diagonal of K is raised by 1e-10 of its largest entry; where
what this changes could be a verdict, the problem without the point is solved for K as it is.

G. Wahba, Y. Lin, Y. Lee and H. Zhang, TR 1039, University of Wisconsin, 2001, sections 3 and 4.
T. Joachims, Estimating the generalization performance of an SVM efficiently, ICML 2000.
G. Cauwenberghs and T. Poggio, Incremental and decremental support vector machine learning, NIPS
2000.
"""

from dataclasses import dataclass

import numpy as np

from companion._utils.checks import check_square, checked_signs
from companion._utils.memory import require_memory
from companion.estimators._kernel_classifier import signed_labels
from companion.kernels import gram, squared_distances
from companion.kernels._equal import equal_rows
from companion.solvers.smo import smo
from companion.tuning import _leave_one_out_loops as loops
from companion.tuning._training_set import observed

__all__ = ["LeftOut", "leave_one_out", "leave_one_out_errors", "leave_one_out_surface"]

# Tolerance and budget of the exact solutions.
_TOL = 1e-9
_MAX_ITER = 1_000_000

# Samples left out in one compiled call: Ctrl-C waits for no more.
_BURST = 50

# Matrices of the size of the Gram matrix at the same time.
_MATRICES = 6

# Added to the diagonal, relative to the largest K_ii, so that all points are affinely independent,
# and by how much a margin may fall short of 1 for it.
_RIDGE = 1e-10
_MOST_SHORTFALL = 0.01

# A point whose left-out margin is at most so many times the ridge times the largest multiplier, but
# at most the second number, is left out of K without the ridge too.
_DOUBT = 100.0
_MOST_DOUBT = 0.1


@dataclass(frozen=True)
class LeftOut:
    """Verdicts on every point by the machine that was trained without it.

    Attributes
    ----------
    errors, decision : ndarray of shape (..., n)
        Whether the left-out margin is zero (within 1e-7) or negative; left-out decision values,
        NaN where the sign was settled before the value. They are those of a Gram matrix whose
        diagonal is larger by 1e-10 of its largest entry, which moves them by about that times the
        multipliers, and some times as much at points far away, or else exact to about 1e-7.
    """

    errors: np.ndarray
    decision: np.ndarray


def leave_one_out_errors(K, y, alpha, upper, *, decisions=False):
    """Leave every point out of one L1-SVM, or of several on the same Gram matrix.

    Leaving out a point leaves the bounds of the others, C L(y_j), as they are (not lambda n).

    Parameters
    ----------
    K, y : ndarray of shape (n, n) and (n,)
        Gram matrix, symmetric and positive semi-definite, and labels -1 and +1.
    alpha : ndarray of shape (..., n)
        Solutions of the machines, such as to tol = 1e-3; they are made exact first.
    upper : float or array-like that broadcasts to the shape of `alpha`
        Bounds C L(y_i) >= 0, which may be infinite.
    decisions : bool, default=False
        Follow every path to its end, so that `decision` holds no NaN.

    Returns
    -------
    LeftOut

    Raises
    ------
    ValueError
        If shapes do not match, K is not finite, labels are not -1 and +1, bounds are negative,
        `alpha` is outside of them or off y'alpha = 0, a class has a single point, or bounds are
        infinite where no machine fits the samples.

    Warns
    -----
    ConvergenceWarning
        If a problem without a point could not be solved to the end.

    Notes
    -----
    The bias is the mean score of the free vectors, else the middle of its interval. A vector is
    free if it keeps more than 1e-9 of its range from both bounds, where a bound above twice what
    the multipliers can add up to counts as that.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.solvers.smo import smo
    >>> x, y = np.array([-2.0, -1.0, 0.5, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> K = np.outer(x, x)
    >>> result = leave_one_out_errors(K, y, smo(K, y, 0.0, 10.0).alpha, 10.0, decisions=True)
    >>> result.errors.tolist(), result.decision.round(3).tolist()
    ([False, False, True, False], [-2.333, -0.2, 0.0, 3.0])
    """
    K, y, alpha, upper = _checked(K, y, alpha, upper)
    _require_memory("leave_one_out_errors", len(y))
    require_two_each(y, (upper > 0.0).reshape(-1, len(y)))
    return _leave_one_out(K, y, alpha, upper, decisions)


def leave_one_out_surface(surface, X, y, *, kernel="rbf"):
    """Exact leave-one-out errors in every cell of a surface of machines.

    Parameters
    ----------
    surface : MachineSurface
        Of :func:`companion.tuning.machine_surface`.
    X, y : array-like of shape (n, n_features) and (n,)
        Its training points and their labels, or a `ValueError` is raised.
    kernel : {"rbf", "poly"}, default="rbf"
        The kernel that the surface was made with.

    Returns
    -------
    ndarray of bool of shape (n_gamma, n_C, n)
        Errors as in :class:`LeftOut`.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    classes = np.unique(y)
    signs = surface.signs
    n = len(signs)
    has_labels = len(classes) == 2 and np.array_equal(signed_labels(y, classes), signs)
    if not has_labels or X.shape[:1] != (n,):
        raise ValueError(
            f"leave_one_out_surface needs the {n} points and labels that the surface was made of. "
            f"Got X of shape {X.shape} and other labels, or as many in another order."
        )
    require_two_each(y)
    _require_memory("leave_one_out_surface", n)
    distances = squared_distances(X) if kernel == "rbf" else None
    upper = np.multiply.outer(surface.C, surface.factors)
    errors = np.empty(surface.alpha.shape, dtype=bool)
    K = np.empty((n, n))
    for g, gamma in enumerate(surface.gamma):
        gram(X, kernel=kernel, gamma=gamma, squared_distances=distances, out=K)
        decision = K @ (signs * surface.alpha[g, 0]) + surface.intercept[g, 0]
        if not np.allclose(decision, surface.decision[g, 0], rtol=1e-6, atol=1e-6):
            raise ValueError(
                "leave_one_out_surface needs the points that the surface was made of, in their "
                f"order, and its kernel. The decision values at gamma = {gamma:g} are others with "
                f"this X and kernel={kernel!r}."
            )
        errors[g] = _leave_one_out(K, signs, surface.alpha[g], upper, False).errors
    return errors


def leave_one_out(estimator, X, y, costs=None):
    """Exact leave-one-out error rate of a fitted :class:`companion.L1SVC`.

    Parameters
    ----------
    estimator, X, y
        As for :func:`companion.tuning.gacv`.
    costs : mapping from label to float, optional
        L(y) for both labels, by which errors are weighted; by default the machine's own class
        weights.

    Returns
    -------
    float
        Mean of L(y_i) times the left-out error of i. The bounds of the machine, and its gamma and
        class weights, are those of the full data.

    Raises
    ------
    NotFittedError, TypeError, ValueError
        As :func:`companion.tuning.gacv`, and if a class has a single point, C is infinite where no
        machine fits the samples, the kernel is not positive semi-definite, or memory would not hold
        the matrices.

    Examples
    --------
    >>> from companion import L1SVC
    >>> X, y = [[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1]
    >>> leave_one_out(L1SVC(C=10, gamma=1.0).fit(X, y), X, y)
    0.5
    """
    seen = observed(estimator, X, y, costs, "leave_one_out")
    require_two_each(np.asarray(y))
    n = len(seen.signs)
    _require_memory("leave_one_out", n)
    K = seen.gram(np.arange(n))
    errors = _leave_one_out(K, seen.signs, seen.alpha, seen.upper, False).errors
    return float(np.mean(errors if seen.cost is None else seen.cost * errors))


def _leave_one_out(K, y, alpha, upper, decisions):
    """As :func:`leave_one_out_errors`, of checked arrays."""
    n = len(y)
    shape = alpha.shape
    upper = np.broadcast_to(upper, shape).reshape(-1, n)
    alpha = alpha.reshape(-1, n)
    A = np.ones((n + 1, n + 1))
    A[:n, :n] = K
    ridge = _RIDGE * K.diagonal().max()
    A.ravel()[: n * (n + 1) : n + 2] += ridge
    A[n, n] = 0.0
    given = K
    K = A[:n, :n].copy()
    table = np.empty(A.shape)
    verdicts = np.empty(alpha.shape, dtype=np.int8)
    values = np.empty(alpha.shape)
    ends = np.empty((n, n))
    last = ()
    settled = None
    for c, (start, u) in enumerate(zip(alpha, upper, strict=True)):
        if settled is not None and (u >= upper[c - 1]).all():
            # wider bounds change nothing
            _require_fit(settled, u, ridge)
            verdicts[c] = verdicts[c - 1]
            values[c] = values[c - 1]
            continue
        machine = _solve(K, y, u, start)
        _require_fit(machine, u, ridge)
        free = np.flatnonzero(
            (machine.low < machine.beta) & (machine.beta < machine.high)
        )
        basic = free if len(free) else np.array([0])
        if not np.array_equal(basic, last):
            try:
                loops.tableau(A, basic, table)
            except np.linalg.LinAlgError as error:
                raise ValueError(
                    "Exact leave-one-out needs a kernel that is positive semi-definite, and this "
                    "one is not."
                ) from error
            last = basic
        for first in range(0, n, _BURST):
            found = ends, verdicts[c], values[c]
            loops.leave_out(
                machine, first, min(first + _BURST, n), free, table, decisions, *found
            )
        rows = np.flatnonzero(verdicts[c] == loops.UNKNOWN)
        scores = _scores(machine, rows, ends[rows])
        loops.decide_errors(machine, rows, ends[rows], scores, verdicts[c], values[c])
        failed = np.flatnonzero(verdicts[c] == loops.FAILED)
        without_ridge = machine._replace(K=given)
        doubt = min(_DOUBT * ridge * np.abs(machine.beta).max(), _MOST_DOUBT)
        found = verdicts[c], values[c]
        _refit(failed, machine, given, u, found)
        doubtful = (verdicts[c] == loops.CORRECT) & (y * values[c] <= doubt)
        _refit(np.flatnonzero(doubtful), without_ridge, given, u, found)
        is_inside = _is_inside(machine, machine.beta) and _is_inside(machine, ends)
        settled = machine if is_inside and not len(failed) else None
    return LeftOut((verdicts == loops.ERROR).reshape(shape), values.reshape(shape))


def _refit(rows, machine, K, upper, found):
    """Verdicts and values of some samples by a fit without each."""
    if not len(rows):
        return
    # any one of identical points stands for them all
    y = machine.y
    verdicts, values = found
    different, which = equal_rows(np.column_stack([K[rows], y[rows], upper[rows]]))
    fits = [_left_out_decision(machine, upper, i) for i in rows[different]]
    values[rows] = np.array(fits)[which]
    is_correct = y[rows] * values[rows] > loops.ZERO_MARGIN
    verdicts[rows] = np.where(is_correct, loops.CORRECT, loops.ERROR)


def _solve(K, y, upper, alpha):
    """The machine made exact, with what is at a bound up to rounding on it."""
    # What K beta rounds to is no violation.
    tol = _TOL + 1e-14 * (alpha * K.diagonal()).sum()
    result = smo(
        K, y, 0.0, upper, alpha0=alpha, tol=tol, max_iter=_MAX_ITER, check_finite=False
    )
    projections = result.decision_function - result.intercept
    upper = np.minimum(upper, _out_of_reach(y * result.alpha, projections))
    near = loops.AT_BOUND * upper
    alpha = np.where(result.alpha <= near, 0.0, result.alpha)
    alpha = np.where(alpha >= upper - near, upper, alpha)
    scores = y - projections
    return loops.Machine(
        K, y, np.minimum(y * upper, 0.0), np.maximum(y * upper, 0.0), y * alpha, scores
    )


def _is_inside(machine, beta):
    """Whether no multiplier is at its upper bound."""
    most = np.maximum(machine.high, -machine.low)
    return bool((np.abs(beta) < (1.0 - loops.AT_BOUND) * most).all())


def _scores(machine, rows, ends):
    """The scores without each of these samples, from those of the machine and what has moved."""
    moves = ends - machine.beta
    own_move = moves[np.arange(len(rows)), rows]
    moves[np.arange(len(rows)), rows] = 0.0
    moved = np.flatnonzero(moves.any(axis=0))
    change = moves[:, moved] @ machine.K[moved]
    change += own_move[:, np.newaxis] * machine.K[rows]
    return machine.scores - change


def _require_fit(machine, upper, ridge):
    """Refuse infinite bounds where but for the ridge the problem had no solution.

    The margin of a support vector falls short of 1 by ridge times its multiplier.
    """
    shortfall = ridge * np.abs(machine.beta[np.isinf(upper)]).max(initial=0.0)
    if shortfall > _MOST_SHORTFALL:
        raise ValueError(
            "Leave-one-out with infinite bounds needs samples that a machine can fit without "
            "slack. Got samples for which there is none: use a finite C."
        )


def _out_of_reach(beta, projections):
    """A bound that no multiplier meets, whichever point goes: twice the most that they add up to.

    With a_i held the others add up to at most 2 D, where D = e'a - 1/2 a'Qa is the dual objective
    of the machine: it is the largest, and a'Qa is at most the sum of the others plus a_i, as their
    margins are at most 1. A bound much larger than the multipliers, which may be infinite, would
    leave none of them free in rounding.
    """
    D = np.abs(beta).sum() - 0.5 * beta @ projections
    return 4.0 * D


def _left_out_decision(machine, upper, i):
    """f(x_i) of the machine without point i, by the general solver."""
    rest = np.where(np.arange(len(upper)) == i, 0.0, upper)
    other = _solve(machine.K, machine.y, rest, np.abs(machine.beta))
    return (
        other.y[i]
        - other.scores[i]
        + loops.bias_of(other, other.beta, other.scores, -1)[0]
    )


def _require_memory(name, n):
    require_memory(
        f"{name} for {n:,} samples",
        _MATRICES * n**2 * 8e-6,
        "Use xi_alpha or gacv, which need no matrix, or fewer samples.",
    )


def require_two_each(y, taking_part=True):
    """Every class of every machine must keep a point when one is left out."""
    for label in np.unique(y).tolist():
        if ((taking_part & (y == label)).sum(axis=-1) < 2).any():
            raise ValueError(
                f"Leave-one-out needs at least two points of every class. Class {label!r} has "
                "fewer: without its last point there is no machine."
            )


def _checked(K, y, alpha, upper):
    K = np.ascontiguousarray(K, dtype=np.float64)
    y = checked_signs(y, "leave_one_out_errors", both=True)
    alpha = np.asarray(alpha, dtype=np.float64)
    n = y.size
    check_square(K, n, "leave_one_out_errors")
    if alpha.shape[-1:] != (n,):
        raise ValueError(
            f"The 'alpha' of leave_one_out_errors must have the shape (..., {n}), with a number "
            f"for each label. Got {alpha.shape}."
        )
    if not np.isfinite(K).all():
        raise ValueError(
            "The 'K' of leave_one_out_errors must be finite. Got NaN or infinity."
        )
    try:
        upper = np.broadcast_to(np.asarray(upper, dtype=np.float64), alpha.shape)
    except ValueError:
        raise ValueError(
            "The 'upper' of leave_one_out_errors must broadcast to the shape of alpha, "
            f"{alpha.shape}. Got shape {np.shape(upper)}."
        ) from None
    if not (upper >= 0.0).all():
        raise ValueError(
            "The 'upper' of leave_one_out_errors must be at least 0. Got negative bounds or NaN."
        )
    if not np.isfinite(alpha).all():
        raise ValueError(
            "The 'alpha' of leave_one_out_errors must be finite. Got NaN or infinity."
        )
    slack = 1e-9 * alpha.max(axis=-1, initial=0.0)[..., np.newaxis]
    if (
        not ((alpha >= -slack) & (alpha <= upper + slack)).all()
        or not (np.abs(alpha @ y) <= n * slack[..., 0]).all()
    ):
        raise ValueError(
            "The 'alpha' of leave_one_out_errors must solve the dual: 0 <= alpha <= upper and "
            "y'alpha = 0. Got values outside, which may belong to other bounds or labels."
        )
    return K, y, alpha, upper
