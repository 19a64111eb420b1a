"""Navia-Vázquez et al., "Advantages of Unbiased Support Vector Classifiers for Data Mining".

``cases`` has the settings of cases A and B, ``splits`` the real data, ``linear`` the machines of
Tables 2 and 4, ``paired_errors`` what Tables 2 to 4 compare, ``benefit`` a part of ``beyond``.
"""

from companion.papers.summaries import artefacts
from companion.papers.usvc import (
    beyond,
    fig_1,
    fig_3_4,
    starts,
    table_1,
    table_2,
    table_3,
    table_4,
)
from companion.papers.usvc.cases import PAPER
from companion.reproduction import Artefact

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: a cost that counts errors"),
    *artefacts(
        PAPER,
        (fig_1, "Figures 1 and 2: the losses, and cases A and B"),
        (table_1, "Table 1: a linear classifier on cases A and B"),
        (starts, "Table 1: what start, stop, order and cost change"),
        (fig_3_4, "Figures 3 and 4: error surfaces, profiles and convergence"),
        (table_2, "Table 2: linear machines on real data"),
        (table_3, "Table 3: RBF machines and their sizes"),
        (table_4, "Table 4: linear machines on biomedical data"),
        (beyond, "Sections 3.1 and 5: when it pays, unequal costs, false alarms"),
    ),
)
