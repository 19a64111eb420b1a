"""The figures of the notebooks that take more than a few lines: records in, a figure out."""

import matplotlib.pyplot as plt
import numpy as np

from companion.papers.summaries import means_and_errors, select
from companion.papers.wrsvm import simulation, table_1, table_2, table_3
from companion.papers.wrsvm.utilities import gains_of_truncation
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
        fig, ax = plt.subplots(
            figsize=(6, 1.2 + 0.23 * len(gains) + 0.5 * bool(printed is not None))
        )
        plot_differences(ax, list(gains), series, xlabel="utility x 100: WRSVM - WSVM")
        ax.set_title(
            f"Truncation gains in {won} of {len(gains)} cells and loses in {lost}\n"
            "(beyond two standard errors)"
        )
        ax.get_legend().remove()
        if printed is not None:
            look = {"mfc": "white", "mec": "black", "linestyle": "", "label": "printed"}
            ax.plot(printed, range(len(printed)), "D", **look)
            handles, _ = ax.get_legend_handles_labels()
            fig.legend(
                handles, ["printed", "here"], loc="outside lower center", ncols=2
            )
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
