"""Fits and scores of one kernel's candidates on all folds: the work behind the grid search."""

import copy
import numbers
from dataclasses import dataclass
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np

from companion.estimators._compat import MultimetricScorer, score_with
from companion.estimators._dual import DualClassifier, class_factors, signed_labels
from companion.solvers.ls import LSPath, ls_cross_validate
from companion.tuning._folds import FoldKernels, Folds, times
from companion.tuning._path import WarmPath, is_direct

# Least-squares machines: from so many C one eigendecomposition of a training block costs less
# than a factorisation for each, and from so many folds one factorisation of the whole matrix with
# its inverse costs less than one of each training block.
LS_PATH_FROM = 10
CLOSED_FORM_FROM = 10

_ADVICE = (
    " The rest of every fold needs both classes: stratify the folds, and use no more of them than "
    "the rarer class has samples."
)

# From so many samples single precision saves time, for half the bytes are read; it is used where
# it moves decision values by no more than this share of the tolerance.
SINGLE_FROM = 500
SINGLE_SHARE = 0.25

# The tolerance leaves a sign open where a test sample is nearer to the boundary than about half of
# it; such a fit goes on to the second share of the tolerance before the sample is counted.
DOUBT, SETTLING = 0.5, 0.1


@dataclass
class CPath:
    """Candidates that differ in C alone, in ascending order of C."""

    machine: DualClassifier
    C_values: list
    candidates: list


@dataclass
class _Block:
    """The kernel values of one fold; `K_test` in parts side by side."""

    fold: int
    K_train: np.ndarray
    K_test: list
    gamma: float
    is_finite: bool


@dataclass
class Evaluation:
    """All that the cells of a search have in common; small enough to send to a process."""

    X: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    folds: Folds
    scorer: Any
    sample_weight: np.ndarray | None
    score_weight: np.ndarray | None
    error_score: Any
    return_train_score: bool

    def of_kernel(self, paths, fold_numbers, distances):
        """Evaluate paths that share kernel parameters; return {(candidate, fold): result}."""
        start = perf_counter()
        single = all(self._allows_single_precision(path) for path in paths)
        kernels = FoldKernels(self.X, self.folds, self.sample_weight, distances, single)
        kernels.prepare(paths[0].machine)
        shared_time = perf_counter() - start

        cells = {}
        rest = []
        for path in paths:
            if self._has_closed_form(path, kernels, fold_numbers):
                cells |= self._closed_form(path, kernels)
            else:
                rest.append(path)
        if rest:
            for fold in fold_numbers:
                start = perf_counter()
                K_train, K_test, gamma = kernels.of_fold(fold)
                block = _Block(fold, K_train, K_test, gamma, kernels.is_finite)
                kernel_time = (perf_counter() - start) / len(rest)
                for path in rest:
                    cells |= self._of_fold(path, block, kernel_time)
        for cell in cells.values():
            cell["fit_time"] += shared_time / len(cells)
        return cells

    def _allows_single_precision(self, path):
        """Whether rounding the kernel to single precision stays well below the tolerance."""
        machine, n = path.machine, len(self.X)
        if n < SINGLE_FROM or machine.kernel != "rbf" or not np.isfinite(machine._box(1.0)[1]):
            return False
        weight = 1.0 if self.sample_weight is None else self.sample_weight.max()
        if machine.class_weight is not None:
            weight *= class_factors(machine.class_weight, self.y, self.classes).max()
        error = 3.4e-8 * path.C_values[-1] * weight * np.sqrt(n)
        return error <= SINGLE_SHARE * machine.tol

    # ------------------------------------------------------------- fold by fold

    def _of_fold(self, path, block, kernel_time):
        """All C of a path on one fold, each started from the one before."""
        fold = block.fold
        train, test = self.folds.train[fold], self.folds.test[fold]
        n_cells = len(path.C_values)
        fits = []
        try:
            y_signed, bound_weight = self._training_labels(path.machine, train)
        except Exception:
            if self.error_score == "raise":
                raise
            failure = format_exc()
            fits = [(None, 0.0, failure)] * n_cells
        else:
            solver = self._path_solver(path, block, y_signed, bound_weight)
            fits = list(self._solve_path(path, solver))

        start = perf_counter()
        decisions = np.zeros((len(test), n_cells))
        solved = [column for column, (result, _, _) in enumerate(fits) if result is not None]
        if solved:
            results = [fits[column][0] for column in solved]
            decisions[:, solved] = decision_values(block.K_test, y_signed, results)
            if self.scorer is None and isinstance(solver, WarmPath):
                self._settle(path, solver, block, y_signed, fits, decisions)
        product_time = (perf_counter() - start) / n_cells

        cells = {}
        direct = self._accuracies(decisions, test) if self.scorer is None else None
        for column, (result, fit_time, failure) in enumerate(fits):
            start = perf_counter()
            if failure is not None:
                cell = self._failed()
            elif direct is not None:
                cell = {"test_scores": float(direct[column])}
                if self.return_train_score:
                    correct = self._accuracies(result.decision_function[:, np.newaxis], train)
                    cell["train_scores"] = float(correct[0])
            else:
                machine = self._fitted(path, column, result, train, y_signed, block.gamma)
                cell = self._scored(machine, fold, decisions[:, column])
            cell["fit_error"] = failure
            cell["n_test_samples"] = len(test)
            cell["fit_time"] = fit_time + kernel_time / n_cells
            cell["score_time"] = perf_counter() - start + product_time
            cells[path.candidates[column], fold] = cell
        return cells

    def _solve_path(self, path, solver):
        """Yield (Result or None, seconds, traceback or None) for every C in turn."""
        for C in path.C_values:
            start = perf_counter()
            try:
                result, failure = solver.solve(C), None
            except Exception:
                if self.error_score == "raise":
                    raise
                result, failure = None, format_exc()
            yield result, perf_counter() - start, failure

    def _settle(self, path, solver, block, y_signed, fits, decisions):
        """Refine, in place, the solutions that leave a predicted sign to the tolerance."""
        tol = path.machine.tol
        unsettled = np.flatnonzero((np.abs(decisions) < DOUBT * tol).any(axis=0))
        refined = {}
        for column in unsettled:
            result, seconds, failure = fits[column]
            if result is None or not result.converged:
                continue
            # Several C may share a solution.
            if id(result) not in refined:
                better = solver.refined(path.C_values[column], result, SETTLING * tol)
                values = decision_values(block.K_test, y_signed, [better])[:, 0]
                refined[id(result)] = better, values
            better, decisions[:, column] = refined[id(result)]
            fits[column] = better, seconds, failure

    def _path_solver(self, path, block, y_signed, bound_weight):
        """What solves for one C after the other."""
        machine = path.machine
        if is_direct(machine) and len(path.C_values) >= LS_PATH_FROM:
            return LSPath(block.K_train, y_signed, bound_weight)
        # A scorer may look at the certificate, which depends on C.
        certified = self.scorer is not None
        return WarmPath(machine, block.K_train, y_signed, bound_weight, block.is_finite, certified)

    def _training_labels(self, machine, train):
        y = self.y[train]
        machine._require_two(np.unique(y), _ADVICE)
        weight = None if self.sample_weight is None else self.sample_weight[train]
        factors = class_factors(machine.class_weight, y, self.classes, weight)
        if factors is not None:
            weight = factors if weight is None else factors * weight
        return signed_labels(y, self.classes), weight

    # ------------------------------------------------------------- closed form

    def _has_closed_form(self, path, kernels, fold_numbers):
        """Whether k-fold values follow from factorisations of the whole matrix."""
        machine = path.machine
        return (
            is_direct(machine)
            and len(path.C_values) < LS_PATH_FROM
            and len(self.folds) >= CLOSED_FORM_FROM
            and machine.class_weight != "balanced"
            and self.scorer is None
            and not self.return_train_score
            and self.folds.is_partition
            and len(fold_numbers) == len(self.folds)
            and kernels.full is not None
            and all(len(np.unique(self.y[train])) == 2 for train in self.folds.train)
        )

    def _closed_form(self, path, kernels):
        start = perf_counter()
        order = self.folds.order
        y_signed, weight = self._training_labels(path.machine, order)
        positions = np.split(np.arange(len(order)), self.folds.ends[:-1])
        fold_of_row = np.repeat(np.arange(len(self.folds)), [len(p) for p in positions])
        decisions = ls_cross_validate(
            kernels.full, y_signed, path.C_values, fold_of_row, sample_weight=weight
        )
        fit_time = (perf_counter() - start) / (len(path.C_values) * len(self.folds))
        cells = {}
        for fold, (test, rows) in enumerate(zip(self.folds.test, positions, strict=True)):
            start = perf_counter()
            accuracies = self._accuracies(decisions[:, rows].T, test)
            score_time = (perf_counter() - start) / len(path.C_values)
            for candidate, accuracy in zip(path.candidates, accuracies, strict=True):
                cells[candidate, fold] = {
                    "test_scores": float(accuracy),
                    "fit_error": None,
                    "n_test_samples": len(test),
                    "fit_time": fit_time,
                    "score_time": score_time,
                }
        return cells

    # ------------------------------------------------------------- scores

    def _accuracies(self, decisions, rows):
        """Share of right signs in every column, samples counted by the score weight."""
        correct = (decisions > 0) == (self.y[rows] == self.classes[1])[:, np.newaxis]
        weights = None if self.score_weight is None else self.score_weight[rows]
        return np.average(correct, axis=0, weights=weights)

    def _failed(self):
        score = self.error_score
        if isinstance(self.scorer, MultimetricScorer) and isinstance(score, numbers.Number):
            score = dict.fromkeys(self.scorer._scorers, self.error_score)
        cell = {"test_scores": score}
        if self.return_train_score:
            cell["train_scores"] = score.copy() if isinstance(score, dict) else score
        return cell

    def _fitted(self, path, column, result, train, y_signed, gamma):
        """The machine of a cell as its own `fit` would have left it."""
        machine = copy.copy(path.machine)
        machine.C = path.C_values[column]
        machine.classes_ = self.classes
        X_train = self._points(train, train)
        machine.n_features_in_ = X_train.shape[1]
        machine._keep(result, X_train, y_signed, slice(None), gamma)
        return machine

    def _scored(self, machine, fold, decisions):
        """Scores by the scorer, which finds the decision values already computed."""
        train, test = self.folds.train[fold], self.folds.test[fold]
        X_test = self._points(test, train)
        machine.decision_function = remembering(machine.decision_function, X_test, decisions)
        cell = {"test_scores": self._score(machine, X_test, test)}
        if self.return_train_score:
            rows = self.folds.scored_train[fold]
            cell["train_scores"] = self._score(machine, self._points(rows, train), rows)
        return cell

    def _score(self, machine, X, rows):
        parameters = {}
        if self.score_weight is not None:
            parameters["sample_weight"] = self.score_weight[rows]
        return score_with(machine, X, self.y[rows], self.scorer, parameters, self.error_score)

    def _points(self, rows, columns):
        if self.folds.precomputed:
            return self.X[np.ix_(rows, columns)]
        return self.X[rows]


def decision_values(K_test, y_signed, results):
    """Decision values of the test samples, one column a result."""
    betas = np.column_stack([y_signed * result.alpha for result in results])
    products = times(K_test, betas.astype(K_test[0].dtype, copy=False))
    return products + np.array([result.intercept for result in results])


def remembering(compute, X_known, values):
    """Decision function that has the values of one array at hand and computes all others."""

    def decision_function(X):
        return values if X is X_known else compute(X)

    return decision_function
