"""The losses by their printed formulas, finite differences and limits."""

import numpy as np
import pytest
from _cases import cases, each, refused
from numpy.testing import assert_allclose, assert_array_equal

from companion.losses import Hinge, Sigmoid, Unbiased

ORDERS = [(2, 1e-6), (4,), (10, 1e-3), (1.5,), (1.0,), (3.3, 0.2)]
LOSSES = [
    Hinge(),
    Unbiased(),
    *(Unbiased(*order) for order in ORDERS),
    Sigmoid(0.5),
    Sigmoid(),
    Sigmoid(16.0),
]
every = cases("loss", *LOSSES, ids=str)

# Away from the kinks at 0 and 1.
SLACKS = np.concatenate([np.linspace(0.03, 0.97, 30), np.linspace(1.03, 9.0, 60)])


def printed(xi, s, k):
    """Equation (6) as it stands."""
    root = k ** (1 / s)
    below = (xi + root) ** s / (2 * (1 + root) ** s)
    above = 1 - (1 + root) ** s / (2 * (xi + root) ** s)
    return np.where(xi < 1, below, above)


@each(s=[1.0, 2.0, 2.5, 4.0, 10.0], k=[0.0, 1e-6, 0.1])
def test_the_unbiased_loss_is_the_printed_formula(s, k):
    xi = np.concatenate([SLACKS, [1.0, 1e12]])
    assert_allclose(Unbiased(s, k).value(xi), printed(xi, s, k), rtol=1e-13)


@every
def test_derivatives_are_finite_differences(loss):
    step = 1e-5
    up = SLACKS + step
    down = SLACKS - step
    slope = (loss.value(up) - loss.value(down)) / (2 * step)
    assert_allclose(loss.derivative(SLACKS), slope, rtol=1e-6, atol=1e-9)
    bend = (loss.derivative(up) - loss.derivative(down)) / (2 * step)
    assert_allclose(loss.second_derivative(SLACKS), bend, rtol=1e-5, atol=1e-8)


@every
def test_below_the_floor_all_terms_are_those_of_one_quadratic(loss):
    xi = np.linspace(0.01, 0.19, 9)
    step = 1e-6
    up, down = (loss.terms(xi + by, floor=0.2)[0] for by in (step, -step))
    _, slope, weight, bend = loss.terms(xi, floor=0.2)
    assert_allclose(slope, (up - down) / (2 * step), rtol=1e-6, atol=1e-9)
    assert_allclose(slope, weight * xi)
    assert_array_equal(bend, weight)


@every
def test_an_infinite_slack_has_the_limits(loss):
    xi = np.array([1e150, np.inf])
    for term in (loss.derivative, loss.weight):
        large, limit = term(xi)
        assert limit == pytest.approx(large, abs=1e-100)
    assert loss.value(np.inf) == (np.inf if isinstance(loss, Hinge) else 1.0)


@every
def test_nothing_is_paid_on_the_right_side_of_the_margin(loss):
    right = np.array([-3.0, -1e-9, 0.0])
    for zero in (loss.derivative, loss.second_derivative, loss.weight):
        assert_array_equal(zero(right), 0.0)
    assert_array_equal(loss.value(right), loss.value(0.0))


def test_the_sigmoid_goes_from_the_squared_slack_to_the_step_and_never_overflows():
    assert_allclose(Sigmoid(1e-3).value(SLACKS) * 4e6, SLACKS**2, rtol=1e-4)
    steep = Sigmoid(1e4).terms(np.array([-1e9, 0.0, 5e-324, 0.99, 1.0, 1.01, 1e9]))
    assert_allclose(steep[0], [0, 0, 0, 0, 0.5, 1, 1], atol=1e-12)
    assert np.isfinite(steep).all()
    assert (steep[2] >= 0).all()
    tiny = Sigmoid(3.0).weight(np.array([5e-324, 1e-200, 1e-9]))
    assert_allclose(tiny, 9 / (1 + np.cosh(3)), rtol=1e-9)
    for slope in (0.0, -1.0, np.inf, np.nan, "steep"):
        refused("'slope' of the sigmoid loss must be a positive finite", Sigmoid, slope)


def test_the_weight_without_a_constant_needs_no_division():
    tiny = np.array([5e-324, 1e-200])
    assert_array_equal(Unbiased(2).weight(tiny), 1.0)
    assert_array_equal(Unbiased(4).weight(tiny), 0.0)


def test_the_floor_bounds_the_weight_of_a_vanishing_slack():
    xi = np.array([1e-300, 1e-9, 0.5])
    assert_allclose(Hinge().terms(xi, 1e-3)[2], [1e3, 1e3, 2.0])
    assert Hinge().needs_floor
    assert Unbiased(2, 1e-6).needs_floor
    assert Unbiased(1.5).needs_floor
    assert not Unbiased(2).needs_floor


@cases("k", -1e-9, np.nan, np.inf)
def test_a_negative_constant_is_refused(k):
    refused("constant 'k' of the unbiased loss.*at least 0", Unbiased, 2, k)
