"""What :func:`companion.solvers.mdm.mdm` accepts, and what it says where it does not converge."""

from __future__ import annotations

import numpy as np

from companion._utils.checks import check_square, checked_signs
from companion._utils.warnings import warn_not_converged
from companion.solvers._problem import checked_vector, refuse_nonfinite


def checked_hulls(K, y, ridge, alpha0):
    """The arguments of `mdm` as arrays."""
    y = checked_signs(y, "mdm", both=True)
    K = np.asarray(K)
    check_square(K, y.size, "mdm")
    # A symmetric matrix in Fortran order is its own transpose.
    K = np.ascontiguousarray(K.T if K.flags.f_contiguous else K, dtype=np.float64)
    ridge = checked_vector(0.0 if ridge is None else ridge, y.size, "ridge")
    if not ((ridge >= 0.0) & (ridge < np.inf)).all():
        raise ValueError(
            "The 'ridge' of mdm must be finite and at least 0 for every sample."
        )
    if alpha0 is not None:
        alpha0 = np.maximum(checked_vector(alpha0, y.size, "alpha0"), 0.0)
        # Sums of the largest numbers must not overflow.
        alpha0 /= max(alpha0.max(), np.finfo(float).tiny)
    refuse_nonfinite(K, "a solver")
    return K, y, ridge, alpha0


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
    warn_not_converged(
        f"mdm ({selection} selection) has not converged. {result.stop_reason} After "
        f"{result.n_iter} iterations the KKT violation is {result.kkt_violation:.3g} and the "
        f"duality gap {result.duality_gap:.3g}, that is {share:.3g} of the objective "
        f"(tol = {options['tol']:g}). {advice}"
    )
