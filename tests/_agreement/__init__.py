"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``yardstick`` what is minimised and what an answer is worth.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from _agreement.solvers import REFERENCE, SOLVERS, solvers_of
from _agreement.yardstick import machine_of
from companion._utils.threads import one_thread


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
