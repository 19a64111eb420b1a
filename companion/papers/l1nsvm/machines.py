"""The four machines of Table 1 as boxes of one dual, and the settings of Table 2.

Every machine solves ``min 1/2 a'Qa - e'a`` with ``y'a = 0`` and ``l <= a <= u``; the paper's
two questions (equalities or inequalities, slacks or squared slacks) choose the bounds and
whether ``Q`` carries ``1/C`` on its diagonal: equations (2) and (5).
"""

import math

import numpy as np

from companion.kernels import gamma_from_width
from companion.solvers.ls import ls
from companion.solvers.smo import smo

PAPER = "l1nsvm"

#: The paper's names, in the order of the columns shown; Table 2 prints the first two.
MACHINES = ("LS", "Least 1-Norm", "L1", "L2")
PRINTED_MACHINES = MACHINES[:2]

#: Stopping threshold of Section 4, epsilon = 10^-3.
EPSILON = 1e-3

#: (log10 C, log10 sigma) for each data set and machine, which the paper does not print: where mean
#: and spread of the iterations match the printed ones, on a grid with steps 0.1 and 0.2 (the study
#: ``table_2_iterations``). Many cells do, with errors over a wide range; of them one with a low
#: error was taken, so that the errors are no independent check. L1 takes the settings of Least
#: 1-Norm and L2 those of LS, since the losses agree.
SETTINGS = {
    "titanic": {"LS": (0.0, 0.0), "Least 1-Norm": (0.0, 0.0)},
    "heart": {"LS": (1.2, 3.6), "Least 1-Norm": (0.1, 2.6)},
    "breast-cancer": {"LS": (0.1, 1.4), "Least 1-Norm": (0.4, 1.6)},
    "german": {"LS": (0.9, 2.0), "Least 1-Norm": (1.2, 2.0)},
}
for _settings in SETTINGS.values():
    _settings |= {"L1": _settings["Least 1-Norm"], "L2": _settings["LS"]}

#: The same of the least cross-validated error over all rows, as the paper chooses (the study
#: ``table_2_search``).
CHOSEN = {
    "titanic": {"LS": (0.0, 0.0), "Least 1-Norm": (2.0, 1.0), "L1": (2.0, 1.0)},
    "heart": {"LS": (0.25, 3.0), "Least 1-Norm": (1.0, 3.5), "L1": (0.0, 2.5)},
    "breast-cancer": {"LS": (0.0, 1.5), "Least 1-Norm": (0.0, 1.0), "L1": (1.5, 2.0)},
    "german": {"LS": (0.0, 1.5), "Least 1-Norm": (1.25, 2.0), "L1": (0.25, 1.5)},
}

#: Data sets of Table 2 and the names printed there.
PRINTED_NAMES = {
    "titanic": "Titanic",
    "heart": "Heart",
    "breast-cancer": "Cancer",
    "german": "German",
}


def width_to_gamma(log10_sigma):
    """``gamma`` of the kernel ``exp(-||x - z||^2 / sigma)``, our reading of Section 4."""
    return gamma_from_width(10.0**log10_sigma, "sigma")


def box(machine, C, sample_weight=None):
    """Lower and upper bounds and the ridge that make the dual that of ``machine``.

    Weights multiply ``C`` sample by sample; ``m`` identical points are one point of weight ``m``.
    """
    cost = C if sample_weight is None else C * np.asarray(sample_weight, dtype=float)
    if machine in ("L1", "Least 1-Norm"):
        return 0.0 if machine == "L1" else -cost, cost, 0.0
    return 0.0 if machine == "L2" else -math.inf, math.inf, 1.0 / cost


def solve(machine, K, y, C, *, sample_weight=None, **options):
    """Train one machine by SMO on a finite K; the options are those of the solver."""
    lower, upper, ridge = box(machine, C, sample_weight)
    return smo(K, y, lower, upper, ridge=ridge, check_finite=False, **options)


def solve_as_printed(machine, K, y, C, *, tol=2 * EPSILON, selection="first_order"):
    """Train one machine by the paper's own SMO: from zero, pair by pair, nothing accelerated."""
    return solve(machine, K, y, C, tol=tol, selection=selection, accelerate=False)


def decision(result, K, y):
    """Decision values from kernel values of points (rows) and training samples (columns)."""
    return K @ (y * result.alpha) + result.intercept


def solve_along_C(machine, K, y, C_values, *, sample_weight=None, tol=EPSILON):
    """Train one machine for growing C, each from the solution before; yields the results."""
    # Multipliers at a bound grow with the bound, so the start is the last solution scaled by the
    # ratio of the two C. The LS machine needs no start: its solution is one factorisation.
    start = None
    last = 1.0
    for C in C_values:
        if machine == "LS":
            yield ls(K, y, C, sample_weight=sample_weight)
            continue
        if start is not None and machine != "L2":
            start = start * (C / last)
        options = {"sample_weight": sample_weight, "tol": tol, "alpha0": start}
        result = solve(machine, K, y, C, **options)
        yield result
        start = result.alpha
        last = C
