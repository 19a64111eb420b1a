"""LS-SVM: choice of C by closed-form leave-one-out against refitting without each sample.

LSSVCCV takes one eigendecomposition for all C and all held-out samples. The peers do the same
work by fits: leave-one-out by refitting (timed on some samples and scaled up, as its cost is the
same for each), and five-fold GridSearchCV, a cheaper and different criterion. The held-out values
of the samples that were refitted are compared with the closed form.
"""

import time

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV

import companion
from benchmarks._common import machine_and_versions, one_thread
from companion import LSSVC, LSSVCCV, KernelGridSearchCV
from companion.datasets.generators import noisy_two_class

CS = 2.0 ** np.arange(-5, 16)
GAMMA = 0.05
N_REFITTED = 4


def least_time(function, repeats=3):
    """Least seconds of several calls, and the last value."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return min(times), value


def refit_without(X, y, samples):
    """Held-out decision values of some samples for every C, by fits without each."""
    values = np.empty((len(samples), len(CS)))
    for row, sample in enumerate(samples):
        others = np.delete(np.arange(len(y)), sample)
        for column, C in enumerate(CS):
            machine = LSSVC(C=C, gamma=GAMMA).fit(X[others], y[others])
            values[row, column] = machine.decision_function(X[[sample]])[0]
    return values


def main():
    """Print one line a sample size."""
    print(machine_and_versions(companion, sklearn))
    print(f"{len(CS)} values of C from 2^-5 to 2^15, RBF kernel, one thread")
    print(
        f"{'n':>6} {'LSSVCCV s':>10} {'refit LOO s':>12} {'ratio':>8} {'5-fold s':>9} "
        f"{'ratio':>7} {'5-fold shared s':>16} {'largest difference':>19}"
    )
    with one_thread():
        for n in (200, 500, 1000):
            X, y = noisy_two_class(n, rng=n)
            closed = LSSVCCV(Cs=CS, gamma=GAMMA, store_cv_results=True)
            ours, _ = least_time(lambda: closed.fit(X, y))
            samples = np.linspace(0, n - 1, N_REFITTED).astype(int)
            some, values = least_time(lambda: refit_without(X, y, samples), repeats=1)
            refit = some * n / N_REFITTED
            estimator, grid = LSSVC(gamma=GAMMA), {"C": CS}
            folds, _ = least_time(lambda: GridSearchCV(estimator, grid).fit(X, y), repeats=1)
            shared, _ = least_time(lambda: KernelGridSearchCV(estimator, grid).fit(X, y))
            difference = np.abs(values - closed.cv_results_[samples]).max()
            print(
                f"{n:6d} {ours:10.3f} {refit:12.1f} {refit / ours:8.0f} {folds:9.2f} "
                f"{folds / ours:7.1f} {shared:16.3f} {difference:19.2e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
