"""The interior point of the hinge: any start, any scale, few iterations."""

import numpy as np
import pytest
from problems import two_classes

from companion.datasets import ringnorm
from companion.solvers import Design, wls


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_a_few_iterations_suffice_at_any_cost(C):
    X, y = ringnorm(400, rng=0)
    machine = wls(Design.linear(X), y, C)
    assert machine.converged and machine.n_iter <= 25
    assert 0 <= machine.duality_gap <= 1e-6 * machine.objective


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_scale_of_the_inputs_is_that_of_the_cost(scale):
    X, y = two_classes(80, seed=1)
    a = wls(Design.linear(X), y, 1.0, tol=1e-9)
    b = wls(Design.linear(scale * X), y, 1.0 / scale**2, tol=1e-9)
    np.testing.assert_allclose(a.decision_function, b.decision_function, atol=1e-3)


@pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [100.0, -50.0, 3.0], [-5.0, 0.0, 1e4]])
def test_the_start_does_not_matter(start):
    X, y = two_classes(80, seed=2)
    a = wls(Design.linear(X), y, 1.0, tol=1e-9)
    b = wls(Design.linear(X), y, 1.0, tol=1e-9, start=np.array(start))
    np.testing.assert_allclose(a.decision_function, b.decision_function, atol=1e-4)


def test_a_start_near_the_solution_saves_iterations():
    X, y = ringnorm(400, rng=1)
    near = wls(Design.linear(X), y, 10.0, tol=1e-4)
    warm, cold = (wls(Design.linear(X), y, 100.0, start=s) for s in (near, "least_squares"))
    assert warm.n_iter < cold.n_iter
    assert warm.objective == pytest.approx(cold.objective, rel=2e-6)


def test_costs_may_differ_by_orders_of_magnitude():
    X, y = two_classes(80, seed=3)
    weight = 10.0 ** np.random.default_rng(0).uniform(-4, 4, 80)
    machine = wls(Design.linear(X), y, 1.0, sample_weight=weight, tol=1e-8)
    assert machine.converged
    assert np.all((machine.alpha >= 0) & (machine.alpha <= weight))
