"""The paper's further work: unequal costs of the two errors, and a constant false-alarm rate.

Both use one weight a class. For unequal costs the weight of a class is the cost of its error. For a
constant false-alarm rate the weight of the negative class grows until the false alarms among
held-out training patterns are few enough; beside it stands the simpler way, a shift of the
threshold. What is promised on the training part is then counted on the test part.
"""

from __future__ import annotations

import numpy as np

from companion.losses import Hinge
from companion.papers.summaries import counts
from companion.papers.usvc.linear import LOSS
from companion.papers.usvc.machines import PAPER
from companion.papers.usvc.splits import digest, split
from companion.reproduction import Study, Unit
from companion.solvers.wls import Design, wls_path

#: Medical sets with enough patterns to see a false-alarm rate; +1 is the disease.
DATASETS = ("Heart disease", "Diabetes")
LOSSES = {"SVC": Hinge(), "USVC": LOSS}
C_VALUES = tuple(10.0**k for k in range(-3, 3))
N_SPLITS = {"paper": 100, "quick": 5}

#: Cost of a missed disease; a false alarm costs 1.
COST_RATIOS = (1.0, 2.0, 5.0, 10.0)

#: Nominal false-alarm rates, and the weights of the negative class that are tried in turn.
LEVELS = (0.05, 0.1, 0.2)
NEGATIVE_WEIGHTS = tuple(2.0 ** (k / 2) for k in range(-6, 13))


def points(design, y, loss, C_values, positive=1.0, negative=1.0):
    """(w, b) along C of the linear machine whose errors cost this much.

    Parameters
    ----------
    design : Design
    y : ndarray of shape (n_samples,)
    loss : Hinge or Unbiased
    C_values : sequence of float
    positive, negative : float
        Weights of the two classes.

    Returns
    -------
    ndarray of shape (n_C, n_features + 1)
    converged : bool
    """
    weight = np.where(y > 0, positive, negative)
    machines = wls_path(design, y, C_values, loss=loss, sample_weight=weight)
    return (
        np.array([np.append(m.w, m.intercept) for m in machines]),
        all(m.converged for m in machines),
    )


def held_out_decisions(part, design, loss, C_values, **weights):
    """Decision values of each training pattern by the machine of the fold that leaves it out.

    Parameters
    ----------
    part : Split
    design : Design
    loss : loss of :mod:`companion.losses`
    C_values : sequence of float
    **weights : float
        Weights of the classes.

    Returns
    -------
    ndarray of shape (n_samples, n_C)
    converged : bool
    """
    decision, converged = np.empty((len(part.y), len(C_values))), True
    for rows, held_out in part.folds:
        found, flag = points(design.take(rows), part.y[rows], loss, C_values, **weights)
        decision[held_out] = design.augmented[held_out] @ found.T
        converged &= flag
    return decision, converged


def compute_costs(unit):
    """Errors of both kinds, with and without the costs in the loss: a row a machine and ratio.

    C is chosen by the held-out cost in either case.
    """
    part = split(unit.params["dataset"], unit.params["split"])
    design, test = Design.linear(part.X), Design.linear(part.X_test).augmented
    rows = []
    for name, loss in LOSSES.items():
        plain = None
        for ratio in COST_RATIOS:
            for weighted in (False, True) if ratio != 1.0 else (False,):
                positive = ratio if weighted else 1.0
                if plain is None or weighted:
                    decision, flag = held_out_decisions(
                        part, design, loss, C_values=C_VALUES, positive=positive
                    )
                    found, flag_all = points(design, part.y, loss, C_VALUES, positive=positive)
                    fitted = decision, found, flag and flag_all
                    plain = plain or fitted
                decision, found, converged = fitted if weighted else plain
                cost = [_cost(column, part.y, ratio) for column in decision.T]
                best = int(np.argmin(cost))
                rows.append(
                    {
                        "machine": name,
                        "ratio": ratio,
                        "weighted": weighted,
                        "C": C_VALUES[best],
                        "n_train": len(part.y),
                        **counts(test @ found[best], part.y_test),
                        "converged": converged,
                    }
                )
    return rows


def _cost(decision, y, ratio):
    errors = counts(decision, y)
    return ratio * errors["missed"] + errors["false_alarms"]


def compute_false_alarms(unit):
    """False alarms and detections at each nominal level: a row a machine, way and level."""
    part = split(unit.params["dataset"], unit.params["split"])
    design, test = Design.linear(part.X), Design.linear(part.X_test).augmented
    rows = []
    for name, loss in LOSSES.items():
        decision, converged = held_out_decisions(part, design, loss, C_VALUES)
        best = int(np.argmin([_cost(column, part.y, 1.0) for column in decision.T]))
        C = [C_VALUES[best]]
        machine = points(design, part.y, loss, C)[0][0]
        along = [_held_out_rate(part, design, loss, C, weight) for weight in NEGATIVE_WEIGHTS]
        for level in LEVELS:
            shift = threshold_for(decision[part.y < 0, best], level)
            rows.append(
                _alarm_row(part, test @ machine - shift, name, "threshold", level, 1.0, converged)
            )
            weight = next(
                (
                    weight
                    for weight, (rate, _) in zip(NEGATIVE_WEIGHTS, along, strict=True)
                    if rate <= level
                ),
                NEGATIVE_WEIGHTS[-1],
            )
            weighted, flag = points(design, part.y, loss, C, negative=weight)
            rows.append(
                _alarm_row(
                    part,
                    test @ weighted[0],
                    name,
                    "weights",
                    level,
                    weight,
                    flag and all(flag for _, flag in along),
                )
            )
    return rows


def threshold_for(negatives, level):
    """Least threshold that at most a share ``level`` of new negatives exceeds in expectation.

    Of n exchangeable values and a new one, the new one is among the k largest with probability
    k / (n + 1); the threshold is the largest value but k - 1 with k = floor(level (n + 1)).

    Parameters
    ----------
    negatives : ndarray of shape (n,)
        Decision values of held-out negatives.
    level : float

    Returns
    -------
    float
    """
    k = int(np.floor(level * (len(negatives) + 1)))
    return float(np.sort(negatives)[::-1][k - 1]) if k >= 1 else np.inf


def _held_out_rate(part, design, loss, C, weight):
    decision, converged = held_out_decisions(part, design, loss, C, negative=weight)
    return float(np.mean(decision[part.y < 0, 0] > 0)), converged


def _alarm_row(part, decision, name, way, level, weight, converged):
    return {
        "machine": name,
        "way": way,
        "alpha": level,
        "negative_weight": round(weight, 6),
        "n_train": len(part.y),
        **counts(decision, part.y_test),
        "converged": converged,
    }


def _units(study):
    def units(profile):
        """One unit a data set and split."""
        return [
            Unit(PAPER, study, {"dataset": dataset, "split": number}, digest(dataset))
            for dataset in DATASETS
            for number in range(1, N_SPLITS[profile] + 1)
        ]

    return units


BEYOND_COSTS = Study(PAPER, "beyond_costs", _units("beyond_costs"), compute_costs)
BEYOND_FALSE_ALARMS = Study(
    PAPER, "beyond_false_alarms", _units("beyond_false_alarms"), compute_false_alarms
)
