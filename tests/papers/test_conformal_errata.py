"""Errata of the thesis, each by a computation of its own."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from companion.papers.conformal import background, criterion, magnification, studies
from companion.solvers.mdm import mdm


def overlapping(seed=0, n=40):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 4, 1.0, -1.0)
    X = rng.standard_normal((n, 2)) + 0.5 * y[:, None]
    return X, y, np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 4)


def test_2_2_13_an_own_coordinate_of_y_over_the_root_of_C_gives_the_ridge():
    X, y, _ = overlapping()
    C = 7.0
    for power, agrees in ((0.5, True), (1.0, False)):
        wide = np.hstack([X, np.diag(y / C**power)])
        assert np.allclose(wide @ wide.T, X @ X.T + np.eye(len(y)) / C) == agrees


def test_3_3_13_the_metric_of_a_radial_kernel_has_the_first_derivative():
    sigma = 1.7

    def k(a, b):
        return np.exp(-0.5 * ((a - b) ** 2).sum() / sigma**2)

    x, h = np.array([0.3, -0.8]), 1e-4
    found = np.array([[(k(x + h * e, x + h * g) - k(x + h * e, x - h * g) - k(x - h * e, x + h * g)
                        + k(x - h * e, x - h * g)) / (4 * h**2) for g in np.eye(2)]
                      for e in np.eye(2)])
    first, second = -1 / sigma**2, 1 / sigma**4
    assert np.allclose(found, -first * np.eye(2), atol=1e-6)
    assert not np.allclose(found, -second * np.eye(2), atol=1e-2)


def test_4_1_5_has_tau_to_the_fourth():
    assert magnification.one_support_vector(2) < 1e-12
    assert magnification.one_support_vector(1) > 0.1


def test_4_6_14_has_a_minus_sign():
    X, y, K = overlapping(1)
    q = np.random.default_rng(2).uniform(0.3, 2.0, len(y))
    exact, error = criterion.explicit_separability(K, y, q)
    assert error < 1e-10
    assert criterion.Separability(K, y).value(q) == pytest.approx(exact, rel=1e-9)
    assert abs(criterion.printed_separability(K, y, q) / exact - 1) > 1


def test_5_3_11_m_minus_is_the_sum_over_the_negatives_minus_b():
    _, y, K = overlapping(3)
    found = mdm(K, y, ridge=0.1, tol=1e-10)
    f = found.products + found.intercept  # with the delta / C term
    of_negatives = (found.alpha * f)[y < 0].sum()
    assert of_negatives - found.intercept == pytest.approx(found.m_minus, abs=1e-9)
    plain = (found.alpha * found.decision_function)[y < 0].sum()
    assert abs(plain - found.intercept - found.m_minus) > 1e-3


def test_5_3_16_the_gradient_in_kappa_is_negative():
    f, q = np.array([0.5, -1.2, 2.0]), 0.7
    numeric = (np.exp(-(q + 1e-6) * f**2) - np.exp(-(q - 1e-6) * f**2)) / 2e-6
    c = np.exp(-q * f**2)
    assert np.allclose(numeric, -(f**2) * c, rtol=1e-6)
    assert not np.allclose(numeric, f**2 * c)


def test_5_3_17_the_bracket_holds_both_terms():
    f, offset, kappa, shrink = 0.8, -0.3, 1.4, 0.6

    def c(gamma):
        displaced = gamma[0] * (f + (gamma[0] - 1) * offset)
        return np.exp(-kappa * displaced**2)

    displaced = shrink * (f + (shrink - 1) * offset)
    last_line = -2 * kappa * c([shrink]) * displaced * (f + (2 * shrink - 1) * offset)
    first_line = c([shrink]) * (-kappa) * 2 * displaced * (f + (shrink - 1) * offset)
    first_line += shrink * offset
    numeric = approx_fprime([shrink], c, 1e-7)[0]
    assert last_line == pytest.approx(numeric, rel=1e-5)
    assert abs(first_line - numeric) > 1e-2


def test_a_margin_displacement_is_a_shift_and_a_scale():
    _, y, K = overlapping(4)
    found = mdm(K, y, ridge=0.1, tol=1e-10)
    f = found.products + found.intercept
    assert found.intercept + found.m_minus == pytest.approx(-found.squared_norm / 2, abs=1e-9)
    for shrink in (0.2, 0.7):
        by_hand = studies.displaced_by_hand(found, y, f, shrink)
        shifted = shrink * (f + (1 - shrink) * found.squared_norm / 2)
        assert np.allclose(by_hand, shifted, atol=1e-10)


def test_5_4_7_a_quotient_by_a_vanishing_c_is_none():
    squares, rates = np.array([[0.0, 2000.0], [1.0, 1900.0]]), np.array([1.0, 1.0])
    c = np.exp(-rates[:, None] * squares).sum(axis=0)
    B = np.array([[1.0, 0.2], [0.2, 1.0]])
    with np.errstate(invalid="ignore"):
        quotient = c * (B @ c) / c
    assert np.isnan(quotient[1]) and np.isfinite(B @ c).all()


def test_a_kernel_transformed_conformally_does_not_keep_angles():
    rng = np.random.default_rng(5)
    X, _, _ = overlapping(5)
    c, gradient = background.bumps(rng, X)
    points = rng.uniform(-1, 1, size=(10, 2))
    first, second = rng.standard_normal((2, 10, 2))
    from companion.conformal import kernel_metric, transformed_metric

    before = kernel_metric(points, gamma=0.25)
    after = transformed_metric(c(points), gradient(points), before)
    change = background.angle(first, second, after) - background.angle(first, second, before)
    assert np.abs(change).max() > 5
    flat = transformed_metric(c(points), 0 * gradient(points), before)
    assert np.allclose(background.angle(first, second, flat), background.angle(first, second))


def test_the_slack_lines_end_on_their_support_hyperplanes():
    X, y = background.plane_sample(2, distance=0.8)
    machine = background.linear_machine(X, y, ridge=0.1)
    ends = machine.margin_ends()
    moved = np.abs(ends - X).max(axis=1) > 0
    assert moved.any()
    assert machine.decision(ends[moved]) == pytest.approx(y[moved], abs=1e-9)
