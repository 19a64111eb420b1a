"""Rows of a Gram matrix on demand; public as :mod:`companion.kernels`."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from companion.kernels._gram import (
    DIRECT_FEATURES,
    SparseRows,
    check_kernel,
    check_points,
    gram,
    kernel_diagonal,
)

# Entries of the rows that are computed at a time.
_ENTRIES = 2_000_000


# What the counts of a cache are: rows in it, and uses of rows so far.
FILLED = 0
USES = 1


class RowCache(NamedTuple):
    """Rows of a Gram matrix, some of them in ``buffer``: that of sample i at ``slot[i]``.

    Where it is full, a row takes the place of the one of least ``value``: by D. Lee et al., LRFU: a
    spectrum of policies that subsumes the least recently used and least frequently used policies,
    IEEE Transactions on Computers 50 (2001), every use counts, and the less the longer ago it was.
    Of Gaussian kernels of few features, the ``columns`` of the points say how to compute a row.
    """

    buffer: np.ndarray
    slot: np.ndarray
    owner: np.ndarray
    value: np.ndarray
    counts: np.ndarray
    n_computed: np.ndarray
    points: np.ndarray
    columns: np.ndarray
    gamma: float


class KernelRows:
    """Rows of a Gram matrix, computed when asked for and kept in a bounded cache.

    Stands in for the Gram matrix in :func:`companion.solvers.smo` when the matrix does not fit in
    memory, or when few of its rows will be needed. The row that was used least makes room, where
    a use counts the less the longer ago it was.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    kernel, gamma, degree, coef0
        As for :func:`gram`.
    cache_size : float, default=1000
        Size of the cache in megabytes; at least two rows are always kept. Memory is taken up as
        rows are computed.

    Attributes
    ----------
    shape, n_computed : (n_samples, n_samples), int
        Of the matrix; number of rows computed so far.
    diagonal : ndarray of shape (n_samples,)
        k(x_i, x_i).
    """

    def __init__(
        self, X, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0, cache_size=1000
    ):
        check_kernel(kernel, gamma)
        X = check_points(X, None, kernel)[0]
        n, n_features = X.shape
        self.X = X
        self.shape = (n, n)
        self._parameters = dict(
            kernel=kernel, gamma=float(gamma), degree=degree, coef0=coef0
        )
        self.diagonal = kernel_diagonal(X, **self._parameters)
        self._sparse_rows = None
        points = np.empty((0, 0))
        columns = np.empty((0, n))
        if issparse(X) and not callable(kernel):
            self._sparse_rows = SparseRows(X, **self._parameters)
        elif kernel == "rbf" and n_features <= DIRECT_FEATURES:
            points = np.require(X, requirements="W")
            columns = np.ascontiguousarray(X.T)
        #: Number of rows that the cache can hold.
        self.capacity = min(max(int(cache_size * 1e6 / 8) // max(n, 1), 2), n)
        self.buffer = np.empty((self.capacity, n))
        self.slot = np.full(n, -1, dtype=np.int64)
        #: The cache as compiled loops see it.
        self.cache = RowCache(
            buffer=self.buffer,
            slot=self.slot,
            owner=np.full(self.capacity, -1, dtype=np.int64),
            value=np.full(n, -np.inf),
            counts=np.zeros(2, dtype=np.int64),
            n_computed=np.zeros(1, dtype=np.int64),
            points=points,
            columns=columns,
            gamma=self._parameters["gamma"],
        )

    @property
    def n_computed(self):
        """Number of rows computed so far, those that were computed again included."""
        return int(self.cache.n_computed[0])

    @property
    def room(self):
        """The number of rows that can be cached without giving up another."""
        return self.capacity - int(self.cache.counts[FILLED])

    def ensure(self, indices):
        """Cache the rows of several samples at once; where in the cache they are, or `ValueError`.

        Parameters
        ----------
        indices : ndarray of int
            The samples, each once, not more than the cache can hold.
        """
        if len(indices) > self.capacity:
            raise ValueError(
                f"KernelRows holds {self.capacity} rows, {len(indices)} were asked for at once. "
                f"Increase cache_size."
            )
        missing = indices[self.slot[indices] < 0]
        value = self.cache.value
        latest = np.maximum(value[indices], self.cache.counts[USES])
        value[indices] = np.inf  # none of them makes room
        try:
            for some in self._lots(missing):
                self._fill(some)
        finally:
            value[indices] = latest
        return self.slot[indices]

    def blocks(self, indices):
        """Compute rows past the cache, a few at a time; yields (samples, their rows).

        Parameters
        ----------
        indices : ndarray of int
        """
        for some in self._lots(indices):
            yield some, self._compute(some, np.empty((some.size, self.shape[1])))

    def square(self, indices):
        """The Gram matrix of some samples, past the cache.

        Parameters
        ----------
        indices : ndarray of int
        """
        return gram(self.X[indices], **self._parameters)

    def _lots(self, indices):
        """So many samples at a time that their rows take little memory, and Ctrl-C is heard."""
        size = max(_ENTRIES // self.shape[1], 1) if len(indices) else 1
        for start in range(0, len(indices), size):
            yield indices[start : start + size]

    def _fill(self, missing):
        """Compute rows, and put each into a free place or that of the least valuable one."""
        from companion.kernels._loops import place_for

        rows = self._compute(missing, np.empty((missing.size, self.shape[1])))
        for sample, row in zip(missing, rows, strict=True):
            self.buffer[place_for(self.cache, sample, sample)] = row

    def _compute(self, indices, out):
        self.cache.n_computed[0] += len(indices)
        if self._sparse_rows is not None:
            return self._sparse_rows.compute(indices, out)
        columns = self.cache.columns
        if not columns.size:
            return gram(self.X[indices], self.X, out=out, **self._parameters)
        from companion.kernels._loops import distance_rows

        distance_rows(self.X[indices], columns, self._parameters["gamma"], False, out)
        return out
