"""Weights of samples and classes: all are factors on C."""

import numpy as np
from _cases import cases, refused
from numpy.testing import assert_allclose
from sklearn.base import clone

from companion import L1SVC, L2SVC, LSSVC, LeastOneNormSVC, UnbiasedSVC

from ._data import two_clouds

MACHINES = [
    machine(tol=1e-9) for machine in (L1SVC, L2SVC, LeastOneNormSVC, UnbiasedSVC)
]
MACHINES += [LSSVC(), LSSVC(solver="smo", tol=1e-9)]
names = cases("machine", *MACHINES, ids=lambda machine: type(machine).__name__)


def like(machine, **changes):
    return clone(machine).set_params(**changes)


def same_values(first, second, X):
    expected = first.decision_function(X)
    assert_allclose(second.decision_function(X), expected, atol=1e-6)


@names
def test_class_weight_is_the_same_weight_on_every_sample_of_the_class(machine):
    X, y = two_clouds(60)
    by_class = like(machine, gamma=0.4, class_weight={0: 3.0, 1: 0.5}).fit(X, y)
    by_sample = like(machine, gamma=0.4).fit(
        X, y, sample_weight=np.where(y == 0, 3.0, 0.5)
    )
    same_values(by_class, by_sample, X)


@cases(
    "weight, message",
    (np.zeros(20), "only zeros|at least one non-zero"),
    (-np.ones(20), "Negative values in data passed to `sample_weight`"),
    (np.ones(19), "sample_weight"),
    (
        two_clouds(20)[1].astype(float),
        "L1SVC needs samples of two classes.*one class: .*1",
    ),
)
def test_impossible_weights_are_refused(weight, message):
    refused(message, L1SVC().fit, *two_clouds(20), sample_weight=weight)
