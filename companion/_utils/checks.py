"""What the solvers ask of their arguments: the rule, what was got, and who asked."""

from numbers import Real

import numpy as np


def check_square(K, n, name):
    """Refuse a Gram matrix that has not a row and a column for each of n labels."""
    if K.shape != (n, n):
        raise ValueError(
            f"The 'K' of {name} must be a square matrix with one row a label, here ({n}, {n}). "
            f"Got shape {K.shape} instead."
        )


def checked_signs(y, name, both=False):
    """Labels as a vector of -1.0 and +1.0; with ``both`` at least one of each."""
    y = np.ascontiguousarray(y, dtype=np.float64)
    if y.ndim != 1 or not y.size or not (np.abs(y) == 1.0).all():
        raise ValueError(
            f"The 'y' of {name} must be a vector of labels -1 and +1. Got shape {y.shape} and the "
            f"values {np.unique(y)[:5]}."
        )
    if both and abs(y.sum()) == y.size:
        raise ValueError(
            f"The 'y' of {name} must hold both labels, -1 and +1. Got {y[0]:g} only."
        )
    return y


def checked_weights(weight, n, name, zero=False):
    """Weights of n samples, ones for None: positive and finite, or ``zero`` as well."""
    if weight is None:
        return np.ones(n)
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    valid = np.isfinite(weight) & ((weight >= 0.0) if zero else (weight > 0.0))
    if weight.shape != (n,) or not valid.all():
        rule = "finite numbers of at least 0" if zero else "positive finite numbers"
        advice = "" if zero else "; leave out samples of weight zero"
        raise ValueError(f"The 'sample_weight' of {name} must be {n} {rule}{advice}.")
    return weight


def checked_positive(value, what, name):
    """A number that is positive and finite."""
    if not (isinstance(value, Real) and 0.0 < value < np.inf):
        raise ValueError(
            f"The '{what}' of {name} must be a positive finite number. Got {value!r} instead."
        )
    return float(value)


def check_options(selection, tol, max_iter, name, most=np.inf):
    """Refuse options of an iteration over pairs that are none."""
    wrong = None
    if selection not in {"first_order", "second_order"}:
        wrong = "selection", "'first_order' or 'second_order'", selection
    elif not 0.0 < tol < most:
        rule = (
            "a positive finite number" if most == np.inf else f"between 0 and {most:g}"
        )
        wrong = "tol", rule, tol
    elif max_iter is not None and max_iter < 0:
        wrong = "max_iter", "None or at least 0", max_iter
    if wrong:
        what, rule, got = wrong
        raise ValueError(f"The '{what}' of {name} must be {rule}. Got {got!r} instead.")
