"""The eight transformations as rules: what a rule makes of a trained machine is a stage.

A rule reads a `state`, the machine and the samples that it was trained on, and returns a stage; the
rules of Xiong, MDT and TSVT return a family instead, whose parameters a metamodel chooses.
A. Barbero, SVM imbalance correction by conformal kernel transformations, 2008, chapters 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from companion import conformal_factors as c
from companion.solvers._families import Cores, Displacements, Widths
from companion.solvers._stages import Decay, Gaussians, Interpolations

__all__ = ["ACT", "KBA", "MDT", "RULES", "TSVT", "Amari", "Rule", "Williams", "WuAmari", "Xiong"]


@dataclass(frozen=True)
class Rule:
    """Base of the rules. `is_searched` says that parameters are left to a metamodel."""

    is_searched = False
    uses_distances = True
    uses_diagonal = False

    def stage(self, state):
        """The transformation that follows from a machine; `TypeError` if it has to be searched."""
        raise TypeError(f"{type(self).__name__} has parameters to be searched; use its family.")

    def family(self, state, rng):
        """The transformations that a metamodel chooses from; `rng` draws the cores of Xiong."""
        raise TypeError(f"{type(self).__name__} has no parameters to be searched; use its stage.")


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
        _check_positive(self, "tau", self.tau)
        _check_units(self)

    def stage(self, state):
        tau = self.tau
        if tau is None:
            _require(self, "tau", state.problem, "sigma", "n_features")
            tau = c.amari_width(state.problem.sigma, state.problem.n_features)
        rates = np.full(state.support.size, 0.5 / tau**2)
        weights = state.unit(self.units) * state.alpha[state.support]
        return Gaussians(state.columns, rates, weights, tau=float(tau))


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

    def stage(self, state):
        rates = c.wu_amari_rates(state.support_distances(), self.n_neighbors)
        return Gaussians(state.columns, rates)


@dataclass(frozen=True)
class ACT(Rule):
    """As Wu-Amari with widths from feature space, wider for the rarer class; Algorithm 4."""

    def stage(self, state):
        return Gaussians(state.columns, _act_rates(state))


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
        _check_positive(self, "radius", self.radius)
        if self.width not in ("pattern", "boundary"):
            raise ValueError(
                f"The 'width' of KBA must be 'pattern' or 'boundary'. Got {self.width!r} instead."
            )

    def stage(self, state):
        f = 2.0 / state.machine.squared_norm * state.f
        beta = 0.5 * (1.0 + c.boundary_shift(f, state.y))
        first, second = (_on_their_side(state, f, sign) for sign in (1.0, -1.0))
        radius = -1.0 if self.radius is None else float(self.radius)
        return Interpolations.between(state, first, second, beta, radius, self.width)


@dataclass(frozen=True)
class Williams(Rule):
    """c = exp(-kappa f^2); Algorithm 6.

    `kappa` "max" is 1 / |f|_max, (4.5.2); "max_squared" is 1 / |f|_max^2, the same whatever the
    `units` of f: "hull" as in the thesis, or "svm" with margins at -1 and +1.
    """

    kappa: float | str = "max"
    units: str = "hull"

    uses_distances = False

    def __post_init__(self):
        _check_units(self)
        if self.kappa not in ("max", "max_squared") and not (
            isinstance(self.kappa, Real) and 0.0 <= self.kappa < np.inf
        ):
            raise ValueError(
                "The 'kappa' of Williams must be 'max', 'max_squared' or a finite number >= 0. "
                f"Got {self.kappa!r} instead."
            )

    def stage(self, state):
        kappa, unit = self.kappa, state.unit(self.units)
        if isinstance(kappa, str):
            kappa = c.williams_kappa(unit * state.f, kappa)
        coef, intercept = unit * state.expansion(), unit * state.machine.intercept
        return Decay(state.columns, coef, intercept, float(kappa))


@dataclass(frozen=True)
class Xiong(Rule):
    """c = c_0 + sum_i c_i exp(-gamma ||x - a_i||^2) on random empirical cores a_i (4.6.19).

    `n_cores` is their number among the training samples, or their share; `gamma` is by default that
    of the Gaussian kernel, 1 / (2 sigma^2).
    """

    n_cores: int | float = 1.0 / 3.0
    gamma: float | None = None

    is_searched = True

    def __post_init__(self):
        _check_positive(self, "gamma", self.gamma)
        if isinstance(self.n_cores, Integral):
            valid = self.n_cores >= 1
        else:
            valid = isinstance(self.n_cores, Real) and 0.0 < self.n_cores <= 1.0
        if not valid:
            raise ValueError(
                "The 'n_cores' of Xiong must be a positive integer or a share in (0, 1]. "
                f"Got {self.n_cores!r} instead."
            )

    def family(self, state, rng):
        n = state.y.size
        is_number = isinstance(self.n_cores, Integral)
        count = min(self.n_cores, n) if is_number else max(1, round(self.n_cores * n))
        gamma = self.gamma
        if gamma is None:
            _require(self, "gamma", state.problem, "sigma")
            gamma = 0.5 / state.problem.sigma**2
        return Cores(state, np.sort(rng.permutation(n)[:count]), gamma)


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
        _check_units(self)

    def family(self, state, rng):
        return Displacements(state, state.unit(self.units))


@dataclass(frozen=True)
class TSVT(Rule):
    """c = sum_i exp(-rate_i ||x - x_i||^2) over the support vectors, rates searched; Alg. 8."""

    is_searched = True

    def family(self, state, rng):
        return Widths(state, _act_rates(state))


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


def _act_rates(state):
    support, d = state.support, state.factors
    K = state.problem.K[np.ix_(support, support)] * np.outer(d[support], d[support])
    diagonal = K.diagonal()
    return c.act_rates(c.feature_distances(K, diagonal, diagonal), state.y[support])


def _on_their_side(state, f, sign):
    """Support vectors of a class that are not misclassified; all of the class if there are none."""
    own = state.support[state.y[state.support] == sign]
    right = own[sign * f[own] > 0.0]
    return right if right.size else own


def _require(rule, setting, problem, *names):
    missing = [name for name in names if getattr(problem, name) is None]
    if missing:
        raise ValueError(
            f"Without a '{setting}' of its own {type(rule).__name__} takes that of the kernel. Got "
            f"a problem without {' and '.join(missing)}; give them to it, or '{setting}' to the "
            "rule."
        )


def _check_units(rule):
    if rule.units not in ("hull", "svm"):
        raise ValueError(
            f"The 'units' of {type(rule).__name__} must be 'hull' or 'svm'. Got {rule.units!r}."
        )


def _check_positive(rule, name, value):
    if value is not None and not (isinstance(value, Real) and 0.0 < value < np.inf):
        raise ValueError(
            f"The '{name}' of {type(rule).__name__} must be None or a positive finite number. "
            f"Got {value!r} instead."
        )
