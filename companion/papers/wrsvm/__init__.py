"""Liu, Wu and He, "Utility-Based Weighted Multicategory Robust Support Vector Machines".

``examples`` holds the settings, ``simulation`` (Tables 1 and 2), ``table_3`` and ``figures`` what
is computed, ``values`` how records become the printed numbers and the claims, ``tables`` what the
notebooks show beside them. ``theory``, ``beyond`` (with ``population``), ``exact`` and
``five_classes`` are what is computed about the claims in words, with ``claims`` and
``claim_tables`` for their records.
"""

from companion.papers.wrsvm import (
    beyond,
    claims,
    exact,
    figures,
    five_classes,
    simulation,
    table_3,
    theory,
    values,
)
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter


def _sample(figure):
    last = figures.N_SAMPLES[figure]["paper"]
    return Parameter("sample", int, 1, f"the sample drawn, 1 to {last}", low=1, high=last)


ARTEFACTS = (
    Artefact(
        "wrsvm",
        "fig_1",
        "Figure 1: linear boundaries for three utility matrices",
        (figures.FIG_1,),
        (*RUN_PARAMETERS, _sample("fig_1")),
        values.fig_1_values,
    ),
    Artefact(
        "wrsvm",
        "fig_2",
        "Figure 2: kernel boundaries for three utility matrices",
        (figures.FIG_2,),
        (*RUN_PARAMETERS, _sample("fig_2")),
        values.fig_2_values,
    ),
    Artefact(
        "wrsvm",
        "table_1",
        "Table 1: utilities of WSVM and WRSVM in Example 2",
        (simulation.TABLE_1,),
        RUN_PARAMETERS,
        values.table_1_values,
    ),
    Artefact(
        "wrsvm",
        "table_2",
        "Table 2: utilities of WSVM and WRSVM in Example 3",
        (simulation.TABLE_2,),
        RUN_PARAMETERS,
        values.table_2_values,
    ),
    Artefact(
        "wrsvm",
        "table_3",
        "Table 3: predictions for handwritten digits",
        (table_3.TABLE_3,),
        RUN_PARAMETERS,
        values.table_3_values,
    ),
    Artefact(
        "wrsvm",
        "theory",
        "Theorem 3.1, (9), the cost form (4) and the DC algorithm",
        (theory.THEORY_THEOREM, theory.THEORY_EQUALITY, theory.THEORY_FORMS),
        RUN_PARAMETERS,
        claims.theory_values,
    ),
    Artefact(
        "wrsvm",
        "beyond",
        "Why truncation helps, global minima, baselines, more classes",
        (
            beyond.BEYOND_TRUNCATION,
            beyond.BEYOND_BASELINES,
            beyond.BEYOND_KERNEL,
            beyond.BEYOND_LEVELS,
            beyond.BEYOND_TABLE_3,
            five_classes.BEYOND_FIVE,
            exact.BEYOND_EXACT,
        ),
        RUN_PARAMETERS,
        claims.beyond_values,
    ),
)
