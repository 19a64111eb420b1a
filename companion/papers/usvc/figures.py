"""The figures of the notebooks that take more than a few lines: records in, a figure out."""

import matplotlib.pyplot as plt
import numpy as np

from companion.datasets import threshold_case_densities
from companion.losses import Hinge, Unbiased
from companion.papers.usvc import fig_1, starts, table_1
from companion.papers.usvc.cases import (
    READINGS,
    STARTS,
    TABLE_READINGS,
    K,
    sample,
    theoretical_error,
)
from companion.papers.usvc.cases import fit as wls
from companion.plotting import MACHINE_STYLES, plot_published, style
from companion.reproduction.scores import as_read
from companion.reproduction.verdicts import CONSISTENT
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
        values = as_read(means[means.asks == "value"])
        matched = values.outcome.isin(CONSISTENT).groupby(values["column"].str[5])
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
