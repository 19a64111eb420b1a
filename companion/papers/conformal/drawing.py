"""Looks and drawings that several figures of the thesis share."""

import numpy as np

#: Edges of the two classes, and what the thesis colours right and wrong.
POSITIVE = "#c0392b"
NEGATIVE = "#1b4f9c"
RIGHT = "#a6c8e8"
WRONG = "#f0a8a0"


def plot_two_classes(ax, X, y, *, size=6.0, support=(), title=""):
    """Positive patterns as red crosses, negative ones as blue rings; rows `support` are ringed."""
    marks = {
        "negative class": (y < 0, "o", NEGATIVE, 0.7, 0.8),
        "positive class": (y > 0, "+", POSITIVE, 1.3, 1.6),
        "support vectors": (list(support), "o", "black", 2.2, 0.8),
    }
    for label, (rows, mark, color, scale, width) in marks.items():
        if label != "support vectors" or len(support):
            look = {
                "markersize": scale * size,
                "markeredgewidth": width,
                "fillstyle": "none",
            }
            ax.plot(*X[rows].T, mark, color=color, label=label, **look)
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def plot_placed(ax, names, samples, printed, *, xlabel, title=""):
    """Where printed values fall among ours: a row of bars a name, their mean, and a diamond."""
    mean = {"color": NEGATIVE, "linestyle": "", "marker": "o", "markersize": 4}
    diamond = {
        "color": "black",
        "linestyle": "",
        "marker": "D",
        "markerfacecolor": "white",
    }
    for place, name in enumerate(names):
        values = samples[name]
        ax.plot(
            values,
            np.full(len(values), float(place)),
            "|",
            color=NEGATIVE,
            markersize=9,
        )
        ax.plot(np.mean(values), place, **mean)
        if name in printed:
            ax.plot(printed[name], place, **diamond)
    ax.plot([], [], "|", color=NEGATIVE, label="here", markersize=9)
    ax.plot([], [], label="mean of ours", **mean)
    ax.plot([], [], label="printed", **diamond)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, title=title, xlim=(0, None))
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
