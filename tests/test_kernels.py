"""Kernel functions: values, exact symmetry, conventions, rows on demand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import pairwise

from companion import _kernel_loops as loops
from companion._scratch import KEPT_MEGABYTES, borrow_matrix, give_back, release
from companion.estimators._single import rbf_expansion
from companion.kernels import KernelRows, gamma_from_width, gram, resolve_gamma, squared_distances


def points(n, n_features, seed=0):
    return np.random.default_rng(seed).normal(size=(n, n_features))


@pytest.mark.parametrize(
    "shape", [(1, 1), (8, 2), (33, 3), (64, 2), (65, 31), (130, 40), (521, 5), (1501, 2)]
)
def test_rbf_gram_matrix_equals_the_formula_and_is_exactly_symmetric(shape):
    X = points(*shape)
    K = gram(X, gamma=0.3)
    np.testing.assert_allclose(K, pairwise.rbf_kernel(X, gamma=0.3), rtol=1e-11, atol=1e-300)
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diag(K), np.ones(len(X)))


@pytest.mark.parametrize("rows", [[5], range(0, 700, 2), range(700), [699, 3, 350], []])
@pytest.mark.parametrize("n_features", [1, 6])
def test_an_expansion_equals_the_rows_of_the_gram_matrix_times_its_weights(n_features, rows):
    X, rows = points(700, n_features), np.array(rows, dtype=np.intp)
    beta = np.random.default_rng(1).normal(size=700) * (np.arange(700) % 3 > 0)
    expected = pairwise.rbf_kernel(X, gamma=0.2)[rows] @ beta
    np.testing.assert_allclose(rbf_expansion(X, rows, beta, 0.2), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n_features", [1, 7, 32, 33, 60])
def test_rectangular_blocks_equal_the_formula(n_features):
    X, Y = points(20, n_features), points(300, n_features, seed=1)
    expected = pairwise.rbf_kernel(X, Y, gamma=0.05)
    np.testing.assert_allclose(gram(X, Y, gamma=0.05), expected, rtol=1e-12)
    by_differences = ((X[:, None] - Y[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(squared_distances(X, Y), by_differences, rtol=1e-11, atol=1e-12)


def test_linear_polynomial_and_callable_kernels_equal_their_formulas():
    X, Y = points(9, 3), points(4, 3, seed=1)
    np.testing.assert_allclose(gram(X, Y, kernel="linear"), X @ Y.T)
    np.testing.assert_allclose(
        gram(X, Y, kernel="poly", gamma=0.5, degree=3, coef0=1.0), (0.5 * X @ Y.T + 1.0) ** 3
    )
    np.testing.assert_allclose(
        gram(X, kernel="poly", gamma=0.5, degree=11, coef0=9.0), (0.5 * X @ X.T + 9.0) ** 11
    )
    np.testing.assert_array_equal(gram(X, Y, kernel=lambda A, B: A @ B.T + 1.0), X @ Y.T + 1.0)


def test_exponential_is_accurate_to_a_few_units_in_the_last_place():
    x = -np.concatenate([np.linspace(0.0, 700.0, 20001), np.geomspace(1e-300, 1.0, 20001)])[None]
    exact = np.exp(x.astype(np.longdouble))
    relative = np.abs(gram(None, squared_distances=-x, gamma=1.0) - exact) / exact
    assert relative.max() < 5e-16
    out = np.empty((1, 2))
    loops.exp_scaled(np.array([[709.0, 1e308]]), -1.0, out)
    assert np.array_equal(out, [[0.0, 0.0]])


def test_compiled_loops_give_the_same_when_not_compiled():
    X = points(5, 3)
    compiled, plain = np.empty((5, 5)), np.empty((5, 5))
    loops.rbf_symmetric(X, np.ascontiguousarray(X.T), -1.0, compiled)
    squared = ((X[:, None] - X[None]) ** 2).sum(-1)
    np.testing.assert_allclose(compiled, squared, atol=1e-14)
    products = X @ X.T
    norms = np.diag(products).copy()
    loops.finish_distances.py_func(products, norms, norms, -1.0)
    np.testing.assert_allclose(products, squared, atol=1e-13)
    gram(None, squared_distances=squared, gamma=0.7, out=plain)
    np.testing.assert_allclose(plain, np.exp(-0.7 * squared), rtol=1e-14)


def test_identical_points_have_identical_rows_and_kernel_value_one():
    X = points(40, 13)
    X[7] = X[31]
    K = gram(X, gamma=0.1)
    assert np.array_equal(K[7], K[31])
    assert K[7, 31] == 1.0


@pytest.mark.parametrize("n_features", [4, 40])
def test_distances_of_far_away_points_do_not_cancel(n_features):
    X = points(30, n_features)
    near = squared_distances(X)
    np.testing.assert_allclose(squared_distances(X + 1e4), near, rtol=1e-7, atol=1e-9)


@given(n=st.integers(1, 70), m=st.integers(1, 70), d=st.integers(1, 36), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_gram_matrix_of_any_shape_equals_the_formula(n, m, d, seed):
    X, Y = points(n, d, seed), points(m, d, seed + 1)
    X[:, 0] = 3.0  # a constant column
    np.testing.assert_allclose(gram(X, Y, gamma=0.1), pairwise.rbf_kernel(X, Y, 0.1), rtol=1e-11)
    np.testing.assert_allclose(gram(X, gamma=0.1), pairwise.rbf_kernel(X, gamma=0.1), rtol=1e-11)


def test_result_is_written_to_the_given_matrix_in_its_precision():
    X = points(50, 3)
    for dtype, tolerance in ((np.float64, 1e-14), (np.float32, 1e-6)):
        out = np.empty((50, 50), dtype=dtype)
        assert gram(X, gamma=0.2, out=out) is out
        np.testing.assert_allclose(out, gram(X, gamma=0.2), rtol=tolerance)


def test_gram_from_given_distances_equals_gram_from_points():
    X = points(60, 5)
    np.testing.assert_allclose(
        gram(X, squared_distances=squared_distances(X), gamma=0.4), gram(X, gamma=0.4), rtol=1e-14
    )


@pytest.mark.parametrize(
    ("convention", "formula"),
    [
        ("sigma", lambda d2, width: np.exp(-d2 / width)),
        ("sigma2", lambda d2, width: np.exp(-d2 / width**2)),
        ("2sigma2", lambda d2, width: np.exp(-d2 / (2 * width**2))),
    ],
)
def test_width_conventions_give_the_kernels_they_name(convention, formula):
    X = points(6, 2)
    K = gram(X, gamma=gamma_from_width(1.7, convention))
    np.testing.assert_allclose(K, formula(squared_distances(X), 1.7), rtol=1e-14)


def test_gamma_words_mean_what_they_mean_in_scikit_learn():
    X = points(20, 4)
    assert resolve_gamma("scale", X) == pytest.approx(1 / (4 * X.var()))
    assert resolve_gamma("auto", X) == 0.25
    assert resolve_gamma("scale", np.ones((5, 2))) == 1.0
    assert resolve_gamma(2, X) == 2.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gram(points(3, 2), kernel="sigmoid"), "must be one of"),
        (lambda: gram(points(3, 2), points(3, 4)), "the 2 features of X"),
        (lambda: gram(np.ones(3)), "must be a matrix"),
        (lambda: gram(points(3, 2), out=np.empty((2, 2))), "of shape \\(3, 3\\)"),
        (lambda: gram(points(3, 2), kernel=lambda A, B: np.ones(3)), "shape \\(3, 3\\)"),
        (lambda: gram(points(3, 2), kernel="linear", squared_distances=np.eye(3)), "'rbf'"),
        (lambda: gamma_from_width(1.0, "width"), "'convention'.*'width'"),
        (lambda: gamma_from_width(0.0, "sigma"), "positive finite"),
        (lambda: resolve_gamma(-1.0, points(3, 2)), "finite number >= 0"),
        (lambda: resolve_gamma("large", points(3, 2)), "'scale', 'auto'"),
        (lambda: KernelRows(points(3, 2), dtype=int), "float64 or float32"),
        (lambda: KernelRows(points(30, 2), cache_size=1e-9).ensure(np.arange(5)), "cache_size"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_what_was_got(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", lambda A, B: A @ B.T])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_on_demand_equal_the_rows_of_the_matrix(kernel, dtype):
    X = points(40, 5)
    settings_ = {"kernel": kernel, "gamma": 0.3, "degree": 2, "coef0": 1.0}
    K = gram(X, **settings_)
    megabytes = 5 * 40 * np.dtype(dtype).itemsize / 1e6
    rows = KernelRows(X, dtype=dtype, cache_size=megabytes, **settings_)
    assert rows.capacity == 5
    for i in np.random.default_rng(0).integers(0, 40, size=100):
        np.testing.assert_allclose(rows.row(i), K[i], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(rows.diagonal, np.diag(K), rtol=1e-6)
    np.testing.assert_allclose(rows.block(np.array([3, 9])), K[np.ix_([3, 9], [3, 9])], rtol=1e-12)


def test_the_least_recently_used_row_makes_room():
    rows = KernelRows(points(10, 2), cache_size=3 * 10 * 8 / 1e6)
    for i in (0, 1, 2, 0, 1, 3):
        rows.row(i)
    assert rows.n_computed == 4
    for i in (0, 1, 3):
        rows.row(i)
    assert rows.n_computed == 4
    rows.row(2)
    assert rows.n_computed == 5


def test_borrowed_memory_is_reused_aligned_and_bounded():
    release()
    first = borrow_matrix(100)
    assert first.ctypes.data % 64 == 0
    address = first.ctypes.data
    give_back(first)
    assert borrow_matrix(100).ctypes.data == address
    too_large = borrow_matrix(int((1.1 * KEPT_MEGABYTES * 1e6 / 4) ** 0.5), np.float32)
    give_back(too_large)
    ordinary = np.empty((3, 3))
    give_back(ordinary)
    assert borrow_matrix(3).base is not ordinary
    release()


@pytest.mark.parametrize("size", [1e-25, 1e-9, 1e18])
def test_single_precision_rows_hold_for_points_of_any_size(size):
    X = np.random.default_rng(0).normal(size=(40, 3))
    rows = KernelRows(size * X, gamma=0.5 / size**2, dtype=np.float32)
    np.testing.assert_allclose(rows.row(7), gram(X, gamma=0.5)[7], rtol=1e-5)


@pytest.mark.parametrize("n_features", [2, 8, 11, 13, 32])
@pytest.mark.parametrize("n", [7, 8, 30, 1035])
def test_mirrored_rows_in_single_precision_equal_rows_one_by_one(n, n_features):
    X = points(n, n_features)
    all_at_once, one_by_one = (KernelRows(X, gamma=0.1, dtype=np.float32) for _ in range(2))
    all_at_once.ensure(np.arange(n))
    some = [0, n // 2, n - 1]
    for i in some:
        assert np.array_equal(all_at_once.row(i), one_by_one.row(i))
    assert np.array_equal(all_at_once.buffer, all_at_once.buffer.T)
    np.testing.assert_allclose(all_at_once.buffer, gram(X, gamma=0.1), atol=1e-6)


def test_rows_asked_for_in_another_order_are_those_of_their_samples():
    X = points(40, 9)
    rows = KernelRows(X, gamma=0.1, dtype=np.float32)
    rows.ensure(np.arange(40)[::-1])
    np.testing.assert_allclose([rows.row(i) for i in range(40)], gram(X, gamma=0.1), atol=1e-6)
