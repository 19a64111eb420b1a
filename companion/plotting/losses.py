"""The picture that binds the papers: what a point costs a machine, and how hard it pulls."""

import numpy as np

from companion.losses import Unbiased
from companion.plotting.common import MACHINE_STYLES, style

__all__ = ["plot_losses"]

#: Names of one machine in the papers.
_ALIASES = {"SVC": "L1", "SVM": "L2", "USVC s=2": "USVC"}

#: The least and the largest alpha / C. The last two machines have no dual: of them it is the pull.
_BOXES = {
    "L1": (0, 1),
    "L2": (0, np.inf),
    "LS": (-np.inf, np.inf),
    "Least 1-Norm": (-1, 1),
    "USVC": (0, 1),
    "WRSVM": (0, 1),
}
_BOX_TEXTS = {
    "L1": r"$0\leq\alpha\leq C$",
    "L2": r"$0\leq\alpha$",
    "LS": r"any $\alpha$",
    "Least 1-Norm": r"$-C\leq\alpha\leq C$",
}

#: What the figure says, of all machines and of each.
_MESSAGES = {
    None: (
        "A point far on the wrong side pulls the harder the farther it is (LS, L2), with C"
        " (L1, Least 1-Norm), or with almost 0 (USVC, WRSVM)"
    ),
    "L1": "L1: a point short of its margin 1 pulls with C however far it is, a point beyond it not",
    "L2": "L2: a point pulls the harder the more it is short of its margin 1",
    "LS": "LS: a point pulls the harder the farther it is from its margin 1, on either side",
    "Least 1-Norm": (
        "Least 1-Norm: a point pulls with C however far it is from its margin 1, on either side"
    ),
    "USVC": "USVC: a point pulls hardest at the margin 0, and less and less farther out",
    "WRSVM": "WRSVM: a point pulls with C down to the margin -1/2, and below it not at all",
}

_CUT = -0.5  # where the loss of the WRSVM is cut for three classes

#: Widths of lines in the order in which they are drawn, so that what two machines share shows both.
_WIDTHS = {"LS": 4, "Least 1-Norm": 4, "WRSVM": 2.4, "USVC": 2.4, "L2": 1.6, "L1": 1.6}

#: What stands beside the curves: place, the machine whose colour it has, text.
_ON_LOSSES = [
    (-1.3, 3.2, "LS", "LS, L2 (the thesis' SVM)"),
    (-3.05, 2.08, "Least 1-Norm", "Least 1-Norm"),
    (-3.05, 1.81, "L1", "L1 (hinge)"),
    (-3.05, 1.55, "WRSVM", "WRSVM: cut"),
    (-3.05, 1.06, "error", "an error counts 1"),
    (-3.05, 0.7, "USVC", "USVC: counts"),
    (0.7, 1.65, "Least 1-Norm", "Least 1-Norm"),
    (2.45, 0.65, "LS", "LS"),
    (1.1, -0.25, "error", "all others: 0"),
]
_ON_PULLS = [
    (-1.6, 3.1, "LS", "LS, L2: the farther, the harder"),
    (-3.05, 1.12, "Least 1-Norm", "Least 1-Norm, L1"),
    (-3.05, 0.24, "USVC", "USVC: ever less"),
    (-3.05, -0.35, "WRSVM", "WRSVM: lets go at once"),
    (1.15, 0.12, "error", "all others: 0"),
    (-1.0, -1.05, "Least 1-Norm", "Least 1-Norm"),
    (1.75, -1.85, "LS", "LS"),
]


def plot_losses(bold=None):
    """All losses of the papers: what a point costs, how hard it pulls, the weight it may have.

    The pull of a point is minus the slope of its loss, which is its multiplier over C.

    Parameters
    ----------
    bold : str, optional
        A machine that is drawn bold among grey ones: "L1" (or "SVC"), "L2" (or "SVM"), "LS",
        "Least 1-Norm", "USVC" or "WRSVM". By default each has its colour.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        The three panels.

    Raises
    ------
    ValueError
        If no machine has this name.
    """
    import matplotlib.pyplot as plt

    bold = _ALIASES.get(bold, bold)
    if bold is not None and bold not in _BOXES:
        names = ", ".join([*_BOXES, *_ALIASES])
        raise ValueError(f"'bold' must be one of {names}, or None. Got {bold!r}.")

    with style():
        fig, axes = plt.subplots(1, 3, figsize=(13, 4.9))
        fig.suptitle(_MESSAGES[bold])
        losses, pulls, boxes = axes
        margin = np.linspace(-3, 3, 1201)
        _draw_curves(losses, margin, _losses(margin), bold)
        losses.step([-3, 0, 0, 3], [1, 1, 0, 0], ":", color=_color("error", bold))
        losses.set(title="What a point costs", ylabel="loss", ylim=(-0.4, 4))
        _draw_curves(pulls, margin, _pulls(margin), bold)
        pulls.axhline(0, color="black", linewidth=0.8)
        pulls.set(
            title="How hard it pulls",
            ylabel=r"$\alpha/C$: minus the slope of the loss",
            ylim=(-2.1, 4),
        )
        for ax, texts in ((losses, _ON_LOSSES), (pulls, _ON_PULLS)):
            ax.set_xlabel("margin $y\\,f(x)$")
            for x, y, machine, text in texts:
                ax.text(x, y, text, color=_color(machine, bold))
        _draw_boxes(boxes, bold)
    return axes


def _losses(margin):
    """The loss of each machine over the margin, C left out."""
    slack = np.maximum(1 - margin, 0)
    return {
        "LS": (1 - margin) ** 2 / 2,
        "Least 1-Norm": np.abs(1 - margin),
        "WRSVM": np.minimum(slack, 1 - _CUT),
        "USVC": Unbiased(s=2).value(slack),
        "L2": slack**2 / 2,
        "L1": slack,
    }


def _pulls(margin):
    """Minus the slope of each loss."""
    slack = np.maximum(1 - margin, 0)
    is_inside = np.where(margin < 1, 1, 0)
    return {
        "LS": 1 - margin,
        "Least 1-Norm": np.where(margin < 1, 1, -1),
        "WRSVM": is_inside * (margin > _CUT),
        "USVC": Unbiased(s=2).derivative(slack),
        "L2": slack,
        "L1": is_inside,
    }


def _color(machine, bold):
    if machine == "error":
        return "black" if bold is None else "#808080"
    if bold not in (None, machine):
        return "#808080"
    # the own colour of L2 is the grey of the others
    return "black" if bold == "L2" else MACHINE_STYLES[machine]["color"]


def _draw_curves(ax, margin, curves, bold):
    for machine, curve in curves.items():
        look = {"color": _color(machine, bold)}
        if bold is None:
            look["linewidth"] = _WIDTHS[machine]
            look["linestyle"] = MACHINE_STYLES[machine]["linestyle"]
        elif machine == bold:
            look |= {"linewidth": 4, "zorder": 3}
        else:
            look |= {"linewidth": 1.2, "alpha": 0.7}
        ax.plot(margin, curve, **look)


def _draw_boxes(ax, bold):
    """The interval of alpha / C of each machine, with an arrow where it has no end."""
    end = 3
    for place, (machine, bounds) in enumerate(_BOXES.items()):
        color = _color(machine, bold)
        ends = np.clip(bounds, -end, end)
        ax.hlines(place, *ends, color=color, linewidth=9)
        for stop in ends[np.isinf(bounds)]:
            arrow = {"arrowstyle": "->", "color": color, "linewidth": 2}
            ax.annotate("", (1.25 * stop, place), (stop, place), arrowprops=arrow)
        text = _BOX_TEXTS.get(machine, "")
        ax.text(0.15, place - 0.22, text, color=color, va="bottom")
    ax.axvline(0, color="black", linewidth=0.8)
    ax.text(4, 4.5, "not convex: no box,\nbut the same range", ha="right", va="center")
    ax.set_yticks(range(len(_BOXES)), _BOXES)
    ax.set(
        title="The weight it may get: the box of the dual",
        xlabel=r"$\alpha/C$",
        xlim=(-4, 4),
        ylim=(5.5, -0.8),
    )
