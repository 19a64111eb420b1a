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
    agrees in the share of our partitions that have it as the print. The error beside an asterisk is
    the plain machine's once more, and no cell.
    """
    factors = {"scaling": list(SCALINGS), **CHOICES}
    frame = frame.assign(error=g_means.errors(frame), moved=frame.n_transformations > 0)
    keys = ["dataset", "method", *factors]
    parts = frame.groupby([*keys, "partition"]).agg({"error": "mean", "moved": "any"})
    rows = []
    for (name, method, *choices), part in parts.groupby(level=keys):
        stays = method in g_means.printed_asterisks(name)
        cells = {} if stays else {"error": _agrees(name, method, part.error)}
        if method != SVM:
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


def by_set(cells):
    """Shares of the cells that a reading meets, a column a data set, the best reading first."""
    order = cells.mean(axis=1).sort_values(ascending=False, kind="stable").index
    return cells.T.groupby(level="data set", sort=False).mean().T.loc[order]


def readings_table(cells):
    """What the five best readings, ours and the worst one meet, of all cells and by set."""
    table = by_set(cells)
    shown = table.loc[
        list(dict.fromkeys([*table.index[:5], cells.index[0], table.index[-1]]))
    ]
    names = [" | ".join(reading) for reading in shown.index]
    shown.insert(0, "all", cells.mean(axis=1))
    shown.insert(0, " | ".join(cells.index.names), names)
    return shown.reset_index(drop=True)


def choices_table(cells):
    """What each choice is worth, averaged over the others: the share of cells that it meets."""
    score = cells.mean(axis=1)
    rows = [
        {"choice": name, "value": value, "met": mean}
        for name in cells.index.names
        for value, mean in score.groupby(level=name, sort=False).mean().items()
    ]
    return pd.DataFrame(rows)


def unmet(cells):
    """The cells that no reading meets in half of the partitions, and the best scaling of a set."""
    never = cells.columns[cells.max() < 0.5].to_frame(index=False)
    scaling = by_set(cells).groupby(level="scaling").max().idxmax()
    return never, scaling.rename("best scaling").rename_axis("data set").reset_index()


def as_williams(readings):
    """In which share of the training parts MDT-JGRAD has the outcome of WIL, by sign."""
    rows = readings[
        (readings.units == "hull") & readings.scaling.isin(["any", "standardised, 50"])
    ]
    place = ["dataset", "partition", "fold"]
    outcomes = ["missed", "false_alarms", "moved"]
    rows = rows.assign(moved=rows.n_transformations > 0).set_index(place)
    williams = rows[rows.method == "WIL"][outcomes]
    table = []
    for sign, part in rows[rows.method == "MDT-JGRAD"].groupby("sign"):
        same = (part[outcomes] == williams).all(axis=1)
        row = {"sign": sign, "training parts": len(part), "as WIL": same.mean()}
        row["as WIL, board"] = same.xs(BOARD_NAME).mean()
        table.append(row | {"transformed": part.moved.mean()})
    return pd.DataFrame(table)


def escapes_table(folds):
    """Of seven folds those that MDT-VMETA transforms, with and without its escape."""
    without = "MDT-VMETA, no escape"
    both = folds.partition.isin(folds.partition[folds.method == without])
    pair = folds[both & folds.method.isin(["MDT-VMETA", without])]
    moved = pair.assign(moved=N_FOLDS * (pair.n_transformations > 0))
    table = moved.pivot_table("moved", "dataset", "method")
    return table.rename_axis(index="data set", columns=None).reset_index()


def validation_table(folds):
    """Errors of the transformed folds before and after on V, and on the test part."""
    moved = folds[folds.n_transformations > 0]
    test = g_means.errors(moved)
    columns = {
        "error on V before": moved.v_before.astype(float),
        "error on V": moved.v_error.astype(float),
        "error on the test part": test,
        "test - V": test - moved.v_error,
    }
    by_method = pd.DataFrame(columns).groupby(moved.method)
    table = by_method.mean().assign(SE=by_method["test - V"].sem())
    table.insert(0, "folds", by_method.size())
    return table[table.folds > 1].reset_index()


def times(costs, what):
    """CPU seconds: a row a set, a column a method."""
    rows = costs[costs.what == what]
    return rows.pivot_table("seconds", "dataset", "method", sort=False)


def slower_table(costs):
    """How many times as long the slower of two takes, and on how many sets it does."""
    once = times(costs, "once")
    c = times(costs, "c")
    pairs = {f"{slow} / {fast}": (once[slow], once[fast]) for slow, fast in SLOWER}
    costliest = c.drop(columns="WIL").max(axis=1)
    pairs["c alone: WIL / the costliest of the others"] = c["WIL"], costliest
    rows = []
    for words, (slow, fast) in pairs.items():
        factor = 10 ** np.log10(slow / fast).mean()
        row = {"one transformation": words, "times as long": factor}
        rows.append(row | {"slower on": (slow > fast).sum(), "of sets": len(slow)})
    return pd.DataFrame(rows)


def ascents_table(ascents):
    """How far six ascents of J end apart, by method: how many training parts."""
    ends = ascents[["own", "best", "worst"]]
    table = ascents.assign(
        apart=ends.max(axis=1) > 1.01 * ends.min(axis=1),
        higher=ascents.best > 1.01 * ascents.own,
        parts=1,
    )
    table = table.groupby("method")[["parts", "apart", "higher"]].sum()
    words = {
        "parts": "training parts",
        "apart": "the six end 1 % apart",
        "higher": "another start ends 1 % higher",
    }
    return table.rename(columns=words).reset_index()


def what_came_out(run):
    """What the readings meet, and how much faster than a grid search a search by J is."""
    cells = agreement(run.records["readings"])
    score = cells.mean(axis=1)
    never, _ = unmet(cells)
    whole = times(run.records["costs"], "whole")
    alone, shared = (
        10 ** np.log10(whole[grid] / whole["TSVT-JMETA"]).mean()
        for grid in ("PVGS", "PVGS, shared")
    )
    return (
        f"Of {len(cells)} joint readings of what the thesis leaves open the best meets "
        f"{score.max():.0%} of {cells.shape[1]} printed cells, ours {score.iloc[0]:.0%} and the "
        f"worst {score.min():.0%}; {len(never)} cells are met by no reading. A grid search over "
        f"$C$ and the width takes {alone:.2g} times the CPU time of TSVT-JMETA where it trains "
        f"each machine alone, and {shared:.2g} times where its machines share kernel values "
        "(geometric means over the sets)." + g_means.not_run(run)
    )
