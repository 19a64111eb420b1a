"""UnbiasedSVC: agreement with its solver, its sigmoid, what it refuses."""

import numpy as np
import pytest
from _cases import refused
from numpy.testing import assert_allclose, assert_array_equal

from companion import L1SVC, UnbiasedSVC
from companion.kernels import gram
from companion.losses import Sigmoid, Unbiased
from companion.solvers import Design, fscl, wls

from ._data import two_clouds


def test_the_semiparametric_machine_is_the_solver_on_its_prototypes():
    X, y = two_clouds(80)
    weight = np.where(X[:, 0] < 0.5, 5.0, 1.0)
    machine = UnbiasedSVC(C=5.0, gamma=0.3, n_prototypes=10, random_state=3)
    machine.fit(X, y, sample_weight=weight)
    seed = np.random.RandomState(3).randint(2**31 - 1)
    prototypes = fscl(X, 10, rng=seed, sample_weight=weight)
    assert_array_equal(machine.prototypes_, prototypes)
    design = Design.kernel(gram(X, prototypes, gamma=0.3), gram(prototypes, gamma=0.3))
    settings = {"loss": Unbiased(2), "start": "svc", "sample_weight": weight}
    expected = wls(design, np.where(y == 1, 1.0, -1.0), 5.0, **settings)
    assert_allclose(machine.decision_function(X), expected.decision_function, atol=1e-8)
    assert machine.dual_coef_.shape == (1, 10)


def test_with_the_sigmoid_the_machine_is_a_minimum_that_lies_below_the_svc_it_starts_at():
    X, y = two_clouds(80)
    signs = np.where(y == 1, 1.0, -1.0)
    loss = Sigmoid(6.0)
    C = 5.0
    machine = UnbiasedSVC(
        C=C, loss="sigmoid", slope=6.0, kernel="linear", tol=1e-9
    ).fit(X, y)
    w = machine.coef_[0]
    b = machine.intercept_[0]

    def objective(w, b):
        return 0.5 * w @ w + C * loss.value(1 - signs * (X @ w + b)).sum()

    assert machine.objective_ == pytest.approx(objective(w, b), rel=1e-12)
    svc = L1SVC(C=C, kernel="linear").fit(X, y)
    assert machine.objective_ < objective(svc.coef_[0], svc.intercept_[0])
    for step in 1e-3 * np.random.default_rng(0).standard_normal((20, w.size + 1)):
        assert objective(w + step[:-1], b + step[-1]) > machine.objective_
    slack = 1 - signs * machine.decision_function(X)
    assert_allclose(w, C * (signs * loss.derivative(slack)) @ X, atol=1e-6)


def test_prototypes_of_a_precomputed_kernel_are_refused():
    X, y = two_clouds(40)
    message = "precomputed kernel does not give.*use n_prototypes=None"
    refused(message, UnbiasedSVC(kernel="precomputed", n_prototypes=5).fit, gram(X), y)
