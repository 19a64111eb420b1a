"""Looks shared by all figures, and the plots that more than one paper needs."""

import numpy as np

from companion.plotting.described import described_in_notebooks

__all__ = [
    "CRITERION_STYLES",
    "MACHINE_STYLES",
    "plot_differences",
    "plot_distributions",
    "style",
    "style_of",
]


def _look(color, marker, linestyle, **others):
    return {"color": color, "marker": marker, "linestyle": linestyle, **others}


#: One look for each machine in every figure. Names of one machine share a colour, which no other
#: machine has: L1, SVC and SVMlight are one, and so are L2 and the SVM of the thesis.
MACHINE_STYLES = {
    "L1": _look("#4a90d9", "^", "--"),
    "SVC": _look("#4a90d9", "D", "-."),
    "SVMlight": _look("#4a90d9", "X", "-."),
    "L2": _look("#777777", "v", "--"),
    "SVM": _look("#777777", "o", "-"),
    "LS": _look("#d95f02", "s", "-"),
    "Least 1-Norm": _look("#6a1b9a", "o", "-"),
    "USVC": _look("#c2185b", "*", "-", markersize=10),
    "USVC s=2": _look("#c2185b", "p", "-"),
    "USVC s=4": _look("#f48fb1", "h", "-"),
    "USVC s=10": _look("#6d0032", "d", "-"),
    "ERM-SVC": _look("#9c7a00", "d", "--"),
    "SVC on prototypes": _look("#00a99d", "P", ":"),
    "AdaBoost": _look("#3f7d20", "<", ":"),
    "WSVM": _look("#a4c22e", "v", "--"),
    "WRSVM": _look("#00574d", "h", "-"),
    "logistic regression": _look("#8d5a3b", "P", ":"),
    "AMA": _look("#1b3a8c", "s", "--"),
    "Amari": _look("#1b3a8c", "s", "--"),
    "ACT": _look("#f2a900", "^", "-."),
    "Wu-Amari": _look("#ff8a70", "<", "-."),
    "KBA": _look("#2ecc71", "p", ":"),
    "WIL": _look("#8b1a1a", "v", ":"),
    "Williams": _look("#8b1a1a", "v", ":"),
    "MDT-JGRAD": _look("#ff2d2d", "D", (0, (5, 1))),
    "TSVT-JGRAD": _look("#9a78e0", "P", "--"),
    "TSVT-JMETA": _look("#35c8e8", "X", "-."),
    "balanced weights": _look("#e438e4", "h", ":"),
    "threshold by CV": _look("#37474f", "o", "-"),
    "exact maximiser": _look("black", "*", "-"),
}

#: One look for each criterion that tunes a machine, and each kind of data, by the start of a name.
CRITERION_STYLES = {
    "GACV": _look("#1b4f9c", "o", "-"),
    "XA": _look("#d95f02", "s", "--"),
    "BRXA": _look("#d95f02", "s", "--"),
    "MISCLASS": _look("#4d9221", "D", "-."),
    "BRMISCLASS": _look("#4d9221", "D", "-."),
    "GCKL": _look("#8c6bb1", "v", ":"),
    "10-fold CV": _look("#777777", "^", (0, (5, 1))),
    "exact": _look("#b2abd2", "P", (0, (3, 1, 1, 1))),
    "GACV by the span": _look("#00796b", "^", "-"),
    "XA by the span": _look("#ad7fff", "v", "--"),
    "the rule": _look("#d95f02", "D", "-."),
    "an estimate": _look("#444444", "o", "-"),
    "true": _look("black", "", "-"),
    "flipped labels": _look("#d95f02", "s", "--"),
    "clean labels": _look("#1b4f9c", "o", "-"),
}


def style_of(name):
    """Style of a machine, or of the criterion whose name begins like this."""
    if name in MACHINE_STYLES:
        return MACHINE_STYLES[name]
    starts = [start for start in CRITERION_STYLES if name.startswith(start)]
    return CRITERION_STYLES[max(starts, key=len)]


def style():
    """Settings shared by all figures: ``with style(): ...``.

    In a notebook they have twice the pixels, and a text alternative.
    """
    import matplotlib.pyplot as plt

    if "inline" in plt.get_backend():
        described_in_notebooks()

    settings = {
        "figure.dpi": 100,
        "figure.constrained_layout.use": True,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": "medium",
    }
    # Loads the backend. In a notebook that makes matplotlib interactive, which the end of the
    # context would undo, and then no slider would show its figure.
    plt.draw_if_interactive()
    return plt.rc_context(settings)


def plot_distributions(
    ax, samples, *, xlabel, title="", digits=1, printed=None, start=0
):
    """Share of the draws up to each value, one curve a name, with a dot at each mean.

    `samples` are arrays of shape (n_draws,), keyed by machine or criterion; `digits` the decimals
    of the means in the legend; `printed` published values by what stands beside them (vertical
    lines); `start` the left end of the axis.
    """
    for name, values in samples.items():
        look = style_of(name)
        values = np.sort(values)
        mean = np.mean(values)
        ax.ecdf(
            values,
            label=f"{name} (mean {mean:.{digits}f})",
            color=look["color"],
            linestyle=look["linestyle"],
        )
        share = np.mean(values <= mean)
        ax.plot(mean, share, look["marker"], color=look["color"])
    for name, value in (printed or {}).items():
        look = style_of(name)
        ax.axvline(
            value,
            linewidth=1,
            label=f"{name}, printed {value:g}",
            color=look["color"],
            linestyle=look["linestyle"],
        )
    ax.set(
        xlabel=xlabel,
        ylabel="share of draws",
        title=title,
        xlim=(start, None),
        ylim=(0, 1),
    )
    ax.legend(fontsize="small", loc="lower right")
    return ax


def plot_differences(ax, names, series, *, xlabel, title=""):
    """Differences with two standard errors to either side, a line a name, a mark a series.

    `names` from top to bottom; `series` has means and standard errors of shape (n_names,), keyed by
    criterion.
    """
    place = np.arange(len(names), dtype=float)
    for k, (name, (mean, error)) in enumerate(series.items()):
        shift = 0.2 * (k - (len(series) - 1) / 2)
        look = {**style_of(name), "linestyle": "", "label": name}
        ax.errorbar(mean, place + shift, xerr=2 * error, capsize=2, **look)
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_yticks(place, names)
    ax.set(xlabel=xlabel, title=title, ylim=(len(names) - 0.5, -0.5))
    ax.legend(fontsize="small")
    return ax
