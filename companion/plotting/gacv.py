"""Figures of the GACV report."""

from __future__ import annotations

import numpy as np

from companion.plotting.common import style_of

__all__ = ["plot_criterion", "plot_decision_curves", "plot_minima"]


def plot_decision_curves(ax, X, y, axes, curves, boundary, *, title=""):
    """One panel of Figure 1 of the GACV report: the sample, the true curve, the tuned ones.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        Labels -1 and +1.
    axes : (ndarray of shape (n_1,), ndarray of shape (n_2,))
        Coordinates of the grid that the decision values stand on.
    curves : mapping of str to ndarray of shape (n_2, n_1)
        Decision values, keyed by criterion; drawn where they are zero.
    boundary : ndarray of shape (n_1,)
        x2 of the true curve.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for label, marker, color in ((1, "+", "#4393c3"), (-1, "o", "#f4a582")):
        ax.plot(
            *X[y == label].T,
            marker,
            color=color,
            markersize=5,
            fillstyle="none",
            label=f"class {'+' if label > 0 else '-'}",
        )
    ax.plot(axes[0], boundary, color="black", linewidth=2, label="true")
    for name, values in curves.items():
        look = style_of(name)
        drawn = {"colors": look["color"], "linestyles": [look["linestyle"]], "linewidths": 1.8}
        ax.contour(*axes, values, levels=[0.0], **drawn)
        ax.plot([], [], color=look["color"], linestyle=look["linestyle"], label=name)
    ax.set(
        xlabel="$x_1$", ylabel="$x_2$", title=title, xlim=axes[0][[0, -1]], ylim=axes[1][[0, -1]]
    )
    ax.legend(fontsize="small", loc="upper left")
    return ax


def plot_criterion(ax, lam, sigma, values, *, marks=(), title=""):
    """Contours of a criterion over lambda and sigma^2, both axes logarithmic.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    lam : ndarray of shape (n_lambda,)
    sigma : ndarray of shape (n_sigma,)
    values : ndarray of shape (n_sigma, n_lambda)
    marks : sequence of (label, lambda, sigma)
        Minima to show, each with the style of its criterion.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    low = values.min()
    # dense near the minimum, where the question is, and up to twice of it
    levels = low * (1 + np.array([0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0]))
    x, z = np.log10(lam), 2 * np.log10(sigma)
    drawn = ax.contourf(x, z, values, levels=levels, cmap="viridis_r", extend="max")
    ax.contour(x, z, values, levels=levels[1:], colors="white", linewidths=0.4)
    bar = ax.figure.colorbar(drawn, ax=ax, ticks=levels[[0, 4, 6, 7, 8, 10]])
    bar.ax.set_yticklabels([f"{level:.3g}" for level in levels[[0, 4, 6, 7, 8, 10]]])
    for name, where, width in marks:
        look = style_of(name)
        ax.plot(
            np.log10(where),
            2 * np.log10(width),
            look["marker"],
            color=look["color"],
            markeredgecolor="white",
            markersize=9,
            linestyle="",
            label=name,
            zorder=3,
        )
    ax.set(xlabel=r"$\log_{10} \lambda$", ylabel=r"$\log_{10} \sigma^2$", title=title)
    if marks:
        ax.legend(fontsize="x-small", loc="upper right", frameon=True)
    return ax


def plot_minima(ax, minima, *, title="", limits=None):
    """Where the criteria have their minima, a point a sample, and the mean with its error.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    minima : mapping of str to ndarray of shape (n_samples, 2)
        log10 lambda and log10 sigma^2, keyed by criterion.
    title : str
    limits : ((float, float), (float, float)), optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    for name, points in minima.items():
        look = style_of(name)
        ax.plot(*points.T, look["marker"], color=look["color"], alpha=0.25, markersize=4)
        mean, error = points.mean(axis=0), points.std(axis=0, ddof=1) / np.sqrt(len(points))
        ax.errorbar(
            *mean,
            xerr=2 * error[0],
            yerr=2 * error[1],
            color=look["color"],
            capsize=3,
            marker=look["marker"],
            markersize=9,
            markeredgecolor="black",
            linestyle="",
            label=name,
            zorder=3,
        )
    ax.set(xlabel=r"$\log_{10} \lambda$", ylabel=r"$\log_{10} \sigma^2$", title=title)
    if limits is not None:
        ax.set(xlim=limits[0], ylim=limits[1])
    ax.legend(fontsize="small")
    return ax
