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
from companion.agreement.yardstick import ROUNDING, Yardstick

__all__ = ["OBJECTIVE_TOL", "agreement", "agreement_matrix", "compare", "solve"]

#: Solvers that share no code with the others.
_INDEPENDENT = ("linear system", "generic QP (Clarabel)")

#: Largest relative error of an objective that counts as agreement.
OBJECTIVE_TOL = 1e-6

# A run is repeated until so many seconds are spent, at most so often; the least time counts.
_SECONDS, _REPEATS = 0.02, 4


def solve(solver, task, *, timed=False):
    """Run one solver.

    Parameters
    ----------
    solver : str or callable
        A key of :data:`companion.agreement.SOLVERS`, or a function from a task to an answer.
    task : Task
    timed : bool, default=False
        Whether to repeat short runs for the time.

    Returns
    -------
    answer : Answer
    seconds : float
        Least CPU time of a run.
    """
    run = solver if callable(solver) else SOLVERS[solver][1]
    with warnings.catch_warnings(), one_thread():
        # Whether a solver has converged is kept in its answer.
        warnings.simplefilter("ignore", ConvergenceWarning)
        times = []
        while not times or (timed and _goes_on(times)):
            start = time.process_time()
            answer = run(task)
            times.append(time.process_time() - start)
    return answer, min(times)


def _goes_on(times):
    """Whether to run once more: the first run may have had code to load."""
    return len(times) == 1 or (len(times) < _REPEATS and sum(times[1:]) < _SECONDS)


def compare(problem, machine, *, solvers=None, reference=None, timed=False):
    """Answers of all solvers to one problem and machine, measured.

    The reference is the answer of the least primal objective; of those that are equal up to
    rounding the one of a linear system or the generic QP solver, if there is one. Errors are
    counted from the largest dual objective of all, which the optimum is at least.

    Parameters
    ----------
    problem : Problem
    machine : str
        One of the problem's.
    solvers : sequence of str or mapping of str to callable, optional
        All that train this machine by default; functions as in
        :data:`companion.agreement.SOLVERS` stand for solvers of their own.
    reference : str, optional
        Another answer to compare with.
    timed : bool, default=False
        Whether to repeat short runs for the time.

    Returns
    -------
    DataFrame
        A row a solver, with the columns

        * problem, paper, machine, solver, n_iter, seconds, converged (as the solver says),
          reference (whether it is);
        * objective, dual, gap: P, D and (P - D) / P of the answer alone;
        * error: P over the best dual objective of all, relative to P, and allowed, what counts as
          agreement;
        * difference: the largest of decision values to those of the reference, and bound, what the
          objectives allow it to be;
        * bias, shape: the difference of b, and that of decision values without it;
        * interval: the length of that in which b is, at the objective of the reference;
        * multipliers: their largest difference over the largest of the reference.
    """
    yardstick, task = Yardstick(problem, machine), Task(problem, machine)
    # What solvers start from is made before the clock runs.
    _ = task.K, task.design
    runs = solvers_of(machine) if solvers is None else solvers
    if not isinstance(runs, dict):
        runs = {name: SOLVERS[name][1] for name in runs}
    found = {name: solve(run, task, timed=timed) for name, run in runs.items()}
    judged = {name: yardstick.judge(answer) for name, (answer, _) in found.items()}
    certificate = max((j for j in judged.values() if j.feasible is not None), key=lambda j: j.dual)
    if reference is None:
        reference = _best(judged)
    wanted, chosen = judged[reference], found[reference][0]
    low, high = yardstick.bias_interval(certificate, wanted.primal)
    rows = []
    for name, (answer, seconds) in found.items():
        judgement = judged[name]
        difference = judgement.values - wanted.values
        bias = answer.intercept - chosen.intercept
        rows.append(
            {
                "problem": problem.name,
                "paper": problem.paper,
                "machine": machine,
                "solver": name,
                "objective": judgement.primal,
                "dual": judgement.dual,
                "gap": judgement.relative_gap,
                "error": (judgement.primal - certificate.dual) / judgement.primal,
                "allowed": _allowed(name, yardstick, answer, judgement),
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
            }
        )
    return pd.DataFrame(rows)


def _best(judged):
    """The answer of the least primal objective, an independent one of those that are as good."""
    least = min(judgement.primal for judgement in judged.values())
    equal = [
        name
        for name, judgement in judged.items()
        if judgement.primal <= least + ROUNDING * abs(least)
    ]
    preferred = [name for name in _INDEPENDENT if name in equal]
    return (preferred or equal)[0]


def _allowed(name, yardstick, answer, judgement):
    """Error that counts as agreement; libsvm may lose what its kernel values in float cost."""
    if name != "libsvm":
        return OBJECTIVE_TOL
    cost = yardstick.cost_of_single_precision(answer.multipliers)
    return max(OBJECTIVE_TOL, cost / judgement.primal)


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
        [
            compare(problem, machine, timed=timed)
            for problem in list_problems(profile)
            for machine in problem.machines
        ],
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
