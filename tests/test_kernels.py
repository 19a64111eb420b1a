"""Kernel functions: values, exact symmetry, conventions, rows on demand."""

import numpy as np
import pytest
from _cases import cases, each, refused
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import pairwise

from companion.kernels import (
    KernelRows,
    gamma_from_width,
    gram,
    resolve_gamma,
    squared_distances,
)


def points(n, n_features, seed=0):
    return np.random.default_rng(seed).normal(size=(n, n_features))


def test_linear_polynomial_and_callable_kernels_equal_their_formulas():
    X = points(9, 3)
    Y = points(4, 3, seed=1)
    assert_allclose(gram(X, Y, kernel="linear"), X @ Y.T)
    for Z, degree, coef0 in ((Y, 3, 1.0), (None, 11, 9.0)):
        found = gram(X, Z, kernel="poly", gamma=0.5, degree=degree, coef0=coef0)
        wanted = (0.5 * X @ (X if Z is None else Z).T + coef0) ** degree
        assert_allclose(found, wanted)
    assert_array_equal(gram(X, Y, kernel=lambda A, B: A @ B.T + 1.0), X @ Y.T + 1.0)


def test_exponential_is_accurate_to_a_few_units_in_the_last_place():
    x = -np.concatenate(
        [np.linspace(0.0, 700.0, 20001), np.geomspace(1e-300, 1.0, 20001)]
    )[None]
    exact = np.exp(x.astype(np.longdouble))
    relative = np.abs(gram(None, squared_distances=-x, gamma=1.0) - exact) / exact
    assert relative.max() < 5e-16
    far = gram(None, squared_distances=np.array([[709.0, 1e308]]), gamma=1.0)
    assert np.array_equal(far, [[0.0, 0.0]])


@cases("n_features", 4, 40)
def test_no_query_moves_the_distances_of_another(n_features):
    X = points(20, n_features)
    queries = np.vstack([points(5, n_features, seed=1), np.full((1, n_features), 1e9)])
    assert_array_equal(
        squared_distances(queries, X)[:5], squared_distances(queries[:5], X)
    )


@cases("n_features", 4, 40)
def test_distances_of_far_away_points_do_not_cancel(n_features):
    X = points(30, n_features)
    near = squared_distances(X)
    far = squared_distances(X + 1e4)
    assert_allclose(far, near, rtol=1e-7, atol=1e-9)


@given(
    n=st.integers(1, 70),
    m=st.integers(1, 300),
    d=st.integers(1, 60),
    seed=st.integers(0, 99),
)
def test_gram_matrix_of_any_shape_equals_the_formula(n, m, d, seed):
    X = points(n, d, seed)
    Y = points(m, d, seed + 1)
    X[:, 0] = 3.0  # a constant column
    assert_allclose(gram(X, Y, gamma=0.1), pairwise.rbf_kernel(X, Y, 0.1), rtol=1e-11)
    K = gram(X, gamma=0.1)
    assert_allclose(K, pairwise.rbf_kernel(X, gamma=0.1), rtol=1e-11)
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diag(K), np.ones(n))
    by_differences = ((X[:, None] - Y[None]) ** 2).sum(axis=-1)
    assert_allclose(squared_distances(X, Y), by_differences, rtol=1e-11, atol=1e-12)


@cases(
    "convention, divisor", ("sigma", 1.7), ("sigma2", 1.7**2), ("2sigma2", 2 * 1.7**2)
)
def test_width_conventions_give_the_kernels_they_name(convention, divisor):
    X = points(6, 2)
    K = gram(X, gamma=gamma_from_width(1.7, convention))
    assert_allclose(K, np.exp(-squared_distances(X) / divisor), rtol=1e-14)


def test_gamma_words_mean_what_they_mean_in_scikit_learn():
    X = points(20, 4)
    assert resolve_gamma("scale", X) == pytest.approx(1 / (4 * X.var()))
    assert resolve_gamma("auto", X) == 0.25
    assert resolve_gamma("scale", np.ones((5, 2))) == 1.0
    assert resolve_gamma(2, X) == 2.0


@cases(
    "call, message",
    (lambda: gram(points(3, 2), kernel="tanh"), "must be one of"),
    (lambda: gram(points(3, 2), points(3, 4)), "the 2 features of X"),
    (lambda: gram(np.ones(3)), "must be a matrix"),
    (lambda: gram(points(3, 2), out=np.empty((2, 2))), "of shape \\(3, 3\\)"),
    (lambda: gram(points(3, 2), out=np.empty((3, 3), "f4")), "float64 matrix.*float32"),
    (lambda: gram(points(3, 2), gamma=-1.0), "'gamma' of the 'rbf'.*Got -1.0"),
    (lambda: gram(points(3, 40), gamma=np.nan), "'gamma' of the 'rbf'.*Got nan"),
    (lambda: KernelRows(points(3, 2), gamma=-1.0), "'gamma' of the 'rbf'.*Got -1.0"),
    (lambda: gram(points(3, 2), gamma="scale"), "must be a number.*resolve_gamma"),
    (lambda: gram([[np.nan]]), "X contains NaN"),
    (lambda: gram([[0.0]], [[np.inf]], kernel="linear"), "Y contains infinity"),
    (lambda: gram(csr_array([[np.nan]])), "X contains NaN"),
    (lambda: gram(None, squared_distances=[[np.nan]]), "must be numbers. Got NaN"),
    (lambda: squared_distances([[np.nan]]), "X contains NaN"),
    (lambda: KernelRows([[np.nan]]), "X contains NaN"),
    (lambda: gram(points(3, 2), kernel=lambda A, B: np.ones(3)), "shape \\(3, 3\\)"),
    (lambda: gram(points(3, 2), kernel="linear", squared_distances=np.eye(3)), "'rbf'"),
    (lambda: gamma_from_width(1.0, "width"), "'convention'.*'width'"),
    (lambda: gamma_from_width(0.0, "sigma"), "positive finite"),
    (lambda: resolve_gamma(-1.0, points(3, 2)), "finite number >= 0"),
    (lambda: resolve_gamma("large", points(3, 2)), "'scale', 'auto'"),
    (
        lambda: KernelRows(points(30, 2), cache_size=1e-9).ensure(np.arange(5)),
        "cache_size",
    ),
)
def test_bad_input_is_refused_with_the_rule_and_what_was_got(call, message):
    refused(message, call)


@each(kernel=["rbf", "linear", "poly", lambda A, B: A @ B.T], n_features=[5, 40])
@cases("capacity", 2, 5, 40)
def test_rows_on_demand_equal_the_rows_of_the_matrix(kernel, n_features, capacity):
    X = points(40, n_features)
    rng = np.random.default_rng(0)
    settings_ = {"kernel": kernel, "gamma": 0.05, "degree": 2, "coef0": 1.0}
    K = gram(X, **settings_)
    rows = KernelRows(X, cache_size=capacity * 40 * 8 / 1e6, **settings_)
    for _ in range(20):
        some = rng.choice(40, size=rng.integers(1, capacity + 1), replace=False)
        assert_allclose(rows.buffer[rows.ensure(some)], K[some], rtol=1e-11, atol=1e-13)
        kept = np.flatnonzero(rows.slot >= 0)
        assert_allclose(rows.buffer[rows.slot[kept]], K[kept], rtol=1e-11, atol=1e-13)
        assert kept.size <= capacity
    assert_allclose(rows.diagonal, np.diag(K), rtol=1e-13)
    some = np.array([3, 9, 20])
    assert_allclose(rows.square(some), K[np.ix_(some, some)], rtol=1e-11)
