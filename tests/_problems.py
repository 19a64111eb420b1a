"""Small seeded problems and the four machines, for the tests of the solvers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from companion.kernels import gram
from companion.solvers.result import certify

KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.4},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
}


def two_classes(n=60, n_features=2, seed=0, noise=1.0):
    """Two overlapping clouds; labels -1 and +1, both present."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, n_features)) * noise
    X[:, 0] += y
    order = rng.permutation(n)
    return X[order], y[order]


def problem(n=60, kernel="rbf", seed=0, gamma=None, **kwargs):
    """Gram matrix and labels; with gamma, of the kernel "rbf" of that width."""
    X, y = two_classes(n, seed=seed, **kwargs)
    return gram(X, **({"gamma": gamma} if gamma else KERNELS[kernel])), y


def machine(name, C):
    """Arguments lower, upper, ridge of a machine."""
    return {
        "L1": {"lower": 0.0, "upper": C, "ridge": 0.0},
        "L2": {"lower": 0.0, "upper": np.inf, "ridge": 1.0 / np.asarray(C)},
        "LS": {"lower": -np.inf, "upper": np.inf, "ridge": 1.0 / np.asarray(C)},
        "Least 1-Norm": {"lower": -np.asarray(C), "upper": C, "ridge": 0.0},
    }[name]


def certified(K, y, alpha, lower, upper, ridge=0.0):
    """What the definitions make of these multipliers, which must be feasible."""
    lower, upper, ridge = (np.broadcast_to(v, len(y)) for v in (lower, upper, ridge))
    assert (alpha >= lower).all()
    assert (alpha <= upper).all()
    beta = y * alpha
    assert abs(beta.sum()) <= 1e-11 * np.abs(beta).sum()
    low, high = np.where(y > 0, [lower, upper], [-upper, -lower])
    return certify(K @ beta, y, beta, low, high, np.array(ridge), n_iter=0)


def same_machine(one, other, atol, rel):
    """The decision values differ by at most atol, the objectives relatively by at most rel."""
    assert_allclose(one.decision_function, other.decision_function, atol=atol)
    assert one.objective == pytest.approx(other.objective, rel=rel)


MACHINES = ("L1", "L2", "LS", "Least 1-Norm")
