"""Rows of a Gram matrix on demand; public as :mod:`companion.kernels`."""

import numpy as np
from scipy.sparse import issparse

from companion._gram import (
    DIRECT_FEATURES,
    SparseRows,
    check_kernel,
    check_points,
    gram,
    kernel_diagonal,
)


class KernelRows:
    """Rows of a Gram matrix, computed when asked for and kept in a bounded cache.

    Stands in for the Gram matrix in :func:`companion.solvers.smo` when the matrix does not fit in
    memory, or when few of its rows will be needed. The least recently used row makes room.

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

    def __init__(self, X, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0, cache_size=1000):
        check_kernel(kernel, gamma)
        self.X = check_points(X, None, kernel)[0]
        n, n_features = self.X.shape
        self._parameters = dict(kernel=kernel, gamma=float(gamma), degree=degree, coef0=coef0)
        self._columns = self._sparse_rows = None
        if issparse(self.X) and not callable(kernel):
            self._sparse_rows = SparseRows(self.X, **self._parameters)
        elif kernel == "rbf" and n_features <= DIRECT_FEATURES:
            self._columns = np.ascontiguousarray(self.X.T)
        self.shape = (n, n)
        #: Number of rows that the cache can hold.
        self.capacity = min(max(int(cache_size * 1e6 / (8 * max(n, 1))), 2), max(n, 1))
        self.buffer = np.empty((self.capacity, n))
        self.slot = np.full(n, -1, dtype=np.int64)
        self._owner = np.full(self.capacity, -1, dtype=np.int64)
        self.used = np.zeros(n, dtype=np.int64)
        self.clock = self.n_computed = self._n_filled = 0
        self.diagonal = kernel_diagonal(self.X, **self._parameters)

    def ensure(self, indices):
        """Cache the rows of several samples at once; where in the cache they are, or `ValueError`.

        Parameters
        ----------
        indices : ndarray of int
            The samples, each once, not more than the cache can hold.
        """
        self.clock += 1
        self.used[indices] = self.clock
        missing = indices[self.slot[indices] < 0]
        if missing.size:
            self._fill(missing)
        return self.slot[indices]

    def block(self, indices):
        """The Gram matrix of some samples, past the cache.

        Parameters
        ----------
        indices : ndarray of int
        """
        return gram(self.X[indices], **self._parameters)

    def _fill(self, missing):
        m, filled = missing.size, self._n_filled
        if m > self.capacity:
            raise ValueError(
                f"KernelRows holds {self.capacity} rows, {m} were asked for at once. "
                f"Increase cache_size."
            )
        slots = np.arange(filled, min(filled + m, self.capacity))
        self._n_filled += slots.size
        if slots.size == m:
            self._compute(missing, self.buffer[filled : filled + m])
        else:
            some = m - slots.size
            oldest = np.argpartition(self.used[self._owner[:filled]], some - 1)[:some]
            self.slot[self._owner[oldest]] = -1
            slots = np.concatenate([slots, oldest])
            self.buffer[slots] = self._compute(missing, np.empty((m, self.shape[1])))
        self._owner[slots] = missing
        self.slot[missing] = slots
        self.n_computed += m

    def _compute(self, indices, out):
        if self._sparse_rows is not None:
            return self._sparse_rows.compute(indices, out)
        if self._columns is None:
            return gram(self.X[indices], self.X, out=out, **self._parameters)
        from companion._kernel_loops import distance_rows

        distance_rows(self.X[indices], self._columns, self._parameters["gamma"], False, out)
        return out
