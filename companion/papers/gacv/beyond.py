"""Beyond the report: its estimates as tuning criteria on real data, against cross-validation.

The same (C, gamma) grid is searched by GACV, by XA and by exact leave-one-out, each from one fit a
cell, by 5-fold cross-validation, and on the first splits by scikit-learn's ``GridSearchCV``. GACV
and XA are computed with the span in the place of K_ii as well, and all that on ten more tables.
"""

import time
import warnings
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from companion.datasets import data_digest
from companion.datasets.imbalanced import imbalanced_source, load_imbalanced
from companion.datasets.uci import list_uci, load_uci
from companion.estimators import L1SVC
from companion.metrics import mean_and_standard_error
from companion.papers.experiment import benchmark_split, random_split, wrong
from companion.papers.gacv.example import PAPER, random_state
from companion.papers.summaries import DRAWN, over_sets, select
from companion.reproduction import study_over
from companion.tuning import GACVSearch, KernelGridSearchCV
from companion.tuning.criteria import gacv_values, xi_alpha_values
from companion.tuning.surface import machine_surface

#: Data sets and their names as the Least 1-Norm paper prints such names.
KEYS = (
    "titanic",
    "heart",
    "breast-cancer",
    "german",
    "diabetis",
    "thyroid",
    "waveform",
)
DATASETS = {key: key.removeprefix("breast-").capitalize() for key in KEYS}
GRID = {"C": 2.0 ** np.arange(-3, 12, 2), "gamma": 2.0 ** np.arange(-9, 2, 2)}
#: The same with C from where all multipliers of the rarer class are at the bound, and its sets.
LONGER = GRID | {"C": 2.0 ** np.arange(-15, 12, 2)}
OVERLAPPING = ("breast-cancer", "german")
N_FOLDS = 5
#: Other tables at hand, of complete rows, and the keys of their files. A split is into halves.
TABLES = {key: key for key in list_uci() if key != "hepatitis"}
TABLES |= {
    key: imbalanced_source(key) for key in ("glass7", "sonar", "ionosphere", "wdbc")
}
#: Names of all sets.
SETS = DATASETS | {key: key.capitalize() for key in TABLES}
#: How many splits, and how many of them scikit-learn searches too.
SIZES = {"paper": (8, 1), "quick": (1, 1)}
#: How many halves of each further table.
N_TABLE_SPLITS = {"paper": 8, "quick": 1}
#: Of several hundred rows: scikit-learn does not search them in a quick run.
LARGER = ("german", "diabetis", "waveform")

#: The searches, and what a reader calls them.
SEARCHES = {
    "gacv": "GACV",
    "xi_alpha": "XA",
    "gacv_span": "GACV by the span",
    "xi_alpha_span": "XA by the span",
    "leave_one_out": "exact leave-one-out",
    "cv": "5-fold CV",
    "scikit-learn": "5-fold CV, GridSearchCV(SVC)",
}
#: What is compared with cross-validation.
COMPARED = {
    "gacv": "GACV",
    "xi_alpha": "XA",
    "gacv_span": "GACV by the span",
    "xi_alpha_span": "XA by the span",
}


def compute_split(unit):
    """Tune by every search on the training rows of one split, and test: a row a search."""
    _compile_loops()
    dataset = unit.params["dataset"]
    number = unit.params["split"]
    part = benchmark_split(dataset, number)
    folds = _folds("beyond", "folds", dataset, number)
    searches = _searches(folds)
    if unit.params["by_scikit_learn"]:
        searches["scikit-learn"] = GridSearchCV(SVC(), GRID, cv=folds)
    rows = []
    for name, search in searches.items():
        started = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            search.fit(part.X, part.y)
        seconds = round(time.process_time() - started, 4)
        # what a search expects of its choice: an accuracy, or minus an error rate or hinge loss
        score = float(search.best_score_)
        row = {
            "search": name,
            **_tested(search.best_estimator_, part),
            "estimate": round(
                1.0 - score if name in ("cv", "scikit-learn") else -score, 6
            ),
            "n_train": len(part.y),
            "seconds": seconds,
        }
        if name == "gacv":
            row["criteria_share"] = _criteria_share(part.X, part.y)
            if dataset in OVERLAPPING:
                row["at_least_C"] = _at_least_C(part.X, part.y)
        rows.append(row | {"converged": not _missed(caught)})
    return rows


@cache
def _compile_loops():
    """Run the searches on few points: the time in which their loops compile is not measured."""
    x = np.linspace(-1.0, 1.0, 30)
    for search in _searches(N_FOLDS).values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            search.fit(x[:, np.newaxis], np.sin(9.0 * x) > 0.0)


def _missed(caught):
    """Whether a fit has not converged, from the warnings that were caught."""
    return any(issubclass(w.category, ConvergenceWarning) for w in caught)


def _criteria_share(X, y):
    """Share of the CPU time of a surface that computing GACV and XA from it takes."""
    started = time.process_time()
    surface = machine_surface(X, y, GRID["C"], GRID["gamma"])
    fitted = time.process_time()
    for values in (gacv_values, xi_alpha_values):
        values(surface.margin, surface.influence)
    ended = time.process_time()
    return round((ended - fitted) / (ended - started), 4)


def _at_least_C(X, y):
    """Whether GACV has no minimum above the least C of the longer grid either."""
    search = GACVSearch(L1SVC(), LONGER, refit=False).fit(X, y)
    return float(search.best_params_["C"] == LONGER["C"][0])


def _folds(*seed):
    state = random_state(*seed)
    return StratifiedKFold(N_FOLDS, shuffle=True, random_state=state)


def _searches(folds):
    """The searches by name, without that of scikit-learn."""
    searches = {}
    for name in ("gacv", "xi_alpha"):
        search = GACVSearch(L1SVC(), GRID, criterion=name)
        searches[name] = search
        searches[f"{name}_span"] = clone(search).set_params(update="span")
    searches["leave_one_out"] = GACVSearch(L1SVC(), GRID, criterion="leave_one_out")
    searches["cv"] = KernelGridSearchCV(L1SVC(), GRID, cv=folds)
    return searches


def compute_table(unit):
    """Tune on one half of a table by 5-fold CV and by the criteria, and test."""
    name = unit.params["dataset"]
    load = load_uci if name in list_uci() else load_imbalanced
    data = load(name)
    folds = _folds("beyond_tables", name, unit.params["split"])
    part = random_split(data.X, data.y, 0.5, folds.random_state).standardised()
    searches = _searches(folds)
    rows = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        for search in ("cv", *COMPARED):
            machine = searches[search].fit(part.X, part.y).best_estimator_
            rows.append({"search": search} | _tested(machine, part))
    return [row | {"converged": not _missed(caught)} for row in rows]


def _tested(machine, part):
    """The columns of a record on what was chosen and how often it errs."""
    return {
        "log2_C": np.log2(machine.C),
        "log2_gamma": np.log2(machine.gamma),
        "n_test": len(part.y_test),
        "n_wrong": wrong(machine.predict(part.X_test), part.y_test),
    }


def _digest(params):
    return data_digest(TABLES.get(params["dataset"], params["dataset"]))


def _settings(profile):
    """Data sets and splits, how they are drawn, and which of them scikit-learn searches as well."""
    n, n_twice = SIZES[profile]
    once = LARGER if profile == "quick" else ()
    return [
        {
            "dataset": name,
            "split": split,
            "splits": DRAWN,
            "by_scikit_learn": split <= n_twice and name not in once,
        }
        for name, split in product(KEYS, range(1, n + 1))
    ]


_SETTINGS = {profile: _settings(profile) for profile in SIZES}
BEYOND = study_over(PAPER, "beyond", compute_split, _SETTINGS, _digest)
BEYOND_TABLES = study_over(
    PAPER,
    "beyond_tables",
    compute_table,
    digest=_digest,
    dataset=tuple(TABLES),
    split=N_TABLE_SPLITS,
)
STUDIES = (BEYOND, BEYOND_TABLES)


def all_searches(records):
    """The searches of all sets, with whether the choice is at an end of the grid in C or gamma."""
    frame = pd.concat([records["beyond"], records["beyond_tables"]], ignore_index=True)
    ends = {axis: np.log2(values[[0, -1]]) for axis, values in GRID.items()}
    at_end = frame.log2_C.isin(ends["C"]) | frame.log2_gamma.isin(ends["gamma"])
    return frame.assign(at_end=at_end)


def _add_searches(out, beyond, tables):
    """Whether tuning by the estimates costs test error, and what they cost to compute."""
    row = "all data sets"
    frame = pd.concat([beyond, tables], ignore_index=True)
    # of other sets like these, not of other splits of them: the error is that over sets
    by_gacv, by_span = (
        np.array([mean for mean, *_ in to_folds(frame, search).values()])
        for search in ("gacv", "gacv_span")
    )
    if len(by_gacv) == len(SETS):
        out.add_mean(row, "% err. GACV - 5-fold CV", by_gacv)
        out.add(row, "% err. GACV - 5-fold CV, median", np.median(by_gacv))
        out.add_mean(row, "% err. GACV by the span - 5-fold CV", by_span)
    shares = beyond.dropna(subset="criteria_share").groupby("dataset").criteria_share
    largest = shares.get_group(shares.mean().idxmax())
    column = "share of the search's time spent on GACV and XA"
    out.add_mean(row, column, largest)


VALUES = ((_add_searches, "beyond", "beyond_tables"),)


def to_folds(frame, search):
    """By data set the test error of a search minus that of 5-fold CV, in points, paired."""
    errors = frame.assign(error=100.0 * frame.n_wrong / frame.n_test)
    table = errors.pivot(index=["dataset", "split"], columns="search", values="error")
    gaps = dict(iter((table[search] - table["cv"]).dropna().groupby("dataset")))
    return {name: mean_and_standard_error(gaps[name]) for name in SETS if name in gaps}


def what_came_out(run):
    """The opening of the notebook, computed from its run."""
    frame = all_searches(run.records)
    lost = to_folds(frame, "gacv")
    points, span = (
        pd.Series({SETS[name]: found.mean for name, found in means.items()})
        for means in (lost, to_folds(frame, "gacv_span"))
    )
    most = points.nlargest(5)
    worst = ", ".join(f"{name} {loss:.1f}" for name, loss in most.items())
    return (
        f"Tuned by GACV a machine errs {points.mean():.1f} points more than tuned by 5-fold"
        f" cross-validation, in the mean of {len(points)} data sets"
        f" ({over_sets(lost.values()).errors(digits=1)}). Most is lost on five of them ({worst})."
        f" With the span in the place of $K_{{ii}}$ the mean of all is"
        f" {span.mean():+.1f} and the largest loss {span.max():.1f} points."
    )


def loss_table(frame):
    """By criterion the loss over all sets, on how many it is large, and choices at a grid's end."""
    rows = []
    for name, words in COMPARED.items():
        of_sets = to_folds(frame, name).values()
        lost = over_sets(of_sets)
        row = {
            "search": words,
            "mean loss": lost.mean.mean,
            "SE over sets": lost.error_over_sets,
            "SE over splits": lost.mean.standard_error,
            "median": lost.median,
            "more than .5 on": sum(found.mean > 0.5 for found in of_sets),
            "at an end of the grid": select(frame, search=name).at_end.mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows)
