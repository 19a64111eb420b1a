"""What is done to tables before a machine sees them."""

import numpy as np
from sklearn.utils import assert_all_finite

__all__ = ["distinct_patterns", "standardize"]


def standardize(X):
    """Shift and scale each column to mean 0 and standard deviation 1.

    The divisor in the standard deviation is ``n_samples - 1``, as in the IDA benchmark.
    `ValueError` if a column is constant, or a value missing.
    """
    X = np.asarray(X, dtype=float)
    assert_all_finite(X, input_name="X")
    constant = np.flatnonzero(X.max(axis=0) == X.min(axis=0)).tolist()
    if constant:
        raise ValueError(
            f"standardize: every column of X must vary. Got constant columns {constant}; drop them"
        )
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def distinct_patterns(X, y):
    """Merge samples that agree in inputs and label.

    A machine with bounds ``count * C`` on the distinct patterns has the same decision function as
    one with bounds ``C`` on all samples; on the Titanic set 2201 samples become 24 patterns.

    Parameters
    ----------
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)

    Returns
    -------
    X_unique : ndarray of shape (n_patterns, n_features)
        The patterns, in the order of their first appearance.
    y_unique, counts : ndarray of shape (n_patterns,)
        Their labels, and how many samples each one stands for.
    inverse : ndarray of shape (n_samples,)
        The pattern of each sample: ``X_unique[inverse]`` equals `X`.
    """
    X = np.asarray(X)
    y = np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(
            "distinct_patterns: X must be a table with one label in y for each row. "
            f"Got shapes {X.shape} and {y.shape}"
        )
    numbers = {}
    rows = zip(X.tolist(), y.tolist(), strict=True)
    inverse = np.array(
        [numbers.setdefault((*row, label), len(numbers)) for row, label in rows]
    )
    _, first, counts = np.unique(inverse, return_index=True, return_counts=True)
    return X[first], y[first], counts, inverse
