"""What Table 1 hangs on: where the iteration starts, how it is weighted and when it stops.

The studies are those of ``table_1``; of its printed cells nothing is judged here.
"""

from itertools import product

import numpy as np

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import Values, row_a_group, select, with_error
from companion.papers.usvc import cases, table_1
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


def values(records):
    """How many problems are solved, what they solve, and what order and cost of the loss change."""
    out = Values()
    if any(records[study.name].empty for study in STUDIES):
        return out.frame()
    frame = table_1.all_runs(records)
    _add_solved(out, frame)
    _add_qp(out, records["table_1_qp"])
    _add_harder(out, records["table_1_harder"])
    for case, printed in cases.PRINTED_READINGS.items():
        for reading, start, read in (
            (printed, cases.PRINTED_START, ""),
            (cases.TABLE_READINGS[case], cases.STARTS[case], cases.READING_IDS[case]),
        ):
            own = select(records["table_1_order"], reading=reading, start=start)
            svc = select(frame, reading=reading, machine="SVC", way="exact")
            found = Values()
            by_trial = own.set_index("trial").sort_index()
            errors = svc.set_index("trial").sort_index().error
            _add_order(found, f"Case {case}", by_trial, errors)
            out.extend(found, read)
    return out.frame()


def _add_solved(out, frame):
    """Whether the unbiased machine takes about as many weighted problems as the SVC."""
    plain = select(frame, start=cases.PRINTED_START, way="plain")
    plain = plain.set_index(["reading", "trial"])
    plain = plain[plain.index.isin(cases.TABLE_READINGS.values(), level=0)].sort_index()
    svc, usvc = (select(plain, machine=machine) for machine in ("SVC", "USVC s=2"))
    converged = svc.converged.all() and usvc.converged.all()
    place = (
        "both cases",
        "|problems solved by USVC s=2 - those of WLS-SVC| - a quarter of those",
    )
    for column, reading in (("n_iter", ""), (f"solved_{STOP}", "stop-at-one-per-cent")):
        more = (usvc[column] - svc[column]).abs()
        mean = paired_difference(more, svc[column] / 4)
        out.add_mean(*place, mean, converged or bool(reading), reading=reading)


def _add_qp(out, frame):
    """How far the weighted problems end from the quadratic program."""
    frame = frame[frame.threshold.between(*cases.PLAUSIBLE)]
    place = "both cases", "largest relative difference of WLS-SVC and QP-SVC (w, b)"
    out.add(*place, frame.with_2.max())
    out.add_read(*place, frame.without_2.max(), "no-2-in-22")


def _add_harder(out, frame):
    """The excess over the least error in case A at the printed cost and beyond."""
    (_, _, least) = minima(cases.TABLE_READINGS["A"])[0]
    for C, s in product(table_1.COSTS[1:], (2.0, 10.0)):
        own = select(frame, C=C, s=s)
        excess = mean_and_standard_error(100 * own.error - least)
        column = f"CE - CE_min of USVC s={s:g}, C = {C:g} (points)"
        out.add_mean("Case A", column, excess, own.converged.all())


def _add_order(out, row, orders, svc):
    """How far the order moves the error, beside a tenth of what the loss itself does."""
    at = {s: 100 * own.error for s, own in orders.groupby("s")}
    moved = [at[s] - at[2.0] for s in table_1.ORDERS_COMPARED if s > 2]
    moved = max((np.sign(by.mean()) * by for by in moved), key=np.mean)
    column = (
        "largest |CE(s) - CE(2)| - a tenth of CE(SVC) - CE(2) (points), s = 3 to 10"
    )
    beyond = mean_and_standard_error(moved - 0.1 * (svc - at[2.0]))
    out.add_mean(row, column, beyond, orders.converged.all())


def start_table(records, reading):
    """Table 1 under every start and way to iterate, with the trials in the other minimum."""
    frame = select(table_1.all_runs(records), reading=reading)
    frame = frame.sort_values(
        ["machine", "start", "way"], ascending=[True, True, False]
    )
    frame["start"] = frame.start.map(
        {"least_squares": "least squares", "svc": "SVC"}
    ).fillna("")
    frame["damping"] = frame.way.map({"plain": "0.2", "stable": "stable", "exact": ""})
    return row_a_group(frame, ["machine", "start", "damping"], _start_row)


def _start_row(own):
    placed = own.Th.dropna()
    machine = own.machine.iloc[0]
    return {
        "CE train": own["CE train (%)"].mean(),
        "CE test": own["CE test (%)"].mean(),
        **with_error("CE exact", mean_and_standard_error(own.error)),
        "Th": placed.mean(),
        "SD of Th": placed.std(ddof=1),
        "trials in the narrow minimum": (placed < cases.NARROW).sum()
        if machine.startswith("USVC")  # the others are convex
        else None,
        "not converged": (~own.converged).sum(),
        "without threshold": own.Th.isna().sum(),
    }
