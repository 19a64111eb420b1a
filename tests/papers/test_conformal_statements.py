"""What the studies of the conformal kernel thesis compute is what they say."""

import numpy as np
import pytest

from companion import L2SVC
from companion.conformal.factors import kernel_metric, transformed_metric
from companion.papers.conformal import (
    background,
    beyond_studies,
    criterion,
    magnification,
)
from companion.reproduction import Unit
from companion.solvers.mdm import mdm


def overlapping(seed=0, n=40):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 4, 1.0, -1.0)
    X = rng.standard_normal((n, 2)) + 0.5 * y[:, None]
    return X, y, np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 4)


def test_4_1_5_has_tau_to_the_fourth():
    assert (
        magnification.one_support_vector(2) < 1e-12
        and magnification.one_support_vector(1) > 0.1
    )


def test_4_6_14_has_a_minus_sign():
    _, y, K = overlapping(1)
    q = np.random.default_rng(2).uniform(0.3, 2.0, len(y))
    exact, error = criterion.explicit_separability(K, y, q)
    assert error < 1e-10
    assert criterion.Separability(K, y).value(q) == pytest.approx(exact, rel=1e-9)
    assert abs(criterion.printed_separability(K, y, q) / exact - 1) > 1


def test_a_margin_displacement_is_a_shift_and_a_scale():
    _, y, K = overlapping(4)
    found = mdm(K, y, ridge=0.1, tol=1e-10)
    f = found.products + found.intercept
    assert found.intercept + found.m_minus == pytest.approx(
        -found.squared_norm / 2, abs=1e-9
    )
    for shrink in (0.2, 0.7):
        shifted = shrink * (f + (1 - shrink) * found.squared_norm / 2)
        assert np.allclose(
            beyond_studies.displaced_by_hand(found, f, shrink), shifted, atol=1e-10
        )


def test_a_kernel_transformed_conformally_does_not_keep_angles():
    rng = np.random.default_rng(5)
    X, _, _ = overlapping(5)
    c, gradient = background.bumps(rng, X)
    points = rng.uniform(-1, 1, size=(10, 2))
    first, second = rng.standard_normal((2, 10, 2))
    before = kernel_metric(points, gamma=0.25)
    after = transformed_metric(c(points), gradient(points), before)
    change = background.angle(first, second, after) - background.angle(
        first, second, before
    )
    assert np.abs(change).max() > 5
    flat = transformed_metric(c(points), 0 * gradient(points), before)
    assert np.allclose(
        background.angle(first, second, flat), background.angle(first, second)
    )


def test_the_boundary_that_kba_estimates_is_the_frontier_of_a_shifted_decision():
    shown = magnification.picture(2)
    rows = magnification.compute_scene(Unit("conformal", "scenes", {"scene": 2}))
    told = {row["method"]: row for row in rows}
    assert 0 < shown.eta <= 1
    at = np.nanmean(magnification.frontier_of(shown.decision + shown.eta))
    assert told["KBA"]["estimated"] == pytest.approx(at, abs=1e-6)
    assert told["KBA"]["estimated"] < told["KBA"]["frontier"]
    assert told["Amari"]["estimated"] is None


def test_near_and_far_are_fifths_by_distance_to_the_frontier():
    X1 = np.broadcast_to(
        magnification.X1, (len(magnification.X2), len(magnification.X1))
    )
    # |f| is largest beside the line x1 = 0.5 and falls off from there
    near, far = magnification.near_and_far(
        np.sign(X1 - 0.51) * np.exp(-np.abs(X1 - 0.51))
    )
    assert np.abs(X1[near] - 0.51).max() < 0.45 and np.abs(X1[far] - 0.51).min() > 1.6
    assert near.mean() == pytest.approx(0.2, abs=0.02)


def test_with_the_weights_of_the_svm_amari_magnifies_near_the_frontier_and_not_far():
    row = magnification.compute_scene(Unit("conformal", "scenes", {"scene": 1}))[0]
    X, y = magnification.scene(1)
    machine = L2SVC(C=10.0, gamma=1 / magnification.SCENE_WIDTH).fit(X, y)
    of_class = np.abs(machine.dual_coef_[0]).sum() / 2
    assert row["svm_units"] == pytest.approx(2 * np.log10(of_class), abs=1e-3)
    assert row["near"] < 0 < row["near"] + row["svm_units"]
    assert row["far"] + row["svm_units"] < 0


def test_support_hyperplanes_are_as_far_off_as_the_nearest_patterns():
    shown = magnification.displacement(3)
    row = magnification.compute_displacement(
        Unit("conformal", "displacements", {"scene": 3})
    )[0]
    at = shown.X @ shown.w / np.linalg.norm(shown.w)
    assert row["majority_off"] == pytest.approx(
        abs(at[shown.y < 0].max() + 0.35), abs=1e-4
    )
    assert row["minority_off"] == pytest.approx(
        abs(at[shown.y > 0].min() - 0.35), abs=1e-4
    )


def test_the_dual_rises_to_where_the_primal_falls():
    t, F, theta = background.duality(4)
    assert t[20] == 0 and F.argmin() == theta.argmax() == 20
    assert F[20] == pytest.approx(theta[20], rel=1e-9)
    assert np.diff(F, 2).min() > 0 > np.diff(theta, 2).max()


def test_the_slack_lines_end_on_their_support_hyperplanes():
    X, y = background.plane_sample(2, distance=0.8)
    machine = background.linear_machine(X, y, ridge=0.1)
    ends = machine.margin_ends()
    moved = np.abs(ends - X).max(axis=1) > 0
    assert moved.any() and machine.decision(ends[moved]) == pytest.approx(
        y[moved], abs=1e-9
    )
