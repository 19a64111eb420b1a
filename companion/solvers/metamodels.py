"""Metamodels: searches for the parameters of a transformation, and the families they search.

Section 5.2 of the thesis. 5.2.1: ascent of the separability by a quasi-Newton method, here BFGS
where the thesis has DFP; 5.2.2: CMA-ES (N. Hansen and A. Ostermeier, Evolutionary
Computation 9, 2001).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import minimize

from companion._utils.batches import batches
from companion.conformal import factors as conformal
from companion.kernels._loops import gaussians

__all__ = ["Cores", "Displacements", "Widths", "ascend_separability", "evolve"]

START = 0.5
STEP = 0.3
GENERATIONS = 30

# BFGS ends by itself long before; its memory is short only for the longest parameter vectors.
_MAX_STEPS = 300
_MEMORY = 50
_MOST_STARTS = 4
_NO_GAIN = 1e-6

LEAST_SHRINK = 1e-6

# CMA-ES subtracts values of the objective, so an infinite one has to be finite.
_LARGEST = 1e100

# Values of the objective that differ by no more are equal for Hansen's C program (its TolFun).
_ALIKE = 1e-12

# From so many parameters on, CMA-ES takes some at a time for what would be a matrix over all.
_MANY_PARAMETERS = 512
_PARAMETERS = 64

# Points at a time to which distances are held.
_POINTS = 512

# Distances that are kept for a search; of more, parts are made again for each generation.
_KEPT = 2**18


class Family:
    """The transformations that a metamodel chooses from, by vectors between `lower` and `upper`.

    `at` gives c of the training samples and the map that pulls a gradient in c back to one in the
    parameters; `canonical` is the simplest vector of a transformation.
    """

    def values(self, parameters):
        """c of the training samples, one row a parameter vector."""
        return self.evaluate(self.data, parameters)

    def validation_values(self, parameters):
        """c of the validation samples, one row a parameter vector."""
        return self.evaluate(self.validation_data, parameters)

    def canonical(self, parameters):
        return np.asarray(parameters, dtype=float)


class Displacements(Family):
    """MDT: kappa and shrink = 1 - lambda of c = exp(-kappa f~^2), from f."""

    def __init__(self, f, validation_f, offset):
        self.data = f
        self.validation_data = validation_f
        self.offset = offset
        self.start = np.array([conformal.williams_kappa(f), 1.0])
        # lambda is in [0, 1), (5.3.1): at 1 the displaced decision vanishes everywhere.
        self.lower = np.array([0.0, LEAST_SHRINK])
        self.upper = np.array([np.inf, 1.0])

    def evaluate(self, f, parameters):
        kappa, shrink = parameters.T[:, :, np.newaxis]
        return conformal.boundary_decay(
            conformal.displaced_decision(f, shrink, self.offset), kappa
        )

    def at(self, parameters):
        c, *jacobian = conformal.margin_displacement(
            self.data, *parameters, self.offset
        )
        return c, lambda by_c: np.array(jacobian) @ by_c


class Widths(Family):
    """TSVT: the rates of the Gaussians on the support vectors, from squared distances to them.

    `distances` and `validation_distances` are functions of a slice of the points, of which there
    are as many as `sizes` says: where these are many, the distances of all are made for gradients
    alone.
    """

    def __init__(self, distances, validation_distances, sizes, start):
        self.data = _parts_of(distances, sizes[0], start.size)
        self.validation_data = _parts_of(validation_distances, sizes[1], start.size)
        self.start = start
        self.lower = np.zeros(start.size)
        self.upper = np.full(start.size, np.inf)
        self._whole = cache(lambda: distances(slice(0, sizes[0])))
        self._rows = None

    def evaluate(self, data, parameters):
        return np.hstack([conformal.gaussian_sums(D, parameters) for D in data()])

    def at(self, parameters):
        distances = self._whole()
        if self._rows is None:
            self._rows = np.empty(distances.shape)
        rows = self._rows
        total = np.empty(rows.shape[1])
        gaussians(distances, parameters, rows, total)
        # The rows serve one gradient, then they are gone.
        return total, lambda by_c: -(np.multiply(rows, distances, out=rows) @ by_c)


def _parts_of(distances, size, n_centres):
    """A function that gives the distances of points, some at a time, or of all, which it keeps."""
    if size * n_centres > _KEPT:
        return lambda: map(distances, batches(size, _POINTS))
    return cache(lambda: [distances(slice(0, size))])


class Cores(Family):
    """Xiong: the coefficients of c = c_0 + sum_i c_i exp(-gamma ||x - a_i||^2)."""

    def __init__(self, distances, validation_distances, gamma, cores):
        self.data, self.validation_data = (
            np.column_stack([np.ones(D.shape[1]), np.exp(-gamma * D.T)])
            for D in (distances, validation_distances)
        )
        self.gamma = gamma
        self.cores = cores
        m = len(cores) + 1
        self.basis = self.data
        self.start = np.eye(m)[0]
        self.lower = np.full(m, -np.inf)
        self.upper = np.full(m, np.inf)

    def evaluate(self, basis, parameters):
        return self.canonical(parameters) @ basis.T

    def canonical(self, parameters):
        """Scaled to a mean square of one on the training samples: J does not depend on it."""
        c = parameters @ self.basis.T
        square = np.mean(c**2, axis=-1)
        sign = np.where(c.sum(axis=-1) >= 0.0, 1.0, -1.0)
        scale = sign / np.sqrt(np.where(square > 0.0, square, 1.0))
        return parameters * scale[..., np.newaxis]


def ascend_separability(family, separability, factors):
    """Maximise J over the parameters of a family by BFGS within their bounds."""
    scale = np.where(family.start != 0.0, np.abs(family.start), 1.0)
    lower = family.lower
    upper = family.upper
    # SciPy leaves what it minimises in a cycle of references: the matrices must not be part of it.
    criterion = [evaluation(family, separability, factors)]

    def objective(u):
        # The line search may leave the bounds by a rounding error.
        J, gradient = criterion[0](np.clip(u * scale, lower, upper))
        return -min(J, _LARGEST), -gradient * scale

    # J is free of units, so its gradient in scaled parameters and its own tolerances are too. A
    # step cut short by a bound can leave BFGS with a metric in which it does not move: start anew.
    bounds = np.column_stack([lower / scale, upper / scale])
    parameters = family.start
    value = -np.inf
    for _ in range(_MOST_STARTS):
        found = minimize(
            objective,
            parameters / scale,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={
                "maxiter": _MAX_STEPS,
                "maxcor": _MEMORY,
                "ftol": 1e-12,
                "gtol": 1e-9,
            },
        )
        before = value
        value = -float(found.fun)
        parameters = family.canonical(np.clip(found.x * scale, lower, upper))
        if value <= before * (1.0 + _NO_GAIN):
            break
    criterion.clear()
    return parameters, value


def evaluation(family, separability, factors):
    """The function that gives J and its gradient with respect to the parameters of a family."""
    basis = getattr(family, "basis", None)
    if basis is not None:
        return separability.combinations(
            factors[:, np.newaxis] * basis
        ).value_and_gradient

    def evaluate(parameters):
        c, pull_back = family.at(parameters)
        J, by_q = separability.value_and_gradient(c * factors)
        return J, pull_back(by_q * factors)

    return evaluate


def evolve(
    objective,
    lower,
    upper,
    *,
    seed,
    generations=GENERATIONS,
    target=-np.inf,
    escape="early",
):
    """Minimise by CMA-ES with its default population, from .5 in all parameters and step .3.

        repeat  x_k = mean + step y_k, y_k ~ N(0, C);  the better half, by weight, gives y
                [best f(x_k) = median f(x_k):  step = step g, y_k = y_k / g]
                mean = mean + step y;  p = path of C^(-1/2) y;  q = path of y
                C = (1 - c_1 - c_mu) C + c_1 q q' + c_mu sum_k w_k y_k y_k'
                step = step exp(c_s / d_s (|p| / E|N(0, I)| - 1))

    C is the covariance, p and q are `step_path` and `covariance_path`, c_s, c_1 and c_mu the rates
    of step, rank one and rank mu, d_s the `damping` and g = exp(.2 + c_s / d_s) the `growth`.
    The constants are those of N. Hansen, The CMA evolution strategy: a tutorial, arXiv 1604.00772.
    The line in brackets is the "early" `escape` from a plateau, that of his C program of the time
    of the thesis, which bounds no step either. "stop" is "early" that gives up, as that program
    does, where the first candidates are all alike; without an escape g is 1.
    """
    n = len(lower)
    rng = np.random.default_rng(seed)
    size = 4 + int(3.0 * np.log(n))
    weights = np.log((size + 1) / 2) - np.log(np.arange(1, size // 2 + 1))
    weights /= weights.sum()
    n_selected = weights.size
    effective_size = 1.0 / (weights @ weights)
    step_rate, damping, path_rate, rank_one_rate, rank_mu_rate = _rates(
        n, effective_size
    )
    # E|N(0, I)|
    expected_length = np.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n**2))
    # The covariance changes little in a generation, so it is decomposed again after some.
    wait = int(np.ceil(0.1 / (n * (rank_one_rate + rank_mu_rate))))
    mean = np.full(n, START)
    step = STEP
    covariance = np.eye(n)
    step_path = np.zeros(n)
    covariance_path = np.zeros(n)
    best = None
    least = np.inf
    for generation in range(generations):
        if generation % wait == 0:
            axes = None  # room for the next ones
            lengths, axes = _axes_of(covariance)
        normals = rng.standard_normal((size, n))
        moves = _stretched(normals, axes, lengths)
        candidates = into_bounds(mean + step * moves, lower, upper)
        values = np.clip(objective(candidates), -_LARGEST, _LARGEST)
        order = np.argsort(values, kind="stable")
        if values[order[0]] < least:
            best = candidates[order[0]]
            least = float(values[order[0]])
        if least <= target or (
            escape == "stop" and generation == 0 and np.ptp(values) <= _ALIKE
        ):
            break
        is_flat = values[order[0]] == values[order[size // 2]]
        growth = np.exp(0.2 + step_rate / damping) if escape and is_flat else 1.0
        selected = order[:n_selected]
        mean = mean + step * (weights @ moves[selected])
        step = min(step * growth, _LARGEST)
        moves = moves[selected] / growth
        normals = normals[selected] / growth
        mean_move = weights @ moves
        step_path = (1.0 - step_rate) * step_path + np.sqrt(
            step_rate * (2.0 - step_rate) * effective_size
        ) * (axes @ (weights @ normals))
        length = np.sqrt(step_path @ step_path)
        # The path of the covariance waits while the step grows quickly.
        early = np.sqrt(1.0 - (1.0 - step_rate) ** (2 * generation + 2))
        is_steady = length < (1.4 + 2.0 / (n + 1.0)) * expected_length * early
        path_scale = np.sqrt(path_rate * (2.0 - path_rate) * effective_size)
        covariance_path = (
            1.0 - path_rate
        ) * covariance_path + is_steady * path_scale * mean_move
        missing = (not is_steady) * rank_one_rate * path_rate * (2.0 - path_rate)
        covariance *= 1.0 - rank_one_rate - rank_mu_rate + missing
        _add_outer_products(
            covariance,
            rank_one_rate,
            covariance_path,
            rank_mu_rate * (moves.T * weights),
            moves,
        )
        step *= np.exp(step_rate / damping * (length / expected_length - 1.0))
    return best, least


def _rates(n, effective_size):
    """Rates and damping of the step, of the path and of the two updates of the covariance."""
    step_rate = (effective_size + 2.0) / (n + effective_size + 5.0)
    path_rate = (4.0 + effective_size / n) / (n + 4.0 + 2.0 * effective_size / n)
    excess = np.sqrt((effective_size - 1.0) / (n + 1.0)) - 1.0
    damping = 1.0 + step_rate + 2.0 * max(0.0, excess)
    rank_one_rate = 2.0 / ((n + 1.3) ** 2 + effective_size)
    rank_mu_rate = min(
        1.0 - rank_one_rate,
        2.0
        * (effective_size - 2.0 + 1.0 / effective_size)
        / ((n + 2.0) ** 2 + effective_size),
    )
    return step_rate, damping, path_rate, rank_one_rate, rank_mu_rate


def _axes_of(covariance):
    """Lengths and directions of the axes of the normal distribution."""
    squares, axes = np.linalg.eigh(covariance)
    # Rounding can leave one below 0.
    return np.sqrt(np.maximum(squares, 0.0)), axes


def _stretched(normals, axes, lengths):
    """Standard normal vectors times the transpose of axes * lengths, a root of the covariance."""
    return np.hstack([normals @ (axes[some] * lengths).T for some in _some_of(axes)])


def _add_outer_products(covariance, rate, path, weighted_moves, moves):
    """Add rate * path path' and weighted_moves @ moves to the covariance, in place."""
    for some in _some_of(covariance):
        covariance[some] += (
            rate * np.outer(path[some], path) + weighted_moves[some] @ moves
        )


def _some_of(matrix):
    """Rows at a time."""
    n = len(matrix)
    return batches(n, n if n < _MANY_PARAMETERS else _PARAMETERS)


def into_bounds(points, lower, upper):
    """Points within bounds: mirrored at both, after a smooth turn over a beyond and before one.

    The width a is a 20th of the bound, at least .05 and at most half the interval. Parameters
    without a lower bound have none.
    """
    points = points.copy()
    bounded = np.isfinite(lower)
    x = points[:, bounded]
    lower = lower[bounded]
    upper = upper[bounded]
    below, above = (
        np.minimum(0.5 * (upper - lower), 0.05 * np.clip(np.abs(b), 1.0, _LARGEST))
        for b in (lower, upper)
    )
    start = lower - below
    period = 2.0 * (upper + above - start)
    t = np.mod(np.abs(x - start), period)
    x = start + np.minimum(t, period - t)
    x = x + np.maximum(lower + below - x, 0.0) ** 2 / (4.0 * below)
    x = x - np.maximum(x - (upper - above), 0.0) ** 2 / (4.0 * above)
    points[:, bounded] = np.clip(x, lower, upper)
    return points
