"""What the notebooks draw, from records or from machines that are trained here."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from companion.datasets import two_gaussians
from companion.estimators import L1SVC, L2SVC, LSSVC, LeastOneNormSVC
from companion.kernels import gram
from companion.papers.l1nsvm import beyond, fig_1, iterations, table_1
from companion.papers.l1nsvm.machines import PRINTED_MACHINES, PRINTED_NAMES, SETTINGS
from companion.papers.summaries import present
from companion.plotting import MACHINE_STYLES, plot_distributions, plot_published, style

ESTIMATORS = {"LS": LSSVC, "Least 1-Norm": LeastOneNormSVC, "L1": L1SVC, "L2": L2SVC}
#: Two machines that most figures compare.
BOTH = ("LS", "Least 1-Norm")


def fitted(name, X, y, C=1.0):
    """A machine with the plain inner product, trained."""
    return ESTIMATORS[name](C=C, kernel="linear", tol=1e-6).fit(X, y)


def draw_points(ax, X, y, size=4):
    """The points of two classes, filled and hollow."""
    for label, mark, fill in ((1, "o", "full"), (-1, "s", "none")):
        look = {"color": "#555555", "markersize": size, "fillstyle": fill}
        name = f"class {label:+d}"
        ax.plot(*X[y == label].T, mark, label=name, linestyle="", **look)


def draw_ring(ax, X, label, **look):
    """Rings round points that are wrong."""
    ring = {"markersize": 13, "fillstyle": "none", "color": "black", "linestyle": ""}
    ax.plot(*X.T, "o", label=label, **ring, **look)


def draw_line(ax, w, b, *, level=0, **look):
    """Where w'x + b is the level."""
    ax.axline((level - b) * w / (w @ w), slope=-w[0] / w[1], **look)


def look_of(name):
    """Colour and line of a machine, without its marker."""
    return {part: MACHINE_STYLES[name][part] for part in ("color", "linestyle")}


def _one_legend(fig, ax, ncols=4):
    look = {"loc": "outside lower center", "ncols": ncols, "frameon": False}
    fig.legend(*ax.get_legend_handles_labels(), **look)


def _degrees(turns):
    return ", ".join(f"{name} {degrees:.0f}°" for name, degrees in turns.items())


# -- the method: one point walks away ---------------------------------------------------------


def outlier_problem(distance, angle=22.0, draw=1):
    """Twenty points a class, and one more labelled +1 that starts in the middle of the other.

    It has gone so far in a direction, in degrees.
    """
    X, y = two_gaussians(20, rng=draw)
    radians = np.radians(angle)
    direction = np.array([np.cos(radians), np.sin(radians)])
    outlier = np.array([5.0, 2.0]) + distance * direction
    return np.vstack([X, outlier]), np.append(y, 1)


def turn(name, X, y, C):
    """How far the last point turns the line of a machine, in degrees."""
    without = fitted(name, X[:-1], y[:-1], C)
    return fig_1.rotation(fitted(name, X, y, C).coef_[0], without.coef_[0])


def draw_outlier(ax, distance, angle, C, draw, *, machines=BOTH):
    """The lines of some machines, with the outlier in sight however far out it is."""
    X, y = outlier_problem(distance, angle, draw)
    draw_points(ax, X, y)
    draw_ring(ax, X[-1:], "outlier", clip_on=False)
    for name in machines:
        machine = fitted(name, X, y, C)
        draw_line(
            ax, machine.coef_[0], machine.intercept_[0], label=name, **look_of(name)
        )
    least = np.minimum(X[-1], -3)
    most = np.maximum(X[-1], (9, 8))
    room = 0.08 * (most - least)
    (left, low), (right, high) = least - room, most + room
    turns = {name: turn(name, X, y, C) for name in machines}
    ax.set(
        xlim=(left, right),
        ylim=(low, high),
        xlabel="$x_1$",
        ylabel="$x_2$",
        title=f"At distance {distance:g}:\n{_degrees(turns)}",
    )


def outlier_walk(C=1.0, angle=22.0, draw=1, distances=(2, 10, 100)):
    """How far the outlier turns the lines of LS and Least 1-Norm on its way."""
    with style():
        fig, axes = plt.subplots(1, len(distances), figsize=(9, 4.2))
        for ax, distance in zip(axes, distances, strict=True):
            draw_outlier(ax, distance, angle, C, draw)
        fig.suptitle("How far one wrong point turns the line", fontsize="medium")
        _one_legend(fig, ax, ncols=5)
    plt.show()


def outlier_at(distance=10.0, angle=22.0, C=1.0, draw=1, machines=BOTH):
    """One step of the walk."""
    with style():
        _, ax = plt.subplots(figsize=(5.6, 5.2))
        draw_outlier(ax, distance, angle, C, draw, machines=machines)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3)


def turns_by_distance(C=1.0, angle=22.0, draw=1, named=10.0):
    """Degrees by which each line turns over the distance; the title has those at one of them."""
    distances = np.array([0, 1, 2, 5, 10, 20, 50, 100])
    at = np.abs(distances - named).argmin()
    turns = {}
    with style():
        _, ax = plt.subplots(figsize=(6.2, 4.4))
        for name in ESTIMATORS:
            degrees = [
                turn(name, *outlier_problem(distance, angle, draw), C)
                for distance in distances
            ]
            turns[name] = degrees[at]
            ax.plot(distances, degrees, label=name, **MACHINE_STYLES[name])
        _by_distance(ax)
        ax.set(
            ylabel="degrees turned",
            title=f"C = {C:g}, at distance {distances[at]}: {_degrees(turns)}",
        )
        ax.legend()
    plt.show()


def _by_distance(ax):
    ax.set_xscale("symlog", linthresh=1)
    ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    ax.set(xlabel="distance of the outlier", ylim=(0, None))


# -- Table 1 ----------------------------------------------------------------------------------


def four_cells(C=1.0, draw=1):
    """The four machines where Table 1 has them, and the one that Section 2 warns of."""
    X, y = table_1.sample(draw)
    places = {"L2": (0, 0), "L1": (0, 1), "LS": (1, 0), "Least 1-Norm": (1, 1)}
    shares = []
    with style():
        fig, axes = plt.subplots(2, 3, figsize=(8.5, 5.6), sharex=True, sharey=True)
        for name, place in places.items():
            machine = fitted(name, X, y, C)
            beyond = np.mean(y * machine.decision_function(X) > 1 + 1e-3)
            shares.append(f"{beyond:.0%} with {name}")
            color = look_of(name)["color"]
            draw_points(axes[place], X, y)
            draw_hyperplanes(
                axes[place], machine.coef_[0], machine.intercept_[0], color
            )
            axes[place].set_title(name)
        one_sided = table_1.solve_one_sided(gram(X, kernel="linear"), y, C)
        w = X.T @ (y * one_sided.alpha)
        draw_points(axes[1, 2], X, y)
        draw_hyperplanes(axes[1, 2], w, one_sided.intercept, "black")
        axes[1, 2].set_title(r"equalities and $\xi_i\geq0$")
        axes[0, 0].set(ylabel="inequalities", xlim=(-3, 5), ylim=(-3, 4))
        axes[1, 0].set_ylabel("equalities")
        axes[0, 2].axis("off")
        axes[0, 2].legend(*axes[0, 0].get_legend_handles_labels(), loc="center")
        title = f"Points beyond their support hyperplane:\n{', '.join(shares)}"
        fig.suptitle(title, fontsize="medium")
    plt.show()


def draw_hyperplanes(ax, w, b, color):
    """Where w'x + b is 0 and, dashed, 1 and -1: the support hyperplanes."""
    for level in fig_1.LEVELS:
        if w @ w > 1e-9:  # a normal of zero has no line
            line = "--" if level else "-"
            draw_line(ax, w, b, level=level, color=color, linestyle=line)


# -- Figure 1 ---------------------------------------------------------------------------------


def four_panels(rule="one_per_class", C=1.0, draw=1):
    """Figure 1: two machines, without and with two switched labels, which are ringed."""
    X, clean, none = fig_1.toy_problem(draw)
    _, flipped, switched = fig_1.toy_problem(draw, rule)
    rows = {"without": (clean, none), "with": (flipped, switched)}
    turns = {}
    with style():
        fig, axes = plt.subplots(2, 2, figsize=(8.5, 6.2), sharex=True, sharey=True)
        for column, name in zip(axes.T, BOTH, strict=True):
            normals = []
            for ax, (word, (y, ringed)) in zip(column, rows.items(), strict=True):
                machine = fitted(name, X, y, C)
                w = machine.coef_[0]
                normals.append(w)
                color = look_of(name)["color"]
                draw_points(ax, X, y)
                draw_hyperplanes(ax, w, machine.intercept_[0], color)
                draw_ring(ax, X[ringed], "switched")
                ax.set_title(f"{name}, C = {C:g}, {word} outliers")
            turns[name] = fig_1.rotation(*normals)
        for ax, letter in zip(axes.flat, "abcd", strict=True):
            ax.set_title(f"({letter}) {ax.get_title()}")
        ticks = {f"{axis}ticks": places for axis, places in fig_1.TICKS.items()}
        ax.set(**ticks, xlim=(-3, 10), ylim=(-3, 5))
        title = f"In draw {draw} two wrong labels turn the lines: {_degrees(turns)}"
        fig.suptitle(title)
        _one_legend(fig, ax, ncols=3)
    plt.show()


def turns_over_draws(records):
    """How far the lines turn in all draws, by each rule of switching two labels."""
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(9, 3.8), sharex=True, sharey=True)
        for ax, (rule, words) in zip(axes, fig_1.RULES.items(), strict=True):
            samples = {name: records[f"{rule}_{name}"] for name in ESTIMATORS}
            label = "angle (degrees); a dot is the mean"
            plot_distributions(ax, samples, xlabel=label)
            means = {name: samples[name].mean() for name in BOTH}
            text = ", ".join(f"{name} {mean:.1f}°" for name, mean in means.items())
            ax.set_title(f"{words}:\n{text}")
            ax.get_legend().remove()
            ax.label_outer()
        lines = [line for line in ax.lines if len(line.get_xdata()) > 1]
        fig.legend(lines, ESTIMATORS, loc="outside lower center", ncols=4)
    plt.show()


# -- beyond -----------------------------------------------------------------------------------


#: What the three panels of a row have on their axes.
_QUANTITIES = {
    "angle": "angle of the turn (degrees)",
    "linear": "% err., inner product",
    "RBF": "% err., Gaussian kernel",
}


def _draw_contamination(axes, records, kind):
    """Angle, error of the line and error with the Gaussian kernel, by how much is wrong."""
    for ax, (quantity, ylabel) in zip(axes, _QUANTITIES.items(), strict=True):
        by_size = beyond.of_machines(records, quantity).loc[kind].groupby("size")
        mean = by_size.mean()
        error = 2 * by_size.sem()
        for name in ESTIMATORS:
            look = {"markersize": 4, "capsize": 2, **MACHINE_STYLES[name]}
            ax.errorbar(mean.index, mean[name], error[name], label=name, **look)
        ax.set_ylabel(ylabel)


def switched_labels(records):
    """The four machines over the share of switched labels."""
    most = max(fig_1.SHARES)
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(9, 3.9))
        _draw_contamination(axes, records, fig_1.SWITCHED)
        for ax in axes:
            ax.set_xlabel("share of switched labels")
        errors = beyond.of_machines(records, "linear").loc[fig_1.SWITCHED, most].mean()
        text = ", ".join(f"{name} errs on {errors[name]:.1f} %" for name in BOTH)
        title = f"With {most:.0%} of the labels switched and the inner product\n{text}"
        fig.suptitle(title, fontsize="medium")
        _one_legend(fig, axes[0])
    plt.show()


def places_of_an_outlier(records):
    """The four machines over the distance of one outlier, in four places."""
    places = (fig_1.BEHIND, fig_1.BESIDE, fig_1.WRONG_SIDE, fig_1.OWN_SIDE)
    far = max(fig_1.PLACED_AT)
    with style():
        fig, axes = plt.subplots(4, 3, figsize=(9, 11.2), sharex=True, sharey="col")
        for row, place in zip(axes, places, strict=True):
            _draw_contamination(row, records, place)
            row[1].set_title(place)
        for ax in axes[-1]:
            ax.set(xlabel="distance of the point", xscale="log")
            ticks = (*fig_1.PLACED_AT, fig_1.FARTHEST)
            ax.set_xticks(ticks, [f"{at:g}" for at in ticks])
            ax.minorticks_off()
        axes[0, 1].set_yscale("log")
        axes[0, 2].set_ylim(bottom=0)
        errors = beyond.of_machines(records, "linear").loc[fig_1.BEHIND, far].mean()
        text = ", ".join(f"{name} errs on {errors[name]:.1f} %" for name in BOTH)
        title = f"Behind the other class at {far:g}, with the inner product:\n{text}"
        fig.suptitle(title, fontsize="medium")
        _one_legend(fig, ax)
    plt.show()


# -- Table 2 ----------------------------------------------------------------------------------


def published_means(run):
    """Errors and support vectors, printed and ours, a panel a column of Table 2."""
    datasets = present(run.records["table_2"], PRINTED_NAMES)
    rows = [PRINTED_NAMES[name] for name in datasets]
    columns = [
        f"{machine} {column}"
        for column, machine in product(("% err.", "#SV"), PRINTED_MACHINES)
    ]
    with style():
        _, axes = plt.subplots(2, 2, figsize=(8.5, 5), sharex="row", sharey=True)
        plot_published(axes, run.ledger, rows, columns)
        ticks = [70, 150, 200, 700]
        axes[1, 0].set_xscale("log")
        axes[1, 0].set_xticks(ticks, map(str, ticks), minor=False)
        axes[1, 0].minorticks_off()
    plt.show()


def _surfaces(tables, n_columns, *, label, title, most=6, marks=None):
    """Logarithms to base 2 over C and sigma, up to `most`, a panel a table; black where 0."""
    n_rows = len(tables) // n_columns
    levels = np.linspace(-most, most, 13)
    look = {"levels": levels, "cmap": "PuOr_r", "extend": "both"}
    with style():
        shape = {"squeeze": False, "sharex": True, "sharey": True}
        size = (9.5, 1.6 + 1.7 * n_rows)
        fig, axes = plt.subplots(n_rows, n_columns, figsize=size, **shape)
        for ax, (name, table) in zip(axes.flat, tables.items(), strict=True):
            place = (table.columns, table.index, table)
            drawn = ax.contourf(*place, **look)
            ax.contour(*place, levels=[0], colors="black")
            if marks:
                log10_C, log10_sigma = marks[name]
                star = {"markersize": 12, "color": "white", "markeredgecolor": "black"}
                ax.plot(log10_sigma, log10_C, "*", clip_on=False, zorder=3, **star)
            ax.set_title(name, fontsize="small")
        fig.suptitle(title)
        fig.supxlabel(r"$\log_{10}\,\sigma$")
        fig.supylabel(r"$\log_{10}\,C$")
        fig.colorbar(drawn, ax=axes, label=f"{label},\nas a power of 2")
    plt.show()


def _by_machine(datasets):
    """Data sets and printed machines by the title of their panel, a row a machine."""
    return {
        f"{PRINTED_NAMES[name]}, {machine}": (name, machine)
        for machine, name in product(PRINTED_MACHINES, datasets)
    }


def matched_iterations(run):
    """Our mean iterations over the printed ones, over the grid, and the settings taken."""
    counts = run.records["table_2_iterations"]
    datasets = present(counts, PRINTED_NAMES)
    ledger = run.ledger.set_index(["row", "column"])
    places = _by_machine(datasets)
    tables = {}
    taken = []
    for title, (name, machine) in places.items():
        cell = ledger.loc[(PRINTED_NAMES[name], f"{machine} #It.")]
        means = iterations.iterations_of(counts, name, machine, "first").mean()
        tables[title] = np.log2(means.unstack() / cell.published)
        taken.append(cell.reproduced / cell.published)
    _surfaces(
        tables,
        len(datasets),
        label="iterations over printed",
        title=f"At the stars our iterations are {min(taken):.2f} to {max(taken):.2f} times"
        " the printed",
        marks={
            title: SETTINGS[name][machine] for title, (name, machine) in places.items()
        },
    )


# -- iterations -------------------------------------------------------------------------------


def which_is_faster(counts):
    """Iterations of Least 1-Norm over those of LS, at every point of the grid."""
    tables = {
        PRINTED_NAMES[name]: np.log2(iterations.least_over_ls(counts, name))
        for name in present(counts, PRINTED_NAMES)
    }
    shares = [(table > 0).mean(axis=None) for table in tables.values()]
    _surfaces(
        tables,
        len(tables),
        label="Least 1-Norm over LS",
        title=f"LS needs fewer iterations (orange) at {min(shares):.0%} to {max(shares):.0%}"
        "\nof the settings of a set",
    )


def second_order(counts):
    """Iterations with second-order selection over those with first-order selection."""
    datasets = present(counts, PRINTED_NAMES)
    tables = {}
    slower = dict.fromkeys(PRINTED_MACHINES, 0.0)
    for title, (name, machine) in _by_machine(datasets).items():
        ratio = iterations.second_over_first(counts, name, machine).mean().unstack()
        tables[title] = np.log2(ratio)
        slower[machine] += (ratio > 1).mean(axis=None) / len(datasets)
    text = " and ".join(f"{share:.0%} ({name})" for name, share in slower.items())
    _surfaces(
        tables,
        len(datasets),
        label="second over first order",
        most=3,
        title=f"The second order is slower at {text}\nof the settings",
    )
