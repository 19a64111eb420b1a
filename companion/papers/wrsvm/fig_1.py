"""Figure 1: boundaries of linear machines, drawn from their recorded coefficients."""

import numpy as np

from companion.papers.wrsvm import examples, regions
from companion.solvers import Design

N = 1600
N_SAMPLES = {"paper": 20, "quick": 3}
#: A coarser grid than for the tables: the boundaries move little along it.
C_VALUES = 2.0 ** np.arange(-12, 11, 3)

_LINES = ("-", (0, (6, 1.5)), "--", "-.", ":")


def compute(unit):
    """The robust machine of every matrix, its coefficients and regions: a row each."""
    (X, y), tune = regions.samples("fig_1", N, unit.params["sample"])

    def coefficients(machine):
        names = [f"{name}_{j}" for j in (1, 2, 3) for name in ("w1", "w2", "b")]
        values = np.column_stack([machine.coef, machine.intercept]).ravel()
        return {name: float(f"{value:.8g}") for name, value in zip(names, values, strict=True)}

    points, train = regions.lattice(), (Design.linear(X), y)
    return list(regions.machine_rows(train, tune, points, C_VALUES, coefficients))


def linear_decisions(row):
    """Values of a recorded machine on the lattice, shape (LATTICE^2, 3)."""
    points = regions.lattice()
    values = [points @ [row[f"w1_{j}"], row[f"w2_{j}"]] + row[f"b_{j}"] for j in (1, 2, 3)]
    return np.column_stack(values)


def plot_boundaries(ax, axis, machines, *, title=""):
    """One panel: where the class of largest f, given on a lattice, changes, a line a machine."""
    from matplotlib import colormaps

    for k, (name, values) in enumerate(machines.items()):
        color = colormaps["viridis"](0.9 * k / max(len(machines) - 1, 1))
        line = _LINES[k % len(_LINES)]
        for j in range(values.shape[1]):
            lead = values[:, j] - np.delete(values, j, axis=1).max(axis=1)
            lead, look = lead.reshape(len(axis), -1), {"colors": [color], "linestyles": [line]}
            ax.contour(axis, axis, lead, levels=[0.0], linewidths=1.6, **look)
        ax.plot([], [], color=color, linestyle=line, linewidth=1.6, label=name)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", title=title, aspect="equal")
    return ax


def _add_values(out, frame):
    """Example 1 as drawn, and how the regions move."""
    X, y = examples.piecewise_linear(200_000, np.random.default_rng(0))
    first = X[y == 0]
    protocol = {
        "n": N,
        "mu_1, coordinate 1": first[:, 0].mean(),
        "mu_1, coordinate 2": first[:, 1].mean(),
        "standard deviation": np.sqrt(first.var(axis=0).mean()),
    }
    out.add_all("protocol", protocol)
    regions.add_values(out, frame)


FIG_1 = examples.study("fig_1", compute, N_SAMPLES)
STUDIES = (FIG_1,)
VALUES = ((_add_values, "fig_1"),)
