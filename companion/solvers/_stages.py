"""Transformation functions with all their parameters, to be evaluated at any point.

A stage takes kernel values and squared distances between the points and its columns, indices of
samples of the problem, and what multiplied the kernel before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from companion import conformal_factors as conformal

__all__ = ["Decay", "Gaussians", "Interpolations", "cumulate"]


@dataclass(frozen=True)
class Gaussians:
    """c = offset + sum_k w_k exp(-rate_k ||x - x_k||^2)."""

    columns: np.ndarray
    rates: np.ndarray
    weights: np.ndarray | None = None
    offset: float = 0.0
    tau: float | None = None

    @property
    def parameters(self):
        if self.tau is not None:
            return {"tau": self.tau}
        if self.weights is not None:
            return {"rate": float(self.rates[0]), "weights": self.weights, "offset": self.offset}
        return {"rates": self.rates}

    def factors(self, K, distances, diagonal, before):
        """c of points, given base kernel (n, columns), squared distances (columns, n), d so far."""
        return conformal.gaussian_sum(distances, self.rates, self.weights, self.offset)


@dataclass(frozen=True)
class Decay:
    """c = exp(-kappa f~^2) with f of the machine sum_j coef_j k(., x_j) + b in hull units."""

    columns: np.ndarray
    coef: np.ndarray
    intercept: float
    kappa: float
    shrink: float | None = None
    shift: float = 0.0

    @property
    def parameters(self):
        if self.shrink is None:
            return {"kappa": self.kappa}
        return {"kappa": self.kappa, "displacement": 1.0 - self.shrink}

    def factors(self, K, distances, diagonal, before):
        f = before * (K @ self.coef) + self.intercept
        if self.shrink is not None:
            f = conformal.displaced_decision(f, self.shrink, self.shift)
        return conformal.boundary_decay(f, self.kappa)


@dataclass(frozen=True)
class Interpolations:
    """Mean of Gaussians in feature space around points (1 - beta) Phi(x+) + beta Phi(x-)."""

    columns: np.ndarray
    n_first: int
    column_factors: np.ndarray
    beta: float
    squares: np.ndarray
    radius: float
    widths: np.ndarray | None = field(default=None)

    @classmethod
    def between(cls, state, first, second, beta, radius, width):
        """The stage on all pairs of samples of `first` and `second`."""
        problem, d = state.problem, state.factors
        both = np.concatenate([first, second])
        K = problem.K[np.ix_(both, both)] * np.outer(d[both], d[both])
        p = first.size
        squares = (
            (1.0 - beta) ** 2 * K.diagonal()[:p, np.newaxis]
            + beta**2 * K.diagonal()[p:]
            + 2.0 * beta * (1.0 - beta) * K[:p, p:]
        )
        squares = np.ascontiguousarray(squares)
        stage = cls(problem.train[both], p, d[both], beta, squares, radius)
        if width == "pattern":
            return stage
        from companion._conformal_loops import interpolated_widths

        widths = np.empty(squares.shape)
        arguments = stage._arguments(problem.K[:, both], problem.diagonal, d)
        interpolated_widths(*arguments, radius, widths)
        return replace(stage, widths=widths)

    @property
    def parameters(self):
        return {"shift": 2.0 * self.beta - 1.0, "n_points": self.squares.size}

    def factors(self, K, distances, diagonal, before):
        from companion._conformal_loops import interpolated_factors, interpolated_sums

        out = np.empty(len(K))
        arguments = self._arguments(K, diagonal, before)
        if self.widths is None:
            interpolated_factors(*arguments, self.radius, out)
        else:
            interpolated_sums(*arguments, self.widths, out)
        return out

    def _arguments(self, K, diagonal, before):
        K = K * before[:, np.newaxis] * self.column_factors
        A, B = K[:, : self.n_first], K[:, self.n_first :]
        value = np.ascontiguousarray(before**2 * diagonal)
        return value, np.ascontiguousarray(A), np.ascontiguousarray(B), self.beta, self.squares


def cumulate(stages, K, distances=None, diagonal=None):
    d = np.ones(len(K))
    diagonal = d if diagonal is None else diagonal
    for stage in stages:
        some = None if distances is None else distances[:, stage.columns].T
        d = d * stage.factors(K[:, stage.columns], some, diagonal, d)
    return d
