"""From records to the printed numbers of Tables 1 to 3 and the sentences about them."""

from __future__ import annotations

import numpy as np

from companion.datasets import get_source
from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import Values
from companion.papers.wrsvm import examples, figures, simulation, table_3
from companion.papers.wrsvm.examples import FLIP, MACHINES

OTHER = {"WSVM": "WRSVM", "WRSVM": "WSVM"}
INTERCHANGED = "{}, rows interchanged"

#: Which regions grow (+1) and shrink (-1) with a, by the sentences about Figure 1.
MOVES = {1: {1: -1, 2: 1}, 2: {1: -1, 2: 1, 3: 1}, 3: {1: 1, 2: -1, 3: -1}}

_FAR_FROM_OTHERS = np.array([[1e3, 0.0]])
_MANY = 200_000


def cell(frame, config, a, machine):
    """The rows of one cell and machine in the order of the samples.

    Parameters
    ----------
    frame : DataFrame
    config : {1, 2, 3}
    a : float
    machine : {"WSVM", "WRSVM"}

    Returns
    -------
    DataFrame
    """
    return frame[
        (frame.config == config) & np.isclose(frame.a, a) & (frame.machine == machine)
    ].sort_values("sample")


def gain(frame, config, a):
    """100 times the mean utility of WRSVM minus WSVM, with its paired standard error.

    Parameters
    ----------
    frame : DataFrame
    config : {1, 2, 3}
    a : float

    Returns
    -------
    companion.metrics.Mean
    """
    return paired_difference(
        100 * cell(frame, config, a, "WRSVM").test, 100 * cell(frame, config, a, "WSVM").test
    )


def place(table, machine, config, a):
    """Row and column of a cell as they are printed.

    Parameters
    ----------
    table : {"table_1", "table_2"}
    machine : {"WSVM", "WRSVM"}
    config : {1, 2, 3}
    a : float

    Returns
    -------
    row, column : str
    """
    if table == "table_1":
        return f"{machine} U{config},a", f"a = {a:g}"
    return machine, f"U{config},{a:g}"


# -- Tables 1 and 2 -------------------------------------------------------------------------


def table_1_values(records):
    """The 26 cells under both readings, truncation in each, sizes and label noise."""
    return _table("table_1", records["table_1"])


def table_2_values(records):
    """The six cells under both readings, truncation in each, sizes and label noise."""
    return _table("table_2", records["table_2"])


def _table(table, frame):
    out = Values()
    if frame.empty:
        return out.frame()
    converged = frame.converged.all()
    n_train, n_tune, n_test = simulation.SIZES[table]
    example = "piecewise_linear" if table == "table_1" else "nonlinear"
    out.add("protocol", "n", n_train)
    out.add("protocol", "n_test / n", n_test / n_train)
    out.add("protocol", "repetitions", frame["sample"].nunique())
    at = examples.class_probabilities(example, 100 * _FAR_FROM_OTHERS, FLIP)[0]
    out.add("protocol", "P(j, j)", at.max())
    out.add("protocol", "P(j, y) otherwise", at.min())
    if table == "table_2":
        X, _ = examples.nonlinear(_MANY, np.random.default_rng(0))
        for k in (0, 1):
            out.add("protocol", f"largest X{k + 1}", X[:, k].max())
    for config, a in simulation.CELLS[table]:
        for machine in MACHINES:
            row, column = place(table, machine, config, a)
            out.add_cell(row, column, 100 * cell(frame, config, a, machine).test, converged)
            other = 100 * cell(frame, config, a, OTHER[machine]).test
            out.add(
                INTERCHANGED.format(row),
                column,
                other.mean(),
                spread=other.std(ddof=1),
                n=len(other),
                converged=converged,
            )
        out.add_mean(f"U{config},{a:g}", "WRSVM - WSVM", gain(frame, config, a), converged)
    gains = [gain(frame, config, a).mean for config, a in simulation.CELLS[table]]
    out.add("all cells", "share of cells in which WRSVM is higher", np.mean(np.array(gains) > 0))
    return out.frame()


# -- Table 3 --------------------------------------------------------------------------------


def table_3_values(records):
    """The 27 printed shares, the sizes, and whether the shift of class 1 is worth it."""
    out, frame = Values(), records["table_3"]
    if frame.empty:
        return out.frame()
    robust = {
        a: frame[(frame.machine == "WRSVM") & np.isclose(frame.a, a)].sort_values("split")
        for a in table_3.A_VALUES
    }
    converged = frame.converged.all()
    first = robust[0.0]
    out.add("protocol", "observations", first.n_train.iloc[0] * 2 + first.n_test.iloc[0])
    out.add("protocol", "predictors", get_source("pendigits").files[0].attributes)
    out.add("protocol", "observations of a class to train", table_3.PER_CLASS)
    out.add("protocol", "observations of a class to tune", table_3.PER_CLASS)
    out.add("protocol", "splits", frame.split.nunique())
    for j, digit in enumerate(table_3.DIGITS):
        out.add("protocol", f"digit of class {j + 1}", digit)
    for a, own in robust.items():
        for true in (1, 2, 3):
            for guess in (1, 2, 3):
                shares = own[f"p_{true}{guess}"]
                out.add(
                    f"U2,{a:g} y = {true}",
                    f"ŷ = {guess}",
                    shares.mean(),
                    spread=shares.std(ddof=1),
                    n=len(own),
                    converged=converged,
                )
    for true in (1, 2, 3):
        rate = mean_and_standard_error(first[f"p_{true}{true}"])
        out.add_mean(
            "U2,0",
            f"|rate of class {true} - 0.99|",
            rate._replace(mean=abs(rate.mean - 0.99)),
            converged,
        )
    for low, high in ((0.0, 0.2), (0.2, 0.6)):
        moved = paired_difference(1 - robust[high].p_11, 1 - robust[low].p_11)
        out.add_mean(
            f"U2,{low:g} to U2,{high:g}", "growth of class 1 predicted as 2 or 3", moved, converged
        )
    for a in table_3.A_VALUES[1:]:
        out.add_mean(
            f"U2,{a:g}",
            "utility: weighted - unweighted machine",
            paired_difference(100 * robust[a].test, 100 * robust[a].unweighted),
            converged,
        )
    return out.frame()


# -- Figures 1 and 2 ------------------------------------------------------------------------


def steps(frame, config, region, low, high):
    """How much larger a region is at one a than at another, paired over the samples.

    Parameters
    ----------
    frame : DataFrame
        Records of the study ``fig_1``.
    config : {1, 2, 3}
    region : {1, 2, 3}
    low, high : float
        Values of a.

    Returns
    -------
    companion.metrics.Mean
    """
    at = {
        a: frame[(frame.config == config) & np.isclose(frame.a, a)].sort_values("sample")
        for a in (low, high)
    }
    return paired_difference(at[high][f"region_{region}"], at[low][f"region_{region}"])


def _moves(out, frame):
    converged = frame.converged.all()
    first, last = figures.A_VALUES[0], figures.A_VALUES[-1]
    for config, regions in MOVES.items():
        for region in regions:
            out.add_mean(
                f"U{config},a",
                f"region of class {region}: a = {last:g} - a = {first:g}",
                steps(frame, config, region, first, last),
                converged,
            )
        for low, high in zip(figures.A_VALUES[:-1], figures.A_VALUES[1:], strict=True):
            out.add_mean(
                f"U{config},a",
                f"region of class 1: a = {high:g} - a = {low:g}",
                steps(frame, config, 1, low, high),
                converged,
            )


def fig_1_values(records):
    """Example 1 as drawn, and how the regions move."""
    out, frame = Values(), records["fig_1"]
    if frame.empty:
        return out.frame()
    X, y = examples.piecewise_linear(_MANY, np.random.default_rng(0))
    first = X[y == 0]
    out.add("protocol", "n", figures.N["fig_1"])
    for k in (0, 1):
        out.add("protocol", f"mu_1, coordinate {k + 1}", first[:, k].mean())
    out.add("protocol", "standard deviation", np.sqrt(first.var(axis=0).mean()))
    _moves(out, frame)
    return out.frame()


def fig_2_values(records):
    """How the regions of the kernel machine move, and whether that of class 1 falls apart."""
    out, frame = Values(), records["fig_2"]
    if frame.empty:
        return out.frame()
    out.add("protocol", "n", figures.N["fig_2"])
    _moves(out, frame)
    own = frame[frame.config == 2].sort_values("sample")
    parts = own[["parts_1", "parts_2", "parts_3"]].sum(axis=1)
    at = {a: parts[np.isclose(own.a, a)] for a in figures.A_VALUES}
    out.add_mean(
        "U2,a",
        "connected parts of the three regions: a = 0.8 - a = 0",
        paired_difference(at[0.8], at[0.0]),
        frame.converged.all(),
    )
    return out.frame()
