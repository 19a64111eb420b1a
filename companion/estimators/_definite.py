"""Kernels that are not positive semi-definite: how that is seen early, and what is said."""

import numpy as np
from scipy.linalg import blas, eigvalsh, lapack

from companion._utils.batches import batches
from companion.kernels import KernelRows

# Eigenvalues down to this share of the largest entry are rounding, also of single precision.
_ROUNDING = 1e-5

# Of n samples, the kernel values of n^(2/3) are factorised, which is less work than a pass over all
# kernel values, and of at least so many.
_FEWEST = 50

# Rows that are looked at in one call.
_ROWS = 256

ADVICE = (
    'Use kernel="rbf" or "linear", "poly" with coef0 >= 0, or a precomputed matrix whose negative '
    "eigenvalues are set to zero"
)


def sign_of_indefiniteness(K, ridge=0.0, samples=None, chosen=None):
    """What shows, as a sentence, that K + diag(ridge) has negative eigenvalues; None if nothing.

    All is looked at for the largest entry unless samples are chosen, some of it is factorised: of a
    large matrix whose negative eigenvalues are small this may find nothing.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples) or KernelRows
    ridge : float or ndarray of shape (n_samples,)
    samples : ndarray of shape (n_samples,), optional
        What the rows are called in the sentence.
    chosen : ndarray of int, optional
        The rows to factorise; else some that are spread over all.
    """
    n = K.shape[0]
    samples = np.arange(n) if samples is None else samples
    if chosen is None:
        chosen = np.unique(np.linspace(0, n - 1, n_factorised(n)).astype(int))
        if not isinstance(K, KernelRows):
            chosen = _with_largest_entry(K, chosen)
    if isinstance(K, KernelRows):
        block = K.square(chosen)
    else:
        block = K[np.ix_(chosen, chosen)]
    block.ravel()[:: chosen.size + 1] += np.broadcast_to(ridge, n)[chosen]
    scale = np.abs(block).max()
    if not 0.0 < scale < np.inf or _is_definite(block, scale):
        return None
    return _sentence(block, samples[chosen])


def n_factorised(n):
    """How many of n samples are looked at."""
    return min(n, max(_FEWEST, round(n ** (2 / 3))))


def _with_largest_entry(K, chosen):
    """The pair of the largest entry if that is larger than the whole diagonal."""
    largest = (1.0 + _ROUNDING) * np.abs(K.diagonal()).max()
    for rows in batches(len(K), _ROWS):
        entries = K[rows].ravel()
        place = blas.idamax(entries)
        if abs(entries[place]) > largest:
            largest = abs(entries[place])
            chosen = np.array([rows.start + place // len(K), place % len(K)])
    return chosen


def _is_definite(block, scale):
    """Whether a Cholesky factorisation exists, but for rounding."""
    shifted = block.copy()
    shifted.ravel()[:: len(block) + 1] += _ROUNDING * scale
    return lapack.dpotrf(shifted.T, lower=1, clean=0, overwrite_a=1)[1] == 0


def _sentence(block, names):
    diagonal = block.diagonal()
    excess = block**2 - np.outer(diagonal, diagonal)
    i, j = np.unravel_index(excess.argmax(), excess.shape)
    if excess[i, j] > _ROUNDING * block[i, j] ** 2:
        return (
            f"Samples {names[i]} and {names[j]} show it: k(x, z)^2 = {block[i, j] ** 2:.3g} is "
            f"more than k(x, x) k(z, z) = {diagonal[i] * diagonal[j]:.3g}."
        )
    values = eigvalsh(block)
    return (
        f"The kernel matrix of {len(names)} of the samples shows it: its smallest eigenvalue is "
        f"{values[0]:.3g}, its largest {values[-1]:.3g}."
    )
