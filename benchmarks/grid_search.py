"""A 9 x 9 (C, gamma) grid with 5 folds: KernelGridSearchCV against GridSearchCV(SVC).

Both search the same grids on the same folds with the same tolerance, one thread, one process,
refitting left out. Runs alternate and the least CPU seconds of each count. Fold accuracies are
compared cell by cell: exactly, and within one test sample, because the tolerance leaves either side
free to put a sample on the boundary; for scale, both are also compared with a solution to 1e-7.
"""

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import companion
from benchmarks._common import (
    interleaved,
    machine_and_versions,
    noisy_two_class,
    one_thread,
    summary,
    uci,
)
from companion import L1SVC, KernelGridSearchCV
from companion.datasets.generators import two_gaussians

GRIDS = {
    # The ranges of the Least 1-Norm paper, C in 10^[0, 2] and sigma in 10^[0, 4].
    "paper": {"C": np.logspace(0, 2, 9), "gamma": np.logspace(-4, 0, 9)},
    # The ranges that libsvm's guide suggests, C in 2^[-5, 11] and gamma in 2^[-13, 3].
    "wide": {"C": 2.0 ** np.arange(-5, 12, 2), "gamma": 2.0 ** np.arange(-13, 4, 2)},
}
N_FOLDS = 5


def problems():
    """Yield (name, X, y) with 700 to 2000 samples; a set that cannot be had is named."""
    for n in (700, 1000, 2000):
        means = (np.zeros(10), np.full(10, 0.6))
        yield f"two Gaussians {n}", *two_gaussians(n // 2, means=means, rng=n)
        yield f"noisy {n}", *noisy_two_class(n, rng=n)
    for _, X, y in uci(["german"]):
        rows = np.random.default_rng(0).permutation(len(y))[:700]
        yield "german 700", X[rows], y[rows]
        yield "german 1000", X, y


def accuracies(search):
    """Accuracy of every cell, shape (folds, candidates)."""
    return np.array(
        [search.cv_results_[f"split{k}_test_score"] for k in range(N_FOLDS)]
    )


def agreement(first, second, n_samples):
    """Shares of cells that are equal, and equal within one test sample, in percent."""
    difference = np.abs(first - second)
    one_sample = 1.5 / (n_samples / N_FOLDS)
    return 100 * np.mean(difference < 1e-12), 100 * np.mean(difference < one_sample)


def compare(X, y, grid, repeats):
    """Least seconds and cell accuracies of both searches, and the accuracies at 1e-7."""
    ours = KernelGridSearchCV(L1SVC(), grid, cv=N_FOLDS, refit=False, n_jobs=1)
    theirs = GridSearchCV(SVC(cache_size=1000), grid, cv=N_FOLDS, refit=False, n_jobs=1)
    seconds = interleaved(
        [lambda: ours.fit(X, y), lambda: theirs.fit(X, y)], repeats, least=0.0
    )
    exact = KernelGridSearchCV(L1SVC(tol=1e-7), grid, cv=N_FOLDS, refit=False).fit(X, y)
    return *seconds, *map(accuracies, (ours, theirs, exact))


def main(repeats=3):
    """Print one line a data set and grid."""
    print(machine_and_versions(companion, sklearn))
    X, y = two_gaussians(400, rng=0)  # compilation
    KernelGridSearchCV(L1SVC(), {"C": [1.0, 1e4], "gamma": [1.0]}).fit(X, y)
    print(
        f"{'data':>18} {'grid':>6} {'ours s':>8} {'SVC s':>8} {'ratio':>6} "
        f"{'same cells':>11} {'within one':>11} {'ours=1e-7':>10} {'SVC=1e-7':>9}"
    )
    ratios = []
    shares = []
    with one_thread():
        for name, X, y in problems():
            for grid_name, grid in GRIDS.items():
                ours, theirs, a, b, exact = compare(X, y, grid, repeats)
                same, within_one = agreement(a, b, len(y))
                ratios.append(theirs / ours)
                shares.append(same)
                print(
                    f"{name:>18} {grid_name:>6} {ours:8.3f} {theirs:8.2f} {ratios[-1]:6.1f} "
                    f"{same:10.1f}% {within_one:10.1f}% {agreement(a, exact, len(y))[0]:9.1f}% "
                    f"{agreement(b, exact, len(y))[0]:8.1f}%",
                    flush=True,
                )
    print(summary(ratios, wanted=12, goal=15))
    print(
        f"same cells: mean {np.mean(shares):.1f}%, least {min(shares):.1f}% (98% wanted)"
    )


if __name__ == "__main__":
    main()
