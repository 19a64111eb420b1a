"""Barbero, "SVM imbalance correction by conformal kernel transformations", thesis of 2008.

One module an artefact: what it computes, the values it compares with print, its tables and figure.
They share ``problems`` (data and settings), ``methods`` and today's ``baselines``, ``g_means`` of
their records, and ``drawing``; the studies of ``beyond`` stand in ``beyond_studies``.
"""

from companion.papers.conformal import (
    background,
    beyond,
    checkers,
    criterion,
    magnification,
    real_sets,
)
from companion.reproduction import RUN_PARAMETERS, Artefact, Parameter

_MACHINE = (
    Parameter("C", float, 10.0, "cost of a slack", low=1e-3, high=1e5),
    Parameter(
        "width", float, 50.0, "2 sigma^2 of the Gaussian kernel", low=0.05, high=1e5
    ),
)
BACKGROUND = (
    Parameter(
        "problem",
        int,
        1,
        "the random problem and sample shown, 1 to 20",
        low=1,
        high=20,
    ),
    Parameter(
        "distance",
        float,
        0.5,
        "half the distance of the class centres",
        low=0.1,
        high=2.5,
    ),
    Parameter("C", float, 10.0, "cost of a slack", low=1e-3, high=1e6),
    Parameter("height", float, 1.0, "height of the bump of c", low=0.0, high=100.0),
)
MAGNIFICATION = (
    Parameter("scene", int, 1, "the scene drawn, 1 to 20", low=1, high=20),
    Parameter("n_rare", int, 12, "examples of the rare class used", low=2, high=12),
    _MACHINE[0],
    Parameter(
        "width", float, 1.0, "2 sigma^2 of the Gaussian kernel", low=0.05, high=100.0
    ),
)
CHECKERS = (
    Parameter("draw", int, 1, "which draw of the board", low=1),
    Parameter("n_positive", int, 20, "examples of the rare class", low=4, high=2000),
    Parameter("n_negative", int, 2000, "examples of the other class", low=4, high=4000),
    *_MACHINE,
)


def _artefact(module, title, *parameters):
    name = module.__name__.rpartition(".")[2]
    parameters = (*parameters, *RUN_PARAMETERS)
    return Artefact(
        "conformal", name, title, module.STUDIES, parameters, module.reproduced_values
    )


METHOD = (
    *_MACHINE,
    Parameter("tau", float, 3.5, "width of the transformation", low=0.01, high=100.0),
    Parameter("steps", int, 5, "how many transformations", low=1, high=20),
    Parameter("n_positive", int, 20, "examples of the rare class", low=2, high=2000),
    Parameter("n_negative", int, 500, "examples of the other class", low=2, high=2000),
    Parameter("draw", int, 1, "which draw of the board", low=1),
)

_SETS = tuple(real_sets.SETS)
_PARTITION = Parameter("partition", int, 1, "the partition, 1 to 20", low=1, high=20)

ARTEFACTS = (
    Artefact(
        "conformal",
        "method",
        "The method: stretch the space where the boundary is",
        parameters=METHOD,
    ),
    _artefact(
        background, "Chapters 2 and 3: hulls, slacks, kernels and metrics", *BACKGROUND
    ),
    _artefact(
        magnification,
        "Chapter 4 and Figure 5.3.1: where the transformations magnify",
        *MAGNIFICATION,
    ),
    _artefact(checkers, "Table 6.3.1: the checkers board", *CHECKERS),
    _artefact(
        real_sets,
        "Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets",
        Parameter("data_set", str, "Hepatitis", "the set shown", choices=_SETS),
        _PARTITION,
        *_MACHINE,
    ),
    _artefact(
        criterion,
        "Sections 4.6 and 5.2: the separability criterion",
        Parameter("data_set", str, "Ionosphere", "the set shown", choices=_SETS),
        _PARTITION,
        *_MACHINE,
    ),
    _artefact(
        beyond,
        "What the transformations are worth, and why",
        Parameter(
            "transform",
            str,
            "amari",
            "the function c: amari or act",
            choices=("amari", "act"),
        ),
        Parameter("draw", int, 1, "which draw of the board", low=1, high=1000),
        *_MACHINE,
    ),
)
