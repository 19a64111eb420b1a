"""Fit every estimator on small data, and write its numbers or compare them with written ones.

`python tools/fits.py FILE` writes the numbers if there is no such file, else it prints by how much
they differ, and fails if that is more than rounding.
"""

import sys
from pathlib import Path

import numpy as np

import companion
from companion import L1SVC, GACVSearch, KernelGridSearchCV
from companion.tuning import gacv, xi_alpha

MACHINES = (
    "L1SVC",
    "L2SVC",
    "LSSVC",
    "LeastOneNormSVC",
    "UnbiasedSVC",
    "WeightedRobustSVC",
)
MACHINES += ("ConformalSVC",)
ROUNDING = 1e-6


def numbers():
    """Decision values of the machines, two criteria, and what the searches found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0.3).astype(int)
    found = {
        name: getattr(companion, name)().fit(X, y).decision_function(X)
        for name in MACHINES
    }
    machine = L1SVC(C=1.0, gamma=0.5).fit(X, y)
    found["criteria"] = np.array([gacv(machine, X, y), xi_alpha(machine, X, y)])
    for search in (KernelGridSearchCV, GACVSearch):
        best = search(L1SVC(gamma=0.5), {"C": [1, 10]}).fit(X, y)
        found[search.__name__] = np.array([best.best_params_["C"], best.best_score_])
    return found


def main(path):
    """Write, or compare."""
    found = numbers()
    if not path.exists():
        np.savez(path, **found)
        print("written, to compare the others with")
        return 0
    written = np.load(path)
    off = max(np.abs(found[name] - written[name]).max() for name in found)
    print("the same bits" if off == 0 else f"differences up to {off:.1e}")
    return int(not off <= ROUNDING)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
