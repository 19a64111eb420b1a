"""LS-SVM in closed form: agreement, exact cross-validation against refitting, errors."""

import numpy as np
import pytest
from _cases import cases, each, refused, warned
from _problems import problem
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from companion.kernels import KernelRows, gram
from companion.solvers import LSPath, ls, ls_held_out

K, Y = problem()
WEIGHTS = np.random.default_rng(5).uniform(0.1, 3.0, size=60)
SOME_ZERO = np.where(np.arange(60) % 7 == 0, 0.0, WEIGHTS)


def bordered_solution(K, y, ridge):
    """beta and b of the bordered linear system, by numpy's general solver."""
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + np.diag(ridge)
    system[:n, n] = system[n, :n] = 1.0
    solution = np.linalg.solve(system, np.append(y, 0.0))
    return solution[:n], solution[n]


@each(C=[1e-2, 1.0, 1e3], weight=[None, WEIGHTS])
def test_cholesky_eigendecomposition_and_linear_system_agree(C, weight):
    ridge = 1.0 / (C * (np.ones(60) if weight is None else weight))
    beta, intercept = bordered_solution(K, Y, ridge)
    for result in (ls(K, Y, C, sample_weight=weight), LSPath(K, Y, weight).solve(C)):
        assert_allclose(Y * result.alpha, beta, atol=1e-9 * np.abs(beta).max())
        assert result.intercept == pytest.approx(intercept, abs=1e-9)
        assert abs(result.duality_gap) < 1e-9 * (1.0 + abs(result.objective))
        assert result.kkt_violation < 1e-9
        assert result.converged
        assert result.n_iter == 0


def refitted(K, y, C, tests, weight):
    """Held-out decision values by brute force."""
    weight = np.ones(len(y)) if weight is None else weight
    held_out = np.empty(len(y))
    for test in tests:
        train = np.setdiff1d(np.arange(len(y)), test)
        fitted = ls(K[np.ix_(train, train)], y[train], C, sample_weight=weight[train])
        held_out[test] = (
            K[np.ix_(test, train)] @ (y[train] * fitted.alpha) + fitted.intercept
        )
    return held_out


@each(C=[0.1, 1.0, 100.0], weight=[None, WEIGHTS, SOME_ZERO])
def test_leave_one_out_equals_refitting_without_each_sample(C, weight):
    expected = refitted(K, Y, C, [[i] for i in range(60)], weight)
    (held_out,) = ls_held_out(K, Y, [C], np.arange(60)[:, None], weight)
    assert_allclose(np.concatenate(held_out), expected, atol=1e-8)


@each(weight=[None, WEIGHTS, SOME_ZERO], n_folds=[2, 5, 10])
def test_cross_validation_equals_refitting_without_each_fold(n_folds, weight):
    tests = [
        test
        for _, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(
            K, Y
        )
    ]
    C_values = [0.1, 1.0, 100.0]
    found = ls_held_out(K, Y, C_values, tests, sample_weight=weight)
    for C, held_out in zip(C_values, found, strict=True):
        expected = refitted(K, Y, C, tests, weight)
        assert_allclose(
            np.concatenate(held_out), expected[np.concatenate(tests)], atol=1e-8
        )


@cases(
    "call, message",
    (lambda K, y: ls(K, y, 0.0), "'C'.*positive finite.*0.0"),
    (lambda K, y: LSPath(K, y).solve(np.inf), "'C'.*positive finite"),
    (lambda K, y: ls(K[:3], y, 1.0), r"\(60, 60\)"),
    (lambda K, y: ls(K * np.nan, y, 1.0), "'K'.*finite"),
    (lambda K, y: ls(K, y + 1, 1.0), "labels -1 and \\+1"),
    (
        lambda K, y: ls(K, y, 1.0, sample_weight=-np.ones(60)),
        "'sample_weight'.*at least 0",
    ),
    (
        lambda K, y: ls(K, y, 1.0, sample_weight=np.zeros(60)),
        "'sample_weight'.*positive",
    ),
    (lambda K, y: ls(KernelRows(K), y, 1.0), "whole Gram matrix.*use smo"),
    (lambda K, y: next(ls_held_out(K[:1, :1], y[:1], [1.0], [])), "two samples"),
    (
        lambda K, y: next(ls_held_out(K, y, [1.0], [np.arange(60)])),
        "leave a sample.*to train on",
    ),
)
def test_bad_input_is_refused_with_the_rule_and_what_was_got(call, message):
    refused(message, call, K, Y)


def test_what_rounding_leaves_unsolved_is_said_and_not_called_converged():
    X, labels = load_breast_cancer(return_X_y=True)
    y = np.where(labels == 1, 1.0, -1.0)
    indefinite = K - 2.0 * np.diag(np.arange(60) % 2)
    for solve in (
        lambda: ls(gram(X, kernel="poly"), y, 1.0),
        lambda: ls(*problem(n=60, kernel="linear"), 1e12),
        lambda: ls(indefinite, Y, 1e3),
        lambda: LSPath(indefinite, Y).solve(1e3),
    ):
        result = warned("ls has not converged.*duality gap.*scale the inputs", solve)
        assert result.kkt_violation > 1e-3
        assert not result.converged
