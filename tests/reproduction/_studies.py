"""A small real study for the tests of the records: the test error of a soft-margin machine.

The module is found by worker processes, which inherit the path of the tests' process.
"""

import os
import signal
import sqlite3
import time
import warnings
from contextlib import closing

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from companion._utils.errors import DataUnavailable
from companion.reproduction.units import Study, seed_for

n_calls = 0
N_UNITS = 12  # of study(n_repetitions=6)


def two_gaussians(repetition, n_samples=120):
    """Training and test halves of two overlapping Gaussians, the same for every machine."""
    rng = np.random.default_rng(seed_for("tests", "two_gaussians", repetition))
    y = np.where(np.arange(2 * n_samples) % 2, 1, -1)
    X = rng.normal(size=(2 * n_samples, 3)) + 0.7 * y[:, None]
    return X[:n_samples], y[:n_samples], X[n_samples:], y[n_samples:]


def error_rate(unit):
    """One fit: its error, support vectors and a product that a threaded BLAS would split.

    It is slowed down by the environment, so that it can be interrupted.
    """
    global n_calls
    n_calls += 1
    time.sleep(float(os.environ.get("SECONDS_A_UNIT", "0")))
    X, y, X_test, y_test = two_gaussians(unit.params["repetition"])
    model = SVC(C=unit.params["C"], gamma=0.5).fit(X, y)
    W = unit.rng().normal(size=(300, 300))
    row = {
        "error": 100 * np.mean(model.predict(X_test) != y_test),
        "n_support": np.int64(model.support_.size),
        "checksum": (W @ W.T @ W).sum() / 3,
    }
    return row | {
        "note": "one" if unit.params["C"] == 1 else None,
        "converged": np.bool_(True),
    }


def fragile_error_rate(unit):
    """`error_rate` with a fault of each kind."""
    if unit.params["repetition"] == 1:
        raise DataUnavailable(
            "heart.dat cannot be had here;\n run `companion data fetch`."
        )
    if unit.params["repetition"] == 2:
        raise ZeroDivisionError("no variance\nat all")
    return error_rate(unit)


def returns_nothing(unit):
    return []


def lacks_data(unit):
    raise DataUnavailable("no network")


def unfinished_error_rate(unit):
    """`error_rate` of a solver that gives up, and warns."""
    X, y, X_test, y_test = two_gaussians(unit.params["repetition"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = SVC(C=unit.params["C"], max_iter=1).fit(X, y)
    warnings.warn("stopped early", ConvergenceWarning, stacklevel=2)
    return {"error": 1 - model.score(X_test, y_test), "converged": not caught}


def deadly(unit):
    """Takes its process along, as the kernel's memory guard would."""
    os.kill(os.getpid(), signal.SIGKILL)


def threads(unit):
    """Most threads of every BLAS and OpenMP of this process, while other units come and go."""
    from threadpoolctl import threadpool_info

    most = 0
    for _ in range(1 + unit.params["repetition"] % 3):
        time.sleep(0.01)
        most = max([most, *(pool["num_threads"] for pool in threadpool_info())])
    return {"threads": most}


def units(n_repetitions=3, name="table_0", paper="tests", data=""):
    """A function that lists units; the quick profile has two thirds of them."""

    def listed(profile):
        n = n_repetitions if profile == "paper" else max(1, 2 * n_repetitions // 3)
        study = Study(paper, name, units=None, compute=None)
        return [
            study.unit(data, C=C, repetition=k) for k in range(n) for C in (10.0, 1.0)
        ]

    return listed


def study(compute=error_rate, n_repetitions=3, name="table_0", data=""):
    """A study of the tests."""
    return Study("tests", name, units(n_repetitions, name, data=data), compute)


def table(places):
    """The committed table of the study."""
    return (places / "project/data/records/tests/table_0.csv").read_bytes()


def working(places, profile="paper", paper="tests", name="table_0"):
    """The working file of a study."""
    return places / "cache/records" / profile / paper / f"{name}.sqlite"


def stored(path):
    """Key, code and rows of every record in a working file, as any reader of SQLite sees them."""
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path, timeout=60)) as database:
        if not database.execute("SELECT * FROM sqlite_master").fetchone():
            return set()
        return set(database.execute("SELECT key, code, rows FROM finished"))
