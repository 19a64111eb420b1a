"""Fits in single precision: the tolerance holds for the exact kernel, or double takes over."""

import numpy as np
import pytest

from companion import L1SVC, LeastOneNormSVC
from companion.estimators import _single
from companion.kernels import KernelRows, gram, resolve_gamma
from tests.estimators._data import two_clouds


@pytest.fixture
def single_from_fifty(monkeypatch):
    monkeypatch.setattr("companion.estimators._dual.FROM_SAMPLES", 50)


@pytest.fixture
def continuations(monkeypatch):
    """Counts the fits that went on in double precision."""
    calls = []
    continued = _single._continue_in_double

    def counted(*arguments):
        calls.append(1)
        return continued(*arguments)

    monkeypatch.setattr(_single, "_continue_in_double", counted)
    return calls


@pytest.fixture
def single_solutions(monkeypatch):
    """Whether each fit was solved in single precision."""
    used = []
    solve = _single.solve_single

    def noted(*arguments):
        result = solve(*arguments)
        used.append(result is not None)
        return result

    monkeypatch.setattr("companion.estimators._dual.solve_single", noted)
    return used


def recomputed(machine, X, y, weight=1.0):
    """Objective and violation of a fitted machine from the exact kernel."""
    signs = np.where(y == machine.classes_[1], 1.0, -1.0)
    bound = machine.C * weight * np.ones(len(y))
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    low = -bound if isinstance(machine, LeastOneNormSVC) else np.where(signs > 0, 0.0, -bound)
    high = bound if isinstance(machine, LeastOneNormSVC) else np.where(signs > 0, bound, 0.0)
    products = gram(X, gamma=machine._gamma) @ beta
    scores = signs - products
    violation = scores[beta < high].max() - scores[beta > low].min()
    return 0.5 * beta @ products - signs @ beta, max(violation, 0.0)


@pytest.mark.parametrize("machine", [L1SVC, LeastOneNormSVC])
@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_the_violation_of_a_single_precision_fit_is_that_of_the_exact_kernel(
    machine, C, single_from_fifty, single_solutions
):
    X, y = two_clouds(300)
    weight = np.linspace(0.5, 2.0, len(y))
    fitted = machine(C=C).fit(X, y, sample_weight=weight)
    assert single_solutions == [True]
    objective, violation = recomputed(fitted, X, y, weight)
    assert violation <= 1e-3
    assert fitted.kkt_violation_ == pytest.approx(violation, abs=1e-9)
    assert fitted.objective_ == pytest.approx(objective, rel=1e-5)
    assert f"{fitted.kkt_violation_:.3g}" in fitted.stop_reason_


@pytest.mark.parametrize("change", [{"C": 2.0**15}, {"tol": 1e-8}, {"kernel": "linear"}])
def test_double_precision_is_used_where_rounding_could_matter(
    change, single_from_fifty, single_solutions
):
    X, y = two_clouds(120)
    fitted = L1SVC(**{"gamma": 5.0} | change).fit(X, y)
    assert single_solutions in ([False], [])
    if fitted.kernel == "rbf":
        objective, violation = recomputed(fitted, X, y)
        assert violation <= fitted.tol
        assert fitted.objective_ == pytest.approx(objective, rel=1e-12)


@pytest.mark.parametrize("machine", [L1SVC, LeastOneNormSVC])
def test_a_fit_on_rounded_values_too_far_off_is_continued_in_double_precision(
    machine, single_from_fifty, continuations, monkeypatch
):
    ensure = KernelRows.ensure

    def perturbed(rows, indices):
        slots = ensure(rows, indices)
        noise = np.random.default_rng(0).normal(scale=1e-4, size=rows.buffer.shape)
        rows.buffer += (noise + noise.T).astype(np.float32)
        return slots

    monkeypatch.setattr(KernelRows, "ensure", perturbed)
    monkeypatch.setattr(_single, "_BOUND", 1e-3)
    X, y = two_clouds(200)
    fitted = machine(C=10.0).fit(X, y)
    assert continuations == [1]
    objective, violation = recomputed(fitted, X, y)
    assert violation <= 1e-3
    assert fitted.kkt_violation_ == pytest.approx(violation, abs=1e-10)
    assert fitted.objective_ == pytest.approx(objective, rel=1e-12)


@pytest.mark.parametrize("gamma", [1.0, 10.0, 1000.0])
@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_errors_of_kernel_values_in_single_precision_stay_within_their_bound(gamma, shift):
    X = two_clouds(300)[0] + shift
    gamma = gamma * resolve_gamma("scale", X)
    rows = KernelRows(X, gamma=gamma, dtype=np.float32)
    rows.ensure(np.arange(len(X)))
    error = np.abs(rows.buffer - gram(X, gamma=gamma)).max()
    assert 0.0 < error <= _single._BOUND * _single.rounding_of(X, gamma)


@pytest.mark.parametrize("scale", [1e-25, 1e-10, 1e10, 1e25])
def test_the_unit_of_the_points_does_not_matter(scale, single_from_fifty):
    X, y = two_clouds(120)
    expected = L1SVC().fit(X, y).decision_function(X)
    values = L1SVC().fit(scale * X, y).decision_function(scale * X)
    np.testing.assert_allclose(values, expected, atol=5e-3)


@pytest.mark.parametrize(
    "form",
    [np.int32, np.int64, np.float64, list, lambda y: np.repeat(y, 2)[::2], lambda y: y.astype(str)],
)
def test_labels_in_any_form_make_the_same_machine(form):
    X, y = two_clouds(80)
    y = np.where(y == y[0], 3, 7)
    fitted = L1SVC().fit(X, form(y))
    expected = L1SVC().fit(X.tolist(), y.tolist())
    np.testing.assert_array_equal(fitted.dual_coef_, expected.dual_coef_)
    assert [str(int(label)) for label in fitted.classes_] == ["3", "7"]
    assert fitted.n_support_.sum() == len(fitted.support_)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused_wherever_they_stand(bad):
    X, y = two_clouds(80)
    for row in (0, 41, 79):
        points = X.copy()
        points[row, -1] = bad
        with pytest.raises(ValueError, match="NaN|infinity"):
            L1SVC().fit(points, y)
        labels = y.astype(float)
        labels[row] = bad
        with pytest.raises(ValueError, match="NaN|infinity|label"):
            L1SVC().fit(X, labels)
