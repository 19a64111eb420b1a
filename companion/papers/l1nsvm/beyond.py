"""Section 4 beyond its figure: how outliers, by their share and place, raise the errors."""

import math
from itertools import product

import pandas as pd

from companion.metrics import mean_and_standard_error
from companion.papers.l1nsvm.fig_1 import (
    BEHIND,
    BESIDE,
    GAMMA,
    N_TEST,
    OUTLIERS,
    PLACED_AT,
    SHARES,
    SWITCHED,
)
from companion.papers.l1nsvm.machines import MACHINES
from companion.papers.summaries import magnitude, share, with_error

STUDIES = (OUTLIERS,)
#: What a record has, and its factor to degrees or per cent.
QUANTITIES = {
    "angle": ("rotation", 1),
    "linear": ("error", 1),
    "RBF": ("wrong", 50 / N_TEST),
}
#: Of one outlier, by kernel the distances that a mean is over: those within its reach.
DISTANCES = {
    "linear": PLACED_AT,
    "RBF": tuple(far for far in PLACED_AT if math.exp(-GAMMA * far**2) >= 0.1),
}
#: How much more contamination adds to the error of one machine than to that of another. Of the last
#: pair no more is said than that it does not add more to the first.
RISES = {
    "L2 - L1 - a tenth of the clean L1": "L2 - (L1 + `clean L1` / 10)",
    "LS - L1 - a tenth of the clean L1": "LS - (L1 + `clean L1` / 10)",
    "Least 1-Norm - L1": "`Least 1-Norm` - L1",
}


def of_machines(frame, quantity):
    """One of the quantities by kind, size and draw, a column a machine."""
    name, factor = QUANTITIES[quantity]
    table = frame.set_index(["kind", "size", "draw"])[[f"{name}_{m}" for m in MACHINES]]
    return factor * table.set_axis(MACHINES, axis=1).sort_index()


def rise(table, kind, size):
    """How much larger a quantity is than in the clean draw; by draw."""
    return table.loc[kind, size] - table.loc[SWITCHED, 0.0]


def where_ls_rises_more(frame):
    """Of every contamination tried, whether the error of LS rises more than that of Least 1-Norm.

    More by a tenth of the clean error of Least 1-Norm at least, and by two standard errors of the
    paired draws.
    """
    hits = []
    for kernel in ("linear", "RBF"):
        errors = of_machines(frame, kernel)
        tenth = errors.loc[SWITCHED, 0.0]["Least 1-Norm"] / 10
        for kind, size in _contaminations(PLACED_AT):
            found = rise(errors, kind, size)
            more = mean_and_standard_error(found["LS"] - found["Least 1-Norm"] - tenth)
            hits.append(more.mean > 2 * more.standard_error)
    return hits


def _contaminations(distances):
    """What is wrong and how much of it, for every kind of which a claim is tested."""
    yield from ((SWITCHED, size) for size in SHARES if size)
    yield from product((BEHIND, BESIDE), distances)


def add_contamination(out, frame):
    """What contamination adds to the errors of a pair of machines, and the turn of the lines."""
    for kernel, distances in DISTANCES.items():
        errors = of_machines(frame, kernel)
        clean = errors.loc[SWITCHED, 0.0].add_prefix("clean ")
        found = {SWITCHED: [], "one outlier": []}
        for kind, size in _contaminations(distances):
            row = SWITCHED if kind == SWITCHED else "one outlier"
            found[row].append(rise(errors, kind, size))
        for row, rises in found.items():
            mean = sum(rises) / len(rises)
            for pair, expression in RISES.items():
                column = f"rise of % err. {pair}, {kernel} kernel"
                out.add_claims(row, mean.join(clean), {column: expression})
    column = "share of them where LS rises by a tenth more than Least 1-Norm"
    out.add_mean("all contaminations", column, share(where_ls_rises_more(frame)))
    add_one_outlier(out, of_machines(frame, "linear"), of_machines(frame, "RBF"))
    turned = of_machines(frame, "angle").loc[SWITCHED].drop(0.0, level="size")
    halves = (turned["Least 1-Norm"] - turned["LS"] / 2).groupby("size")
    column = "rotation of Least 1-Norm - half of that of LS (degrees), largest over the shares"
    largest = max(mean_and_standard_error(shares) for _, shares in halves)
    out.add_mean(SWITCHED, column, largest)


def add_one_outlier(out, linear, rbf):
    """Errors far out behind the other class, and how alike beside it or with RBF."""
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
    column = (
        "|LS - Least 1-Norm| % err. from 10 on, largest with an RBF kernel or beside "
        "the other class"
    )
    out.add_mean("one outlier", column, max(differences))


VALUES = ((add_contamination, "outliers"),)


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    errors = of_machines(run.records["outliers"], "linear")
    mean = errors.groupby(["kind", "size"]).mean()[["LS", "Least 1-Norm"]]
    clean, switched, near, far = (
        "LS errs on {:.1f} and Least 1-Norm on {:.1f} %".format(*mean.loc[place])
        for place in ((SWITCHED, 0.0), (SWITCHED, 0.3), (BEHIND, 20.0), (BEHIND, 50.0))
    )
    apart = mean.loc[BESIDE].loc[10.0:].diff(axis=1).iloc[:, 1].abs().max()
    return (
        f"With the inner product and nothing wrong {clean} of new points; with three labels of ten"
        f" switched {switched}. One wrong point tells them apart where it lies far behind the"
        f" other class: at distance 20 {near}, at 50 {far}. Beside that class, from distance 10"
        f" on, their mean errors are at most {apart:.2f} points apart."
    )


def reach_table(frame):
    """With the RBF kernel what one outlier adds to LS and not to Least 1-Norm: a row a distance.

    In points of the error on new points, with the kernel of the outlier and the class mean.
    """
    errors = of_machines(frame, "RBF")
    rows = []
    for far in PLACED_AT:
        row = {"distance": far, "kernel": math.exp(-GAMMA * far**2)}
        for place in (BEHIND, BESIDE):
            found = rise(errors, place, far)
            more = mean_and_standard_error(found["LS"] - found["Least 1-Norm"])
            row |= with_error(place, more, f"SE {place.split()[0]}")
        rows.append(row)
    return pd.DataFrame(rows)
