"""Figure 2: regions of machines with the Gaussian kernel."""

import numpy as np

from companion.metrics import Mean
from companion.papers.summaries import share
from companion.papers.wrsvm import examples, fig_1, population, regions

N = 800
N_SAMPLES = {"paper": 5, "quick": 1}
#: A coarser grid than for the tables: the boundaries move little along it.
C_VALUES = 2.0 ** np.arange(-6, 9, 3)

#: U12 and U13 of matrices like U2,a: alike, and unlike with the same sum. Other samples of the
#: second row, as at a = .6, of all a of the figure, the three chances are nearest in those above.
ALIKE = {0.0: (0.0, 0.0), 0.6: (0.6, 0.6), 0.8: (0.8, 0.8)}
UNLIKE = {0.6: (0.7, 0.5), 0.8: (0.9, 0.7)}
N_OF_SECOND_ROW = {"paper": range(101, 121), "quick": range(101, 103)}

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


def compute_second_row(unit):
    """The robust machine of matrices like U2,a, whose U12 and U13 may be unlike: a row each."""
    train, tune = regions.samples("fig_2", N, unit.params["sample"])
    points = regions.lattice()
    density = population.class_densities(points)[:, 0]
    sigma = examples.median_distance(*train)
    fit, tune, (far, _) = examples.seen_by_kernel(sigma, train, tune, (points, None))
    rows = []
    for u12, u13 in (*ALIKE.values(), *UNLIKE.values()):
        U = np.eye(3)
        U[0, 1:] = u12, u13
        _, machine = examples.tuned_machines(*fit, *tune, U, C_values=C_VALUES)
        predicted = machine.predict(far)
        seen = regions.regions(predicted, U)
        chances = np.bincount(predicted, density / density.sum(), minlength=3)
        row = {
            "u12": u12,
            "u13": u13,
            "parts_1": seen["parts_1"],
            "parts": sum(seen[f"parts_{j}"] for j in (1, 2, 3)),
            **{f"chance_{j}": round(float(c), 6) for j, c in enumerate(chances, 1)},
            **machine.certificate,
        }
        rows.append(row)
    return rows


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


def apart(chances):
    """Largest less smallest chance of the three decisions for class 1, by record."""
    chances = chances.filter(like="chance_")
    return chances.max(axis=1) - chances.min(axis=1)


def _add_second_row(out, frame):
    """Whether class 1 is mixed with the others under U2, whether by chance, and why."""
    of = {
        matrix: rows.set_index("sample")
        for matrix, rows in frame.groupby(["u12", "u13"])
    }
    alike = {a: of[matrix] for a, matrix in ALIKE.items()}
    column = "share of samples in which class 1 has more connected parts"
    out.add_mean("U2,a", column, share(alike[0.8].parts_1 > alike[0.0].parts_1))
    for a, matrix in UNLIKE.items():
        row = f"U2,{a:g}"
        column = "largest - smallest chance of the three decisions for class 1"
        out.add_mean(row, column, apart(alike[a]))
        column = "share of samples with more connected parts than with U12 - U13 = 0.2"
        out.add_mean(row, column, share(alike[a].parts > of[matrix].parts))


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
FIG_2_SECOND_ROW = examples.study(
    "fig_2_second_row", compute_second_row, sample=N_OF_SECOND_ROW
)
STUDIES = (FIG_2, FIG_2_SECOND_ROW, fig_1.FIG_1)
VALUES = (
    (_add_values, "fig_2"),
    (_add_second_row, "fig_2_second_row"),
    (_add_similarity, "fig_2", "fig_1"),
)


# -- what the notebook says -----------------------------------------------------------------


def chances_of_class_1(frame):
    """Mean chances of the three decisions for a point of class 1 under U2,a: a row an a."""
    columns = [f"chance_{j}" for j in (1, 2, 3)]
    return frame[frame.config == 2].groupby("a")[columns].mean()


def what_came_out(run):
    """What becomes of a point of class 1 as a grows, and why, in sentences."""
    frame = run.records["fig_2"]
    chances = 100 * chances_of_class_1(frame)
    nearest = apart(chances).idxmin()

    def at(a):
        one, two, three = chances.loc[a]
        return f"{one:.0f}, {two:.0f} and {three:.0f} % at a = {a:g}"

    others = [at(a) for a in (chances.index[0], chances.index[-1]) if a != nearest]
    second = run.records["fig_2_second_row"]
    second = second.assign(apart=100 * apart(second))
    n = second["sample"].nunique()
    of = second.set_index(["sample", "u12", "u13"])[["apart", "parts"]].unstack([1, 2])
    picked = of.apart[[ALIKE[a] for a in UNLIKE]].min(axis=1)
    apart_at = " and ".join(
        f"{of.apart[ALIKE[a]].mean():.0f} points at a = {a:g}" for a in UNLIKE
    )
    more = " and ".join(
        f"{100 * (of.parts[ALIKE[a]] > of.parts[unlike]).mean():.0f} % of them at a = {a:g}"
        for a, unlike in UNLIKE.items()
    )
    return (
        "The text says that with growing a the chances that a point of class 1 is called 1, 2 or 3"
        ' become "approximately the same", without naming an a. Under U2,a they are nearest to each'
        f" other, {at(nearest)}; they are {' and '.join(others)} ("
        f"{regions.means_of(frame)}). On {n} other samples the largest and the smallest are"
        f" {apart_at} apart, and {picked.mean():.0f} at the nearer of the two in each sample. The"
        " text suspects that U12 and U13 mix the regions by being equal: .2 apart, of the same sum,"
        f" they leave fewer connected parts in {more}."
    )
