"""Table 1: linear machines on Example 2."""

from functools import partial

from companion.papers.wrsvm import simulation
from companion.papers.wrsvm.examples import study
from companion.solvers import Design


def compute(unit):
    """Both tuned machines for every utility matrix: a row each."""
    (X, y), tune, test = simulation.samples("table_1", unit.params["sample"])
    return list(simulation.machine_rows("table_1", (Design.linear(X), y), tune, test))


TABLE_1 = study("table_1", compute, simulation.N_SAMPLES)
STUDIES = (TABLE_1,)
VALUES = ((partial(simulation.add_values, table="table_1"), "table_1"),)
