"""The cost of starting: import and first fit in a fresh process, over plain scikit-learn.

Whole processes are timed from outside with a warm cache of compiled code; runs alternate and the
median of each counts.
"""

import statistics
import subprocess
import sys
import time

import numba
import sklearn

from benchmarks._common import machine_and_versions

DATA = """
import numpy as np
X = np.random.default_rng(0).normal(size=(200, 5))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
"""
PROGRAMS = {
    "scikit-learn SVC": f"from sklearn.svm import SVC\n{DATA}\nSVC().fit(X, y).predict(X)",
    "import companion": "import companion",
    "L1SVC": f"from companion import L1SVC\n{DATA}\nL1SVC().fit(X, y).predict(X)",
    "L2SVC": f"from companion import L2SVC\n{DATA}\nL2SVC().fit(X, y).predict(X)",
    "LSSVC": f"from companion import LSSVC\n{DATA}\nLSSVC().fit(X, y).predict(X)",
    "LeastOneNormSVC": (
        f"from companion import LeastOneNormSVC\n{DATA}\nLeastOneNormSVC().fit(X, y).predict(X)"
    ),
    "KernelGridSearchCV": (
        f"from companion import KernelGridSearchCV, L1SVC\n{DATA}\n"
        "KernelGridSearchCV(L1SVC(), {'C': [1.0, 10.0]}).fit(X, y)"
    ),
}


def seconds(program):
    """Seconds of a fresh interpreter that runs a program."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - start


def main(repeats=5):
    """Print the median of each program and what it costs over plain scikit-learn."""
    print(machine_and_versions(sklearn, numba))
    for program in PROGRAMS.values():
        seconds(program)  # fills the cache of compiled code
    times = {name: [] for name in PROGRAMS}
    for _ in range(repeats):
        for name, program in PROGRAMS.items():
            times[name].append(seconds(program))
    median = {name: statistics.median(values) for name, values in times.items()}
    plain = median["scikit-learn SVC"]
    print(f"{'program':>20} {'seconds':>8} {'over scikit-learn':>18}")
    for name, value in median.items():
        print(f"{name:>20} {value:8.2f} {value - plain:+18.2f}")
    extra = max(median.values()) - plain
    print(f"largest extra cost: {extra:.2f} s (allowed 1.5 s)")


if __name__ == "__main__":
    main()
