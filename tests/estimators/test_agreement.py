"""Machines with the same kernel given in other ways, and in several threads at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from _cases import cases
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from companion import (
    L1SVC,
    L2SVC,
    LSSVC,
    ConformalSVC,
    LeastOneNormSVC,
    UnbiasedSVC,
    WeightedRobustSVC,
)
from companion.kernels import gram

from ._data import each_kernel, two_clouds

MACHINES = [L1SVC, L2SVC, LSSVC, LeastOneNormSVC]
TOL = 1e-9

each_machine = cases("machine", *MACHINES)


def precise(machine, **parameters):
    return machine(**({} if machine is LSSVC else {"tol": TOL}), **parameters)


def by_smo(machine, **parameters):
    return machine(**({"solver": "smo"} if machine is LSSVC else {}), **parameters)


def assert_close(found, expected, factor=1e-6):
    assert np.abs(found - expected).max() <= factor * max(1.0, np.abs(expected).max())


@cases("machine", *MACHINES, UnbiasedSVC)
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
    assert_allclose(fitted.coef_[0], normal, atol=1e-12)
    expected = X @ normal + fitted.intercept_[0]
    assert_allclose(fitted.decision_function(X), expected, atol=1e-12)
    assert not hasattr(machine().fit(X, y), "coef_")


@each_machine
def test_rows_on_demand_give_the_machine_of_the_whole_matrix(machine):
    X, y = two_clouds(200)
    whole, rows = (
        by_smo(machine, tol=1e-5, cache_size=size).fit(X, y) for size in (200, 0.01)
    )
    assert_allclose(rows.decision_function(X), whole.decision_function(X), atol=1e-3)
    assert rows.kkt_violation_ <= 1e-5


@cases(
    "machine",
    *(machine() for machine in (*MACHINES, UnbiasedSVC, WeightedRobustSVC)),
    ConformalSVC(transform="mdt", search="validation_cma", random_state=0),
    ids=lambda machine: type(machine).__name__,
)
def test_fits_in_threads_at_once_are_those_of_one(machine):
    X, y = two_clouds(60)
    alone = clone(machine).fit(X, y).decision_function(X)

    def values(_):
        return clone(machine).fit(X, y).decision_function(X)

    with ThreadPoolExecutor(2) as threads:
        for found in threads.map(values, range(4)):
            assert_array_equal(found, alone)
