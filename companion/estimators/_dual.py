"""What the four machines share: validation, kernel, call of the solver, prediction.

Every machine is the minimum of 1/2 a'Qa - e'a over y'a = 0, l <= a <= u with
Q = (yy') * K + diag(ridge); a subclass says what l, u and the ridge are.
"""

from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from companion._scratch import borrow_matrix, give_back
from companion.estimators._compat import (
    Interval,
    Options,
    StrOptions,
    check_sample_weight,
)
from companion.estimators._compiled import all_finite, two_labels
from companion.estimators._single import FROM_SAMPLES, solve_single
from companion.kernels import KernelRows, gram, resolve_gamma
from companion.solvers.smo import smo

# From this many samples kernel values are kept in single precision: half the memory and
# half the bytes an iteration reads. The certificate stays in double precision.
SINGLE_PRECISION_FROM = 3000

# With fewer samples a pair update costs less than the bookkeeping of shrinking saves: without it
# L1SVC and LeastOneNormSVC are faster by 0 to 13 % in the mean of a set (single fits differ).
SHRINKING_FROM = 400

PREDICTION_BLOCK_MEGABYTES = 64


def signed_labels(y, classes):
    """Labels as -1.0 and +1.0, the second class being +1."""
    return np.where(y == classes[1], 1.0, -1.0)


def class_factors(class_weight, y, classes, sample_weight=None):
    """Factor on C of every sample that comes from its class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
    y : ndarray of shape (n,)
    classes : ndarray of shape (2,)
    sample_weight : ndarray of shape (n,), optional
        "balanced" counts samples by this weight, so that a weight of two is a
        sample given twice.

    Returns
    -------
    ndarray of shape (n,) or None
        None if all factors are one.
    """
    if class_weight is None:
        return None
    in_second = y == classes[1]
    if isinstance(class_weight, str):
        counts = np.bincount(in_second, weights=sample_weight, minlength=2)
        factors = counts.sum() / (2.0 * counts)
    else:
        factors = compute_class_weight(class_weight, classes=classes, y=y)
    return factors[in_second.astype(np.intp)]


def weighted_gamma(gamma, X, sample_weight=None):
    """The number meant by `gamma`, with the variance of "scale" weighted by sample."""
    if gamma != "scale" or sample_weight is None:
        return resolve_gamma(gamma, X)
    total = sample_weight.sum() * X.shape[1]
    centred = X - (sample_weight @ X).sum() / total
    variance = (sample_weight @ centred**2).sum() / total
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


# Settings found valid, so that a search over many fits does not check them every time.
_VALID_SETTINGS = set()
_MOST_SETTINGS = 10_000


def _plain_labels(X, y):
    """Classes and signed labels of a plain training set, None for all others.

    Plain is what the general validation would leave as it is: finite doubles and two whole
    numbers as labels. The general validation takes longer than solving a problem of a few
    hundred samples.
    """
    if not (
        type(X) is np.ndarray
        and type(y) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and y.shape == X.shape[:1]
        and X.size > 0
        and X.flags.c_contiguous
        and y.flags.c_contiguous
        and y.dtype in (np.int64, np.float64)
    ):
        return None
    signs = np.empty(y.size)
    low, high, is_plain = two_labels(y, signs)
    if not is_plain or not all_finite(X.reshape(-1)):
        return None
    return np.array([low, high], dtype=y.dtype), signs


class DualClassifier(ClassifierMixin, BaseEstimator):
    """Base of the machines that one dual problem with different boxes describes."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "kernel": [StrOptions({"rbf", "linear", "poly", "precomputed"}), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [
            Interval(Integral, 1, None, closed="left"),
            Options(Integral, {-1}),
        ],
        "selection": [StrOptions({"first_order", "second_order"})],
        "shrinking": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        tol=1e-3,
        max_iter=-1,
        selection="second_order",
        shrinking=True,
        class_weight=None,
        cache_size=2000,
    ):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.selection = selection
        self.shrinking = shrinking
        self.class_weight = class_weight
        self.cache_size = cache_size

    def _validate_params(self):
        values = tuple([getattr(self, name) for name in self._parameter_constraints])
        try:
            key = (type(self), values, tuple(map(type, values)))
            if key in _VALID_SETTINGS:
                return
        except TypeError:  # not hashable, such as a dict of class weights
            key = None
        super()._validate_params()
        if key is not None and not callable(self.kernel) and len(_VALID_SETTINGS) < _MOST_SETTINGS:
            _VALID_SETTINGS.add(key)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X, y, sample_weight=None):
        """Solve the dual problem on a training set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training points, or their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of exactly two classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative factors on `C`, one per sample. A weight of zero is the sample
            left out, a weight of two the sample given twice.

        Returns
        -------
        self : object
            The fitted classifier.

        Raises
        ------
        ValueError
            If a parameter or an input is invalid, if `y` has not exactly two classes, or
            if the weights are negative or leave no two classes.
        TypeError
            If `X` is sparse.
        """
        if not get_config()["skip_parameter_validation"]:
            self._validate_params()
        X, y, signs = self._checked(X, y)
        kept, X_kept, y_signed, point_weight, bound_weight = self._training_set(
            X, y, sample_weight, signs
        )
        gamma = self._resolved_gamma(X_kept, point_weight)
        result = self._solve_single(X_kept, y_signed, bound_weight, gamma)
        if result is None:
            result = self._solve_on(X_kept, y_signed, bound_weight, gamma)
        self._keep(result, X, y_signed, kept, gamma)
        return self

    def decision_function(self, X):
        """W . phi(x) + b, positive on the side of ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            Points, or kernel values between them and all training points if
            ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_queries,)
            Decision values.
        """
        check_is_fitted(self)
        self._refuse_sparse(X)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        beta = self.dual_coef_[0]
        if self.kernel == "linear":
            values = X @ self.coef_[0]
        elif self.kernel == "precomputed":
            values = X[:, self.support_] @ beta
        else:
            values = self._kernel_expansion(X, beta)
        return values + self.intercept_[0]

    def predict(self, X):
        """Label of every point: ``classes_[1]`` where the decision value is positive.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            As in :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n_queries,)
            Predicted labels.
        """
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]

    @property
    def coef_(self):
        """The normal vector W of a linear machine, of shape (1, n_features)."""
        if self.kernel != "linear":
            raise AttributeError('coef_ exists only for kernel="linear".')
        return self.dual_coef_ @ self.support_vectors_

    # ---------------------------------------------------------------- the problem

    def _box(self, C):
        """Lower bound, upper bound and ridge of the dual for (per-sample) costs C."""
        raise TypeError(f"{type(self).__name__} does not say what its dual problem is.")

    def _solve(self, K, y, bound_weight, **start):
        """Solve for Gram matrix `K` and signed labels; `bound_weight` multiplies C.

        `start` are the arguments of the solver that concern the way and not the problem.
        """
        C = self.C if bound_weight is None else self.C * bound_weight
        lower, upper, ridge = self._box(C)
        settings = self._smo_settings()
        if len(y) < SHRINKING_FROM:
            settings["shrinking"] = False
        return smo(K, y, lower, upper, ridge=ridge, **start, **settings)

    def _solve_on(self, X, y, bound_weight, gamma):
        """Solve on the Gram matrix of `X`, or on rows of it."""
        K = self._training_kernel(X, gamma)
        try:
            # Points are checked, and no exponential of a negative number is infinite.
            return self._solve(K, y, bound_weight, check_finite=self.kernel != "rbf")
        finally:
            if isinstance(K, KernelRows):
                K.release()
            elif K is not X:
                give_back(K)

    def _solve_single(self, X, y, bound_weight, gamma):
        """Solve in single precision where it saves time; None where it does not or must not."""
        n = len(X)
        if (
            self.kernel != "rbf"
            or self.selection != "second_order"
            or not FROM_SAMPLES <= n < SINGLE_PRECISION_FROM
            or n * n * 8e-6 > self.cache_size
        ):
            return None
        lower, upper, _ = self._box(self.C if bound_weight is None else self.C * bound_weight)
        if not np.all(np.isfinite(upper)):
            return None
        return solve_single(X, y, gamma, lower, upper, self.cache_size, self._smo_settings())

    def _smo_settings(self):
        # First order is the paper's plain algorithm: its iteration counts mean
        # something only without shrinking and Newton steps.
        return dict(
            selection=self.selection,
            tol=self.tol,
            max_iter=None if self.max_iter == -1 else self.max_iter,
            shrinking=self.shrinking,
            accelerate=self.selection == "second_order",
        )

    # ---------------------------------------------------------------- the inputs

    def _refuse_sparse(self, X):
        if issparse(X):
            raise TypeError(
                f"{type(self).__name__} needs a dense X. Got a sparse "
                f"{type(X).__name__}. Pass X.toarray(), or compute the Gram matrix "
                'yourself and use kernel="precomputed".'
            )

    def _validated(self, X, y):
        """Checked inputs; sets `classes_` and `n_features_in_`."""
        X, y, _ = self._checked(X, y)
        return X, y

    def _checked(self, X, y):
        """As :meth:`_validated`, and the signed labels."""
        plain = _plain_labels(X, y)
        if plain is not None:
            classes, signs = plain
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        else:
            self._refuse_sparse(X)
            X, y = validate_data(self, X, y, dtype=np.float64, order="C")
            check_classification_targets(y)
            classes = np.unique(y)
            if len(classes) > 2:
                raise ValueError(
                    "Only binary classification is supported. The type of the target is "
                    f"{type_of_target(y)}: {len(classes)} classes. Use "
                    f"OneVsRestClassifier({type(self).__name__}()) for more than two."
                )
            self._require_two(classes)
            signs = signed_labels(y, classes)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f'{type(self).__name__} with kernel="precomputed" needs a square Gram '
                f"matrix in fit. Got shape {X.shape}."
            )
        self.classes_ = classes
        return X, y, signs

    def _require_two(self, classes):
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of two classes with positive "
                f"weight. Got only one class: {classes.tolist()[0]!r}."
            )

    def _training_set(self, X, y, sample_weight, signs):
        """Drop samples of weight zero and combine the weights of samples and classes.

        Returns
        -------
        kept : ndarray of int or slice
            Rows of `X` that take part.
        X_kept : ndarray
        y_signed : ndarray
            Labels -1.0 and +1.0 of these rows.
        point_weight, bound_weight : ndarray or None
            Sample weights alone, and times the class weights; None where all are one.
        """
        if sample_weight is None and self.class_weight is None:
            return slice(None), X, signs, None, None
        kept = slice(None)
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            if not weight.any():
                raise ValueError(
                    f"{type(self).__name__} needs sample_weight with positive entries. "
                    "Got only zeros."
                )
            if not weight.all():
                kept = np.flatnonzero(weight)
                weight = weight[kept]
                y, signs = y[kept], signs[kept]
                self._require_two(np.unique(y))
                X = X[np.ix_(kept, kept)] if self.kernel == "precomputed" else X[kept]
        factors = class_factors(self.class_weight, y, self.classes_, weight)
        if factors is None:
            bound_weight = weight
        else:
            if not np.all(factors > 0):
                raise ValueError(
                    f"The 'class_weight' parameter of {type(self).__name__} must have "
                    f"positive entries. Got {self.class_weight!r}."
                )
            bound_weight = factors if weight is None else factors * weight
        return kept, X, signs, weight, bound_weight

    # ---------------------------------------------------------------- the kernel

    def _kernel_parameters(self, gamma):
        return dict(kernel=self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)

    def _resolved_gamma(self, X, point_weight):
        """Gamma as a number; 1.0 where the kernel has none."""
        if self.kernel in ("rbf", "poly"):
            return weighted_gamma(self.gamma, X, point_weight)
        return 1.0

    def _training_kernel(self, X, gamma):
        """Gram matrix in memory, or rows on demand if it exceeds `cache_size`."""
        if self.kernel == "precomputed":
            return X
        n = len(X)
        if n < SINGLE_PRECISION_FROM and n * n * 8e-6 <= self.cache_size:
            return gram(X, out=borrow_matrix(n), **self._kernel_parameters(gamma))
        return self._kernel_rows(X, gamma)

    def _kernel_rows(self, X, gamma):
        return KernelRows(
            X, cache_size=self.cache_size, dtype=np.float32, **self._kernel_parameters(gamma)
        )

    def _kernel_to_factorise(self, X, gamma):
        """Gram matrix in double precision; refused if it exceeds `cache_size`."""
        if self.kernel == "precomputed":
            return X
        megabytes = len(X) ** 2 * 8e-6
        if megabytes > self.cache_size:
            raise ValueError(
                f"{type(self).__name__} factorises the Gram matrix, which must fit in "
                f"cache_size = {self.cache_size:g} MB. Got {len(X)} samples, which need "
                f'{megabytes:.0f} MB. Raise cache_size, or use LSSVC(solver="smo").'
            )
        return gram(X, **self._kernel_parameters(gamma))

    def _kernel_expansion(self, X, beta):
        """Kernel of X with the support vectors times beta, in blocks of bounded size."""
        values = np.zeros(len(X))
        if len(beta) == 0:
            return values
        block = max(1, PREDICTION_BLOCK_MEGABYTES * 1_000_000 // (8 * len(beta)))
        parameters = self._kernel_parameters(self._gamma)
        for start in range(0, len(X), block):
            rows = slice(start, start + block)
            values[rows] = gram(X[rows], self.support_vectors_, **parameters) @ beta
        return values

    # ---------------------------------------------------------------- the result

    def _keep(self, result, X, y_signed, kept, gamma):
        """Store solution and certificate as fitted attributes."""
        nonzero = result.alpha.nonzero()[0]
        rows = nonzero if isinstance(kept, slice) else kept[nonzero]
        signs = y_signed.take(nonzero)
        beta = signs * result.alpha.take(nonzero)
        n_positive = np.count_nonzero(signs > 0)
        self.support_ = rows
        self.support_vectors_ = (
            np.empty((0, 0)) if self.kernel == "precomputed" else X.take(rows, axis=0)
        )
        self.n_support_ = np.array([nonzero.size - n_positive, n_positive])
        self.dual_coef_ = beta[np.newaxis, :]
        self.intercept_ = np.array([result.intercept])
        # At least one, as scikit-learn asks: a direct solution counts as one iteration.
        self.n_iter_ = max(1, int(result.n_iter))
        self.objective_ = float(result.objective)
        self.duality_gap_ = float(result.duality_gap)
        self.kkt_violation_ = float(result.kkt_violation)
        self.converged_ = bool(result.converged)
        self.stop_reason_ = result.stop_reason
        self._gamma = gamma
