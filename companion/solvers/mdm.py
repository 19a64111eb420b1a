"""The Mitchell-Demyanov-Malozemov algorithm: nearest points of two convex hulls.

    min 1/2 |w|^2,   w = sum_i y_i a_i phi(x_i)
    s.t. a >= 0,  sum of a_i over the positives = 1 = sum of a_i over the negatives

with phi(x_i) . phi(x_j) = K_ij + ridge_i delta_ij: the CH-SVM, (2.2.6) with the kernel (2.2.14).
(In (2.2.13) the coordinate that stands for the slack should be y_i / sqrt(C), as it is in (2.2.8).)
The height of a sample over the plane through the origin normal to w is h_i = y_i w . phi(x_i).

0. Start in the centres of the classes, or where told.
1. In each class find the sample of least height and the highest support point. End when the least
   heights show that no two points of the hulls are much nearer than w_+ and w_- are.
2. In the class where the two differ most, move weight from a support point to the lowest sample:
   the exact minimiser along this line, clipped where the weight is spent; go to 1.

The weight is taken from the highest support point, or (second order) from the one of which the
unclipped step gains most. Three accelerations lead to the same solution. When a pair comes again,
what has been done since is a cycle: w is moved along the sum of these updates, by an exact line
search clipped at the first multiplier to vanish, where that gains more than pair updates would.
1 and 2 go on over a working set, the support and the lowest of the samples that are lower than it,
until none is left out that is. After many updates, w is moved to the minimiser over the support.

A. Barbero, SVM imbalance correction by conformal kernel transformations, master thesis, UAM, 2008,
section 2.2 (equation numbers). B. F. Mitchell, V. F. Demyanov and V. N. Malozemov, SIAM Journal on
Control 12 (1974). The cycles: A. Barbero, J. Lopez and J. R. Dorronsoro, An accelerated MDM
algorithm for SVM training, ESANN 2008. The second order: Fan, Chen and Lin, JMLR 6 (2005).
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers import _mdm_loops as loops
from companion.solvers._problem import checked_matrix, checked_vector
from companion.solvers.result import MDMResult, SVMSolution

__all__ = ["MDMResult", "SVMSolution", "mdm"]

# Pair updates that are remembered to find cycles, a power of two.
_WINDOW = 256

# Samples of a class at whose centre a working set starts; pair updates a sample before the first
# step over the face of the support, with twice as many before the next one.
_LOWEST, _BURST = 30, 10

# Added to the diagonal, relative to it: kernel matrices have eigenvalues below rounding.
_JITTER = 1e-13


def mdm(  # noqa: PLR0913
    K,
    y,
    *,
    ridge=0.0,
    alpha0=None,
    selection="second_order",
    accelerate=False,
    tol=1e-3,
    max_iter=None,
    check_finite=True,
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
        Where to start, as ``alpha`` of a similar problem; the centres of the classes by default.
        Negative entries are taken for 0, and each class is scaled to the sum 1.
    selection : {"second_order", "first_order"}, default="second_order"
        The support point that gives up weight: the one of largest gain, or the highest.
    accelerate : bool or "cycles", default=False
        False is the plain algorithm. "cycles" adds the steps along cycles, and True besides these
        the working set and steps over the face of the support, which count as no iteration.
    tol : float, default=1e-3
        Ends when the duality gap is at most ``tol`` times the objective, 0 < tol < 1. In the units
        of the SVM the primal value is then at most 1 / (1 - tol) times the dual one.
    max_iter : int, optional
        Budget of iterations; the default is the larger of 10^7 and 100 n_samples.
    check_finite : bool, default=True
        Look for NaN and infinity in ``K``.

    Returns
    -------
    MDMResult

    Raises
    ------
    ValueError
        For shapes that do not match, labels other than -1 and +1, a class without samples, NaN or
        infinity, or a negative ridge.

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
    _check_options(selection, accelerate, tol, max_iter)
    K, y = _checked_problem(K, y, check_finite)
    ridge = checked_vector(0.0 if ridge is None else ridge, y.size, "ridge")
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError("The 'ridge' of mdm must be finite and at least 0 for every sample.")
    if alpha0 is not None:
        alpha0 = _checked_start(alpha0, y.size)
    options = {"selection": selection, "accelerate": accelerate, "tol": tol, "max_iter": max_iter}
    return nearest_points(K, y, y, ridge, alpha0, **options)


def nearest_points(  # noqa: PLR0913
    K, y, e, ridge, alpha0=None, *, selection="second_order", accelerate=True, tol, max_iter
):
    """`mdm` without checks, for signed factors e: with e_i e_j K_ij in place of y_i y_j K_ij."""
    classes = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
    scale = max((e * e * K.diagonal() + ridge).max(), np.finfo(float).tiny)
    budget = max(10_000_000, 100 * y.size) if max_iter is None else int(max_iter)
    # gap <= tol / 2 |w|^2 where |w|^2 - m <= (1 - sqrt(1 - tol)) |w|^2; the last digits are spared.
    share = (1.0 - 1e-9) * tol / (1.0 + np.sqrt(1.0 - tol))
    works, window = accelerate is True, _WINDOW if accelerate else 0

    # 0. The centres, or where told; a working set starts in the centres of the lowest samples.
    alpha = np.zeros(y.size) if alpha0 is None else alpha0.copy()
    _normalise(alpha, classes)
    if works and alpha0 is None:
        heights = loops.heights(K, e, ridge, alpha)
        alpha[:] = 0.0
        for own in classes:
            alpha[own[np.argsort(heights[own], kind="stable")[:_LOWEST]]] = 1.0
        _normalise(alpha, classes)
    # 1. and 2., and after every so many pair updates a step over the face of the support.
    second_order, n_iter, burst = (
        selection == "second_order",
        0,
        _BURST * y.size if works else budget,
    )
    while True:
        most = min(burst, budget - n_iter)
        heights, done = loops.nearest(
            K, e, ridge, y, alpha, scale, second_order, window, works, share, tol, most
        )
        n_iter, burst = n_iter + done, 2 * burst
        if done < most or n_iter >= budget:
            break
        _step_over_face(K, e, ridge, alpha, heights, classes)
    if not np.isfinite(heights).all():
        raise ValueError(
            "The 'K' of mdm must be finite, and so must sums of its rows. Got NaN or infinity "
            "in K (y alpha0); look at the scale of the kernel."
        )
    result = _certified(alpha, heights, y, ridge, scale, tol, budget, n_iter)
    if not result.converged:
        _warn(result, selection, tol)
    return result


def _certified(alpha, heights, y, ridge, scale, tol, budget, n_iter):  # noqa: PLR0917
    plus, minus, support = y > 0.0, y < 0.0, alpha > 0.0
    squared_norm, margin = alpha @ heights, heights[plus].min() + heights[minus].min()
    touching, gap = not squared_norm > loops.TOUCHING * scale, 0.5 * squared_norm
    if not touching and margin > 0.0:
        gap = 0.5 * (squared_norm - margin) * (1.0 + margin / squared_norm)
    converged = not touching and gap <= tol * 0.5 * squared_norm
    if touching:
        reason = (
            f"The convex hulls of the classes touch: |w|^2 = {squared_norm:.3g} is rounding, "
            f"for kernel values up to {scale:.3g}."
        )
    elif converged:
        reason = f"The duality gap {gap:.3g} is at most {tol:g} times the objective."
    elif n_iter >= budget:
        reason = f"The budget of {budget} iterations is spent."
    else:
        reason = "Rounding errors stop all progress: no pair can be moved any more."
    m_plus, m_minus = (alpha * heights)[plus].sum(), -(alpha * heights)[minus].sum()
    violations = [heights[own & support].max() - heights[own].min() for own in (plus, minus)]
    return MDMResult(
        alpha=alpha,
        intercept=float(-0.5 * (m_plus + m_minus)),
        squared_norm=float(squared_norm),
        decision_function=y * (heights - ridge * alpha) - 0.5 * (m_plus + m_minus),
        products=y * heights,
        m_plus=float(m_plus),
        m_minus=float(m_minus),
        objective=float(0.5 * squared_norm),
        duality_gap=float(gap),
        kkt_violation=float(max(*violations, 0.0)),
        n_iter=int(n_iter),
        stop_reason=reason,
        converged=bool(converged),
        touching=bool(touching),
    )


def _normalise(alpha, classes):
    """Scale both classes to the sum 1, in place; one without weight becomes its centre."""
    for own in classes:
        total = alpha[own].sum()
        alpha[own] = alpha[own] / total if total > 0.0 else 1.0 / own.size


def _step_over_face(K, e, ridge, alpha, heights, classes):  # noqa: PLR0917
    """Move towards the minimiser over the affine hull of the support, as far as w gets shorter.

    Samples whose multipliers are negative there are left out, and the rest is tried again.
    """
    face, target, values = np.flatnonzero(alpha), np.zeros(alpha.size), np.zeros(1)
    while not values.min() > 0.0:
        m = face.size
        A = np.zeros((m + 2, m + 2))
        A[:m, :m] = K[np.ix_(face, face)] * np.outer(e[face], e[face])
        A[range(m), range(m)] += ridge[face] + _JITTER * A[range(m), range(m)]
        for c, own in enumerate(classes):
            A[m + c, :m] = A[:m, m + c] = np.isin(face, own)
        try:
            values = np.linalg.solve(A, np.repeat([0.0, 1.0], [m, 2]))[:m]
        except np.linalg.LinAlgError:
            return
        kept = values > 0.0
        face, values = face[kept], values[kept] if kept.all() else np.zeros(1)
    target[face] = values
    _normalise(target, classes)
    change = target - alpha
    slope, curvature = change @ heights, change @ loops.heights(K, e, ridge, change)
    if slope < 0.0:
        alpha += (min(1.0, -slope / curvature) if curvature > 0.0 else 1.0) * change


def _checked_problem(K, y, check_finite):
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.ndim != 1 or not (np.abs(y) == 1.0).all():
        raise ValueError(
            f"The 'y' of mdm must be a vector of labels -1 and +1. Got shape {y.shape} and the "
            f"values {np.unique(y)[:5]}."
        )
    K = np.asarray(K)
    if K.shape != (y.size, y.size):
        raise ValueError(
            f"The 'K' of mdm must be a square matrix with one row a label, here ({y.size}, "
            f"{y.size}). Got shape {K.shape} instead."
        )
    if np.abs(y.sum()) == y.size:
        raise ValueError(
            f"mdm needs samples of both classes, as each has a convex hull. Got {sum(y > 0.0)} "
            f"labels +1 and {sum(y < 0.0)} labels -1."
        )
    # A symmetric matrix in Fortran order is its own transpose.
    K = np.ascontiguousarray(K.T if K.flags.f_contiguous else K, dtype=np.float64)
    return checked_matrix(K, check_finite), y


def _checked_start(alpha0, n):
    alpha = checked_vector(alpha0, n, "alpha0")
    if not np.isfinite(alpha).all():
        raise ValueError("The 'alpha0' of mdm must be finite. Got NaN or infinity.")
    alpha = np.maximum(alpha, 0.0)
    # Sums of the largest numbers must not overflow.
    return alpha / max(alpha.max(), np.finfo(float).tiny)


def _check_options(selection, accelerate, tol, max_iter):
    wrong = None
    if selection not in {"first_order", "second_order"}:
        wrong = "selection", "'first_order' or 'second_order'", selection
    elif accelerate not in {False, True, "cycles"}:
        wrong = "accelerate", "False, True or 'cycles'", accelerate
    elif not 0.0 < tol < 1.0:
        wrong = "tol", "a share of the objective between 0 and 1", tol
    elif max_iter is not None and max_iter < 0:
        wrong = "max_iter", "None or at least 0", max_iter
    if wrong:
        raise ValueError("The '{}' of mdm must be {}. Got {!r} instead.".format(*wrong))


def _warn(result, selection, tol):
    advice = "Consider increasing max_iter, tol or the ridge."
    if result.touching:
        advice = "No plane separates the classes; pass a positive ridge (1 / C)."
    elif result.duality_gap >= result.objective:
        advice = "Consider increasing max_iter or the ridge; the hulls may overlap."
    share = result.duality_gap / result.objective if result.objective > 0.0 else 1.0
    warnings.warn(
        f"mdm ({selection} selection) has not converged. {result.stop_reason} After "
        f"{result.n_iter} iterations the KKT violation is {result.kkt_violation:.3g} and the "
        f"duality gap {result.duality_gap:.3g}, that is {share:.3g} of the objective "
        f"(tol = {tol:g}). {advice}",
        ConvergenceWarning,
        stacklevel=3,
    )
