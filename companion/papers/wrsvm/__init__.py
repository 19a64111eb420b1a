"""Liu, Wu and He, "Utility-Based Weighted Multicategory Robust Support Vector Machines".

A module a table or figure; ``theory`` and ``beyond`` are about the claims in words. ``examples``
has the settings of Section 5 and how machines are tuned and tested, ``population`` what they are
worth in expectation. Both tables of simulations share ``simulation``, both figures ``regions``.
"""

from companion.papers.wrsvm import (
    beyond,
    fig_1,
    fig_2,
    table_1,
    table_2,
    table_3,
    theory,
)
from companion.papers.wrsvm.examples import PAPER
from companion.reproduction import Artefact
from companion.reproduction.values import artefacts

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: utilities, and a loss with a limit"),
    *artefacts(
        PAPER,
        (fig_1, "Figure 1: linear boundaries for three utility matrices"),
        (fig_2, "Figure 2: kernel boundaries for three utility matrices"),
        (table_1, "Table 1: utilities of WSVM and WRSVM in Example 2"),
        (table_2, "Table 2: utilities of WSVM and WRSVM in Example 3"),
        (table_3, "Table 3: predictions for handwritten digits"),
        (theory, "Theorem 3.1, (9), the cost form (4) and the DC algorithm"),
        (beyond, "Is logistic regression as good, and where to truncate?"),
    ),
)
