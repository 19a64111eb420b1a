"""Conformal transformations of a kernel, one after the other, as long as validation improves.

    train svm_0 on K;  d = 1
    repeat  c from svm_{t-1};  d = d c;  train svm_t on d(x) d(z) k(x, z)
    until   the g-means error on V does not fall by more than theta
    return  the last svm that improved, or one on all samples where none did

This is the common frame of the thesis's Algorithms 4, 5, 7 and 8, which as printed return the
machine that has just failed to improve. The machine is the nearest-points machine of K + I / C.

References
----------
A. Barbero, SVM imbalance correction by conformal kernel transformations, 2008. Chapters 4 to 6.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from companion.separability import Separability
from companion.solvers._stages import cumulate
from companion.solvers.mdm import MDMResult, mdm
from companion.solvers.metamodels import GENERATIONS, ascend_separability, evolve
from companion.solvers.transformations import RULES, Rule

__all__ = ["SEARCHES", "ConformalProblem", "ConformalResult", "conformal_transformations"]

SEARCHES = (
    "separability_gradient", "separability_cma", "separability_exact", "validation_cma",
)  # fmt: skip

# The largest C d^2 k(x, x) of a class. Below, the class vanishes beside the ridge 1 / C; above, the
# ridge vanishes beside the class and the machine has a hard margin.
_LEAST, _MOST = 1e-12, 1e12


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
    C : float
        The machine has primal 1/2 ||w||^2 + C/2 sum xi^2.
    distances : ndarray of shape (n_samples, n_samples), optional
        Squared distances in input space, which the sums of Gaussians need.
    sigma : float, optional
        Width of the kernel exp(-||x - z||^2 / (2 sigma^2)), for Amari and Xiong.
    n_features : int, optional
        For Amari.
    tol, max_iter
        Of the solver.

    Raises
    ------
    ValueError
        If shapes do not match, labels are not -1 and +1, C is not positive, or a class is missing
        among the validation or among the other samples.

    Attributes
    ----------
    train, validation : ndarray of int
        The samples of both parts; those of class +1 come first in `train`.
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
        """Squared distances among the training part."""
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
        """The machine on the training part, without a transformation."""
        return self._nearest_points(self.K, self.y)

    @cached_property
    def whole(self):
        """The machine on all samples, without a transformation."""
        if self.validation.size == 0:
            alpha = np.empty(self.whole_y.size)
            alpha[self.train] = self.first.alpha
            places = np.argsort(self.train)
            decision, products = self.first.decision_function, self.first.products
            return replace(
                self.first, alpha=alpha, decision_function=decision[places],
                products=products[places],
            )  # fmt: skip
        return self._nearest_points(self.whole_K, self.whole_y)

    def machine(self, d, alpha0=None):
        """The machine on the training part with the kernel d(x) d(z) k(x, z)."""
        from companion._conformal_loops import scaled_gram

        if self._buffer is None:
            self._buffer = np.empty_like(self.K)
        scaled_gram(self.K, d, self._buffer)
        return self._nearest_points(self._buffer, self.y, alpha0)

    def _nearest_points(self, K, y, alpha0=None):
        return mdm(
            K, y, ridge=1.0 / self.C, alpha0=alpha0, accelerate=True, tol=self.tol,
            max_iter=self.max_iter, check_finite=False,
        )  # fmt: skip

    def validation_error(self, machine, d, validation_d):
        """The g-means error of a machine on the validation part."""
        chosen = self.validation_decision(machine, d, validation_d) > 0.0
        positive = self.validation_y > 0.0
        hits = chosen[positive].mean(), 1.0 - chosen[~positive].mean()
        return 1.0 - float(np.sqrt(hits[0] * hits[1]))

    def validation_decision(self, machine, d, validation_d):
        """Decision values of the validation part, in hull units."""
        support = np.flatnonzero(machine.alpha)
        coef = (self.y * machine.alpha * d)[support]
        return validation_d * (self.validation_K[:, support] @ coef) + machine.intercept

    def trouble(self, d):
        """What is wrong with factors d on the training part; None if nothing is."""
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


@dataclass(frozen=True)
class ConformalResult:
    """A machine on a conformally transformed kernel d(x) d(z) k(x, z).

    Attributes
    ----------
    machine : MDMResult
        Nearest points of the hulls of `samples`, in hull units.
    samples : ndarray of int
        What the machine was trained on: the training part, or all samples if `n_transforms` is 0.
    y : ndarray
        Labels of these samples.
    factors : ndarray
        d of these samples.
    stages : tuple
        The transformations kept, in order.
    n_transforms : int
        How many were kept. 0 is the asterisk of the thesis's tables.
    validation_error : float
        Of the machine kept; that of the first machine on the training part if `n_transforms` is 0;
        NaN without validation samples.
    history : list of dict
        One entry a machine: "transformation" (0 for the first), "separability", "validation_error",
        "parameters", "n_support", "n_iter", "converged" and "kept".
    stop_reason : str
        Why no further transformation was applied, as a sentence.
    is_degenerate : bool
        Whether that was because c vanished or grew without bound.
    """

    machine: MDMResult
    samples: np.ndarray
    y: np.ndarray
    factors: np.ndarray
    stages: tuple
    n_transforms: int
    validation_error: float
    history: list
    stop_reason: str
    is_degenerate: bool

    def transformation(self, K, distances=None, diagonal=None):
        """d at points.

        Parameters
        ----------
        K : ndarray of shape (n_points, n_samples)
            Base kernel with all samples of the problem.
        distances : ndarray of shape (n_points, n_samples), optional
            Squared distances.
        diagonal : ndarray of shape (n_points,), optional
            k(x, x); ones by default.

        Returns
        -------
        ndarray of shape (n_points,)
        """
        return cumulate(self.stages, K, distances, diagonal)

    def decision_function(self, K, distances=None, diagonal=None):
        """Decision values at points in the units of the SVM, margins at -1 and +1; (4.1.7).

        Parameters
        ----------
        K, distances, diagonal
            As for :meth:`transformation`.

        Returns
        -------
        ndarray of shape (n_points,)
        """
        d = self.transformation(K, distances, diagonal)
        support = np.flatnonzero(self.machine.alpha)
        coef = (self.y * self.machine.alpha * self.factors)[support]
        hull = d * (K[:, self.samples[support]] @ coef) + self.machine.intercept
        return 2.0 / self.machine.squared_norm * hull

    def compact(self):
        """The result with columns for the samples that predictions need, and which these are.

        Returns
        -------
        result : ConformalResult
            `samples` are the support vectors, `y`, `factors` and `machine.alpha` theirs.
        needed : ndarray of int
            Samples of the problem that the columns of K and distances now stand for.
        """
        support = np.flatnonzero(self.machine.alpha)
        parts = [self.samples[support], *(stage.columns for stage in self.stages)]
        needed = np.unique(np.concatenate(parts))
        stages = tuple(
            replace(stage, columns=np.searchsorted(needed, stage.columns)) for stage in self.stages
        )
        return replace(
            self,
            machine=replace(self.machine, alpha=self.machine.alpha[support]),
            samples=np.searchsorted(needed, self.samples[support]),
            y=self.y[support],
            factors=self.factors[support],
            stages=stages,
        ), needed


class _State:
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

    def validation_decision(self):
        return self.problem.validation_decision(
            self.machine, self.factors, self.validation_factors
        )

    def distances_to_support(self):
        return np.ascontiguousarray(self.problem.distances[self.support])

    def validation_distances_to_support(self):
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
                problem.validation_K[:, columns], far, problem.validation_diagonal,
                self.validation_factors,
            ),
        )  # fmt: skip


def _carried(alpha, y, ratio):
    """Multipliers that keep w, but for the lengths of its two parts, when d is divided by ratio."""
    alpha = alpha * np.where(np.isfinite(ratio), ratio, 0.0)
    positive = y > 0
    sums = alpha[positive].sum(), alpha[~positive].sum()
    if not all(0.0 < total < np.inf for total in sums):
        return None
    return alpha / np.where(positive, *sums)


def conformal_transformations(
    problem,
    transform,
    *,
    search="separability_gradient",
    max_transforms=10,
    theta=0.0,
    generations=GENERATIONS,
    seed=0,
):
    """Transform the kernel of a problem until the error on its validation part stops falling.

    Parameters
    ----------
    problem : ConformalProblem
    transform : str or Rule
        A name in :data:`companion.solvers.transformations.RULES`, or a rule with its own settings.
    search : str, default="separability_gradient"
        Metamodel for the parameters of Xiong, MDT and TSVT: BFGS on the separability J
        ("separability_gradient"), CMA-ES on J ("separability_cma"), CMA-ES on the g-means error of
        the validation part ("validation_cma"), or for Xiong the exact maximiser of J
        ("separability_exact").
    max_transforms : int, default=10
    theta : float, default=0.0
        The error must fall by more than this.
    generations : int, default=30
        Of CMA-ES.
    seed : int, default=0
        For CMA-ES and the choice of cores.

    Returns
    -------
    ConformalResult

    Raises
    ------
    ValueError
        If the transformation needs what the problem does not have, or the search is unknown or not
        for this transformation.

    Warns
    -----
    ConvergenceWarning
        Where the solver does not converge; not for the candidates of a search.
    """
    rule = RULES[transform]() if isinstance(transform, str) and transform in RULES else transform
    _check(problem, rule, search)
    rng = np.random.default_rng(seed)
    has_validation = problem.validation.size > 0
    machine = problem.first
    d, validation_d = np.ones(problem.train.size), np.ones(problem.validation.size)
    error = problem.validation_error(machine, d, validation_d) if has_validation else np.nan
    history = [_entry(problem, 0, machine, d, error, {}, True)]
    stages, degenerate = [], False
    reason = f"All {max_transforms} transformations were applied."
    while len(stages) < max_transforms:
        if error <= theta:
            reason = f"A validation error of {error:g} cannot fall by more than theta = {theta:g}."
            break
        state = _State(problem, machine, d, validation_d)
        stage, candidate = _choose(rule, search, state, generations, rng)
        c, validation_c = state.apply(stage)
        trouble = problem.trouble(d * c)
        if trouble is None and not np.all(np.isfinite(validation_c)):
            trouble = "is not finite on a validation sample"
        if trouble is not None:
            degenerate = True
            reason = f"Transformation {len(stages) + 1} {trouble}; it is not applied."
            break
        if candidate is None:
            candidate = problem.machine(d * c, _carried(machine.alpha, problem.y, _inverse(c)))
        after = np.nan
        if has_validation:
            after = problem.validation_error(candidate, d * c, validation_d * validation_c)
        kept = not has_validation or error - after > theta
        history.append(
            _entry(problem, len(stages) + 1, candidate, d * c, after, stage.parameters, kept)
        )
        if not kept:
            reason = (
                f"Transformation {len(stages) + 1} does not lower the validation error "
                f"{error:.4g} by more than theta = {theta:g}."
            )
            break
        machine, error = candidate, after
        d, validation_d = d * c, validation_d * validation_c
        stages.append(stage)

    samples, y, factors = problem.train, problem.y, d
    if not stages:
        machine, samples, y = problem.whole, np.arange(problem.whole_y.size), problem.whole_y
        factors = np.ones(y.size)
    return ConformalResult(
        machine=machine, samples=samples, y=y, factors=factors, stages=tuple(stages),
        n_transforms=len(stages), validation_error=error, history=history, stop_reason=reason,
        is_degenerate=degenerate,
    )  # fmt: skip


def _choose(rule, search, state, generations, rng):
    """A stage by the rule or the metamodel, and its machine if the search has trained it."""
    if not rule.is_searched:
        return rule.stage(state), None
    family, J = rule.family(state, rng), state.problem.separability
    if search == "separability_exact":
        basis = state.factors[:, np.newaxis] * family.basis
        return family.stage(J.maximiser(basis)[0]), None
    if search == "separability_gradient":
        return family.stage(ascend_separability(family, J, state.factors)[0]), None
    seed = int(rng.integers(2**31))
    if search == "separability_cma":
        parameters, _ = evolve(
            lambda candidates: -J.values(family.values(candidates) * state.factors),
            family.lower, family.upper, seed=seed, generations=generations,
        )  # fmt: skip
        return family.stage(parameters), None
    race = _ValidationRace(family, state)
    parameters, _ = evolve(
        race.errors, family.lower, family.upper, seed=seed, generations=generations, target=0.0
    )
    return family.stage(parameters), race.machine


class _ValidationRace:
    """Validation errors of candidates, each with its own machine; the first best one is kept.

    Candidates resemble each other more than the machine they are to replace, so each solver starts
    from the solution for the candidate before.
    """

    def __init__(self, family, state):
        self._family, self._state = family, state
        self.machine, self._least = None, np.inf
        self._last = state.alpha, state.factors

    def errors(self, candidates):
        state, problem = self._state, self._state.problem
        factors = self._family.values(candidates) * state.factors
        validation = self._family.validation_values(candidates) * state.validation_factors
        errors = np.ones(len(candidates))
        for k, (d, validation_d) in enumerate(zip(factors, validation, strict=True)):
            if problem.trouble(d) is not None or not np.all(np.isfinite(validation_d)):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                alpha, before = self._last
                machine = problem.machine(d, _carried(alpha, problem.y, before * _inverse(d)))
            self._last = machine.alpha, d
            errors[k] = problem.validation_error(machine, d, validation_d)
            if errors[k] < self._least:
                self.machine, self._least = machine, errors[k]
        return errors


def _inverse(c):
    """1 / c, with 0 where c vanishes or is negative."""
    return np.where(c > 0.0, 1.0 / np.where(c > 0.0, c, 1.0), 0.0)


def _entry(problem, t, machine, d, error, parameters, kept):
    return {
        "transformation": t,
        "separability": problem.separability.value(d),
        "validation_error": error,
        "parameters": parameters,
        "n_support": int(np.count_nonzero(machine.alpha)),
        "n_iter": machine.n_iter,
        "converged": machine.converged,
        "kept": bool(kept),
    }


def _check(problem, rule, search):
    if not isinstance(rule, Rule):
        raise ValueError(
            f"The 'transform' of conformal_transformations must be one of {sorted(RULES)} or a "
            f"rule. Got {rule!r} instead."
        )
    name = type(rule).__name__
    if rule.uses_distances and problem.whole_distances is None:
        raise ValueError(
            f"{name} needs distances in input space, which a Gram matrix alone does not give. "
            "Pass 'distances', or use Williams, MDT or KBA."
        )
    if not rule.is_searched:
        return
    if search not in SEARCHES:
        raise ValueError(f"The 'search' must be one of {list(SEARCHES)}. Got {search!r} instead.")
    if search == "separability_exact" and not hasattr(rule, "n_cores"):
        raise ValueError(
            f"The exact maximiser of J is known for Xiong alone, whose c is linear in its "
            f"parameters. Got {name}; use 'separability_gradient'."
        )
    if search == "validation_cma" and problem.validation.size == 0:
        raise ValueError(
            "The search 'validation_cma' needs validation samples. Got none; set some aside or "
            "use a separability search."
        )
