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


def _look(color, marker, linestyle, **others):
    return {"color": color, "marker": marker, "linestyle": linestyle, **others}


#: One look for each machine in every figure; L1, SVC and SVMlight are one machine, in one colour.
MACHINE_STYLES = {
    "LS": _look("#d95f02", "s", "-"),
    "Least 1-Norm": _look("#1b4f9c", "o", "-"),
    "L1": _look("#66a9d8", "^", "--"),
    "L2": _look("#f4b183", "v", "--"),
    "SVC": _look("#66a9d8", "D", "-."),
    "SVMlight": _look("#66a9d8", "X", "-."),
    "ERM-SVC": _look("#8c6bb1", "d", "--"),
    "SVC on prototypes": _look("#41b6c4", "P", ":"),
    "AdaBoost": _look("#4d9221", "<", ":"),
    "USVC": _look("#1b4f9c", "*", "-", markersize=10),
    "USVC s=2": _look("#1b4f9c", "p", "-"),
    "USVC s=10": _look("#8c6bb1", "d", "-"),
    "WSVM": _look("#4d9221", "v", "--"),
    "WRSVM": _look("#1b4f9c", "h", "-"),
    "logistic regression": _look("#777777", "P", ":"),
    "USVC s=4": _look("#1b9e77", "h", "-"),
    "SVM": _look("#777777", "o", "-"),
    "AMA": _look("#1b4f9c", "s", "--"),
    "ACT": _look("#66a9d8", "^", "-."),
    "WIL": _look("#4d9221", "v", ":"),
    "MDT-JGRAD": _look("#d95f02", "D", (0, (5, 1))),
    "TSVT-JGRAD": _look("#8c6bb1", "P", "--"),
    "TSVT-JMETA": _look("#b2abd2", "X", "-."),
    "exact maximiser": _look("black", "*", "-"),
    "balanced weights": _look("#e7298a", "h", ":"),
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
    """Settings shared by all figures: ``with style(): ...``; twice the pixels in a notebook."""
    import matplotlib.pyplot as plt

    if "inline" in plt.get_backend():
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("retina")

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
    html = re.sub(
        r'<i class="fa fa-([^"]*)"></i>', lambda icon: _BUTTONS[icon[1]], html
    )
    html = html.replace(
        "<img ", f'<img alt="A figure that moves by the buttons below: {name}" '
    )
    return HTML(html.replace(re.search("_anim_img([0-9a-f]+)", html)[1], name))
