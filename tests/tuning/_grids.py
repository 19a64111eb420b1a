"""Points and grids of parameters, for the tests of both searches."""

from sklearn.datasets import make_moons
from sklearn.metrics import pairwise

GRID = {"C": [0.1, 1.0, 30.0], "gamma": [0.05, 0.5, 5.0]}
GRIDS = {
    "rbf": GRID,
    "class_weight": {"C": [1.0, 10.0], "class_weight": [None, "balanced", {0: 3.0}]},
    "kernel": {"kernel": ["linear", "rbf", "poly"], "C": [0.5, 2.0]},
    "gamma": {"gamma": ["scale", "auto", 0.3], "C": [5.0, 1.0]},
    "list": [
        {"kernel": ["linear"], "C": [1.0]},
        {"kernel": ["rbf"], "gamma": [0.1, 1.0]},
    ],
    "poly": {
        "kernel": ["poly"],
        "degree": [2, 3],
        "coef0": [0.0, 1.0],
        "gamma": ["scale", 0.5],
    },
    "callable": {"kernel": [pairwise.laplacian_kernel, "linear"], "C": [0.3, 3.0]},
    "nothing": {},
}


def moons(n=60):
    return make_moons(n, noise=0.35, random_state=0)
