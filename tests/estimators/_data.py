"""Small seeded problems for the tests of estimators and tuning."""

import numpy as np
from _cases import cases

KERNELS = [
    {"kernel": "rbf", "gamma": 0.4},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 1.0},
]
each_kernel = cases("kernel", *KERNELS, ids=lambda kernel: kernel["kernel"])


def two_clouds(n_samples=80, n_features=3, shift=1.0, seed=0, labels=(0, 1)):
    """Two overlapping Gaussian clouds in random order, labels given by name."""
    rng = np.random.default_rng(seed)
    positive = rng.permutation(n_samples) < n_samples // 2
    X = rng.normal(size=(n_samples, n_features))
    X[positive] += shift
    return X, np.asarray(labels)[positive.astype(int)]
