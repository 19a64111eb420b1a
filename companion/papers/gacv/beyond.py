"""Beyond the report: its estimates as tuning criteria on real data, against cross-validation.

On seven problems of the IDA benchmark the same (C, gamma) grid is searched by GACV, by XA and by
exact leave-one-out, each from one fit a cell, and by 5-fold cross-validation. The first splits are
also searched by scikit-learn's ``GridSearchCV`` with its ``SVC``.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from companion.datasets import data_digest, ida_split, load_ida, split_source
from companion.estimators import L1SVC
from companion.papers.gacv.example import PAPER
from companion.reproduction import Study, Unit, seed_for
from companion.tuning import GACVSearch, KernelGridSearchCV
from companion.tuning.criteria import gacv_values, xi_alpha_values
from companion.tuning.surface import machine_surface

#: Data sets and their names as the Least 1-Norm paper prints such names.
DATASETS = {
    "titanic": "Titanic",
    "heart": "Heart",
    "breast-cancer": "Cancer",
    "german": "German",
    "diabetis": "Diabetis",
    "thyroid": "Thyroid",
    "waveform": "Waveform",
}
GRID = {"C": 2.0 ** np.arange(-3, 12, 2), "gamma": 2.0 ** np.arange(-9, 2, 2)}
N_FOLDS = 5
SIZES = {
    "paper": {"splits": 20, "by_scikit_learn": 5},
    "quick": {"splits": 2, "by_scikit_learn": 1},
}

#: The searches, and what a reader calls them.
SEARCHES = {
    "gacv": "GACV",
    "xi_alpha": "XA",
    "leave_one_out": "exact leave-one-out",
    "cv": "5-fold CV",
    "scikit-learn": "5-fold CV, GridSearchCV(SVC)",
}


def search_units(profile):
    """One unit a data set and split."""
    size = SIZES[profile]
    return [
        Unit(
            PAPER,
            "beyond",
            {
                "dataset": name,
                "split": split,
                "splits": split_source(name),
                "by_scikit_learn": split <= size["by_scikit_learn"],
            },
            data=data_digest(name),
        )
        for name in DATASETS
        for split in range(1, size["splits"] + 1)
    ]


def compute_split(unit):
    """Tune by every search on the training rows of one split, and test: a row a search."""
    p = unit.params
    data = load_ida(p["dataset"], p["splits"])
    train, test = ida_split(p["dataset"], p["split"], p["splits"])
    X, y, X_test, y_test = data.X[train], data.y[train], data.X[test], data.y[test]
    rows = []
    for name, search in _searches(p).items():
        started = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            search.fit(X, y)
        seconds = round(time.process_time() - started, 4)
        rows.append(
            {
                "search": name,
                "log2_C": float(np.log2(search.best_params_["C"])),
                "log2_gamma": float(np.log2(search.best_params_["gamma"])),
                "estimate": round(_estimate(name, float(search.best_score_)), 6),
                "n_train": len(y),
                "n_test": len(y_test),
                "n_wrong": int((search.predict(X_test) != y_test).sum()),
                "seconds": seconds,
                "criteria_share": _criteria_share(X, y) if name == "gacv" else None,
                "converged": not any(issubclass(w.category, ConvergenceWarning) for w in caught),
            }
        )
    return rows


def _estimate(search, best_score):
    """What a search expects of its choice, as an error rate (GACV: a hinge loss)."""
    return 1.0 - best_score if search in ("cv", "scikit-learn") else -best_score


def _criteria_share(X, y):
    """Share of the CPU time of a surface that computing GACV and XA from it takes."""
    started = time.process_time()
    surface = machine_surface(X, y, GRID["C"], GRID["gamma"])
    fitted = time.process_time()
    margin, influence = surface.margin, surface.influence
    gacv_values(margin, influence)
    xi_alpha_values(margin, influence)
    ended = time.process_time()
    return round((ended - fitted) / (ended - started), 4)


def _searches(params):
    seed = seed_for(PAPER, "beyond", "folds", params["dataset"], params["split"])
    folds = StratifiedKFold(
        N_FOLDS, shuffle=True, random_state=int(seed.generate_state(1)[0] % 2**31)
    )
    searches = {
        name: GACVSearch(L1SVC(), GRID, criterion=name)
        for name in ("gacv", "xi_alpha", "leave_one_out")
    }
    searches["cv"] = KernelGridSearchCV(L1SVC(), GRID, cv=folds)
    if params["by_scikit_learn"]:
        searches["scikit-learn"] = GridSearchCV(SVC(), GRID, cv=folds)
    return searches


BEYOND = Study(PAPER, "beyond", search_units, compute_split)
