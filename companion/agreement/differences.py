"""Where solvers differ, and why; and left-out decision values in closed form."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from companion.agreement.comparison import compare, solve
from companion.agreement.machines import machine_of
from companion.agreement.solvers import GENERIC, SOLVERS, solvers_of, weighted_least_squares
from companion.solvers import LSPath, ls_cross_validate
from companion.tuning.leave_one_out import leave_one_out_errors

__all__ = ["biases", "damping", "identical_points", "large_costs", "left_out"]

#: Not compared at growing costs, for which they are too slow.
_SLOW = ("SMO, first order", "WLS, damped")


def identical_points(problem, machine):
    """Largest differences to the QP solver where points are identical: of multipliers, of sums."""
    frame = compare(problem, machine, reference=GENERIC).set_index("solver")
    _, place = np.unique(problem.X, axis=0, return_inverse=True)
    sums = frame["answer"].map(lambda a: np.bincount(place.ravel(), weights=a.multipliers))
    frame["sums"] = [np.abs(s - sums[GENERIC]).max() / np.abs(sums[GENERIC]).max() for s in sums]
    return frame[["multipliers", "sums", "difference", "error"]].reset_index()


def biases(problem, machine):
    """The bias of every solver, and the interval that the optimum leaves to it."""
    frame = compare(problem, machine)
    frame["bias"] = frame["answer"].map(lambda answer: answer.intercept)
    return frame[["solver", "bias", "low", "high"]]


def damping(problem, values=(0.0, 0.2, 0.5)):
    """The paper's weighted least squares for the hinge, with growing damping, and a QP solver."""
    runs = {f"WLS, damping {v:g}": partial(weighted_least_squares, damping=v) for v in values}
    return compare(problem, "L1", runs=runs | {GENERIC: SOLVERS[GENERIC].run})


def large_costs(problem, machine, C_values):
    """The comparison for growing C, with a column C."""
    runs = {name: SOLVERS[name].run for name in solvers_of(machine) if name not in _SLOW}
    frames = [compare(replace(problem, C=C), machine, runs=runs).assign(C=C) for C in C_values]
    return pd.concat(frames, ignore_index=True)


def left_out(problem, machine):
    """Left-out decision values in closed form (LS, L1) against training without each sample."""
    K, y, n = problem.K, problem.y, len(problem.y)
    if machine == "LS":
        closed = {
            "eigenvectors": LSPath(K, y).leave_one_out(problem.C),
            "inverse of the bordered matrix": ls_cross_validate(K, y, [problem.C], np.arange(n))[0],
        }
        refit = "linear system"
    else:
        refit = "SMO, accelerated"
        answer, _ = solve(SOLVERS[refit].run, machine_of(problem, machine))
        path = leave_one_out_errors(K, y, y * answer.multipliers, problem.cost, decisions=True)
        closed = {"path of the multiplier to zero": path.decision}
    again = np.array([_without(problem, machine, refit, i) for i in range(n)])
    apart = [(method, np.abs(values - again).max()) for method, values in closed.items()]
    frame = pd.DataFrame(apart, columns=["method", "difference"])
    frame = frame.assign(problem=problem.name, machine=machine, refit=refit, n_refits=n)
    return frame[["problem", "machine", "method", "refit", "n_refits", "difference"]]


def _without(problem, machine, name, i):
    """Decision value of sample i by the machine of the others."""
    rest = np.delete(np.arange(len(problem.y)), i)
    part = replace(problem, X=problem.X[rest], y=problem.y[rest])
    answer, _ = solve(SOLVERS[name].run, machine_of(part, machine))
    return problem.K[i, rest] @ answer.multipliers + answer.intercept
