"""Figures of the conformal kernel thesis."""

from __future__ import annotations

import numpy as np

__all__ = [
    "plot_against",
    "plot_hulls",
    "plot_lines",
    "plot_magnification",
    "plot_mapped_grid",
    "plot_paths",
    "plot_placed",
    "plot_right_and_wrong",
    "plot_slacks",
    "plot_tiles",
    "plot_two_classes",
]

#: Edges and fills of the two classes, and what the thesis colours right and wrong.
POSITIVE, NEGATIVE = "#c0392b", "#1b4f9c"
RIGHT, WRONG = "#a6c8e8", "#f0a8a0"
_METHOD_COLOURS = ("black", "#d95f02", "#1b4f9c", "#4d9221", "#8c6bb1", "#777777")
_METHOD_LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
_METHOD_MARKS = "osD^vX"


def plot_two_classes(ax, X, y, *, size=6.0, support=(), title=""):
    """Patterns of two classes, positive ones as red crosses and negative ones as blue rings.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        Labels -1 and +1.
    size : float
        Of the marks, in points.
    support : sequence of int
        Rows to ring.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.plot(
        *X[y < 0].T,
        "o",
        color=NEGATIVE,
        markersize=0.7 * size,
        fillstyle="none",
        markeredgewidth=0.8,
        linestyle="",
        label="negative class",
    )
    ax.plot(
        *X[y > 0].T,
        "+",
        color=POSITIVE,
        markersize=1.3 * size,
        markeredgewidth=1.6,
        linestyle="",
        label="positive class",
    )
    if len(support):
        ax.plot(
            *X[list(support)].T,
            "o",
            color="black",
            markersize=2.2 * size,
            fillstyle="none",
            markeredgewidth=0.8,
            linestyle="",
            label="support vectors",
        )
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    return ax


def plot_tiles(ax, side, *, title=""):
    """Figure 3.1.1: the four tiles of the checkers board.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    side : float
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    half = side / 2
    for left in (-half, 0.0):
        for bottom in (-half, 0.0):
            positive = (left < 0) == (bottom < 0)
            ax.fill(
                [left, left + half, left + half, left],
                [bottom, bottom, bottom + half, bottom + half],
                color=WRONG if positive else RIGHT,
            )
            ax.text(
                left + half / 2,
                bottom + half / 2,
                "$X_+$" if positive else "$X_-$",
                ha="center",
                va="center",
                fontsize="x-large",
            )
    ax.set(
        title=title,
        xlabel="$x_1$",
        ylabel="$x_2$",
        aspect="equal",
        xlim=(-half, half),
        ylim=(-half, half),
    )
    return ax


def plot_right_and_wrong(ax, axis, decision, truth, *, title=""):
    """Figures 3.1.3, 6.3.1 and 6.3.2: where a machine is right (blue) and wrong (red).

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    axis : ndarray of shape (n,)
        Coordinates of the test grid, the same for both variables.
    decision : ndarray of shape (n^2,)
        Decision values on the grid, row by row from the bottom.
    truth : ndarray of shape (n^2,)
        Labels -1 and +1.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib.colors import ListedColormap

    n = len(axis)
    wrong = (decision > 0) != (truth > 0)
    ax.pcolormesh(
        axis,
        axis,
        wrong.reshape(n, n),
        cmap=ListedColormap([RIGHT, WRONG]),
        vmin=0,
        vmax=1,
        shading="nearest",
        rasterized=True,
    )
    if decision.min() < 0 < decision.max():
        ax.contour(axis, axis, decision.reshape(n, n), levels=[0.0], colors="black", linewidths=1.2)
    ax.axhline(0.0, color="white", linewidth=0.8, linestyle="--")
    ax.axvline(0.0, color="white", linewidth=0.8, linestyle="--")
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    return ax


def plot_lines(ax, axes, decision, *, levels=(-1.0, 0.0, 1.0), color="black", label=""):
    """Contours of a decision function: the frontier, and the support hyperplanes dashed.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    axes : (ndarray of shape (n_1,), ndarray of shape (n_2,))
        Coordinates of the lattice.
    decision : ndarray of shape (n_2, n_1)
    levels : sequence of float
        Ascending, the frontier being 0.
    color : str
    label : str
        For the legend.

    Returns
    -------
    matplotlib.axes.Axes
    """
    looks = ["-" if level == 0 else "--" for level in levels]
    ax.contour(*axes, decision, levels=list(levels), colors=color, linestyles=looks, linewidths=1.3)
    if label:
        ax.plot([], [], color=color, label=label)
    return ax


def plot_slacks(ax, X, y, ends):
    """Slack of every pattern, a grey line to where its margin begins.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    X, ends : ndarray of shape (n_samples, 2)
        Patterns, and the points of their support hyperplanes nearest to them.
    y : ndarray of shape (n_samples,)

    Returns
    -------
    matplotlib.axes.Axes
    """
    for start, end, label in zip(X, ends, y, strict=True):
        ax.plot(
            *np.array([start, end]).T,
            color=POSITIVE if label > 0 else NEGATIVE,
            linewidth=0.9,
            alpha=0.6,
        )
    return ax


def plot_hulls(ax, X, y, hulls, nearest):
    """Figure 2.2.1: the convex hulls, their nearest points, and the line between them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
    hulls : mapping of int to ndarray of shape (n_corners, 2)
        Corners in order, by label.
    nearest : ndarray of shape (2, 2)
        The nearest points.

    Returns
    -------
    matplotlib.axes.Axes
    """
    plot_two_classes(ax, X, y)
    for label, corners in hulls.items():
        ax.fill(*corners.T, color=POSITIVE if label > 0 else NEGATIVE, alpha=0.12)
    ax.plot(*nearest.T, "k-o", markersize=5, linewidth=1.5, label="nearest points")
    return ax


def plot_mapped_grid(ax, lines, *, title=""):
    """A grid of lines, or its image under a map, one family red and one blue.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    lines : sequence of two sequences of ndarray of shape (n, 2)
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for family, color in zip(lines, (POSITIVE, NEGATIVE), strict=True):
        for points in family:
            ax.plot(*points.T, color=color, linewidth=0.9)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])
    return ax


def plot_magnification(
    ax, axes, ratio, X, y, decision, *, centres=None, title="", label="$\\log_{10} R$"
):
    """Figures 4.3.1, 4.3.2 and 4.4.1: the magnification ratio, darker where it is larger.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    axes : (ndarray of shape (n_1,), ndarray of shape (n_2,))
        Coordinates of the lattice.
    ratio : ndarray of shape (n_2, n_1)
        log10 of the magnification ratio.
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
    decision : mapping of str to ndarray of shape (n_2, n_1)
        Functions whose zero is drawn, by name.
    centres : ndarray of shape (n_centres, 2), optional
        Further points to mark, such as artificial support vectors.
    title, label : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    top = np.quantile(ratio, 0.99)  # without the few cells where a transformation jumps
    low = max(ratio.min(), top - 4.0)
    drawn = ax.contourf(
        *axes, np.maximum(ratio, low), levels=np.linspace(low, top, 15), cmap="Greys", extend="max"
    )
    ax.figure.colorbar(drawn, ax=ax, label=label, shrink=0.8)
    plot_two_classes(ax, X, y, size=4.0, title=title)
    for (name, values), color, line in zip(
        decision.items(), _METHOD_COLOURS[1:], _METHOD_LINES, strict=False
    ):
        ax.contour(*axes, values, levels=[0.0], colors=[color], linestyles=[line], linewidths=1.8)
        ax.plot([], [], color=color, linestyle=line, label=name)
    if centres is not None:
        ax.plot(
            *centres.T,
            "*",
            color="#4d9221",
            markersize=5,
            linestyle="",
            label="artificial support vectors",
        )
    ax.set(xlim=axes[0][[0, -1]], ylim=axes[1][[0, -1]])
    ax.legend(fontsize="x-small", loc="upper left", frameon=True)
    return ax


def plot_placed(ax, names, samples, printed, *, xlabel, title=""):
    """Where printed values fall among regenerated ones: a row of dots a name, a diamond each.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    names : sequence of str
        From top to bottom.
    samples : mapping of str to ndarray of shape (n_draws,)
    printed : mapping of str to float
    xlabel, title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for place, name in enumerate(names):
        values = samples[name]
        ax.plot(values, np.full(len(values), float(place)), "|", color="#1b4f9c", markersize=9)
        ax.plot(np.mean(values), place, "o", color="#1b4f9c", markersize=4)
        if name in printed:
            ax.plot(printed[name], place, "D", color="#d95f02", markersize=5)
    ax.plot([], [], "|", color="#1b4f9c", label="regenerated", markersize=9)
    ax.plot([], [], "D", color="#d95f02", label="printed", linestyle="")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, title=title, xlim=(0, None))
    ax.legend(fontsize="small", loc="lower right")
    return ax


def plot_paths(ax, curves, *, xlabel, ylabel, logarithmic=(False, False), title=""):
    """Means with two standard errors against a setting, a line a name.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    curves : mapping of str to (places, means, errors)
        Each an ndarray of shape (n,).
    xlabel, ylabel : str
    logarithmic : (bool, bool)
        Whether an axis is.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for k, (name, (places, means, errors)) in enumerate(curves.items()):
        ax.errorbar(
            places,
            means,
            yerr=2 * np.asarray(errors),
            capsize=2,
            label=name,
            color=_METHOD_COLOURS[k % 6],
            linestyle=_METHOD_LINES[k % 6],
            marker=_METHOD_MARKS[k % 6],
            markersize=4,
        )
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if logarithmic[0]:
        ax.set_xscale("log")
    if logarithmic[1]:
        ax.set_yscale("log")
    ax.legend(fontsize="small")
    return ax


def plot_against(ax, groups, *, xlabel, ylabel, title="", diagonal=False):
    """Points of several groups in a plane, with the diagonal or the zero line.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    groups : mapping of str to (ndarray of shape (n,), ndarray of shape (n,))
    xlabel, ylabel, title : str
    diagonal : bool, default=False

    Returns
    -------
    matplotlib.axes.Axes
    """
    for k, (name, (x, y)) in enumerate(groups.items()):
        ax.plot(
            x,
            y,
            _METHOD_MARKS[k % 6],
            color=_METHOD_COLOURS[k % 6],
            linestyle="",
            markersize=5,
            fillstyle="none" if k >= 6 else "full",
            label=name,
        )
    if diagonal:
        low, high = ax.get_xlim()
        ax.plot([low, high], [low, high], color="black", linewidth=0.8)
    else:
        ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if groups:
        ax.legend(fontsize="small")
    return ax
