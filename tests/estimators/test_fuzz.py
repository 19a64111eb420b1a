"""Random problems for all machines and searches: `make test ARGS="-m fuzz"`."""

import operator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel

from companion import L1SVC, GACVSearch, KernelGridSearchCV
from companion import estimators as svm
from companion.kernels import gram
from companion.solvers.transformations import RULES

NAMES = [*svm.__all__, "KernelGridSearchCV", "GACVSearch"]
each_name = pytest.mark.parametrize("name", NAMES)
fuzzed = {"deadline": None, "suppress_health_check": list(HealthCheck)}
pytestmark = [
    pytest.mark.fuzz,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The least populated class:UserWarning"),
    # scikit-learn's own splitters, of labels that are NaN.
    pytest.mark.filterwarnings(
        "ignore:invalid value encountered in cast:RuntimeWarning"
    ),
]

COSTS = [1e-6, 0.01, 1.0, 30.0, 1e6]
SETTINGS = {"C": COSTS, "tol": [1e-6], "max_iter": [20_000]}
SETTINGS |= {"gamma": ["scale", "auto", 0.0, 1e-10, 1.0, 1e10], "degree": range(1, 7)}
SETTINGS |= {
    "coef0": [0.0, 1.0, 1e3],
    "class_weight": [None, None, "balanced", {0: 0.2, 1: 1e3}],
}
SETTINGS |= {
    "cache_size": [1e-3, 2000],
    "solver": ["cholesky", "smo"],
    "shrinking": [True, False],
}
SETTINGS |= {
    "selection": ["first_order", "second_order"],
    "loss": ["unbiased", "hinge"],
}
SETTINGS |= {
    "s": [1.0, 2.0, 4.5],
    "init": ["svc", "least_squares"],
    "form": ["utility", "cost"],
}
SETTINGS |= {
    "truncation": ["auto", None, 0.0, -2.0],
    "transform": [*RULES],
    "random_state": [0],
}
SETTINGS |= {
    "max_transforms": range(4),
    "n_generations": [2],
    "validation_fraction": [None, 0.3],
}
KERNELS = ["rbf", "linear", "poly", laplacian_kernel, "precomputed"]
SCALES = [0, 0, 0, 0, 0, 0, 0, -200, -158, -8, 8, 60, 150, 153, 200, 307]


@st.composite
def problems(draw, name):
    """An estimator, points and labels, weights or None."""
    n = draw(st.integers(4, 20))
    m = draw(st.integers(1, 4))
    rng = draw(st.randoms())
    rng = np.random.default_rng(rng.getrandbits(32))
    X = rng.integers(-2, 3, (n, m)) + draw(st.sampled_from([0.0, 1.0])) * rng.normal(
        size=(n, m)
    )
    X *= 10.0 ** draw(st.sampled_from(SCALES))
    y = rng.permutation(np.arange(n) < draw(st.integers(1, n - 1))).astype(int)
    machine = (
        L1SVC()
        if name in ("KernelGridSearchCV", "GACVSearch")
        else getattr(svm, name)()
    )
    shared = SETTINGS.keys() & machine.get_params()
    machine.set_params(
        **{key: draw(st.sampled_from(SETTINGS[key])) for key in sorted(shared)}
    )
    if (
        machine.set_params(kernel=draw(st.sampled_from(KERNELS))).kernel
        == "precomputed"
    ):
        X = gram(np.clip(X, -1e3, 1e3), gamma=0.1)
    grid = {"C": COSTS[1:4], "gamma": [0.3, machine.gamma]}
    if name == "KernelGridSearchCV":
        machine = KernelGridSearchCV(machine, grid, cv=2, error_score="raise")
    elif name == "GACVSearch":
        criterion = draw(st.sampled_from(["gacv", "xi_alpha", "leave_one_out"]))
        machine = GACVSearch(machine, grid, criterion=criterion)
    weights = [None, rng.integers(0, 3, n), 10.0 ** rng.uniform(-3, 3, n)]
    weights = weights[:1] if name in ("ConformalSVC", "GACVSearch") else weights
    return machine, X, y, draw(st.sampled_from(weights))


def outcome(machine, X, y, weight):
    """The fitted machine and its values at the points, or None and the message of a refusal."""
    try:
        of_samples = {} if weight is None else {"sample_weight": weight}
        fitted = clone(machine).fit(X, y, **of_samples)
        values = fitted.decision_function(X)
    except (
        ValueError,
        TypeError,
        ZeroDivisionError,
    ) as error:  # a fold without any weight
        return None, str(error)
    assert np.isfinite(values).all()
    assert np.isin(fitted.predict(X), y).all()
    return fitted, values


@pytest.fixture(scope="module")
def process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


@each_name
@settings(max_examples=220, **fuzzed)
@given(data=st.data())
def test_every_problem_is_solved_or_refused_everywhere_alike(name, data, process):
    problem = data.draw(problems(name))
    fitted, values = outcome(*problem)
    with ThreadPoolExecutor(2) as threads:
        again = [
            run.result()[1]
            for run in [threads.submit(outcome, *problem) for _ in range(2)]
        ]
    if fitted is None:
        assert len(values) > 20
        assert again == [values, values]
        return
    decide = operator.methodcaller("decision_function", problem[1])
    for same in (*again, process.submit(decide, fitted).result()):
        np.testing.assert_array_equal(same, values)
