"""What Section 4 leaves open: outliers by their share and place, and the splits that were printed.

``beyond_contamination`` (in ``fig_1``) and ``beyond_genuine`` (in ``table_2_studies``) compute it.
"""

from itertools import product

import numpy as np
from scipy.special import ndtr, stdtrit

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.l1nsvm.fig_1 import (
    BEHIND,
    BESIDE,
    BEYOND_CONTAMINATION,
    N_TEST,
    SWITCHED,
)
from companion.papers.l1nsvm.machines import MACHINES, PRINTED_MACHINES, PRINTED_NAMES
from companion.papers.l1nsvm.table_2 import READINGS, printed_runs
from companion.papers.l1nsvm.table_2_studies import BEYOND_GENUINE, TABLE_2
from companion.papers.summaries import magnitude, present, select

STUDIES = (BEYOND_CONTAMINATION, BEYOND_GENUINE, TABLE_2)
#: What a record has, and its factor to degrees or per cent.
QUANTITIES = {
    "angle": ("rotation", 1),
    "linear": ("error", 1),
    "RBF": ("wrong", 50 / N_TEST),
}
#: Contaminations of which a claim is tested; a point far out on its own side is none.
KINDS = {SWITCHED: [SWITCHED], "one outlier": [BEHIND, BESIDE]}
#: How much more contamination adds to the error of one machine than to that of another. Of the last
#: pair no more is said than that it does not add more to the first.
RISES = {
    "LS - Least 1-Norm - a tenth of the clean Least 1-Norm": (
        "LS - (`Least 1-Norm` + `clean Least 1-Norm` / 10)"
    ),
    "L2 - L1 - a tenth of the clean L1": "L2 - (L1 + `clean L1` / 10)",
    "LS - L1 - a tenth of the clean L1": "LS - (L1 + `clean L1` / 10)",
    "Least 1-Norm - L1": "`Least 1-Norm` - L1",
}


def of_machines(frame, quantity):
    """One of the quantities by kind, size and draw, a column a machine."""
    name, factor = QUANTITIES[quantity]
    table = frame.set_index(["kind", "size", "draw"])[[f"{name}_{m}" for m in MACHINES]]
    return factor * table.set_axis(MACHINES, axis=1).sort_index()


def rise(table, kinds):
    """How much larger a quantity is than in the clean draw, mean over kinds and sizes; by draw."""
    rest = table.drop(0.0, level="size")
    means = [rest.loc[kind].groupby("draw").mean() for kind in kinds]
    return sum(means) / len(kinds) - table.loc[SWITCHED, 0.0]


def add_contamination(out, frame):
    """What contamination adds to the errors of a pair of machines, and the turn of the lines."""
    for kernel, (row, kinds) in product(("linear", "RBF"), KINDS.items()):
        errors = of_machines(frame, kernel)
        clean = errors.loc[SWITCHED, 0.0].add_prefix("clean ")
        found = rise(errors, kinds).join(clean)
        for pair, expression in RISES.items():
            column = f"rise of % err. {pair}, {kernel} kernel"
            out.add_claims(row, found, {column: expression})
    add_one_outlier(out, of_machines(frame, "linear"), of_machines(frame, "RBF"))
    turned = of_machines(frame, "angle").loc[SWITCHED].drop(0.0, level="size")
    halves = (turned["Least 1-Norm"] - turned["LS"] / 2).groupby("size")
    column = "rotation of Least 1-Norm - half of that of LS (degrees), largest over the shares"
    largest = max(mean_and_standard_error(shares) for _, shares in halves)
    out.add_mean(SWITCHED, column, largest)


def add_one_outlier(out, linear, rbf):
    """The errors behind the other class, far out, and how alike they are everywhere else."""
    for distance, machine in product((20.0, 50.0), ("LS", "Least 1-Norm")):
        errors = linear.loc[BEHIND, distance][machine]
        column = f"% err. {machine}, {distance:g} behind the other class, linear kernel"
        out.add_mean("one outlier", column, errors)
    elsewhere = [linear.loc[BESIDE], rbf.loc[BEHIND], rbf.loc[BESIDE]]
    far_out = [errors.loc[10.0:] for errors in elsewhere]
    differences = [
        magnitude(mean_and_standard_error(pair["LS"] - pair["Least 1-Norm"]))
        for errors in far_out
        for _, pair in errors.groupby("size")
    ]
    column = "|LS - Least 1-Norm| % err., largest elsewhere from 10 on"
    out.add_mean("one outlier", column, max(differences))


def add_genuine(out, genuine, drawn):
    """Similar errors on these splits, and how many cells tell them from those drawn."""
    apart = 0
    for name in present(genuine, PRINTED_NAMES):
        splits = [select(frame, dataset=name) for frame in (genuine, drawn)]
        errors = (
            printed_runs(splits[0], machine, **READINGS[""]).error
            for machine in PRINTED_MACHINES
        )
        similar = magnitude(paired_difference(*errors))
        row = f"{PRINTED_NAMES[name]}, genuine splits"
        out.add_mean(row, "|LS - Least 1-Norm| % err.", similar)
        for machine, run in product(PRINTED_MACHINES, READINGS.values()):
            runs = (printed_runs(rows, machine, **run) for rows in splits)
            apart += len(told_apart(*runs))
    column = "cells more than 4 standard errors from those of drawn splits"
    out.add("all data sets, genuine splits", column, apart)


def told_apart(genuine, drawn):
    """Which of error, support vectors and iterations have means that chance does not explain.

    The spread is that of the drawn splits: ten values, often nearly equal, do not carry their own.
    Only where the drawn ones are all alike it is that of the ten; without any, all is told apart.
    Of few drawn splits more than 4 standard errors are asked, by Student's law as rare.
    """
    few, many = (runs[["error", "n_sv", "n_iter"]] for runs in (genuine, drawn))
    spread = many.std(ddof=1).where(many.std(ddof=1) > 0, few.std(ddof=1))
    error = spread * np.sqrt(1 / len(few) + 1 / len(many))
    most = stdtrit(len(many) - 1, ndtr(4.0)) * error
    return list(error.index[(few.mean() - many.mean()).abs() > most + 1e-9])


VALUES = (
    (add_contamination, "beyond_contamination"),
    (add_genuine, "beyond_genuine", "table_2"),
)
