"""Problems from every paper, small enough that each solver can be run to its last digits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion.kernels import gamma_from_width, gram
from companion.solvers import Design

#: The machines of two classes: losses of the slacks and of the residuals of the labels.
MACHINES = ("L1", "L2", "LS", "Least 1-Norm")
#: The convex machine of several classes.
MINIMUM_MARGIN = "minimum margin"

#: Samples of a problem, by profile.
_SIZES = {"paper": 200, "quick": 60}

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
            axes = np.linspace(
                low - 0.2 * (high - low), high + 0.2 * (high - low), _SIDE
            ).T
            self.X_new = np.stack(np.meshgrid(*axes), axis=-1).reshape(
                -1, self.X.shape[1]
            )

    @property
    def is_linear(self):
        return self.gamma is None

    @cached_property
    def cost(self):
        """C times the weight of each sample."""
        return np.full(len(self.y), self.C) * (
            1.0 if self.weight is None else self.weight
        )

    @cached_property
    def K(self):
        """Gram matrix of the sample."""
        return (
            gram(self.X, kernel="linear")
            if self.is_linear
            else gram(self.X, gamma=self.gamma)
        )

    @cached_property
    def design(self):
        """Features, or columns of the Gram matrix."""
        return Design.linear(self.X) if self.is_linear else Design.kernel(self.K)


def list_problems(profile="paper"):
    """The problems of all papers; "quick" has smaller samples."""
    n = _SIZES[profile]
    return [
        _two_gaussians("two Gaussians", 1.0, MACHINES),
        _two_gaussians("two Gaussians, small C", 1e-3, ("L1", "Least 1-Norm")),
        _titanic(),
        *(_gacv(case, n) for case in ("standard", "nonstandard")),
        *(_usvc(name, n) for name in ("twonorm", "ringnorm")),
        *(_three_classes(name, n) for name in ("Example 1", "Example 2", "Example 3")),
        _board(n),
    ]


def _rng(paper, *parts):
    from companion.reproduction import seed_for

    return np.random.default_rng(seed_for(paper, "agreement", *parts))


def _two_gaussians(name, C, machines):
    """The toy problem of Section 4; with a small C its bias is free."""
    from companion.papers.l1nsvm.fig_1 import toy_problem

    X, y, _ = toy_problem(1, "one_per_class")
    return SharedProblem(name, "l1nsvm", X, y, C, None, machines)


def _titanic():
    """A training part of Titanic, 150 passengers at a dozen distinct points."""
    from companion.papers.l1nsvm.machines import SETTINGS, width_to_gamma
    from companion.papers.summaries import split_rows

    X, y, X_test, _ = split_rows("titanic", 1)
    log10_C, log10_sigma = SETTINGS["titanic"]["Least 1-Norm"]
    C = 10.0**log10_C
    gamma = width_to_gamma(log10_sigma)
    return SharedProblem(
        "Titanic", "l1nsvm", X, y, C, gamma, MACHINES, np.unique(X_test, axis=0)
    )


def _gacv(case, n):
    """The example of Section 6 at lambda = 10^-3 and sigma = 1, its costs L(y) as weights."""
    from companion.papers.gacv import example

    X, y, _ = example.sample(1, n)
    costs = example.COSTS[case]
    weight = None if case == "standard" else np.where(y == 1, costs[1], costs[-1])
    C = 1.0 / (2 * n * 1e-3)
    gamma = gamma_from_width(1.0, "2sigma2")
    return SharedProblem(f"gacv {case}", "gacv", X, y, C, gamma, ("L1",), weight=weight)


def _usvc(name, n):
    """Breiman's problems in 20 dimensions: twonorm linear, ringnorm with a Gaussian kernel."""
    from companion import datasets

    draw = getattr(datasets, name)
    X, y = draw(n, _rng("usvc", name))
    gamma = None if name == "twonorm" else 1.0 / (20 * X.var())
    X_new = draw(n, _rng("usvc", name, "new"))[0]
    return SharedProblem(name, "usvc", X, y, 10.0, gamma, ("L1", "LS"), X_new)


def _three_classes(name, n):
    """Examples 1 to 3: linear, linear with labels switched, Gaussian kernel."""
    from companion.papers.wrsvm import examples

    rng = _rng("wrsvm", name)
    number = int(name[-1])
    draw = examples.nonlinear if number == 3 else examples.piecewise_linear
    X, y = draw(n // 2, rng, 0.0 if number == 1 else examples.FLIP)
    utility = np.eye(3) if number == 1 else examples.utility(number - 1, 0.4)
    gamma = 0.1 if number == 3 else None
    machines = (MINIMUM_MARGIN,)
    return SharedProblem(name, "wrsvm", X, y, 1.0, gamma, machines, utility=utility)


def _board(n):
    """A small checkers board with the width and C of Section 6.1, 20 patterns in the rare class."""
    from companion.datasets import checkers_board, checkers_board_grid
    from companion.papers.conformal.problems import SIDE, WIDTH, C

    X, y = checkers_board(n // 10, n, SIDE, _rng("conformal", "board"))
    X_new, _ = checkers_board_grid(16, SIDE)
    return SharedProblem(
        "checkers board", "conformal", X, y, C, 1.0 / WIDTH, ("L1", "L2"), X_new
    )
