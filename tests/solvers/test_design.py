"""Designs and their normal equations against dense linear algebra."""

import numpy as np
import pytest
from _cases import cases, refused
from _problems import KERNELS, same_machine, two_classes
from numpy.testing import assert_allclose, assert_array_equal

from companion.kernels import gram
from companion.losses import Hinge, Unbiased
from companion.solvers import Design, fscl, wls


def grams(X, prototypes, name="rbf"):
    return gram(X, prototypes, **KERNELS[name]), gram(prototypes, **KERNELS[name])


def semiparametric(*points_and_kernel):
    return Design.kernel(*grams(*points_and_kernel))


@cases("name", *KERNELS)
def test_features_and_coefficients_give_the_expansion_and_its_norm(name):
    X, _ = two_classes(50, seed=1)
    prototypes = fscl(X, 9, rng=0)
    design = semiparametric(X, prototypes, name)
    w = np.random.default_rng(0).normal(size=design.m)
    (K, inner) = grams(X, prototypes, name)
    beta = design.coefficients(w)
    assert_allclose(design.augmented[:, :-1] @ w, K @ beta, atol=1e-6)
    assert beta @ inner @ beta == pytest.approx(w @ w, rel=1e-6)


@cases("loss", Hinge(), Unbiased(2), Unbiased(4), ids=str)
def test_designs_that_span_the_same_functions_give_the_same_machine(loss):
    X, y = two_classes(50, seed=2)
    line = Design.kernel(gram(X, kernel="linear"))
    assert line.m == 2
    every = semiparametric(X, X)
    plain = Design.kernel(gram(X, **KERNELS["rbf"]))
    for one, other in ((every, plain), (line, Design.linear(X))):
        a, b = (wls(design, y, 2.0, loss=loss, tol=1e-9) for design in (one, other))
        same_machine(a, b, atol=1e-6, rel=1e-8)
    assert_allclose(X.T @ a.coef, b.coef, atol=1e-6)


def test_repeated_prototypes_get_no_coefficient():
    X, y = two_classes(40, seed=4)
    prototypes = fscl(X, 6, rng=0)
    once = semiparametric(X, prototypes)
    twice = semiparametric(X, np.concatenate([prototypes, prototypes[::-1]]))
    assert twice.m == once.m == 6
    a, b = (wls(design, y, 1.0, tol=1e-9) for design in (once, twice))
    assert_allclose(a.decision_function, b.decision_function, atol=1e-5)
    assert b.coef.shape == (12,)
    assert np.count_nonzero(b.coef) == 6


def test_bad_matrices_are_named():
    K = gram(np.random.default_rng(0).normal(size=(6, 2)))
    refused(
        r"3 prototypes needs.*shape \(3, 3\). Got \(6, 6\)", Design.kernel, K[:, :3], K
    )
    refused("'X' of a design must be a matrix.*Got shape", Design.linear, np.ones(4))
    refused(
        "'X' of a design must be a matrix.*at least one row",
        Design.linear,
        np.ones((0, 4)),
    )
    refused("'K' of a design must be finite", Design.kernel, np.full((3, 3), np.nan))
    refused(
        "semi-definite. Got -1 as the largest entry on its", Design.kernel, -np.eye(2)
    )


def test_a_kernel_that_is_zero_everywhere_leaves_the_bias():
    machine = wls(Design.kernel(np.zeros((3, 3))), np.array([1.0, 1.0, -1.0]), 1.0)
    assert_array_equal(machine.coef, np.zeros(3))
    assert_allclose(machine.decision_function, 1.0, atol=1e-5)
