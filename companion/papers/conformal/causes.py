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
    V_LEFT_OUT,
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


def _idle(rows, method):
    """Whether a method transforms nothing: a row a partition, a column a set."""
    of_method = select(rows, method=method)
    table = of_method.pivot(index="partition", columns="dataset", values="transformed")
    return table == 0


def _mark(rows, name, method, suffix=""):
    """In how many partitions a method is idle, and whether what is printed is rare among ours."""
    idle = _idle(rows, method + suffix)[name]
    starred = method.split(" without")[0] in g_means.printed_asterisks(name)
    as_printed = int((idle == starred).sum())
    rare = (as_printed + 1) / (len(idle) + 1) < RARE
    text = f"{int(idle.sum())}{' *' * starred}{' (rare)' * rare}"
    return text, starred, rare


def left_out_table(partitions):
    """The plain machine without a share of V less that with all: printed; ours, a column a set.

    Of the cells of a set without an asterisk the one that adds least in size shows in print what
    the missing patterns do.
    """
    printed = {
        name: min(_printed_gaps(name).values(), key=abs)
        for name in WITHOUT_V_SETS
        if name in set(partitions.dataset)
    }
    rows = []
    for inputs in partitions.inputs.unique():
        gaps = _gaps(select(partitions, inputs=inputs))
        for share, method in ((0.25, WITHOUT_V), (0.5, HALF_LEFT_OUT)):
            ours = gaps.xs(method, axis=1, level="method")[list(printed)]
            row = {"inputs": inputs, "share of V": share}
            for name in ours:
                row[name] = f"{printed[name]:+.3f}; {ours[name].mean():+.3f}"
            chance = joint_chance([*printed.values()], ours.to_numpy())
            rows.append(row | {"as far": chance})
    return pd.DataFrame(rows)


def rows_left_out_table(partitions):
    """All cells without an asterisk less the SVM's, but of Segment1: as studied, and without V."""
    rows = []
    for inputs in partitions.inputs.unique():
        gaps = _gaps(select(partitions, inputs=inputs))
        for words, added in (("as studied", ""), ("where idle, without V", V_LEFT_OUT)):
            row = {"inputs": inputs, "rows without an asterisk": words}
            rows.append(row | _together(gaps, added))
    return pd.DataFrame(rows)


def _together(gaps, added):
    """How many cells without an asterisk there are, and the chance of all together."""
    places = [
        (name, method)
        for name in NOT_LARGE
        for method in _printed_gaps(name)
        if (name, method + added) in gaps
    ]
    ours = gaps[[(name, method + added) for name, method in places]].to_numpy()
    printed = [_printed_gaps(name)[method] for name, method in places]
    return {"n": len(places), "as far": joint_chance(printed, ours)}


def halves_table(halves):
    """Half of a training part as V, which machines lack where idle: cells without an asterisk.

    "here" is what the method adds to the SVM's error, "idle in" how many partitions nothing is
    transformed in, and "as far" that of all these cells together. Of cells with an asterisk those
    are there whose asterisk is rare.
    """
    gaps = _gaps(halves)
    rows = []
    for name, method in (place for place in gaps if place[0] in NOT_LARGE):
        plain_name = method.removesuffix(V_LEFT_OUT)
        if plain_name == method:
            continue
        idle, starred, rare = _mark(halves, name, plain_name, V_LEFT_OUT)
        if starred and not rare:
            continue
        printed = "*" if starred else f"{_printed_gaps(name)[plain_name]:+.3f}"
        gap = gaps[name, method]
        row = {"data set": name, "method": plain_name, "printed": printed}
        row |= {"here": gap.mean(), "least": gap.min(), "largest": gap.max()}
        rows.append(row | {"idle in": idle, "of": len(gap)})
    return pd.DataFrame(rows)


def feature_act_table(causes):
    """ACT in feature space less the SVM: printed, ours, and in how many partitions it is idle."""
    gaps = _gaps(causes).xs(FEATURE_ACT, axis=1, level="method")
    rows = []
    for name in (name for name in NOT_LARGE if name in gaps):
        idle, *_ = _mark(causes, name, "ACT", FEATURE_ACT.removeprefix("ACT"))
        printed = _printed_gaps(name).get("ACT", 0.0)
        row = {"data set": name, "printed": printed, "here": gaps[name].mean()}
        rows.append(row | {"idle in": idle, "of": len(gaps)})
    return pd.DataFrame(rows)


def _chance_of_act(causes):
    gaps = _gaps(causes).xs(FEATURE_ACT, axis=1, level="method")
    names = [name for name in NOT_LARGE if name in gaps]
    printed = [_printed_gaps(name).get("ACT", 0.0) for name in names]
    return joint_chance(printed, gaps[names].to_numpy())


def marks_table(causes):
    """In how many partitions MDT without bounds is idle, a star where it is in print."""
    rows = []
    for method in FREE:
        row = {"MDT without bounds": method, "of": causes.partition.nunique()}
        for name in (n for n in (*SETS, BOARD_NAME) if n in set(causes.dataset)):
            row[name], *_ = _mark(causes, name, method, " without bounds")
        rows.append(row)
    return pd.DataFrame(rows)


def summary(records):
    """What came of each cause, a line each."""
    partitions, halves, causes = (
        records[name] for name in ("partitions", "halves", "causes")
    )
    studied = rows_left_out_table(partitions)["as far"].iloc[0]
    together = _together(_gaps(halves), V_LEFT_OUT)
    rare = halves_table(halves)["idle in"].str.contains("rare").sum()
    marks = marks_table(causes).set_index("MDT without bounds").drop(columns="of")
    n_rare = marks.apply(lambda row: row.str.contains("rare").sum(), axis=1)
    act = feature_act_table(causes)
    act_rare = act["idle in"].str.contains("rare").sum()
    chance = _chance_of_act(causes)
    lines = [
        "**V left out**: as studied, the share of what is as far as the print is "
        f"{studied:.3f}; with half of a training part as $V$, and without it where nothing is "
        f"transformed, {together['as far']:.3f} for {together['n']} cells without an asterisk, so "
        f"that {_what(together['as far'], 0)} by what they add; printed marks that are rare: "
        f"{rare}.",
        f"**ACT in feature space**: as far are {chance:.3f}, and {act_rare} of {len(act)} marks "
        f"are rare: {_what(chance, act_rare)}.",
        "**MDT without bounds**: rare are "
        + " and ".join(
            f"{n_rare[name]} of {marks.shape[1]} marks of {name}"
            for name in n_rare.index
        )
        + f": {_what(1.0, n_rare.sum())}.",
    ]
    return "\n".join(f"* {line}" for line in lines)


def _what(chance, n_rare):
    return "it stands" if chance >= RARE and not n_rare else "it does not stand"
