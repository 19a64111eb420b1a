"""Rows of a Gram matrix on demand; public as :mod:`companion.kernels`."""

from __future__ import annotations

import numpy as np

from companion._gram import DIRECT_FEATURES, check_kernel, check_points, gram, power
from companion._scratch import borrow_matrix, give_back

# In single precision computing one half of all rows and mirroring it pays from this many features
# on: 0.9 to 1.05 times as fast with 5, 1.0 to 1.6 with 8 to 20, at 1000 to 2900 samples.
_MIRROR_FEATURES = 8

# Distances whose squares, and a gamma that, neither overflow nor vanish in single precision.
_SMALLEST, _LARGEST, _STEEPEST = 1e-12, 1e15, 1e30


class KernelRows:
    """Rows of a Gram matrix, computed when asked for and kept in a bounded cache.

    Stands in for the Gram matrix in :func:`companion.solvers.smo` when the matrix does not fit in
    memory, or when few of its rows will be needed. The least recently used row makes room.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    kernel, gamma, degree, coef0
        As for :func:`gram`.
    cache_size : float, default=1000
        Size of the cache in megabytes; at least two rows are always kept. Memory is taken up as
        rows are computed.
    dtype : {float64, float32}, default=float64
        Type of the cached rows. Single precision perturbs the kernel values by about 1e-7; the
        solver then computes the scores that decide about the end in double precision from X.

    Attributes
    ----------
    shape, n_computed : (n_samples, n_samples), int
        Of the matrix; number of rows computed so far.
    diagonal : ndarray of shape (n_samples,)
        k(x_i, x_i).
    """

    def __init__(
        self, X, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0, cache_size=1000, dtype=np.float64
    ):
        check_kernel(kernel)
        if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise ValueError(
                f"The 'dtype' of KernelRows must be float64 or float32. Got {dtype!r} instead."
            )
        self.X = check_points(X, None)[0]
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, float(gamma), degree, coef0
        self.cache_size = cache_size
        n = self.X.shape[0]
        self.shape = (n, n)
        self.dtype = np.dtype(dtype)
        capacity = int(cache_size * 1e6 / (max(n, 1) * self.dtype.itemsize))
        if capacity >= n:
            self.buffer = borrow_matrix(n, self.dtype)
        else:
            self.buffer = np.empty((min(max(capacity, 2), max(n, 1)), n), dtype=self.dtype)
        self.slot = np.full(n, -1, dtype=np.int64)
        self._owner = np.full(self.buffer.shape[0], -1, dtype=np.int64)
        self.used = np.zeros(n, dtype=np.int64)
        self.clock = 0
        self._n_filled = 0
        self.n_computed = 0
        self._points = self.X
        self._is_single = False
        if self._is_direct() and self.dtype == np.float32:
            centred = self.X - self.X.mean(axis=0)
            self._is_single = _SMALLEST < np.abs(centred).max(initial=0.0) < _LARGEST
            self._is_single &= self.gamma < _STEEPEST
            self._points = centred.astype(np.float32) if self._is_single else self.X
        self._transposed = np.ascontiguousarray(self._points.T)
        self.diagonal = self._compute_diagonal()

    def row(self, i):
        """The row of one sample, a view into the cache, valid until the next call.

        Parameters
        ----------
        i : int
        """
        self.clock += 1
        self.used[i] = self.clock
        if self.slot[i] < 0:
            self._fill(np.array([i]))
        return self.buffer[self.slot[i]]

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

    def in_double_precision(self):
        """Rows of the same kernel in double precision, with an empty cache of equal size."""
        return KernelRows(
            self.X,
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            cache_size=self.cache_size,
        )

    def release(self):
        """End the use of the rows and hand their memory on to the next fit."""
        if self.buffer is not None and self.capacity == self.shape[0]:
            give_back(self.buffer)
        self.buffer = None

    def largest(self):
        """The largest kernel value in absolute value, which is on the diagonal."""
        return float(np.abs(self.diagonal).max())

    @property
    def capacity(self):
        """Number of rows that the cache can hold."""
        return self.buffer.shape[0]

    def block(self, indices, columns=None, out=None):
        """A dense block of the Gram matrix in double precision, past the cache.

        Parameters
        ----------
        indices, columns : ndarray of int
            Rows of the block, and its columns; the same by default, which makes it symmetric.
        out : ndarray of shape (n_indices, n_columns), optional
            Where to write.
        """
        return gram(
            self.X[indices],
            None if columns is None else self.X[columns],
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            out=out,
        )

    def _fill(self, missing):
        m = missing.size
        if m > self.capacity:
            raise ValueError(
                f"KernelRows holds {self.capacity} rows, {m} were asked for at once. "
                f"Increase cache_size."
            )
        end = self._n_filled + m
        if end <= self.capacity:
            slots = slice(self._n_filled, end)
            self._compute(missing, self.buffer[slots])
            self._n_filled = end
        else:
            filled = np.arange(self._n_filled)
            oldest = filled[np.argsort(self.used[self._owner[filled]], kind="stable")]
            fresh = np.arange(self._n_filled, self.capacity)
            slots = np.concatenate([fresh, oldest[: m - fresh.size]])
            evicted = self._owner[slots]
            self.slot[evicted[evicted >= 0]] = -1
            self._n_filled = self.capacity
            block = np.empty((m, self.shape[1]), dtype=self.dtype)
            self._compute(missing, block)
            self.buffer[slots] = block
        self._owner[slots] = missing
        self.slot[missing] = np.arange(slots.start, slots.stop) if end <= self.capacity else slots
        self.n_computed += m

    def _compute(self, indices, out):
        if self._is_direct():
            from companion import _kernel_loops as loops

            if not self._is_single:
                loops.rbf_rows(self._points[indices], self._transposed, self.gamma, out)
                return
            gamma = np.float32(self.gamma)
            if self._mirrors(indices):
                loops.rbf_symmetric_single(self._points, self._transposed, gamma, out)
            else:
                loops.rbf_rows_single(self._points[indices], self._transposed, gamma, out)
        else:
            gram(
                self.X[indices],
                self.X,
                kernel=self.kernel,
                gamma=self.gamma,
                degree=self.degree,
                coef0=self.coef0,
                out=out,
            )

    def _mirrors(self, indices):
        """Whether all rows are asked for in order, so that half the kernel values will do."""
        n, n_features = self.X.shape
        if indices.size < n or n_features < _MIRROR_FEATURES:
            return False
        return bool((indices[1:] > indices[:-1]).all())

    def _is_direct(self):
        return self.kernel == "rbf" and self.X.shape[1] <= DIRECT_FEATURES

    def _compute_diagonal(self):
        if self.kernel == "rbf":
            return np.ones(self.shape[0])
        if callable(self.kernel):
            values = [gram(x[None], kernel=self.kernel)[0, 0] for x in self.X]
            return np.array(values, dtype=self.dtype).astype(float)
        norms = np.einsum("ij,ij->i", self.X, self.X)
        if self.kernel == "poly":
            norms = power(self.gamma * norms + self.coef0, self.degree)
        return norms
