"""Barbero, "SVM imbalance correction by conformal kernel transformations", thesis of 2008.

One module an artefact: what it computes, the values it compares with print, its tables. They share
``problems`` (data and settings), ``methods``, today's ``baselines`` and ``g_means`` of their
records. ``beyond_studies`` and ``today_studies`` hold the studies of ``beyond``, ``criterion`` and
``today``; ``figures`` and ``teaching`` are what the notebooks draw, with the looks of ``drawing``.
"""

from companion.papers.conformal import (
    background,
    beyond,
    checkers,
    criterion,
    magnification,
    real_sets,
    today,
)
from companion.papers.conformal.problems import PAPER
from companion.reproduction import Artefact
from companion.reproduction.values import artefacts

ARTEFACTS = (
    Artefact(PAPER, "method", "The method: stretch the space where the boundary is"),
    *artefacts(
        PAPER,
        (background, "Chapters 2 and 3: hulls, slacks, kernels and metrics"),
        (
            magnification,
            "Chapter 4 and Figure 5.3.1: where the transformations magnify",
        ),
        (checkers, "Table 6.3.1: the checkers board"),
        (real_sets, "Tables 6.2.1, 6.3.2 and 6.3.3: seven real sets"),
        (
            criterion,
            "Sections 4.6 and 5.2: the separability criterion and its searches",
        ),
        (beyond, "What the transformations are worth, and why"),
        (today, "A rare class today"),
    ),
)
