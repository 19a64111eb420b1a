"""Figures of the Least 1-Norm SVM paper."""

from __future__ import annotations

import numpy as np

from companion.plotting.common import MACHINE_STYLES

__all__ = ["TOY_LEVELS", "TOY_TICKS", "plot_influence", "plot_surface", "plot_toy_machine"]

#: Contour levels and tick marks of Figure 1 of the Least 1-Norm paper.
TOY_LEVELS = (-1.0, 0.0, 1.0)
TOY_TICKS = {"x": (0.0, 5.0, 10.0), "y": (-2.0, 0.0, 2.0, 4.0)}


def plot_toy_machine(ax, X, y, w, b, *, flipped=(), title="", limits=None):
    """One panel of Figure 1: the points, and the contours of ``w'x + b`` at -1, 0 and 1.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        Labels -1 and +1.
    w : ndarray of shape (2,)
    b : float
    flipped : sequence of int
        Rows whose label was switched; they are ringed.
    title : str
    limits : ((float, float), (float, float)), optional
        Of x and y; by default those of the printed figure, with its ticks.

    Returns
    -------
    matplotlib.axes.Axes
    """
    for label, marker, color in ((1, "+", "#1b4f9c"), (-1, "x", "#d95f02")):
        ax.plot(*X[y == label].T, marker, color=color, label=f"class {label:+d}")
    if len(flipped):
        ax.plot(
            *X[list(flipped)].T,
            "o",
            markersize=13,
            fillstyle="none",
            color="black",
            label="switched",
        )
    (left, right), (bottom, top) = limits or ((-3, 10), (-3, 5))
    xx, yy = np.meshgrid(np.linspace(left, right, 60), np.linspace(bottom, top, 60))
    lines = ax.contour(
        xx,
        yy,
        w[0] * xx + w[1] * yy + b,
        levels=sorted(TOY_LEVELS),
        colors="black",
        linestyles=["dashed", "solid", "dashdot"],
    )
    ax.clabel(lines, fmt="%g")
    ax.set(xlim=(left, right), ylim=(bottom, top), xlabel="x", ylabel="y", title=title)
    if limits is None:
        ax.set(xticks=TOY_TICKS["x"], yticks=TOY_TICKS["y"])
    return ax


def plot_influence(ax, distance, curves, errors, *, ylabel, title=""):
    """Mean over the draws against the outlier's distance, one curve a machine.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    distance : ndarray of shape (n_distances,)
    curves, errors : mapping of str to ndarray of shape (n_distances,)
        Means and standard errors, keyed by machine.
    ylabel, title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for machine, mean in curves.items():
        ax.errorbar(
            distance,
            mean,
            errors[machine],
            markersize=4,
            capsize=2,
            label=machine,
            **MACHINE_STYLES[machine],
        )
    ax.set_xscale("symlog", linthresh=1)
    ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    ax.set(
        xlabel="distance of the outlier from the centre of the other class",
        ylabel=ylabel,
        title=title,
    )
    ax.legend(fontsize="small")
    return ax


def plot_surface(ax, table, *, label, marks=(), title="", ratio=False):
    """A quantity over the grid of log10 C and log10 sigma.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : DataFrame
        Indexed by log10 C with a column for each log10 sigma.
    label : str
        What the colours mean.
    marks : sequence of (label, log10_C, log10_sigma, marker)
        Points to show on the surface.
    title : str
    ratio : bool
        The quantity is a ratio: colours on both sides of 1, on a logarithmic scale, and a line
        at 1.

    Returns
    -------
    matplotlib.axes.Axes
    """
    values = table.to_numpy()
    if ratio:
        reach = np.ceil(10 * np.abs(np.log2(values)).max()) / 10
        drawn = ax.contourf(
            table.columns,
            table.index,
            np.log2(values),
            cmap="PuOr_r",
            levels=np.linspace(-reach, reach, 21),
        )
        ax.contour(table.columns, table.index, values, levels=[1.0], colors="black")
        bar = ax.figure.colorbar(drawn, ax=ax, label=label, ticks=[-reach, 0, reach])
        bar.ax.set_yticklabels([f"{2**-reach:.2g}", "1", f"{2**reach:.3g}"])
    else:
        drawn = ax.contourf(table.columns, table.index, values, levels=12, cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label=label)
    for name, log10_C, log10_sigma, marker in marks:
        ax.plot(
            log10_sigma,
            log10_C,
            marker,
            color="white",
            markeredgecolor="black",
            markersize=10,
            label=name,
            clip_on=False,
            zorder=3,
        )
    ax.set(xlabel=r"$\log_{10} \sigma$", ylabel=r"$\log_{10} C$", title=title)
    return ax
