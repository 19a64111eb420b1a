"""Families of transformations, from which the metamodels choose, all with the same methods.

`values` are c for many parameter vectors at once, `pull_back` the product of the Jacobian with a
gradient in c, `canonical` the simplest vector of a transformation, and `stage` its member.
"""

from __future__ import annotations

import numpy as np

from companion import conformal_factors as conformal
from companion.solvers._stages import Decay, Gaussians

__all__ = ["Cores", "Displacements", "Widths"]

# lambda is in [0, 1): at 1 the displaced decision vanishes everywhere.
LEAST_SHRINK = 1e-6


class Displacements:
    """MDT: kappa and shrink = 1 - lambda of c = exp(-kappa f~^2)."""

    def __init__(self, state, unit=1.0):
        self._state, self._unit = state, unit
        self._offset = -0.5 * unit * state.machine.squared_norm
        self._f, self._validation_f = unit * state.f, unit * state.validation_decision()
        self.start = np.array([conformal.williams_kappa(self._f), 1.0])
        self.lower, self.upper = np.array([0.0, LEAST_SHRINK]), np.array([np.inf, 1.0])

    def values(self, parameters):
        """c of the training samples, one row a parameter vector."""
        return self._factors(self._f, parameters)

    def validation_values(self, parameters):
        """c of the validation samples, one row a parameter vector."""
        return self._factors(self._validation_f, parameters)

    def pull_back(self, parameters, by_c):
        """Gradient with respect to the parameters from that with respect to c."""
        _, by_kappa, by_shrink = conformal.margin_displacement(self._f, *parameters, self._offset)
        return np.array([by_kappa @ by_c, by_shrink @ by_c])

    def canonical(self, parameters):
        """The simplest parameters of the same transformation: these."""
        return parameters

    def stage(self, parameters):
        """The transformation of one parameter vector."""
        state, (kappa, shrink) = self._state, map(float, parameters)
        coef, intercept = self._unit * state.expansion(), self._unit * state.machine.intercept
        return Decay(state.columns, coef, intercept, kappa, shrink, self._offset)

    def _factors(self, f, parameters):
        kappa, shrink = parameters.T[:, :, np.newaxis]
        return conformal.boundary_decay(
            conformal.displaced_decision(f, shrink, self._offset), kappa
        )


class Widths:
    """TSVT: the rates of the Gaussians on the support vectors."""

    def __init__(self, state, start):
        self._state, self.start = state, start
        self.lower, self.upper = np.zeros(start.size), np.full(start.size, np.inf)
        self._distances = state.distances_to_support()
        self._validation_distances = state.validation_distances_to_support()
        self._rows = np.empty(self._distances.shape)

    def values(self, parameters):
        return conformal.gaussian_sums(self._distances, parameters)

    def validation_values(self, parameters):
        return conformal.gaussian_sums(self._validation_distances, parameters)

    def pull_back(self, parameters, by_c):
        from companion._conformal_loops import gaussian_rows

        gaussian_rows(self._distances, parameters, self._rows)
        self._rows *= self._distances
        return -(self._rows @ by_c)

    def canonical(self, parameters):
        return parameters

    def stage(self, parameters):
        return Gaussians(self._state.columns, np.array(parameters))


class Cores:
    """Xiong: the coefficients of c = c_0 + sum_i c_i exp(-gamma ||x - a_i||^2)."""

    def __init__(self, state, cores, gamma):
        self._columns, self._gamma = state.problem.train[cores], float(gamma)
        self.basis = _with_constant(state.problem.distances[cores], gamma)
        self._validation_basis = _with_constant(state.problem.validation_distances[cores], gamma)
        m = cores.size + 1
        self.start = np.zeros(m)
        self.start[0] = 1.0
        self.lower, self.upper = np.full(m, -np.inf), np.full(m, np.inf)

    def values(self, parameters):
        return self._scaled(parameters) @ self.basis.T

    def validation_values(self, parameters):
        return self._scaled(parameters) @ self._validation_basis.T

    def pull_back(self, parameters, by_c):
        return (by_c @ self.basis) * self._scale(parameters)

    def canonical(self, parameters):
        """Scaled to a mean square of one on the training samples: J does not depend on it."""
        return self._scaled(np.asarray(parameters, dtype=float))

    def stage(self, parameters):
        coefficients = self.canonical(parameters)
        rates = np.full(self._columns.size, self._gamma)
        return Gaussians(self._columns, rates, coefficients[1:], float(coefficients[0]))

    def _scaled(self, parameters):
        return parameters * self._scale(parameters)[..., np.newaxis]

    def _scale(self, parameters):
        c = parameters @ self.basis.T
        square = np.mean(c**2, axis=-1)
        sign = np.where(c.sum(axis=-1) >= 0.0, 1.0, -1.0)
        return sign / np.sqrt(np.where(square > 0.0, square, 1.0))


def _with_constant(distances, gamma):
    return np.column_stack([np.ones(distances.shape[1]), np.exp(-gamma * distances.T)])
