"""The paper's further work: unequal costs of the two errors, and a constant false-alarm rate.

Both use one weight a class. For unequal costs the weight of a class is the cost of its error. For a
constant false-alarm rate the weight of the negative class grows until the false alarms among
held-out training patterns are few enough; beside it stands the simpler way, a shift of the
threshold. What is promised on the training part is then counted on the test part.
"""

import numpy as np

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.summaries import (
    Values,
    counts,
    groups,
    magnitude,
    means_and_errors,
    select,
)
from companion.papers.usvc import benefit
from companion.papers.usvc.linear import LOSS
from companion.papers.usvc.paired_errors import least_supported, sizes_of
from companion.papers.usvc.splits import split, split_study
from companion.solvers.wls import Design, wls_path

#: Medical sets with enough patterns to see a false-alarm rate; +1 is the disease.
DATASETS = ("Heart disease", "Diabetes")
MACHINES = ("SVC", "USVC")
C_VALUES = tuple(10.0**k for k in range(-3, 3))

#: Cost of a missed disease; a false alarm costs 1.
COST_RATIOS = (1.0, 2.0, 5.0, 10.0)

#: Nominal false-alarm rates, and the weights of the negative class that are tried in turn.
LEVELS = (0.05, 0.1, 0.2)
NEGATIVE_WEIGHTS = tuple(2.0 ** (k / 2) for k in range(-6, 13))


def points(design, y, names, C_values, *, positive=1.0, negative=1.0):
    """By loss, (w, b) of the linear machine whose errors cost so much, a row a C; convergence."""
    weight = np.where(y > 0, positive, negative)
    paths = {"SVC": wls_path(design, y, C_values, sample_weight=weight)}
    if "USVC" in names:
        settings = {"loss": LOSS, "start": paths["SVC"], "sample_weight": weight}
        paths["USVC"] = wls_path(design, y, C_values, **settings)
    found = {}
    for name in names:
        vectors = np.array([np.append(m.w, m.intercept) for m in paths[name]])
        found[name] = vectors, all(m.converged for m in paths[name])
    return found


def held_out_decisions(part, design, names, C_values, **weights):
    """By loss, decision values of each pattern by the machine of the fold that leaves it out.

    They have a column a C; also whether all fits converged.
    """
    decisions = {name: np.empty((len(part.y), len(C_values))) for name in names}
    converged = dict.fromkeys(names, True)
    for rows, held_out in part.folds:
        found = points(design.take(rows), part.y[rows], names, C_values, **weights)
        for name, (vectors, flag) in found.items():
            decisions[name][held_out] = design.augmented[held_out] @ vectors.T
            converged[name] &= flag
    return {name: (decisions[name], converged[name]) for name in names}


def _cost(decision, y, ratio):
    errors = counts(decision, y)
    return ratio * errors["missed"] + errors["false_alarms"]


def compute_costs(unit):
    """Errors of both kinds, with and without the costs in the loss, at the C of least cost."""
    part = split(unit.params["dataset"], unit.params["split"])
    design = Design.linear(part.X)
    test = Design.linear(part.X_test).augmented
    rows = []
    fitted = {}
    for positive in COST_RATIOS:
        decisions = held_out_decisions(
            part, design, MACHINES, C_VALUES, positive=positive
        )
        found = points(design, part.y, MACHINES, C_VALUES, positive=positive)
        for name in MACHINES:
            fitted[name, positive] = *decisions[name], *found[name]
    for name in MACHINES:
        for ratio in COST_RATIOS:
            for positive in sorted({1.0, ratio}):
                decision, flag, found, flag_all = fitted[name, positive]
                best = int(
                    np.argmin([_cost(column, part.y, ratio) for column in decision.T])
                )
                row = {
                    "machine": name,
                    "ratio": ratio,
                    "weighted": positive > 1.0,
                    "C": C_VALUES[best],
                    "n_train": len(part.y),
                    **counts(test @ found[best], part.y_test),
                    "converged": flag and flag_all,
                }
                rows.append(row)
    return rows


def compute_false_alarms(unit):
    """False alarms and detections at each nominal level: a row a machine, way and level."""
    part = split(unit.params["dataset"], unit.params["split"])
    design = Design.linear(part.X)
    test = Design.linear(part.X_test).augmented
    rows = []
    unweighted = held_out_decisions(part, design, MACHINES, C_VALUES)
    for name, (decision, converged) in unweighted.items():
        best = int(np.argmin([_cost(column, part.y, 1.0) for column in decision.T]))
        C = [C_VALUES[best]]
        machine = points(design, part.y, [name], C)[name][0][0]
        rates = {}
        settled = True
        for weight in NEGATIVE_WEIGHTS:
            along, flag = held_out_decisions(part, design, [name], C, negative=weight)[
                name
            ]
            rates[weight] = np.mean(along[part.y < 0, 0] > 0)
            settled = settled and flag
            if rates[weight] <= min(LEVELS):
                break
        for level in LEVELS:
            shift = threshold_for(decision[part.y < 0, best], level)
            weight = next(
                (w for w, rate in rates.items() if rate <= level), NEGATIVE_WEIGHTS[-1]
            )
            weighted, flag = points(design, part.y, [name], C, negative=weight)[name]
            for way, chosen, used, fitted in (
                ("threshold", test @ machine - shift, 1.0, converged),
                ("weights", test @ weighted[0], weight, flag and settled),
            ):
                row = {
                    "machine": name,
                    "way": way,
                    "alpha": level,
                    "negative_weight": round(used, 6),
                    "n_train": len(part.y),
                    **counts(chosen, part.y_test),
                    "converged": fitted,
                }
                rows.append(row)
    return rows


def threshold_for(negatives, level):
    """Least threshold that at most a share ``level`` of new negatives exceeds in expectation.

    Of n exchangeable values and a new one, the new one is among the k largest with probability
    k / (n + 1); the threshold is the largest value but k - 1 with k = floor(level (n + 1)).
    """
    k = int(np.floor(level * (len(negatives) + 1)))
    return float(np.sort(negatives)[::-1][k - 1]) if k >= 1 else np.inf


_N_SPLITS = {"paper": dict.fromkeys(DATASETS, 40), "quick": dict.fromkeys(DATASETS, 3)}
BEYOND_COSTS = split_study("beyond_costs", compute_costs, **_N_SPLITS)
BEYOND_FALSE_ALARMS = split_study(
    "beyond_false_alarms", compute_false_alarms, **_N_SPLITS
)
STUDIES = (
    benefit.BENEFIT_SIZE,
    benefit.BENEFIT_WIDTH,
    BEYOND_COSTS,
    BEYOND_FALSE_ALARMS,
)


def values(records):
    """Section 3.1 as differences, and the two uses of unequal costs."""
    out = Values()
    benefit.add_gains(out, records["benefit_size"], records["benefit_width"])
    for name, own in groups(records["beyond_costs"], "dataset"):
        _, gain, over = costs_of(select(own, ratio=5.0))
        claims = {
            "cost with - without costs in the loss, 5 to 1": gain,
            "cost USVC - SVC, 5 to 1": over,
        }
        out.add_means(f"Section 5, {name}", claims, own.converged.all())
    for name, own in groups(records["beyond_false_alarms"], "dataset"):
        for way, rows in select(own, machine="USVC").groupby("way"):
            away = least_supported([_room(at) for _, at in rows.groupby("alpha")])
            column = f"largest |false-alarm rate - level| - 0.02, by {way}"
            away = away._replace(mean=-away.mean)
            out.add_mean(f"Section 5, {name}", column, away, own.converged.all())
    return out.frame()


def _room(rows):
    """How far the rate of false alarms is within 0.02 of its level."""
    away = rows.false_alarms / rows.n_negative - rows.alpha
    away = magnitude(mean_and_standard_error(away, **_sizes(rows)))
    return away._replace(mean=0.02 - away.mean)


def _sizes(rows):
    return sizes_of(rows.assign(n_test=rows.n_positive + rows.n_negative))


def costs_of(own):
    """Costs of a test pattern, by machine and by whether its loss has them; what USVC gains.

    That is its mean difference to the machine without the costs, and to the SVC with them.
    """
    cost = (own.ratio * own.missed + own.false_alarms) / (
        own.n_positive + own.n_negative
    )
    of = dict(iter(cost.groupby([own.machine, own.weighted])))
    gain = paired_difference(of["USVC", True], of["USVC", False], **_sizes(own))
    return of, gain, paired_difference(of["USVC", True], of["SVC", True], **_sizes(own))


def rates(rows):
    """Rates of false alarms and detections at each level: means, and errors for new samples."""
    of_parts = {
        "false alarms": rows.false_alarms / rows.n_negative,
        "detections": 1.0 - rows.missed / rows.n_positive,
    }
    sizes = _sizes(rows)
    return {
        what: means_and_errors(
            [
                mean_and_standard_error(own, **sizes)
                for _, own in rate.groupby(rows.alpha)
            ]
        )
        for what, rate in of_parts.items()
    }
