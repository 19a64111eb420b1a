"""Navia-Vázquez et al., "Advantages of Unbiased Support Vector Classifiers for Data Mining".

``machines`` holds the settings and ``splits`` the data. ``fig_1``, ``table_1``, ``fig_3_4``,
``linear`` (Tables 2 and 4), ``table_3``, ``benefit`` and ``beyond`` are what is computed.
``values`` and ``claims`` turn records into the printed numbers and the sentences, ``tables`` and
``beyond_tables`` into what stands beside them.
"""

from companion.papers.usvc import (
    benefit,
    beyond,
    claims,
    fig_1,
    fig_3_4,
    linear,
    table_1,
    table_3,
    values,
)
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

_TRIAL = Parameter("trial", int, 1, "the trial shown, 1 to 100", low=1, high=100)

ARTEFACTS = (
    Artefact(
        "usvc",
        "fig_1",
        "Figures 1 and 2: the losses, and cases A and B",
        (fig_1.FIG_1_LOSSES, fig_1.FIG_1_CASES),
        RUN_PARAMETERS,
        values.fig_1_values,
    ),
    Artefact(
        "usvc",
        "table_1",
        "Table 1: a linear classifier on cases A and B",
        (table_1.TABLE_1, table_1.TABLE_1_PLAIN, table_1.TABLE_1_ORDER),
        RUN_PARAMETERS,
        values.table_1_values,
    ),
    Artefact(
        "usvc",
        "fig_3_4",
        "Figures 3 and 4: error surfaces, profiles and convergence",
        (fig_3_4.FIG_3_4, fig_3_4.FIG_3_4_CONVERGENCE),
        (*RUN_PARAMETERS, _TRIAL),
        values.fig_3_4_values,
    ),
    Artefact(
        "usvc",
        "table_2",
        "Table 2: linear machines on real data",
        (linear.TABLE_2,),
        RUN_PARAMETERS,
        values.table_2_values,
    ),
    Artefact(
        "usvc",
        "table_3",
        "Table 3: RBF machines and their sizes",
        (table_3.TABLE_3,),
        RUN_PARAMETERS,
        values.table_3_values,
    ),
    Artefact(
        "usvc",
        "table_4",
        "Table 4: linear machines on biomedical data",
        (linear.TABLE_4,),
        RUN_PARAMETERS,
        values.table_4_values,
    ),
    Artefact(
        "usvc",
        "beyond",
        "Sections 3.1 and 5: when it pays, unequal costs, false alarms",
        (
            benefit.BENEFIT_SIZE,
            benefit.BENEFIT_WIDTH,
            beyond.BEYOND_COSTS,
            beyond.BEYOND_FALSE_ALARMS,
        ),
        RUN_PARAMETERS,
        claims.beyond_values,
    ),
)
