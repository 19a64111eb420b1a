"""López and Dorronsoro, "Least 1-Norm SVMs: a New SVM Variant between Standard and LS-SVMs".

``machines`` holds the four boxes and the settings, ``table_1``, ``fig_1`` and ``table_2`` what is
computed, ``values`` how records become the printed numbers and the claims.
"""

from companion.datasets import get_source, is_available
from companion.papers.l1nsvm import fig_1, identical_points, iterations, table_1, table_2, values
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

ARTEFACTS = (
    Artefact(
        "l1nsvm",
        "table_1",
        "Table 1: types of SVMs by slacks and constraints",
        (table_1.TABLE_1,),
        RUN_PARAMETERS,
        values.table_1_values,
    ),
    Artefact(
        "l1nsvm",
        "fig_1",
        "Figure 1: contours with and without outliers",
        (fig_1.FIG_1, fig_1.FIG_1_LEVERAGE),
        (
            *RUN_PARAMETERS,
            Parameter(
                "draw", int, 1, "the draw shown in the four panels, 1 to 1000", low=1, high=1000
            ),
        ),
        values.fig_1_values,
    ),
    Artefact(
        "l1nsvm",
        "table_2",
        "Table 2: errors, support vectors and iterations",
        (
            table_2.TABLE_2,
            table_2.TABLE_2_SEARCH,
            table_2.TABLE_2_SURFACE,
            iterations.TABLE_2_ITERATIONS,
            identical_points.TABLE_2_IDENTICAL,
        ),
        RUN_PARAMETERS,
        values.table_2_values,
    ),
)


def has_data(key):
    """Whether files that a deviation is declared for the lack of are here."""
    return is_available(get_source(key).key)
