"""Tables 1 and 2: both machines on Examples 2 and 3, tuned, over 100 samples.

The samples of a repetition serve all utility matrices and both machines, so that differences
between them are paired.
"""

from __future__ import annotations

import numpy as np

from companion.kernels import gram, squared_distances
from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import FLIP, PAPER
from companion.reproduction import Study, Unit, seed_for
from companion.solvers import Design

#: The utility matrices of each table, (number, a).
CELLS = {
    "table_1": tuple(
        (config, a)
        for config in (1, 2, 3)
        for a in (0.0, 0.2, 0.4, 0.6, 0.8)
        if config == 1 or a > 0
    ),
    "table_2": tuple((config, 0.4) for config in (1, 2, 3)),
}
#: Sizes of training, tuning and test samples.
SIZES = {"table_1": (400, 400, 40_000), "table_2": (200, 200, 2_000)}
N_SAMPLES = {"paper": 100, "quick": 5}

_DRAW = {"table_1": examples.piecewise_linear, "table_2": examples.nonlinear}


def samples(table, number):
    """Training, tuning and test sample of a repetition, labels flipped in all three.

    Parameters
    ----------
    table : {"table_1", "table_2"}
    number : int

    Returns
    -------
    tuple of (ndarray of shape (n, 2), ndarray of int of shape (n,))
    """
    rng = np.random.default_rng(seed_for(PAPER, table, "sample", number))
    return tuple(_DRAW[table](n, rng, FLIP) for n in SIZES[table])


def median_distance(X, y):
    """The width sigma of exp(-|x - x'|^2 / (2 sigma^2)): median distance between the classes.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    y : ndarray of shape (n,)

    Returns
    -------
    float
    """
    distances = np.sqrt(squared_distances(X))
    return float(np.median(distances[y[:, None] != y[None, :]]))


def compute_linear(unit):
    """Both tuned machines for every utility matrix of Table 1: a row each."""
    (X, y), tune, test = samples("table_1", unit.params["sample"])
    design = Design.linear(X)
    return _rows(
        "table_1",
        lambda U: (examples.tuned_machines(design, y, tune[0], tune[1], U), test[0]),
        test[1],
    )


def compute_kernel(unit):
    """Both tuned machines with the Gaussian kernel for every utility matrix of Table 2."""
    (X, y), tune, test = samples("table_2", unit.params["sample"])
    sigma = median_distance(X, y)
    design, near, far = kernel_columns(X, sigma, tune[0], test[0])
    return [
        row | {"sigma": round(sigma, 6)}
        for row in _rows(
            "table_2",
            lambda U: (examples.tuned_machines(design, y, near, tune[1], U), far),
            test[1],
        )
    ]


def kernel_columns(X, sigma, *others):
    """The design of a Gaussian kernel on X, and its values between other points and X.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    sigma : float
    *others : ndarray of shape (m, n_features)

    Returns
    -------
    design : Design
    *values : ndarray of shape (m, n)
    """
    gamma = 1.0 / (2.0 * sigma**2)
    return (
        Design.kernel(gram(X, gamma=gamma)),
        *(gram(points, X, gamma=gamma) for points in others),
    )


def _rows(table, tuned, y_test):
    rows = []
    for config, a in CELLS[table]:
        U = examples.utility(config, a)
        machines, columns = tuned(U)
        for machine in machines:
            predicted = machine.predict(columns)
            rows.append(
                {
                    "config": config,
                    "a": a,
                    "machine": machine.name,
                    "log2_C": round(float(np.log2(machine.C)), 6),
                    "tuning": round(machine.tuning, 8),
                    "test": round(examples.mean_utility(U, y_test, predicted), 8),
                    "share_1": round(float((predicted == 0).mean()), 6),
                    "n_steps": machine.n_steps,
                    "converged": machine.converged,
                    "n_missed": machine.n_missed,
                }
            )
    return rows


def _units(table):
    def units(profile):
        """One unit a sample."""
        return [Unit(PAPER, table, {"sample": k}) for k in range(1, N_SAMPLES[profile] + 1)]

    return units


TABLE_1 = Study(PAPER, "table_1", _units("table_1"), compute_linear)
TABLE_2 = Study(PAPER, "table_2", _units("table_2"), compute_kernel)
