"""López and Dorronsoro, "Least 1-Norm SVMs: a New SVM Variant between Standard and LS-SVMs".

``machines`` holds the four boxes and the settings; every other module is a printed table or figure.
"""

from companion.papers.l1nsvm import beyond, fig_1, table_1, table_2
from companion.papers.l1nsvm.machines import PAPER, SETTINGS
from companion.papers.summaries import artefacts
from companion.reproduction import Artefact, Parameter

DRAW = Parameter(
    "draw", int, 1, "which draw of the random problem, 1 to 1000", low=1, high=1000
)
COST = Parameter("C", float, 1.0, "cost of a slack", low=1e-3, high=1e3)
FLIPS = Parameter(
    "rule", str, "one_per_class", "which two labels are switched", tuple(fig_1.RULES)
)
SPLIT = (
    Parameter(
        "dataset",
        str,
        "titanic",
        "the data set of the fit in plain sight",
        tuple(SETTINGS),
    ),
    Parameter(
        "split",
        int,
        1,
        "its split into training and test rows, 1 to 100",
        low=1,
        high=100,
    ),
    COST,
    Parameter("sigma", float, 1.0, "width of the kernel", low=1e-3, high=1e6),
)

BEYOND = (
    Parameter(
        "share",
        float,
        0.2,
        "share of the labels that are switched",
        choices=fig_1.SHARES,
    ),
    Parameter(
        "far", float, 10.0, "distance of the one outlier", choices=fig_1.PLACED_AT
    ),
)

METHOD = (
    COST,
    Parameter("distance", float, 5.0, "how far out the outlier is", low=0.0, high=1e3),
    Parameter("angle", float, 90.0, "the direction in which it lies, in degrees"),
    Parameter("draw", int, 1, "which draw of the two classes", low=1),
)

ARTEFACTS = (
    Artefact(
        PAPER,
        "method",
        "The method: equalities with the sum of slacks",
        parameters=METHOD,
    ),
    *artefacts(
        PAPER,
        (table_1, "Table 1: types of SVMs by slacks and constraints", COST, DRAW),
        (fig_1, "Figure 1: contours with and without outliers", FLIPS, COST, DRAW),
        (table_2, "Table 2: errors, support vectors and iterations", *SPLIT),
        (
            beyond,
            "Section 4 beyond the print: more outliers, genuine splits",
            *BEYOND,
            COST,
            DRAW,
        ),
    ),
)
