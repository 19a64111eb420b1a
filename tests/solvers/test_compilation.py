"""A process that compiles the solvers and one that finds them compiled get the same numbers."""

import os
import subprocess
import sys

import pytest

PROGRAMS = {
    "few samples": """
from companion import L1SVC
fits = [L1SVC(C=C, gamma=gamma).fit(X, X[:, 0] > noise).decision_function(X)
        for C in (0.01, 1, 100, 1e4) for gamma in (0.1, 1, 10)]
""",
    "three classes": """
from companion import WeightedRobustSVC
y = np.digitize(X[:, 0] + noise, [-0.5, 0.5])
fits = [WeightedRobustSVC(truncation=s, kernel=kernel).fit(X, y).decision_function(X)
        for kernel in ("linear", "rbf") for s in (None, 0.0, -0.5)]
""",
    "nearest points": """
from companion.kernels import gram
from companion.solvers import mdm
y = np.where(X[:, 0] > noise, 1.0, -1.0)
fits = [mdm(gram(X, gamma=gamma), y, ridge=ridge, selection=selection, accelerate=accelerate,
            tol=1e-9).decision_function
        for gamma in (0.1, 1.0) for ridge in (0.1, 1e-3)
        for selection in ("first_order", "second_order") for accelerate in (False, True)]
""",
    "candidates of a search": """
from companion.kernels import squared_distances
from companion.solvers.conformal import ConformalProblem, conformal_transformations
D = squared_distances(X)
part = ConformalProblem(np.exp(-D), np.where(X[:, 0] > noise, 1.0, -1.0), np.arange(0, 100, 4),
                        C=10.0, distances=D, sigma=0.5 ** 0.5, n_features=2)
results = [conformal_transformations(part, name, search="validation_cma", generations=3)
           for name in ("mdt", "tsvt", "xiong")]
fits = [result.decision_function(part.whole_K, D) for result in results]
""",
}

FRAME = """
import hashlib
import numpy as np
random = np.random.default_rng(0)
X, noise = random.normal(size=(100, 2)), 0.5 * random.normal(size=100)
{program}
print(hashlib.sha256(np.concatenate([fit.ravel() for fit in fits]).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fresh_compilation_and_the_cached_one_give_the_same_bits(name, tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", FRAME.format(program=PROGRAMS[name])]
    options = {"env": environment, "capture_output": True, "text": True, "check": True}
    fresh, cached = (subprocess.run(command, **options).stdout for _ in range(2))
    assert list(tmp_path.rglob("*.nbc")) and fresh == cached
