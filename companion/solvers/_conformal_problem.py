"""A training set with its base kernel, divided once for all methods, and machines trained on it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from companion.separability import Separability
from companion.solvers.mdm import mdm

__all__ = ["ConformalProblem", "State", "carried", "inverse"]

# The largest C d^2 k(x, x) of a class. Below, the class vanishes beside the ridge 1 / C; above, the
# ridge vanishes beside the class and the machine has a hard margin.
_LEAST, _MOST = 1e-12, 1e12

# From this many samples a machine is first looked for among the support vectors of a similar one,
# as long as they are no more than this share of all; so many samples of a class join at a time.
_MANY, _FEW, _ADDED, _MOST_ROUNDS = 500, 0.25, 30, 20


class ConformalProblem:
    """A training set with its base kernel, shared by all methods that are tried on it.

    The Gram matrix is divided once; the first machine and the machine on all samples are trained
    once, when they are first asked for.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Base Gram matrix.
    y : ndarray of shape (n_samples,)
        Labels -1 and +1; +1 is the class towards which the margin is to be corrected, the rarer.
    validation : ndarray of int, optional
        Samples set aside. Without any, transformations are applied untested.
    C, tol, max_iter
        The machine has primal 1/2 ||w||^2 + C/2 sum xi^2; the others are of the solver.
    distances : ndarray of shape (n_samples, n_samples), optional
        Squared distances in input space, which the sums of Gaussians need.
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
        distances=None,
        sigma=None,
        n_features=None,
        tol=1e-3,
        max_iter=None,
    ):
        K, y = np.asarray(K, dtype=np.float64), np.asarray(y, dtype=np.float64)
        for name, matrix in (("K", K), ("distances", distances)):
            if matrix is not None and matrix.shape != (y.size, y.size):
                raise ValueError(
                    f"The '{name}' of ConformalProblem must have a row and a column for each of "
                    f"the {y.size} labels. Got shape {matrix.shape}."
                )
        if not 0.0 < C < np.inf:
            raise ValueError(f"The 'C' of ConformalProblem must be positive. Got {C!r} instead.")
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
        self.whole_K, self.whole_y, self.whole_distances = K, y, distances
        self.C, self.sigma, self.n_features = C, sigma, n_features
        self.tol, self.max_iter = tol, max_iter
        self.y, self.validation_y = y[self.train], y[self.validation]
        self.K = K[np.ix_(self.train, self.train)]
        self.validation_K = K[np.ix_(self.validation, self.train)]
        self.diagonal = self.K.diagonal().copy()
        self.validation_diagonal = K.diagonal()[self.validation]
        self._buffer = None

    @cached_property
    def distances(self):
        return self.whole_distances[np.ix_(self.train, self.train)]

    @cached_property
    def validation_distances(self):
        """Squared distances between training (rows) and validation part."""
        return self.whole_distances[np.ix_(self.train, self.validation)]

    @cached_property
    def separability(self):
        """J of the base kernel on the training part."""
        return Separability(self.K, self.y)

    @cached_property
    def first(self):
        return self._nearest_points(self.K, self.y)

    @cached_property
    def whole(self):
        if self.validation.size == 0:
            alpha = np.empty(self.whole_y.size)
            alpha[self.train] = self.first.alpha
            places = np.argsort(self.train)
            decision, products = self.first.decision_function, self.first.products
            return replace(
                self.first,
                alpha=alpha,
                decision_function=decision[places],
                products=products[places],
            )
        return self._nearest_points(self.whole_K, self.whole_y)

    def machine(self, d, alpha0=None):
        """The `MDMResult` on the training part with the kernel d(x) d(z) k(x, z).

        Parameters
        ----------
        d, alpha0 : ndarray of shape (n_train,)
            Factors of the kernel; multipliers of a similar machine to start from (or None).
        """
        if alpha0 is not None and self.y.size >= _MANY:
            machine = self._machine_of_few(d, alpha0)
            if machine is not None:
                return machine
        from companion._conformal_loops import scaled_gram

        if self._buffer is None:
            self._buffer = np.empty_like(self.K)
        scaled_gram(self.K, d, self._buffer)
        return self._nearest_points(self._buffer, self.y, alpha0)

    def _machine_of_few(self, d, alpha0):
        """The machine found among few samples and seen to be that of all; None if it is not."""
        y, d_y = self.y, d * self.y
        chosen = alpha0 > 0.0
        for _ in range(_MOST_ROUNDS):
            part = np.flatnonzero(chosen)
            if part.size > _FEW * y.size:
                return None
            K = self.K[np.ix_(part, part)] * d[part] * d[part, np.newaxis]
            few = self._nearest_points(K, y[part], alpha0[part])
            if not few.converged:
                return None
            alpha = np.zeros(y.size)
            alpha[part] = few.alpha
            support = np.flatnonzero(alpha)
            plain = d * ((d_y * alpha)[support] @ self.K[support])
            products = plain + y * alpha / self.C
            machine = _certified(few, alpha, plain, products, y)
            if machine.duality_gap <= self.tol * machine.objective:
                return machine
            # The samples that are nearer than any support vector, the worst of them first.
            heights = y * products
            for own in (y > 0, y < 0):
                lower = own & (heights < heights[own & (alpha > 0.0)].min()) & ~chosen
                worst = np.flatnonzero(lower)[np.argsort(heights[lower])][:_ADDED]
                chosen[worst] = True
            alpha0 = alpha
        return None

    def candidate(self, d, validation_d, alpha0):
        """What a search needs of :meth:`machine`, in a fraction of its time: alpha, n_iter, error.

        None if the support is too large, nothing to start from is there, or a budget is set.

        Parameters
        ----------
        d, validation_d : ndarray
            Factors of the training and the validation part, without trouble.
        alpha0 : ndarray of shape (n_samples,) or None
            Multipliers to start from; they are not changed.
        """
        if alpha0 is None or self.max_iter is not None:
            return None
        from companion.solvers._candidate_kernels import train, validation_error

        alpha, heights = alpha0.copy(), np.empty(alpha0.size)
        p = int(np.count_nonzero(self.y > 0.0))
        trained, n_iter = train(self.K, d, p, 1.0 / self.C, self.tol, alpha, heights)
        if not trained:
            return None
        weights = alpha * heights
        intercept = -0.5 * (weights[:p].sum() - weights[p:].sum())
        return (
            alpha,
            n_iter,
            validation_error(
                self.validation_K, self.validation_y, validation_d, self.y * alpha * d, intercept
            ),
        )

    def _nearest_points(self, K, y, alpha0=None):
        return mdm(
            K,
            y,
            ridge=1.0 / self.C,
            alpha0=alpha0,
            accelerate=True,
            tol=self.tol,
            max_iter=self.max_iter,
            check_finite=False,
        )

    def validation_error(self, machine, d, validation_d):
        """The g-means error of a machine on the validation part.

        Parameters
        ----------
        machine : MDMResult
        d, validation_d : ndarray
            Factors of the training and the validation part that the machine was trained with.
        """
        chosen = self.validation_decision(machine, d, validation_d) > 0.0
        positive = self.validation_y > 0.0
        hits = chosen[positive].mean(), 1.0 - chosen[~positive].mean()
        return 1.0 - float(np.sqrt(hits[0] * hits[1]))

    def validation_decision(self, machine, d, validation_d):
        """Decision values of the validation part, in hull units.

        Parameters
        ----------
        machine, d, validation_d
            As of :meth:`validation_error`.
        """
        support = np.flatnonzero(machine.alpha)
        coef = (self.y * machine.alpha * d)[support]
        return validation_d * (self.validation_K[:, support] @ coef) + machine.intercept

    def trouble(self, d):
        """What is wrong with factors on the training part, a predicate; None if nothing is.

        Parameters
        ----------
        d : ndarray of shape (n_train,)
        """
        if not np.all(np.isfinite(d)):
            return "is not finite"
        if np.any(d < 0.0) and not np.any(d > 0.0):
            return "is negative everywhere"
        with np.errstate(over="ignore"):
            weight = self.C * d**2 * self.diagonal
        tops = weight[self.y > 0].max(), weight[self.y < 0].max()
        if min(tops) < _LEAST:
            return "underflows on all training samples of a class"
        if max(tops) > _MOST:
            return "is so large that the penalty 1 / C vanishes beside the kernel"
        return None

    def usable(self, D):
        """Which rows of D are factors on the training part without :meth:`trouble`.

        Parameters
        ----------
        D : ndarray of shape (n_candidates, n_train)
        """
        with np.errstate(over="ignore", invalid="ignore"):
            weights = self.C * D**2 * self.diagonal
            usable = np.isfinite(D).all(axis=1)
            usable &= np.any(D > 0.0, axis=1) | np.all(D >= 0.0, axis=1)
            for own in (self.y > 0, self.y < 0):
                tops = weights[:, own].max(axis=1)
                usable &= (tops >= _LEAST) & (tops <= _MOST)
        return usable


def _certified(few, alpha, plain, products, y):
    """The result for all samples of a machine whose support is among few of them."""
    heights, support = y * products, alpha > 0.0
    least = [heights[y == sign].min() for sign in (1.0, -1.0)]
    highest = [heights[support & (y == sign)].max() for sign in (1.0, -1.0)]
    bound = max(sum(least), 0.0) ** 2 / (2.0 * few.squared_norm)
    return replace(
        few,
        alpha=alpha,
        products=products,
        decision_function=plain + few.intercept,
        duality_gap=few.objective - bound,
        kkt_violation=float(max(np.subtract(highest, least))),
    )


class State:
    """A trained machine with its samples: what rules and families read."""

    def __init__(self, problem, machine, d, validation_d):
        self.problem, self.machine = problem, machine
        self.factors, self.validation_factors = d, validation_d
        self.y, self.alpha = problem.y, machine.alpha
        self.f = machine.products - machine.alpha * self.y / problem.C + machine.intercept
        self.support = np.flatnonzero(machine.alpha)
        self.columns = problem.train[self.support]

    def expansion(self):
        """Coefficients of the support vectors in f(x) = d(x) sum_j coef_j k(x, x_j) + b."""
        return (self.y * self.alpha * self.factors)[self.support]

    def unit(self, units):
        """What multiplies multipliers and decision values of the hulls in "hull" or "svm" units."""
        return 1.0 if units == "hull" else 2.0 / self.machine.squared_norm

    def validation_decision(self):
        return self.problem.validation_decision(self.machine, self.factors, self.validation_factors)

    def distances_to_support(self):
        """Squared distances between support vectors (rows) and training part."""
        return np.ascontiguousarray(self.problem.distances[self.support])

    def validation_distances_to_support(self):
        """Squared distances between support vectors (rows) and validation part."""
        return np.ascontiguousarray(self.problem.validation_distances[self.support])

    def support_distances(self):
        return self.problem.distances[np.ix_(self.support, self.support)]

    def apply(self, stage):
        """c of a stage on the training and the validation part."""
        problem = self.problem
        places = np.empty(problem.whole_y.size, dtype=np.intp)
        places[problem.train] = np.arange(problem.train.size)
        columns = places[stage.columns]
        near, far = None, None
        if problem.whole_distances is not None:
            near, far = problem.distances[columns], problem.validation_distances[columns]
        return (
            stage.factors(problem.K[:, columns], near, problem.diagonal, self.factors),
            stage.factors(
                problem.validation_K[:, columns],
                far,
                problem.validation_diagonal,
                self.validation_factors,
            ),
        )


def carried(alpha, y, ratio):
    """Multipliers that keep w, but for the lengths of its two parts, when d is divided by ratio."""
    alpha = alpha * np.where(np.isfinite(ratio), ratio, 0.0)
    positive = y > 0
    sums = alpha[positive].sum(), alpha[~positive].sum()
    if not all(0.0 < total < np.inf for total in sums):
        return None
    return alpha / np.where(positive, *sums)


def inverse(c):
    """1 / c, with 0 where c vanishes or is negative."""
    return np.where(c > 0.0, 1.0 / np.where(c > 0.0, c, 1.0), 0.0)
