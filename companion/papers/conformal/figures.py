"""What Figures 3.1.2 to 6.3.2 show on a draw of the checkers board, computed when it is drawn."""

from __future__ import annotations

import numpy as np

from companion.papers.conformal import problems
from companion.papers.conformal.baselines import BASELINES, pvgs
from companion.papers.conformal.experiments import CONFORMAL, SVM, Part


def grid_axis():
    """Coordinates of the test grid, the same for both variables.

    Returns
    -------
    ndarray of shape (GRID,)
    """
    return problems.SIDE * ((np.arange(problems.GRID) + 0.5) / problems.GRID - 0.5)


def decisions(draw, methods):
    """Decision values on the test grid of some methods on one draw.

    Parameters
    ----------
    draw : int
    methods : sequence of str
        "SVM", "PVGS", or names of the tables.

    Returns
    -------
    dict of str to ndarray of shape (n_test,)
    """
    problem = problems.board(draw)
    part, values = Part(problem), {}
    for name in methods:
        if name == SVM:
            values[name] = part.plain_decision()
        elif name in CONFORMAL:
            values[name] = part.decision(part.transformed(*CONFORMAL[name]))
        elif name == "PVGS":
            values[name] = pvgs(problem)[0].decision_function(problem.X_test)
        else:
            values[name] = BASELINES[name](problem).decision_function(problem.X_test)
    return values
