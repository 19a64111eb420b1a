"""Five classes in order, with costs of a mistake that grow with its size.

The estimator with utilities and with its cost form, for Gaussian machines on rings around the
origin.
"""

from __future__ import annotations

import numpy as np

from companion.estimators import WeightedRobustSVC
from companion.papers.wrsvm.examples import FLIP, PAPER
from companion.reproduction import Study, Unit, seed_for

N_SAMPLES = {"paper": 10, "quick": 2}

#: Classes of the example, rings around the origin.
N_GRADES = 5
_GRADE_SIZES = {"train": 150, "tune": 150, "test": 4000}


def grades(n, rng, flip=0.0):
    """Points whose distance from the origin is their grade, 0 to 4, up to noise.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator
    flip : float, default=0.0
        Probability that the label is replaced by one of the others.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of int of shape (n,)
    """
    y = rng.integers(N_GRADES, size=n)
    radius, angle = y + 0.6 * rng.standard_normal(n), 2 * np.pi * rng.random(n)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    turned, shift = rng.random(n) < flip, rng.integers(1, N_GRADES, size=n)
    return X, np.where(turned, (y + shift) % N_GRADES, y)


def grade_cost():
    """The cost of a grade too high is one a grade, of a grade too low two: shape (5, 5).

    Returns
    -------
    ndarray of shape (5, 5)
    """
    off = np.arange(N_GRADES)[None, :] - np.arange(N_GRADES)[:, None]
    return np.where(off > 0, off, -2.0 * off)


#: Machines for five grades: arguments of the estimator.
GRADE_MACHINES = {
    "costs ignored": {"truncation": "auto"},
    "WSVM": {"cost": grade_cost(), "truncation": None},
    "WRSVM": {"cost": grade_cost(), "truncation": "auto"},
    "cost form": {"cost": grade_cost(), "form": "cost", "truncation": None},
}
_GRADE_C = tuple(2.0**k for k in range(-4, 3, 2))


def five_units(profile):
    """One unit a sample."""
    return [
        Unit(PAPER, "beyond_five", {"sample": number})
        for number in range(1, N_SAMPLES[profile] + 1)
    ]


def compute_five(unit):
    """Average cost of tuned Gaussian machines of five classes on a test sample: a row each."""
    rng = np.random.default_rng(seed_for(PAPER, "five", unit.params["sample"]))
    (X, y), tune, test = (grades(n, rng, FLIP) for n in _GRADE_SIZES.values())
    cost, rows = grade_cost(), []
    for name, settings in GRADE_MACHINES.items():
        machines = [WeightedRobustSVC(C, gamma=0.25, **settings).fit(X, y) for C in _GRADE_C]
        costs = [cost[tune[1], machine.predict(tune[0])].mean() for machine in machines]
        best = machines[int(np.argmin(costs))]
        rows.append(
            {
                "machine": name,
                "log2_C": float(np.log2(best.C)),
                "cost": round(float(cost[test[1], best.predict(test[0])].mean()), 8),
                "converged": all(machine.converged_ for machine in machines),
            }
        )
    return rows


BEYOND_FIVE = Study(PAPER, "beyond_five", five_units, compute_five)
