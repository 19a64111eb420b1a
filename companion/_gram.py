"""Gram matrices and squared distances; public as :mod:`companion.kernels`."""

import numpy as np

KERNELS = ("rbf", "linear", "poly")

# Up to this many features squared distances are summed from differences, which is as quick as a
# matrix product there, has no cancellation, and gives identical points identical rows. Above, what
# is below about 1e-16 of the largest squared norm of the centred points is lost: all distances
# within clusters that are tight and far apart.
DIRECT_FEATURES = 32


def squared_distances(X, Y=None):
    """Return ||X_i - Y_j||^2 for all pairs of rows; with ``Y=None`` among the rows of X.

    Parameters
    ----------
    X, Y : ndarray of shape (n_X, n_features), ndarray of shape (n_Y, n_features), optional

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Exactly symmetric with a zero diagonal when ``Y`` is None. Up to 32 features the sums run
        over differences; above, the matrix product form ||x||^2 + ||z||^2 - 2 x'z of centred data
        is used, which loses what is below about 1e-16 of the largest ||x||^2, such as all distances
        within tight clusters far apart; negative rounding errors are set to zero.
    """
    X, Y = check_points(X, Y)
    return _distance_form(X, Y, None, np.empty(_shape(X, Y)))


def gram(
    X, Y=None, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0, squared_distances=None, out=None
):
    """Return the kernel matrix K[i, j] = k(X_i, Y_j); with ``Y=None`` the Gram matrix of X.

    Parameters
    ----------
    X, Y : ndarray of shape (n_X, n_features), ndarray of shape (n_Y, n_features), optional
    kernel : {"rbf", "linear", "poly"} or callable, default="rbf"
        exp(-gamma ||x - z||^2), x'z, (gamma x'z + coef0)^degree, or what is called as
        ``kernel(X, Y)`` and returns the matrix. From 33 features on see
        :func:`squared_distances` for what "rbf" cannot tell apart.
    gamma, degree, coef0 : float, int, float, default=1.0, 3 and 0.0
        Numbers (see :func:`resolve_gamma` for "scale" and "auto"); gamma of "rbf" is at least 0.
    squared_distances : ndarray of shape (n_X, n_Y), optional
        From :func:`squared_distances`, to reuse over several ``gamma`` ("rbf" only).
    out : ndarray of shape (n_X, n_Y), optional
        Where to write, float64 and C-contiguous; reusing one buffer saves time.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Exactly symmetric when ``Y`` is None (for a callable this is the callable's business), and
        the same bits on every call.

    Raises
    ------
    ValueError
        If the kernel is unknown, its gamma is negative or not finite, shapes do not match, or
        ``squared_distances`` are given for a kernel other than "rbf".

    Examples
    --------
    >>> import numpy as np
    >>> gram(np.array([[0.0], [1.0]]), kernel="rbf", gamma=0.5).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    check_kernel(kernel, gamma)
    if squared_distances is not None:
        if kernel != "rbf":
            raise ValueError(
                f"The 'squared_distances' of gram serve the 'rbf' kernel alone. "
                f"Got kernel={kernel!r}; drop the argument."
            )
        D = np.ascontiguousarray(squared_distances, dtype=np.float64)
        return _exponential(D, float(gamma), _place(D.shape, out))
    X, Y = check_points(X, Y)
    K, points = _place(_shape(X, Y), out), X if Y is None else Y
    if kernel == "rbf":
        _distance_form(X, Y, float(gamma), K)
    elif callable(kernel):
        values = np.asarray(kernel(X, points), dtype=float)
        if values.shape != K.shape:
            raise ValueError(
                f"A callable kernel must return a matrix of shape {K.shape}. "
                f"Got {values.shape} instead; it is called as kernel(X, Y)."
            )
        K[:] = values
    else:
        np.matmul(X, points.T, out=K)
        if kernel == "poly":
            K *= gamma
            K += coef0
            K[:] = power(K, degree)
    return K


def kernel_diagonal(X, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0):
    """k(x_i, x_i) of every row of X, without the rest of the Gram matrix."""
    if kernel == "rbf":
        return np.ones(len(X))
    if callable(kernel):
        return np.array([gram(x[None], kernel=kernel)[0, 0] for x in X])
    norms = np.einsum("ij,ij->i", X, X)
    return power(gamma * norms + coef0, degree) if kernel == "poly" else norms


def check_kernel(kernel, gamma):
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(
            f"The 'kernel' parameter must be one of {list(KERNELS)} or a callable. "
            f"Got {kernel!r} instead."
        )
    if isinstance(kernel, str) and kernel == "rbf" and not 0.0 <= gamma < np.inf:
        raise ValueError(
            f"The 'gamma' of the 'rbf' kernel must be a finite number >= 0. Got {gamma!r} instead."
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


def power(K, degree):
    """K ** degree by repeated multiplication for small whole degrees (a tenth of pow's time)."""
    if float(degree).is_integer() and 1 <= degree <= 8:
        result = K.copy()
        for _ in range(int(degree) - 1):
            result *= K
        return result
    return np.power(K, degree)


def _shape(X, Y):
    return X.shape[0], X.shape[0] if Y is None else Y.shape[0]


def _place(shape, out):
    """Where to compute."""
    if out is None:
        return np.empty(shape)
    if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
        raise ValueError(
            f"The 'out' of a kernel must be a C-contiguous float64 matrix of shape {shape}. "
            f"Got shape {out.shape} and type {out.dtype} instead."
        )
    return out


def _exponential(D, gamma, out):
    from companion._kernel_loops import exp_scaled

    exp_scaled(D.reshape(-1), -gamma, out.reshape(-1))
    return out


def _distance_form(X, Y, gamma, out):
    """exp(-gamma d^2) into out, or d^2 itself for gamma None; Y None means Y = X."""
    if X.shape[1] <= DIRECT_FEATURES:
        from companion._kernel_loops import distance_rows

        columns = np.ascontiguousarray((X if Y is None else Y).T)
        distance_rows(X, columns, -1.0 if gamma is None else gamma, Y is None, out)
        return out
    centre = X.mean(axis=0)
    A = X - centre
    B = A if Y is None else Y - centre
    D = A @ B.T
    a = D.diagonal().copy() if Y is None else np.einsum("ij,ij->i", A, A)
    b = a if Y is None else np.einsum("ij,ij->i", B, B)
    D *= 2.0
    np.subtract(np.add(a[:, None], b, out=out), D, out=D)
    np.maximum(D, 0.0, out=out if gamma is None else D)
    return out if gamma is None else _exponential(D, gamma, out)
