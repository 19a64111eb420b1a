"""Section 3.1: the gain of the unbiased machine over the SVC, and what it grows with.

The paper argues that the gain grows with the number of training samples and falls with the
complexity of the machine, such as a narrower kernel. Here it is the difference of the two errors in
closed form, on the same sample: for the linear machine over n, and for RBF machines on prototypes
over the width of the kernel, each with its own C, chosen on a validation sample. Section 5 has it
grow with the number of misclassified patterns as well: over the thirteen sets of Tables 2 and 4.
"""

import numpy as np
import pandas as pd

from companion.kernels import gamma_from_width, gram
from companion.losses import Unbiased
from companion.metrics import Mean
from companion.papers.summaries import range_text, rounded, select, wide
from companion.papers.usvc import cases
from companion.papers.usvc.cases import (
    TABLE_READINGS,
    by_case,
    linear_error,
    rule_error,
    sample,
    study_of,
)
from companion.papers.usvc.fig_1 import minima
from companion.papers.usvc.paired_errors import differences, least_supported
from companion.papers.usvc.splits import SETS
from companion.papers.usvc.table_2 import TABLE_2
from companion.papers.usvc.table_4 import TABLE_4
from companion.reproduction import seed_for
from companion.solvers.fscl import fscl
from companion.solvers.wls import Design, wls, wls_path

SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000)
WIDTHS = (0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
C_VALUES = tuple(10.0**k for k in range(-1, 6))
_PRINTED_C = C_VALUES.index(cases.C)
N_PROTOTYPES = 40
LOSS = Unbiased(2.0)
_EDGES = np.linspace(-0.4, 1.6, 4001)


def compute_size(unit):
    """Errors of the linear SVC and of the unbiased machine that starts from it."""
    p = unit.params
    X, y = sample(p["reading"], "train", p["draw"], p["n"])
    design = Design.linear(X)
    svc = cases.fit(design, y)
    unbiased = cases.fit(design, y, loss=LOSS, start=svc)
    row = {
        f"{name}_error": linear_error(p["reading"], machine.coef[0], machine.intercept)
        for name, machine in (("svc", svc), ("usvc", unbiased))
    }
    row["mean_slack"] = _mean_slack(svc, y)
    row["converged"] = svc.converged and unbiased.converged
    return rounded(row)


def _paths(design, y):
    """The SVC and the unbiased machine that starts from it, for each C."""
    svc = wls_path(design, y, C_VALUES)
    return {"svc": svc, "usvc": wls_path(design, y, C_VALUES, loss=LOSS, start=svc)}


def _best(machines, rows, y):
    """The machine with the fewest errors on these rows, inputs or kernel values; or the first."""

    def n_wrong(machine):
        return np.count_nonzero((rows @ machine.coef + machine.intercept) * y <= 0)

    return min(machines, key=n_wrong)


def _mean_slack(machine, y):
    return np.maximum(0.0, 1.0 - y * machine.decision_function).mean()


def compute_width(unit):
    """Errors of both RBF machines of one width, each at the C that validates best.

    The mean slack is that of the SVC of the C of the linear machine.
    """
    reading = unit.params["reading"]
    draw = unit.params["draw"]
    sigma = unit.params["sigma"]
    X, y = sample(reading, "train", draw)
    X_valid, y_valid = sample(reading, "validation", draw)
    gamma = gamma_from_width(sigma, "2sigma2")
    seed = seed_for(cases.PAPER, "benefit prototypes", reading, draw)
    prototypes = fscl(X, N_PROTOTYPES, rng=np.random.default_rng(seed))
    design = Design.kernel(
        gram(X, prototypes, gamma=gamma), gram(prototypes, gamma=gamma)
    )
    K_valid = gram(X_valid, prototypes, gamma=gamma)
    centres = 0.5 * (_EDGES[1:] + _EDGES[:-1])
    K_line = gram(centres[:, np.newaxis], prototypes, gamma=gamma)
    row = {}
    paths = _paths(design, y)
    for name, machines in paths.items():
        best = _best(machines, K_valid, y_valid)
        decision = K_line @ best.coef + best.intercept
        row[f"{name}_error"] = rule_error(reading, decision, _EDGES)
    row["mean_slack"] = _mean_slack(paths["svc"][_PRINTED_C], y)
    # exp(-d^2 / (2 sigma^2)) is x x' / sigma^2 but for constants where sigma is large
    scaled = wls(design, y, cases.C * max(1.0, sigma**2))
    row["mean_slack_scaled"] = _mean_slack(scaled, y)
    fits = (*paths["svc"], *paths["usvc"], scaled)
    row["converged"] = all(machine.converged for machine in fits)
    return rounded(row)


_SIZE_DRAWS = {"paper": 100, "quick": 4}
_WIDTH_DRAWS = {"paper": 30, "quick": 4}
_READ = {"reading": TABLE_READINGS.values()}
BENEFIT_SIZE = study_of(
    "benefit_size", compute_size, **_READ, n=SIZES, draw=_SIZE_DRAWS
)
BENEFIT_WIDTH = study_of(
    "benefit_width", compute_width, **_READ, sigma=WIDTHS, draw=_WIDTH_DRAWS
)


def gains(rows):
    """Error of the SVC minus that of the USVC in points, draw by draw."""
    return 100.0 * (rows.svc_error - rows.usvc_error).to_numpy()


#: What the gain grows with, and whether the error goes to its `least`.
BY_SIZE = {
    "gain at n = 5000 - gain at n = 20 (points)": "`5000_gain` - `20_gain`",
    "gain at n = 20 (points)": "`20_gain`",
    "excess of USVC over CE_min at n = 5000 - half of that at n = 1000 (points)": (
        "100 * `5000_usvc_error` - least - (100 * `1000_usvc_error` - least) / 2"
    ),
}
BY_WIDTH = {
    "gain at sigma = 8 - gain at sigma = 0.06 (points)": "`8_gain` - `0.06_gain`"
}


def _by_case(frame):
    """The row of each case in print, its distribution and its records with their gains."""
    cased = by_case(frame)
    for case, rows in cased.assign(gain=gains(cased)).groupby("case"):
        yield f"Section 3.1, case {case}", TABLE_READINGS[case], rows


def _add_gains_by_size(out, sizes):
    """What the gain grows with, and whether the error goes to its least."""
    for row, reading, rows in _by_case(sizes):
        table = wide(rows[["draw", "n", "gain", "usvc_error"]], "draw", "n")
        least = minima(reading)[0][2]
        out.add_claims(row, table.assign(least=least), BY_SIZE)


def _add_gains_by_width(out, widths, sizes):
    """What the gain and the slacks of RBF machines grow with."""
    linear = select(sizes, n=cases.N_PATTERNS)
    for row, reading, rows in _by_case(widths):
        table = wide(rows[["draw", "sigma", "gain"]], "draw", "sigma")
        out.add_claims(row, table, BY_WIDTH)
        slacks = [
            wide(rows[["draw", "sigma", name]], "draw", "sigma").dropna()
            for name in ("mean_slack", "mean_slack_scaled")
        ]
        steps = slacks[0].diff(axis=1).dropna(axis=1)
        column = "least step of the mean slack from a width to the next, C = 10"
        out.add_mean(row, column, least_supported(steps))
        along = rows.groupby("draw")[["mean_slack", "gain"]]
        ranks = along.apply(lambda of: of.gain.corr(of.mean_slack, "spearman"))
        column = "rank correlation of the gain and the mean slack over the widths"
        out.add_mean(row, column, ranks)
        slack = select(linear, reading=reading).set_index("draw").mean_slack
        column = "mean slack: linear - RBF at the least certain width, C = 10"
        for by_width, read in zip(slacks, ("", "C-sigma2"), strict=True):
            less = by_width.rsub(slack, axis=0).dropna()
            out.add_mean(row, column, least_supported(less), reading=read)


_BY_TRAINING_ERROR = (
    "rank correlation of the gain and the training error of SVMlight, as Fisher's z"
)


def _add_gains_by_set(out, table_2, table_4):
    """Whether the linear machine gains the more the more patterns the SVC trains wrong.

    The sets are the sample: Fisher's z of the correlation of their ranks.
    """
    frame = pd.concat([table_2, table_4])
    names, over = differences(frame, "USVC", "SVMlight")
    if len(names) == len(SETS):
        svc = select(frame, machine="SVMlight")
        missed = (svc.train_wrong / svc.n_train).groupby(svc.dataset).mean()
        gain = -pd.Series(over[0], names)
        z = float(np.arctanh(gain.corr(missed, "spearman")))
        of_sets = Mean(z, 1 / np.sqrt(len(names) - 3), len(names))
        out.add_mean("Section 5, thirteen sets", _BY_TRAINING_ERROR, of_sets)


STUDIES = (BENEFIT_SIZE, BENEFIT_WIDTH, TABLE_2, TABLE_4)
VALUES = (
    (_add_gains_by_size, "benefit_size"),
    (_add_gains_by_width, "benefit_width", "benefit_size"),
    (_add_gains_by_set, "table_2", "table_4"),
)


# -- what the notebook says -----------------------------------------------------------------


def gains_by(records, column):
    """The gain in points, mean and standard error, by case and place of the column."""
    rows = cases.by_case(records)
    gain = rows.assign(gain=gains(rows)).groupby(["case", column]).gain
    return gain.agg(gain="mean", SE="sem")


def what_came_out(run):
    """What the unbiased machine gains on the SVC in cases A and B, in sentences."""
    by_n = gains_by(run.records["benefit_size"], "n").gain
    by_width = gains_by(run.records["benefit_width"], "sigma").gain
    linear = []
    bent = []
    for case in cases.TABLE_READINGS:
        gain = by_n[case]
        linear.append(
            f"{gain.iloc[0]:+.1f} points on {gain.index[0]} patterns of case {case} and"
            f" {gain.iloc[-1]:+.1f} on {gain.index[-1]}"
        )
        bent.append(f"{range_text(by_width[case], '+.1f')} points in case {case}")
    text = (
        f"The linear unbiased machine gains on the SVC {', '.join(linear)} (means over draws; where"
        f" the number is above 0 it errs less). With an RBF kernel on 40 prototypes it gains"
        f" {' and '.join(bent)}, by the width."
    )
    over_sets = run.ledger[run.ledger.column == _BY_TRAINING_ERROR].reproduced
    if over_sets.notna().all():
        text += (
            " Over the thirteen sets of Tables 2 and 4 the rank correlation of the gain with the"
            f" training error of the SVC is {np.tanh(over_sets.item()):+.2f}."
        )
    return text
