"""López and Dorronsoro, "Least 1-Norm SVMs: a New SVM Variant between Standard and LS-SVMs".

``machines`` holds the four boxes and the settings; every other module is a printed table or figure.
"""

from companion.datasets import get_source, is_available
from companion.papers.l1nsvm.fig_1 import FIG_1, FIG_1_LEVERAGE, fig_1_values
from companion.papers.l1nsvm.identical_points import TABLE_2_IDENTICAL
from companion.papers.l1nsvm.machines import PAPER
from companion.papers.l1nsvm.table_1 import TABLE_1, table_1_values
from companion.papers.l1nsvm.table_2 import table_2_values
from companion.papers.l1nsvm.table_2_studies import (
    TABLE_2,
    TABLE_2_ITERATIONS,
    TABLE_2_SEARCH,
    TABLE_2_SURFACE,
)
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

TITLES = {
    "table_1": "Table 1: types of SVMs by slacks and constraints",
    "fig_1": "Figure 1: contours with and without outliers",
    "table_2": "Table 2: errors, support vectors and iterations",
}
DRAW = Parameter("draw", int, 1, "the draw shown in the four panels, 1 to 1000", low=1, high=1000)


def _artefact(name, studies, values, *parameters):
    return Artefact(PAPER, name, TITLES[name], studies, (*RUN_PARAMETERS, *parameters), values)


METHOD = (
    Parameter("C", float, 1.0, "cost of a slack", low=1e-3, high=1e3),
    Parameter(
        "distance",
        float,
        5.0,
        "how far the outlier is from the middle of its neighbours",
        low=0.0,
        high=1e3,
    ),
    Parameter("angle", float, 90.0, "the direction in which it lies, in degrees"),
    Parameter("draw", int, 1, "which draw of the two classes", low=1),
)

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: equalities with the sum of slacks", parameters=METHOD),
    _artefact("table_1", (TABLE_1,), table_1_values),
    _artefact("fig_1", (FIG_1, FIG_1_LEVERAGE), fig_1_values, DRAW),
    _artefact(
        "table_2",
        (TABLE_2, TABLE_2_SEARCH, TABLE_2_SURFACE, TABLE_2_ITERATIONS, TABLE_2_IDENTICAL),
        table_2_values,
    ),
)


def has_data(key):
    """Whether files that a deviation is declared for the lack of are here."""
    return is_available(get_source(key).key)
