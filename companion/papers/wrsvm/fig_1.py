"""Figure 1: boundaries of linear machines, drawn from their recorded coefficients."""

import numpy as np

from companion.papers.wrsvm import examples, regions
from companion.solvers import Design

N = 1600
N_SAMPLES = {"paper": 14, "quick": 2}
#: A coarser grid than for the tables: the boundaries move little along it.
C_VALUES = 2.0 ** np.arange(-12, 11, 3)


def compute(unit):
    """The robust machine of every matrix, its coefficients and regions: a row each."""
    (X, y), tune = regions.samples("fig_1", N, unit.params["sample"])

    def coefficients(machine):
        names = [f"{name}_{j}" for j in (1, 2, 3) for name in ("w1", "w2", "b")]
        values = np.column_stack([machine.coef, machine.intercept]).ravel()
        return {
            name: float(f"{value:.8g}")
            for name, value in zip(names, values, strict=True)
        }

    points = regions.lattice()
    train = (Design.linear(X), y)
    return list(regions.machine_rows(train, tune, points, C_VALUES, coefficients))


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


FIG_1 = examples.study("fig_1", compute, sample=N_SAMPLES)
STUDIES = (FIG_1,)
VALUES = ((_add_values, "fig_1"),)


# -- what the notebook says -----------------------------------------------------------------


def best_share(config, a, j=1):
    """Share of the square that the best possible rule calls class 1, or another."""
    p = examples.class_probabilities("piecewise_linear", regions.lattice())
    return (examples.bayes(p, examples.utility(config, a)) == j - 1).mean()


def what_came_out(run):
    """How the region of class 1 moves with a, in sentences."""
    share = run.records["fig_1"].groupby(["config", "a"]).region_1.mean()
    last = max(regions.A_VALUES)
    ends = ", ".join(
        f"{100 * share[j, last]:.0f} % under U{j},a" for j in regions.CONFIGS
    )
    return (
        f"Class 1 has {100 * share[1, 0]:.0f} % of the square without utilities; at a = {last:g} it"
        f" has {ends} ({regions.means_of(run.records['fig_1'])}). The best possible rule would"
        f" leave it {100 * best_share(2, last):.0f} % under U2,{last:g}."
    )
