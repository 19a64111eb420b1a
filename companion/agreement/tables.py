"""What of the comparison can be printed: counts and classes, which rounding does not move."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.agreement.matrix import OBJECTIVE_TOL
from companion.agreement.solvers import SOLVERS

__all__ = ["difference_table", "order", "problem_table", "solver_table"]

#: A bias that may move by more than this is not unique.
UNIQUE = 1e-2

_CLASSES = (1e-8, 1e-6, 1e-4, 1e-2)


def order(value, least=1e-8):
    """The class that a small number falls into: "≤ 1e-6", or "> 1e-2".

    Parameters
    ----------
    value : float
        NaN gives an empty text.
    least : float, default=1e-8
        The first class.

    Returns
    -------
    str

    Examples
    --------
    >>> order(3e-11), order(3e-7), order(0.5)
    ('≤ 1e-8', '≤ 1e-6', '> 1e-2')
    """
    if np.isnan(value):
        return ""
    for limit in _CLASSES:
        if limit >= least and value <= limit:
            return f"≤ {_text(limit)}"
    return f"> {_text(_CLASSES[-1])}"


def _text(limit):
    return f"1e{round(np.log10(limit))}"


def _with_verdicts(frame):
    unique = frame["interval"] <= UNIQUE
    return frame.assign(
        met=frame["error"] <= OBJECTIVE_TOL,
        agrees=frame["error"] <= frame["allowed"],
        within=frame["difference"] <= frame["bound"],
        apart=frame["difference"].where(unique, frame["shape"]),
    )


def solver_table(frame):
    """A row a solver: on how many problems it agrees, and how closely.

    Parameters
    ----------
    frame : DataFrame
        Of :func:`companion.agreement.agreement`.

    Returns
    -------
    DataFrame
        Columns solver, problems, objective within 1e-6, decisions within bound, largest error,
        largest difference (up to a constant where the bias is not unique).
    """
    frame = _with_verdicts(frame)
    rows = []
    for name in SOLVERS:
        part = frame[frame["solver"] == name]
        if len(part):
            rows.append(
                {
                    "solver": name,
                    "problems": len(part),
                    "objective within 1e-6": int(part["met"].sum()),
                    "decisions within bound": int(part["within"].sum()),
                    "largest error": order(part["error"].max()),
                    "largest difference": order(part["apart"].max()),
                }
            )
    return pd.DataFrame(rows)


def problem_table(frame):
    """A row a problem and machine: the objective, how many solvers agree, whether b is unique.

    Parameters
    ----------
    frame : DataFrame
        Of :func:`companion.agreement.agreement`.

    Returns
    -------
    DataFrame
        Columns paper, problem, machine, solvers, objective, objectives agree, decisions within
        bound, bias.
    """
    rows = []
    groups = _with_verdicts(frame).groupby(["paper", "problem", "machine"], sort=False)
    for (paper, problem, machine), part in groups:
        interval = part["interval"].iloc[0]
        rows.append(
            {
                "paper": paper,
                "problem": problem,
                "machine": machine,
                "solvers": len(part),
                "objective": float(part["objective"].min()),
                "objectives agree": int(part["agrees"].sum()),
                "decisions within bound": int(part["within"].sum()),
                "bias": "unique" if interval <= UNIQUE else f"any of an interval of {interval:.3f}",
            }
        )
    return pd.DataFrame(rows)


def difference_table(frame, machine):
    """The agreement matrix of one machine: classes of the largest decision differences.

    Parameters
    ----------
    frame : DataFrame
        Of :func:`companion.agreement.agreement`.
    machine : str

    Returns
    -------
    DataFrame
        A row a solver, a column a problem. Where the bias is not unique differences are up to a
        constant.
    """
    part = _with_verdicts(frame[frame["machine"] == machine])
    table = part.pivot(index="solver", columns="problem", values="apart")
    table = table.loc[[name for name in SOLVERS if name in table.index], part["problem"].unique()]
    return table.map(lambda value: order(value, 1e-4)).rename_axis(columns=None).reset_index()
