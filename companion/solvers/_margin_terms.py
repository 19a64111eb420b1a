"""The terms of the minimum-margin hinge: checked inputs, certificates, how a solver ends."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from companion._utils.checks import checked_weights
from companion._utils.warnings import warn_not_converged
from companion.solvers._loops import min_margin as loops

# Largest residual of (13) that counts as zero, over the total weight, and largest change of the
# logarithm of a multiplier to get there.
_EXACT = 1e-13
_LARGEST_TILT = 0.1

# What rounding leaves of a duality gap, as a share of the total weight: none need be smaller, and
# a hundred times as much is near enough where rounding stops all progress.
ROUNDING = 1e-16
STALLED = 1e-14


FORMS = ("utility", "cost")


class Hinge(NamedTuple):
    """1/2 |V|^2 + ridge / 2 |b - anchor|^2 + <L, x> + sum_terms p max_l (c_l + (Q x z)_l)."""

    Q: np.ndarray
    Z: np.ndarray
    c: np.ndarray
    p: np.ndarray
    L: np.ndarray
    ridge: float
    anchor: np.ndarray


def binary_hinge(design, y, c):
    """1/2 w'w + sum_i c_i max(0, 1 - y_i f_i) of two classes: f_0 = 0, f_1 = -y f."""
    Z = np.ascontiguousarray(np.roll(design.augmented, 1, axis=1).T * y)
    Q = np.array([[0.0], [-1.0]])
    level = np.zeros((2, design.n))
    level[1] = 1.0
    return Hinge(Q, Z, level, c, np.zeros((1, design.m + 1)), 0.0, np.zeros(1))


class MarginTerms:
    """Checked inputs and the terms U_{y_i j} > 0."""

    def __init__(self, design, y, utility, sample_weight, name):
        self.design = design
        self.n = design.n
        self.utility = checked_utility(utility, name)
        self.k = len(self.utility)
        self.labels = checked_labels(y, self.n, self.k, name)
        p = (
            self.utility[self.labels]
            * checked_weights(sample_weight, self.n, name)[:, None]
        )
        used = np.flatnonzero(p > 0.0)
        self.sample = used // self.k
        self.column = used % self.k
        if not used.size:
            raise ValueError(
                f"{name} needs a sample whose row of 'utility' has a positive entry: without one "
                f"no decision has a use. Got samples of the classes "
                f"{np.unique(self.labels).tolist()} only, whose rows are zero."
            )
        self.p = p.ravel()[used]
        self.Q = sum_to_zero_basis(self.k)
        self.terms = np.arange(self.p.size)
        self.others = (np.arange(self.k)[:, None] != self.column).astype(np.float64)
        rows = design.augmented[self.sample]
        self.Z = np.empty(rows.shape[::-1])
        self.Z[0] = rows[:, -1]
        self.Z[1:] = rows[:, :-1].T

    def hinge(self, C, level=1.0, ridge=0.0, anchor=None, chosen=None):
        """The terms with margin ``level``, linear ones for those with a ``chosen`` l."""
        p = C * self.p
        slope = p * (self.others - 1.0)
        if chosen is not None:
            used = np.flatnonzero(chosen >= 0)
            slope[self.column[used], used] += p[used]
            slope[chosen[used], used] -= p[used]
        L = moments(self.Q, slope, self.Z)
        anchor = np.zeros(self.k - 1) if anchor is None else anchor
        return Hinge(self.Q, self.Z, level * self.others, p, L, ridge, anchor)

    def beta(self, p, chosen):
        """beta_ijl of the terms whose l is ``chosen``."""
        full = np.zeros((self.n, self.k, self.k))
        used = np.flatnonzero(chosen >= 0)
        full[self.sample[used], self.column[used], chosen[used]] = p[used]
        return full

    def linear_terms(self, beta):
        """Q' G z' of the factors of f_m(x_i): sum_l beta_iml - sum_j beta_ijm."""
        beta = np.asarray(beta, dtype=np.float64)
        if beta.shape != (self.n, self.k, self.k) or not np.isfinite(beta).all():
            raise ValueError(
                f"The 'beta' of min_margin must be finite and of shape {(self.n, self.k, self.k)}. "
                f"Got shape {beta.shape}."
            )
        factors = (beta.sum(axis=2) - beta.sum(axis=1)).T
        return _bias_first(self.Q.T @ factors @ self.design.augmented, axis=1)

    def solution(self, hinge, x, alpha, n_iter, tol, offset=0.0):
        """The fields of a MinMarginResult but for its end, with certificates computed afresh.

        alpha stays as given, with the price of (13), where only so the gap is within the tolerance
        of the value plus ``offset``.
        """
        given = hinge, alpha * (hinge.p / alpha.sum(axis=0))
        hinge, alpha = balanced(*given)
        found = loops.certificate(*hinge, x, alpha)
        allowed = max(tol * (found[0] + offset), STALLED * hinge.p.sum())
        if (
            found[1] > allowed
            and (priced := loops.certificate(*given[0], x, given[1]))[1] <= allowed
        ):
            (hinge, alpha) = given
            found = priced
        primal, gap, *residuals = found
        w, coef, intercept = self.coefficients(x)
        full = np.zeros((self.n, self.k, self.k))
        full[self.sample, self.column] = (alpha * self.others).T
        return {
            "w": w,
            "coef": coef,
            "intercept": intercept,
            "objective": primal,
            "duality_gap": gap,
            "kkt_violation": max(residuals),
            "alpha": full,
            "n_iter": n_iter,
            "decision_function": self.design.augmented[:, :-1] @ w.T + intercept,
        }

    def coefficients(self, x):
        """w, coefficients in the caller's terms and intercept of x = (b, V), or of several x."""
        W = self.Q @ x
        w = np.ascontiguousarray(W[..., 1:])
        intercept = W[..., 0] if self.design.bias else np.zeros(W.shape[:-1])
        return w, self.design.coefficients(w), np.ascontiguousarray(intercept)

    def point(self, start):
        """x = (b, V) of a result or of (w, b); what does not sum to zero is dropped."""
        if hasattr(start, "intercept"):
            start = np.column_stack([start.w, start.intercept])
        start = np.asarray(start, dtype=np.float64)
        shape = (self.k, len(self.Z))
        if start.shape != shape or not np.isfinite(start).all():
            raise ValueError(
                "The 'start' of dca must be a result on this design or finite numbers of shape "
                f"{shape}, (w, b) of each class. Got shape {start.shape}."
            )
        return _bias_first(self.Q.T @ start, axis=1)

    def margins(self, x):
        """g_ij = f_j - max_{l != j} f_l of all terms, and all f_l, l != j."""
        others = self.Q @ (x @ self.Z)
        f = others[self.column, self.terms]
        others[self.column, self.terms] = -np.inf
        return f - others.max(axis=0), others


def moments(Q, alpha, Z):
    """Q' alpha Z'."""
    return Q.T @ (alpha @ Z.T)


def _bias_first(array, axis):
    return np.ascontiguousarray(np.roll(array, 1, axis=axis))


def balanced(hinge, alpha):
    """The hinge without a ridge and alpha moved to satisfy (13); as given if none nearby does."""
    Q = hinge.Q
    p = hinge.p
    total = alpha
    scale = _EXACT * max(p.sum(), 1.0)
    for _ in range(3):
        residual = (hinge.L + moments(Q, total, hinge.Z))[:, 0]
        if np.abs(residual).max() <= scale:
            return hinge._replace(ridge=0.0), total
        # alpha_l (1 + s_l - sum_m alpha_m s_m / p) has the same sum over l.
        curvature = np.diag(total.sum(axis=1)) - (total / p) @ total.T
        curvature = Q.T @ curvature @ Q + 1e-12 * p.sum() * np.eye(len(residual))
        s = Q @ np.linalg.solve(curvature, -residual)
        if not np.abs(s).max() <= _LARGEST_TILT:
            break
        total = total * (1.0 + s[:, None] - s @ total / p)
    return hinge, alpha


@cache
def sum_to_zero_basis(k):
    """An orthonormal basis, of shape (k, k - 1), of the vectors whose entries sum to zero."""
    basis = np.zeros((k, k - 1))
    for c in range(k - 1):
        basis[: c + 1, c] = 1.0
        basis[c + 1, c] = -(c + 1.0)
        basis[:, c] /= np.sqrt((c + 1.0) * (c + 2.0))
    return basis


def checked_utility(utility, name, what="utility"):
    matrix = np.ascontiguousarray(utility, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise ValueError(
            f"The '{what}' of {name} must be a square matrix with a row and a column for each of "
            f"at least two classes. Got shape {matrix.shape}."
        )
    # Not a number fails every comparison.
    if not (matrix.min() >= 0.0 and matrix.max() < np.inf):
        raise ValueError(
            f"The '{what}' of {name} must have finite entries of at least 0. The smallest is "
            f"{matrix.min():g}; add a constant to a row, which changes no best decision."
        )
    if not np.ptp(matrix, axis=1).any():
        count = "the identity" if what == "utility" else "one minus the identity"
        raise ValueError(
            f"The '{what}' of {name} must tell decisions apart. Got the same number in every "
            f"column of each row: all decisions are then as good. Use {count} to count correct "
            "decisions."
        )
    return matrix


def checked_labels(y, n, k, name):
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(
            f"{name} needs one label for each of the {n} samples of the design. "
            f"Got an array of shape {labels.shape}."
        )
    whole = labels.astype(np.int64)
    wrong = (whole != labels) | (whole < 0) | (whole >= k)
    if wrong.any():
        raise ValueError(
            f"Labels of {name} must be rows of the {k} x {k} matrix: whole numbers from 0 to "
            f"{k - 1}. Got {np.unique(labels[wrong])[:5].tolist()}."
        )
    return whole


def checked_loss(s, form, name):
    """(level, cut, rise, top) of the loss [level - h]_+ + min(h + rise, top), linear below cut."""
    if form not in FORMS:
        raise ValueError(
            f"The 'form' of {name} must be one of {list(FORMS)}. Got {form!r}."
        )
    s = -np.inf if s is None else float(s)
    if not s <= 0.0:
        raise ValueError(
            f"The truncation 's' of {name} must be at most 0, where a decision turns wrong, or "
            f"None. Got {s:g}; -1 / (k - 1) is the paper's."
        )
    return (1.0, s, -s, 0.0) if form == "utility" else (-1.0, -s, 1.0, 1.0 - s)


#: What helps where rounding ends an interior point.
UNSOLVED = "Raise tol, lower C or scale the inputs."


def end_of(converged, n_iter, tol, max_iter):
    if converged:
        return f"The relative duality gap is at most tol = {tol:g}.", ""
    if n_iter >= max_iter:
        return f"The budget of {n_iter} iterations is spent.", "Raise max_iter or tol."
    return "Rounding errors stop all progress.", UNSOLVED


def ended(kind, fields, converged, reason, advice, name="min_margin"):
    """A result of this kind with its end written in; warn if the solver has not converged."""
    result = kind(**fields, converged=converged, stop_reason=reason)
    if not converged:
        warn_not_converged(
            f"{name} did not converge: {reason} The duality gap is {result.duality_gap:.3g} at an "
            f"objective of {result.objective:.6g}, after {result.n_iter} iterations. {advice}"
        )
    return result
