"""Closed forms for LS-SVM: one fit, all C from one eigendecomposition, exact cross-validation.

    min 1/2 a'(Q + W^-1 / C)a - e'a   s.t.   y'a = 0,   Q = yy' * K,   W = diag(sample_weight)

In beta = y alpha the optimality conditions are the linear system

    [ A  e ] [ beta ]   [ y ]
    [ e' 0 ] [  b   ] = [ 0 ],   A = K + W^-1 / C,

so that beta = M y with M = A^-1 - v v' / e'v, v = A^-1 e, the leading block of the inverse of the
bordered matrix. Removing the samples S from it gives the residuals of the model trained without
them, y_S - f_S = M_SS^-1 beta_S: leave-one-out and k-fold cross-validation without refitting.

J. A. K. Suykens and J. Vandewalle, Least squares support vector machine classifiers, Neural
Processing Letters 9 (1999). G. C. Cawley and N. L. C. Talbot, Fast exact leave-one-out
cross-validation of sparse least-squares support vector machines, Neural Networks 17 (2004).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from companion._utils.blas import cholesky, cholesky_inverse, cholesky_solve
from companion._utils.checks import (
    check_square,
    checked_positive,
    checked_signs,
    checked_weights,
)
from companion._utils.warnings import warn_not_converged
from companion.kernels import KernelRows
from companion.solvers._problem import refuse_nonfinite
from companion.solvers.result import Result

__all__ = ["LSPath", "ls", "ls_held_out"]

# Largest violation of the conditions after which no step of refinement is taken, and up to which
# the problem counts as solved: that at which SMO ends by default.
_EXACT = 1e-11
_SOLVED = 1e-3


def ls(K, y, C, *, sample_weight=None) -> Result:
    """Fit an LS-SVM exactly by one Cholesky factorisation of K + W^-1 / C.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Gram matrix.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1.
    C : float
        Penalty of the squared slacks, C / 2 sum_i w_i xi_i^2.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights w_i >= 0. A sample of weight zero takes no part: alpha_i = 0.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For shapes that do not match, labels other than -1 and +1, NaN or infinity, a C that is not
        positive and finite, or weights that are negative or all zero.

    Warns
    -----
    ConvergenceWarning
        When rounding leaves a violation of more than 1e-3: K is indefinite, or too large beside the
        ridge 1 / C.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-1.0, 1.0])
    >>> ls(np.outer(x, x), x, C=2.0).alpha
    array([0.4, 0.4])
    """
    problem = _Checked(K, y, sample_weight)
    solve = _factorise(problem.K, problem.ridge(C))
    return problem.certify(_solve_bordered(solve, problem.y), C, solve)


class LSPath:
    """All LS-SVMs of one Gram matrix: one eigendecomposition, then O(n^2) for every C.

    With S = W^(1/2) K W^(1/2) = V diag(lambda) V', A^-1 = W^(1/2) V (lambda + 1/C)^-1 V' W^(1/2).

    Parameters
    ----------
    K, y, sample_weight
        As for :func:`ls`, and so is what is raised.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-2.0, -1.0, 1.0, 2.0])
    >>> path = LSPath(np.outer(x, x), np.sign(x))
    >>> [float(path.solve(C).alpha.sum().round(3)) for C in (0.1, 10.0)]
    [0.22, 4.356]
    """

    def __init__(self, K, y, sample_weight=None):
        self._problem = problem = _Checked(K, y, sample_weight)
        self._root = np.sqrt(problem.weight)
        scaled = self._root[:, None] * problem.K * self._root
        values, self._vectors = np.linalg.eigh(scaled)
        rounding = len(values) * np.finfo(float).eps * values[-1]
        self._values = np.where(
            abs(values) <= rounding, np.maximum(values, 0.0), values
        )
        self._scaled_y = self._vectors.T @ (self._root * problem.y)
        self._scaled_e = self._vectors.T @ self._root

    def solve(self, C) -> Result:
        """The LS-SVM for one C, a `Result`; it warns as :func:`ls`.

        Parameters
        ----------
        C : float
        """
        values = self._values + 1.0 / checked_positive(C, "C", "LS-SVM")
        # None is negative but for an indefinite kernel.
        shrink = 1.0 / np.maximum(values, np.finfo(float).eps * values[-1])
        v = self._root * (self._vectors @ (shrink * self._scaled_e))
        u = self._root * (self._vectors @ (shrink * self._scaled_y))
        beta = u - v * (u.sum() / v.sum())
        return self._problem.certify(beta - beta.mean(), C)


def ls_held_out(K, y, C_values, tests, sample_weight=None):
    """Decision values on test sets of the machines trained on all other samples, no refitting.

    Leave-one-out has the samples as test sets, ``np.arange(n)[:, None]``. Test sets may overlap, as
    those of repeated cross-validation do: one factorisation a C serves them all,
    y_S - f_S^(-S) = M_SS^-1 beta_S.

    Parameters
    ----------
    K, y, sample_weight
        As for :func:`ls`, and so is what is raised, when the first value is asked for; also where a
        test set leaves nothing to train on.
    C_values : sequence of float
    tests : sequence of ndarray of int or bool
        Samples that are held out together.

    Yields
    ------
    list of ndarray
        For each C the decision values on each of the test sets.
    """
    problem = _Checked(K, y, sample_weight)
    if problem.y.size < 2:
        raise ValueError(
            "ls_held_out needs at least two samples of positive weight. Got one."
        )
    tests = [np.arange(len(problem.y_all))[test] for test in tests]
    for C in C_values:
        inverse = _inverse(problem.K, problem.ridge(C))
        v = inverse.sum(axis=1)
        # M, and the last row of the inverse of the bordered matrix, which gives b.
        bordered = np.vstack([inverse - np.outer(v, v / v.sum()), v / v.sum()])
        solution = bordered @ problem.y
        yield [_held_out(problem, bordered, solution, test) for test in tests]


def _held_out(problem, bordered, solution, test):
    """Decision values on ``test`` of the machine without it: y_S - f_S = M_SS^-1 beta_S."""
    places = problem.places[test]
    is_inside = places >= 0
    inside = np.unique(places[is_inside])
    if inside.size == problem.y.size:
        raise ValueError(
            "Every fold must leave a sample of positive weight to train on. "
            f"Got a test set of {test.size} samples that takes them all."
        )
    residuals = np.zeros(problem.y.size)
    block = bordered[np.ix_(inside, inside)]
    residuals[inside] = np.linalg.solve(block, solution[inside])
    held_out = (problem.y - residuals)[places]
    if not is_inside.all():
        reduced = solution - bordered @ residuals
        cross = problem.K_all[np.ix_(test[~is_inside], problem.taking_part)]
        held_out[~is_inside] = cross @ reduced[:-1] + reduced[-1]
    return held_out


class _Checked:
    """Checked inputs, restricted to the samples of positive weight."""

    def __init__(self, K, y, sample_weight):
        if isinstance(K, KernelRows):
            raise ValueError(
                "The closed forms for LS-SVM need the whole Gram matrix. Got KernelRows; use smo."
            )
        self.K_all = K = np.ascontiguousarray(K, dtype=np.float64)
        self.y_all = y = checked_signs(y, "LS-SVM")
        check_square(K, y.size, "LS-SVM")
        refuse_nonfinite(K, "LS-SVM")
        weight = checked_weights(sample_weight, y.size, "LS-SVM", zero=True)
        self.taking_part = np.flatnonzero(weight)
        self.places = np.where(weight > 0.0, np.cumsum(weight > 0.0) - 1, -1)
        if not self.taking_part.size:
            raise ValueError(
                "At least one 'sample_weight' of LS-SVM must be positive. Got none."
            )
        self.K = K
        self.y = y
        self.weight = weight
        if self.taking_part.size < y.size:
            self.K = K[np.ix_(self.taking_part, self.taking_part)]
            self.y = y[self.taking_part]
            self.weight = weight[self.taking_part]

    def ridge(self, C):
        return 1.0 / (checked_positive(C, "C", "LS-SVM") * self.weight)

    def certify(self, beta, C, solve=None):
        """The Result of beta; with ``solve`` after a step of refinement where it is inexact."""
        ridge = self.ridge(C)
        while True:
            products = self.K @ beta
            rest = self.y - products - ridge * beta  # b for every sample
            if solve is None or np.ptp(rest) <= _EXACT:
                break
            beta = beta + _solve_bordered(solve, rest)
            solve = None
        intercept = float(rest.mean())
        alpha = np.zeros(self.y_all.size)
        alpha[self.taking_part] = self.y * beta
        if beta.size < alpha.size:
            products = self.K_all[:, self.taking_part] @ beta
        violation = float(np.ptp(rest))
        reason = (
            f"One factorisation solves the problem to a violation of {violation:.3g}."
        )
        result = Result(
            alpha=alpha,
            intercept=intercept,
            objective=float(0.5 * beta @ (self.y - rest) - self.y @ beta),
            duality_gap=float(
                0.5 * ((rest - intercept) ** 2 / ridge).sum() - intercept * beta.sum()
            ),
            kkt_violation=violation,
            n_iter=0,
            stop_reason=reason,
            converged=violation <= _SOLVED,
            decision_function=products + intercept,
        )
        if not result.converged:
            warn_not_converged(
                f"ls has not converged. {reason} It should be at most {_SOLVED:g}; the duality gap "
                f"is {result.duality_gap:.3g}. K is not positive semi-definite, or too large "
                "beside 1 / C: scale the inputs, or decrease C."
            )
        return result


def _factorise(K, ridge):
    """Return x -> A^-1 x for A = K + diag(ridge), positive definite up to rounding."""
    A = _with_ridge(K, ridge)
    if cholesky(A.T):
        return partial(cholesky_solve, A.T)
    values, vectors = np.linalg.eigh(K + np.diag(ridge))
    values = np.maximum(values, np.finfo(float).eps * values[-1])
    return lambda x: vectors @ ((vectors.T @ x).T / values).T


def _inverse(K, ridge):
    """A^-1 as :func:`_factorise` has it."""
    A = _with_ridge(K, ridge)
    if cholesky(A.T):
        return cholesky_inverse(A.T)
    return _factorise(K, ridge)(np.eye(ridge.size))


def _with_ridge(K, ridge):
    A = K.copy()
    A.ravel()[:: ridge.size + 1] += ridge
    return A


def _solve_bordered(inverse_times, right):
    """The beta of [A e; e' 0] [beta; b] = [right; 0]."""
    u, v = inverse_times(np.array([right, np.ones(right.size)]).T).T
    return u - v * (u.sum() / v.sum())
