"""Gram matrices and squared distances; public as :mod:`companion.kernels`."""

import numbers

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite
from sklearn.utils.extmath import row_norms

from companion.kernels import _sparse

KERNELS = ("rbf", "linear", "poly", "sigmoid")

# Up to this many features squared distances are summed from differences, which is as quick as a
# matrix product there, has no cancellation, and gives identical points identical rows. Above, what
# is below about 1e-16 of the largest squared norm of the centred points is lost: all distances
# within clusters that are tight and far apart.
DIRECT_FEATURES = 32


def squared_distances(X, Y=None):
    """Return ||X_i - Y_j||^2 for all pairs of rows; with ``Y=None`` among the rows of X.

    Parameters
    ----------
    X, Y : array or sparse matrix of shape (n_X, n_features) and (n_Y, n_features), Y optional

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        Exactly symmetric with a zero diagonal when ``Y`` is None. Up to 32 features the sums run
        over differences; above, the matrix product form ||x||^2 + ||z||^2 - 2 x'z of centred data
        is used, which loses what is below about 1e-16 of the largest ||x||^2, such as all distances
        within tight clusters far apart; negative rounding errors are set to zero. Sparse data of
        more than 32 features, of which less than a thirtieth is not zero, are not centred.
    """
    X, Y = check_points(X, Y)
    return _distance_form(X, Y, None, np.empty(_shape(X, Y)))


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
    X, Y : array or sparse matrix of shape (n_X, n_features) and (n_Y, n_features), Y optional
    kernel : {"rbf", "linear", "poly", "sigmoid"} or callable, default="rbf"
        exp(-gamma ||x - z||^2), x'z, (gamma x'z + coef0)^degree, tanh(gamma x'z + coef0), or what
        is called as ``kernel(X, Y)`` and returns the matrix. From 33 features on see
        :func:`squared_distances` for what "rbf" cannot tell apart.
    gamma, degree, coef0 : float, int, float, default=1.0, 3 and 0.0
        Numbers (see :func:`resolve_gamma` for "scale" and "auto"); gamma of "rbf" is at least 0.
    squared_distances : ndarray of shape (n_X, n_Y), optional
        From :func:`squared_distances`, to reuse over several ``gamma`` ("rbf" only). `X` and `Y`
        are not looked at then, and may be None.
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
        If the kernel is unknown, its gamma is no number, negative or not finite, points or
        distances are NaN, points are infinite, shapes do not match, ``squared_distances`` are given
        for a kernel other than "rbf", or a callable returns what is no matrix of finite numbers.

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
        if np.isnan(D.sum()):
            raise ValueError(
                "The 'squared_distances' of gram must be numbers. Got NaN; look at the points that "
                "they are of."
            )
        return _exponential(D, float(gamma), _place(D.shape, out))
    X, Y = check_points(X, Y, kernel)
    K = _place(_shape(X, Y), out)
    points = X if Y is None else Y
    if callable(kernel):
        K[:] = _called(kernel, X, points, K.shape)
    elif kernel == "rbf":
        _distance_form(X, Y, float(gamma), K)
    else:
        if issparse(X) or issparse(points):
            _sparse.inner_products(X, points, K)
        else:
            np.matmul(X, points.T, out=K)
        of_inner_products(K, kernel, gamma, degree, coef0)
    return K


def of_inner_products(K, kernel, gamma, degree, coef0):
    """Turn x'z into k(x, z), in place, for the kernels that are functions of it."""
    if kernel == "linear":
        return
    K *= gamma
    K += coef0
    if kernel == "poly":
        K[:] = power(K, degree)
    else:
        np.tanh(K, out=K)


def _called(kernel, X, Y, shape):
    """What a callable returns, checked: a matrix of finite real numbers."""
    values = kernel(X, Y)
    if issparse(values) and issparse(X):
        values = values.toarray()
    elif issparse(values):
        raise ValueError(
            f"A callable kernel must return an array where the points are dense. Got a sparse "
            f"{type(values).__name__}; return its toarray()."
        )
    if np.iscomplexobj(values):
        raise ValueError(
            "A callable kernel must return real numbers. Got complex ones; take their real part "
            "if it is what you mean."
        )
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"A callable kernel must return a matrix of numbers. Got {type(values).__name__}, "
            f"which is none: {error}"
        ) from error
    if values.shape != shape:
        raise ValueError(
            f"A callable kernel must return a matrix of shape {shape}. "
            f"Got {values.shape} instead; it is called as kernel(X, Y)."
        )
    if not np.isfinite(values).all():
        raise ValueError(
            "A callable kernel must return finite numbers. Got NaN or infinity; look at the kernel "
            "and at the scale of the data."
        )
    return values


class SparseRows:
    """Rows of the Gram matrix of sparse points, of which what they run over is kept."""

    def __init__(self, X, *, kernel, gamma, degree, coef0):
        self.X = X
        self.kernel = kernel
        self.of_products = {"gamma": gamma, "degree": degree, "coef0": coef0}
        self.columns = _sparse.columns_of(X)
        self.norms = row_norms(X, squared=True)

    def compute(self, indices, out):
        """The rows of some samples into `out`."""
        _sparse.inner_products(self.X[indices], self.X, out, self.columns)
        if self.kernel != "rbf":
            of_inner_products(out, self.kernel, **self.of_products)
            return out
        _sparse.distances_from_products(self.norms[indices], self.norms, out)
        return _exponential(out, self.of_products["gamma"], out)


def kernel_diagonal(X, *, kernel="rbf", gamma=1.0, degree=3, coef0=0.0):
    """k(x_i, x_i) of every row of X, without the rest of the Gram matrix."""
    n = X.shape[0]
    if kernel == "rbf":
        return np.ones(n)
    if callable(kernel):
        return np.array([gram(X[i : i + 1], kernel=kernel)[0, 0] for i in range(n)])
    diagonal = (
        row_norms(X, squared=True) if issparse(X) else np.einsum("ij,ij->i", X, X)
    )
    of_inner_products(diagonal, kernel, gamma, degree, coef0)
    return diagonal


def check_kernel(kernel, gamma):
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(
            f"The 'kernel' parameter must be one of {list(KERNELS)} or a callable. "
            f"Got {kernel!r} instead."
        )
    if callable(kernel) or kernel == "linear":
        return
    if not isinstance(gamma, numbers.Real):
        raise ValueError(
            f"The 'gamma' of the {kernel!r} kernel must be a number here. Got {gamma!r}; "
            f"companion.kernels.resolve_gamma turns 'scale' and 'auto' into one."
        )
    if kernel == "rbf" and not 0.0 <= gamma < np.inf:
        raise ValueError(
            f"The 'gamma' of the 'rbf' kernel must be a finite number >= 0. Got {gamma!r} instead."
        )


def check_points(X, Y, kernel="rbf"):
    """Return X and Y as finite float64 matrices with equal numbers of features, in the best form.

    That is C-contiguous, or CSR for sparse points where their inner products are cheaper so, and
    for a callable, which sees what was given.
    """
    X = _in_form(X, kernel, "X")
    if Y is None:
        return X, None
    Y = _in_form(Y, kernel, "Y")
    if Y.shape[1] != X.shape[1]:
        raise ValueError(
            f"The 'Y' of a kernel must be a matrix with the {X.shape[1]} features of X. "
            f"Got an array of shape {Y.shape} instead."
        )
    return X, Y


def _in_form(X, kernel, name):
    if not issparse(X):
        X = np.ascontiguousarray(X, dtype=np.float64)
    elif callable(kernel) or (X.shape[1] > DIRECT_FEATURES and _sparse.pays(X)):
        X = _sparse.canonical(X)
    else:
        X = np.ascontiguousarray(X.toarray(), dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(
            f"The '{name}' of a kernel must be a matrix of shape (n_samples, n_features). "
            f"Got an array of shape {X.shape} instead."
        )
    assert_all_finite(X, input_name=name)
    return X


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
    from companion.kernels._loops import exp_scaled

    exp_scaled(D.reshape(-1), -gamma, out.reshape(-1))
    return out


def _distance_form(X, Y, gamma, out):
    """exp(-gamma d^2) into out, or d^2 itself for gamma None; Y None means Y = X."""
    points = X if Y is None else Y
    if not out.size:
        return out
    if not issparse(X) and not issparse(Y) and X.shape[1] <= DIRECT_FEATURES:
        from companion.kernels._loops import distance_rows

        columns = np.ascontiguousarray(points.T)
        scale = -1.0 if gamma is None else gamma
        distance_rows(X, columns, scale, Y is None, out)
        return out
    D = out
    if issparse(X) or issparse(Y):
        _sparse.inner_products(X, points, D)
        a = row_norms(X, squared=True)
        b = a if Y is None else row_norms(Y, squared=True)
        _sparse.distances_from_products(a, b, D)
        if Y is None:
            np.fill_diagonal(D, 0.0)
    else:
        centre = points.mean(axis=0)  # no query may move the distances of another
        A = X - centre
        B = A if Y is None else Y - centre
        products = A @ B.T
        a = products.diagonal().copy() if Y is None else np.einsum("ij,ij->i", A, A)
        b = a if Y is None else np.einsum("ij,ij->i", B, B)
        products *= 2.0
        np.subtract(np.add(a[:, None], b, out=D), products, out=D)
        np.maximum(D, 0.0, out=D)
    return D if gamma is None else _exponential(D, gamma, D)
