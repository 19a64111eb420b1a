"""A training set with its base kernel, divided once for all methods, and machines trained on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion._utils.checks import checked_positive, checked_weights
from companion.conformal.factors import Gaussians
from companion.conformal.separability import Separability
from companion.solvers.mdm import MDMResult, minimise, nearest_points

# The largest C d^2 k(x, x) of a class. Below, the class vanishes beside the ridge 1 / C; above, the
# ridge vanishes beside the class and the machine has a hard margin.
_MIN_CURVATURE = 1e-12
_MAX_CURVATURE = 1e12

# Candidates of a search are trained to as many times the tolerance, or for so many updates; the
# best one to the tolerance.
_CANDIDATE_TOL_FACTOR = 10.0
_CANDIDATE_MAX_ITER = 50_000

# Multipliers of samples with a factor below are not carried over: they would be beyond all numbers.
_MIN_FACTOR = 1e-150


class ConformalProblem:
    """A training set with its base kernel, shared by all methods that are tried on it.

    The Gram matrix is divided once; the first machine and the machine on all samples are trained
    once, when they are first asked for.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples), or callable
        Base Gram matrix, or a function of two vectors of samples that makes the part with these
        rows and columns. The whole matrix is then made for the machine on all samples alone, which
        is the last thing such a problem can be asked for.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1; +1 is the class towards which the margin is to be corrected, the rarer.
    validation : ndarray of int, optional
        Samples set aside. Without any, transformations are applied untested.
    C, tol, max_iter
        The machine has primal 1/2 ||w||^2 + C/2 sum xi^2; the others are of the solver.
    sample_weight : ndarray of shape (n_samples,), optional
        Positive factors on C and on the errors of validation samples.
    distances : ndarray of shape (n_samples, n_samples), or callable, optional
        Squared distances in input space, which the sums of Gaussians need; or a function as `K`.
    sigma, n_features : float, int, optional
        Width of the kernel exp(-||x - z||^2 / (2 sigma^2)), for Amari and Xiong; for Amari.

    Attributes
    ----------
    train, validation : ndarray of int
        The samples of both parts; those of class +1 come first in `train`.

    Raises
    ------
    ValueError
        If shapes do not match, labels are not -1 and +1, C is not positive, or a class is missing
        among the validation or among the other samples.
    """

    def __init__(
        self,
        K,
        y,
        validation=None,
        *,
        C,
        sample_weight=None,
        distances=None,
        sigma=None,
        n_features=None,
        tol=1e-3,
        max_iter=None,
    ):
        y = np.ascontiguousarray(y, dtype=np.float64)
        self._kernel = _parts_of(K, y.size, "K")
        self.distances_between = _parts_of(distances, y.size, "distances")
        checked_positive(C, "C", "ConformalProblem")
        held_out = np.zeros(y.size, dtype=bool)
        held_out[[] if validation is None else validation] = True
        train = np.flatnonzero(~held_out)
        self.validation = np.flatnonzero(held_out)
        self.train = train[np.argsort(-y[train], kind="stable")]
        for name, part in (("training", self.train), ("validation", self.validation)):
            found = np.unique(y[part]).tolist()
            if found != [-1.0, 1.0] and (name == "training" or part.size):
                raise ValueError(
                    f"ConformalProblem needs the labels -1 and +1 in the {name} part, both there. "
                    f"Got {found}; set aside another share for validation."
                )
        self.whole_y = y
        self._frees = callable(K)
        self.C = C
        self.sigma = sigma
        self.n_features = n_features
        self.tol = tol
        self.max_iter = max_iter
        self.sample_weight = checked_weights(sample_weight, y.size, "ConformalProblem")
        self._costs = C * self.sample_weight
        self._validation_weight = self.sample_weight[self.validation]
        self.y = y[self.train]
        self.validation_y = y[self.validation]
        self.K = self._kernel(self.train, self.train)
        self.validation_K = self._kernel(self.train, self.validation)
        self.diagonal = self.K.diagonal().copy()
        of_validation = self._kernel(self.validation, self.validation)
        self.validation_diagonal = of_validation.diagonal().copy()

    def distances(self, samples, points=slice(None)):
        """Squared distances between some training samples (rows) and the training part.

        Parameters
        ----------
        samples : ndarray of int
            Numbers within the training part.
        points : slice, optional
            Those of the training part, by default all.

        Returns
        -------
        ndarray of shape (len(samples), n_points)
        """
        return self.distances_between(self.train[samples], self.train[points])

    def validation_distances(self, samples, points=slice(None)):
        """As :meth:`distances`, to the validation part.

        Parameters
        ----------
        samples, points
            As of :meth:`distances`.
        """
        return self.distances_between(self.train[samples], self.validation[points])

    @cached_property
    def separability(self):
        """J of the base kernel on the training part."""
        return Separability(self.K, self.y)

    @cached_property
    def first(self):
        return self._nearest_points(self.K, self.y, self.y, self.train)

    @cached_property
    def whole(self):
        everything = np.arange(self.whole_y.size)
        if self._frees:
            # Nothing else is asked for any more, and all other matrices are room.
            self.K = self.validation_K = None
            self.__dict__.pop("separability", None)
        K = self._kernel(everything, everything)
        return self._nearest_points(K, self.whole_y, self.whole_y, everything)

    def machine(self, d, alpha0=None):
        """The `MDMResult` on the training part with the kernel d(x) d(z) k(x, z).

        Parameters
        ----------
        d, alpha0 : ndarray of shape (n_train,)
            Factors of the kernel; multipliers of a similar machine to start from (or None).
        """
        return self._nearest_points(self.K, self.y, self.y * d, self.train, alpha0)

    def ridge(self, samples):
        """What the penalty of some samples adds to the diagonal: 1 over C times their weight.

        Parameters
        ----------
        samples : ndarray of int
            Numbers of samples of the whole problem.

        Returns
        -------
        ndarray of shape (len(samples),)
        """
        return 1.0 / self._costs[samples]

    def candidate(self, d, alpha0):
        """What a search needs of a machine like :meth:`machine`: multipliers, b and iterations.

        The search compares errors on few samples, so the tolerance is ten times that of a machine,
        and the few candidates that take very long are judged where they stand.

        Parameters
        ----------
        d, alpha0
            As of :meth:`machine`.
        """
        most = _CANDIDATE_MAX_ITER
        if self.max_iter is not None:
            most = min(self.max_iter, most)
        tol = min(_CANDIDATE_TOL_FACTOR * self.tol, 0.5)
        e = self.y * d
        ridge = self.ridge(self.train)
        alpha, heights, n_iter = minimise(
            self.K, self.y, e, ridge, alpha0, tol=tol, max_iter=most
        )
        return alpha, -0.5 * ((self.y * alpha) @ heights), n_iter

    def _nearest_points(self, K, y, e, samples, alpha0=None):
        options = {"tol": self.tol, "max_iter": self.max_iter}
        return nearest_points(K, y, e, self.ridge(samples), alpha0, **options)

    def validation_decisions(self, weights, intercepts, validation_D):
        """Decision values of the validation part under many machines, in hull units.

        Parameters
        ----------
        weights : ndarray of shape (n_machines, n_train)
            alpha * d of each.
        intercepts : ndarray of shape (n_machines, 1)
        validation_D : ndarray of shape (n_machines, n_validation)
            Factors of the validation part.
        """
        used = np.flatnonzero(np.atleast_2d(weights).any(axis=0))
        products = (self.y * weights)[..., used] @ self.validation_K[used]
        return validation_D * products + intercepts

    def g_means_errors(self, decisions):
        """The g-means errors of decisions on the validation part; NaN where there is none.

        Parameters
        ----------
        decisions : ndarray of shape (n_machines, n_validation)
        """
        if not self.validation.size:
            return np.full(decisions.shape[:-1], np.nan)
        chosen = decisions > 0.0
        positive = self.validation_y > 0.0
        sensitivity = self._share(chosen, positive)
        specificity = self._share(~chosen, ~positive)
        return 1.0 - np.sqrt(sensitivity * specificity)

    def _share(self, chosen, of_class):
        """The share of a class that is chosen, by weight."""
        weight = self._validation_weight[of_class]
        if (weight == weight[0]).all():
            return chosen[..., of_class].mean(axis=-1)
        # Rounding must not make more of a class than the whole of it.
        return np.minimum(chosen[..., of_class] @ weight / weight.sum(), 1.0)

    def troubles(self, D, validation_D):
        """What is wrong with factors on both parts, a predicate each; "" where nothing is.

        Parameters
        ----------
        D, validation_D : ndarray of shape (n_machines, n_train) and (n_machines, n_validation)
        """
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = self._costs[self.train] * D**2 * self.diagonal
        tops = np.stack([sizes[:, self.y == sign].max(axis=1) for sign in (1.0, -1.0)])
        is_small = tops.min(axis=0) < _MIN_CURVATURE
        is_large = tops.max(axis=0) > _MAX_CURVATURE
        found = {
            "is not finite": ~np.isfinite(D).all(axis=1),
            "is negative everywhere": (D <= 0.0).all(axis=1) & D.any(axis=1),
            "underflows on all training samples of a class": is_small,
            "is so large that the penalty 1 / C vanishes beside the kernel": is_large,
            "is not finite on a validation sample": ~np.isfinite(validation_D).all(1),
        }
        return np.select(list(found.values()), list(found), default="")


def _parts_of(matrix, n, name):
    """The function of rows and columns that gives a part of a matrix, which may be one itself."""
    if matrix is None or callable(matrix):
        return matrix
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    if matrix.shape != (n, n):
        raise ValueError(
            f"The '{name}' of ConformalProblem must have a row and a column for each of "
            f"the {n} labels. Got shape {matrix.shape}."
        )
    everything = np.arange(n)

    def part(rows, columns):
        if np.array_equal(rows, everything) and np.array_equal(columns, everything):
            return matrix
        return matrix[np.ix_(rows, columns)]

    return part


def carry_over(alpha, before, d):
    """Multipliers that keep w, but for the lengths of its two parts, when factors become d."""
    usable = d > _MIN_FACTOR
    return np.divide(
        alpha * np.maximum(before, 0.0), d, out=np.zeros(d.size), where=usable
    )


@dataclass(frozen=True)
class TrainedMachine:
    """A machine trained with the kernel d(x) d(z) k(x, z): what rules read, and the next one."""

    problem: ConformalProblem
    machine: MDMResult
    factors: np.ndarray
    validation_factors: np.ndarray

    @classmethod
    def first(cls, problem):
        """The machine with the base kernel, d = 1."""
        ones = np.ones(problem.train.size), np.ones(problem.validation.size)
        return cls(problem, problem.first, *ones)

    def retrained(self, d, validation_d):
        """The machine with other factors, found from this one."""
        alpha0 = carry_over(self.alpha, self.factors, d)
        return TrainedMachine(
            self.problem, self.problem.machine(d, alpha0), d, validation_d
        )

    @property
    def y(self):
        return self.problem.y

    @property
    def alpha(self):
        return self.machine.alpha

    @cached_property
    def f(self):
        """Decision values of the training samples in hull units, without the ridge."""
        return self.machine.decision_function

    @cached_property
    def support(self):
        return np.flatnonzero(self.alpha)

    @property
    def columns(self):
        """The support vectors as samples of the whole problem."""
        return self.problem.train[self.support]

    def unit(self, units):
        """What multiplies multipliers and decision values of the hulls in "hull" or "svm" units."""
        return 1.0 if units == "hull" else 2.0 / self.machine.squared_norm

    def expansion(self, units="hull"):
        """Coefficients of the support vectors and b of f(x) = d(x) sum_j coef_j k(x, x_j) + b."""
        coef = (self.y * self.alpha * self.factors)[self.support]
        return self.unit(units) * coef, self.unit(units) * self.machine.intercept

    def validation_decision(self):
        """Decision values of the validation part, in hull units."""
        weights = self.alpha * self.factors
        return self.problem.validation_decisions(
            weights, self.machine.intercept, self.validation_factors
        )

    def validation_error(self):
        """The g-means error on the validation part, NaN where there is none."""
        return float(self.problem.g_means_errors(self.validation_decision()))

    def apply(self, stage):
        """c of a stage on the training and the validation part."""
        problem = self.problem
        places = np.empty(problem.whole_y.size, dtype=np.intp)
        places[problem.train] = np.arange(problem.train.size)
        columns = places[stage.columns]
        if isinstance(stage, Gaussians):
            of_train = None, problem.distances(columns)
            of_validation = None, problem.validation_distances(columns)
        else:
            of_train = problem.K[:, columns], None
            of_validation = problem.validation_K[columns].T, None
        return (
            stage.factors(*of_train, problem.diagonal, self.factors),
            stage.factors(
                *of_validation, problem.validation_diagonal, self.validation_factors
            ),
        )
