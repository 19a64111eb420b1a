"""Chapters 2 and 3 in pictures and numbers: hulls, slacks, feature maps, metrics, the board.

The teaching figures are drawn from what these functions return; the study checks the statements
they illustrate on random problems.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr
from sklearn.linear_model import Perceptron

from companion.conformal import factors as conformal
from companion.metrics import paired_difference
from companion.papers.conformal.problems import PAPER, C
from companion.papers.summaries import Values, share, study_over
from companion.reproduction import seed_for
from companion.solvers.mdm import mdm
from companion.solvers.smo import smo

N_PATTERNS = 60
WIDTH = 4.0

#: C of Figure 3.1.4, small enough for slacks to be cheap.
NOISE_C = 1.0

#: Half the distance of the centres of classes that a line tells apart.
FAR = 1.9


@dataclass(frozen=True, eq=False)
class Machine:
    """A linear machine in the plane: w and b in units of the SVM, and the hulls' nearest points."""

    X: np.ndarray
    y: np.ndarray
    alpha: np.ndarray
    w: np.ndarray
    b: float
    nearest: np.ndarray

    def decision(self, points):
        """w . x + b of points."""
        return points @ self.w + self.b

    def margin_ends(self):
        """For patterns with a slack: the points of their support hyperplanes nearest to them."""
        f = self.decision(self.X)
        gap = np.where(self.y * f < 1, self.y - f, 0.0)
        return self.X + gap[:, np.newaxis] * self.w / (self.w @ self.w)


#: Spread of the classes of the plane, and the direction in which their centres lie.
SPREAD = 0.55
DIRECTION = np.array([0.8, 0.6])


def plane_sample(number, distance=1.6, n=24):
    """Two Gaussian classes in the plane whose centres are 2 x ``distance`` apart."""
    rng = np.random.default_rng(seed_for(PAPER, "plane", number))
    y = np.repeat([1.0, -1.0], n // 2)
    X = SPREAD * rng.standard_normal((n, 2)) + distance * y[:, np.newaxis] * DIRECTION
    return X, y


def plane_error(w, b, distance):
    """Error in per cent of a line on new points of these classes, in closed form."""
    reach = distance * w @ DIRECTION + np.array([b, -b])
    return 100 * ndtr(-reach / (SPREAD * np.linalg.norm(w))).mean()


def perceptron(X, y, seed=0):
    """w and b where Rosenblatt's algorithm stops, with the patterns in an order of its own."""
    found = Perceptron(tol=None, random_state=seed).fit(X, y)
    return found.coef_[0], found.intercept_[0]


def duality(number, distance=0.5):
    """t, F(W) and Theta(alpha) on feasible lines through the optimum, which is at t = 0."""
    X, y = plane_sample(number, distance)
    Q = (X @ X.T) * np.outer(y, y) + np.eye(len(y)) / C
    found = smo(X @ X.T, y, 0.0, np.inf, ridge=1.0 / C, tol=1e-10)
    rng = np.random.default_rng(seed_for(PAPER, "duality", number))
    t = np.linspace(-1, 1, 41)
    support = found.alpha > 0
    step = rng.standard_normal(len(y)) * support
    step -= y * support * (step @ y) / support.sum()
    step *= np.min(
        found.alpha[support] / np.abs(step[support])
    )  # alpha >= 0 for |t| <= 1
    alpha = found.alpha + np.outer(t, step)
    centre = np.append((y * found.alpha) @ X, found.intercept)
    W = centre + np.outer(t, rng.normal(0.0, 0.3, 3))
    slack = np.maximum(0.0, 1.0 - y * (W[:, :2] @ X.T + W[:, 2:]))
    F = 0.5 * (W[:, :2] ** 2).sum(axis=1) + 0.5 * C * (slack**2).sum(axis=1)
    return t, F, alpha.sum(axis=1) - 0.5 * np.einsum("ti,ij,tj->t", alpha, Q, alpha)


def linear_machine(X, y, ridge=0.0):
    """The machine of (2.2.6) with a linear kernel; ``ridge`` = 1 / C for squared slacks."""
    found = mdm(X @ X.T, y, ridge=ridge, tol=1e-8)
    scale = 2.0 / found.squared_norm
    nearest = np.array([(found.alpha * (y == label)) @ X for label in (1.0, -1.0)])
    return Machine(
        X,
        y,
        found.alpha,
        scale * ((y * found.alpha) @ X),
        scale * found.intercept,
        nearest,
    )


def conformal_map(z):
    """The map of Figure 3.3.2's picture; its derivative vanishes nowhere on the grid."""
    return np.exp(0.45 * z) + 0.05 * z**2


def angle(first, second, metric=None):
    """Angle in degrees between directions, in a metric of shape (n, 2, 2) or that of the plane."""
    if metric is None:
        metric = np.broadcast_to(np.eye(2), (len(first), 2, 2))

    def inner(a, b):
        return np.einsum("ni,nij,nj->n", a, metric, b)

    cosine = inner(first, second) / np.sqrt(inner(first, first) * inner(second, second))
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


# -- the statements ---------------------------------------------------------------------------


def bumps(rng, X):
    """A transformation c, a sum of Gaussians on eight of the patterns, and its gradient."""
    centres = X[rng.permutation(len(X))[:8]]
    weights = rng.uniform(0.2, 1.0, 8)

    def c(points):
        return 0.3 + np.exp(-cdist(points, centres, "sqeuclidean")) @ weights

    def gradient(points):
        terms = np.exp(-cdist(points, centres, "sqeuclidean")) * weights
        gaps = points[:, np.newaxis] - centres
        return -2.0 * np.einsum("nk,nkd->nd", terms, gaps)

    return c, gradient


def metric_by_differences(kernel, points, step=1e-4):
    """d^2 k(x, z) / dx_i dz_j at z = x by second differences, (3.3.2); `kernel` row by row."""
    d = points.shape[1]
    out = np.zeros((len(points), d, d))
    steps = step * np.eye(d)
    for i, j, s, t in product(range(d), range(d), (1, -1), (1, -1)):
        out[:, i, j] += s * t * kernel(points + s * steps[i], points + t * steps[j])
    return out / (4 * step**2)


def _gaussian(a, b):
    return np.exp(-((a - b) ** 2).sum(axis=1) / WIDTH)


def compute_statements(unit):
    """Chapters 2 and 3 on one random problem."""
    rng = unit.rng()
    # overlapping classes in the plane, a quarter of them positive
    y = np.where(np.arange(N_PATTERNS) < N_PATTERNS // 4, 1.0, -1.0)
    X = rng.standard_normal((N_PATTERNS, 2)) + 0.8 * y[:, np.newaxis]
    K = np.exp(-cdist(X, X, "sqeuclidean") / WIDTH)
    _, F, theta = duality(unit.params["problem"])
    row = _equivalence(K, y) | _apart(unit.params["problem"])
    row["weak_duality"] = (theta.max() - F.min()) / F.min()
    c, gradient = bumps(rng, X)
    points = rng.uniform(-1.5, 1.5, size=(20, 2))
    metric = conformal.kernel_metric(points, gamma=1.0 / WIDTH)
    by_theorem = conformal.transformed_metric(c(points), gradient(points), metric)

    def transformed(a, b):
        return c(a) * c(b) * _gaussian(a, b)

    first, second = rng.standard_normal((2, 20, 2))
    z = rng.uniform(-1.5, 1.5, 20) + 1j * rng.uniform(-1.5, 1.5, 20)
    values = np.linalg.eigvalsh(K * np.outer(c(X), c(X)))
    # whether both patterns at the border have a slack
    sample = noise_sample(rng)
    noisy = linear_machine(*sample, ridge=1.0 / NOISE_C).decision(sample[0][:2]) < 1.0
    numbers = row | {
        "metric_error": _relative(metric_by_differences(_gaussian, points), metric),
        "theorem_5_error": _relative(
            metric_by_differences(transformed, points), by_theorem
        ),
        "angle_of_kernel": np.abs(
            angle(first, second, by_theorem) - angle(first, second)
        ).max(),
        "angle_of_map": np.abs(
            _angle_after_map(z, first, second) - angle(first, second)
        ).max(),
        "least_eigenvalue": values.min() / values.max(),
        "as_noise": noisy.all(),
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


def _apart(number):
    """The hulls' bisector and a perceptron's line beside the hard-margin machine."""
    X, y = plane_sample(number, FAR)
    machine = linear_machine(X, y)
    dual = smo(X @ X.T, y, 0.0, np.inf, tol=1e-9)
    return {
        "bisector": _relative(
            machine.decision(X), (X @ X.T) @ (y * dual.alpha) + dual.intercept
        ),
        "perceptron": plane_error(*perceptron(X, y, number), FAR),
        "machine": plane_error(machine.w, machine.b, FAR),
    }


def _angle_after_map(z, first, second, step=1e-5):
    images = []
    for direction in (first, second):
        h = step * (direction[:, 0] + 1j * direction[:, 1])
        w = conformal_map(z + h) - conformal_map(z - h)
        images.append(np.column_stack([w.real, w.imag]))
    return angle(*images)


def noise_sample(rng):
    """Figure 3.1.4: a rare class whose first two patterns are at the true border x1 = 0."""
    border = np.column_stack([[0.05, 0.05], [0.5, -0.5]])
    rare = np.column_stack([rng.uniform(1.2, 2.0, 8), rng.uniform(-1.0, 1.0, 8)])
    common = np.column_stack(
        [rng.uniform(-2.0, -0.05, 120), rng.uniform(-1.0, 1.0, 120)]
    )
    X = np.vstack([border, rare, common])
    return X, np.repeat([1.0, -1.0], [10, 120])


STATEMENTS = study_over(
    PAPER, "statements", compute_statements, problem={"paper": 20, "quick": 5}
)
STUDIES = (STATEMENTS,)


# -- reproduced values ------------------------------------------------------------------------

_ANGLE = "largest change of an angle"
_LEAST = ("(3.3.24)", "least eigenvalue of transformed kernel matrices, relative")

#: Numbers whose largest value bounds a printed statement: its row and column.
LARGEST = {
    "multipliers": ("(2.2.7)", "largest |w - 2 w^ / |w^|^2|, relative"),
    "bias": ("(2.2.7)", "|b - 2 b^ / |w^|^2|"),
    "bisector": (
        "Section 2.2.1",
        "distance of the hulls' bisector from the hard-margin machine",
    ),
    "weak_duality": ("Theorem 1", "largest dual - primal at feasible points, relative"),
    "gap": ("Figure 2.1.3", "largest relative duality gap"),
    "angle_of_map": ("Figure 3.3.2", f"{_ANGLE} by the map drawn (degrees)"),
    "metric_error": ("(3.3.17)", "largest error of the metric, relative"),
    "theorem_5_error": ("Theorem 5", "largest error of the metric, relative"),
    "angle_of_kernel": ("(3.3.18)", f"{_ANGLE} by the transformed kernel (degrees)"),
}


def reproduced_values(records):
    """Chapters 2 and 3."""
    out = Values()
    frame = records["statements"]
    if frame.empty:
        return out.frame()
    for name, place in LARGEST.items():
        out.add(*place, frame[name].max())
    out.add(*_LEAST, frame.least_eigenvalue.min())
    column = "% err. on new points: perceptron - machine"
    out.add_mean(
        "Figure 2.1.1", column, paired_difference(frame.perceptron, frame.machine)
    )
    _, y, image = parabola_sample()
    told_apart = np.mean(np.sign(linear_machine(image, y).decision(image)) == y)
    column = "points on the line told apart by a line over the parabola, share"
    out.add("Figure 2.1.5", column, told_apart)
    column = "positive patterns within the margin of a larger one, share of samples"
    out.add_mean("Figure 3.1.4", column, share(frame.as_noise))
    return out.frame()


# -- figures ----------------------------------------------------------------------------------


def parabola_sample():
    """Figure 2.1.5: points of a line, the positive ones between, and their images (x, x^2)."""
    x = np.array([-2.4, -2.0, -1.6, -0.8, -0.4, 0.1, 0.5, 0.9, 1.7, 2.1, 2.5])
    y = np.where(np.abs(x) < 1.2, 1.0, -1.0)
    return x, y, np.column_stack([x, x**2])


def plot_lines(ax, axes, decision, *, levels=(-1.0, 0.0, 1.0)):
    """Contours of a decision function: the frontier, and the support hyperplanes dashed."""
    looks = ["-" if level == 0 else "--" for level in levels]
    ax.contour(
        *axes, decision, levels=levels, colors="black", linestyles=looks, linewidths=1.3
    )
