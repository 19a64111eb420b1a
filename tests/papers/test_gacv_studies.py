"""The studies of the GACV report: each number against the machine it is said to come from."""

import numpy as np
import pandas as pd
import pytest
from _cases import cases

from companion import L1SVC
from companion.papers.gacv import example, fig_2, selection
from companion.papers.gacv.example import COSTS
from companion.reproduction import Values
from companion.tuning import gacv, gckl, misclass, xi_alpha

N = 50


@pytest.fixture(scope="module", params=example.CASES)
def machines(request):
    X, y, probability = example.sample(7, N)
    return selection.train(X, y, probability, request.param, "coarse")


def machine(machines, k, j):
    """The machine of one cell, fitted alone."""
    C = 1 / (2 * N * machines.lam[j])
    gamma = 1 / (2 * machines.sigma[k] ** 2)
    alone = L1SVC(C=C, gamma=gamma, class_weight=COSTS[machines.case], tol=1e-6)
    return alone.fit(machines.X, machines.y)


@cases("cell", (2, 1), (5, 4), (7, 8))
def test_a_cell_of_the_surfaces_is_the_criterion_of_a_machine_fitted_alone(
    machines, cell
):
    fitted = machine(machines, *cell)
    X = machines.X
    y = machines.y
    surfaces = selection.one_fit_criteria(machines)
    p = machines.probability
    alone = {
        "gckl": gckl(fitted, X, p),
        "misclass": misclass(fitted, X, p),
        "gacv": gacv(fitted, X, y),
        "xa": xi_alpha(fitted, X, y),
    }
    alone["xa_2"] = xi_alpha(fitted, X, y, rho=2, bound=1.0)
    alone["xa_half"] = xi_alpha(fitted, X, y, rho=0.5)
    for name, value in alone.items():
        slack = 5e-3 if name in ("gacv", "gckl") else 2.1 * machines.cost.max() / N
        assert surfaces[name][cell] == pytest.approx(value, abs=slack), name


def test_ties_are_all_found_and_the_middle_one_is_shown():
    criterion = np.array([[3.0, 1.0, 1.0], [2.0, 1.0 + 1e-15, 4.0], [5.0, 5.0, 2.0]])
    choice = selection.choose(criterion)
    assert choice.tied.sum() == 3
    assert choice.cell == (0, 1)


def test_one_cell_is_as_far_apart_as_its_corners_are():
    lam, sigma = example.grid_of("fine")
    steps = np.log10([lam[0] / lam[1], (sigma[1] / sigma[0]) ** 2])
    assert np.hypot(*steps) <= fig_2.CELL < np.hypot(*steps) + 1e-3


def test_a_claim_is_the_mean_of_an_expression_over_the_repetitions_that_have_it():
    table = pd.DataFrame(
        {"one": [1.0, 2.0, 5.0, 9.0], "other": [2.0, 4.0, 3.0, np.nan]}
    )
    out = Values()
    claims = {"more": "one - other", "apart": "abs(one - other)"}
    out.add_claims("a row", table, claims, converged=False, reading="another")
    found = out.frame().set_index("column")
    assert found.value.to_dict() == pytest.approx({"more": -1 / 3, "apart": 5 / 3})
    assert (found.n == 3).all()
    assert not found.converged.any()
    assert (found.reading == "another").all()
    expected = np.std([-1, -2, 2], ddof=1) / np.sqrt(3)
    assert found.se["more"] == pytest.approx(expected)
