"""Warnings that point at the line of the caller."""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

# Whose lines a caller has not written.
_INSIDE = {
    "companion",
    "sklearn",
    "joblib",
    "numpy",
    "contextlib",
    "functools",
    "threadpoolctl",
}


def warn_not_converged(message):
    """A `ConvergenceWarning` at the line of the caller."""
    warn_caller(message, ConvergenceWarning)


def warn_caller(message, category):
    """A warning at the last line outside this package and what it goes through."""
    frame = sys._getframe(1)
    level = 2
    while frame.f_back is not None and _package(frame) in _INSIDE:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]
