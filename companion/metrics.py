"""Statistics that the papers' claims are judged by: means, errors, utilities, g-means."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import column_or_1d

__all__ = [
    "Mean",
    "average_utility",
    "g_mean",
    "g_mean_error",
    "g_mean_scorer",
    "mean_and_standard_error",
    "paired_difference",
]


class Mean(NamedTuple):
    """A mean over `n` repetitions and its `standard_error`, which is NaN for a single one.

    Parameters
    ----------
    mean, standard_error, n : float, float, int
    """

    mean: float
    standard_error: float
    n: int


def mean_and_standard_error(values, n_train=None, n_test=None):
    """Mean over repetitions and its standard error.

    Parameters
    ----------
    values : array-like of shape (n_repetitions,)
        One value per repetition, all finite.
    n_train, n_test : int, optional
        Sizes of the training and test sets of the repetitions, both or none. If the
        repetitions are random splits of one pool, their training sets overlap and the
        values are correlated; with the sizes, the variance of the mean is
        (1 / n + n_test / n_train) s^2 instead of s^2 / n, the corrected resampled
        variance of [1]_. Leave them out if the repetitions are independent draws, or if
        the question is about splits of this pool and not about the population.

    Returns
    -------
    Mean
        Named tuple (mean, standard_error, n).

    Raises
    ------
    ValueError
        If there are no values, if one is not finite, if only one size is given, or if one is not
        positive.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 2003, 239-281.

    Examples
    --------
    >>> from companion.metrics import mean_and_standard_error
    >>> mean_and_standard_error([1.0, 2.0, 3.0])
    Mean(mean=2.0, standard_error=0.5773502691896257, n=3)
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            "values must be a one-dimensional array with at least one repetition. "
            f"Got shape {values.shape}."
        )
    if not np.all(np.isfinite(values)):
        raise ValueError(
            f"values must be finite. Got {np.count_nonzero(~np.isfinite(values))} entries "
            "that are not. Drop those repetitions knowingly before taking the mean."
        )
    overlap = _overlap(n_train, n_test)
    n = values.size
    if n == 1:
        return Mean(float(values[0]), float("nan"), 1)
    variance = values.var(ddof=1) * (1.0 / n + overlap)
    return Mean(float(values.mean()), float(np.sqrt(variance)), n)


def paired_difference(a, b, n_train=None, n_test=None):
    """Mean of a - b over paired repetitions and its standard error.

    Parameters
    ----------
    a, b : array-like of shape (n_repetitions,)
        Values of two methods on the same repetitions, in the same order.
    n_train, n_test : int, optional
        As in :func:`mean_and_standard_error`, and so is what is raised.

    Returns
    -------
    Mean
        Named tuple (mean, standard_error, n); positive where `a` is larger.

    Examples
    --------
    >>> from companion.metrics import paired_difference
    >>> paired_difference([3.0, 5.0, 7.0], [1.0, 2.0, 3.0]).mean
    3.0
    """
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(
            "paired_difference needs two arrays of the same length, one value per "
            f"repetition. Got shapes {a.shape} and {b.shape}."
        )
    return mean_and_standard_error(a - b, n_train=n_train, n_test=n_test)


def average_utility(y_true, y_pred, utility, labels=None):
    """Mean utility of decisions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True labels and decisions.
    utility : array-like of shape (k, k)
        What a decision for the label of the column is worth when that of the row is true.
    labels : array-like of shape (k,), optional
        Labels of rows and columns in order; by default the sorted labels of `y_true`, which must
        then be k.

    Returns
    -------
    float
        (1 / n) sum_i U[y_i, decision_i].

    Raises
    ------
    ValueError
        If the lengths differ, the matrix does not match the labels or is not finite, or a label
        has no row.

    Examples
    --------
    >>> from companion.metrics import average_utility
    >>> average_utility([0, 1, 2, 0], [0, 1, 2, 1], [[1, 0.4, 0], [0, 1, 0], [0, 0, 1]])
    0.85
    """
    y_true, y_pred = _label_pairs("average_utility", y_true, y_pred)
    labels = np.unique(y_true) if labels is None else np.asarray(labels)
    utility = np.asarray(utility, dtype=np.float64)
    if utility.shape != (len(labels), len(labels)) or not np.isfinite(utility).all():
        raise ValueError(
            f"The 'utility' of average_utility must be finite and have a row and a column for each "
            f"of the {len(labels)} labels {labels.tolist()[:10]}. Got shape {utility.shape}; name "
            "the labels of all rows in 'labels'."
        )
    order = np.argsort(labels)
    places = []
    for name, y in (("y_true", y_true), ("y_pred", y_pred)):
        missing = np.setdiff1d(y, labels)
        if missing.size:
            raise ValueError(
                f"Every label must have a row in the 'utility' of average_utility. Got "
                f"{missing.tolist()[:5]} in {name}; the rows are {labels.tolist()[:10]}."
            )
        places.append(order[np.searchsorted(labels, y, sorter=order)])
    return float(utility[places[0], places[1]].mean())


def g_mean(y_true, y_pred):
    """Geometric mean of the accuracies within each class, Kubat's g for two classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels. The classes are those of `y_true`.

    Returns
    -------
    float
        Between 0, a class that is always missed, and 1. sqrt(a+ a-) for two classes, (3.1.2) of
        the conformal thesis.

    Raises
    ------
    ValueError
        If the lengths differ or there are no samples.

    Examples
    --------
    >>> from companion.metrics import g_mean
    >>> g_mean([0, 0, 0, 0, 1], [0, 1, 1, 1, 1])
    0.5
    """
    y_true, y_pred = _label_pairs("g_mean", y_true, y_pred)
    _, codes = np.unique(y_true, return_inverse=True)
    totals = np.bincount(codes)
    right = np.bincount(codes[y_true == y_pred], minlength=totals.size)
    return float(np.prod((right / totals) ** (1.0 / totals.size)))


def g_mean_error(y_true, y_pred):
    """1 - sqrt(a+ a-), with the accuracies a+ and a- of two classes; (6.1.1) of the thesis.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        As for :func:`g_mean`.

    Returns
    -------
    float
        Between 0 and 1; 1 where a class is always missed.

    Examples
    --------
    >>> from companion.metrics import g_mean_error
    >>> g_mean_error([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])
    1.0
    """
    return 1.0 - g_mean(y_true, y_pred)


def g_mean_scorer(estimator, X, y):
    """Score an estimator by :func:`g_mean`; pass it as `scoring` in cross-validation.

    Parameters
    ----------
    estimator, X, y
        A fitted classifier, and points with their labels.

    Returns
    -------
    float

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.model_selection import cross_val_score
    >>> from companion import L2SVC
    >>> from companion.metrics import g_mean_scorer
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> cross_val_score(L2SVC(C=10), X, y, cv=3, scoring=g_mean_scorer).round(2)
    array([1., 1., 1.])
    """
    return g_mean(column_or_1d(y, warn=True), estimator.predict(X))


def _label_pairs(name, y_true, y_pred):
    """Both as arrays, if there is one prediction for each of at least one true label."""
    y_true = np.asarray(y_true)
    y_pred = np.asarray(y_pred)
    if y_true.ndim != 1 or y_true.shape != y_pred.shape or y_true.size == 0:
        raise ValueError(
            f"{name} needs one true and one predicted label for each of at least one sample. "
            f"Got shapes {y_true.shape} and {y_pred.shape}."
        )
    return y_true, y_pred


def _overlap(n_train, n_test):
    """n_test / n_train, or 0 if neither is given."""
    if n_train is None and n_test is None:
        return 0.0
    if n_train is None or n_test is None or n_train <= 0 or n_test <= 0:
        raise ValueError(
            "n_train and n_test must be given together and must be positive. "
            f"Got n_train={n_train!r}, n_test={n_test!r}."
        )
    return n_test / n_train
