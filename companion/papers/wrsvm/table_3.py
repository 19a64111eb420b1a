"""Table 3: three of the pen-based digits, tuned linear machines, over 20 random splits.

Both machines are kept, and the classifier of the unweighted one, U_{2,0}, is judged by every
utility beside them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from companion.datasets import data_digest, load_pen_digits
from companion.papers.wrsvm import examples
from companion.papers.wrsvm.examples import PAPER
from companion.reproduction import Study, Unit, seed_for
from companion.solvers import Design

#: Classes 1, 2 and 3 of the paper.
DIGITS = (3, 6, 9)
#: Rows of Table 3: U_{2,a}.
A_VALUES = (0.0, 0.2, 0.6)
CONFIG = 2
PER_CLASS = 50
N_SPLITS = {"paper": 20, "quick": 4}


@lru_cache(maxsize=1)
def digits():
    """All rows of the three digits, each column standardised over them, and classes 0, 1, 2.

    Returns
    -------
    X : ndarray of shape (3166, 16)
    y : ndarray of int of shape (3166,)
    """
    X, y = load_pen_digits(DIGITS)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1), np.searchsorted(DIGITS, y)


def split(number):
    """Rows of the training, tuning and test part: 50 a class, 50 a class, and the others.

    Parameters
    ----------
    number : int

    Returns
    -------
    train, tune, test : ndarray of int
    """
    _, y = digits()
    rng = np.random.default_rng(seed_for(PAPER, "table_3", "split", number))
    parts = [rng.permutation(np.flatnonzero(y == j)) for j in range(len(DIGITS))]
    cuts = (slice(0, PER_CLASS), slice(PER_CLASS, 2 * PER_CLASS), slice(2 * PER_CLASS, None))
    return tuple(np.sort(np.concatenate([part[cut] for part in parts])) for cut in cuts)


def compute_split(unit):
    """What every tuned machine predicts for each class: a row a utility and machine."""
    X, y = digits()
    train, tune, test = split(unit.params["split"])
    design = Design.linear(np.ascontiguousarray(X[train]))
    rows, unweighted = [], {}
    for a in A_VALUES:
        U = examples.utility(CONFIG, a)
        for machine in examples.tuned_machines(design, y[train], X[tune], y[tune], U):
            predicted = machine.predict(X[test])
            unweighted.setdefault(machine.name, predicted)
            row = {
                "a": a,
                "machine": machine.name,
                "log2_C": round(float(np.log2(machine.C)), 6),
                "test": round(examples.mean_utility(U, y[test], predicted), 8),
                "unweighted": round(examples.mean_utility(U, y[test], unweighted[machine.name]), 8),
                "n_train": len(train),
                "n_test": len(test),
                "n_steps": machine.n_steps,
                "converged": machine.converged,
                "n_missed": machine.n_missed,
            }
            for true in range(len(DIGITS)):
                of_class = predicted[y[test] == true]
                for guess in range(len(DIGITS)):
                    row[f"p_{true + 1}{guess + 1}"] = round(float((of_class == guess).mean()), 8)
            rows.append(row)
    return rows


def split_units(profile):
    """One unit a split."""
    digest = data_digest("pendigits")
    return [Unit(PAPER, "table_3", {"split": k}, digest) for k in range(1, N_SPLITS[profile] + 1)]


TABLE_3 = Study(PAPER, "table_3", split_units, compute_split)
