"""The weighted minimum-margin hinge of several classes, with linear terms: the DC subproblem.

    min  1/2 sum_m |w_m|^2 + sum_ij C U_{y_i j} xi_ij + sum_ijl beta_ijl (f_j - f_l)(x_i)
    s.t. xi_ij >= 0,  xi_ij >= 1 - (f_j - f_l)(x_i) for all l != j,  sum_m f_m = 0

Its dual, with the multipliers alpha_ijl of the margins:

    (15)  w_m = sum_i x_i [ sum_{l != m} (alpha_iml - beta_iml)
                            - sum_{j != m} (alpha_ijm - beta_ijm) ]
    (13)  sum_i [ the same bracket ] = 0,    (14)  alpha_ijl >= 0, sum_l alpha_ijl <= C U_{y_i j}
    max   sum_ijl alpha_ijl - 1/2 sum_m |w_m|^2

The box of the solver:

0. f = 0, every term on the central path.
1. End when primal minus dual value, both exact, is small; else solve the Newton system of the
   relaxed conditions, which has (d + 1)(k - 1) equations once the sum-to-zero constraint is met by
   an orthonormal basis and slacks and multipliers are eliminated.
2. Predictor, corrector (Mehrotra), a step that stays inside; go to 1.

Half way, terms with a maximum that is decided are left out: :mod:`._min_margin_shrinking`. Three
classes and two features have loops of their own: :mod:`._min_margin_plane`. The minimiser need not
be unique in b, nor the set of minimisers bounded: a Newton step has a small proximal term in b,
centred at the iterate, which keeps b where nothing moves it and moves no solution.

Y. Liu, Y. Wu and Q. He, Utility-based weighted multicategory robust support vector machines,
Statistics and its Interface 3 (2010) (equation numbers). S. Mehrotra, On the implementation of a
primal-dual interior point method, SIAM Journal on Optimization 2 (1992).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.solvers._dca_kernels import COLD
from companion.solvers._min_margin_interior import certified
from companion.solvers._min_margin_kernels import arrange, terms
from companion.solvers._min_margin_shrinking import minimise

__all__ = ["MarginProblem", "MinMarginResult", "checked_utility", "min_margin"]


@dataclass(frozen=True)
class MinMarginResult:
    """A machine f_m = w_m . z + b_m with sum_m f_m = 0, and its certificates.

    Attributes
    ----------
    w : ndarray of shape (n_classes, n_columns)
        Weights in the columns of the design, whose squared norm is the regulariser.
    coef : ndarray of shape (n_classes, n_features) or (n_classes, n_prototypes)
        Coefficients in the caller's terms, ``design.coefficients(w_m)``.
    intercept : ndarray of shape (n_classes,)
        b.
    objective, duality_gap : float
        Primal objective, and it minus the dual value of ``alpha``, moved to satisfy (13); that of
        the problem with a small proximal term at b where no nearby alpha satisfies (13).
    kkt_violation : float
        The largest entry of the differences between the two sides of (15) and of (13).
    alpha : ndarray of shape (n_samples, n_classes, n_classes)
        Multipliers alpha_ijl; zero for j = l and where U_{y_i j} = 0. They satisfy (14) exactly.
    n_iter : int
        Iterations of the interior point, of all subproblems for the DC algorithm.
    converged, stop_reason : bool, str
        Whether and why (a sentence) the solver ended.
    decision_function : ndarray of shape (n_samples, n_classes)
        f of the training samples.
    """

    w: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    objective: float
    duality_gap: float
    kkt_violation: float
    alpha: np.ndarray
    n_iter: int
    converged: bool
    stop_reason: str
    decision_function: np.ndarray


def min_margin(
    design, y, utility, C, *, beta=None, sample_weight=None, tol=1e-8, max_iter=200
) -> MinMarginResult:
    """Minimise the weighted minimum-margin hinge with linear terms.

    Parameters
    ----------
    design : Design
        Features or kernel expansion of the samples, :class:`companion.solvers.Design`.
    y : ndarray of int of shape (n_samples,)
        Classes 0, ..., k - 1: rows of ``utility``.
    utility : ndarray of shape (k, k)
        U, non-negative, not all zero; rows are true classes, columns predicted ones.
    C : float
        Weight of the loss.
    beta : ndarray of shape (n_samples, k, k), optional
        Linear terms beta_ijl, none by default: the weighted support vector machine.
    sample_weight : ndarray of shape (n_samples,), optional
        Positive factors on the loss of the samples.
    tol : float, default=1e-8
        The solver ends when the duality gap is at most this share of the objective, or of 1e-4
        times the total weight of the terms where that is larger.
    max_iter : int, default=200
        Budget of iterations.

    Returns
    -------
    MinMarginResult

    Raises
    ------
    ValueError
        For a utility that is not square, finite, non-negative and somewhere positive, labels
        without a row in it, shapes that do not match, or a C or weight that is not positive.

    Warns
    -----
    ConvergenceWarning
        When the tolerance is not reached.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.solvers import Design
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> machine = min_margin(Design.linear(x), np.array([0, 0, 1, 1, 2, 2]), np.eye(3), C=10.0)
    >>> machine.decision_function.argmax(axis=1), machine.converged
    (array([0, 0, 1, 1, 2, 2]), True)
    """
    problem = MarginProblem(design, y, utility, sample_weight, "min_margin")
    C = checked_positive(C, "C", "min_margin")
    checked_positive(tol, "tol", "min_margin")
    linear = np.zeros((problem.k, problem.n))
    if beta is not None:
        linear = problem.linear_terms(beta)
    p = C * problem.p
    x, alpha = np.zeros((problem.k - 1, problem.Z.shape[0])), np.empty((problem.k, p.size))
    ridge, anchor = 0.0, np.zeros(problem.k - 1)
    *_, n_iter, is_solved = minimise(
        problem.Z,
        problem.groups,
        p,
        linear,
        problem.basis,
        1.0,
        ridge,
        anchor,
        x,
        COLD,
        0.0,
        tol,
        int(max_iter),
        alpha,
    )
    fields = problem.solution(p, x, alpha, linear, 1.0, ridge, anchor, n_iter)
    end = end_of(is_solved, n_iter, tol, max_iter)
    return ended(MinMarginResult, fields, bool(is_solved), *end)


def end_of(converged, n_iter, tol, max_iter):
    if converged:
        return f"The relative duality gap is at most tol = {tol:g}.", ""
    if n_iter >= max_iter:
        return f"The budget of {n_iter} iterations is spent.", "Raise max_iter or tol."
    return "Rounding errors stop all progress.", "Raise tol, lower C or scale the inputs."


def ended(kind, fields, converged, reason, advice, name="min_margin"):  # noqa: PLR0917
    """A result of this kind with its end written in; warn if the solver has not converged."""
    result = kind(**fields, converged=converged, stop_reason=reason)
    if not converged:
        warnings.warn(
            f"{name} did not converge: {reason} The duality gap is {result.duality_gap:.3g} at an "
            f"objective of {result.objective:.6g}, after {result.n_iter} iterations. {advice}",
            ConvergenceWarning,
            stacklevel=3,
        )
    return result


class MarginProblem:
    """Checked inputs, sorted by class, and the terms U_{y_i j} > 0 in groups of equal (y_i, j)."""

    def __init__(self, design, y, utility, sample_weight, name):
        self.design, self.n = design, design.n
        self.utility = checked_utility(utility, name)
        self.k = len(self.utility)
        labels = checked_labels(y, self.n, self.k, name)
        weight = np.ones(self.n)
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64)
            if weight.shape != (self.n,) or not ((weight > 0.0) & np.isfinite(weight)).all():
                raise ValueError(
                    f"The 'sample_weight' of {name} must be {self.n} positive numbers, one for "
                    f"each sample; leave out samples of weight zero. Got shape {weight.shape}."
                )
        self.order, self.Z, self._weight, self._ends, found = arrange(
            design.augmented, labels, self.utility, weight
        )
        if found is None:
            wrong = np.unique(labels[(labels < 0) | (labels >= self.k)])
            raise wrong_labels(wrong, self.k, name)
        self.basis = sum_to_zero_basis(self.k)
        self.groups, self.p = found
        if not self.p.size:
            raise ValueError(
                f"{name} needs a sample whose row of 'utility' has a positive entry: without one "
                f"no decision has a use. Got samples of the classes {np.unique(labels).tolist()} "
                "only, whose rows are zero."
            )

    def terms_of(self, utility):
        """Groups and weights for another matrix on the same samples."""
        return terms(utility, self._ends, self._weight)

    def linear_terms(self, beta):
        """Factors of f_m(x_i), sorted: sum_l beta_iml - sum_j beta_ijm."""
        beta = np.asarray(beta, dtype=np.float64)
        if beta.shape != (self.n, self.k, self.k) or not np.isfinite(beta).all():
            raise ValueError(
                f"The 'beta' of min_margin must be finite and of shape {(self.n, self.k, self.k)}. "
                f"Got shape {beta.shape}."
            )
        return np.ascontiguousarray((beta.sum(axis=2) - beta.sum(axis=1))[self.order].T)

    def solution(self, p, x, alpha, linear, level, ridge, anchor, n_iter):  # noqa: PLR0917
        """The fields of a MinMarginResult but for its end, with certificates computed afresh."""
        primal, gap, violation, values, multipliers = certified(
            self.Z, self.order, self.groups, p, linear, self.basis, level, ridge, anchor, x, alpha
        )
        w, coef, intercept = self.coefficients(x)
        return {
            "w": w,
            "coef": coef,
            "intercept": intercept,
            "objective": primal,
            "duality_gap": gap,
            "kkt_violation": violation,
            "alpha": multipliers,
            "n_iter": n_iter,
            "decision_function": values,
        }

    def coefficients(self, x):
        """w, coefficients in the caller's terms and intercept of x = (V, b), or of several x."""
        W = self.basis @ x
        coef = self.design.coefficients(W[..., :-1])
        return W[..., :-1], coef, W[..., -1] if self.design.bias else np.zeros(W.shape[:-1])

    def point(self, W):
        """x = (V, b) of a machine; what does not sum to zero over the classes is dropped."""
        return np.ascontiguousarray(self.basis.T @ W)

    def beta(self, p, chosen):
        """beta_ijl of the terms whose l is ``chosen``."""
        full = np.zeros((self.n, self.k, self.k))
        for low, high, j, start in self.groups:
            rows = slice(start, start + high - low)
            used = np.flatnonzero(chosen[rows] >= 0)
            full[self.order[low + used], j, chosen[rows][used]] = p[rows][used]
        return full


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
    if not matrix.any():
        raise ValueError(
            f"The '{what}' of {name} must have a positive entry. Got only zeros: all decisions "
            "are then equally good. Use the identity to count correct decisions."
        )
    return matrix


def checked_labels(y, n, k, name):
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(
            f"{name} needs one label for each of the {n} samples of the design. "
            f"Got an array of shape {labels.shape}."
        )
    if labels.dtype.kind in "iub":
        return labels.astype(np.int64)
    whole = labels.astype(np.int64)
    if not (whole == labels).all():
        raise wrong_labels(np.unique(labels[whole != labels]), k, name)
    return whole


def wrong_labels(wrong, k, name):
    return ValueError(
        f"Labels of {name} must be rows of the {k} x {k} matrix: whole numbers from 0 to "
        f"{k - 1}. Got {wrong[:5].tolist()}."
    )


def checked_positive(value, what, name):
    if not 0.0 < value < np.inf:
        raise ValueError(f"The '{what}' of {name} must be a positive number. Got {value!r}.")
    return float(value)
