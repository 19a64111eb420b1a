"""What the print leaves open: scales, units, how searches leave plateaus, and time."""

import numpy as np
import pandas as pd

from companion.papers.conformal import g_means
from companion.papers.conformal.beyond_studies import (
    ASCENTS,
    CHOICES,
    COSTS,
    READINGS,
    SCALINGS,
)
from companion.papers.conformal.methods import SVM
from companion.papers.conformal.problems import BOARD_NAME, N_FOLDS
from companion.papers.conformal.real_sets import FOLDS

STUDIES = (FOLDS, READINGS, COSTS, ASCENTS)

#: Which search, and which family, the thesis calls slower than which.
SLOWER = [(f"{family}-JMETA", f"{family}-JGRAD") for family in ("MDT", "TSVT")]
SLOWER += [(f"TSVT-{search}", f"MDT-{search}") for search in ("JGRAD", "JMETA")]


def _add_costs(out, frame):
    """log10 of ratios of CPU times, a case a data set."""
    logs = frame.assign(seconds=np.log10(frame.seconds))
    times = logs.pivot_table("seconds", "dataset", ["what", "method"])
    c = times["c"]
    once = times["once"]
    whole = times["whole"]
    costliest = c.drop(columns="WIL").max(axis=1)
    gaps = {"for c, Williams / the costliest of four": c["WIL"] - costliest}
    for slow, fast in SLOWER:
        gaps[f"{slow} / {fast}"] = once[slow] - once[fast]
    for name in whole.drop(columns=["PVGS", "PVGS, shared"]):
        gaps[f"PVGS / {name}"] = whole["PVGS"] - whole[name]
    gaps["PVGS, shared / TSVT-JMETA"] = whole["PVGS, shared"] - whole["TSVT-JMETA"]
    for words, gap in gaps.items():
        out.add_mean("CPU time", f"log10 of the seconds {words}", g_means.chance(gap))


def _add_ascents(out, frame):
    """Whether an ascent of J from another start ends higher, a case a data set."""
    column = "share of ascents of J that another start ends 1 % above"
    higher = frame.best > 1.01 * frame.own
    for name, part in higher.groupby(frame.method):
        shares = part.groupby(frame.dataset).mean()
        out.add_mean(name, column, g_means.chance(shares))


VALUES = ((_add_costs, "costs"), (_add_ascents, "ascents"))


# -- tables -----------------------------------------------------------------------------------


def agreement(frame):
    """How far cells agree with the print, 0 to 1: a row a joint reading, a column a cell.

    An error agrees within two standard errors of the printed mean of seven folds; on the board,
    of which one draw is printed, within two standard deviations of our draws. An asterisk, or none,
    agrees in the share of our partitions that have it as the print.
    """
    factors = {"scaling": list(SCALINGS), **CHOICES}
    frame = frame.assign(error=g_means.errors(frame), moved=frame.n_transformations > 0)
    keys = ["dataset", "method", *factors]
    parts = frame.groupby([*keys, "partition"]).agg({"error": "mean", "moved": "any"})
    rows = []
    for (name, method, *choices), part in parts.groupby(level=keys):
        cells = {"error": _agrees(name, method, part.error)}
        if method != SVM:
            stays = method in g_means.printed_asterisks(name)
            cells["asterisk"] = np.mean(part.moved != stays)
        rows += [[*choices, name, method, *cell] for cell in cells.items()]
    place = ["data set", "method", "what"]
    table = pd.DataFrame(rows, columns=[*factors, *place, "agrees"])
    for (
        factor,
        values,
    ) in factors.items():  # what does not matter stands in all readings
        table[factor] = table[factor].map({"any": values}).fillna(table[factor])
        table = table.explode(factor)
    table = table.pivot(index=list(factors), columns=place, values="agrees")
    readings = pd.MultiIndex.from_product(factors.values(), names=factors)
    return table.sort_index(axis=1, ascending=[True, True, False]).loc[readings]


def _agrees(name, method, error):
    if name == BOARD_NAME:
        printed = g_means.printed_values("checkers", "g-means error")
        known = error.std()
    else:
        printed = g_means.printed_values("real_sets", name)
        spreads = g_means.printed_values("real_sets", f"{name} ±")
        known = spreads[method] / np.sqrt(N_FOLDS)
    return float(abs(error.mean() - printed[method]) <= 2 * known)
