"""Gram matrices of all folds from one: distances, permutation, blocks."""

import numpy as np

from companion.estimators._dual import weighted_gamma
from companion.kernels import gram, squared_distances


class Folds:
    """Training and test rows of a cross-validation, arranged for contiguous blocks."""

    def __init__(self, splits, n_samples, kept=None, precomputed=False):
        self.n_samples = n_samples
        self.precomputed = precomputed
        tests = [np.asarray(test) for _, test in splits]
        self.is_partition = kept is None and self._partitions(splits, tests, n_samples)
        if self.is_partition:
            self.test = tests
            self.order = np.concatenate(tests)
            self.ends = np.cumsum([len(test) for test in tests])
            starts = self.ends - [len(test) for test in tests]
            self._spans = list(zip(starts.tolist(), self.ends.tolist(), strict=True))
            self.train = [np.delete(self.order, np.s_[a:b]) for a, b in self._spans]
            self.scored_train = self.train
        else:
            self.order = np.arange(n_samples)
            self.test = tests
            self.scored_train = [np.asarray(train) for train, _ in splits]
            self.train = self.scored_train
            if kept is not None:
                self.train = [train[kept[train]] for train in self.train]

    @staticmethod
    def _partitions(splits, tests, n_samples):
        tested = np.concatenate(tests)
        if len(tested) != n_samples or len(np.unique(tested)) != n_samples:
            return False
        return all(
            len(train) + len(test) == n_samples and not np.isin(test, train).any()
            for (train, _), test in zip(splits, tests, strict=True)
        )

    def __len__(self):
        return len(self.test)

    def cut(self, K, fold, buffer=None):
        """Training block and test rows of an arranged symmetric matrix."""
        if not self.is_partition:
            train = self.train[fold]
            return K[np.ix_(train, train)], [K[np.ix_(self.test[fold], train)]]
        a, b = self._spans[fold]
        m = self.n_samples - (b - a)
        if buffer is None:
            buffer = np.empty(m * m, dtype=K.dtype)
        K_train = buffer[: m * m].reshape(m, m)
        K_train[:a, :a] = K[:a, :a]
        K_train[:a, a:] = K[:a, b:]
        K_train[a:, :a] = K[b:, :a]
        K_train[a:, a:] = K[b:, b:]
        return K_train, [K[a:b, :a], K[a:b, b:]]


def times(parts, right):
    """Product of a matrix given as parts side by side with another, without joining them."""
    ends = np.cumsum([part.shape[1] for part in parts])
    rows = np.split(right, ends[:-1])
    return sum(part @ block for part, block in zip(parts, rows, strict=True))


class FoldKernels:
    """Gram matrices of the folds for one data set and any kernel parameters."""

    def __init__(self, X, folds, sample_weight=None, distances=None, single=False):
        self.X = X
        self.folds = folds
        self.sample_weight = sample_weight
        self.dtype = np.float64
        self._distances = distances
        self.full = None
        self._block = None

    @staticmethod
    def _dtype_for(n_samples):
        return np.float64

    @classmethod
    def bytes_of_matrix(cls, n_samples):
        return n_samples**2 * np.dtype(cls._dtype_for(n_samples)).itemsize

    def distances(self):
        if self._distances is None:
            out = np.empty((len(self.X),) * 2, dtype=self._dtype_for(len(self.X)))
            self._distances = squared_distances(self.X[self.folds.order], out=out)
        return self._distances

    def prepare(self, machine):
        """Set `full` to the Gram matrix that all folds share, None if there is none."""
        self._machine = machine
        self.full = None
        if not (machine.kernel in ("rbf", "poly") and isinstance(machine.gamma, str)):
            self.full = self._gram(self._fixed_gamma())
        self.is_finite = self.full is not None and bool(np.isfinite(self.full.sum()))

    def of_fold(self, fold):
        """Training block (valid until the next call), parts of the test rows, and gamma."""
        if self._block is None:
            self._block = np.empty(len(self.X) ** 2, dtype=self.dtype)
        if self.full is not None:
            return *self.folds.cut(self.full, fold, self._block), self._fixed_gamma()
        machine, train = self._machine, self.folds.train[fold]
        weight = None if self.sample_weight is None else self.sample_weight[train]
        gamma = weighted_gamma(machine.gamma, self.X[train], weight)
        if machine.kernel == "rbf":
            D_train, D_test = self.folds.cut(self.distances(), fold)
            test_parts = [self._exponential(D, gamma) for D in D_test]
            return self._exponential(D_train, gamma), test_parts, gamma
        parameters = machine._kernel_parameters(gamma)
        points = self.X[train]
        K_train = gram(points, **parameters).astype(self.dtype, copy=False)
        return K_train, [gram(self.X[self.folds.test[fold]], points, **parameters)], gamma

    def _fixed_gamma(self):
        machine = self._machine
        return float(machine.gamma) if machine.kernel in ("rbf", "poly") else 1.0

    def _gram(self, gamma):
        machine, order = self._machine, self.folds.order
        if machine.kernel == "precomputed":
            return self.X[np.ix_(order, order)].astype(self.dtype, copy=False)
        out = np.empty((len(self.X),) * 2, dtype=self.dtype)
        if machine.kernel == "rbf":
            return self._exponential(self.distances(), gamma, out)
        return gram(self.X[order], out=out, **machine._kernel_parameters(gamma))

    def _exponential(self, D, gamma, out=None):
        out = np.empty(D.shape, dtype=self.dtype) if out is None else out
        return gram(self.X, kernel="rbf", gamma=gamma, squared_distances=D, out=out)
