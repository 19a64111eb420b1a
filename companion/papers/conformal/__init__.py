"""Barbero, "SVM imbalance correction by conformal kernel transformations", thesis of 2008.

One module an artefact: what it computes, the values it compares with print, its tables. They share
``problems`` (data and settings), ``methods``, today's ``baselines`` and ``g_means`` of their
records. ``magnification`` is a part of ``background`` and ``criterion`` of ``beyond``; modules that
end in ``_studies`` hold the studies of others, and ``causes`` what might have made the print.
``figures`` and ``teaching`` are what the notebooks draw, with the looks of ``drawing``.
"""

from companion.papers.conformal import background, beyond, checkers, real_sets, today
from companion.papers.conformal.problems import PAPER
from companion.reproduction import Artefact
from companion.reproduction.values import artefacts

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: stretch the space where the boundary is"),
    *artefacts(
        PAPER,
        (today, "A rare class today"),
        (
            background,
            "Chapters 2 to 4: hulls, kernels, metrics, and where the transformations magnify",
        ),
        (checkers, "Table 6.3.1: the checkers board"),
        (real_sets, "Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets"),
        (beyond, "What the transformations are worth, and why"),
    ),
)
