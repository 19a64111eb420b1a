"""López and Dorronsoro, "Least 1-Norm SVMs: a New SVM Variant between Standard and LS-SVMs".

``machines`` holds the four boxes and the settings, ``table_1``, ``fig_1`` and ``table_2`` what is
computed, ``values`` how records become the printed numbers and the claims.
"""

from companion.papers.base import PROFILES, Artefact, Parameter
from companion.papers.l1nsvm import fig_1, identical_points, iterations, table_1, table_2, values

_RUN = (
    Parameter("profile", str, "paper", "sizes of the study: quick or paper", choices=PROFILES),
    Parameter("jobs", int, 1, "processes for what is not yet computed, 1 to 256", low=1, high=256),
    Parameter("fresh", bool, False, "compute everything anew, whatever is on record"),
)

ARTEFACTS = (
    Artefact("l1nsvm", "table_1", "Table 1: types of SVMs by slacks and constraints",
             (table_1.TABLE,), _RUN, values.table_1_values),
    Artefact("l1nsvm", "fig_1", "Figure 1: contours with and without outliers",
             (fig_1.FIGURE, fig_1.LEVERAGE),
             (*_RUN, Parameter("draw", int, 1, "the draw shown in the four panels, 1 to 1000",
                               low=1, high=1000)),
             values.fig_1_values),
    Artefact("l1nsvm", "table_2", "Table 2: errors, support vectors and iterations",
             (table_2.TABLE, table_2.SEARCH, table_2.SURFACE, iterations.ITERATIONS,
              identical_points.IDENTICAL), _RUN, values.table_2_values),
)
