"""Searches and the families that they search: gradients, bounds, seeds, what they find."""

import numpy as np
import pytest
from _cases import cases, each
from _conformal_problems import problem
from numpy.testing import assert_allclose

from companion.solvers._conformal_problem import TrainedMachine
from companion.solvers.metamodels import ascend_separability, evaluation, evolve
from companion.solvers.transformations import MDT, RULES

SEARCHED = ("mdt", "mdt in svm units", "tsvt", "xiong")


def state_of(transformed=False):
    """A machine, after one transformation if asked for, so that the factors are not all one."""
    first = TrainedMachine.first(problem()[2])
    return (
        first.retrained(*first.apply(RULES["act"]().stage(first)))
        if transformed
        else first
    )


def rule_of(name):
    return MDT(units="svm") if name == "mdt in svm units" else RULES[name]()


def searched(name, **settings):
    """The state, what is searched from it and the criterion."""
    state = state_of(**settings)
    return (
        state,
        rule_of(name).family(state, np.random.default_rng(0)),
        state.problem.separability,
    )


@each(transformed=[False, True], name=SEARCHED)
def test_the_gradient_of_J_in_the_parameters_is_that_of_finite_differences(
    name, transformed
):
    state, family, J = searched(name, transformed=transformed)
    rng = np.random.default_rng(1)
    parameters = family.start * rng.uniform(0.5, 0.9, family.start.size)
    parameters += 0.01 * (name == "xiong")
    parameters[:2] *= 0.7  # away from the bound of the displacement

    def value(p):
        return J.value(family.values(p[None])[0] * state.factors)

    found, gradient = evaluation(family, J, state.factors)(parameters)
    assert found == pytest.approx(value(parameters), rel=1e-9)
    wanted = np.empty_like(gradient)
    for k in range(gradient.size):
        shift = np.zeros(gradient.size)
        shift[k] = step = 3e-3 * max(abs(parameters[k]), 1e-2)
        # Four points: a step long enough for rounding, an error of its fourth power.
        near, far = (
            value(parameters + t * shift) - value(parameters - t * shift)
            for t in (1, 2)
        )
        wanted[k] = (8 * near - far) / (12 * step)
    assert np.abs(wanted).max() > 0
    assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-6 * np.abs(wanted).max())


@each(transformed=[False, True], name=SEARCHED)
def test_a_family_and_its_stage_give_the_same_transformation(name, transformed):
    state, family, _ = searched(name, transformed=transformed)
    parameters = np.clip(1.3 * family.start + 0.2, family.lower, family.upper)
    c, validation_c = state.apply(rule_of(name).stage(state, family, parameters))
    both = np.stack([parameters, family.start])
    assert_allclose(family.values(both)[0], c, rtol=1e-9)
    assert_allclose(family.validation_values(both)[0], validation_c, rtol=1e-9)


@cases("name", *SEARCHED)
def test_the_ascent_raises_J_and_ends_where_no_admissible_step_does(name):
    state, family, J = searched(name)
    parameters, top = ascend_separability(family, J, state.factors)
    assert np.all((parameters >= family.lower) & (parameters <= family.upper))
    assert top == pytest.approx(J.value(family.values(parameters[None])[0]))
    assert top > 1.01 * J.value(family.values(family.start[None])[0])
    rng = np.random.default_rng(0)
    near = parameters * (1 + 1e-3 * rng.normal(size=(300, parameters.size)))
    near = np.clip(near, family.lower, family.upper)
    assert J.values(family.values(near)).max() <= top * (1 + 1e-4)


@cases("escape", "early", "stop", None)
def test_evolution_finds_the_minimum_of_a_bowl_within_bounds(escape):
    centre = np.array([3.0, 0.2, -1.0])
    lowest = np.array([0.0, 0.0, -np.inf])
    highest = np.array([np.inf, 1.0, np.inf])

    def bowl(X):
        assert np.all((lowest <= X) & (highest >= X))
        return ((X - centre) ** 2).sum(axis=1)

    found, value = evolve(bowl, lowest, highest, seed=1, generations=100, escape=escape)
    assert_allclose(found, centre, atol=1e-4)
    assert value == pytest.approx(bowl(found[None])[0])


@cases("escape, generations", ("early", 7), ("stop", 1))
def test_evolution_gives_up_on_a_plateau_if_it_is_asked_to(escape, generations):
    calls = []

    def flat(X):
        calls.append(len(X))
        return np.full(len(X), 0.3)

    _, value = evolve(
        flat, np.zeros(2), np.ones(2), seed=0, generations=7, escape=escape
    )
    assert len(calls) == generations
    assert value == 0.3


def test_evolution_ends_at_the_target_and_survives_infinities():
    calls = []

    def broken(X):
        calls.append(len(X))
        return np.where(X[:, 0] > 0.5, np.inf, -np.inf if len(calls) > 3 else 7.0)

    _, value = evolve(broken, np.zeros(2), np.ones(2), seed=0, target=0.0)
    assert len(calls) == 4
    assert value < -1e99
