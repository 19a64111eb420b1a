"""From records to the numbers that stand in the paper, and to the claims of its text."""

from __future__ import annotations

import numpy as np

from companion.datasets import get_threshold_case
from companion.metrics import Mean, mean_and_standard_error, paired_difference
from companion.papers.summaries import Values, present
from companion.papers.usvc import linear
from companion.papers.usvc.fig_1 import minima
from companion.papers.usvc.fig_3_4 import THRESHOLDS, theoretical_error
from companion.papers.usvc.machines import DAMPING, N_PATTERNS, READINGS, STARTS, TABLE_READINGS, C
from companion.papers.usvc.splits import BENCHMARK_SETS, FOLDS, MEDICAL_SETS, TEST_SHARE
from companion.papers.usvc.table_1 import ORDERS_COMPARED

#: Thresholds outside belong to machines of nearly no slope, which say the same of all patterns.
PLAUSIBLE = (-0.5, 1.5)

# -- Figures 1 and 2 ------------------------------------------------------------------------


def fig_1_values(records):
    """Distances to the step, the distributions, and the minima of the error."""
    out, losses, cases = Values(), records["fig_1_losses"], records["fig_1_cases"]
    _distributions(out)
    if not losses.empty:
        distance = losses.set_index("s").distance_to_step
        out.add("Figure 1", "distance to the step: s = 10 - s = 2", distance[10.0] - distance[2.0])
        out.add(
            "Figure 1",
            "distance to the step: USVC s = 2 - SVC",
            distance[2.0] - losses.hinge_distance_to_step.iloc[0],
        )
    if not cases.empty:
        cases = cases.set_index("reading")
        _minima(out, cases.loc["A, weights exchanged"], cases.loc["B"])
    return out.frame()


def _minima(out, a, b):
    out.add("Figure 2, case A", "CE_min (%)", a.global_error)
    out.add("Figure 2, case A", "global minimum at", a.global_from)
    out.add("Figure 2, case A", "local minimum around", a.local_from)
    out.add("Figure 2, case B", "CE_min (%)", b.global_error)
    out.add("Figure 2, case B", "global minimum at", b.global_from)
    out.add("Figure 2, case B", "CE of the wide minimum (%)", b.local_error)
    out.add("Figure 2, case B", "wide minimum around", (b.local_from + b.local_to) / 2)


def _distributions(out):
    for row, case in (("(28), case A", "A"), ("(29), case B", "B")):
        parts = get_threshold_case(case)
        wide, cluster = 1 - parts.cluster_weight, parts.cluster_weight
        if case == "A":
            out.add(row, "weight of N(.75, .15)", wide)
            out.add(row, "mean of the wide part", parts.wide.mean())
            out.add(row, "deviation of the wide part", parts.wide.std())
            out.add(row, "weight of N(.2, .02)", cluster)
        else:
            out.add(row, "weight of U(.7, .95)", wide)
            out.add(row, "wide part from", parts.wide.ppf(0))
            out.add(row, "wide part to", parts.wide.ppf(1))
            out.add(row, "weight of N(.25, .02)", cluster)
        out.add(row, "mean of the cluster", parts.cluster.mean())
        out.add(row, "deviation of the cluster", parts.cluster.std())
        out.add(row, "P(y = 1)", parts.prior)
        out.add(row, "P(y = -1)", 1 - parts.prior)
        out.add(row, "class -1 from", parts.negative.ppf(0))
        out.add(row, "class -1 to", parts.negative.ppf(1))


# -- Table 1 --------------------------------------------------------------------------------


def trials(frame, reading, machine, start=None, way="stable"):
    """Rows of one machine in the order of the trials, with errors in per cent.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``table_1``.
    reading : str
        A key of ``READINGS``.
    machine : str
        A column of Table 1.
    start : {"least_squares", "svc"}, optional
        Of the unbiased machine; by default the one that ``STARTS`` names.
    way : {"stable", "plain"}, default="stable"

    Returns
    -------
    DataFrame
    """
    rows = frame[(frame.reading == reading) & (frame.machine == machine)]
    if machine.startswith("USVC"):
        start = STARTS[READINGS[reading][0]] if start is None else start
        rows = rows[(rows.start == start) & (rows.way == way)]
    rows = rows.sort_values("trial")
    return rows.assign(
        train=100.0 * rows.train_wrong / N_PATTERNS,
        test=100.0 * rows.test_wrong / N_PATTERNS,
        error=100.0 * rows.error,
    )


def with_threshold(rows):
    """The trials whose machine has a threshold: rarely the SVC puts all patterns in one class.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
    """
    return rows[rows.threshold.between(*PLAUSIBLE)]


def table_1_values(records):
    """The 54 printed numbers of Table 1, its protocol, and what the text says of it."""
    out, frame, orders = Values(), records["table_1"], records["table_1_order"]
    for name, value in (
        ("C", C),
        ("damping", DAMPING),
        ("training patterns", N_PATTERNS),
        ("testing patterns", N_PATTERNS),
    ):
        out.add("protocol", name, value)
    if frame.empty or orders.empty:
        return out.frame()
    out.add("protocol", "trials", frame.trial.nunique())
    for case, reading in TABLE_READINGS.items():
        place, _, error = minima(reading)[0]
        for quantity in ("CE train (%)", "CE test (%)"):
            out.add(f"Case {case}, {quantity}", "Optimal", error)
        out.add(f"Case {case}, Th", "Optimal", place)
        for machine in ("LS", "SVC", "USVC s=2", "USVC s=4"):
            rows = trials(frame, reading, machine)
            converged = rows.converged.all()
            out.add_cell(f"Case {case}, CE train (%)", machine, rows.train, converged)
            out.add_cell(f"Case {case}, CE test (%)", machine, rows.test, converged)
            out.add_cell(f"Case {case}, Th", machine, with_threshold(rows).threshold, converged)
        _table_1_claims(out, frame, orders, case, reading)
    return out.frame()


def _table_1_claims(out, frame, orders, case, reading):
    svc = trials(frame, reading, "SVC")
    for s in (2, 4):
        unbiased = trials(frame, reading, f"USVC s={s}")
        out.add_mean(
            f"Case {case}",
            f"CE SVC - USVC s={s} (points)",
            paired_difference(svc.error, unbiased.error),
            unbiased.converged.all(),
        )
        if case == "A":
            mean = mean_and_standard_error(unbiased.threshold)
            out.add_mean(
                "Case A",
                f"|mean Th - 0.5|, USVC s={s}",
                mean._replace(mean=abs(mean.mean - 0.5)),
                unbiased.converged.all(),
            )
    own = orders[orders.reading == reading]
    at = {s: own[own.s == s].sort_values("trial").error for s in ORDERS_COMPARED}
    differences = [paired_difference(100 * at[s], 100 * at[2.0]) for s in ORDERS_COMPARED if s > 2]
    worst = max(differences, key=lambda mean: abs(mean.mean))
    out.add_mean(
        f"Case {case}",
        "largest |CE(s) - CE(2)| (points), s = 3 to 10",
        worst._replace(mean=abs(worst.mean)),
        own.converged.all(),
    )


# -- Figures 3 and 4 ------------------------------------------------------------------------


def fig_3_4_values(records):
    """The printed trial among all trials, and the claims of convergence."""
    out, frame, runs = Values(), records["fig_3_4"], records["fig_3_4_convergence"]
    error = theoretical_error("B", THRESHOLDS)
    out.add("Figure 4, theoretical CE", "global minimum at Th", THRESHOLDS[error.argmin()])
    if not frame.empty:
        _profiles(out, frame)
    if not runs.empty:
        _convergence(out, runs)
    return out.frame()


def _profiles(out, frame):
    converged = frame.converged.all()

    def of(case, loss):
        rows = frame[
            (frame.reading == TABLE_READINGS[case])
            & (frame.loss == loss)
            & frame.reached_at.between(*PLAUSIBLE)
        ]
        return rows.sort_values("trial")

    def both(case, column):
        rows = frame[frame.reading == TABLE_READINGS[case]].pivot(
            index="trial", columns="loss", values=column
        )
        return paired_difference(rows["USVC s=2"], rows["SVC"])

    unbiased = of("A", "USVC s=2")
    out.add_draws("Figure 3, SVC", "minimum at Th", of("A", "SVC").reached_at, converged)
    out.add_draws(
        "Figure 3, USVC s=2", "global minimum of the surface at Th", unbiased.profile_at, converged
    )
    narrow = unbiased.dropna(subset="narrow_at")
    out.add_draws("Figure 3, USVC s=2", "local minimum at Th", narrow.narrow_at, converged)
    out.add_draws("Figure 3, USVC s=2", "local minimum at w", narrow.narrow_slope, converged)
    out.add_draws(
        "Figure 4, USVC s=2",
        "global minimum of the surface at Th",
        of("B", "USVC s=2").profile_at,
        converged,
    )
    out.add_draws(
        "Figure 4, USVC s=2", "USVC converges to Th", of("B", "USVC s=2").reached_at, converged
    )
    out.add(
        "Figure 3, SVC", "largest number of minima of the profile", of("A", "SVC").n_minima.max()
    )
    out.add_mean(
        "Figure 3, USVC s=2",
        "share of trials with more than one minimum",
        mean_and_standard_error(unbiased.n_minima > 1),
    )
    for figure, case, best in (("Figure 3", "A", 0.5), ("Figure 4", "B", 0.6)):
        svc = of(case, "SVC")
        out.add_mean(
            f"{figure}, SVC",
            f"Th - {best:g}",
            mean_and_standard_error(svc.reached_at - best),
            converged,
        )
        out.add_mean(
            figure, "correlation of profile and CE: USVC s=2 - SVC", both(case, "correlation")
        )


def _convergence(out, runs):
    for case, reading in TABLE_READINGS.items():
        row = f"convergence, case {case}"
        own = runs[runs.reading == reading]
        for s, damping in ((2, DAMPING), (3, DAMPING), (4, DAMPING), (4, 0.5)):
            at = own[(own.s == s) & np.isclose(own.damping, damping)]
            out.add_mean(
                row,
                f"share of trials that do not converge, s={s}, d={damping:g}",
                mean_and_standard_error(~at.fit_ended.astype(bool)),
            )
            if s == 2:
                out.add(
                    row,
                    "largest relative rise of (5) in an iteration, s=2, d=0.2",
                    at.largest_rise.max(),
                )


# -- Tables 2, 3 and 4 ----------------------------------------------------------------------


def errors_of(frame, dataset, machine):
    """Rows of a data set and machine in the order of the splits, with the error in per cent.

    Parameters
    ----------
    frame : DataFrame
    dataset : str
    machine : str

    Returns
    -------
    DataFrame
    """
    rows = frame[(frame.dataset == dataset) & (frame.machine == machine)].sort_values("split")
    return rows.assign(error=100.0 * rows.test_wrong / rows.n_test)


def table_2_values(records):
    """The 36 printed numbers of Table 2 and the claims about linear machines."""
    out, frame = Values(), records["table_2"]
    names = present(frame, BENCHMARK_SETS)
    for name in names:
        for machine in linear.MACHINES:
            rows = errors_of(frame, name, machine)
            out.add_cell(name, machine, rows.error, rows.converged.all())
        _never_worse(out, frame, name, "USVC - SVMlight (points)")
    for machine in ("SVMlight", "USVC"):
        if set(names) == set(BENCHMARK_SETS):
            out.add_mean(
                "all sets", f"LS - {machine} (points)", over_sets(frame, names, "LS", machine)
            )
    _protocol(out, frame)
    return out.frame()


def _never_worse(out, frame, name, column):
    unbiased, svc = errors_of(frame, name, "USVC"), errors_of(frame, name, "SVMlight")
    out.add_mean(
        name,
        column,
        paired_difference(unbiased.error, svc.error),
        unbiased.converged.all() and svc.converged.all(),
    )


def over_sets(frame, names, first, second):
    """Mean over the sets of the difference of two machines; sets are independent.

    Parameters
    ----------
    frame : DataFrame
    names : sequence of str
    first, second : str
        Machines.

    Returns
    -------
    companion.metrics.Mean
    """
    means = [
        paired_difference(errors_of(frame, name, first).error, errors_of(frame, name, second).error)
        for name in names
    ]
    variance = sum(mean.standard_error**2 for mean in means)
    return Mean(
        float(np.mean([mean.mean for mean in means])),
        float(np.sqrt(variance)) / len(means),
        min(mean.n for mean in means),
    )


def _protocol(out, frame):
    if not frame.empty:
        out.add("protocol", "splits", frame.groupby("dataset").split.nunique().min())
        out.add("protocol", "test share (%)", 100 * TEST_SHARE)
        out.add("protocol", "folds", FOLDS)


def table_3_values(records):
    """The printed errors and sizes of Table 3, and the claims about them."""
    out, frame = Values(), records["table_3"]
    names = present(frame, BENCHMARK_SETS)
    ratios = {}
    for name in names:
        sizes = {}
        for machine, printed in (
            ("SVMlight", "SVMlight"),
            ("AdaBoost", "Adaboost"),
            ("USVC", "USVC"),
        ):
            rows = errors_of(frame, name, machine)
            converged = rows.converged.all()
            out.add_cell(name, f"{printed} CE (%)", rows.error, converged)
            out.add_cell(name, f"{printed} Mach. size", rows["size"], converged)
            sizes[machine] = rows["size"].to_numpy(dtype=float)
        _never_worse(out, frame, name, "USVC - SVMlight CE (points)")
        ratios[name] = mean_and_standard_error(sizes["SVMlight"] / sizes["USVC"])
        out.add_mean(name, "SVMlight size / USVC size", ratios[name])
        ratios[name, "AdaBoost"] = mean_and_standard_error(sizes["AdaBoost"] / sizes["USVC"])
    if set(names) == set(BENCHMARK_SETS):
        out.add_mean(
            "all sets", "Adaboost - USVC CE (points)", over_sets(frame, names, "AdaBoost", "USVC")
        )
        out.add_mean(
            "all sets",
            "largest ratio of a mean size to that of USVC",
            max(ratios.values(), key=lambda mean: mean.mean),
        )
        out.add_mean(
            "all sets",
            "largest SVMlight size / USVC size",
            max((ratios[name] for name in names), key=lambda mean: mean.mean),
        )
    _protocol(out, frame)
    return out.frame()


def table_4_values(records):
    """The printed numbers of Table 4 but ERM-SVC's, and the claims about small sets."""
    out, frame = Values(), records["table_4"]
    names, best = present(frame, MEDICAL_SETS), []
    for name in names:
        means = {}
        for machine in linear.MACHINES:
            rows = errors_of(frame, name, machine)
            out.add_cell(name, machine, rows.error, rows.converged.all())
            means[machine] = rows.error.mean()
        best.append(means["USVC"] <= min(means.values()) + 1e-9)
        _never_worse(out, frame, name, "USVC - SVMlight (points)")
    if set(names) == set(MEDICAL_SETS):
        out.add("all sets", "share of sets where USVC is equal or best", np.mean(best))
    if "Dermat" in names:
        rows = errors_of(frame, "Dermat", "USVC")
        out.add("Dermat", "share of splits whose training part is separable", rows.separable.mean())
        for machine, label in (("LS", "LS and SVC"), ("USVC", "USVC and SVC")):
            out.add_mean(
                "Dermat",
                f"1 - cosine of {label} directions",
                mean_and_standard_error(rows[f"one_minus_cosine_{machine}"]),
                rows.converged.all(),
            )
    _protocol(out, frame)
    return out.frame()
