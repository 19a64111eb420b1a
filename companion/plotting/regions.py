"""Regions of three classes in the plane: the figures of the weighted robust SVM."""

from __future__ import annotations

import numpy as np

__all__ = ["plot_boundaries", "plot_regions"]

#: Fill and edge of each class.
CLASS_COLORS = (("#c6dbef", "#1b4f9c"), ("#fdd0a2", "#d95f02"), ("#c7e9c0", "#276419"))
_MARKERS = ("o", "s", "^")
_LINES = ("-", (0, (6, 1.5)), "--", "-.", ":")


def plot_boundaries(ax, axis, machines, *, title=""):
    """One panel of Figure 1: where the predicted class changes, one line style a machine.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    axis : ndarray of shape (n_points,)
        Coordinates of the lattice, the same for both variables.
    machines : mapping of str to ndarray of shape (n_points^2, 3)
        Values of f on the lattice, row by row from the bottom, keyed by what the legend says.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib import colormaps

    size = len(axis)
    for k, (name, values) in enumerate(machines.items()):
        color = colormaps["viridis"](0.9 * k / max(len(machines) - 1, 1))
        look = {"linestyle": _LINES[k % len(_LINES)], "linewidth": 1.6}
        for j in range(values.shape[1]):
            lead = values[:, j] - np.delete(values, j, axis=1).max(axis=1)
            ax.contour(
                axis,
                axis,
                lead.reshape(size, size),
                levels=[0.0],
                colors=[color],
                linestyles=[look["linestyle"]],
                linewidths=look["linewidth"],
            )
        ax.plot([], [], color=color, label=name, **look)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", title=title, aspect="equal")
    ax.legend(fontsize="small", loc="lower right", frameon=True)
    return ax


def plot_regions(ax, axis, values, X=None, y=None, *, title=""):
    """One panel of Figure 2: the region of every class, and a sample.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    axis : ndarray of shape (n_points,)
    values : ndarray of shape (n_points^2, 3)
        As in :func:`plot_boundaries`.
    X : ndarray of shape (n_samples, 2), optional
    y : ndarray of int of shape (n_samples,), optional
        Classes 0, 1, 2.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib.colors import ListedColormap

    fills = ListedColormap([fill for fill, _ in CLASS_COLORS])
    predicted = values.argmax(axis=1).reshape(len(axis), len(axis))
    ax.pcolormesh(
        axis, axis, predicted, cmap=fills, vmin=0, vmax=2, shading="nearest", rasterized=True
    )
    if X is not None:
        for j, (_, edge) in enumerate(CLASS_COLORS):
            ax.plot(
                *X[y == j].T,
                _MARKERS[j],
                color=edge,
                markersize=2.2,
                fillstyle="none",
                markeredgewidth=0.5,
                linestyle="",
            )
    ax.set(title=title, aspect="equal", xlim=axis[[0, -1]], ylim=axis[[0, -1]])
    return ax
