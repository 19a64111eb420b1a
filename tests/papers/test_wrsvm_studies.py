"""Settings and tables of the weighted robust SVM paper."""

import numpy as np
import pytest

from companion.papers.wrsvm import examples, fig_1, simulation, table_1, table_3
from companion.solvers import Design, dca


def test_the_bayes_rule_maximises_the_expected_utility():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=50)
    U = rng.random((3, 3))
    expected = [
        [sum(q[true] * U[true, j] for true in range(3)) for j in range(3)] for q in p
    ]
    assert examples.bayes(p, U).tolist() == np.argmax(expected, axis=1).tolist()


def test_the_tuned_machine_is_the_one_of_its_C_and_best_on_the_tuning_sample():
    rng = np.random.default_rng(1)
    (X, y), (X_tune, y_tune) = (
        examples.piecewise_linear(60, rng, 0.15) for _ in range(2)
    )
    U = examples.utility(2, 0.4)
    design = Design.linear(X)
    C_values = [0.01, 0.1, 1.0]
    _, robust = examples.tuned_machines(design, y, X_tune, y_tune, U, C_values=C_values)
    scores = []
    for C in C_values:
        machine = dca(design, y, U, C, examples.S)
        f = X_tune @ machine.coef.T + machine.intercept
        scores.append(examples.mean_utility(U, y_tune, f.argmax(axis=1)))
        if robust.C == C:
            # 1/2 |V - V*|^2 is at most the gap, TOL of the objective, to which a path is solved
            distance = np.sqrt(2.0 * examples.TOL * machine.objective)
            reach = np.sqrt(1.0 + (X_tune**2).sum(axis=1)).max()
            decisions = X_tune @ robust.coef.T + robust.intercept
            assert np.allclose(decisions, f, atol=distance * reach, rtol=0.0)
            assert distance * reach < 0.1 * np.abs(f).max()
    assert C_values[int(np.argmax(scores))] == robust.C


def test_a_study_with_one_pair_differs_from_the_first_in_what_is_shared_alone():
    """Tuned and tested on their own samples, the machines are those of the first study."""
    U = examples.utility(2, 0.4)
    trained = table_1._trained(2, 0.4, 2)
    for number in (1, 2):
        (X, y), *others = simulation.samples("table_1", number)
        first = examples.machine_rows([(2, 0.4)], (Design.linear(X), y), *others)
        for _, _, row, _ in first:
            _, own = trained[row["machine"]]
            best = own["tuning"][number - 1].argmax()
            assert own["test"][number - 1, best] == pytest.approx(row["test"], abs=1e-7)
    tune, test, drawn = table_1._pair(1, 2)
    machines, own = trained["WRSVM"]
    best = [score.argmax() for score in table_1.worth(machines, *tune, U)]
    decided = [
        (test[0] @ v[k, :, :2].T + v[k, :, 2]).argmax(axis=1)
        for v, k in zip(machines, best, strict=True)
    ]
    both = [100 * U[test[1], j].mean() for j in decided]
    params = {"config": 2, "a": 0.4, "repetitions": 2, "draws": 1}
    found = table_1.compute_one_pair(table_1.TABLE_1_ONE_PAIR.unit(**params))
    row = next(row for row in found if row["machine"] == "WRSVM")
    assert 100 * row["mean_both"] == pytest.approx(np.mean(np.take(both, drawn)))
    on_own = [own["test"][i, best[i]] for i in drawn]
    assert row["mean_tuning"] == pytest.approx(np.mean(on_own))


def test_a_split_of_the_digits_takes_fifty_of_each_class_twice(monkeypatch):
    y = np.repeat([0, 1, 2], 120)
    monkeypatch.setattr(table_3, "digits", lambda: (np.arange(360)[:, None], y))
    train, tune, test = table_3.samples(1)
    for _, classes in (train, tune):
        assert np.bincount(classes).tolist() == [50, 50, 50]
    rows = np.concatenate([X[:, 0] for X, _ in (train, tune, test)])
    assert sorted(rows) == list(range(360))
    assert np.array_equal(y[rows], np.concatenate([train[1], tune[1], test[1]]))
    assert not np.array_equal(train[0], table_3.samples(2)[0][0])


def test_the_widths_are_medians_of_the_distances_to_other_classes_and_to_the_nearest():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 4.0], [0.0, 3.0]])
    y = np.array([0, 0, 1, 2])
    # pairs of different classes: 5, 3, sqrt(18), 2, sqrt(10), each counted twice
    assert examples.median_distance(X, y) == pytest.approx(np.sqrt(10))
    # nearest of another class: 3, 2, sqrt(10), 2
    assert examples.nearest_distance(X, y) == pytest.approx(2.5)


def test_equals_are_told_apart_by_the_rule_for_ties():
    rng = np.random.default_rng(3)
    X, y = examples.piecewise_linear(60, rng, 0.15)
    U = examples.utility(1, 0.0)
    path = examples.paths(Design.linear(X), y, U, [1e-3, 1.0, 1.0 + 1e-9])["WSVM"]
    least, largest = (examples.tuned(path, X, y, U, tie=tie).C for tie in examples.TIES)
    assert (least, largest) == (1.0, 1.0 + 1e-9)


def test_by_the_printed_shares_weighing_the_threes_loses_what_the_erratum_says():
    assert table_3.printed_worth(0.6) - table_3.printed_worth(0.0) == pytest.approx(
        -6.74, abs=5e-3
    )


def test_the_printed_means_stand_at_their_matrix_and_machine():
    printed = simulation.printed_means("table_1")
    assert printed.shape == (13, 2)
    assert printed.loc["U2,0.4", ["WSVM", "WRSVM"]].tolist() == [74.57, 71.88]


def test_the_best_rule_gives_class_1_less_of_the_square_the_more_its_mistakes_are_worth():
    shares = [fig_1.best_share(2, a) for a in (0.0, 0.4, 0.8)]
    assert shares[0] == pytest.approx(0.35, abs=0.02)  # a third, and more on its side
    assert shares == sorted(shares, reverse=True)
