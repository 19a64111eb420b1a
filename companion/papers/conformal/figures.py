"""What the notebooks of the thesis draw, from records or from machines that are trained here."""

import matplotlib.pyplot as plt
import numpy as np

from companion.conformal.factors import kernel_metric, transformed_metric
from companion.datasets import checkers_board_grid
from companion.estimators import L2SVC, ConformalSVC
from companion.metrics import g_mean_error
from companion.papers.conformal import (
    background,
    beyond,
    checkers,
    criterion,
    magnification,
    program,
    real_sets,
    scalings,
    today,
)
from companion.papers.conformal.drawing import (
    NEGATIVE,
    POSITIVE,
    plot_placed,
    plot_two_classes,
)
from companion.papers.conformal.g_means import (
    by_partition,
    counted,
    error_table,
    present,
    printed_values,
)
from companion.papers.conformal.methods import CONFORMAL, PRINTED
from companion.papers.conformal.problems import SETS
from companion.plotting import MACHINE_STYLES, plot_published, style

_IDEAL = {"color": "#4d9221", "linestyle": "--"}
_FRONTIER = "#d95f02"


# -- magnification ----------------------------------------------------------------------------

#: The figures of the thesis that have a method, by its name.
_DRAWN = {
    "Wu-Amari": "Wu-Amari: Figure 4.3.1",
    "ACT": "ACT: Figure 4.3.2",
    "KBA": "KBA: Figure 4.4.1",
}


def show_magnification(run, scene=1, n_rare=12, C=10.0, width=1.0):
    """Where each method enlarges a scene, on one scale, and the profiles along x1."""
    X, y = magnification.scene_of(scene, n_rare)
    machine = L2SVC(C=C, gamma=1 / width).fit(X, y)
    decision = machine.decision_function(magnification.LATTICE)
    found = magnification.log_ratios(X, y, C, width)
    with style():
        fig, panels = plt.subplots(3, 2, figsize=(10, 7.6), sharex=True)
        for ax, (name, ratio) in zip(panels.flat, found.items(), strict=False):
            title = _DRAWN.get(name, name)
            levels = np.linspace(-2.125, 1.125, 14)
            shade = plot_ratio(ax, X, y, decision, ratio, levels=levels, title=title)
            ax.set(xlabel="", ylabel="")
        _plot_profiles(panels[2, 1], found)
        panels[2, 0].set_xlabel("$x_1$")
        label = r"$\log_{10}R$, less its median"
        fig.colorbar(shade, ax=panels[:2, 1], label=label, ticks=[-2, -1, 0, 1])
        fig.suptitle(_where_it_is_largest(run), fontsize="medium")
    plt.show()


def plot_ratio(ax, X, y, decision, ratio, *, levels, title):
    """A map of log10 R less its median, with the machine's frontier and the ideal one, dashed."""
    x1 = magnification.X1
    x2 = magnification.X2
    centred = ratio - np.median(ratio)
    shade = ax.contourf(x1, x2, centred, levels, cmap="Greys", extend="both")
    plot_two_classes(ax, X, y, size=3, title=title)
    shape = (len(x2), len(x1))
    ax.contour(x1, x2, decision.reshape(shape), [0.0], colors=_FRONTIER, linewidths=2)
    ax.axvline(0.0, linewidth=2, **_IDEAL)
    ax.set(xlim=(-2, 2), ylim=(-1, 1))
    return shade


def _plot_profiles(ax, found):
    """log10 R averaged over x2; the names stand in the order of the curves' right ends."""
    x1 = magnification.X1
    curves = {
        name: (ratio - np.median(ratio)).mean(axis=0) for name, ratio in found.items()
    }
    in_order = sorted(curves, key=lambda name: curves[name][-1])
    for name, height in zip(in_order, (0.1, 0.3, 0.5, 0.7, 0.9), strict=True):
        color = MACHINE_STYLES[name]["color"]
        ax.plot(x1, curves[name], color=color)
        ax.text(1.02, height, name, color=color, transform=ax.transAxes)
    ax.axvline(0.0, **_IDEAL)
    ax.set(xlabel="$x_1$", title="mean over $x_2$", xlim=(-2, 2))


def _where_it_is_largest(run):
    scenes = run.records["scenes"]
    places = scenes.groupby("method").largest_at.median()
    return (
        f"Medians of {scenes['scene'].nunique()} scenes: the frontier is at "
        f"{scenes.frontier.median():.2f}, the largest magnification\nof Wu-Amari at "
        f"{places['Wu-Amari']:.2f}, of ACT at {places['ACT']:.2f}"
    )


def show_magnification_by_method(scenes):
    """Where each method magnifies most, and how much more near the frontier than far from it."""
    methods = list(magnification.METHODS)
    largest = scenes.pivot(index="scene", columns="method", values="largest_at")
    gaps = scenes.assign(more=scenes.near - scenes.far)
    more = gaps.pivot(index="scene", columns="method", values="more")
    with style():
        _, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.5), sharey=True)
        for place, name in enumerate(methods):
            color = MACHINE_STYLES[name]["color"]
            ticks = {"marker": "|", "color": color, "linestyle": "", "alpha": 0.5}
            left.plot(largest[name], np.full(len(largest), place), **ticks)
            left.plot(largest[name].median(), place, "o", color=color)
            error = 2 * more[name].sem()
            look = {"fmt": "o", "color": color, "capsize": 3}
            right.errorbar(more[name].mean(), place, xerr=error, **look)
        left.set_yticks(range(len(methods)), methods)
        left.set(xlabel="where it magnifies most ($x_1$)", ylim=(4.5, -0.9))
        right.set(xlabel="$\\log_{10}R$ near the frontier less far from it")
        off = largest.abs().mean()
        nearest = off.idxmin()
        most = more.mean().idxmax()
        left.set_title(
            f"Nearest to the ideal frontier on average:\n{nearest}, {off[nearest]:.2f} off"
        )
        right.set_title(f"Largest difference:\n{most}, {more[most].mean():.1f}")
        frontier = scenes.frontier.median()
        for ax, at in ((left, 0.0), (left, frontier), (right, 0.0)):
            ax.axvline(at, color="black", linewidth=0.8)
        left.text(-0.02, -0.6, "ideal", ha="right")
        left.text(frontier + 0.02, -0.6, "machine")
    plt.show()


def show_displacement(scene=1):
    """Figure 5.3.1: a boundary and its support hyperplanes, and two ways to move it."""
    moved = magnification.displacement(scene)
    length = np.linalg.norm(moved.w)
    normal = moved.w / length**2
    along = np.array([-moved.w[1], moved.w[0]]) / length
    _, boundary, before = moved.lines["the machine"]
    with style():
        _, panels = plt.subplots(1, 3, figsize=(10, 3.2), sharex=True, sharey=True)
        for ax, (way, lines) in zip(panels, moved.lines.items(), strict=True):
            title = (
                f"{way}:\ncommon side moved by {abs(lines[2] - before) / length:.2f}"
            )
            if way == "the machine":
                title = f"{way}:\nboundary {abs(boundary) / length:.2f} off the ideal"
            plot_two_classes(ax, moved.X, moved.y, size=3, title=title)
            for t, look in zip(lines, ("--", "-", "--"), strict=True):
                ends = np.array([t * normal - 3 * along, t * normal + 3 * along])
                ax.plot(*ends.T, color="black", linestyle=look)
            ax.axvline(0.0, color="#4d9221", linewidth=2, linestyle=":")
            ax.set(xlim=(-2.5, 2.5), ylim=(-1.1, 1.1), ylabel="")
    plt.show()


# -- program ----------------------------------------------------------------------------------


def show_readings(run):
    """Which printed cells each reading meets: a row a joint reading, the best one above."""
    cells = program.agreement(run.records["readings"])
    table = program.by_set(cells)
    score = cells.mean(axis=1)
    ours = cells.index[0]
    names = [
        " | ".join(reading) + (" (ours)" if reading == ours else "")
        for reading in table.index
    ]
    with style():
        fig, ax = plt.subplots(figsize=(9, 8.5))
        image = ax.imshow(table, cmap="cividis", vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(len(table.columns)), table.columns, rotation=30, ha="right")
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set_title(
            f"The best reading meets {score.max():.0%} of the printed cells,\n"
            f"ours {score[ours]:.0%}"
        )
        fig.colorbar(image, ax=ax, label="share of the printed cells that it meets")
    plt.show()


# -- today ------------------------------------------------------------------------------------

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


# -- checkers ---------------------------------------------------------------------------------

_PRINTED = {"markerfacecolor": "white", "markeredgecolor": "black", "clip_on": False}


def show_printed_draw(run):
    """The errors of every method over our draws, and where the printed draw has its own."""
    few = error_table(run.records["board"])
    many = error_table(checkers.every_draw(run))
    samples = dict(few.items()) | dict(many.items())
    names = list(dict.fromkeys([*PRINTED, *samples]))
    printed = printed_values("checkers", "g-means error")
    with style():
        fig, ax = plt.subplots(figsize=(8, 6.4))
        for place, name in enumerate(names):
            errors = samples[name]
            at = np.full(len(errors), place)
            ticks = ax.plot(errors, at, "|", color="#66a9d8", markersize=9)
            mean = ax.plot(errors.mean(), place, "o", color="#1b4f9c", markersize=5)
            if name in printed:
                diamond = ax.plot(printed[name], place, "D", markersize=6, **_PRINTED)
        ax.axhline(len(PRINTED) - 0.5, color="black", linewidth=0.6)
        labels = [f"{name} ({samples[name].count()})" for name in names]
        ax.set_yticks(range(len(names)), labels)
        ax.set(xlabel="g-means error (in brackets: how many draws)", xlim=(0, None))
        ax.invert_yaxis()
        fig.suptitle(_least_and_weights(few), fontsize="medium")
        words = ["here: a draw", "mean of the draws", "printed"]
        lines = [*ticks, *mean, *diamond]
        fig.legend(lines, words, loc="outside lower center", ncols=3)
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
    X, y, X_test, y_test = checkers.train_and_test(draw, n_positive, n_negative)
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
        plot_two_classes(panels[0, 0], X, y, size=3.5, title=title)
        for ax, (name, machine) in zip(panels.flat[1:], machines.items(), strict=True):
            decision = machine.fit(X, y).decision_function(X_test)
            _plot_board(ax, decision, y_test, name)
    plt.show()


def _plot_board(ax, decision, truth, name):
    error = g_mean_error(truth, np.sign(decision))
    axis = checkers.grid_axis()
    title = f"{name}: error {error:.2f}"
    checkers.plot_right_and_wrong(ax, axis, decision, truth, title=title)


def show_searches(draw, truth):
    """Figures 3.1.3 and 6.3.2: the boundaries of the grid search and of TSVT-JMETA."""
    names = {"PVGS": "Figure 3.1.3, PVGS", "TSVT-JMETA": "Figure 6.3.2, TSVT-JMETA"}
    decisions = checkers.decisions(draw, names)
    with style():
        _, panels = plt.subplots(1, 2, figsize=(7.6, 4.1), sharex=True, sharey=True)
        for ax, (name, title) in zip(panels, names.items(), strict=True):
            _plot_board(ax, decisions[name], truth, title)
    plt.show()


def show_who_transforms(draws):
    """In which share of the draws each method transforms, and what the printed draw does."""
    kept, printed = checkers.shares_kept(draws)
    with style():
        fig, ax = plt.subplots(figsize=(7, 3.4))
        bars = ax.barh(kept.index, kept, color="#66a9d8", height=0.55)
        dots = ax.plot(printed, printed.index, "D", **_PRINTED)
        alike = ((kept > 0.5) == (printed > 0.5)).sum()
        title = (
            f"On {alike} of {len(kept)} methods most of our draws\n"
            "do as the printed draw does"
        )
        ax.set(xlabel="share of draws in which the method transforms", title=title)
        ax.set_xlim(0, 1)
        ax.invert_yaxis()
        words = ["here", "the printed draw (0 is an asterisk)"]
        fig.legend([bars, *dots], words, loc="outside lower center", ncols=2)
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
    table = by_partition(records, name)[list(PRINTED)]
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
    table = real_sets.summary_over_sets(records)
    table = table.sort_values("method - SVM", ascending=False, ignore_index=True)
    table = table[~table.method.str.contains("^SVM|no escape$")].reset_index(drop=True)
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


# -- beyond -----------------------------------------------------------------------------------

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


def plot_by_width(ax, widths, errors, looks):
    """Errors over the width of the kernel, a column a machine: plain, transformed, others."""
    for values, (name, look) in zip(np.transpose(errors), looks.items(), strict=True):
        ax.semilogx(widths, values, **look, label=name)
    changed = np.subtract(errors, errors[:, :1])[:, 1]
    low = changed.argmin()
    high = changed.argmax()
    ax.set(
        xlabel="$2\\sigma^2$",
        ylabel="g-means error",
        ylim=(0, 1.02),
        title=f"Transformations change the error by {changed[low]:+.2f} at "
        f"$2\\sigma^2$ = {widths[low]:g},\nand by {changed[high]:+.2f} at {widths[high]:g}",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")


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


# -- criterion --------------------------------------------------------------------------------


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


def show_along(taus, J, errors, title):
    """J and the error along tau; the first number of each is that of the plain kernel."""
    with style():
        _, axes = plt.subplots(2, 1, figsize=(7.5, 4.8), sharex=True)
        best = (J[1:].argmax(), errors[1:].argmin())
        for ax, values, place in zip(axes, (J, errors), best, strict=True):
            look = {"color": "#1b4f9c", "marker": "o", "markersize": 4}
            ax.semilogx(taus, values[1:], **look, label="transformed")
            ax.axhline(values[0], color="#777777", linewidth=1, label="plain kernel")
            look = {"color": "#d95f02", "linestyle": "--", "linewidth": 1}
            ax.axvline(taus[place], **look, label="best of the panel")
        axes[0].legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
        top = best[0]
        axes[0].set_title(
            f"{title}: where $J$ is largest, at $\\tau$ = {taus[top]:.2g}, the error is\n"
            f"{errors[1 + top]:.2f}; that of the plain kernel is {errors[0]:.2f}"
        )
        axes[0].set(ylabel="J / J of the plain kernel", ylim=(0, None))
        axes[1].set(ylabel="g-means error", ylim=(0, 1.02), xlabel="$\\tau$")
    plt.show()


# -- background -------------------------------------------------------------------------------


def show_lines(run, problem=1, orders=10):
    """Where a perceptron stops, by the order of the patterns, and the line of the machine."""
    statements = run.records["statements"]
    X, y = background.plane_sample(problem, background.FAR)
    machine = background.linear_machine(X, y)
    thin = {"color": "#d95f02", "linewidth": 0.8}
    with style():
        fig, ax = plt.subplots(figsize=(5.5, 4.6))
        for order in range(orders):
            w, b = background.perceptron(X, y, order)
            ax.axline(-b * w / (w @ w), slope=-w[0] / w[1], **thin)
        w = machine.w
        start = -machine.b * w / (w @ w)
        ax.axline(start, slope=-w[0] / w[1], color="black", label="machine")
        ax.plot([], [], **thin, label="perceptron")
        title = (
            f"Over {len(statements)} samples the machine errs on "
            f"{statements.machine.mean():.2f} %\nof new points, a perceptron on "
            f"{statements.perceptron.mean():.2f} %"
        )
        plot_two_classes(ax, X, y, title=title)
        ax.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2))
        lines = ax.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=4)
    plt.show()


def show_hulls(problem=1, distance=0.5, C=10.0):
    """The hulls and their nearest points; the machine, its support hyperplanes and slacks."""
    X, y = background.plane_sample(problem, distance)
    machine = background.linear_machine(X, y, ridge=1 / C)
    support = np.flatnonzero(machine.alpha > 1e-6)
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 4.9), sharex=True, sharey=True)
        left, right = axes
        background.plot_hulls(left, X, y, machine.nearest)
        plot_two_classes(right, X, y, support=support, size=4)
        background.plot_slacks(right, X, y, machine.margin_ends())
        _plot_decision(right, machine.decision, 3.0, 3.0)
        right.plot(*machine.nearest.T, "k.", markersize=9)
        apart = np.linalg.norm(np.diff(machine.nearest, axis=0))
        left.set(title=f"hulls: the nearest points are {apart:.2f} apart on the plane")
        title = f"{len(support)} of {len(y)} patterns are support vectors"
        right.set(title=title, ylabel="", xlabel=f"$x_1$ (C = {C:.9g})")
        right.axis(1.1 * np.abs(X).max() * np.array([-1, 1, -1, 1]))
        lines = right.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=3)
    plt.show()


def _plot_decision(ax, decision, width, height, low=None):
    """The frontier of a decision function and its support hyperplanes, dashed."""
    across = np.linspace(-width, width, 121)
    up = np.linspace(-height if low is None else low, height, 121)
    points = np.stack(np.meshgrid(across, up), axis=-1)
    values = decision(points.reshape(-1, 2)).reshape(121, 121)
    background.plot_lines(ax, (across, up), values)


def show_duality(problem=1):
    """Figure 2.1.3: the primal falls to where the dual rises."""
    t, F, theta = background.duality(problem)
    drop = F.min() - theta.min()
    with style():
        _, ax = plt.subplots(figsize=(6, 3.2))
        ax.plot(t, F, color="#1b4f9c")
        ax.plot(t, theta, color="#d95f02")
        ax.set(xlabel="along the line", ylabel="value")
        ax.set_ylim(F.min() - 1.1 * drop, F.min() + 1.1 * drop)
        ax.set_title(
            f"The primal is at least {F.min():.2f}, the dual at most {theta.max():.2f}"
        )
        words = {"color": "#1b4f9c", "ha": "center"}
        ax.text(0.0, F.min() + 0.9 * drop, "primal $F$", **words)
        words["color"] = "#d95f02"
        ax.text(0.0, F.min() - 0.5 * drop, r"dual $\Theta$", **words)
    plt.show()


def show_metric(height=1.0):
    """Places at equal distance from a centre, before a bump of c stretches the metric and after."""
    line = np.linspace(-1.6, 1.6, 9)
    centres = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    bump = height * np.exp(-(centres**2).sum(axis=1))
    slope = -2 * bump[:, np.newaxis] * centres
    before = kernel_metric(centres, gamma=1 / background.WIDTH)
    metrics = {"before": before, "after": transformed_metric(1 + bump, slope, before)}
    turn = np.linspace(0, 2 * np.pi, 60)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    with style():
        _, panels = plt.subplots(1, 2, figsize=(9, 4.6), sharex=True, sharey=True)
        for ax, (when, of_places) in zip(panels, metrics.items(), strict=True):
            for centre, metric in zip(centres, of_places, strict=True):
                length = np.sqrt(np.einsum("ni,ij,nj->n", circle, metric, circle))
                ends = centre + 0.12 * circle / length[:, np.newaxis]
                ax.plot(*ends.T, "k", linewidth=1)
            least, most = np.linalg.eigvalsh(of_places).T
            ratio = np.sqrt(most / least).max()
            title = f"{when}: the longest axis is {ratio:.2f} times the shortest"
            ax.set(title=title, xlabel="$x_1$", aspect="equal")
    plt.show()


def show_maps():
    """Figures 3.3.1 and 3.3.2: an arc and its chord; a grid and its image under a conformal map."""
    turn = np.linspace(0.3, 1.6, 200)
    arc = np.column_stack([np.cos(turn), np.sin(turn)])
    length = turn[-1] - turn[0]
    chord = np.linalg.norm(arc[-1] - arc[0])
    with style():
        _, (left, grid, image) = plt.subplots(1, 3, figsize=(10, 3.6))
        left.add_patch(plt.Circle((0, 0), 1, fill=False, color="#777777"))
        left.plot(*arc.T, color="#1b4f9c", linewidth=3)
        left.plot(*arc[[0, -1]].T, color="#d95f02", linestyle="--")
        left.text(0.75, 0.85, f"arc {length:.2f}", color="#1b4f9c")
        left.text(0.45, 0.5, f"chord {chord:.2f}", color="#d95f02", ha="right")
        left.set(title=f"The chord is {chord / length:.0%} of the arc", aspect="equal")
        left.set(xlim=(-1.1, 1.5), ylim=(-1.1, 1.1), xticks=[], yticks=[])
        _plot_grid(grid, np.asarray)
        grid.set_title("Figure 3.3.2: a grid ...")
        _plot_grid(image, background.conformal_map)
        image.set_title(
            f"... and its image:\nangles turn by {_largest_turn():.1f} degrees"
        )
    plt.show()


def _plot_grid(ax, to):
    """Two families of lines in the plane, as a map takes them, red and blue."""
    along = np.linspace(-1.5, 1.5, 200)
    for at in np.linspace(-1.5, 1.5, 13):
        for z, color in ((along + 1j * at, POSITIVE), (at + 1j * along, NEGATIVE)):
            ax.plot(to(z).real, to(z).imag, color=color, linewidth=0.9)
    ax.set(aspect="equal", xticks=[], yticks=[])


def _largest_turn():
    """By how many degrees the map of Figure 3.3.2 turns the right angles of the grid at most."""
    line = np.linspace(-1.5, 1.5, 13)
    z = np.add.outer(line, 1j * line)
    by_step = [
        background.conformal_map(z + step) - background.conformal_map(z - step)
        for step in (1e-5, 1e-5j)
    ]
    angles = np.degrees(np.angle(by_step[1] / by_step[0]))
    return np.abs(angles - 90).max()


def show_kernel_trick():
    """Figure 2.1.5: classes on a line that no threshold tells apart, and their images (x, x^2)."""
    x, label, image = background.parabola_sample()
    cuts = np.append(x, 9) - 0.01
    says = np.sign(np.subtract.outer(x, cuts))
    wrong = (says != label[:, np.newaxis]).sum(axis=0)
    by_threshold = np.minimum(wrong, len(x) - wrong).min()
    machine = L2SVC(C=1e6, kernel="linear", tol=1e-8).fit(image, label)
    by_line = np.sum(machine.predict(image) != label)
    with style():
        fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.7), sharex=True)
        title = f"on the line the best threshold errs on {by_threshold} of {len(x)}"
        plot_two_classes(left, np.column_stack([x, 0 * x]), label, title=title)
        left.set(yticks=[], ylabel="", ylim=(-1, 1), aspect="auto")
        title = f"on the parabola $(x, x^2)$ a line errs on {by_line}"
        plot_two_classes(right, image, label, title=title)
        across = np.linspace(-3, 3, 121)
        right.plot(across, across**2, color="#777777", linewidth=0.8)
        _plot_decision(right, machine.decision_function, 3.0, 7.0, -0.5)
        right.set(aspect="auto", ylabel="$x^2$", xlabel="$x$", ylim=(-0.5, 7))
        lines = left.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=2)
    plt.show()


def show_noise(problem=1):
    """Figure 3.1.4: two rare patterns at the true border, with cheap slacks and with dear ones."""
    X, y = background.noise_sample(np.random.default_rng(problem))
    with style():
        fig, panels = plt.subplots(1, 2, figsize=(10, 3.4), sharex=True, sharey=True)
        for ax, factor in zip(panels, (1, 1000), strict=True):
            price = factor * background.NOISE_C
            machine = L2SVC(C=price, kernel="linear", tol=1e-6).fit(X, y)
            w = machine.dual_coef_[0] @ machine.support_vectors_
            at = -machine.intercept_[0] / w[0]
            title = f"C = {price:g}: the boundary crosses at $x_1$ = {at:.2f}"
            plot_two_classes(ax, X, y, support=[0, 1], title=title)
            _plot_decision(ax, machine.decision_function, 2.2, 1.1)
            ax.axvline(0.0, color="#4d9221", label="true border")
            ax.set(xlim=(-2.2, 2.2), ylim=(-1.1, 1.1))
        lines, names = ax.get_legend_handles_labels()
        names = [
            name.replace("support vectors", "ringed: at the border") for name in names
        ]
        fig.legend(lines, names, loc="outside lower center", ncols=4, fontsize="small")
    plt.show()


# -- method -----------------------------------------------------------------------------------

#: Places of the board's test grid, by side.
SIDE_OF_GRID = 80


def draw_board(ax, X, y, decision, title):
    """The examples, and in red where the decision values on the test grid are positive."""
    axis = checkers_board_grid(SIDE_OF_GRID, 4.0)[0][:SIDE_OF_GRID, 0]
    values = decision.reshape(SIDE_OF_GRID, SIDE_OF_GRID)
    ax.contourf(axis, axis, values, [0, np.inf], colors=["#c0392b"], alpha=0.25)
    few = {"markersize": 7, "markeredgewidth": 1.6, "color": "#c0392b"}
    ax.plot(*X[y < 0].T, "o", markersize=1.5, color="#1b4f9c", label="many")
    ax.plot(*X[y > 0].T, "+", **few, label="few")
    ax.axhline(0, color="black", linewidth=0.6)
    ax.axvline(0, color="black", linewidth=0.6)
    ax.set(title=title, aspect="equal", xlabel="$x_1$", xlim=(-2, 2), ylim=(-2, 2))


def draw_plain(X, y, decision, truth):
    """The board as the plain machine sees it."""
    ratio = np.sum(y < 0) / np.sum(y > 0)
    found = np.mean(decision[truth > 0] > 0)
    title = f"At {ratio:g} to 1 the machine finds\n{found:.0%} of the rare class"
    _draw_one(X, y, decision, title)


def draw_transformed(X, y, decision, truth):
    """The board after some transformations, with the error in the title."""
    error = g_mean_error(truth, np.sign(decision))
    _draw_one(X, y, decision, f"g-means error {error:.2f}")


def _draw_one(X, y, decision, title):
    with style():
        fig, ax = plt.subplots(figsize=(5.2, 4.4))
        draw_board(ax, X, y, decision, title)
        ax.set_ylabel("$x_2$")
        fig.legend(*ax.get_legend_handles_labels(), loc="outside center right")


def show_before_and_after(X, y, found, truth):
    """The board before and after the transformations, and between them c, the product of all."""
    shape = (SIDE_OF_GRID, SIDE_OF_GRID)
    axis = checkers_board_grid(SIDE_OF_GRID, 4.0)[0][:SIDE_OF_GRID, 0]
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(10, 4), sharex=True, sharey=True)
        before, middle, after = axes
        for ax, (_, f), when in (
            (before, found[0], "before"),
            (after, found[-1], "after"),
        ):
            error = g_mean_error(truth, np.sign(f))
            draw_board(ax, X, y, f, f"{when}: error {error:.2f}")
        c = found[-1][0].reshape(shape)
        levels = np.linspace(0, 1, 11)
        shade = middle.contourf(axis, axis, c / c.max(), levels, cmap="Greys")
        bar = {"shrink": 0.6, "ticks": [0, 0.5, 1], "label": "$c(x)$ / largest"}
        fig.colorbar(shade, ax=middle, **bar)
        title = f"$c$ falls to {c.min() / c.max():.2f} of its largest"
        label = f"$x_1$ ({len(found) - 1} transformations)"
        middle.set(title=title, aspect="equal", xlabel=label)
        lines = after.get_legend_handles_labels()
        fig.legend(*lines, loc="outside lower center", ncols=2)
    plt.show()


def show_errors_by_width(widths, errors, steps):
    """The g-means error over the width of the kernel: a row a width, a column a machine."""
    looks = {
        "plain": MACHINE_STYLES["SVM"],
        f"{steps} transformations": MACHINE_STYLES["AMA"],
        "balanced weights": MACHINE_STYLES["balanced weights"],
    }
    with style():
        _, ax = plt.subplots(figsize=(8, 3.8))
        plot_by_width(ax, widths, np.asarray(errors), looks)
    plt.show()
