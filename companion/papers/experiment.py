"""How an experiment is run: split, tune on folds of the training part, fit, test, count.

What is tuned is tuned on the folds of a :class:`Split`, so that its test part is seen once: where
the errors of the machine that is chosen are counted, by :func:`wrong`.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from companion.datasets import ida_split, load_ida


@dataclass(frozen=True, eq=False)
class Split:
    """Inputs and labels of a training and a test part, and folds of the former to tune on."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    folds: tuple = ()

    def standardised(self, missing="mean"):
        """The split on the scale of its training part, whose means stand for missing numbers.

        Or its medians, if `missing` is "median". A column that is constant there becomes 0.
        """
        prepare = make_pipeline(SimpleImputer(strategy=missing), StandardScaler())
        X = prepare.fit_transform(self.X)
        return replace(self, X=X, X_test=prepare.transform(self.X_test))


def folds_of(X, y, n_folds, seed):
    """So many stratified folds of some data: the rows to train on and those held out, of each."""
    cut = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(cut.split(X, y))


def split_rows(X, y, train, test):
    """The split of some data whose parts are these rows."""
    return Split(X[train], y[train], X[test], y[test])


def random_split(X, y, train_size, seed):
    """A stratified split of some data at random, with this share to train on."""
    cut = {"train_size": train_size, "stratify": y, "random_state": seed}
    X, X_test, y, y_test = train_test_split(X, y, **cut)
    return Split(X, y, X_test, y_test)


def benchmark_split(name, number):
    """A split of the IDA benchmark, drawn anew."""
    data = load_ida(name)
    return split_rows(data.X, data.y, *ida_split(name, number))


def held_out_errors(part, design, paths):
    """By machine: errors on the held-out rows of all folds along its path, and if all converged.

    ``paths(design, y)`` has by machine its points (w, b), a column a setting, and whether each fit
    converged; a fold takes rows of the `design`.
    """
    total = {}
    converged = {}
    for rows, held_out in part.folds:
        test = design.augmented[held_out]
        for name, (points, flags) in paths(design.take(rows), part.y[rows]).items():
            errors = wrong(test @ points, part.y[held_out])
            total[name] = total.get(name, 0) + errors
            converged[name] = converged.get(name, True) and all(flags)
    return total, converged


def wrong(decision, y):
    """Numbers of samples on the wrong side, of each column; a decision value of 0 counts as -1."""
    return np.count_nonzero((np.asarray(decision).T > 0) != (y > 0), axis=-1)
