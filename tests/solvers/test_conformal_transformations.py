"""The loop of transformations: what it returns, on what kernel, and when it stops."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from _cases import cases, each, refusals, refused
from _conformal_problems import METHODS, board, problem
from numpy.testing import assert_allclose

from companion.conformal.factors import Decay, Gaussians
from companion.kernels import gram, squared_distances
from companion.metrics import g_mean_error
from companion.solvers._conformal_problem import TrainedMachine
from companion.solvers.conformal import (
    ConformalProblem,
    ValidationRace,
    conformal_transformations,
)
from companion.solvers.transformations import KBA, MDT, RULES, Amari, Rule, Williams

methods = cases("transform, search", *METHODS)


def run(part, transform, search="separability_gradient", **settings):
    return conformal_transformations(
        part, transform, search=search, generations=4, **settings
    )


def decisions(result, part):
    """At all samples."""
    K, D = matrices(part)
    return result.decision_function(K, D, K.diagonal())


def matrices(part):
    """The whole Gram matrix and the squared distances, in the order of the samples."""
    places = np.argsort(np.concatenate([part.train, part.validation]))
    D = part.distances_between(*2 * [np.arange(places.size)])
    far = np.exp(-D[np.ix_(part.validation, part.validation)] * (0.5 / part.sigma**2))
    K = np.block([[part.K, part.validation_K], [part.validation_K.T, far]])
    return K[np.ix_(places, places)], D


@dataclass(frozen=True)
class Constant(Rule):
    """A sum of one Gaussian of rate 0: the same value everywhere."""

    value: float = 1.0

    def stage(self, state):
        return Gaussians(state.columns[:1], np.zeros(1), np.array([self.value]))


@dataclass(frozen=True)
class Narrow(Rule):
    """exp(-kappa f^2) with a kappa that leaves nothing away from the boundary."""

    def stage(self, state):
        return Decay(state.columns, *state.expansion(), 1e12)


@methods
def test_predictions_use_the_kernel_of_the_training(transform, search):
    _, _, part = problem()
    result = run(part, transform, search, max_transforms=3, theta=0.0)
    K, D = matrices(part)
    wanted = 2 / result.machine.squared_norm * result.machine.decision_function
    whole = decisions(result, part)
    assert_allclose(whole[result.samples], wanted, atol=1e-8 * np.abs(wanted).max())
    d = result.transformation(K, D, K.diagonal())
    assert_allclose(d[result.samples], result.factors, rtol=1e-9)
    small, needed = result.compact()
    values = small.decision_function(K[:, needed], D[:, needed], K.diagonal())
    assert_allclose(values, whole, rtol=1e-9, atol=1e-9)


@methods
def test_the_last_machine_that_improved_is_returned(transform, search):
    for seed in range(4):
        _, y, part = problem(seed=seed)
        result = run(part, transform, search, seed=seed)
        errors = [entry["validation_error"] for entry in result.history]
        n = result.n_transforms
        kept = [entry["kept"] for entry in result.history]
        assert kept[: n + 1] == [True] * (n + 1)
        assert len(kept) <= n + 2
        assert not any(kept[n + 1 :])
        assert np.all(np.diff(errors[: n + 1]) < 0)
        assert result.validation_error == errors[n]
        if len(errors) == n + 2:
            assert errors[-1] >= result.validation_error
            assert "does not lower the validation error" in result.stop_reason
        if n:
            signs = np.where(decisions(result, part) > 0, 1.0, -1.0)
            found = g_mean_error(y[part.validation], signs[part.validation])
            assert found == pytest.approx(result.validation_error)
            assert np.array_equal(result.samples, part.train)


def test_a_constant_transformation_is_another_penalty():
    """c^2 K + I / C is c^2 (K + I / (C c^2)): the machine of the penalty C c^2, decision / c^2."""
    _, _, part = problem(share=0.0)
    alpha = run(part, Constant(3.0), max_transforms=1).machine.alpha
    assert_allclose(alpha, problem(share=0.0, C=90.0)[2].first.alpha, atol=1e-6)


def test_without_validation_samples_all_are_applied_unless_one_degenerates():
    _, y, part = problem(share=0.0)
    result = run(part, "amari", max_transforms=3)
    assert result.n_transforms == 3
    assert len(result.history) == 4
    assert np.isnan(result.validation_error)
    assert result.samples.size == y.size
    assert result.stop_reason == "All 3 transformations were applied."
    assert result.history[1]["parameters"]["tau"] == pytest.approx(5 / 2**0.5)
    result = run(part, Constant(1e4), max_transforms=9)
    assert result.is_degenerate
    assert 0 < result.n_transforms < 9
    assert_allclose(result.factors, 1e4**result.n_transforms)


@cases(
    "rule, message",
    (Narrow(), "underflows on all training samples of a class"),
    (Constant(1e200), "is not finite|penalty 1 / C vanishes"),
    (Constant(0.0), "underflows on all"),
    (Constant(-1.0), "is negative everywhere"),
    (Constant(np.nan), "is not finite"),
    (Constant(1e7), "vanishes beside"),
)
@cases("share", 0.0, 0.25)
def test_a_transformation_that_degenerates_is_not_applied(rule, message, share):
    _, _, part = problem(share=share)
    result = run(part, rule)
    assert result.is_degenerate
    assert result.n_transforms == 0
    assert re.search(message, result.stop_reason)
    assert "Transformation 1" in result.stop_reason
    assert np.all(np.isfinite(decisions(result, part)))


@cases("tol", 1e-3, 1e-8)
@cases("n, C", (40, 10.0), (200, 1e4), (900, 1.0))
def test_a_race_finds_the_errors_of_machines_trained_alone(n, C, tol):
    _, _, part = problem(n=n, positives=n // 10, C=C, tol=tol)
    first = TrainedMachine.first(part)
    family = RULES["tsvt"]().family(first, None)
    rates = 10.0 ** np.random.default_rng(3).uniform(-3, 2, (12, family.start.size))
    race = ValidationRace(family, first)
    errors = race.errors(rates)
    found = []
    D = family.values(rates)
    validation_D = family.validation_values(rates)
    troubles = part.troubles(D, validation_D)
    for d, validation_d, trouble in zip(D, validation_D, troubles, strict=True):
        error = 2.0
        if not trouble:
            alone = TrainedMachine(part, part.machine(d), d, validation_d)
            error = alone.validation_error()
        found.append(error)
    # Machines to a tolerance of 1e-3 may see a validation sample on either side.
    assert_allclose(errors, found, atol=0.1 if tol == 1e-3 else 1e-12)
    best = race.best
    assert best.validation_error() == errors.min()
    assert best.machine.converged
    alone = part.machine(best.factors)
    assert abs(best.machine.objective - alone.objective) <= 2 * tol * alone.objective
    assert len(np.unique(errors)) > 1


@each(width=["pattern", "boundary"], radius=[None, 0.5])
def test_kba_is_its_formula_point_by_point(width, radius):
    """(4.4.5) to (4.4.7) with explicit points of the empirical feature space."""
    _, _, part = problem(share=0.0, n=40, positives=6, gamma=0.5)
    result = run(part, KBA(radius=radius, width=width), max_transforms=1)
    values, vectors = np.linalg.eigh(part.K)
    Z = vectors * np.sqrt(np.maximum(values, 0.0))
    (stage,) = result.stages
    places = np.searchsorted(np.sort(part.train), stage.columns)
    of_train = np.argsort(part.train)[places]
    first = Z[of_train[: stage.n_first]]
    second = Z[of_train[stage.n_first :]]
    points = ((1 - stage.beta) * first[:, None] + stage.beta * second[None]).reshape(
        -1, len(Z)
    )
    D = ((Z[:, None] - points[None]) ** 2).sum(axis=2)
    D[D < 1e-14] = 0.0

    def within(row):
        return row[row < ((row.min() + row.max()) / 2 if radius is None else radius)]

    if width == "boundary":
        widths = [
            of.mean() if (of := within(column)).size else column.min() for column in D.T
        ]
        wanted = np.exp(-D / np.maximum(widths, 1e-12)).mean(axis=1)
    else:
        near = [within(row) if within(row).size else np.ones(1) for row in D]
        wanted = [np.exp(-row / max(row.mean(), 1e-12)).mean() for row in near]
    assert_allclose(result.factors, wanted, atol=1e-7)


def test_units_of_the_svm_are_those_of_the_hulls_times_two_over_the_squared_distance():
    _, _, part = problem(share=0.0)
    scale = 2 / part.first.squared_norm
    for hull, svm, ratio in (
        (Amari(), Amari(units="svm"), scale),
        (Williams(kappa=0.7 * scale**2), Williams(kappa=0.7, units="svm"), 1.0),
    ):
        in_hull, in_svm = (
            run(part, rule, max_transforms=1).factors for rule in (hull, svm)
        )
        assert_allclose(in_svm, ratio * in_hull)
    found = run(part, MDT(units="svm"), max_transforms=1)
    K, _ = matrices(part)
    assert_allclose(found.transformation(K)[found.samples], found.factors, rtol=1e-9)
    refused("'units' of MDT must be 'hull' or 'svm'. Got 'x'", MDT, units="x")


@refusals(
    ({"transform": "amarii"}, "one of .*'act'.*Got 'amarii'"),
    ({"search": "grid"}, "'search' must be one of.*Got 'grid'"),
    ({"escape": "erly"}, "'escape' must be one of.*Got 'erly'"),
    ({"generations": 0}, "'generations' must be at least 1. Got 0"),
    ({"search": "separability_exact"}, "known for Xiong alone.*Got MDT"),
)
def test_an_unknown_method_is_refused(change, message):
    _, _, part = problem()
    refused(message, conformal_transformations, part, **{"transform": "mdt", **change})


def test_what_a_method_needs_must_be_there():
    X, y, part = problem()
    bare = ConformalProblem(gram(X), y, part.validation, C=1.0)
    refused("Amari needs distances in input space", run, bare, "amari")
    assert run(bare, "williams").machine.converged
    plain = ConformalProblem(
        gram(X), y, part.validation, C=1.0, distances=squared_distances(X)
    )
    refused("without sigma and n_features; give them to it", run, plain, "amari")
    assert run(plain, Amari(tau=1.0)).machine.converged
    refused("Xiong takes its width.*without sigma; give", run, plain, "xiong")
    without = problem(share=0.0)[2]
    refused(
        "'validation_cma' needs validation samples",
        run,
        without,
        "mdt",
        "validation_cma",
    )


@refusals(
    ({"K": np.eye(3)}, "'K' .* row and a column for each of the 200"),
    ({"distances": np.eye(3)}, "'distances' .* Got shape"),
    ({"C": 0.0}, "'C' .* must be a positive finite number. Got 0.0"),
    ({"validation": [0]}, "in the validation part, both there. Got"),
    ({"y": np.ones(200)}, r"in the training part, both there. Got \[1.0\]"),
)
def test_a_bad_problem_is_refused(change, message):
    X, y = board()
    arguments = {"K": gram(X), "y": y, "validation": None, "C": 1.0} | change
    refused(message, ConformalProblem, **arguments)


def test_machines_that_call_all_samples_positive_err_by_one_whatever_the_weights():
    X, y, part = problem()
    all_positive = {
        "weights": np.zeros((1, part.y.size)),
        "intercepts": np.ones((1, 1)),
        "validation_D": np.ones((1, part.validation.size)),
    }
    for seed in range(20):
        weight = np.random.default_rng(seed).exponential(size=y.size)
        weighted = ConformalProblem(
            gram(X), y, part.validation, C=1.0, sample_weight=weight
        )
        decisions = weighted.validation_decisions(**all_positive)
        assert weighted.g_means_errors(decisions).tolist() == [1.0]
