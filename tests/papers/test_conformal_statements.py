"""What the studies of the conformal kernel thesis compute is what they say."""

from dataclasses import replace

import numpy as np
import pytest
from _cases import cases
from _conformal_problems import metric_by_differences
from numpy.testing import assert_allclose, assert_array_equal

from companion import L1SVC, L2SVC
from companion.conformal.factors import kernel_metric, transformed_metric
from companion.papers.conformal import (
    background,
    beyond_studies,
    magnification,
    problems,
    teaching,
)
from companion.papers.conformal.methods import Part
from companion.papers.experiment import Split
from companion.reproduction import Unit
from companion.solvers.mdm import mdm
from companion.solvers.smo import smo


def overlapping(seed=0, n=40):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 4, 1.0, -1.0)
    X = rng.standard_normal((n, 2)) + 0.5 * y[:, None]
    return X, y, np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 4)


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


@cases("seed", *range(5))
def test_the_nearest_points_of_the_hulls_are_the_machine(seed):
    """(2.2.7), with squared slacks; and the bisector of Section 2.2.1, without slacks."""
    _, y, K = overlapping(seed)
    hull = mdm(K, y, ridge=0.1, tol=1e-10).to_svm()
    dual = smo(K, y, 0.0, np.inf, ridge=0.1, tol=1e-9)
    assert_allclose(hull.alpha, dual.alpha, atol=1e-5 * dual.alpha.max())
    assert hull.intercept == pytest.approx(dual.intercept, abs=1e-6)
    assert hull.objective == pytest.approx(dual.objective, rel=1e-8)
    assert_allclose(hull.decision_function, dual.decision_function, atol=1e-5)
    X, y = background.plane_sample(seed, background.FAR)
    hard = smo(X @ X.T, y, 0.0, np.inf, tol=1e-9).decision_function
    decision = background.linear_machine(X, y).decision(X)
    assert_allclose(decision, hard, atol=1e-5 * np.abs(hard).max())


@cases("problem", 1, 4)
def test_the_dual_rises_to_where_the_primal_falls(problem):
    """Theorems 1 and 2: no feasible pair has the dual above the primal, and they meet."""
    t, F, theta = teaching.duality(problem)
    assert theta.max() <= F.min() * (1 + 1e-6)
    optimum = np.abs(t).argmin()
    assert theta[optimum] == pytest.approx(F[optimum], rel=1e-5)


def test_the_metrics_of_theorems_4_and_5_are_second_differences_of_the_kernels():
    rng = np.random.default_rng(3)
    X, _, K = overlapping(3)
    c, gradient = background.bumps(rng, X)
    points = rng.uniform(-1.5, 1.5, size=(20, 2))

    def gaussian(a, b):
        return np.exp(-((a - b) ** 2).sum(axis=1) / 4)

    metric = kernel_metric(points, gamma=0.25)
    found = metric_by_differences(gaussian, points)
    assert_allclose(found, metric, atol=1e-4 * np.abs(metric).max())
    metric = transformed_metric(c(points), gradient(points), metric)
    found = metric_by_differences(lambda a, b: c(a) * c(b) * gaussian(a, b), points)
    assert_allclose(found, metric, atol=1e-4 * np.abs(metric).max())
    values = np.linalg.eigvalsh(K * np.outer(c(X), c(X)))
    assert values.min() >= -1e-10 * values.max()  # (3.3.24)


def conformal_map(z):
    """One as that of Figure 3.3.2, which is not printed: analytic, its derivative nowhere 0."""
    return np.exp(0.45 * z) + 0.05 * z**2


def test_the_map_of_figure_3_3_2_keeps_angles():
    rng = np.random.default_rng(1)
    first, second = rng.standard_normal((2, 20, 2))
    z = rng.uniform(-1.5, 1.5, 20) + 1j * rng.uniform(-1.5, 1.5, 20)
    images = []
    for direction in (first, second):
        h = 1e-5 * (direction[:, 0] + 1j * direction[:, 1])
        w = conformal_map(z + h) - conformal_map(z - h)
        images.append(np.column_stack([w.real, w.imag]))
    turned = background.angle(*images) - background.angle(first, second)
    assert np.abs(turned).max() < 0.01


def test_a_line_over_the_parabola_tells_the_points_of_figure_2_1_5_apart():
    x = np.array([-2.4, -2.0, -1.6, -0.8, -0.4, 0.1, 0.5, 0.9, 1.7, 2.1, 2.5])
    y = np.where(np.abs(x) < 1.2, 1.0, -1.0)
    image = np.column_stack([x, x**2])
    decision = background.linear_machine(image, y).decision(image)
    assert_array_equal(np.sign(decision), y)


@cases("seed", *range(5))
def test_a_larger_bound_that_no_weight_reaches_changes_nothing(seed):
    """Section 3.2.2: C+ is an upper bound alone, and the weights of both classes have one sum."""
    X, y = background.plane_sample(seed, background.FAR)
    sums = []
    for factor in (1.0, 10.0):
        weight = {1.0: factor, -1.0: 1.0}
        machine = L1SVC(C=1e3, kernel="linear", class_weight=weight, tol=1e-9)
        coef = machine.fit(X, y).dual_coef_[0]
        assert np.abs(coef).max() < 1e3
        sums.append(np.abs(coef[coef > 0]).sum())
        assert coef.sum() == pytest.approx(0, abs=1e-9 * sums[-1])
    assert sums[1] == pytest.approx(sums[0], rel=1e-5)


@cases("transform", "amari", "wu_amari", "act")
def test_a_prediction_needs_every_transformation_with_its_parameters(transform):
    """Sections 4.1 to 4.3: the machine alone is not enough, and the numbers grow with each."""
    X, y, _ = overlapping(6, n=80)
    problem = problems.problem_of(Split(X, y, X + 0.3, y), "stored")
    part = Part(problem, width=4.0, validate=False)
    stored = []
    for number in (0, 1, 3):
        result = part.transformed(transform, max_transforms=number)
        assert len(result.stages) == number
        decision = part.decision(result)
        for stage in result.stages:
            fewer = tuple(other for other in result.stages if other is not stage)
            without = part.decision(replace(result, stages=fewer))
            assert np.abs(without - decision).max() > 1e-3 * np.abs(decision).max()
        centres = sum(len(stage.columns) for stage in result.stages)
        stored.append(np.count_nonzero(result.machine.alpha) + 2 * centres)
    assert stored == sorted(set(stored))
