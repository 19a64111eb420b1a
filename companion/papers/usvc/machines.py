"""What all studies of this paper share: its settings, and a fit of the linear threshold machine."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.datasets import get_threshold_case, threshold_case
from companion.losses import Unbiased
from companion.reproduction import Unit, seed_for
from companion.solvers.wls import Design, wls

PAPER = "usvc"

#: Modules that every number of this paper depends on, for the digest kept with its records.


#: Section 3: C, the damping d of w <- d w + (1 - d) w_new, and the numbers of patterns and trials.
C = 10.0
DAMPING = 0.2
N_PATTERNS = 500
TRIALS = {"paper": 100, "quick": 15}

#: "A very small constant": Table 1 does not depend on it below 1e-4.
K = 1e-6

#: Share of the narrow cluster in the class +1 under each reading of (28), and case B as printed.
#: Exchanging the printed weights gives 1/4; 0.265 is the share with the printed CE_min of 20 %.
READINGS = {
    "A, as printed": ("A", 0.75),
    "A, weights exchanged": ("A", 0.25),
    "A, cluster weight .265": ("A", 0.265),
    "B": ("B", None),
}

#: The readings that Table 1 is compared under.
TABLE_READINGS = {"A": "A, cluster weight .265", "B": "B"}

#: Where the unbiased machine starts in each case; see the starts compared in table_1.
STARTS = {"A": "least_squares", "B": "svc"}


def trial_units(study, readings=tuple(TABLE_READINGS.values()), number="trial", **settings):
    """The function that lists the units of a study: one a reading, further setting and trial.

    Parameters
    ----------
    study : str
    readings : sequence of str, optional
        Keys of ``READINGS``; those of Table 1 by default.
    number : str, default="trial"
        What the units call the number of the trial.
    **settings : sequence
        Further settings, all combined.

    Returns
    -------
    callable
        From a profile to a list of units.
    """
    names = ("reading", *settings, number)

    def units(profile):
        trials = range(1, TRIALS[profile] + 1)
        return [
            Unit(PAPER, study, dict(zip(names, values, strict=True)))
            for values in product(readings, *settings.values(), trials)
        ]

    return units


def sample(reading, part, trial, n=N_PATTERNS):
    """Patterns and labels of one trial.

    Parameters
    ----------
    reading : str
        A key of ``READINGS``.
    part : {"train", "test", "validation"}
    trial : int
    n : int, default=500

    Returns
    -------
    X : ndarray of shape (n, 1)
    y : ndarray of shape (n,)
        Labels -1.0 and +1.0.
    """
    case, weight = READINGS[reading]
    rng = np.random.default_rng(seed_for(PAPER, "sample", reading, part, trial))
    X, y = threshold_case(case, n, rng, cluster_weight=weight)
    return X, y.astype(float)


def fit(design, y, C, **options):
    """:func:`companion.solvers.wls.wls` for a run whose convergence is on record, not warned of.

    Parameters
    ----------
    design : Design
    y : ndarray of shape (n,)
    C : float
    **options : object
        As of that function.

    Returns
    -------
    WLSResult
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return wls(design, y, C, **options)


def fit_unbiased(design, y, s, start, *, plain=False, C=C, k=K):
    """The unbiased machine of order s: accelerated and stably damped, or the paper's iteration.

    Parameters
    ----------
    design : Design
    y : ndarray of shape (n,)
    s : float
        Order of the loss.
    start : str or result
    plain : bool, default=False
        Whether to iterate as the paper does.
    C : float, optional
    k : float, optional
        Constant of the loss.

    Returns
    -------
    WLSResult
    """
    options = {"damping": DAMPING, "accelerate": False} if plain else {}
    return fit(design, y, C, loss=Unbiased(s, k), start=start, max_iter=500, **options)


def rule_error(reading, decision, edges):
    """Probability of error of a rule on the line, in closed form.

    Parameters
    ----------
    reading : str
    decision : ndarray of shape (n_cells,)
        Decision values, of constant sign between two edges.
    edges : ndarray of shape (n_cells + 1,)
        Ascending; the first cell reaches to minus infinity and the last to infinity.

    Returns
    -------
    float
    """
    case, weight = READINGS[reading]
    parts = get_threshold_case(case, weight)
    edges = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])
    q = parts.cluster_weight
    positive = np.diff((1 - q) * parts.wide.cdf(edges) + q * parts.cluster.cdf(edges))
    negative = np.diff(parts.negative.cdf(edges))
    is_positive = np.asarray(decision) > 0
    return float(
        parts.prior * positive[~is_positive].sum() + (1 - parts.prior) * negative[is_positive].sum()
    )


def linear_error(reading, w, b):
    """Probability of error of sign(w x + b), in closed form.

    Parameters
    ----------
    reading : str
        A key of ``READINGS``.
    w, b : float

    Returns
    -------
    float
    """
    threshold = -b / w
    return rule_error(reading, np.array([-w, w]), np.array([-np.inf, threshold, np.inf]))


def line(X):
    """Design of the linear machine with a free bias.

    Parameters
    ----------
    X : ndarray of shape (n, 1)

    Returns
    -------
    Design
    """
    return Design.linear(X)
