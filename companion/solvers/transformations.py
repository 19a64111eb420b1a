"""The eight transformations as rules: what a rule makes of a trained machine is a stage.

A stage is a function c with all its parameters, one of the classes in
:mod:`companion.conformal.factors`. The rules of Xiong, MDT and TSVT have a family of stages as
well, from which a metamodel chooses one. A. Barbero, SVM imbalance correction by conformal kernel
transformations, 2008, chapters 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real

import numpy as np

from companion._utils.batches import batches
from companion._utils.checks import checked_positive
from companion.conformal import factors as c
from companion.solvers.metamodels import Cores, Displacements, Widths

__all__ = [
    "ACT",
    "KBA",
    "MDT",
    "RULES",
    "TSVT",
    "Amari",
    "Rule",
    "Williams",
    "WuAmari",
    "Xiong",
]

# Support vectors whose distances are held at a time.
_ROWS = 256


@dataclass(frozen=True)
class Rule:
    """Base of the rules: `stage(trained)` is the transformation that follows from a machine.

    `is_searched` says that a metamodel chooses parameters: `family(trained, rng)` is what it
    chooses from, with `rng` for the cores of Xiong, and the stage is that of a family and a vector.
    """

    is_searched = False
    uses_distances = True
    uses_diagonal = False


@dataclass(frozen=True)
class Amari(Rule):
    """c = sum_i a_i exp(-||x - x_i||^2 / (2 tau^2)) over the support vectors; Algorithm 1.

    The width `tau` is by default sigma / sqrt(d), (4.1.6), with the sigma of the Gaussian kernel.
    In the "hull" `units` the a_i of each class sum to 1, as in the thesis, in those of the "svm" to
    2 / ||w||^2.
    """

    tau: float | None = None
    units: str = "hull"

    def __post_init__(self):
        if self.tau is not None:
            checked_positive(self.tau, "tau", "Amari")
        _check_one_of(self, "units", ("hull", "svm"))

    def stage(self, trained):
        tau = self.tau
        if tau is None:
            _require(self, trained.problem, "sigma", "n_features")
            tau = c.amari_width(trained.problem.sigma, trained.problem.n_features)
        rates = np.full(trained.support.size, 0.5 / tau**2)
        weights = trained.unit(self.units) * trained.alpha[trained.support]
        return c.Gaussians(trained.columns, rates, weights, tau=float(tau))


@dataclass(frozen=True)
class WuAmari(Rule):
    """c = sum_i exp(-||x - x_i||^2 / tau_i^2), tau_i by the density of support vectors; Alg. 3.

    tau_i^2 is the mean squared distance of the `n_neighbors` nearest support vectors, M of (4.2.2).
    """

    n_neighbors: int = 3

    def __post_init__(self):
        if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
            raise ValueError(
                f"The 'n_neighbors' of WuAmari must be a positive integer. Got {self.n_neighbors!r}"
            )

    def stage(self, trained):
        samples = trained.columns

        def rates(rows):
            distances = trained.problem.distances_between(samples[rows], samples)
            return c.wu_amari_rates(distances, self.n_neighbors, rows)

        return c.Gaussians(samples, _in_blocks(rates, samples.size))


@dataclass(frozen=True)
class ACT(Rule):
    """As Wu-Amari with widths from feature space, wider for the rarer class; Algorithm 4."""

    def stage(self, trained):
        return c.Gaussians(trained.columns, _act_rates(trained))


@dataclass(frozen=True)
class KBA(Rule):
    """Gaussians in feature space around points of the estimated ideal boundary; Algorithm 5.

    Points of the boundary count up to the squared distance `radius`, M, by default the mean of the
    least and the largest. `width` says whose mean distance is tau^2: that of the "pattern" at which
    c is evaluated, as (4.4.6) is printed (so that c stays between 1 / e and 1), or that of the
    point of the "boundary", as in line 7 of Algorithm 5.
    """

    radius: float | None = None
    width: str = "pattern"

    uses_distances = False
    uses_diagonal = True

    def __post_init__(self):
        if self.radius is not None:
            checked_positive(self.radius, "radius", "KBA")
        _check_one_of(self, "width", ("pattern", "boundary"))

    def stage(self, trained):
        f = trained.unit("svm") * trained.f
        beta = 0.5 * (1.0 + c.boundary_shift(f, trained.y))
        sides = []
        # Support vectors on their side, or all where there are none.
        for sign in (1.0, -1.0):
            support = trained.support[trained.y[trained.support] == sign]
            right = support[sign * f[support] > 0.0]
            sides.append(right if right.size else support)
        return _on_the_boundary(trained, *sides, beta, self)


def _on_the_boundary(trained, first, second, beta, rule):
    """The stage of KBA on all pairs of samples of `first` and `second`, (4.4.1)."""
    problem = trained.problem
    d = trained.factors
    p = first.size
    both = np.concatenate([first, second])
    K = problem.K[np.ix_(first, second)] * np.outer(d[first], d[second])
    lengths = problem.diagonal * (d * d)
    squares = (1.0 - beta) ** 2 * lengths[first, np.newaxis] + beta**2 * lengths[second]
    squares += 2.0 * beta * (1.0 - beta) * K
    stage = c.Interpolations(
        problem.train[both], p, d[both], beta, squares, rule.radius
    )
    if rule.width == "pattern":
        return stage
    rows = (
        stage.distances(problem.K[:, both], problem.diagonal, d, [q]).T
        for q in range(p)
    )
    widths = np.array([c.neighbours(D, rule.radius)[2] for D in rows])
    return replace(
        stage, widths=np.maximum(widths, c.ROUNDING * (d**2 * problem.diagonal).max())
    )


@dataclass(frozen=True)
class Williams(Rule):
    """c = exp(-kappa f^2); Algorithm 6.

    `kappa` is by default 1 / |f|_max, (4.5.2), which depends on the `units` of f: "hull" as in the
    thesis, or "svm" with margins at -1 and +1.
    """

    kappa: float | None = None
    units: str = "hull"

    uses_distances = False

    def __post_init__(self):
        _check_one_of(self, "units", ("hull", "svm"))
        if self.kappa is not None and self.kappa != 0.0:
            checked_positive(self.kappa, "kappa", "Williams")

    def stage(self, trained):
        kappa = self.kappa
        if kappa is None:
            kappa = c.williams_kappa(trained.unit(self.units) * trained.f)
        return c.Decay(trained.columns, *trained.expansion(self.units), float(kappa))


@dataclass(frozen=True)
class Xiong(Rule):
    """c = c_0 + sum_i c_i exp(-gamma ||x - a_i||^2) on random empirical cores a_i (4.6.19).

    They are a `share` of the training samples; gamma is that of the kernel, 1 / (2 sigma^2).
    """

    share: float = 1.0 / 3.0

    is_searched = True

    def __post_init__(self):
        if not (isinstance(self.share, Real) and 0.0 < self.share <= 1.0):
            raise ValueError(
                f"The 'share' of Xiong must be in (0, 1]. Got {self.share!r} instead."
            )

    def family(self, trained, rng):
        problem = trained.problem
        n = trained.y.size
        _require(self, problem, "sigma")
        count = max(1, round(self.share * n))
        gamma = 0.5 / problem.sigma**2
        cores = np.sort(rng.permutation(n)[:count])
        return Cores(
            problem.distances(cores), problem.validation_distances(cores), gamma, cores
        )

    def stage(self, trained, family, parameters):
        first, *others = family.canonical(parameters)
        columns = trained.problem.train[family.cores]
        rates = np.full(columns.size, float(family.gamma))
        return c.Gaussians(columns, rates, np.array(others), float(first))


@dataclass(frozen=True)
class MDT(Rule):
    """c = exp(-kappa f~^2), f~ the decision with the margin displaced; Algorithm 7.

    The `units` of f ("hull" as in the thesis, or "svm") are those of kappa, which CMA-ES starts at
    .5.
    """

    units: str = "hull"

    is_searched = True
    uses_distances = False

    def __post_init__(self):
        _check_one_of(self, "units", ("hull", "svm"))

    def family(self, trained, rng):
        unit = trained.unit(self.units)
        f = trained.validation_decision()
        # b + m_- of (5.3.10)
        offset = -0.5 * unit * trained.machine.squared_norm
        return Displacements(unit * trained.f, unit * f, offset)

    def stage(self, trained, family, parameters):
        expansion = trained.expansion(self.units)
        (kappa, shrink) = map(float, parameters)
        return c.Decay(trained.columns, *expansion, kappa, shrink, family.offset)


@dataclass(frozen=True)
class TSVT(Rule):
    """c = sum_i exp(-rate_i ||x - x_i||^2) over the support vectors, rates searched; Alg. 8."""

    is_searched = True

    def family(self, trained, rng):
        problem = trained.problem
        support = trained.support
        distances = partial(problem.distances, support)
        further = partial(problem.validation_distances, support)
        sizes = problem.train.size, problem.validation.size
        return Widths(distances, further, sizes, _act_rates(trained))

    def stage(self, trained, family, parameters):
        return c.Gaussians(trained.columns, np.array(parameters))


RULES = {
    "amari": Amari,
    "wu_amari": WuAmari,
    "act": ACT,
    "kba": KBA,
    "williams": Williams,
    "xiong": Xiong,
    "mdt": MDT,
    "tsvt": TSVT,
}


def _act_rates(trained):
    support = trained.support
    d = trained.factors[support]
    lengths = trained.problem.diagonal[support] * (d * d)

    def rates(rows):
        K = trained.problem.K[np.ix_(support[rows], support)] * np.outer(d[rows], d)
        distances = c.feature_distances(K, lengths[rows], lengths)
        return c.act_rates(distances, trained.y[support], rows)

    return _in_blocks(rates, support.size)


def _in_blocks(rates, n):
    """Rates of n support vectors, some at a time: the distances of all are a matrix."""
    numbers = np.arange(n)
    return np.concatenate([rates(numbers[some]) for some in batches(n, _ROWS)])


def _require(rule, problem, *names):
    missing = [name for name in names if getattr(problem, name) is None]
    if missing:
        raise ValueError(
            f"{type(rule).__name__} takes its width from that of the kernel. Got a problem without "
            f"{' and '.join(missing)}; give them to it."
        )


def _check_one_of(rule, name, valid):
    if getattr(rule, name) not in valid:
        raise ValueError(
            f"The '{name}' of {type(rule).__name__} must be '{valid[0]}' or '{valid[1]}'. "
            f"Got {getattr(rule, name)!r} instead."
        )
