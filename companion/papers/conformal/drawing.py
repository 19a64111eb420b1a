"""Looks and drawings that several figures of the thesis share."""

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
