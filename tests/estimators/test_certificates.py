"""`converged_` follows from the certificate; indefinite kernels are seen."""

import re
import warnings

import numpy as np
import pytest
from _cases import cases, refused
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

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

from ._data import two_clouds

N_SAMPLES = 40
BOUNDED = [L1SVC, LeastOneNormSVC]
OTHERS = [L2SVC, LSSVC, UnbiasedSVC, WeightedRobustSVC, ConformalSVC]
# Every loss, solver and rule with a stopping criterion of its own.
WAYS = {
    "L1SVC": L1SVC(),
    "L2SVC": L2SVC(),
    "LeastOneNormSVC": LeastOneNormSVC(),
    "LSSVC": LSSVC(),
    "LSSVC by SMO": LSSVC(solver="smo"),
    "UnbiasedSVC": UnbiasedSVC(),
    "UnbiasedSVC of order 1": UnbiasedSVC(s=1.0),
    "UnbiasedSVC with a sigmoid": UnbiasedSVC(loss="sigmoid"),
    "UnbiasedSVC with the hinge": UnbiasedSVC(loss="hinge"),
    "WeightedRobustSVC": WeightedRobustSVC(),
    "WeightedRobustSVC with costs": WeightedRobustSVC(form="cost"),
    "ConformalSVC": ConformalSVC(transform="williams", random_state=0),
}


def is_solved(machine):
    """The tolerance that the class documents, of the certificate that it keeps."""
    gap = machine.duality_gap_
    value = abs(machine.objective_)
    if isinstance(machine, ConformalSVC):
        return gap <= (1.0 + 1e-6) * machine.tol / (1.0 - machine.tol) * value
    if isinstance(machine, WeightedRobustSVC):
        return gap <= 1.1 * max(machine.tol * value, 1e-14 * N_SAMPLES * machine.C)
    if isinstance(machine, UnbiasedSVC):
        if machine.loss == "hinge":
            return gap <= machine.tol * value
        return 0.5 * machine.kkt_violation_**2 <= 1e-3 * value
    is_direct = isinstance(machine, LSSVC) and machine.solver == "cholesky"
    return machine.kkt_violation_ <= (1e-3 if is_direct else machine.tol)


@cases("way", *WAYS)
@settings(max_examples=6)
@given(
    kernel=st.sampled_from(["rbf", "linear", "poly"]),
    gamma=st.sampled_from(["scale", 1e-4, 1.0, 10.0]),
    degree=st.sampled_from([2, 3, 20]),
    C=st.sampled_from([1e-4, 1.0, 1e4]),
    scale=st.sampled_from([1e-6, 1.0, 1e3]),
)
@example(kernel="poly", gamma=10.0, degree=20, C=1.0, scale=1.0)
def test_converged_follows_from_the_certificate_and_all_else_warns(
    way, kernel, gamma, degree, C, scale
):
    X, y = two_clouds(N_SAMPLES)
    machine = WAYS[way].set_params(kernel=kernel, gamma=gamma, degree=degree, C=C)
    if hasattr(machine, "selection"):
        machine.set_params(max_iter=20_000)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            machine.fit(scale * X, y)
        except ValueError as error:
            assert re.search("finite|overflows", str(error))  # noqa: PT017
            return
    said = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert is_solved(machine) or not machine.converged_
    assert machine.converged_ or said
    # Solvers of a sequence of problems must also have reached the last one.
    if not isinstance(machine, (UnbiasedSVC, WeightedRobustSVC)):
        assert machine.converged_ or not is_solved(machine)


def tanh(X, Z):
    return np.tanh(0.5 * X @ Z.T - 1.0)


INDEFINITE = [
    {"kernel": "poly", "coef0": -5.0, "degree": 2},
    {"kernel": "poly", "coef0": -5.0, "degree": 3},
    {"kernel": tanh},
    {"kernel": "precomputed"},
]


@cases("machine, setting", *((m, s) for m in [*BOUNDED, *OTHERS] for s in INDEFINITE))
def test_an_indefinite_kernel_is_shown_by_samples_or_an_eigenvalue(machine, setting):
    X, y = two_clouds(60)
    if setting["kernel"] == "precomputed":
        X = np.eye(60) + 0.3 * (np.abs(np.subtract.outer(range(60), range(60))) == 1)
        X[10:20, 10:20] -= 0.2
    rule = {}
    if machine is ConformalSVC:  # which learns from a random part
        rule = {"transform": "williams", "random_state": 0}
    fit = machine(C=100.0, **setting, **rule).fit
    shown = r"not positive semi-definite|positive semi-definite, and this one is not"
    where = r"(Samples? \d+.* shows? it|smallest eigenvalue is -).*kernel="
    if machine in BOUNDED:
        with pytest.warns(UserWarning, match=f"({shown}).*{where}") as caught:
            fit(X, y)
        assert caught[0].filename == __file__
    else:
        refused(f"({shown}).*{where}", fit, X, y)


def test_an_indefinite_kernel_is_seen_in_rows_on_demand():
    X, y = two_clouds(3000)
    refused("not. Samples? .* show", L2SVC(kernel="sigmoid", coef0=-5.0).fit, X, y)


def test_what_the_sample_of_rows_misses_is_shown_by_the_pair_that_the_solver_finds():
    n = 400
    X, y = two_clouds(n)
    K = gram(X, gamma=0.3)
    K[[201, 204], [201, 204]] = 0.5
    K[[201, 204], [204, 201]] = 0.9
    weight = np.ones(n)
    weight[:100] = 0.0
    for machine in (L2SVC(C=10.0), LSSVC(C=10.0, solver="smo")):
        fit = machine.set_params(kernel="precomputed").fit
        for weights in (None, weight):
            refused("Samples 201 and 204 show it", fit, K, y, weights)


@cases("selection", "first_order", "second_order")
def test_what_the_sample_of_rows_misses_is_shown_by_those_the_machine_rests_on(
    selection,
):
    X, y = two_clouds(400)
    K = gram(X, gamma=0.3)
    # None of these is among the rows that are looked at first, and no pair of them shows it.
    hidden = np.array([5, 9, 10, 11, 12, 19, 20, 21, 23, 25])
    K[hidden] = 0.0
    K[:, hidden] = 0.0
    K[np.ix_(hidden, hidden)] = -0.2
    K[hidden, hidden] = 1.0
    machine = LeastOneNormSVC(C=100.0, kernel="precomputed", selection=selection)
    with pytest.warns(UserWarning, match=r"smallest eigenvalue is -0\.8") as caught:
        machine.fit(K, y)
    assert len(caught) == 1
