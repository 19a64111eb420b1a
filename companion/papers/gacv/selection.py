"""Criteria over a (lambda, sigma) grid, what they choose, and the shape of their minima.

Surfaces have shape (n_sigma, n_lambda), in the order of
:func:`companion.papers.gacv.example.grid_of`.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.ndimage import label

from companion.kernels import gram
from companion.papers.experiment import folds_of
from companion.papers.gacv.example import CASES, COSTS, grid_of, random_state, sample
from companion.tuning.criteria import (
    gacv_values,
    gckl_values,
    misclass_values,
    xi_alpha_values,
)
from companion.tuning.leave_one_out import leave_one_out_surface
from companion.tuning.span import squared_spans
from companion.tuning.surface import machine_surface

#: The criteria, and what the report or its readers call them in the standard and the other case.
CRITERIA = {
    "gacv": ("GACV", "GACV"),
    "xa": ("XA", "BRXA"),
    "xa_2": ("XA_J, rho = 2", "BRXA, rho = 2"),
    "xa_half": ("XA_J, rho = 1/2", "BRXA, rho = 1/2"),
    "cv_10": ("10-fold CV", "10-fold CV"),
    "loo": ("exact leave-one-out", "exact leave-one-out"),
    "gckl": ("GCKL (oracle)", "GCKL (oracle)"),
    "misclass": ("MISCLASS (oracle)", "BRMISCLASS (oracle)"),
}
#: The names of one case by criterion.
NAMES = {
    case: {key: names[k] for key, names in CRITERIA.items()}
    for k, case in enumerate(CASES)
}
N_FOLDS = 10

#: Stopping tolerance of the machines; the criteria count signs, so it is tighter than the usual.
TOL = 1e-4

#: So many digits it leaves to the criteria that another processor gives as well.
DIGITS = 4

#: A valley is where a surface is at most this multiple of its minimum.
VALLEY = 1.1


#: What a surface of machines holds for each of its cells.
_OF_A_CELL = (
    "alpha",
    "intercept",
    "decision",
    "kkt_violation",
    "duality_gap",
    "n_iter",
    "converged",
)


class Machines(NamedTuple):
    """All machines of one sample, case and grid."""

    X: np.ndarray
    y: np.ndarray
    probability: np.ndarray
    case: str
    lam: np.ndarray
    sigma: np.ndarray
    surface: object

    @property
    def cost(self):
        """L(y_i) of every sample."""
        return np.where(self.y > 0, COSTS[self.case][1], COSTS[self.case][-1])

    def decision(self, cell, points):
        """Values of f at points, for the machine of one cell."""
        k, j = cell
        cross = gram(points, self.X, gamma=self.surface.gamma[k])
        return _decisions(self.surface, k, self.y, cross, slice(j, j + 1))[0]

    def span_influence(self, k):
        """alpha_i S_i^2 of the machines of one width, in the place of theta_i = alpha_i K_ii."""
        K = gram(self.X, gamma=self.surface.gamma[k])
        alpha = self.surface.alpha[k]
        return alpha * squared_spans(K, alpha, self.surface.C[:, None] * self.cost)

    def part(self, grid):
        """Where the cells of a grid that is a part of this one are, and the machines in them."""
        lam, sigma = grid_of(grid)
        rows = np.isin(self.sigma, sigma)
        columns = np.isin(self.lam, lam)
        cells = np.ix_(rows, columns)
        whole = self.surface
        of_cells = {name: getattr(whole, name)[cells] for name in _OF_A_CELL}
        axes = {
            "C": whole.C[columns],
            "gamma": whole.gamma[rows],
            "diagonal": whole.diagonal[rows],
        }
        surface = replace(whole, **axes, **of_cells)
        return cells, self._replace(lam=lam, sigma=sigma, surface=surface)


def train(X, y, probability, case, grid):
    """All machines of a named grid; lambda is walked downwards, which is C upwards.

    The kernel is exp(-||x - x'||^2 / (2 sigma^2)), the objective mean loss + lambda ||h||^2.
    """
    lam, sigma = grid_of(grid)
    C = 1 / (2 * len(y) * lam)
    gamma = 1 / (2 * sigma**2)
    surface = machine_surface(X, y, C, gamma, tol=TOL, class_weight=COSTS[case])
    return Machines(X, y, probability, case, lam, sigma, surface)


def trained(number, n, grid):
    """All machines of a sample, case by case."""
    X, y, probability = sample(number, n)
    for case in CASES:
        yield train(X, y, probability, case, grid)


def rounded(numbers, digits=6):
    """Numbers of a record, a mapping: more digits would be rounding."""
    return {name: round(float(value), digits) for name, value in numbers.items()}


def one_fit_criteria(machines):
    """GACV, XA and the oracles by name: what comes with one fit a cell."""
    # K_ii = 1 is also Joachims' bound on K_ii - K_ij, so that XA_J with rho = 1 is XA
    surface = machines.surface
    cost = machines.cost
    pair = [COSTS[machines.case][label] for label in (-1, 1)]
    margin = surface.margin
    influence = surface.influence
    return {
        "gacv": gacv_values(margin, influence, cost),
        "xa": xi_alpha_values(margin, influence, cost),
        "xa_2": xi_alpha_values(margin, influence, cost, rho=2.0),
        "xa_half": xi_alpha_values(margin, influence, cost, rho=0.5),
        "gckl": gckl_values(surface.decision, machines.probability, pair),
        "misclass": misclass_values(surface.decision, machines.probability, pair),
    }


def leave_one_out_rates(machines):
    """Exact leave-one-out error (cost) rate of every cell."""
    errors = leave_one_out_surface(machines.surface, machines.X, machines.y)
    return (errors * machines.cost).mean(axis=-1)


def cross_validated_rates(machines, n_folds, *seed):
    """k-fold cross-validated error (cost) rate of every cell, with the same folds and C."""
    X = machines.X
    y = machines.y
    surface = machines.surface
    state = random_state("folds", n_folds, *seed)
    settings = {"tol": TOL, "class_weight": COSTS[machines.case]}
    wrong = np.zeros(surface.alpha.shape[:2])
    for rows, held_out in folds_of(X, y, n_folds, state):
        fold = machine_surface(X[rows], y[rows], surface.C, surface.gamma, **settings)
        for k, gamma in enumerate(surface.gamma):
            cross = gram(X[held_out], X[rows], gamma=gamma)
            values = _decisions(fold, k, y[rows], cross)
            wrong[k] += (y[held_out] * values <= 0) @ machines.cost[held_out]
    return wrong / len(y)


def _decisions(surface, k, y, cross, cells=slice(None)):
    """Values of f for machines of one width, from the kernel between points and the sample."""
    intercept = surface.intercept[k, cells, np.newaxis]
    return (surface.alpha[k, cells] * y) @ cross.T + intercept


class Choice(NamedTuple):
    """Where a criterion is least: all tied cells, and the one nearest to the middle of them."""

    tied: np.ndarray
    cell: tuple[int, int]


def choose(criterion):
    """The minimisers of a surface; equal values within rounding are ties."""
    least = criterion.min()
    tied = criterion <= least + 1e-12 * max(1.0, abs(least))
    where = np.argwhere(tied)
    nearest = ((where - where.mean(axis=0)) ** 2).sum(axis=1).argmin()
    return Choice(tied, tuple(where[nearest].tolist()))


def groups_of(cells):
    """How many groups of neighbours, diagonal ones too, cells of a grid form."""
    return label(cells, structure=np.ones((3, 3)))[1]


def leaves_grid(criterion):
    """Whether the valley of a surface reaches an end of the grid, and may go on beyond it."""
    low = criterion <= VALLEY * criterion.min()
    return low.sum() > low[1:-1, 1:-1].sum()


class Valley(NamedTuple):
    """The region where a surface is near its minimum, in (log10 lambda, log10 sigma^2).

    Length and width are those of a uniform strip with the region's principal variances, along
    `axis`; tilt is the correlation of the coordinates; decades is the extent at the best sigma, of
    the run of cells without a gap round the minimum.
    """

    length: float
    width: float
    tilt: float
    centre: np.ndarray
    axis: np.ndarray
    decades: float

    def position(self, point):
        """Place of a point along the strip: -1 and 1 are its ends, 1 at the larger lambda."""
        half = max(self.length, 1e-12) / 2
        return (point - self.centre) @ self.axis / half


def valley(criterion, lam, sigma):
    """The valley of a surface."""
    low = criterion <= VALLEY * criterion.min()
    u, v = np.meshgrid(np.log10(lam), 2 * np.log10(sigma))
    points = np.stack([u[low], v[low]])
    centre = points.mean(axis=1)
    covariance = np.cov(points, bias=True)
    variance, axes = np.linalg.eigh(covariance)
    width, length = np.sqrt(12 * np.maximum(variance, 0))
    axis = axes[:, 1] * np.copysign(1.0, axes[0, 1])
    spread = np.sqrt(covariance[0, 0] * covariance[1, 1])
    tilt = covariance[0, 1] / spread if spread > 0 else 0.0
    k, j = choose(criterion).cell
    runs, _ = label(low[k])
    run = lam[runs == runs[j]]
    decades = np.log10(run[0] / run[-1])
    return Valley(length, width, tilt, centre, axis, decades)
