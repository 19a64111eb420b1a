"""Fits and scores of one kernel's candidates on all folds: the work behind the grid search."""

import copy
import math
import numbers
import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np
from sklearn.base import clone

from companion.estimators import LSSVC
from companion.estimators._compat import MultimetricScorer, score_with
from companion.estimators._dual import DualClassifier
from companion.estimators._kernel_classifier import (
    class_factors,
    signed_labels,
    silent_overflow,
    weighted_gamma,
)
from companion.kernels import gram
from companion.kernels._loops import cut
from companion.solvers.ls import LSPath, ls
from companion.tuning._path import WarmPath

# From so many C one eigendecomposition costs less than a factorisation for each.
LS_PATH_FROM = 10

_ADVICE = (
    " The rest of every fold needs both classes: stratify the folds, and use no more of them than "
    "the rarer class has samples."
)

# The tolerance leaves a sign open where a test sample is nearer to the boundary than about half of
# it; such a fit goes on to the second share of the tolerance before the sample is counted.
DOUBT = 0.5
SETTLING = 0.1


@dataclass
class CPath:
    """Candidates that differ in C alone, in ascending order of C."""

    machine: DualClassifier
    C_values: list
    candidates: list


def paths_by_kernel(machine, candidates):
    """Arrange candidates in groups of equal kernel, and in paths of ascending C."""
    members = defaultdict(list)
    for number, candidate in enumerate(candidates):
        rest = {name: value for name, value in candidate.items() if name != "C"}
        members[tuple((name, identity(rest[name])) for name in sorted(rest))].append(
            number
        )

    kernels = defaultdict(list)
    for group in members.values():
        shared = {k: v for k, v in candidates[group[0]].items() if k != "C"}
        member = clone(machine).set_params(**clone(shared, safe=False))
        cost = {number: candidates[number].get("C", machine.C) for number in group}
        ascending = sorted(group, key=cost.__getitem__)
        path = CPath(member, [cost[number] for number in ascending], ascending)
        names = ("kernel", "gamma", "degree", "coef0")
        kernels[tuple(identity(getattr(member, name)) for name in names)].append(path)
    return list(kernels.values())


def identity(value):
    """A hashable stand-in: equal values of one type agree, anything else is itself alone."""
    return (type(value), value) if isinstance(value, (str, int, float)) else id(value)


class Workspace(dict):
    """Memory that kernel after kernel and fold after fold are written to: fresh pages are slow."""

    def matrix(self, name, *shape):
        """The matrix of this name and shape; its entries are whatever was there before."""
        if name not in self or self[name].size < math.prod(shape):
            self[name] = np.empty(math.prod(shape))
        return self[name][: math.prod(shape)].reshape(shape)


@dataclass
class _Block:
    """One fold: its rows, kernel values and training labels."""

    fold: int
    train: np.ndarray
    test: np.ndarray
    K_train: np.ndarray
    K_test: np.ndarray
    gamma: float

    def decisions(self, y_signed, results):
        """Decision values of the test samples, one column a result."""
        betas = np.column_stack([y_signed * result.alpha for result in results])
        return self.K_test @ betas + np.array([result.intercept for result in results])


@dataclass
class Evaluation:
    """All that the cells of a search have in common; small enough to send to a process.

    ``splits`` are training and test rows, ``kept`` the samples of positive weight or None.
    """

    X: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    splits: list
    kept: np.ndarray | None
    precomputed: bool
    scorer: Any
    sample_weight: np.ndarray | None
    score_weight: np.ndarray | None
    error_score: Any
    return_train_score: bool

    @silent_overflow
    def of_kernel(self, paths, fold_numbers, distances, space):
        """Evaluate paths that share kernel parameters; return {(candidate, fold): result}."""
        machine = paths[0].machine
        K, shared_time, failure = self._attempt(
            self._shared_gram, machine, distances, space
        )
        if failure is not None:
            return self.all_failed(paths, fold_numbers, failure)
        cells = {}
        for fold in fold_numbers:
            block, kernel_time, failure = self._attempt(
                self._block, machine, fold, K, distances, space
            )
            if failure is not None:
                cells |= self.all_failed(paths, [fold], failure)
                continue
            for path in paths:
                cells |= self._of_fold(path, block, kernel_time / len(paths))
        for cell in cells.values():
            cell["fit_time"] += shared_time / len(cells)
        return cells

    # ------------------------------------------------------------- kernels

    def _shared_gram(self, machine, distances, space):
        """The Gram matrix that all folds share, None where gamma depends on the training rows."""
        if machine.kernel == "precomputed":
            return self.X
        if machine.kernel not in ("rbf", "poly", "sigmoid"):
            return gram(self.X, **machine._kernel_parameters(1.0))
        if isinstance(machine.gamma, str):
            return None
        distances = distances if machine.kernel == "rbf" else None
        n = len(self.y)
        parameters = machine._kernel_parameters(float(machine.gamma))
        K = space.matrix("K", n, n)
        return gram(self.X, squared_distances=distances, out=K, **parameters)

    def _block(self, machine, fold, K, distances, space):
        train = self._training_rows(fold)
        test = self.splits[fold][1]
        if K is not None:
            gamma = 1.0 if isinstance(machine.gamma, str) else float(machine.gamma)
            parts = [
                _cut(K, rows, train, space.matrix(name, rows.size, train.size))
                for name, rows in (("train", train), ("test", test))
            ]
            return _Block(fold, train, test, *parts, gamma)
        weight = None if self.sample_weight is None else self.sample_weight[train]
        points = self.X[train]
        gamma = weighted_gamma(machine.gamma, points, weight)
        parameters = machine._kernel_parameters(gamma)
        if machine.kernel == "rbf":
            parts = [
                gram(
                    points, squared_distances=_cut(distances, rows, train), **parameters
                )
                for rows in (train, test)
            ]
        else:
            parts = [
                gram(points, **parameters),
                gram(self.X[test], points, **parameters),
            ]
        return _Block(fold, train, test, *parts, gamma)

    def _training_rows(self, fold):
        train = self.splits[fold][0]
        return train if self.kept is None else train[self.kept[train]]

    # ------------------------------------------------------------- fold by fold

    def _of_fold(self, path, block, kernel_time):
        """All C of a path on one fold, each started from the one before."""
        n_cells = len(path.C_values)
        y_signed = None
        solver = None
        begun, _, failure = self._attempt(self._begin, path, block)
        if failure is not None:
            fits = [(None, 0.0, failure)] * n_cells
        else:
            y_signed, bound_weight, solver = begun
            fits = [
                self._attempt(self._solve, path.machine, solver, C, block, bound_weight)
                for C in path.C_values
            ]

        start = perf_counter()
        decisions = np.zeros((len(block.test), n_cells))
        solved = [
            column for column, (result, _, _) in enumerate(fits) if result is not None
        ]
        if solved:
            decisions[:, solved] = block.decisions(
                y_signed, [fits[k][0] for k in solved]
            )
            if self.scorer is None and isinstance(solver, WarmPath):
                self._settle(path, solver, block, y_signed, fits, decisions)
        product_time = (perf_counter() - start) / n_cells

        cells = {}
        for column, (result, fit_time, failure) in enumerate(fits):
            start = perf_counter()
            if failure is not None:
                cell = self.failed()
            elif self.scorer is None:
                cell = {"test_scores": self._accuracy(decisions[:, column], block.test)}
                if self.return_train_score:
                    cell["train_scores"] = self._accuracy(
                        result.decision_function, block.train
                    )
            else:
                machine = self._fitted(path, column, result, block, y_signed)
                cell = self._scored(machine, block, decisions[:, column])
            cell["fit_error"] = failure
            cell["n_test_samples"] = len(block.test)
            cell["fit_time"] = fit_time + kernel_time / n_cells
            cell["score_time"] = perf_counter() - start + product_time
            cells[path.candidates[column], block.fold] = cell
        return cells

    def _begin(self, path, block):
        """Signs, weights of the bounds, and what solves for one C after the other."""
        y_signed, bound_weight = self._training_labels(path.machine, block.train)
        solver = path_solver(path, block.K_train, y_signed, bound_weight)
        return y_signed, bound_weight, solver

    def _solve(self, machine, solver, C, block, bound_weight):
        """The solution for one C, after the same look at the kernel as in a fit."""
        if machine._may_be_indefinite():
            machine = copy.copy(machine)
            machine.C = C
            ridge = machine._box(C if bound_weight is None else C * bound_weight)[2]
            machine._require_definite(block.K_train, block.train, ridge)
        return solver.solve(C)

    def _attempt(self, call, *arguments):
        """Result or None, seconds, traceback or None."""
        start = perf_counter()
        try:
            result = call(*arguments)
            failure = None
        except Exception:
            if self.error_score == "raise":
                raise
            result = None
            failure = format_exc()
        return result, perf_counter() - start, failure

    def _settle(self, path, solver, block, y_signed, fits, decisions):
        """Refine, in place, the solutions that leave a predicted sign to the tolerance."""
        tol = path.machine.tol
        for column in np.flatnonzero((np.abs(decisions) < DOUBT * tol).any(axis=0)):
            result, seconds, failure = fits[column]
            # A hard margin is a problem of its own, which no C of the path refines.
            refinable = np.isfinite(path.C_values[column])
            if refinable and result is not None and result.converged:
                better = solver.refined(path.C_values[column], result, SETTLING * tol)
                decisions[:, column] = block.decisions(y_signed, [better])[:, 0]
                fits[column] = better, seconds, failure

    def _training_labels(self, machine, train):
        y = self.y[train]
        machine._require_two(np.unique(y), _ADVICE)
        weight = None if self.sample_weight is None else self.sample_weight[train]
        factors = class_factors(machine.class_weight, y, self.classes, weight)
        if factors is not None:
            weight = factors if weight is None else factors * weight
        return signed_labels(y, self.classes), weight

    # ------------------------------------------------------------- scores

    def _accuracy(self, decision, rows):
        """Share of right signs, samples counted by the score weight."""
        correct = (decision > 0) == (self.y[rows] == self.classes[1])
        weights = None if self.score_weight is None else self.score_weight[rows]
        if weights is not None and not weights.any():
            message = "The samples of a fold have no weight to score them by"
            if self.error_score == "raise":
                raise ValueError(f"{message}.")
            warnings.warn(f"{message}: the score is {self.error_score}.", stacklevel=2)
            return self.error_score
        return float(np.average(correct, weights=weights))

    def failed(self):
        """Scores of a fit that failed."""
        score = self.error_score
        if isinstance(self.scorer, MultimetricScorer) and isinstance(
            score, numbers.Number
        ):
            score = dict.fromkeys(self.scorer._scorers, self.error_score)
        cell = {"test_scores": score}
        if self.return_train_score:
            cell["train_scores"] = score.copy() if isinstance(score, dict) else score
        return cell

    def all_failed(self, paths, fold_numbers, failure):
        """The cells of these paths and folds, of which none could begin."""
        return {
            (candidate, fold): self.failed()
            | {
                "fit_error": failure,
                "n_test_samples": len(self.splits[fold][1]),
                "fit_time": 0.0,
                "score_time": 0.0,
            }
            for path in paths
            for candidate in path.candidates
            for fold in fold_numbers
        }

    def _fitted(self, path, column, result, block, y_signed):
        """The machine of a cell as its own `fit` would have left it."""
        machine = copy.copy(path.machine)
        machine.C = path.C_values[column]
        machine.classes_ = self.classes
        X_train = self._points(block.train, block.train)
        machine.n_features_in_ = X_train.shape[1]
        machine._keep(result, X_train, y_signed, slice(None), block.gamma)
        return machine

    def _scored(self, machine, block, decisions):
        """Scores by the scorer, which finds the decision values already computed."""
        X_test = self._points(block.test, block.train)
        machine.decision_function = remembering(
            machine.decision_function, X_test, decisions
        )
        cell = {"test_scores": self._score(machine, X_test, block.test)}
        if self.return_train_score:
            rows = self.splits[block.fold][0]
            cell["train_scores"] = self._score(
                machine, self._points(rows, block.train), rows
            )
        return cell

    def _score(self, machine, X, rows):
        parameters = {}
        if self.score_weight is not None:
            parameters["sample_weight"] = self.score_weight[rows]
        return score_with(
            machine, X, self.y[rows], self.scorer, parameters, self.error_score
        )

    def _points(self, rows, columns):
        return _cut(self.X, rows, columns) if self.precomputed else self.X[rows]


def _cut(K, rows, columns, part=None):
    part = np.empty((rows.size, columns.size)) if part is None else part
    cut(K, rows, columns, part)
    return part


class _Factorised:
    """Solutions of :class:`LSSVC` by a factorisation for each C."""

    def __init__(self, K, y, weight):
        self.solve = partial(ls, K, y, sample_weight=weight)


def path_solver(path, K, y, weight):
    """What solves for one C after the other."""
    machine = path.machine
    if not is_direct(machine):
        return WarmPath(machine, K, y, weight)
    return (LSPath if len(path.C_values) >= LS_PATH_FROM else _Factorised)(K, y, weight)


def is_direct(machine):
    """Whether the machine factorises its Gram matrix."""
    return isinstance(machine, LSSVC) and machine.solver == "cholesky"


def remembering(compute, X_known, values):
    """Decision function that has the values of one array at hand and computes all others."""

    def decision_function(X):
        return values if X is X_known else compute(X)

    return decision_function
