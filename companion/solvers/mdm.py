"""The Mitchell-Demyanov-Malozemov algorithm: nearest points of two convex hulls.

    min 1/2 |w|^2,   w = sum_i y_i a_i phi(x_i)
    s.t. a >= 0,  sum of a_i over the positives = 1 = sum of a_i over the negatives

with phi(x_i) . phi(x_j) = K_ij + ridge_i delta_ij: the CH-SVM, (2.2.6) with the kernel (2.2.14).
(In (2.2.13) the coordinate that stands for the slack should be y_i / sqrt(C), as it is in (2.2.8).)
The height of a sample over the plane through the origin normal to w is h_i = y_i w . phi(x_i).

0. Start in the centres of the classes, or at `alpha0`.
1. In each class find the sample of least height and the highest support point. End when the least
   heights show that no two points of the hulls are much nearer than w_+ and w_- are.
2. In the class where the two differ most, move weight from a support point to the lowest sample:
   the exact minimiser along this line, clipped where the weight is spent; go to 1.

The weight is taken from the highest support point, or (second order) from the one of which the
unclipped step gains most. Accelerated, 1 and 2 go on over a working set, the support and the lowest
of the samples that are lower than it, until none is left out that is; and after many updates, w is
moved to the minimiser over the support.

A. Barbero, SVM imbalance correction by conformal kernel transformations, master thesis, UAM, 2008,
section 2.2 (equation numbers). B. F. Mitchell, V. F. Demyanov and V. N. Malozemov, SIAM Journal on
Control 12 (1974). The second order: Fan, Chen and Lin, JMLR 6 (2005).
"""

from __future__ import annotations

import numpy as np

from companion._utils.blas import definite_solve
from companion._utils.checks import check_options
from companion._utils.compiled import njit
from companion._utils.progress import report
from companion.solvers._loops import mdm as steps
from companion.solvers._loops.smo import position
from companion.solvers._mdm_problem import checked_hulls, warn
from companion.solvers.result import MDMResult, certify_hulls
from companion.solvers.smo import budget_of

__all__ = ["mdm"]

# Samples of a class at whose centre a working set starts; the gap within a set is brought to this
# share of that over all samples before others join.
_FIRST_WORKING_SET = 30
_WORKING_SET_TOL = 0.1

# Pair updates a support point before a step over its face; twice as many before the next.
_UPDATES_BEFORE_STEP = 6

# Relative to the largest diagonal entry: the least curvature of a pair, as identical points have
# none, the |w|^2 that is nothing but rounding, and what rounding may change |w|^2 by.
_LEAST_CURVATURE = 1e-12
_TOUCHING = 1e-12
_NOISE = 1e-15

# Pair updates a sample after which the heights are computed afresh, ever later, and how often
# that may show no progress until rounding is to blame; after a long pass, once.
_SWEEPS_TO_REFRESH = 500
_MAX_REFRESHES_IN_VAIN = 50

# Pair updates in one compiled call, times samples: some tenths of a second.
_BURST = 50_000_000

# Added to the diagonal, relative to it: kernel matrices have eigenvalues below rounding.
_JITTER = 1e-13


def mdm(
    K,
    y,
    *,
    ridge=0.0,
    alpha0=None,
    selection="second_order",
    accelerate=False,
    tol=1e-3,
    max_iter=None,
) -> MDMResult:
    """Find the nearest points of the convex hulls of two classes.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Gram matrix without the ridge, symmetric and positive semi-definite.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1, both present.
    ridge : float or ndarray of shape (n_samples,), default=0.0
        Added to the diagonal of K: 1 / C for the SVM with squared slacks. Without it the hulls must
        not overlap. None means 0.
    alpha0 : ndarray of shape (n_samples,), optional
        Where to start, as ``alpha`` of a similar problem. By default the centres of the classes,
        with ``accelerate`` those of the 30 lowest samples of each. Negative entries are taken for
        0, and each class is scaled to the sum 1.
    selection : {"second_order", "first_order"}, default="second_order"
        The support point that gives up weight: the one of largest gain, or the highest.
    accelerate : bool, default=False
        False is the plain algorithm, True adds the working set and steps over the face of the
        support, which count as no iteration.
    tol : float, default=1e-3
        Ends when the duality gap is at most ``tol`` times the objective, 0 < tol < 1. In the units
        of the SVM the primal value is then at most 1 / (1 - tol) times the dual one.
    max_iter : int, optional
        Budget of iterations; the default is the larger of 10^7 and 100 n_samples.

    Returns
    -------
    MDMResult

    Raises
    ------
    ValueError
        For shapes that do not match, labels other than -1 and +1, a class without samples, NaN or
        infinity, a negative ridge, an unknown selection, or a tolerance or budget out of range.

    Warns
    -----
    ConvergenceWarning
        When the budget ends first, rounding stops all progress, or the hulls touch.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-1.0, 3.0, 4.0])
    >>> result = mdm(np.outer(x, x), np.array([-1, 1, 1]))
    >>> result.alpha, result.squared_norm, result.intercept
    (array([1., 1., 0.]), 16.0, -4.0)
    """
    check_options(selection, tol, max_iter, "mdm", most=1.0)
    K, y, ridge, alpha0 = checked_hulls(K, y, ridge, alpha0)
    options = {
        "selection": selection,
        "accelerate": accelerate,
        "tol": tol,
        "max_iter": max_iter,
    }
    return nearest_points(K, y, y, ridge, alpha0, **options)


def nearest_points(K, y, e, ridge, alpha0=None, **options):
    """`mdm` without checks, for signed factors e: with e_i e_j K_ij in place of y_i y_j K_ij.

    ``options`` are those of :func:`minimise`.
    """
    alpha, heights, n_iter = minimise(K, y, e, ridge, alpha0, **options)
    if not np.isfinite(heights).all():
        raise ValueError(
            "The 'K' of mdm must be finite, and so must sums of its rows. Got NaN or infinity "
            "in K (y alpha0); look at the scale of the kernel."
        )
    scale = (e * e * K.diagonal() + ridge).max()
    budget = budget_of(y.size, options["max_iter"])
    touching = not alpha @ heights > _TOUCHING * scale
    result = certify_hulls(
        alpha, heights, y, ridge, options["tol"], n_iter, budget, scale, touching
    )
    if not result.converged:
        warn(result, options)
    return result


def minimise(  # noqa: PLR0913
    K, y, e, ridge, alpha0, *, tol, max_iter, selection="second_order", accelerate=True
):
    """The multipliers, their heights and the number of iterations."""
    budget = budget_of(y.size, max_iter)
    second_order = selection == "second_order"
    lengths = e * e * K.diagonal() + ridge
    # 0. The centres, or alpha0; a working set starts in the centres of the lowest samples.
    alpha = np.zeros(y.size) if alpha0 is None else alpha0.copy()
    steps.normalise(alpha, y)
    heights = _heights(K, e, ridge, alpha)
    if accelerate and alpha0 is None:
        alpha[:] = 0.0
        for sign in (1.0, -1.0):
            members = np.flatnonzero(y == sign)
            order = np.argsort(heights[members], kind="stable")
            alpha[members[order[:_FIRST_WORKING_SET]]] = 1.0
        steps.normalise(alpha, y)
        heights = _heights(K, e, ridge, alpha)
    # 1. and 2., and after so many pair updates a step over the face of the support.
    n_iter = 0
    since = 0
    patience = _UPDATES_BEFORE_STEP
    while True:
        burst = patience * np.count_nonzero(alpha) if accelerate else budget
        most = min(max(burst - since, 1), budget - n_iter)
        done = nearest(
            K, e, ridge, y, lengths, alpha, heights, second_order, accelerate, tol, most
        )
        n_iter = n_iter + done
        since = since + done
        if done < most or n_iter >= budget:
            return alpha, heights, n_iter
        if 2 * since >= patience * np.count_nonzero(alpha):
            since = 0
            patience = 2 * patience
            if _step_over_face(K, e, ridge, alpha, heights, y):
                heights = _heights(K, e, ridge, alpha)


def nearest(  # noqa: PLR0913, PLR0917
    K, e, ridge, y, lengths, alpha, h, second_order, works, tol, budget
):
    """Steps 1 and 2 until the end or a budget: pair updates. alpha and h are changed in place."""
    # gap <= tol / 2 |w|^2 where |w|^2 - m <= (1 - sqrt(1 - tol)) |w|^2; the last digits are spared.
    share = (1.0 - 1e-9) * tol / (1.0 + np.sqrt(1.0 - tol))
    n_iter = 0
    idle = 0
    full = False
    norm = np.inf
    scale = lengths.max()
    low = np.empty(2)
    high = np.empty(2)
    long = _SWEEPS_TO_REFRESH * y.size
    while True:
        # 1. over all samples, by heights that were computed afresh: the end?
        before = norm
        norm = steps.extremes(y, alpha, h, low, high)
        margin = low[0] + low[1]
        idle += 1 + _MAX_REFRESHES_IN_VAIN * full
        if before - norm > _NOISE * scale:
            idle = 0
        is_over = n_iter >= budget or idle > _MAX_REFRESHES_IN_VAIN
        if is_over or not _TOUCHING * scale < norm < np.inf:
            return n_iter
        if margin > 0.0 and (norm - margin) * (1.0 + margin / norm) <= tol * norm:
            return n_iter
        # 1. and 2. over the samples that may have a part in the solution, all if none is left out
        part, p = steps.working_set(h, alpha, y, low, high, works)
        within = share
        if part.size < y.size:
            within = max(share, _WORKING_SET_TOL * (norm - margin) / norm)
        most = min(budget - n_iter, long)
        a = alpha[part]
        part_heights = h[part]
        parts = K, e[part], ridge[part], lengths[part], part, p, a, part_heights
        rules = _LEAST_CURVATURE * scale, second_order, within
        done = _in_bursts(parts, norm, rules, most)
        full = done == long
        n_iter = n_iter + done
        long = long + full * (long // 2)
        alpha[part] = a
        steps.normalise(alpha, y)
        steps.set_heights(K, e, ridge, alpha, h)


def _in_bursts(parts, norm, rules, budget):
    """`update_pairs` until the end or a budget, by calls that are short: Ctrl-C waits for one."""
    n = parts[4].size
    rows = np.empty((n, n)), np.zeros(n, dtype=np.bool_)
    last = np.zeros(2, dtype=np.int64), np.array([0.0, norm])
    done = 0
    burst = max(1, _BURST // n)
    while done < budget:
        most = min(burst, budget - done)
        updates = update_pairs(*parts, *rows, *last, *rules, most)
        done += updates
        report("{} pair updates of a machine", done)
        if updates < most:
            break
    return done


@njit(**steps.EXACT)
def update_pairs(  # noqa: PLR0913, PLR0917
    K,
    e,
    ridge,
    lengths,
    part,
    p,
    a,
    h,
    Q,
    known,
    pair,
    length,
    least,
    second_order,
    share,
    budget,
):
    """Pair after pair among some samples, the p positives first, until |w|^2 - m <= share |w|^2.

    m is the sum of the least heights. How many updates there were comes back. What the next call
    goes on from stays in the arrays: the last pair, the length of its step, and |w|^2.
    """
    n = a.size
    i = pair[0]
    j = pair[1]
    step = length[0]
    norm = length[1]
    support = np.where(a > 0.0, 0.0, -np.inf)
    none = np.zeros(n)
    gains = np.empty(n)
    for done in range(budget):
        # The heights after the last step, and of each class the lowest and the highest.
        A = steps.row_of(Q, known, K, e, part, i)
        B = steps.row_of(Q, known, K, e, part, j)
        low_p, high_p = steps.move(h[:p], support[:p], A[:p], B[:p], step)
        low_m, high_m = steps.move(h[p:], support[p:], A[p:], B[p:], step)

        # 1. No two points of the hulls are much nearer than w_+ and w_- are: the end.
        margin = low_p + low_m
        step = 0.0
        if margin > 0.0 and norm - margin <= share * norm:
            return done

        # 2. In the class where they differ most the lowest, i, takes weight from the highest, j ...
        start = p
        stop = n
        low = low_m
        high = high_m
        if high_p - low_p >= high_m - low_m:
            start = 0
            stop = p
            low = low_p
            high = high_p
        i = start + position(h[start:stop], none[start:stop], low, 0)
        values = h[start:stop]
        mask = support[start:stop]
        wanted = high
        A = steps.row_of(Q, known, K, e, part, i)
        if second_order:  # ... or from that of which the step gains most,
            best = steps.set_gains(
                h[start:stop],
                support[start:stop],
                lengths[start:stop],
                A[start:stop],
                low,
                lengths[i],
                least,
                gains[start:stop],
            )
            if 0.0 < best < np.inf:
                values = gains[start:stop]
                mask = none[start:stop]
                wanted = best
        j = start + position(values, mask, wanted, 0)

        # to the minimiser along w_i - w_j, or as much as there is.
        fall = h[j] - h[i]
        curvature = max(lengths[i] + lengths[j] - 2.0 * A[j], least)
        step = min(fall / curvature, a[j])
        gain = step * (fall - 0.5 * step * curvature)
        if not fall > 0.0 or (a[i] + step == a[i] and a[j] - step == a[j]):
            return done

        step = steps.transfer(a, support, i, j, step)
        h[i] += step * ridge[i]
        h[j] -= step * ridge[j]
        norm -= 2.0 * gain
    pair[0] = i
    pair[1] = j
    length[0] = step
    length[1] = norm
    return budget


def _heights(K, e, ridge, alpha):
    """h_k = e_k sum_j K_kj e_j alpha_j + ridge_k alpha_k."""
    if np.count_nonzero(alpha) > alpha.size // 2:
        with np.errstate(over="ignore", invalid="ignore"):
            return e * (K @ (e * alpha)) + ridge * alpha
    h = np.empty(alpha.size)
    steps.set_heights(K, e, ridge, alpha, h)
    return h


def _step_over_face(K, e, ridge, alpha, heights, y):  # noqa: PLR0917
    """Move towards the minimiser over the affine hull of the support, as far as w gets shorter.

    Samples whose multipliers are negative there are left out, and the rest is tried again. Whether
    there was a step comes back.
    """
    face = np.flatnonzero(alpha)
    target = np.zeros(alpha.size)
    values = np.zeros(1)
    while not values.min() > 0.0:
        A = steps.face_of(K, e, face)
        A.ravel()[:: face.size + 1] += ridge[face] + _JITTER * A.diagonal()
        # min 1/2 a'Aa, E'a = 1: a = Z mu with AZ = E and E'Z mu = 1, here but for a factor.
        E = np.array([y[face] > 0.0, y[face] < 0.0], dtype=float).T
        if not E.any(axis=0).all():
            return False
        Z, is_definite = definite_solve(A.T, E)
        if not is_definite:
            return False
        G = E.T @ Z
        values = Z @ (G.diagonal()[::-1] - G[0, 1])
        kept = values > 0.0
        face = face[kept]
        values = values[kept] if kept.all() else np.zeros(1)
    target[face] = values
    steps.normalise(target, y)
    change = target - alpha
    slope = change @ heights
    curvature = change @ _heights(K, e, ridge, change)
    if slope < 0.0:
        alpha += (min(1.0, -slope / curvature) if curvature > 0.0 else 1.0) * change
    return slope < 0.0
