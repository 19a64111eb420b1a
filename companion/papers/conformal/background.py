"""Chapters 2 and 3 in pictures and numbers: hulls, slacks, feature maps, metrics, the board.

The teaching figures are drawn from what these functions return; the study checks the statements
they illustrate on random problems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from companion import conformal_factors as conformal
from companion.papers.conformal.problems import PAPER, C
from companion.reproduction import Study, Unit, seed_for
from companion.solvers.mdm import mdm
from companion.solvers.smo import smo

N_PROBLEMS = {"paper": 20, "quick": 5}
N_PATTERNS, WIDTH = 60, 4.0

#: Lattice of the figures in the plane.
AXIS = np.linspace(-3.0, 3.0, 121)


@dataclass(frozen=True, eq=False)
class Machine:
    """A linear machine in the plane, from the nearest points of two hulls.

    Attributes
    ----------
    X, y : ndarray
    alpha : ndarray
        Multipliers of the hulls.
    w : ndarray of shape (2,)
    b : float
        In the units of the SVM, so that the margins are at -1 and +1.
    nearest : ndarray of shape (2, 2)
        w_+ and w_-.
    """

    X: np.ndarray
    y: np.ndarray
    alpha: np.ndarray
    w: np.ndarray
    b: float
    nearest: np.ndarray

    def decision(self, points):
        """w . x + b of points.

        Parameters
        ----------
        points : ndarray of shape (..., 2)

        Returns
        -------
        ndarray of shape (...)
        """
        return points @ self.w + self.b

    def lattice(self, axis=AXIS):
        """Decision values on the lattice, shape (n, n).

        Parameters
        ----------
        axis : ndarray of shape (n,), optional
            Coordinates in both directions.

        Returns
        -------
        ndarray of shape (n, n)
        """
        points = np.stack(np.meshgrid(axis, axis), axis=-1)
        return self.decision(points)

    def margin_ends(self):
        """For patterns with a slack: the points of their support hyperplanes nearest to them.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        f = self.decision(self.X)
        gap = np.where(self.y * f < 1, self.y - f, 0.0)
        return self.X + gap[:, np.newaxis] * self.w / (self.w @ self.w)


def plane_sample(number, distance=1.6, n=24):
    """Two Gaussian classes in the plane whose centres are 2 x ``distance`` apart.

    Parameters
    ----------
    number : int
        Which sample.
    distance : float, default=1.6
    n : int, default=24
        Patterns of both classes together.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1.0 and +1.0.
    """
    rng = np.random.default_rng(seed_for(PAPER, "plane", number))
    y = np.repeat([1.0, -1.0], n // 2)
    direction = np.array([0.8, 0.6])
    X = 0.55 * rng.standard_normal((n, 2)) + distance * y[:, np.newaxis] * direction
    return X, y


def linear_machine(X, y, ridge=0.0):
    """The machine of (2.2.6) with a linear kernel; ``ridge`` = 1 / C for squared slacks.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1 and +1.
    ridge : float, default=0.0

    Returns
    -------
    Machine
    """
    found = mdm(X @ X.T, y, ridge=ridge, tol=1e-8)
    scale = 2.0 / found.squared_norm
    nearest = np.array([(found.alpha * (y == label)) @ X for label in (1.0, -1.0)])
    return Machine(
        X, y, found.alpha, scale * ((y * found.alpha) @ X), scale * found.intercept, nearest
    )


def conformal_map(z):
    """The map of Figure 3.3.2's picture; its derivative vanishes nowhere on the grid.

    Parameters
    ----------
    z : ndarray of complex

    Returns
    -------
    ndarray of complex, of the shape of z
    """
    return np.exp(0.45 * z) + 0.05 * z**2


def angle(first, second, metric=None):
    """Angle in degrees between directions, in a metric of shape (n, 2, 2) or that of the plane.

    Parameters
    ----------
    first, second : ndarray of shape (n, 2)
    metric : ndarray of shape (n, 2, 2), optional

    Returns
    -------
    ndarray of shape (n,)
    """
    if metric is None:
        metric = np.broadcast_to(np.eye(2), (len(first), 2, 2))

    def product(a, b):
        return np.einsum("ni,nij,nj->n", a, metric, b)

    cosine = product(first, second) / np.sqrt(product(first, first) * product(second, second))
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


# -- the statements -------------------------------------------------------------------------


def random_problem(rng):
    """Overlapping classes in the plane, a quarter of them positive, and their Gaussian kernel.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (N_PATTERNS, 2)
    y : ndarray of shape (N_PATTERNS,)
    K : ndarray of shape (N_PATTERNS, N_PATTERNS)
    """
    y = np.where(np.arange(N_PATTERNS) < N_PATTERNS // 4, 1.0, -1.0)
    X = rng.standard_normal((N_PATTERNS, 2)) + 0.8 * y[:, np.newaxis]
    return X, y, np.exp(-cdist(X, X, "sqeuclidean") / WIDTH)


def bumps(rng, X):
    """A transformation c, a sum of Gaussians on some patterns, and its gradient.

    Parameters
    ----------
    rng : numpy.random.Generator
    X : ndarray of shape (n, n_features)
        Patterns, of which eight are centres.

    Returns
    -------
    c, gradient : callable
        Functions of points of shape (m, n_features).
    """
    centres, weights = X[rng.permutation(len(X))[:8]], rng.uniform(0.2, 1.0, 8)

    def c(points):
        return 0.3 + np.exp(-cdist(points, centres, "sqeuclidean")) @ weights

    def gradient(points):
        terms = np.exp(-cdist(points, centres, "sqeuclidean")) * weights
        gaps = points[:, np.newaxis] - centres
        return -2.0 * np.einsum("nk,nkd->nd", terms, gaps)

    return c, gradient


def metric_by_differences(kernel, points, step=1e-4):
    """d^2 k(x, z) / dx_i dz_j at z = x by second differences, (3.3.2).

    Parameters
    ----------
    kernel : callable
        Of two arrays of points, row by row.
    points : ndarray of shape (n, d)
    step : float, default=1e-4

    Returns
    -------
    ndarray of shape (n, d, d)
    """
    d = points.shape[1]
    out = np.empty((len(points), d, d))
    for i, e in enumerate(step * np.eye(d)):
        for j, h in enumerate(step * np.eye(d)):
            out[:, i, j] = (
                kernel(points + e, points + h)
                - kernel(points + e, points - h)
                - kernel(points - e, points + h)
                + kernel(points - e, points - h)
            )
    return out / (4 * step**2)


def _gaussian(a, b):
    return np.exp(-((a - b) ** 2).sum(axis=1) / WIDTH)


def compute_statements(unit):
    """Chapters 2 and 3 on one random problem."""
    rng = unit.rng()
    X, y, K = random_problem(rng)
    row = _equivalence(K, y) | _hard_margin(unit.params["problem"])
    c, gradient = bumps(rng, X)
    points = rng.uniform(-1.5, 1.5, size=(20, 2))
    metric = conformal.kernel_metric(points, gamma=1.0 / WIDTH)
    by_theorem = conformal.transformed_metric(c(points), gradient(points), metric)

    def transformed(a, b):
        return c(a) * c(b) * _gaussian(a, b)

    first, second = rng.standard_normal((2, 20, 2))
    z = rng.uniform(-1.5, 1.5, 20) + 1j * rng.uniform(-1.5, 1.5, 20)
    values = np.linalg.eigvalsh(K * np.outer(c(X), c(X)))
    numbers = row | {
        "metric_error": _relative(metric_by_differences(_gaussian, points), metric),
        "theorem_5_error": _relative(metric_by_differences(transformed, points), by_theorem),
        "angle_of_kernel": np.abs(angle(first, second, by_theorem) - angle(first, second)).max(),
        "angle_of_map": np.abs(_angle_after_map(z, first, second) - angle(first, second)).max(),
        "least_eigenvalue": values.min() / values.max(),
        "as_noise": _as_noise(rng),
    }
    return {name: float(f"{value:.4g}") for name, value in numbers.items()}


def _relative(found, exact):
    return np.abs(found - exact).max() / np.abs(exact).max()


def _equivalence(K, y):
    """The nearest points against the dual of the L2 machine, (2.2.7), and its duality gap."""
    hull = mdm(K, y, ridge=1.0 / C, tol=1e-10).to_svm()
    dual = smo(K, y, 0.0, np.inf, ridge=1.0 / C, tol=1e-9)
    return {
        "multipliers": _relative(hull.alpha, dual.alpha),
        "bias": abs(hull.intercept - dual.intercept),
        "gap": dual.duality_gap / abs(dual.objective),
    }


def _hard_margin(number):
    """The bisector of the hulls' nearest points against the hard-margin machine, Figure 2.2.1."""
    X, y = plane_sample(number, distance=2.2)
    machine = linear_machine(X, y)
    dual = smo(X @ X.T, y, 0.0, np.inf, tol=1e-9)
    f = (X @ X.T) @ (y * dual.alpha) + dual.intercept
    return {"bisector": _relative(machine.decision(X), f)}


def _angle_after_map(z, first, second, step=1e-5):
    images = []
    for direction in (first, second):
        h = step * (direction[:, 0] + 1j * direction[:, 1])
        w = conformal_map(z + h) - conformal_map(z - h)
        images.append(np.column_stack([w.real, w.imag]))
    return angle(*images)


def noise_sample(rng):
    """Figure 3.1.4: a rare class with two patterns at the true border x1 = 0, others further back.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    X, y : ndarray
        The two are the first rows.
    """
    border = np.column_stack([[0.05, 0.05], [0.5, -0.5]])
    rare = np.column_stack([rng.uniform(1.2, 2.0, 8), rng.uniform(-1.0, 1.0, 8)])
    common = np.column_stack([rng.uniform(-2.0, -0.05, 120), rng.uniform(-1.0, 1.0, 120)])
    X = np.vstack([border, rare, common])
    return X, np.repeat([1.0, -1.0], [10, 120])


def _as_noise(rng):
    """Whether both patterns at the border have a slack."""
    X, y = noise_sample(rng)
    machine = linear_machine(X, y, ridge=1.0 / NOISE_C)
    return float((machine.decision(X[:2]) < 1.0).all())


#: C of Figure 3.1.4, small enough for slacks to be cheap.
NOISE_C = 1.0


def statement_units(profile):
    """One unit a random problem."""
    return [Unit(PAPER, "statements", {"problem": k}) for k in range(1, N_PROBLEMS[profile] + 1)]


STATEMENTS = Study(PAPER, "statements", statement_units, compute_statements)
