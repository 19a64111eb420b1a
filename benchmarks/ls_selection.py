"""LS-SVM: choice of C by closed-form leave-one-out against refitting without each sample.

ls_held_out takes one factorisation a C for all held-out samples. The peers do the same
work by fits: leave-one-out by refitting (timed on some samples and scaled up, as its cost is the
same for each), and five-fold GridSearchCV, a cheaper and different criterion. The held-out values
of the samples that were refitted are compared with the closed form.

First comes one fit: `ls` against SciPy's Cholesky solve of the same system, with the same outputs.
"""

import time

import numpy as np
import sklearn
from scipy.linalg import cho_factor, cho_solve
from sklearn.model_selection import GridSearchCV

import companion
from benchmarks._common import (
    interleaved,
    machine_and_versions,
    noisy_two_class,
    one_thread,
)
from companion import LSSVC, KernelGridSearchCV
from companion.kernels import gram
from companion.solvers import ls, ls_held_out

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


def leave_one_out(X, y):
    """Held-out decision values of all samples for every C, in closed form."""
    held_out = ls_held_out(gram(X, gamma=GAMMA), y, CS, np.arange(len(y))[:, None])
    return np.column_stack([np.concatenate(of_C) for of_C in held_out])


def by_scipy(K, y, C):
    """Multipliers, bias, decision values, objective and violation of an LS-SVM."""
    factor = cho_factor(K + np.eye(len(y)) / C, lower=True)
    u, v = cho_solve(factor, np.column_stack([y, np.ones(len(y))])).T
    b = u.sum() / v.sum()
    beta = u - v * b
    products = K @ beta
    rest = y - products - beta / C
    return y * beta, b, products + b, 0.5 * beta @ (y - rest) - y @ beta, np.ptp(rest)


def one_fit(n, C=1.0):
    """Print CPU seconds of one fit by SciPy's Cholesky solve and by `ls`."""
    X, y = noisy_two_class(n, rng=n)
    K = gram(X, gamma=GAMMA)
    y = np.where(y == y[0], 1.0, -1.0)
    difference = np.abs(by_scipy(K, y, C)[0] - ls(K, y, C).alpha).max()
    theirs, ours = interleaved(
        [lambda: by_scipy(K, y, C), lambda: ls(K, y, C)], 20, in_a_row=10
    )
    floor = " (never below 1.0 wanted)" if n == 200 else ""
    print(
        f"one fit, n = {n}: SciPy {1e3 * theirs:.2f} ms, ls {1e3 * ours:.2f} ms, "
        f"ratio {theirs / ours:.2f}{floor}, largest difference {difference:.0e}"
    )


def main():
    """Print one line a sample size."""
    print(machine_and_versions(companion, sklearn))
    with one_thread():
        for n in (200, 500, 1000):
            one_fit(n)
    print(f"{len(CS)} values of C from 2^-5 to 2^15, RBF kernel, one thread")
    print(
        f"{'n':>6} {'closed s':>10} {'refit LOO s':>12} {'ratio':>8} {'5-fold s':>9} "
        f"{'ratio':>7} {'5-fold shared s':>16} {'largest difference':>19}"
    )
    with one_thread():
        for n in (200, 500, 1000):
            X, y = noisy_two_class(n, rng=n)
            ours, held_out = least_time(lambda: leave_one_out(X, y))
            samples = np.linspace(0, n - 1, N_REFITTED).astype(int)
            some, values = least_time(lambda: refit_without(X, y, samples), repeats=1)
            refit = some * n / N_REFITTED
            estimator = LSSVC(gamma=GAMMA)
            grid = {"C": CS}
            folds, _ = least_time(
                lambda: GridSearchCV(estimator, grid).fit(X, y), repeats=1
            )
            shared, _ = least_time(
                lambda: KernelGridSearchCV(estimator, grid).fit(X, y)
            )
            difference = np.abs(values - held_out[samples]).max()
            print(
                f"{n:6d} {ours:10.3f} {refit:12.1f} {refit / ours:8.0f} {folds:9.2f} "
                f"{folds / ours:7.1f} {shared:16.3f} {difference:19.2e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
