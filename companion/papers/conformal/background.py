"""Chapters 2 to 4 in pictures and numbers: hulls, slacks, maps, metrics, what is magnified.

The teaching figures are drawn from what these functions return. The study is about the statements
that may fail; the others are theorems, which tests prove.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr
from sklearn.linear_model import Perceptron

from companion.conformal import factors as conformal
from companion.papers.conformal import magnification
from companion.papers.conformal.problems import PAPER, strip
from companion.papers.summaries import range_text, share
from companion.reproduction import seed_for, study_over
from companion.solvers.mdm import mdm

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
    noise = SPREAD * rng.standard_normal((n, 2))
    return noise + distance * np.outer(y, DIRECTION), y


def plane_error(w, b, distance):
    """Error in per cent of a line on new points of these classes, in closed form."""
    reach = distance * w @ DIRECTION + np.array([b, -b])
    return 100 * ndtr(-reach / (SPREAD * np.linalg.norm(w))).mean()


def perceptron(X, y, seed=0):
    """w and b where Rosenblatt's algorithm stops, with the patterns in an order of its own."""
    found = Perceptron(tol=None, random_state=seed).fit(X, y)
    return found.coef_[0], found.intercept_[0]


def linear_machine(X, y, ridge=0.0):
    """The machine of (2.2.6) with a linear kernel; ``ridge`` = 1 / C for squared slacks."""
    found = mdm(X @ X.T, y, ridge=ridge, tol=1e-8)
    scale = 2.0 / found.squared_norm
    positive = (found.alpha * (y > 0)) @ X
    negative = (found.alpha * (y < 0)) @ X
    w = scale * ((y * found.alpha) @ X)
    b = scale * found.intercept
    return Machine(X, y, found.alpha, w, b, np.array([positive, negative]))


def angle(first, second, metric=None):
    """Angle in degrees between directions, in a metric of shape (n, 2, 2) or that of the plane."""
    if metric is None:
        metric = np.broadcast_to(np.eye(2), (len(first), 2, 2))

    def inner(a, b):
        return np.einsum("ni,nij,nj->n", a, metric, b)

    lengths = np.sqrt(inner(first, first) * inner(second, second))
    cosine = inner(first, second) / lengths
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


def compute_statements(unit):
    """What may fail in chapters 2 and 3, on one random problem."""
    number = unit.params["problem"]
    X, y = plane_sample(number, FAR)
    machine = linear_machine(X, y)
    rng = unit.rng()
    turn = largest_turn(rng)
    noisy = noise_sample(rng)
    slack_machine = linear_machine(*noisy, ridge=1.0 / NOISE_C)
    at_border = slack_machine.decision(noisy[0][:2])
    return {
        "perceptron": plane_error(*perceptron(X, y, number), FAR),
        "machine": plane_error(machine.w, machine.b, FAR),
        "angle_of_kernel": turn,
        "as_noise": float((at_border < 1.0).all()),
    }


def largest_turn(rng):
    """Largest change in degrees of an angle by a transformed kernel, at twenty random places.

    c is a sum of Gaussians on patterns of two overlapping classes, a quarter of them positive.
    """
    y = np.where(np.arange(N_PATTERNS) < N_PATTERNS // 4, 1.0, -1.0)
    X = rng.standard_normal((N_PATTERNS, 2)) + 0.8 * y[:, np.newaxis]
    c, gradient = bumps(rng, X)
    points = rng.uniform(-1.5, 1.5, size=(20, 2))
    first, second = rng.standard_normal((2, 20, 2))
    metric = conformal.kernel_metric(points, gamma=1.0 / WIDTH)
    transformed = conformal.transformed_metric(c(points), gradient(points), metric)
    turned = angle(first, second, transformed) - angle(first, second)
    return np.abs(turned).max()


def noise_sample(rng):
    """Figure 3.1.4: a rare class whose first two patterns are at the true border x1 = 0."""
    border = np.array([[0.05, 0.5], [0.05, -0.5]])
    rare = strip(rng, 8, 1.2, 2.0)
    common = strip(rng, 120, -2.0, -0.05)
    y = np.repeat([1.0, -1.0], [10, 120])
    return np.vstack([border, rare, common]), y


STATEMENTS = study_over(
    PAPER, "statements", compute_statements, digits=4, problem={"paper": 20, "quick": 5}
)
STUDIES = (STATEMENTS, *magnification.STUDIES)


def _add_statements(out, frame):
    """Chapters 2 and 3."""
    column = "largest change of an angle by the transformed kernel (degrees)"
    out.add("(3.3.18)", column, frame.angle_of_kernel.max())
    column = "% err. on new points: perceptron - machine"
    out.add_mean("Figure 2.1.1", column, frame.perceptron - frame.machine)
    column = "positive patterns within the margin of a larger one, share of samples"
    out.add_mean("Figure 3.1.4", column, share(frame.as_noise))


VALUES = ((_add_statements, "statements"), *magnification.VALUES)


# -- the notebook -----------------------------------------------------------------------------


def what_came_out(run):
    """What a transformed kernel does to angles, what a margin is worth, and what is magnified."""
    statements = run.records["statements"]
    turned = statements.angle_of_kernel
    better = (statements.perceptron > statements.machine).sum()
    return (
        "The thesis calls its transformed kernels conformal, which would keep angles; on "
        f"{len(turned)} random problems the largest change of an angle is "
        f"{range_text(turned, '.0f')} degrees. The line with the largest margin errs on "
        f"{statements.machine.mean():.2f} % of new points and that of a perceptron on "
        f"{statements.perceptron.mean():.2f} % (means over {len(turned)} samples); the former errs "
        f"less on {better} of them. {magnification.what_came_out(run)}"
    )
