"""A process that compiles the solvers and one that finds them compiled get the same numbers."""

import os

import pytest
from _run import python

pytestmark = pytest.mark.slow

#: Few samples, nearest points, and the candidates of a search: a digest each.
PROGRAM = """
import hashlib
import numpy as np
from companion import L1SVC
from companion.kernels import gram, squared_distances
from companion.solvers import mdm
from companion.solvers.conformal import ConformalProblem, conformal_transformations

random = np.random.default_rng(0)
X, noise = random.normal(size=(100, 2)), 0.5 * random.normal(size=100)
y = np.where(X[:, 0] > noise, 1.0, -1.0)
D = squared_distances(X)
K = np.exp(-D)
part = ConformalProblem(K, y, np.arange(0, 100, 4),
                        C=10.0, distances=D, sigma=0.5 ** 0.5, n_features=2)
results = [conformal_transformations(part, name, search="validation_cma", generations=3)
           for name in ("mdt", "tsvt", "xiong")]
for fits in (
    [L1SVC(C=C, gamma=gamma).fit(X, y).decision_function(X)
     for C in (0.01, 1, 100, 1e4) for gamma in (0.1, 1, 10)],
    [mdm(gram(X, gamma=gamma), y, ridge=ridge, selection=selection, accelerate=accelerate,
         tol=1e-9).decision_function
     for gamma in (0.1, 1.0) for ridge in (0.1, 1e-3)
     for selection in ("first_order", "second_order") for accelerate in (False, True)],
    [result.decision_function(K, D) for result in results],
):
    print(hashlib.sha256(np.concatenate([fit.ravel() for fit in fits]).tobytes()).hexdigest())
"""


def test_a_fresh_compilation_and_the_cached_one_give_the_same_bits(tmp_path):
    options = {"env": os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}, "check": True}
    fresh, cached = (
        python("-W", "ignore", "-c", PROGRAM, **options).stdout for _ in range(2)
    )
    assert list(tmp_path.rglob("*.nbc"))
    assert fresh.count("\n") == 3
    assert fresh == cached
