"""All solvers on all problems, measured with one yardstick."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from companion._utils.threads import one_thread
from companion.papers.across.agreement.problems import list_problems
from companion.papers.across.agreement.solvers import REFERENCE, SOLVERS, solvers_of
from companion.papers.across.agreement.yardstick import machine_of
from companion.solvers import LSPath, ls_held_out
from companion.tuning.leave_one_out import leave_one_out_errors


def solve(run, machine):
    """The answer of a solver; whether it has converged is kept in the answer."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return run(machine)


def compare(problem, machine, runs=None):
    """Answers of solvers to one problem and machine, measured: a row a solver.

    ``runs`` are functions of a machine by name, all that train it by default. The reference is the
    generic QP solver, which shares no code with the others and always takes part.

    * objective: P of the answer;
    * error: P over the best dual objective of all, relative to P;
    * difference: the largest of decision values to those of the reference;
    * shape: the same after the best common shift, as if both had the same bias.
    """
    machine = machine_of(problem, machine)
    runs = runs or {name: SOLVERS[name].run for name in solvers_of(machine.name)}
    runs = runs | {REFERENCE: SOLVERS[REFERENCE].run}
    answers = [solve(run, machine) for run in runs.values()]
    judged = [machine.judge(answer) for answer in answers]
    primal, dual, values = map(np.array, zip(*judged, strict=True))
    # of each answer, at each point, for each class
    apart = values - values[[*runs].index(REFERENCE)]
    apart = apart.reshape(*apart.shape[:2], -1)
    measures = {
        "objective": primal,
        "error": (primal - np.nanmax(dual)) / primal,
        "difference": np.abs(apart).max(axis=(1, 2)),
        "shape": np.ptp(apart, axis=1).max(axis=1) / 2,
        "converged": [answer.converged for answer in answers],
    }
    place = {"paper": problem.paper, "problem": problem.name, "machine": machine.name}
    return pd.DataFrame(place | {"solver": [*runs]} | measures | {"answer": answers})


def agreement(profile="paper"):
    """All solvers on all problems and machines: the rows of :func:`compare`."""
    frames = [compare(p, m) for p in list_problems(profile) for m in p.machines]
    return pd.concat(frames, ignore_index=True)


def agreement_matrix(frame, value="difference"):
    """A column of :func:`agreement`: solvers against (paper, problem, machine)."""
    columns = ["paper", "problem", "machine"]
    table = frame.pivot(index="solver", columns=columns, values=value)
    pairs = pd.MultiIndex.from_frame(frame[columns].drop_duplicates())
    return table.loc[[name for name in SOLVERS if name in table.index], pairs]


def left_out(problem, machine):
    """Decision values of samples that are left out, by method: in closed form and trained again."""
    K = problem.K
    y = problem.y
    every = np.arange(len(y))
    if machine == "LS":
        refit = "linear system"
        (held_out,) = ls_held_out(K, y, [problem.C], every[:, np.newaxis])
        values = {
            "eigenvectors": LSPath(K, y).leave_one_out(problem.C),
            "inverse of the bordered matrix": np.concatenate(held_out),
        }
    else:
        refit = "SMO, accelerated"
        alpha = y * solve(SOLVERS[refit].run, machine_of(problem, machine)).multipliers
        path = leave_one_out_errors(K, y, alpha, problem.cost, decisions=True)
        values = {"path of the multiplier to zero": path.decision}
    again = []
    for i in every:
        rest = every != i
        part = replace(problem, X=problem.X[rest], y=y[rest])
        answer = solve(SOLVERS[refit].run, machine_of(part, machine))
        again.append(K[i, rest] @ answer.multipliers + answer.intercept)
    return pd.DataFrame(values | {"trained again": again})
