"""The agreement matrix: every solver on every problem, judged by one machine.

Tolerances: an objective is within 1e-6 of the optimum, relative, which no solver may claim but the
best dual objective of all shows. Decision values differ by no more than the two objectives allow;
see ``companion.agreement.yardstick`` for the bound. libsvm, whose kernel values are in single
precision, may lose what these cost.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from _cases import cases, each, refused

from companion import agreement
from companion.agreement import MACHINES, MINIMUM_MARGIN, SOLVERS, Answer, compare, machine_of

PROBLEMS = {problem.name: problem for problem in agreement.list_problems("paper")}
PAIRS = [(name, machine) for name, problem in PROBLEMS.items() for machine in problem.machines]
CASES = [(*pair, solver) for pair in PAIRS for solver in agreement.solvers_of(pair[1])]
GENERIC = "generic QP (Clarabel)"
OURS = set(SOLVERS) - {"libsvm", GENERIC}
SMALL_C = "two Gaussians, small C"

#: What no solver may differ by where the bias is unique, whatever its objective would allow.
LARGEST = {"libsvm": 1e-4, "WLS, damped": 2e-3}
#: The plain iteration has a quadratic loss for slacks below 1e-7 and ends by its budget on two
#: problems.
UNFINISHED = {("twonorm", "L1", "WLS, damped"), ("ringnorm", "L1", "WLS, damped")}


def answer_of(solver, machine):
    return agreement.solve(SOLVERS[solver].run, machine)[0]


@cache
def compared(problem, machine):
    return compare(PROBLEMS[problem], machine).set_index("solver")


@pytest.mark.parametrize(("problem", "machine", "solver"), CASES)
def test_a_solver_agrees(problem, machine, solver):
    row = compared(problem, machine).loc[solver]
    assert -1e-12 <= row["error"] <= row["allowed"] and row["difference"] <= row["bound"]
    apart = row["difference"] if problem != SMALL_C else row["shape"]
    assert apart <= LARGEST.get(solver, 1e-6)
    assert row["bound"] <= (0.1 if problem != SMALL_C else 2.0)
    if solver in OURS and (problem, machine, solver) not in UNFINISHED:
        assert row["converged"]
    assert np.isnan(row["gap"]) or row["gap"] >= -1e-12


def test_only_libsvm_is_allowed_more_than_1e_6_and_needs_it_once():
    rows = pd.concat([compared(*pair) for pair in PAIRS])
    worse = rows[rows["error"] > 1e-6]
    assert set(zip(worse["problem"], worse.index, strict=True)) <= {("twonorm", "libsvm")}
    assert rows.drop(index="libsvm")["allowed"].max() == 1e-6


def test_every_paper_machine_and_solver_takes_part():
    for problems in (PROBLEMS.values(), agreement.list_problems("quick")):
        papers = {problem.paper for problem in problems}
        assert papers == {"l1nsvm", "gacv", "usvc", "wrsvm", "conformal"}
    assert {machine for _, machine in PAIRS} == {*MACHINES, MINIMUM_MARGIN}
    assert {solver for *_, solver in CASES} == set(SOLVERS)


@each(name=[*MACHINES, MINIMUM_MARGIN], what=["coef", "intercept", "multipliers"])
def test_the_yardstick_notices_a_wrong_answer(name, what):
    several = name == MINIMUM_MARGIN
    machine = machine_of(PROBLEMS["Example 3" if several else "two Gaussians"], name)
    answer = answer_of("structured interior point" if several else GENERIC, machine)
    right = machine.judge(answer)
    wrong = machine.judge(replace(answer, **{what: getattr(answer, what) * 1.02}))
    assert abs(right.relative_gap) < 1e-10 < 1e-6 < wrong.relative_gap
    if not several:
        assert (wrong.dual < right.dual) == (what == "multipliers")
        assert (wrong.primal > right.primal) == (what != "multipliers")


def test_a_wrong_solver_fails_the_comparison_and_stays_within_its_bound():
    problem = PROBLEMS["gacv standard"]

    def careless(machine):
        answer = answer_of("SMO, accelerated", machine)
        beta = answer.multipliers * 0.999
        return replace(answer, coef=beta, multipliers=beta)

    runs = {name: SOLVERS[name].run for name in ("libsvm", "SMO, accelerated")}
    rows = compare(problem, "L1", runs={"careless": careless, **runs}).set_index("solver")
    assert rows.loc["careless", "error"] > 1e-6 == rows.loc["careless", "allowed"]
    assert 1e-4 < rows.loc["careless", "difference"] <= rows.loc["careless", "bound"]
    assert rows.index[rows["reference"]].tolist() == ["SMO, accelerated"]


@pytest.mark.parametrize(("problem", "machine"), PAIRS)
def test_the_bound_holds_for_machines_that_are_far_from_optimal(problem, machine):
    """It is a theorem about any two machines, so that random ones must obey it."""
    machine = machine_of(PROBLEMS[problem], machine)
    answer = answer_of(GENERIC, machine)
    best, rng = machine.judge(answer), np.random.default_rng(0)
    for size in (1e-6, 1e-3, 0.1, 1.0):
        noise = rng.normal(size=answer.coef.shape) * np.abs(answer.coef).max()
        shift = rng.normal(size=np.shape(answer.intercept))
        shift -= shift.mean() if shift.ndim else 0.0
        coef = answer.coef + size * (noise - noise.mean(axis=0))
        moved = replace(answer, coef=coef, intercept=answer.intercept + size * shift)
        other = machine.judge(moved)
        difference = np.abs(other.values - best.values).max()
        assert difference <= machine.bound(best, other.primal, best.primal)
        low, high = machine.bias_interval(best, other.primal)
        assert np.all((low <= moved.intercept) & (moved.intercept <= high))


@pytest.mark.parametrize("machine", [*MACHINES, MINIMUM_MARGIN])
def test_no_multipliers_have_a_dual_objective_above_the_optimum(machine):
    """Whatever is handed in is made feasible first: the dual objective is a bound."""
    name = "Example 2" if machine == MINIMUM_MARGIN else "two Gaussians"
    machine, rng = machine_of(PROBLEMS[name], machine), np.random.default_rng(1)
    answer = answer_of(GENERIC, machine)
    optimum = machine.judge(answer).primal
    for size in (1e-3, 0.1, 10.0):
        noise = size * rng.normal(size=answer.multipliers.shape)
        judged = machine.judge(replace(answer, multipliers=answer.multipliers + noise))
        assert judged.dual <= optimum * (1 + 1e-12)


def test_where_points_are_identical_multipliers_differ_and_machines_do_not():
    table = agreement.identical_points(PROBLEMS["Titanic"], "L1").set_index("solver")
    others = table.drop(index=GENERIC)
    assert others.loc["SMO, first order", "multipliers"] > 0.1
    assert others.loc["structured interior point", "multipliers"] < 1e-6
    assert others["sums"].max() < 1e-2 and others["difference"].max() < 2e-3
    assert others.drop(index="WLS, damped")["sums"].max() < 1e-6


@pytest.mark.parametrize("machine", ["L1", "Least 1-Norm"])
def test_where_the_bias_is_free_every_solver_has_one_of_the_interval(machine):
    table = agreement.biases(PROBLEMS[SMALL_C], machine)
    assert (table["high"] - table["low"]).min() > 1.0
    assert ((table["low"] <= table["bias"]) & (table["bias"] <= table["high"])).all()
    assert np.ptp(table["bias"]) > 0.1


def test_damping_makes_weighted_least_squares_settle_on_separable_data():
    table = agreement.damping(PROBLEMS["twonorm"]).set_index("solver")
    assert table.loc["WLS, damping 0", "error"] > 0.1 and not table.loc["WLS, damping 0"].converged
    assert table.loc["WLS, damping 0.5", "error"] <= 1e-6
    assert (table["difference"] <= table["bound"]).all()


def test_single_precision_costs_libsvm_its_last_digits_at_large_costs():
    table = agreement.large_costs(PROBLEMS["gacv standard"], "L1", [0.1, 1e3])
    errors = table.pivot(index="solver", columns="C", values="error")
    assert errors.loc["libsvm", 0.1] < 1e-6 < errors.loc["libsvm", 1e3]
    assert errors.loc[["SMO, accelerated", GENERIC]].max().max() < 1e-9
    assert (table["error"] <= table["allowed"]).all()


@pytest.mark.parametrize("machine", ["LS", "L1"])
def test_left_out_decisions_in_closed_form_are_those_of_training_again(machine):
    table = agreement.left_out(PROBLEMS["two Gaussians"], machine)
    assert len(table) and (table["difference"] < 1e-6).all()


def test_tables_count_what_the_frame_holds():
    frame = compared("two Gaussians", "L1").reset_index()
    counts = agreement.solver_table(frame).set_index("solver")
    assert (counts["problems"] == 1).all() and (counts["objective within 1e-6"] == 1).all()
    assert counts.loc[GENERIC, "largest error"] == "≤ 1e-8"
    (line,) = agreement.problem_table(frame).to_dict("records")
    assert line["solvers"] == line["objectives agree"] == len(frame) and line["bias"] == "unique"
    worse = frame.assign(error=frame["error"] + 1e-5, difference=frame["difference"] + 1e3)
    assert (agreement.solver_table(worse)["objective within 1e-6"] == 0).all()
    assert (agreement.solver_table(worse)["decisions within bound"] == 0).all()
    assert set(agreement.difference_table(worse, "L1")["two Gaussians"]) == {"> 1e-2"}
    matrix = agreement.agreement_matrix(frame)
    assert list(matrix.index) == agreement.solvers_of("L1")
    assert matrix.columns.to_list() == [("l1nsvm", "two Gaussians", "L1")]


@cases("value, text", (0.0, "1e-8"), (1e-8, "1e-8"), (2e-8, "1e-6"), (1e-3, "1e-2"))
def test_orders_are_classes(value, text):
    assert agreement.order(value) == f"≤ {text}"
    assert agreement.order(1.0) == "> 1e-2" and agreement.order(np.nan) == ""
    assert agreement.order(1e-12, 1e-4) == "≤ 1e-4"


def test_a_machine_that_is_not_of_the_problem_is_refused():
    refused("'twonorm' is a problem for L1, LS. Got 'L2'", machine_of, PROBLEMS["twonorm"], "L2")


def test_an_answer_without_multipliers_has_no_dual_objective():
    problem = PROBLEMS["two Gaussians"]
    n = len(problem.y)
    judged = machine_of(problem, "L1").judge(Answer(np.zeros(n), 0.0, None, 0, True))
    assert np.isnan(judged.dual) and judged.feasible is None
    assert judged.primal == pytest.approx(problem.C * n)
