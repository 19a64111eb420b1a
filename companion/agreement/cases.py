"""Where solvers differ, and why; and left-out decision values in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from companion.agreement.matrix import compare, solve
from companion.agreement.solvers import SOLVERS, Task, solvers_of, weighted_least_squares
from companion.agreement.yardstick import Yardstick
from companion.solvers import LSPath, ls_cross_validate
from companion.tuning.leave_one_out import leave_one_out_errors

__all__ = ["biases", "damping", "identical_points", "large_costs", "left_out"]

_GENERIC = "generic QP (Clarabel)"

#: Solvers compared at growing costs.
_AT_LARGE_COSTS = (
    "SMO, second order",
    "SMO, accelerated",
    "WLS, interior point",
    "structured interior point",
    "libsvm",
    _GENERIC,
)


def identical_points(problem, machine):
    """How multipliers are shared among identical points, and what does not depend on it.

    Parameters
    ----------
    problem : Problem
        Of two classes, with identical points.
    machine : str

    Returns
    -------
    DataFrame
        A row a solver: multipliers (largest difference to those of the generic QP solver over the
        largest), sums (the same of their sums over identical points), difference (of decision
        values) and error as of :func:`companion.agreement.compare`.
    """
    frame = compare(problem, machine, reference=_GENERIC).set_index("solver")
    task = Task(problem, machine)
    _, place = np.unique(problem.X, axis=0, return_inverse=True)
    sums = {
        name: np.bincount(place.ravel(), weights=solve(name, task)[0].multipliers)
        for name in frame.index
    }
    largest = np.abs(sums[_GENERIC]).max()
    frame["sums"] = [np.abs(sums[name] - sums[_GENERIC]).max() / largest for name in frame.index]
    return frame[["multipliers", "sums", "difference", "error"]].reset_index()


def biases(problem, machine):
    """The bias of every solver, and the interval that the optimum leaves to it.

    Parameters
    ----------
    problem : Problem
        Of two classes.
    machine : str

    Returns
    -------
    DataFrame
        A row a solver: bias, low, high.
    """
    yardstick, task = Yardstick(problem, machine), Task(problem, machine)
    answers = {name: solve(name, task)[0] for name in solvers_of(machine)}
    judged = [yardstick.judge(answer) for answer in answers.values()]
    certificate = max(judged, key=lambda judgement: judgement.dual)
    low, high = yardstick.bias_interval(certificate, min(j.primal for j in judged))
    return pd.DataFrame(
        [
            {"solver": name, "bias": answer.intercept, "low": low, "high": high}
            for name, answer in answers.items()
        ]
    )


def damping(problem, values=(0.0, 0.2, 0.5)):
    """The paper's weighted least squares for the hinge, with growing damping.

    Parameters
    ----------
    problem : Problem
        For the machine L1.
    values : sequence of float

    Returns
    -------
    DataFrame
        The rows of :func:`companion.agreement.compare`, with the generic QP solver last.
    """
    runs = {f"WLS, damping {value:g}": weighted_least_squares(False, value) for value in values}
    return compare(problem, "L1", solvers=runs | {_GENERIC: SOLVERS[_GENERIC][1]})


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
        A row a closed form: problem, machine, method, refit (the solver that trains again),
        n_refits, difference (the largest between left-out decision values).

    Raises
    ------
    ValueError
        For another machine.
    """
    K, y, n = problem.gram(), problem.y, len(problem.y)
    if machine == "LS":
        closed = {
            "eigenvectors": LSPath(K, y).leave_one_out(problem.C),
            "inverse of the bordered matrix": ls_cross_validate(K, y, [problem.C], np.arange(n))[0],
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
    return pd.DataFrame(
        [
            {
                "problem": problem.name,
                "machine": machine,
                "method": method,
                "refit": refit,
                "n_refits": n,
                "difference": np.abs(values - again).max(),
            }
            for method, values in closed.items()
        ]
    )


def _without(problem, machine, name, K, i):
    """Decision value of sample i by the machine of the others."""
    rest = np.delete(np.arange(len(problem.y)), i)
    part = replace(problem, X=problem.X[rest], y=problem.y[rest])
    answer, _ = solve(name, Task(part, machine))
    return K[i, rest] @ answer.multipliers + answer.intercept
