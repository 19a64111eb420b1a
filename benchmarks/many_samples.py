"""Many samples: kernel features before the linear machine, against the full kernel.

At 2000 samples scikit-learn's Nystroem with several numbers of features is compared with the whole
Gram matrix: CPU seconds, test error, and how much larger the objective is. A machine on Nystroem's
features is one of the full kernel with fewer centres, so that both have the objective of the same
problem; the losses are convex ones, of which there is one minimum. Then 20000 samples, for which
the matrices of the full kernel are too large. One thread.
"""

import sys
import time

import numpy as np
import sklearn
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

from benchmarks import _common
from companion import UnbiasedSVC, WeightedRobustSVC
from companion.datasets import ringnorm

SMALL, LARGE, N_TEST = 2000, 20_000, 5000
FEATURES = (50, 200, 500, 1000)
GAMMA, C = 0.02, 1.0


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


def main():
    """Print one line for each problem and number of features."""
    print(_common.machine_and_versions(np, sklearn))
    with _common.one_thread():
        for name, machine, X, y in problems(SMALL):
            full = sklearn.clone(machine).set_params(kernel="rbf", gamma=GAMMA)
            seconds, whole, error = fitted(full, X, y, SMALL)
            print(f"{name:>14} {SMALL:6}: full kernel {seconds:6.1f} s, error {error:.1%}")
            for n_components in FEATURES:
                seconds, value, error = fitted(on_features(machine, n_components), X, y, SMALL)
                print(
                    f"{n_components:22} features {seconds:6.1f} s, error {error:.1%}, "
                    f"objective {value / whole - 1.0:+.2%}",
                    flush=True,
                )
        for name, machine, X, y in problems(LARGE):
            for n_components in FEATURES[1:3]:
                seconds, _, error = fitted(on_features(machine, n_components), X, y, LARGE)
                print(
                    f"{name:>14} {LARGE:6}: {n_components} features {seconds:6.1f} s, "
                    f"error {error:.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    sys.exit(main())
