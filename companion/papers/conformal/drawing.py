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
    }
    if len(support):
        marks["support vectors"] = (list(support), "o", "black", 2.2, 0.8)
    for label, (rows, mark, color, scale, width) in marks.items():
        look = {"markersize": scale * size, "markeredgewidth": width}
        ax.plot(*X[rows].T, mark, color=color, label=label, fillstyle="none", **look)
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def plot_placed(ax, names, samples, printed, *, xlabel, title=""):
    """Where printed values fall among ours: a row of bars a name, their mean, and a diamond."""
    looks = {
        "here": {"marker": "|", "color": NEGATIVE, "markersize": 9},
        "mean of ours": {"marker": "o", "color": NEGATIVE, "markersize": 4},
        "printed": {"marker": "D", "color": "black", "markerfacecolor": "white"},
    }
    means = {name: np.mean(samples[name]) for name in names}
    for look, shown in zip(looks.items(), (samples, means, printed), strict=True):
        label, marks = look
        points = [
            (x, place)
            for place, name in enumerate(names)
            if name in shown
            for x in np.ravel(shown[name])
        ]
        ax.plot(*zip(*points, strict=True), linestyle="", label=label, **marks)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, title=title, xlim=(0, None))
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
