"""What all classifiers share: checked inputs, weights, kernel values, prediction."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from companion._utils.batches import batches
from companion._utils.memory import require_memory
from companion._utils.warnings import warn_caller
from companion.estimators._compat import Interval, StrOptions, check_sample_weight
from companion.estimators._definite import ADVICE, sign_of_indefiniteness
from companion.estimators._docs import with_shared_documentation
from companion.kernels import _sparse, gram, resolve_gamma
from companion.kernels._equal import equal_rows

PREDICTION_BLOCK_MEGABYTES = 64

# A Gram matrix may be asymmetric by this share of its largest entry, as one in single precision is;
# so many rows are looked at at a time.
ASYMMETRY = 1e-5
SYMMETRY_BLOCK = 64

# Sums of squares below this have lost digits to underflow.
SMALLEST_SQUARES = np.finfo(np.float64).tiny / np.finfo(np.float64).eps

# Numbers that overflow are an error of what comes out, not a warning.
silent_overflow = np.errstate(over="ignore", invalid="ignore", divide="ignore")


def require_finite(what, values):
    """Refuse what overflow has made infinite or NaN, as scikit-learn words it."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"The {what} are not finite. The input data may contain large values and need to be "
            "preprocessed: scale them."
        )


def signed_labels(y, classes):
    """Labels as -1.0 and +1.0, the second class being +1."""
    return np.where(y == classes[1], 1.0, -1.0)


def class_factors(class_weight, y, classes, sample_weight=None, name="a machine"):
    """Factor on C of every sample that comes from its class."""
    if class_weight is None:
        return None
    in_second = y == classes[1]
    if isinstance(class_weight, str):
        counts = np.bincount(in_second, weights=sample_weight, minlength=2)
        factors = counts.sum() / (2.0 * counts)
    else:
        factors = compute_class_weight(class_weight, classes=classes, y=y)
    if not np.all((factors > 0) & (factors < np.inf)):
        raise ValueError(
            f"The 'class_weight' parameter of {name} must have positive finite entries. "
            f"Got {class_weight!r}."
        )
    return factors[in_second.astype(np.intp)]


@silent_overflow
def weighted_gamma(gamma, X, sample_weight=None):
    """The number meant by `gamma`, with the variance of "scale" weighted by sample."""
    if gamma != "scale" or sample_weight is None:
        value = resolve_gamma(gamma, X)
    else:
        variance = _weighted_variance(X, sample_weight)
        value = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if gamma == "scale" and not 0.0 < value < np.inf:
        raise ValueError(
            f'gamma="scale" is {value:g} for these data, whose values are too far from 1. '
            "Scale them, or give gamma as a number."
        )
    return value


def _weighted_variance(X, sample_weight):
    if issparse(X):
        return _sparse.variance(X, sample_weight)
    total = sample_weight.sum() * X.shape[1]
    centred = X - (sample_weight @ X).sum() / total
    return (sample_weight @ centred**2).sum() / total


@with_shared_documentation
@dataclass(eq=False, repr=False, kw_only=True)
class KernelClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers f(x) = sum_j beta_j k(c_j, x) + b.

    A subclass fits `dual_coef_` (beta), `intercept_` and for the linear kernel `_normal`, and says
    what the centres c_j are where they are not its support vectors.
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "kernel": [
            StrOptions({"rbf", "linear", "poly", "sigmoid", "precomputed"}),
            callable,
        ],
        "gamma": [
            StrOptions({"scale", "auto"}),
            Interval(Real, 0.0, None, closed="left"),
        ],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "verbose": ["verbose"],
    }

    # Whether a kernel that is not positive semi-definite leaves a problem with solutions.
    _takes_indefinite = False

    kernel: str | Callable = "rbf"
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    verbose: int | bool = 0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    @silent_overflow
    def decision_function(self, X):
        """W . phi(x) + b, with two classes positive on the side of ``classes_[1]``.

        Parameters
        ----------
        %(queries)s

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_classes)
            Decision values; of more than two classes one for each, which sum to zero.
        """
        X = self._queries(X)
        different, which = equal_rows(X)
        return self._decision_function(X[different])[which]

    def _queries(self, X):
        """Checked points of a fitted machine."""
        check_is_fitted(self)
        return self._validated(X, reset=False)

    def _validated(self, X, y="no_validation", reset=True):
        """X, or X and y, as scikit-learn checks them; sparse X in one form."""
        if self.kernel == "precomputed" and issparse(X):
            raise TypeError(
                "Sparse precomputed kernels are not supported. Pass the Gram matrix as an array, "
                "by its toarray()."
            )
        settings = {"dtype": np.float64, "order": "C", "accept_sparse": "csr"}
        checked = validate_data(self, X, y, reset=reset, **settings)
        X, *labels = checked if isinstance(checked, tuple) else (checked,)
        X = _sparse.canonical(X) if issparse(X) else X
        return (X, *labels) if labels else X

    def _decision_function(self, X):
        """Decision values of checked points."""
        beta = self.dual_coef_.T
        if self.kernel == "linear":
            values = X @ self.coef_.T
        elif self.kernel == "precomputed":
            values = X[:, self._centres()] @ beta
        else:
            values = self._kernel_expansion(X, beta)
        values = values + self.intercept_
        require_finite("decision values", values)
        return values[:, 0] if values.shape[1] == 1 else values

    @property
    def coef_(self):
        """The normal vectors W of a linear machine, (1 or n_classes, n_features); read-only."""
        normal = getattr(self, "_normal", None)
        if self.kernel != "linear" or normal is None:
            raise AttributeError(
                'coef_ exists only for a fitted kernel="linear", not transformed.'
            )
        read_only = normal.view()
        read_only.flags.writeable = False
        return read_only

    def predict(self, X):
        """Label of every point: the class with the largest decision value.

        With two classes that is ``classes_[1]`` where their one decision value is positive.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or (n_queries, n_samples)
            As in :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        values = self.decision_function(X)
        chosen = values > 0 if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[chosen.astype(np.intp)]

    def _dense(self, X):
        """Points as an array, where there is no way around one."""
        return _sparse.converted(X, type(self).__name__)

    def _centres(self):
        """The points c_j; their indices among the training samples if the kernel is precomputed."""
        return self.support_ if self.kernel == "precomputed" else self.support_vectors_

    def _checked(self, X, y):
        """Checked inputs and the signed labels; sets `classes_` and `n_features_in_`."""
        X, y = self._validated(X, y)
        classes = self._checked_classes(y)
        signs = signed_labels(y, classes)
        self._require_size(X)
        self.classes_ = classes
        return X, y, signs

    def _checked_classes(self, y):
        """The two labels of a vector of them."""
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}: {len(classes)} classes. Fit a machine for each pair: "
                f"sklearn.multiclass.OneVsOneClassifier({self!r}).fit(X, y)"
            )
        self._require_two(classes)
        return classes

    def _require_size(self, X):
        """Refuse a Gram matrix that is not square, and points whose distances overflow."""
        if self.kernel != "precomputed":
            values = X.data if issparse(X) else X
            squares = float(np.vdot(values, values))
            require_finite("dual coefficients or intercepts", 4.0 * squares)
            if squares < SMALLEST_SQUARES and values.any():
                raise ValueError(
                    "The values of X are so small that their squares vanish in double precision, "
                    f'and with them kernels and gamma="scale". Got at most {np.abs(values).max():g}'
                    ": scale them."
                )
        elif X.shape[0] != X.shape[1]:
            raise ValueError(
                f'{type(self).__name__} with kernel="precomputed" needs a square Gram '
                f"matrix in fit. Got shape {X.shape}."
            )
        else:
            self._require_symmetric(X)

    def _require_symmetric(self, K):
        largest = max(-K.min(), K.max())
        for rows in batches(len(K), SYMMETRY_BLOCK):
            difference = np.abs(K[rows] - K[:, rows].T)
            if difference.max() > ASYMMETRY * largest:
                i, j = np.unravel_index(difference.argmax(), difference.shape)
                i += rows.start
                raise ValueError(
                    f'{type(self).__name__} with kernel="precomputed" needs a symmetric Gram '
                    f"matrix in fit. Got K[{i}, {j}] = {K[i, j]:g} and K[{j}, {i}] = {K[j, i]:g}: "
                    "pass 0.5 * (K + K.T), if it is what you mean."
                )

    def _require_memory(self, n_samples, n_matrices, advice=""):
        """Refuse a kernel machine that would not fit in memory, with the way out."""
        linear = self._without_gram_matrix()
        way_out = (
            "Approximate the kernel: make_pipeline(sklearn.kernel_approximation.Nystroem("
            f"n_components=500), {linear}).{advice}"
        )
        if self.kernel == "precomputed":
            way_out = "Fit it to fewer samples."
        elif self.kernel == "linear":
            way_out = f"Use {linear}."
        require_memory(
            f"{type(self).__name__} with a kernel for {n_samples:,} samples",
            n_matrices * n_samples**2 * 8e-6,
            way_out,
        )

    def _without_gram_matrix(self):
        """What to write for a linear machine like this one that takes little memory."""
        return f'{type(self).__name__}(kernel="linear")'

    def _may_be_indefinite(self):
        """Whether name and parameters leave it open that the kernel has negative eigenvalues."""
        if self.kernel == "poly":
            return self.coef0 < 0.0
        return self.kernel not in ("rbf", "linear")

    def _require_definite(self, K, samples, ridge=0.0, chosen=None):
        """Refuse K + diag(ridge) that is not positive semi-definite, or warn of it; whether it is.

        A bounded dual has a solution all the same, of which a fit finds a stationary point.
        """
        found = (
            sign_of_indefiniteness(K, ridge, samples, chosen)
            if self._may_be_indefinite()
            else None
        )
        if found is None:
            return True
        name = type(self).__name__
        if not self._takes_indefinite or math.isinf(self.C):
            raise ValueError(
                f"{name} needs a kernel that is positive semi-definite, and this one is not. "
                f"{found} {ADVICE}. L1SVC takes such kernels, with a warning."
            )
        warn_caller(
            f"The kernel of this {name} is not positive semi-definite. {found} The machine is a "
            "stationary point, as that of SVC, and may not be the best one: duality_gap_ does not "
            f"bound its distance from it. {ADVICE}.",
            UserWarning,
        )
        return False

    def _require_two(self, classes, advice=""):
        if len(classes) < 2:
            got = f"only one class: {classes.tolist()[0]!r}" if len(classes) else "none"
            raise ValueError(
                f"{type(self).__name__} needs samples of two classes with positive "
                f"weight. Got {got}.{advice}"
            )

    def _training_set(self, X, y, sample_weight, signs):
        """Samples of positive weight, their X, signs and weights, and these times class weights.

        Weights are None where all are one.
        """
        kept = np.arange(X.shape[0])
        weight = None
        if sample_weight is not None:
            settings = {"dtype": np.float64, "ensure_non_negative": True}
            weight = check_sample_weight(sample_weight, X, **settings)
            if not weight.any():
                raise ValueError(
                    f"{type(self).__name__} needs sample_weight with positive entries. "
                    "Got only zeros."
                )
            if not weight.all():
                kept = np.flatnonzero(weight)
                weight = weight[kept]
                y = y[kept]
                signs = signs[kept]
                self._require_two(np.unique(y))
                X = X[np.ix_(kept, kept)] if self.kernel == "precomputed" else X[kept]
            least = weight.min()
            if self.C * least < np.finfo(np.float64).tiny:
                raise ValueError(
                    "The positive entries of sample_weight must be large enough for C times them "
                    f"to have an inverse. Got {least:g} with C={self.C:g}: scale the weights, or "
                    "make it zero."
                )
        bound_weight = weight
        if self.class_weight is not None:
            name = type(self).__name__
            factors = class_factors(self.class_weight, y, self.classes_, weight, name)
            bound_weight = factors if weight is None else factors * weight
        return kept, X, signs, weight, bound_weight

    def _keep_certificate(self, result):
        """Store what the solver says of its result as fitted attributes."""
        require_finite(
            "dual coefficients or intercepts", result.objective + result.intercept
        )
        # At least one, as scikit-learn asks: a direct solution, and a start that is one, count.
        self.n_iter_ = max(1, int(result.n_iter))
        self.objective_ = float(result.objective)
        self.duality_gap_ = float(result.duality_gap)
        self.kkt_violation_ = float(result.kkt_violation)
        self.converged_ = bool(result.converged)
        self.stop_reason_ = result.stop_reason

    def _kernel_parameters(self, gamma):
        return dict(
            kernel=self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0
        )

    def _resolved_gamma(self, X, point_weight):
        """Gamma as a number; 1.0 where the kernel has none."""
        if self.kernel in ("rbf", "poly", "sigmoid"):
            return weighted_gamma(self.gamma, X, point_weight)
        return 1.0

    def _kernel_expansion(self, X, beta):
        """Kernel of X with the centres times beta, one or more columns, a block at a time."""
        values = np.zeros((X.shape[0], *beta.shape[1:]))
        if len(beta) == 0:
            return values
        centres = self._centres()
        block = max(1, PREDICTION_BLOCK_MEGABYTES * 1_000_000 // (8 * len(beta)))
        parameters = self._kernel_parameters(self._gamma)
        for rows in batches(X.shape[0], block):
            values[rows] = gram(X[rows], centres, **parameters) @ beta
        return values
