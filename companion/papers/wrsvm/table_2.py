"""Table 2: machines with the Gaussian kernel on Example 3, as assumed and with weaker signals."""

from functools import partial

import numpy as np

from companion.papers.summaries import select
from companion.papers.wrsvm import examples, simulation
from companion.papers.wrsvm.examples import C_VALUES, FLIP

#: Factors of the assumed logits; at 0 the classes are alike everywhere. Every fourth C is tried.
STRENGTHS = (0.0, 0.05, 0.1, 0.15, 0.2)
N_SAMPLES = {"paper": 20, "quick": 1}

#: The factor that meets the cells of the print best, in ``data/readings.yaml``.
WEAK = "weak-logits"
STRENGTH = 0.1
_ADD = partial(simulation.add_values, table="table_2")


def compute(unit):
    """Both tuned machines for every utility matrix: a row each."""
    return _rows(*simulation.samples("table_2", unit.params["sample"]), examples.paths)


def compute_strength(unit):
    """The same where the logits are multiplied by a factor."""
    factor = unit.params["strength"]
    rng = examples.rng_of("strength", unit.params["sample"])
    samples = [weaker(n, factor, rng) for n in simulation.SIZES["table_2"]]
    return _rows(*samples, partial(examples.paths, C_values=C_VALUES[::4]))


def weaker(n, factor, rng):
    """X and classes of Example 3 with this factor; one seed gives the same points for all."""
    X, _ = examples.nonlinear(n, rng)
    p = examples.class_probabilities("nonlinear", X) ** factor
    p /= p.sum(axis=1, keepdims=True)
    p = (1.0 - FLIP) * p + 0.5 * FLIP * (1.0 - p)
    return X, (rng.random((n, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1)


def _rows(train, tune, test, paths):
    sigma = examples.median_distance(*train)
    design, near, far = examples.kernel_columns(train[0], sigma, tune[0], test[0])
    columns = (design, train[1]), (near, tune[1]), (far, test[1])
    rows = simulation.machine_rows("table_2", *columns, paths=paths)
    return [row | {"sigma": round(sigma, 6)} for row in rows]


def _add_values(out, frame):
    """The values as printed, and how far the inputs of Example 3 reach."""
    _ADD(out, frame)
    # exchanged rows are a part of the other reading, and a row has one
    out.rows = [row for row in out.rows if not row["reading"]]
    X, _ = examples.nonlinear(200_000, np.random.default_rng(0))
    out.add_all("protocol", {f"largest X{k + 1}": X[:, k].max() for k in (0, 1)})


def _add_strength(out, frame):
    """The gains, rows exchanged, at the factor that meets the print best."""
    out.add_read_by(_ADD, select(frame, strength=STRENGTH), WEAK)
    # the factor was chosen by the cells
    cells = set(examples.MACHINES)
    out.rows = [
        row for row in out.rows if row["reading"] != WEAK or row["row"] not in cells
    ]


TABLE_2 = examples.study("table_2", compute, sample=simulation.N_SAMPLES)
TABLE_2_STRENGTH = examples.study(
    "table_2_strength", compute_strength, strength=STRENGTHS, sample=N_SAMPLES
)
STUDIES = (TABLE_2, TABLE_2_STRENGTH)
VALUES = ((_add_values, "table_2"), (_add_strength, "table_2_strength"))
