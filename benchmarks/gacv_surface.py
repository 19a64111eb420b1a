"""GACV and xi-alpha over a 25 x 25 (lambda, sigma) grid: machine_surface against SVC in every cell.

The sample is that of the GACV report (40 % from N((0, 0), I), 60 % from N((2, 2), diag(2, 1))),
n = 100, 200 and 500, standard and with the costs L(-1) = 1.5, L(1) = 0.5; lambda from 10^-6 to 1
with C = 1 / (2 n lambda), sigma from 2^-2 to 2^4 with the kernel exp(-||x - z||^2 / (2 sigma^2)).
Both sides solve every cell to tol = 1e-3 and compute the same two criteria in it. One thread, runs
alternate, the least CPU seconds of each count. The largest KKT violation of all cells is recomputed
from the kernel for both, and the criteria are compared with those of a solution to 1e-7: the share
of cells where xi-alpha is within one sample of it, and the median relative error of GACV.
"""

import numpy as np
import sklearn
from sklearn.svm import SVC

import companion
from benchmarks._common import (
    dual_vector,
    interleaved,
    machine_and_versions,
    one_thread,
    summary,
    true_certificate,
)
from companion.datasets.generators import unequal_gaussians
from companion.kernels import gamma_from_width
from companion.tuning import gacv_values, machine_surface, xi_alpha_values

LAMBDA = np.logspace(-6, 0, 25)
GAMMA = np.array(
    [gamma_from_width(sigma, "2sigma2") for sigma in 2.0 ** np.linspace(-2, 4, 25)]
)
COSTS = {"standard": None, "nonstandard": {-1: 1.5, 1: 0.5}}


def cost_of(y, weights):
    """L(y_i) of every sample."""
    return (
        np.ones(len(y))
        if weights is None
        else np.where(y == 1, weights[1], weights[-1])
    )


def by_surface(X, y, C, weights, tol=1e-3):
    """Criteria of shape (2, 25, 25) and the surface."""
    surface = machine_surface(X, y, C, GAMMA, class_weight=weights, tol=tol)
    margin = surface.margin
    influence = surface.influence
    cost = cost_of(y, weights)
    return np.array(
        [gacv_values(margin, influence, cost), xi_alpha_values(margin, influence, cost)]
    ), surface


def by_refitting(X, y, C, weights):
    """Criteria of shape (2, 25, 25) and the machines."""
    cost = cost_of(y, weights)
    values = np.empty((2, len(GAMMA), len(C)))
    machines = []
    for g, gamma in enumerate(GAMMA):
        for c, value in enumerate(C):
            machine = SVC(C=value, gamma=gamma, class_weight=weights).fit(X, y)
            margin = y * machine.decision_function(X)
            influence = np.abs(dual_vector(machine, len(y)))  # K_ii = 1
            values[0, g, c] = gacv_values(margin, influence, cost)
            values[1, g, c] = xi_alpha_values(margin, influence, cost)
            machines.append(machine)
    return values, machines


def worst_violation(X, y, C, weights, betas):
    """Largest KKT violation of all cells, in double precision from the kernel."""
    worst = 0.0
    upper = cost_of(y, weights)
    for k, beta in enumerate(betas):
        bound = C[k % len(C)] * upper
        box = np.where(y > 0, 0.0, -bound), np.where(y > 0, bound, 0.0)
        gamma = GAMMA[k // len(C)]
        worst = max(worst, true_certificate(X, y, beta, None, gamma, box)[1])
    return worst


def errors(values, exact, n):
    """Percent of cells with xi-alpha within one sample, and the median relative error of GACV."""
    near = np.abs(values[1] - exact[1]) < 1.6 / n
    return 100 * near.mean(), np.median(np.abs(values[0] / exact[0] - 1))


def main(repeats=3):
    """Print one line a problem."""
    print(machine_and_versions(companion, sklearn))
    machine_surface(*unequal_gaussians(40, rng=0), [0.1, 1.0, 1e3], [0.1, 1.0])
    print(
        f"{'problem':>18} {'ours s':>8} {'SVC s':>8} {'ratio':>6} {'our KKT':>9} {'SVC KKT':>9} "
        f"{'our xi-alpha':>13} {'SVC xi-alpha':>13} {'our GACV':>9} {'SVC GACV':>9}"
    )
    ratios = []
    with one_thread():
        for n in (100, 200, 500):
            X, y = unequal_gaussians(n, rng=n)
            C = np.sort(1.0 / (2.0 * n * LAMBDA))
            for name, weights in COSTS.items():
                arguments = (X, y, C, weights)
                ours, theirs = interleaved(
                    [
                        lambda a=arguments: by_surface(*a),
                        lambda a=arguments: by_refitting(*a),
                    ],
                    repeats,
                    least=0.0,
                    in_a_row=1,
                )
                values, surface = by_surface(*arguments)
                refitted, machines = by_refitting(*arguments)
                exact, _ = by_surface(*arguments, tol=1e-7)
                betas = (y * surface.alpha).reshape(-1, n)
                violation = worst_violation(*arguments, betas)
                others = worst_violation(
                    *arguments, [dual_vector(m, n) for m in machines]
                )
                a = errors(values, exact, n)
                b = errors(refitted, exact, n)
                ratios.append(theirs / ours)
                print(
                    f"{name + ' ' + str(n):>18} {ours:8.3f} {theirs:8.2f} {ratios[-1]:6.1f} "
                    f"{violation:9.2e} {others:9.2e} {a[0]:12.1f}% {b[0]:12.1f}% "
                    f"{a[1]:9.1e} {b[1]:9.1e}",
                    flush=True,
                )
    print(summary(ratios, wanted=20))


if __name__ == "__main__":
    main()
