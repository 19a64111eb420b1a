"""Small imbalanced problems, the metric of a kernel by differences, scatter matrices."""

from itertools import product

import numpy as np

from companion.kernels import gram, squared_distances
from companion.solvers.conformal import ConformalProblem
from companion.solvers.transformations import RULES

GAMMA = 0.02

METHODS = [(transform, "separability_gradient") for transform in RULES]
METHODS += product(("mdt", "tsvt"), ("separability_cma", "validation_cma"))
XIONG = ("separability_exact", "separability_cma", "validation_cma")
METHODS += product(["xiong"], XIONG)


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


def metric_by_differences(kernel, points, step=1e-4):
    """d^2 k(x, z) / dx_i dz_j at z = x by second differences, (3.3.2); `kernel` row by row."""
    d = points.shape[1]
    out = np.zeros((len(points), d, d))
    steps = step * np.eye(d)
    for i, j, s, t in product(range(d), range(d), (1, -1), (1, -1)):
        out[:, i, j] += s * t * kernel(points + s * steps[i], points + t * steps[j])
    return out / (4 * step**2)


def scatter_matrices(Z, y):
    """S_B and S_W of points, (4.6.10) and (4.6.11)."""
    mean = Z.mean(axis=0)
    between, within = np.zeros((2, Z.shape[1], Z.shape[1]))
    for label in (-1, 1):
        members = Z[y == label]
        centre = members.mean(axis=0)
        between += len(members) * np.outer(centre - mean, centre - mean) / len(y)
        within += (members - centre).T @ (members - centre) / len(y)
    return between, within


def problem(seed=0, share=0.25, C=10.0, gamma=GAMMA, tol=1e-8, unit=1.0, **settings):
    """Points in a unit, labels and the problem with a share of each class set aside."""
    X, y = board(seed=seed, **settings)
    X = unit * X
    gamma = gamma / unit**2
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
