"""Barbero, "SVM imbalance correction by conformal kernel transformations", thesis of 2008.

One module an artefact: what it computes, the values it compares with print, its tables and figure.
They share ``problems`` (data and settings), ``methods`` and today's ``baselines``, ``comparisons``
of their errors, and ``drawing``; the studies of ``beyond`` stand in ``beyond_studies``.
"""

from companion.papers.conformal import (
    background,
    beyond,
    beyond_studies,
    checkers,
    criterion,
    magnification,
    real_sets,
)
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

_DRAW = Parameter("draw", int, 1, "the draw of the board shown, 1 to 20", low=1, high=20)
_SCENE = Parameter("scene", int, 1, "the scene drawn, 1 to 20", low=1, high=20)


def _artefact(module, title, studies, *parameters):
    name = module.__name__.rpartition(".")[2]
    parameters = (*RUN_PARAMETERS, *parameters)
    return Artefact("conformal", name, title, studies, parameters, module.reproduced_values)


ARTEFACTS = (
    _artefact(
        background, "Chapters 2 and 3: hulls, slacks, kernels and metrics", (background.STATEMENTS,)
    ),
    _artefact(
        magnification,
        "Chapter 4 and Figure 5.3.1: where the transformations magnify",
        (magnification.SCENES, magnification.FORMULA, magnification.DISPLACEMENTS),
        _SCENE,
    ),
    _artefact(checkers, "Table 6.3.1: the checkers board", (checkers.BOARD,), _DRAW),
    _artefact(
        real_sets,
        "Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets",
        (real_sets.FOLDS, real_sets.SIZES),
    ),
    _artefact(
        criterion,
        "Sections 4.6 and 5.2: the separability criterion",
        (criterion.IDENTITIES, criterion.SEARCHES),
    ),
    _artefact(
        beyond,
        "What the transformations are worth, and why",
        (
            real_sets.FOLDS,
            checkers.BOARD,
            beyond_studies.WIDTHS,
            beyond_studies.FORCED,
            beyond_studies.SHIFT,
            beyond_studies.ASTERISKS,
            beyond_studies.UNITS,
        ),
    ),
)
