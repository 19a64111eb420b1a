"""Iterated weighted least squares: certificates, agreement with other solvers, what goes wrong."""

import numpy as np
import pytest
from _cases import cases, each, refusals, refused, warned
from _problems import KERNELS, same_machine, two_classes
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from companion.kernels import gram
from companion.losses import Hinge, Unbiased
from companion.solvers import Design, fscl, smo, wls, wls_path

WEIGHTS = np.random.default_rng(5).uniform(0.2, 3.0, size=60)
LOSSES = [
    Unbiased(s, k) for s, k in [(2, 0), (2, 1e-6), (4, 0), (4, 1e-6), (3, 0), (1.5, 0)]
]
KINDS = ["linear", "nonparametric", "semiparametric"]


def designs(X):
    """The same machine as a parametric, a nonparametric and a semiparametric one."""
    prototypes = fscl(X, 12, rng=0)
    K, some, inner = (
        gram(*of, **KERNELS["rbf"]) for of in ((X,), (X, prototypes), (prototypes,))
    )
    each_kind = Design.linear(X), Design.kernel(K), Design.kernel(some, inner)
    return dict(zip(KINDS, each_kind, strict=True))


def features(design):
    return design.augmented[:, :-1]


# ------------------------------------------------------------------------------------- the hinge


@each(C=[1e-2, 1.0, 100.0], kind=KINDS, weight=[None, WEIGHTS])
def test_the_hinge_has_the_optimum_and_the_decisions_of_the_dual_solver(
    kind, C, weight
):
    X, y = two_classes(60, seed=1)
    design = designs(X)[kind]
    bound = C if weight is None else C * weight
    dual = smo(features(design) @ features(design).T, y, 0.0, bound, tol=1e-9)
    machine = wls(design, y, C, sample_weight=weight, tol=1e-8)
    same_machine(machine, dual._replace(objective=-dual.objective), atol=2e-4, rel=1e-6)
    assert_allclose(machine.alpha, dual.alpha, atol=1e-4 * max(1.0, C))
    plain = wls(design, y, C, sample_weight=weight, accelerate=False, tol=1e-6)
    assert machine.converged
    assert machine.kkt_violation < 1e-6
    assert plain.converged
    same_machine(plain, machine, atol=1e-3, rel=1e-6)


@each(accelerate=[True, False], max_iter=[1, 3, 6])
def test_the_duality_gap_bounds_the_distance_from_the_optimum_at_any_time(
    accelerate, max_iter
):
    X, y = two_classes(60, seed=2)
    sample = (Design.linear(X), y, 1.0)
    message = f"budget of {max_iter} iterations.*duality gap"
    optimum = wls(*sample, tol=1e-11).objective
    early = warned(
        message, wls, *sample, accelerate=accelerate, max_iter=max_iter, tol=1e-9
    )
    assert not early.converged
    assert early.n_iter == max_iter
    assert early.objective - early.duality_gap <= optimum * (1 + 1e-9)
    assert early.objective >= optimum * (1 - 1e-9)
    assert early.duality_gap > 1e-9 * early.objective


# ------------------------------------------ the interior point of the hinge: any start, any scale


# ---------------------------------------------------------------- the Karush-Kuhn-Tucker conditions


@cases("loss", *LOSSES, ids=str)
@each(kind=KINDS, accelerate=[True, False])
def test_a_fixed_point_satisfies_the_conditions_8_to_13(loss, kind, accelerate):
    X, y = two_classes(60, seed=4)
    C = 3.0
    design = designs(X)[kind]
    machine = wls(
        design, y, C, loss=loss, accelerate=accelerate, tol=1e-8, max_iter=20_000
    )
    assert machine.converged
    Z = features(design)
    alpha = machine.alpha
    f = Z @ machine.w + machine.intercept
    assert_allclose(machine.decision_function, f, atol=1e-9)
    value = 0.5 * machine.w @ machine.w + C * loss.value(1.0 - y * f).sum()
    assert machine.objective == pytest.approx(value, rel=1e-12)
    xi = np.maximum(1.0 - y * f, 0.0)
    # (8) gives eta; at xi = 0 the slope is the one-sided one.
    eta = C * np.where(xi > 0, loss.derivative(xi), loss.derivative(1e-300)) - alpha
    floor = 1e-7 if loss.needs_floor else 0.0
    slopes = C * loss.derivative(np.linspace(1e-9, 3, 1000)).max()
    assert np.all(alpha >= 0)
    assert np.all(eta >= -1e-9 * slopes)
    assert abs(alpha @ y) <= 1e-6 * alpha.sum()  # (9)
    assert_allclose(machine.w, Z.T @ (alpha * y), atol=1e-6 * slopes)  # (10)
    assert_allclose(alpha * (y * f - 1 + xi), 0.0, atol=1e-12)  # (12)
    assert (
        np.abs(eta * xi).max() <= 2 * floor * slopes + 1e-9
    )  # (13), to the floor of the slack


# --------------------------------------------------------------------------------- starts and paths


@cases("loss", Hinge(), Unbiased(2), Unbiased(4, 1e-6), ids=str)
def test_a_path_is_the_machines_one_by_one(loss):
    X, y = two_classes(60, seed=9)
    design = Design.linear(X)
    costs = [0.01, 1.0, 100.0]
    start = "least_squares" if isinstance(loss, Hinge) else "svc"
    path = wls_path(design, y, costs, loss=loss, tol=1e-9)
    for C, machine in zip(costs, path, strict=True):
        alone = wls(design, y, C, loss=loss, start=start, tol=1e-9)
        same_machine(machine, alone, atol=1e-3, rel=1e-6)
        if not isinstance(loss, Hinge):
            again = wls(design, y, C, loss=loss, start=machine)
            assert again.n_iter == 1
            assert_allclose(again.w, machine.w, atol=1e-8)


def test_a_path_can_start_from_given_machines():
    X, y = two_classes(60, seed=9)
    design = Design.linear(X)
    costs = [0.1, 1.0]
    svc = wls_path(design, y, costs)
    given_start = wls_path(design, y, costs, loss=Unbiased(2), start=svc)
    own_start = wls_path(design, y, costs, loss=Unbiased(2))
    for a, b in zip(given_start, own_start, strict=True):
        assert_allclose(a.decision_function, b.decision_function, atol=1e-5)
    for start, message in (
        (svc[:1], "one machine for each of the 2 values of C. Got 1"),
        ("zero", "'start' of wls_path must be one of.*Got 'zero'"),
    ):
        refused(message, wls_path, design, y, costs, start=start)


@cases("seed", 29, 583, 3978, 23170)
def test_a_warm_start_on_separable_data_ends_at_the_optimum(seed):
    # On each of these a Mehrotra corrector without safeguards goes round for ever.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    m = int(rng.integers(1, 12))
    X = np.round(1.5 * rng.standard_normal((n, m)))
    y = np.where(X @ rng.standard_normal(m) > 0.5 * rng.normal(), 1.0, -1.0)
    design = Design.linear(X)
    costs = 10.0 ** np.arange(-3, 5)
    for C, machine in zip(costs, wls_path(design, y, costs), strict=True):
        assert machine.converged
        assert machine.n_iter < 40
        assert machine.duality_gap <= 1e-6 * machine.objective
        cold = wls(design, y, C, tol=1e-9)
        assert machine.objective == pytest.approx(cold.objective, rel=2e-6)


def test_different_starts_can_lead_to_different_minima():
    """As in case A of the paper: a cluster within the other class, on its far side."""
    rng = np.random.default_rng(0)
    x = (
        rng.normal(0.75, 0.05, 60),
        rng.normal(0.2, 0.01, 40),
        rng.uniform(0.25, 0.5, 60),
    )
    design = Design.linear(np.concatenate(x)[:, None])
    y = np.repeat([1.0, 1.0, -1.0], [60, 40, 60])
    starts = np.array([[20.0, -10.0], [100.0, -17.0]])  # thresholds 0.5 and 0.17
    found = [wls(design, y, 1000.0, loss=Unbiased(2), start=start) for start in starts]
    assert all(machine.converged for machine in found)
    assert [np.sum(y * machine.decision_function < 0) for machine in found] == [40, 60]


@each(accelerate=[True, False])
def test_an_iteration_leaves_a_start_whose_slacks_are_nearly_zero(accelerate):
    """Of an order below 2, whose weights there are large: the first steps are tiny."""
    y = np.repeat([1.0, -1.0], [40, 20])
    x = np.random.default_rng(1).uniform(size=(60, 1))
    start = np.array(
        [-3e-9, 1.0 - 6e-9]
    )  # every sample of class +1 has a slack of 1e-8
    options = {"accelerate": accelerate, "start": start, "tol": 1e-5}
    machine = wls(Design.linear(x), y, 10.0, loss=Unbiased(1.5, 1e-6), **options)
    assert machine.converged and machine.kkt_violation < 1.0
    assert abs(machine.coef[0]) > 1e-3


# -------------------------------------------------------------------- properties of the solution


@given(st.data())
def test_any_small_problem_is_solved(data):
    """Repeated points, constant columns, more columns than rows, one tiny class."""
    n = data.draw(st.integers(2, 14))
    m = data.draw(st.integers(1, 6))
    X = data.draw(
        arrays(float, (n, m), elements=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]))
    )
    y = -np.ones(n)
    y[: data.draw(st.integers(1, n - 1))] = 1.0
    C = data.draw(st.sampled_from([1e-3, 1.0, 1e3]))
    loss = data.draw(
        st.sampled_from([Hinge(), Unbiased(2), Unbiased(4), Unbiased(2, 1e-6)])
    )
    kernel = data.draw(st.sampled_from(["linear", "rbf"]))
    design = (
        Design.linear(X) if kernel == "linear" else Design.kernel(gram(X, gamma=0.5))
    )
    machine = wls(design, y, C, loss=loss)
    assert machine.converged
    assert machine.objective >= 0
    assert np.isfinite(machine.decision_function).all()
    # The machine that gives every sample the larger class is never better by much.
    trivial = C * min(np.sum(y > 0), np.sum(y < 0)) * loss.value(2.0)
    assert machine.objective <= trivial * (1 + 1e-5) + 1e-9 or not isinstance(
        loss, Hinge
    )


# ---------------------------------------------------------------------------------------- bad input


X, Y = two_classes(30)


@refusals(
    (
        dict(damping=1.0),
        r"'damping' of wls must be 'auto' or a number in \[0, 1\).*Got 1.0",
    ),
    (dict(damping="some"), "'damping' of wls.*Got 'some'"),
    (dict(tol=0.0), "'tol' of wls must be a positive finite number. Got 0.0"),
    (dict(max_iter=0), "'max_iter' of wls must be at least 1. Got 0"),
    (dict(start="zero"), r"'start' of wls must be one of \['least_squares', 'svc'\]"),
    (dict(start=np.ones(2)), "'start' of wls must be 3 finite numbers"),
    (dict(sample_weight=np.zeros(30)), "'sample_weight' of wls must be 30 positive"),
    (dict(sample_weight=np.ones(3)), "'sample_weight' of wls must be 30 positive"),
    (dict(floor=0.0), r"'floor' of wls must be in \[0, 1\), and above 0 for Hinge\(\)"),
    (dict(printed_weights=True), "printed weights.*set accelerate=False"),
    *(
        (dict(C=C), "'C' of wls must be a positive finite number")
        for C in (0.0, -1.0, np.inf, np.nan)
    ),
    (dict(y=Y[:-1]), "one label for each of the 30 samples"),
    (dict(y=np.ones(30)), r"both labels, -1 and \+1. Got 1 only"),
    (dict(y=(Y > 0).astype(float)), r"labels -1 and \+1.*\[0. 1.\]"),
    (
        dict(design=Design.linear(1e200 * X), loss=Unbiased(2)),
        "overflows double precision.*scale the inputs",
    ),
)
def test_bad_arguments_are_named_with_their_rule(change, message):
    refused(message, wls, **{"design": Design.linear(X), "y": Y, "C": 1.0} | change)


def test_a_spent_budget_warns_once_and_names_the_violation():
    X, y = two_classes(60)
    message = (
        "wls has not converged. The budget of 2 iterations is spent.*KKT violation is"
    )
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        early = wls(Design.linear(X), y, 100.0, loss=Unbiased(2), max_iter=2)
    assert len(caught) == 1
    assert not early.converged
    assert early.n_iter == 2
    assert early.kkt_violation > 1e-6
    assert np.isnan(early.duality_gap)


@pytest.mark.parametrize("seed", [141, 184, 222, 240])
def test_the_gap_is_within_the_tolerance_once_the_multipliers_are_balanced(seed):
    # of 400 such problems those that ended up to 4 % above it
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 11, (90, 4)).astype(float)
    y = np.where(X.mean(axis=1) + rng.normal(0, 1, 90) > 5.5, 1.0, -1.0)
    design = Design.linear((X - X.mean(axis=0)) / X.std(axis=0))
    for machine in wls_path(design, y, 10.0 ** np.arange(-3, 4)):
        assert machine.converged
        assert machine.duality_gap <= 1e-6 * machine.objective


@pytest.mark.parametrize("distance", [1.0, 1e3, 1e5])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_the_hinge_is_solved_from_any_start(C, distance):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 4, (60, 8)).astype(float)
    y = np.where(X[:, :4].sum(axis=1) > 7.5, 1.0, -1.0)
    design = Design.linear((X - X.mean(axis=0)) / X.std(axis=0))
    found = wls(design, y, C, loss=Hinge(), start=distance * rng.normal(size=9))
    assert found.converged
    assert_allclose(found.objective, wls(design, y, C, loss=Hinge()).objective, 2e-6)
