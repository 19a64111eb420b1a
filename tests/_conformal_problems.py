"""Small imbalanced problems, and the metric of a kernel by differences."""

from itertools import product

import numpy as np

from companion.kernels import gram, squared_distances
from companion.solvers.conformal import ConformalProblem
from companion.solvers.transformations import RULES

GAMMA = 0.02

METHODS = [(transform, "separability_gradient") for transform in RULES]
METHODS += product(("mdt", "tsvt"), ("separability_cma", "validation_cma"))
METHODS += product(["xiong"], ("separability_exact", "validation_cma"))


def board(n=200, positives=16, seed=0):
    """A checkers board of side four with few points on its positive tiles."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < positives, 1.0, -1.0)
    X = (
        rng.uniform(0, 2, (n, 2))
        * np.where(rng.uniform(size=n) < 0.5, -1.0, 1.0)[:, None]
    )
    X[y < 0, 1] *= -1.0
    order = rng.permutation(n)
    return X[order], y[order]


def mixed_derivatives(kernel, x, step=1e-4):
    """d^2 k(x, z) / dx_i dz_j at z = x."""

    def mixed(a, b):
        return sum(
            s * t * kernel(x + s * a, x + t * b) for s in (1, -1) for t in (1, -1)
        )

    shifts = step * np.eye(x.size)
    return np.array([[mixed(a, b) for b in shifts] for a in shifts]) / (2 * step) ** 2


def problem(seed=0, share=0.25, C=10.0, gamma=GAMMA, tol=1e-8, **settings):
    """Points, labels and the problem with a share of each class set aside."""
    X, y = board(seed=seed, **settings)
    rng = np.random.default_rng(seed)
    classes = [rng.permutation(np.flatnonzero(y == sign)) for sign in (1.0, -1.0)]
    validation = np.concatenate(
        [members[: round(share * members.size)] for members in classes]
    )
    D = squared_distances(X)
    K = gram(X, gamma=gamma, squared_distances=D)
    about = {
        "C": C,
        "distances": D,
        "sigma": (0.5 / gamma) ** 0.5,
        "n_features": 2,
        "tol": tol,
    }
    return X, y, ConformalProblem(K, y, validation, **about)
