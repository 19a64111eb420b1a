"""Settings, records and tables of the conformal kernel thesis."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from _cases import cases, each
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score
from sklearn.svm import SVC

from companion.papers.conformal import (
    causes,
    g_means,
    methods,
    problems,
    real_sets,
    real_sets_studies,
    today_studies,
)
from companion.papers.conformal.beyond_studies import best_shift, error_of
from companion.papers.experiment import split_rows
from companion.reproduction.published import load_published
from companion.reproduction.values import values_from
from companion.solvers.transformations import MDT


def small_problem(number=1, n=80, share=0.3):
    rng = np.random.default_rng(number)
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    X = rng.standard_normal((n, 3)) + y[:, None] * 0.6
    part = split_rows(X, y, slice(n // 2), slice(n // 2, None))
    return problems.problem_of(part, "test", number)


@pytest.fixture
def real_set(monkeypatch):
    """Seven folds of a made-up set under a printed name."""
    rng = np.random.default_rng(7)
    y = np.where(np.arange(120) < 40, 1.0, -1.0)
    X = np.column_stack([rng.standard_normal((120, 2)) + y[:, None], np.full(120, 3.0)])
    X[5, 0] = np.nan
    monkeypatch.setattr(problems, "load", lambda name: (X, y))
    problems.folds.cache_clear()
    yield problems.folds("Glass7", 1)
    problems.folds.cache_clear()


def test_folds_are_a_partition_of_their_number_standardised_on_their_training_parts(
    real_set,
):
    assert len(real_set) == 7
    assert sum(len(p.y_test) for p in real_set) == 120
    for p in real_set:
        assert np.isfinite(p.X).all()
        assert np.isfinite(p.X_test).all()
        assert_allclose(p.X.mean(axis=0), 0, atol=1e-12)
        assert_allclose(p.X.std(axis=0)[:2], 1)
        assert np.all(p.X[:, 2] == 0)
        assert abs((p.y_test > 0).mean() - 1 / 3) < 0.06
        assert np.array_equal(np.sort(np.r_[p.learn, p.validate]), np.arange(len(p.y)))
        for label in (-1, 1):  # V is a quarter of each class
            assert abs((p.y[p.validate] == label).sum() - (p.y == label).sum() / 4) <= 1
    problems.folds.cache_clear()
    again = problems.folds("Glass7", 1)
    other = problems.folds("Glass7", 2)
    assert np.array_equal(again[3].X, real_set[3].X)
    assert np.array_equal(again[3].validate, real_set[3].validate)
    assert not np.array_equal(other[3].X, real_set[3].X)


def test_the_base_machine_is_libsvms_with_squared_slacks():
    p = small_problem()
    K = np.exp(-cdist(p.X, p.X, "sqeuclidean") / 50) + 0.1 * np.eye(len(p.y))
    svc = SVC(C=1e10, kernel="precomputed", tol=1e-8).fit(K, p.y)
    far = np.exp(-cdist(p.X_test, p.X[svc.support_], "sqeuclidean") / 50)
    expected = far @ svc.dual_coef_[0] + svc.intercept_
    assert_allclose(methods.Part(p).plain_decision(), expected, atol=5e-3)


def test_the_best_shift_and_cut_are_the_best_of_all_and_precision_counts_common_patterns():
    rng = np.random.default_rng(9)
    f = rng.standard_normal(60)
    y = np.where(np.arange(60) < 15, 1.0, -1.0)
    shift, error = best_shift(f, y)
    every = min(error_of(f + s, y) for s in np.linspace(-4, 4, 4001))
    assert error == pytest.approx(error_of(f + shift, y))
    assert error <= every + 1e-12
    value, cut = today_studies.best_cut(f, y, moved=True)
    assert [1 - value, error_of(f - cut, y)] == pytest.approx([error, error])
    assert today_studies.best_cut(np.ones(60), y, moved=True) == (0.0, 0.0)
    ten = [np.r_[values[:15], np.tile(values[15:], 10)] for values in (y, f)]
    assert today_studies.precision(f, y, 30) == pytest.approx(
        average_precision_score(*ten)
    )


def test_a_box_holds_the_training_part_and_keeps_constant_columns():
    problem = problems.folds("Glass7", 1)[0]
    constant = np.column_stack([problem.X, np.ones(len(problem.X))])
    test_part = np.column_stack([problem.X_test, np.ones(len(problem.X_test))])
    boxed = problems.in_box(replace(problem, X=constant, X_test=test_part), -2.0, 2.0)
    assert boxed.X[:, :-1].min(axis=0) == pytest.approx(-2.0)
    assert boxed.X[:, :-1].max(axis=0) == pytest.approx(2.0)
    assert set(boxed.X[:, -1]) == set(boxed.X_test[:, -1]) == {-2.0}
    slope = np.ptp(problem.X_test, axis=0) / np.ptp(problem.X, axis=0)
    assert np.ptp(boxed.X_test[:, :-1], axis=0) == pytest.approx(4.0 * slope)


@pytest.mark.usefixtures("real_set")
def test_an_asterisk_is_that_no_fold_keeps_a_first_transformation():
    name = "TSVT-VMETA"
    parts = problems.folds("Sonar", 1)
    rows = [methods.all_rows(part, (name,))[0] for part in parts]
    kept = [row["n_transformations"] > 0 for row in rows]
    marks = [methods.all_rows(part, (), (name,))[0] for part in parts]
    assert [row["n_transformations"] > 0 for row in marks] == kept


def paired_records(gap, partitions=20):
    fixed = {
        "dataset": "Glass7",
        "false_alarms": 0,
        "n_positive": 10,
        "n_negative": 30,
        "n_tried": 1,
        "n_trained": 2,
    }
    cells = product(range(1, partitions + 1), range(7), methods.ALL)
    frame = pd.DataFrame(cells, columns=["partition", "fold", "method"])
    missed = np.random.default_rng(0).integers(1, 4, size=partitions * 7)
    n = (frame.method == "ACT").astype(int)
    counts = {
        "n_transformations": n,
        "missed": missed.repeat(len(methods.ALL)) + gap * n,
    }
    return frame.assign(**fixed, **counts, converged=True)


def printed_rows():
    rows = load_published("conformal")
    return rows.loc[rows.artefact == "real_sets", ["row", "column"]].to_numpy()


def more_of(name, inputs=real_sets_studies.STANDARDISED):
    """A later partition, in which all methods are alike."""
    row = {"inputs": inputs, "dataset": name, "partition": 51, "transformed": 0}
    row |= {"error": 0.2, "spread": 0.1, "converged": True, "p": 1.0}
    return pd.DataFrame([row | {"method": method} for method in methods.PRINTED])


def values_of(folds):
    records = dict.fromkeys(("boxed", "sizes"), pd.DataFrame()) | {"folds": folds}
    records["partitions"] = more_of(folds.dataset.iloc[0])
    return values_from(real_sets.VALUES, records).set_index(["row", "column"])


@cases("sign, side", (1, "worse"), (-1, "better"))
def test_a_test_with_a_side_counts_significant_differences_on_that_side(sign, side):
    frame = paired_records(2 * sign).assign(dataset="Segment1" if sign < 0 else "Sonar")
    frame["missed"] += 3
    table = values_of(frame)
    column = f"{frame.dataset[0]}: significant at 10 % and {side}"
    assert table.draws["Wilcoxon, ACT against SVM", column] == (1.0,) * 20 + (0.0,)
    assert table.draws["Wilcoxon, AMA against SVM", column] == (0.0,) * 21


def test_of_a_method_that_transforms_nowhere_what_its_transformations_do_is_not_known():
    frame = paired_records(2).assign(dataset="Sonar")
    table = values_of(frame)
    assert table.n["AMA - SVM", "Sonar: g-means error, folds that it transforms"] == 0
    assert table.n["ACT - SVM", "Sonar: g-means error, folds that it transforms"] == 20


def test_cells_means_and_tests_of_a_known_difference():
    frame = paired_records(2)
    boxed = real_sets_studies.cells(frame, ["dataset", "partition", "method"]).assign(
        p=1.0
    )
    mark = {"dataset": "Glass7", "partition": 21, "fold": 0, "method": "WIL"}
    mark = pd.DataFrame([mark | {"n_transformations": 1, "converged": True}])
    folds = pd.concat([frame, mark])
    records = {"folds": folds, "sizes": pd.DataFrame()}
    records["partitions"] = pd.concat(
        [more_of("Glass7"), more_of("Glass7", real_sets_studies.IN_BOX)]
    )
    both = values_from(real_sets.VALUES, records | {"boxed": boxed})
    read = both[both.reading == real_sets_studies.BOXED_READING]
    assert set(read.row.str.removesuffix(" - SVM")) <= set(methods.PRINTED)
    assert "SVM Glass7 ±" in set(read.row + " " + read.column)
    assert "ACT Glass7" in set(read.row + " " + read.column)
    assert "SVM Glass7" not in set(read.row + " " + read.column), "it chose the box"
    table = values_from(real_sets.VALUES, records | {"boxed": pd.DataFrame()})
    table = table.set_index(["row", "column"])
    assert table.value["ACT", "Glass7"] > table.value["SVM", "Glass7"]
    assert table.value["ACT - SVM", "Glass7: g-means error"] > 0.08
    significant = "Glass7: significant at 10 %"
    assert table.draws["Wilcoxon, ACT against SVM", significant] == (1.0,) * 20 + (0.0,)
    mark = "Glass7: no transformation"
    assert table.draws["ACT", mark] == (0.0,) * 20 + (1.0,)
    marks = (1.0,) * 20 + (0.0, 1.0)
    assert table.draws["WIL", mark] == marks, "with that of a mark alone"
    assert table.n["WIL", "Glass7"] == 21
    assert table.draws["WIL", "Glass7"] == table.draws["SVM", "Glass7"], (
        "by the caption"
    )
    gap = table.draws["ACT - SVM", "Glass7: difference of the cells"]
    assert gap[-1] == 0
    assert min(gap[:-1]) > 0.08
    assert np.allclose(gap, np.round(gap, 3))
    svm = frame[frame.method == "SVM"]
    folds = g_means.errors(svm).groupby(svm.partition)
    every = {"Glass7": [*folds.mean(), 0.2], "Glass7 ±": [*folds.std(ddof=1), 0.1]}
    for column, values in every.items():
        assert table.draws["SVM", column] == pytest.approx(values), "a partition each"
    assert table.draws["Wilcoxon, AMA against SVM", significant] == (0.0,) * 21
    assert set(table.index) <= set(map(tuple, printed_rows())), "none that nobody asks"
    shown = real_sets.asterisk_table(frame)
    assert shown.ACT[0] == "7.0"
    assert shown.WIL[0] == "0.0 *"


@cases("n, p", (7, 2 / 2**7), (5, 2 / 2**5), (3, 0.25))
def test_p_is_exact_without_ties_as_scipys_and_with_them(n, p):
    assert real_sets_studies.wilcoxon_p(np.arange(1.0, n + 1)) == pytest.approx(p)
    difference = np.random.default_rng(n).standard_normal(n)
    expected = wilcoxon(difference, method="exact").pvalue
    assert real_sets_studies.wilcoxon_p(difference) == pytest.approx(expected)
    # all 16 signs of four equal ranks: the extreme sums are 2 of 16
    assert real_sets_studies.wilcoxon_p([0.1, 0.1, 0.1, 0.1, 0.0]) == 2 / 16
    # ranks 1.5, 1.5, 3 with the signs +, +, -: sums 3 and 3, the middle of the distribution
    assert real_sets_studies.wilcoxon_p([0.1, 0.1, -0.2]) == 1.0
    assert real_sets_studies.wilcoxon_p([0.0, 0.0]) == 1.0


@dataclass(frozen=True)
class PrintedMDT(MDT):
    """MDT with the sign of the gradient by kappa that (5.3.16) and (5.3.22) are printed with."""

    def family(self, trained, rng):
        family = super().family(trained, rng)
        at = family.at

        def printed(parameters):
            c, pull_back = at(parameters)
            return c, lambda by_c: pull_back(by_c) * (-1.0, 1.0)

        family.at = printed
        return family


@each(draw=range(1, 4))
def test_with_the_printed_sign_the_search_of_mdt_stays_at_williams_kappa_and_else_does_not(
    draw,
):
    """So that its errors on the board are those of Williams's transformation."""
    part = methods.Part(problems.board(draw))
    williams, right, printed = (
        part.transformed(rule, max_transforms=1).history[1]["parameters"]
        for rule in ("williams", MDT(), PrintedMDT())
    )
    assert printed["kappa"] == pytest.approx(williams["kappa"])
    assert printed["displacement"] == 0
    assert right["kappa"] > 1e3 * williams["kappa"]
    results = [part.transformed(rule) for rule in ("williams", PrintedMDT())]
    assert len({result.n_transforms for result in results}) == 1
    decisions = [np.sign(part.decision(result)) for result in results]
    assert np.array_equal(*decisions)


def test_a_mean_over_sets_has_the_error_of_independent_means():
    rng = np.random.default_rng(0)
    places = [("Glass7", k) for k in range(4)] + [("Sonar", k) for k in range(9)]
    rows = [
        {
            "dataset": name,
            "partition": k,
            "fold": 0,
            "method": method,
            "missed": missed,
            "false_alarms": 0,
            "n_positive": 10,
            "n_negative": 10,
        }
        for name, k in places
        for method, missed in zip(("ACT", "SVM"), rng.integers(0, 9, 2), strict=True)
    ]
    frame = pd.DataFrame(rows)
    gaps = g_means.error_table(frame).eval("ACT - SVM").groupby(level="dataset")
    means = g_means.by_set(g_means.error_table(frame))
    found = g_means.over_sets(means, "ACT - SVM")
    assert_allclose(found.mean, gaps.mean().mean())
    assert_allclose(found.standard_error, np.sqrt((gaps.sem() ** 2).sum()) / 2)
    assert found.n == 4


def test_a_starred_cell_is_the_svms_and_each_other_cell_has_its_difference():
    rows = load_published("conformal")
    cells = rows[(rows.artefact == "real_sets") & (rows.asks != "setting")]
    cells = cells.set_index(["row", "column"])
    n_starred = 0
    for name in problems.SETS:
        starred = g_means.printed_asterisks(name)
        for method in methods.PRINTED[1:]:
            for column in (name, f"{name} ±"):
                cell = cells.loc[method, column]
                of_svm = cells.loc["SVM", column]
                is_copy = cell.repeats == f"SVM / {column}" or cell.asks == "matched"
                assert is_copy == (method in starred)
                assert cell.printed == of_svm.printed or not is_copy
                n_starred += is_copy
            place = (f"{method} - SVM", f"{name}: difference of the cells")
            assert (place in cells.index) == (method not in starred)
            if method not in starred:
                gap = cells.value[method, name] - cells.value["SVM", name]
                assert cells.value[place] == pytest.approx(gap, abs=1e-9)
        known = real_sets_studies.WITHOUT_ASTERISK[name]
        left = {*methods.PRINTED[1:]} - {*starred, *known}
        assert not set(known) & set(starred)
        assert all(method.startswith("TSVT") for method in left)
    assert n_starred == 76


def test_act_in_feature_space_has_both_distances_there():
    part = methods.Part(small_problem(3), width=4.0, validate=False)
    result = part.transformed(causes.FeatureACT(), max_transforms=2)
    assert result.n_transforms == 2
    first, second = result.stages
    K = part.shared.K
    centres = [
        np.searchsorted(np.sort(result.samples), s.columns) for s in (first, second)
    ]
    centres = [np.argsort(result.samples)[places] for places in centres]
    d = np.exp(-(2 - 2 * K[:, centres[0]]) * first.rates).sum(axis=1)
    lengths = d**2
    D = lengths[:, None] + lengths - 2 * np.outer(d, d) * K
    c = np.exp(-D[:, centres[1]] * second.rates).sum(axis=1)
    assert_allclose(result.factors, d * c, rtol=1e-8)


def test_mdt_without_bounds_leaves_them():
    part = methods.Part(problems.folds("Glass7", 101)[0], validate=False)
    found = [
        part.transformed(rule, "separability_gradient", max_transforms=1)
        for rule in ("mdt", causes.FreeMDT())
    ]
    bounded, free = (result.history[-1] for result in found)
    assert 0 <= bounded["parameters"]["displacement"] < 1
    assert free["separability"] > 1.01 * bounded["separability"]
    assert not 0 <= free["parameters"]["displacement"] < 1
