"""Figures of the Unbiased SVC paper."""

from __future__ import annotations

import numpy as np

from companion.plotting.common import style_of

__all__ = [
    "plot_densities",
    "plot_error_against_size",
    "plot_error_surface",
    "plot_false_alarms",
    "plot_gain",
    "plot_intervals",
    "plot_iterates",
    "plot_losses",
    "plot_profile",
    "plot_threshold_error",
]

_LOSS_STYLES = ((0, ()), "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
_LOSS_COLOURS = ("black", "#d95f02", "#1b4f9c", "#66a9d8", "#4d9221")


def plot_losses(ax, xi, curves, *, title=""):
    """Figure 1: costs against the slack.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    xi : ndarray of shape (n,)
    curves : mapping of str to ndarray of shape (n,)
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for (name, values), look, color in zip(
        curves.items(), _LOSS_STYLES, _LOSS_COLOURS, strict=False
    ):
        ax.plot(xi, values, linestyle=look, color=color, label=name)
    ax.set(xlabel=r"$\xi$", ylabel="cost", title=title, xlim=(xi[0], xi[-1]), ylim=(-0.03, 2.0))
    ax.legend(fontsize="small", loc="upper left")
    return ax


def plot_densities(ax, x, positive, negative, *, title=""):
    """Figure 2 (a), (b): class densities, +1 continuous and -1 dashed.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    x, positive, negative : ndarray of shape (n,)
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.plot(x, positive, color="#1b4f9c", label='class "+1"')
    ax.plot(x, negative, color="#d95f02", linestyle="--", label='class "-1"')
    ax.set(xlabel="$x$", ylabel="$f(x|y)$", title=title, xlim=(x[0], x[-1]), ylim=(0, None))
    ax.legend(fontsize="small")
    return ax


def plot_threshold_error(ax, x, error, *, marks=(), title=""):
    """Figure 2 (c), (d): error in per cent against the threshold.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    x, error : ndarray of shape (n,)
    marks : sequence of (float, float)
        Minima to mark.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.plot(x, error, color="black")
    for place, value in marks:
        ax.plot(place, value, "o", color="#d95f02")
        ax.annotate(
            f"{value:.1f} at {place:.3g}",
            (place, value),
            textcoords="offset points",
            xytext=(6, 7),
            fontsize="small",
        )
    ax.set(xlabel="Th", ylabel="CE (%)", title=title, xlim=(x[0], x[-1]))
    return ax


def plot_error_surface(ax, surface, paths, *, title=""):
    """Figures 3 and 4, left: contours of the objective over (Th, w), and paths from o to x.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    surface : object with thresholds, slopes, values and locus
        See :class:`companion.papers.usvc.fig_3_4.Surface`.
    paths : mapping of str to ndarray of shape (n_iter + 1, 2)
        Thresholds and slopes of the iterates, by machine.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    low, high = np.log(surface.values.min()), np.log(np.quantile(surface.values, 0.9))
    levels = np.exp(low + (high - low) * np.linspace(0.002, 1, 16) ** 1.5)
    ax.contour(
        surface.thresholds,
        surface.slopes,
        surface.values,
        levels=levels,
        cmap="Greys_r",
        linewidths=0.7,
    )
    ax.plot(surface.thresholds, surface.locus, "k--", linewidth=1, label="least for fixed Th")
    for name, points in paths.items():
        look = style_of(name)
        ax.plot(*points.T, color=look["color"], marker=".", markersize=3, linewidth=1, label=name)
        ax.plot(*points[0], "o", color=look["color"], fillstyle="none", markersize=8)
        ax.plot(*points[-1], "x", color=look["color"], markersize=9, markeredgewidth=2)
    ax.set(
        xlabel="Th",
        ylabel="$w$",
        title=title,
        xlim=(surface.thresholds[0], surface.thresholds[-1]),
        ylim=(surface.slopes[0], surface.slopes[-1]),
    )
    ax.legend(fontsize="small", loc="upper right", frameon=True)
    return ax


def plot_profile(ax, thresholds, theoretical, empirical, profile, *, end=None, title=""):
    """Figures 3 and 4, right: error against the threshold, and what the machine minimises.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    thresholds, theoretical, empirical : ndarray of shape (n,)
        Errors in per cent.
    profile : ndarray of shape (n,)
        Least objective for each threshold; on an axis of its own.
    end : (float, float), optional
        Threshold and objective that the iteration reached.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.plot(thresholds, theoretical, "k-", label="theoretical CE")
    ax.plot(thresholds, empirical, "k:", label="empirical CE")
    ax.set(xlabel="Th", ylabel="CE (%)", title=title, xlim=(thresholds[0], thresholds[-1]))
    other = ax.twinx()
    other.plot(thresholds, profile, color="#d95f02", linestyle="--")
    ax.plot([], [], color="#d95f02", linestyle="--", label="least objective for fixed Th (right)")
    if end is not None:
        other.plot(*end, "x", color="#1b4f9c", markersize=9, markeredgewidth=2)
    other.spines["right"].set_visible(True)
    other.set_ylabel("objective", color="#d95f02")
    ax.legend(fontsize="small", loc="upper center")
    return ax


def plot_iterates(ax, runs, *, ylabel, limits=None, title=""):
    """What becomes of a quantity from one iteration to the next, one line a run.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    runs : mapping of str to ndarray of shape (n_iter + 1,)
    ylabel : str
    limits : (float, float), optional
        Ends of the vertical axis.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for (name, values), marker, color in zip(runs.items(), "os^D", _LOSS_COLOURS[1:], strict=False):
        ax.plot(values, linewidth=0.8, marker=marker, markersize=3, color=color, label=name)
    ax.set(xlabel="iteration", ylabel=ylabel, title=title, xlim=(0, None), ylim=limits)
    ax.legend(fontsize="small")
    return ax


def plot_gain(ax, curves, *, xlabel, title=""):
    """Gain in points with two standard errors, on a logarithmic axis.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    curves : mapping of str to (places, means, errors)
        Each an ndarray of shape (n,).
    xlabel, title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for (name, (places, means, errors)), marker, color in zip(
        curves.items(), "os^", _LOSS_COLOURS[1:], strict=False
    ):
        ax.errorbar(
            places, means, yerr=2 * errors, marker=marker, color=color, capsize=2, label=name
        )
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set(xscale="log", xlabel=xlabel, ylabel="CE of SVC - CE of USVC (points)", title=title)
    ax.legend(fontsize="small")
    return ax


def plot_error_against_size(ax, machines, *, title=""):
    """Error with two standard errors against machine size.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    machines : mapping of str to (size, error, standard error)
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for name, (size, error, se) in machines.items():
        look = style_of(name)
        ax.errorbar(
            size,
            error,
            yerr=2 * se,
            marker=look["marker"],
            color=look["color"],
            linestyle="",
            capsize=3,
            label=name,
        )
    ax.set(xscale="log", xlabel="machine size", ylabel="CE (%)", title=title, xlim=(3, 3e4))
    return ax


def plot_intervals(ax, names, means, errors, *, xlabel, title=""):
    """Differences with two standard errors to either side, a line a name.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    names : list of str
        From top to bottom.
    means, errors : ndarray of shape (n_names,)
    xlabel, title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.errorbar(
        means,
        range(len(names)),
        xerr=2 * errors,
        marker="o",
        color="#1b4f9c",
        capsize=3,
        linestyle="",
    )
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, title=title)
    return ax


def plot_false_alarms(ax, curves, *, title=""):
    """Held-out false-alarm rate against the nominal one.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    curves : mapping of str to (levels, rates, errors)
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for k, (name, (levels, rates, errors)) in enumerate(curves.items()):
        look = style_of(name)
        ax.errorbar(
            levels + 0.002 * (k - 0.5),
            rates,
            yerr=2 * errors,
            marker=look["marker"],
            color=look["color"],
            capsize=3,
            linestyle="",
            label=name,
        )
    end = 1.2 * max(levels.max() for levels, _, _ in curves.values())
    ax.plot([0, end], [0, end], color="black", linewidth=0.8)
    ax.set(
        xlabel="nominal false-alarm rate",
        ylabel="held-out false-alarm rate",
        title=title,
        xlim=(0, end),
        ylim=(0, None),
    )
    ax.legend(fontsize="small")
    return ax
