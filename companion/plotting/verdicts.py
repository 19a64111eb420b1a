"""Verdicts as stacked bars."""

from __future__ import annotations

import numpy as np

from companion.reproduction.verdicts import DECLARED, DIFFERS, NOT_RUN, REPRODUCED, WITHIN

__all__ = ["VERDICT_STYLES", "plot_verdicts"]

#: Dark to light from good to bad, and hatched where a value differs, so that neither a grey print
#: nor a reader who sees no red and green mixes them up.
VERDICT_STYLES = {
    REPRODUCED: {"facecolor": "#1b4f9c", "hatch": "", "textcolor": "white"},
    WITHIN: {"facecolor": "#8fc1e3", "hatch": "", "textcolor": "black"},
    DECLARED: {"facecolor": "#f9d9a8", "hatch": "///", "textcolor": "black"},
    DIFFERS: {"facecolor": "#d95f02", "hatch": "xxx", "textcolor": "black"},
    NOT_RUN: {"facecolor": "white", "hatch": "...", "textcolor": "black"},
}
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
        ax.barh(
            place,
            share,
            left=left,
            height=0.72,
            facecolor=look["facecolor"],
            hatch=look["hatch"],
            edgecolor="#555555",
            linewidth=0.6,
            label=outcome,
        )
        for y, x, width, n in zip(place, left, share, number, strict=True):
            if width > _NARROW:
                box = {"facecolor": look["facecolor"], "edgecolor": "none", "pad": 1}
                ax.text(
                    x + width / 2,
                    y,
                    f"{n}",
                    ha="center",
                    va="center",
                    fontsize="small",
                    color=look["textcolor"],
                    bbox=box,
                )
        left += share
    names = [f"{name} ({total:.0f})" for name, total in zip(counts, totals, strict=True)]
    ax.set_yticks(place, names)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="share of the values", title=title)
    ax.tick_params(axis="y", length=0)
    return ax
