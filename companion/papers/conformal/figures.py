"""What the notebooks of the thesis's tables draw from records, and its board."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from companion.datasets import checkers_board_grid
from companion.estimators import L2SVC, ConformalSVC
from companion.metrics import g_mean_error
from companion.papers.conformal import (
    beyond,
    checkers,
    criterion,
    real_sets,
    scalings,
    today,
)
from companion.papers.conformal.baselines import pvgs
from companion.papers.conformal.drawing import NEGATIVE, RIGHT, WRONG, plot_two_classes
from companion.papers.conformal.g_means import (
    by_set,
    counted,
    error_table,
    present,
    printed_values,
)
from companion.papers.conformal.methods import CONFORMAL, PRINTED, Part
from companion.papers.conformal.problems import GRID, SETS, SIDE, board, board_split
from companion.plotting import MACHINE_STYLES, plot_published, style


def plot_placed(ax, names, samples, printed, *, xlabel, title=""):
    """Where printed values fall among ours: a row of bars a name, their mean, and a diamond."""
    looks = {
        "here": {"marker": "|", "color": NEGATIVE, "markersize": 9},
        "mean of ours": {"marker": "o", "color": NEGATIVE, "markersize": 4},
        "printed": {"marker": "D", "color": "black", "markerfacecolor": "white"},
    }
    means = {name: np.mean(samples[name]) for name in names}
    for look, shown in zip(looks.items(), (samples, means, printed), strict=True):
        label, marks = look
        points = [
            (x, place)
            for place, name in enumerate(names)
            if name in shown
            for x in np.ravel(shown[name])
        ]
        ax.plot(*zip(*points, strict=True), linestyle="", label=label, **marks)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, title=title, xlim=(0, None))
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))


# -- checkers ---------------------------------------------------------------------------------


def show_printed_draw(run):
    """The errors of every method over our draws, and where the printed draw has its own."""
    few = error_table(run.records["board"])
    samples = {**few, **error_table(checkers.every_draw(run))}
    names = list(dict.fromkeys([*PRINTED, *samples]))
    printed = printed_values("checkers", "g-means error")
    known = {"xlabel": "g-means error (in brackets: how many draws)"}
    known["title"] = _least_and_weights(few)
    with style():
        _, ax = plt.subplots(figsize=(8, 6.4))
        plot_placed(ax, names, samples, printed, **known)
        labels = [f"{name} ({samples[name].count()})" for name in names]
        ax.set_yticks(range(len(names)), labels)
        ax.axhline(len(PRINTED) - 0.5, color="black", linewidth=0.6)
    plt.show()


def _least_and_weights(errors):
    """How the best of the transformations compares with balanced weights, on the same draws."""
    best = errors[list(CONFORMAL)].mean().idxmin()
    gap = (errors[best] - errors["balanced weights"]).mean()
    side = "more" if gap > 0 else "less"
    return (
        f"{best}, the least of the transformations, errs {abs(gap):.3f} {side}\n"
        f"than balanced weights alone ({len(errors)} draws)"
    )


def show_board(*, draw, n_positive, n_negative, C, width, transform="act"):
    """The training patterns, and where three machines are right and wrong."""
    part = board_split(draw, n_positive, n_negative)
    settings = {"C": C, "gamma": 1 / width}
    machines = {
        "SVM": L2SVC(**settings),
        transform.upper(): ConformalSVC(
            **settings, transform=transform, random_state=0
        ),
        "balanced weights": L2SVC(**settings, class_weight="balanced"),
    }
    with style():
        _, panels = plt.subplots(2, 2, figsize=(7.6, 7.6), sharex=True, sharey=True)
        title = f"Figure 3.1.2: {n_positive} patterns beside {n_negative}"
        plot_two_classes(panels[0, 0], part.X, part.y, size=3.5, title=title)
        for ax, (name, machine) in zip(panels.flat[1:], machines.items(), strict=True):
            decision = machine.fit(part.X, part.y).decision_function(part.X_test)
            _plot_board(ax, decision, part.y_test, name)
    plt.show()


def _plot_board(ax, decision, truth, name):
    error = g_mean_error(truth, np.sign(decision))
    axis = checkers_board_grid(GRID, SIDE)[0][:GRID, 0]
    plot_right_and_wrong(ax, axis, decision, truth, title=f"{name}: error {error:.2f}")


def plot_right_and_wrong(ax, axis, decision, truth, *, title=""):
    """Figures 3.1.3, 6.3.1 and 6.3.2: where a machine is right (blue) and wrong (red)."""
    shape = (len(axis), len(axis))
    wrong = ((decision > 0) != (truth > 0)).reshape(shape)
    cmap = ListedColormap([RIGHT, WRONG])
    ax.pcolormesh(
        axis, axis, wrong, cmap=cmap, vmin=0, vmax=1, shading="nearest", rasterized=True
    )
    if decision.min() < 0 < decision.max():
        ax.contour(
            axis, axis, decision.reshape(shape), [0.0], colors="black", linewidths=1.2
        )
    for line in (ax.axhline, ax.axvline):
        line(0.0, color="white", linewidth=0.8, linestyle="--")
    ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def show_searches(draw):
    """Figures 3.1.3 and 6.3.2: the boundaries of the grid search and of TSVT-JMETA."""
    problem = board(draw)
    decisions = {
        "Figure 3.1.3, PVGS": pvgs(problem)[0].decision_function(problem.X_test),
        "Figure 6.3.2, TSVT-JMETA": Part(problem).decision_of("TSVT-JMETA"),
    }
    with style():
        _, panels = plt.subplots(1, 2, figsize=(7.6, 4.1), sharex=True, sharey=True)
        for ax, (title, decision) in zip(panels, decisions.items(), strict=True):
            _plot_board(ax, decision, problem.y_test, title)
    plt.show()


# -- real sets --------------------------------------------------------------------------------


def show_tables(run):
    """Tables 6.3.2 and 6.3.3: the printed errors beside ours, a panel a set."""
    with style():
        _, axes = plt.subplots(2, 4, figsize=(11, 6.4), sharey=True)
        plot_published(axes.flat[:7], run.ledger, list(PRINTED), list(SETS))
        axes.flat[7].set_visible(False)
        for ax in axes.flat[3:7]:
            ax.set_xlabel("g-means error")
        for ax in axes.flat[:7]:
            ax.locator_params(axis="x", nbins=4)
    plt.show()


def show_scalings(run):
    """The errors of the plain machine by either scaling of the inputs, beside the printed ones."""
    both = scalings.scalings(run.records)
    names = [
        name for name in SETS if any(name in set(t.dataset) for t in both.values())
    ]
    within = dict.fromkeys(both, 0)
    with style():
        fig, axes = plt.subplots(1, len(names), figsize=(11, 3.3), squeeze=False)
        for ax, name in zip(axes.flat, names, strict=True):
            printed = printed_values("real_sets", name)["SVM"]
            for place, (scaling, table) in enumerate(both.items()):
                rows = table[(table.dataset == name) & (table.method == "SVM")].error
                at = np.full(len(rows), place)
                ax.plot(rows, at, "|", color="#999999", markersize=10)
                ax.plot(rows.mean(), place, "o", color=("#d95f02", "#1b4f9c")[place])
                within[scaling] += rows.min() <= printed <= rows.max()
            ax.axvline(printed, color="black", linestyle="--")
            ax.set(title=name, ylim=(-0.6, 1.6), yticks=[])
            ax.locator_params(axis="x", nbins=2)
        axes[0, 0].set_yticks(range(len(both)), both)
        counts = ", ".join(f"{n} {scaling}" for scaling, n in within.items())
        fig.suptitle(
            f"Of {len(names)} printed errors lie among our partitions:\n{counts}",
            fontsize="medium",
        )
        label = (
            "g-means error of the plain machine (dashed: printed; a tick: a partition)"
        )
        fig.supxlabel(label, fontsize="medium")
    plt.show()


def show_partitions(records, name):
    """Where the printed errors of a set fall among our partitions."""
    table = by_set(error_table(records)).loc[name, list(PRINTED)]
    printed = printed_values("real_sets", name)
    among = sum(
        table[m].min() <= printed[m] <= table[m].max() for m in PRINTED if m in printed
    )
    title = f"{name}: {among} of {len(PRINTED)} printed errors lie among our partitions"
    with style():
        _, ax = plt.subplots(figsize=(8, 3.8))
        known = {"xlabel": "g-means error", "title": title}
        plot_placed(ax, list(PRINTED), dict(table.items()), printed, **known)
    plt.show()


def show_methods_over_sets(records):
    """What each method changes on the folds of the plain machine, mean over the sets."""
    table = real_sets.differences_over_sets(records)
    table = table[~table.method.str.endswith("no escape")]
    table = table.sort_values("method - SVM", ascending=False, ignore_index=True)
    of_thesis = table.method.isin(CONFORMAL)
    kinds = {
        "of the thesis": (of_thesis, "#777777", "o"),
        "of today": (~of_thesis, "#1b4f9c", "s"),
    }
    words = []
    with style():
        _, ax = plt.subplots(figsize=(7.5, 4.6))
        for kind, (chosen, color, mark) in kinds.items():
            rows = table[chosen]
            change = rows["method - SVM"]
            look = {"fmt": mark, "color": color, "capsize": 2, "label": kind}
            ax.errorbar(change, rows.index, xerr=2 * rows.SE, **look)
            less = (change < -2 * rows.SE).sum()
            more = (change > 2 * rows.SE).sum()
            words.append(f"{less} of {len(rows)} methods {kind} err less, {more} more")
        ax.set_title("Beyond two standard errors " + ",\n".join(words))
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(table.index, table.method)
        sets = counted(len(present(records)), "set")
        ax.set_xlabel(f"g-means error, method - SVM, mean over {sets}")
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plt.show()


# -- criterion, beyond, today -----------------------------------------------------------------


def show_growth(run):
    """The growth of J beside the fall of the error, a point a fold, a panel a search."""
    searches = run.records["searches"]
    log_J = criterion.log_separability(searches)
    errors = error_table(searches)
    names = ("MDT-JGRAD", "TSVT-JGRAD", "TSVT-JMETA", criterion.EXACT)
    with style():
        fig, axes = plt.subplots(1, 4, figsize=(10, 3.2), sharex=True, sharey=True)
        for ax, name in zip(axes, names, strict=True):
            growth = (log_J[name] - log_J["SVM"]) / np.log(10)
            look = {**MACHINE_STYLES[name], "linestyle": "", "markersize": 4}
            ax.plot(growth, errors["SVM"] - errors[name], **look)
            ax.axhline(0.0, color="black", linewidth=0.8)
            ax.set(title=name)
        axes[0].set_ylabel("error of the SVM - of the method")
        top = criterion.search_table(searches).set_index("method").loc[criterion.EXACT]
        change = top["method - SVM"]
        fig.suptitle(
            f"The exact maximiser makes J {top['J / J of the SVM']:.1f} times as large\n"
            f"and {'raises' if change > 0 else 'lowers'} the error by {abs(change):.3f}",
            fontsize="medium",
        )
        fig.supxlabel("$\\log_{10}$ of the growth of $J$", fontsize="medium")
    plt.show()


_C_ALONE = {"color": "black", "linestyle": ":", "marker": "x"}


def show_larger_C(run):
    """Forced transformations on the board, the larger C that they amount to, and neither."""
    means = beyond.on_board(run.records["forced"])
    others = error_table(run.records["board"])
    apart = (means.error - means.alone).abs().max()
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharex=True, sharey=True)
        for ax, (method, part) in zip(axes, means.groupby(level="method"), strict=True):
            table = part.loc[method]
            ax.plot(table.error, **MACHINE_STYLES[method], label=f"{method}, forced")
            ax.plot(table.alone, **_C_ALONE, label="the same C, no transformation")
            for name, line in (("balanced weights", "--"), ("threshold by CV", "-.")):
                look = {"color": "#999999", "linestyle": line, "linewidth": 1}
                ax.axhline(others[name].mean(), **look, label=name)
            ax.set(xlabel="transformations", title=method, ylim=(0, 0.75))
        axes[0].set_ylabel("g-means error")
        fig.suptitle(
            f"A larger C alone errs as a transformation does, to within {apart:.2f}",
            fontsize="medium",
        )
        lines = [line for ax in axes for line in ax.lines]
        by_label = {line.get_label(): line for line in lines}
        known = {"loc": "outside lower center", "ncols": 3, "fontsize": "small"}
        fig.legend(by_label.values(), by_label, **known)
    plt.show()


def show_widths(widths):
    """Errors over the width on the real sets, with two standard errors over the partitions."""
    names = present(widths)
    means = beyond.width_means(widths)
    with style():
        fig, panels = plt.subplots(4, 2, figsize=(8, 9), sharex=True, sharey=True)
        for ax, name in zip(panels.flat, names, strict=False):
            of_set = means.xs(name, level="dataset").groupby(level="width")
            for method in ("SVM", "AMA", "MDT-JGRAD"):
                look = {**MACHINE_STYLES[method], "capsize": 2, "markersize": 4}
                error = 2 * of_set.sem()[method].fillna(0)
                mean = of_set.mean()[method]
                ax.errorbar(mean.index, mean, error, **look, label=method)
            ax.set(title=name, xscale="log", ylim=(-0.02, 1.04))
        for ax in panels.flat[len(names) :]:
            ax.set_axis_off()
        panels.flat[5].tick_params(labelbottom=True)
        lines = panels.flat[0].get_legend_handles_labels()
        panels.flat[-1].legend(*lines, loc="center", fontsize="small")
        fig.supxlabel("$2\\sigma^2$", fontsize="medium")
        fig.supylabel("g-means error", fontsize="medium")
        fig.suptitle(_where_amari_helps(means), fontsize="medium")
    plt.show()


def _where_amari_helps(means):
    gain = (means.SVM - means.AMA).groupby(level=["dataset", "width"])
    mean = gain.mean().unstack()
    error = 2 * gain.sem().unstack()
    less = (mean > error).sum()
    more = (-mean > error).sum()
    at = less.idxmax()
    return (
        f"Beyond two standard errors AMA errs less on {less[50]}, more on {more[50]} of "
        f"{len(mean)} sets\nat $2\\sigma^2$ = 50, less on {less[at]}, more on {more[at]} at "
        f"{at:,.0f}"
    )


_LOOKS_TODAY = {
    "balanced weights": ("#e7298a", "h:"),
    "threshold by CV": ("#1b4f9c", "o-"),
    "balanced weights, threshold by CV": ("#8c6bb1", "P--"),
    "best transformation": ("#4d9221", "v-."),
    "best transformation, threshold by CV": ("#d95f02", "D--"),
}


def show_gains_today(run):
    """What each way gains over the plain machine by imbalance, a panel a measure."""
    trials = run.records["practice"]
    gains = today.gains(trials)
    sets = trials.groupby("imbalance").dataset.nunique()
    labels = [f"1:{k}\n{n} set{'s' * (n > 1)}" for k, n in sets.items()]
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(10, 4), sharex=True, sharey=True)
        for ax, (measure, gain) in zip(axes, gains.items(), strict=True):
            _plot_gains(ax, gain)
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(title=measure, xscale="log")
            ax.set_xticks(sets.index, labels)
            ax.minorticks_off()
        axes[0].set_ylabel("gain over the plain machine")
        axes[1].set_xlabel(
            "rare to common patterns; means over the sets that reach so far"
        )
        won = gains["g-means"]["threshold by CV"].mean()
        fig.suptitle(
            f"A moved threshold changes g-means by {won:+.2f},\n"
            "mean over sets and imbalances",
            fontsize="medium",
        )
        lines = axes[0].get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=3, fontsize="small")
    plt.show()


def _plot_gains(ax, gain):
    """Means over the sets by imbalance, with two standard errors over the partitions."""
    means = gain.groupby(level=["imbalance", "partition"]).mean()
    by = means.groupby(level="imbalance")
    shifts = np.exp(np.linspace(-0.12, 0.12, len(_LOOKS_TODAY)))
    for shift, (name, (color, look)) in zip(shifts, _LOOKS_TODAY.items(), strict=True):
        error = 2 * by.sem()[name].fillna(0)
        known = {"color": color, "markersize": 5, "capsize": 2, "label": name}
        ax.errorbar(by.mean().index * shift, by.mean()[name], error, fmt=look, **known)
