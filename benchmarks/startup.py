"""The cost of starting: import and first fit in a fresh process, with and without cached loops.

Whole processes are timed from outside. First each program once with an empty cache of compiled
code, which is what a new user waits for; then with the cache it left, in alternating runs of which
the median counts.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import numba
import sklearn

from benchmarks._common import machine_and_versions

DATA = """
import numpy as np
X = np.random.default_rng(0).normal(size=(200, 5))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
"""
ESTIMATORS = (
    "L1SVC",
    "L2SVC",
    "LSSVC",
    "LeastOneNormSVC",
    "UnbiasedSVC",
    "WeightedRobustSVC",
    "ConformalSVC",
)

#: Seconds allowed without cached loops, and beyond scikit-learn with them.
COLD = {"L1SVC": 8.0} | dict.fromkeys(set(ESTIMATORS) - {"L1SVC"}, 15.0)
WARM = 1.5


def programs():
    """What is timed, by name."""
    fits = {
        name: f"from companion import {name}\n{DATA}\n{name}().fit(X, y).predict(X)"
        for name in ESTIMATORS
    }
    return {
        "scikit-learn SVC": f"from sklearn.svm import SVC\n{DATA}\nSVC().fit(X, y).predict(X)",
        "import companion": "import companion",
        **fits,
        "KernelGridSearchCV": (
            f"from companion import KernelGridSearchCV, L1SVC\n{DATA}\n"
            "KernelGridSearchCV(L1SVC(), {'C': [1.0, 10.0]}).fit(X, y)"
        ),
    }


def seconds(program, cache):
    """Seconds of a fresh interpreter that runs a program with a folder for compiled loops."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
    )
    return time.perf_counter() - start


def main(repeats=5):
    """Print each program's seconds without and with cached loops, and what is allowed."""
    print(machine_and_versions(sklearn, numba))
    with tempfile.TemporaryDirectory() as folder:
        caches = {
            name: os.path.join(folder, str(k)) for k, name in enumerate(programs())
        }
        cold = {
            name: seconds(program, caches[name]) for name, program in programs().items()
        }
        warm = {name: [] for name in cold}
        for _ in range(repeats):
            for name, program in programs().items():
                warm[name].append(seconds(program, caches[name]))
    plain = statistics.median(warm["scikit-learn SVC"])
    print(
        f"{'program':>20} {'cold s':>8} {'allowed':>8} {'cached s':>9} {'over scikit-learn':>18}"
    )
    for name, values in warm.items():
        median = statistics.median(values)
        print(
            f"{name:>20} {cold[name]:8.2f} {COLD.get(name, ''):>8} {median:9.2f} "
            f"{median - plain:+18.2f}"
        )
    print(f"allowed over scikit-learn with cached loops: {WARM} s")


if __name__ == "__main__":
    main()
