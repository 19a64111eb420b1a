"""Figures 1 and 2: how the boundaries of Example 1 move with the utility matrix.

The machines of a sample are recorded, so that its boundaries can be drawn from the records; what
the sentences about the figures say is counted on a lattice over the plotted square.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import label

from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import PAPER
from companion.papers.wrsvm.simulation import kernel_columns, median_distance
from companion.reproduction import Study, Unit, seed_for
from companion.solvers import Design, dca

A_VALUES = (0.0, 0.2, 0.4, 0.6, 0.8)
CONFIGS = (1, 2, 3)
N = {"fig_1": 1600, "fig_2": 800}
N_SAMPLES = {"fig_1": {"paper": 20, "quick": 3}, "fig_2": {"paper": 10, "quick": 2}}
#: Coarser grids of C than for the tables: the boundaries move little along them.
C_VALUES = {"fig_1": 2.0 ** np.arange(-12, 11, 3), "fig_2": 2.0 ** np.arange(-6, 9, 3)}

#: Points of the plotted square by side, and half its side.
LATTICE, HALF_SIDE = 101, 2.5


def lattice():
    """Points of the plotted square, shape (LATTICE^2, 2), row by row from the bottom.

    Returns
    -------
    ndarray of shape (LATTICE^2, 2)
    """
    axis = np.linspace(-HALF_SIDE, HALF_SIDE, LATTICE)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def samples(figure, number):
    """Training and tuning sample of a figure, without flips and of equal size.

    Parameters
    ----------
    figure : {"fig_1", "fig_2"}
    number : int

    Returns
    -------
    train, tune : (ndarray, ndarray)
    """
    rng = np.random.default_rng(seed_for(PAPER, figure, "sample", number))
    return examples.piecewise_linear(N[figure], rng), examples.piecewise_linear(N[figure], rng)


def compute_linear(unit):
    """The robust machine of every matrix, its coefficients and regions: a row each."""
    (X, y), tune = samples("fig_1", unit.params["sample"])
    design, points = Design.linear(X), lattice()
    rows = []
    for config in CONFIGS:
        for a in A_VALUES:
            U = examples.utility(config, a)
            machine = examples.tuned_machines(design, y, *tune, U, C_values=C_VALUES["fig_1"])[1]
            values = np.column_stack([machine.coef, machine.intercept])
            rows.append(
                _regions(machine, machine.predict(points), config, a)
                | {
                    f"{name}_{j + 1}": float(f"{values[j, k]:.8g}")
                    for j in range(3)
                    for k, name in enumerate(("w1", "w2", "b"))
                }
            )
    return rows


def compute_kernel(unit):
    """The same with the Gaussian kernel."""
    (X, y), (X_tune, y_tune) = samples("fig_2", unit.params["sample"])
    sigma = median_distance(X, y)
    design, near, far = kernel_columns(X, sigma, X_tune, lattice())
    rows = []
    for config in CONFIGS:
        for a in A_VALUES:
            U = examples.utility(config, a)
            machine = examples.tuned_machines(
                design, y, near, y_tune, U, C_values=C_VALUES["fig_2"]
            )[1]
            rows.append(
                _regions(machine, machine.predict(far), config, a) | {"sigma": round(sigma, 6)}
            )
    return rows


def _regions(machine, predicted, config, a):
    """Shares of the square, their agreement with the Bayes rule, and their connected parts."""
    truth = examples.class_probabilities("piecewise_linear", lattice())
    rule = examples.bayes(truth, examples.utility(config, a))
    square = predicted.reshape(LATTICE, LATTICE)
    row = {
        "config": config,
        "a": a,
        "log2_C": round(float(np.log2(machine.C)), 6),
        "agrees_with_bayes": round(float((predicted == rule).mean()), 6),
    }
    for j in range(3):
        row[f"region_{j + 1}"] = round(float((predicted == j).mean()), 6)
        row[f"parts_{j + 1}"] = int(label(square == j)[1])
    return row | {
        "n_steps": machine.n_steps,
        "converged": machine.converged,
        "n_missed": machine.n_missed,
    }


def kernel_decisions(number, config, a, C):
    """Values of the machine of Figure 2 on the lattice, from its recorded C.

    Parameters
    ----------
    number : int
        Sample.
    config, a
        Utility matrix.
    C : float

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of int of shape (n,)
    decisions : ndarray of shape (LATTICE^2, 3)
    """
    (X, y), _ = samples("fig_2", number)
    sigma = median_distance(X, y)
    design, far = kernel_columns(X, sigma, lattice())
    machine = dca(design, y, examples.utility(config, a), C, examples.S, tol=examples.TOL)
    return X, y, far @ machine.coef.T + machine.intercept


def linear_decisions(row):
    """Values of a recorded machine of Figure 1 on the lattice, shape (LATTICE^2, 3).

    Parameters
    ----------
    row : mapping
        A record of the study ``fig_1``.

    Returns
    -------
    ndarray of shape (LATTICE^2, 3)
    """
    points = lattice()
    return np.column_stack(
        [points @ [row[f"w1_{j}"], row[f"w2_{j}"]] + row[f"b_{j}"] for j in (1, 2, 3)]
    )


def _units(figure):
    def units(profile):
        """One unit a sample."""
        return [
            Unit(PAPER, figure, {"sample": k}) for k in range(1, N_SAMPLES[figure][profile] + 1)
        ]

    return units


FIG_1 = Study(PAPER, "fig_1", _units("fig_1"), compute_linear)
FIG_2 = Study(PAPER, "fig_2", _units("fig_2"), compute_kernel)
