"""Figures of the weighted robust SVM paper."""

from __future__ import annotations

__all__ = ["plot_lead_losses"]

_LEAD_LOOKS = (("black", "-"), ("#d95f02", "--"), ("#1b4f9c", "-."), ("#4d9221", ":"))


def plot_lead_losses(ax, u, curves, *, title=""):
    """Expected loss over the lead of the best class, with a dot at the least of each curve.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    u : ndarray of shape (n,)
    curves : mapping of str to ndarray of shape (n,)
        By place of truncation.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    for (name, values), (color, line) in zip(curves.items(), _LEAD_LOOKS, strict=False):
        ax.plot(u, values, color=color, linestyle=line, label=name)
        ax.plot(u[values.argmin()], values.min(), "o", color=color)
    ax.set(
        xlabel="lead $u$ of the class of largest utility",
        ylabel="expected loss",
        title=title,
        xlim=(u[0], u[-1]),
    )
    ax.legend(fontsize="small")
    return ax
