"""Beyond the report: its estimates as tuning criteria on real data, against cross-validation.

The same (C, gamma) grid is searched by GACV, by XA and by exact leave-one-out, each from one fit a
cell, by 5-fold cross-validation, and on the first splits by scikit-learn's ``GridSearchCV``.
"""

import time
import warnings
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from companion.datasets import data_digest, ida_split, load_ida, split_source
from companion.estimators import L1SVC
from companion.kernels import gram
from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.gacv.example import PAPER
from companion.papers.summaries import Values, as_table, ida_units, present, select, with_error
from companion.reproduction import Study, Unit, seed_for
from companion.tuning import GACVSearch, KernelGridSearchCV
from companion.tuning.criteria import gacv_values, xi_alpha_values
from companion.tuning.leave_one_out import leave_one_out_errors
from companion.tuning.surface import machine_surface

#: Data sets and their names as the Least 1-Norm paper prints such names.
KEYS = ("titanic", "heart", "breast-cancer", "german", "diabetis", "thyroid", "waveform")
DATASETS = {key: key.removeprefix("breast-").capitalize() for key in KEYS}
GRID = {"C": 2.0 ** np.arange(-3, 12, 2), "gamma": 2.0 ** np.arange(-9, 2, 2)}
N_FOLDS = 5
#: Where tuning by GACV loses several points, or one.
COSTLY = ("german", "diabetis", "waveform")
#: How many splits, and how many of them scikit-learn searches too.
SIZES = {"paper": (20, 3), "quick": (2, 1)}

#: The searches, and what a reader calls them.
SEARCHES = {
    "gacv": "GACV",
    "xi_alpha": "XA",
    "leave_one_out": "exact leave-one-out",
    "cv": "5-fold CV",
    "scikit-learn": "5-fold CV, GridSearchCV(SVC)",
}
WITHOUT_FOLDS = ("gacv", "xi_alpha", "leave_one_out")


def search_units(profile):
    """One unit a data set and split."""
    (n_splits, n_twice), units = SIZES[profile], []
    for name, split in product(DATASETS, range(1, n_splits + 1)):
        params = {"dataset": name, "split": split, "splits": split_source(name)}
        params["by_scikit_learn"] = split <= n_twice
        units.append(Unit(PAPER, "beyond", params, data=data_digest(name)))
    return units


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
        # what a search expects of its choice: an accuracy, or minus an error rate or hinge loss
        score = float(search.best_score_)
        row = {
            "search": name,
            "log2_C": float(np.log2(search.best_params_["C"])),
            "log2_gamma": float(np.log2(search.best_params_["gamma"])),
            "estimate": round(1.0 - score if name in ("cv", "scikit-learn") else -score, 6),
            "n_train": len(y),
            "n_test": len(y_test),
            "n_wrong": int((search.predict(X_test) != y_test).sum()),
            "seconds": seconds,
            "criteria_share": _criteria_share(X, y) if name == "gacv" else None,
            "converged": not any(issubclass(w.category, ConvergenceWarning) for w in caught),
        }
        rows.append(row)
    return rows


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
    state = int(seed.generate_state(1)[0] % 2**31)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=state)
    searches = {name: GACVSearch(L1SVC(), GRID, criterion=name) for name in WITHOUT_FOLDS}
    searches["cv"] = KernelGridSearchCV(L1SVC(), GRID, cv=folds)
    if params["by_scikit_learn"]:
        searches["scikit-learn"] = GridSearchCV(SVC(), GRID, cv=folds)
    return searches


def hinge_units(profile):
    """One unit a data set and split, of those on which tuning by GACV costs most."""
    return ida_units(PAPER, "beyond_hinge", COSTLY, SIZES[profile][0])


def compute_hinge(unit):
    """Tune by the exact leave-one-out hinge loss, which GACV approximates by theta, and test."""
    p = unit.params
    data = load_ida(p["dataset"], p["splits"])
    train, test = ida_split(p["dataset"], p["split"], p["splits"])
    X, y = data.X[train], data.y[train]
    surface = machine_surface(X, y, GRID["C"], GRID["gamma"])
    loss = np.empty(surface.intercept.shape)
    for g, gamma in enumerate(GRID["gamma"]):
        upper = surface.C[:, np.newaxis] * surface.factors
        K = gram(X, gamma=gamma)
        left_out = leave_one_out_errors(K, y, surface.alpha[g], upper, decisions=True)
        loss[g] = np.maximum(1 - y * left_out.decision, 0).mean(axis=1)
    g, c = np.unravel_index(loss.argmin(), loss.shape)
    machine = L1SVC(C=surface.C[c], gamma=GRID["gamma"][g]).fit(X, y)
    return {
        "log2_C": float(np.log2(surface.C[c])),
        "log2_gamma": float(np.log2(GRID["gamma"][g])),
        "estimate": round(float(loss.min()), 6),
        "n_test": len(test),
        "n_wrong": int((machine.predict(data.X[test]) != data.y[test]).sum()),
        "converged": bool(surface.converged.all()),
    }


BEYOND_HINGE = Study(PAPER, "beyond_hinge", hinge_units, compute_hinge)
BEYOND = Study(PAPER, "beyond", search_units, compute_split)
STUDIES = (BEYOND, BEYOND_HINGE)


def searched(frame, dataset, search):
    """Rows of one data set and search in the order of the splits, with the error in per cent."""
    rows = select(frame, dataset=dataset, search=search).sort_values("split")
    return rows.assign(error=100.0 * rows.n_wrong / rows.n_test)


def values(records):
    """Whether tuning by the estimates costs test error, and what they cost to compute."""
    out, frame = Values(), records["beyond"]
    if frame.empty:
        return out.frame()
    for name in present(frame, DATASETS):
        folds = searched(frame, name, "cv")
        for search, label in (("gacv", "GACV"), ("xi_alpha", "XA")):
            own, column = searched(frame, name, search), f"% err. {label} - 5-fold CV"
            difference = paired_difference(own.error, folds.error)
            converged = own.converged.all() and folds.converged.all()
            out.add_mean(DATASETS[name], column, difference, converged)
    shares = frame.dropna(subset="criteria_share").groupby("dataset").criteria_share
    largest = mean_and_standard_error(shares.get_group(shares.mean().idxmax()))
    out.add_mean("all data sets", "share of the search's time spent on GACV and XA", largest)
    return out.frame()


@as_table
def search_table(frame):
    """The searches on the real data sets: error, also against 5-fold CV, chosen cell, time."""
    for name, search in product(present(frame, DATASETS), SEARCHES):
        own, folds = searched(frame, name, search), searched(frame, name, "cv")
        same = folds[folds.split.isin(own.split)]
        seconds = own.set_index("split").seconds
        peer = searched(frame, name, "scikit-learn").set_index("split").seconds
        yield {
            "data set": DATASETS[name],
            "search": SEARCHES[search],
            "splits": len(own),
            "% err.": own.error.mean(),
            **with_error("minus 5-fold CV", paired_difference(own.error, same.error)),
            "log2 C": own.log2_C.mean(),
            "log2 gamma": own.log2_gamma.mean(),
            "ms": 1000 * seconds.median(),
            "x GridSearchCV(SVC)": (peer / seconds.loc[peer.index]).median(),
        }


def tuning_differences(frame):
    """The data sets, and by search without folds the differences to 5-fold CV and their errors."""
    groups, found = search_table(frame).groupby("search"), {}
    for words in (SEARCHES[name] for name in WITHOUT_FOLDS):
        rows = groups.get_group(words)
        found[words] = rows["minus 5-fold CV"].to_numpy(), rows.SE.to_numpy()
    return list(rows["data set"]), found


@as_table
def hinge_table(frame, hinge):
    """What tuning by GACV costs against 5-fold CV, and by the exact loss that it approximates."""
    for name in present(hinge, COSTLY):
        folds, estimate = searched(frame, name, "cv"), searched(frame, name, "gacv")
        exact = select(hinge, dataset=name).sort_values("split")
        error = (100.0 * exact.n_wrong / exact.n_test).to_numpy()
        losses = {
            "GACV minus 5-fold CV": (estimate.error, "SE"),
            "exact hinge loss minus 5-fold CV": (error, "SE of it"),
        }
        row = {"data set": DATASETS[name]}
        for words, (own, se) in losses.items():
            row |= with_error(words, paired_difference(own, folds.error), se)
        yield row
