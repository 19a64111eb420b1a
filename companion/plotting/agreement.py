"""Figures of the agreement of solvers."""

import numpy as np

__all__ = ["FAMILY_STYLES", "plot_agreement", "plot_large_costs", "plot_solver_times"]

#: Colours and marks of kinds of solvers.
FAMILY_STYLES = {
    "pair updates": {"color": "#1b4f9c", "marker": "o"},
    "weighted least squares": {"color": "#d95f02", "marker": "s"},
    "software of others": {"color": "#777777", "marker": "D"},
    "closed form": {"color": "#4d9221", "marker": "^"},
}
#: One solver after the other.
_LOOKS = (
    ("#1b4f9c", "o", "-"),
    ("#66a9d8", "v", "--"),
    ("#d95f02", "s", "-"),
    ("#f4b183", "P", "--"),
    ("black", "X", "-"),
    ("#777777", "D", ":"),
)


def plot_agreement(ax, matrix, *, least=1e-14, most=1.0, label, marked=None, title=""):
    """Solvers against problems: a small number a cell, as its power of ten; a dot for zero.

    `matrix` is indexed by solver, with columns (paper, problem, machine); NaN cells stay empty. The
    colour scale goes from `least` to `most`, `label` says what it means, and cells that are True in
    `marked`, of the same shape, have a frame.
    """
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    values = matrix.to_numpy(dtype=float)
    shown = np.clip(values, least, most)
    image = ax.imshow(shown, norm=LogNorm(least, most), cmap="YlOrBr", aspect="auto")
    bar = ax.figure.colorbar(image, ax=ax, label=label, pad=0.01)
    bar.ax.tick_params(labelsize="small")
    for row, column in np.argwhere(np.isfinite(values)):
        text = "\N{MIDDLE DOT}"
        if values[row, column] > 0.0:
            text = str(round(np.log10(values[row, column]))).replace("-", "\N{MINUS SIGN}")
        dark = shown[row, column] > (least * most**2) ** (1 / 3)
        look = {"ha": "center", "va": "center", "fontsize": "small"}
        ax.text(column, row, text, color="white" if dark else "black", **look)
        if marked is not None and marked.iat[row, column]:
            frame = Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, fill=False, linewidth=1.4)
            ax.add_patch(frame)
    papers = matrix.columns.get_level_values(0)
    for column in np.flatnonzero(papers[1:] != papers[:-1]):
        ax.axvline(column + 0.5, color="black", linewidth=1.0)
    for paper in dict.fromkeys(papers):
        ax.text(np.flatnonzero(papers == paper).mean(), -0.75, paper, ha="center", va="bottom")
    labels = [f"{problem}: {machine}" for _, problem, machine in matrix.columns]
    turned = {"rotation": 60, "ha": "right", "rotation_mode": "anchor", "fontsize": "small"}
    ax.set_xticks(range(len(labels)), labels, **turned)
    ax.set_yticks(range(len(matrix)), matrix.index)
    ax.set_title(title, pad=22)
    ax.spines[:].set_visible(False)
    return ax


def plot_solver_times(ax, frame, families, *, title=""):
    """CPU time of every run, a line a solver, a mark a problem; the bar is the median.

    `frame` has columns solver and seconds; `families` are the solvers by kind, as in
    :data:`FAMILY_STYLES`, and lines follow its order.
    """
    labels = []
    for family, solvers in families.items():
        look, label = FAMILY_STYLES[family], family
        for solver in (name for name in solvers if (frame["solver"] == name).any()):
            times, line = 1e3 * frame.loc[frame["solver"] == solver, "seconds"], len(labels)
            marks = {"linestyle": "", "markersize": 5, "alpha": 0.6, "label": label}
            ax.plot(times, np.full(len(times), line), **marks, **look)
            ax.plot([times.median()] * 2, [line - 0.35, line + 0.35], color=look["color"])
            label = None
            labels.append(solver)
    ax.set_xscale("log")
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.grid(axis="x", alpha=0.3)
    ax.set(xlabel="CPU time of a run (ms)", title=title)
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def plot_large_costs(ax, frame, *, value="error", ylabel, tolerance=None, legend=True, title=""):
    """A `value` of the frame against its C, a curve a solver; zeros are left out.

    `tolerance` is a horizontal line; `legend` says whether to name the curves beside the axes.
    """
    groups = frame.groupby("solver", sort=False)
    for (solver, part), (color, marker, line) in zip(groups, _LOOKS, strict=False):
        look = {"color": color, "marker": marker, "linestyle": line, "label": solver}
        ax.plot(part["C"], part[value].where(part[value] > 0.0), **look)
    if tolerance is not None:
        ax.axhline(tolerance, color="black", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="C", ylabel=ylabel, title=title)
    if legend:
        ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
