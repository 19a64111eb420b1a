"""Conformal methods: CPU seconds of a fit of each, and what is spent on shared matrices.

Checkers boards of four tiles, [-2, 2]^2, 1 % of the points positive, C = 10 and 2 sigma^2 = 50 as
in the thesis; a quarter set aside, at most ten transformations, 30 generations, one thread. Several
draws, as the number of transformations differs; "shared" is the matrices and the two machines that
all methods of a draw have in common.
"""

import sys
import time
import warnings

import numba
import numpy as np
import scipy
from sklearn.exceptions import ConvergenceWarning

from benchmarks import _common
from companion.datasets import checkers_board
from companion.kernels import gram, squared_distances
from companion.solvers.conformal import ConformalProblem, conformal_transformations

METHODS = (
    ("amari", "-"),
    ("wu_amari", "-"),
    ("act", "-"),
    ("kba", "-"),
    ("williams", "-"),
    ("mdt", "separability_gradient"),
    ("mdt", "separability_cma"),
    ("mdt", "validation_cma"),
    ("tsvt", "separability_gradient"),
    ("tsvt", "separability_cma"),
    ("tsvt", "validation_cma"),
    ("xiong", "separability_exact"),
    ("xiong", "separability_gradient"),
)
SEARCH = {"-": "separability_gradient"}  # any: these methods have nothing to search
SIZES = (200, 2020)
DRAWS = 3


def draw(n, seed):
    """Points and labels of a board, and a stratified quarter."""
    rng = np.random.default_rng(seed)
    positives = max(8, n // 101)
    X, y = checkers_board(positives, n - positives, rng=rng)
    parts = [rng.permutation(np.flatnonzero(y == label)) for label in (1, -1)]
    return X, y, np.concatenate([own[: own.size // 4] for own in parts])


def problem(X, y, validation):
    """The shared problem, its machines trained."""
    D = squared_distances(X)
    part = ConformalProblem(
        gram(X, gamma=0.02, squared_distances=D),
        y,
        validation,
        C=10.0,
        distances=D,
        sigma=5.0,
        n_features=2,
    )
    return part, part.first, part.whole


def main(draws=DRAWS, sizes=SIZES):
    """Print one line a method."""
    print(_common.machine_and_versions(np, numba, scipy))
    with _common.one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for method, search in METHODS:  # compile
            conformal_transformations(
                problem(*draw(600, 0))[0],
                method,
                search=SEARCH.get(search, search),
                generations=1,
                max_transforms=2,
            )
        for n in sizes:
            seconds = {("shared", "-"): []} | {method: [] for method in METHODS}
            kept = {method: [] for method in seconds}
            for seed in range(draws):
                points = draw(n, seed)
                start = time.process_time()
                part = problem(*points)[0]
                seconds["shared", "-"].append(time.process_time() - start)
                for name, search in METHODS:
                    start = time.process_time()
                    result = conformal_transformations(
                        part, name, search=SEARCH.get(search, search)
                    )
                    seconds[name, search].append(time.process_time() - start)
                    kept[name, search].append(result.n_transforms)
            print(
                f"\n{n} points, {draws} draws{'':>17} mean s   max s  transformations kept"
            )
            for (name, search), taken in seconds.items():
                print(
                    f"{name:>10} {search:<24} {np.mean(taken):>9.3f} {np.max(taken):>7.3f}  "
                    f"{' '.join(map(str, kept[name, search]))}"
                )


if __name__ == "__main__":
    sys.exit(main())
