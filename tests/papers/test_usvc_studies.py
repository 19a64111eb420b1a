"""What the studies compute, against direct computations."""

import numpy as np
import pandas as pd
import pytest
from _or_skip import or_skip
from sklearn.svm import SVC

from companion import UnbiasedSVC
from companion.datasets import ringnorm, threshold_case, threshold_case_error
from companion.kernels import gram
from companion.losses import Unbiased
from companion.metrics import Mean
from companion.papers.summaries import Values, counts
from companion.papers.usvc import (
    beyond,
    boosting,
    cases,
    fig_1,
    fig_3_4,
    linear,
    paired_errors,
    table_1,
    table_3,
    table_4,
)
from companion.papers.usvc.splits import SETS, Split, load, split, wrong
from companion.reproduction._comparisons import compare_claim
from companion.reproduction.published import parse_relation
from companion.solvers import Design, wls_path


def small_split(n=160, seed=0):
    X, y = ringnorm(n, np.random.default_rng(seed))
    X = X[:, :4]
    y = y.astype(float)
    half = n // 2
    rows = np.arange(n // 2)
    folds = [(rows[k:][rows[k:] % 4 != k], rows[k::4]) for k in range(4)]
    return Split(X[:half], y[:half], X[half:], y[half:], folds)


@pytest.mark.parametrize("reading", list(cases.READINGS))
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


@pytest.mark.parametrize("w", [2.0, -2.0])
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


def errors_of(**wrong_of_sets):
    """Errors of two machines, a and b, on 100 patterns: 10 and what is given, split by split."""
    rows = [
        {
            "dataset": name,
            "split": k,
            "machine": machine,
            "test_wrong": count,
            "n_test": 100,
        }
        for name, counts in wrong_of_sets.items()
        for k, other in enumerate(counts)
        for machine, count in (("a", 10), ("b", other))
    ]
    return pd.DataFrame(rows)


def test_most_sets_are_more_than_half_and_doubtful_ones_count_for_both_sides():
    better = [7, 8, 7, 8]
    worse = [12, 13, 12, 13]
    doubtful = [9, 11, 9, 11]
    most = paired_errors.most_sets
    four = {"Diabetes": better, "Image": better, "Ringnorm": better, "Thyroid": better}
    sure = most(errors_of(**four, Twonorm=worse, Waveform=worse), "a", "b")
    assert (sure.mean, sure.standard_error) == (0.5, 0.0)
    open_ = most(errors_of(**four, Twonorm=doubtful, Waveform=doubtful), "a", "b")
    assert (open_.mean, open_.standard_error) == (1.5, 0.5)
    assert compare_claim(parse_relation("> 0"), *open_).outcome == "holds"
    less = most(errors_of(**four | {"Thyroid": doubtful, "Image": worse}), "a", "b")
    assert compare_claim(parse_relation("> 0"), *less).outcome == "undecided"


def test_the_ratio_of_sizes_is_that_of_their_means():
    sizes = np.array([10.0, 20.0, 60.0])
    same = paired_errors.log_ratio(3 * sizes, sizes)
    assert same.mean == pytest.approx(
        np.log(3)
    ) and same.standard_error == pytest.approx(0)
    rng = np.random.default_rng(0)
    drawn = rng.choice(np.arange(400), size=(2000, 400))
    above = rng.gamma(30, 1, 400)
    below = rng.gamma(20, 1, 400)
    spread = np.std(np.log(above[drawn].mean(axis=1) / below[drawn].mean(axis=1)))
    assert paired_errors.log_ratio(above, below).standard_error == pytest.approx(
        spread, rel=0.1
    )


def test_the_least_supported_of_several_is_rarely_beyond_two_errors_by_chance():
    rng = np.random.default_rng(1)
    beyond_two = 0
    for _ in range(4000):
        means = [Mean(value, 1.0, 100) for value in rng.standard_normal(7)]
        worst = paired_errors.least_supported(means)
        assert worst.mean == min(mean.mean for mean in means)
        beyond_two += worst.mean < -2 * worst.standard_error
    assert 0.014 < beyond_two / 4000 < 0.032  # 0.023 for one that stands alone


@pytest.mark.parametrize("name", fig_3_4.LOSSES)
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


@pytest.mark.parametrize("damping", [0.0, 0.2, 0.5])
def test_the_eigenvalue_of_an_iteration_is_the_factor_of_a_small_deviation(damping):
    X, y = cases.sample("B", "train", 5)
    design = Design.linear(X)
    loss = Unbiased(4.0)
    minimum = cases.fit(design, y, cases.C, loss=loss, start="svc", tol=1e-10)
    x = np.append(minimum.w, minimum.intercept)
    step = 1e-6
    plain = {"accelerate": False, "max_iter": 1, "history": True}

    def once(point):
        own = {"loss": loss, "start": point, "damping": damping}
        return cases.fit(design, y, cases.C, **own, **plain).log["w"][1]

    columns = [
        (once(x + step * e) - once(x - step * e)) / (2 * step) for e in np.eye(2)
    ]
    values = np.linalg.eigvals(np.column_stack(columns)).real
    found = fig_3_4.iteration_eigenvalue(design, y, loss, minimum, damping)
    assert found == pytest.approx(values[np.abs(values).argmax()], rel=1e-3)


def refits_by_libsvm(part, X, C):
    """Held-out errors of linear machines on some columns, and how many are undecided."""
    count = 0
    near = 0
    for rows, held_out in part.folds:
        peer = SVC(kernel="linear", C=C, tol=1e-8).fit(X[rows], part.y[rows])
        decision = peer.decision_function(X[held_out])
        count += wrong(decision, part.y[held_out])
        near += np.count_nonzero(np.abs(decision) < 1e-3)
    return count, near


def test_the_linear_search_equals_plain_refits_by_libsvm():
    part = small_split()
    total, converged = linear.search(part, C_values=(0.1, 1.0))
    assert all(converged.values()) and list(total) == list(linear.MACHINES)
    for k, C in enumerate((0.1, 1.0)):
        count, near = refits_by_libsvm(part, part.X, C)
        assert abs(total["SVMlight"][k] - count) <= near


def test_the_search_on_prototypes_counts_what_refits_count():
    part = small_split()
    centres = table_3.prototypes("Ringnorm", 1, part.X, 6)
    hinge, _, converged = table_3.search_unbiased(part, centres)
    assert converged and hinge.shape == (len(table_3.WIDTHS), len(table_3.C_VALUES))
    k = 2
    at = table_3.C_VALUES.index(1.0)
    design = table_3.design_on(part.X, centres, table_3.WIDTHS[k])
    count, _ = refits_by_libsvm(part, design.augmented[:, :-1], 1.0)
    assert abs(hinge[k, at] - count) <= 2


def test_the_estimator_has_the_prototypes_of_the_study_by_its_seed():
    part = small_split()
    seed = table_3.prototypes_seed("Ringnorm", 1, 6)
    machine = UnbiasedSVC(n_prototypes=6, gamma=0.1, random_state=seed).fit(
        part.X, part.y
    )
    ours = table_3.prototypes("Ringnorm", 1, part.X, 6)
    assert np.array_equal(np.sort(machine.prototypes_, axis=0), np.sort(ours, axis=0))


@pytest.mark.parametrize(("name", "n_test"), [("Twonorm", 1480), ("Hepatitis", 31)])
def test_parts_are_standardised_by_the_training_part_alone(name, n_test):
    part, other = (split(name, number) for number in (1, 2))
    assert part.X.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert part.X.std(axis=0) == pytest.approx(1, abs=1e-12)
    assert np.isfinite(
        part.X_test
    ).all()  # medians of the training part for what is missing
    assert len(part.y_test) == n_test and np.abs(part.X_test.mean(axis=0)).max() > 1e-4
    held_out = np.sort(np.concatenate([rows for _, rows in part.folds]))
    assert held_out.tolist() == list(range(len(part.y)))
    assert np.array_equal(part.X, split(name, 1).X) and not np.array_equal(
        part.X, other.X
    )


def test_a_network_on_all_samples_is_kernel_ridge():
    part = small_split(40)
    rng = np.random.default_rng(0)
    K = gram(part.X, gamma=0.5)
    centres, beta = boosting.fit_network(K, part.y, np.full(20, 0.05), 20, rng)
    H = np.column_stack([K[:, centres], np.ones(20)])
    residual = H @ beta - part.y
    assert np.abs(H.T @ residual / 20 + 1e-5 * np.append(beta[:-1], 0.0)).max() < 1e-8


@pytest.mark.parametrize("level", [0.05, 0.1, 0.5])
def test_a_threshold_lets_no_more_new_negatives_through_than_its_level(level):
    rng = np.random.default_rng(4)
    rates = []
    for _ in range(400):
        values = rng.standard_normal(60)
        rates.append(
            np.mean(rng.standard_normal(400) > beyond.threshold_for(values, level))
        )
    assert (
        beyond.threshold_for(np.arange(5.0), 0.1) == np.inf
    )  # no sample of 5 is large enough
    mean = np.mean(rates)
    error = np.std(rates) / 20
    assert level - 1 / 60 - 3 * error <= mean <= level + 3 * error


def test_boosting_keeps_the_bound_of_confidence_rated_votes_and_says_what_its_networks_say():
    part = small_split(400, seed=3)
    rows = np.arange(150)
    K = gram(part.X, gamma=0.25)
    rng = np.random.default_rng(0)
    networks, output = boosting.boost(K, part.y, rows, rng, n_networks=40, n_centres=8)
    np.testing.assert_allclose(boosting.decision(networks, K), output, atol=1e-10)
    assert [len(centres) for _, centres, _ in networks] == [8] * 40
    assert all(np.isin(centres, rows).all() for _, centres, _ in networks)
    # the share of errors is below the mean of exp(-y f), the product of sqrt(1 - r^2) at most
    r = np.tanh([factor for factor, _, _ in networks])
    loss = np.exp(-part.y[rows] * output[rows]).mean()
    assert (
        wrong(output[rows], part.y[rows]) / 150
        <= loss
        <= np.prod(np.sqrt(1 - r**2))
        < 0.8
    )


def scarce_records():
    """Two splits of a set: ERM-SVC with a lower training and a higher test error than the SVC."""
    rows = [
        ("SVMlight", 20, 10),
        ("SVMlight", 22, 10),
        ("ERM-SVC", 10, 14),
        ("ERM-SVC", 12, 12),
    ]
    frame = pd.DataFrame(rows, columns=["machine", "train_wrong", "test_wrong"])
    frame = frame.assign(n_train=100, n_test=50, slope=8.0, converged=True)
    frame["error"] = 100 * frame.test_wrong / frame.n_test
    return dict(iter(frame.groupby("machine")))


def test_the_claims_of_scarce_data_are_differences_to_the_svc_and_distances_to_the_step():
    out = Values()
    table_4._add_scarce(
        out, "Hepatitis", {k: v.reset_index() for k, v in scarce_records().items()}
    )
    found = out.frame().set_index("column").value
    assert found["training CE ERM-SVC - SVMlight (points)"] == pytest.approx(-10)
    assert found["ERM-SVC - SVMlight (points)"] == pytest.approx(6)
    # over a range of 3 a sigmoid is 2 log(2) / a from the step, about, and theta_2 is 1/2
    nearer = found["distance to the step: ERM-SVC - half of USVC"]
    assert nearer == pytest.approx((2 * np.log(2) / 8 - 1 / 4) / 3, abs=1e-3)


def test_the_slope_of_the_erm_svc_is_that_of_the_fewest_held_out_errors_and_the_least_of_several(
    monkeypatch,
):
    names = ("USVC", *table_4.SIGMOIDS)
    rows = [
        {"machine": name, "cv_wrong": k}
        for name, k in zip(names, (1, 5, 3, 3), strict=True)
    ]
    monkeypatch.setattr(linear, "compute_split", lambda unit, losses: rows)
    *kept, chosen = table_4.compute_split(None)
    assert kept == rows and chosen == {
        "machine": "ERM-SVC",
        "cv_wrong": 3,
        "slope": 4.0,
    }


def test_costs_of_one_and_no_costs_are_one_machine_and_heavier_negatives_alarm_less():
    part = small_split(300, seed=5)
    design = Design.linear(part.X)
    plain = wls_path(design, part.y, (1.0,), loss=linear.LOSS)[0]
    own = design, part.y, ["USVC"], (1.0,)
    one, heavy = (
        beyond.points(*own, negative=weight)["USVC"][0][0] for weight in (1.0, 8.0)
    )
    assert one == pytest.approx(np.append(plain.w, plain.intercept), rel=1e-9)
    own, careful = (counts(design.augmented @ x, part.y) for x in (one, heavy))
    assert (
        careful["false_alarms"] < own["false_alarms"]
        and careful["missed"] > own["missed"]
    )
    assert own["n_positive"] + own["n_negative"] == len(part.y)


SIZES = {
    "Diabetes": (768, 8),
    "Image": (2310, 18),
    "Ringnorm": (7400, 20),
    "Thyroid": (215, 5),
}
SIZES |= {
    "Twonorm": (7400, 20),
    "Waveform": (5000, 21),
    "Breast": (683, 9),
    "Dermat": (358, 34),
}
SIZES |= {"Haberman": (306, 3), "Postoperative": (87, 8), "Heart disease": (297, 13)}
SIZES |= {"Hepatitis": (155, 19), "Liver disorder": (345, 6)}


@pytest.mark.parametrize("name", SIZES)
def test_a_set_of_the_tables_has_the_size_of_the_paper(name):
    assert list(SETS) == list(SIZES)
    X, y = or_skip(load)(name)
    assert X.shape == SIZES[name] and y.shape == SIZES[name][:1]
