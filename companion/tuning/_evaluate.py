"""Fits and scores of one kernel's candidates on all folds: the work behind the grid search."""

import copy
import numbers
import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from traceback import format_exc
from types import SimpleNamespace
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
from companion.kernels._equal import equal_rows
from companion.kernels._loops import cut
from companion.solvers.ls import LSPath, ls
from companion.tuning._path import WarmPath, path_distances, path_gram

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
    kernels = defaultdict(list)
    for shared, group in groups_by(candidates, lambda name: name != "C"):
        member = with_parameters(machine, shared)
        cost = {number: candidates[number].get("C", machine.C) for number in group}
        ascending = sorted(group, key=cost.__getitem__)
        path = CPath(member, [cost[number] for number in ascending], ascending)
        names = ("kernel", "gamma", "degree", "coef0")
        kernels[tuple(identity(getattr(member, name)) for name in names)].append(path)
    return list(kernels.values())


def groups_by(candidates, is_shared):
    """Values of some parameters, and the numbers of the candidates that agree in them."""
    groups = {}
    for number, candidate in enumerate(candidates):
        shared = {
            name: candidate[name] for name in sorted(candidate) if is_shared(name)
        }
        key = tuple((name, identity(value)) for name, value in shared.items())
        groups.setdefault(key, (shared, []))[1].append(number)
    return list(groups.values())


def with_parameters(estimator, parameters):
    """A clone with these parameters."""
    return clone(estimator).set_params(**clone(parameters, safe=False))


def identity(value):
    """A hashable stand-in: equal values of one type agree, anything else is itself alone."""
    return (type(value), value) if isinstance(value, (str, int, float)) else id(value)


@dataclass
class _Block:
    """One fold: its rows, kernel values of the different test samples, which of them each is."""

    fold: int
    train: np.ndarray
    test: np.ndarray
    K_train: np.ndarray
    K_test: np.ndarray
    gamma: float
    which: np.ndarray | slice

    def decisions(self, y_signed, results):
        """Decision values of the test samples, one column a result."""
        betas = np.column_stack([y_signed * result.alpha for result in results])
        values = self.K_test @ betas + np.array(
            [result.intercept for result in results]
        )
        return values[self.which]


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
    def of_kernel(self, paths, fold_numbers, distances):
        """Evaluate paths that share kernel parameters; return {(candidate, fold): result}."""
        machine = paths[0].machine
        start = perf_counter()
        K, _, failure = self._attempt(self._shared_gram, machine, distances)
        if failure is not None:
            return self.all_failed(paths, fold_numbers, failure)
        cells = {}
        for fold in fold_numbers:
            block, _, failure = self._attempt(self._block, machine, fold, K, distances)
            if failure is not None:
                cells |= self.all_failed(paths, [fold], failure)
                continue
            for path in paths:
                cells |= self._of_fold(path, block)
        share_time(cells, perf_counter() - start)
        return cells

    # ------------------------------------------------------------- kernels

    def distances(self, kernels):
        """Squared distances of the points if a kernel is made of them."""
        return path_distances([paths[0].machine for paths in kernels], self.X)

    def _shared_gram(self, machine, distances):
        """The Gram matrix that all folds share, None where gamma depends on the training rows."""
        has_gamma = machine.kernel in ("rbf", "poly", "sigmoid")
        if has_gamma and isinstance(machine.gamma, str):
            return None
        gamma = machine.gamma if has_gamma else 1.0
        return path_gram(machine, self.X, gamma, distances)

    def _block(self, machine, fold, K, distances):
        train = self._training_rows(fold)
        test = self.splits[fold][1]
        gamma = machine.gamma
        if K is None:
            gamma = weighted_gamma(gamma, self.X[train], self._weight(train))
            K = path_gram(machine, self.X, gamma, distances)
        gamma = 1.0 if isinstance(gamma, str) else float(gamma)
        different, which = equal_rows(self._points(test, train))
        K_test = submatrix(K, test[different], train)
        return _Block(
            fold, train, test, submatrix(K, train, train), K_test, gamma, which
        )

    def _weight(self, rows):
        return None if self.sample_weight is None else self.sample_weight[rows]

    def _training_rows(self, fold):
        train = self.splits[fold][0]
        return train if self.kept is None else train[self.kept[train]]

    # ------------------------------------------------------------- fold by fold

    def _of_fold(self, path, block):
        """All C of a path on one fold, each started from the one before."""
        begun, _, failure = self._attempt(self._begin, path, block)
        if failure is not None:
            return self.all_failed([path], [block.fold], failure)
        y_signed, bound_weight, solver = begun
        fits = [
            self._attempt(self._solve, path.machine, solver, C, block, bound_weight)
            for C in path.C_values
        ]
        decisions = np.zeros((len(block.test), len(fits)))
        results = {k: fit[0] for k, fit in enumerate(fits) if fit[2] is None}
        if results:
            decisions[:, [*results]] = block.decisions(y_signed, results.values())
            if self.scorer is None and isinstance(solver, WarmPath):
                self._settle(path, solver, block, y_signed, results, decisions)
        cells = {}
        for k, (_, seconds, failure) in enumerate(fits):
            start = perf_counter()
            cell = self.failed(block.fold, failure)
            if failure is None:
                found = results[k], block, y_signed, decisions[:, k]
                cell |= self._scores(path, k, *found)
            cell["fit_time"] = seconds
            cell["score_time"] = perf_counter() - start
            cells[path.candidates[k], block.fold] = cell
        return cells

    def _begin(self, path, block):
        """Signs, weights of the bounds, and what solves for one C after the other."""
        y_signed, bound_weight = self._training_labels(path.machine, block.train)
        solver = path_solver(path, block.K_train, y_signed, bound_weight)
        return y_signed, bound_weight, solver

    def _solve(self, machine, solver, C, block, bound_weight):
        """The solution for one C, with the same look at the kernel as in a fit."""
        machine = copy.copy(machine)
        machine.C = C
        solve = partial(solver.solve, C)
        return machine._solve_definite(solve, block.K_train, block.train, bound_weight)

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

    def _settle(self, path, solver, block, y_signed, results, decisions):
        """Refine, in place, the solutions that leave a predicted sign to the tolerance."""
        tol = path.machine.tol
        for column in np.flatnonzero((np.abs(decisions) < DOUBT * tol).any(axis=0)):
            result = results.get(column)
            C = path.C_values[column]
            # A hard margin is a problem of its own, which no C of the path refines.
            if np.isfinite(C) and result is not None and result.converged:
                results[column] = solver.refined(C, result, SETTLING * tol)
                better = block.decisions(y_signed, [results[column]])
                decisions[:, column] = better[:, 0]

    def _training_labels(self, machine, train):
        y = self.y[train]
        machine._require_two(np.unique(y), _ADVICE)
        weight = self._weight(train)
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

    def failed(self, fold, failure):
        """A cell as scikit-learn collects them, with the scores of a fit that failed."""
        score = self.error_score
        if isinstance(self.scorer, MultimetricScorer) and isinstance(
            score, numbers.Number
        ):
            score = dict.fromkeys(self.scorer._scorers, score)
        cell = {"fit_error": failure, "n_test_samples": len(self.splits[fold][1])}
        cell |= {"fit_time": 0.0, "score_time": 0.0, "test_scores": score}
        if self.return_train_score:
            cell["train_scores"] = copy.copy(score)
        return cell

    def all_failed(self, paths, fold_numbers, failure):
        """The cells of these paths and folds, of which none could begin."""
        return {
            (candidate, fold): self.failed(fold, failure)
            for path in paths
            for candidate in path.candidates
            for fold in fold_numbers
        }

    def _scores(self, path, column, result, block, y_signed, decisions):
        """Scores of a solution; a scorer finds the decision values already computed."""
        if self.scorer is None:
            scores = {"test_scores": self._accuracy(decisions, block.test)}
            if self.return_train_score:
                of_train = self._accuracy(result.decision_function, block.train)
                scores["train_scores"] = of_train
            return scores
        machine = copy.copy(path.machine)
        machine.C = path.C_values[column]
        machine.classes_ = self.classes
        X_train = self._points(block.train, block.train)
        machine.n_features_in_ = X_train.shape[1]
        machine._keep(result, X_train, y_signed, np.arange(len(y_signed)), block.gamma)
        X_test = self._points(block.test, block.train)
        compute = machine.decision_function

        def decision_function(X):  # scikit-learn looks at its name
            return decisions if X is X_test else compute(X)

        machine.decision_function = decision_function
        scores = {"test_scores": self._score(machine, X_test, block.test)}
        if self.return_train_score:
            train = self.splits[block.fold][0]
            X_train = self._points(train, block.train)
            scores["train_scores"] = self._score(machine, X_train, train)
        return scores

    def _score(self, machine, X, rows):
        parameters = {}
        if self.score_weight is not None:
            parameters["sample_weight"] = self.score_weight[rows]
        return score_with(
            machine, X, self.y[rows], self.scorer, parameters, self.error_score
        )

    def _points(self, rows, columns):
        return submatrix(self.X, rows, columns) if self.precomputed else self.X[rows]


def submatrix(K, rows, columns):
    part = np.empty((rows.size, columns.size))
    cut(K, rows, columns, part)
    return part


def share_time(cells, seconds):
    """Add what the cells have not taken themselves to their fit times, in equal parts."""
    own = sum(cell["fit_time"] + cell["score_time"] for cell in cells.values())
    for cell in cells.values():
        cell["fit_time"] += (seconds - own) / len(cells)


def path_solver(path, K, y, weight):
    """What solves for one C after the other, by its method `solve`."""
    if not is_direct(path.machine):
        return WarmPath(path.machine, K, y, weight)
    if len(path.C_values) >= LS_PATH_FROM:
        return LSPath(K, y, weight)
    return SimpleNamespace(solve=partial(ls, K, y, sample_weight=weight))


def is_direct(machine):
    """Whether the machine factorises its Gram matrix."""
    return isinstance(machine, LSSVC) and machine.solver == "cholesky"
