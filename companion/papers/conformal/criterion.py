"""The separability J: what the searches reach, what the exact maximiser is worth, what is printed.

All transformations are forced, one each, on the whole training part, so that the searches start
from the same machine and nothing but J decides.
"""

import numpy as np
import pandas as pd
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from companion.conformal import factors as conformal
from companion.conformal.separability import Separability
from companion.metrics import Mean
from companion.papers.conformal import g_means
from companion.papers.conformal.beyond_studies import ASCENTS, COSTS
from companion.papers.conformal.methods import CONFORMAL, SVM, Part
from companion.papers.conformal.problems import (
    PAPER,
    largest_difference,
    part_by_part,
    study_of_sets,
)
from companion.papers.summaries import counts, mean_text, select
from companion.reproduction import study_over
from companion.solvers.mdm import mdm

SEARCHED = ("MDT-JGRAD", "MDT-JMETA", "TSVT-JGRAD", "TSVT-JMETA")
EXACT = "exact maximiser"

#: By the names of the tables; the exact maximiser is Xiong's transformation with the eigenvector.
METHODS = {
    **{name: CONFORMAL[name] for name in SEARCHED},
    "Xiong": ("xiong", "separability_gradient"),
    EXACT: CONFORMAL["Xiong"],
}

#: Random problems for the identities, and patterns in each.
N_RANDOM = {"paper": 20, "quick": 5}
N_PATTERNS = 40


class Counted(Separability):
    """A separability that counts how often it is evaluated."""

    evaluations = 0

    def values(self, Q):
        """As its parent's."""
        self.evaluations += len(np.atleast_2d(Q))
        return super().values(Q)

    def value_and_gradient(self, q):
        """As its parent's."""
        self.evaluations += 1
        return super().value_and_gradient(q)

    def combinations(self, basis):
        """As its parent's."""
        found = super().combinations(basis)
        evaluate = found.value_and_gradient

        def counted(coefficients):
            self.evaluations += 1
            return evaluate(coefficients)

        found.value_and_gradient = counted
        return found


@part_by_part
def compute_searches(problem):
    """J and test errors of every search: a row a fold and method."""
    part = Part(problem, validate=False)
    J = part.shared.separability = Counted(part.shared.K, part.shared.y)
    plain = {
        "method": SVM,
        "J": _rounded(J.value(np.ones(J.n))),
        "evaluations": 0,
        "log10_condition": None,
        "degenerate": False,
    }
    yield plain | counts(part.plain_decision(), problem.y_test)
    for name, method in METHODS.items():
        J.evaluations = 0
        result = part.transformed(*method, max_transforms=1)
        # the history asks for J once for each of its machines
        n_machines = len(result.history)
        row = plain | {
            "method": name,
            "J": None,
            "evaluations": J.evaluations - n_machines,
            "degenerate": result.is_degenerate,
        }
        if n_machines > 1:
            row["J"] = _rounded(result.history[-1]["separability"])
        if name == EXACT:
            row["log10_condition"] = round(condition_of_cores(part, problem.seed), 4)
        yield row | counts(part.decision(result), problem.y_test)


def _rounded(J):
    return float(f"{J:.8g}")


def condition_of_cores(part, seed):
    """log10 of the condition number of W in the basis of Xiong's cores, a third of the patterns."""
    shared = part.shared
    n = len(shared.y)
    order = np.random.default_rng(seed).permutation(n)
    cores = np.sort(order[: max(1, round(n / 3))])
    gaussians = np.exp(-shared.distances(cores).T / part.width)
    basis = np.column_stack([np.ones(n), gaussians])
    W = basis.T @ shared.separability.matrices()[1] @ basis
    values = np.abs(np.linalg.eigvalsh(0.5 * (W + W.T)))
    return np.log10(values.max() / max(values.min(), 1e-300))


def compute_identities(unit):
    """Theorem 6 against explicit scatter matrices, and gradients against differences."""
    rng = unit.rng()
    X = rng.standard_normal((N_PATTERNS, 3))
    y = np.where(np.arange(N_PATTERNS) < N_PATTERNS // 4, 1.0, -1.0)
    K = np.exp(-cdist(X, X, "sqeuclidean") / 4.0)
    q = rng.uniform(0.2, 2.0, N_PATTERNS)
    explicit, space_error = explicit_separability(K, y, q)
    return {
        "theorem_error": abs(Separability(K, y).value(q) / explicit - 1),
        "printed_error": abs(printed_separability(K, y, q) / explicit - 1),
        "space_error": space_error,
        "gradient_error": gradient_error(K, y, X),
    }


def explicit_separability(K, y, q):
    """J of the transformed kernel from scatter matrices in the empirical feature space."""
    transformed = K * np.outer(q, q)
    values, vectors = eigh(transformed)
    kept = values > 1e-12 * values.max()
    Z = transformed @ vectors[:, kept] / np.sqrt(values[kept])
    mean = Z.mean(axis=0)
    between = 0.0
    within = 0.0
    for label in (-1.0, 1.0):
        part = Z[y == label]
        centre = part.mean(axis=0)
        gap = centre - mean
        spread = part - centre
        between += len(part) * np.trace(np.outer(gap, gap))
        within += np.trace(spread.T @ spread)
    return between / within, largest_difference(Z @ Z.T, transformed)


def printed_separability(K, y, q):
    """J with B = K_intra + K / N, as (4.6.14) is printed."""
    B, W = Separability(K, y).matrices()
    printed_B = B + 2 * K / len(y)
    return (q @ printed_B @ q) / (q @ W @ q)


def gradient_error(K, y, X, step=1e-4):
    """Largest relative error of the gradients of J for MDT and TSVT, against differences."""
    J = Separability(K, y)
    machine = mdm(K, y, ridge=0.1, tol=1e-8)
    f = machine.decision_function
    offset = -0.5 * machine.squared_norm
    support = np.flatnonzero(machine.alpha)
    squares = cdist(X[support], X, "sqeuclidean")

    def by_margin(parameters):
        c, *jacobian = conformal.margin_displacement(f, *parameters, offset)
        return c, np.array(jacobian)

    def by_width(rates):
        terms = np.exp(-rates[:, np.newaxis] * squares)
        return terms.sum(axis=0), -squares * terms

    worst = 0.0
    for family, at in (
        (by_margin, np.array([1.0 / np.abs(f).max() ** 2, 0.6])),
        (by_width, np.linspace(0.2, 0.9, support.size)),
    ):
        c, jacobian = family(at)
        gradient = jacobian @ J.value_and_gradient(c)[1]
        steps = np.diag(step * at)
        above, below = (
            [J.value(family(p)[0]) for p in at + h] for h in (steps, -steps)
        )
        numeric = np.subtract(above, below) / (2 * step * at)
        worst = max(worst, largest_difference(gradient, numeric))
    return worst


# One partition of the large set gives every row the word that three give it.
SEARCHES = study_of_sets("searches", compute_searches, 3, of_large=1)
IDENTITIES = study_over(
    PAPER, "identities", compute_identities, digits=3, problem=N_RANDOM
)
STUDIES = (IDENTITIES, SEARCHES, COSTS, ASCENTS)


# -- reproduced values and tables -------------------------------------------------------------

#: Condition number from which half of the digits are lost, as log10.
ILL_POSED = 8


def log_separability(frame):
    """log J: a row a data set, partition and fold, a column a search."""
    return np.log(g_means.by_method(frame, "J").astype(float))


_ENDS = "share of folds in which JMETA ends"
#: Of log J, a row a fold and a column a search: in how many folds.
SHARES = {
    (family, f"{_ENDS} {words}"): f"`{family}-JMETA` {test}"
    for family in ("MDT", "TSVT")
    for words, test in (
        ("above no transformation", "> SVM + 1e-9"),
        ("as high as JGRAD, to 1 %", f"- `{family}-JGRAD` > -0.01"),
    )
}
SHARES["TSVT", f"{_ENDS} above JGRAD by 1 %"] = "`TSVT-JMETA` - `TSVT-JGRAD` > 0.01"
#: Of log10 of the condition number.
ILL = {
    (EXACT, "share of folds whose matrix to invert is ill-posed"): (
        f"`{EXACT}` >= {ILL_POSED}"
    )
}
#: Of the numbers of evaluations of J.
EVALUATIONS = {
    ("MDT", "evaluations of J: JMETA - JGRAD"): "`MDT-JMETA` - `MDT-JGRAD`",
    ("TSVT", "evaluations of J: JMETA - JGRAD"): "`TSVT-JMETA` - `TSVT-JGRAD`",
    ("TSVT", "evaluations of J, gradient ascent: TSVT - MDT"): (
        "`TSVT-JGRAD` - `MDT-JGRAD`"
    ),
}
ERRORS = {(EXACT, "g-means error: exact maximiser of J - SVM"): f"`{EXACT}` - SVM"}


def _add_identities(out, frame):
    """Sections 4.6 and 5.2 on random problems."""
    out.add("(4.6.4)", "largest |Z Z' - K|, relative", frame.space_error.max())
    column = "largest error of the gradient of J, relative"
    out.add("(5.2.4)", column, frame.gradient_error.max())
    place = ("Theorem 6", "largest error of J by (4.6.14), relative")
    out.add(*place, frame.printed_error.max())
    out.add(*place, frame.theorem_error.max(), reading="b-minus")


def _add_searches(out, frame):
    """Section 5.2 and chapter 7 on the separability J.

    Folds of one data set go together: the sets are the cases of a share.
    """
    condition = g_means.by_method(frame, "log10_condition").astype(float)
    evaluations = g_means.by_method(frame, "evaluations")
    g_means.add_claims(out, log_separability(frame), SHARES, "dataset")
    g_means.add_claims(out, condition, ILL, "dataset")
    g_means.add_claims(out, evaluations, EVALUATIONS, "partition")
    g_means.add_claims(out, g_means.error_table(frame), ERRORS, "partition")


#: Which search, and which family, the thesis calls slower than which.
SLOWER = [(f"{family}-JMETA", f"{family}-JGRAD") for family in ("MDT", "TSVT")]
SLOWER += [(f"TSVT-{search}", f"MDT-{search}") for search in ("JGRAD", "JMETA")]


def time_ratios(costs):
    """log10 of the ratios of CPU times that the thesis speaks of, by their names: one a set."""
    logs = costs.assign(seconds=np.log10(costs.seconds))
    times = logs.pivot_table("seconds", "dataset", ["what", "method"])
    c = times["c"]
    once = times["once"]
    whole = times["whole"].drop(columns="PVGS, shared")
    others = c.drop(columns="WIL").median(axis=1)
    ratios = {"for c, Williams / the median of four": c["WIL"] - others}
    for slow, fast in SLOWER:
        ratios[f"{slow} / {fast}"] = once[slow] - once[fast]
    for name in whole.drop(columns="PVGS"):
        ratios[f"PVGS / {name}"] = whole["PVGS"] - whole[name]
    return ratios


def _add_costs(out, frame):
    """What the thesis calls slower, a case a data set."""
    for words, ratio in time_ratios(frame).items():
        out.add_mean("CPU time", f"log10 of the seconds {words}", g_means.chance(ratio))


def _add_ascents(out, frame):
    """Whether an ascent of J for TSVT from another start ends higher, a case a data set."""
    column = "share of ascents of J that another start ends 1 % above"
    ascents = select(frame, method="TSVT")
    higher = ascents.best > 1.01 * ascents.own
    shares = higher.groupby(ascents.dataset).mean()
    out.add_mean("TSVT", column, g_means.chance(shares))


VALUES = (
    (_add_identities, "identities"),
    (_add_searches, "searches"),
    (_add_costs, "costs"),
    (_add_ascents, "ascents"),
)


def search_table(frame):
    """J over that without a transformation, its evaluations, and errors of the forced machines.

    "smaller J" is the share of folds in which J ends below that without a transformation.
    """
    log_J = log_separability(frame)
    growth = g_means.gaps(log_J)
    shown = g_means.against(g_means.by_partition(frame))
    columns = {
        "J / J of the SVM": np.exp(growth.mean()),
        "least": np.exp(growth.min()),
        "smaller J": (growth < -1e-9).mean(),
        "evaluations of J": g_means.by_method(frame, "evaluations").mean(),
    }
    table = pd.DataFrame(columns).join(shown[["g-means error", "method - SVM", "SE"]])
    return table.loc[shown.index].reset_index()


# -- the notebook -----------------------------------------------------------------------------


def what_came_out(run):
    """What the largest J does to the error, and what the misprint does to J."""
    identities = run.records["identities"]
    sign = (
        "As (4.6.14) is printed, with a plus sign, $J$ is wrong by up to "
        f"{identities.printed_error.max():.0f} times its value; with a minus it is right to "
        f"{identities.theorem_error.max():.0e}."
    )
    searches = run.records["searches"]
    if searches.empty:
        return sign
    top = search_table(searches).set_index("method").loc[EXACT]
    change = mean_text(Mean(top["method - SVM"], top.SE, 0), "+.3f")
    return (
        "A kernel of large $J$ need not be a good one: the transformation with the largest $J$ "
        f"makes it {top['J / J of the SVM']:.1f} times as large as the plain kernel has it "
        f"(geometric mean over the folds) and changes the g-means error by {change}. {sign}"
    )


def times_table(costs):
    """How many times as long the first of two takes, and on how many sets it takes longer."""
    rows = [
        {
            "CPU time": words,
            "times as long": 10 ** ratio.mean(),
            "longer on": (ratio > 0).sum(),
            "of sets": len(ratio),
        }
        for words, ratio in time_ratios(costs).items()
    ]
    return pd.DataFrame(rows)


def ascents_table(ascents):
    """How far six ascents of J end apart, by method: how many training parts."""
    ends = ascents[["own", "best", "worst"]]
    columns = {
        "training parts": ascents.own.notna(),
        "the six end 1 % apart": ends.max(axis=1) > 1.01 * ends.min(axis=1),
        "another start ends 1 % higher": ascents.best > 1.01 * ascents.own,
    }
    return pd.DataFrame(columns).groupby(ascents.method).sum().reset_index()
