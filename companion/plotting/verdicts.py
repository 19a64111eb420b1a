"""The score as stacked bars."""

from __future__ import annotations

import numpy as np

__all__ = ["VERDICT_STYLES", "plot_verdicts"]

#: What a scored row counts as: dark to light from good to bad, and hatched where it differs, so
#: that neither a grey print nor a reader who sees no red and green mixes them up.
VERDICT_STYLES = {
    "agree as printed": {"facecolor": "#1b4f9c", "hatch": "", "textcolor": "white"},
    "undecided": {"facecolor": "#c6dbef", "hatch": "", "textcolor": "black"},
    "differ, demonstrated": {"facecolor": "#f9d9a8", "hatch": "///", "textcolor": "black"},
    "differ for want of data": {"facecolor": "#fdf2dc", "hatch": "\\\\\\", "textcolor": "black"},
    "differ, unexplained": {"facecolor": "#d95f02", "hatch": "xxx", "textcolor": "black"},
    "not run": {"facecolor": "white", "hatch": "...", "textcolor": "black"},
}
_BAR = {"height": 0.72, "edgecolor": "#555555", "linewidth": 0.6}
_NARROW = 0.05  # a share of the bar that has no room for its number


def plot_verdicts(ax, counts, *, title=""):
    """Shares of the verdicts, one bar a group, with the numbers in them."""
    totals = np.array([sum(group.values()) for group in counts.values()], dtype=float)
    place, left = np.arange(len(counts)), np.zeros(len(counts))
    for outcome, look in VERDICT_STYLES.items():
        number = np.array([group.get(outcome, 0) for group in counts.values()])
        if not number.any():
            continue
        share = np.divide(number, totals, out=np.zeros(len(totals)), where=totals > 0)
        drawn = {"facecolor": look["facecolor"], "hatch": look["hatch"], "label": outcome}
        bars = ax.barh(place, share, left=left, **drawn, **_BAR)
        texts = [f"{n}" if width > _NARROW else "" for width, n in zip(share, number, strict=True)]
        box = {"facecolor": look["facecolor"], "edgecolor": "none", "pad": 1}
        style = {"color": look["textcolor"], "fontsize": "small", "bbox": box}
        ax.bar_label(bars, texts, label_type="center", **style)
        left += share
    names = [f"{name} ({total:.0f})" for name, total in zip(counts, totals, strict=True)]
    ax.set_yticks(place, names)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="share of the scored rows", title=title)
    ax.tick_params(axis="y", length=0)
    return ax
