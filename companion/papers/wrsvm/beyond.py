"""Why truncation helps, which s and which start, baselines, Table 3 by utility.

Linear machines are trained and tuned on the samples of Table 1 and judged by their expected utility
(:mod:`.population`), on labels with and without flips. Every second C of the tables is tried.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC

from companion.papers.wrsvm import examples, population, simulation
from companion.papers.wrsvm.examples import C_VALUES, FLIP, PAPER, TOL, S
from companion.reproduction import Study, Unit
from companion.solvers import Design, dca, dca_path

#: Places of truncation, by what they are called; None is the weighted SVM.
TRUNCATIONS = {"none": None, "s = -1": -1.0, "s = -1/2": S, "s = 0": 0.0}
SETTINGS = ((1, 0.0), (2, 0.4), (3, 0.4), (2, 0.6))
FLIPS = (0.0, FLIP)
_SPARSE_C = C_VALUES[::2]
N_SAMPLES = {"paper": 50, "quick": 2}
N_KERNEL = {"paper": 20, "quick": 2}

#: C of the baselines: scikit-learn's, which choose it on the tuning sample as the others do.
_LOGISTIC_C = tuple(10.0**k for k in range(-3, 3))
_SVC_C = tuple(2.0**k for k in range(-7, 6, 2))

#: Table 3 as printed, rows true digits 3, 6, 9, columns decisions.
PRINTED_TABLE_3 = {
    0.0: ((0.9929, 0.0005, 0.0066), (0.0001, 0.9989, 0.0010), (0.0130, 0.0002, 0.9868)),
    0.2: ((0.9886, 0.0034, 0.0080), (0.0001, 0.9990, 0.0009), (0.0109, 0.0015, 0.9875)),
    0.6: ((0.4545, 0.1573, 0.3882), (0.0, 0.9990, 0.0010), (0.0, 0.0002, 0.9998)),
}
#: Rows of the three digits that are left for testing, of 1055, 1056 and 1055.
_TEST_SIZES = np.array([955, 956, 955])


# -- truncation, start ----------------------------------------------------------------------


def truncation_units(profile):
    """One unit a setting, share of flipped labels and sample."""
    return [
        Unit(PAPER, "beyond_truncation", {"config": config, "a": a, "flip": flip, "sample": number})
        for config, a in SETTINGS
        for flip in FLIPS
        for number in range(1, N_SAMPLES[profile] + 1)
    ]


def compute_truncation(unit):
    """Expected utility for each place of truncation, and from the other start: a row each."""
    p = unit.params
    U = examples.utility(p["config"], p["a"])
    (X, y), tune = population.samples(p["sample"], p["flip"])
    design, rows = Design.linear(X), []
    for name, s in TRUNCATIONS.items():
        if s is not None:
            convex, found = dca_path(design, y, U, _SPARSE_C, s, tol=TOL)
            if name == "s = -1":
                rows.append(_row("none", convex, U, tune, p["flip"]))
            rows.append(_row(name, found, U, tune, p["flip"]))
            if s == S:
                own = found
    if p["flip"]:
        other = _from_unweighted(design, y, U)
        ratio = other["objective"] / own.objective
        rows.append(
            _row("s = -1/2, unweighted start", other, U, tune, p["flip"])
            | {
                "share_lower": round(float((ratio < 1 - 1e-4).mean()), 6),
                "share_higher": round(float((ratio > 1 + 1e-4).mean()), 6),
            }
        )
    return rows


def _from_unweighted(design, y, U):
    """Machines with s = -1/2 whose DC algorithm starts at the SVM that ignores U."""
    plain, _ = dca_path(design, y, np.eye(len(U)), _SPARSE_C, S, tol=TOL)
    machines = [
        dca(design, y, U, C, S, start=np.column_stack([w, b]), tol=TOL)
        for C, w, b in zip(_SPARSE_C, plain.coef, plain.intercept, strict=True)
    ]
    return {
        "coef": np.array([m.coef for m in machines]),
        "intercept": np.array([m.intercept for m in machines]),
        "objective": np.array([m.objective for m in machines]),
        "converged": np.array([m.converged for m in machines]),
    }


def _row(name, path, U, tune, flip):
    path = path if isinstance(path, dict) else vars(path)
    best = population.best_of(path["coef"], path["intercept"], *tune, U)
    cells, _ = population.population("piecewise_linear")
    predicted = (cells @ path["coef"][best].T + path["intercept"][best]).argmax(axis=1)
    return {
        "machine": name,
        "log2_C": float(np.log2(_SPARSE_C[best])),
        "utility": round(population.expected_utility("piecewise_linear", flip, U, predicted), 8),
        "converged": bool(path["converged"].all()),
    }


# -- baselines ------------------------------------------------------------------------------


def baseline_units(profile):
    """One unit a share of flipped labels and sample of Table 1."""
    return [
        Unit(PAPER, "beyond_baselines", {"flip": flip, "sample": number})
        for flip in FLIPS
        for number in range(1, N_SAMPLES[profile] + 1)
    ]


def compute_baselines(unit):
    """Logistic regression, whose decisions weigh U, and an SVC that ignores it, in every cell."""
    p = unit.params
    train, tune = population.samples(p["sample"], p["flip"])
    cells, _ = population.population("piecewise_linear")
    logistic = [LogisticRegression(C=C).fit(*train) for C in _LOGISTIC_C]
    at_tune = [machine.predict_proba(tune[0]) for machine in logistic]
    svc = _best_svc(train, tune, kernel="linear").predict(cells)
    rows = []
    for config, a in simulation.CELLS["table_1"]:
        U = examples.utility(config, a)
        scores = [examples.mean_utility(U, tune[1], examples.bayes(q, U)) for q in at_tune]
        best = logistic[int(np.argmax(scores))]
        decided = {"logistic regression": examples.bayes(best.predict_proba(cells), U), "SVC": svc}
        rows += [
            {
                "config": config,
                "a": a,
                "machine": name,
                "utility": round(
                    population.expected_utility("piecewise_linear", p["flip"], U, predicted), 8
                ),
            }
            for name, predicted in decided.items()
        ]
    return rows


def _best_svc(train, tune, **settings):
    machines = [SVC(C=C, **settings).fit(*train) for C in _SVC_C]
    return machines[int(np.argmax([machine.score(*tune) for machine in machines]))]


def kernel_units(profile):
    """One unit a sample of Table 2."""
    return [
        Unit(PAPER, "beyond_kernel", {"sample": number})
        for number in range(1, N_KERNEL[profile] + 1)
    ]


def compute_kernel(unit):
    """The machines of Table 2 and three baselines by their expected utility: a row each."""
    train, tune, _ = simulation.samples("table_2", unit.params["sample"])
    sigma = simulation.median_distance(*train)
    cells, _ = population.population("nonlinear")
    design, near, far = simulation.kernel_columns(train[0], sigma, tune[0], cells)
    svc = _best_svc(train, tune, gamma=1.0 / (2.0 * sigma**2)).predict(cells)
    logistic = [
        make_pipeline(
            PolynomialFeatures(2, include_bias=False), LogisticRegression(C=C, max_iter=2000)
        ).fit(*train)
        for C in _LOGISTIC_C
    ]
    at_tune = [machine.predict_proba(tune[0]) for machine in logistic]
    rows = []
    for config, a in simulation.CELLS["table_2"]:
        U = examples.utility(config, a)
        machines = examples.tuned_machines(design, train[1], near, tune[1], U, C_values=_SPARSE_C)
        scores = [examples.mean_utility(U, tune[1], examples.bayes(q, U)) for q in at_tune]
        best = logistic[int(np.argmax(scores))]
        decided = {machine.name: machine.predict(far) for machine in machines}
        decided |= {
            "logistic regression on squares": examples.bayes(best.predict_proba(cells), U),
            "SVC": svc,
        }
        rows += [
            {
                "config": config,
                "a": a,
                "machine": name,
                "utility": round(population.expected_utility("nonlinear", FLIP, U, predicted), 8),
                "converged": all(machine.converged for machine in machines),
            }
            for name, predicted in decided.items()
        ]
    return rows


def level_units(profile):
    """One unit an example and share of flipped labels."""
    return [
        Unit(PAPER, "beyond_levels", {"example": example, "flip": flip})
        for example in ("piecewise_linear", "nonlinear")
        for flip in FLIPS
    ]


def compute_levels(unit):
    """The Bayes utility of every cell, and what the rule that ignores U is worth: a row each."""
    p = unit.params
    cells, _ = population.population(p["example"])
    probability = examples.class_probabilities(p["example"], cells, p["flip"])
    likeliest = probability.argmax(axis=1)
    table = "table_1" if p["example"] == "piecewise_linear" else "table_2"
    rows = []
    for config, a in simulation.CELLS[table]:
        U = examples.utility(config, a)
        mass = population.gains(p["example"], p["flip"]) @ U
        rows.append(
            {
                "config": config,
                "a": a,
                "bayes": round(population.bayes_utility(p["example"], p["flip"], U), 8),
                "likeliest": round(
                    population.expected_utility(p["example"], p["flip"], U, likeliest), 8
                ),
                "constant": round(float(mass.sum(axis=0).max()), 8),
            }
        )
    return rows


# -- Table 3 by utility ---------------------------------------------------------------------


def table_3_units(profile):
    """One unit a printed block of Table 3 after the first."""
    return [Unit(PAPER, "beyond_table_3", {"a": a}) for a in PRINTED_TABLE_3 if a > 0]


def compute_table_3(unit):
    """What a printed block is worth under its own utilities, and what the unweighted one is."""
    a = unit.params["a"]
    U = examples.utility(2, a)
    shares = _TEST_SIZES / _TEST_SIZES.sum()
    return {
        name: round(float(shares @ (np.array(rows) * U).sum(axis=1)), 8)
        for name, rows in (("weighted", PRINTED_TABLE_3[a]), ("unweighted", PRINTED_TABLE_3[0.0]))
    }


BEYOND_TRUNCATION = Study(PAPER, "beyond_truncation", truncation_units, compute_truncation)
BEYOND_BASELINES = Study(PAPER, "beyond_baselines", baseline_units, compute_baselines)
BEYOND_KERNEL = Study(PAPER, "beyond_kernel", kernel_units, compute_kernel)
BEYOND_LEVELS = Study(PAPER, "beyond_levels", level_units, compute_levels)
BEYOND_TABLE_3 = Study(PAPER, "beyond_table_3", table_3_units, compute_table_3)
