"""All solvers on all problems, measured with one yardstick; where they differ, and why.

Of the comparison counts and classes can be printed, which rounding does not move.
"""

import time
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from companion._threads import one_thread
from companion.agreement.problems import list_problems
from companion.agreement.solvers import GENERIC, SOLVERS, solvers_of, weighted_least_squares
from companion.agreement.yardstick import OBJECTIVE_TOL, ROUNDING, machine_of
from companion.solvers import LSPath, ls_cross_validate
from companion.tuning.leave_one_out import leave_one_out_errors

__all__ = [
    "agreement",
    "agreement_matrix",
    "biases",
    "compare",
    "damping",
    "difference_table",
    "identical_points",
    "large_costs",
    "left_out",
    "order",
    "problem_table",
    "solve",
    "solver_table",
]

#: Solvers that share no code with the others.
_INDEPENDENT = ("linear system", GENERIC)

#: Not compared at growing costs, for which they are too slow.
_SLOW = ("SMO, first order", "WLS, damped")

#: A bias that may move by more than this is not unique.
UNIQUE = 1e-2

# A run is repeated until so many seconds are spent, at most so often; the least time counts.
_SECONDS, _REPEATS = 0.02, 4


def solve(run, machine, *, timed=False):
    """The answer of a solver, and its least CPU time; short runs are repeated for that."""
    times = []
    with warnings.catch_warnings(), one_thread():
        # Whether a solver has converged is kept in its answer.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # The first run may have had code to load.
        while not times or (timed and len(times) < _REPEATS and sum(times[1:]) < _SECONDS):
            start = time.process_time()
            answer = run(machine)
            times.append(time.process_time() - start)
    return answer, min(times)


def compare(problem, machine, *, runs=None, reference=None, timed=False):
    """Answers of solvers to one problem and machine, measured: a row a solver.

    ``runs`` are functions of a machine by name, all that train it by default. The reference is the
    answer of the least primal objective; of those that are equal up to rounding an independent one.

    * objective, gap: P and (P - D) / P of the answer alone;
    * error, allowed: P over the best dual objective of all, relative to P, and what may be;
    * difference, bound, shape: the largest of decision values to those of the reference, what the
      objectives allow it to be, and the difference without the bias;
    * low, high, interval: where b is, at the objective of the reference, and how long that is;
    * multipliers: their largest difference over the largest of the reference.
    """
    machine = machine_of(problem, machine)
    # What solvers start from is made before the clock runs.
    _ = problem.K, problem.design
    runs = runs or {name: SOLVERS[name].run for name in solvers_of(machine.name)}
    found = {name: solve(run, machine, timed=timed) for name, run in runs.items()}
    judged = {name: machine.judge(answer) for name, (answer, _) in found.items()}
    certificate = max((j for j in judged.values() if j.feasible is not None), key=lambda j: j.dual)
    reference = reference or _best(judged)
    wanted, chosen = judged[reference], found[reference][0]
    low, high = machine.bias_interval(certificate, wanted.primal)
    rows = []
    for name, (answer, seconds) in found.items():
        judgement = judged[name]
        difference = judgement.values - wanted.values
        row = dict(problem=problem.name, paper=problem.paper, machine=machine.name, solver=name)
        row |= dict(objective=judgement.primal, gap=judgement.relative_gap)
        row["error"] = (judgement.primal - certificate.dual) / judgement.primal
        row["allowed"] = machine.allowed(name, answer, judgement)
        row["difference"] = np.abs(difference).max()
        row["bound"] = machine.bound(certificate, judgement.primal, wanted.primal)
        row["shape"] = np.abs(difference - (answer.intercept - chosen.intercept)).max()
        row |= dict(low=low, high=high, interval=np.max(high - low))
        row["multipliers"] = _distance(answer.multipliers, chosen.multipliers)
        row |= dict(n_iter=answer.n_iter, seconds=seconds, converged=answer.converged)
        rows.append(row | dict(reference=name == reference, answer=answer))
    return pd.DataFrame(rows)


def _best(judged):
    """The answer of the least primal objective, an independent one of those that are as good."""
    least = min(judgement.primal for judgement in judged.values())
    limit = least + ROUNDING * abs(least)
    equal = [name for name, judgement in judged.items() if judgement.primal <= limit]
    return next((name for name in _INDEPENDENT if name in equal), equal[0])


def _distance(multipliers, wanted):
    if multipliers is None or wanted is None:
        return np.nan
    return np.abs(multipliers - wanted).max() / np.abs(wanted).max()


def agreement(profile="paper"):
    """All solvers on all problems and machines, timed: the rows of :func:`compare`."""
    frames = [compare(p, m, timed=True) for p in list_problems(profile) for m in p.machines]
    return pd.concat(frames, ignore_index=True)


def agreement_matrix(frame, value="difference"):
    """A column of :func:`agreement`: solvers against (paper, problem, machine)."""
    columns = ["paper", "problem", "machine"]
    table = frame.pivot(index="solver", columns=columns, values=value)
    order = pd.MultiIndex.from_frame(frame[columns].drop_duplicates())
    return table.loc[[name for name in SOLVERS if name in table.index], order]


def order(value, least=1e-8):
    """The class, from ``least`` on, that a small number falls into: "≤ 1e-6", or "> 1e-2".

    >>> order(3e-11), order(3e-7), order(0.5)
    ('≤ 1e-8', '≤ 1e-6', '> 1e-2')
    """
    if np.isnan(value):
        return ""
    classes = (
        text for text in ("1e-8", "1e-6", "1e-4", "1e-2") if max(least, value) <= float(text)
    )
    return next((f"≤ {text}" for text in classes), "> 1e-2")


def _with_verdicts(frame):
    frame = frame.assign(met=frame["error"] <= OBJECTIVE_TOL)
    frame["agrees"] = frame["error"] <= frame["allowed"]
    frame["within"] = frame["difference"] <= frame["bound"]
    frame["apart"] = frame["difference"].where(frame["interval"] <= UNIQUE, frame["shape"])
    return frame


def solver_table(frame):
    """A row a solver: on how many problems it agrees, and how closely."""
    groups = _with_verdicts(frame).groupby("solver")
    table = pd.DataFrame({"problems": groups.size()})
    table["objective within 1e-6"] = groups["met"].sum()
    table["decisions within bound"] = groups["within"].sum()
    table["largest error"] = groups["error"].max().map(order)
    table["largest difference"] = groups["apart"].max().map(order)
    return table.loc[[name for name in SOLVERS if name in table.index]].reset_index()


def problem_table(frame):
    """A row a problem and machine: the objective, how many solvers agree, whether b is unique."""
    groups = _with_verdicts(frame).groupby(["paper", "problem", "machine"], sort=False)
    table = pd.DataFrame({"solvers": groups.size(), "objective": groups["objective"].min()})
    table["objectives agree"] = groups["agrees"].sum()
    table["decisions within bound"] = groups["within"].sum()
    words = "any of an interval of {:.3f}".format
    table["bias"] = groups["interval"].first().map(lambda v: "unique" if v <= UNIQUE else words(v))
    return table.reset_index()


def difference_table(frame, machine):
    """The classes of the largest decision differences of one machine, solvers against problems."""
    table = agreement_matrix(_with_verdicts(frame[frame["machine"] == machine]), "apart")
    table.columns = table.columns.get_level_values("problem")
    return table.map(lambda value: order(value, 1e-4)).rename_axis(columns=None).reset_index()


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
