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
    looks = {
        "here": {"marker": "|", "color": NEGATIVE, "markersize": 9},
        "mean of ours": {"marker": "o", "color": NEGATIVE, "markersize": 4},
        "printed": {"marker": "D", "color": "black", "markerfacecolor": "white"},
    }
    for place, name in enumerate(names):
        shown = {"here": samples[name], "mean of ours": np.mean(samples[name])}
        if name in printed:
            shown["printed"] = printed[name]
        for label, x in shown.items():
            y = np.full(np.shape(x), float(place))
            ax.plot(x, y, linestyle="", **looks[label])
    for label, look in looks.items():
        ax.plot([], [], label=label, linestyle="", **look)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, title=title, xlim=(0, None))
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
