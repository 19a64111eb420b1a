"""The studies of the GACV report: each number against the machine it is said to come from."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from companion import L1SVC
from companion.papers.gacv import example, selection
from companion.papers.gacv.example import COSTS
from companion.reproduction.units import seed_for
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


@pytest.mark.parametrize("cell", [(2, 1), (5, 4), (7, 8)])
def test_a_cell_of_the_surfaces_is_the_criterion_of_a_machine_fitted_alone(
    machines, cell
):
    fitted = machine(machines, *cell)
    X = machines.X
    y = machines.y
    surfaces = selection.one_fit_criteria(machines)
    p = machines.probability
    alone = {"gckl": gckl(fitted, X, p), "misclass": misclass(fitted, X, p)}
    alone |= {"gacv": gacv(fitted, X, y), "xa": xi_alpha(fitted, X, y)}
    alone["xa_2"] = xi_alpha(fitted, X, y, rho=2, bound=1.0)
    alone["xa_half"] = xi_alpha(fitted, X, y, rho=0.5)
    for name, value in alone.items():
        slack = 5e-3 if name in ("gacv", "gckl") else 2.1 * machines.cost.max() / N
        assert surfaces[name][cell] == pytest.approx(value, abs=slack), name


def test_cross_validation_is_that_of_scikit_learn_with_the_costs(machines):
    state = int(seed_for("gacv", "folds", 5, "a test").generate_state(1)[0] % 2**31)
    folds = StratifiedKFold(5, shuffle=True, random_state=state)
    rates = selection.cross_validated_rates(machines, 5, "a test")
    for k, j in ((3, 2), (6, 5)):
        held_out = cross_val_predict(
            machine(machines, k, j), machines.X, machines.y, cv=folds
        )
        rate = np.mean(machines.cost * (held_out != machines.y))
        assert rates[k, j] == pytest.approx(rate, abs=1.1 * machines.cost.max() / N)


def test_ties_are_all_found_and_the_middle_one_is_shown():
    criterion = np.array([[3.0, 1.0, 1.0], [2.0, 1.0 + 1e-15, 4.0], [5.0, 5.0, 2.0]])
    choice = selection.choose(criterion)
    assert choice.tied.sum() == 3
    assert choice.cell == (0, 1)


def test_the_valley_of_a_tilted_strip_has_its_length_width_and_slope():
    lam = 10.0 ** np.linspace(0, -6, 121)
    sigma = 10.0 ** np.linspace(-1, 1, 81)
    u, v = np.meshgrid(np.log10(lam), 2 * np.log10(sigma))
    # 3 decades long and 1 wide, falling to the right at 30 degrees, around (-3, 0)
    angle = -np.pi / 6
    along = (u + 3) * np.cos(angle) + v * np.sin(angle)
    across = -(u + 3) * np.sin(angle) + v * np.cos(angle)
    surface = np.where((abs(along) <= 1.5) & (abs(across) <= 0.5), 1.0, 2.0)
    surface[np.unravel_index(np.argmin(along**2 + across**2), surface.shape)] = 0.95
    shape = selection.valley(surface, lam, sigma)
    assert shape.length == pytest.approx(3, rel=0.05)
    assert shape.width == pytest.approx(1, rel=0.05)
    assert shape.tilt < -0.4
    assert shape.axis == pytest.approx([np.cos(angle), np.sin(angle)], abs=0.02)
    end = np.array([-3 + 1.5 * np.cos(angle), 1.5 * np.sin(angle)])
    assert shape.position(end) == pytest.approx(1, abs=0.05)
    assert shape.decades == pytest.approx(1 / np.sin(-angle), abs=0.1)
