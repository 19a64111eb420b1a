"""Conformal transformations of a kernel, one after the other, as long as validation improves.

    train svm_0 on K;  d = 1
    repeat  c from svm_{t-1};  d = d c;  train svm_t on d(x) d(z) k(x, z)
    until   the g-means error on V does not fall by more than theta
    return  the last svm that improved, or one on all samples where none did

This is the common frame of Algorithms 4, 5, 7 and 8 of A. Barbero, SVM imbalance correction by
conformal kernel transformations (2008), which as printed return the machine that has just failed to
improve. The machine is the nearest-points machine of K + I / C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion._utils.progress import report
from companion.conformal.factors import Gaussians
from companion.solvers._conformal_problem import (
    ConformalProblem,
    TrainedMachine,
    carry_over,
)
from companion.solvers.mdm import MDMResult
from companion.solvers.metamodels import GENERATIONS, ascend_separability, evolve
from companion.solvers.transformations import RULES, Rule, Xiong

__all__ = ["ConformalProblem", "ConformalResult", "conformal_transformations"]

#: What CMA-ES does where the error is flat.
ESCAPES = ("early", "stop", None)

SEARCHES = (
    "separability_gradient",
    "separability_cma",
    "separability_exact",
    "validation_cma",
)


@dataclass(frozen=True)
class ConformalResult:
    """A machine on a conformally transformed kernel d(x) d(z) k(x, z).

    Attributes
    ----------
    machine : MDMResult
        Nearest points of the hulls of `samples`, in hull units.
    samples, y, factors : ndarray
        What the machine was trained on (the training part, or all samples if `n_transforms` is 0),
        the labels and d of these samples.
    stages, n_transforms : tuple, int
        The transformations kept, in order, and how many; 0 is the asterisk of the thesis's tables.
    validation_error : float
        Of the machine kept; that of the first machine on the training part if `n_transforms` is 0;
        NaN without validation samples.
    history : list of dict
        One entry a machine: "transformation" (0 for the first), "separability", "validation_error",
        "parameters", "n_support", "n_iter", "converged" and "kept".
    stop_reason, is_degenerate : str, bool
        Why no further transformation was applied, and whether that was because c vanished or grew
        without bound.
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
        """d at points, shape (n_points,).

        Parameters
        ----------
        K : ndarray of shape (n_points, n_samples)
            Base kernel with all samples of the problem.
        distances : ndarray of shape (n_points, n_samples), optional
            Squared distances.
        diagonal : ndarray of shape (n_points,), optional
            k(x, x); ones by default.
        """
        d = np.ones(len(K))
        diagonal = d if diagonal is None else diagonal
        # Each sees what the ones before have made of the kernel.
        for stage in self.stages:
            by_distance = isinstance(stage, Gaussians)
            near = None if by_distance else K.T[stage.columns].T
            some = distances.T[stage.columns] if by_distance else None
            d = d * stage.factors(near, some, diagonal, d)
        return d

    def decision_function(self, K, distances=None, diagonal=None):
        """Decision values at points in the units of the SVM, margins at -1 and +1; (4.1.7).

        Parameters
        ----------
        K, distances, diagonal
            As for :meth:`transformation`.
        """
        d = self.transformation(K, distances, diagonal)
        support = np.flatnonzero(self.machine.alpha)
        coef = (self.y * self.machine.alpha * self.factors)[support]
        hull = d * (coef @ K.T[self.samples[support]]) + self.machine.intercept
        return 2.0 / self.machine.squared_norm * hull

    def compact(self):
        """The result with columns for the samples that predictions need, and which these are."""
        support = np.flatnonzero(self.machine.alpha)
        parts = [self.samples[support], *(stage.columns for stage in self.stages)]
        needed = np.unique(np.concatenate(parts))
        stages = tuple(
            replace(stage, columns=np.searchsorted(needed, stage.columns))
            for stage in self.stages
        )
        return replace(
            self,
            machine=replace(self.machine, alpha=self.machine.alpha[support]),
            samples=np.searchsorted(needed, self.samples[support]),
            y=self.y[support],
            factors=self.factors[support],
            stages=stages,
        ), needed


def conformal_transformations(
    problem,
    transform,
    *,
    search="separability_gradient",
    max_transforms=10,
    theta=0.0,
    generations=GENERATIONS,
    seed=0,
    escape="early",
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
    generations, seed : int, default=30 and 0
        Of CMA-ES; the seed is also that of the choice of cores.
    escape : {"early", "stop"} or None, default="early"
        Whether CMA-ES enlarges its step where the error is flat, as in the C program of 2008, or
        not; "stop" also gives up at once, as that program did; see
        :func:`companion.solvers.metamodels.evolve`.

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
    is_name = isinstance(transform, str) and transform in RULES
    rule = RULES[transform]() if is_name else transform
    _check(problem, rule, search, generations, escape)
    rng = np.random.default_rng(seed)
    # train svm_0 on K; d = 1
    svm = TrainedMachine.first(problem)
    error = svm.validation_error()
    history = [_entry(svm, 0, error, {}, True)]
    stages = []
    degenerate = False
    reason = f"All {max_transforms} transformations were applied."
    while len(stages) < max_transforms:
        report("{} transformations, validation error {:.3g}", len(stages), error)
        if error <= theta:
            reason = f"A validation error of {error:g} cannot fall by more than theta = {theta:g}."
            break
        # c from svm_{t-1}, by the rule or by a search
        stage, candidate = _choose(
            rule, search, svm, rng, generations=generations, escape=escape
        )
        c, validation_c = svm.apply(stage)
        d = c * svm.factors
        validation_d = validation_c * svm.validation_factors
        trouble = problem.troubles(d[np.newaxis], validation_d[np.newaxis])[0]
        if trouble:
            degenerate = True
            reason = f"Transformation {len(stages) + 1} {trouble}; it is not applied."
            break
        # train svm_t on d(x) d(z) k(x, z), unless the search has done so
        candidate = svm.retrained(d, validation_d) if candidate is None else candidate
        # until the error on V does not fall by more than theta
        after = candidate.validation_error()
        kept = bool(np.isnan(after) or error - after > theta)
        history.append(
            _entry(candidate, len(stages) + 1, after, stage.parameters, kept)
        )
        if not kept:
            reason = (
                f"Transformation {len(stages) + 1} does not lower the validation error "
                f"{error:.4g} by more than theta = {theta:g}."
            )
            break
        svm = candidate
        error = after
        stages.append(stage)

    # the last svm that improved, or one on all samples where none did
    trained = svm.machine, problem.train, problem.y, svm.factors
    if not stages:
        n = problem.whole_y.size
        trained = problem.whole, np.arange(n), problem.whole_y, np.ones(n)
    return ConformalResult(
        *trained,
        stages=tuple(stages),
        n_transforms=len(stages),
        validation_error=error,
        history=history,
        stop_reason=reason,
        is_degenerate=degenerate,
    )


def _choose(rule, search, svm, rng, **options):
    """A stage by the rule or the metamodel, and its machine if the search has trained it."""
    if not rule.is_searched:
        return rule.stage(svm), None
    family = rule.family(svm, rng)
    J = svm.problem.separability
    d = svm.factors
    if search == "separability_exact":
        parameters, _ = J.maximiser(d[:, np.newaxis] * family.data)
        return rule.stage(svm, family, parameters), None
    if search == "separability_gradient":
        parameters, _ = ascend_separability(family, J, d)
        return rule.stage(svm, family, parameters), None
    race = ValidationRace(family, svm)
    objective = race.errors
    target = 0.0
    if search == "separability_cma":
        objective = lambda P: -J.values(family.values(P) * d)  # noqa: E731
        target = -np.inf
    options |= {"seed": int(rng.integers(2**31)), "target": target}
    parameters, _ = evolve(objective, family.lower, family.upper, **options)
    return rule.stage(svm, family, parameters), race.best


class ValidationRace:
    """Validation errors of candidates, each with its own machine; the first best one is kept."""

    def __init__(self, family, svm):
        self._family = family
        self._svm = svm
        self._last = (svm.alpha, svm.factors)
        self._best = None
        self._least = np.inf

    def errors(self, parameters):
        """Errors of candidates, one a row; 2 for those that cannot be used, so they come last."""
        svm = self._svm
        problem = svm.problem
        D = self._family.values(parameters) * svm.factors
        validation_D = self._family.validation_values(parameters)
        validation_D = validation_D * svm.validation_factors
        errors = np.full(len(parameters), 2.0)
        usable = np.flatnonzero(problem.troubles(D, validation_D) == "")
        if usable.size == 0:
            return errors
        D = D[usable]
        validation_D = validation_D[usable]
        machines = []
        for d in D:
            alpha0 = carry_over(*self._last, d)
            machines.append(problem.candidate(d, alpha0))
            self._last = machines[-1][0], d
        alphas, intercepts, counts = map(np.array, zip(*machines, strict=True))
        decisions = problem.validation_decisions(
            alphas * D, intercepts[:, np.newaxis], validation_D
        )
        found = problem.g_means_errors(decisions)
        errors[usable] = found
        k = found.argmin()
        if found[k] < self._least:
            self._least = found[k]
            self._best = (alphas[k], counts[k], D[k], validation_D[k])
        return errors

    @property
    def best(self):
        """The machine of the first best candidate; None if no candidate could be used."""
        if self._best is None:
            return None
        alpha, count, d, validation_d = self._best
        machine = self._svm.problem.machine(d, alpha)
        machine = replace(machine, n_iter=int(count) + machine.n_iter)
        return TrainedMachine(self._svm.problem, machine, d, validation_d)


def _entry(svm, t, error, parameters, kept):
    return {
        "transformation": t,
        "separability": svm.problem.separability.value(svm.factors),
        "validation_error": error,
        "parameters": parameters,
        "n_support": svm.support.size,
        "n_iter": svm.machine.n_iter,
        "converged": svm.machine.converged,
        "kept": kept,
    }


def _check(problem, rule, search, generations, escape):
    if not isinstance(rule, Rule):
        raise ValueError(
            f"The 'transform' of conformal_transformations must be one of {sorted(RULES)} or a "
            f"rule. Got {rule!r} instead."
        )
    name = type(rule).__name__
    if rule.uses_distances and problem.distances_between is None:
        raise ValueError(
            f"{name} needs distances in input space, which a Gram matrix alone does not give. "
            "Pass 'distances', or use Williams, MDT or KBA."
        )
    if not rule.is_searched:
        return
    if escape not in ESCAPES:
        raise ValueError(
            f"The 'escape' must be one of {list(ESCAPES)}. Got {escape!r} instead."
        )
    if generations < 1:
        raise ValueError(f"The 'generations' must be at least 1. Got {generations!r}.")
    if search not in SEARCHES:
        raise ValueError(
            f"The 'search' must be one of {list(SEARCHES)}. Got {search!r} instead."
        )
    if search == "separability_exact" and not isinstance(rule, Xiong):
        raise ValueError(
            f"The exact maximiser of J is known for Xiong alone, whose c is linear in its "
            f"parameters. Got {name}; use 'separability_gradient'."
        )
    if search == "validation_cma" and problem.validation.size == 0:
        raise ValueError(
            "The search 'validation_cma' needs validation samples. Got none; set some aside or "
            "use a separability search."
        )
