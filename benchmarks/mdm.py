"""Nearest points of two hulls: MDM against SVC (libsvm) on K + I / C, at equal duality gap.

A checkers board of side four with 20 positives, and noisy Gaussians in ten dimensions, 30 % of them
positive; columns standardised, kernel exp(-|x - x'|^2 / w). SVC gets the matrix (kernel
"precomputed", C = 1e10, tolerance 1e-3) and sets the accuracy: MDM has to reach the duality gap of
the multipliers of SVC, relative to the objective and in the units of the hulls. Gaps of both are
computed here. The SMO of this package solves the same dual, to its own tolerance of 1e-3. One
thread, least CPU time of alternating runs; the ratio is that of SVC and accelerated MDM.

Iterations are those of the first-order, second-order and accelerated algorithm, each with a budget
of 300000. The last part starts MDM at the solution for a kernel that a conformal factor has
changed.
"""

import sys
import warnings

import numba
import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from benchmarks import _common
from companion.datasets import checkers_board
from companion.kernels import gram
from companion.solvers import mdm, smo

BUDGET = 300_000
SIZES = (200, 1000, 2020)
SETTINGS = ((50.0, 10.0), (50.0, 1000.0), (2.0, 10.0), (2.0, 1000.0))


def checkers(n, n_positive=20):
    """The board of the thesis, with n points in all."""
    return checkers_board(n_positive, n - n_positive, rng=n)


def gaussians(n):
    """Two Gaussians in ten dimensions that overlap."""
    rng = np.random.default_rng(n)
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    X = rng.normal(size=(n, 10))
    X[:, 0] += 0.7 * y
    return X, y


def relative_gap(K, y, ridge, alpha):
    """1 - m^2 / |w|^4 for multipliers scaled to the sum 1 in each class; m as in MDMResult."""
    alpha = np.where(y > 0, alpha / alpha[y > 0].sum(), alpha / alpha[y < 0].sum())
    products = K @ (y * alpha) + ridge * y * alpha
    heights = y * products
    margin = max(heights[y > 0].min() + heights[y < 0].min(), 0.0)
    return 1.0 - (margin / (alpha @ heights)) ** 2


def compare(name, X, y, width, C, repeats):
    """Print one line; return the ratio."""
    n = len(y)
    ridge = 1.0 / C
    K = gram(X, gamma=1.0 / width)
    ridged = K + ridge * np.eye(n)
    svc = SVC(kernel="precomputed", C=1e10, cache_size=2000).fit(ridged, y)
    alpha = np.zeros(n)
    alpha[svc.support_] = np.abs(svc.dual_coef_[0])
    tol = relative_gap(K, y, ridge, alpha)
    settings = {"ridge": ridge, "tol": tol, "max_iter": BUDGET}

    def by_smo():
        return smo(K, y, 0.0, np.inf, ridge=ridge)

    def ours(accelerate=True, selection="second_order"):
        return mdm(K, y, accelerate=accelerate, selection=selection, **settings)

    times = _common.interleaved(
        [ours, lambda: svc.fit(ridged, y), by_smo, lambda: ours(False)],
        repeats,
        in_a_row=2,
    )
    result = ours()
    gap, gap_smo = (relative_gap(K, y, ridge, fit.alpha) for fit in (result, by_smo()))
    counts = [ours(False, "first_order"), ours(False), result]
    iterations = " ".join(
        f"{fit.n_iter:>7}" if fit.converged else f"{'>' + str(BUDGET):>7}"
        for fit in counts
    )
    ratio = times[1] / times[0]
    ms = [1e3 * value for value in times]
    print(
        f"{name:>14} {width:5g} {C:5g} {np.count_nonzero(result.alpha):5} | {ms[0]:8.2f} "
        f"[{gap:.0e}] {ms[1]:8.2f} [{tol:.0e}] {ratio:5.1f} | {ms[3]:8.2f} | {ms[2]:8.2f} "
        f"[{gap_smo:.0e}] | {iterations} {int(svc.n_iter_[0]):>7}",
        flush=True,
    )
    return ratio


def warm_starts():
    """Cold and warm starts after a conformal change of the kernel by up to 10 %."""
    X, y = checkers(2020)
    X = scale(X)
    K = gram(X, gamma=1.0 / 50.0)
    first = mdm(K, y, ridge=0.1, accelerate=True)
    factor = 1.0 + 0.1 * np.exp(-(first.to_svm().decision_function ** 2))
    changed = factor[:, None] * K * factor

    def start(alpha0):
        return lambda: mdm(changed, y, ridge=0.1, accelerate=True, alpha0=alpha0)

    starts = [start(None), start(first.alpha)]
    cold, warm = _common.interleaved(starts, 5)
    print(
        f"\ncheckers 2020 after a conformal change: cold {1e3 * cold:.1f} ms, "
        f"{starts[0]().n_iter} iterations; warm {1e3 * warm:.1f} ms, "
        f"{starts[1]().n_iter} iterations"
    )


def main(repeats=3):
    """Print one line a problem."""
    print(_common.machine_and_versions(np, numba, sklearn))
    print(
        f"{'':>14} {'w':>5} {'C':>5} {'SVs':>5} | {'MDM ms [gap]':>16} {'SVC ms [gap]':>16} "
        f"ratio | {'plain ms':>8} | {'SMO ms [gap]':>16} | {'first':>7} {'second':>7} "
        f"{'accel.':>7} {'SVC':>7}"
    )
    ratios = []
    with _common.one_thread(), warnings.catch_warnings():
        # Runs that are stopped by the budget are marked in the table.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for n in SIZES:
            for name, (X, y) in (
                ("checkers", checkers(n)),
                ("Gaussians", gaussians(n)),
            ):
                for width, C in SETTINGS:
                    ratios.append(
                        compare(f"{name} {n}", scale(X), y, width, C, repeats)
                    )
        warm_starts()
    print(f"ratio: median {np.median(ratios):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    sys.exit(main())
