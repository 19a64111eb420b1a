"""Sparse points give the machines and searches that the same points give as arrays."""

import numpy as np
import pytest
import scipy.sparse as sp
from _cases import cases, refused
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.svm import SVC

import companion
from companion import L1SVC
from companion.kernels import KernelRows, gram, squared_distances
from companion.tuning import gacv, leave_one_out, xi_alpha

PRECISE = {
    "L1SVC": {"tol": 1e-9},
    "L2SVC": {"tol": 1e-9},
    "LeastOneNormSVC": {"tol": 1e-9},
    "LSSVC": {},
    "UnbiasedSVC": {"tol": 1e-9},
    "WeightedRobustSVC": {"tol": 1e-9},
    "ConformalSVC": {"tol": 1e-9, "random_state": 0},
}
FORMS = [
    sp.csr_matrix,
    sp.csc_matrix,
    sp.coo_matrix,
    sp.csr_array,
    sp.csc_array,
    sp.coo_array,
]
KERNELS = ["rbf", "linear", "poly", lambda X, Y: X @ Y.T]


def sparse_points(n=60, n_features=200, density=0.02, seed=0):
    """Points, and labels of the halves of a linear function with noise."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, n_features, density=density, format="csr", random_state=rng)
    X.data += 0.5
    values = X @ rng.normal(size=n_features) + 0.1 * rng.normal(size=n)
    return X, (values > np.median(values)).astype(int)


def machine(name, **settings):
    return getattr(companion, name)(**PRECISE[name] | settings)


@cases("name", *PRECISE)
@cases(
    "kernel",
    *KERNELS,
    ids=lambda kernel: kernel if isinstance(kernel, str) else "callable",
)
@cases("n_features", 8, 200)
def test_every_machine_is_that_of_the_array(name, kernel, n_features):
    X, y = sparse_points(
        n_features=n_features, density=0.02 if n_features > 99 else 0.3
    )
    dense = machine(name, kernel=kernel).fit(X.toarray(), y)
    expected = dense.decision_function(X.toarray())
    for form in FORMS:
        fitted = machine(name, kernel=kernel).fit(form(X), y)
        for queries in (form(X), X.toarray()):
            assert_allclose(fitted.decision_function(queries), expected, atol=1e-5)
    assert_allclose(dense.decision_function(X), expected, atol=1e-5)


@given(
    n=st.integers(6, 40),
    n_features=st.sampled_from([3, 33, 150]),
    density=st.floats(0.005, 0.5),
    seed=st.integers(0, 1000),
    kernel=st.sampled_from(["rbf", "linear", "poly", "sigmoid"]),
)
def test_kernel_values_and_rows_on_demand_are_those_of_the_array(
    n, n_features, density, seed, kernel
):
    X, _ = sparse_points(n, n_features, density, seed)
    Z = sparse_points(5, n_features, density, seed + 1)[0]
    parameters = {"kernel": kernel, "gamma": 0.3, "degree": 2, "coef0": 1.0}
    expected = gram(X.toarray(), **parameters)
    K = gram(X, **parameters)
    assert np.array_equal(K, K.T)
    assert_allclose(K, expected, rtol=1e-12, atol=1e-12)
    across = gram(X.toarray(), Z.toarray(), **parameters)
    for queries, centres in ((X, Z), (X.toarray(), Z), (X, Z.toarray())):
        assert_allclose(gram(queries, centres, **parameters), across, atol=1e-12)
    distances = squared_distances(X)
    assert_allclose(distances, squared_distances(X.toarray()), atol=1e-12)
    assert not distances.diagonal().any()
    rows = KernelRows(X, cache_size=3 * n * 8e-6, **parameters)
    some = np.array([4, 1])
    assert_allclose(rows.buffer[rows.ensure(some)], expected[some], atol=1e-12)
    assert_allclose(rows.diagonal, expected.diagonal(), rtol=1e-12)


def test_criteria_of_a_machine_are_those_of_the_array():
    X, y = sparse_points()
    sparse, dense = (L1SVC(tol=1e-9).fit(of, y) for of in (X, X.toarray()))
    for criterion in (gacv, xi_alpha, leave_one_out):
        value = criterion(dense, X.toarray(), y)
        assert criterion(sparse, X, y) == pytest.approx(value, rel=1e-6)
        assert criterion(sparse, X.toarray(), y) == pytest.approx(value, rel=1e-6)


def test_a_sparse_gram_matrix_is_refused_as_by_svc():
    X, y = sparse_points()
    for of in (L1SVC(kernel="precomputed"), SVC(kernel="precomputed")):
        refused(
            "Sparse precomputed kernels are not supported",
            of.fit,
            X @ X.T,
            y,
            error=TypeError,
        )


def test_what_needs_an_array_refuses_points_that_would_be_too_large():
    values = np.arange(60.0)
    rows = np.arange(60)
    X = sp.csr_matrix((values, (rows, np.zeros(60, dtype=int))), shape=(60, 3_000_000))
    y = (values > 29).astype(int)
    for name in ("UnbiasedSVC", "WeightedRobustSVC"):
        message = rf"{name} needs dense points.*\(60, 3000000\).*1440 MB.*TruncatedSVD"
        refused(message, machine(name, kernel="linear").fit, X, y)
    assert L1SVC(kernel="linear").fit(X, y).score(X, y) == 1.0
