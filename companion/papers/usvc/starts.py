"""What Table 1 hangs on: where the iteration starts, how it is weighted and when it stops.

The studies are those of ``table_1``; of its printed cells nothing is judged here.
"""

import numpy as np

from companion.metrics import mean_and_standard_error
from companion.papers.summaries import row_a_group, select, with_error
from companion.papers.usvc import cases, table_1
from companion.papers.usvc.cases import (
    PLAUSIBLE,
    PRINTED_AND_READ,
    PRINTED_START,
    TABLE_READINGS,
)
from companion.papers.usvc.fig_1 import minima

STUDIES = (
    table_1.TABLE_1,
    table_1.TABLE_1_PLAIN,
    table_1.TABLE_1_ORDER,
    table_1.TABLE_1_QP,
    table_1.TABLE_1_HARDER,
)
#: The relative change at which an iteration is read to stop, as the columns name it.
STOP = "0.01"


def _add_solved(out, plain):
    """Whether the unbiased machine takes about as many weighted problems as the SVC."""
    plain = select(plain, start=PRINTED_START)
    plain = plain[plain.reading.isin(TABLE_READINGS.values())]
    plain = plain.set_index(["reading", "trial"]).sort_index()
    svc, usvc = (select(plain, machine=machine) for machine in ("SVC", "USVC s=2"))
    converged = svc.converged.all() and usvc.converged.all()
    column = "|problems solved by USVC s=2 - those of WLS-SVC| - a quarter of those"
    for solved, known, reading in (
        ("n_iter", converged, ""),
        (f"solved_{STOP}", True, "stop-at-one-per-cent"),
    ):
        more = (usvc[solved] - svc[solved]).abs() - svc[solved] / 4
        out.add_mean("both cases", column, more, known, reading=reading)


def _add_qp(out, frame):
    """How far the weighted problems end from the quadratic program."""
    frame = frame[frame.threshold.between(*PLAUSIBLE)]
    column = "largest relative difference of WLS-SVC and QP-SVC (w, b)"
    out.add("both cases", column, frame.with_2.max())
    out.add("both cases", column, frame.without_2.max(), reading="no-2-in-22")


def _add_harder(out, frame):
    """The excess over the least error in case A at the printed cost and beyond."""
    (_, _, least) = minima(TABLE_READINGS["A"])[0]
    for (C, s), trials in frame[frame.C > cases.C].groupby(["C", "s"]):
        column = f"CE - CE_min of USVC s={s:g}, C = {C:g} (points)"
        excess = 100 * trials.error - least
        out.add_mean("Case A", column, excess, trials.converged.all())


def _add_order(out, orders, trials):
    """How far the order moves the error, beside a tenth of what the loss itself does."""
    column = (
        "largest |CE(s) - CE(2)| - a tenth of CE(SVC) - CE(2) (points), s = 3 to 10"
    )
    for case, distribution, start, reading in PRINTED_AND_READ:
        rows = select(orders, reading=distribution, start=start)
        error = 100 * rows.pivot(index="trial", columns="s", values="error")
        svc = select(trials, reading=distribution, machine="SVC").set_index("trial")
        moved = error.loc[:, 3.0:].sub(error[2.0], axis=0)
        farthest = moved.mean().abs().idxmax()
        largest = np.sign(moved[farthest].mean()) * moved[farthest]
        beyond = largest - 0.1 * (100.0 * svc.error - error[2.0])
        converged = rows.converged.all()
        out.add_mean(f"Case {case}", column, beyond, converged, reading=reading)


VALUES = (
    (_add_solved, "table_1_plain"),
    (_add_qp, "table_1_qp"),
    (_add_harder, "table_1_harder"),
    (_add_order, "table_1_order", "table_1"),
)


def start_table(records, reading):
    """Table 1 under every start and way to iterate, with the trials in the other minimum."""
    frame = select(table_1.all_runs(records), reading=reading)
    frame = frame.sort_values(
        ["machine", "start", "way"], ascending=[True, True, False]
    )
    starts = {"": "", "least_squares": "least squares", "svc": "SVC"}
    dampings = {"plain": "0.2", "stable": "stable", "exact": ""}
    frame["start"] = frame.start.fillna("").map(starts)
    frame["damping"] = frame.way.map(dampings)
    return row_a_group(frame, ["machine", "start", "damping"], _start_row)


def _start_row(trials):
    placed = trials.Th.dropna()
    machine = trials.machine.iloc[0]
    return {
        "CE train": trials["CE train (%)"].mean(),
        "CE test": trials["CE test (%)"].mean(),
        **with_error("CE exact", mean_and_standard_error(trials.error)),
        "Th": placed.mean(),
        "SD of Th": placed.std(ddof=1),
        "trials in the narrow minimum": (placed < cases.NARROW).sum()
        if machine.startswith("USVC")  # the others are convex
        else None,
        "not converged": (~trials.converged).sum(),
        "without threshold": trials.Th.isna().sum(),
    }
