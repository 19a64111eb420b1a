"""The figure of the agreement of solvers."""

import numpy as np

__all__ = ["plot_agreement"]


def plot_agreement(ax, matrix, *, least=1e-14, most=1.0, label):
    """Solvers against problems: a small number a cell, as its power of ten; a dot for zero.

    `matrix` is indexed by solver, with columns (paper, problem, machine); NaN cells stay empty. The
    colour scale goes from `least` to `most`, and `label` says what it means.
    """
    from matplotlib.colors import LogNorm

    values = matrix.to_numpy(dtype=float)
    shown = np.clip(values, least, most)
    image = ax.imshow(shown, norm=LogNorm(least, most), cmap="YlOrBr", aspect="auto")
    bar = ax.figure.colorbar(image, ax=ax, label=label, pad=0.01)
    bar.ax.tick_params(labelsize="small")
    middle = (least * most**2) ** (1 / 3)
    for row, column in np.argwhere(np.isfinite(values)):
        text = "\N{MIDDLE DOT}"
        if values[row, column] > 0.0:
            power = str(round(np.log10(values[row, column])))
            text = power.replace("-", "\N{MINUS SIGN}")
        color = "white" if shown[row, column] > middle else "black"
        ax.text(
            column, row, text, color=color, ha="center", va="center", fontsize="small"
        )
    papers = matrix.columns.get_level_values(0)
    for column in np.flatnonzero(papers[1:] != papers[:-1]):
        ax.axvline(column + 0.5, color="black", linewidth=1.0)
    for paper in dict.fromkeys(papers):
        middle = np.flatnonzero(papers == paper).mean()
        ax.text(middle, -0.75, paper, ha="center", va="bottom")
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
    ax.spines[:].set_visible(False)
    return ax
