"""Exact leave-one-out over a 10 x 10 (lambda, sigma) grid: path following against refitting SVC.

The sample is that of the GACV report (40 % from N((0, 0), I), 60 % from N((2, 2), diag(2, 1))) with
n = 200; lambda from 10^-5 to 10^-.5 by half decades with C = 1 / (2 n lambda), sigma from 2^-1.5
to 2^3 by half octaves with the kernel exp(-||x - z||^2 / (2 sigma^2)). Ours: fits of all cells to
tol = 1e-3 and exact leave-one-out in each. Theirs: cross_val_predict(SVC, cv=LeaveOneOut()) in each
cell, 20000 fits, once; its bounds stay C as well. One thread, CPU seconds. Verdicts are compared
point by point with theirs, and both on a few cells with refits to 1e-9. The fine grid of the study
(25 x 25, lambda from 10^-6 to 1, sigma from 2^-2 to 2^4) is timed on our side. Beside exact
leave-one-out stand xi-alpha as printed and with the span in the place of K_ii, which need no path:
the time of all fits and of the estimate, and its mean distance from the exact error over the cells.
"""

import time

import numpy as np
import sklearn
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC

import companion
from benchmarks._common import interleaved, machine_and_versions, one_thread, summary
from companion.datasets.generators import unequal_gaussians
from companion.kernels import gamma_from_width, gram
from companion.solvers.smo import smo
from companion.tuning import (
    leave_one_out_surface,
    machine_surface,
    squared_spans,
    xi_alpha_values,
)

GRIDS = {
    "coarse": (10.0 ** np.arange(-5, 0, 0.5), 2.0 ** np.arange(-1.5, 3.25, 0.5)),
    "fine": (np.logspace(-6, 0, 25), 2.0 ** np.linspace(-2, 4, 25)),
}
COSTS = {"standard": None, "nonstandard": {-1: 1.5, 1: 0.5}}
N = 200


def by_paths(X, y, C, gamma, weights):
    """Errors of shape (n_gamma, n_C, n)."""
    return leave_one_out_surface(
        machine_surface(X, y, C, gamma, class_weight=weights), X, y
    )


def by_estimate(X, y, C, gamma, weights, update):
    """xi-alpha of shape (n_gamma, n_C), as printed ("joachims") or with the span."""
    surface = machine_surface(X, y, C, gamma, class_weight=weights)
    influence = surface.influence
    if update == "span":
        upper = C[:, np.newaxis] * surface.factors
        kernels = (gram(X, kernel="rbf", gamma=value) for value in gamma)
        machines = zip(kernels, surface.alpha, strict=True)
        spans = [squared_spans(K, alpha, upper) for K, alpha in machines]
        influence = surface.alpha * np.array(spans)
    return xi_alpha_values(surface.margin, influence)


def by_refitting(X, y, C, gamma, weights):
    """Errors of shape (n_gamma, n_C, n) by libsvm."""
    errors = np.empty((len(gamma), len(C), len(y)), dtype=bool)
    for g, value in enumerate(gamma):
        for c, cost in enumerate(C):
            machine = SVC(C=cost, gamma=value, tol=1e-3, class_weight=weights)
            errors[g, c] = cross_val_predict(machine, X, y, cv=LeaveOneOut()) != y
    return errors


def exact_values(X, y, C, gamma, weights):
    """Left-out decision values of one cell by refits to 1e-9."""
    K = gram(X, kernel="rbf", gamma=gamma)
    factors = (
        np.ones(len(y)) if weights is None else np.where(y > 0, weights[1], weights[-1])
    )
    values = np.empty(len(y))
    for i in range(len(y)):
        upper = C * factors
        upper[i] = 0.0
        values[i] = smo(K, y, 0.0, upper, tol=1e-9).decision_function[i]
    return values


def compare_estimates(problem, errors, repeats):
    """Print time and distance from the exact error of both estimates."""
    updates = ("joachims", "span")
    fits = [lambda own=update: by_estimate(*problem, own) for update in updates]
    for update, seconds in zip(
        updates, interleaved(fits, repeats, least=0.0), strict=True
    ):
        away = np.abs(by_estimate(*problem, update) - errors.mean(axis=-1))
        print(
            f"{'':>12}  xi-alpha, update={update!r}: 10 x 10 {seconds:6.3f} s, off the exact error "
            f"by {away.mean():.4f} in the mean, {away.max():.4f} at most",
            flush=True,
        )


def main(repeats=3):
    """Print times, speedups and agreements, standard and nonstandard."""
    print(machine_and_versions(companion, sklearn))
    X, y = unequal_gaussians(N, rng=0)
    gammas = {
        name: np.array([gamma_from_width(width, "2sigma2") for width in sigma])
        for name, (_, sigma) in GRIDS.items()
    }
    costs = {name: 1.0 / (2.0 * N * lam) for name, (lam, _) in GRIDS.items()}
    by_paths(X, y, costs["coarse"][:2], gammas["coarse"][:2], None)  # compilation
    ratios = []
    with one_thread():
        for name, weights in COSTS.items():
            coarse = X, y, costs["coarse"], gammas["coarse"], weights
            fine = X, y, costs["fine"], gammas["fine"], weights
            ours, ours_fine = interleaved(
                [lambda a=coarse: by_paths(*a), lambda a=fine: by_paths(*a)],
                repeats,
                least=0.0,
            )
            errors = by_paths(*coarse)
            compare_estimates(coarse, errors, repeats)
            start = time.process_time()
            theirs = by_refitting(*coarse)
            seconds = time.process_time() - start
            ratios.append(seconds / ours)
            differ = (errors != theirs).sum()
            print(
                f"{name:>12}: 10 x 10 {ours:6.3f} s, SVC {seconds:7.2f} s, ratio "
                f"{ratios[-1]:6.0f}; 25 x 25 {ours_fine:6.3f} s; verdicts that differ {differ} of "
                f"{errors.size} in {(errors != theirs).any(axis=2).sum()} of 100 cells",
                flush=True,
            )
            wrong = np.zeros(3, dtype=int)
            for g, c in zip(*np.nonzero((errors != theirs).any(axis=2)), strict=True):
                values = exact_values(
                    X, y, costs["coarse"][c], gammas["coarse"][g], weights
                )
                clear = np.abs(values) > 1e-6
                wrong += [
                    (clear & ((y * values <= 0) != errors[g, c])).sum(),
                    (clear & ((y * values <= 0) != theirs[g, c])).sum(),
                    (~clear).sum(),
                ]
            print(
                f"{'':>12}  in these cells against refits to 1e-9: ours {wrong[0]} wrong, SVC "
                f"{wrong[1]} wrong, {wrong[2]} values within 1e-6 of zero",
                flush=True,
            )
    print(summary(ratios, wanted=100, goal=200))


if __name__ == "__main__":
    main()
