"""The figures of the notebooks that take more than a few lines: records in, a figure out."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from companion.datasets import (
    get_threshold_case,
    threshold_case_densities,
    threshold_case_error,
)
from companion.losses import Hinge, Unbiased
from companion.papers.summaries import present, range_text, select
from companion.papers.usvc import (
    beyond,
    cases,
    exercises,
    fig_1,
    starts,
    table_1,
    table_2,
    table_3,
    table_4,
    whole_patterns,
)
from companion.papers.usvc.cases import (
    READINGS,
    STARTS,
    TABLE_READINGS,
    K,
    sample,
    theoretical_error,
)
from companion.papers.usvc.cases import fit as wls
from companion.papers.usvc.paired_errors import (
    by_machine,
    differences,
    gap_in_words,
    over_one_set,
    over_sets,
    paired_table,
)
from companion.papers.usvc.splits import BENCHMARK_SETS
from companion.plotting import MACHINE_STYLES, plot_differences, plot_published, style
from companion.reproduction.declared import READING_KINDS
from companion.reproduction.scores import as_read
from companion.reproduction.verdicts import MATCHES
from companion.solvers.wls import Design

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


def plot_thresholds(records, case):
    """The thresholds of all trials of a case, and the error of every threshold."""
    reading = TABLE_READINGS[case]
    trials = records[records.reading == reading]
    trials = trials[trials.start.isin(["", STARTS[case]])]
    grid = np.linspace(0, 1, 501)
    error = theoretical_error(reading, grid)
    middle = trials.groupby("machine").threshold.median()
    with style():
        _, (top, bottom) = plt.subplots(2, 1, figsize=(6.5, 4.2), sharex=True)
        for place, name in enumerate(COLUMNS_1):
            found = trials.threshold[trials.machine == name]
            look = {
                "color": MACHINE_STYLES[name]["color"],
                "markersize": 16,
                "alpha": 0.5,
            }
            top.plot(found, np.full(len(found), place), "|", **look)
        top.set_yticks(range(4), COLUMNS_1)
        top.set_ylim(3.5, -0.5)
        top.set_title(
            f"Least error at Th = {grid[error.argmin()]:.2f}; median trial:\n"
            f"SVC {middle['SVC']:.2f}, USVC of order 2 {middle['USVC s=2']:.2f}"
        )
        bottom.plot(grid, error, color="black")
        bottom.set(xlim=(0, 1), ylim=(0, 80), ylabel="CE (%)")
        bottom.set_xlabel(f"threshold Th, case {case}")
    plt.show()


# -- Figures 1 and 2 ------------------------------------------------------------------------


def plot_costs(run):
    """Figure 1: what a slack costs in a count of errors, in the SVC and in the unbiased machine."""
    slack = np.linspace(0.0, 3.0, 601)
    costs = {"SVC": Hinge().value(slack)}
    for order in fig_1.ORDERS_SHOWN:
        costs[f"USVC s={order:g}"] = Unbiased(order).value(slack)
    losses = run.records["fig_1_losses"].set_index("s")
    far = losses.hinge_distance_to_step.iloc[0] / losses.distance_to_step[2.0]
    with style():
        _, ax = plt.subplots(figsize=(6.5, 3.6))
        ax.plot(slack, slack >= 1.0, color="black", label="error count")
        for name, cost in costs.items():
            look = MACHINE_STYLES[name]
            line = look["linestyle"]
            ax.plot(slack, cost, color=look["color"], linestyle=line, label=name)
        ax.set(xlabel=r"slack $\xi$", ylabel="cost", xlim=(0, 3), ylim=(-0.03, 2.0))
        ax.set_title(
            f"The hinge is {far:.0f} times as far from a count of errors\nas the USVC of order 2"
        )
        ax.legend(loc="upper left", fontsize="small")
    plt.show()


def plot_cases(run):
    """Figure 2: densities and error of every threshold in both cases, and the printed minima."""
    x = np.linspace(0.0, 1.0, 1001)
    least = []
    with style():
        fig, axes = plt.subplots(2, 2, figsize=(8, 5.2), sharex=True, sharey="row")
        cases = zip(axes.T, TABLE_READINGS.items(), strict=True)
        for (top, bottom), (case, reading) in cases:
            positive, negative = threshold_case_densities(case, x, READINGS[reading][1])
            look = {"color": "#555555", "alpha": 0.35, "label": "class $+1$"}
            top.fill_between(x, positive, **look)
            top.plot(x, negative, "k--", label="class $-1$")
            top.set_title(f"case {reading}")
            error = theoretical_error(reading, x)
            bottom.plot(x, error, color="black", label="error of the threshold")
            _mark_printed_minima(bottom, run, case)
            bottom.set(xlabel="threshold Th", ylim=(0, 80))
            place, _, lowest = fig_1.minima(reading)[0]
            least.append(f"{lowest:.1f} % at Th = {place:.2f} in case {case}")
        for ax, label in zip(axes[:, 0], ("density", "CE (%)"), strict=True):
            ax.set_ylabel(label)
            ax.legend(loc="upper center", fontsize="small")
        fig.suptitle(f"The least error is {' and '.join(least)}", fontsize="medium")
    plt.show()


def plot_readings_of_a(run):
    """The error of every threshold of case A under each reading of its two weights."""
    x = np.linspace(0.0, 1.0, 1001)
    looks = {
        "A, as printed": ":",
        "A, weights exchanged": "--",
        "A, cluster weight .265": "-",
    }
    with style():
        _, ax = plt.subplots(figsize=(7.5, 3.4))
        for reading, line in looks.items():
            ax.plot(
                x, theoretical_error(reading, x), line, color="black", label=reading
            )
        _mark_printed_minima(ax, run, "A")
        at_half = [float(theoretical_error(reading, 0.5)) for reading in looks]
        ax.set(xlabel="threshold Th", ylabel="CE (%)", xlim=(0, 1), ylim=(0, 80))
        ax.set_title(
            f"Th = .5 errs on {at_half[0]:.1f} % with the printed weights, on {at_half[1]:.1f} %\n"
            f"with them exchanged, on {at_half[2]:.1f} % with .265 in the cluster"
        )
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plt.show()


def _mark_printed_minima(ax, run, case):
    """Diamonds where the paper prints the minima of a case."""
    printed = run.rows(f"Figure 2, case {case}").set_index("column").published
    pairs = [("global minimum at", "CE_min (%)")]
    if case == "B":
        pairs.append(("wide minimum around", "CE of the wide minimum (%)"))
    points = [printed[list(pair)] for pair in pairs]
    ax.plot(
        *np.transpose(points), "D", mfc="white", mec="black", label="printed minimum"
    )


# -- Figures 3 and 4 ------------------------------------------------------------------------

_THRESHOLDS = np.linspace(0.0, 1.0, 101)


def iterates(X, y, loss, C, start="least_squares", *, damping=0.2, **options):
    """Threshold and slope of each machine on the way of the plain iteration, and its result."""
    if isinstance(
        loss, Hinge
    ):  # its weights grow without bound where a slack goes to zero
        options |= {"floor": 1e-3, "tol": 1e-4}
    settings = {"max_iter": 300, "accelerate": False, "history": True} | options
    found = wls(
        Design.linear(X), y, C, loss=loss, start=start, damping=damping, **settings
    )
    w, b = found.log["w"].T
    return np.column_stack([-b / w, w]), found


def _objective(X, y, loss, slopes, C):
    """(5) for every slope (a row) and threshold (a column)."""
    margin = y * (X[:, 0] - _THRESHOLDS[:, np.newaxis])
    return np.array(
        [w * w / 2 + C * loss.value(1 - w * margin).sum(axis=1) for w in slopes]
    )


def _draw_surface(ax, X, y, loss, *, paths, C):
    """Contours of (5), the best slope of each threshold, and the paths from o to x."""
    low = min(0.3, *(1.2 * points[:, 1].min() for points in paths.values()))
    slopes = np.linspace(low, 15, 120)
    values = _objective(X, y, loss, slopes, C)
    base = np.log(values.min())
    top = np.log(np.quantile(values, 0.9))
    levels = np.exp(base + (top - base) * np.linspace(0.002, 1, 16) ** 1.5)
    ax.contour(
        _THRESHOLDS, slopes, values, levels=levels, cmap="Greys_r", linewidths=0.6
    )
    is_steep = slopes > 0.2
    best = slopes[is_steep][values[is_steep].argmin(axis=0)]
    ax.plot(_THRESHOLDS, best, "k--", linewidth=1)
    for name, points in paths.items():
        color = MACHINE_STYLES[name]["color"]
        ax.plot(*points.T, ".-", color=color, markersize=3, linewidth=1)
        ax.plot(*points[0], "o", color=color, fillstyle="none", markersize=8)
        ax.plot(*points[-1], "x", color=color, markersize=9, markeredgewidth=2)
    ax.set(ylabel="slope $w$", ylim=(low, 15))
    return values[is_steep].min(axis=0)


def _draw_profile(ax, X, y, reading, *, profile, name, end, C):
    """The error and the profile over the threshold; the profile is in errors of C each."""
    counted = 100 * np.mean((X[:, 0] > _THRESHOLDS[:, None]) != (y > 0), axis=1)
    color = MACHINE_STYLES[name]["color"]
    scale = 100 / (C * len(y))
    error = theoretical_error(reading, _THRESHOLDS)
    ax.plot(_THRESHOLDS, error, "k-", label="theoretical CE")
    ax.plot(_THRESHOLDS, counted, "k:", label="empirical CE")
    ax.plot(
        _THRESHOLDS, scale * profile, "--", color=color, label="least objective / $nC$"
    )
    ax.plot(end[0], scale * end[1], "x", color=color, markersize=9, markeredgewidth=2)
    ax.set(ylabel="per cent", ylim=(0, 110))


def plot_case(case, trial, C=10.0):
    """Figure 3 (case A) or 4 (case B) for a trial: surfaces with paths, and profiles."""
    reading = TABLE_READINGS[case]
    X, y = sample(reading, "train", trial)
    names = {"SVC": Hinge(), "USVC s=2": Unbiased(2.0, K)}
    if case == "B":
        names["USVC s=4"] = Unbiased(4.0, K)
    paths = {}
    errors = {}
    svc = None
    with style():
        size = (8, 2.7 * len(names))
        fig, axes = plt.subplots(len(names), 2, figsize=size, sharex=True)
        rows = zip(axes, names.items(), "ace", "bdf", strict=False)
        for (left, right), (name, loss), *letters in rows:
            from_svc = svc is not None and STARTS[case] == "svc"
            start = svc if from_svc else "least_squares"
            paths[name], found = iterates(X, y, loss, C, start)
            svc = svc or found
            profile = _draw_surface(left, X, y, loss, paths=paths, C=C)
            end = paths[name][-1, 0]
            _draw_profile(
                right,
                X,
                y,
                reading,
                profile=profile,
                name=name,
                end=(end, found.objective),
                C=C,
            )
            errors[name] = float(theoretical_error(reading, end))
            left.set_title(f"({letters[0]}) {name}")
            right.set_title(
                f"({letters[1]}) ends at {end:.2f}, errs on {errors[name]:.1f} %"
            )
        for ax in axes[-1]:
            ax.set(xlabel="threshold Th", xlim=(0, 1))
        axes[-1, 1].legend(fontsize="small", loc="upper left")
        gap = errors["USVC s=2"] - errors["SVC"]
        side = "more" if gap > 0 else "less"
        fig.suptitle(
            f"Case {case}, trial {trial}: order 2 errs {abs(gap):.1f} points {side} than the SVC",
            fontsize="medium",
        )
    plt.show()


def show_surface(case, s, C, trial):
    """Surface and profile of the unbiased machine of any order, from the start of the case."""
    reading = TABLE_READINGS[case]
    loss = Unbiased(s, K)
    X, y = sample(reading, "train", trial)
    paths = {"SVC": iterates(X, y, Hinge(), C)[0]}
    paths["USVC"], found = iterates(X, y, loss, C, STARTS[case])
    ends = {name: points[-1, 0] for name, points in paths.items()}
    errors = {name: float(theoretical_error(reading, at)) for name, at in ends.items()}
    with style():
        _, (left, right) = plt.subplots(1, 2, figsize=(8, 3.3), sharex=True)
        profile = _draw_surface(left, X, y, loss, paths=paths, C=C)
        end = (ends["USVC"], found.objective)
        _draw_profile(right, X, y, reading, profile=profile, name="USVC", end=end, C=C)
        left.set(xlabel=f"threshold Th (s = {s:g}, C = {C:g})", xlim=(0, 1))
        left.set_title(f"SVC ends at {ends['SVC']:.2f}, USVC at {ends['USVC']:.2f}")
        right.set_xlabel(f"threshold Th (case {case}, trial {trial})")
        right.set_title(
            f"SVC errs on {errors['SVC']:.1f} %, USVC on {errors['USVC']:.1f} %"
        )
        right.legend(fontsize="small", loc="upper left")


# -- what start, stop, order and cost change ------------------------------------------------


def plot_starts(run):
    """Thresholds of the machine of order 2 in case B from either start."""
    ends = starts.thresholds_of_b(run.records)
    with style():
        _, ax = plt.subplots(figsize=(7, 3.2))
        color = MACHINE_STYLES["USVC"]["color"]
        for (words, found), line in zip(ends.items(), ("-", "--"), strict=True):
            ax.ecdf(
                found.clip(0, 1), label=f"from {words}", linestyle=line, color=color
            )
        ax.set(xlabel="threshold that the unbiased machine ends at, case B")
        ax.set_ylabel("share of trials")
        ax.set_title(
            f"From least squares {starts.trapped(ends['least squares'])} of {len(found)} trials end"
            f" in the narrow minimum,\nfrom the SVC {starts.trapped(ends['the SVC'])}"
        )
        ax.legend()
    plt.show()


def plot_stops(plain):
    """Problems solved until the iteration ends at a relative change, and the error there."""
    rules = table_1.STOPS
    plain = plain[plain.start == "least_squares"]
    solved = [f"solved_{rule:g}" for rule in rules]
    of_cases = plain[plain.reading.isin(TABLE_READINGS.values())]
    counts = of_cases.groupby("machine")[solved].mean()
    with style():
        _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
        for name in ("SVC", "USVC s=2", "USVC s=4"):
            left.plot(rules, counts.loc[name], label=name, **MACHINE_STYLES[name])
        last = f"solved_{min(rules):g}"
        times = counts[last]["SVC"] / counts[last]["USVC s=2"]
        left.set(xscale="log", yscale="log", ylabel="problems solved")
        left.set_title(
            f"Until a change of {min(rules):g} the SVC solves\n{times:.1f} times the problems of"
            " the USVC, s = 2"
        )
        spread = {}
        for (case, reading), line in zip(
            TABLE_READINGS.items(), ("-", "--"), strict=True
        ):
            trials = plain[(plain.reading == reading) & (plain.machine == "USVC s=4")]
            errors = 100 * trials[[f"error_{rule:g}" for rule in rules]]
            spread[case] = errors.std(ddof=1)
            look = {"color": MACHINE_STYLES["USVC s=4"]["color"], "linestyle": line}
            label = f"case {case}"
            right.errorbar(
                rules, errors.mean(), spread[case], capsize=3, label=label, **look
            )
        right.set(xscale="log", ylabel="exact error (%), spread")
        right.set_title(
            f"USVC of order 4, least squares, case A:\nspread is {spread['A'].iloc[0]:.1f} at the"
            f" earliest end, {spread['A'].iloc[-1]:.1f} at the last"
        )
        for ax in (left, right):
            ax.set_xlabel("ends at a relative change of")
            ax.invert_xaxis()
            ax.legend()
    plt.show()


def plot_orders(orders):
    """Exact errors of each order less those of order 2 on the same trials."""
    farthest = 0.0
    look = {"fmt": "o-", "capsize": 3, "color": MACHINE_STYLES["USVC"]["color"]}
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
        for ax, (case, reading) in zip(axes, TABLE_READINGS.items(), strict=True):
            rows = orders[(orders.reading == reading) & (orders.start == STARTS[case])]
            errors = 100 * rows.pivot(index="trial", columns="s", values="error")
            above = errors.sub(errors[2.0], axis=0)
            farthest = max(farthest, above.mean().abs().max())
            ax.errorbar(above.columns, above.mean(), 2 * above.sem(), **look)
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(xlabel="order $s$", title=f"case {case}")
        axes[0].set_ylabel("CE - CE of order 2 (points)")
        title = (
            f"No mean error of a USVC is more than {farthest:.2f} points from order 2"
        )
        fig.suptitle(title, fontsize="medium")
    plt.show()


def plot_larger_costs(harder):
    """Exact error in case A above the least one, over C."""
    _, _, least = fig_1.minima(TABLE_READINGS["A"])[0]
    harder = harder.assign(excess=100 * harder.error - least)
    with style():
        _, ax = plt.subplots(figsize=(6, 3))
        for order, trials in harder.groupby("s"):
            excess = trials.groupby("C").excess
            means = excess.mean()
            look = MACHINE_STYLES[f"USVC s={order:g}"] | {"label": f"order {order:g}"}
            ax.errorbar(means.index, means, 2 * excess.sem(), capsize=3, **look)
            if order == 2:
                at = means
        ax.set(
            xscale="log",
            xlabel="$C$",
            ylabel="CE - CE$_{min}$ (points)",
            ylim=(0, None),
        )
        ax.set_title(
            f"USVC of order 2: {at.iloc[0]:.2f} points above the least error at"
            f" C = {at.index[0]:g},\n{at.iloc[-1]:.2f} at C = {at.index[-1]:,.0f}"
        )
        ax.legend()
    plt.show()


# -- the method -----------------------------------------------------------------------------


def _error_of(thresholds, share):
    """Error of thresholds in case A in per cent, with a share of class +1 in the cluster."""
    return 100 * threshold_case_error("A", thresholds, share)


def show_case_a(share, settings):
    """The densities of case A, the error of every threshold, and what two machines choose."""
    grid = np.linspace(0, 1, 501)
    positive, negative = threshold_case_densities("A", grid, share)
    texts = []
    with style():
        _, (top, bottom) = plt.subplots(2, 1, figsize=(5.8, 5), sharex=True)
        top.fill_between(
            grid, positive, color="#555555", alpha=0.35, label="class $+1$"
        )
        top.plot(grid, negative, color="black", linestyle="--", label="class $-1$")
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
    """Three iterates (w, b): the weights that each gives, its threshold and its error."""
    last = len(iterates) - 1
    grid = np.linspace(0, 1, 301)
    thresholds = -iterates[:, 1] / iterates[:, 0]
    errors = _error_of(thresholds, share)
    shown = (0, min(last, 2), min(last, 14))
    color = MACHINE_STYLES["USVC"]["color"]
    with style():
        fig, axes = plt.subplots(3, 2, figsize=(8, 8.6), sharex="col")
        for (left, right), k in zip(axes, shown, strict=True):
            w, b = iterates[k]
            weights = weigh(1 - y * (X[:, 0] * w + b))
            left.scatter(X[:, 0], weights, s=6, c=np.where(y > 0, "k", "#bbbbbb"))
            left.axvline(thresholds[k], color=color)
            left.set(xlabel="x", ylabel="weight $a_i$", xlim=(0, 1.2))
            left.set_title(f"{k + 1}: weights, class $+1$ black")
            right.plot(grid, _error_of(grid, share), color="black")
            right.plot(thresholds[: k + 1], errors[: k + 1], "o-", color=color)
            right.set(xlabel="threshold", ylabel="error (%)", xlim=(0, 1), ylim=(0, 60))
            right.set_title(f"threshold {thresholds[k]:.2f}, error {errors[k]:.1f} %")
        fig.suptitle(
            f"From least squares to iterate {shown[-1] + 1} the error goes from"
            f" {errors[0]:.1f} to {errors[shown[-1]]:.1f} %",
            fontsize="medium",
        )
    plt.show()


def plot_growing_cluster(settings):
    """Threshold and error of both machines as the cluster of case A grows."""
    shares = np.linspace(0, 0.35, 8)
    grid = np.linspace(0, 1, 301)
    found = exercises.thresholds(shares, **settings)
    errors = {name: _error_at(places, shares) for name, places in found.items()}
    gap = errors["USVC"] - errors["SVC"]
    at = np.abs(gap).argmax()
    with style():
        _, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.6))
        for name, places in found.items():
            left.plot(shares, places, label=name, **MACHINE_STYLES[name])
            right.plot(shares, errors[name], label=name, **MACHINE_STYLES[name])
        best = [_error_of(grid, share).min() for share in shares]
        right.plot(shares, best, color="black", linewidth=1, label="least possible")
        left.set(xlabel="share in the cluster", ylabel="threshold", ylim=(0, 0.6))
        left.set_title(
            f"The SVC's threshold moves by {np.ptp(found['SVC']):.2f},\n"
            f"the USVC's by {np.ptp(found['USVC']):.2f}"
        )
        right.set(xlabel="share in the cluster", ylabel="error (%)")
        right.set_title(
            f"At a share of {shares[at]:.2f} the USVC errs\n{abs(gap[at]):.1f} points"
            f" {'more' if gap[at] > 0 else 'less'} than the SVC"
        )
        right.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plt.show()


def _error_at(places, shares):
    """Error of the threshold of each share at this share."""
    return np.array([_error_of(*pair) for pair in zip(places, shares, strict=True)])


# -- Tables 2 to 4 --------------------------------------------------------------------------

#: The columns of the tables of errors, as they are printed.
ERRORS_3 = [f"{machine} CE (%)" for machine in table_3.PRINTED.values()]
COLUMNS_3 = [
    f"{m} {what}" for m in table_3.PRINTED.values() for what in ("CE (%)", "Mach. size")
]
_PINK = MACHINE_STYLES["USVC"]["color"]


def plot_errors(run, rows, columns):
    """Printed errors of the sets beside ours, a panel a machine."""
    with style():
        size = (3 * len(columns), 1.2 + 0.42 * len(rows))
        _, axes = plt.subplots(1, len(columns), figsize=size, sharex=True, sharey=True)
        plot_published(axes, run.ledger, list(rows), list(columns))
        axes[0].set_xlim(0, None)
        is_between = len(columns) % 2 == 0
        middle = axes[(len(columns) - 1) // 2]
        middle.set_xlabel("classification error (%)", x=1.0 if is_between else 0.5)
    plt.show()


def plot_readings_2(run):
    """The error of the SVC of Table 2 less the print, as ours and under other readings."""
    found = table_2.errors_of_svc(run)
    printed = select(found, reading="printed").set_index("set")
    looks = {
        "printed": ("black", "D"),
        "ours": (MACHINE_STYLES["SVC"]["color"], "o"),
        "the benchmark's own samples": ("#00796b", "s"),
        "SVMlight's default C": ("#d95f02", "^"),
    }
    matched = {}
    with style():
        _, ax = plt.subplots(figsize=(7.5, 4))
        for k, (words, (color, marker)) in enumerate(looks.items()):
            of = select(found, reading=words).set_index("set")
            gap = of["mean"] - printed["mean"]
            known = np.hypot(of.error, printed.error)
            matched[words] = int((gap.abs() <= known).sum())
            places = printed.index.get_indexer(of.index) + (k - 1.5) / 6
            look = {"fmt": marker, "color": color, "label": words}
            ax.errorbar(gap[of.index], places, xerr=of.error, **look)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(range(len(printed)), printed.index)
        ax.invert_yaxis()
        ax.set_xlabel("CE of the SVC less the printed one (points)")
        ax.set_title(
            f"Ours are within two standard errors of {matched['ours']} of {len(printed)} printed"
            f" means,\nand with SVMlight's default C they are of {matched[list(looks)[-1]]}"
        )
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plt.show()


def plot_gaps(frame):
    """Error of the USVC less the SVC's by set: thick for these data, thin for new samples."""
    pairs = paired_table(frame)
    gap = pairs["USVC - SVMlight"]
    counts = []
    with style():
        _, ax = plt.subplots(figsize=(6.5, 3))
        for column, width in (("SE, these data", 4), ("SE, new samples", 1)):
            error = 2 * pairs[column]
            counts.append(
                f"less on {(gap < -error).sum()}, more on {(gap > error).sum()}"
            )
            look = {"fmt": "o", "color": _PINK, "elinewidth": width, "markersize": 5}
            ax.errorbar(gap, pairs["data set"], xerr=error, **look)
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.invert_yaxis()
        ax.set_xlabel("CE of USVC - CE of SVC (points)")
        ax.set_title(
            f"On {len(pairs)} sets USVC errs {counts[0]} for these data,\n"
            f"{counts[1]} for new samples"
        )
    plt.show()


def plot_training(frame):
    """Error of the USVC less the SVC's on the training parts and on the test parts."""
    names = present(frame, BENCHMARK_SETS)
    counts = []
    with style():
        _, ax = plt.subplots(figsize=(6.5, 3.2))
        parts = (
            ("train", "training part", -0.12, "white"),
            ("test", "test part", 0.12, _PINK),
        )
        for part, label, shift, fill in parts:
            gaps = [over_one_set(frame, name, part) for name in names]
            means, errors, _ = np.transpose(gaps)
            less, more = ((side * means > 2 * errors).sum() for side in (-1, 1))
            counts.append(f"less on {less}, more on {more}")
            look = {"fmt": "o", "mfc": fill, "color": _PINK, "label": label}
            ax.errorbar(means, np.arange(len(names)) + shift, xerr=2 * errors, **look)
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_xlabel("CE of USVC - CE of SVC (points)")
        ax.set_title(
            f"Beyond two standard errors USVC errs {counts[0]}\nof {len(names)} training parts,"
            f" {counts[1]} test parts"
        )
        ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()


def plot_error_against_size(run):
    """Error against size of the machines of Table 3, a panel of eight points' height a set."""
    frame = run.records["table_3"]
    sets = present(frame, BENCHMARK_SETS)
    with style():
        fig, axes = plt.subplots(2, 3, figsize=(9, 5.6))
        for ax, name in zip(axes.flat, sets, strict=False):
            _draw_error_against_size(ax, by_machine(frame, name))
            _draw_printed_sizes(ax, run.rows(name).set_index("column").published)
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


def _draw_error_against_size(ax, machines):
    """Means over the splits with two standard errors; the hinge a little to the right."""
    for name in table_3.MACHINES:
        error = machines[name].error
        shift = 1.4 if name == "SVC on prototypes" else 1
        size = shift * machines[name]["size"].mean()
        look = MACHINE_STYLES[name] | {"linestyle": "", "label": name, "capsize": 3}
        ax.errorbar(size, error.mean(), yerr=2 * error.sem(), **look)


def _draw_printed_sizes(ax, printed):
    """The print, in the colour of each machine."""
    for name, word in table_3.PRINTED.items():
        look = {"mfc": "white", "mec": MACHINE_STYLES[name]["color"]}
        ax.plot(printed[f"{word} Mach. size"], printed[f"{word} CE (%)"], "D", **look)


def plot_over_centres(dataset, sizes, curves, level):
    """Test errors over the number of centres, and the level of the SVC."""
    of_usvc = curves["USVC"]
    with style():
        _, ax = plt.subplots(figsize=(7, 3.6))
        for name, errors in curves.items():
            ax.plot(sizes, errors, label=name, **MACHINE_STYLES[name])
        look = {"color": MACHINE_STYLES["SVC"]["color"], "linestyle": "--"}
        ax.axhline(level, label="SVC on its support vectors", **look)
        ax.set(xscale="log", xlabel="number of centres", ylabel="test error (%)")
        ax.set_title(
            f"{dataset}: on {sizes[0]} to {sizes[-1]} centres the USVC errs\n"
            f"on {min(of_usvc):.1f} to {max(of_usvc):.1f} %"
        )
        ax.set_ylim(0, 1.4 * max(level, *of_usvc, *curves["SVC on prototypes"]))
        ax.set_xticks(sizes, sizes)
        ax.minorticks_off()
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plt.show()


def plot_gaps_3(frame):
    """The USVC of Table 3 less the SVC, and less the hinge on prototypes, by set."""
    with style():
        _, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharex=True)
        for ax, other in zip(axes, ("SVMlight", "SVC on prototypes"), strict=True):
            names, gaps = differences(frame, "USVC", other)
            words = gap_in_words(frame, other) if len(frame) else "0"
            title = f"USVC errs {words}\nthan {other}, mean over the sets"
            label = "difference of CE (points)"
            plot_differences(ax, names, {"USVC": gaps}, xlabel=label, title=title)
            ax.get_legend().remove()
    plt.show()


def plot_sizes(sizes):
    """Sizes of the SVC over the printed ones, by our cross-validation and by the benchmark's C."""
    columns = {
        "ours": ("by our cross-validation", "o", MACHINE_STYLES["SVC"]["color"]),
        "benchmark's settings": ("benchmark's settings", "^", "#d95f02"),
    }
    with style():
        _, ax = plt.subplots(figsize=(7, 3.2))
        for k, (column, (label, marker, color)) in enumerate(columns.items()):
            places = np.arange(len(sizes)) + k / 5
            ax.plot(
                sizes[column] / sizes.printed, places, marker, color=color, label=label
            )
        ax.axvline(1, color="black", linewidth=0.8)
        near = table_3.near_the_print(sizes)
        ax.set(xscale="log", xlabel="number of support vectors over the printed one")
        ax.set_title(
            f"At the benchmark's settings {len(near)} of {len(sizes)} sizes\n"
            "are within two printed spreads"
        )
        ax.set_xticks([0.5, 1, 2], ["0.5", "1", "2"])
        ax.minorticks_off()
        ax.set_yticks(range(len(sizes)), sizes["data set"])
        ax.invert_yaxis()
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()


def plot_whole_patterns():
    """How many printed means and spreads of Table 4 are possible, by the number of tests."""
    cells = table_4.printed_texts()
    numbers = np.arange(2, 17)
    counts = np.array([whole_patterns.possible(cells, n, 1 / n) for n in numbers])
    best = counts[:, 1].argmax()
    with style():
        _, ax = plt.subplots(figsize=(7, 3))
        ax.bar(numbers, counts[:, 0], color="#cccccc", label="means")
        ax.bar(
            numbers,
            counts[:, 1],
            color=_PINK,
            width=0.5,
            label="means with their spreads",
        )
        ax.axhline(len(cells), color="black", linewidth=0.8)
        ax.set(xlabel="tests $N$, each of an $N$-th of all patterns", xticks=numbers)
        ax.set_ylabel(f"possible, of {len(cells)}")
        ax.set_title(
            f"With {numbers[best]} tests {counts[best, 1]} of {len(cells)} pairs of mean and"
            f" spread\nare possible, with 10 tests {counts[numbers == 10, 1].item()}"
        )
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()


def plot_along_C(machines, part, C_values, where):
    """Errors on the training part (dashed) and on the test part over C; the chosen C is dotted."""
    with style():
        _, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
        for ax, (name, machine) in zip(axes, machines.items(), strict=True):
            fits = [
                clone(machine).set_params(C=C).fit(part.X, part.y) for C in C_values
            ]
            train = [100 * (1 - fit.score(part.X, part.y)) for fit in fits]
            test = [100 * (1 - fit.score(part.X_test, part.y_test)) for fit in fits]
            color = MACHINE_STYLES[name]["color"]
            ax.plot(C_values, train, "--", color=color, label="training part")
            ax.plot(C_values, test, "-", color=color, label="test part")
            ax.axvline(machine.C, color="black", linewidth=0.8, linestyle=":")
            at = test[list(C_values).index(machine.C)]
            ax.set(xscale="log", xlabel=f"$C$ ({where})")
            ax.set_title(
                f"{name}: {at:.1f} % at the chosen $C$, {min(test):.1f} at the best"
            )
            ax.legend(fontsize="small")
        axes[0].set(ylabel="classification error (%)", ylim=(0, None))
    plt.show()


def plot_gaps_4(run):
    """The USVC of Table 4 less the SVC: training parts, and test parts with the printed gaps."""
    frame = run.records["table_4"]
    training = frame.assign(test_wrong=frame.train_wrong, n_test=frame.n_train)
    look = {"color": _PINK, "fmt": "*", "ms": 14, "mec": "white"}
    with style():
        _, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
        parts = {"training": training, "test": frame}
        for ax, (part, records) in zip(axes, parts.items(), strict=True):
            names, (means, errors) = differences(records, "USVC", "SVMlight")
            ax.errorbar(means, names, xerr=2 * errors, elinewidth=4, **look)
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set(
                xlabel="CE of USVC - CE of SVC (points)", ylim=(len(names) - 0.5, -0.5)
            )
            less, more = ((side * means > 2 * errors).sum() for side in (-1, 1))
            ax.set_title(
                f"{part} parts: USVC errs less on {less},\n"
                f"more on {more} of {len(names)} sets (thick bars)"
            )
        new = 2 * paired_table(frame)["SE, new samples"]
        axes[1].errorbar(means, names, xerr=new, fmt="none", color=_PINK, elinewidth=1)
        published = run.ledger.set_index(["row", "column"]).published
        printed = [
            published[name, "USVC"] - published[name, "SVMlight"] for name in names
        ]
        axes[1].plot(printed, names, "D", mfc="white", mec="black")
    plt.show()


def plot_closeness(frame):
    """Errors over the distance of a loss to the step, less the SVC's, means over the sets."""
    losses = {"SVMlight": Hinge(), "USVC": Unbiased(2.0)} | table_4.SIGMOIDS
    steep = over_sets(frame, *list(table_4.SIGMOIDS)[::-2]).mean
    parts = (("test", "test_wrong", None), ("training", "train_wrong", "white"))
    with style():
        _, ax = plt.subplots(figsize=(7, 3.6))
        for part, count, face in parts:
            ax.plot([], [], "ko", markerfacecolor=face, label=f"{part} parts")
            for name, loss in losses.items():
                kind, _, slope = name.partition(", ")
                gap = over_sets(frame, name, "SVMlight", count)
                at = (fig_1.distance_to_step(loss), gap.mean)
                color = MACHINE_STYLES[kind]["color"]
                look = {"fmt": "o", "color": color, "markerfacecolor": face}
                ax.errorbar(*at, 2 * gap.standard_error, **look)
                offset = (7, 4 if gap.mean >= 0 else -13)
                text = {
                    "textcoords": "offset points",
                    "fontsize": "small",
                    "color": color,
                }
                ax.annotate(slope or kind, at, offset, **text)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(xscale="log", xlim=(0.05, 1.2), ylabel="CE less that of SVMlight")
        ax.set_xlabel("mean distance of the loss to the step")
        ax.set_title(
            f"Slope {table_4.SLOPES[-1]:g} errs {abs(steep):.2f} points"
            f" {'more' if steep > 0 else 'less'} on the test parts than slope"
            f" {table_4.SLOPES[0]:g}"
        )
        ticks = [0.05, 0.1, 0.2, 0.5, 1]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.legend(loc="lower right", fontsize="small")
    plt.show()


# -- Sections 3.1 and 5 ---------------------------------------------------------------------

_CASES = (("A", "o-", "black"), ("B", "s--", "#777777"))


def plot_gains(run):
    """Gain of the unbiased machine over the number of patterns, and over the width of a kernel."""
    by_n = beyond.gains_by(run.records["benefit_size"], "n")
    by_width = beyond.gains_by(run.records["benefit_width"], "sigma")
    titles = ("linear machine", "RBF machine")
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
        for ax, gains, title in zip(axes, (by_n, by_width), titles, strict=True):
            for case, line, color in _CASES:
                rows = gains.loc[case]
                look = {
                    "fmt": line,
                    "color": color,
                    "capsize": 2,
                    "label": f"case {case}",
                }
                ax.errorbar(rows.index, rows.gain, 2 * rows.SE, **look)
            ax.axhline(0.0, color="black", linewidth=0.8)
            ax.set_xscale("log")
            ax.minorticks_off()
            ax.set_title(f"{title}: {range_text(gains.gain, '+.1f')} points")
        axes[0].set(
            xlabel="training patterns", ylabel="CE of SVC - CE of USVC (points)"
        )
        axes[1].set_xlabel(r"width $\sigma$")
        axes[0].legend(fontsize="small")
        fig.suptitle(
            f"At best a linear USVC gains {by_n.gain.max():.1f} points, one with an RBF kernel"
            f" {by_width.gain.max():.1f}",
            fontsize="medium",
        )
    plt.show()


def plot_noise(run):
    """The gain beside 20 inputs of noise, and mean slacks of linear machines less RBF ones."""
    gains = beyond.gains_by(run.records["benefit_noise"], "n")
    with style():
        _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
        at_most = []
        for case, line, color in _CASES:
            rows = gains.loc[case]
            look = {"fmt": line, "color": color, "capsize": 2, "label": f"case {case}"}
            left.errorbar(rows.index, rows.gain, 2 * rows.SE, **look)
            last = rows.iloc[-1]
            at_most.append(f"{last.gain:+.2f} (SE {last.SE:.2f}) in {case}")
        left.set(xlabel="training patterns", ylabel="CE of SVC - CE of USVC (points)")
        left.set_title(
            f"20 inputs of noise, n = {rows.index[-1]}: the gain is\n{', '.join(at_most)}"
        )
        excess = _draw_slacks(
            right, run.records["benefit_size"], run.records["benefit_width"]
        )
        right.set_title(
            "At $C = 10\\sigma^2$ mean slacks with an RBF kernel\n"
            f"exceed linear ones by {excess:.4f} at most"
        )
        for ax in (left, right):
            ax.axhline(0.0, color="black", linewidth=0.8)
            ax.set_xscale("log")
            ax.minorticks_off()
            ax.legend(fontsize="small")
        left.set_xticks(rows.index, [f"{n}" for n in rows.index])
    plt.show()


def _draw_slacks(ax, sizes, widths):
    """Mean slack of the linear machine less the RBF one's; the largest excess at C = 10 sigma^2."""
    most = 0.0
    for case, line, color in _CASES:
        linear = select(
            cases.by_case(sizes), case=case, n=cases.N_PATTERNS
        ).mean_slack.mean()
        bent = select(cases.by_case(widths), case=case).groupby("sigma")
        for column, look, words in (
            ("mean_slack", line, "C = 10"),
            ("mean_slack_scaled", ":", r"$10\sigma^2$"),
        ):
            gap = linear - bent[column].mean()
            ax.plot(gap, look, color=color, label=f"{words}, case {case}")
        most = max(most, -gap.min())
    ax.set(xlabel=r"width $\sigma$", ylabel="mean slack: linear - RBF")
    ax.set_yscale("symlog", linthresh=1e-3)
    ax.set_ylim(top=3)
    return most


def show_costs(reading, machines, miss_cost):
    """The cost of every threshold of a case, and where machines put theirs.

    `machines` are (name, whether the costs are in its loss, the fitted machine).
    """
    case, weight = READINGS[reading]
    parts = get_threshold_case(case, weight)
    grid = np.linspace(-0.2, 1, 601)
    q = parts.cluster_weight

    def cost(t):
        missed = (1 - q) * parts.wide.cdf(t) + q * parts.cluster.cdf(t)
        return miss_cost * parts.prior * missed + (1 - parts.prior) * parts.negative.sf(
            t
        )

    paid = {}
    with style():
        _, ax = plt.subplots(figsize=(8, 3.6))
        ax.plot(grid, cost(grid), color="black", label="cost of a threshold")
        for name, knows, machine in machines:
            says = machine.decision_function(grid[:, np.newaxis]) > 0
            at = grid[np.argmax(says)] if says.any() else grid[-1]
            paid[name, knows] = cost(at)
            words = "costs in the loss" if knows else "equal costs"
            look = MACHINE_STYLES[name] | {"linestyle": "", "markersize": 9}
            look |= {"fillstyle": "full" if knows else "none"}
            look |= {"markersize": 14} if name == "USVC" else {}
            ax.plot(at, cost(at), label=f"{name}, {words}: {cost(at):.3f}", **look)
        ax.set_xlabel(f"threshold (a miss costs {miss_cost:g}, a false alarm 1)")
        ax.set_ylabel("cost of a pattern")
        ax.set_title(
            f"With the costs in its loss a USVC pays {paid['USVC', True]:.3f} a pattern,\nwithout"
            f" them {paid['USVC', False]:.3f}; an SVC {paid['SVC', True]:.3f} and"
            f" {paid['SVC', False]:.3f}"
        )
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
