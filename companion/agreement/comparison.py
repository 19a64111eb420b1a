"""All solvers on all problems, measured with one yardstick."""

import time
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from companion._threads import one_thread
from companion.agreement.machines import machine_of
from companion.agreement.problems import list_problems
from companion.agreement.solvers import GENERIC, SOLVERS, solvers_of
from companion.agreement.yardstick import ROUNDING

__all__ = ["agreement", "agreement_matrix", "compare", "solve"]

#: Solvers that share no code with the others.
_INDEPENDENT = ("linear system", GENERIC)

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
        rows.append(
            {
                "problem": problem.name,
                "paper": problem.paper,
                "machine": machine.name,
                "solver": name,
                "objective": judgement.primal,
                "gap": judgement.relative_gap,
                "error": (judgement.primal - certificate.dual) / judgement.primal,
                "allowed": machine.allowed(name, answer, judgement),
                "difference": np.abs(difference).max(),
                "bound": machine.bound(certificate, judgement.primal, wanted.primal),
                "shape": np.abs(difference - (answer.intercept - chosen.intercept)).max(),
                "low": low,
                "high": high,
                "interval": np.max(high - low),
                "multipliers": _distance(answer.multipliers, chosen.multipliers),
                "n_iter": answer.n_iter,
                "seconds": seconds,
                "converged": answer.converged,
                "reference": name == reference,
                "answer": answer,
            }
        )
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
