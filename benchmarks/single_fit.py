"""A single fit: L1SVC against SVC (libsvm, large cache), C = 1, 10, 100.

27 cells on generated and real sets with the RBF kernel, for which a speed is wanted; and beside
them real sets that nothing was tuned to, and linear and polynomial kernels in few dimensions. Both
start from points, so our Gram matrix is part of the time; tolerance 1e-3, one thread, runs
alternate, the least CPU time of each counts, compilation excluded. Objectives and KKT violations
of both are computed outside the solvers, in double precision.
"""

import sys

import numba
import numpy as np
import sklearn
from sklearn.svm import SVC

from benchmarks import _common
from companion import L1SVC
from companion.datasets import load_uci

COSTS = (1.0, 10.0, 100.0)
OTHER_SETS = ("diabetis", "thyroid", "image")
OTHER_TABLES = ("breast-cancer-wisconsin", "dermatology", "bupa")
KERNELS = ("linear", "poly")


def problems():
    """Yield (name, X, y, kernel) of the cells for which a speed is wanted."""
    for name, X, y in (*_common.synthetic(), *_common.uci()):
        yield name, X, y, "rbf"


def others():
    """Yield (name, X, y, kernel) of the cells beside them."""
    for name, X, y in _common.uci(OTHER_SETS):
        yield name, X, y, "rbf"
    for name in OTHER_TABLES:
        table = load_uci(name)
        yield f"{name} {len(table.y)}", _standard(table.X), np.array(table.y), "rbf"
    for kernel in KERNELS:
        for name, X, y in (*_common.synthetic((200, 1000)), *_common.uci()):
            yield f"{name} {kernel}", _standard(X), y, kernel


def _standard(X):
    """Columns of mean 0 and variance 1."""
    return np.ascontiguousarray((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12))


def compare(X, y, C, kernel, repeats):
    """Times, objectives and violations of both machines."""
    settings = dict(kernel=kernel, gamma=_common.scale_gamma(X), degree=2, coef0=1.0)
    ours = L1SVC(C=C, **settings)
    theirs = SVC(C=C, cache_size=2000, **settings)
    repeats = repeats if len(y) <= 2000 else max(2, repeats // 3)
    times = _common.interleaved(
        [lambda: ours.fit(X, y), lambda: theirs.fit(X, y)],
        repeats,
        in_a_row=3 if len(y) <= 2000 else 1,
    )
    signs = np.where(y == ours.classes_[1], 1.0, -1.0)
    certificates = [
        _common.true_certificate(
            X, signs, _common.dual_vector(machine, len(y)), C, **settings
        )
        for machine in (ours, theirs)
    ]
    return times, certificates


def run(cells, repeats):
    """Print one line a problem and C; return the ratios."""
    print(
        f"{'data':>27} {'C':>5} {'ours ms':>9} {'SVC ms':>9} {'ratio':>6} "
        f"{'objective ours':>16} {'SVC':>16} {'violation':>10} {'SVC':>9}"
    )
    ratios = []
    for name, X, y, kernel in cells:
        for C in COSTS:
            (ours, theirs), ((f, v), (g, w)) = compare(X, y, C, kernel, repeats)
            ratios.append(theirs / ours)
            print(
                f"{name:>27} {C:5g} {1e3 * ours:9.2f} {1e3 * theirs:9.2f} {ratios[-1]:6.1f} "
                f"{f:16.6f} {g:16.6f} {v:10.2g} {w:9.2g}",
                flush=True,
            )
    return ratios


def main(repeats=6):
    """Print one line a problem and C."""
    print(_common.machine_and_versions(np, numba, sklearn))
    with _common.one_thread():
        _common.warm_up()
        print(_common.summary(run(problems(), repeats), wanted=3.5, least=2, goal=8))
        ratios = run(others(), repeats)
    print(f"beside them, median {np.median(ratios):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    sys.exit(main())
