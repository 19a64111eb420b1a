"""A single fit: L1SVC against SVC (libsvm, large cache), RBF kernel, C = 1, 10, 100.

Both start from points, so our Gram matrix is part of the time; tolerance 1e-3, one thread, runs
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

COSTS = (1.0, 10.0, 100.0)


def problems():
    """Yield (name, X, y)."""
    yield from _common.synthetic()
    yield from _common.uci()


def compare(X, y, C, gamma, repeats):
    """Times, objectives and violations of both machines."""
    ours = L1SVC(C=C, gamma=gamma)
    theirs = SVC(C=C, gamma=gamma, cache_size=2000)
    repeats = repeats if len(y) <= 2000 else max(2, repeats // 3)
    times = _common.interleaved(
        [lambda: ours.fit(X, y), lambda: theirs.fit(X, y)],
        repeats,
        in_a_row=3 if len(y) <= 2000 else 1,
    )
    signs = np.where(y == ours.classes_[1], 1.0, -1.0)
    certificates = [
        _common.true_certificate(X, signs, _common.dual_vector(machine, len(y)), C, gamma)
        for machine in (ours, theirs)
    ]
    return times, certificates


def main(repeats=6):
    """Print one line a problem and C."""
    print(_common.machine_and_versions(np, numba, sklearn))
    print(
        f"{'data':>20} {'C':>5} {'ours ms':>9} {'SVC ms':>9} {'ratio':>6} "
        f"{'objective ours':>16} {'SVC':>16} {'violation':>10} {'SVC':>9}"
    )
    ratios = []
    with _common.one_thread():
        _common.warm_up()
        for name, X, y in problems():
            gamma = _common.scale_gamma(X)
            for C in COSTS:
                (ours, theirs), ((f, v), (g, w)) = compare(X, y, C, gamma, repeats)
                ratios.append(theirs / ours)
                print(
                    f"{name:>20} {C:5g} {1e3 * ours:9.2f} {1e3 * theirs:9.2f} {ratios[-1]:6.1f} "
                    f"{f:16.6f} {g:16.6f} {v:10.2g} {w:9.2g}",
                    flush=True,
                )
    print(_common.summary(ratios, wanted=5, least=3, goal=8))


if __name__ == "__main__":
    sys.exit(main())
