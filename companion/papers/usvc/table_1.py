"""Table 1: the linear machine on cases A and B, the plain iteration, and the order of the loss.

A trial draws 500 training and 500 test patterns, labels independent, and trains least squares, the
SVC and the unbiased machine. What the print leaves open is computed both ways: the start, and, in a
study of its own, the plain iteration with d = 0.2 beside the stably damped one.
"""

from companion.losses import Unbiased
from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import Values, row_a_group, select, with_error
from companion.papers.usvc.fig_1 import minima
from companion.papers.usvc.machines import (
    DAMPING,
    N_PATTERNS,
    NARROW,
    PLAUSIBLE,
    READINGS,
    STARTS,
    TABLE_READINGS,
    C,
    K,
    by_case,
    fit,
    linear_error,
    sample,
    study_of,
)
from companion.papers.usvc.splits import wrong
from companion.solvers.wls import Design, least_squares_path

ORDERS = (2.0, 4.0)

#: Orders of the study of the order: its claim is insensitivity "as long as it is large enough".
ORDERS_COMPARED = (1.5, 2.0, 3.0, 4.0, 6.0, 10.0)

_ORDER_COLUMNS = ("error", "threshold", "n_iter", "converged")

#: The readings that are tried: all but the printed one.
_TRIED = tuple(reading for reading in READINGS if reading != "A, as printed")


def fit_unbiased(design, y, s, start, *, plain=False):
    """The unbiased machine of order s: accelerated and stably damped, or the paper's iteration."""
    options = {"damping": DAMPING, "accelerate": False} if plain else {}
    return fit(design, y, C, loss=Unbiased(s, K), start=start, max_iter=500, **options)


def compute_trial(unit):
    """Error and threshold of each machine: a row a machine and start."""
    trial = _Trial(unit)
    (least,) = least_squares_path(trial.design, trial.train[1], [C])
    rows = [
        {"machine": "LS", "start": "", "way": "exact", **trial.row(*least)},
        {"machine": "SVC", "start": "", "way": "exact", **trial.row_of(trial.svc)},
    ]
    return rows + [row for s in ORDERS for row in trial.unbiased(s, "stable")]


def compute_plain(unit):
    """The same for the plain iteration with s = 4, which need not settle: a row a start."""
    return _Trial(unit).unbiased(4.0, "plain")


class _Trial:
    """The patterns of a trial, and the rows of the machines that it trains."""

    def __init__(self, unit):
        self.reading, number = unit.params["reading"], unit.params["trial"]
        self.train, self.test = (sample(self.reading, part, number) for part in ("train", "test"))
        self.design = Design.linear(self.train[0])
        self.svc = fit(self.design, self.train[1], C)

    def unbiased(self, s, way):
        """The rows of the unbiased machines from either start."""
        rows = []
        for start, point in (("least_squares", "least_squares"), ("svc", self.svc)):
            found = fit_unbiased(self.design, self.train[1], s, point, plain=way == "plain")
            name = {"machine": f"USVC s={s:g}", "start": start, "way": way}
            rows.append(name | self.row_of(found))
        return rows

    def row_of(self, found):
        return self.row(found.coef[0], found.intercept, found.n_iter, found.converged)

    def row(self, w, b, n_iter=0, converged=True):
        return {
            "train_wrong": wrong(w * self.train[0][:, 0] + b, self.train[1]),
            "test_wrong": wrong(w * self.test[0][:, 0] + b, self.test[1]),
            "error": round(linear_error(self.reading, w, b), 6),
            "threshold": round(-b / w, 6),
            "w": round(float(w), 5),
            "n_iter": n_iter,
            "converged": converged,
        }


def compute_orders(unit):
    """Closed-form error of the unbiased machine for each order: a row an order."""
    trial, rows = _Trial(unit), []
    start = STARTS[READINGS[trial.reading][0]]
    start = trial.svc if start == "svc" else start
    for s in ORDERS_COMPARED:
        row = trial.row_of(fit_unbiased(trial.design, trial.train[1], s, start))
        rows.append({"s": s} | {name: row[name] for name in _ORDER_COLUMNS})
    return rows


TABLE_1 = study_of("table_1", compute_trial, "trial", reading=_TRIED)
TABLE_1_PLAIN = study_of("table_1_plain", compute_plain, "trial", reading=_TRIED)
TABLE_1_ORDER = study_of("table_1_order", compute_orders, "trial")
STUDIES = (TABLE_1, TABLE_1_PLAIN, TABLE_1_ORDER)


def values(records):
    """The 54 printed numbers of Table 1, its protocol, and what the text says of it."""
    out, frame, orders = Values(), records["table_1"], records["table_1_order"]
    patterns = dict.fromkeys(("training patterns", "testing patterns"), N_PATTERNS)
    out.add_all("protocol", {"C": C, "damping": DAMPING, **patterns})
    if frame.empty or orders.empty:
        return out.frame()
    out.add("protocol", "trials", frame.trial.nunique())
    for case, reading in TABLE_READINGS.items():
        own = _in_per_cent(select(frame, reading=reading))
        own = own[own.start.isin(("", STARTS[case]))]
        machines = dict(iter(own.groupby("machine")))
        place, _, error = minima(reading)[0]
        for column, best in (("CE train (%)", error), ("CE test (%)", error), ("Th", place)):
            row = f"Case {case}, {column}"
            out.add(row, "Optimal", best)
            for name, trials in machines.items():
                out.add_cell(row, name, trials[column].dropna(), trials.converged.all())
        _add_claims(out, case, machines, select(orders, reading=reading))
    return out.frame()


def _in_per_cent(frame):
    """With errors in per cent, and Th for the machines that have one: rarely the SVC has none."""
    placed = frame.threshold.between(*PLAUSIBLE)
    frame = frame.assign(error=100.0 * frame.error, Th=frame.threshold.where(placed))
    for part in ("train", "test"):
        frame[f"CE {part} (%)"] = 100.0 * frame[f"{part}_wrong"] / N_PATTERNS
    return frame


def _add_claims(out, case, machines, orders):
    row = f"Case {case}"
    for s in (2, 4):
        unbiased = machines[f"USVC s={s}"]
        gain = paired_difference(machines["SVC"].error, unbiased.error)
        out.add_mean(row, f"CE SVC - USVC s={s} (points)", gain, unbiased.converged.all())
        if case == "A":
            mean = mean_and_standard_error(unbiased.threshold)
            distance = mean._replace(mean=abs(mean.mean - 0.5))
            out.add_mean(row, f"|mean Th - 0.5|, USVC s={s}", distance, unbiased.converged.all())
    at = {s: 100 * select(orders, s=s).error for s in ORDERS_COMPARED}
    differences = [paired_difference(at[s], at[2.0]) for s in ORDERS_COMPARED if s > 2]
    worst = max(differences, key=lambda mean: abs(mean.mean))
    worst = worst._replace(mean=abs(worst.mean))
    column = "largest |CE(s) - CE(2)| (points), s = 3 to 10"
    out.add_mean(row, column, worst, orders.converged.all())


def start_table(records, reading):
    """Table 1 under every start and way to iterate, with the trials in the other minimum."""
    import pandas as pd

    frame = pd.concat([records["table_1"], records["table_1_plain"]])
    frame = _in_per_cent(select(frame, reading=reading))
    frame = frame.sort_values(["machine", "start", "way"], ascending=[True, True, False])
    frame["start"] = frame.start.map({"least_squares": "least squares", "svc": "SVC"}).fillna("")
    frame["damping"] = frame.way.map({"plain": "0.2", "stable": "stable", "exact": ""})
    return row_a_group(frame, ["machine", "start", "damping"], _start_row)


def _start_row(own):
    placed = own.Th.dropna()
    return {
        "CE train": own["CE train (%)"].mean(),
        "CE test": own["CE test (%)"].mean(),
        **with_error("CE exact", mean_and_standard_error(own.error)),
        "Th": placed.mean(),
        "SD of Th": placed.std(ddof=1),
        "trials in the narrow minimum": (placed < NARROW).sum() if own.start.iloc[0] else None,
        "not converged": (~own.converged).sum(),
        "without threshold": own.Th.isna().sum(),
    }


def order_table(orders):
    """Exact error of the unbiased machine by case and order, and its paired distance to s = 2."""
    trials = ["reading", "trial"]
    at_two = select(orders, s=2.0).set_index(trials).error
    orders = by_case(orders.join(at_two.rename("at_two"), on=trials))
    return row_a_group(orders, ["case", "s"], _order_row)


def _order_row(own):
    difference = paired_difference(100 * own.error, 100 * own.at_two)
    return {
        "CE exact": 100 * own.error.mean(),
        **with_error("minus s = 2", difference),
        "Th": own.threshold[own.threshold.between(*PLAUSIBLE)].mean(),
        "problems solved": own.n_iter.mean(),
    }
