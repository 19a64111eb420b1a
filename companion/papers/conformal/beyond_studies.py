"""Small studies about what chapters 4 to 7 claim, on the folds of the real sets and the board.

``widths``: is the gain of a transformation that of a bad base kernel? ``forced``: what a fixed
number of transformations does, and how much of it is a larger C. ``shift``: margin displacement
beside a plain shift of the bias. ``costs``: CPU time. ``ascents``: whether J has one maximum.
"""

import time
from functools import partial
from itertools import product

import numpy as np
from sklearn.model_selection import GridSearchCV

from companion.conformal import factors as conformal
from companion.metrics import g_mean_error
from companion.papers.conformal import problems
from companion.papers.conformal.baselines import pvgs
from companion.papers.conformal.g_means import g_means_above, halfway
from companion.papers.conformal.methods import CONFORMAL, SVM, Part, outcome
from companion.papers.conformal.problems import (
    BOARD_NAME,
    C,
    largest_difference,
    part_by_part,
    parts_of,
    study_of_sets,
)
from companion.papers.summaries import counts
from companion.solvers.conformal import TrainedMachine
from companion.solvers.metamodels import ascend_separability
from companion.solvers.transformations import RULES

#: 2 sigma^2 on standardised inputs; the thesis has 50.
BASE_WIDTHS = (5.0, 50.0, 500.0, 5000.0, 15000.0, 50000.0)
WIDTH_METHODS = ("AMA", "ACT", "WIL", "MDT-JGRAD")
#: Amari's c with the support weights of the SVM, not those of the hulls.
AMARI_READ = "AMA, SVM's units"

#: Numbers of forced transformations.
FORCED_NUMBERS = (0, 1, 3, 5)
FORCED_METHODS = ("AMA", "ACT", AMARI_READ)

#: The methods, and Amari's as it may have been meant.
METHODS = CONFORMAL | {AMARI_READ: (RULES["amari"](units="svm"),)}

#: What is timed: c on the training patterns, one forced transformation, and all of a method.
TIMED_FACTORS = ("AMA", "Wu-Amari", "ACT", "KBA", "WIL")
FORCED_ONCE = ("MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")

#: Other starts of an ascent of J, each parameter multiplied by up to ten or divided.
OTHER_STARTS = 5


@part_by_part
def compute_widths(problem):
    """Errors with and without a transformation for every width: a row a fold, width and method."""
    for width in BASE_WIDTHS:
        part = Part(problem, width=width)
        yield {"width": width} | outcome(part, SVM)
        for name in (*WIDTH_METHODS, AMARI_READ):
            result = part.transformed(*METHODS[name])
            yield {"width": width} | outcome(part, name, result)


@part_by_part
def compute_forced(problem):
    """Forced transformations on the whole training part: a row a fold, method and number of them.

    Beside each stands the machine without a transformation whose C is multiplied by the median of
    d^2 over the support vectors of the transformed one, d being the product of the transformations.
    """
    part = Part(problem, validate=False)
    for name, number in product(FORCED_METHODS, FORCED_NUMBERS):
        result = part.transformed(*METHODS[name], max_transforms=number)
        support = result.machine.alpha > 0
        factor = float(np.median(result.factors[support] ** 2))
        # a C so small or large that the machine is none is left out of the comparison
        scaled = Part(problem, C=float(np.clip(C * factor, 1e-8, 1e8)), validate=False)
        beside = counts(scaled.plain_decision(), problem.y_test)
        train_error = error_of(part.decision(result, problem.X), problem.y)
        yield {
            "method": name,
            "asked": number,
            "n_transformations": result.n_transforms,
            "degenerate": result.is_degenerate,
            "train_error": round(train_error, 8),
            **counts(part.decision(result), problem.y_test),
            "log10_factor": round(float(np.log10(factor)), 4) if factor > 0 else None,
            "scaled_missed": beside["missed"],
            "scaled_false_alarms": beside["false_alarms"],
        }


def error_of(decision, y):
    """g-means error of decision values; 0 counts as the negative class."""
    return g_mean_error(y, np.where(decision > 0, 1.0, -1.0))


def best_shift(decision, y):
    """The shift of a decision with the least g-means error, the least such in size, and the error.

    It is 0, or takes the boundary halfway between two decision values.
    """
    cuts = np.append(0.0, halfway(decision))
    values = g_means_above(decision, y, cuts)
    best = np.flatnonzero(values >= values.max() - 1e-12)
    chosen = best[np.argmin(np.abs(cuts[best]))]
    return float(0.0 - cuts[chosen]), float(1 - values[chosen])


def displaced_by_hand(machine, f, shrink):
    """f~ of (5.3.9) from the points w_+ and w_- themselves, without the shortcut (5.3.10)."""
    lam = 1.0 - shrink
    # w~_+ = (1 - lam) w_+ + lam w_-, w~ = w~_+ - w_-; inner products with w
    plus = (1.0 - lam) * machine.m_plus + lam * machine.m_minus
    m_plus = (1.0 - lam) * plus
    m_minus = (1.0 - lam) * machine.m_minus
    return (1.0 - lam) * (f - machine.intercept) - 0.5 * (m_plus + m_minus)


def _identity_error(machine):
    """Largest relative difference of (5.3.9) by hand to a shift and a scale."""
    f = machine.products + machine.intercept
    gaps = []
    for shrink in (0.1, 0.5, 0.9):
        by_hand = displaced_by_hand(machine, f, shrink)
        shifted = conformal.displaced_decision(f, shrink, -0.5 * machine.squared_norm)
        gaps.append(largest_difference(shifted, by_hand))
    return float(f"{max(gaps):.3g}")


@part_by_part
def compute_shift(problem):
    """The shift of the bias with the least error on V: a row a fold.

    As with a transformation, the machine of the whole training part is kept where no shift helps.
    """
    part = Part(problem)
    on_v = part.plain_decision(whole=False, points=problem.X[problem.validate])
    shift, v_error = best_shift(on_v, problem.y[problem.validate])
    yield {
        "method": "bias shift",
        **counts(part.plain_decision(whole=shift == 0.0) + shift, problem.y_test),
        "shift": shift,
        "v_error": round(v_error, 6),
        "identity_error": _identity_error(part.shared.first),
    }


def compute_costs(unit):
    """CPU seconds on the first training part, the less of short runs: a row a method and what."""
    problem = parts_of(unit)[0]

    def run(name, **options):
        part = Part(problem, validate=not options)
        return part, part.transformed(*CONFORMAL[name], **options)

    def factors(part, result):
        return result.transformation(part.shared.K, part.shared.distances(slice(None)))

    timed = {
        ("PVGS", "whole"): (pvgs, problem, GridSearchCV),
        ("PVGS, shared", "whole"): (pvgs, problem),
        **{(name, "whole"): (run, name) for name in ("ACT", *FORCED_ONCE)},
        **{
            (name, "once"): (partial(run, max_transforms=1), name)
            for name in FORCED_ONCE
        },
    }
    for name in TIMED_FACTORS:
        timed[name, "c"] = (factors, *run(name, max_transforms=1))
    rows = []
    for (name, what), (function, *given) in timed.items():
        seconds = []
        while len(seconds) < 2 and sum(seconds) < 1.0:
            started = time.process_time()
            function(*given)
            seconds.append(time.process_time() - started)
        rows.append({"method": name, "what": what, "seconds": min(seconds)})
    return rows


def compute_ascents(unit):
    """J where an ascent ends, from its own start and the best and worst of others: a row a rule."""
    problem = parts_of(unit)[0]
    svm = TrainedMachine.first(Part(problem, validate=False).shared)
    rng = unit.rng()
    rows = []
    for name in ("MDT", "TSVT"):
        family = RULES[name.lower()]().family(svm, rng)
        factors = 10.0 ** rng.uniform(-1.0, 1.0, (OTHER_STARTS, family.start.size))
        ends = []
        for start in (family.start, *(family.start * factors)):
            family.start = np.clip(start, family.lower, family.upper)
            J = svm.problem.separability
            ends.append(ascend_separability(family, J, svm.factors)[1])
        own, *others = ends
        row = {"method": name, "own": own, "best": max(others), "worst": min(others)}
        rows.append(row)
    return rows


WIDTHS = study_of_sets("widths", compute_widths, 2)
# Without the large set, which would take three quarters of the time.
FORCED = study_of_sets("forced", compute_forced, 2, of_large=0, after=(BOARD_NAME,))
SHIFT = study_of_sets("shift", compute_shift, 20)
COSTS = study_of_sets("costs", compute_costs, 1, quick=problems.SMALL[:1], digits=4)
ASCENTS = study_of_sets("ascents", compute_ascents, 2, of_large=1)
