"""The four inefficiencies of Section 6, as distributions over samples.

The report draws one sample, tunes by each criterion, and prints MISCLASS (BRMISCLASS) at the chosen
pair over its minimum. Here this is done for many samples, for its criteria and for what they
compete with; beside it go the numbers by which the sentences of Section 6 are judged.
"""

from __future__ import annotations

import numpy as np

from companion.papers.gacv import example, selection
from companion.papers.gacv.example import CASES, PAPER, SIZES
from companion.papers.gacv.selection import CRITERIA, FOLDS
from companion.reproduction import Study, Unit


def inefficiency_units(profile):
    """One unit a sample, its size, and the grid; both cases in each."""
    size = SIZES[profile]
    return [
        Unit(PAPER, "inefficiency", {"grid": grid, "n": n, "sample": number})
        for grid, sizes in size["grids"].items()
        for n in sizes
        for number in range(1, size["samples"] + 1)
    ]


def compute_sample(unit):
    """What every criterion chooses for one sample: a row a case and criterion."""
    p = unit.params
    X, y, probability = example.sample(p["sample"], p["n"])
    rows = []
    for case in CASES:
        machines = selection.train(X, y, probability, case, p["grid"])
        surfaces = all_criteria(machines, p["n"], p["sample"])
        rows += _rows_of_case(machines, surfaces)
    return rows


def all_criteria(machines, n, number):
    """Every criterion over the grid, in the order of :data:`selection.CRITERIA`.

    Parameters
    ----------
    machines : Machines
    n : int
        Size of the sample.
    number : int
        Number of the sample.

    Returns
    -------
    dict of str to ndarray of shape (n_sigma, n_lambda)
    """
    surfaces = selection.one_fit_criteria(machines)
    surfaces["loo"] = selection.leave_one_out_rates(machines)
    for name, n_folds in FOLDS.items():
        surfaces[name] = selection.cross_validated_rates(machines, n_folds, n, number)
    return {name: surfaces[name] for name in CRITERIA}


def _rows_of_case(machines, surfaces):
    target = surfaces["misclass"]
    target_valley = selection.valley(target, machines.lam, machines.sigma)
    u, v = np.log10(machines.lam), 2 * np.log10(machines.sigma)
    choices = {name: selection.choose(surface) for name, surface in surfaces.items()}
    rules = {
        cell: _population_rule(machines, cell)
        for cell in {choice.cell for choice in choices.values()}
    }
    _, weight, _ = example.population()
    true = example.bayes_rule(example.population()[0], machines.case)
    converged = bool(machines.surface.converged.all())
    violation = _short(machines.surface.kkt_violation.max())
    has_free = _has_free_vector(machines)
    rows = []
    for name, surface in surfaces.items():
        choice = choices[name]
        where = np.argwhere(choice.tied)
        log10_lambda, log10_sigma2 = u[where[:, 1]].mean(), v[where[:, 0]].mean()
        # GACV estimates the hinge loss, which is at least the error and about twice it
        estimate = surface / 2 if name in ("gacv", "gckl") else surface
        own = selection.valley(surface, machines.lam, machines.sigma)
        rule = rules[choice.cell]
        rows.append(
            {
                "case": machines.case,
                "criterion": name,
                "n_tied": len(where),
                "log10_lambda": _short(log10_lambda),
                "log10_sigma2": _short(log10_sigma2),
                "estimate": _short(estimate.min()),
                "target": _short(target[choice.tied].mean()),
                "target_low": _short(target[choice.tied].min()),
                "target_high": _short(target[choice.tied].max()),
                "target_least": _short(target.min()),
                "risk": _short(example.population_risk(rule, machines.case)),
                "from_true": _short(_disagreement(rule, true, weight)),
                "from_misclass": _short(
                    _disagreement(rule, rules[choices["misclass"].cell], weight)
                ),
                "from_gacv": _short(_disagreement(rule, rules[choices["gacv"].cell], weight)),
                "position": _short(target_valley.position(np.array([log10_lambda, log10_sigma2]))),
                "length": _short(own.length),
                "width": _short(own.width),
                "tilt": _short(own.tilt),
                "decades": _short(own.decades),
                "minus_loo": _short((estimate - surfaces["loo"]).mean()),
                "off_target": _short(np.abs(estimate - target).mean()),
                "least_above_loo": _short((surface - surfaces["loo"])[has_free].min()),
                "least_above_target": _short((surface - target).min()),
                "kkt_violation": violation,
                "converged": converged,
            }
        )
    return rows


def _population_rule(machines, cell):
    """Values of f at the points of the population, for the machine of one cell."""
    k, j = cell
    gamma = 1 / (2 * machines.sigma[k] ** 2)
    points = example.population()[0]
    return selection.decision_at(
        machines.surface, k, machines.X, machines.y, points, gamma, slice(j, j + 1)
    )[0]


def _disagreement(first, second, weight):
    """Probability under the sampled population that two rules say different things."""
    return float(((first > 0) != (second > 0)) @ weight)


def _has_free_vector(machines):
    """Cells with a support vector strictly inside its bounds."""
    alpha, upper = machines.surface.alpha, machines.surface.C[:, None] * machines.cost
    return ((alpha > 0) & (alpha < upper)).any(axis=-1)


def _short(value):
    """Six decimals: more would be rounding, and the records stay small."""
    return round(float(value), 6)


INEFFICIENCY = Study(PAPER, "inefficiency", inefficiency_units, compute_sample)
