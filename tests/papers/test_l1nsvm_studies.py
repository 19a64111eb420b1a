"""What the studies compute, against direct computations."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from companion.datasets import load_ida, two_gaussians
from companion.kernels import gram
from companion.metrics import Mean
from companion.papers.l1nsvm import (
    beyond,
    fig_1,
    identical_points,
    machines,
    table_1,
    table_2,
)
from companion.papers.l1nsvm import table_2_studies as studies
from companion.papers.l1nsvm.machines import (
    MACHINES,
    solve,
    solve_along_C,
    width_to_gamma,
)
from companion.papers.summaries import Values, standard_error_of_spread
from companion.reproduction.run import read_stored
from companion.reproduction.verdicts import compare_row


@pytest.fixture(scope="module")
def titanic():
    data = load_ida("titanic")
    rows = np.random.default_rng(0).permutation(len(data.y))[:300]
    return data.X[rows], data.y[rows]


@pytest.fixture(scope="module")
def distinct():
    return fig_1.toy_problem(3, "two_at_random")[:2]


@pytest.mark.parametrize("machine", studies.SEARCHED)
@pytest.mark.parametrize("sample", ["titanic", "distinct"])
def test_cross_validated_errors_equal_plain_refits(machine, sample, request):
    X, y = request.getfixturevalue(sample)
    folds = list(StratifiedKFold(4, shuffle=True, random_state=1).split(X, y))
    C_values = [1.0, 10.0]
    gamma = 0.3
    grid = {"C_values": C_values, "splits": folds}
    n_wrong, violation, converged = studies.cross_validated_errors(
        machine, X, y, gamma, **grid
    )
    assert converged.all() and violation.max() <= 1e-3
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


@pytest.mark.parametrize("machine", MACHINES)
def test_training_along_C_ends_where_training_from_zero_ends(machine, distinct):
    X, y = distinct
    K = gram(X, gamma=0.2)
    C_values = [0.5, 2.0, 8.0, 100.0]
    path = list(solve_along_C(machine, K, y, C_values, tol=1e-8))
    for C, result in zip(C_values, path, strict=True):
        cold = solve(machine, K, y, C, tol=1e-8)
        assert result.objective == pytest.approx(cold.objective, rel=1e-7)


@pytest.mark.parametrize("cell", table_1.CELLS)
def test_the_primal_of_a_cell_has_the_optimum_of_its_machine(cell):
    X, y = table_1.sample(draw=7)
    w, b, objective = table_1.solve_primal(X, y, 1.0, *cell)
    result = solve(table_1.CELLS[cell], gram(X, kernel="linear"), y, 1.0, tol=1e-9)
    assert objective == pytest.approx(-result.objective, rel=1e-7)
    np.testing.assert_allclose(X.T @ (y * result.alpha), w, atol=1e-5)
    if cell != ("inequality", "absolute"):
        assert b == pytest.approx(result.intercept, abs=1e-4)


def test_a_draw_of_the_figure_depends_on_its_number_alone():
    first = fig_1.toy_problem(5, "two_deepest")
    again = fig_1.toy_problem(5, "two_deepest")
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    X, y, flipped = fig_1.toy_problem(5)
    assert len(flipped) == 0
    np.testing.assert_array_equal(X, first[0])
    assert (y != first[1]).sum() == 2


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
    np.testing.assert_allclose(K @ (y * even), K @ (y * result.alpha), atol=1e-9)
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


def test_the_sparsity_of_a_set_is_taken_where_it_holds_least():
    rows = []
    shares = {
        "LS": (150, 100),
        "Least 1-Norm": (70, 96),
        "L1": (70, 90),
        "L2": (60, 60),
    }
    for (machine, n_sv), (split, settings, tol) in product(
        shares.items(),
        [(1, "matched", 2e-3), (2, "matched", 2e-3), (1, "chosen", 1e-3)],
    ):
        for (name, n), count in zip(
            {"titanic": 150, "heart": 100}.items(), n_sv, strict=True
        ):
            for order, n_iter in (("first_order", 10), ("second_order", 5 + split)):
                row = {
                    "dataset": name,
                    "machine": machine,
                    "settings": settings,
                    "tol": tol,
                }
                row |= {
                    "selection": order,
                    "split": split,
                    "n_iter": n_iter,
                    "n_sv": count,
                }
                rows.append({**row, "n_train": n, "n_wrong": 1, "n_test": 10})
    frame = pd.DataFrame(rows)
    out = Values()
    sets = {name: frame[frame.dataset == name] for name in ("titanic", "heart")}
    table_2._add_sparsity(out, sets)
    found = out.frame()
    read = found[(found.reading != "") | ~found.column.duplicated(keep=False)]
    assert read.set_index("column")["value"].to_dict() == pytest.approx(
        {
            "least share of SVs, all but Least 1-Norm on Titanic": 0.96,
            "largest |LS - Least 1-Norm| share of SVs": 80 / 150,
            "share of SVs, Least 1-Norm - L1, Titanic": 0.0,
            "largest share of SVs, L1 - Least 1-Norm, but Titanic": -0.06,
            "largest share of SVs, L1": 0.9,
            "largest second-order / first-order #It., Least 1-Norm": 0.65,
        }
    )


def test_the_grid_says_on_which_share_of_it_either_machine_is_faster():
    faster = {
        "titanic": 3,
        "heart": 1,
        "breast-cancer": 4,
        "german": 2,
    }  # cells of 4 where LS is
    rows = []
    for (name, n), machine, split in product(faster.items(), machines.MACHINES, (1, 2)):
        for k in range(4):
            first = 10 if machine != "LS" else 5 if k < n else 20
            row = {
                "dataset": name,
                "machine": machine,
                "split": split,
                "log10_sigma": float(k),
            }
            rows.append({**row, "first_C0": first, "second_C0": 20, "converged": True})
    out = Values()
    table_2._add_iterations(out, pd.DataFrame(rows))
    assert [row["value"] for row in out.rows] == [0.0, 0.75, 4.0, 10 / 16, 6 / 16]


def test_iterations_are_read_back_on_their_grid():
    first = {
        "dataset": "d",
        "machine": "LS",
        "second_C0": 10,
        "first_C0.5": 7,
        "second_C0.5": 14,
    }
    frame = pd.DataFrame(product((1, 2), (1.0, 0.0)), columns=["split", "log10_sigma"])
    frame = frame.assign(**first, first_C0=100 * frame.split + frame.log10_sigma)
    n_iter = table_2.iterations_of(frame, "d", "LS", "first")
    assert list(n_iter) == [(0.0, 0.0), (0.0, 1.0), (0.5, 0.0), (0.5, 1.0)]
    np.testing.assert_array_equal(n_iter[0.0], [[100, 101], [200, 201]])
    assert table_2.second_over_first(frame, "d", "LS")[0.5, 1.0].to_list() == [2.0, 2.0]
    worst = table_2.worst_second_order(frame, "LS")
    assert (worst.mean, worst.n) == (2.0, 1)


def test_one_repetition_decides_no_claim_and_equal_ones_have_no_spread():
    out = Values()
    out.add_mean("a", "b", Mean(-1.0, np.nan, 1))
    row = {
        "asks": "claim",
        "kind": "ordinal",
        "printed": "-",
        "relation": "> 0",
        "matters": np.nan,
    }
    row |= {"artefact": "x", "row": "a", "column": "b"}
    assert compare_row(row, {**out.rows[0], "overlap": 0.0}).outcome == "undecided"
    out.add_cell("a", "c", [0.1 + 0.2] * 7)
    assert out.rows[1]["spread"] == 0.0 == out.rows[2]["value"]


def test_the_spread_of_the_spread_is_that_of_a_simulation():
    samples = np.random.default_rng(0).binomial(1, 0.1, size=(4000, 100)).astype(float)
    estimates = [standard_error_of_spread(sample) for sample in samples[:400]]
    assert np.nanmean(estimates) == pytest.approx(
        samples.std(axis=1, ddof=1).std(), rel=0.1
    )


def test_the_grid_has_the_printed_ranges_at_both_ends():
    grid = studies.grid((0.0, 2.0), 0.25)
    assert (grid[0], grid[-1], len(grid)) == (0.0, 2.0, 9)
    assert width_to_gamma(2.0) == pytest.approx(0.01)


def test_the_error_on_new_points_is_that_of_many_of_them():
    X, y = two_gaussians(100_000, means=fig_1.MEANS, rng=0)
    w = np.array([-0.7, 0.4])
    b = 1.1
    wrong = 100 * np.mean(np.sign(X @ w + b) != y)
    assert fig_1.population_error(w, b) == pytest.approx(wrong, abs=0.3)


def test_a_draw_counts_the_points_beyond_the_support_hyperplane_of_each_class():
    row = fig_1.compute_draw(fig_1.FIG_1.unit(draw=4))
    X, y, _ = fig_1.toy_problem(4)
    w, b, _ = fig_1.train_linear("LS", X, y)
    values = X @ w + b
    assert row["beyond_LS_positive"] == pytest.approx(np.mean(values[y > 0] > 1))
    assert row["beyond_LS_negative"] == pytest.approx(np.mean(values[y < 0] < -1))


def test_identical_points_get_the_label_of_most_of_them():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [2.0]])
    y = np.array([-1, 1, -1, -1, 1, -1])
    assert identical_points.majority_tags(X, y).tolist() == [-1, -1, -1, -1, 1, 1]


@pytest.mark.parametrize(
    ("v", "angle"), [([0.0, 2.0], 90.0), ([3.0, 0.0], 0.0), ([-1.0, 0], 180)]
)
def test_rotation_is_the_angle_in_degrees(v, angle):
    assert fig_1.rotation(np.array([1.0, 0.0]), np.array(v)) == pytest.approx(angle)


def test_labels_are_switched_in_both_classes_alike_and_one_point_leaves_along_a_ray():
    (_, _, X, y), *found = fig_1.contaminated(3)
    np.testing.assert_array_equal(X, fig_1.toy_problem(3)[0])
    for kind, size, points, labels in found:
        if kind == fig_1.SWITCHED:
            wrong = [(labels[y == label] != label).mean() for label in (1, -1)]
            np.testing.assert_array_equal(points, X)
            np.testing.assert_allclose(wrong, size, atol=1e-12)
        else:
            start = fig_1.MEANS[kind != fig_1.OWN_SIDE]
            assert labels[-1] == 1 and np.linalg.norm(
                points[-1] - start
            ) == pytest.approx(size)
            away = np.linalg.norm(points[-1] - fig_1.MEANS, axis=1)
            assert kind == fig_1.BESIDE or away.max() == pytest.approx(
                size + np.sqrt(29)
            )


def test_what_is_wrong_with_a_draw_adds_to_the_error_of_the_clean_one():
    sizes = {
        fig_1.SWITCHED: (0.0, 0.1, 0.2),
        fig_1.BEHIND: (2.0, 5.0),
        fig_1.BESIDE: (2.0, 5.0),
    }
    rows = [(k, size, draw) for k in sizes for size in sizes[k] for draw in (1, 2)]
    frame = pd.DataFrame(rows, columns=["kind", "size", "draw"])
    for m, machine in enumerate(MACHINES):
        frame[f"error_{machine}"] = 10 * frame.draw + (1 + m) * frame["size"]
    table = beyond.of_machines(frame, "linear")
    added = beyond.rise(table, [fig_1.SWITCHED])
    np.testing.assert_allclose(added, [[0.15, 0.3, 0.45, 0.6]] * 2)
    added = beyond.rise(table, [fig_1.BEHIND, fig_1.BESIDE])
    np.testing.assert_allclose(added["LS"], [3.5, 3.5])


def test_cells_are_told_apart_beyond_four_standard_errors():
    drawn = pd.DataFrame(
        {"error": [20.0, 22.0] * 50, "n_sv": 150, "n_iter": [90, 110] * 50}
    )
    own = pd.DataFrame({"error": [21.0] * 10, "n_sv": 150, "n_iter": 111})
    assert beyond.told_apart(own, drawn) == []
    assert (
        beyond.told_apart(own.assign(n_sv=[149] + [150] * 9, n_iter=113), drawn) == []
    )
    assert beyond.told_apart(own.assign(n_sv=149, n_iter=125), drawn) == [
        "n_sv",
        "n_iter",
    ]
