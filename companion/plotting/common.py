"""Looks shared by all figures, and the plots that more than one paper needs."""

import re
from unittest.mock import patch

import numpy as np

__all__ = [
    "CRITERION_STYLES",
    "MACHINE_STYLES",
    "player",
    "plot_differences",
    "plot_distributions",
    "style",
    "style_of",
]

#: One look for each machine in every figure; L1, SVC and SVMlight are one machine, in one colour.
MACHINE_STYLES = {
    "LS": {"color": "#d95f02", "marker": "s", "linestyle": "-"},
    "Least 1-Norm": {"color": "#1b4f9c", "marker": "o", "linestyle": "-"},
    "L1": {"color": "#66a9d8", "marker": "^", "linestyle": "--"},
    "L2": {"color": "#f4b183", "marker": "v", "linestyle": "--"},
    "SVC": {"color": "#66a9d8", "marker": "D", "linestyle": "-."},
    "SVMlight": {"color": "#66a9d8", "marker": "X", "linestyle": "-."},
    "ERM-SVC": {"color": "#8c6bb1", "marker": "d", "linestyle": "--"},
    "SVC on prototypes": {"color": "#41b6c4", "marker": "P", "linestyle": ":"},
    "AdaBoost": {"color": "#4d9221", "marker": "<", "linestyle": ":"},
    "USVC": {"color": "#1b4f9c", "marker": "*", "linestyle": "-", "markersize": 10},
    "USVC s=2": {"color": "#1b4f9c", "marker": "p", "linestyle": "-"},
    "USVC s=10": {"color": "#8c6bb1", "marker": "d", "linestyle": "-"},
    "WSVM": {"color": "#d95f02", "marker": "v", "linestyle": "--"},
    "WRSVM": {"color": "#1b4f9c", "marker": "D", "linestyle": "-"},
    "logistic regression": {"color": "#777777", "marker": "P", "linestyle": ":"},
    "USVC s=4": {"color": "#1b9e77", "marker": "h", "linestyle": "-"},
    "SVM": {"color": "#777777", "marker": "o", "linestyle": "-"},
    "AMA": {"color": "#1b4f9c", "marker": "s", "linestyle": "--"},
    "ACT": {"color": "#66a9d8", "marker": "^", "linestyle": "-."},
    "WIL": {"color": "#4d9221", "marker": "v", "linestyle": ":"},
    "MDT-JGRAD": {"color": "#d95f02", "marker": "D", "linestyle": (0, (5, 1))},
    "TSVT-JGRAD": {"color": "#8c6bb1", "marker": "P", "linestyle": "--"},
    "TSVT-JMETA": {"color": "#b2abd2", "marker": "X", "linestyle": "-."},
    "exact maximiser": {"color": "black", "marker": "*", "linestyle": "-"},
    "balanced weights": {"color": "#e7298a", "marker": "h", "linestyle": ":"},
}

#: One look for each criterion that tunes a machine, and each kind of data, by the start of a name.
CRITERION_STYLES = {
    "GACV": {"color": "#1b4f9c", "marker": "o", "linestyle": "-"},
    "XA": {"color": "#d95f02", "marker": "s", "linestyle": "--"},
    "BRXA": {"color": "#d95f02", "marker": "s", "linestyle": "--"},
    "MISCLASS": {"color": "#4d9221", "marker": "D", "linestyle": "-."},
    "BRMISCLASS": {"color": "#4d9221", "marker": "D", "linestyle": "-."},
    "GCKL": {"color": "#8c6bb1", "marker": "v", "linestyle": ":"},
    "10-fold CV": {"color": "#777777", "marker": "^", "linestyle": (0, (5, 1))},
    "exact": {"color": "#b2abd2", "marker": "P", "linestyle": (0, (3, 1, 1, 1))},
    "the rule": {"color": "#d95f02", "marker": "D", "linestyle": "-."},
    "an estimate": {"color": "#444444", "marker": "o", "linestyle": "-"},
    "true": {"color": "black", "marker": "", "linestyle": "-"},
    "flipped labels": {"color": "#d95f02", "marker": "s", "linestyle": "--"},
    "clean labels": {"color": "#1b4f9c", "marker": "o", "linestyle": "-"},
}


def style_of(name):
    """Style of a machine, or of the criterion whose name begins like this."""
    if name in MACHINE_STYLES:
        return MACHINE_STYLES[name]
    starts = [start for start in CRITERION_STYLES if name.startswith(start)]
    return CRITERION_STYLES[max(starts, key=len)]


def style():
    """Settings shared by all figures: ``with style(): ...``."""
    import matplotlib.pyplot as plt

    settings = {"figure.dpi": 100, "figure.constrained_layout.use": True, "legend.frameon": False}
    settings |= {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": "medium"}
    # Loads the backend. In a notebook that makes matplotlib interactive, which the end of the
    # context would undo, and then no slider would show its figure.
    plt.draw_if_interactive()
    return plt.rc_context(settings)


def plot_distributions(ax, samples, *, xlabel, title="", digits=1, printed=None, start=0):
    """Share of the draws up to each value, one curve a name, with a dot at each mean.

    `samples` are arrays of shape (n_draws,), keyed by machine or criterion; `digits` the decimals
    of the means in the legend; `printed` published values by what stands beside them (vertical
    lines); `start` the left end of the axis.
    """
    for name, values in samples.items():
        look = style_of(name)
        values, mean = np.sort(values), np.mean(values)
        line = {key: look[key] for key in ("color", "linestyle")}
        ax.ecdf(values, label=f"{name} (mean {mean:.{digits}f})", **line)
        ax.plot(mean, np.mean(values <= mean), look["marker"], color=look["color"])
    for name, value in (printed or {}).items():
        line = {key: style_of(name)[key] for key in ("color", "linestyle")}
        ax.axvline(value, linewidth=1, label=f"{name}, printed {value:g}", **line)
    ax.set(xlabel=xlabel, ylabel="share of draws", title=title, xlim=(start, None), ylim=(0, 1))
    ax.legend(fontsize="small", loc="lower right")
    return ax


def plot_differences(ax, names, series, *, xlabel, title=""):
    """Differences with two standard errors to either side, a line a name, a mark a series.

    `names` from top to bottom; `series` has means and standard errors of shape (n_names,), keyed by
    criterion.
    """
    place = np.arange(len(names), dtype=float)
    for k, (name, (mean, error)) in enumerate(series.items()):
        shifted = place + 0.2 * (k - (len(series) - 1) / 2)
        look = {**style_of(name), "linestyle": "", "label": name}
        ax.errorbar(mean, shifted, xerr=2 * error, capsize=2, **look)
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_yticks(place, names)
    ax.set(xlabel=xlabel, title=title, ylim=(len(names) - 0.5, -0.5))
    ax.legend(fontsize="small")
    return ax


#: What stands on the buttons of a player, by the name of the icon that matplotlib fetches for it.
_BUTTONS = {
    "minus": "\u2212",
    "fast-backward": "|\u25c0\u25c0",
    "step-backward": "|\u25c0",
    "play fa-flip-horizontal": "\u25c0",
    "pause": "||",
    "play": "\u25b6",
    "step-forward": "\u25b6|",
    "fast-forward": "\u25b6\u25b6|",
    "plus": "+",
}


def player(fig, draw, frames, *, name):
    """A figure that moves, as HTML with a slider that needs neither a kernel nor the network.

    `draw` is called with each of the `frames` and draws it on `fig`, which is closed then. `name`,
    of letters and unique on the page, stands for the random one by which matplotlib tells players
    apart, so that equal frames give equal HTML.
    """
    import matplotlib.pyplot as plt
    from IPython.display import HTML
    from matplotlib.animation import FuncAnimation

    settings = {"savefig.dpi": 60, "animation.embed_limit": 1.0}
    # a frame is drawn when it is saved, which is enough
    with plt.rc_context(settings), patch.object(fig.canvas, "draw_idle"):
        html = FuncAnimation(fig, draw, frames).to_jshtml(fps=3, default_mode="once")
    plt.close(fig)
    html = re.sub(r"<link[^>]*>", "", html)
    html = re.sub(r'<i class="fa fa-([^"]*)"></i>', lambda icon: _BUTTONS[icon[1]], html)
    html = html.replace("<img ", f'<img alt="A figure that moves by the buttons below: {name}" ')
    return HTML(html.replace(re.search("_anim_img([0-9a-f]+)", html)[1], name))
