"""Causes that might have made the print what it is, each switched on.

``causes`` has, on partitions and draws that no cause was found on,

* ACT with the distances of (4.3.4) in feature space, as its widths are;
* MDT with nothing to keep the searches at kappa >= 0 and lambda in [0, 1).

A cause stands if the print is one of ours then, which was fixed before looking: the share of
vectors, the print's among them, that are as far from the others as it is is 2 % at least, and of
no mark is the other answer rare.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.conformal.factors import feature_distances, gaussian_sum
from companion.papers.conformal import problems
from companion.papers.conformal.methods import SVM, Part, outcome
from companion.papers.conformal.problems import BOARD_NAME, PAPER, SETS, digest
from companion.papers.conformal.real_sets_studies import cells
from companion.reproduction import study_over
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
