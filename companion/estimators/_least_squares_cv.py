"""LSSVCCV: the least-squares machine with C chosen by leave-one-out in closed form."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import ClassVar

import numpy as np

from companion.estimators._compat import Interval, StrOptions, fit_context
from companion.estimators._docs import with_shared_documentation
from companion.estimators._dual import SupportVectorClassifier
from companion.estimators._kernel_classifier import silent_overflow
from companion.solvers.ls import LSPath


@with_shared_documentation
@dataclass(eq=False, repr=False)
class LSSVCCV(SupportVectorClassifier):
    """Least-squares support vector machine that chooses C by exact leave-one-out.

    One eigendecomposition of the Gram matrix gives, for every C, the decision value of
    each sample under the machine trained without it. It relates to :class:`LSSVC` as
    :class:`sklearn.linear_model.RidgeCV` to ``Ridge``.

    Parameters
    ----------
    Cs : array-like of shape (n_Cs,), default=(0.01, 0.1, 1, 10, 100, 1000)
        Values of `C` to try, strictly positive.
    scoring : {"accuracy", "neg_mean_squared_error"}, default="accuracy"
        What the held-out decision values are judged by: the share with the right sign,
        or minus their mean squared distance to the labels -1 and +1 (the PRESS
        statistic of [5]_), which varies smoothly with C. Samples count by
        `sample_weight`. Ties go to the smallest C.
    %(kernel)s
    class_weight : dict or "balanced", default=None
        Factor on `C` per class, as in :class:`LSSVC`.
    cache_size : float, default=2000
        Megabytes the Gram matrix may take; a larger one is refused.
    store_cv_results : bool, default=False
        Whether to keep all held-out decision values in `cv_results_`.

    Attributes
    ----------
    C_ : float
        The chosen C.
    best_score_ : float
        Its leave-one-out score.
    scores_ : ndarray of shape (n_Cs,)
        Leave-one-out score of every value of `Cs`.
    cv_results_ : ndarray of shape (n_samples, n_Cs)
        Held-out decision values; NaN for samples of weight zero. Only if
        ``store_cv_results=True``.
    %(attributes)s

    See Also
    --------
    LSSVC : The machine for one given C.
    companion.tuning.KernelGridSearchCV : Searches C and the kernel by k folds.

    Notes
    -----
    The machine is (1) and (2) of [1]_, see :class:`LSSVC`. With sample weights the
    leave-one-out of a point leaves all its weight out.

    References
    ----------
    %(references)s
    .. [5] G. C. Cawley, "Leave-one-out cross-validation based model selection criteria
       for weighted LS-SVMs", IJCNN 2006, 1661-1668.

    Examples
    --------
    >>> from companion import LSSVCCV
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> machine = LSSVCCV(Cs=[0.1, 1, 10], kernel="linear").fit(X, [0, 0, 0, 1, 1, 1])
    >>> machine.C_
    1.0
    """

    _parameter_constraints: ClassVar[dict] = {
        **{
            name: SupportVectorClassifier._parameter_constraints[name]
            for name in ("kernel", "gamma", "degree", "coef0", "class_weight", "cache_size")
        },
        "Cs": ["array-like", Interval(Real, 0.0, None, closed="neither")],
        "scoring": [StrOptions({"accuracy", "neg_mean_squared_error"})],
        "store_cv_results": ["boolean"],
    }

    Cs: Sequence[float] = (0.01, 0.1, 1, 10, 100, 1000)
    _: KW_ONLY
    scoring: str = "accuracy"
    store_cv_results: bool = False

    @silent_overflow
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Choose C by leave-one-out and fit the machine with it.

        Parameters
        ----------
        %(X)s
        %(y)s
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative factors on `C`, one per sample.

        %(self)s

        Raises
        ------
        ValueError
            If a parameter or an input is invalid, if `y` has not exactly two classes, or
            if the Gram matrix does not fit in `cache_size`.
        %(sparse)s
        """
        C_values = self._validated_Cs()
        X, y, signs = self._checked(X, y)
        kept, X_kept, y_signed, point_weight, bound_weight = self._training_set(
            X, y, sample_weight, signs
        )
        gamma = self._resolved_gamma(X_kept, point_weight)
        path = LSPath(self._kernel_to_factorise(X_kept, gamma), y_signed, bound_weight)
        held_out = np.column_stack([path.leave_one_out(C) for C in C_values])

        self.scores_ = np.average(self._score(held_out, y_signed), axis=0, weights=point_weight)
        ties = np.flatnonzero(self.scores_ == self.scores_.max())
        best = ties[np.argmin(C_values[ties])]
        self.C_ = float(C_values[best])
        self.best_score_ = float(self.scores_[best])
        if self.store_cv_results:
            self.cv_results_ = np.full((len(X), len(C_values)), np.nan)
            self.cv_results_[kept] = held_out
        self._keep(path.solve(self.C_), X, y_signed, kept, gamma)
        return self

    def _validated_Cs(self):
        C_values = np.atleast_1d(np.asarray(self.Cs, dtype=np.float64))
        is_valid = (C_values > 0.0) & (C_values < np.inf)
        if C_values.ndim != 1 or not C_values.size or not is_valid.all():
            raise ValueError(
                f"The 'Cs' parameter of {type(self).__name__} must be one or more finite "
                f"numbers greater than 0. Got {self.Cs!r}."
            )
        return C_values

    def _score(self, held_out, y_signed):
        """Score of every held-out value, of shape (n_samples, n_Cs)."""
        if self.scoring == "accuracy":
            return (held_out > 0) == (y_signed[:, np.newaxis] > 0)
        return -((held_out - y_signed[:, np.newaxis]) ** 2)
