"""Kernel functions: Gram matrices, single rows on demand, and the papers' width conventions."""

import numbers

import numpy as np
from scipy.sparse import issparse

from companion._utils.checks import checked_positive
from companion.kernels import _sparse
from companion.kernels._gram import gram, squared_distances
from companion.kernels._rows import KernelRows

__all__ = [
    "KernelRows",
    "gamma_from_width",
    "gram",
    "resolve_gamma",
    "squared_distances",
]

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
    width = checked_positive(width, "width", "gamma_from_width")
    return float(_WIDTH_CONVENTIONS[convention](width))


def resolve_gamma(gamma, X):
    """Return the number behind ``gamma="scale"`` or ``"auto"``, as scikit-learn's SVC defines them.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float
        "scale": 1 / (n_features * X.var()), and 1 when that variance is 0; "auto": 1 / n_features.
    X : array or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    float
    """
    if isinstance(gamma, str):
        if gamma == "scale":
            variance = (
                _sparse.variance(_sparse.canonical(X)) if issparse(X) else X.var()
            )
            return float(1.0 / (X.shape[1] * variance)) if variance > 0.0 else 1.0
        if gamma == "auto":
            return 1.0 / X.shape[1]
    elif isinstance(gamma, numbers.Real) and 0.0 <= gamma < np.inf:
        return float(gamma)
    raise ValueError(
        f"The 'gamma' parameter of a kernel must be 'scale', 'auto' or a finite number >= 0. "
        f"Got {gamma!r} instead."
    )
