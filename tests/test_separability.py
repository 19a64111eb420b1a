"""Fisher's J in the kernel's terms: scatter matrices, finite differences, populations, limits."""

import numpy as np
import pytest
from _cases import cases, each, refused
from _conformal_problems import scatter_matrices
from numpy.testing import assert_allclose

from companion.conformal.separability import Separability
from companion.kernels import gram


def problem(n=40, seed=0, d=3, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) < max(1, round(share * n)), 1.0, -1.0))
    X = rng.normal(size=(n, d)) + 0.7 * y[:, np.newaxis]
    return X, y, gram(X, gamma=0.2), rng


def empirical_points(K):
    """Rows are the images Phi_r^e(x_i) of (4.6.2): Z with ZZ' = K."""
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-12 * values.max()
    return vectors[:, kept] * np.sqrt(values[kept])


def explicit_J(Z, y):
    """tr(S_B) / tr(S_W) of points."""
    between, within = scatter_matrices(Z, y)
    return np.trace(between) / np.trace(within)


def differences(function, x, step):
    shifts = step * np.eye(x.size)
    return np.array([function(x + shift) - function(x - shift) for shift in shifts]) / (
        2 * step
    )


@each(seed=range(4), share=[0.1, 0.5])
def test_J_is_that_of_scatter_matrices_in_the_empirical_feature_space(seed, share):
    _, y, K, rng = problem(seed=seed, share=share)
    Z = empirical_points(K)
    assert_allclose(Z @ Z.T, K, atol=1e-12)
    criterion = Separability(K, y)
    assert criterion.value(np.ones(y.size)) == pytest.approx(
        explicit_J(Z, y), rel=1e-10
    )
    Q = rng.uniform(0.0, 3.0, (5, y.size))
    each = [criterion.value(q) for q in Q]
    assert each == pytest.approx([explicit_J(q[:, None] * Z, y) for q in Q], rel=1e-9)
    assert_allclose(criterion.values(Q), each, rtol=1e-12)


def test_the_gradient_is_that_of_finite_differences():
    _, y, K, rng = problem()
    criterion = Separability(K, y)
    for scale in (1e-3, 1.0, 1e3):
        q = scale * rng.uniform(0.2, 2.0, y.size)
        value, gradient = criterion.value_and_gradient(q)
        assert value == pytest.approx(criterion.value(q), rel=1e-12)
        wanted = differences(criterion.value, q, step=1e-5 * scale)
        assert_allclose(gradient, wanted, atol=1e-7 * np.abs(wanted).max())
        assert (
            abs(gradient @ q) < 1e-9 * np.abs(gradient).max() * q.max()
        )  # J is free of scale


def test_combinations_have_the_value_and_the_gradient_of_their_sum():
    X, y, K, rng = problem()
    K = K * np.outer(1 + X[:, 0] ** 2, 1 + X[:, 0] ** 2)
    criterion = Separability(K, y)
    # the last two functions are one but for rounding
    basis = np.exp(-0.5 * (X[:, :1] - rng.normal(size=(1, 9))) ** 2)
    basis = np.column_stack([basis, basis[:, 0] + 1e-9 * rng.normal(size=y.size)])
    J = criterion.combinations(basis)
    for scale in (1e-3, 1.0, 1e3):
        coefficients = scale * rng.normal(size=10)
        value, gradient = J.value_and_gradient(coefficients)
        wanted, by_q = criterion.value_and_gradient(basis @ coefficients)
        assert value == pytest.approx(wanted, rel=1e-11)
        assert_allclose(gradient, by_q @ basis, atol=1e-10 * np.abs(by_q).max())
        assert np.abs(gradient).max() > 0
    assert J.value_and_gradient(np.zeros(10))[0] == 0.0
    assert not J.value_and_gradient(np.full(10, np.inf))[1].any()


def test_the_maximiser_over_functions_is_their_best_combination():
    X, y, K, rng = problem()
    criterion = Separability(K, y)
    basis = np.column_stack([np.ones(y.size), gram(X, X[:5], gamma=0.5)])
    best, top = criterion.maximiser(basis)
    assert criterion.value(basis @ best) == pytest.approx(top)
    others = rng.normal(size=(500, 6)) * np.array([1.0, 0.1]).repeat(3)
    near = best + 1e-3 * rng.normal(size=(500, 6))
    assert criterion.values(np.concatenate([others, near]) @ basis.T).max() <= top * (
        1 + 1e-12
    )
    repeated = np.column_stack([basis, basis, basis[:, 1] + 1e-14])
    assert criterion.maximiser(repeated)[1] == pytest.approx(top, rel=1e-6)


@cases(
    "K, y, message",
    (np.eye(3), [1, -1], r"'K' of Separability must be a square.*\(2, 2\)"),
    (np.eye(3), [1, 1, 1], "both labels, -1 and"),
    (np.eye(3), [0, 1, 0], "labels -1 and"),
)
def test_bad_input_is_refused(K, y, message):
    refused(message, Separability, K, np.array(y))
