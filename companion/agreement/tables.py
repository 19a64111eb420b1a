"""What of the comparison can be printed: counts and classes, which rounding does not move."""

import numpy as np

from companion.agreement.comparison import agreement_matrix
from companion.agreement.solvers import SOLVERS
from companion.agreement.yardstick import OBJECTIVE_TOL

__all__ = ["difference_table", "order", "problem_table", "solver_table"]

#: A bias that may move by more than this is not unique.
UNIQUE = 1e-2

_CLASSES = {1e-8: "1e-8", 1e-6: "1e-6", 1e-4: "1e-4", 1e-2: "1e-2"}


def order(value, least=1e-8):
    """The class, from ``least`` on, that a small number falls into: "≤ 1e-6", or "> 1e-2".

    >>> order(3e-11), order(3e-7), order(0.5)
    ('≤ 1e-8', '≤ 1e-6', '> 1e-2')
    """
    if np.isnan(value):
        return ""
    classes = (text for limit, text in _CLASSES.items() if max(least, value) <= limit)
    return next((f"≤ {text}" for text in classes), "> 1e-2")


def _with_verdicts(frame):
    unique = frame["interval"] <= UNIQUE
    return frame.assign(
        met=frame["error"] <= OBJECTIVE_TOL,
        agrees=frame["error"] <= frame["allowed"],
        within=frame["difference"] <= frame["bound"],
        apart=frame["difference"].where(unique, frame["shape"]),
    )


def solver_table(frame):
    """A row a solver: on how many problems it agrees, and how closely."""
    groups = _with_verdicts(frame).groupby("solver")
    table = groups.agg(
        **{
            "problems": ("solver", "size"),
            "objective within 1e-6": ("met", "sum"),
            "decisions within bound": ("within", "sum"),
            "largest error": ("error", "max"),
            "largest difference": ("apart", "max"),
        }
    )
    for column in ("largest error", "largest difference"):
        table[column] = table[column].map(order)
    return table.loc[[name for name in SOLVERS if name in table.index]].reset_index()


def problem_table(frame):
    """A row a problem and machine: the objective, how many solvers agree, whether b is unique."""
    groups = _with_verdicts(frame).groupby(["paper", "problem", "machine"], sort=False)
    table = groups.agg(
        **{
            "solvers": ("solver", "size"),
            "objective": ("objective", "min"),
            "objectives agree": ("agrees", "sum"),
            "decisions within bound": ("within", "sum"),
            "bias": ("interval", "first"),
        }
    )
    table["bias"] = [
        "unique" if interval <= UNIQUE else f"any of an interval of {interval:.3f}"
        for interval in table["bias"]
    ]
    return table.reset_index()


def difference_table(frame, machine):
    """The classes of the largest decision differences of one machine, solvers against problems."""
    table = agreement_matrix(_with_verdicts(frame[frame["machine"] == machine]), "apart")
    table.columns = table.columns.get_level_values("problem")
    return table.map(lambda value: order(value, 1e-4)).rename_axis(columns=None).reset_index()
