"""Newton steps of MDM over the face of the support points."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from companion.solvers._smo_loops import gather

# Added to the diagonal relative to its largest entry: kernel matrices have eigenvalues below
# rounding. A curvature slightly too large keeps the step a descent.
_JITTER = 1e-11

# Faces tried in a step, each without the samples whose multipliers are negative on the last one.
_FACES = 25

# Multipliers below this share of their class are not kept.
_NEGLIGIBLE = 1e-15


# Share of the cost of a step that pair updates may cost before the first and before the next one.
_FIRST_SHARE, _LATER_SHARE = 0.3, 0.15


class HullNewton:
    """Newton steps, and the decision when one pays: when pair updates have cost a share of one."""

    def __init__(self):
        self.since, self.patience = 0.0, _FIRST_SHARE

    def is_due(self, state, spent):
        """Take note of ``spent`` nanoseconds of pair updates; return whether to step now."""
        self.since += spent
        return self.since > self.patience * self.cost(state)

    def cost(self, state):
        """Nanoseconds that a step takes, roughly."""
        m = np.count_nonzero(state.alpha)
        return 1e5 + 10.0 * m * m + m**3 / 40.0 + 0.5 * m * state.n

    def step(self, state):
        """Move towards the minimiser over the face of the support; return whether w got shorter."""
        self.since = 0.0
        target = self._minimiser(state)
        taken = target is not None and state.move_towards(target)
        self.patience = _LATER_SHARE if taken else min(2.0 * self.patience, 64.0)
        return taken

    def _minimiser(self, state):
        face = np.flatnonzero(state.alpha)
        alpha = state.alpha
        for _ in range(_FACES):
            values = _over_face(state, face, alpha[face])
            if values is None:
                return None
            kept = values > _NEGLIGIBLE
            alpha = np.zeros(state.n)
            alpha[face[kept]] = values[kept]
            state.normalise(alpha)
            if kept.all():
                return alpha
            face = face[kept]
        return alpha


def _over_face(state, face, alpha):
    """Multipliers of the minimiser over the affine hull of a face, or None if that fails."""
    m = face.size
    y = state.y[face]
    A = np.empty((m, m))
    gather(state.K, state.slot, face, A)
    diagonal = A.ravel()[:: m + 1]
    diagonal += state.ridge[face]
    beta = y * alpha
    right = np.zeros((m, 3), order="F")
    positive = y > 0.0
    right[:, 0] = A @ beta
    for column, members in ((1, positive), (2, ~positive)):
        right[members, column] = 1.0
        right[members, 0] -= right[members, 0].mean()
    diagonal += _JITTER * state.scale
    # A symmetric matrix in Fortran order is its own transpose; dpotrf fills the lower triangle.
    factor, info = lapack.dpotrf(A.T, lower=1, overwrite_a=1, clean=0)
    moved = None
    if info == 0:
        E = right[:, 1:].copy()
        solved = lapack.dpotrs(factor, right, lower=1)[0]
        a, b, d = E[:, 0] @ solved[:, 1], E[:, 0] @ solved[:, 2], E[:, 1] @ solved[:, 2]
        excess = E.T @ solved[:, 0]
        determinant = a * d - b * b
        if determinant > 0.0:
            mu = np.array([d * excess[0] - b * excess[1], a * excess[1] - b * excess[0]])
            moved = solved[:, 1:] @ (mu / determinant) - solved[:, 0]
    if moved is None or not np.isfinite(moved).all():
        return None
    return alpha + y * moved
