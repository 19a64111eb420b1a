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


#: Lines that have no sign of their own.
_LINES = {"dense": (0, (5, 1)), "dense-dot": (0, (3, 1, 1, 1))}


def _looks(table):
    """Styles by name, from colour, marker and line of each."""
    found = {}
    for name, look in table.items():
        color, marker, line = look.split()
        marker = marker.replace("none", "")
        line = _LINES.get(line, line)
        found[name] = {"color": color, "marker": marker, "linestyle": line}
    return found


#: One look for each machine in every figure. Names of one machine share a colour, which no other
#: machine has: L1, SVC and SVMlight are one, and so are L2 and the SVM of the thesis.
MACHINE_STYLES = _looks(
    {
        "L1": "#4a90d9 ^ --",
        "SVC": "#4a90d9 D -.",
        "SVMlight": "#4a90d9 X -.",
        "L2": "#777777 v --",
        "SVM": "#777777 o -",
        "LS": "#d95f02 s -",
        "Least 1-Norm": "#6a1b9a o -",
        "USVC": "#c2185b * -",
        "USVC s=2": "#c2185b p -",
        "USVC s=4": "#f48fb1 h -",
        "USVC s=10": "#6d0032 d -",
        "ERM-SVC": "#9c7a00 d --",
        "SVC on prototypes": "#00a99d P :",
        "AdaBoost": "#3f7d20 < :",
        "WSVM": "#a4c22e v --",
        "WRSVM": "#00574d h -",
        "logistic regression": "#8d5a3b P :",
        "AMA": "#1b3a8c s --",
        "Amari": "#1b3a8c s --",
        "ACT": "#f2a900 ^ -.",
        "Wu-Amari": "#ff8a70 < -.",
        "KBA": "#2ecc71 p :",
        "WIL": "#8b1a1a v :",
        "Williams": "#8b1a1a v :",
        "MDT-JGRAD": "#ff2d2d D dense",
        "TSVT-JGRAD": "#9a78e0 P --",
        "TSVT-JMETA": "#35c8e8 X -.",
        "balanced weights": "#e438e4 h :",
        "threshold by CV": "#37474f o -",
        "exact maximiser": "black * -",
    }
)
MACHINE_STYLES["USVC"]["markersize"] = 10

#: One look for each criterion that tunes a machine, and each kind of data, by the start of a name.
CRITERION_STYLES = _looks(
    {
        "GACV": "#1b4f9c o -",
        "XA": "#d95f02 s --",
        "BRXA": "#d95f02 s --",
        "MISCLASS": "#4d9221 D -.",
        "BRMISCLASS": "#4d9221 D -.",
        "GCKL": "#8c6bb1 v :",
        "10-fold CV": "#777777 ^ dense",
        "exact": "#b2abd2 P dense-dot",
        "GACV by the span": "#00796b ^ -",
        "XA by the span": "#ad7fff v --",
        "the rule": "#d95f02 D -.",
        "an estimate": "#444444 o -",
        "true": "black none -",
        "flipped labels": "#d95f02 s --",
        "clean labels": "#1b4f9c o -",
    }
)


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


def _line_and_marker(name):
    """The style of a machine or criterion for a line without marks, and its marker."""
    look = dict(style_of(name))
    marker = look.pop("marker")
    look.pop("markersize", None)
    return look, marker


def plot_distributions(
    ax, samples, *, xlabel, title="", digits=1, printed=None, start=0
):
    """Share of the draws up to each value, one curve a name, with a dot at each mean.

    `samples` are arrays of shape (n_draws,), keyed by machine or criterion; `digits` the decimals
    of the means in the legend; `printed` published values by what stands beside them (vertical
    lines); `start` the left end of the axis.
    """
    for name, values in samples.items():
        line, marker = _line_and_marker(name)
        values = np.sort(values)
        mean = np.mean(values)
        ax.ecdf(values, label=f"{name} (mean {mean:.{digits}f})", **line)
        ax.plot(mean, np.mean(values <= mean), marker, color=line["color"])
    for name, value in (printed or {}).items():
        line, _ = _line_and_marker(name)
        ax.axvline(value, linewidth=1, label=f"{name}, printed {value:g}", **line)
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
