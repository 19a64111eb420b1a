"""Conformal transformations c(x) of a kernel, k~(x, z) = c(x) c(z) k(x, z), and their geometry.

==========  ======================================================  =================
method      c(x)                                                    of the thesis
==========  ======================================================  =================
Amari       sum_i a_i exp(-||x - x_i||^2 / (2 tau^2))               (4.1.4), (4.1.6)
Wu-Amari    sum_i exp(-||x - x_i||^2 / tau_i^2)                     (4.2.1), (4.2.2)
ACT         the same, with widths by class                          (4.3.1) to (4.3.4)
KBA         mean_b exp(-||Phi(x) - Phi(x_b)||^2 / tau^2)            (4.4.1) to (4.4.7)
Williams    exp(-kappa f(x)^2)                                      (4.5.1), (4.5.2)
Xiong       c_0 + sum_i c_i exp(-gamma ||x - a_i||^2)               (4.6.19), (4.6.20)
MDT         exp(-kappa f~(x)^2), f~ the decision displaced          (5.3.10), (5.3.12)
TSVT        sum_i exp(-rate_i ||x - x_i||^2)                        (5.4.1)
==========  ======================================================  =================

All are pure functions of arrays; exp(-rate d^2) means tau^2 = 1 / rate. `Gaussians`, `Decay` and
`Interpolations` are c with all its parameters: their `factors` are c of points, given the base
kernel (points, columns), squared distances (columns, points), k(x, x) of the points, and d so far;
columns are samples. Chapters 3 to 5 of A. Barbero, SVM imbalance correction by conformal kernel
transformations, 2008.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

__all__ = [
    "Decay",
    "Gaussians",
    "Interpolations",
    "act_rates",
    "amari_width",
    "boundary_decay",
    "boundary_shift",
    "displaced_decision",
    "feature_distances",
    "gaussian_sum",
    "gaussian_sums",
    "kernel_metric",
    "log_gradient",
    "magnification",
    "margin_displacement",
    "neighbours",
    "transformed_metric",
    "williams_kappa",
    "wu_amari_rates",
]

# A squared width that is not zero, for centres that coincide with those their width is taken from.
_NARROWEST = 1e-100

ROUNDING = 1e-12
_BLOCK = 2**16  # as a share of k(x, x); distances held at a time


def kernel_metric(X, gamma):
    """Riemannian metric that the Gaussian kernel induces, d^2 k(x, z) / dx_i dz_j at z = x (3.3.2).

    It is 2 gamma I, (3.3.17) with gamma = 1 / (2 sigma^2), of shape (n_points, n_features,
    n_features).
    """
    n, d = X.shape
    return np.broadcast_to(2.0 * gamma * np.eye(d), (n, d, d))


def transformed_metric(c, gradient, metric):
    """Metric after a conformal transformation, c_i c_j + c^2 g_ij; Theorem 5, (3.3.20).

    It holds for kernels with k(x, x) = 1, such as the Gaussian one. c has shape (n_points,), its
    `gradient` dc / dx_i (n_points, n_features), a metric (n_points, n_features, n_features).
    """
    outer = gradient[:, :, np.newaxis] * gradient[:, np.newaxis, :]
    return outer + (c**2)[:, np.newaxis, np.newaxis] * metric


def magnification(metric):
    """Magnification factor sqrt(det g) of each point, the volume element of (4.1.1)."""
    sign, logarithm = np.linalg.slogdet(metric)
    return np.where(sign > 0.0, np.exp(0.5 * logarithm), 0.0)


def log_gradient(transformation, X, step=1e-5):
    """Gradient of log c at X by central differences, dc / dx = c times this.

    The `transformation` gives c > 0 of points (n, n_features); 0 where it vanishes at a side.
    """
    gradient = np.empty(X.shape)
    for j in range(X.shape[1]):
        shift = np.zeros(X.shape[1])
        shift[j] = step
        values = np.array([transformation(X + shift), transformation(X - shift)])
        above, below = np.where((values > 0.0).all(axis=0), values, 1.0)
        gradient[:, j] = np.log(above / below) / (2.0 * step)
    return gradient


def gaussian_sum(distances, rates, weights=None, offset=0.0):
    """c = offset + sum_k w_k exp(-rate_k d_k^2), the form of five of the methods.

    Squared `distances` have shape (n_centres, n_points), `rates` (at least 0) and `weights` (ones
    by default) a number for each centre.
    """
    return gaussian_sums(distances, np.asarray(rates)[np.newaxis], weights, offset)[0]


def gaussian_sums(distances, rates, weights=None, offset=0.0):
    """:func:`gaussian_sum` for many sets of rates, one a row, at once."""
    from companion.kernels._loops import gaussian_sums as add

    distances = np.ascontiguousarray(distances, dtype=np.float64)
    rates = np.ascontiguousarray(rates, dtype=np.float64)
    n_centres = len(distances)
    weights = np.ones(n_centres) if weights is None else np.asarray(weights, float)
    if rates.shape[1:] != (n_centres,) or weights.shape != (n_centres,):
        raise ValueError(
            "A sum of Gaussians needs one rate and one weight for each row of the distances. "
            f"Got distances {distances.shape}, rates {rates.shape}, weights {weights.shape}."
        )
    if not np.all(rates >= 0.0):
        raise ValueError(
            "The 'rates' of a sum of Gaussians must be at least 0, or c grows without bound. "
            f"Got {float(np.min(rates)):g} as the least."
        )
    out = np.full((len(rates), distances.shape[1]), float(offset))
    add(distances, rates, weights, out)
    return out


def amari_width(sigma, n_features):
    """The recommended tau = sigma / sqrt(d) of (4.1.4), (4.1.6)."""
    return sigma / n_features**0.5


def wu_amari_rates(distances, n_neighbors, rows=None):
    """Rates 1 / tau_i^2, tau_i^2 the mean distance of the M nearest support vectors (4.2.2).

    `distances` are squared, of all support vectors, or of those whose numbers are `rows`, to all;
    all others count where there are fewer.
    """
    others = np.sort(_to_others(distances, rows), axis=1)[:, :n_neighbors]
    return 1.0 / np.maximum(others.mean(axis=1), _NARROWEST)


def act_rates(distances, y, rows=None):
    """Rates 1 / tau~_i^2 of ACT, (4.3.1) to (4.3.3), from squared distances in feature space.

    They are those of all support vectors, or of those whose numbers are `rows`, to all.

    tau_i^2 is the mean distance of the opposite support vectors that are nearer to i than M_i, the
    mean of the distances of the nearest and the farthest support vector; that of the nearest
    opposite one where there is none so near. It is multiplied by ``|SV-| / |SV+|`` for y_i = +1 and
    the inverse for -1.
    """
    others = _to_others(distances, rows)
    limit = 0.5 * (others.min(axis=1) + others.max(axis=1))
    labels = y if rows is None else y[rows]
    opposite = labels[:, np.newaxis] != y
    near = opposite & (distances < limit[:, np.newaxis])
    nearest = np.where(opposite, distances, np.inf).min(axis=1)
    squared = _mean_of_near(np.where(near, distances, 0.0), near, nearest, axis=1)
    ratio = np.count_nonzero(y < 0) / np.count_nonzero(y > 0)
    squared *= np.where(labels > 0, ratio, 1.0 / ratio)
    return 1.0 / np.maximum(squared, _NARROWEST)


def _mean_of_near(distances, near, nearest, axis):
    """The mean distance of those that are near, zero elsewhere; the nearest's where none is."""
    count = near.sum(axis=axis)
    mean = distances.sum(axis=axis) / np.maximum(count, 1)
    return np.where(count > 0, mean, nearest)


def feature_distances(K, diagonal_rows, diagonal_columns):
    """Squared distances in feature space, k(x, x) + k(z, z) - 2 k(x, z)."""
    return np.maximum(diagonal_rows[:, np.newaxis] + diagonal_columns - 2.0 * K, 0.0)


def neighbours(distances, radius=None):
    """Which squared distances in a column are below M of (4.4.7), how many, and their mean.

    M is the `radius`, or halfway between the least and the largest; without a neighbour the mean is
    the least distance.
    """
    least = distances.min(axis=0)
    near = distances < (radius or 0.5 * (least + distances.max(axis=0)))
    mean = _mean_of_near(distances * near, near, least, axis=0)
    return near, np.count_nonzero(near, axis=0), mean


def williams_kappa(f):
    """kappa of (4.5.2), 1 over the largest size of f on the training samples; 0 for f = 0.

    As printed, c depends on the units of f; with the square of this it would not.
    """
    top = float(np.abs(f).max())
    return 1.0 / top if top > 0.0 else 0.0


def boundary_decay(f, kappa):
    """c = exp(-kappa f^2), largest on the boundary (4.5.1)."""
    return np.exp(-kappa * np.square(f))


def displaced_decision(f, shrink, offset):
    """f~ = shrink (f + (shrink - 1) offset), the decision of the displaced margin (5.3.10).

    f is in the units of the convex hulls, `shrink` is gamma = 1 - lambda of the thesis, in (0, 1],
    and `offset` is ``b + m_-``, which is ``-||w||^2 / 2``.
    """
    return shrink * (f + (shrink - 1.0) * offset)


def margin_displacement(f, kappa, shrink, offset):
    """c = exp(-kappa f~^2) of MDT, (5.3.12), and its derivatives by kappa and by shrink.

    Their signs are those of (5.3.14) and (5.3.20), with the bracket of (5.3.17) around both terms.
    """
    displaced = displaced_decision(f, shrink, offset)
    c = boundary_decay(displaced, kappa)
    by_shrink = -2.0 * kappa * c * displaced * (f + (2.0 * shrink - 1.0) * offset)
    return c, -(displaced**2) * c, by_shrink


def boundary_shift(f, y):
    """The eta of KBA in [0, 1], by which the decision is shifted to meet its errors (4.4.2).

    Among samples misclassified within the margin, those of +1 cost exp(-y f~) and those of -1
    log(1 + exp(-y f~)), f~ = f + eta (4.4.3), f in the units of the SVM. 0 where none of +1 is one.
    """
    wrong = (y * f <= 0.0) & (np.abs(f) <= 1.0)
    missed = f[wrong & (y > 0)]
    other = f[wrong & (y < 0)]
    if missed.size == 0:
        return 0.0

    def cost(eta):
        return np.exp(-(missed + eta)).sum() + np.logaddexp(0.0, other + eta).sum()

    found = minimize_scalar(
        cost, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10}
    )
    # The bounded search stays inside, so the ends have to be asked for.
    candidates = np.array([0.0, float(found.x), 1.0])
    return float(candidates[np.argmin([cost(eta) for eta in candidates])])


def _to_others(distances, rows):
    """The distances but those of support vectors to themselves."""
    n = distances.shape[1]
    if n < 2:
        raise ValueError(f"Widths need at least two support vectors. Got {n}.")
    rows = np.arange(n) if rows is None else rows
    return distances[rows[:, np.newaxis] != np.arange(n)].reshape(-1, n - 1)


@dataclass(frozen=True)
class Gaussians:
    """c = offset + sum_k w_k exp(-rate_k ||x - x_k||^2)."""

    columns: np.ndarray
    rates: np.ndarray
    weights: np.ndarray | None = None
    offset: float = 0.0
    tau: float | None = None

    @property
    def parameters(self):
        if self.tau is not None:
            return {"tau": self.tau}
        if self.weights is not None:
            return {
                "rate": float(self.rates[0]),
                "weights": self.weights,
                "offset": self.offset,
            }
        return {"rates": self.rates}

    def factors(self, K, distances, diagonal, before):
        return gaussian_sum(distances, self.rates, self.weights, self.offset)


@dataclass(frozen=True)
class Decay:
    """c = exp(-kappa f~^2) with f of the machine sum_j coef_j k(., x_j) + b in hull units."""

    columns: np.ndarray
    coef: np.ndarray
    intercept: float
    kappa: float
    shrink: float | None = None
    shift: float = 0.0

    @property
    def parameters(self):
        if self.shrink is None:
            return {"kappa": self.kappa}
        return {"kappa": self.kappa, "displacement": 1.0 - self.shrink}

    def factors(self, K, distances, diagonal, before):
        f = before * (K @ self.coef) + self.intercept
        if self.shrink is not None:
            f = displaced_decision(f, self.shrink, self.shift)
        return boundary_decay(f, self.kappa)


@dataclass(frozen=True)
class Interpolations:
    """Mean of Gaussians in feature space around points (1 - beta) Phi(x+) + beta Phi(x-), (4.4.5).

    `squares` are the squared lengths of these points, `widths` their tau^2; without widths it is
    the point at which c is evaluated whose neighbours within the radius give tau^2, (4.4.6).
    """

    columns: np.ndarray
    n_first: int
    column_factors: np.ndarray
    beta: float
    squares: np.ndarray
    radius: float | None
    widths: np.ndarray | None = None

    @property
    def parameters(self):
        return {"shift": 2.0 * self.beta - 1.0, "n_points": self.squares.size}

    def factors(self, K, distances, diagonal, before):
        out = np.empty(len(K))
        step = max(1, _BLOCK // self.squares.size)
        for start in range(0, len(K), step):
            part = slice(start, start + step)
            D = self.distances(K[part], diagonal[part], before[part], slice(None))
            if self.widths is not None:
                out[part] = gaussian_sum(D, 1.0 / self.widths.ravel()) / len(D)
                continue
            near, count, width = neighbours(D, self.radius)
            D /= np.maximum(width, ROUNDING * before[part] ** 2 * diagonal[part])
            # Without a neighbour it is the nearest point alone, at a distance of its own width.
            alone = np.exp(-D.min(axis=0))
            np.copyto(D, np.inf, where=~near)
            out[part] = np.where(
                count > 0,
                gaussian_sum(D, np.ones(len(D))) / np.maximum(count, 1),
                alone,
            )
        return out

    def distances(self, K, diagonal, before, rows):
        """Squared distances of the interpolated points of some of the first (rows) to points."""
        K = K.T * before * self.column_factors[:, np.newaxis]
        value = before**2 * diagonal - 2.0 * (1.0 - self.beta) * K[: self.n_first][rows]
        D = value[:, np.newaxis] - 2.0 * self.beta * K[self.n_first :]
        D += self.squares[rows][:, :, np.newaxis]
        return np.maximum(D, 0.0, out=D).reshape(-1, K.shape[1])
