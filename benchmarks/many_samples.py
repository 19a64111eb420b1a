"""Many samples: the dual machines beside SVC, and kernel features before the linear machine.

First `L1SVC` and scikit-learn's SVC with equal tolerance and cache, in turn: CPU seconds, the share
of samples that they predict alike, and the peak of memory beside the cache. Then the
machines whose rows are mostly needed, with a fifth of their matrix cached and with all of it.

At 2000 samples scikit-learn's Nystroem with several numbers of features is compared with the whole
Gram matrix: CPU seconds, test error, and how much larger the objective is. A machine on Nystroem's
features is one of the full kernel with fewer centres, so that both have the objective of the same
problem; the losses are convex ones, of which there is one minimum. Then 20000 samples, for which
the matrices of the full kernel are too large: there SVC with the whole kernel stands beside. One
thread.

`python -m benchmarks.many_samples 10000` leaves out sizes above 10000; the largest, 50000, is there
with C = 1 alone. The last lines are the median and the largest of the ratios.
"""

import multiprocessing
import resource
import sys
import time

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import _common
from companion import (
    L1SVC,
    L2SVC,
    LSSVC,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
)
from companion.datasets import ringnorm
from companion.datasets.generators import two_gaussians

SMALL = 2000
LARGE = 20_000
N_TEST = 5000
FEATURES = (50, 200, 500, 1000)
GAMMA = 0.02
C = 1.0

SIZES = (5000, 10_000, 20_000, 50_000)
CACHES = (200, 2000)
COSTS = (1.0, 100.0)
# Above this size only C = 1.
MOST_WITH_LARGE_COST = 20_000
SIZE_OF_OTHERS = 4000
OTHERS = {
    "L1SVC, first order": L1SVC(selection="first_order"),
    "L2SVC": L2SVC(),
    "L2SVC, first order": L2SVC(selection="first_order"),
    "LeastOneNormSVC": LeastOneNormSVC(),
    "LSSVC": LSSVC(solver="smo"),
}


def problems(n):
    """Yield (name, machine, points, labels, test points, test labels)."""
    X, y = ringnorm(n + N_TEST, rng=n)
    yield "two classes", UnbiasedSVC(C=C, loss="hinge"), X, (y > 0).astype(int)
    yield (
        "three classes",
        WeightedRobustSVC(C=C, truncation=None),
        X,
        np.where(y > 0, 0, 1 + (X[:, 0] > 0)),
    )


def fitted(machine, X, y, n):
    """CPU seconds of a fit to the first n samples, its objective, and the error on the rest."""
    start = time.process_time()
    machine.fit(X[:n], y[:n])
    seconds = time.process_time() - start
    objective = getattr(machine, "steps", [("", machine)])[-1][1].objective_
    return seconds, objective, 1.0 - machine.score(X[n:], y[n:])


def on_features(machine, n_components):
    """The linear machine on so many of Nystroem's features."""
    features = Nystroem(gamma=GAMMA, n_components=n_components, random_state=0)
    return make_pipeline(features, sklearn.clone(machine).set_params(kernel="linear"))


def points(n_features, n):
    """Twenty features with noise, or two overlapping Gaussians in the plane; standardised."""
    if n_features == 2:
        X, y = two_gaussians(n // 2, means=((0.0, 0.0), (2.0, 0.0)), rng=0)
    else:
        X, y = make_classification(
            n, n_features, n_informative=10, flip_y=0.05, class_sep=0.7, random_state=0
        )
    return StandardScaler().fit_transform(X), y


def in_a_process_of_its_own(machine, X, y):
    """CPU seconds of a fit, its predictions, and by how many MB memory rises at its peak."""
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_fit_and_send, args=(machine, X, y, theirs)
    )
    process.start()
    found = ours.recv()
    process.join()
    return found


def _fit_and_send(machine, X, y, connection):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    machine.fit(X, y)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    connection.send((seconds, machine.predict(X[:5000]), (peak - before) * 1024 / 1e6))


def beside_svc(sizes):
    """Print a line for each problem, cost and cache; return what to say of all ratios."""
    cells = [
        (n, n_features, cost, cache)
        for n in sizes
        for n_features in (20, 2)
        for cost in COSTS
        for cache in CACHES
        if cost == 1.0 or n <= MOST_WITH_LARGE_COST
    ]
    ratios = []
    for n, n_features, cost, cache in cells:
        X, y = points(n_features, n)
        machines = SVC(C=cost, cache_size=cache), L1SVC(C=cost, cache_size=cache)
        theirs, ours = (in_a_process_of_its_own(machine, X, y) for machine in machines)
        ratios.append(ours[0] / theirs[0])
        print(
            f"n = {n:6}, d = {n_features:2}, C = {cost:3.0f}, cache {cache:4}: "
            f"SVC {theirs[0]:6.2f} s, L1SVC {ours[0]:6.2f} s, ratio {ratios[-1]:.2f}, "
            f"alike {np.mean(theirs[1] == ours[1]):.2%}, memory {ours[2]:5.0f} MB",
            flush=True,
        )
    return f"L1SVC over SVC: median {np.median(ratios):.2f}, largest {max(ratios):.2f}"


def with_a_fifth_cached():
    """Print a line for each other machine, problem and cost; return what to say of all ratios."""
    ratios = []
    n = SIZE_OF_OTHERS
    matrix = n * n * 8.01e-6
    for name, machine in OTHERS.items():
        for n_features in (20, 2):
            X, y = points(n_features, n)
            for cost in COSTS:
                caches = matrix, matrix / 5
                machines = [
                    sklearn.clone(machine).set_params(C=cost, cache_size=cache)
                    for cache in caches
                ]
                (whole, *_), (fifth, *_) = (
                    in_a_process_of_its_own(some, X, y) for some in machines
                )
                ratios.append(fifth / whole)
                print(
                    f"{name:>19}, d = {n_features:2}, C = {cost:3.0f}: all rows cached "
                    f"{whole:6.2f} s, a fifth {fifth:6.2f} s, ratio {ratios[-1]:.2f}",
                    flush=True,
                )
    return f"a fifth over all rows: median {np.median(ratios):.2f}, largest {max(ratios):.2f}"


def main(largest=SIZES[-1]):
    """Print the three tables, then the ratios of the first two in short."""
    print(_common.machine_and_versions(np, sklearn))
    _common.warm_up()
    with _common.one_thread():
        ratios = [beside_svc([n for n in SIZES if n <= largest]), with_a_fifth_cached()]
        kernel_features()
    print(*ratios, sep="\n")


def kernel_features():
    """Print one line for each problem and number of features."""
    for name, machine, X, y in problems(SMALL):
        full = sklearn.clone(machine).set_params(kernel="rbf", gamma=GAMMA)
        seconds, whole, error = fitted(full, X, y, SMALL)
        print(f"{name:>14} {SMALL:6}: full kernel {seconds:6.1f} s, error {error:.1%}")
        for n_components in FEATURES:
            seconds, value, error = fitted(
                on_features(machine, n_components), X, y, SMALL
            )
            print(
                f"{n_components:22} features {seconds:6.1f} s, error {error:.1%}, "
                f"objective {value / whole - 1.0:+.2%}",
                flush=True,
            )
    for name, machine, X, y in problems(LARGE):
        svc = SVC(C=C, gamma=GAMMA)
        start = time.process_time()
        svc.fit(X[:LARGE], y[:LARGE])
        seconds = time.process_time() - start
        error = 1.0 - svc.score(X[LARGE:], y[LARGE:])
        print(f"{name:>14} {LARGE:6}: SVC {seconds:6.1f} s, error {error:.1%}")
        for n_components in FEATURES[1:]:
            seconds, _, error = fitted(on_features(machine, n_components), X, y, LARGE)
            print(
                f"{n_components:22} features {seconds:6.1f} s, error {error:.1%}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
