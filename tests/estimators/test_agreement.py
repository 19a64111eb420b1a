"""The four machines against libsvm, against each other and against known limits."""

import numpy as np
import pytest
from sklearn.svm import SVC

from companion import L1SVC, L2SVC, LSSVC, LeastOneNormSVC, UnbiasedSVC
from companion.kernels import gram

from ._data import each_cost, each_kernel, two_clouds

X, Y = two_clouds()
MACHINES = [L1SVC, L2SVC, LSSVC, LeastOneNormSVC]
TOL = 1e-9

each_machine = pytest.mark.parametrize("machine", MACHINES)


def precise(machine, **parameters):
    return machine(**({} if machine is LSSVC else {"tol": TOL}), **parameters)


def by_smo(machine, **parameters):
    return machine(**({"solver": "smo"} if machine is LSSVC else {}), **parameters)


def assert_close(found, expected, factor=1e-6):
    assert np.abs(found - expected).max() <= factor * max(1.0, np.abs(expected).max())


@each_kernel
@each_cost
def test_l1_has_the_decision_values_of_libsvm(kernel, C):
    ours = precise(L1SVC, C=C, **kernel).fit(X, Y)
    theirs = SVC(C=C, tol=TOL, **kernel).fit(X, Y)
    # libsvm keeps kernel values in single precision, whatever its tolerance.
    assert_close(ours.decision_function(X), theirs.decision_function(X), 1e-4)


@pytest.mark.parametrize("machine", [*MACHINES, UnbiasedSVC])
@each_kernel
def test_a_precomputed_or_callable_kernel_is_the_named_one(machine, kernel):
    X, y = two_clouds(60)
    queries = two_clouds(30, seed=1)[0]
    precomputed = precise(machine, kernel="precomputed").fit(gram(X, **kernel), y)
    called = precise(machine, kernel=lambda A, B: gram(A, B, **kernel)).fit(X, y)
    expected = precise(machine, **kernel).fit(X, y).decision_function(queries)
    assert_close(precomputed.decision_function(gram(queries, X, **kernel)), expected)
    assert_close(called.decision_function(queries), expected)
    points = "prototypes_" if machine is UnbiasedSVC else "support_vectors_"
    assert getattr(precomputed, points).shape == (0, 0)


@each_machine
def test_the_normal_of_a_linear_machine_is_in_coef(machine):
    X, y = two_clouds(60)
    fitted = machine(kernel="linear").fit(X, y)
    normal = (fitted.dual_coef_ @ X[fitted.support_])[0]
    np.testing.assert_allclose(fitted.coef_[0], normal, atol=1e-12)
    expected = X @ normal + fitted.intercept_[0]
    np.testing.assert_allclose(fitted.decision_function(X), expected, atol=1e-12)
    assert not hasattr(machine().fit(X, y), "coef_")


@each_machine
def test_rows_on_demand_give_the_machine_of_the_whole_matrix(machine):
    X, y = two_clouds(200)
    whole, rows = (
        by_smo(machine, tol=1e-5, cache_size=size).fit(X, y) for size in (200, 0.01)
    )
    np.testing.assert_allclose(
        rows.decision_function(X), whole.decision_function(X), atol=1e-3
    )
    assert rows.kkt_violation_ <= 1e-5
