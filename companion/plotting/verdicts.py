"""The score as stacked bars, and printed numbers beside ours."""

import numpy as np
import pandas as pd

__all__ = ["VERDICT_STYLES", "plot_everything", "plot_published", "plot_verdicts"]


def _look(facecolor, hatch, textcolor):
    return {"facecolor": facecolor, "hatch": hatch, "textcolor": textcolor}


#: The words of numbers and of sentences: dark to light from good to bad, and hatched where they
#: differ, so that neither a grey print nor a reader who sees no red and green mixes them up.
_GOOD = _look("#1b4f9c", "", "white")
_BAD = _look("#d95f02", "xxx", "black")
_OPEN = _look("white", "...", "black")
VERDICT_STYLES = {
    "matches": _GOOD,
    "holds": _GOOD,
    "in part": _look("#9ecae1", "..", "black"),
    "differs, explained": _look("#f9d9a8", "///", "black"),
    "differs, unexplained": _BAD,
    "fails": _BAD,
    "not tested": _OPEN,
    "open": _OPEN,
}
_BAR = {"height": 0.72, "edgecolor": "#555555", "linewidth": 0.6}
_NARROW = 0.05  # a share of the bar that has no room for its number


def plot_verdicts(ax, counts, *, of="numbers", title=""):
    """Shares of the verdicts, one bar a group, with how many there are of each in them."""
    totals = np.array([sum(group.values()) for group in counts.values()], dtype=float)
    place = np.arange(len(counts))
    left = np.zeros(len(counts))
    for word, look in VERDICT_STYLES.items():
        number = np.array([group.get(word, 0) for group in counts.values()])
        if not number.any():
            continue
        share = number / np.maximum(totals, 1)
        look = dict(look)
        color = look.pop("textcolor")
        bars = ax.barh(place, share, left=left, label=word, **look, **_BAR)
        has_room = share > _NARROW
        ax.bar_label(
            bars,
            np.where(has_room, number.astype(str), ""),
            label_type="center",
            color=color,
            fontsize="small",
            bbox={"facecolor": look["facecolor"], "edgecolor": "none", "pad": 1},
        )
        left += share
    names = [f"{name} ({n:.0f})" for name, n in zip(counts, totals, strict=True)]
    ax.set_yticks(place, names)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel=f"share of the {of}", title=title)
    ax.tick_params(axis="y", length=0)
    return ax


#: Colour and marker of a regenerated value by its verdict.
_MARKS = {
    "matches": ("#1b4f9c", "o"),
    "differs, explained": ("#b97a00", "s"),
    "differs, unexplained": ("#d95f02", "X"),
    "not tested": ("#6b6b6b", "v"),
    "not scored": ("#bbbbbb", "x"),
}


_GLYPHS = {"o": "\u25cf", "s": "\u25a0", "X": "\u2716", "v": "\u25bc"}
_INSIDE = {"xycoords": "axes fraction", "va": "top", "fontsize": "small"}


def plot_published(axes, ledger, rows=None, columns=None, noun=None):
    """Printed values beside the regenerated ones, one panel a column of the table.

    A diamond is the print; a mark is the regeneration with two standard errors of their difference
    to either side (of a single printed draw, two standard deviations of the draws), so that a line
    that reaches the diamond is no contradiction. The title counts them.

    Parameters
    ----------
    axes : Axes or array of Axes
        One for each of `columns`; share their axes to compare columns.
    ledger : pandas.DataFrame
        From :func:`~companion.reproduction.verdicts.compare`.
    rows, columns : list of str, optional
        Which, in which order; all that have values by default.
    noun : str, optional
        What the title calls the printed numbers; by default "means" where all of them are, else
        "numbers".
    """
    values = ledger[
        ledger["asks"].isin(("value", "matched")) & ledger["published"].notna()
    ]
    columns = list(dict.fromkeys(values["column"])) if columns is None else columns
    rows = list(dict.fromkeys(values["row"])) if rows is None else rows
    seen = {}
    shown = values[values["column"].isin(columns) & values["row"].isin(rows)]
    scored = shown[shown["scored"]]
    matches = scored["verdict"].eq("matches").sum()
    if noun is None:
        noun = "means" if (scored["kind"] == "stochastic").all() else "numbers"
    for ax, column in zip(np.ravel(axes), columns, strict=True):
        shown = values[(values["column"] == column) & values["row"].isin(rows)]
        for line in shown.to_dict("records"):
            y = rows.index(line["row"])
            word = line["verdict"] if line["scored"] else "not scored"
            color, marker = _MARKS[word]
            # of a single printed draw, the spread of the draws
            spreads = (line["se"], line["reproduced_spread"], 0.0)
            error = 2 * next(filter(np.isfinite, spreads))
            seen[f"here: {word}"] = ax.errorbar(
                line["reproduced"],
                y + 0.12,
                xerr=error,
                fmt=marker,
                color=color,
                markersize=5,
                elinewidth=1.5,
            )
            (seen["printed"],) = ax.plot(
                line["published"],
                y - 0.12,
                "D",
                markerfacecolor="white",
                markeredgecolor="black",
                markersize=6,
            )
        ax.set(title=column, ylim=(len(rows) - 0.5, -0.5))
        ax.set_yticks(range(len(rows)), rows)
        ax.grid(axis="y", color="#eeeeee")
    figure = np.ravel(axes)[0].figure
    if len(scored):
        title = f"{matches} of {len(scored)} printed {noun} match ours"
        if scored["verdict"].eq("not tested").all():
            title = f"{len(scored)} printed {noun}, which are not tested"
        figure.suptitle(title, fontsize="medium")
    figure.legend(
        seen.values(),
        seen,
        loc="outside lower center",
        ncols=len(seen) if len(seen) <= 5 else (len(seen) + 1) // 2,
        fontsize="small",
    )
    return axes


def plot_everything(axes, ledgers):
    """Every printed number against ours on logarithmic axes, one panel a paper.

    On the line both are the same. Colour and mark are the verdict, which the panel names with how
    many there are of each; numbers of which one is zero or negative have no place there, and are
    counted.

    Parameters
    ----------
    axes : array of Axes
        One for each ledger.
    ledgers : mapping of str to pandas.DataFrame
        A ledger by the title of its panel.
    """
    for ax, (title, ledger) in zip(np.ravel(axes), ledgers.items(), strict=True):
        numbers = ledger[ledger["scored"] & (ledger["asks"] == "value")]
        ours = pd.to_numeric(numbers["reproduced"], errors="coerce")
        is_shown = (numbers["published"] > 0) & (ours > 0)
        both = [*numbers["published"][is_shown], *ours[is_shown]]
        ends = [min(both, default=1.0) / 1.5, max(both, default=1.0) * 1.5]
        ax.plot(ends, ends, color="black", linewidth=0.8, zorder=0)
        height = 0.98
        for word, (color, marker) in _MARKS.items():
            count = (numbers["verdict"] == word).sum()
            if not count:
                continue
            here = is_shown & (numbers["verdict"] == word)
            look = {"color": color, "marker": marker, "alpha": 0.8, "linewidths": 0}
            ax.scatter(numbers["published"][here], ours[here], s=22, **look)
            name = f"{_GLYPHS[marker]} {word}: {count}"
            ax.annotate(name, (0.03, height), color=color, **_INSIDE)
            height -= 0.075
        if hidden := (~is_shown).sum():
            ax.annotate(f"not shown, as zero: {hidden}", (0.03, height), **_INSIDE)
        room = (ends[1] / ends[0]) ** 0.4  # for the words, above the numbers
        ax.set(xscale="log", yscale="log", title=title, xlabel="printed", xlim=ends)
        ax.set_ylim(ends[0], ends[1] * room)
    np.ravel(axes)[0].set_ylabel("ours")
    return axes
