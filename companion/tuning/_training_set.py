"""A fitted L1-SVM seen on its training set: margins, multipliers, kernel diagonal and costs."""

from collections.abc import Mapping
from numbers import Real

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import check_is_fitted

from companion.estimators import L1SVC
from companion.estimators._kernel_classifier import class_factors
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


def observed(estimator, X, y, costs, name):
    """Margins, multipliers, checked points and costs of the training set of a machine."""
    check_machine(estimator, name)
    X = estimator._queries(X)
    y = np.asarray(y)
    if y.shape != X.shape[:1]:
        raise ValueError(
            f"{name} needs one label for each of the {X.shape[0]} samples. Got y of shape "
            f"{y.shape}."
        )
    unknown = np.setdiff1d(y, estimator.classes_)
    if unknown.size:
        raise ValueError(
            f"The labels given to {name} must be those of the machine, "
            f"{estimator.classes_.tolist()}. Got {unknown[:5].tolist()}."
        )
    if len(np.unique(y)) < 2:
        raise ValueError(
            f"{name} needs the training set of the machine, with samples of two classes. "
            f"Got only one class: {y[0]!r}."
        )
    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    _check_support(estimator, X, signs, name)
    alpha = np.zeros(X.shape[0])
    alpha[estimator.support_] = np.abs(estimator.dual_coef_[0])
    margin = signs * estimator._decision_function(X)
    upper = np.full(X.shape[0], float(estimator.C))
    factors = class_factors(estimator.class_weight, y, estimator.classes_)
    if factors is not None:
        upper *= factors
    _check_optimality(estimator, margin, alpha, upper, name)
    cost = cost_vector(costs, estimator.class_weight, y, estimator.classes_, name)
    return margin, alpha, X, cost


def check_machine(estimator, name):
    if not isinstance(estimator, L1SVC):
        raise TypeError(
            f"The 'estimator' of {name} must be an L1SVC of this package: the criterion is made of "
            f"its dual variables. Got {type(estimator).__name__}. Of a pipeline or a search pass "
            "the machine inside, with the data as it sees them."
        )
    check_is_fitted(estimator)


def _check_support(estimator, X, signs, name):
    support = estimator.support_
    if estimator.kernel == "precomputed":
        good = X.shape[0] == X.shape[1]
    else:
        is_there = support.max(initial=-1) < X.shape[0]
        good = is_there and _equal(X[support], estimator.support_vectors_)
    if not (good and np.array_equal(np.sign(estimator.dual_coef_[0]), signs[support])):
        raise ValueError(
            f"The X and y given to {name} must be what the machine was fitted to. The support "
            "vectors of the machine are not at their places in them, or have other labels: pass "
            "the training set, in its order."
        )


def _equal(X, Z):
    if not (issparse(X) or issparse(Z)):
        return np.array_equal(X, Z)
    return (csr_array(X) != csr_array(Z)).nnz == 0


def _check_optimality(estimator, margin, alpha, upper, name):
    """Refuse samples whose margins or multipliers the machine cannot have left like this."""
    slack = estimator.kkt_violation_ + 1e-6 * (1.0 + np.abs(margin).max() + alpha.sum())
    open_below = (alpha < upper * (1.0 - 1e-9)) & (margin < 1.0 - slack)
    if open_below.any() or (alpha > upper * (1.0 + 1e-9)).any():
        raise ValueError(
            f"The X and y given to {name} must be what the machine was fitted to, without sample "
            "weights. They hold samples of margin below 1 whose dual variable is not at its bound "
            "C L(y), or beyond it: pass the training set, and use class_weight for costs."
        )


def cost_pair(costs, classes, name):
    """Costs of both classes, in their order, from a mapping that is checked."""
    if not isinstance(costs, Mapping):
        raise TypeError(
            f"The 'costs' of {name} must map each label to its cost, as in "
            f"{{{classes[0]!r}: 1.5, {classes[1]!r}: 0.5}}. Got {type(costs).__name__}."
        )
    missing = [label for label in classes.tolist() if label not in costs]
    unknown = [label for label in costs if label not in classes.tolist()]
    if missing or unknown:
        raise ValueError(
            f"The 'costs' of {name} must name both labels {classes.tolist()} and no others. "
            f"Got {dict(costs)!r}."
        )
    pair = tuple(costs[label] for label in classes.tolist())
    if not all(isinstance(cost, Real) and 0.0 < cost < np.inf for cost in pair):
        raise ValueError(
            f"The 'costs' of {name} must be positive finite numbers. Got {dict(costs)!r}."
        )
    return float(pair[0]), float(pair[1])
