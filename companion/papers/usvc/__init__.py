"""Navia-Vázquez et al., "Advantages of Unbiased Support Vector Classifiers for Data Mining".

A module a table or figure; ``benefit`` is about Section 3.1. ``cases`` has the settings of cases A
and B, ``splits`` the real data, ``linear`` the machines of Tables 2 and 4, ``boosting`` those of
Table 3, ``paired_errors`` what Tables 2 to 4 compare.
"""

from companion.papers.usvc import (
    benefit,
    fig_1,
    fig_3_4,
    table_1,
    table_2,
    table_3,
    table_4,
)
from companion.papers.usvc.cases import PAPER
from companion.reproduction import Artefact
from companion.reproduction.values import artefacts

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: a cost that counts errors"),
    *artefacts(
        PAPER,
        (fig_1, "Figures 1 and 2: the losses, and cases A and B"),
        (table_1, "Table 1: a linear classifier on cases A and B"),
        (fig_3_4, "Figures 3 and 4: error surfaces, profiles and convergence"),
        (table_2, "Table 2: linear machines on real data"),
        (table_3, "Table 3: RBF machines and their sizes"),
        (table_4, "Table 4: linear machines on biomedical data"),
        (benefit, "Section 3.1: when it pays"),
    ),
)
