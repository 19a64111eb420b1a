"""What :func:`companion.solvers.mdm.mdm` accepts, and what it says where it does not converge."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers._problem import checked_matrix, checked_vector


def checked_hulls(K, y, ridge, alpha0, check_finite):
    """The arguments of `mdm` as arrays."""
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
    ridge = checked_vector(0.0 if ridge is None else ridge, y.size, "ridge")
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError("The 'ridge' of mdm must be finite and at least 0 for every sample.")
    if alpha0 is not None:
        alpha0 = _checked_start(alpha0, y.size)
    return checked_matrix(K, check_finite), y, ridge, alpha0


def _checked_start(alpha0, n):
    alpha = checked_vector(alpha0, n, "alpha0")
    if not np.isfinite(alpha).all():
        raise ValueError("The 'alpha0' of mdm must be finite. Got NaN or infinity.")
    alpha = np.maximum(alpha, 0.0)
    # Sums of the largest numbers must not overflow.
    return alpha / max(alpha.max(), np.finfo(float).tiny)


def check_options(selection, accelerate, tol, max_iter):
    """Refuse options that `mdm` does not have."""
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


def warn(result, options):
    """Say that the solver has not converged, and what to do."""
    ridge = "the ridge 1 / C (lower C)"
    advice = f"Consider increasing max_iter, tol or {ridge}."
    if result.touching:
        advice = f"No plane separates the classes; raise {ridge} or scale the inputs."
    elif result.duality_gap >= result.objective:
        advice = f"Consider increasing max_iter or {ridge}; the hulls may overlap."
    share = result.duality_gap / result.objective if result.objective > 0.0 else 1.0
    selection = options.get("selection", "second_order")
    warnings.warn(
        f"mdm ({selection} selection) has not converged. {result.stop_reason} After "
        f"{result.n_iter} iterations the KKT violation is {result.kkt_violation:.3g} and the "
        f"duality gap {result.duality_gap:.3g}, that is {share:.3g} of the objective "
        f"(tol = {options['tol']:g}). {advice}",
        ConvergenceWarning,
        stacklevel=4,
    )
