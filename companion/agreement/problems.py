"""Problems from every paper, small enough that each solver can be run to its last digits.

A problem is data, a kernel, costs of the slacks and points at which machines are compared. It says
nothing about solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.kernels import gamma_from_width, gram

__all__ = ["MACHINES", "MINIMUM_MARGIN", "Problem", "list_problems"]

#: The machines of two classes: losses of the slacks and of the residuals of the labels.
MACHINES = ("L1", "L2", "LS", "Least 1-Norm")
#: The convex machine of several classes.
MINIMUM_MARGIN = "minimum margin"

#: Samples of a problem, by profile.
_SIZES = {"paper": 200, "quick": 60}

#: Points by side of a grid of new points.
_SIDE = 15


@dataclass(frozen=True, eq=False)
class Problem:
    """A training sample, a kernel and costs.

    Attributes
    ----------
    name : str
    paper : str
        Key of the paper it is from.
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        -1.0 and +1.0; classes 0, ..., k - 1 as integers where there is a utility.
    X_new : ndarray of shape (m, d)
        Where decision values are compared besides the sample.
    C : float
    gamma : float or None
        Of ``exp(-gamma |x - z|^2)``; None for the inner product.
    machines : tuple of str
        Which machines are trained on it.
    weight : ndarray of shape (n,) or None
        Factors on C, L(y_i).
    utility : ndarray of shape (k, k) or None
        U of the minimum-margin machine.
    """

    name: str
    paper: str
    X: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    C: float
    gamma: float | None
    machines: tuple[str, ...]
    weight: np.ndarray | None = None
    utility: np.ndarray | None = None

    @property
    def cost(self):
        """C times the weight of each sample."""
        return np.full(len(self.y), self.C) * (1.0 if self.weight is None else self.weight)

    @property
    def is_linear(self):
        """Whether the kernel is the inner product."""
        return self.gamma is None

    def gram(self):
        """The Gram matrix that the solvers get.

        Returns
        -------
        ndarray of shape (n, n)
        """
        if self.is_linear:
            return gram(self.X, kernel="linear")
        return gram(self.X, gamma=self.gamma)


def list_problems(profile="paper"):
    """The problems of all papers, in the order of the papers.

    Parameters
    ----------
    profile : {"paper", "quick"}, default="paper"
        Quick leaves some out and has smaller samples.

    Returns
    -------
    list of Problem

    Raises
    ------
    ValueError
        If there is no such profile.
    """
    if profile not in _SIZES:
        raise ValueError(f"The 'profile' must be one of {list(_SIZES)}. Got {profile!r}.")
    n, quick = _SIZES[profile], profile == "quick"
    problems = [
        _two_gaussians(1.0),
        _two_gaussians(1e-3),
        _titanic(),
        _gacv("standard", n),
        _gacv("nonstandard", n),
        _usvc("twonorm", n),
        _usvc("ringnorm", n),
        _threshold("A", n),
        _threshold("B", n),
        _three_classes("Example 1", n),
        _three_classes("Example 2", n),
        _three_classes("Example 3", n),
        _plane(),
        _board(n),
    ]
    left_out = ("case A", "Example 1", "plane") if quick else ()
    return [problem for problem in problems if problem.name not in left_out]


def _rng(paper, *parts):
    from companion.reproduction import seed_for

    return np.random.default_rng(seed_for(paper, "agreement", *parts))


def _grid(X):
    """A grid over the range of points of the plane, a fifth wider on every side."""
    low, high = X.min(axis=0), X.max(axis=0)
    axes = np.linspace(low - 0.2 * (high - low), high + 0.2 * (high - low), _SIDE).T
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, X.shape[1])


def _two_gaussians(C):
    """The toy problem of Section 4 with a label switched in each class.

    With the small C all multipliers of the hinge are at their bound, and its bias is free.
    """
    from companion.papers.l1nsvm.fig_1 import toy_problem

    X, y, _ = toy_problem(1, "one_per_class")
    name, machines = "two Gaussians", MACHINES
    if C < 1.0:
        name, machines = "two Gaussians, small C", ("L1", "Least 1-Norm")
    return Problem(name, "l1nsvm", X, y.astype(float), _grid(X), C, None, machines)


def _titanic():
    """A training part of Titanic, 150 passengers at a dozen distinct points."""
    from companion.papers.l1nsvm.machines import SETTINGS, width_to_gamma
    from companion.papers.l1nsvm.table_2_studies import split_rows

    X, y, X_test, _ = split_rows("titanic", 1, "drawn")
    log10_C, log10_sigma = SETTINGS["titanic"]["Least 1-Norm"]
    return Problem(
        "Titanic",
        "l1nsvm",
        X,
        y.astype(float),
        np.unique(X_test, axis=0),
        10.0**log10_C,
        width_to_gamma(log10_sigma),
        MACHINES,
    )


def _gacv(case, n):
    """The example of Section 6 at lambda = 10^-3 and sigma = 1, its costs L(y) as weights."""
    from companion.papers.gacv import example

    X, y, _ = example.sample(1, n)
    weight = None
    if case == "nonstandard":
        weight = np.where(y == 1, example.COSTS[case][1], example.COSTS[case][-1])
    return Problem(
        f"gacv {case}",
        "gacv",
        X,
        y.astype(float),
        _grid(X),
        1.0 / (2 * n * 1e-3),
        gamma_from_width(1.0, "2sigma2"),
        ("L1",),
        weight,
    )


def _usvc(name, n):
    """Breiman's problems in 20 dimensions: twonorm linear, ringnorm with a Gaussian kernel."""
    from companion import datasets

    draw = getattr(datasets, name)
    X, y = draw(n, _rng("usvc", name))
    gamma = None if name == "twonorm" else 1.0 / (20 * X.var())
    return Problem(
        name,
        "usvc",
        X,
        y.astype(float),
        draw(n, _rng("usvc", name, "new"))[0],
        10.0,
        gamma,
        ("L1", "LS"),
    )


def _threshold(case, n):
    """A sample on the line: case A by a threshold, case B with a Gaussian kernel."""
    from companion.papers.usvc.machines import READINGS, C, sample

    reading = next(name for name in READINGS if name.startswith(case) and "printed" not in name)
    X, y = sample(reading, "train", 1, n)
    gamma, machines = (None, ("L1", "LS")) if case == "A" else (50.0, ("L1",))
    return Problem(f"case {case}", "usvc", X, y, _grid(X), C, gamma, machines)


def _three_classes(name, n):
    """Examples 1 to 3: linear, linear with labels switched, Gaussian kernel."""
    from companion.papers.wrsvm import examples

    rng, number = _rng("wrsvm", name), int(name[-1])
    draw = examples.nonlinear if number == 3 else examples.piecewise_linear
    X, y = draw(n // 2, rng, 0.0 if number == 1 else examples.FLIP)
    utility = np.eye(3) if number == 1 else examples.utility(number - 1, 0.4)
    return Problem(
        name,
        "wrsvm",
        X,
        y,
        _grid(X),
        1.0,
        0.1 if number == 3 else None,
        (MINIMUM_MARGIN,),
        utility=utility,
    )


def _plane():
    """The overlapping sample of Figure 2.1.4, linear with squared slacks."""
    from companion.papers.conformal.background import plane_sample

    X, y = plane_sample(2, distance=0.8)
    return Problem(
        "plane", "conformal", X, np.asarray(y, dtype=float), _grid(X), 10.0, None, ("L1", "L2")
    )


def _board(n):
    """A small checkers board with the width and C of Section 6.1, 20 patterns in the rare class."""
    from companion.datasets import checkers_board, checkers_board_grid
    from companion.papers.conformal.problems import SIDE, WIDTH, C

    X, y = checkers_board(n // 10, n, SIDE, _rng("conformal", "board"))
    return Problem(
        "checkers board",
        "conformal",
        X,
        y.astype(float),
        checkers_board_grid(16, SIDE)[0],
        C,
        1.0 / WIDTH,
        ("L1", "L2"),
    )
