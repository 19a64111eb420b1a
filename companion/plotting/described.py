"""What a figure shows, in words, for who cannot see it."""

import re

from companion._utils.pictures import WIDE

__all__ = ["describe"]

_MOST = 10  # names of a kind


def _plain(text):
    """A label without the marks of a formula."""
    return " ".join(re.sub(r"\\math(?:default|rm)|[\\${}]", "", text).split())


def describe(fig):
    """A text alternative of a figure: its titles, its axes, and what stands in its legends.

    Parameters
    ----------
    fig : matplotlib.figure.Figure

    Returns
    -------
    str
    """
    panels = [
        ax for ax in fig.axes if ax.get_visible() and ax.get_label() != "<colorbar>"
    ]
    axes = [f"{ax.get_ylabel()} over {ax.get_xlabel()}" for ax in panels]
    names = [name for ax in panels for name in ax.get_legend_handles_labels()[1]]
    sides = [side for ax in panels for side in (ax.xaxis, ax.yaxis)]
    ticks = [tick.get_text() for side in sides for tick in side.get_ticklabels()]
    parts = {
        "Title": [
            *(part.get_suptitle() for part in (fig, *fig.subfigs)),
            *(ax.get_title() for ax in panels),
        ],
        "Axes": [axis for axis in axes if axis[0] != " " and axis[-1] != " "],
        "Along them": [
            tick for tick in ticks if re.search(r"[^\W\d]{2}", _plain(tick))
        ],
        "Drawn": [name for name in names if not name.startswith("_")],
        "Texts in it": [text.get_text() for ax in panels for text in ax.texts],
    }
    number = "A figure" if len(panels) < 2 else f"A figure of {len(panels)} panels"
    sentences = [f"{number}."]
    for what, texts in parts.items():
        plain = dict.fromkeys(map(_plain, texts))
        shown = [text for text in plain if re.search(r"\w", text)]
        if shown:
            sentences.append(f"{what}: {'; '.join(shown[:_MOST])}.")
    return " ".join(sentences)


def _begin_title_at_left(fig):
    """Let the title of a wide figure begin where a telephone shows it."""
    panels = [ax for ax in fig.axes if ax.get_title()]
    if fig.bbox.width > WIDE:
        if fig.get_suptitle():
            fig._suptitle.set(x=0.01, ha="left")
        elif len(panels) == 1:
            panels[0].title.set(x=0, ha="left")


def _retina_with_alt(fig):
    """A picture of a figure, with its size and its text alternative."""
    from IPython.core.pylabtools import retina_figure

    _begin_title_at_left(fig)
    found = retina_figure(fig, base64=True)
    if found is None:
        return None
    picture, size = found
    return picture, size | {"alt": describe(fig)}


def described_in_notebooks():
    """Have figures drawn at twice the pixels, with a text alternative beside their size."""
    from IPython import get_ipython
    from matplotlib.figure import Figure
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("retina")
    formatter = get_ipython().display_formatter.formatters["image/png"]
    formatter.for_type(Figure, _retina_with_alt)
