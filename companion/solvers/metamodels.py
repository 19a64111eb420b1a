"""Metamodels: the searches for the parameters of a transformation, section 5.2 of the thesis.

5.2.1: ascent of the separability by a quasi-Newton method, here BFGS where the thesis has DFP;
5.2.2: CMA-ES (N. Hansen and A. Ostermeier, Evolutionary Computation 9, 2001).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

__all__ = ["ascend_separability", "evolve"]

START, STEP, GENERATIONS = 0.5, 0.3, 30

# BFGS ends by itself long before; its memory is short only for the longest parameter vectors.
_MAX_STEPS, _MEMORY = 300, 50
_MOST_STARTS, _NO_GAIN = 4, 1e-6

# CMA-ES subtracts values of the objective, so an infinite one has to be finite.
_LARGEST = 1e100


def ascend_separability(family, separability, factors):
    """Maximise J over the parameters of a family by BFGS within their bounds."""
    scale = np.where(family.start != 0.0, np.abs(family.start), 1.0)

    evaluate = _evaluation(family, separability, factors)

    def objective(u):
        # The line search may leave the bounds by a rounding error.
        J, gradient = evaluate(np.clip(u * scale, family.lower, family.upper))
        return -min(J, _LARGEST), -gradient * scale

    # J is free of units, so its gradient in scaled parameters and its own tolerances are too. A
    # step cut short by a bound can leave BFGS with a metric in which it does not move: start anew.
    bounds = np.column_stack([family.lower / scale, family.upper / scale])
    parameters, value = family.start, -np.inf
    for _ in range(_MOST_STARTS):
        found = minimize(
            objective,
            parameters / scale,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": _MAX_STEPS, "maxcor": _MEMORY, "ftol": 1e-12, "gtol": 1e-9},
        )
        before, value = value, -float(found.fun)
        parameters = family.canonical(np.clip(found.x * scale, family.lower, family.upper))
        if value <= before * (1.0 + _NO_GAIN):
            break
    return parameters, value


def _evaluation(family, separability, factors):
    """The function that gives J and its gradient with respect to the parameters of a family."""
    basis = getattr(family, "basis", None)
    if basis is not None:
        return separability.combinations(factors[:, np.newaxis] * basis).value_and_gradient

    def evaluate(parameters):
        c = family.values(parameters[np.newaxis])[0]
        J, by_q = separability.value_and_gradient(c * factors)
        return J, family.pull_back(parameters, by_q * factors)

    return evaluate


def evolve(objective, lower, upper, *, seed, generations=GENERATIONS, target=-np.inf):
    """Minimise by CMA-ES with its default population, from .5 in all parameters and step .3."""
    import cma

    n, rng = len(lower), np.random.default_rng(seed)
    strategy = cma.CMAEvolutionStrategy(
        np.full(n, START),
        STEP,
        {
            "bounds": [_finite_or_none(lower), _finite_or_none(upper)],
            "randn": lambda rows, columns: rng.standard_normal((rows, columns)),
            "seed": np.nan,
            "verbose": -9,
        },
    )
    best, least = None, np.inf
    for _ in range(generations):
        candidates = strategy.ask()
        values = np.clip(objective(np.clip(candidates, lower, upper)), -_LARGEST, _LARGEST)
        k = int(np.argmin(values))
        if best is None or values[k] < least:
            best, least = np.clip(candidates[k], lower, upper), float(values[k])
        if least <= target:
            break
        strategy.tell(candidates, values.tolist())
    return best, least


def _finite_or_none(bounds):
    return [float(bound) if np.isfinite(bound) else None for bound in bounds]
