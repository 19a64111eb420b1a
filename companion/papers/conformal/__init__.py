"""Barbero, "SVM imbalance correction by conformal kernel transformations", thesis of 2008.

``problems`` holds data and settings, ``baselines`` what a user would take today. ``experiments``
computes Tables 6.3.1 to 6.3.3; ``background``, ``magnification``, ``criterion``, ``studies`` and
``units`` what the other chapters say. ``values`` and ``claims`` turn records into the printed
numbers and the sentences, ``tables``, ``claim_tables`` and ``beyond_tables`` into what stands
beside them; ``figures`` computes what is drawn.
"""

from companion.papers.conformal import (
    background,
    claims,
    criterion,
    experiments,
    magnification,
    sizes,
    studies,
    units,
    values,
)
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

_DRAW = Parameter("draw", int, 1, "the draw of the board shown, 1 to 20", low=1, high=20)
_SCENE = Parameter("scene", int, 1, "the scene drawn, 1 to 20", low=1, high=20)

ARTEFACTS = (
    Artefact(
        "conformal",
        "background",
        "Chapters 2 and 3: hulls, slacks, kernels and metrics",
        (background.STATEMENTS,),
        RUN_PARAMETERS,
        claims.background_values,
    ),
    Artefact(
        "conformal",
        "magnification",
        "Chapter 4 and Figure 5.3.1: where the transformations magnify",
        (magnification.SCENES, magnification.FORMULA, magnification.DISPLACEMENTS),
        (*RUN_PARAMETERS, _SCENE),
        claims.magnification_values,
    ),
    Artefact(
        "conformal",
        "checkers",
        "Table 6.3.1: the checkers board",
        (experiments.BOARD,),
        (*RUN_PARAMETERS, _DRAW),
        values.checkers_values,
    ),
    Artefact(
        "conformal",
        "real_sets",
        "Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets",
        (experiments.FOLDS, sizes.SIZES),
        RUN_PARAMETERS,
        values.real_values,
    ),
    Artefact(
        "conformal",
        "criterion",
        "Sections 4.6 and 5.2: the separability criterion",
        (criterion.IDENTITIES, criterion.SEARCHES),
        RUN_PARAMETERS,
        claims.criterion_values,
    ),
    Artefact(
        "conformal",
        "beyond",
        "What the transformations are worth, and why",
        (
            experiments.FOLDS,
            experiments.BOARD,
            studies.WIDTHS,
            studies.FORCED,
            studies.SHIFT,
            studies.ASTERISKS,
            units.UNITS,
        ),
        RUN_PARAMETERS,
        claims.beyond_values,
    ),
)
