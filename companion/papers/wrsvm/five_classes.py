"""Five classes in order, rings around the origin, with costs that grow with the mistake."""

import numpy as np

from companion.estimators import WeightedRobustSVC
from companion.metrics import paired_difference
from companion.papers.wrsvm.examples import FLIP, rng_of, study

N_SAMPLES = {"paper": 6, "quick": 2}

N_GRADES = 5
_GRADE_SIZES = {"train": 150, "tune": 150, "test": 4000}


def grades(n, rng, flip=0.0):
    """Points whose distance from the origin is their grade, 0 to 4, up to noise.

    With probability `flip` the label is replaced by one of the others.
    """
    y = rng.integers(N_GRADES, size=n)
    radius = y + 0.6 * rng.standard_normal(n)
    angle = 2 * np.pi * rng.random(n)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    turned = rng.random(n) < flip
    shift = rng.integers(1, N_GRADES, size=n)
    return X, np.where(turned, (y + shift) % N_GRADES, y)


def grade_cost():
    """The cost of a grade too high is one a grade, of a grade too low two: shape (5, 5)."""
    off = np.arange(N_GRADES)[None, :] - np.arange(N_GRADES)[:, None]
    return np.where(off > 0, off, -2.0 * off)


#: Machines for five grades: arguments of the estimator.
GRADE_MACHINES = {
    "costs ignored": {"truncation": "auto"},
    "WSVM": {"cost": grade_cost(), "truncation": None},
    "WRSVM": {"cost": grade_cost(), "truncation": "auto"},
    "cost form": {"cost": grade_cost(), "form": "cost", "truncation": None},
    "WRSVM, unweighted start": {"cost": grade_cost(), "init": "unweighted"},
}
#: The start of the DC algorithm as printed, and as read in ``data/readings.yaml``.
STARTS = (("", ""), ("unweighted-start", ", unweighted start"))
_GAMMA = 0.25
_GRADE_C = tuple(2.0**k for k in range(-4, 3, 2))


def compute_five(unit):
    """Average cost of tuned Gaussian machines of five classes on a test sample: a row each."""
    rng = rng_of("five", unit.params["sample"])
    (X, y), tune, test = (grades(n, rng, FLIP) for n in _GRADE_SIZES.values())
    rows = []
    for name, settings in GRADE_MACHINES.items():
        machines = [
            WeightedRobustSVC(C, gamma=_GAMMA, **settings).fit(X, y) for C in _GRADE_C
        ]
        decisions = [
            [m.decision_function(Z) for Z in (tune[0], test[0])] for m in machines
        ]
        row = {"machine": name, **_tuned(decisions, tune[1], test[1])}
        rows.append(row | {"converged": all(m.converged_ for m in machines)})
    return rows


def _tuned(decisions, y_tune, y_test):
    """The C of least tuning cost; the test cost and the largest |f| of its machine."""
    cost = grade_cost()
    best = int(np.argmin([cost[y_tune, f.argmax(axis=1)].mean() for f, _ in decisions]))
    f = decisions[best][1]
    return {
        "log2_C": float(np.log2(_GRADE_C[best])),
        "cost": round(float(cost[y_test, f.argmax(axis=1)].mean()), 8),
        "largest_f": round(float(np.abs(f).max()), 2),
    }


def add_values(out, frame):
    """What a mistake of one machine costs less than that of another."""
    cost = {
        name: rows.sort_values("sample").cost for name, rows in frame.groupby("machine")
    }
    converged = frame.converged.all()
    for reading, start in STARTS:
        robust = cost[f"WRSVM{start}"]
        differences = {
            "WRSVM - costs ignored": paired_difference(robust, cost["costs ignored"]),
            "WRSVM - WSVM": paired_difference(robust, cost["WSVM"]),
            "cost form - WRSVM": paired_difference(cost["cost form"], robust),
        }
        for column, rows in differences.items():
            out.add_mean("five classes", f"cost: {column}", rows, converged, reading)


BEYOND_FIVE = study("beyond_five", compute_five, N_SAMPLES)
