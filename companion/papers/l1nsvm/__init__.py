"""López and Dorronsoro, "Least 1-Norm SVMs: a New SVM Variant between Standard and LS-SVMs".

``machines`` holds the four boxes and the settings, ``table_2_studies`` and ``identical_points`` are
what is computed for Table 2; every other module is a printed table or figure.
"""

from companion.papers.l1nsvm import beyond, fig_1, iterations, table_1, table_2
from companion.papers.l1nsvm.machines import PAPER
from companion.reproduction import Artefact
from companion.reproduction.values import artefacts

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: equalities with the sum of slacks"),
    *artefacts(
        PAPER,
        (table_1, "Table 1: types of SVMs by slacks and constraints"),
        (fig_1, "Figure 1: contours with and without outliers"),
        (table_2, "Table 2: errors, support vectors and iterations"),
        (iterations, "Sections 4 and 5: which machine is faster"),
        (beyond, "Section 4 beyond the print: more outliers"),
    ),
)
