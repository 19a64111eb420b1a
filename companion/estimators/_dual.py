"""What the four machines share: the dual problem, the Gram matrix, the call of the solver."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse

from companion._utils.memory import require_memory
from companion._utils.progress import progress
from companion.estimators._compat import Interval, Options, StrOptions, fit_context
from companion.estimators._definite import n_factorised
from companion.estimators._docs import with_shared_documentation
from companion.estimators._kernel_classifier import KernelClassifier, silent_overflow
from companion.kernels import KernelRows, gram
from companion.solvers.smo import NotPositiveSemiDefinite, smo

# From this many samples rows of the Gram matrix are computed as needed. Measured on the problems of
# `python -m benchmarks many_samples` with 4000 samples and first order selection: the L1-SVM needs
# 1751 to 3145 of the rows, the L2-SVM 1970 to 3676, the other two machines nearly all.
ROWS_FROM = 3000


def _rows(X, rows):
    return X[rows] if issparse(X) else X.take(rows, axis=0)


@with_shared_documentation
@dataclass(eq=False, repr=False)
class DualClassifier(KernelClassifier):
    """Base of the machines that one dual problem with different boxes describes."""

    _parameter_constraints: ClassVar[dict] = {
        **KernelClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "max_iter": [
            Interval(Integral, 1, None, closed="left"),
            Options(Integral, {-1}),
        ],
        "selection": [StrOptions({"first_order", "second_order"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
    }

    C: float = 1.0
    _: KW_ONLY
    tol: float = 1e-3
    max_iter: int = -1
    selection: str = "second_order"
    class_weight: dict | str | None = None
    cache_size: float = 2000

    @property
    def _normal(self):
        return self.dual_coef_ @ self.support_vectors_

    @silent_overflow
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Solve the dual problem on a training set.

        Parameters
        ----------
        %(X)s
        %(y)s
        %(sample_weight)s

        %(self)s

        Raises
        ------
        ValueError
            If a parameter or an input is invalid, if `y` has not exactly two classes, if the
            weights are negative or leave no two classes, or if memory would not hold the cache.
        %(sparse)s
        """
        X, y, signs = self._checked(X, y)
        kept, X_kept, y_signed, point_weight, bound_weight = self._training_set(
            X, y, sample_weight, signs
        )
        gamma = self._resolved_gamma(X_kept, point_weight)
        K = self._training_kernel(X_kept, gamma)
        # Points are checked, and no exponential of a negative number is infinite.
        settings = {"check_finite": self.kernel != "rbf"}
        solve = partial(self._solve, K, y_signed, bound_weight, **settings)
        with progress(self):
            result = self._solve_definite(solve, K, kept, bound_weight)
        self._keep(result, X, y_signed, kept, gamma)
        return self

    def _solve_definite(self, solve, K, samples, bound_weight):
        """What `solve` gives, with a look at whether the kernel is definite before and after it."""
        if not self._may_be_indefinite():
            return solve()
        C = self.C if bound_weight is None else self.C * bound_weight
        require_definite = partial(self._require_definite, K, samples, self._box(C)[2])
        if not require_definite():  # it has been said
            return solve()
        try:
            result = solve()
        except NotPositiveSemiDefinite as error:
            require_definite(error.samples)
            raise
        # Where the machine rests on few samples they show what a look at others has not.
        order = np.argsort(-np.abs(result.alpha), kind="stable")
        require_definite(np.sort(order[: n_factorised(order.size)]))
        return result

    def _keep(self, result, X, y_signed, kept, gamma):
        """Store solution and certificate as fitted attributes."""
        self._keep_certificate(result)
        nonzero = result.alpha.nonzero()[0]
        rows = kept[nonzero]
        signs = y_signed.take(nonzero)
        beta = signs * result.alpha.take(nonzero)
        n_positive = np.count_nonzero(signs > 0)
        self.support_ = rows
        self.support_vectors_ = (
            np.empty((0, 0)) if self.kernel == "precomputed" else _rows(X, rows)
        )
        self.n_support_ = np.array([nonzero.size - n_positive, n_positive])
        self.dual_coef_ = beta[np.newaxis, :]
        self.intercept_ = np.array([result.intercept])
        self._gamma = gamma

    def _box(self, C):
        """Lower bound, upper bound and ridge of the dual for (per-sample) costs C."""
        raise TypeError(f"{type(self).__name__} does not say what its dual problem is.")

    def _solve(self, K, y, bound_weight, **start):
        """Solve for Gram matrix `K` and signed labels; `bound_weight` multiplies C."""
        C = self.C if bound_weight is None else self.C * bound_weight
        lower, upper, ridge = self._box(C)
        return smo(K, y, lower, upper, ridge=ridge, **start, **self._smo_settings())

    def _smo_settings(self):
        # First order is the paper's plain algorithm: its iteration counts mean
        # something only without steps over the free set.
        return dict(
            selection=self.selection,
            tol=self.tol,
            max_iter=None if self.max_iter == -1 else self.max_iter,
            accelerate=self.selection == "second_order",
        )

    def _training_kernel(self, X, gamma):
        """Gram matrix in memory, or rows on demand if it exceeds `cache_size`."""
        if self.kernel == "precomputed":
            return X
        n = X.shape[0]
        if n < ROWS_FROM and n * n * 8e-6 <= self.cache_size:
            return gram(X, **self._kernel_parameters(gamma))
        name = type(self).__name__
        require_memory(
            f"The cache of {name} for {n:,} samples",
            min(self.cache_size, n * n * 8e-6),
            f"Decrease cache_size, which is {self.cache_size:g} MB: a smaller cache is slower.",
        )
        return KernelRows(
            X, cache_size=self.cache_size, **self._kernel_parameters(gamma)
        )
