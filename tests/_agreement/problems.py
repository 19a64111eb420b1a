"""Problems from every paper, small enough that each solver can be run to its last digits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion.datasets import checkers_board, checkers_board_grid, ringnorm, twonorm
from companion.kernels import gram
from companion.papers.conformal.problems import SIDE, WIDTH, C
from companion.papers.experiment import benchmark_split
from companion.papers.gacv import example
from companion.papers.l1nsvm.fig_1 import toy_problem
from companion.papers.l1nsvm.machines import SETTINGS, width_to_gamma
from companion.papers.wrsvm import examples
from companion.reproduction import seed_for
from companion.solvers import Design

#: The machines of two classes: losses of the slacks and of the residuals of the labels.
MACHINES = ("L1", "L2", "LS", "Least 1-Norm")
#: The convex machine of several classes.
MINIMUM_MARGIN = "minimum margin"

#: Samples of a problem.
_SIZE = 200

#: Points by side of a grid of new points.
_SIDE = 15


@dataclass(eq=False)
class SharedProblem:
    """A training sample, a kernel (gamma None is the inner product), costs, and new points.

    Labels are -1.0 and +1.0, or classes from 0 where there is a utility. New points are by default
    a grid over the range of the sample, a fifth wider on every side.
    """

    name: str
    paper: str
    X: np.ndarray
    y: np.ndarray
    C: float
    gamma: float | None
    machines: tuple[str, ...]
    X_new: np.ndarray | None = None
    weight: np.ndarray | None = None
    utility: np.ndarray | None = None

    def __post_init__(self):
        self.y = np.asarray(self.y, dtype=float if self.utility is None else int)
        if self.X_new is None:
            low = self.X.min(axis=0)
            high = self.X.max(axis=0)
            margin = 0.2 * (high - low)
            axes = np.linspace(low - margin, high + margin, _SIDE).T
            self.X_new = np.stack(np.meshgrid(*axes), axis=-1).reshape(_SIDE**2, -1)

    @property
    def is_linear(self):
        return self.gamma is None

    @cached_property
    def cost(self):
        """C times the weight of each sample."""
        weight = np.ones(len(self.y)) if self.weight is None else self.weight
        return self.C * weight

    @cached_property
    def K(self):
        """Gram matrix of the sample."""
        kernel = {"kernel": "linear"} if self.is_linear else {"gamma": self.gamma}
        return gram(self.X, **kernel)

    @cached_property
    def design(self):
        """Features, or columns of the Gram matrix."""
        return Design.linear(self.X) if self.is_linear else Design.kernel(self.K)


def list_problems():
    """The problems of all papers."""
    n = _SIZE
    return [*_toys(), _titanic(), *_gacv(n), *_usvc(n), *_three_classes(n), _board(n)]


def _rng(paper, *parts):
    return np.random.default_rng(seed_for(paper, "agreement", *parts))


def _toys():
    """The toy problem of Section 4; with a small C its bias is free."""
    X, y, _ = toy_problem(1, "one_per_class")
    small = ("L1", "Least 1-Norm")
    yield SharedProblem("two Gaussians", "l1nsvm", X, y, 1.0, None, MACHINES)
    yield SharedProblem("two Gaussians, small C", "l1nsvm", X, y, 1e-3, None, small)


def _titanic():
    """A training part of Titanic, 150 passengers at a dozen distinct points."""
    part = benchmark_split("titanic", 1)
    log10_C, log10_sigma = SETTINGS["titanic"]["Least 1-Norm"]
    gamma = width_to_gamma(log10_sigma)
    X_new = np.unique(part.X_test, axis=0)
    return SharedProblem(
        "Titanic", "l1nsvm", part.X, part.y, 10.0**log10_C, gamma, MACHINES, X_new
    )


def _gacv(n):
    """The example of Section 6 at lambda = 10^-3 and sigma = 1, its costs L(y) as weights."""
    X, y, _ = example.sample(1, n)
    C = 1.0 / (2 * n * 1e-3)
    costs = example.COSTS["nonstandard"]
    of_case = {"standard": None, "nonstandard": np.where(y == 1, costs[1], costs[-1])}
    for case, weight in of_case.items():
        yield SharedProblem(
            f"gacv {case}", "gacv", X, y, C, 0.5, ("L1",), weight=weight
        )


def _usvc(n):
    """Breiman's problems in 20 dimensions: twonorm linear, ringnorm with a Gaussian kernel."""
    for draw in (twonorm, ringnorm):
        name = draw.__name__
        X, y = draw(n, _rng("usvc", name))
        X_new, _ = draw(n, _rng("usvc", name, "new"))
        gamma = None if name == "twonorm" else 1.0 / (20 * X.var())
        yield SharedProblem(name, "usvc", X, y, 10.0, gamma, ("L1", "LS"), X_new)


def _three_classes(n):
    """Examples 1 to 3: linear, linear with labels switched, Gaussian kernel."""
    linear = examples.piecewise_linear
    for name, draw, flip, gamma, utility in (
        ("Example 1", linear, 0.0, None, np.eye(3)),
        ("Example 2", linear, examples.FLIP, None, examples.utility(1, 0.4)),
        ("Example 3", examples.nonlinear, examples.FLIP, 0.1, examples.utility(2, 0.4)),
    ):
        X, y = draw(n // 2, _rng("wrsvm", name), flip)
        machines = (MINIMUM_MARGIN,)
        yield SharedProblem(name, "wrsvm", X, y, 1.0, gamma, machines, utility=utility)


def _board(n):
    """A small checkers board with the width and C of Section 6.1, 20 patterns in the rare class."""
    X, y = checkers_board(n // 10, n, SIDE, _rng("conformal", "board"))
    X_new, _ = checkers_board_grid(16, SIDE)
    machines = ("L1", "L2")
    return SharedProblem(
        "checkers board", "conformal", X, y, C, 1.0 / WIDTH, machines, X_new
    )
