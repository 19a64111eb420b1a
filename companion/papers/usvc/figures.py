"""The figures of the notebooks that take more than a few lines: records in, a figure out."""

import matplotlib.pyplot as plt
import numpy as np

from companion.datasets import threshold_case_densities, threshold_case_error
from companion.losses import Hinge, Unbiased
from companion.papers.summaries import present, range_text
from companion.papers.usvc import benefit, exercises, fig_1, fig_3_4, table_1, table_3
from companion.papers.usvc.cases import (
    DAMPING,
    READINGS,
    STARTS,
    TABLE_READINGS,
    C,
    K,
    fit,
    sample,
    theoretical_error,
)
from companion.papers.usvc.paired_errors import by_machine, differences, gap_in_words
from companion.papers.usvc.splits import BENCHMARK_SETS
from companion.plotting import MACHINE_STYLES, plot_differences, plot_published, style
from companion.reproduction.declared import READING_KINDS
from companion.reproduction.scores import as_read
from companion.reproduction.verdicts import MATCHES
from companion.solvers.wls import Design

_PINK = MACHINE_STYLES["USVC"]["color"]

# -- Table 1 --------------------------------------------------------------------------------

ROWS_1 = [
    f"Case {case}, {quantity}"
    for case in TABLE_READINGS
    for quantity in ("CE train (%)", "CE test (%)", "Th")
]
COLUMNS_1 = ["LS", "SVC", "USVC s=2", "USVC s=4"]


def plot_table_1(run):
    """The means of Table 1 beside ours as printed and, where there is one, under a reading."""
    ledger = run.ledger
    means = ledger[ledger.row.isin(ROWS_1) & ledger.column.isin(COLUMNS_1)]
    means = means.rename(columns={"row": "column", "column": "row"})
    with style():
        fig, axes = plt.subplots(2, 3, figsize=(8.5, 5.2), sharey=True)
        plot_published(axes, means, COLUMNS_1, ROWS_1)
        for ax, cell in zip(axes.flat, ROWS_1, strict=True):
            ax.set_xlim((-0.6, 0.7) if cell.endswith("Th") else (17, 36))
            rows = means[(means["column"] == cell) & means.reproduced_as_read.notna()]
            place = [COLUMNS_1.index(name) + 0.32 for name in rows["row"]]
            ax.plot(rows.reproduced_as_read, place, "^", color="#1b4f9c", markersize=5)
        values = as_read(means[means.scored], READING_KINDS)
        matched = values.verdict.eq(MATCHES).groupby(values["column"].str[5])
        counts = [
            f"{of.sum()} of {len(of)} printed means of case {case}"
            for case, of in matched
        ]
        fig.suptitle(
            f"{' and '.join(counts)}\nmatch ours with another weight in A, another start in B"
            " (triangles)",
            fontsize="medium",
        )
    plt.show()


def plot_starts(run):
    """Thresholds of the machine of order 2 in case B from either start."""
    ends = table_1.thresholds_of_b(run.records)
    trapped = {words: table_1.trapped(found) for words, found in ends.items()}
    with style():
        _, ax = plt.subplots(figsize=(7, 3.2))
        for (words, found), line in zip(ends.items(), ("-", "--"), strict=True):
            look = {"label": f"from {words}", "linestyle": line, "color": _PINK}
            ax.ecdf(found.clip(0, 1), **look)
        ax.set(xlabel="threshold that the unbiased machine ends at, case B")
        ax.set_ylabel("share of trials")
        ax.set_title(
            f"From least squares {trapped['least squares']} of {len(found)} trials end in the"
            f" narrow minimum,\nfrom the SVC {trapped['the SVC']}"
        )
        ax.legend()
    plt.show()


# -- Figures 1 and 2 ------------------------------------------------------------------------


def plot_costs(run):
    """Figure 1: what a slack costs in a count of errors, in the SVC and in the unbiased machine."""
    slack = np.linspace(0.0, 3.0, 601)
    costs = {"SVC": Hinge().value(slack)}
    for order in fig_1.ORDERS:
        costs[f"USVC s={order:g}"] = Unbiased(order).value(slack)
    losses = run.records["fig_1_losses"].set_index("s")
    far = losses.hinge_distance_to_step.iloc[0] / losses.distance_to_step[2.0]
    with style():
        _, ax = plt.subplots(figsize=(6.5, 3.6))
        ax.plot(slack, slack >= 1.0, color="black", label="error count")
        for name, cost in costs.items():
            look = MACHINE_STYLES[name] | {"marker": ""}
            ax.plot(slack, cost, label=name, **look)
        ax.set(xlabel=r"slack $\xi$", ylabel="cost", xlim=(0, 3), ylim=(-0.03, 2.0))
        ax.set_title(
            f"The hinge is {far:.0f} times as far from a count of errors\nas the USVC of order 2"
        )
        ax.legend(loc="upper left", fontsize="small")
    plt.show()


def plot_cases(run):
    """Figure 2: densities and error of every threshold in both cases, and the printed minima."""
    x = np.linspace(0.0, 1.0, 1001)
    printed = run.ledger.set_index(["row", "column"]).published
    least = []
    with style():
        fig, axes = plt.subplots(2, 2, figsize=(8, 5.2), sharex=True, sharey="row")
        panels = zip(axes.T, TABLE_READINGS.items(), strict=True)
        for (top, bottom), (case, reading) in panels:
            _draw_densities(top, case, READINGS[reading][1])
            top.set_title(f"case {reading}")
            error = theoretical_error(reading, x)
            bottom.plot(x, error, color="black", label="error of the threshold")
            place, _, lowest = fig_1.minima(reading)[0]
            least.append(f"{lowest:.1f} % at Th = {place:.2f} in case {case}")
            of_case = printed[f"Figure 2, case {case}"]
            at = [of_case["global minimum at"]]
            errors = [of_case["CE_min (%)"]]
            if case == "B":
                at.append(of_case["wide minimum around"])
                errors.append(of_case["CE of the wide minimum (%)"])
            look = {"mfc": "white", "mec": "black", "label": "printed minimum"}
            bottom.plot(at, errors, "D", **look)
            bottom.set(xlabel="threshold Th", ylim=(0, 80))
        for ax, label in zip(axes[:, 0], ("density", "CE (%)"), strict=True):
            ax.set_ylabel(label)
            ax.legend(loc="upper center", fontsize="small")
        fig.suptitle(f"The least error is {' and '.join(least)}", fontsize="medium")
    plt.show()


def _draw_densities(ax, case, cluster_weight):
    """The densities of the two classes of a case."""
    x = np.linspace(0.0, 1.0, 1001)
    positive, negative = threshold_case_densities(case, x, cluster_weight)
    ax.fill_between(x, positive, color="#555555", alpha=0.35, label="class $+1$")
    ax.plot(x, negative, "k--", label="class $-1$")


# -- Figures 3 and 4 ------------------------------------------------------------------------

_THRESHOLDS = np.linspace(0.0, 1.0, 101)
_SLOPES = np.linspace(0.2, 15, 120)


def plot_case(case, trial, orders):
    """Figure 3 (case A) or 4 (case B) for a trial: surfaces with paths, and profiles.

    The SVC stands in the first row, an unbiased machine of one of the orders in each other one.
    """
    reading = TABLE_READINGS[case]
    X, y = sample(reading, "train", trial)
    losses = {"SVC": Hinge()} | {f"USVC s={s:g}": Unbiased(s, K) for s in orders}
    start = "least_squares"
    errors = {}
    with style():
        size = (8, 2.7 * len(losses))
        fig, axes = plt.subplots(len(losses), 2, figsize=size, sharex=True)
        for (left, right), (name, loss) in zip(axes, losses.items(), strict=True):
            path, found = _iterates(X, y, loss, start)
            if name == "SVC" and STARTS[case] == "svc":
                start = found
            color = MACHINE_STYLES.get(name, MACHINE_STYLES["USVC"])["color"]
            surface = fig_3_4.surface(X, y, loss, _THRESHOLDS, _SLOPES)
            _draw_surface(left, surface, path, color)
            end = path[-1, 0]
            errors[name] = float(theoretical_error(reading, end))
            _draw_profile(right, X, y, surface, color)
            scale = 100 / (C * len(y))
            right.plot(end, scale * found.objective, "x", color=color, markersize=9)
            error = theoretical_error(reading, _THRESHOLDS)
            right.plot(_THRESHOLDS, error, "k-", label="theoretical CE")
            left.set_title(name)
            right.set_title(f"{name} ends at {end:.2f}, errs on {errors[name]:.1f} %")
        for ax in axes[-1]:
            ax.set(xlabel="threshold Th", xlim=(0, 1))
        axes[-1, 1].legend(fontsize="small", loc="upper left")
        gap = errors[name] - errors["SVC"]
        side = "more" if gap > 0 else "less"
        fig.suptitle(
            f"Case {case}, trial {trial}: {name} errs {abs(gap):.1f} points {side} than the SVC",
            fontsize="medium",
        )
    plt.show()


def _iterates(X, y, loss, start):
    """Threshold and slope of each machine on the way of the plain iteration, and its result."""
    options = {"max_iter": 300, "accelerate": False, "history": True}
    if isinstance(loss, Hinge):  # whose weights grow without bound at a slack of zero
        options |= {"floor": 1e-3, "tol": 1e-4}
    design = Design.linear(X)
    found = fit(design, y, loss=loss, start=start, damping=DAMPING, **options)
    w, b = found.log["w"].T
    return np.column_stack([-b / w, w]), found


def _draw_surface(ax, surface, path, color):
    """Contours of (5), the best slope of each threshold, and the path from o to x."""
    values = surface.objective
    low, high = np.log(values.min()), np.log(np.quantile(values, 0.9))
    levels = np.exp(low + (high - low) * np.linspace(0.002, 1, 16) ** 1.5)
    look = {"levels": levels, "cmap": "Greys_r", "linewidths": 0.6}
    ax.contour(_THRESHOLDS, _SLOPES, values, **look)
    ax.plot(_THRESHOLDS, surface.locus, "k--", linewidth=1)
    ax.plot(*path.T, ".-", color=color, markersize=3, linewidth=1)
    ax.plot(*path[0], "o", color=color, fillstyle="none", markersize=8)
    ax.plot(*path[-1], "x", color=color, markersize=9, markeredgewidth=2)
    ax.set(ylabel="slope $w$", ylim=(min(0.2, 1.2 * path[:, 1].min()), 15))


def _draw_profile(ax, X, y, surface, color):
    """The count of errors and the profile over the threshold, in errors of C each."""
    counted = 100 * np.mean((X[:, 0] > _THRESHOLDS[:, None]) != (y > 0), axis=1)
    profile = 100 * surface.profile / (C * len(y))
    ax.plot(_THRESHOLDS, counted, "k:", label="empirical CE")
    ax.plot(_THRESHOLDS, profile, "--", color=color, label="least objective / $nC$")
    ax.set(ylabel="per cent", ylim=(0, 110))


# -- the method -----------------------------------------------------------------------------


def _error_of(thresholds, share):
    """Error of thresholds in case A in per cent, with a share of class +1 in the cluster."""
    return 100 * threshold_case_error("A", thresholds, share)


def show_case_a(share, settings):
    """The densities of case A, the error of every threshold, and what two machines choose."""
    grid = np.linspace(0, 1, 501)
    texts = []
    with style():
        _, (top, bottom) = plt.subplots(2, 1, figsize=(5.8, 5), sharex=True)
        _draw_densities(top, "A", share)
        top.set_ylabel("density")
        bottom.plot(grid, _error_of(grid, share), color="black")
        for name, (place,) in exercises.thresholds([share], **settings).items():
            error = _error_of(place, share)
            texts.append(f"{name} errs on {error:.1f} %")
            look = MACHINE_STYLES[name] | {"linestyle": "", "markersize": 10}
            bottom.plot(place, error, label=name, **look)
        top.set_title(", ".join(texts))
        bottom.set(xlabel="threshold", ylabel="classification error (%)", ylim=(0, 60))
        top.legend(loc="upper right")
        bottom.legend(loc="lower right")


def plot_iterates(X, y, iterates, weigh, share):
    """Three iterates (w, b): the weights that each gives, and its threshold."""
    last = len(iterates) - 1
    shown = (0, min(last, 2), min(last, 14))
    errors = []
    with style():
        fig, axes = plt.subplots(1, 3, figsize=(9, 3), sharex=True)
        for ax, k in zip(axes, shown, strict=True):
            w, b = iterates[k]
            weights = weigh(1 - y * (X[:, 0] * w + b))
            errors.append(_error_of(-b / w, share))
            ax.scatter(X[:, 0], weights, s=6, c=np.where(y > 0, "k", "#bbbbbb"))
            ax.axvline(-b / w, color=_PINK)
            ax.set(xlabel="x (class $+1$ black)", xlim=(0, 1.2))
            ax.set_title(f"{k + 1}: threshold {-b / w:.2f}")
        axes[0].set_ylabel("weight $a_i$")
        fig.suptitle(
            f"From least squares to iterate {shown[-1] + 1} the error goes from"
            f" {errors[0]:.1f} to {errors[-1]:.1f} %",
            fontsize="medium",
        )
    plt.show()


# -- Tables 2 to 4 --------------------------------------------------------------------------

#: The columns of Table 3, as they are printed.
ERRORS_3 = [f"{machine} CE (%)" for machine in table_3.PRINTED.values()]
COLUMNS_3 = [
    f"{m} {what}" for m in table_3.PRINTED.values() for what in ("CE (%)", "Mach. size")
]


def plot_errors(run, rows, columns):
    """Printed errors of the sets beside ours, a panel a machine."""
    with style():
        size = (3 * len(columns), 1.2 + 0.42 * len(rows))
        fig, axes = plt.subplots(
            1, len(columns), figsize=size, sharex=True, sharey=True
        )
        plot_published(axes, run.ledger, list(rows), list(columns))
        axes[0].set_xlim(0, None)
        fig.supxlabel("classification error (%)", fontsize="medium")
    plt.show()


def plot_gaps(frame, others):
    """Test error of the USVC less that of other machines on the same splits, by set."""
    with style():
        size = (4.5 * len(others), 3.5)
        _, axes = plt.subplots(1, len(others), figsize=size, sharex=True, squeeze=False)
        for ax, other in zip(axes[0], others, strict=True):
            names, gaps = differences(frame, "USVC", other)
            means, errors = gaps
            less, more = ((side * means > 2 * errors).sum() for side in (-1, 1))
            title = f"USVC errs less than {other} on {less} sets, more on {more};\n"
            in_words = gap_in_words(frame, other).replace(" (", "\n(")
            title += f"on average {in_words}"
            label = "difference of CE (points)"
            plot_differences(ax, names, {"USVC": gaps}, xlabel=label, title=title)
            ax.get_legend().remove()
    plt.show()


def plot_error_against_size(run):
    """Error against size of the machines of Table 3, a panel of eight points' height a set."""
    frame = run.records["table_3"]
    sets = present(frame, BENCHMARK_SETS)
    printed = run.ledger.set_index(["row", "column"]).published
    with style():
        fig, axes = plt.subplots(2, 3, figsize=(9, 5.6))
        for ax, name in zip(axes.flat, sets, strict=False):
            for machine, rows in by_machine(frame, name).items():
                shift = 1.4 if machine == "SVC on prototypes" else 1
                look = MACHINE_STYLES[machine] | {"linestyle": "", "label": machine}
                at = (shift * rows["size"].mean(), rows.error.mean())
                ax.errorbar(*at, yerr=2 * rows.error.sem(), capsize=3, **look)
            for machine, word in table_3.PRINTED.items():
                at = (
                    printed[name, f"{word} {what}"] for what in ("Mach. size", "CE (%)")
                )
                color = MACHINE_STYLES[machine]["color"]
                ax.plot(*at, "D", mfc="white", mec=color)
            ax.set(xscale="log", xlabel="machine size", ylabel="CE (%)", title=name)
            middle = max(4, np.mean(ax.get_ylim()))
            ax.set(xlim=(3, 3e4), ylim=(middle - 4, middle + 4))
        for ax in axes.flat[len(sets) :]:
            ax.set_visible(False)
        handles = axes[0, 0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside lower center", ncols=4, fontsize="small")
        if sets:
            sizes = frame.groupby(["machine", "dataset"])["size"].mean()
            fig.suptitle(
                f"The USVC has {range_text(sizes['USVC'], '.0f')} kernels, SVMlight"
                f" {range_text(sizes['SVMlight'], '.0f')}",
                fontsize="medium",
            )
    plt.show()


# -- Section 3.1 ----------------------------------------------------------------------------


def plot_gains(run):
    """Gain of the unbiased machine over the number of patterns, and over the width of a kernel."""
    by_n = benefit.gains_by(run.records["benefit_size"], "n")
    by_width = benefit.gains_by(run.records["benefit_width"], "sigma")
    panels = {"linear machine": by_n, "RBF machine": by_width}
    looks = {"A": ("o-", "black"), "B": ("s--", "#777777")}
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
        for ax, (title, gains) in zip(axes, panels.items(), strict=True):
            for case, (line, color) in looks.items():
                rows = gains.loc[case]
                look = {"fmt": line, "color": color, "capsize": 2}
                label = f"case {case}"
                ax.errorbar(rows.index, rows.gain, 2 * rows.SE, label=label, **look)
            ax.axhline(0.0, color="black", linewidth=0.8)
            ax.set_xscale("log")
            ax.minorticks_off()
            ax.set_title(f"{title}: {range_text(gains.gain, '+.1f')} points")
        axes[0].set_xlabel("training patterns")
        axes[0].set_ylabel("CE of SVC - CE of USVC (points)")
        axes[1].set_xlabel(r"width $\sigma$")
        axes[0].legend(fontsize="small")
        fig.suptitle(
            f"At best a linear USVC gains {by_n.gain.max():.1f} points, one with an RBF kernel"
            f" {by_width.gain.max():.1f}",
            fontsize="medium",
        )
    plt.show()
