"""Three classes in the plane with outliers: the simulated examples of the weighted robust SVM.

Y. Liu, Y. Wu and Q. He, Utility-based weighted multicategory robust support vector machines,
Statistics and its Interface 3 (2010), Section 5.1. Labels are 1, 2 and 3, as printed.
"""

import numpy as np
from scipy.special import softmax

from companion.datasets.generators import random_generator

__all__ = [
    "quadratic_logits",
    "quadratic_logits_probability",
    "three_gaussians",
    "three_gaussians_probability",
]

_CENTRES = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
_SD = 0.7
_HALF_WIDTHS = np.array([3.0, 6.0])


def three_gaussians(n, flip=0.0, rng=None):
    """Three round Gaussian classes of equal probability: Examples 1 and 2.

    The centres are (1, 0) and (-1/2, ±sqrt(3)/2), the standard deviation is 0.7.

    Parameters
    ----------
    n : int
    flip : float, default=0.0
        Probability that a label is replaced by one of the two others, each equally likely; 0.15
        in Example 2. `ValueError` if it is none.
    rng : numpy.random.Generator or int, optional

    Returns
    -------
    X, y : ndarray of shape (n, 2) and (n,)
        Labels 1, 2 and 3.
    """
    rng = _checked(n, flip, rng, "three_gaussians")
    y = rng.integers(1, 4, size=n)
    noise = rng.standard_normal((n, 2))
    X = _CENTRES[y - 1] + _SD * noise
    return X, _flipped(y, flip, rng)


def three_gaussians_probability(X, flip=0.0):
    """P(Y = j | X = x) of :func:`three_gaussians` at the rows of `X`, shape (n, 3)."""
    X = np.asarray(X, dtype=float)
    squares = ((X[:, None, :] - _CENTRES) ** 2).sum(axis=2)
    densities = softmax(-squares / (2 * _SD**2), axis=1)
    return _with_flips(densities, flip)


def quadratic_logits(n, flip=0.0, rng=None):
    """Uniform points whose class probabilities have quadratic logarithms: Example 3.

    x1 is uniform on [-3, 3] and x2 on [-6, 6]; the probability of class j is proportional to
    exp f_j(x) with

        f_1 = -x1 + 0.1 x1^2 - 0.05 x2^2 + 0.1,  f_2 = -0.2 x1^2 + 0.1 x2^2 - 0.2,
        f_3 =  x1 + 0.1 x1^2 - 0.05 x2^2 + 0.1.

    Parameters
    ----------
    n, flip, rng
        As for :func:`three_gaussians`.

    Returns
    -------
    X, y : ndarray of shape (n, 2) and (n,)
        Labels 1, 2 and 3.

    Notes
    -----
    The display with the probabilities is missing from the text at hand. These are the functions of
    example 5 of Zeng and Zhang (arXiv 2205.12460; code in github.com/zly555/MPEwSVMs) on the same
    rectangle; that this paper used them is an assumption, and the printed level of Table 2 speaks
    against it.
    """
    rng = _checked(n, flip, rng, "quadratic_logits")
    X = rng.uniform(-_HALF_WIDTHS, _HALF_WIDTHS, size=(n, 2))
    below = np.cumsum(quadratic_logits_probability(X), axis=1)
    level = rng.random(n)
    y = 1 + (level[:, None] > below[:, :2]).sum(axis=1)
    return X, _flipped(y, flip, rng)


def quadratic_logits_probability(X, flip=0.0):
    """P(Y = j | X = x) of :func:`quadratic_logits` at the rows of `X`, shape (n, 3)."""
    x1, x2 = np.asarray(X, dtype=float).T
    sides = 0.1 * x1**2 - 0.05 * x2**2 + 0.1
    middle = -0.2 * x1**2 + 0.1 * x2**2 - 0.2
    logits = np.column_stack([sides - x1, middle, sides + x1])
    return _with_flips(softmax(logits, axis=1), flip)


def _checked(n, flip, rng, name):
    if not 0.0 <= flip <= 1.0:
        raise ValueError(f"{name}: flip must be a probability. Got {flip!r}")
    return random_generator(name, n, rng)


def _flipped(y, flip, rng):
    # Drawn always, so that the same seed gives the same points and classes for every flip.
    turned = rng.random(len(y)) < flip
    shift = rng.integers(1, 3, size=len(y))
    return np.where(turned, (y - 1 + shift) % 3 + 1, y)


def _with_flips(p, flip):
    return (1.0 - flip) * p + 0.5 * flip * (1.0 - p)
