"""Where the print of the Unbiased SVC paper is wrong, shown by computation.

The densities, the weights of (22), the constant k and the bound on the damping have their tests
beside the generator, the loss and the solver.
"""

import numpy as np
import pytest
from _or_skip import or_skip

from companion.datasets import ringnorm
from companion.papers.usvc import fig_3_4, linear, machines, table_3
from companion.papers.usvc.splits import split, wrong
from companion.reproduction.published import load_published
from companion.solvers import Design


def printed(row, column):
    frame = load_published("usvc")
    return float(frame[(frame.row == row) & (frame.column == column)].value.iloc[0])


def binomial_deviation(error, n=machines.N_PATTERNS):
    """Standard deviation in per cent of an error counted on n independent patterns."""
    return np.sqrt(error * (100 - error) / n)


@pytest.mark.parametrize("quantity", ["CE train (%)", "CE test (%)"])
def test_the_printed_spread_of_least_squares_in_case_b_is_below_the_binomial_one(quantity):
    row = f"Case B, {quantity}"
    assert printed(row, "LS ±") < binomial_deviation(printed(row, "LS"))
    assert printed(row, "SVC ±") > binomial_deviation(printed(row, "SVC"))


def test_a_spread_of_the_error_needs_a_spread_of_the_threshold():
    """Case B is flat between .5 and .7: thresholds within .56 +- .02 all have 20 %, +- 1.8."""
    error = fig_3_4.theoretical_error("B", np.linspace(0.5, 0.7, 21))
    assert error == pytest.approx(20.0, abs=1e-9)
    assert printed("Case B, CE test (%)", "USVC s=4 ±") > 2.5 * binomial_deviation(20.0)
    assert printed("Case B, Th", "USVC s=4 ±") < 0.05


def test_without_a_bias_the_machine_on_prototypes_does_not_solve_ringnorm():
    X, y = ringnorm(1500, np.random.default_rng(0))
    centres = table_3.prototypes("Ringnorm", 1, X[:1000], 30)
    error = {}
    for bias in (True, False):
        design = table_3.design_on(X, centres, 4.0, bias)
        paths = table_3.both_paths(design.take(np.arange(1000)), y[:1000].astype(float))[1]
        normals = [np.append(machine.w, machine.intercept) for machine in paths]
        error[bias] = min(wrong(design.augmented[1000:] @ w, y[1000:]) for w in normals) / 500
    assert error[True] < 0.04 < error[False]


def test_least_squares_is_not_the_solution_that_the_others_share_on_separable_data():
    part = or_skip(split)("Dermat", 1)
    found = linear.paths(linear.Design.linear(part.X), part.y, (1e3,))
    normals = {name: points[0][:-1] for name, (points, _) in found.items()}
    directions = {name: w / np.linalg.norm(w) for name, w in normals.items()}
    assert directions["USVC"] @ directions["SVMlight"] > 1 - 1e-4
    assert directions["LS"] @ directions["SVMlight"] < 0.95


def test_an_optimal_machine_of_case_b_can_have_no_threshold():
    """Trial 26: more than three quarters of the patterns are +1, and no slope pays."""
    X, y = machines.sample("B", "train", 26)
    svc = machines.fit(Design.linear(X), y, machines.C)
    assert svc.converged and np.all(svc.decision_function > 0.99)
    assert svc.objective == pytest.approx(2 * machines.C * np.sum(y < 0), rel=1e-5)
