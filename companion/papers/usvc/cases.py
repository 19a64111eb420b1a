"""What the studies of cases A and B share: settings, samples, fits, and errors in closed form."""

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.datasets import get_threshold_case, threshold_case, threshold_case_error
from companion.reproduction import seed_for, study_over
from companion.solvers.wls import wls

PAPER = "usvc"

#: Section 3: C, the damping d of w <- d w + (1 - d) w_new, and the numbers of patterns and trials.
C = 10.0
DAMPING = 0.2
N_PATTERNS = 500
TRIALS = {"paper": 100, "quick": 5}

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

#: The distribution that tables and figures of a case are read under; case A as printed as well.
TABLE_READINGS = {"A": "A, cluster weight .265", "B": "B"}
BOTH_READINGS = ("A, as printed", *TABLE_READINGS.values())

#: Where the unbiased machine starts as printed, in both cases, and as read; see table_1.
PRINTED_START = "least_squares"
STARTS = {"A": "least_squares", "B": "svc"}

#: Case, distribution and start as printed, and as the reading of this id in
#: ``data/readings.yaml`` has them.
PRINTED_AND_READ = (
    ("A", "A, as printed", "least_squares", ""),
    ("A", "A, cluster weight .265", "least_squares", "a-weight-265"),
    ("B", "B", "least_squares", ""),
    ("B", "B", "svc", "b-start-svc"),
)

#: The trials of the tables, by distribution.
EACH_TRIAL = {"reading": TABLE_READINGS.values(), "trial": TRIALS}

#: Thresholds outside belong to machines of nearly no slope, which say the same of all patterns.
PLAUSIBLE = (-0.5, 1.5)

#: What the single-minimum claims are about: below it a minimum counts as the narrow one.
NARROW = 0.35


study_of = partial(study_over, PAPER)


def by_case(frame):
    """Records with a column for their case; it is missing for readings other than Table 1's."""
    cases = {reading: case for case, reading in TABLE_READINGS.items()}
    return frame.assign(
        case=[cases.get(reading) for reading in frame.get("reading", ())]
    )


def sample(reading, part, trial, n=N_PATTERNS):
    """Patterns and labels -1.0 and +1.0 of the part "train", "test" or "validation" of a trial."""
    case, weight = READINGS[reading]
    rng = np.random.default_rng(seed_for(PAPER, "sample", reading, part, trial))
    X, y = threshold_case(case, n, rng, cluster_weight=weight)
    return X, y.astype(float)


def fit(design, y, C=C, **options):
    """:func:`companion.solvers.wls.wls` for a run whose convergence is on record, not warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return wls(design, y, C, **options)


def theoretical_error(reading, thresholds):
    """Error in per cent of the rule "+1 above the threshold", in closed form."""
    case, weight = READINGS[reading]
    return 100.0 * threshold_case_error(case, thresholds, weight)


def rule_error(reading, decision, edges):
    """Probability of error of a rule on the line, in closed form.

    The decision values are of constant sign between two edges, which ascend; the first cell
    reaches to minus infinity and the last to infinity.
    """
    case, weight = READINGS[reading]
    parts = get_threshold_case(case, weight)
    edges = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])
    q = parts.cluster_weight
    positive = np.diff((1 - q) * parts.wide.cdf(edges) + q * parts.cluster.cdf(edges))
    negative = np.diff(parts.negative.cdf(edges))
    is_positive = np.asarray(decision) > 0
    return float(
        parts.prior * positive[~is_positive].sum()
        + (1 - parts.prior) * negative[is_positive].sum()
    )


def linear_error(reading, w, b):
    """Probability of error of sign(w x + b), in closed form."""
    error = float(theoretical_error(reading, -b / w)) / 100
    return error if w > 0 else 1.0 - error
