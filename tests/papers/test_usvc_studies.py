"""What the studies compute, against direct computations."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from _cases import each
from scipy import stats
from sklearn.svm import SVC

from companion import UnbiasedSVC
from companion.datasets import threshold_case, threshold_case_error
from companion.losses import Sigmoid
from companion.metrics import paired_difference
from companion.papers.experiment import held_out_errors, wrong
from companion.papers.usvc import (
    cases,
    exercises,
    fig_1,
    fig_3_4,
    linear,
    paired_errors,
    table_1,
)
from companion.papers.usvc.splits import split
from companion.solvers.wls import wls, wls_path


@each(reading=cases.READINGS)
def test_the_error_of_a_rule_is_what_a_large_sample_shows(reading):
    case, weight = cases.READINGS[reading]
    X, y = threshold_case(
        case, 200_000, np.random.default_rng(1), cluster_weight=weight
    )
    edges = np.linspace(-0.4, 1.6, 401)
    decision = np.sin(9 * (edges[1:] + edges[:-1]) / 2)
    cell = np.clip(np.searchsorted(edges, X[:, 0]) - 1, 0, 399)
    counted = np.mean(np.where(decision[cell] > 0, 1, -1) != y)
    assert cases.rule_error(reading, decision, edges) == pytest.approx(
        counted, abs=0.004
    )


@each(w=[2.0, -2.0])
def test_the_error_of_a_linear_rule_is_that_of_its_threshold_and_sign(w):
    error = float(threshold_case_error("B", 0.3))
    expected = pytest.approx(error if w > 0 else 1 - error, abs=1e-12)
    assert cases.linear_error("B", w, -0.3 * w) == expected


def test_without_a_slack_left_the_unbiased_machine_is_the_svc():
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 40)
    X = rng.normal(size=(80, 3)) + 2.5 * y[:, None]
    settings = {"kernel": "linear", "C": 1000.0}
    a, b = (
        UnbiasedSVC(loss=x, **settings).fit(X, y).coef_[0]
        for x in ("hinge", "unbiased")
    )
    assert 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b) < 1e-6


def test_the_minima_of_the_error_are_those_of_a_fine_grid_and_may_be_an_interval():
    assert fig_1.minima("B")[1] == pytest.approx((0.5, 0.7, 20.0), abs=2e-4)
    x = np.linspace(0, 1, 200_001)
    for reading in cases.READINGS:
        error = cases.theoretical_error(reading, x)
        low, high, value = fig_1.minima(reading)[0]
        assert value == pytest.approx(error.min(), abs=1e-4)
        assert low - 1e-4 <= x[error.argmin()] <= high + 1e-4


def test_no_threshold_of_either_sign_has_fewer_errors_than_the_best():
    rng = np.random.default_rng(0)
    x = rng.random(40)
    cuts = np.linspace(-0.01, 1.01, 2001)
    for share in (0.2, 0.5, 0.9):
        y = np.where(rng.random(40) < share, 1.0, -1.0)
        counted = [wrong(sign * (x - cut), y) for cut in cuts for sign in (1, -1)]
        assert table_1.least_wrong(x, y) == min(counted)
        assert table_1.least_wrong(-x, y) == min(counted)


@each(name=fig_3_4.LOSSES)
def test_the_profile_is_least_where_the_machine_is(name):
    X, y = cases.sample("B", "train", 3)
    shape = fig_3_4.surface(X, y, fig_3_4.LOSSES[name])
    threshold, slope, result = fig_3_4.machine(X, y, name, "svc")
    near = int(np.abs(shape.thresholds - threshold).argmin())
    assert shape.profile[near] >= result.objective - 1e-6 * result.objective
    assert shape.profile[near] == pytest.approx(result.objective, rel=5e-3)
    if name == "SVC":
        assert shape.profile.min() >= result.objective * (1 - 1e-6)
        assert shape.locus[near] == pytest.approx(slope, rel=0.1)


def test_the_linear_search_equals_plain_refits_by_libsvm():
    part = split("Hepatitis", 1)
    design = linear.Design.linear(part.X)
    paths = partial(linear.paths, C_values=(0.1, 1.0))
    total, converged = held_out_errors(part, design, paths)
    assert all(converged.values())
    assert list(total) == list(linear.MACHINES)
    for k, C in enumerate((0.1, 1.0)):
        count = 0
        near = 0
        for rows, held_out in part.folds:
            peer = SVC(kernel="linear", C=C, tol=1e-8).fit(part.X[rows], part.y[rows])
            decision = peer.decision_function(part.X[held_out])
            count += wrong(decision, part.y[held_out])
            near += np.count_nonzero(np.abs(decision) < 1e-3)
        assert abs(total["SVMlight"][k] - count) <= near


def test_a_fit_that_leaves_a_saddle_slowly_ends_within_the_default_budget():
    """It needs a little more than a thousand problems."""
    part = split("Postoperative", 56)
    rows, _ = part.folds[1]
    design = linear.Design.linear(part.X).take(rows)
    svc = wls_path(design, part.y[rows], linear.C_VALUES)[-1]
    found = wls(design, part.y[rows], 1e3, loss=Sigmoid(8.0), start=svc)
    assert found.converged
    assert found.n_iter > 1000


@pytest.mark.parametrize(("name", "n_test"), [("Twonorm", 1480), ("Hepatitis", 31)])
def test_parts_are_standardised_by_the_training_part_alone(name, n_test):
    part, other = (split(name, number) for number in (1, 2))
    assert part.X.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert part.X.std(axis=0) == pytest.approx(1, abs=1e-12)
    assert np.isfinite(
        part.X_test
    ).all()  # medians of the training part for what is missing
    assert len(part.y_test) == n_test
    assert np.abs(part.X_test.mean(axis=0)).max() > 1e-4
    held_out = np.sort(np.concatenate([rows for _, rows in part.folds]))
    assert held_out.tolist() == list(range(len(part.y)))
    assert np.array_equal(part.X, split(name, 1).X)
    assert not np.array_equal(part.X, other.X)


def test_a_difference_is_as_significant_as_the_paired_t_test_says():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 12)) + [[0.5], [0.0]]
    found = paired_errors.significance(paired_difference(first, second))
    p = stats.ttest_rel(first, second).pvalue
    assert found > 0
    assert 2 * stats.norm.sf(found) == pytest.approx(p)
    assert paired_errors.significance(paired_difference(first, first)) == 0


def test_sides_name_the_sets_beyond_two_standard_errors_alone():
    rows = []
    gaps = {
        "Diabetes": [2, 3, 2, 3],
        "Thyroid": [-2, -3, -2, -3],
        "Waveform": [-3, 3, 3, -3],
    }
    for name, of in gaps.items():
        for split_number, gap in enumerate(of, start=1):
            row = {
                "dataset": name,
                "split": split_number,
                "n_train": 400,
                "n_test": 100,
            }
            rows.append(row | {"machine": "SVMlight", "test_wrong": 20})
            rows.append(row | {"machine": "USVC", "test_wrong": 20 + gap})
    found = paired_errors.sets_won_and_lost(pd.DataFrame(rows))
    assert found == "less than the SVC on Thyroid (-2.5) and more on Diabetes (+2.5)"


def test_a_machine_without_a_threshold_is_in_no_minimum():
    assert table_1.trapped(pd.Series([-0.5, 0.1, 0.2, 0.5])) == 2


def test_the_threshold_of_the_svc_follows_the_cluster_before_the_unbiased_one():
    found = exercises.thresholds([0.0, 0.2])
    moved = {name: abs(np.diff(places).item()) for name, places in found.items()}
    assert moved["SVC"] > 2 * moved["USVC"]
