"""Small studies about what chapters 4 to 7 claim, on the folds of the real sets and the board.

``widths``: is the gain of a transformation that of a bad base kernel? ``forced``: what a fixed
number of transformations does, and how much of it is a larger C. ``shift``: margin displacement
beside a plain shift of the bias. ``asterisks``: whether an optimiser that really minimises the
error on V would transform.
"""

from __future__ import annotations

import numpy as np

from companion import conformal_factors as conformal
from companion.metrics import g_mean_error
from companion.papers.conformal import problems
from companion.papers.conformal.experiments import CONFORMAL, Part
from companion.papers.conformal.experiments import test_error as error_of
from companion.papers.conformal.problems import PAPER, SETS, C
from companion.papers.summaries import counts
from companion.reproduction import Study, Unit

BOARD_NAME = "Checkers board"

#: 2 sigma^2 on standardised inputs; the thesis has 50.
BASE_WIDTHS = (5.0, 50.0, 500.0, 5000.0, 15000.0, 50000.0)
WIDTH_METHODS = ("AMA", "ACT", "WIL", "MDT-JGRAD")

#: Numbers of forced transformations.
FORCED_NUMBERS = (0, 1, 3, 5)
FORCED_METHODS = ("AMA", "ACT")

#: kappa and gamma = 1 - lambda at which MDT is tried exhaustively, kappa in units of |f|_max^-2.
KAPPA = tuple(10.0**k for k in np.linspace(-2.0, 2.0, 13))
SHRINK = tuple(np.linspace(0.04, 1.0, 9))

#: Left out of the quick profile, except where the tables have it.
LARGE = ("Segment1",)

N_PARTITIONS = {
    "widths": {"paper": 3, "quick": 1},
    "forced": {"paper": 5, "quick": 1},
    "shift": {"paper": 20, "quick": 1},
    "asterisks": {"paper": 2, "quick": 1},
}


def _parts(unit):
    """Fold and training part of a unit; a draw of the board counts as one fold."""
    name, number = unit.params["dataset"], unit.params["partition"]
    if name == BOARD_NAME:
        return [(0, problems.board(number))]
    return list(enumerate(problems.folds(name, number)))


def compute_widths(unit):
    """Errors with and without a transformation for every width: a row a fold, width and method."""
    rows = []
    for fold, problem in _parts(unit):
        for width in BASE_WIDTHS:
            part = Part(problem, width=width)
            rows.append(
                {
                    "fold": fold,
                    "width": width,
                    "method": "SVM",
                    **counts(part.plain_decision(), problem.y_test),
                    "n_transformations": 0,
                }
            )
            for name in WIDTH_METHODS:
                result = part.transformed(*CONFORMAL[name])
                rows.append(
                    {
                        "fold": fold,
                        "width": width,
                        "method": name,
                        **counts(part.decision(result), problem.y_test),
                        "n_transformations": result.n_transforms,
                    }
                )
    return rows


def compute_forced(unit):
    """Forced transformations on the whole training part: a row a fold, method and number of them.

    Beside each stands the machine without a transformation whose C is multiplied by the median of
    d^2 over the support vectors of the transformed one, d being the product of the transformations.
    """
    rows = []
    for fold, problem in _parts(unit):
        part = Part(problem, validate=False)
        for name in FORCED_METHODS:
            for number in FORCED_NUMBERS:
                result = part.transformed(CONFORMAL[name][0], max_transforms=number)
                support = result.machine.alpha > 0
                factor = float(np.median(result.factors[support] ** 2))
                # a C so small or large that the machine is none is left out of the comparison
                scaled = Part(problem, C=float(np.clip(C * factor, 1e-8, 1e8)), validate=False)
                missed = counts(scaled.plain_decision(), problem.y_test)
                rows.append(
                    {
                        "fold": fold,
                        "method": name,
                        "asked": number,
                        "n_transformations": result.n_transforms,
                        "degenerate": result.is_degenerate,
                        "train_error": round(
                            error_of(part.decision(result, problem.X), problem.y), 8
                        ),
                        **counts(part.decision(result), problem.y_test),
                        "log10_factor": round(float(np.log10(factor)), 4) if factor > 0 else None,
                        "scaled_missed": missed["missed"],
                        "scaled_false_alarms": missed["false_alarms"],
                    }
                )
    return rows


def best_shift(decision, y):
    """The shift of a decision with the least g-means error, the least such in size.

    Parameters
    ----------
    decision : ndarray of shape (n,)
    y : ndarray of shape (n,)

    Returns
    -------
    shift : float
        To be added; 0, or halfway between two decision values.
    error : float
    """
    ordered = np.unique(decision)
    candidates = np.concatenate([[0.0], -(ordered[1:] + ordered[:-1]) / 2])
    errors = np.array([error_of(decision + shift, y) for shift in candidates])
    best = np.flatnonzero(errors <= errors.min() + 1e-12)
    chosen = best[np.argmin(np.abs(candidates[best]))]
    return float(candidates[chosen]), float(errors[chosen])


def displaced_by_hand(machine, y, f, shrink):
    """f~ of (5.3.9) from the points w_+ and w_- themselves, without the shortcut (5.3.10).

    Parameters
    ----------
    machine : MDMResult
        In the units of the convex hulls.
    y : ndarray of shape (n,)
    f : ndarray of shape (n,)
        Decision values w . x + b.
    shrink : float
        gamma = 1 - lambda.

    Returns
    -------
    ndarray of shape (n,)
    """
    lam = 1.0 - shrink
    # w~_+ = (1 - lam) w_+ + lam w_-, w~ = w~_+ - w_-; inner products with w
    plus = (1.0 - lam) * machine.m_plus + lam * machine.m_minus
    m_plus, m_minus = (1.0 - lam) * plus, (1.0 - lam) * machine.m_minus
    return (1.0 - lam) * (f - machine.intercept) - 0.5 * (m_plus + m_minus)


def compute_shift(unit):
    """The shift of the bias with the least error on V: a row a fold.

    As with a transformation, the machine of the whole training part is kept where no shift helps.
    """
    rows = []
    for fold, problem in _parts(unit):
        part = Part(problem)
        machine = part.shared.first
        on_v = part.plain_decision(whole=False, points=problem.X[problem.validate])
        shift, v_error = best_shift(on_v, problem.y[problem.validate])
        f = machine.products + machine.intercept
        gaps = []
        for shrink in (0.1, 0.5, 0.9):
            by_hand = displaced_by_hand(machine, part.shared.y, f, shrink)
            shifted = shrink * (f + (1.0 - shrink) * 0.5 * machine.squared_norm)
            package = conformal.displaced_decision(f, shrink, -0.5 * machine.squared_norm)
            gaps += [
                np.abs(by_hand - other).max() / np.abs(by_hand).max()
                for other in (shifted, package)
            ]
        rows.append(
            {
                "fold": fold,
                "method": "bias shift",
                **counts(part.plain_decision(whole=shift == 0.0) + shift, problem.y_test),
                "shift": float(f"{shift:.6g}"),
                "v_error": round(v_error, 6),
                "identity_error": float(f"{max(gaps):.3g}"),
            }
        )
    return rows


def compute_asterisks(unit):
    """Errors on V: the first machine, VMETA, and MDT on a fine grid: a row a fold."""
    rows = []
    for fold, problem in _parts(unit):
        part = Part(problem)
        row = {"fold": fold}
        for name in ("MDT-VMETA", "TSVT-VMETA"):
            result = part.transformed(*CONFORMAL[name], max_transforms=1)
            entries = [entry["validation_error"] for entry in result.history]
            row["v_before"] = round(entries[0], 6)
            row[name] = round(entries[-1], 6)
        row["grid"] = round(_least_on_grid(part), 6)
        row["missed_on_v"] = int(_wrong_on_v(part))
        rows.append(row)
    return rows


def _wrong_on_v(part):
    shared = part.shared
    ones = np.ones(len(shared.train)), np.ones(len(shared.validation))
    f = shared.validation_decision(shared.first, *ones)
    return np.count_nonzero((f > 0) != (shared.validation_y > 0))


def _least_on_grid(part):
    """Least error on V of one MDT transformation, over a grid of kappa and gamma."""
    shared = part.shared
    machine = shared.first
    f = machine.decision_function
    ones = np.ones(len(shared.train)), np.ones(len(shared.validation))
    f_v = shared.validation_decision(machine, *ones)
    scale, offset = 1.0 / np.abs(f).max() ** 2, -0.5 * machine.squared_norm
    least = shared.validation_error(machine, *ones)
    for shrink in SHRINK:
        near, far = (conformal.displaced_decision(part_f, shrink, offset) for part_f in (f, f_v))
        for kappa in KAPPA:
            d, d_v = (conformal.boundary_decay(g, kappa * scale) for g in (near, far))
            if shared.trouble(d) is not None:
                continue
            found = shared.machine(d)
            decision = shared.validation_decision(found, d, d_v)
            error = g_mean_error(shared.validation_y, np.where(decision > 0, 1.0, -1.0))
            least = min(least, error)
    return least


def _units(study, board=False):
    def units(profile):
        """One unit a data set and partition."""
        names = [name for name in SETS if profile == "paper" or name not in LARGE]
        names += [BOARD_NAME] if board else []
        return [
            Unit(
                PAPER,
                study,
                {"dataset": name, "partition": k},
                "" if name == BOARD_NAME else problems.digest(name),
            )
            for name in names
            for k in range(1, N_PARTITIONS[study][profile] + 1)
        ]

    return units


WIDTHS = Study(PAPER, "widths", _units("widths"), compute_widths)
FORCED = Study(PAPER, "forced", _units("forced", board=True), compute_forced)
SHIFT = Study(PAPER, "shift", _units("shift"), compute_shift)
ASTERISKS = Study(PAPER, "asterisks", _units("asterisks"), compute_asterisks)
