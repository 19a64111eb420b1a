"""Synthetic problems whose distribution is known.

Every generator draws from the `numpy.random.Generator` it is given (or from one of that seed),
returns ``X, y`` with labels -1 and +1, and raises `ValueError` for sizes that make no sample.
Twonorm and ringnorm are those of L. Breiman, Bias, variance, and arcing classifiers, Technical
Report 460, University of California, Berkeley (1996); the waveforms those of Breiman, Friedman,
Olshen and Stone, Classification and Regression Trees (1984).
"""

import numpy as np

__all__ = [
    "FLIP_RULES",
    "flip_labels",
    "ringnorm",
    "two_gaussians",
    "twonorm",
    "unequal_gaussians",
    "waveform",
]

FLIP_RULES = ("one_per_class", "two_at_random", "two_deepest")


def two_gaussians(n_per_class=20, means=((0.0, 0.0), (5.0, 2.0)), rng=None):
    """Two Gaussian classes with unit covariance: the toy problem of the Least 1-Norm paper.

    Parameters
    ----------
    n_per_class : int, default=20
    means : pair of array-like of shape (n_features,), default=((0, 0), (5, 2))
        Mean of the positive class and mean of the negative class (Figure 1 of the paper).
    rng : numpy.random.Generator or int, optional

    Returns
    -------
    X, y : ndarray of shape (2 * n_per_class, n_features) and (2 * n_per_class,)
        Positive samples first.
    """
    positive, negative = (np.asarray(mean, dtype=float) for mean in means)
    if positive.shape != negative.shape or positive.ndim != 1:
        raise ValueError(
            "two_gaussians: means must be two points of the same space. "
            f"Got shapes {positive.shape} and {negative.shape}"
        )
    if n_per_class < 1:
        raise ValueError(
            f"two_gaussians: n_per_class must be at least 1. Got {n_per_class!r}"
        )
    noise = np.random.default_rng(rng).standard_normal((2 * n_per_class, len(positive)))
    centres = np.repeat(np.stack([positive, negative]), n_per_class, axis=0)
    y = np.repeat([1, -1], n_per_class)
    return centres + noise, y


def unequal_gaussians(n, rng=None):
    """Two Gaussian classes of unequal size and covariance: the example of the GACV report.

    Two fifths of the samples are positive, with mean (0, 0) and covariance diag(1, 1), the others
    negative, with mean (2, 2) and covariance diag(2, 1) (Wahba, Lin, Lee and Zhang, Technical
    Report 1039, University of Wisconsin, 2001, section 6).

    Parameters
    ----------
    n : int
        Number of samples, a multiple of 5.
    rng : numpy.random.Generator or int, optional

    Returns
    -------
    X, y : ndarray of shape (n, 2) and (n,)
        Positive samples first.
    """
    if n < 5 or n % 5:
        raise ValueError(
            f"unequal_gaussians: n must be a positive multiple of 5. Got {n!r}"
        )
    y = np.repeat([1, -1], [2 * n // 5, 3 * n // 5])
    noise = np.random.default_rng(rng).standard_normal((n, 2))
    scale = np.array([np.sqrt(2.0), 1.0])
    centre = np.array([2.0, 2.0])
    X = np.where(y[:, None] > 0, noise, centre + scale * noise)
    return X, y


def flip_labels(X, y, rule, rng=None, *, means=((0.0, 0.0), (5.0, 2.0))):
    """Make two outliers of a two-Gaussian sample by turning their labels.

    Parameters
    ----------
    X, y : ndarray of shape (n_samples, n_features) and (n_samples,)
        Both labels, -1 and +1, must be there.
    rule : {"one_per_class", "two_at_random", "two_deepest"}
        Which two: a random one of each class; any two; or the two that lie deepest in their own
        class, those with the largest margin ``y (x - m)'(mean_+ - mean_-)`` under the Bayes rule,
        which separates the classes half way ``m`` between their means.
    rng : numpy.random.Generator or int, optional
    means : pair of array-like of shape (n_features,)
        Means of the positive and of the negative class, for ``"two_deepest"``.

    Returns
    -------
    y_flipped, flipped : ndarray of shape (n_samples,) and (2,)
        A copy of `y` with two labels turned, and their row numbers.
    """
    X = np.asarray(X, dtype=float)
    y = np.asarray(y)
    if rule not in FLIP_RULES:
        raise ValueError(
            f"flip_labels: rule must be one of {', '.join(FLIP_RULES)}. Got {rule!r}"
        )
    if (
        not (np.any(y == 1) and np.any(y == -1))
        or not np.all(np.abs(y) == 1)
        or len(y) < 2
    ):
        raise ValueError("flip_labels: y must hold labels -1 and +1, some of each")
    rng = np.random.default_rng(rng)
    if rule == "one_per_class":
        flipped = np.array(
            [rng.choice(np.flatnonzero(y == label)) for label in (1, -1)]
        )
    elif rule == "two_at_random":
        flipped = rng.choice(len(y), size=2, replace=False)
    else:
        positive, negative = (np.asarray(mean, dtype=float) for mean in means)
        middle = (positive + negative) / 2
        margin = y * ((X - middle) @ (positive - negative))
        flipped = np.argsort(-margin, kind="stable")[:2]
    y_flipped = y.copy()
    y_flipped[flipped] *= -1
    return y_flipped, flipped


def twonorm(n=7400, rng=None):
    """Breiman's twonorm: two Gaussians in 20 dimensions with unit covariance.

    The means are +a and -a in every coordinate, a = 2 / sqrt(20); classes are drawn with equal
    probability. The error of the Bayes rule, the sign of the sum, is Phi(-2) = 2.28 %.

    Parameters
    ----------
    n : int, default=7400
    rng : numpy.random.Generator or int, optional

    Returns
    -------
    X, y : ndarray of shape (n, 20) and (n,)
    """
    rng = random_generator("twonorm", n, rng)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    noise = rng.standard_normal((n, 20))
    means = (2 / np.sqrt(20)) * y[:, np.newaxis]
    return noise + means, y


def ringnorm(n=7400, rng=None):
    """Breiman's ringnorm: a narrow Gaussian within a wide one, in 20 dimensions.

    The class +1 is N(0, 4 I), the class -1 is N(a, I) with every coordinate of a equal to
    2 / sqrt(20); classes are drawn with equal probability.

    Parameters
    ----------
    n : int, default=7400
    rng : numpy.random.Generator or int, optional

    Returns
    -------
    X, y : ndarray of shape (n, 20) and (n,)
    """
    rng = random_generator("ringnorm", n, rng)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    X = rng.standard_normal((n, 20))
    X[y == 1] *= 2.0
    X[y == -1] += 2 / np.sqrt(20)
    return X, y


def waveform(n=5000, rng=None, positive=1):
    """Breiman's waveforms: random mixtures of two of three triangles, with noise.

    At the points i = 1..21 a sample is u h_a(i) + (1 - u) h_b(i) + e_i with u uniform on (0, 1),
    e_i standard normal and the triangles h of height 6 and half width 6 around 11, 15 and 7. The
    classes, of equal probability and numbered as in the UCI file, mix the triangles around
    15 and 7 (class 0), 11 and 7 (class 1), 11 and 15 (class 2).

    Parameters
    ----------
    n : int, default=5000
    rng : numpy.random.Generator or int, optional
    positive : {0, 1, 2}, default=1
        The class labelled +1; the two others are -1.

    Returns
    -------
    X, y : ndarray of shape (n, 21) and (n,)
    """
    rng = random_generator("waveform", n, rng)
    if positive not in (0, 1, 2):
        raise ValueError(f"waveform: positive must be 0, 1 or 2. Got {positive!r}")
    points = np.arange(1, 22)
    triangles = np.maximum(6.0 - np.abs(points - np.array([[11], [15], [7]])), 0.0)
    label = rng.integers(3, size=n)
    share = rng.random((n, 1))
    first = np.array([1, 0, 0])[label]
    second = np.array([2, 2, 1])[label]
    mixture = share * triangles[first] + (1.0 - share) * triangles[second]
    X = mixture + rng.standard_normal((n, 21))
    y = np.where(label == positive, 1, -1)
    return X, y


def random_generator(name, n, rng):
    """The generator to draw n samples from; `ValueError` if that is no sample."""
    if n < 1:
        raise ValueError(f"{name}: n must be at least 1. Got {n!r}")
    return np.random.default_rng(rng)
