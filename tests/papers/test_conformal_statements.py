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
    assert magnification.one_support_vector(2) < 1e-12
    assert magnification.one_support_vector(1) > 0.1


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


def test_with_the_weights_of_the_svm_amari_magnifies_near_the_frontier_and_not_far():
    row = magnification.compute_scene(Unit("conformal", "scenes", {"scene": 1}))[0]
    X, y = magnification.scene(1)
    machine = L2SVC(C=10.0, gamma=1 / magnification.SCENE_WIDTH).fit(X, y)
    of_class = np.abs(machine.dual_coef_[0]).sum() / 2
    assert row["svm_units"] == pytest.approx(2 * np.log10(of_class), abs=1e-3)
    assert row["near"] < 0 < row["near"] + row["svm_units"]
    assert row["far"] + row["svm_units"] < 0
