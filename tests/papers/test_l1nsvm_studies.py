"""What the studies compute, against direct computations."""

import numpy as np
import pandas as pd
import pytest
from _cases import cases, each
from numpy.testing import assert_allclose
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from companion.datasets import load_ida, two_gaussians
from companion.kernels import gram
from companion.papers.l1nsvm import fig_1, identical_points, machines, table_1, table_2
from companion.papers.l1nsvm import table_2_studies as studies
from companion.papers.l1nsvm.machines import solve
from companion.reproduction.run import read_stored
from companion.reproduction.values import values_from


@pytest.fixture(scope="module")
def titanic():
    data = load_ida("titanic")
    rows = np.random.default_rng(0).permutation(len(data.y))[:300]
    return data.X[rows], data.y[rows]


@pytest.fixture(scope="module")
def distinct():
    return fig_1.toy_problem(3, "two_at_random")[:2]


@each(machine=studies.SEARCHED, sample=["titanic", "distinct"])
def test_cross_validated_errors_equal_plain_refits(machine, sample, request):
    X, y = request.getfixturevalue(sample)
    folds = list(StratifiedKFold(4, shuffle=True, random_state=1).split(X, y))
    C_values = [1.0, 10.0]
    gamma = 0.3
    grid = {"C_values": C_values, "splits": folds}
    n_wrong, converged = studies.cross_validated_errors(machine, X, y, gamma, **grid)
    assert converged.all()
    K = gram(X, gamma=gamma)
    for row, C in zip(n_wrong, C_values, strict=True):
        for count, (train, test) in zip(row, folds, strict=True):
            result = solve(machine, K[np.ix_(train, train)], y[train], C, tol=1e-6)
            decision = (
                K[np.ix_(test, train)] @ (y[train] * result.alpha) + result.intercept
            )
            wrong = np.where(decision > 0, 1, -1) != y[test]
            # A decision value within the tolerance of zero may fall on either side.
            assert abs(count - wrong.sum()) <= (np.abs(decision) < 5e-3).sum()
    if (machine, sample) == ("L1", "distinct"):
        peer = cross_val_predict(SVC(C=1.0, gamma=gamma, tol=1e-6), X, y, cv=folds)
        assert n_wrong[0].sum() == (peer != y).sum()


def primal(w, b, X, y, C, constraints, slacks):
    """The primal of a cell of Table 1 at w and b, with the slacks that they need."""
    slack = 1 - y * (X @ w + b)
    if constraints == "inequality":
        slack = np.maximum(slack, 0)
    cost = C * np.abs(slack) if slacks == "absolute" else C / 2 * slack**2
    return w @ w / 2 + cost.sum()


@each(C=table_1.C_VALUES, cell=table_1.CELLS)
def test_the_machine_of_a_cell_solves_its_primal(cell, C):
    """Its primal is its dual, below which no primal can be."""
    for draw in (1, 7, 50):
        X, y = table_1.sample(draw)
        K = gram(X, kernel="linear")
        result = solve(table_1.CELLS[cell], K, y, C, tol=1e-9, max_iter=10**7)
        w = X.T @ (y * result.alpha)
        value = primal(w, result.intercept, X, y, C, *cell)
        assert value == pytest.approx(-result.objective, rel=1e-7)


@cases("C", *table_1.C_VALUES)
def test_slacks_of_one_sign_are_the_least_with_no_point_beyond_its_hyperplane(C):
    X, y = table_1.sample(7)
    result = table_1.solve_one_sided(gram(X, kernel="linear"), y, C)
    slack = 1 - y * result.decision_function
    assert slack.min() > -1e-8
    w = X.T @ (y * result.alpha)
    assert w @ w / 2 + C * slack.sum() == pytest.approx(-result.objective, rel=1e-7)


def test_separability_is_decided_exactly():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert fig_1.is_separable(X, np.array([1, -1, 1, -1]))
    assert not fig_1.is_separable(X, np.array([1, 1, -1, -1]))


def test_sharing_multipliers_evenly_changes_no_decision(titanic):
    X, y = titanic
    K = gram(X, gamma=1.0)
    result = solve(
        "Least 1-Norm", K, y, 1.0, tol=1e-8, selection="first_order", accelerate=False
    )
    even = identical_points.share_evenly(result.alpha, X, y)
    assert_allclose(K @ (y * even), K @ (y * result.alpha), atol=1e-9)
    assert np.count_nonzero(even) > 1.5 * np.count_nonzero(result.alpha)


def test_the_lowest_error_is_chosen_and_ties_go_to_the_smaller_C():
    cells = [(0.0, 0.0, 9), (0.0, 1.0, 4), (1.0, 0.0, 4), (1.0, 1.0, 5)]
    search = pd.DataFrame(cells, columns=["log10_C", "log10_sigma", "n_wrong"])
    search = search.assign(
        dataset="d", machine="LS", part=table_2.ALL_ROWS, n_rows=10, repeats=2
    )
    assert table_2.chosen_setting(search, "d", "LS") == (0.0, 1.0)
    assert table_2.search_surface(search, "d", "LS").loc[0.0, 1.0] == pytest.approx(
        20.0
    )


def test_the_settings_as_printed_are_those_of_the_recorded_search():
    search = read_stored(studies.TABLE_2_SEARCH).frame
    for name, settings in machines.CHOSEN.items():
        for machine, setting in settings.items():
            assert table_2.chosen_setting(search, name, machine) == setting


def test_a_reading_that_a_low_error_chose_judges_no_error():
    records = {s.name: read_stored(s).frame for s in table_2.STUDIES}
    found = values_from(table_2.VALUES, records)
    judged = found[found.reading == table_2.READING].column
    assert judged.str.contains("#SV").any()
    assert not judged.str.contains("% err.").any()


def test_the_error_on_new_points_is_that_of_many_of_them():
    X, y = two_gaussians(100_000, means=fig_1.MEANS, rng=0)
    w = np.array([-0.7, 0.4])
    b = 1.1
    wrong = 100 * np.mean(np.sign(X @ w + b) != y)
    assert fig_1.population_error(w, b) == pytest.approx(wrong, abs=0.3)
