"""What is computed when a figure is drawn.

The pictures of chapters 2 and 3 first; then what Figures 3.1.2 to 6.3.2 show on a draw of the
checkers board.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from companion.papers.conformal import problems
from companion.papers.conformal.background import conformal_map
from companion.papers.conformal.baselines import BASELINES, pvgs
from companion.papers.conformal.experiments import CONFORMAL, SVM, Part


def hulls(X, y):
    """Corners of the convex hull of each class in order, by label.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1 and +1.

    Returns
    -------
    dict of int to ndarray of shape (n_corners, 2)
    """
    corners = {}
    for label in (1, -1):
        own = X[y == label]
        corners[label] = own[ConvexHull(own).vertices]
    return corners


def parabola_sample():
    """Figure 2.1.5: points of a line, the positive ones between, and their images (x, x^2).

    Returns
    -------
    x, y : ndarray of shape (11,)
    image : ndarray of shape (11, 2)
    """
    x = np.array([-2.4, -2.0, -1.6, -0.8, -0.4, 0.1, 0.5, 0.9, 1.7, 2.1, 2.5])
    y = np.where(np.abs(x) < 1.2, 1.0, -1.0)
    return x, y, np.column_stack([x, x**2])


def mapped_grid(n_lines=13, n_points=200):
    """Figure 3.3.2: a grid of the plane and its image under a conformal map.

    Parameters
    ----------
    n_lines : int, default=13
    n_points : int, default=200
        Points of a line.

    Returns
    -------
    grid, image : list of two lists of ndarray of shape (n_points, 2)
        Lines of constant imaginary part, and of constant real part.
    """
    grid, image = [[], []], [[], []]
    run = np.linspace(-1.5, 1.5, n_points)
    for at in np.linspace(-1.5, 1.5, n_lines):
        for k, z in enumerate((run + 1j * at, at + 1j * run)):
            grid[k].append(np.column_stack([z.real, z.imag]))
            w = conformal_map(z)
            image[k].append(np.column_stack([w.real, w.imag]))
    return grid, image


def circle_chart(n=200):
    """Figure 3.3.1: the circle, an arc with its chord, and the arc's angle as its chart.

    Parameters
    ----------
    n : int, default=200
        Points of the circle, and of the arc.

    Returns
    -------
    circle, arc : ndarray of shape (n, 2)
    length, chord : float
        Riemannian length of the arc, added up from small chords, and the Euclidean distance.
    """
    turn, part = np.linspace(0, 2 * np.pi, n), np.linspace(0.3, 1.6, n)
    circle, arc = (np.column_stack([np.cos(t), np.sin(t)]) for t in (turn, part))
    length = float(np.linalg.norm(np.diff(arc, axis=0), axis=1).sum())
    return circle, arc, length, float(np.linalg.norm(arc[-1] - arc[0]))


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
