"""The figures of the notebooks that take more than a few lines: records in, a figure out."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from scipy.ndimage import distance_transform_edt

from companion.datasets import three_gaussians, three_gaussians_probability
from companion.estimators import WeightedRobustSVC
from companion.papers.summaries import means_and_errors, select
from companion.papers.wrsvm import (
    beyond,
    examples,
    exercises,
    fig_1,
    fig_2,
    population,
    regions,
    simulation,
    table_1,
    table_2,
    table_3,
    theory,
)
from companion.papers.wrsvm.utilities import gains_of_truncation, with_setting
from companion.plotting import MACHINE_STYLES, plot_differences, plot_published, style

_MATRICES = (1, 2, 3)
_A = (0, 0.2, 0.4, 0.6, 0.8)
ROWS_1 = [
    f"{machine} U{config},a" for machine in ("WSVM", "WRSVM") for config in _MATRICES
]
COLUMNS_1 = [f"a = {a:g}" for a in _A]


def plot_table_1(run):
    """Table 1 as printed, and below with its rows exchanged, beside ours."""
    ledgers = table_1.as_printed_and_exchanged(run)
    ledgers["as printed"] = run.ledger  # with what is declared of its cells
    beside = [
        f"U{config},a: printed {one}, our {other}"
        for one, other in (("WSVM", "WRSVM"), ("WRSVM", "WSVM"))
        for config in _MATRICES
    ]
    with style():
        fig = plt.figure(figsize=(10, 6.6))
        parts = zip(fig.subfigures(2), ledgers.items(), strict=True)
        for part, (name, ledger) in parts:
            axes = part.subplots(1, 5, sharey=True)
            plot_published(axes, ledger, ROWS_1, COLUMNS_1)
            axes[2].set_xlabel("utility x 100")
            part.suptitle(f"{name}: {part.get_suptitle()}", fontsize="medium")
        axes[0].set_yticks(range(len(ROWS_1)), beside, fontsize="small")
        for text in part.legends[0].get_texts():
            plain = text.get_text().removesuffix(" as printed")
            text.set_text(plain.removesuffix(", unexplained"))
    plt.show()


def plot_gains(gains, printed=None):
    """What truncation gains by cell, with two standard errors, and in print."""
    series = {"WRSVM": means_and_errors(list(gains.values()))}
    won, lost = (
        sum(sign * gap.mean > 2 * gap.standard_error for gap in gains.values())
        for sign in (1, -1)
    )
    with style():
        height = 1.2 + 0.23 * len(gains) + (0 if printed is None else 0.5)
        fig, ax = plt.subplots(figsize=(6, height))
        plot_differences(ax, list(gains), series, xlabel="utility x 100: WRSVM - WSVM")
        ax.set_title(
            f"Truncation gains in {won} of {len(gains)} cells and loses in {lost}\n"
            "(beyond two standard errors)"
        )
        ax.get_legend().remove()
        if printed is not None:
            look = {"mfc": "white", "mec": "black", "linestyle": "", "label": "printed"}
            ax.plot(printed, range(len(printed)), "D", **look)
            handles, labels = ax.get_legend_handles_labels()
            labels = [label.replace("WRSVM", "here") for label in labels]
            fig.legend(handles, labels, loc="outside lower center", ncols=2)
    plt.show()


def plot_scores(scores, n_cells):
    """Squared distances over the size of the tuning sample, by grid, start and labels of rows."""
    least = scores[scores["of equals"] == "least"]
    colors = ("#1b4f9c", "#d95f02", "#4d9221", "#7f7f7f")
    with style():
        fig, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
        for ax, (labels, subset) in zip(panels, least.groupby("rows"), strict=True):
            grids = subset.groupby("grid", sort=False)
            for color, (grid, part) in zip(colors, grids, strict=True):
                for start, line in {"weighted": "-", "unweighted": "--"}.items():
                    chosen = part[part.start == start].sort_values("to tune")
                    look = {"color": color, "label": f"{grid}, {start} start"}
                    ax.plot(chosen["to tune"], chosen["all"], line, marker=".", **look)
            ax.axhline(n_cells, color="black", linewidth=0.8)
            ax.set(
                xscale="log",
                yscale="log",
                xlabel="observations to tune",
                title=f"rows {labels}: the least is {subset['all'].min():,.0f}",
            )
        fig.suptitle(
            f"Squared distances of {n_cells} printed numbers,\n"
            f"{len(least)} readings with the least of equals"
        )
        panels[0].set_ylabel("sum of squared distances")
        handles = panels[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside right center")
    plt.show()


def plot_effects_of_start(effects):
    """What the other start changes in each cell: the objective, and the utility on test."""
    objective, utility = zip(*effects.values(), strict=True)
    falls, rises = (_beyond_two_errors(gaps) for gaps in (objective, utility))
    labels = (
        "objective: change in %, left is better",
        "utility x 100: change, right is better",
    )
    with style():
        fig, panels = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
        fig.suptitle(
            f"Other start, {len(effects)} cells: the objective falls in {falls[1]} and rises in"
            f" {falls[0]},\nthe utility rises in {rises[0]} and falls in {rises[1]}"
            " (beyond two standard errors)",
            fontsize="medium",
        )
        for ax, gaps, label in zip(panels, (objective, utility), labels, strict=True):
            series = {"WRSVM": means_and_errors(gaps)}
            plot_differences(ax, list(effects), series, xlabel=label)
            ax.get_legend().remove()
    plt.show()


def _beyond_two_errors(gaps):
    """How many differences are above zero, and how many below, beyond two standard errors."""
    return [
        sum(sign * gap.mean > 2 * gap.standard_error for gap in gaps)
        for sign in (1, -1)
    ]


ROWS_2 = ["WSVM", "WRSVM"]
COLUMNS_2 = [f"U{config},0.4" for config in _MATRICES]


def plot_table_2(run):
    """Table 2 beside ours."""
    with style():
        _, axes = plt.subplots(1, 3, figsize=(9, 2.5), sharey=True)
        plot_published(axes, run.ledger, ROWS_2, COLUMNS_2)
        axes[1].set_xlabel("utility x 100")
    plt.show()


def plot_levels():
    """Best rule and best single decision over the strength of the logits, and the print."""
    printed = simulation.printed_means("table_2")
    strengths = np.linspace(0, 1, 21)
    band = {"facecolor": "none", "edgecolor": "#d95f02", "hatch": "////"}
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(9, 3.6), sharey=True)
        for ax, config in zip(axes, _MATRICES, strict=True):
            column = COLUMNS_2[config - 1]
            best, single = table_2.levels_by_strength(config, strengths).T
            ax.plot(strengths, best, color="black", label="best possible rule")
            ax.plot(
                strengths, single, "--", color="black", label="best single decision"
            )
            means = np.sort(printed.loc[column])
            ax.axhspan(*means, **band, label="between the two printed means")
            apart = means[-1] - single[-1]
            side = "above" if apart > 0 else "below"
            ax.set(
                xlabel="strength t",
                title=f"{column}: the print is {abs(apart):.1f} {side}\n"
                "the best single decision at t = 1",
            )
        axes[0].set_ylabel("utility x 100")
        handles = axes[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=3)
    plt.show()


def plot_strengths(weaker):
    """Both machines over the strength of the logits, and what truncation gains."""
    printed = simulation.printed_means("table_2")
    gains = {t: gains_of_truncation(rows) for t, rows in weaker.groupby("strength")}
    with style():
        fig, panels = plt.subplots(
            2, 3, figsize=(9, 5.6), sharex=True, height_ratios=(2, 1)
        )
        for (top, bottom), column in zip(panels.T, COLUMNS_2, strict=True):
            of_matrix = select(weaker, config=int(column[1]))
            _plot_machines(top, of_matrix, printed.loc[column])
            top.set_title(column)
            of = [found[column] for found in gains.values()]
            _plot_gain(bottom, list(gains), of)
            in_print = printed.loc[column, "WSVM"] - printed.loc[column, "WRSVM"]
            bottom.axhline(in_print, color="black", linestyle="--", linewidth=1)
        panels[0, 0].set_ylabel("utility x 100")
        panels[1, 0].set_ylabel("WRSVM - WSVM")
        panels[0, 0].plot(
            [], [], "--", color="#555555", label="printed, rows exchanged"
        )
        at = gains[table_2.STRENGTH]
        text = ", ".join(f"{gap.mean:+.1f} ({U})" for U, gap in at.items())
        title = f"At t = {table_2.STRENGTH:g} truncation gains\n{text}"
        fig.suptitle(title, fontsize="medium")
        handles = panels[0, 0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=3)
    plt.show()


def _plot_machines(ax, frame, printed):
    """Mean utilities over the strength, and dashed the print of the other row."""
    for name, other in (("WSVM", "WRSVM"), ("WRSVM", "WSVM")):
        part = select(frame, machine=name)
        found = (100 * part.test).groupby(part.strength)
        look = MACHINE_STYLES[name] | {"linestyle": "-", "markersize": 4}
        means = found.mean()
        ax.errorbar(means.index, means, 2 * found.sem(), capsize=2, label=name, **look)
        ax.axhline(printed[other], color=look["color"], linestyle="--")


def _plot_gain(ax, strengths, gains):
    """What truncation gains over the strength, with two standard errors."""
    means, errors = means_and_errors(gains)
    look = {"color": "black", "marker": "o", "markersize": 4, "capsize": 2}
    ax.errorbar(strengths, means, 2 * errors, **look)
    ax.axhline(0, color="#999999", linewidth=0.8)
    ax.set_xlabel("strength t")


ROWS_3 = [f"U2,{a:g} y = {j}" for a in table_3.A_VALUES for j in (1, 2, 3)]
COLUMNS_3 = [f"ŷ = {j}" for j in (1, 2, 3)]


def plot_table_3(run):
    """The nine shares of each utility beside the print, linear near zero and logarithmic above."""
    with style():
        _, axes = plt.subplots(1, 3, figsize=(9.5, 4), sharex=True, sharey=True)
        plot_published(axes, run.ledger, ROWS_3, COLUMNS_3, "shares (two of each row)")
        for ax in axes:
            ax.set_xscale("symlog", linthresh=1e-3)
            ax.set(xlim=(-2e-4, 2), xticks=[0, 1e-3, 1e-2, 0.1, 1])
            ax.set_xlabel("share of the class")
            ax.set_xticklabels(["0", ".001", ".01", ".1", "1"])
    plt.show()


def plot_gaussian_readings(counts):
    """How many printed shares match those of each Gaussian machine."""
    title = "The digits are not here: of 0 readings nothing is known"
    if len(counts):
        best = counts.loc[counts.match.idxmax()]
        title = (
            f"Width {best['width']}, {best['machine']}, the {best['tie']} C:\n"
            f"{best['match']} of all {best['n']} printed shares match"
        )
    order = [f"{part:g} x median" for part in table_3.PARTS] + [table_3.NEAREST]
    with style():
        fig, ax = plt.subplots(figsize=(7, 3.2))
        for (machine, tie), subset in counts.groupby(["machine", "tie"]):
            matched = subset.set_index("width").match.reindex(order)
            look = MACHINE_STYLES[machine] | {"alpha": 1.0 if tie == "least" else 0.4}
            ax.plot(order, matched, label=f"{machine}, the {tie} C", **look)
        ax.axhline(27, color="black", linewidth=0.8, linestyle="--")
        ax.set(
            xlabel="width of the Gaussian kernel", ylabel="matches, of 27", title=title
        )
        if len(counts):
            fig.legend(loc="outside right center")
    plt.show()


# -- Figures 1 and 2 ------------------------------------------------------------------------

COLORS = ("#1b4f9c", "#d95f02", "#4d9221")
_MARKS = "os^"
_AXIS = np.linspace(-regions.HALF_SIDE, regions.HALF_SIDE, regions.LATTICE)
_LIMITS = (-regions.HALF_SIDE, regions.HALF_SIDE)
_FILLS = ListedColormap(["#c6dbef", "#fdd0a2", "#c7e9c0"])
_PLACES = ((2.0, 0.0), (-1.2, 1.7), (-1.2, -1.7))


def _on_square(values):
    """Values on the lattice as a square."""
    return values.reshape(len(_AXIS), -1)


def name_classes(ax):
    """The numbers of the classes where they are decided."""
    for j, (x, y) in enumerate(_PLACES, start=1):
        ax.text(x, y, f"{j}", fontsize="x-large", ha="center", va="center", alpha=0.6)


def draw_best_rule(ax, best):
    """Black lines where the best possible rule, given on the lattice, changes its decision."""
    for j in range(3):
        region = _on_square(best == j)
        ax.contour(_AXIS, _AXIS, region, [0.5], colors="black", linewidths=1.2)


def fill_regions(ax, predicted, alpha=0.5):
    """The regions of the classes 1, 2 and 3, from predictions on the lattice."""
    for j, color in enumerate(COLORS, start=1):
        region = _on_square(predicted == j)
        ax.contourf(_AXIS, _AXIS, region, [0.5, 2], colors=[color], alpha=alpha)
    ax.set(aspect="equal", xlim=_LIMITS, ylim=_LIMITS)


def draw_points(ax, X, y):
    """Points of the classes 1, 2 and 3."""
    look = {
        "linestyle": "",
        "fillstyle": "none",
        "markersize": 2,
        "markeredgewidth": 0.4,
    }
    for j, (color, mark) in enumerate(zip(COLORS, _MARKS, strict=True), start=1):
        ax.plot(*X[y == j].T, mark, color=color, **look)


def _linear_decisions(row):
    """Values of a recorded linear machine on the lattice, a column a class."""
    points = regions.lattice()
    columns = [
        points @ [row[f"w1_{j}"], row[f"w2_{j}"]] + row[f"b_{j}"] for j in (1, 2, 3)
    ]
    return np.column_stack(columns)


def _draw_boundaries(ax, machines):
    """Where the class of largest f changes: a line a machine."""
    colors = plt.colormaps["viridis"](np.linspace(0, 0.9, len(machines)))
    lines = ("-", (0, (6, 1.5)), "--", "-.", ":")
    for (name, values), color, line in zip(
        machines.items(), colors, lines, strict=True
    ):
        for j in range(3):
            lead = values[:, j] - np.delete(values, j, axis=1).max(axis=1)
            look = {"colors": [color], "linestyles": [line], "linewidths": 1.6}
            ax.contour(_AXIS, _AXIS, _on_square(lead), [0.0], **look)
        ax.plot([], [], color=color, linestyle=line, linewidth=1.6, label=name)


def plot_figure_1(records, sample):
    """Figure 1: boundaries of recorded linear machines of a sample, a panel a family of U."""
    of_sample = select(records, sample=sample)
    last = max(regions.A_VALUES)
    share = records.groupby(["config", "a"]).region_1.mean()[2, last]
    with style():
        fig, panels = plt.subplots(1, 3, figsize=(9, 4.3), sharey=True)
        for ax, (config, machines) in zip(
            panels, of_sample.groupby("config"), strict=True
        ):
            drawn = {
                f"a = {row['a']:g}": _linear_decisions(row)
                for _, row in machines.iterrows()
            }
            _draw_boundaries(ax, drawn)
            ax.set(xlabel="$x_1$", title=f"$U_{{{config},a}}$", aspect="equal")
            name_classes(ax)
        panels[0].set_ylabel("$x_2$")
        fig.suptitle(
            f"Under $U_{{2,{last:g}}}$ the machine calls {share:.0%} of the square class 1,\n"
            f"the best rule {fig_1.best_share(2, last):.0%} (means; drawn: sample {sample})"
        )
        handles = panels[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=5)
    plt.show()


def draw_kernel_regions(ax, values, X, y):
    """The region of every class, from f on the lattice, with its number where it is widest."""
    predicted = _on_square(values.argmax(axis=1))
    look = {
        "shading": "nearest",
        "rasterized": True,
        "cmap": _FILLS,
        "vmin": 0,
        "vmax": 2,
    }
    ax.pcolormesh(_AXIS, _AXIS, predicted, **look)
    draw_points(ax, X, y)
    for j in range(3):
        inside = distance_transform_edt(np.pad(predicted == j, 1))[1:-1, 1:-1]
        if inside.any():
            row, column = np.unravel_index(inside.argmax(), inside.shape)
            at = (_AXIS[column], _AXIS[row])
            ax.text(*at, f"{j + 1}", ha="center", va="center", weight="bold")
    ax.set(aspect="equal", xlim=_LIMITS, ylim=_LIMITS)


def plot_figure_2(records, sample):
    """Figure 2: regions of the tuned kernel machines of a sample, a row a family of U."""
    (X, y), _ = regions.samples("fig_2", fig_2.N, sample)
    gamma = 0.5 / examples.median_distance(X, y) ** 2
    tuned = select(records, sample=sample).set_index(["config", "a"]).log2_C
    kept = fig_2.chances_of_class_1(records).chance_1
    last = max(regions.A_VALUES)
    with style():
        fig, panels = plt.subplots(3, 5, figsize=(9.5, 6.2), sharex=True, sharey=True)
        for row, config in zip(panels, regions.CONFIGS, strict=True):
            for ax, a in zip(row, regions.A_VALUES, strict=True):
                U = examples.utility(config, a)
                C = 2.0 ** tuned[config, a]
                machine = WeightedRobustSVC(C, utility=U, gamma=gamma, tol=1e-8).fit(
                    X, y
                )
                values = machine.decision_function(regions.lattice())
                draw_kernel_regions(ax, values, X, y + 1)
                ax.set_title(f"$U_{{{config},{a:g}}}$")
        fig.suptitle(
            f"Under $U_{{2,{last:g}}}$, {kept[last]:.0%} of class 1 are still called class 1,\n"
            f"without utilities {kept[0.0]:.0%} (means; drawn: sample {sample})"
        )
    plt.show()


def plot_chances(records):
    """Chances of the three decisions for a point of class 1 under U2,a, and the best rule's."""
    density = population.class_densities(regions.lattice())[:, 0]
    density = density / density.sum()
    grid, rules = _best_rules(2)
    chances = fig_2.chances_of_class_1(records)
    apart = chances.max(axis=1) - chances.min(axis=1)
    with style():
        _, ax = plt.subplots(figsize=(5.5, 3.4))
        names = zip(COLORS, _MARKS, (0.14, 0.38, 0.46), strict=True)
        for j, (color, mark, height) in enumerate(names, start=1):
            for _, drawn in select(records, config=2).groupby("sample"):
                look = {"color": color, "alpha": 0.6, "linewidth": 0.8}
                ax.plot(drawn["a"], drawn[f"chance_{j}"], f"-{mark}", **look)
            ax.plot(
                grid,
                [density[rule == j - 1].sum() for rule in rules],
                "--",
                color=color,
            )
            ax.text(0.82, height, f"called {j}", color=color)
        ax.set(
            xlabel="a",
            ylabel="chance for a point of class 1",
            ylim=(0, 1),
            xlim=(0, 0.97),
        )
        ax.set_title(
            f"The three chances are nearest at a = {apart.idxmin():g}, {apart.min():.2f} apart;\n"
            f"at a = {apart.index[-1]:g} they are {apart.iloc[-1]:.2f} apart"
        )
    plt.show()


def _best_rules(config):
    """Values of a, and the decisions of the best possible rule on the lattice for each."""
    p = examples.class_probabilities("piecewise_linear", regions.lattice())
    grid = np.linspace(0.0, max(regions.A_VALUES), 33)
    return grid, [examples.bayes(p, examples.utility(config, a)) for a in grid]


def plot_shares(records, linear=None):
    """Share of the square of each class over a: dashed the best rule's, dotted linear machines'."""
    last = max(regions.A_VALUES)
    with style():
        fig, panels = plt.subplots(1, 3, figsize=(9, 3.7), sharey=True)
        for ax, config in zip(panels, regions.CONFIGS, strict=True):
            found = select(records, config=config).groupby("a")
            grid, rules = _best_rules(config)
            for j, (color, mark) in enumerate(
                zip(COLORS, _MARKS, strict=True), start=1
            ):
                region = found[f"region_{j}"]
                look = {
                    "fmt": f"-{mark}",
                    "color": color,
                    "capsize": 2,
                    "markersize": 4,
                }
                errors = 2 * region.sem()
                ax.errorbar(
                    regions.A_VALUES, region.mean(), errors, label=f"class {j}", **look
                )
                if linear is None:
                    ax.plot(
                        grid,
                        [(rule == j - 1).mean() for rule in rules],
                        "--",
                        color=color,
                    )
                else:
                    line = (
                        select(linear, config=config).groupby("a")[f"region_{j}"].mean()
                    )
                    ax.plot(regions.A_VALUES, line, ":", color=color)
            other = "the best rule" if linear is None else "the linear machine"
            of_other = (rules[-1] == 0).mean()
            if linear is not None:
                of_other = select(linear, config=config, a=last).region_1.mean()
            ax.set(xlabel="a", ylim=(0, 0.6))
            ax.set_title(
                f"$U_{{{config},a}}$: class 1 has {found.region_1.mean()[last]:.0%} at\n"
                f"a = {last:g}, {other} {of_other:.0%}"
            )
        panels[0].set_ylabel("share of the square")
        handles = panels[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=3)
    plt.show()


# -- Theorem 3.1 ----------------------------------------------------------------------------


def plot_theorem(loss, k):
    """Expected loss over the lead, for three shares and four places of truncation."""
    end = theory.LOSSES[loss][2](k)
    bound = f"s = {end:.2f}, the bound"
    places = {
        "no truncation": -np.inf,
        f"s = {2 * end:.2f}": 2 * end,
        bound: end,
        "s = 0": 0.0,
    }
    shares = (0.6, 0.5 * (0.6 + 1 / k) - 0.02, 1 / k + 0.03)
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(9.5, 3.3), sharey=True)
        for ax, share in zip(axes, shares, strict=True):
            leads = _draw_expected_losses(ax, loss, share, places)
            ax.set(xlabel="lead u", xlim=(0, 1.6), xticks=[0, 0.5, 1])
            ax.set_title(
                f"Share {share:.2g}: the class in front leads by\n{leads[bound]:.2g} with"
                f" s = {end:.2f}, {leads['no truncation']:.2g} without truncation"
            )
        axes[0].set_ylabel(f"expected loss ({loss}, k = {k})")
        handles = axes[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=4)
    plt.show()


def _draw_expected_losses(ax, loss, share, places):
    """A curve a place of truncation; the leads where they are least."""
    u = np.linspace(0.0, 1.6, 321)
    looks = (("black", "-"), ("#d95f02", "--"), ("#1b4f9c", "-."), ("#4d9221", ":"))
    leads = {}
    for (name, s), (color, line) in zip(places.items(), looks, strict=True):
        ahead, behind = (theory.truncated(loss, s, lead) for lead in (u, -u))
        values = share * ahead + (1 - share) * behind
        least = values.argmin()
        ax.plot(u, values, color=color, linestyle=line, label=name)
        # a ring about the others
        ring = {"markersize": 11, "fillstyle": "none"} if np.isneginf(s) else {}
        ax.plot(u[least], values[least], "o", color=color, **ring)
        leads[name] = u[least]
    return leads


# -- Why truncation helps, and against what -------------------------------------------------


def plot_gains_by_labels(table):
    """What each truncation gains over none, with flipped labels and clean ones."""
    series = {words: means_and_errors([*table[words]]) for words in beyond.LABELS}
    counts = []
    for words, (means, errors) in series.items():
        won, lost = ((sign * means > 2 * errors).sum() for sign in (1, -1))
        counts.append(f"{words}: gains in {won}, loses in {lost}")
    with style():
        fig, ax = plt.subplots(figsize=(7, 4.4))
        label = "utility x 100, minus that without truncation"
        plot_differences(ax, [*table["name"]], series, xlabel=label)
        ax.set_title(
            f"Truncation in {len(table)} settings, beyond two standard errors:\n{'; '.join(counts)}"
        )
        ax.get_legend().remove()
        fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    plt.show()


def plot_baselines(records):
    """How far machines fall short of the best rule in every cell of Table 1."""
    table = beyond.levels(records["beyond_baselines"], "piecewise_linear")
    tested = (
        100
        * with_setting(records["table_1"])
        .groupby(["U", "machine"])
        .test.mean()
        .unstack()
    )
    table = table.join(tested[list(examples.MACHINES)])
    gaps = beyond.against(records, "logistic regression").values()
    won, lost = (
        sum(sign * gap.mean > 2 * gap.standard_error for gap in gaps)
        for sign in (1, -1)
    )
    with style():
        fig, ax = plt.subplots(figsize=(6.5, 4.4))
        for machine in ("logistic regression", "SVC", *examples.MACHINES):
            look = MACHINE_STYLES[machine] | {"linestyle": "", "label": machine}
            ax.plot(table[machine] - table["best rule"], table.index, **look)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.grid(axis="y", color="#eeeeee")
        ax.invert_yaxis()
        ax.set_xlabel("utility x 100, minus the best possible")
        ax.set_title(
            f"WRSVM beats logistic regression in {won} of {len(table)} cells\n"
            f"and loses to it in {lost} (beyond two standard errors)"
        )
        fig.legend(loc="outside lower center", ncols=2)
    plt.show()


def draw_over_truncation(places, curves, a, sample):
    """Expected utility over the place of truncation, a curve a share of labels replaced."""
    U = examples.utility(2, a)
    gains = []
    with style():
        _, ax = plt.subplots(figsize=(5.5, 3.4))
        for (share, values), color in zip(
            curves.items(), ("#d95f02", "#1b4f9c"), strict=True
        ):
            name = f"{share:.0%} replaced" if share else "clean"
            at_half = values[int(np.argmin(np.abs(places + 0.5)))]
            gains.append(f"{at_half - values[0]:+.1f} ({name})")
            best = 100 * population.bayes_utility("piecewise_linear", share, U)
            ax.plot(places, values, "-o", color=color, markersize=4)
            ax.axhline(best, color=color, linestyle="--", linewidth=1)
            ax.text(0.05, values[-1], name, color=color, va="center")
        ax.set(xlim=(-2.05, 0.65), xticks=[-2, -1.5, -1, -0.5, 0])
        ax.set_xlabel("truncation s; dashed: the best possible rule")
        ax.set_ylabel("expected utility x 100")
        ax.set_title(
            f"Sample {sample}: truncation at \N{MINUS SIGN}1/2 instead of"
            f" \N{MINUS SIGN}2 adds\n{', '.join(gains)}"
        )


# -- the method -----------------------------------------------------------------------------


def show_both_machines(a, truncation, flip, settings):
    """WSVM and WRSVM on a draw of Example 2 under U2,a, with their utility on clean labels."""
    X, y = three_gaussians(settings["n_samples"], flip, settings["draw"])
    U = examples.utility(2, a)
    points = regions.lattice()
    best = examples.bayes(three_gaussians_probability(points, 0.0), U)
    new_X, new_y = three_gaussians(20_000, 0.0, 0)
    ideal = examples.bayes(three_gaussians_probability(new_X, 0.0), U)
    most = U[new_y - 1, ideal].mean()
    worth = {}
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(5.8, 4.2), sharey=True)
        places = zip(axes, ("WSVM", "WRSVM"), (None, truncation), strict=True)
        for ax, name, s in places:
            machine = exercises.machine(a, s, settings["C"]).fit(X, y)
            worth[name] = U[new_y - 1, machine.predict(new_X) - 1].mean()
            draw_regions(ax, X, y, machine.predict(points), best)
            ax.set_title(f"{name} {worth[name]:.3f},\nbest rule {most:.3f}")
        gain = worth["WRSVM"] - worth["WSVM"]
        fig.suptitle(f"WRSVM minus WSVM: {gain:+.3f} of mean utility")
        handles = axes[1].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=3)


def draw_regions(ax, X, y, predicted, best):
    """Points, the regions of a machine, and in black those of the best possible rule."""
    fill_regions(ax, predicted, alpha=0.15)
    for j, (color, mark) in enumerate(zip(COLORS, _MARKS, strict=True), start=1):
        ax.scatter(*X[y == j].T, marker=mark, s=10, color=color, label=f"class {j}")
    draw_best_rule(ax, best)
    ax.set(xticks=[-2, 0, 2], yticks=[-2, 0, 2])


def draw_step(X, y, a, step):
    """The regions after a convex problem of the DC algorithm, and rings around points beyond s."""
    v, beyond = step
    points = regions.lattice()
    best = examples.bayes(
        three_gaussians_probability(points, 0.0), examples.utility(2, a)
    )
    predicted = (np.column_stack([points, np.ones(len(points))]) @ v.T).argmax(
        axis=1
    ) + 1
    with style():
        _, ax = plt.subplots(figsize=(5.2, 4.6))
        draw_regions(ax, X, y, predicted, best)
        ax.scatter(*X[beyond].T, s=60, facecolor="none", edgecolor="black")
        ax.set_title(f"{len(set(beyond))} points are beyond s")
