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
    regions,
    table_1,
    table_3,
    theory,
)
from companion.plotting import plot_differences, plot_published, style

_MATRICES = (1, 2, 3)
ROWS_1 = [
    f"{machine} U{config},a" for machine in ("WSVM", "WRSVM") for config in _MATRICES
]
COLUMNS_1 = [f"a = {a:g}" for a in regions.A_VALUES]


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


def plot_gains(gains, other, printed=None):
    """What the WRSVM gains over another machine by cell, with two standard errors, and in print."""
    won, lost = (
        sum(sign * gap.mean > 2 * gap.standard_error for gap in gains.values())
        for sign in (1, -1)
    )
    series = {"WRSVM": means_and_errors(list(gains.values()))}
    with style():
        _, ax = plt.subplots(figsize=(6, 1.5 + 0.23 * len(gains)))
        label = f"utility x 100: WRSVM - {other}"
        plot_differences(ax, list(gains), series, xlabel=label)
        ax.set_title(
            f"The WRSVM gains in {won} of {len(gains)} cells and loses in {lost}\n"
            "(beyond two standard errors)"
        )
        if printed is not None:
            look = {"mfc": "white", "mec": "black", "label": "printed"}
            ax.plot(printed, range(len(printed)), "D", **look)
            ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
        else:
            ax.get_legend().remove()
    plt.show()


ROWS_2 = ["WSVM", "WRSVM"]
COLUMNS_2 = [f"U{config},0.4" for config in _MATRICES]


def plot_table_2(run):
    """Table 2 beside ours."""
    with style():
        _, axes = plt.subplots(1, 3, figsize=(9, 2.5), sharey=True)
        plot_published(axes, run.ledger, ROWS_2, COLUMNS_2)
        axes[1].set_xlabel("utility x 100")
    plt.show()


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


def plot_figure_1(records, sample):
    """Figure 1: boundaries of recorded linear machines of a sample, a panel a family of U."""
    of_sample = select(records, sample=sample)
    points = regions.lattice()
    last = max(regions.A_VALUES)
    share = records.groupby(["config", "a"]).region_1.mean()[2, last]
    colors = plt.colormaps["viridis"](np.linspace(0, 0.9, len(regions.A_VALUES)))
    looks = list(zip(colors, ("-", (0, (6, 1.5)), "--", "-.", ":"), strict=True))
    with style():
        fig, panels = plt.subplots(1, 3, figsize=(9, 4.3), sharey=True)
        for ax, config in zip(panels, regions.CONFIGS, strict=True):
            machines = select(of_sample, config=config).to_dict("records")
            for row, (color, line) in zip(machines, looks, strict=True):
                values = np.column_stack(
                    [
                        points @ [row[f"w1_{j}"], row[f"w2_{j}"]] + row[f"b_{j}"]
                        for j in regions.CONFIGS
                    ]
                )
                look = {"color": color, "linestyle": line, "linewidth": 1.6}
                _draw_boundaries(ax, values, look)
                ax.plot([], [], label=f"a = {row['a']:g}", **look)
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


def _draw_boundaries(ax, values, look):
    """Where the class of largest value, a column a class, changes on the lattice."""
    look = {f"{name}s": [one] for name, one in look.items()}
    for j in range(3):
        lead = values[:, j] - np.delete(values, j, axis=1).max(axis=1)
        ax.contour(_AXIS, _AXIS, _on_square(lead), [0.0], **look)


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
    """Chances of the three decisions for a point of class 1 under U2,a, by sample."""
    chances = fig_2.chances_of_class_1(records)
    apart = fig_2.apart(chances)
    with style():
        _, ax = plt.subplots(figsize=(5.5, 3.4))
        for j, (color, mark) in enumerate(zip(COLORS, _MARKS, strict=True), start=1):
            look = {"color": color, "alpha": 0.6, "linewidth": 0.8}
            for _, drawn in select(records, config=2).groupby("sample"):
                (line,) = ax.plot(drawn["a"], drawn[f"chance_{j}"], f"-{mark}", **look)
            line.set_label(f"called {j}")
        ax.set(xlabel="a", ylabel="chance for a point of class 1", ylim=(0, 1))
        ax.set_title(
            f"The three chances are nearest at a = {apart.idxmin():g}, {apart.min():.2f} apart;\n"
            f"at a = {apart.index[-1]:g} they are {apart.iloc[-1]:.2f} apart"
        )
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()


def plot_shares(records):
    """Share of the square of each class over a, and dashed the best rule's."""
    last = max(regions.A_VALUES)
    with style():
        fig, panels = plt.subplots(1, 3, figsize=(9, 3.7), sharey=True)
        for ax, config in zip(panels, regions.CONFIGS, strict=True):
            found = select(records, config=config).groupby("a")
            for j, (color, mark) in enumerate(
                zip(COLORS, _MARKS, strict=True), start=1
            ):
                shares = found[f"region_{j}"]
                best = [fig_1.best_share(config, a, j) for a in regions.A_VALUES]
                look = {"fmt": f"-{mark}", "color": color, "capsize": 2}
                at = (regions.A_VALUES, shares.mean(), 2 * shares.sem())
                ax.errorbar(*at, label=f"class {j}", **look)
                ax.plot(regions.A_VALUES, best, "--", color=color)
            ax.set(xlabel="a", ylim=(0, 0.6))
            ax.set_title(
                f"$U_{{{config},a}}$: class 1 has {found.region_1.mean()[last]:.0%} at\n"
                f"a = {last:g}, the best rule {fig_1.best_share(config, last):.0%}"
            )
        panels[0].set_ylabel("share of the square")
        handles = panels[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=3)
    plt.show()


# -- Theorem 3.1 ----------------------------------------------------------------------------


def plot_theorem(loss, k):
    """Expected loss over the lead, for three shares and three places of truncation."""
    end = theory.LOSSES[loss][2](k)
    places = {
        "no truncation": (-np.inf, "black", "-"),
        f"s = {end:.2f}, the bound": (end, "#1b4f9c", "-."),
        "s = 0": (0.0, "#4d9221", ":"),
    }
    shares = (0.6, 0.5 * (0.6 + 1 / k) - 0.02, 1 / k + 0.03)
    u = np.linspace(0.0, 1.6, 321)
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(9.5, 3.3), sharey=True)
        for ax, share in zip(axes, shares, strict=True):
            leads = []
            for name, (s, color, line) in places.items():
                ahead, behind = (theory.truncated(loss, s, lead) for lead in (u, -u))
                values = share * ahead + (1 - share) * behind
                least = values.argmin()
                leads.append(u[least])
                ax.plot(u, values, color=color, linestyle=line, label=name)
                ax.plot(u[least], values[least], "o", color=color)
            ax.set(xlabel="lead u", xlim=(0, 1.6), xticks=[0, 0.5, 1])
            ax.set_title(
                f"Share {share:.2g}: the class in front leads by\n{leads[1]:.2g} with"
                f" s = {end:.2f}, {leads[0]:.2g} without truncation"
            )
        axes[0].set_ylabel(f"expected loss ({loss}, k = {k})")
        handles = axes[0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=3)
    plt.show()


# -- Where to truncate ----------------------------------------------------------------------


def plot_truncations(records):
    """What each truncation gains over none, with flipped labels and clean ones."""
    table = beyond.gains_table(records)
    series = {words: means_and_errors([*table[words]]) for words in beyond.LABELS}
    counts = []
    for words, (means, errors) in series.items():
        won, lost = ((sign * means > 2 * errors).sum() for sign in (1, -1))
        counts.append(f"{words}: gains in {won}, loses in {lost}")
    with style():
        _, ax = plt.subplots(figsize=(7, 4.4))
        label = "utility x 100, minus that without truncation"
        plot_differences(ax, [*table["name"]], series, xlabel=label)
        ax.set_title(
            f"Truncation in {len(table)} settings, beyond two standard errors:\n{'; '.join(counts)}"
        )
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plt.show()


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
