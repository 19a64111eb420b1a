"""Table 2: machines with the Gaussian kernel on Example 3."""

import numpy as np

from companion.papers.wrsvm import examples, simulation


def compute(unit):
    """Both tuned machines for every utility matrix: a row each."""
    train, tune, test = simulation.samples("table_2", unit.params["sample"])
    sigma = examples.median_distance(*train)
    design, near, far = examples.kernel_columns(train[0], sigma, tune[0], test[0])
    rows = simulation.machine_rows("table_2", (design, train[1]), (near, tune[1]), (far, test[1]))
    return [row | {"sigma": round(sigma, 6)} for row in rows]


def _add_values(out, frame):
    """The values of a table of simulations, and how far the inputs of Example 3 reach."""
    simulation.add_values(out, frame, "table_2")
    X, _ = examples.nonlinear(200_000, np.random.default_rng(0))
    out.add_all("protocol", {f"largest X{k + 1}": X[:, k].max() for k in (0, 1)})


TABLE_2 = examples.study("table_2", compute, simulation.N_SAMPLES)
STUDIES = (TABLE_2,)
VALUES = ((_add_values, "table_2"),)
