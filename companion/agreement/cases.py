"""Where solvers differ, and why: identical points, large costs; and left-out decisions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from companion.agreement.matrix import compare, solve
from companion.agreement.solvers import Task
from companion.solvers import LSPath, ls_cross_validate
from companion.tuning.leave_one_out import leave_one_out_errors

__all__ = ["identical_points", "large_costs", "left_out"]

#: Solvers compared at growing costs.
_AT_LARGE_COSTS = ("SMO, second order", "SMO, accelerated", "WLS, interior point",
                   "structured interior point", "libsvm", "generic QP (Clarabel)")


def identical_points(problem, machine):
    """How far multipliers may be shared otherwise among identical points, and what does not change.

    Parameters
    ----------
    problem : Problem
    machine : str

    Returns
    -------
    DataFrame
        A row a solver: multipliers (largest difference to the reference over the largest), sums
        (the same of their sums over identical points), shape and error as of
        :func:`companion.agreement.compare`.
    """
    frame = compare(problem, machine).set_index("solver")
    task = Task(problem, machine)
    _, place = np.unique(problem.X, axis=0, return_inverse=True)
    sums = {name: np.bincount(place.ravel(), weights=solve(name, task)[0].multipliers)
            for name in frame.index}
    wanted = sums[frame["reference"].idxmax()]
    frame["sums"] = [np.abs(sums[name] - wanted).max() / np.abs(wanted).max()
                     for name in frame.index]
    return frame[["multipliers", "sums", "shape", "error"]].reset_index()


def large_costs(problem, machine, C_values, solvers=_AT_LARGE_COSTS):
    """The comparison for growing C.

    Parameters
    ----------
    problem : Problem
    machine : str
    C_values : sequence of float
    solvers : sequence of str, optional

    Returns
    -------
    DataFrame
        The rows of :func:`companion.agreement.compare` with a column C.
    """
    return pd.concat(
        [compare(replace(problem, C=C), machine, solvers=solvers).assign(C=C) for C in C_values],
        ignore_index=True,
    )


def left_out(problem, machine):
    """Left-out decision values in closed form against training without each sample in turn.

    Parameters
    ----------
    problem : Problem
        Of two classes, without weights.
    machine : {"LS", "L1"}

    Returns
    -------
    DataFrame
        A row a closed form: machine, method, refit (the solver that trains again), difference
        (the largest between left-out decision values).

    Raises
    ------
    ValueError
        For another machine.
    """
    K, y, n = problem.gram(), problem.y, len(problem.y)
    if machine == "LS":
        folds = np.arange(n)
        closed = {
            "eigenvectors": LSPath(K, y).leave_one_out(problem.C),
            "inverse matrix": ls_cross_validate(K, y, [problem.C], folds)[0],
        }
        refit = "linear system"
    elif machine == "L1":
        refit = "SMO, accelerated"
        answer, _ = solve(refit, Task(problem, machine))
        path = leave_one_out_errors(K, y, y * answer.multipliers, problem.cost, decisions=True)
        closed = {"path of the multiplier to zero": path.decision}
    else:
        raise ValueError(f"left_out knows the machines 'LS' and 'L1'. Got {machine!r}.")
    again = np.array([_without(problem, machine, refit, K, i) for i in range(n)])
    return pd.DataFrame([
        {"problem": problem.name, "machine": machine, "method": method, "refit": refit,
         "difference": np.abs(values - again).max()}
        for method, values in closed.items()
    ])


def _without(problem, machine, name, K, i):
    """Decision value of sample i by the machine of the others."""
    rest = np.delete(np.arange(len(problem.y)), i)
    part = replace(problem, X=problem.X[rest], y=problem.y[rest])
    answer, _ = solve(name, Task(part, machine))
    return K[i, rest] @ answer.multipliers + answer.intercept
