"""Gram matrices and squared distances; public as :mod:`companion.kernels`."""

from __future__ import annotations

import numpy as np

KERNELS = ("rbf", "linear", "poly")

# Up to this many features squared distances are summed from differences, which is as quick as a
# matrix product there, has no cancellation, and gives identical points identical rows.
DIRECT_FEATURES = 32
# Mirroring costs more memory traffic than computing both halves of a large, cheap matrix.
_MIRROR_SAMPLES = 1500
_BLOCK = 256


def squared_distances(X, Y=None, *, out=None):
    """Return ||X_i - Y_j||^2 for all pairs of rows; with ``Y=None`` among the rows of X.

    Parameters
    ----------
    X, Y : ndarray of shape (n_X, n_features), ndarray of shape (n_Y, n_features), optional
    out : ndarray of shape (n_X, n_Y), optional
        Where to write, C-contiguous float64 or float32.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Exactly symmetric with a zero diagonal when ``Y`` is None. Up to 32 features the sums run
        over differences; above, the matrix product form ||x||^2 + ||z||^2 - 2 x'z of centred data
        is used and negative rounding errors are set to zero.
    """
    X, Y = check_points(X, Y)
    return _distance_form(X, Y, -1.0, _prepare_out(out, X, Y))


def gram(
    X, Y=None, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0, squared_distances=None, out=None
):
    """Return the kernel matrix K[i, j] = k(X_i, Y_j); with ``Y=None`` the Gram matrix of X.

    Parameters
    ----------
    X, Y : ndarray of shape (n_X, n_features), ndarray of shape (n_Y, n_features), optional
    kernel : {"rbf", "linear", "poly"} or callable, default="rbf"
        exp(-gamma ||x - z||^2), x'z, (gamma x'z + coef0)^degree, or what is called as
        ``kernel(X, Y)`` and returns the matrix.
    gamma, degree, coef0 : float, int, float, default=1.0, 3 and 0.0
        Numbers (see :func:`resolve_gamma` for "scale" and "auto").
    squared_distances : ndarray of shape (n_X, n_Y), optional
        From :func:`squared_distances`, to reuse over several ``gamma`` ("rbf" only).
    out : ndarray of shape (n_X, n_Y), optional
        Where to write, C-contiguous float64 or float32; reusing one buffer saves time.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Float64 unless ``out`` says otherwise; exactly symmetric when ``Y`` is None (for a callable
        this is the callable's business), and the same bits on every call.

    Raises
    ------
    ValueError
        If the kernel is unknown, if shapes do not match, or if ``squared_distances`` are given
        for a kernel other than "rbf".

    Examples
    --------
    >>> import numpy as np
    >>> gram(np.array([[0.0], [1.0]]), kernel="rbf", gamma=0.5).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    check_kernel(kernel)
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
    X, Y = check_points(X, Y)
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
        K = power(K, degree)
    if out is None:
        return K
    out[...] = K
    return out


def check_kernel(kernel):
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(
            f"The 'kernel' parameter must be one of {list(KERNELS)} or a callable. "
            f"Got {kernel!r} instead."
        )


def check_points(X, Y):
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


def power(K, degree):
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
    if n_features <= DIRECT_FEATURES and out.flags.c_contiguous:
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
