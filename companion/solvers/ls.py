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

import numpy as np
from scipy import linalg

from companion.kernels import KernelRows
from companion.solvers._problem import checked_problem
from companion.solvers.result import Result, certify

__all__ = ["LSPath", "ls", "ls_cross_validate", "ls_held_out"]


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

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-1.0, 1.0])
    >>> ls(np.outer(x, x), x, C=2.0).alpha
    array([0.4, 0.4])
    """
    problem = _LSProblem(K, y, sample_weight)
    inverse_times = _factorise(problem.K + np.diag(problem.ridge(C)))
    beta, intercept = _solve_bordered(inverse_times, problem.y)
    # One step of iterative refinement: a large C makes the matrix ill-conditioned.
    rest = problem.y - problem.K @ beta - problem.ridge(C) * beta - intercept
    correction, _ = _solve_bordered(inverse_times, rest)
    return problem.certify(beta + correction, C, "One Cholesky factorisation solves the problem.")


class LSPath:
    """All LS-SVMs of one Gram matrix: one eigendecomposition, then O(n^2) for every C.

    With S = W^(1/2) K W^(1/2) = V diag(lambda) V', A^-1 = W^(1/2) V (lambda + 1/C)^-1 V' W^(1/2).

    Parameters
    ----------
    K, y, sample_weight
        As for :func:`ls`.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-2.0, -1.0, 1.0, 2.0])
    >>> path = LSPath(np.outer(x, x), np.sign(x))
    >>> [float(np.mean(np.sign(path.leave_one_out(C)) == np.sign(x))) for C in (0.1, 10.0)]
    [0.5, 1.0]
    """

    def __init__(self, K, y, sample_weight=None):
        self._problem = problem = _LSProblem(K, y, sample_weight)
        self._root = np.sqrt(problem.weight)
        scaled = self._root[:, None] * problem.K * self._root
        values, self._vectors = linalg.eigh(scaled, check_finite=False)
        self._values = np.maximum(values, 0.0)
        self._scaled_y = self._vectors.T @ (self._root * problem.y)
        self._scaled_e = self._vectors.T @ self._root

    def _coefficients(self, C):
        """Return beta and v = A^-1 e for one C."""
        shrink = 1.0 / (self._values + 1.0 / _check_C(C))
        v = self._root * (self._vectors @ (shrink * self._scaled_e))
        u = self._root * (self._vectors @ (shrink * self._scaled_y))
        return u - v * (u.sum() / v.sum()), v

    def solve(self, C) -> Result:
        """The LS-SVM for one C, a `Result`.

        Parameters
        ----------
        C : float
        """
        beta, _ = self._coefficients(C)
        return self._problem.certify(
            beta - beta.mean(), C, "One eigendecomposition solves the problem for every C."
        )

    def leave_one_out(self, C):
        """Decision value of each sample under the model trained without it, y_i - beta_i / M_ii.

        A sample of weight zero has no part in any model, so its value is that of the full one.

        Parameters
        ----------
        C : float
        """
        problem = self._problem
        problem.require_two("leave_one_out")
        beta, v = self._coefficients(C)
        shrink = 1.0 / (self._values + 1.0 / C)
        diagonal = self._root**2 * ((self._vectors**2) @ shrink) - v**2 / v.sum()
        held_out = problem.y - beta / diagonal
        return problem.spread(held_out, self.solve(C).decision_function)


def ls_cross_validate(K, y, C_values, folds, sample_weight=None):
    """Held-out decision values of exact k-fold cross-validation, without refitting.

    For each C one factorisation serves all folds: y_S - f_S^(-S) = M_SS^-1 beta_S.

    Parameters
    ----------
    K, y, sample_weight
        As for :func:`ls`.
    C_values : sequence of float
    folds : ndarray of shape (n_samples,) or sequence of (train, test)
        The number of the fold that holds each sample out, or pairs of index arrays as
        scikit-learn's splitters give them. Test sets must partition the samples and each training
        set must be the rest.

    Returns
    -------
    ndarray of shape (n_C, n_samples)
    """
    tests = _fold_members(folds, len(y))
    held_out = np.empty((len(C_values), len(y)))
    per_C = ls_held_out(K, y, C_values, tests, sample_weight)
    for row, values in zip(held_out, per_C, strict=True):
        for test, decision in zip(tests, values, strict=True):
            row[test] = decision
    return held_out


def ls_held_out(K, y, C_values, tests, sample_weight=None):
    """Decision values on test sets of the machines trained on all other samples, no refitting.

    As :func:`ls_cross_validate`, for any number of test sets that may overlap, such as those of
    repeated cross-validation: one factorisation a C serves them all.

    Parameters
    ----------
    K, y, sample_weight
        As for :func:`ls`.
    C_values : sequence of float
    tests : sequence of ndarray of int
        Samples that are held out together.

    Yields
    ------
    list of ndarray
        For each C the decision values on each of the test sets.
    """
    problem = _LSProblem(K, y, sample_weight)
    problem.require_two("ls_held_out")
    for C in C_values:
        inverse = _factorise(problem.K + np.diag(problem.ridge(C)))(np.eye(problem.y.size))
        v = inverse.sum(axis=1)
        M = inverse - np.outer(v, v / v.sum())
        beta = M @ problem.y
        yield [_held_out(problem, C, M, beta, np.asarray(test)) for test in tests]


def _held_out(problem, C, M, beta, test):
    """Decision values on ``test`` of the machine without it: y_S - f_S = M_SS^-1 beta_S."""
    inside = problem.position[test][problem.position[test] >= 0]
    if inside.size == problem.y.size:
        raise ValueError(
            "Every fold must leave a sample of positive weight to train on. "
            f"Got a test set of {test.size} samples that takes them all."
        )
    if not inside.size:
        change = inside.astype(float)
    else:
        change = linalg.solve(M[np.ix_(inside, inside)], beta[inside], assume_a="sym")
    if inside.size == test.size:
        return problem.y[inside] - change
    # Samples of weight zero have no residual: the model without S, and its bias from the rest.
    reduced = beta - M[:, inside] @ change
    reduced[inside] = 0.0
    keep = np.setdiff1d(np.arange(problem.y.size), inside)
    products = problem.K_all[:, problem.taking_part] @ reduced
    rest = problem.y - products[problem.taking_part] - problem.ridge(C) * reduced
    return products[test] + rest[keep].mean()


class _LSProblem:
    """Checked inputs, restricted to the samples of positive weight."""

    def __init__(self, K, y, sample_weight):
        if isinstance(K, KernelRows):
            raise ValueError(
                "The closed forms for LS-SVM need the whole Gram matrix. Got KernelRows; use smo."
            )
        weight = 1.0 if sample_weight is None else sample_weight
        if not (np.isfinite(weight) & (np.asarray(weight) >= 0.0)).all():
            raise ValueError("The 'sample_weight' of LS-SVM must be finite and at least 0.")
        # The box and the ridge of the problem do not matter here, only the checks of K and y.
        checked = checked_problem(K, y, -np.inf, np.inf, weight)
        self.n, self.K_all, self.y_all = checked.n, checked.K, checked.y
        self.weight_all = checked.ridge
        self.taking_part = np.flatnonzero(self.weight_all > 0.0)
        self.position = np.full(self.n, -1)
        self.position[self.taking_part] = np.arange(self.taking_part.size)
        if not self.taking_part.size:
            raise ValueError("At least one 'sample_weight' of LS-SVM must be positive. Got none.")
        whole = self.taking_part.size == self.n
        self.K = self.K_all if whole else self.K_all[np.ix_(self.taking_part, self.taking_part)]
        self.y, self.weight = self.y_all[self.taking_part], self.weight_all[self.taking_part]

    def ridge(self, C):
        return 1.0 / (_check_C(C) * self.weight)

    def require_two(self, name):
        if self.taking_part.size < 2:
            raise ValueError(f"{name} needs at least two samples of positive weight. Got one.")

    def spread(self, values, default):
        """Place values of the samples that take part among the defaults of the others."""
        default = default.copy()
        default[self.taking_part] = values
        return default

    def certify(self, beta, C, reason):
        takes_part = self.weight_all > 0.0
        bound = np.where(takes_part, np.inf, 0.0)  # the same box for alpha and beta
        all_beta = self.spread(beta, np.zeros(self.n))
        return certify(
            self.K_all @ all_beta,
            self.y_all,
            all_beta,
            -bound,
            bound,
            self.spread(self.ridge(C), np.zeros(self.n)),
            n_iter=0,
            stop_reason=reason,
            converged=True,
        )


def _check_C(C):
    if not 0.0 < C < np.inf:
        raise ValueError(
            f"The 'C' parameter of LS-SVM must be a positive finite number. Got {C!r} instead."
        )
    return float(C)


def _factorise(A):
    """Return x -> A^-1 x for a symmetric A, positive definite up to rounding."""
    try:
        factor = linalg.cho_factor(A, lower=True, check_finite=False)
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(A, check_finite=False)
        values = np.maximum(values, np.finfo(float).eps * values[-1])
        return lambda x: vectors @ ((vectors.T @ x).T / values).T
    return lambda x: linalg.cho_solve(factor, x, check_finite=False)


def _solve_bordered(inverse_times, right):
    """Solve [A e; e' 0] [beta; b] = [right; 0]."""
    u, v = inverse_times(np.column_stack([right, np.ones(right.size)])).T
    intercept = u.sum() / v.sum()
    return u - v * intercept, intercept


def _fold_members(folds, n):
    """Return the test index array of each fold."""
    if isinstance(folds, np.ndarray) and folds.shape == (n,):
        return [np.flatnonzero(folds == fold) for fold in np.unique(folds)]
    pairs = [(np.asarray(train), np.asarray(test)) for train, test in folds]
    tests = [test for _, test in pairs]
    counts = np.bincount(np.concatenate(tests), minlength=n)
    complete = all(
        np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        for train, test in pairs
    )
    if counts.size != n or (counts != 1).any() or not complete:
        raise ValueError(
            f"The 'folds' of ls_cross_validate must hold each of the {n} samples out exactly once "
            f"and train on all others. Got test sets of the sizes {[t.size for t in tests]}."
        )
    return tests
