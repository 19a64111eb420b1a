"""Kernel functions: Gram matrices, single rows on demand, and the papers' width conventions.

Kernels are inputs to solvers; no solver of this package evaluates a kernel itself.
"""

from __future__ import annotations

import numbers

import numpy as np

from companion._scratch import borrow_matrix, give_back

__all__ = [
    "KernelRows",
    "gamma_from_width",
    "gram",
    "resolve_gamma",
    "squared_distances",
]

KERNELS = ("rbf", "linear", "poly")

# Up to this many features squared distances are summed from differences, which is as quick as a
# matrix product there, has no cancellation, and gives identical points identical rows.
_DIRECT_FEATURES = 32
# Mirroring costs more memory traffic than computing both halves of a large, cheap matrix. In single
# precision it pays from this many features on: 0.9 to 1.05 times as fast with 5, 1.0 to 1.6 with 8
# to 20, at 1000 to 2900 samples.
_MIRROR_SAMPLES = 1500
_MIRROR_FEATURES = 8
_BLOCK = 256

# Distances whose squares, and a gamma that, neither overflow nor vanish in single precision.
_SMALLEST, _LARGEST, _STEEPEST = 1e-12, 1e15, 1e30

_WIDTH_CONVENTIONS = {
    "sigma": lambda width: 1.0 / width,
    "sigma2": lambda width: 1.0 / width**2,
    "2sigma2": lambda width: 0.5 / width**2,
}


def gamma_from_width(width, convention):
    """Return the ``gamma`` of exp(-gamma ||x - z||^2) for a width in a paper's convention.

    Parameters
    ----------
    width : float
        The positive width sigma.
    convention : {"sigma", "sigma2", "2sigma2"}
        * "sigma": exp(-||x - z||^2 / sigma), gamma = 1 / sigma (l1nsvm);
        * "sigma2": exp(-||x - z||^2 / sigma^2), gamma = 1 / sigma^2;
        * "2sigma2": exp(-||x - z||^2 / (2 sigma^2)), gamma = 1 / (2 sigma^2).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the convention is unknown or the width is not a positive finite number.

    Examples
    --------
    >>> gamma_from_width(2.0, "2sigma2")
    0.125
    """
    if convention not in _WIDTH_CONVENTIONS:
        raise ValueError(
            f"The 'convention' of gamma_from_width must be one of "
            f"{sorted(_WIDTH_CONVENTIONS)}. Got {convention!r} instead."
        )
    if not (isinstance(width, numbers.Real) and 0.0 < width < np.inf):
        raise ValueError(
            f"The 'width' of gamma_from_width must be a positive finite number. "
            f"Got {width!r} instead."
        )
    return float(_WIDTH_CONVENTIONS[convention](float(width)))


def resolve_gamma(gamma, X):
    """Return the number behind ``gamma="scale"`` or ``"auto"``, as scikit-learn's SVC defines them.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float
        "scale": 1 / (n_features * X.var()), and 1 when X is constant; "auto": 1 / n_features.
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    float
    """
    if isinstance(gamma, str):
        if gamma == "scale":
            variance = X.var()
            return float(1.0 / (X.shape[1] * variance)) if variance > 0.0 else 1.0
        if gamma == "auto":
            return 1.0 / X.shape[1]
    elif isinstance(gamma, numbers.Real) and 0.0 <= gamma < np.inf:
        return float(gamma)
    raise ValueError(
        f"The 'gamma' parameter of a kernel must be 'scale', 'auto' or a finite number >= 0. "
        f"Got {gamma!r} instead."
    )


def squared_distances(X, Y=None, *, out=None):
    """Return ||X_i - Y_j||^2 for all pairs of rows; with ``Y=None`` among the rows of X.

    Parameters
    ----------
    X : ndarray of shape (n_X, n_features)
    Y : ndarray of shape (n_Y, n_features), optional
    out : ndarray of shape (n_X, n_Y), optional
        Where to write, C-contiguous float64 or float32.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Exactly symmetric with a zero diagonal when ``Y`` is None. Up to 32 features the sums run
        over differences; above, the matrix product form ||x||^2 + ||z||^2 - 2 x'z of centred data
        is used and negative rounding errors are set to zero.
    """
    X, Y = _check_points(X, Y)
    return _distance_form(X, Y, -1.0, _prepare_out(out, X, Y))


def gram(
    X,
    Y=None,
    *,
    kernel="rbf",
    gamma=1.0,
    degree=3,
    coef0=0.0,
    squared_distances=None,
    out=None,
):
    """Return the kernel matrix K[i, j] = k(X_i, Y_j); with ``Y=None`` the Gram matrix of X.

    Parameters
    ----------
    X : ndarray of shape (n_X, n_features)
    Y : ndarray of shape (n_Y, n_features), optional
    kernel : {"rbf", "linear", "poly"} or callable, default="rbf"
        * "rbf": exp(-gamma ||x - z||^2);
        * "linear": x'z;
        * "poly": (gamma x'z + coef0)^degree;
        * a callable is called as ``kernel(X, Y)`` and returns the matrix.
    gamma : float, default=1.0
        A number (see :func:`resolve_gamma` for "scale" and "auto").
    degree : int, default=3
    coef0 : float, default=0.0
    squared_distances : ndarray of shape (n_X, n_Y), optional
        From :func:`squared_distances`, to reuse over several ``gamma`` ("rbf" only).
    out : ndarray of shape (n_X, n_Y), optional
        Where to write, C-contiguous float64 or float32; reusing one buffer saves the time of
        obtaining fresh memory.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Float64 unless ``out`` says otherwise; exactly symmetric when ``Y`` is None (for a callable
        this is the callable's business), and the same bits on every call.

    Examples
    --------
    >>> import numpy as np
    >>> gram(np.array([[0.0], [1.0]]), kernel="rbf", gamma=0.5).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    _check_kernel(kernel)
    if squared_distances is not None:
        if kernel != "rbf":
            raise ValueError(
                f"The 'squared_distances' of gram serve the 'rbf' kernel alone. "
                f"Got kernel={kernel!r}; drop the argument."
            )
        from companion._kernel_loops import exp_scaled

        D = np.ascontiguousarray(squared_distances)
        out = np.empty(D.shape) if out is None else out
        exp_scaled(D, -float(gamma), out)
        return out
    X, Y = _check_points(X, Y)
    if callable(kernel):
        K = np.asarray(kernel(X, X if Y is None else Y), dtype=float)
        expected = (X.shape[0], X.shape[0] if Y is None else Y.shape[0])
        if K.shape != expected:
            raise ValueError(
                f"A callable kernel must return a matrix of shape {expected}. "
                f"Got {K.shape} instead; it is called as kernel(X, Y)."
            )
        if out is None:
            return np.ascontiguousarray(K)
        out[...] = K
        return out
    if kernel == "rbf":
        return _distance_form(X, Y, float(gamma), _prepare_out(out, X, Y))
    K = X @ (X if Y is None else Y).T
    if kernel == "poly":
        K *= gamma
        K += coef0
        K = _power(K, degree)
    if out is None:
        return K
    out[...] = K
    return out


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
        Type of the cached rows. Single precision halves memory and traffic and perturbs the kernel
        values by about 1e-7. The solver then computes the scores that decide about the end in
        double precision from X, so the tolerance holds for the exact kernel.

    Attributes
    ----------
    shape : (n_samples, n_samples)
    diagonal : ndarray of shape (n_samples,)
        k(x_i, x_i).
    n_computed : int
        Number of rows computed so far.
    """

    def __init__(
        self,
        X,
        *,
        kernel="rbf",
        gamma=1.0,
        degree=3,
        coef0=0.0,
        cache_size=1000,
        dtype=np.float64,
    ):
        _check_kernel(kernel)
        if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise ValueError(
                f"The 'dtype' of KernelRows must be float64 or float32. Got {dtype!r} instead."
            )
        self.X = _check_points(X, None)[0]
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
        """Return the row of sample ``i``, valid until the next call; computed if not cached."""
        self.clock += 1
        self.used[i] = self.clock
        if self.slot[i] < 0:
            self._fill(np.array([i]))
        return self.buffer[self.slot[i]]

    def ensure(self, indices):
        """Cache the rows of several samples at once (at most the capacity), return their slots."""
        self.clock += 1
        self.used[indices] = self.clock
        missing = indices[self.slot[indices] < 0]
        if missing.size:
            self._fill(missing)
        return self.slot[indices]

    def in_double_precision(self):
        """Return rows of the same kernel in double precision, with an empty cache of equal size."""
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
        """Return a dense block of the Gram matrix in double precision, past the cache.

        With ``columns=None`` the symmetric block K[indices, indices].
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
        return self.kernel == "rbf" and self.X.shape[1] <= _DIRECT_FEATURES

    def _compute_diagonal(self):
        if self.kernel == "rbf":
            return np.ones(self.shape[0])
        if callable(self.kernel):
            values = [gram(x[None], kernel=self.kernel)[0, 0] for x in self.X]
            return np.array(values, dtype=self.dtype).astype(float)
        norms = np.einsum("ij,ij->i", self.X, self.X)
        if self.kernel == "poly":
            norms = _power(self.gamma * norms + self.coef0, self.degree)
        return norms


def _check_kernel(kernel):
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(
            f"The 'kernel' parameter must be one of {list(KERNELS)} or a callable. "
            f"Got {kernel!r} instead."
        )


def _check_points(X, Y):
    """Return X and Y as C-contiguous float64 matrices with equal numbers of features."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(
            f"The 'X' of a kernel must be a matrix of shape (n_samples, n_features). "
            f"Got an array of shape {X.shape} instead."
        )
    if Y is None:
        return X, None
    Y = np.ascontiguousarray(Y, dtype=np.float64)
    if Y.ndim != 2 or Y.shape[1] != X.shape[1]:
        raise ValueError(
            f"The 'Y' of a kernel must be a matrix with the {X.shape[1]} features of X. "
            f"Got an array of shape {Y.shape} instead."
        )
    return X, Y


def _prepare_out(out, X, Y):
    shape = (X.shape[0], X.shape[0] if Y is None else Y.shape[0])
    if out is None:
        return np.empty(shape)
    if out.shape != shape or out.dtype not in (np.float64, np.float32):
        raise ValueError(
            f"The 'out' of a kernel must be a float64 or float32 matrix of shape {shape}. "
            f"Got shape {out.shape} and type {out.dtype} instead."
        )
    return out


def _power(K, degree):
    """K ** degree by repeated multiplication for small whole degrees (a tenth of pow's time)."""
    if float(degree).is_integer() and 1 <= degree <= 8:
        result = K.copy()
        for _ in range(int(degree) - 1):
            result *= K
        return result
    return np.power(K, degree)


def _distance_form(X, Y, gamma, out):
    """exp(-gamma d^2) into out, or d^2 itself for gamma < 0; Y None means Y = X."""
    from companion import _kernel_loops as loops

    n, n_features = X.shape
    if n_features <= _DIRECT_FEATURES and out.flags.c_contiguous:
        points = X if Y is None else Y
        transposed = np.ascontiguousarray(points.T)
        if Y is None and n <= _MIRROR_SAMPLES:
            loops.rbf_symmetric(X, transposed, gamma, out)
        else:
            loops.rbf_rows(X, transposed, gamma, out)
        return out
    centre = X.mean(axis=0)
    A = X - centre
    B = A if Y is None else Y - centre
    a = np.einsum("ij,ij->i", A, A)
    b = a if Y is None else np.einsum("ij,ij->i", B, B)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        first = start if Y is None else 0
        D = A[start:stop] @ B[first:].T
        loops.finish_distances(D, a[start:stop], b[first:], gamma)
        if Y is None:
            square = D[:, : stop - start]
            np.fill_diagonal(square, 0.0 if gamma < 0.0 else 1.0)
            lower = np.tril_indices(stop - start, -1)
            square[lower] = square.T[lower]
            out[stop:, start:stop] = D[:, stop - start :].T
        out[start:stop, first:] = D
    return out
