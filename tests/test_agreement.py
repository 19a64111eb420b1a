"""The agreement matrix: every solver on every problem, judged by one machine.

Tolerances: an objective is within 1e-6 of the optimum, relative, which no solver may claim but the
best dual objective of all shows. Decision values are within 1e-6 of the generic solver's, up to a
common shift, which is as small wherever the bias is unique.
"""

from dataclasses import replace
from functools import cache

import pytest
from _agreement import compare, solve
from _agreement.problems import MACHINES, MINIMUM_MARGIN, list_problems
from _agreement.solvers import REFERENCE, SOLVERS, solvers_of
from _agreement.yardstick import machine_of
from _cases import cases, each

PROBLEMS = {problem.name: problem for problem in list_problems()}
PAIRS = [
    (name, machine)
    for name, problem in PROBLEMS.items()
    for machine in problem.machines
]
CASES = [(*pair, solver) for pair in PAIRS for solver in solvers_of(pair[1])]
OURS = set(SOLVERS) - {"libsvm", REFERENCE}
SMALL_C = "two Gaussians, small C"

#: Decision values further apart: kernel values in single precision, a gap of 1e-7.
LARGEST = {"libsvm": 1e-4, "WLS, damped": 2e-3}
#: Single precision also costs libsvm some of its objective.
LARGEST_ERROR = {("twonorm", "L1", "libsvm"): 1e-5}
#: The plain iteration has a quadratic loss for slacks below 1e-7 and ends by its budget on two
#: problems.
UNFINISHED = {("twonorm", "L1", "WLS, damped"), ("ringnorm", "L1", "WLS, damped")}


def answer_of(solver, machine):
    return solve(SOLVERS[solver].run, machine)


@cache
def compared(problem, machine):
    return compare(PROBLEMS[problem], machine).set_index("solver")


@cases("problem, machine, solver", *CASES)
def test_a_solver_agrees(problem, machine, solver):
    row = compared(problem, machine).loc[solver]
    assert -1e-12 <= row["error"] <= LARGEST_ERROR.get((problem, machine, solver), 1e-6)
    apart = row["difference"] if problem != SMALL_C else row["shape"]
    assert apart <= LARGEST.get(solver, 1e-6)
    if solver in OURS and (problem, machine, solver) not in UNFINISHED:
        assert row["converged"]


def test_every_paper_machine_and_solver_takes_part():
    papers = {problem.paper for problem in PROBLEMS.values()}
    assert papers == {"l1nsvm", "gacv", "usvc", "wrsvm", "conformal"}
    assert {machine for _, machine in PAIRS} == {*MACHINES, MINIMUM_MARGIN}
    assert {solver for *_, solver in CASES} == set(SOLVERS)


@each(name=[*MACHINES, MINIMUM_MARGIN], what=["coef", "intercept", "multipliers"])
def test_the_yardstick_notices_a_wrong_answer(name, what):
    several = name == MINIMUM_MARGIN
    machine = machine_of(PROBLEMS["Example 3" if several else "two Gaussians"], name)
    answer = answer_of("structured interior point" if several else REFERENCE, machine)
    right = machine.judge(answer)
    wrong = machine.judge(replace(answer, **{what: getattr(answer, what) * 1.02}))
    assert abs(right.primal - right.dual) < 1e-10 * right.primal
    assert wrong.primal - wrong.dual > 1e-6 * wrong.primal
    if not several:
        assert (wrong.dual < right.dual) == (what == "multipliers")
        assert (wrong.primal > right.primal) == (what != "multipliers")


def test_the_shape_of_decision_values_forgives_a_shift_and_nothing_else():
    def shifted(machine):
        answer = answer_of(REFERENCE, machine)
        return replace(answer, intercept=answer.intercept + 0.25)

    row = compare(PROBLEMS["two Gaussians"], "L1", {"shifted": shifted}).iloc[0]
    assert row["difference"] == pytest.approx(0.25)
    assert row["shape"] < 1e-12 < 1e-3 < row["error"]
