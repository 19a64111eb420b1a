"""Figure 2: regions of machines with the Gaussian kernel."""

import numpy as np

from companion.metrics import paired_difference
from companion.papers.wrsvm import examples, regions
from companion.solvers import dca

N = 800
N_SAMPLES = {"paper": 10, "quick": 2}
#: A coarser grid than for the tables: the boundaries move little along it.
C_VALUES = 2.0 ** np.arange(-6, 9, 3)

#: Fill, edge and marker of each class.
_LOOKS = (("#c6dbef", "#1b4f9c", "o"), ("#fdd0a2", "#d95f02", "s"), ("#c7e9c0", "#276419", "^"))


def compute(unit):
    """The robust machine of every matrix and its regions: a row each."""
    (X, y), (X_tune, y_tune) = regions.samples("fig_2", N, unit.params["sample"])
    sigma = examples.median_distance(X, y)
    design, near, far = examples.kernel_columns(X, sigma, X_tune, regions.lattice())
    width = {"sigma": round(sigma, 6)}
    return list(regions.machine_rows((design, y), (near, y_tune), far, C_VALUES, lambda _: width))


def kernel_decisions(number, config, a, C):
    """A sample's X and y and the values of its machine on the lattice, from the recorded C."""
    (X, y), _ = regions.samples("fig_2", N, number)
    design, far = examples.kernel_columns(X, examples.median_distance(X, y), regions.lattice())
    machine = dca(design, y, examples.utility(config, a), C, examples.S, tol=examples.TOL)
    return X, y, far @ machine.coef.T + machine.intercept


def plot_regions(ax, axis, values, X, y, *, title=""):
    """One panel: the region of every class, from f on the lattice with these coordinates."""
    from matplotlib.colors import ListedColormap

    look = {"cmap": ListedColormap([fill for fill, *_ in _LOOKS]), "vmin": 0, "vmax": 2}
    predicted = values.argmax(axis=1).reshape(len(axis), len(axis))
    ax.pcolormesh(axis, axis, predicted, shading="nearest", rasterized=True, **look)
    look = {"markersize": 2.2, "fillstyle": "none", "markeredgewidth": 0.5, "linestyle": ""}
    for j, (_, edge, marker) in enumerate(_LOOKS):
        ax.plot(*X[y == j].T, marker, color=edge, **look)
    ax.set(title=title, aspect="equal", xlim=axis[[0, -1]], ylim=axis[[0, -1]])
    return ax


def _add_values(out, frame):
    """How the regions move, and whether those of the second matrix fall apart."""
    out.add("protocol", "n", N)
    regions.add_values(out, frame)
    own = dict(iter(frame[frame.config == 2].sort_values("sample").groupby("a")))
    more = paired_difference(*(own[a][regions.PARTS].sum(axis=1) for a in (0.8, 0.0)))
    column = "connected parts of the three regions: a = 0.8 - a = 0"
    out.add_mean("U2,a", column, more, frame.converged.all())


FIG_2 = examples.study("fig_2", compute, N_SAMPLES)
STUDIES = (FIG_2,)
VALUES = ((_add_values, "fig_2"),)
