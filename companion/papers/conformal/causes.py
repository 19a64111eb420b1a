"""Causes that might have made the print what it is, each switched on.

On partitions and draws that no cause was found on:

* rows without an asterisk trained without V in every fold, also where nothing is transformed, by
  the share of V and the scaling of the inputs (in the study ``partitions``);
* the same with half of a training part as V for the methods, too (in ``halves``);
* ACT with the distances of (4.3.4) in feature space, as its widths are (in ``causes``);
* MDT with nothing to keep the searches at kappa >= 0 and lambda in [0, 1) (in ``causes``).

A cause stands if the print is one of ours then, which was fixed before looking: the share of
vectors, the print's among them, that are as far from the others as it is is 2 % at least; and of no
mark is the printed answer rarer than that among ours.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.conformal.factors import feature_distances, gaussian_sum
from companion.papers.conformal import g_means, problems
from companion.papers.conformal.methods import PRINTED, SVM, WITHOUT_V, Part, outcome
from companion.papers.conformal.problems import (
    BOARD_NAME,
    NOT_LARGE,
    PAPER,
    SETS,
    digest,
)
from companion.papers.conformal.real_sets_studies import (
    HALF_LEFT_OUT,
    IN_BOX,
    STANDARDISED,
    V_LEFT_OUT,
    WITHOUT_ASTERISK,
    cells,
)
from companion.papers.summaries import select
from companion.reproduction import study_over
from companion.reproduction.vectors import joint_chance
from companion.solvers.transformations import ACT, MDT


@dataclass(frozen=True)
class _FeatureGaussians:
    """c = sum_k exp(-rate_k D(x, x_k)), D the squared distance in the feature space so far."""

    columns: np.ndarray
    column_factors: np.ndarray
    rates: np.ndarray

    @property
    def parameters(self):
        return {"rates": self.rates}

    def factors(self, K, distances, diagonal, before):
        between = K * np.outer(before, self.column_factors)
        D = feature_distances(between, before**2 * diagonal, self.column_factors**2)
        return gaussian_sum(D.T, self.rates)


@dataclass(frozen=True)
class FeatureACT(ACT):
    """ACT with the distances of (4.3.4) in feature space; k(x, x) = 1."""

    uses_diagonal = True

    def stage(self, trained):
        rates = super().stage(trained).rates
        d = trained.factors[trained.support]
        return _FeatureGaussians(trained.columns, d, rates)


@dataclass(frozen=True)
class FreeMDT(MDT):
    """MDT whose searches have no bounds."""

    def family(self, trained, rng):
        family = super().family(trained, rng)
        family.lower = np.full(2, -np.inf)
        family.upper = np.full(2, np.inf)
        return family


FEATURE_ACT = "ACT in feature space"
FREE = {name: f"{name} without bounds" for name in ("MDT-JGRAD", "MDT-JMETA")}
METHODS = {
    FEATURE_ACT: (FeatureACT(),),
    FREE["MDT-JGRAD"]: (FreeMDT(), "separability_gradient"),
    FREE["MDT-JMETA"]: (FreeMDT(), "separability_cma"),
}


def compute_causes(unit):
    """The cells of the plain machine and of each cause: a row a method."""
    rows = []
    for fold, problem in enumerate(problems.parts_of(unit)):
        part = Part(problem)
        found = [outcome(part, SVM) | {"converged": part.shared.whole.converged}]
        for name, method in METHODS.items():
            with np.errstate(over="ignore", invalid="ignore"):
                result = part.transformed(*method)
            converged = {"converged": result.machine.converged}
            found.append(outcome(part, name, result) | converged)
        rows += [{"fold": fold} | row for row in found]
    return cells(pd.DataFrame(rows), "method").to_dict("records")


CAUSES = study_over(
    PAPER,
    "causes",
    compute_causes,
    {
        "paper": [{"dataset": name} for name in (*SETS, BOARD_NAME)],
        "quick": [{"dataset": name} for name in problems.SMALL],
    },
    digest,
    partition={"paper": range(101, 151), "quick": (101,)},
)


# -- what came of them ----------------------------------------------------------------------------

#: Chance below which the print is not one of ours.
RARE = 0.02

#: The sets whose cells without an asterisk hang together if these lack V.
WITHOUT_V_SETS = ("Hepatitis", "Sonar", "Ionosphere", "Breast cancer")


def _gaps(rows):
    """Errors of the methods less those of the plain machine: a row a partition, by set."""
    errors = rows.pivot(
        index="partition", columns=["dataset", "method"], values="error"
    )
    plain = errors.xs(SVM, axis=1, level="method")
    return errors.sub(plain, axis=1, level="dataset")


def _printed_gaps(name):
    """What the methods without an asterisk add to the SVM's error in print."""
    printed = g_means.printed_values("real_sets", name)
    starred = g_means.printed_asterisks(name)
    return {m: printed[m] - printed[SVM] for m in PRINTED[1:] if m not in starred}


def _placed(printed, ours):
    """The print beside ours, a column a set: printed and mean differences, and the chance."""
    row = {name: f"{printed[name]:+.3f}; {ours[name].mean():+.3f}" for name in ours}
    chance = joint_chance([printed[name] for name in ours], ours.to_numpy())
    return row | {"as far": chance}


def left_out_table(partitions):
    """The plain machine without a share of V less that with all: printed; ours, a column a set.

    Of the cells of a set without an asterisk the one that adds least in size shows in print what
    the missing patterns do.
    """
    printed = {
        name: min(_printed_gaps(name).values(), key=abs) for name in WITHOUT_V_SETS
    }
    rows = []
    for inputs in (STANDARDISED, IN_BOX):
        gaps = _gaps(select(partitions, inputs=inputs))
        for share, method in ((0.25, WITHOUT_V), (0.5, HALF_LEFT_OUT)):
            ours = gaps.xs(method, axis=1, level="method")[list(WITHOUT_V_SETS)]
            row = {"inputs": inputs, "share of V": share}
            rows.append(row | _placed(printed, ours))
    return pd.DataFrame(rows)


def rows_left_out_table(partitions):
    """All cells without an asterisk less the SVM's, but of Segment1: as studied, and without V."""
    rows = []
    for inputs in (STANDARDISED, IN_BOX):
        gaps = _gaps(select(partitions, inputs=inputs))
        for words, added in (("as studied", ""), ("where idle, without V", V_LEFT_OUT)):
            places = [
                (name, method)
                for name in NOT_LARGE
                for method in WITHOUT_ASTERISK[name]
                if (name, method + added) in gaps
            ]
            ours = gaps[[(name, method + added) for name, method in places]].to_numpy()
            printed = [_printed_gaps(name)[method] for name, method in places]
            row = {
                "inputs": inputs,
                "rows without an asterisk": words,
                "n": len(places),
            }
            row["further up in print"] = int((printed > ours.mean(axis=0)).sum())
            rows.append(row | {"as far": joint_chance(printed, ours)})
    return pd.DataFrame(rows)


def halves_table(halves):
    """Half of a training part as V, which machines lack where idle: cells without an asterisk.

    "here" is what the method adds to the SVM's error, "idle in" how many partitions nothing is
    transformed in, and "as far" that of all these cells together. Cells with an asterisk are there
    where that is rare.
    """
    gaps = _gaps(halves)
    shown, rows = [], []
    for name in NOT_LARGE:
        printed = _printed_gaps(name)
        for method in PRINTED[1:]:
            place = (name, method + V_LEFT_OUT)
            if place not in gaps:
                continue
            idle = _idle(halves, place[1])[name]
            starred = method not in printed
            as_printed = int((idle == starred).sum())
            rare = _is_rare(as_printed, len(idle))
            if starred and not rare:
                continue
            if not starred:
                shown.append((place, printed[method]))
            rows.append(
                {
                    "data set": name,
                    "method": method,
                    "printed": "*" if starred else f"{printed[method]:+.3f}",
                    "here": gaps[place].mean(),
                    "largest": gaps[place].max(),
                    "idle in": f"{int(idle.sum())}{' (rare)' * rare}",
                    "of": len(idle),
                }
            )
    places, wanted = zip(*shown, strict=True)
    return pd.DataFrame(rows).assign(
        **{"as far": joint_chance(wanted, gaps[[*places]].to_numpy())}
    )


def _is_rare(count, n):
    """Whether what is printed is rarer among n of ours than :data:`RARE`."""
    return (count + 1) / (n + 1) < RARE


def feature_act_table(causes):
    """ACT in feature space less the SVM: printed, ours, and in how many partitions it is idle.

    "as far" is that of all sets together.
    """
    gaps = _gaps(causes).xs(FEATURE_ACT, axis=1, level="method")[list(NOT_LARGE)]
    printed = {name: _printed_gaps(name).get("ACT", 0.0) for name in gaps}
    idle = _idle(causes, FEATURE_ACT)
    chance = joint_chance([*printed.values()], gaps.to_numpy())
    rows = []
    for name in gaps:
        starred = "ACT" in g_means.printed_asterisks(name)
        row = {"data set": name, "printed": f"{printed[name]:+.3f}{' *' * starred}"}
        row |= {"here": gaps[name].mean(), "idle in": idle[name].sum(), "of": len(gaps)}
        rows.append(row | {"as far": chance})
    return pd.DataFrame(rows)


def _idle(causes, method):
    """Whether a method transforms nothing: a row a partition, a column a set."""
    rows = select(causes, method=method)
    return rows.pivot(index="partition", columns="dataset", values="transformed") == 0


def marks_table(causes):
    """In how many partitions MDT without bounds is idle, a star where it is in print."""
    rows = []
    for method, free in FREE.items():
        idle = _idle(causes, free)
        row = {"MDT without bounds": method, "of": len(idle)}
        for name in (*SETS, BOARD_NAME):
            starred = method in g_means.printed_asterisks(name)
            n = int(idle[name].sum())
            as_printed = n if starred else len(idle) - n
            rare = _is_rare(as_printed, len(idle))
            row[name] = f"{n}{' *' * starred}{' (rare)' * rare}"
        rows.append(row)
    return pd.DataFrame(rows)
