"""A fitted L1-SVM seen on its training set: margins, multipliers, kernel and costs."""

from collections.abc import Mapping
from numbers import Real
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from companion.estimators import L1SVC
from companion.estimators._kernel_classifier import class_factors, signed_labels
from companion.kernels._gram import gram, kernel_diagonal

_BLOCK = 500


def cost_vector(costs, class_weight, y, classes, name, sample_weight=None):
    """L(y_i) of every sample: from `costs`, by default from the class weights of the machine."""
    if costs is None:
        return class_factors(class_weight, y, classes, sample_weight)
    negative, positive = cost_pair(costs, classes, name)
    return np.where(y == classes[1], positive, negative)


def gram_diagonal(X, *, kernel, **parameters):
    """k(x_i, x_i) of every row of X, without the rest of the Gram matrix."""
    if kernel == "precomputed":
        return X.diagonal().copy()
    return kernel_diagonal(X, kernel=kernel, **parameters)


def largest_difference(X, *, kernel, **parameters):
    """The largest K_ii - K_ij over all pairs of points; X is K if the kernel is precomputed."""
    diagonal = gram_diagonal(X, kernel=kernel, **parameters)
    if kernel == "precomputed":
        return float((diagonal - X.min(axis=1)).max())
    largest = 0.0
    for start in range(0, X.shape[0], _BLOCK):
        rows = slice(start, start + _BLOCK)
        K = gram(X[rows], X, kernel=kernel, **parameters)
        largest = max(largest, float((diagonal[rows] - K.min(axis=1)).max()))
    return largest


class Observed(NamedTuple):
    """What the criteria need of the training set of a machine; costs are None for ones."""

    margin: np.ndarray
    alpha: np.ndarray
    upper: np.ndarray
    signs: np.ndarray
    cost: np.ndarray | None
    points: np.ndarray
    kernel: dict

    def gram(self, rows):
        """Gram matrix of some of the samples."""
        if self.kernel["kernel"] == "precomputed":
            return self.points[np.ix_(rows, rows)]
        return gram(self.points[rows], **self.kernel)


def observed(estimator, X, y, costs, name):
    """The training set of a machine, checked."""
    check_machine(estimator, name)
    X = estimator._queries(X)
    y = np.asarray(y)
    n = X.shape[0]
    if y.shape != (n,):
        raise ValueError(
            f"{name} needs one label for each of the {n} samples. Got y of shape {y.shape}."
        )
    classes = estimator.classes_
    unknown = np.setdiff1d(y, classes)
    if unknown.size:
        raise ValueError(
            f"The labels given to {name} must be those of the machine, {classes.tolist()}. "
            f"Got {unknown[:5].tolist()}."
        )
    factors = class_factors(estimator.class_weight, y, classes)
    upper = estimator.C * (np.ones(n) if factors is None else factors)
    signs = signed_labels(y, classes)
    support = estimator.support_
    beta = estimator.dual_coef_[0]
    fits = support.max(initial=-1) < n and np.array_equal(np.sign(beta), signs[support])
    if estimator.kernel == "precomputed":
        fits = fits and X.shape[1] == n
    else:
        fits = fits and abs(X[support] - estimator.support_vectors_).sum() == 0.0
    if fits:
        alpha = np.zeros(n)
        alpha[support] = np.abs(beta)
        margin = signs * estimator._decision_function(X)
        slack = 1e-6 * (1.0 + np.abs(margin).max() + alpha.sum())
        slack += estimator.kkt_violation_
        may_rise = alpha < upper * (1.0 - 1e-9)
        is_wrong = (may_rise & (margin < 1.0 - slack)) | (alpha > upper * (1.0 + 1e-9))
        fits = not is_wrong.any()
    if not fits:
        raise ValueError(
            f"The X and y given to {name} must be what the machine was fitted to, without sample "
            "weights. Got samples whose labels or margins do not go with its dual variables: pass "
            "the training set, in its order, and use class_weight for costs."
        )
    cost = cost_vector(costs, estimator.class_weight, y, classes, name)
    kernel = estimator._kernel_parameters(estimator._gamma)
    return Observed(margin, alpha, upper, signs, cost, X, kernel)


def check_machine(estimator, name):
    if type(estimator) is not L1SVC:
        raise TypeError(
            f"The 'estimator' of {name} must be an L1SVC of this package, not of a derived class: "
            f"the criterion is made of its dual variables. Got {type(estimator).__name__}. Of a "
            "pipeline or a search pass the machine inside, with the data as it sees them."
        )
    check_is_fitted(estimator)


def cost_pair(costs, classes, name):
    """Costs of both classes, in their order, from a mapping that is checked."""
    if not isinstance(costs, Mapping):
        raise TypeError(
            f"The 'costs' of {name} must map each label to its cost, as in "
            f"{{{classes[0]!r}: 1.5, {classes[1]!r}: 0.5}}. Got {type(costs).__name__}."
        )
    labels = classes.tolist()
    if set(costs) != set(labels):
        raise ValueError(
            f"The 'costs' of {name} must name both labels {labels} and no others. "
            f"Got {dict(costs)!r}."
        )
    pair = [costs[label] for label in labels]
    if not all(isinstance(cost, Real) and 0.0 < cost < np.inf for cost in pair):
        raise ValueError(
            f"The 'costs' of {name} must be positive finite numbers. Got {dict(costs)!r}."
        )
    return pair
