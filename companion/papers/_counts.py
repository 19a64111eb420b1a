"""Errors of a binary machine on a test part, as the records keep them."""

from __future__ import annotations

import numpy as np

__all__ = ["counts"]


def counts(decision, y):
    """Errors of either kind and the sizes of the classes.

    Parameters
    ----------
    decision : ndarray of shape (n,)
        Decision values; zero is a decision for the negative class.
    y : ndarray of shape (n,)
        Labels -1 and +1.

    Returns
    -------
    dict of str to int
        Columns of a record: ``missed`` (positives), ``false_alarms``, ``n_positive``,
        ``n_negative``.
    """
    return {
        "missed": int(np.count_nonzero((decision <= 0) & (y > 0))),
        "false_alarms": int(np.count_nonzero((decision > 0) & (y < 0))),
        "n_positive": int(np.count_nonzero(y > 0)),
        "n_negative": int(np.count_nonzero(y < 0)),
    }
