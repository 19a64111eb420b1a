"""Figure 2: regions of machines with the Gaussian kernel."""

import numpy as np

from companion.metrics import Mean
from companion.papers.summaries import share
from companion.papers.wrsvm import examples, fig_1, population, regions

N = 800
N_SAMPLES = {"paper": 5, "quick": 1}
#: A coarser grid than for the tables: the boundaries move little along it.
C_VALUES = 2.0 ** np.arange(-6, 9, 3)

#: Changes are called similar that differ by less than this share of themselves.
SIMILAR = 0.5


def compute(unit):
    """The robust machine of every matrix and its regions: a row each."""
    train, tune = regions.samples("fig_2", N, unit.params["sample"])
    points = regions.lattice()
    density = population.class_densities(points)[:, 0]
    sigma = examples.median_distance(*train)
    *samples, (far, _) = examples.seen_by_kernel(sigma, train, tune, (points, None))

    def chances(machine):
        found = np.bincount(machine.predict(far), density / density.sum(), minlength=3)
        return {f"chance_{j}": round(float(c), 6) for j, c in enumerate(found, start=1)}

    return list(regions.machine_rows(*samples, far, C_VALUES, chances))


def _add_values(out, frame):
    """How the regions move, and whether that of class 1 is mixed with the others under U2.

    The figure shows "one typical realization": what most samples do, from a = 0 to 0.8.
    """
    out.add("protocol", "n", N)
    tables = {
        config: rows.pivot(index="sample", columns="a")
        for config, rows in frame.groupby("config")
    }
    for config, grows in regions.GROWS.items():
        for j, larger in grows.items():
            region = tables[config][f"region_{j}"]
            change = region[0.8] - region[0.0]
            shown = share(change > 0 if larger else change < 0)
            word = "grows" if larger else "shrinks"
            column = f"region of class {j}: share of samples in which it {word}"
            out.add_mean(f"U{config},a", column, shown)
    parts = tables[2]["parts_1"]
    column = "share of samples in which class 1 has more connected parts"
    out.add_mean("U2,a", column, share(parts[0.8] > parts[0.0]))
    chances = tables[2].xs(0.8, axis=1, level="a").filter(like="chance_")
    column = "largest - smallest chance of the three decisions for class 1"
    out.add_mean("U2,0.8", column, chances.max(axis=1) - chances.min(axis=1))


def relative_changes(frame, linear):
    """|change with the kernel - linear change| / |linear change| from a = 0 to 0.8, by region."""
    found = {}
    for config, grows in regions.GROWS.items():
        for j in grows:
            here, there = (regions.growth(of, config, j) for of in (frame, linear))
            ratio = here.mean / there.mean
            error = np.hypot(here.standard_error, ratio * there.standard_error)
            known = Mean(abs(ratio - 1), error / abs(there.mean), here.n)
            found[f"U{config},a, class {j}"] = known
    return found


def _add_similarity(out, frame, linear):
    """The moved region whose change is least certainly that of the linear machine."""
    least = max(
        relative_changes(frame, linear).values(),
        key=lambda found: (found.mean - SIMILAR) / found.standard_error,
    )
    column = "|kernel change - linear change| / |linear change|, the least certain"
    out.add_mean("all panels", column, least)


FIG_2 = examples.study("fig_2", compute, sample=N_SAMPLES)
STUDIES = (FIG_2, fig_1.FIG_1)
VALUES = ((_add_values, "fig_2"), (_add_similarity, "fig_2", "fig_1"))


# -- what the notebook says -----------------------------------------------------------------


def chances_of_class_1(frame):
    """Mean chances of the three decisions for a point of class 1 under U2,a: a row an a."""
    columns = [f"chance_{j}" for j in (1, 2, 3)]
    return frame[frame.config == 2].groupby("a")[columns].mean()


def what_came_out(run):
    """What becomes of a point of class 1 as a grows, in sentences."""
    frame = run.records["fig_2"]
    chances = 100 * chances_of_class_1(frame)
    apart = chances.max(axis=1) - chances.min(axis=1)
    nearest = apart.idxmin()

    def at(a):
        one, two, three = chances.loc[a]
        return f"{one:.0f}, {two:.0f} and {three:.0f} % at a = {a:g}"

    others = [at(a) for a in (chances.index[0], chances.index[-1]) if a != nearest]
    return (
        "The text says that with growing a the chances that a point of class 1 is called 1, 2 or 3"
        ' become "approximately the same", without naming an a. Under U2,a they are nearest to each'
        f" other, {at(nearest)}; they are {' and '.join(others)} ("
        f"{regions.means_of(frame)})."
    )
