"""All solvers on all problems, measured with one yardstick, as a table."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from companion._threads import one_thread
from companion.agreement.problems import list_problems
from companion.agreement.solvers import SOLVERS, Task, solvers_of
from companion.agreement.yardstick import Yardstick

__all__ = ["OBJECTIVE_TOL", "agreement", "agreement_matrix", "compare", "solve"]

#: Largest relative error of an objective that counts as agreement.
OBJECTIVE_TOL = 1e-6

# A run is repeated until so many seconds are spent, at most so often; the least time counts.
_SECONDS, _REPEATS = 0.02, 3


def solve(name, task, *, timed=False):
    """Run one solver.

    Parameters
    ----------
    name : str
        A key of :data:`companion.agreement.solvers.SOLVERS`.
    task : Task
    timed : bool, default=False
        Whether to repeat short runs for the time.

    Returns
    -------
    answer : Answer
    seconds : float
        Least CPU time of a run.
    """
    run = SOLVERS[name][1]
    with warnings.catch_warnings(), one_thread():
        # Whether a solver has converged is kept in its answer.
        warnings.simplefilter("ignore", ConvergenceWarning)
        times = []
        while not times or (timed and len(times) <= _REPEATS and sum(times) < _SECONDS):
            start = time.process_time()
            answer = run(task)
            times.append(time.process_time() - start)
    return answer, min(times)


def compare(problem, machine, *, solvers=None, timed=False):
    """Answers of all solvers to one problem and machine, measured.

    The reference is the answer of the least primal objective; the certificate the multipliers of the
    largest dual objective, which the optimum is at least.

    Parameters
    ----------
    problem : Problem
    machine : str
        One of the problem's.
    solvers : sequence of str, optional
        All that train this machine by default.
    timed : bool, default=False
        Whether to repeat short runs for the time.

    Returns
    -------
    DataFrame
        A row a solver: problem, paper, machine, solver, objective (primal), dual, gap (relative,
        of the answer alone), error (primal over the best dual objective, relative), difference
        (largest of decision values to those of the reference), bound (what objectives allow it to
        be), shape (the difference of the same values up to a constant), bias (its difference),
        interval (length of that of the
        bias, given the objective of the reference), multipliers (largest difference to the
        reference's over the largest of these), n_iter, seconds, converged, reference.
    """
    yardstick, task = Yardstick(problem, machine), Task(problem, machine)
    # What solvers start from is made before the clock runs.
    _ = task.K, task.design
    names = solvers_of(machine) if solvers is None else list(solvers)
    found = {name: solve(name, task, timed=timed) for name in names}
    judged = {name: yardstick.judge(answer) for name, (answer, _) in found.items()}
    certificate = max((j for j in judged.values() if j.feasible is not None), key=lambda j: j.dual)
    reference = min(judged, key=lambda name: judged[name].primal)
    wanted, chosen = judged[reference], found[reference][0]
    low, high = yardstick.bias_interval(certificate, wanted.primal)
    rows = []
    for name, (answer, seconds) in found.items():
        judgement = judged[name]
        difference = judgement.values - wanted.values
        bias = answer.intercept - chosen.intercept
        rows.append({
            "problem": problem.name,
            "paper": problem.paper,
            "machine": machine,
            "solver": name,
            "objective": judgement.primal,
            "dual": judgement.dual,
            "gap": judgement.relative_gap,
            "error": (judgement.primal - certificate.dual) / judgement.primal,
            "difference": np.abs(difference).max(),
            "bound": yardstick.bound(certificate, judgement.primal, wanted.primal),
            "shape": np.abs(difference - bias).max(),
            "bias": np.abs(bias).max(),
            "interval": np.max(high - low),
            "multipliers": _distance(answer.multipliers, chosen.multipliers),
            "n_iter": answer.n_iter,
            "seconds": seconds,
            "converged": answer.converged,
            "reference": name == reference,
        })
    return pd.DataFrame(rows)


def _distance(multipliers, wanted):
    if multipliers is None or wanted is None:
        return np.nan
    return np.abs(multipliers - wanted).max() / np.abs(wanted).max()


def agreement(profile="paper", *, timed=True):
    """All solvers on all problems and machines.

    Parameters
    ----------
    profile : {"paper", "quick"}, default="paper"
    timed : bool, default=True

    Returns
    -------
    DataFrame
        The rows of :func:`compare`, problem after problem.
    """
    return pd.concat(
        [compare(problem, machine, timed=timed)
         for problem in list_problems(profile) for machine in problem.machines],
        ignore_index=True,
    )


def agreement_matrix(frame, value="difference"):
    """Solvers against problems and machines.

    Parameters
    ----------
    frame : DataFrame
        Of :func:`agreement`.
    value : str, default="difference"
        The column shown.

    Returns
    -------
    DataFrame
        Indexed by solver; columns (paper, problem, machine), in the order of the frame; NaN where a
        solver does not train the machine.
    """
    columns = ["paper", "problem", "machine"]
    table = frame.set_index(["solver", *columns])[value].unstack(columns)
    order = pd.MultiIndex.from_frame(frame[columns].drop_duplicates())
    return table.loc[[name for name in SOLVERS if name in table.index], order]
