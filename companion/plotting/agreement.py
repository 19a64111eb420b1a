"""Figures of the agreement of solvers."""

from __future__ import annotations

import numpy as np

__all__ = ["FAMILY_STYLES", "plot_agreement", "plot_large_costs", "plot_solver_times"]

#: Colours and marks of kinds of solvers.
FAMILY_STYLES = {
    "pair updates": {"color": "#1b4f9c", "marker": "o"},
    "weighted least squares": {"color": "#d95f02", "marker": "s"},
    "software of others": {"color": "#777777", "marker": "D"},
    "closed form": {"color": "#4d9221", "marker": "^"},
}


def plot_agreement(ax, matrix, *, least=1e-14, most=1.0, label, marked=None, title=""):
    """Solvers against problems: a small number a cell, as its power of ten; a dot for zero.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    matrix : DataFrame
        Indexed by solver, columns (paper, problem, machine); NaN cells stay empty.
    least, most : float
        Ends of the colour scale; smaller values have the colour of ``least``.
    label : str
        What the colours mean.
    marked : DataFrame of bool, optional
        Of the same shape: cells with a frame.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    values = matrix.to_numpy(dtype=float)
    shown = np.clip(values, least, most)
    image = ax.imshow(shown, norm=LogNorm(least, most), cmap="YlOrBr", aspect="auto")
    bar = ax.figure.colorbar(image, ax=ax, label=label, pad=0.01)
    bar.ax.tick_params(labelsize="small")
    for row, column in np.argwhere(np.isfinite(values)):
        value = values[row, column]
        text = "\N{MIDDLE DOT}"
        if value > 0.0:
            text = str(round(np.log10(value))).replace("-", "\N{MINUS SIGN}")
        dark = shown[row, column] > (least * most**2) ** (1 / 3)
        ax.text(
            column,
            row,
            text,
            ha="center",
            va="center",
            fontsize="small",
            color="white" if dark else "black",
        )
        if marked is not None and marked.iat[row, column]:
            ax.add_patch(
                Rectangle(
                    (column - 0.46, row - 0.44),
                    0.92,
                    0.88,
                    fill=False,
                    edgecolor="black",
                    linewidth=1.4,
                )
            )
    papers = matrix.columns.get_level_values(0)
    for column in np.flatnonzero(papers[1:] != papers[:-1]):
        ax.axvline(column + 0.5, color="black", linewidth=1.0)
    for paper in dict.fromkeys(papers):
        ax.text(
            np.flatnonzero(papers == paper).mean(),
            -0.75,
            paper,
            ha="center",
            va="bottom",
            fontsize="medium",
        )
    labels = [f"{problem}: {machine}" for _, problem, machine in matrix.columns]
    ax.set_xticks(
        range(len(labels)),
        labels,
        rotation=60,
        ha="right",
        rotation_mode="anchor",
        fontsize="small",
    )
    ax.set_yticks(range(len(matrix)), matrix.index)
    ax.set_title(title, pad=22)
    ax.spines[:].set_visible(False)
    return ax


def plot_solver_times(ax, frame, families, *, title=""):
    """CPU time of every run, a line a solver, a mark a problem; the bar is the median.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    frame : DataFrame
        Columns solver and seconds.
    families : mapping of str to sequence of str
        Solvers by kind, as in :data:`FAMILY_STYLES`; lines follow its order.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    lines, labels = 0, []
    for family, solvers in families.items():
        look, label = FAMILY_STYLES[family], family
        for solver in solvers:
            times = 1e3 * frame.loc[frame["solver"] == solver, "seconds"].to_numpy()
            if not times.size:
                continue
            ax.plot(
                times,
                np.full(times.size, lines),
                linestyle="",
                markersize=5,
                alpha=0.6,
                label=label,
                **look,
            )
            ax.plot([np.median(times)] * 2, [lines - 0.35, lines + 0.35], color=look["color"])
            label = None
            labels.append(solver)
            lines += 1
    ax.set_xscale("log")
    ax.set_yticks(range(lines), labels)
    ax.invert_yaxis()
    ax.grid(axis="x", alpha=0.3)
    ax.set(xlabel="CPU time of a run (ms)", title=title)
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def plot_large_costs(ax, frame, *, value="error", ylabel, tolerance=None, legend=True, title=""):
    """An error against C, a curve a solver; zeros are left out.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    frame : DataFrame
        Columns solver, C and the value.
    value : str, default="error"
    ylabel : str
    tolerance : float, optional
        A horizontal line.
    legend : bool
        Whether to name the curves beside the axes.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
    """
    looks = (
        ("#1b4f9c", "o", "-"),
        ("#66a9d8", "v", "--"),
        ("#d95f02", "s", "-"),
        ("#f4b183", "P", "--"),
        ("black", "X", "-"),
        ("#777777", "D", ":"),
    )
    for (solver, part), (color, marker, line) in zip(
        frame.groupby("solver", sort=False), looks, strict=False
    ):
        ax.plot(
            part["C"],
            part[value].where(part[value] > 0.0),
            color=color,
            marker=marker,
            linestyle=line,
            label=solver,
        )
    if tolerance is not None:
        ax.axhline(tolerance, color="black", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="C", ylabel=ylabel, title=title)
    if legend:
        ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
